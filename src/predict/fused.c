// fused.c -- measures of a node's surroundings that teacher and student make together.

#include "predict/fused.h"

#include <math.h>
#include <string.h>

// ---- the rule ------------------------------------------------------------------------

static const int64_t vacuity_steps = 10;
static const double vacuity_teleport = 0.1;
static const double student_weight = 3.0; // the teacher's is 1
static const int64_t margin_steps = 4;
static const double margin_teleport = 0.5;
static const int64_t around_steps = 10;
static const double around_teleport = 0.3;

// What a node that has no neighbours is taken to see around it.
static double missing_of(bool keeps, double nothing_known)
{
    return keeps ? (double)NAN : nothing_known;
}

// ---- fused vacuity -------------------------------------------------------------------

opn_status opn_i_fused(opn_ctx *ctx,
                       const opn_graph *graph,
                       bool keeps,
                       const float *teacher,
                       const float *student,
                       float *fused)
{
    opn_status status = OPN_OK;
    const size_t n = (size_t)opn_graph_n_nodes(graph);
    const opn_diffusion how = {.n_steps = vacuity_steps,
                               .teleport = vacuity_teleport,
                               .missing = missing_of(keeps, 1.0)};
    float *around = NULL; // [V] of the teacher
    OPN_TRY_NEW(ctx, around, n);
    memcpy(around, teacher, n * sizeof(*around));
    OPN_TRY(opn_graph_diffuse(ctx, graph, &how, 1, around));
    memcpy(fused, student, n * sizeof(*fused));
    OPN_TRY(opn_graph_diffuse(ctx, graph, &how, 1, fused));
    for (size_t i = 0; i < n; i++)
        fused[i] =
                (float)(log((double)around[i]) + student_weight * log((double)fused[i]));
cleanup:
    opn_i_release(&ctx->alloc, around);
    return status;
}

// ---- probabilities around a node -----------------------------------------------------

// p [V,K] = the mean of teacher and student, diffused.
static opn_status diffuse_mean(opn_ctx *ctx,
                               const opn_graph *graph,
                               const opn_diffusion *how,
                               int32_t n_classes,
                               const float *teacher,
                               const float *student,
                               float *p)
{
    const size_t n_wide = (size_t)opn_graph_n_nodes(graph) * (size_t)n_classes;
    for (size_t j = 0; j < n_wide; j++)
        p[j] = 0.5f * (teacher[j] + student[j]);
    return opn_graph_diffuse(ctx, graph, how, n_classes, p);
}

opn_status opn_i_around(opn_ctx *ctx,
                        const opn_graph *graph,
                        bool keeps,
                        int32_t n_classes,
                        const float *teacher,
                        const float *student,
                        float *around)
{
    const opn_diffusion how = {.n_steps = around_steps,
                               .teleport = around_teleport,
                               .missing = missing_of(keeps, 1.0 / n_classes)};
    return diffuse_mean(ctx, graph, &how, n_classes, teacher, student, around);
}

// ---- margin --------------------------------------------------------------------------

// How far the most likely other class is ahead of class y.
static float lead_over(int32_t n_classes, const float *p, int32_t y)
{
    float most = -INFINITY;
    for (int32_t k = 0; k < n_classes; k++)
        if (k != y)
            most = fmaxf(most, p[k]);
    return most - p[y];
}

opn_status opn_i_margin(opn_ctx *ctx,
                        const opn_graph *graph,
                        bool keeps,
                        int32_t n_classes,
                        const float *teacher,
                        const float *student,
                        const int32_t *predicted,
                        float *margin)
{
    opn_status status = OPN_OK;
    const size_t n = (size_t)opn_graph_n_nodes(graph);
    const size_t width = (size_t)n_classes;
    const opn_diffusion how = {.n_steps = margin_steps,
                               .teleport = margin_teleport,
                               .missing = missing_of(keeps, 1.0 / n_classes)};
    float *p = NULL; // [V,K]
    OPN_TRY_NEW(ctx, p, n * width);
    OPN_TRY(diffuse_mean(ctx, graph, &how, n_classes, teacher, student, p));
    for (size_t i = 0; i < n; i++)
        margin[i] = lead_over(n_classes, p + i * width, predicted[i]);
cleanup:
    opn_i_release(&ctx->alloc, p);
    return status;
}
