// products_avx2.c -- products of sparse, binary and dense matrices on slices.

#include "math/avx2/avx2.h"

#ifdef OPN_HAS_AVX2

#    include <string.h>

// Calls kernel(V, ...) with the number of vectors of a slice as a constant, so that the
// compiler unrolls and keeps the sums in registers.
enum { MAX_VECTORS = OPN_SLICE / 8 };
#    define FOR_WIDTH(width, kernel, ...) \
        do {                              \
            if ((width) == OPN_SLICE)     \
                kernel(2, __VA_ARGS__);   \
            else                          \
                kernel(1, __VA_ARGS__);   \
        } while (0)

// The same with the row stride, which is a constant if rows are contiguous.
#    define FOR_ROWS(width, stride, kernel, has_value, ...)          \
        do {                                                         \
            if ((width) == OPN_SLICE && (stride) == OPN_SLICE)       \
                kernel(2, has_value, OPN_SLICE, __VA_ARGS__);        \
            else if ((width) == OPN_SLICE)                           \
                kernel(2, has_value, (size_t)(stride), __VA_ARGS__); \
            else if ((stride) == OPN_LANES)                          \
                kernel(1, has_value, OPN_LANES, __VA_ARGS__);        \
            else                                                     \
                kernel(1, has_value, (size_t)(stride), __VA_ARGS__); \
        } while (0)

// ---- sparse --------------------------------------------------------------------------

// Prefetches the row of an entry well ahead, across the ends of rows, beyond which the
// processor would not look: A^ P on Physics takes 0.65 of the time.
enum { AHEAD = 64 };
INLINE void
ask_for(const opn_k_sparse *a, opn_off e, opn_off n_known, const float *x, size_t n_apart)
{
    const size_t row = (size_t)a->col[e < n_known ? e : n_known - 1];
    _mm_prefetch((const char *)(x + row * n_apart), _MM_HINT_T0);
}

// Sum of a row. Even and odd entries are summed separately, to break the dependency chain
// of additions. An odd entry is added before the pairs and masked if there is none: how
// many entries dropout leaves is unpredictable, so a branch on it costs more than the
// load (15 % of X W0 on Cora). Four chains gain nothing.
INLINE void sum_row(size_t n_vectors,
                    bool has_value,
                    const opn_k_sparse *a,
                    int32_t i,
                    const float *x,
                    size_t n_apart,  // row stride of x
                    opn_off n_known, // entries that may be read; 0: x is near
                    __m256 *sum)
{
    const opn_off last = a->end[i];
    opn_off e = a->begin[i];
    const int is_odd = (int)((last - e) & 1);
    const __m256 mask = _mm256_castsi256_ps(_mm256_set1_epi32(-is_odd));
    const float *head = x + (size_t)a->col[e] * n_apart;
    __m256 odd[MAX_VECTORS];
    for (size_t v = 0; v < n_vectors; v++) {
        const __m256 entry = _mm256_loadu_ps(head + 8 * v);
        const __m256 term =
                has_value ? _mm256_mul_ps(_mm256_set1_ps(a->value[e]), entry) : entry;
        sum[v] = _mm256_and_ps(mask, term);
        odd[v] = _mm256_setzero_ps();
    }
    for (e += is_odd; e < last; e += 2) {
        if (n_known > 0) {
            ask_for(a, e + AHEAD, n_known, x, n_apart);
            ask_for(a, e + AHEAD + 1, n_known, x, n_apart);
        }
        const float *one = x + (size_t)a->col[e] * n_apart;
        const float *two = x + (size_t)a->col[e + 1] * n_apart;
        for (size_t v = 0; v < n_vectors; v++) {
            const __m256 entry1 = _mm256_loadu_ps(one + 8 * v);
            const __m256 entry2 = _mm256_loadu_ps(two + 8 * v);
            if (has_value) {
                sum[v] = _mm256_fmadd_ps(_mm256_set1_ps(a->value[e]), entry1, sum[v]);
                odd[v] = _mm256_fmadd_ps(_mm256_set1_ps(a->value[e + 1]), entry2, odd[v]);
            } else {
                sum[v] = _mm256_add_ps(sum[v], entry1);
                odd[v] = _mm256_add_ps(odd[v], entry2);
            }
        }
    }
    for (size_t v = 0; v < n_vectors; v++)
        sum[v] = _mm256_add_ps(sum[v], odd[v]);
}

INLINE __m256 finished(const opn_k_finish *finish, size_t place, __m256 sum)
{
    if (finish->base != NULL)
        sum = _mm256_fmsub_ps(_mm256_set1_ps(finish->base_factor),
                              _mm256_loadu_ps(finish->base + place), sum);
    if (finish->rectifies) {
        // In this operand order NaN stays NaN and is detected.
        sum = _mm256_mul_ps(_mm256_max_ps(_mm256_setzero_ps(), sum),
                            _mm256_set1_ps(finish->factor));
        if (finish->bits != NULL) { // one byte for eight numbers
            const uint8_t *bytes = (const uint8_t *)finish->bits;
            sum = _mm256_and_ps(
                    sum,
                    opn_k_lanes_of(bytes[(uint64_t)finish->first_bit / 8 + place / 8]));
        }
    }
    return sum;
}

INLINE void spmm_rows(size_t n_vectors,
                      bool has_value,
                      size_t n_apart,
                      bool is_far,
                      const opn_k_sparse *a,
                      int32_t first,
                      int32_t last,
                      opn_k_in x,
                      opn_k_out y,
                      const opn_k_finish *finish)
{
    const opn_off n_known = is_far && last > first ? a->end[last - 1] : 0;
    const bool is_finished = finish != NULL;
    opn_k_finish how = {0}; // a local copy, which stores cannot alias
    if (is_finished)
        how = *finish;
    for (int32_t i = first; i < last; i++) {
        const size_t at = (size_t)i * (size_t)y.stride;
        __m256 sum[MAX_VECTORS];
        sum_row(n_vectors, has_value, a, i, x.at, n_apart, n_known, sum);
        for (size_t v = 0; v < n_vectors; v++) {
            if (a->scale != NULL)
                sum[v] = _mm256_mul_ps(_mm256_set1_ps(a->scale[i]), sum[v]);
            if (is_finished)
                sum[v] = finished(&how, at + 8 * v, sum[v]);
            _mm256_storeu_ps(y.at + at + 8 * v, sum[v]);
        }
    }
}

// Contiguous rows, as in panels, are addressed by a shift instead of a multiplication,
// which saves an eighth of the time.
void opn_k_avx2_spmm(const opn_k_sparse *a,
                     int32_t first,
                     int32_t last,
                     int32_t width,
                     opn_k_in x,
                     opn_k_out y,
                     const opn_k_finish *finish)
{
    if (a->value == NULL && x.is_far)
        FOR_ROWS(width, x.stride, spmm_rows, false, true, a, first, last, x, y, finish);
    else if (a->value == NULL)
        FOR_ROWS(width, x.stride, spmm_rows, false, false, a, first, last, x, y, finish);
    else if (x.is_far)
        FOR_ROWS(width, x.stride, spmm_rows, true, true, a, first, last, x, y, finish);
    else
        FOR_ROWS(width, x.stride, spmm_rows, true, false, a, first, last, x, y, finish);
}

INLINE void scatter_rows(size_t n_vectors,
                         bool has_value,
                         size_t n_apart,
                         const opn_k_sparse *a,
                         int32_t first,
                         int32_t last,
                         opn_k_in x,
                         opn_k_out y)
{
    for (int32_t i = first; i < last; i++) {
        const float *from = x.at + (size_t)i * (size_t)x.stride;
        __m256 row[MAX_VECTORS];
        for (size_t v = 0; v < n_vectors; v++) {
            row[v] = _mm256_loadu_ps(from + 8 * v);
            if (a->scale != NULL)
                row[v] = _mm256_mul_ps(_mm256_set1_ps(a->scale[i]), row[v]);
        }
        for (opn_off e = a->begin[i]; e < a->end[i]; e++) {
            float *to = y.at + (size_t)a->col[e] * n_apart;
            for (size_t v = 0; v < n_vectors; v++) {
                const __m256 sum = _mm256_loadu_ps(to + 8 * v);
                _mm256_storeu_ps(to + 8 * v,
                                 has_value ? _mm256_fmadd_ps(_mm256_set1_ps(a->value[e]),
                                                             row[v], sum)
                                           : _mm256_add_ps(sum, row[v]));
            }
        }
    }
}

void opn_k_avx2_scatter(const opn_k_sparse *a,
                        int32_t first,
                        int32_t last,
                        int32_t width,
                        opn_k_in x,
                        opn_k_out y)
{
    if (a->value == NULL)
        FOR_ROWS(width, y.stride, scatter_rows, false, a, first, last, x, y);
    else
        FOR_ROWS(width, y.stride, scatter_rows, true, a, first, last, x, y);
}

// ---- binary --------------------------------------------------------------------------

// Sums of all subsets of five rows of x, for each five of 64 rows: 26 KB for the widest
// slice, which fits in the L1 cache. With four rows the tables take 16 KB but there is
// more to add up: 1.2 times as slow.
enum { BITS = 5, FIVES = 13, SUBSETS = 1 << BITS };

INLINE void add_up_subsets(size_t n_vectors, int32_t n_bits, const float *x, float *table)
{
    for (int32_t f = 0; f < FIVES; f++) {
        float *subset = table + (size_t)f * SUBSETS * 8 * n_vectors;
        for (size_t v = 0; v < n_vectors; v++)
            _mm256_store_ps(subset + 8 * v, _mm256_setzero_ps());
        for (int32_t b = 0; b < BITS; b++) {
            const bool is_there = BITS * f + b < n_bits;
            for (size_t v = 0; v < n_vectors; v++) {
                const __m256 row =
                        is_there ? _mm256_loadu_ps(
                                           x + (size_t)(BITS * f + b) * 8 * n_vectors +
                                           8 * v)
                                 : _mm256_setzero_ps();
                for (size_t s = 0; s < (size_t)1 << b; s++)
                    _mm256_store_ps(subset + ((s + ((size_t)1 << b)) * n_vectors + v) * 8,
                                    _mm256_add_ps(_mm256_load_ps(subset +
                                                                 (s * n_vectors + v) * 8),
                                                  row));
            }
        }
    }
}

// A row is the sum of 13 table entries, however many of its bits are set, with no
// unpredictable branch: on Photo, where a third of the bits are set, 1.7 times as fast as
// summing over a list of them.
INLINE void lookup_rows(size_t n_vectors,
                        int32_t n_rows,
                        const uint64_t *map,
                        int32_t n_bits,
                        const float *x,
                        bool adds,
                        float *y)
{
    float table[FIVES * SUBSETS * OPN_SLICE] __attribute__((aligned(64)));
    const size_t a_five = (size_t)SUBSETS * 8 * n_vectors;
    add_up_subsets(n_vectors, n_bits, x, table);
    for (int32_t i = 0; i < n_rows; i++) {
        float *row = y + (size_t)i * 8 * n_vectors;
        uint64_t bits = map[i];
        __m256 even[MAX_VECTORS];
        __m256 odd[MAX_VECTORS];
        for (size_t v = 0; v < n_vectors; v++) {
            even[v] = adds ? _mm256_loadu_ps(row + 8 * v) : _mm256_setzero_ps();
            odd[v] = _mm256_setzero_ps();
        }
        for (size_t f = 0; f + 1 < FIVES; f += 2, bits >>= 2 * BITS) {
            const float *one =
                    table + f * a_five + (bits & (SUBSETS - 1)) * 8 * n_vectors;
            const float *two = table + (f + 1) * a_five +
                               (bits >> BITS & (SUBSETS - 1)) * 8 * n_vectors;
            for (size_t v = 0; v < n_vectors; v++) {
                even[v] = _mm256_add_ps(even[v], _mm256_load_ps(one + 8 * v));
                odd[v] = _mm256_add_ps(odd[v], _mm256_load_ps(two + 8 * v));
            }
        }
        const float *last =
                table + (FIVES - 1) * a_five + (bits & (SUBSETS - 1)) * 8 * n_vectors;
        for (size_t v = 0; v < n_vectors; v++)
            even[v] = _mm256_add_ps(even[v], _mm256_load_ps(last + 8 * v));
        for (size_t v = 0; v < n_vectors; v++)
            _mm256_storeu_ps(row + 8 * v, _mm256_add_ps(even[v], odd[v]));
    }
}

void opn_k_avx2_lookup(int32_t n_rows,
                       const uint64_t *map,
                       int32_t n_bits,
                       int32_t width,
                       const float *x,
                       bool adds,
                       float *y)
{
    FOR_WIDTH(width, lookup_rows, n_rows, map, n_bits, x, adds, y);
}

// ---- dense ---------------------------------------------------------------------------

// Four rows at a time, so that four sums are in flight.
INLINE void matmul_rows(size_t n_vectors,
                        int32_t first,
                        int32_t last,
                        int32_t n_inner,
                        opn_k_in x,
                        opn_k_in w,
                        bool adds,
                        opn_k_out y,
                        const float *active,
                        float factor)
{
    enum { ROWS = 4 };
    for (int32_t i = first; i < last; i += ROWS) {
        __m256 sum[ROWS][MAX_VECTORS];
        const float *row[ROWS];
        size_t at[ROWS];
        for (int r = 0; r < ROWS; r++) { // rows past the end repeat the last
            const size_t it = (size_t)(i + r < last ? i + r : last - 1);
            row[r] = x.at + it * (size_t)x.stride;
            at[r] = it * (size_t)y.stride;
            for (size_t v = 0; v < n_vectors; v++)
                sum[r][v] = adds ? _mm256_loadu_ps(y.at + at[r] + 8 * v)
                                 : _mm256_setzero_ps();
        }
        for (int32_t h = 0; h < n_inner; h++) {
            const float *w_row = w.at + (size_t)h * (size_t)w.stride;
            for (size_t v = 0; v < n_vectors; v++) {
                const __m256 weight = _mm256_loadu_ps(w_row + 8 * v);
                for (int r = 0; r < ROWS; r++)
                    sum[r][v] =
                            _mm256_fmadd_ps(_mm256_set1_ps(row[r][h]), weight, sum[r][v]);
            }
        }
        for (int r = 0; r < ROWS && i + r < last; r++) {
            for (size_t v = 0; v < n_vectors; v++) {
                __m256 result = sum[r][v];
                if (active != NULL)
                    result = _mm256_and_ps(
                            _mm256_cmp_ps(_mm256_loadu_ps(active + at[r] + 8 * v),
                                          _mm256_setzero_ps(), _CMP_GT_OQ),
                            _mm256_mul_ps(result, _mm256_set1_ps(factor)));
                _mm256_storeu_ps(y.at + at[r] + 8 * v, result);
            }
        }
    }
}

void opn_k_avx2_matmul(int32_t first,
                       int32_t last,
                       int32_t n_inner,
                       int32_t width,
                       opn_k_in x,
                       opn_k_in w,
                       bool adds,
                       opn_k_out y,
                       const float *active,
                       float factor)
{
    FOR_WIDTH(width, matmul_rows, first, last, n_inner, x, w, adds, y, active, factor);
}

// Eight rows of the result at a time stay in registers during the loop over rows i;
// slices of x are padded to that many.
void opn_k_avx2_matmul_tn(int32_t first,
                          int32_t last,
                          int32_t n_outer,
                          int32_t width,
                          opn_k_in x,
                          opn_k_in g,
                          opn_k_out sum)
{
    enum { ROWS = 8 };
    for (int32_t h = 0; h < n_outer; h += ROWS) {
        for (int32_t from = 0; from < width; from += 8) {
            __m256 part[ROWS];
            const int n_rows = n_outer - h < ROWS ? n_outer - h : ROWS;
            for (int r = 0; r < ROWS; r++)
                part[r] = _mm256_setzero_ps();
            for (int32_t i = first; i < last; i++) {
                const __m256 slope =
                        _mm256_loadu_ps(g.at + (size_t)i * (size_t)g.stride + from);
                const float *row = x.at + (size_t)i * (size_t)x.stride + h;
                for (int r = 0; r < ROWS; r++)
                    part[r] = _mm256_fmadd_ps(_mm256_set1_ps(row[r]), slope, part[r]);
            }
            for (int r = 0; r < n_rows; r++)
                _mm256_storeu_ps(sum.at + (size_t)(h + r) * (size_t)sum.stride + from,
                                 part[r]);
        }
    }
}

#endif
