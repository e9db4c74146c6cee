// sage.c -- GraphSAGE with mean aggregation, forward and backward.

#include "network/sage.h"

#include <string.h>

enum { W0, B0, W1, B1, N_WEIGHTS };

// Columns of one half of X W0: whole cache lines.
static int32_t half_of(const opn_i_sizes *sizes)
{
    return (int32_t)opn_i_whole_lines((size_t)sizes->n_hidden);
}

static opn_i_weight
weight_of(const char *name, int32_t n_rows, int32_t n_cols, int32_t n_parts, int32_t half)
{
    return (opn_i_weight){.name = name,
                          .n_rows = n_rows,
                          .n_cols = n_parts * n_cols,
                          .n_row_heads = 1,
                          .n_heads = 1,
                          .n_parts = n_parts,
                          .width = n_parts * half,
                          .is_decayed = true,
                          .fan = n_parts > 1 ? n_rows + n_cols : 0};
}

static int list_weights(const opn_i_sizes *sizes, opn_i_weight list[OPN_MAX_WEIGHTS])
{
    const int32_t half = half_of(sizes);
    const int32_t n_classes = sizes->n_classes;
    list[W0] = weight_of("w0", sizes->n_features, sizes->n_hidden, 2, half);
    list[B0] = weight_of("b0", 1, sizes->n_hidden, 1, half);
    list[W1] = weight_of("w1", sizes->n_hidden, n_classes, 2, opn_i_width(n_classes));
    list[B1] = weight_of("b1", 1, n_classes, 1, opn_i_width(n_classes));
    return N_WEIGHTS;
}

static opn_status init(opn_ctx *ctx, opn_i_network *network)
{
    opn_status status = OPN_OK;
    opn_i_sage_layers *layers = NULL;
    const size_t n_nodes = (size_t)network->n_room;
    const size_t n_wide = n_nodes * (size_t)network->hidden_width;
    const size_t n_narrow = opn_i_whole_lines(n_nodes * (size_t)network->class_width);
    OPN_TRY_NEW(ctx, layers, 1);
    network->layers = layers;
    layers->half = half_of(&network->sizes);
    OPN_TRY_NEW(ctx, network->arena, OPN_MARGIN + 2 * n_wide + n_wide / 2 + 2 * n_narrow);
    layers->p = opn_i_on_line(network->arena);
    layers->hidden = layers->p + n_wide;
    layers->d_hidden = layers->hidden + n_wide / 2;
    layers->q = layers->d_hidden + n_wide;
cleanup:
    return status;
}

// The matrices of a pass.
typedef struct matrices {
    opn_i_dense self, near; // the halves of X W0
    opn_i_dense hidden, d_hidden;
    opn_i_dense q, q_self, q_near; // hidden W1 and its halves
    opn_i_dense z, d_z;
    opn_i_dense_const w1;
} matrices;

static matrices view_pass(const opn_i_network *network, opn_real *p, const opn_real *w)
{
    const opn_i_sage_layers *layers = network->layers;
    const int32_t n_middle = network->in_use.inner.n_rows;
    const int32_t n_outputs = network->in_use.outer.n_rows;
    const int32_t half = layers->half;
    const int32_t width = network->class_width;
    const opn_i_dense both = opn_i_rows(p, network->n_nodes, 2 * half);
    const opn_i_dense q = opn_i_rows(layers->q, n_middle, 2 * width);
    return (matrices){
            opn_i_columns(both, 0, half),
            opn_i_columns(both, half, half),
            opn_i_rows(layers->hidden, n_middle, half),
            opn_i_rows(layers->d_hidden, n_middle, half),
            q,
            opn_i_columns(q, 0, width),
            opn_i_columns(q, width, width),
            opn_i_rows(network->z, n_outputs, width),
            opn_i_rows(network->d_z, n_outputs, width),
            opn_i_rows_const(w + network->weight[W1].at, network->sizes.n_hidden,
                             2 * width),
    };
}

// Adds the node's own term and the bias to the means over its neighbours.
static void add_own(const opn_i_hop *hop,
                    opn_i_dense_const self,
                    const opn_real *bias,
                    int32_t n_cols,
                    opn_i_dense y)
{
    for (int32_t i = 0; i < hop->n_rows; i++) {
        const opn_real *from = opn_i_element_const(self, opn_i_hop_own(hop, i), 0);
        opn_real *to = opn_i_element(y, i, 0);
        for (int32_t k = 0; k < n_cols; k++)
            to[k] += from[k] + bias[k];
    }
}

// Backward pass of add_own(): the gradient of the own term, each row times its scale.
static void share_own(const opn_i_hop *hop,
                      opn_i_dense_const d_y,
                      const opn_real *scale,
                      int32_t n_cols,
                      opn_i_dense d_self)
{
    for (int32_t at = 0; at < n_cols; at += OPN_SLICE) {
        const int32_t n = n_cols - at < OPN_SLICE ? n_cols - at : OPN_SLICE;
        for (int32_t j = 0; j < hop->n_cols; j++)
            memset(opn_i_element(d_self, j, at), 0, (size_t)n * sizeof(opn_real));
        for (int32_t i = 0; i < hop->n_rows; i++) {
            const int32_t own = opn_i_hop_own(hop, i);
            const opn_real *from = opn_i_element_const(d_y, i, at);
            opn_real *to = opn_i_element(d_self, own, at);
            for (int32_t k = 0; k < n; k++)
                to[k] = from[k] * (scale == NULL ? 1 : scale[own]);
        }
    }
}

// The gradient of the bias from rows [first, last).
static void sum_bias(const opn_i_exec *exec,
                     void *user,
                     int32_t b,
                     int32_t first,
                     int32_t last,
                     opn_real *d_bias)
{
    const opn_i_dense_const *d_y = user;
    (void)exec, (void)b;
    for (int32_t at = 0; at < d_y->width; at += OPN_SLICE) {
        const int32_t n = d_y->width - at < OPN_SLICE ? d_y->width - at : OPN_SLICE;
        double sum[OPN_SLICE] = {0};
        for (int32_t i = first; i < last; i++) {
            const opn_real *from = opn_i_element_const(*d_y, i, at);
            for (int32_t k = 0; k < n; k++)
                sum[k] += (double)from[k];
        }
        for (int32_t k = 0; k < n; k++)
            d_bias[at + k] = (opn_real)sum[k];
    }
}

static void activate(const opn_i_network *network, opn_i_dense hidden)
{
    const double rate = network->rates.units;
    const opn_real factor = (opn_real)(1.0 / (1.0 - rate));
    const int64_t n = (int64_t)hidden.n_rows * hidden.width;
    for (int64_t j = 0; j < n; j++) {
        const bool is_kept =
                rate == 0.0 || opn_i_bit(network->keep_hidden, network->first_bit + j);
        hidden.data[j] = is_kept && hidden.data[j] > 0 ? hidden.data[j] * factor : 0;
    }
}

static void forward(const opn_i_exec *exec,
                    opn_i_network *network,
                    const opn_real *weights,
                    bool with_backward)
{
    opn_i_sage_layers *layers = network->layers;
    const opn_i_hop *inner = &network->in_use.inner;
    const opn_i_hop *outer = &network->in_use.outer;
    const opn_i_sizes *sizes = &network->sizes;
    opn_real *p = opn_i_network_multiply(exec, network, weights, with_backward,
                                         layers->d_hidden, layers->p)
                          .at;
    const matrices pass = view_pass(network, p, weights);
    network->hidden = opn_i_as_const(pass.hidden);
    opn_i_hop_product(exec, inner, pass.near, pass.hidden, NULL);
    add_own(inner, opn_i_as_const(pass.self), weights + network->weight[B0].at,
            sizes->n_hidden, pass.hidden);
    activate(network, pass.hidden);
    opn_i_matmul(exec, inner->n_rows, sizes->n_hidden, network->hidden, pass.w1, pass.q,
                 NULL, 1);
    opn_i_hop_product(exec, outer, pass.q_near, pass.z, NULL);
    add_own(outer, opn_i_as_const(pass.q_self), weights + network->weight[B1].at,
            sizes->n_classes, pass.z);
}

// Computes the gradient of q from that of z.
static void look_back(const opn_i_exec *exec,
                      opn_i_network *network,
                      const matrices *pass,
                      opn_real *d_weights)
{
    const opn_i_hop *outer = &network->in_use.outer;
    opn_i_dense_const d_z = opn_i_as_const(pass->d_z);
    opn_i_hop_product_transposed(exec, outer, NULL, pass->d_z, pass->q_near);
    share_own(outer, d_z, NULL, network->class_width, pass->q_self);
    opn_i_network_sum(exec, network, B1, (size_t)d_z.width, d_z.n_rows, sum_bias, &d_z,
                      d_weights);
}

static void backward(const opn_i_exec *exec,
                     opn_i_network *network,
                     const opn_real *weights,
                     opn_real *d_weights)
{
    opn_i_sage_layers *layers = network->layers;
    const opn_i_hop *inner = &network->in_use.inner;
    const opn_real *scale = opn_i_network_row_scale(network);
    const matrices pass = view_pass(network, layers->p, weights);
    look_back(exec, network, &pass, d_weights);
    // A hidden value above 0 was both active and kept.
    opn_i_network_project_back(exec, network, weights, network->hidden,
                               opn_i_as_const(pass.q), layers->hidden,
                               (opn_real)(1.0 / (1.0 - network->rates.units)),
                               pass.d_hidden, d_weights);
    opn_i_hop_product_transposed(exec, inner, scale, pass.d_hidden, pass.near);
    opn_i_dense_const d_hidden = opn_i_as_const(pass.d_hidden);
    share_own(inner, d_hidden, scale, layers->half, pass.self);
    opn_i_network_sum(exec, network, B0, (size_t)layers->half, d_hidden.n_rows, sum_bias,
                      &d_hidden, d_weights);
    opn_i_network_multiply_back(exec, network, layers->p, d_weights);
}

const opn_i_encoder opn_i_sage_encoder = {
        .edges = OPN_EDGES_MEAN,
        .second = W1,
        .list_weights = list_weights,
        .init = init,
        .forward = forward,
        .backward = backward,
};
