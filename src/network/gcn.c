// gcn.c -- the graph convolution, forward and backward.

#include "network/gcn.h"

int opn_i_gcn_list_weights(const opn_i_sizes *sizes, opn_i_weight list[OPN_MAX_WEIGHTS])
{
    list[0] = (opn_i_weight){.name = "w0",
                             .n_rows = sizes->n_features,
                             .n_cols = sizes->n_hidden,
                             .n_row_heads = 1,
                             .n_heads = 1,
                             .n_parts = 1,
                             .width = opn_i_width(sizes->n_hidden),
                             .is_decayed = true,
                             .fan = sizes->n_features + sizes->n_hidden};
    list[1] = (opn_i_weight){.name = "w1",
                             .n_rows = sizes->n_hidden,
                             .n_cols = sizes->n_classes,
                             .n_row_heads = 1,
                             .n_heads = 1,
                             .n_parts = 1,
                             .width = opn_i_width(sizes->n_classes),
                             .fan = sizes->n_hidden + sizes->n_classes};
    return 2;
}

opn_status opn_i_gcn_init(opn_ctx *ctx, opn_i_network *network)
{
    opn_status status = OPN_OK;
    opn_i_gcn_layers *layers = NULL;
    const size_t n_nodes = (size_t)network->n_room;
    // All rounded up to whole cache lines.
    const size_t n_wide = opn_i_whole_lines(n_nodes * (size_t)network->hidden_width);
    OPN_TRY_NEW(ctx, layers, 1);
    network->layers = layers;
    OPN_TRY_NEW(ctx, network->arena,
                OPN_MARGIN + 3 * n_wide + n_nodes * (size_t)network->class_width);
    layers->p = opn_i_on_line(network->arena);
    layers->hidden = layers->p + n_wide;
    layers->d_hidden = layers->hidden + n_wide;
    layers->q = layers->d_hidden + n_wide;
cleanup:
    return status;
}

// The matrices of a pass.
typedef struct matrices {
    opn_i_dense hidden, d_hidden, q; // of the nodes between the two hops
    opn_i_dense_const w1;
} matrices;

static matrices view_pass(const opn_i_network *network, const opn_real *weights)
{
    const opn_i_gcn_layers *layers = network->layers;
    const int32_t n_middle = network->in_use.inner.n_rows;
    return (matrices){
            opn_i_rows(layers->hidden, n_middle, network->hidden_width),
            opn_i_rows(layers->d_hidden, n_middle, network->hidden_width),
            opn_i_rows(layers->q, n_middle, network->class_width),
            opn_i_rows_const(weights + network->weight[1].at, network->sizes.n_hidden,
                             network->class_width),
    };
}

void opn_i_gcn_forward(const opn_i_exec *exec,
                       opn_i_network *network,
                       const opn_real *weights,
                       bool with_backward)
{
    opn_i_gcn_layers *layers = network->layers;
    const opn_i_hop *inner = &network->in_use.inner;
    const opn_i_hop *outer = &network->in_use.outer;
    const double rate = network->rates.units;
    const matrices pass = view_pass(network, weights);
    network->hidden = opn_i_as_const(pass.hidden);
    const opn_k_finish finish = {.rectifies = true,
                                 .factor = (opn_real)(1.0 / (1.0 - rate)),
                                 .bits = rate == 0.0 ? NULL : network->keep_hidden,
                                 .first_bit = network->first_bit};
    opn_real *p = opn_i_network_multiply(exec, network, weights, with_backward,
                                         layers->d_hidden, layers->p)
                          .at;
    opn_i_hop_product(exec, inner, opn_i_rows(p, network->n_nodes, network->hidden_width),
                      pass.hidden, &finish);
    opn_i_matmul(exec, inner->n_rows, network->sizes.n_hidden, network->hidden, pass.w1,
                 pass.q, NULL, 1);
    opn_i_hop_product(exec, outer, pass.q,
                      opn_i_rows(network->z, outer->n_rows, network->class_width), NULL);
}

void opn_i_gcn_backward(const opn_i_exec *exec,
                        opn_i_network *network,
                        const opn_real *weights,
                        opn_real *d_weights)
{
    opn_i_gcn_layers *layers = network->layers;
    const opn_i_hop *inner = &network->in_use.inner;
    const opn_i_hop *outer = &network->in_use.outer;
    const matrices pass = view_pass(network, weights);
    opn_i_hop_product_transposed(
            exec, outer, NULL,
            opn_i_rows(network->d_z, outer->n_rows, network->class_width), pass.q);
    // A hidden value above 0 was both active and kept.
    opn_i_network_project_back(exec, network, weights, network->hidden,
                               opn_i_as_const(pass.q), layers->hidden,
                               (opn_real)(1.0 / (1.0 - network->rates.units)),
                               pass.d_hidden, d_weights);
    opn_i_hop_product_transposed(
            exec, inner, opn_i_network_row_scale(network), pass.d_hidden,
            opn_i_rows(layers->p, network->n_nodes, network->hidden_width));
    opn_i_network_multiply_back(exec, network, layers->p, d_weights);
}

const opn_i_encoder opn_i_gcn_encoder = {
        .edges = OPN_EDGES_NORMALISED,
        .second = 1,
        .list_weights = opn_i_gcn_list_weights,
        .init = opn_i_gcn_init,
        .forward = opn_i_gcn_forward,
        .backward = opn_i_gcn_backward,
};
