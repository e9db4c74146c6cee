// gat.c -- graph attention, forward and backward.

#include "network/gat.h"

#include <assert.h>

// Positions of the layers' weights in the list: projection, then attention.
enum { W0, ATTEND0, W1 = 4, ATTEND1 };

static int list_weights(const opn_i_sizes *sizes, opn_i_weight list[OPN_MAX_WEIGHTS])
{
    static const char *const names0[] = {"a0", "c0", "b0"};
    static const char *const names1[] = {"a1", "c1", "b1"};
    const int32_t n_units = sizes->n_hidden / sizes->n_heads;
    const int32_t n_heads1 = sizes->n_out_heads;
    list[W0] = (opn_i_weight){.name = "w0",
                              .n_rows = sizes->n_features,
                              .n_cols = sizes->n_hidden,
                              .n_row_heads = 1,
                              .n_heads = sizes->n_heads,
                              .n_parts = 1,
                              .width = opn_i_attention_width(sizes->n_heads, n_units),
                              .is_decayed = true,
                              .fan = sizes->n_features + n_units};
    opn_i_attention_list(sizes->n_heads, n_units, names0, list + ATTEND0);
    list[W1] = (opn_i_weight){.name = "w1",
                              .n_rows = sizes->n_hidden,
                              .n_cols = n_heads1 * sizes->n_classes,
                              .n_row_heads = sizes->n_heads,
                              .n_heads = n_heads1,
                              .n_parts = 1,
                              .width = opn_i_attention_width(n_heads1, sizes->n_classes),
                              .is_decayed = true,
                              .fan = sizes->n_hidden + sizes->n_classes};
    opn_i_attention_list(n_heads1, sizes->n_classes, names1, list + ATTEND1);
    return OPN_MAX_WEIGHTS;
}

static void deinit(const opn_alloc *alloc, opn_i_network *network)
{
    opn_i_gat_layers *layers = network->layers;
    opn_i_attention_deinit(alloc, &layers->first);
    opn_i_attention_deinit(alloc, &layers->second);
}

static opn_status init(opn_ctx *ctx, opn_i_network *network)
{
    opn_status status = OPN_OK;
    const opn_i_sizes *sizes = &network->sizes;
    opn_i_gat_layers *layers = NULL;
    OPN_TRY_NEW(ctx, layers, 1);
    network->layers = layers;
    OPN_TRY(opn_i_attention_init(ctx, sizes->n_heads, sizes->n_hidden / sizes->n_heads,
                                 network->n_nodes, &network->reach.inner,
                                 &layers->first));
    OPN_TRY(opn_i_attention_init(ctx, sizes->n_out_heads, sizes->n_classes,
                                 network->n_nodes, &network->reach.outer,
                                 &layers->second));
    OPN_TRY_NEW(ctx, network->arena,
                OPN_MARGIN + (size_t)network->n_nodes * (size_t)network->hidden_width);
    layers->hidden = opn_i_on_line(network->arena);
cleanup:
    return status;
}

// Draws the masks of a layer. Each has its own steps, so no random number is reused.
static void draw_layer(const opn_i_exec *exec,
                       const opn_i_attention *layer,
                       const opn_i_hop *hop,
                       uint64_t seed,
                       const opn_i_streams *streams,
                       uint32_t step,
                       opn_i_rates rates)
{
    if (rates.units > 0.0)
        opn_i_keep_bits(exec, seed, streams->projected, step, rates.units,
                        opn_i_attention_unit_bits(layer, hop->n_cols), layer->keep_units);
    if (rates.edges > 0.0)
        opn_i_keep_bits(exec, seed, streams->edges, step, rates.edges,
                        opn_i_attention_entry_bits(layer, opn_i_hop_n_entries(hop)),
                        layer->keep_entries);
}

static void draw(const opn_i_exec *exec,
                 opn_i_network *network,
                 uint64_t seed,
                 const opn_i_streams *streams,
                 uint32_t step,
                 opn_i_rates rates)
{
    const opn_i_gat_layers *layers = network->layers;
    const opn_i_reach *reach = &network->reach;
    draw_layer(exec, &layers->first, &reach->inner, seed, streams, 2 * step, rates);
    draw_layer(exec, &layers->second, &reach->outer, seed, streams, 2 * step + 1, rates);
}

// The matrices between the layers.
typedef struct between {
    int32_t n, n_units;    // nodes and hidden units, including padding
    opn_i_dense hidden, q; // q: the units of the second layer
    opn_i_dense_const w1;
} between;

static between view_between(const opn_i_network *network, const opn_real *weights)
{
    const opn_i_gat_layers *layers = network->layers;
    const opn_i_weight *w1 = &network->weight[W1];
    const int32_t n = network->in_use.inner.n_rows;
    const int32_t n_units = opn_i_weight_rows(w1);
    return (between){
            n,
            n_units,
            opn_i_rows(layers->hidden, n, network->hidden_width),
            opn_i_rows(layers->second.g, n, w1->width),
            opn_i_rows_const(weights + w1->at, n_units, w1->width),
    };
}

// z is the mean of the heads, so d_o = d_z divided among them.
static void average_heads(opn_i_network *network)
{
    const opn_i_gat_layers *layers = network->layers;
    const opn_i_attention *layer = &layers->second;
    const int32_t n_heads = layer->n_heads;
    for (int32_t i = 0; i < network->in_use.outer.n_rows; i++) {
        const opn_real *o = layer->o + (size_t)i * (size_t)layer->width;
        opn_real *z = network->z + (size_t)i * (size_t)network->class_width;
        for (int32_t k = 0; k < layer->n_units; k++) {
            const int32_t first = n_heads == 1 ? k : k * OPN_LANES;
            opn_real sum = 0;
            for (int32_t h = 0; h < n_heads; h++)
                sum += o[first + h] + layer->pass.b[first + h];
            z[k] = sum / (opn_real)n_heads;
        }
    }
}

static void share_among_heads(opn_i_network *network)
{
    opn_i_gat_layers *layers = network->layers;
    opn_i_attention *layer = &layers->second;
    const int32_t n_heads = layer->n_heads;
    for (int32_t i = 0; i < network->in_use.outer.n_rows; i++) {
        const opn_real *d_z = network->d_z + (size_t)i * (size_t)network->class_width;
        opn_real *d_o = layer->d_o + (size_t)i * (size_t)layer->width;
        for (int32_t k = 0; k < layer->n_units; k++)
            for (int32_t h = 0; h < n_heads; h++)
                d_o[(n_heads == 1 ? k : k * OPN_LANES) + h] = d_z[k] / (opn_real)n_heads;
    }
}

static void forward(const opn_i_exec *exec,
                    opn_i_network *network,
                    const opn_real *weights,
                    bool with_backward)
{
    opn_i_gat_layers *layers = network->layers;
    opn_i_attention *first = &layers->first;
    const between middle = view_between(network, weights);
    const opn_i_rates rates = network->rates;
    network->hidden = opn_i_as_const(middle.hidden);
    const opn_i_first_product g = opn_i_network_multiply(
            exec, network, weights, with_backward, first->d_o, first->g);
    // The backward pass needs g, which d_o would overwrite if it were there.
    assert(!with_backward || g.at != first->d_o);
    opn_i_attention_forward(exec, first, &network->in_use.inner, g.at,
                            &network->weight[ATTEND0], weights, rates, g.is_known,
                            with_backward);
    first->pass.hidden = opn_i_attention_wide(first, layers->hidden);
    first->pass.keep_hidden = rates.units > 0.0 ? network->keep_hidden : NULL;
    first->pass.hidden_factor = (opn_real)(1.0 / (1.0 - rates.units));
    opn_i_attention_run(exec, first, exec->kernels->attention->activate, middle.n);
    opn_i_matmul(exec, middle.n, middle.n_units, network->hidden, middle.w1, middle.q,
                 NULL, 1);
    opn_i_attention_forward(exec, &layers->second, &network->in_use.outer, middle.q.data,
                            &network->weight[ATTEND1], weights, rates, false,
                            with_backward);
    average_heads(network);
}

static void backward(const opn_i_exec *exec,
                     opn_i_network *network,
                     const opn_real *weights,
                     opn_real *d_weights)
{
    opn_i_gat_layers *layers = network->layers;
    opn_i_attention *first = &layers->first;
    opn_i_attention *second = &layers->second;
    const between middle = view_between(network, weights);
    second->pass.d_o = opn_i_attention_wide(second, second->d_o);
    share_among_heads(network);
    opn_i_attention_backward(exec, second, &network->in_use.outer, NULL,
                             &network->weight[ATTEND1], d_weights);
    opn_i_network_project_back(
            exec, network, weights, network->hidden,
            opn_i_rows_const(second->dropped, middle.n, middle.q.width), NULL, 1,
            opn_i_rows(first->d_o, middle.n, network->hidden_width), d_weights);
    first->pass.d_o = opn_i_attention_wide(first, first->d_o);
    opn_i_attention_run(exec, first, exec->kernels->attention->inactivate, middle.n);
    opn_i_attention_backward(exec, first, &network->in_use.inner,
                             opn_i_network_row_scale(network), &network->weight[ATTEND0],
                             d_weights);
    opn_i_network_multiply_back(exec, network, first->dropped, d_weights);
}

const opn_i_encoder opn_i_gat_encoder = {
        .edges = OPN_EDGES_NORMALISED, // only the pattern matters
        .has_heads = true,
        .needs_entries = true,
        .second = W1,
        .list_weights = list_weights,
        .init = init,
        .deinit = deinit,
        .draw = draw,
        .forward = forward,
        .backward = backward,
};
