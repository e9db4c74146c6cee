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

opn_i_reach opn_i_reach_whole(const opn_i_csr *adjacency)
{
    const opn_k_sparse view = opn_i_csr_view(adjacency);
    const int32_t n = adjacency->n_rows;
    return (opn_i_reach){n, n, n, view, view, view, view};
}

opn_status opn_i_gcn_init(opn_ctx *ctx,
                          const opn_i_reach *reach,
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
            .reach = *reach,
            .dropper = dropper,
            .design = design,
    };
    const size_t n_wide =
            opn_i_whole_lines((size_t)gcn.n_nodes * (size_t)gcn.hidden_width);
    // In whole lines of the cache, all of them.
    const size_t n_narrow =
            opn_i_whole_lines((size_t)gcn.n_nodes * (size_t)gcn.class_width);
    const size_t n_turned = (size_t)gcn.class_width * (size_t)gcn.hidden_width;
    OPN_TRY_NEW(ctx, gcn.keep_hidden, opn_i_bit_words((int64_t)n_wide));
    OPN_TRY_NEW(ctx, gcn.arena,
                OPN_LINE + 3 * n_wide + 3 * n_narrow + (1 + OPN_SUM_BLOCKS) * n_turned);
    gcn.p = opn_i_on_line(gcn.arena);
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

// Element (i, k) draws from its own place, so that the layout changes nothing.
static void init_matrix(
        uint64_t seed, opn_i_stream stream, uint32_t step, int32_t n_cols, opn_i_dense w)
{
    const double limit = sqrt(6.0 / ((double)w.n_rows + n_cols));
    memset(w.data, 0, (size_t)w.n_rows * (size_t)w.width * sizeof(*w.data));
    opn_i_rng rng = opn_i_rng_start(seed, stream, step);
    for (int32_t i = 0; i < w.n_rows; i++)
        for (int32_t k = 0; k < n_cols; k++)
            *opn_i_element(w, i, k) =
                    (opn_real)(limit * (2.0 * opn_i_rng_unit(&rng) - 1.0));
}

void opn_i_gcn_init_weights(const opn_i_gcn *gcn,
                            uint64_t seed,
                            opn_i_stream stream,
                            opn_real *weights)
{
    init_matrix(seed, stream, 0, gcn->n_hidden,
                opn_i_panels(weights, gcn->n_features, gcn->hidden_width));
    init_matrix(seed, stream, 1, gcn->n_classes,
                opn_i_rows(weights + opn_i_gcn_n_decayed(gcn), gcn->n_hidden,
                           gcn->class_width));
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
                    gcn->design->rows.row_ptr[gcn->design->n_trained], gcn->design->keep);
    opn_i_keep_bits(exec, seed, streams->hidden, step, dropout,
                    (int64_t)gcn->reach.n_middle * gcn->hidden_width, gcn->keep_hidden);
}

static void multiply(const opn_i_exec *exec,
                     opn_i_gcn *gcn,
                     const opn_real *weights,
                     double rate,
                     unsigned uses,
                     const opn_real *whole,
                     opn_real *p)
{
    opn_i_design_drop(exec, gcn->design, rate, uses);
    opn_i_design_product(exec, gcn->design, gcn->hidden_width, weights, whole, p);
}

unsigned opn_i_gcn_uses(int32_t n_hidden, bool with_backward, bool subtracts)
{
    return (with_backward ? OPN_USE_BACKWARD : 0u) | (subtracts ? OPN_USE_WHOLE : 0u) |
           (opn_i_width(n_hidden) <= OPN_SLICE ? OPN_USE_NARROW : 0u);
}

// X W0 of the pass; returns where it is.
static const opn_real *multiply_features(const opn_i_exec *exec,
                                         opn_i_gcn *gcn,
                                         const opn_real *weights,
                                         double rate,
                                         bool with_backward)
{
    const unsigned uses = opn_i_gcn_uses(gcn->n_hidden, with_backward, gcn->subtracts);
    opn_real *whole = gcn->d_hidden;
    if (!gcn->subtracts) {
        multiply(exec, gcn, weights, rate, uses, NULL, gcn->p);
        return gcn->p;
    }
    if (rate == 0.0 || gcn->whole_of != weights)
        multiply(exec, gcn, weights, 0.0, uses, NULL, whole);
    gcn->whole_of = weights;
    if (rate == 0.0)
        return whole;
    multiply(exec, gcn, weights, rate, uses, whole, gcn->p);
    return gcn->p;
}

// A pass on the edges of gcn->in_use.
static void run_forward(const opn_i_exec *exec,
                        opn_i_gcn *gcn,
                        const opn_real *weights,
                        double rate,
                        bool with_backward)
{
    const opn_i_reach *reach = &gcn->in_use;
    const int32_t n_middle = reach->n_middle;
    const opn_real *w1 = weights + opn_i_gcn_n_decayed(gcn);
    const opn_k_finish finish = {.rectifies = true,
                                 .factor = (opn_real)(1.0 / (1.0 - rate)),
                                 .bits = rate == 0.0 ? NULL : gcn->keep_hidden};
    const opn_real *p = multiply_features(exec, gcn, weights, rate, with_backward);
    const opn_i_dense hidden = opn_i_panels(gcn->hidden, n_middle, gcn->hidden_width);
    const opn_i_dense q = opn_i_rows(gcn->q, n_middle, gcn->class_width);
    opn_i_spmm(exec, &reach->inner, n_middle,
               opn_i_panels(p, gcn->n_nodes, gcn->hidden_width), hidden, &finish);
    opn_i_matmul(exec, n_middle, gcn->n_hidden, hidden,
                 opn_i_rows(w1, gcn->n_hidden, gcn->class_width), q, NULL, 1);
    opn_i_spmm(exec, &reach->outer, reach->n_outputs, q,
               opn_i_rows(gcn->z, reach->n_outputs, gcn->class_width), NULL);
}

void opn_i_gcn_forward_on(const opn_i_exec *exec,
                          opn_i_gcn *gcn,
                          const opn_i_reach *reach,
                          const opn_real *weights)
{
    gcn->in_use = *reach;
    run_forward(exec, gcn, weights, 0.0, false);
}

void opn_i_gcn_forward(const opn_i_exec *exec,
                       opn_i_gcn *gcn,
                       const opn_real *weights,
                       double rate,
                       bool with_backward)
{
    gcn->in_use = gcn->reach;
    run_forward(exec, gcn, weights, rate, with_backward);
}

void opn_i_gcn_forward_drawn(const opn_i_exec *exec,
                             opn_i_gcn *gcn,
                             const opn_real *weights,
                             double rate,
                             bool with_backward)
{
    gcn->in_use = gcn->reach;
    if (gcn->dropper != NULL) {
        opn_i_edge_dropper_drop(exec, gcn->dropper);
        const opn_k_sparse left = opn_i_edge_dropper_view(gcn->dropper);
        gcn->in_use.outer = gcn->in_use.inner = left;
        gcn->in_use.outer_turned = gcn->in_use.inner_turned = left;
    }
    run_forward(exec, gcn, weights, rate, with_backward);
}

static void turn_w1(opn_i_gcn *gcn, const opn_real *w1, opn_i_dense turned)
{
    for (int32_t k = 0; k < gcn->n_classes; k++)
        for (int32_t h = 0; h < gcn->n_hidden; h++)
            *opn_i_element(turned, k, h) =
                    w1[(size_t)h * (size_t)gcn->class_width + (size_t)k];
}

void opn_i_gcn_backward(const opn_i_exec *exec,
                        opn_i_gcn *gcn,
                        const opn_real *weights,
                        double rate,
                        opn_real *d_weights)
{
    const opn_i_reach *reach = &gcn->in_use;
    const int32_t n_middle = reach->n_middle;
    const size_t n_decayed = opn_i_gcn_n_decayed(gcn);
    const opn_i_dense hidden = opn_i_panels(gcn->hidden, n_middle, gcn->hidden_width);
    const opn_i_dense d_hidden = opn_i_panels(gcn->d_hidden, n_middle, gcn->hidden_width);
    const opn_i_dense q = opn_i_rows(gcn->q, n_middle, gcn->class_width);
    const opn_i_dense turned =
            opn_i_panels(gcn->w1_turned, gcn->n_classes, gcn->hidden_width);
    opn_i_spmm(exec, &reach->outer_turned, n_middle,
               opn_i_rows(gcn->d_z, reach->n_outputs, gcn->class_width), q, NULL);
    opn_i_matmul_tn(exec, n_middle, gcn->n_hidden, hidden, q, gcn->partial,
                    d_weights + n_decayed);
    turn_w1(gcn, weights + n_decayed, turned);
    gcn->whole_of = NULL;
    // A hidden value above 0 was both active and kept.
    opn_i_matmul(exec, n_middle, gcn->n_classes, q, turned, d_hidden, gcn->hidden,
                 (opn_real)(1.0 / (1.0 - rate)));
    opn_k_sparse inner = reach->inner_turned;
    inner.scale = gcn->design->scale; // the rows' share of X^T, as design.h says
    opn_i_spmm(exec, &inner, reach->n_inputs, d_hidden,
               opn_i_panels(gcn->p, gcn->n_nodes, gcn->hidden_width), NULL);
    opn_i_design_product_turned(exec, gcn->design, gcn->hidden_width, gcn->p, d_weights);
}
