// gcn.c -- the two-layer graph convolution, forward and backward.

#include "model/gcn.h"

#include <math.h>
#include <string.h>

void opn_i_gcn_deinit(const opn_alloc *alloc, opn_i_gcn *gcn)
{
    opn_i_release(alloc, gcn->keep_hidden);
    opn_i_release(alloc, gcn->arena);
    *gcn = (opn_i_gcn){0};
}

opn_status opn_i_gcn_init(opn_ctx *ctx,
                          const opn_i_csr *adjacency,
                          opn_i_edge_dropper *dropper,
                          opn_i_design *design,
                          int32_t n_hidden,
                          int32_t n_classes,
                          opn_i_gcn *out)
{
    opn_status status = OPN_OK;
    opn_i_gcn gcn = {
            .n_nodes = design->rows.n_rows,
            .n_features = design->rows.n_cols,
            .n_hidden = n_hidden,
            .n_classes = n_classes,
            .hidden_width = opn_i_width(n_hidden),
            .class_width = opn_i_width(n_classes),
            .adjacency = adjacency,
            .dropper = dropper,
            .design = design,
    };
    const size_t n_wide = (size_t)gcn.n_nodes * (size_t)gcn.hidden_width;
    const size_t n_narrow = (size_t)gcn.n_nodes * (size_t)gcn.class_width;
    const size_t n_turned = (size_t)gcn.class_width * (size_t)gcn.hidden_width;
    OPN_TRY_NEW(ctx, gcn.keep_hidden, opn_i_bit_words((int64_t)n_wide));
    OPN_TRY_NEW(ctx, gcn.arena,
                3 * n_wide + 3 * n_narrow + (1 + OPN_SUM_BLOCKS) * n_turned);
    gcn.p = gcn.arena;
    gcn.hidden = gcn.p + n_wide;
    gcn.d_hidden = gcn.hidden + n_wide;
    gcn.q = gcn.d_hidden + n_wide;
    gcn.z = gcn.q + n_narrow;
    gcn.d_z = gcn.z + n_narrow;
    gcn.w1_turned = gcn.d_z + n_narrow;
    gcn.partial = gcn.w1_turned + n_turned;
    *out = gcn;
    gcn = (opn_i_gcn){0};
cleanup:
    opn_i_gcn_deinit(&ctx->alloc, &gcn);
    return status;
}

size_t opn_i_gcn_n_decayed(const opn_i_gcn *gcn)
{
    return (size_t)gcn->n_features * (size_t)gcn->hidden_width;
}

size_t opn_i_gcn_n_weights(const opn_i_gcn *gcn)
{
    return opn_i_gcn_n_decayed(gcn) + (size_t)gcn->n_hidden * (size_t)gcn->class_width;
}

// Element (i, k) draws from its own place, so that the width changes nothing.
static void init_matrix(uint64_t seed,
                        opn_i_stream stream,
                        uint32_t step,
                        int32_t n_rows,
                        int32_t n_cols,
                        int32_t width,
                        opn_real *w)
{
    const double limit = sqrt(6.0 / ((double)n_rows + n_cols));
    memset(w, 0, (size_t)n_rows * (size_t)width * sizeof(*w));
    opn_i_rng rng = opn_i_rng_start(seed, stream, step);
    for (int32_t i = 0; i < n_rows; i++)
        for (int32_t k = 0; k < n_cols; k++)
            w[(size_t)i * (size_t)width + (size_t)k] =
                    (opn_real)(limit * (2.0 * opn_i_rng_unit(&rng) - 1.0));
}

void opn_i_gcn_init_weights(const opn_i_gcn *gcn,
                            uint64_t seed,
                            opn_i_stream stream,
                            opn_real *weights)
{
    init_matrix(seed, stream, 0, gcn->n_features, gcn->n_hidden, gcn->hidden_width,
                weights);
    init_matrix(seed, stream, 1, gcn->n_hidden, gcn->n_classes, gcn->class_width,
                weights + opn_i_gcn_n_decayed(gcn));
}

void opn_i_gcn_draw(const opn_i_exec *exec,
                    opn_i_gcn *gcn,
                    uint64_t seed,
                    const opn_i_streams *streams,
                    uint32_t step,
                    double dropout,
                    double drop_edge)
{
    if (gcn->dropper != NULL)
        opn_i_keep_bits(exec, seed, streams->edges, step, drop_edge,
                        gcn->dropper->n_edges, gcn->dropper->keep);
    if (dropout == 0.0)
        return;
    opn_i_keep_bits(exec, seed, streams->features, step, dropout,
                    opn_i_csr_n_entries(&gcn->design->rows), gcn->design->keep);
    opn_i_keep_bits(exec, seed, streams->hidden, step, dropout,
                    (int64_t)gcn->n_nodes * gcn->hidden_width, gcn->keep_hidden);
}

static opn_k_sparse whole_view(const opn_i_gcn *gcn)
{
    return (opn_k_sparse){.begin = gcn->adjacency->row_ptr,
                          .end = gcn->adjacency->row_ptr + 1,
                          .col = gcn->adjacency->col_idx,
                          .value = gcn->adjacency->value};
}

// A pass on the edges of gcn->in_use.
static void run_forward(const opn_i_exec *exec,
                        opn_i_gcn *gcn,
                        const opn_real *weights,
                        double rate,
                        bool with_backward)
{
    const opn_k_sparse *adjacency = &gcn->in_use;
    const opn_real *w1 = weights + opn_i_gcn_n_decayed(gcn);
    const size_t n_wide = (size_t)gcn->n_nodes * (size_t)gcn->hidden_width;
    opn_k_sparse x;
    opn_k_sparse x_turned;
    opn_i_design_drop(exec, gcn->design, rate, with_backward);
    opn_i_design_views(gcn->design, &x, &x_turned);
    opn_i_spmm(exec, &x, gcn->n_nodes, gcn->hidden_width, weights, gcn->p);
    opn_i_spmm(exec, adjacency, gcn->n_nodes, gcn->hidden_width, gcn->p, gcn->hidden);
    opn_i_relu_drop(exec, n_wide, (opn_real)(1.0 / (1.0 - rate)),
                    rate == 0.0 ? NULL : gcn->keep_hidden, gcn->hidden);
    opn_i_matmul(exec, gcn->n_nodes, gcn->n_hidden, gcn->hidden_width, gcn->class_width,
                 gcn->hidden, w1, gcn->q);
    opn_i_spmm(exec, adjacency, gcn->n_nodes, gcn->class_width, gcn->q, gcn->z);
}

void opn_i_gcn_forward(const opn_i_exec *exec,
                       opn_i_gcn *gcn,
                       const opn_real *weights,
                       double rate,
                       bool with_backward)
{
    gcn->in_use = whole_view(gcn);
    run_forward(exec, gcn, weights, rate, with_backward);
}

void opn_i_gcn_forward_drawn(const opn_i_exec *exec,
                             opn_i_gcn *gcn,
                             const opn_real *weights,
                             double rate,
                             bool with_backward)
{
    gcn->in_use = whole_view(gcn);
    if (gcn->dropper != NULL) {
        opn_i_edge_dropper_drop(exec, gcn->dropper);
        gcn->in_use = opn_i_edge_dropper_view(gcn->dropper);
    }
    run_forward(exec, gcn, weights, rate, with_backward);
}

static void turn_w1(opn_i_gcn *gcn, const opn_real *w1)
{
    for (int32_t k = 0; k < gcn->n_classes; k++)
        for (int32_t h = 0; h < gcn->n_hidden; h++)
            gcn->w1_turned[(size_t)k * (size_t)gcn->hidden_width + (size_t)h] =
                    w1[(size_t)h * (size_t)gcn->class_width + (size_t)k];
}

void opn_i_gcn_backward(const opn_i_exec *exec,
                        opn_i_gcn *gcn,
                        const opn_real *weights,
                        double rate,
                        opn_real *d_weights)
{
    opn_k_sparse adjacency = gcn->in_use; // its own transpose
    const size_t n_wide = (size_t)gcn->n_nodes * (size_t)gcn->hidden_width;
    const size_t n_decayed = opn_i_gcn_n_decayed(gcn);
    opn_k_sparse x;
    opn_k_sparse x_turned;
    opn_i_spmm(exec, &adjacency, gcn->n_nodes, gcn->class_width, gcn->d_z, gcn->q);
    opn_i_matmul_tn(exec, gcn->n_nodes, gcn->n_hidden, gcn->hidden_width,
                    gcn->class_width, gcn->hidden, gcn->q, gcn->partial,
                    d_weights + n_decayed);
    turn_w1(gcn, weights + n_decayed);
    opn_i_matmul(exec, gcn->n_nodes, gcn->n_classes, gcn->class_width, gcn->hidden_width,
                 gcn->q, gcn->w1_turned, gcn->d_hidden);
    // A hidden value above 0 was both active and kept.
    opn_i_relu_drop_back(exec, n_wide, (opn_real)(1.0 / (1.0 - rate)), gcn->hidden,
                         gcn->d_hidden);
    opn_i_design_views(gcn->design, &x, &x_turned);
    adjacency.scale =
            gcn->design->scale; // the rows' share of X^T, as opn_i_design_views says
    opn_i_spmm(exec, &adjacency, gcn->n_nodes, gcn->hidden_width, gcn->d_hidden, gcn->p);
    opn_i_spmm(exec, &x_turned, gcn->n_features, gcn->hidden_width, gcn->p, d_weights);
}
