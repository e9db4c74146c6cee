// lbfgs.c -- limited-memory BFGS (Nocedal & Wright, Numerical Optimization, 7.4 and 7.5).

#include "math/lbfgs.h"

#include <math.h>
#include <string.h>

enum { N_PAIRS = 6, MAX_HALVINGS = 30 };

typedef struct search {
    size_t n;
    double value, next_value;
    double *d_x;               // [n]
    double *next_x, *next_d;   // [n] where the step leads
    double *direction;         // [n]
    double *step[N_PAIRS];     // [n] s of the last pairs, the oldest first
    double *change[N_PAIRS];   // [n] y, how the gradient changed in that step
    double curvature[N_PAIRS]; // s y > 0
    int n_pairs;
} search;

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add_scaled(size_t n, double factor, const double *from, double *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] += factor * from[i];
}

static double largest(size_t n, const double *a)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fabs(a[i]) > most ? fabs(a[i]) : most;
    return most;
}

// One block for all vectors, so that a failure needs no care.
static opn_status search_init(opn_ctx *ctx, size_t n, search *out)
{
    opn_status status = OPN_OK;
    double *room = NULL;
    size_t n_all = 0;
    OPN_FAIL_IF(ctx, !opn_i_mul(n, 4 + 2 * N_PAIRS, &n_all), OPN_ERR_OVERFLOW,
                "%zu variables are too many to optimise", n);
    OPN_TRY_NEW(ctx, room, n_all);
    out->n = n;
    out->d_x = room;
    out->next_x = room + n;
    out->next_d = room + 2 * n;
    out->direction = room + 3 * n;
    for (size_t p = 0; p < N_PAIRS; p++) {
        out->step[p] = room + (4 + p) * n;
        out->change[p] = room + (4 + N_PAIRS + p) * n;
    }
cleanup:
    return status;
}

// direction = -H d_x by the two-loop recursion, where H approximates the inverse Hessian.
static void find_direction(search *s)
{
    double factor[N_PAIRS];
    double *d = s->direction;
    for (size_t i = 0; i < s->n; i++)
        d[i] = -s->d_x[i];
    for (int p = s->n_pairs - 1; p >= 0; p--) {
        factor[p] = dot(s->n, s->step[p], d) / s->curvature[p];
        add_scaled(s->n, -factor[p], s->change[p], d);
    }
    // Before there is a pair, the first step has length 1 at most.
    const int last = s->n_pairs - 1;
    const double scale =
            last < 0 ? 1 / fmax(1, sqrt(dot(s->n, d, d)))
                     : s->curvature[last] / dot(s->n, s->change[last], s->change[last]);
    for (size_t i = 0; i < s->n; i++)
        d[i] *= scale;
    for (int p = 0; p < s->n_pairs; p++) {
        const double back = dot(s->n, s->change[p], d) / s->curvature[p];
        add_scaled(s->n, factor[p] - back, s->step[p], d);
    }
}

// Halves the step until the value falls by a share of what the slope promises. False if
// no step does: x is as good as rounding allows, or the direction leads up.
static bool take_step(search *s, opn_i_smooth function, const void *user, const double *x)
{
    const double slope = dot(s->n, s->d_x, s->direction);
    double length = 1;
    if (!(slope < 0))
        return false;
    for (int h = 0; h < MAX_HALVINGS; h++) {
        memcpy(s->next_x, x, s->n * sizeof(*x));
        add_scaled(s->n, length, s->direction, s->next_x);
        s->next_value = function(user, s->next_x, s->next_d);
        if (isfinite(s->next_value) && s->next_value < s->value + 1e-4 * length * slope)
            return true;
        length /= 2;
    }
    return false;
}

// Remembers the step to (next_x, next_d); the oldest pair makes room. A pair without
// curvature would break the recursion.
static void keep_pair(search *s, const double *x)
{
    double *step = s->step[s->n_pairs % N_PAIRS];
    double *change = s->change[s->n_pairs % N_PAIRS];
    if (s->n_pairs == N_PAIRS) {
        memmove(s->step, s->step + 1, (N_PAIRS - 1) * sizeof(*s->step));
        memmove(s->change, s->change + 1, (N_PAIRS - 1) * sizeof(*s->change));
        memmove(s->curvature, s->curvature + 1, (N_PAIRS - 1) * sizeof(*s->curvature));
        s->n_pairs--;
    }
    s->step[s->n_pairs] = step;
    s->change[s->n_pairs] = change;
    for (size_t i = 0; i < s->n; i++) {
        step[i] = s->next_x[i] - x[i];
        change[i] = s->next_d[i] - s->d_x[i];
    }
    const double curvature = dot(s->n, step, change);
    if (isfinite(curvature) && curvature > 1e-12 * dot(s->n, change, change))
        s->curvature[s->n_pairs++] = curvature;
}

opn_status opn_i_lbfgs(opn_ctx *ctx,
                       size_t n,
                       opn_i_smooth function,
                       const void *user,
                       const opn_i_lbfgs_options *options,
                       double *x)
{
    opn_status status = OPN_OK;
    search s = {0};
    OPN_TRY(search_init(ctx, n, &s));
    s.value = function(user, x, s.d_x);
    for (int64_t step = 0; step < options->max_steps; step++) {
        if (largest(n, s.d_x) <= options->tolerance)
            break;
        OPN_TRY(opn_i_progress(ctx, options->stage, step, options->max_steps, "steps"));
        find_direction(&s);
        if (!take_step(&s, function, user, x)) {
            if (s.n_pairs == 0)
                break;
            s.n_pairs = 0; // once more, along the gradient
            continue;
        }
        keep_pair(&s, x);
        memcpy(x, s.next_x, n * sizeof(*x));
        memcpy(s.d_x, s.next_d, n * sizeof(*x));
        s.value = s.next_value;
    }
cleanup:
    opn_i_release(&ctx->alloc, s.d_x);
    return status;
}
