// losses.h -- the optimiser, the gradient of the evidence loss and the moments of
// samples, in terms of the vectors of an instruction set. Included once by each set; see
// products.h and, for what else is asked for, avx2.h.
//
// A vector holds one class of VEC nodes: with three classes the lanes are as full as with
// eight, and nothing is summed across a vector. Rows are transposed four classes at a
// time as they are read and written.

#ifndef OPN_SIMD_LOSSES_H
#define OPN_SIMD_LOSSES_H

#include "math/special.h"

#include <string.h>

// ---- Adam ----------------------------------------------------------------------------

void KERNEL(adam)(size_t n,
                  float rate,
                  float epsilon,
                  float decay,
                  float *w,
                  float *mean,
                  float *square,
                  const float *g)
{
    const vec beta1 = v_set1(0.9f), rest1 = v_set1(1.0f - 0.9f);
    const vec beta2 = v_set1(0.999f), rest2 = v_set1(1.0f - 0.999f);
    size_t j = 0;
    for (; j + VEC <= n; j += VEC) {
        const vec weight = v_load(w + j);
        const vec slope = v_fma(v_set1(decay), weight, v_load(g + j));
        const vec first = v_fma(rest1, slope, v_mul(beta1, v_load(mean + j)));
        const vec second =
                v_fma(v_mul(rest2, slope), slope, v_mul(beta2, v_load(square + j)));
        const vec root = v_add(v_sqrt(second), v_set1(epsilon));
        v_store(mean + j, first);
        v_store(square + j, second);
        v_store(w + j, v_sub(weight, v_div(v_mul(v_set1(rate), first), root)));
    }
    if (j < n)
        NARROW(adam)(n - j, rate, epsilon, decay, w + j, mean + j, square + j, g + j);
}

// ---- functions -----------------------------------------------------------------------

// The nearest whole number, for |x| < 2^22: at that size a float has no fraction.
INLINE vec nearest_whole(vec x)
{
    const vec large = v_set1(12582912.0f);
    return v_sub(v_add(x, large), large);
}

// exp to 1.5 ulp for x in [-87, 88]; smaller x give exp(-87), which is negligible.
INLINE vec exp_of(vec x)
{
    x = v_max(x, v_set1(-87.0f));
    const vec n = nearest_whole(v_mul(x, v_set1(1.44269504f)));
    // x - n ln 2 in two steps, so that the small difference loses no digits.
    vec r = v_fnma(n, v_set1(0.693359375f), x);
    r = v_fnma(n, v_set1(-2.12194440e-4f), r);
    vec sum = v_set1(1.9875691500e-4f);
    sum = v_fma(sum, r, v_set1(1.3981999507e-3f));
    sum = v_fma(sum, r, v_set1(8.3334519073e-3f));
    sum = v_fma(sum, r, v_set1(4.1665795894e-2f));
    sum = v_fma(sum, r, v_set1(1.6666665459e-1f));
    sum = v_fma(sum, r, v_set1(5.0000001201e-1f));
    sum = v_fma(sum, v_mul(r, r), v_add(r, v_set1(1.0f)));
    const ints power = i_shift_left(i_add(i_from(n), i_set1(127)), 23);
    return v_mul(sum, v_bits(power));
}

// ln to 2 ulp for normal x > 0.
INLINE vec log_of(vec x)
{
    // The exponent such that the mantissa is in [sqrt(1/2), sqrt(2)).
    const ints half_root = i_set1(0x3f3504f3);
    const ints shifted = i_sub(i_bits(x), half_root);
    const vec n = v_from(i_shift_right(shifted, 23));
    const ints mantissa = i_add(i_and(shifted, i_set1(0x007fffff)), half_root);
    const vec r = v_sub(v_bits(mantissa), v_set1(1.0f));
    const vec r2 = v_mul(r, r);
    vec sum = v_set1(7.0376836292e-2f);
    sum = v_fma(sum, r, v_set1(-1.1514610310e-1f));
    sum = v_fma(sum, r, v_set1(1.1676998740e-1f));
    sum = v_fma(sum, r, v_set1(-1.2420140846e-1f));
    sum = v_fma(sum, r, v_set1(1.4249322787e-1f));
    sum = v_fma(sum, r, v_set1(-1.6668057665e-1f));
    sum = v_fma(sum, r, v_set1(2.0000714765e-1f));
    sum = v_fma(sum, r, v_set1(-2.4999993993e-1f));
    sum = v_fma(sum, r, v_set1(3.3333331174e-1f));
    sum = v_mul(sum, v_mul(r, r2));
    sum = v_fma(n, v_set1(-2.12194440e-4f), sum);
    sum = v_fnma(v_set1(0.5f), r2, sum);
    sum = v_add(r, sum);
    return v_fma(n, v_set1(0.693359375f), sum);
}

INLINE vec trigamma_q_of(vec y)
{
    static const float q[] = {OPN_TRIGAMMA_Q};
    vec sum = v_set1(q[OPN_TRIGAMMA_Q_TERMS - 1]);
    for (int k = OPN_TRIGAMMA_Q_TERMS - 2; k >= 0; k--)
        sum = v_fma(sum, y, v_set1(q[k]));
    return sum;
}

// ---- classes of VEC nodes ------------------------------------------------------------

enum { MOST_CLASSES = 64, FOUR = 4 }; // more classes are rare, and left to the reference

// Transposes the four by four numbers in each quarter of four vectors.
INLINE void transpose_fours(vec x[FOUR])
{
    const vec low01 = v_unpack_low(x[0], x[1]), high01 = v_unpack_high(x[0], x[1]);
    const vec low23 = v_unpack_low(x[2], x[3]), high23 = v_unpack_high(x[2], x[3]);
    x[0] = v_pair_low(low01, low23);
    x[1] = v_pair_high(low01, low23);
    x[2] = v_pair_low(high01, high23);
    x[3] = v_pair_high(high01, high23);
}

// Four classes of VEC nodes whose rows are `width` apart.
INLINE void read_classes(const float *rows, size_t width, vec x[FOUR])
{
    for (size_t r = 0; r < FOUR; r++)
        x[r] = v_load_fours(rows + r * width, FOUR * width);
    transpose_fours(x);
}

INLINE void write_classes(vec x[FOUR], float *rows, size_t width)
{
    transpose_fours(x);
    for (size_t r = 0; r < FOUR; r++)
        v_store_fours(rows + r * width, FOUR * width, x[r]);
}

// Adds them to rows of sums.
INLINE void add_classes(vec x[FOUR], double *sums, size_t width)
{
    transpose_fours(x);
    for (size_t r = 0; r < FOUR; r++)
        v_add_fours(sums + r * width, FOUR * width, x[r]);
}

// The rows of the last nodes, fewer than VEC, with zeros after them.
typedef struct tail {
    float z[VEC * MOST_CLASSES], d_z[VEC * MOST_CLASSES];
    float prior[VEC * MOST_CLASSES], log_teacher[VEC * MOST_CLASSES];
    float prior_sum[VEC];
    int32_t target[VEC];
} tail;

// ---- the gradient of the evidence loss -----------------------------------------------

// What the classes of VEC nodes have in common.
typedef struct nodes {
    ints target;
    bool has_target; // one of them
    vec target_weight;
    vec inverse;  // 1 / S
    vec inverse1; // 1 / (S + 1)
    vec level;    // u.p + v of kernels.h
    vec half_sum; // half(S)
} nodes;

// Evidence, and what follows from its sum. Returns the number of logits above the bound.
INLINE int64_t find_evidence(const opn_k_evidence *loss,
                             const float *z,
                             vec *evidence,
                             nodes *of)
{
    const vec bound = v_set1(loss->max_logit), one = v_set1(1.0f);
    vec strength = v_set1((float)loss->n_classes);
    int64_t n_bounded = 0;
    for (int32_t k = 0; k < loss->n_classes; k += FOUR) {
        const int32_t n = loss->n_classes - k < FOUR ? loss->n_classes - k : FOUR;
        vec logit[FOUR];
        read_classes(z + k, (size_t)loss->width, logit);
        for (int32_t c = 0; c < n; c++) {
            n_bounded += v_count_above(logit[c], bound);
            evidence[k + c] = exp_of(v_min(logit[c], bound));
            strength = v_add(strength, evidence[k + c]);
        }
    }
    of->inverse = v_div(one, strength);
    of->inverse1 = v_div(one, v_add(strength, one));
    return n_bounded;
}

// dL/dp of the squared term, with p in *slope; returns the spread of p.
INLINE vec add_squared(const nodes *of, int32_t k, vec p, vec *slope)
{
    const vec one = v_set1(1.0f), two = v_set1(2.0f);
    const vec miss = v_sub(p, v_where_equal(of->target, i_set1(k), one));
    const vec variance = v_mul(v_fnma(two, p, one), of->inverse1);
    *slope = v_fma(of->target_weight, v_fma(two, miss, variance), *slope);
    return v_mul(p, v_sub(one, p));
}

// dL/dp of the terms in p, and its mean.
INLINE void
find_slopes(const opn_k_evidence *loss, const vec *evidence, vec *slope, nodes *of)
{
    const vec one = v_set1(1.0f);
    vec spread = v_zero();
    of->level = v_zero();
    for (int32_t k = 0; k < loss->n_classes; k += FOUR) {
        const int32_t n = loss->n_classes - k < FOUR ? loss->n_classes - k : FOUR;
        vec teacher[FOUR];
        if (loss->log_teacher != NULL)
            read_classes(loss->log_teacher + k, (size_t)loss->width, teacher);
        for (int32_t c = 0; c < n; c++) {
            const vec p = v_mul(v_add(evidence[k + c], one), of->inverse);
            vec sum = v_zero();
            if (of->has_target)
                spread = v_add(spread, add_squared(of, k + c, p, &sum));
            if (loss->log_teacher != NULL)
                sum = v_fma(v_set1(loss->teacher_weight), v_sub(log_of(p), teacher[c]),
                            sum);
            slope[k + c] = sum;
            of->level = v_fma(sum, p, of->level);
        }
    }
    if (of->has_target) {
        const vec square = v_mul(of->inverse1, of->inverse1);
        const vec weight = v_div(v_mul(of->target_weight, square), of->inverse);
        of->level = v_fma(weight, spread, of->level);
    }
}

INLINE vec kl_of(const nodes *of, vec evidence, vec share, vec prior)
{
    const vec one = v_set1(1.0f);
    const vec y = v_div(one, v_add(evidence, one));
    const vec q = trigamma_q_of(y);
    const vec half = v_fnma(prior, v_fma(y, q, one), q);
    return v_fms(v_mul(evidence, y), half, v_mul(share, of->half_sum));
}

INLINE void put_gradient(const opn_k_evidence *loss,
                         const vec *evidence,
                         const vec *slope,
                         const nodes *of,
                         float *d_z)
{
    for (int32_t k = 0; k < loss->n_classes; k += FOUR) {
        const int32_t n = loss->n_classes - k < FOUR ? loss->n_classes - k : FOUR;
        vec prior[FOUR], result[FOUR];
        if (loss->prior != NULL)
            read_classes(loss->prior + k, (size_t)loss->width, prior);
        for (int32_t c = 0; c < n; c++) {
            const vec share = v_mul(evidence[k + c], of->inverse);
            result[c] = v_mul(share, v_sub(slope[k + c], of->level));
            if (loss->prior != NULL)
                result[c] = v_fma(v_set1(loss->prior_weight),
                                  kl_of(of, evidence[k + c], share, prior[c]), result[c]);
        }
        for (int32_t c = n; c < FOUR; c++)
            result[c] = v_zero();
        write_classes(result, d_z + k, (size_t)loss->width);
    }
}

// The first VEC nodes of all arrays.
INLINE int64_t gradient_of_nodes(const opn_k_evidence *loss, const float *z, float *d_z)
{
    vec evidence[MOST_CLASSES], slope[MOST_CLASSES];
    nodes of = {.target = i_load(loss->target)};
    of.has_target = i_any_natural(of.target);
    of.target_weight = v_where_natural(of.target, v_set1(loss->target_weight));
    const int64_t n_bounded = find_evidence(loss, z, evidence, &of);
    find_slopes(loss, evidence, slope, &of);
    if (loss->prior != NULL) {
        const vec q = trigamma_q_of(of.inverse);
        const vec p = v_fma(of.inverse, q, v_set1(1.0f));
        of.half_sum = v_fnma(v_load(loss->prior_sum), p, q);
    }
    put_gradient(loss, evidence, slope, &of, d_z);
    return n_bounded;
}

static opn_k_evidence from_node(const opn_k_evidence *loss, int32_t i)
{
    const size_t at = (size_t)i * (size_t)loss->width;
    opn_k_evidence part = *loss;
    part.prior = loss->prior == NULL ? NULL : loss->prior + at;
    part.prior_sum = loss->prior == NULL ? NULL : loss->prior_sum + i;
    part.log_teacher = loss->log_teacher == NULL ? NULL : loss->log_teacher + at;
    part.target = loss->target + i;
    return part;
}

// The last n nodes, fewer than VEC.
static int64_t
gradient_of_tail(const opn_k_evidence *loss, int32_t n, const float *z, float *d_z)
{
    const size_t n_bytes = (size_t)n * (size_t)loss->width * sizeof(*z);
    opn_k_evidence part = *loss;
    tail rest = {.z = {0}};
    memcpy(rest.z, z, n_bytes);
    for (int32_t r = 0; r < VEC; r++)
        rest.target[r] = r < n ? loss->target[r] : -1;
    part.target = rest.target;
    if (loss->prior != NULL) {
        memcpy(rest.prior, loss->prior, n_bytes);
        memcpy(rest.prior_sum, loss->prior_sum, (size_t)n * sizeof(*rest.prior_sum));
        part.prior = rest.prior;
        part.prior_sum = rest.prior_sum;
    }
    if (loss->log_teacher != NULL) {
        memcpy(rest.log_teacher, loss->log_teacher, n_bytes);
        part.log_teacher = rest.log_teacher;
    }
    const int64_t n_bounded = gradient_of_nodes(&part, rest.z, rest.d_z);
    memcpy(d_z, rest.d_z, n_bytes);
    return n_bounded;
}

int64_t KERNEL(exp_evidence_gradient)(const opn_k_evidence *loss,
                                      int32_t first,
                                      int32_t last,
                                      const float *z,
                                      float *d_z)
{
    int64_t n_bounded = 0;
    if (loss->width > MOST_CLASSES)
        return opn_k_table_ref()->exp_evidence_gradient(loss, first, last, z, d_z);
    for (int32_t i = first; i < last; i += VEC) {
        const opn_k_evidence part = from_node(loss, i);
        const size_t at = (size_t)i * (size_t)loss->width;
        n_bounded += last - i < VEC ? gradient_of_tail(&part, last - i, z + at, d_z + at)
                                    : gradient_of_nodes(&part, z + at, d_z + at);
    }
    return n_bounded;
}

// ---- moments -------------------------------------------------------------------------

// Adds the first VEC nodes of all arrays.
INLINE void moments_of_nodes(const opn_k_moments *sums, const float *z)
{
    const int32_t n_classes = sums->n_classes;
    const size_t width = (size_t)sums->width;
    const vec bound = v_set1(sums->max_logit);
    const vec added = v_set1(sums->is_softmax ? 0.0f : 1.0f);
    vec e[MOST_CLASSES];
    vec top = v_zero(), total = v_zero(), entropy = v_zero();
    for (int32_t k = 0; k < n_classes; k += FOUR)
        read_classes(z + k, width, e + k);
    if (sums->is_softmax) {
        top = e[0];
        for (int32_t k = 1; k < n_classes; k++)
            top = v_max(e[k], top);
    }
    for (int32_t k = 0; k < n_classes; k++) {
        e[k] = v_add(exp_of(v_min(v_sub(e[k], top), bound)), added);
        total = v_add(total, e[k]);
    }
    const vec inverse = v_div(v_set1(1.0f), total);
    for (int32_t k = 0; k < n_classes; k += FOUR) {
        vec alpha[FOUR], p[FOUR], logit[FOUR];
        for (int32_t c = 0; c < FOUR; c++) {
            const bool is_used = k + c < n_classes;
            alpha[c] = is_used ? e[k + c] : v_zero();
            p[c] = is_used ? v_mul(e[k + c], inverse) : v_zero();
            // The smallest normal number replaces 0, whose logarithm does not count.
            const vec safe = v_max(p[c], v_set1(1.17549435e-38f));
            if (is_used)
                entropy = v_fnma(p[c], log_of(safe), entropy);
        }
        add_classes(p, sums->p + k, width);
        if (sums->z != NULL) {
            read_classes(z + k, width, logit);
            add_classes(logit, sums->z + k, width);
        }
        if (sums->alpha != NULL)
            add_classes(alpha, sums->alpha + k, width);
    }
    float each[VEC];
    v_store(each, entropy);
    for (int32_t r = 0; r < VEC; r++)
        sums->entropy[r] += (double)each[r];
}

static opn_k_moments moments_from(const opn_k_moments *sums, int32_t i)
{
    const size_t at = (size_t)i * (size_t)sums->width;
    opn_k_moments part = *sums;
    part.alpha = sums->alpha == NULL ? NULL : sums->alpha + at;
    part.z = sums->z == NULL ? NULL : sums->z + at;
    part.p = sums->p + at;
    part.entropy = sums->entropy + i;
    return part;
}

// The last n nodes, fewer than VEC, through sums of their own.
static void moments_of_tail(const opn_k_moments *sums, int32_t n, const float *z)
{
    const size_t n_items = (size_t)n * (size_t)sums->width;
    float rows[VEC * MOST_CLASSES] = {0};
    double alpha[VEC * MOST_CLASSES] = {0}, logit[VEC * MOST_CLASSES] = {0};
    double p[VEC * MOST_CLASSES] = {0}, entropy[VEC] = {0};
    opn_k_moments part = *sums;
    memcpy(rows, z, n_items * sizeof(*rows));
    part.alpha = sums->alpha == NULL ? NULL : alpha;
    part.z = sums->z == NULL ? NULL : logit;
    part.p = p;
    part.entropy = entropy;
    moments_of_nodes(&part, rows);
    for (size_t j = 0; j < n_items; j++) {
        sums->p[j] += p[j];
        if (sums->z != NULL)
            sums->z[j] += logit[j];
        if (sums->alpha != NULL)
            sums->alpha[j] += alpha[j];
    }
    for (int32_t r = 0; r < n; r++)
        sums->entropy[r] += entropy[r];
}

void KERNEL(add_moments)(const opn_k_moments *sums,
                         int32_t first,
                         int32_t last,
                         const float *z)
{
    if (sums->width > MOST_CLASSES) {
        opn_k_table_ref()->add_moments(sums, first, last, z);
        return;
    }
    for (int32_t i = first; i < last; i += VEC) {
        const opn_k_moments part = moments_from(sums, i);
        const float *rows = z + (size_t)i * (size_t)sums->width;
        if (last - i < VEC)
            moments_of_tail(&part, last - i, rows);
        else
            moments_of_nodes(&part, rows);
    }
}

#endif // OPN_SIMD_LOSSES_H
