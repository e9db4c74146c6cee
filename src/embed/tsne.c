// tsne.c -- t-SNE: maps rows of a matrix to points in a plane.

#include "embed/tsne.h"

#include "base/random.h"
#include "embed/affinity.h"
#include "embed/principal.h"
#include "math/thread_choice.h"

#include <assert.h>
#include <math.h>

// The initial layout is narrow, so that the first steps order the points before they
// spread, and its noise is smaller still.
#define START_DEVIATION 1e-4
#define START_NOISE     1e-6

// Gradient descent settings, as in van der Maaten's code and scikit-learn.
#define FIRST_MOMENTUM 0.5
#define MOMENTUM       0.8
#define GAIN_MORE      0.2
#define GAIN_LESS      0.8
#define LEAST_GAIN     0.01
#define LEAST_RATE     50.0

enum { PRINCIPAL_STEPS = 100, NEAR_A_PERPLEXITY = 3, STEPS_A_SORT = 4 };
enum { ROWS_A_CHUNK = 64, ROWS_A_THREAD = 256 };

typedef struct descent {
    const opn_i_tsne_options *options;
    const opn_k_table *kernels;
    int32_t n_rows;
    double rate;
    opn_i_csr affinity;
    opn_i_tree tree;
    opn_real *point, *d_point, *force; // [V,2]
    opn_real *velocity, *gain;         // [V,2]
} descent;

opn_i_tsne_options opn_i_tsne_defaults(void)
{
    return (opn_i_tsne_options){.perplexity = 30.0,
                                .theta = 0.5,
                                .exaggeration = 12.0,
                                .n_exaggerated = 250,
                                .n_steps = 1000};
}

// ---- preparation ---------------------------------------------------------------------

static opn_status
find_affinity(opn_ctx *ctx, int32_t n_cols, const opn_real *x, descent *d)
{
    opn_status status = OPN_OK;
    opn_i_near *near = NULL;
    const double most = (double)(d->n_rows - 1) / NEAR_A_PERPLEXITY;
    double perplexity = fmin(d->options->perplexity, most);
    perplexity = fmax(perplexity, 1.0);
    const double n_wanted = floor(NEAR_A_PERPLEXITY * perplexity);
    const int32_t n_near = n_wanted < d->n_rows - 1 ? (int32_t)n_wanted : d->n_rows - 1;
    OPN_TRY_NEW(ctx, near, (size_t)d->n_rows * (size_t)n_near);
    OPN_TRY(opn_i_nearest(ctx, d->kernels, d->n_rows, n_cols, x, n_near, near));
    OPN_TRY(opn_i_affinity(ctx, d->n_rows, n_near, near, perplexity, &d->affinity));
cleanup:
    opn_i_release(&ctx->alloc, near);
    return status;
}

static opn_status
place_points(opn_ctx *ctx, int32_t n_cols, const opn_real *x, descent *d)
{
    opn_status status = OPN_OK;
    const size_t n = 2 * (size_t)d->n_rows;
    double *plane = NULL;
    double sum = 0.0;
    OPN_TRY_NEW(ctx, plane, n);
    OPN_TRY(opn_i_principal_plane(ctx, d->n_rows, n_cols, x, PRINCIPAL_STEPS, plane));
    for (size_t e = 0; e < n; e += 2)
        sum += plane[e] * plane[e];
    const double scale = sum > 0.0 ? START_DEVIATION / sqrt(sum / d->n_rows) : 0.0;
    opn_i_rng rng = opn_i_rng_start(d->options->seed, OPN_STREAM_EMBEDDING, 0);
    for (size_t e = 0; e < n; e++) {
        const double noise = START_NOISE * (2.0 * opn_i_rng_unit(&rng) - 1.0);
        d->point[e] = (opn_real)(plane[e] * scale + noise);
        d->gain[e] = 1;
    }
cleanup:
    opn_i_release(&ctx->alloc, plane);
    return status;
}

static void deinit_descent(const opn_alloc *alloc, descent *d)
{
    opn_i_csr_deinit(alloc, &d->affinity);
    opn_i_tree_deinit(alloc, &d->tree);
    opn_i_release(alloc, d->point);
    opn_i_release(alloc, d->d_point);
    opn_i_release(alloc, d->force);
    opn_i_release(alloc, d->velocity);
    opn_i_release(alloc, d->gain);
}

// After a failure the caller must still call deinit_descent().
static opn_status
init_descent(opn_ctx *ctx, int32_t n_cols, const opn_real *x, descent *d)
{
    opn_status status = OPN_OK;
    const size_t n = 2 * (size_t)d->n_rows;
    OPN_TRY_NEW(ctx, d->point, n);
    OPN_TRY_NEW(ctx, d->d_point, n);
    OPN_TRY_NEW(ctx, d->force, n);
    OPN_TRY_NEW(ctx, d->velocity, n);
    OPN_TRY_NEW(ctx, d->gain, n);
    OPN_TRY(opn_i_tree_init(ctx, d->n_rows, &d->tree));
    OPN_TRY(place_points(ctx, n_cols, x, d));
    OPN_TRY(find_affinity(ctx, n_cols, x, d));
cleanup:
    return status;
}

// ---- descent -------------------------------------------------------------------------

void opn_i_tsne_gradient(const opn_i_exec *exec,
                         const opn_i_csr *affinity,
                         double exaggeration,
                         double theta,
                         const opn_real *point,
                         opn_i_tree *tree,
                         opn_real *force,
                         opn_real *d_point)
{
    const int n_threads = exec->n_threads;
    const double sum = opn_i_repel(exec, point, theta, tree, force);
    const opn_real pull = (opn_real)(4.0 * exaggeration);
    const opn_real push = (opn_real)(sum > 0.0 ? 4.0 / sum : 0.0);
    const int32_t n_chunks = (affinity->n_rows + ROWS_A_CHUNK - 1) / ROWS_A_CHUNK;
    (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(dynamic) num_threads(n_threads) if (n_threads > 1)
    for (int32_t c = 0; c < n_chunks; c++) {
        const int32_t first = c * ROWS_A_CHUNK;
        const int32_t last = c + 1 < n_chunks ? first + ROWS_A_CHUNK : affinity->n_rows;
        exec->kernels->embedding->attract(affinity->row_ptr, affinity->col_idx,
                                          affinity->value, point, first, last, d_point);
        for (size_t e = 2 * (size_t)first; e < 2 * (size_t)last; e++)
            d_point[e] = pull * d_point[e] - push * force[e];
    }
}

// Coordinates that keep their direction speed up, others slow down (Jacobs 1988).
static void move_points(descent *d, opn_real momentum)
{
    const opn_real rate = (opn_real)d->rate;
    for (size_t e = 0; e < 2 * (size_t)d->n_rows; e++) {
        const bool goes_on = d->d_point[e] * d->velocity[e] < 0;
        const opn_real gain = goes_on ? d->gain[e] + (opn_real)GAIN_MORE
                                      : d->gain[e] * (opn_real)GAIN_LESS;
        d->gain[e] = gain > (opn_real)LEAST_GAIN ? gain : (opn_real)LEAST_GAIN;
        d->velocity[e] = momentum * d->velocity[e] - rate * d->gain[e] * d->d_point[e];
        d->point[e] += d->velocity[e];
    }
}

static opn_status descend(opn_ctx *ctx, descent *d)
{
    opn_status status = OPN_OK;
    const opn_i_tsne_options *options = d->options;
    const opn_i_exec all = {.kernels = d->kernels,
                            .n_threads =
                                    opn_i_threads_for(ctx, d->n_rows, ROWS_A_THREAD)};
    opn_i_thread_choice choice = {0};
    for (int32_t step = 0; step < options->n_steps; step++) {
        const bool is_early = step < options->n_exaggerated;
        const opn_i_exec now = opn_i_thread_choice_begin(&choice, &all);
        // While P is exaggerated, points move so fast that with an order ten steps old
        // the cells overlap and a step takes ten times as long.
        if (is_early || step % STEPS_A_SORT == 0)
            opn_i_tree_sort(now.n_threads, d->point, &d->tree);
        opn_i_tsne_gradient(&now, &d->affinity, is_early ? options->exaggeration : 1.0,
                            options->theta, d->point, &d->tree, d->force, d->d_point);
        move_points(d, (opn_real)(is_early ? FIRST_MOMENTUM : MOMENTUM));
        opn_i_thread_choice_end(&choice);
        OPN_TRY(opn_i_progress(ctx, "embedding", step + 1, options->n_steps, "steps"));
    }
cleanup:
    return status;
}

static void centre_points(int32_t n_rows, const opn_real *from, opn_real *point)
{
    double mean[2] = {0.0, 0.0};
    for (size_t e = 0; e < 2 * (size_t)n_rows; e++)
        mean[e % 2] += (double)from[e] / n_rows;
    for (size_t e = 0; e < 2 * (size_t)n_rows; e++)
        point[e] = (opn_real)((double)from[e] - mean[e % 2]);
}

opn_status opn_i_tsne(opn_ctx *ctx,
                      int32_t n_rows,
                      int32_t n_cols,
                      const opn_real *x,
                      const opn_i_tsne_options *options,
                      opn_real *point)
{
    opn_status status = OPN_OK;
    descent d = {.options = options, .kernels = opn_k_select(), .n_rows = n_rows};
    d.rate = fmax(n_rows / options->exaggeration / 4.0, LEAST_RATE);
    assert(options->perplexity >= 1.0 && options->exaggeration >= 1.0);
    assert(options->theta >= 0.0 && options->theta <= 0.7);
    if (n_rows < 2) { // no neighbours
        for (size_t e = 0; e < 2 * (size_t)n_rows; e++)
            point[e] = 0;
        return OPN_OK;
    }
    OPN_TRY(init_descent(ctx, n_cols, x, &d));
    OPN_TRY(descend(ctx, &d));
    OPN_FAIL_IF(ctx, !opn_i_all_finite(2 * (size_t)n_rows, d.point), OPN_ERR_INTERNAL,
                "the embedding diverged");
    centre_points(n_rows, d.point, point);
cleanup:
    deinit_descent(&ctx->alloc, &d);
    return status;
}
