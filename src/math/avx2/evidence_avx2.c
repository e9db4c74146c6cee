// evidence_avx2.c -- Adam, the evidence gradient, and the moments of opinions.

#include "math/avx2/avx2.h"

#ifdef OPN_HAS_AVX2

#    include "math/special.h"

void opn_k_avx2_adam(size_t n,
                     float rate,
                     float epsilon,
                     float decay,
                     float *w,
                     float *mean,
                     float *square,
                     const float *g)
{
    const __m256 beta1 = _mm256_set1_ps(0.9f);
    const __m256 beta2 = _mm256_set1_ps(0.999f);
    const __m256 rest1 = _mm256_set1_ps(1.0f - 0.9f);
    const __m256 rest2 = _mm256_set1_ps(1.0f - 0.999f);
    for (size_t j = 0; j < n; j += 8) {
        const __m256 weight = _mm256_loadu_ps(w + j);
        const __m256 slope =
                _mm256_fmadd_ps(_mm256_set1_ps(decay), weight, _mm256_loadu_ps(g + j));
        const __m256 first = _mm256_fmadd_ps(
                rest1, slope, _mm256_mul_ps(beta1, _mm256_loadu_ps(mean + j)));
        const __m256 second =
                _mm256_fmadd_ps(_mm256_mul_ps(rest2, slope), slope,
                                _mm256_mul_ps(beta2, _mm256_loadu_ps(square + j)));
        const __m256 root =
                _mm256_add_ps(_mm256_sqrt_ps(second), _mm256_set1_ps(epsilon));
        const __m256 move =
                _mm256_div_ps(_mm256_mul_ps(_mm256_set1_ps(rate), first), root);
        _mm256_storeu_ps(mean + j, first);
        _mm256_storeu_ps(square + j, second);
        _mm256_storeu_ps(w + j, _mm256_sub_ps(weight, move));
    }
}

// ---- evidence ------------------------------------------------------------------------

// exp to 1.5 ulp for x in [-87, 88]; smaller x give exp(-87), which is negligible.
INLINE __m256 exp_of(__m256 x)
{
    const __m256 log2e = _mm256_set1_ps(1.44269504f);
    x = _mm256_max_ps(x, _mm256_set1_ps(-87.0f));
    const __m256 n = _mm256_round_ps(_mm256_mul_ps(x, log2e),
                                     _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    // x - n ln 2 in two steps, so that the small difference loses no digits.
    __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375f), x);
    r = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4f), r);
    __m256 sum = _mm256_set1_ps(1.9875691500e-4f);
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(1.3981999507e-3f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(8.3334519073e-3f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(4.1665795894e-2f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(1.6666665459e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(5.0000001201e-1f));
    sum = _mm256_fmadd_ps(sum, _mm256_mul_ps(r, r),
                          _mm256_add_ps(r, _mm256_set1_ps(1.0f)));
    const __m256i power = _mm256_slli_epi32(
            _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
    return _mm256_mul_ps(sum, _mm256_castsi256_ps(power));
}

// ln to 2 ulp for normal x > 0.
INLINE __m256 log_of(__m256 x)
{
    const __m256i bits = _mm256_castps_si256(x);
    // The exponent such that the mantissa is in [sqrt(1/2), sqrt(2)).
    const __m256i shifted = _mm256_sub_epi32(bits, _mm256_set1_epi32(0x3f3504f3));
    const __m256 n = _mm256_cvtepi32_ps(_mm256_srai_epi32(shifted, 23));
    const __m256i mantissa =
            _mm256_add_epi32(_mm256_and_si256(shifted, _mm256_set1_epi32(0x007fffff)),
                             _mm256_set1_epi32(0x3f3504f3));
    const __m256 r = _mm256_sub_ps(_mm256_castsi256_ps(mantissa), _mm256_set1_ps(1.0f));
    const __m256 r2 = _mm256_mul_ps(r, r);
    __m256 sum = _mm256_set1_ps(7.0376836292e-2f);
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(-1.1514610310e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(1.1676998740e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(-1.2420140846e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(1.4249322787e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(-1.6668057665e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(2.0000714765e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(-2.4999993993e-1f));
    sum = _mm256_fmadd_ps(sum, r, _mm256_set1_ps(3.3333331174e-1f));
    sum = _mm256_mul_ps(sum, _mm256_mul_ps(r, r2));
    sum = _mm256_fmadd_ps(n, _mm256_set1_ps(-2.12194440e-4f), sum);
    sum = _mm256_fnmadd_ps(_mm256_set1_ps(0.5f), r2, sum);
    sum = _mm256_add_ps(r, sum);
    return _mm256_fmadd_ps(n, _mm256_set1_ps(0.693359375f), sum);
}

INLINE __m256 trigamma_q_of(__m256 y)
{
    static const float q[] = {OPN_TRIGAMMA_Q};
    __m256 sum = _mm256_set1_ps(q[OPN_TRIGAMMA_Q_TERMS - 1]);
    for (int k = OPN_TRIGAMMA_Q_TERMS - 2; k >= 0; k--)
        sum = _mm256_fmadd_ps(sum, y, _mm256_set1_ps(q[k]));
    return sum;
}

// Rows processed together: the dependency chain of one row, the sums over its classes and
// all that follows, would take three times as long row by row.
enum { ROWS = 8 };

// Horizontal sums of eight vectors, one per lane.
INLINE __m256 sums_of(const __m256 *x)
{
    const __m256 sum01 = _mm256_hadd_ps(x[0], x[1]);
    const __m256 sum23 = _mm256_hadd_ps(x[2], x[3]);
    const __m256 sum45 = _mm256_hadd_ps(x[4], x[5]);
    const __m256 sum67 = _mm256_hadd_ps(x[6], x[7]);
    const __m256 low = _mm256_hadd_ps(sum01, sum23);
    const __m256 high = _mm256_hadd_ps(sum45, sum67);
    return _mm256_add_ps(_mm256_permute2f128_ps(low, high, 0x20),
                         _mm256_permute2f128_ps(low, high, 0x31));
}

// Lanes of vector v that hold one of n classes.
INLINE __m256 lanes_in_use(int32_t n, size_t v)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_castsi256_ps(
            _mm256_cmpgt_epi32(_mm256_set1_epi32(n - 8 * (int32_t)v), lane));
}

// State of the gradient of a block of rows. Only the first n_rows are used; the others
// repeat the last. Arrays over rows hold one number per row.
typedef struct gradient_block {
    int32_t row[ROWS];
    int32_t n_rows;
    __m256 evidence[ROWS][MOST_VECTORS];
    __m256 slope[ROWS][MOST_VECTORS]; // dL/dp
    float inverse[ROWS];              // 1 / S
    float inverse1[ROWS];             // 1 / (S + 1)
    float level[ROWS];                // u.p + v of kernels.h
    float half_sum[ROWS];             // half(S)
} gradient_block;

// Evidence, and the values that follow from its sum.
INLINE int64_t find_evidence(size_t n_vectors,
                             const opn_k_evidence *loss,
                             const float *z,
                             gradient_block *block)
{
    const __m256 bound = _mm256_set1_ps(loss->max_logit);
    const __m256 one = _mm256_set1_ps(1.0f);
    __m256 total[ROWS];
    int64_t n_bounded = 0;
    for (int r = 0; r < ROWS; r++) {
        const float *row = z + (size_t)block->row[r] * (size_t)loss->width;
        total[r] = _mm256_setzero_ps();
        for (size_t v = 0; v < n_vectors; v++) {
            const __m256 used = lanes_in_use(loss->n_classes, v);
            const __m256 logit = _mm256_loadu_ps(row + 8 * v);
            const __m256 above =
                    _mm256_and_ps(used, _mm256_cmp_ps(logit, bound, _CMP_GT_OQ));
            if (r < block->n_rows)
                n_bounded += _mm_popcnt_u32((unsigned)_mm256_movemask_ps(above));
            block->evidence[r][v] =
                    _mm256_and_ps(used, exp_of(_mm256_min_ps(logit, bound)));
            total[r] = _mm256_add_ps(total[r], block->evidence[r][v]);
        }
    }
    const __m256 strength =
            _mm256_add_ps(sums_of(total), _mm256_set1_ps((float)loss->n_classes));
    const __m256 inverse = _mm256_div_ps(one, strength);
    _mm256_storeu_ps(block->inverse, inverse);
    _mm256_storeu_ps(block->inverse1, _mm256_div_ps(one, _mm256_add_ps(strength, one)));
    if (loss->prior != NULL) {
        float prior_sum[ROWS];
        for (int r = 0; r < ROWS; r++)
            prior_sum[r] = loss->prior_sum[block->row[r]];
        const __m256 q = trigamma_q_of(inverse);
        const __m256 p = _mm256_fmadd_ps(inverse, q, one);
        _mm256_storeu_ps(block->half_sum,
                         _mm256_fnmadd_ps(_mm256_loadu_ps(prior_sum), p, q));
    }
    return n_bounded;
}

// Adds the slope of the squared term of a training node; returns the spread of p.
INLINE __m256 add_squared(const opn_k_evidence *loss,
                          int32_t target,
                          size_t v,
                          __m256 p,
                          float inverse1,
                          __m256 *slope)
{
    const __m256 one = _mm256_set1_ps(1.0f);
    const __m256 two = _mm256_set1_ps(2.0f);
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256 hit = _mm256_castsi256_ps(
            _mm256_cmpeq_epi32(lane, _mm256_set1_epi32(target - 8 * (int32_t)v)));
    const __m256 miss = _mm256_sub_ps(p, _mm256_and_ps(hit, one));
    const __m256 variance =
            _mm256_mul_ps(_mm256_fnmadd_ps(two, p, one), _mm256_set1_ps(inverse1));
    *slope = _mm256_fmadd_ps(_mm256_set1_ps(loss->target_weight),
                             _mm256_fmadd_ps(two, miss, variance), *slope);
    return _mm256_mul_ps(p, _mm256_sub_ps(one, p));
}

// dL/dp of the terms in p, and its mean.
INLINE void
find_slopes(size_t n_vectors, const opn_k_evidence *loss, gradient_block *block)
{
    const __m256 one = _mm256_set1_ps(1.0f);
    __m256 mean[ROWS];
    for (int r = 0; r < ROWS; r++) {
        const int32_t i = block->row[r];
        const int32_t target = loss->target[i];
        const float inverse1 = block->inverse1[r];
        // v of kernels.h is this times the sum of p (1 - p).
        const float spread_weight = target < 0 ? 0.0f
                                               : loss->target_weight * inverse1 *
                                                         inverse1 / block->inverse[r];
        mean[r] = _mm256_setzero_ps();
        for (size_t v = 0; v < n_vectors; v++) {
            const __m256 used = lanes_in_use(loss->n_classes, v);
            const __m256 p = _mm256_mul_ps(_mm256_add_ps(block->evidence[r][v], one),
                                           _mm256_set1_ps(block->inverse[r]));
            __m256 slope = _mm256_setzero_ps();
            __m256 spread = _mm256_setzero_ps();
            if (target >= 0)
                spread = add_squared(loss, target, v, p, inverse1, &slope);
            if (loss->log_teacher != NULL) {
                const float *teacher =
                        loss->log_teacher + (size_t)i * (size_t)loss->width + 8 * v;
                slope = _mm256_fmadd_ps(
                        _mm256_set1_ps(loss->teacher_weight),
                        _mm256_sub_ps(log_of(p), _mm256_loadu_ps(teacher)), slope);
            }
            block->slope[r][v] = slope;
            const __m256 share = _mm256_fmadd_ps(_mm256_set1_ps(spread_weight), spread,
                                                 _mm256_mul_ps(slope, p));
            mean[r] = _mm256_add_ps(mean[r], _mm256_and_ps(used, share));
        }
    }
    _mm256_storeu_ps(block->level, sums_of(mean));
}

INLINE void put_gradient(size_t n_vectors,
                         const opn_k_evidence *loss,
                         const gradient_block *block,
                         float *d_z)
{
    const __m256 one = _mm256_set1_ps(1.0f);
    for (int r = 0; r < block->n_rows; r++) {
        const size_t at = (size_t)block->row[r] * (size_t)loss->width;
        for (size_t v = 0; v < n_vectors; v++) {
            const __m256 evidence = block->evidence[r][v];
            const __m256 share =
                    _mm256_mul_ps(evidence, _mm256_set1_ps(block->inverse[r]));
            __m256 result =
                    _mm256_mul_ps(share, _mm256_sub_ps(block->slope[r][v],
                                                       _mm256_set1_ps(block->level[r])));
            if (loss->prior != NULL) {
                const __m256 y = _mm256_div_ps(one, _mm256_add_ps(evidence, one));
                const __m256 q = trigamma_q_of(y);
                const __m256 p = _mm256_fmadd_ps(y, q, one);
                const __m256 half =
                        _mm256_fnmadd_ps(_mm256_loadu_ps(loss->prior + at + 8 * v), p, q);
                const __m256 kl = _mm256_fmsub_ps(
                        _mm256_mul_ps(evidence, y), half,
                        _mm256_mul_ps(share, _mm256_set1_ps(block->half_sum[r])));
                result = _mm256_fmadd_ps(_mm256_set1_ps(loss->prior_weight), kl, result);
            }
            _mm256_storeu_ps(d_z + at + 8 * v,
                             _mm256_and_ps(lanes_in_use(loss->n_classes, v), result));
        }
    }
}

INLINE void gradient_rows(size_t n_vectors,
                          const opn_k_evidence *loss,
                          int32_t first,
                          int32_t last,
                          const float *z,
                          float *d_z,
                          int64_t *n_bounded)
{
    for (int32_t i = first; i < last; i += ROWS) {
        gradient_block block;
        block.n_rows = last - i < ROWS ? last - i : ROWS;
        for (int32_t r = 0; r < ROWS; r++)
            block.row[r] = r < block.n_rows ? i + r : last - 1;
        *n_bounded += find_evidence(n_vectors, loss, z, &block);
        find_slopes(n_vectors, loss, &block);
        put_gradient(n_vectors, loss, &block, d_z);
    }
}

int64_t opn_k_avx2_exp_evidence_gradient(const opn_k_evidence *loss,
                                         int32_t first,
                                         int32_t last,
                                         const float *z,
                                         float *d_z)
{
    int64_t n_bounded = 0;
    if (loss->width > 8 * MOST_VECTORS) // hundreds of classes are rare
        return opn_k_table_ref()->exp_evidence_gradient(loss, first, last, z, d_z);
    FOR_VECTORS(loss->width / 8, gradient_rows, loss, first, last, z, d_z, &n_bounded)
    return n_bounded;
}

// ---- moments -------------------------------------------------------------------------

INLINE void add_as_double(double *sum, __m256 x)
{
    const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(x));
    const __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1));
    _mm256_storeu_pd(sum, _mm256_add_pd(_mm256_loadu_pd(sum), low));
    _mm256_storeu_pd(sum + 4, _mm256_add_pd(_mm256_loadu_pd(sum + 4), high));
}

INLINE float largest_of(int32_t n, const float *z)
{
    float top = z[0];
    for (int32_t k = 1; k < n; k++)
        top = z[k] > top ? z[k] : top;
    return top;
}

// Rows first … first + n_rows - 1, at most ROWS; rows beyond them repeat the last.
INLINE void add_block(size_t n_vectors,
                      const opn_k_moments *sums,
                      int32_t first,
                      int32_t n_rows,
                      const float *z)
{
    const __m256 bound = _mm256_set1_ps(sums->max_logit);
    const __m256 added = _mm256_set1_ps(sums->is_softmax ? 0.0f : 1.0f);
    __m256 e[ROWS][MOST_VECTORS];
    __m256 total[ROWS];
    __m256 entropy[ROWS];
    float inverse[ROWS];
    float whole[ROWS];
    size_t at[ROWS];
    for (int r = 0; r < ROWS; r++) {
        at[r] = (size_t)(first + (r < n_rows ? r : n_rows - 1)) * (size_t)sums->width;
        const __m256 shift = _mm256_set1_ps(
                sums->is_softmax ? largest_of(sums->n_classes, z + at[r]) : 0.0f);
        total[r] = _mm256_setzero_ps();
        for (size_t v = 0; v < n_vectors; v++) {
            const __m256 logit = _mm256_loadu_ps(z + at[r] + 8 * v);
            const __m256 power =
                    exp_of(_mm256_min_ps(_mm256_sub_ps(logit, shift), bound));
            e[r][v] = _mm256_and_ps(lanes_in_use(sums->n_classes, v),
                                    _mm256_add_ps(power, added));
            total[r] = _mm256_add_ps(total[r], e[r][v]);
        }
    }
    _mm256_storeu_ps(inverse, _mm256_div_ps(_mm256_set1_ps(1.0f), sums_of(total)));
    for (int r = 0; r < ROWS; r++) {
        entropy[r] = _mm256_setzero_ps();
        for (size_t v = 0; v < n_vectors; v++) {
            const __m256 p = _mm256_mul_ps(e[r][v], _mm256_set1_ps(inverse[r]));
            // The smallest normal number replaces 0, whose logarithm does not count.
            const __m256 safe = _mm256_max_ps(p, _mm256_set1_ps(1.17549435e-38f));
            entropy[r] = _mm256_fnmadd_ps(p, log_of(safe), entropy[r]);
            if (r >= n_rows)
                continue;
            add_as_double(sums->p + at[r] + 8 * v, p);
            add_as_double(sums->z + at[r] + 8 * v, _mm256_loadu_ps(z + at[r] + 8 * v));
            if (sums->alpha != NULL)
                add_as_double(sums->alpha + at[r] + 8 * v, e[r][v]);
        }
    }
    _mm256_storeu_ps(whole, sums_of(entropy));
    for (int r = 0; r < n_rows; r++)
        sums->entropy[first + r] += (double)whole[r];
}

INLINE void moments_rows(size_t n_vectors,
                         const opn_k_moments *sums,
                         int32_t first,
                         int32_t last,
                         const float *z)
{
    for (int32_t i = first; i < last; i += ROWS)
        add_block(n_vectors, sums, i, last - i < ROWS ? last - i : ROWS, z);
}

void opn_k_avx2_add_moments(const opn_k_moments *sums,
                            int32_t first,
                            int32_t last,
                            const float *z)
{
    if (sums->width > 8 * MOST_VECTORS) {
        opn_k_table_ref()->add_moments(sums, first, last, z);
        return;
    }
    FOR_VECTORS(sums->width / 8, moments_rows, sums, first, last, z)
}

#endif
