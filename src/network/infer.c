// infer.c -- stochastic forward passes, accumulated into moments.

#include "network/infer.h"

#include "comm/comm.h"
#include "math/thread_choice.h"

#include <string.h>

enum { NODES_A_CHUNK = 256 };

void opn_i_moments_deinit(const opn_alloc *alloc, opn_i_moments *moments)
{
    opn_i_release(alloc, moments->arena);
    *moments = (opn_i_moments){0};
}

static opn_status init_moments(opn_ctx *ctx,
                               const opn_i_network *network,
                               const opn_i_infer_options *options,
                               opn_i_moments *out)
{
    opn_status status = OPN_OK;
    const size_t n = (size_t)network->n_nodes * (size_t)network->class_width;
    const bool has_alpha = opn_i_head_has_evidence(options->head);
    opn_i_moments moments = {.n_nodes = network->n_nodes,
                             .n_classes = network->sizes.n_classes,
                             .width = network->class_width};
    moments.length =
            (1U + has_alpha + options->has_logits) * n + (size_t)network->n_nodes;
    OPN_TRY_NEW(ctx, moments.arena, moments.length);
    moments.p = moments.arena;
    moments.entropy = moments.p + n;
    double *rest = moments.entropy + network->n_nodes;
    moments.alpha = has_alpha ? rest : NULL;
    moments.z = !options->has_logits ? NULL : has_alpha ? rest + n : rest;
    *out = moments;
cleanup:
    return status;
}

static void add_pass(const opn_i_exec *exec,
                     const opn_i_infer_options *options,
                     opn_i_network *network,
                     opn_i_moments *moments)
{
    const opn_k_moments sums = {.n_classes = moments->n_classes,
                                .width = moments->width,
                                .alpha = moments->alpha,
                                .z = moments->z,
                                .p = moments->p,
                                .entropy = moments->entropy};
    const int32_t n = moments->n_nodes;
    const int64_t work = 16 * (int64_t)n * moments->width;
    const int n_threads = opn_i_exec_threads(exec, work);
    const int32_t n_tasks = (n + NODES_A_CHUNK - 1) / NODES_A_CHUNK;
    opn_i_part part = {0};
    (void)n_threads; // unused when built without OpenMP
    while (opn_i_next_part(exec, work, n_tasks, &part)) {
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
        for (int32_t t = part.begin; t < part.end; t++) {
            const int32_t first = t * NODES_A_CHUNK;
            const int32_t last = n - first < NODES_A_CHUNK ? n : first + NODES_A_CHUNK;
            opn_i_head_add_moments(exec, options->head, options->evidence, &sums, first,
                                   last, network->z);
        }
    }
}

// Runs pass m with its dropout masks, or the only pass if nothing is sampled.
static void run_pass(const opn_i_exec *exec,
                     opn_i_network *network,
                     const opn_real *weights,
                     const opn_i_infer_options *options,
                     int32_t m)
{
    if (options->n_samples == 0) {
        opn_i_network_forward(exec, network, weights);
        return;
    }
    opn_i_network_draw(exec, network, options->seed, &options->streams, (uint32_t)m,
                       options->rates);
    opn_i_network_forward_drawn(exec, network, weights, options->rates, false);
}

void opn_i_moments_add(opn_i_moments *to, const opn_i_moments *from)
{
    for (size_t j = 0; j < to->length; j++)
        to->arena[j] += from->arena[j];
}

void opn_i_moments_divide(opn_i_moments *moments, int32_t n)
{
    for (size_t j = 0; j < moments->length; j++)
        moments->arena[j] /= n;
}

opn_i_plan opn_i_infer_plan(const opn_i_infer_options *options)
{
    // All passes have the same X W0 except for what they drop.
    return (opn_i_plan){.has_whole = options->n_samples > 1,
                        .dropout = options->rates.units};
}

static opn_status report(opn_ctx *ctx, int32_t n_done, int32_t n_passes)
{
    const opn_progress now = {"sampling", n_done, n_passes, "passes", NULL};
    return opn_i_comm_progress(ctx, &now);
}

static opn_status check_pass(opn_ctx *ctx, const opn_i_network *network, int32_t m)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx,
                !opn_i_all_finite((size_t)network->n_nodes * (size_t)network->class_width,
                                  network->z),
                OPN_ERR_NONFINITE, "pass %d: the logits are not finite", m);
cleanup:
    return status;
}

opn_status opn_i_infer(opn_ctx *ctx,
                       const opn_i_exec *exec,
                       opn_i_network *network,
                       const opn_real *weights,
                       const opn_i_infer_options *options,
                       opn_i_moments *out)
{
    opn_status status = OPN_OK;
    opn_i_moments moments = {0};
    opn_real *arena = NULL;
    opn_i_thread_choice choice = {0};
    opn_i_watch watch = opn_i_watch_for(ctx, "sampling");
    const opn_i_exec watched = opn_i_watched(exec, &watch);
    const size_t n_weights = network->n_weights;
    const int32_t n_passes = options->n_samples > 0 ? options->n_samples : 1;
    OPN_FAIL_IF(ctx, !opn_i_all_finite(n_weights, weights), OPN_ERR_NONFINITE,
                "a weight of the model is not finite");
    OPN_TRY(init_moments(ctx, network, options, &moments));
    OPN_TRY_NEW(ctx, arena, OPN_MARGIN + n_weights);
    opn_real *on_line = opn_i_on_line(arena);
    memcpy(on_line, weights, n_weights * sizeof(*weights));
    opn_i_network_follow(network, opn_i_infer_plan(options));
    for (int32_t m = 0; m < n_passes; m++) {
        OPN_TRY(report(ctx, m, n_passes));
        const opn_i_exec chosen = opn_i_thread_choice_begin(&choice, &watched);
        run_pass(&chosen, network, on_line, options, m);
        OPN_TRY(watch.status);
        OPN_TRY(opn_i_comm_agree(ctx, check_pass(ctx, network, m)));
        add_pass(&chosen, options, network, &moments);
        OPN_TRY(watch.status);
        opn_i_thread_choice_end(&choice);
    }
    opn_i_moments_divide(&moments, n_passes);
    OPN_TRY(report(ctx, n_passes, n_passes));
    *out = moments;
    moments = (opn_i_moments){0};
cleanup:
    opn_i_release(&ctx->alloc, arena);
    opn_i_moments_deinit(&ctx->alloc, &moments);
    return status;
}
