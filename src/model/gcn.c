// gcn.c -- the graph convolution, forward and backward.

#include "model/gcn.h"

static int list_weights(const opn_i_sizes *sizes, opn_i_weight list[OPN_MAX_WEIGHTS])
{
    list[0] = (opn_i_weight){.name = "w0",
                             .n_rows = sizes->n_features,
                             .n_cols = sizes->n_hidden,
                             .n_row_heads = 1,
                             .n_heads = 1,
                             .n_parts = 1,
                             .width = opn_i_width(sizes->n_hidden),
                             .has_panels = true,
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

static void deinit(const opn_alloc *alloc, opn_i_network *network)
{
    opn_i_gcn_layers *layers = network->layers;
    opn_i_release(alloc, layers->keep_hidden);
    opn_i_release(alloc, layers->arena);
    opn_i_release(alloc, layers);
    network->layers = NULL;
}

static opn_status init(opn_ctx *ctx, opn_i_network *network)
{
    opn_status status = OPN_OK;
    opn_i_gcn_layers *layers = NULL;
    const size_t n_nodes = (size_t)network->n_nodes;
    // In whole lines of the cache, all of them.
    const size_t n_wide = opn_i_whole_lines(n_nodes * (size_t)network->hidden_width);
    const size_t n_narrow = opn_i_whole_lines(n_nodes * (size_t)network->class_width);
    const size_t n_turned = (size_t)network->class_width * (size_t)network->hidden_width;
    OPN_TRY_NEW(ctx, layers, 1);
    network->layers = layers;
    OPN_TRY_NEW(ctx, layers->keep_hidden, opn_i_bit_words((int64_t)n_wide));
    OPN_TRY_NEW(ctx, layers->arena,
                OPN_LINE + 3 * n_wide + n_narrow + (1 + OPN_SUM_BLOCKS) * n_turned);
    layers->p = opn_i_on_line(layers->arena);
    layers->hidden = layers->p + n_wide;
    layers->d_hidden = layers->hidden + n_wide;
    layers->q = layers->d_hidden + n_wide;
    layers->w1_turned = layers->q + n_narrow;
    layers->partial = layers->w1_turned + n_turned;
cleanup:
    return status;
}

static void draw(const opn_i_exec *exec,
                 opn_i_network *network,
                 uint64_t seed,
                 const opn_i_streams *streams,
                 uint32_t step,
                 opn_i_rates rates)
{
    const opn_i_gcn_layers *layers = network->layers;
    if (rates.units > 0.0)
        opn_i_keep_bits(exec, seed, streams->hidden, step, rates.units,
                        (int64_t)network->reach.inner.n_rows * network->hidden_width,
                        layers->keep_hidden);
}

// The matrices of a pass.
typedef struct matrices {
    opn_i_dense hidden, d_hidden, q; // of the nodes between the hops
    opn_i_dense w1;
} matrices;

static matrices view_pass(const opn_i_network *network, const opn_real *weights)
{
    const opn_i_gcn_layers *layers = network->layers;
    const int32_t n_middle = network->in_use.inner.n_rows;
    return (matrices){
            opn_i_panels(layers->hidden, n_middle, network->hidden_width),
            opn_i_panels(layers->d_hidden, n_middle, network->hidden_width),
            opn_i_rows(layers->q, n_middle, network->class_width),
            opn_i_rows(weights + network->weight[1].at, network->sizes.n_hidden,
                       network->class_width),
    };
}

static void forward(const opn_i_exec *exec,
                    opn_i_network *network,
                    const opn_real *weights,
                    bool with_backward)
{
    opn_i_gcn_layers *layers = network->layers;
    const opn_i_hop *inner = &network->in_use.inner;
    const opn_i_hop *outer = &network->in_use.outer;
    const double rate = network->rates.units;
    const matrices pass = view_pass(network, weights);
    const opn_k_finish finish = {.rectifies = true,
                                 .factor = (opn_real)(1.0 / (1.0 - rate)),
                                 .bits = rate == 0.0 ? NULL : layers->keep_hidden};
    const opn_real *p = opn_i_network_multiply(exec, network, weights, with_backward,
                                               layers->d_hidden, layers->p);
    opn_i_spmm(exec, &inner->rows, inner->n_rows,
               opn_i_panels(p, network->n_nodes, network->hidden_width), pass.hidden,
               &finish);
    opn_i_matmul(exec, inner->n_rows, network->sizes.n_hidden, pass.hidden, pass.w1,
                 pass.q, NULL, 1);
    opn_i_spmm(exec, &outer->rows, outer->n_rows, pass.q,
               opn_i_rows(network->z, outer->n_rows, network->class_width), NULL);
}

static void backward(const opn_i_exec *exec,
                     opn_i_network *network,
                     const opn_real *weights,
                     opn_real *d_weights)
{
    opn_i_gcn_layers *layers = network->layers;
    const opn_i_sizes *sizes = &network->sizes;
    const opn_i_hop *inner = &network->in_use.inner;
    const opn_i_hop *outer = &network->in_use.outer;
    const matrices pass = view_pass(network, weights);
    const opn_i_dense turned =
            opn_i_panels(layers->w1_turned, sizes->n_classes, network->hidden_width);
    opn_i_spmm(exec, &outer->turned, outer->n_cols,
               opn_i_rows(network->d_z, outer->n_rows, network->class_width), pass.q,
               NULL);
    opn_i_matmul_tn(exec, inner->n_rows, sizes->n_hidden, pass.hidden, pass.q,
                    layers->partial, d_weights + network->weight[1].at);
    opn_i_turn(pass.w1, sizes->n_hidden, sizes->n_classes, turned);
    // A hidden value above 0 was both active and kept.
    opn_i_matmul(exec, inner->n_rows, sizes->n_classes, pass.q, turned, pass.d_hidden,
                 layers->hidden, (opn_real)(1.0 / (1.0 - network->rates.units)));
    opn_k_sparse back = inner->turned;
    back.scale = network->design->scale; // the rows' share of X^T, as design.h says
    opn_i_spmm(exec, &back, inner->n_cols, pass.d_hidden,
               opn_i_panels(layers->p, network->n_nodes, network->hidden_width), NULL);
    opn_i_design_product_turned(exec, network->design, network->hidden_width, layers->p,
                                d_weights);
}

const opn_i_encoder opn_i_gcn_encoder = {
        .name = "gcn",
        .edges = OPN_EDGES_NORMALISED,
        .list_weights = list_weights,
        .init = init,
        .deinit = deinit,
        .draw = draw,
        .forward = forward,
        .backward = backward,
};
