// embedding_avx2.c -- the embedding kernels.

#include "math/avx2/avx2.h"

#ifdef OPN_HAS_AVX2

enum { LANES = 8 };

// ---- distances -----------------------------------------------------------------------

// Two rows share the loads of a panel.
typedef struct distances {
    __m256 a[2], b[2];
} distances;

// Columns between checks whether any sum is still below its limit. Sums only grow, and
// most pairs of rows are far apart after only part of the columns.
enum { COLUMNS_A_LOOK = 16 };

INLINE uint32_t bits_below(const __m256 *square, opn_real limit)
{
    const __m256 most = _mm256_set1_ps(limit);
    const int low = _mm256_movemask_ps(_mm256_cmp_ps(square[0], most, _CMP_LT_OQ));
    const int high = _mm256_movemask_ps(_mm256_cmp_ps(square[1], most, _CMP_LT_OQ));
    return (uint32_t)low | (uint32_t)high << LANES;
}

INLINE void add_square(__m256 other, __m256 own, __m256 *sum)
{
    const __m256 off = _mm256_sub_ps(other, own);
    *sum = _mm256_add_ps(*sum, _mm256_mul_ps(off, off));
}

static uint32_t measure(int32_t n_cols,
                        const opn_real *panel,
                        const opn_real *a,
                        const opn_real *b,
                        opn_real limit_a,
                        opn_real limit_b,
                        opn_real *square)
{
    const __m256 zero = _mm256_setzero_ps();
    distances d = {{zero, zero}, {zero, zero}};
    uint32_t below = 0;
    int32_t k = 0;
    do {
        const int32_t end = n_cols - k < COLUMNS_A_LOOK ? n_cols : k + COLUMNS_A_LOOK;
        for (; k < end; k++, panel += OPN_NEAR_PANEL) {
            const __m256 own_a = _mm256_set1_ps(a[k]);
            const __m256 own_b = _mm256_set1_ps(b[k]);
            const __m256 low = _mm256_loadu_ps(panel);
            const __m256 high = _mm256_loadu_ps(panel + LANES);
            add_square(low, own_a, &d.a[0]);
            add_square(high, own_a, &d.a[1]);
            add_square(low, own_b, &d.b[0]);
            add_square(high, own_b, &d.b[1]);
        }
        below = bits_below(d.a, limit_a) | bits_below(d.b, limit_b) << OPN_NEAR_PANEL;
    } while (below != 0 && k < n_cols);
    if (below == 0)
        return 0;
    for (size_t v = 0; v < 2; v++) {
        _mm256_storeu_ps(square + v * LANES, d.a[v]);
        _mm256_storeu_ps(square + OPN_NEAR_PANEL + v * LANES, d.b[v]);
    }
    return below;
}

// ---- forces --------------------------------------------------------------------------

INLINE opn_real sum_of(__m256 lanes)
{
    opn_real lane[LANES];
    _mm256_storeu_ps(lane, lanes);
    return opn_k_sum_lanes(lane);
}

// 1 + |y_i - y_j|^2
INLINE __m256 one_more(__m256 off_x, __m256 off_y)
{
    const __m256 square =
            _mm256_add_ps(_mm256_mul_ps(off_x, off_x), _mm256_mul_ps(off_y, off_y));
    return _mm256_add_ps(_mm256_set1_ps(1.0f), square);
}

static void repel(const opn_k_crowd *crowd,
                  int32_t n_points,
                  const opn_real *x,
                  const opn_real *y,
                  opn_k_push *push)
{
    for (int32_t i = 0; i < n_points; i++) {
        const __m256 own_x = _mm256_set1_ps(x[i]);
        const __m256 own_y = _mm256_set1_ps(y[i]);
        __m256 force_x = _mm256_setzero_ps();
        __m256 force_y = force_x;
        __m256 sum = force_x;
        for (int32_t at = 0; at < crowd->size; at += LANES) {
            const __m256 off_x = _mm256_sub_ps(own_x, _mm256_loadu_ps(crowd->x + at));
            const __m256 off_y = _mm256_sub_ps(own_y, _mm256_loadu_ps(crowd->y + at));
            const __m256 q = _mm256_div_ps(_mm256_set1_ps(1.0f), one_more(off_x, off_y));
            const __m256 all_q = _mm256_mul_ps(q, _mm256_loadu_ps(crowd->n + at));
            const __m256 weight = _mm256_mul_ps(all_q, q);
            sum = _mm256_add_ps(sum, all_q);
            force_x = _mm256_add_ps(force_x, _mm256_mul_ps(weight, off_x));
            force_y = _mm256_add_ps(force_y, _mm256_mul_ps(weight, off_y));
        }
        push[i].x += (double)sum_of(force_x);
        push[i].y += (double)sum_of(force_y);
        push[i].sum += (double)sum_of(sum);
    }
}

// The points of two entries, as x y x y.
INLINE __m128 two_points(const opn_real *point, const int32_t *col)
{
    const __m128i first =
            _mm_loadl_epi64((const __m128i *)(const void *)(point + 2 * (size_t)col[0]));
    return _mm_loadh_pi(_mm_castsi128_ps(first),
                        (const __m64 *)(const void *)(point + 2 * (size_t)col[1]));
}

typedef struct pull {
    __m256 x, y;
} pull;

// Adds the pull of eight entries on the point at (own_x, own_y). The pairs are loaded in
// the order that the shuffles, which work on halves, turn into the right one.
INLINE void add_pull(const int32_t *col,
                     __m256 value,
                     const opn_real *point,
                     __m256 own_x,
                     __m256 own_y,
                     pull *sum)
{
    const __m256 some =
            _mm256_set_m128(two_points(point, col + 4), two_points(point, col));
    const __m256 others =
            _mm256_set_m128(two_points(point, col + 6), two_points(point, col + 2));
    const __m256 off_x = _mm256_sub_ps(own_x, _mm256_shuffle_ps(some, others, 0x88));
    const __m256 off_y = _mm256_sub_ps(own_y, _mm256_shuffle_ps(some, others, 0xdd));
    const __m256 weight = _mm256_div_ps(value, one_more(off_x, off_y));
    sum->x = _mm256_add_ps(sum->x, _mm256_mul_ps(weight, off_x));
    sum->y = _mm256_add_ps(sum->y, _mm256_mul_ps(weight, off_y));
}

static void attract(const opn_off *row_ptr,
                    const int32_t *col,
                    const opn_real *value,
                    const opn_real *point,
                    int32_t first,
                    int32_t last,
                    opn_real *force)
{
    for (int32_t i = first; i < last; i++) {
        const __m256 own_x = _mm256_set1_ps(point[2 * (size_t)i]);
        const __m256 own_y = _mm256_set1_ps(point[2 * (size_t)i + 1]);
        pull sum = {_mm256_setzero_ps(), _mm256_setzero_ps()};
        opn_off e = row_ptr[i];
        for (; row_ptr[i + 1] - e >= LANES; e += LANES)
            add_pull(col + e, _mm256_loadu_ps(value + e), point, own_x, own_y, &sum);
        if (e < row_ptr[i + 1]) {
            int32_t last_col[LANES] = {i, i, i, i, i, i, i, i};
            opn_real last_value[LANES] = {0};
            for (int l = 0; e < row_ptr[i + 1]; l++, e++) {
                last_col[l] = col[e];
                last_value[l] = value[e];
            }
            add_pull(last_col, _mm256_loadu_ps(last_value), point, own_x, own_y, &sum);
        }
        force[2 * (size_t)i] = sum_of(sum.x);
        force[2 * (size_t)i + 1] = sum_of(sum.y);
    }
}

const opn_k_embedding_table opn_k_embedding_avx2 = {measure, repel, attract};

#endif
