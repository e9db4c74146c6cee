// statistics.c -- the uncertainty of a mean over runs, and whether two means differ.

#include "opinion/statistics.h"

#include "base/context.h"
#include "base/random.h"
#include "opine/metrics.h"
#include "opinion/number_array.h"

#include <math.h>
#include <stdlib.h>

// ---- Student's t ---------------------------------------------------------------------

static const double two_over_pi = 0.63661977236758134308;

// P(|T| <= sqrt(n_free) tan(angle)) and its derivative with respect to the angle, as the
// finite series that Student's distribution has for integer degrees of freedom
// (Abramowitz and Stegun 26.7.3 and 26.7.4). Powers of the cosine are 1, 3, 5 … for odd
// n_free, else 0, 2, 4 ….
static double central_share(double angle, int32_t n_free, double *slope)
{
    const bool is_odd = n_free % 2 != 0;
    const double c = cos(angle);
    double term = is_odd ? c : 1.0;
    double sum = 0.0;
    for (int32_t power = is_odd ? 1 : 0; power < n_free - 1; power += 2) {
        sum += term;
        term *= (power + 1.0) / (power + 2.0) * c * c;
    }
    const double share = sin(angle) * sum;
    *slope = n_free * term / c;
    if (!is_odd)
        return share;
    *slope *= two_over_pi;
    return two_over_pi * (angle + share);
}

// Newton's method. The probability is concave in the angle, so the iteration climbs from
// 0 to the root and never overshoots.
double opn_i_student_quantile(double p, int32_t n_free)
{
    enum { MOST_STEPS = 100 };
    double angle = 0.0;
    for (int step = 0; step < MOST_STEPS; step++) {
        double slope;
        const double share = central_share(angle, n_free, &slope);
        const double by = (2.0 * p - 1.0 - share) / slope;
        angle += by;
        if (fabs(by) <= 1e-15 * angle)
            break;
    }
    return sqrt(n_free) * tan(angle);
}

// ---- one mean ------------------------------------------------------------------------

void opn_estimate_mean(int32_t n, const double *value, opn_estimate *out)
{
    if (out == NULL)
        return;
    if (value == NULL)
        n = 0;
    int32_t n_known = 0;
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++)
        if (!isnan(value[i])) {
            sum += value[i];
            n_known++;
        }
    const double mean = n_known > 0 ? sum / n_known : (double)NAN;
    opn_estimate e = {n_known, mean, (double)NAN, (double)NAN, (double)NAN};
    if (n_known > 1) {
        double squares = 0.0;
        for (int32_t i = 0; i < n; i++)
            if (!isnan(value[i]))
                squares += (value[i] - mean) * (value[i] - mean);
        e.std = sqrt(squares / (n_known - 1));
        const double reach =
                opn_i_student_quantile(0.975, n_known - 1) * e.std / sqrt(n_known);
        e.low = mean - reach;
        e.high = mean + reach;
    }
    *out = e;
}

// ---- two means -----------------------------------------------------------------------

enum { N_RESAMPLES = 10000, MOST_EXACT = 50 };

static double mean_of(int32_t n, const double *x)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

static int compare_sizes(const void *a, const void *b)
{
    const double x = fabs(*(const double *)a);
    const double y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

// Interpolates between the two nearest of n sorted values, as NumPy's percentile() does.
static double sorted_quantile(int32_t n, const double *sorted, double p)
{
    const double at = p * (n - 1);
    const int32_t i = (int32_t)at;
    return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

// Each resample has its own random step, so it does not depend on any other.
static void bootstrap(int32_t n, const double *difference, uint64_t seed, double *mean)
{
    for (uint32_t r = 0; r < N_RESAMPLES; r++) {
        opn_i_rng rng = opn_i_rng_start(seed, OPN_STREAM_BOOTSTRAP, r);
        double sum = 0.0;
        for (int32_t i = 0; i < n; i++)
            sum += difference[opn_i_rng_below(&rng, (uint32_t)n)];
        mean[r] = sum / n;
    }
    qsort(mean, N_RESAMPLES, sizeof(mean[0]), opn_i_compare_numbers);
}

// What the signed-rank test needs from differences, none of which is 0. Ranks are
// doubled, so that the mean ranks of ties are integers.
typedef struct signed_ranks {
    int64_t twice_plus; // sum of the ranks of the differences above 0
    double repeats;     // sum of t^3 - t over groups of t ties
} signed_ranks;

static signed_ranks rank_signs(int32_t n, const double *by_size)
{
    signed_ranks s = {0};
    for (int32_t begin = 0, end; begin < n; begin = end) {
        int32_t n_plus = 0;
        for (end = begin; end < n && fabs(by_size[end]) == fabs(by_size[begin]); end++)
            n_plus += by_size[end] > 0.0;
        const double n_tied = end - begin;
        s.twice_plus += n_plus * ((int64_t)begin + 1 + end);
        s.repeats += n_tied * n_tied * n_tied - n_tied;
    }
    return s;
}

// 2 P(W <= least) of the sum W of those ranks 1 … n whose sign is plus, each with
// probability 1/2. The counts of ways to make a sum are below 2^50 and exact.
static double exact_p_value(int32_t n, int64_t least)
{
    double n_ways[MOST_EXACT * (MOST_EXACT + 1) / 2 + 1] = {1.0};
    for (int32_t rank = 1; rank <= n; rank++)
        for (int32_t sum = rank * (rank + 1) / 2; sum >= rank; sum--)
            n_ways[sum] += n_ways[sum - rank];
    double n_below = 0.0;
    for (int64_t sum = 0; sum <= least; sum++)
        n_below += n_ways[sum];
    return fmin(1.0, ldexp(n_below, 1 - n));
}

// The two-sided signed-rank test; sorts `difference` by size.
static double wilcoxon_p_value(int32_t n_pairs, double *difference)
{
    qsort(difference, (size_t)n_pairs, sizeof(difference[0]), compare_sizes);
    int32_t n_zero = 0;
    while (n_zero < n_pairs && difference[n_zero] == 0.0)
        n_zero++;
    const int32_t n = n_pairs - n_zero;
    if (n == 0)
        return 1.0;
    const signed_ranks s = rank_signs(n, difference + n_zero);
    const int64_t twice_all = (int64_t)n * (n + 1);
    const int64_t twice_minus = twice_all - s.twice_plus;
    const int64_t twice_least = s.twice_plus < twice_minus ? s.twice_plus : twice_minus;
    if (n_pairs <= MOST_EXACT && n_zero == 0 && s.repeats == 0.0)
        return exact_p_value(n, twice_least / 2);
    const double variance =
            ((double)twice_all * (2.0 * n + 1.0) - 0.5 * s.repeats) / 24.0;
    const double distance = 0.5 * ((double)twice_all / 2.0 - (double)twice_least);
    return erfc(distance / sqrt(2.0 * variance));
}

opn_status opn_compare(opn_ctx *ctx,
                       int32_t n,
                       const double *a,
                       const double *b,
                       uint64_t seed,
                       opn_comparison *out)
{
    OPN_REJECT_NULL(ctx, a, b, out);
    opn_status status = OPN_OK;
    double *difference = NULL;
    double *mean = NULL;
    opn_comparison c = {0, (double)NAN, (double)NAN, (double)NAN, 1.0};
    OPN_TRY_NEW(ctx, difference, n > 0 ? n : 0);
    OPN_TRY_NEW(ctx, mean, N_RESAMPLES);
    for (int32_t i = 0; i < n; i++) {
        if (isnan(a[i]) || isnan(b[i]))
            continue;
        difference[c.n] = a[i] - b[i];
        OPN_FAIL_IF(ctx, !isfinite(difference[c.n]), OPN_ERR_INVALID_ARG,
                    "pair %d is %g and %g: its difference must be finite", i, a[i], b[i]);
        c.n++;
    }
    if (c.n > 0) {
        c.difference = mean_of(c.n, difference);
        bootstrap(c.n, difference, seed, mean);
        c.low = sorted_quantile(N_RESAMPLES, mean, 0.025);
        c.high = sorted_quantile(N_RESAMPLES, mean, 0.975);
        c.p_value = wilcoxon_p_value(c.n, difference);
    }
    *out = c;
cleanup:
    opn_i_release(&ctx->alloc, difference);
    opn_i_release(&ctx->alloc, mean);
    return status;
}
