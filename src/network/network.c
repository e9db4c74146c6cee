// network.c -- what all networks have in common, whatever their encoder.

#include "network/network.h"

#include <math.h>
#include <string.h>

// ---- weights -------------------------------------------------------------------------

int opn_i_place_weights(const opn_i_encoder *encoder,
                        const opn_i_sizes *sizes,
                        opn_i_weight list[OPN_MAX_WEIGHTS],
                        size_t *n_weights)
{
    const int n = encoder->list_weights(sizes, list);
    *n_weights = 0;
    for (int m = 0; m < n; m++) {
        list[m].at = *n_weights;
        *n_weights += (size_t)opn_i_weight_rows(&list[m]) * (size_t)list[m].width;
    }
    return n;
}

// Position in memory of unit k of n, which are divided among the heads.
static int32_t place_of(int32_t k, int32_t n, int32_t n_heads)
{
    const int32_t n_units = n / n_heads;
    return n_heads == 1 ? k : k % n_units * OPN_LANES + k / n_units;
}

static int32_t column_of(const opn_i_weight *weight, int32_t k)
{
    const int32_t n = weight->n_cols / weight->n_parts;
    return k / n * (weight->width / weight->n_parts) +
           place_of(k % n, n, weight->n_heads);
}

int32_t opn_i_weight_rows(const opn_i_weight *weight)
{
    return weight->n_row_heads == 1 ? weight->n_rows
                                    : weight->n_rows / weight->n_row_heads * OPN_LANES;
}

size_t opn_i_weight_place(const opn_i_weight *weight, int32_t i, int32_t k)
{
    const int32_t row = place_of(i, weight->n_rows, weight->n_row_heads);
    return weight->at + (size_t)row * (size_t)weight->width +
           (size_t)column_of(weight, k);
}

// Element (i, k) has its own random position, so that the layout does not matter.
static void init_matrix(const opn_i_weight *weight, opn_i_rng *rng, opn_real *weights)
{
    const double limit = sqrt(6.0 / weight->fan);
    for (int32_t i = 0; i < weight->n_rows; i++)
        for (int32_t k = 0; k < weight->n_cols; k++)
            weights[opn_i_weight_place(weight, i, k)] =
                    (opn_real)(limit * (2.0 * opn_i_rng_unit(rng) - 1.0));
}

void opn_i_network_init_weights(const opn_i_network *network,
                                uint64_t seed,
                                opn_i_stream stream,
                                opn_real *weights)
{
    memset(weights, 0, network->n_weights * sizeof(*weights));
    for (int m = 0; m < network->n_matrices; m++) {
        opn_i_rng rng = opn_i_rng_start(seed, stream, (uint32_t)m);
        if (network->weight[m].fan > 0)
            init_matrix(&network->weight[m], &rng, weights);
    }
}

// ---- networks ------------------------------------------------------------------------

static unsigned uses_of(bool with_backward, bool subtracts)
{
    return (with_backward ? OPN_USE_BACKWARD : 0u) | (subtracts ? OPN_USE_DROPPED : 0u);
}

static bool plan_subtracts(opn_i_plan plan)
{
    return plan.has_whole && plan.dropout < 0.5 && (!plan.trains || plan.dropout > 0.0);
}

unsigned opn_i_plan_uses(opn_i_plan plan)
{
    return uses_of(plan.trains, plan_subtracts(plan));
}

void opn_i_network_follow(opn_i_network *network, opn_i_plan plan)
{
    network->subtracts = plan_subtracts(plan);
    network->is_frozen = !plan.trains;
    network->whole_of = NULL;
}

void opn_i_network_deinit(const opn_alloc *alloc, opn_i_network *network)
{
    if (network->layers != NULL && network->encoder->deinit != NULL)
        network->encoder->deinit(alloc, network);
    opn_i_release(alloc, network->layers);
    opn_i_release(alloc, network->arena);
    opn_i_release(alloc, network->keep_hidden);
    opn_i_release(alloc, network->logits);
    *network = (opn_i_network){0};
}

// Sets up the weights and the room of a network that has its inputs.
static opn_status init_network(opn_ctx *ctx, opn_i_network *network, opn_i_network *out)
{
    opn_status status = OPN_OK;
    const opn_i_encoder *encoder = network->encoder;
    network->n_matrices = opn_i_place_weights(encoder, &network->sizes, network->weight,
                                              &network->n_weights);
    network->class_width = opn_i_width(network->sizes.n_classes);
    network->hidden_width = network->weight[0].width;
    for (int m = 0; m < network->n_matrices; m++)
        if (network->weight[m].is_decayed)
            network->n_decayed = m + 1 < network->n_matrices ? network->weight[m + 1].at
                                                             : network->n_weights;
    const size_t n_z =
            opn_i_whole_lines((size_t)network->n_room * (size_t)network->class_width);
    const size_t n_w1 = (size_t)network->weight[encoder->second].width *
                        (size_t)network->hidden_width; // W1 has no more rows than that
    OPN_TRY_NEW(ctx, network->keep_hidden,
                opn_i_bit_words((int64_t)network->n_nodes * network->hidden_width) + 2);
    OPN_TRY_NEW(ctx, network->logits, OPN_MARGIN + 2 * n_z + (1 + OPN_SUM_BLOCKS) * n_w1);
    network->z = opn_i_on_line(network->logits);
    network->d_z = network->z + n_z;
    network->w1_transposed = network->d_z + n_z;
    network->partial = network->w1_transposed + n_w1;
    if (network->blocks != NULL)
        OPN_TRY(opn_i_blocks_make_room(ctx, network->n_weights, network->blocks));
    OPN_TRY(encoder->init(ctx, network));
    *out = *network;
    *network = (opn_i_network){0};
cleanup:
    opn_i_network_deinit(&ctx->alloc, network);
    return status;
}

opn_status opn_i_network_init(opn_ctx *ctx,
                              const opn_i_encoder *encoder,
                              const opn_i_sizes *sizes,
                              const opn_i_reach *reach,
                              opn_i_edge_dropper *dropper,
                              opn_i_feature_matrix *features,
                              opn_i_network *out)
{
    opn_i_network network = {
            .encoder = encoder,
            .sizes = *sizes,
            .n_nodes = features->rows.n_rows,
            .n_room = features->rows.n_rows,
            .reach = *reach,
            .dropper = dropper,
            .features = features,
    };
    network.sizes.n_features = features->rows.n_cols;
    return init_network(ctx, &network, out);
}

opn_status opn_i_network_init_blocks(opn_ctx *ctx,
                                     const opn_i_encoder *encoder,
                                     const opn_i_sizes *sizes,
                                     const opn_i_reach *reach,
                                     opn_i_blocks *blocks,
                                     opn_i_network *out)
{
    opn_i_network network = {
            .encoder = encoder,
            .sizes = *sizes,
            .n_nodes = reach->inner.n_rows,
            .n_room = reach->inner.n_cols,
            .reach = *reach,
            .blocks = blocks,
    };
    return init_network(ctx, &network, out);
}

// ---- passes --------------------------------------------------------------------------

void opn_i_network_draw(const opn_i_exec *exec,
                        opn_i_network *network,
                        uint64_t seed,
                        const opn_i_streams *streams,
                        uint32_t step,
                        opn_i_rates rates)
{
    const opn_i_feature_matrix *features = network->features;
    const int64_t width = network->hidden_width;
    int64_t first_word = 0;
    if (network->dropper != NULL)
        opn_i_keep_bits(exec, seed, streams->edges, step, rates.edges,
                        network->dropper->n_edges, network->dropper->keep);
    if (rates.units > 0.0 && network->blocks == NULL)
        opn_i_keep_bits(exec, seed, streams->features, step, rates.units,
                        opn_i_feature_matrix_n_bits(features), features->keep);
    if (rates.units > 0.0 && network->blocks != NULL) {
        // Of the units of all ranks, from an even word on.
        opn_i_blocks_keep(exec, network->blocks, seed, streams->features, step,
                          rates.units);
        const int64_t first =
                network->blocks->first_row * (width / network->weight->n_parts);
        first_word = first / 128 * 2;
        network->first_bit = first - 64 * first_word;
    }
    if (rates.units > 0.0)
        opn_i_keep_bits_from(exec, seed, streams->hidden, step, rates.units,
                             (uint64_t)first_word,
                             network->first_bit + network->reach.inner.n_rows * width,
                             network->keep_hidden);
    if (network->encoder->draw != NULL)
        network->encoder->draw(exec, network, seed, streams, step, rates);
}

void opn_i_network_forward_on(const opn_i_exec *exec,
                              opn_i_network *network,
                              const opn_i_reach *reach,
                              const opn_real *weights)
{
    network->in_use = *reach;
    network->rates = (opn_i_rates){0};
    network->encoder->forward(exec, network, weights, false);
}

void opn_i_network_forward(const opn_i_exec *exec,
                           opn_i_network *network,
                           const opn_real *weights)
{
    opn_i_network_forward_on(exec, network, &network->reach, weights);
}

opn_status opn_i_network_pass(opn_ctx *ctx,
                              const opn_i_exec *exec,
                              opn_i_network *network,
                              const opn_real *weights,
                              const char *stage)
{
    opn_i_watch watch = opn_i_watch_for(ctx, stage);
    const opn_i_exec watched = opn_i_watched(exec, &watch);
    opn_i_network_forward(&watched, network, weights);
    return watch.status;
}

void opn_i_network_forward_drawn(const opn_i_exec *exec,
                                 opn_i_network *network,
                                 const opn_real *weights,
                                 opn_i_rates rates,
                                 bool with_backward)
{
    network->in_use = network->reach;
    network->rates = rates;
    if (network->dropper != NULL) {
        opn_i_edge_dropper_drop(exec, network->dropper);
        const opn_k_sparse left = opn_i_edge_dropper_view(network->dropper);
        network->in_use.outer = opn_i_hop_with(&network->reach.outer, left);
        network->in_use.inner = opn_i_hop_with(&network->reach.inner, left);
    }
    network->encoder->forward(exec, network, weights, with_backward);
}

opn_real opn_i_network_hidden(const opn_i_network *network, int32_t i, int32_t h)
{
    const opn_i_weight *w1 = &network->weight[network->encoder->second];
    return *opn_i_element_const(network->hidden, i,
                                place_of(h, w1->n_rows, w1->n_row_heads));
}

void opn_i_network_backward(const opn_i_exec *exec,
                            opn_i_network *network,
                            const opn_real *weights,
                            opn_real *d_weights)
{
    network->whole_of = NULL;
    network->encoder->backward(exec, network, weights, d_weights);
    if (network->blocks != NULL)
        opn_i_blocks_total(network->blocks, d_weights);
}

// ---- for encoders --------------------------------------------------------------------

// The functions of the feature matrix, for that of the network or those of its blocks.
static void
drop(const opn_i_exec *exec, opn_i_network *network, double rate, unsigned uses)
{
    if (network->blocks != NULL)
        opn_i_blocks_drop(exec, network->blocks, rate, uses);
    else
        opn_i_feature_matrix_drop(exec, network->features, rate, uses);
}

static void multiply_by(const opn_i_exec *exec,
                        const opn_i_network *network,
                        const opn_real *w,
                        opn_real *p)
{
    if (network->blocks != NULL)
        opn_i_blocks_product(exec, network->blocks, network->hidden_width, w, p);
    else
        opn_i_feature_matrix_product(exec, network->features, network->hidden_width, w,
                                     p);
}

static void subtract_from(const opn_i_exec *exec,
                          const opn_i_network *network,
                          const opn_real *w,
                          const opn_real *whole,
                          opn_real *p)
{
    if (network->blocks != NULL)
        opn_i_blocks_subtract(exec, network->blocks, network->hidden_width, w, whole, p);
    else
        opn_i_feature_matrix_subtract(exec, network->features, network->hidden_width, w,
                                      whole, p);
}

static opn_i_first_product multiply(const opn_i_exec *exec,
                                    opn_i_network *network,
                                    const opn_real *w0,
                                    bool with_backward,
                                    opn_real *whole,
                                    opn_real *p)
{
    const double rate = network->rates.units;
    const bool subtracts = network->subtracts;
    const unsigned uses = uses_of(with_backward, subtracts);
    const bool is_known = subtracts && network->whole_of == w0;
    const bool is_same = is_known && network->is_frozen && rate == 0.0;
    if (subtracts && !is_same && (!is_known || rate == 0.0)) {
        drop(exec, network, 0.0, uses);
        multiply_by(exec, network, w0, whole);
        network->whole_of = w0;
    }
    if (subtracts && rate == 0.0)
        return (opn_i_first_product){whole, is_same};
    drop(exec, network, rate, uses);
    if (subtracts)
        subtract_from(exec, network, w0, whole, p);
    else
        multiply_by(exec, network, w0, p);
    return (opn_i_first_product){p, false};
}

opn_i_first_product opn_i_network_multiply(const opn_i_exec *exec,
                                           opn_i_network *network,
                                           const opn_real *w0,
                                           bool with_backward,
                                           opn_real *whole,
                                           opn_real *p)
{
    opn_i_input_shift *shift = network->shift;
    opn_i_first_product product = {0};
    if (shift == NULL || shift->use <= OPN_SHIFT_ADDS)
        product = multiply(exec, network, w0, with_backward, whole, p);
    if (shift != NULL)
        product = (opn_i_first_product){
                opn_i_input_shift_forward(exec, shift, product.at, p), false};
    return product;
}

const opn_real *opn_i_network_row_scale(const opn_i_network *network)
{
    return network->blocks != NULL ? network->blocks->scale : network->features->scale;
}

void opn_i_network_multiply_back(const opn_i_exec *exec,
                                 opn_i_network *network,
                                 const opn_real *d_p,
                                 opn_real *d_weights)
{
    opn_i_input_shift *shift = network->shift;
    if (network->blocks != NULL) {
        opn_i_blocks_product_transposed(exec, network->blocks, network->hidden_width,
                                        d_p);
        return;
    }
    if (shift != NULL && shift->use == OPN_SHIFT_POINTS) {
        opn_i_input_shift_keep(exec, shift, network->features->scale, d_p);
        return;
    }
    opn_i_feature_matrix_product_transposed(exec, network->features,
                                            network->hidden_width, d_p, d_weights);
    if (shift != NULL && shift->use == OPN_SHIFT_REPLAYS)
        opn_i_input_shift_back(exec, shift, network->features->scale, d_p, d_weights);
}

static void
transpose(opn_i_dense_const w, int32_t n_rows, int32_t n_cols, opn_i_dense transposed)
{
    for (int32_t k = 0; k < n_cols; k++)
        for (int32_t h = 0; h < n_rows; h++)
            *opn_i_element(transposed, k, h) = *opn_i_element_const(w, h, k);
}

void opn_i_network_sum(const opn_i_exec *exec,
                       opn_i_network *network,
                       int m,
                       size_t n,
                       int32_t n_rows,
                       opn_i_block_sum *sum,
                       void *user,
                       opn_real *d_weights)
{
    const size_t at = network->weight[m].at;
    if (network->blocks != NULL)
        opn_i_blocks_sum(exec, network->blocks, at, n, sum, user);
    else
        sum(exec, user, 0, 0, n_rows, d_weights + at);
}

// The matrices that the gradient of W1 is a product of.
typedef struct product {
    opn_i_dense_const hidden, d_q;
    int32_t n_units;
    opn_real *partial;
} product;

static void multiply_rows(const opn_i_exec *exec,
                          void *user,
                          int32_t b,
                          int32_t first,
                          int32_t last,
                          opn_real *sum)
{
    const product *of = user;
    opn_i_dense_const hidden = of->hidden, d_q = of->d_q;
    (void)b;
    hidden.data = opn_i_element_const(hidden, first, 0);
    d_q.data = opn_i_element_const(d_q, first, 0);
    hidden.n_rows = d_q.n_rows = last - first;
    opn_i_matmul_tn(exec, last - first, of->n_units, hidden, d_q, of->partial, sum);
}

void opn_i_network_project_back(const opn_i_exec *exec,
                                opn_i_network *network,
                                const opn_real *weights,
                                opn_i_dense_const hidden,
                                opn_i_dense_const d_q,
                                const opn_real *active,
                                opn_real factor,
                                opn_i_dense d_hidden,
                                opn_real *d_weights)
{
    const opn_i_weight *w1 = &network->weight[network->encoder->second];
    const int32_t n_units = opn_i_weight_rows(w1);
    const bool is_plain = w1->n_heads == 1 && w1->n_parts == 1;
    const int32_t n_cols = is_plain ? w1->n_cols : w1->width; // columns beyond are 0
    const opn_i_dense transposed =
            opn_i_rows(network->w1_transposed, n_cols, hidden.width);
    product of = {hidden, d_q, n_units, network->partial};
    opn_i_network_sum(exec, network, network->encoder->second,
                      (size_t)n_units * (size_t)d_q.width, hidden.n_rows, multiply_rows,
                      &of, d_weights);
    transpose(opn_i_rows_const(weights + w1->at, n_units, w1->width), n_units, n_cols,
              transposed);
    opn_i_matmul(exec, hidden.n_rows, n_cols, d_q, opn_i_as_const(transposed), d_hidden,
                 active, factor);
}
