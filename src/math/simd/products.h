// products.h -- products of sparse, binary and dense matrices on slices, in terms of the
// vectors of an instruction set. Included once by each set, after its header, which says
// what a vector is and can do: see avx2.h.

#ifndef OPN_SIMD_PRODUCTS_H
#define OPN_SIMD_PRODUCTS_H

// Calls kernel(V, ...) with the number of vectors of a slice as a constant, so that the
// compiler unrolls and keeps the sums in registers.
#define FOR_WIDTH(width, kernel, ...)                \
    do {                                             \
        if ((width) == 8 * VEC && MOST_VECTORS >= 8) \
            kernel(8, __VA_ARGS__);                  \
        else if ((width) == 4 * VEC)                 \
            kernel(4, __VA_ARGS__);                  \
        else if ((width) == 2 * VEC)                 \
            kernel(2, __VA_ARGS__);                  \
        else                                         \
            kernel(1, __VA_ARGS__);                  \
    } while (0)

// The same with the row stride, which is a constant if rows are contiguous: they are then
// addressed by a shift instead of a multiplication, which saves an eighth of the time.
#define WITH_STRIDE(n_vectors, kernel, has_value, stride, ...)                  \
    do {                                                                        \
        if ((stride) == (n_vectors)*VEC)                                        \
            kernel(n_vectors, has_value, (size_t)(n_vectors)*VEC, __VA_ARGS__); \
        else                                                                    \
            kernel(n_vectors, has_value, (size_t)(stride), __VA_ARGS__);        \
    } while (0)

enum { LINE = 16 }; // floats in a cache line

// ---- sparse --------------------------------------------------------------------------

// Prefetches the row of an entry well ahead, across the ends of rows, beyond which the
// processor would not look: A^ P on Physics takes 0.65 of the time.
INLINE void ask_for(size_t n_vectors,
                    const opn_k_sparse *a,
                    opn_off e,
                    opn_off n_known,
                    const float *x,
                    size_t n_apart)
{
    const opn_off ahead = e + (opn_off)(1024 / (n_vectors * VEC));
    const size_t row = (size_t)a->col[ahead < n_known ? ahead : n_known - 1];
    for (size_t k = 0; k < n_vectors * VEC; k += LINE)
        __builtin_prefetch(x + row * n_apart + k);
}

INLINE void add_entry(size_t n_vectors,
                      bool has_value,
                      const opn_k_sparse *a,
                      opn_off e,
                      const float *x,
                      size_t n_apart,
                      vec *sum)
{
    const float *row = x + (size_t)a->col[e] * n_apart;
    for (size_t v = 0; v < n_vectors; v++) {
        const vec entry = v_load(row + VEC * v);
        sum[v] = has_value ? v_fma(v_set1(a->value[e]), entry, sum[v])
                           : v_add(sum[v], entry);
    }
}

// Sum of a row. Where registers allow, even and odd entries are summed separately, to
// break the dependency chain of additions. An odd entry is added before the pairs and
// masked if there is none: how many entries dropout leaves is unpredictable, so a branch
// on it costs more than the load (15 % of X W0 on Cora). Four chains gain nothing.
INLINE void sum_row(size_t n_vectors,
                    bool has_value,
                    const opn_k_sparse *a,
                    int32_t i,
                    const float *x,
                    size_t n_apart,  // row stride of x
                    opn_off n_known, // entries that may be read; 0: x is near
                    vec *sum)
{
    const opn_off last = a->end[i];
    opn_off e = a->begin[i];
    const int is_odd = (int)((last - e) & 1);
    vec odd[MOST_VECTORS];
    for (size_t v = 0; v < n_vectors; v++)
        sum[v] = odd[v] = v_zero();
    if (n_vectors > 4) { // as many chains as vectors
        for (; e < last; e++) {
            if (n_known > 0)
                ask_for(n_vectors, a, e, n_known, x, n_apart);
            add_entry(n_vectors, has_value, a, e, x, n_apart, sum);
        }
        return;
    }
    add_entry(n_vectors, has_value, a, e, x, n_apart, sum);
    for (size_t v = 0; v < n_vectors; v++)
        sum[v] = v_mask(is_odd, sum[v]);
    for (e += is_odd; e < last; e += 2) {
        if (n_known > 0) {
            ask_for(n_vectors, a, e, n_known, x, n_apart);
            ask_for(n_vectors, a, e + 1, n_known, x, n_apart);
        }
        add_entry(n_vectors, has_value, a, e, x, n_apart, sum);
        add_entry(n_vectors, has_value, a, e + 1, x, n_apart, odd);
    }
    for (size_t v = 0; v < n_vectors; v++)
        sum[v] = v_add(sum[v], odd[v]);
}

INLINE vec finished(const opn_k_finish *finish, size_t place, vec sum)
{
    if (finish->base != NULL)
        sum = v_fms(v_set1(finish->base_factor), v_load(finish->base + place), sum);
    if (finish->rectifies) {
        sum = v_mul(v_ramp(sum), v_set1(finish->factor));
        if (finish->bits != NULL)
            sum = v_kept((const uint8_t *)finish->bits,
                         (uint64_t)finish->first_bit + place, sum);
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
        vec sum[MOST_VECTORS];
        sum_row(n_vectors, has_value, a, i, x.at, n_apart, n_known, sum);
        for (size_t v = 0; v < n_vectors; v++) {
            if (a->scale != NULL)
                sum[v] = v_mul(v_set1(a->scale[i]), sum[v]);
            if (is_finished)
                sum[v] = finished(&how, at + VEC * v, sum[v]);
            v_store(y.at + at + VEC * v, sum[v]);
        }
    }
}

#define SPMM(n_vectors, has_value, is_far, ...) \
    WITH_STRIDE(n_vectors, spmm_rows, has_value, x.stride, is_far, __VA_ARGS__)

void KERNEL(spmm)(const opn_k_sparse *a,
                  int32_t first,
                  int32_t last,
                  int32_t width,
                  opn_k_in x,
                  opn_k_out y,
                  const opn_k_finish *finish)
{
    if (width < VEC)
        NARROW(spmm)(a, first, last, width, x, y, finish);
    else if (a->value == NULL && x.is_far)
        FOR_WIDTH(width, SPMM, false, true, a, first, last, x, y, finish);
    else if (a->value == NULL)
        FOR_WIDTH(width, SPMM, false, false, a, first, last, x, y, finish);
    else if (x.is_far)
        FOR_WIDTH(width, SPMM, true, true, a, first, last, x, y, finish);
    else
        FOR_WIDTH(width, SPMM, true, false, a, first, last, x, y, finish);
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
        vec row[MOST_VECTORS];
        for (size_t v = 0; v < n_vectors; v++) {
            row[v] = v_load(from + VEC * v);
            if (a->scale != NULL)
                row[v] = v_mul(v_set1(a->scale[i]), row[v]);
        }
        for (opn_off e = a->begin[i]; e < a->end[i]; e++) {
            float *to = y.at + (size_t)a->col[e] * n_apart;
            for (size_t v = 0; v < n_vectors; v++) {
                const vec sum = v_load(to + VEC * v);
                v_store(to + VEC * v, has_value ? v_fma(v_set1(a->value[e]), row[v], sum)
                                                : v_add(sum, row[v]));
            }
        }
    }
}

#define SCATTER(n_vectors, has_value, ...) \
    WITH_STRIDE(n_vectors, scatter_rows, has_value, y.stride, __VA_ARGS__)

void KERNEL(scatter)(const opn_k_sparse *a,
                     int32_t first,
                     int32_t last,
                     int32_t width,
                     opn_k_in x,
                     opn_k_out y)
{
    if (width < VEC)
        NARROW(scatter)(a, first, last, width, x, y);
    else if (a->value == NULL)
        FOR_WIDTH(width, SCATTER, false, a, first, last, x, y);
    else
        FOR_WIDTH(width, SCATTER, true, a, first, last, x, y);
}

// ---- binary --------------------------------------------------------------------------

// Sums of all subsets of five rows of x, for each five of 64 rows: 26 KB for the widest
// slice, which fits in the L1 cache. With four rows the tables take 16 KB but there is
// more to add up: 1.2 times as slow.
enum { BITS = 5, FIVES = 13, SUBSETS = 1 << BITS, LOOKUP_VECTORS = OPN_LOOKUP / VEC };

INLINE void add_up_subsets(size_t n_vectors, int32_t n_bits, opn_k_in x, float *table)
{
    const size_t width = VEC * n_vectors;
    for (int32_t f = 0; f < FIVES; f++) {
        float *subset = table + (size_t)f * SUBSETS * width;
        for (size_t v = 0; v < n_vectors; v++)
            v_store(subset + VEC * v, v_zero());
        for (int32_t b = 0; b < BITS; b++) {
            const int32_t bit = BITS * f + b;
            const float *from = x.at + (size_t)bit * (size_t)x.stride;
            for (size_t v = 0; v < n_vectors; v++) {
                const vec row = bit < n_bits ? v_load(from + VEC * v) : v_zero();
                float *with = subset + ((size_t)1 << b) * width + VEC * v;
                for (size_t s = 0; s < (size_t)1 << b; s++)
                    v_store(with + s * width,
                            v_add(v_load(subset + s * width + VEC * v), row));
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
                        opn_k_in x,
                        bool adds,
                        opn_k_out y)
{
    float table[FIVES * SUBSETS * OPN_LOOKUP] __attribute__((aligned(64)));
    const size_t width = VEC * n_vectors;
    const size_t a_five = SUBSETS * width;
    add_up_subsets(n_vectors, n_bits, x, table);
    for (int32_t i = 0; i < n_rows; i++) {
        float *row = y.at + (size_t)i * (size_t)y.stride;
        uint64_t bits = map[i];
        vec even[LOOKUP_VECTORS];
        vec odd[LOOKUP_VECTORS];
        for (size_t v = 0; v < n_vectors; v++) {
            even[v] = adds ? v_load(row + VEC * v) : v_zero();
            odd[v] = v_zero();
        }
        for (size_t f = 0; f + 1 < FIVES; f += 2, bits >>= 2 * BITS) {
            const float *one = table + f * a_five + (bits & (SUBSETS - 1)) * width;
            const float *two =
                    table + (f + 1) * a_five + (bits >> BITS & (SUBSETS - 1)) * width;
            for (size_t v = 0; v < n_vectors; v++) {
                even[v] = v_add(even[v], v_load(one + VEC * v));
                odd[v] = v_add(odd[v], v_load(two + VEC * v));
            }
        }
        const float *last = table + (FIVES - 1) * a_five + (bits & (SUBSETS - 1)) * width;
        for (size_t v = 0; v < n_vectors; v++) {
            even[v] = v_add(even[v], v_load(last + VEC * v));
            v_store(row + VEC * v, v_add(even[v], odd[v]));
        }
    }
}

void KERNEL(lookup)(int32_t n_rows,
                    const uint64_t *map,
                    int32_t n_bits,
                    int32_t width,
                    opn_k_in x,
                    bool adds,
                    opn_k_out y)
{
    if (width < VEC)
        NARROW(lookup)(n_rows, map, n_bits, width, x, adds, y);
    else if (width == OPN_LOOKUP)
        lookup_rows(LOOKUP_VECTORS, n_rows, map, n_bits, x, adds, y);
    else
        lookup_rows(1, n_rows, map, n_bits, x, adds, y);
}

// ---- dense ---------------------------------------------------------------------------

// Several rows at a time, so that eight sums or more are in flight.
INLINE void matmul_rows(size_t n_vectors,
                        int32_t first,
                        int32_t last,
                        int32_t n_inner,
                        opn_k_in x,
                        opn_k_in w,
                        opn_k_out y,
                        const float *active,
                        float factor)
{
    enum { MOST_ROWS = 8 };
    const size_t n_sums = VEC == 16 ? 16 : 8; // as many as there are registers for
    const size_t n_fit = n_sums / n_vectors;
    const int n_rows = n_fit > MOST_ROWS ? MOST_ROWS : (int)n_fit;
    for (int32_t i = first; i < last; i += n_rows) {
        vec sum[MOST_ROWS][MOST_VECTORS];
        const float *row[MOST_ROWS];
        for (int r = 0; r < n_rows; r++) { // rows past the end repeat the last
            const size_t it = (size_t)(i + r < last ? i + r : last - 1);
            row[r] = x.at + it * (size_t)x.stride;
            for (size_t v = 0; v < n_vectors; v++)
                sum[r][v] = v_zero();
        }
        for (int32_t h = 0; h < n_inner; h++) {
            const float *w_row = w.at + (size_t)h * (size_t)w.stride;
            for (size_t v = 0; v < n_vectors; v++) {
                const vec weight = v_load(w_row + VEC * v);
                for (int r = 0; r < n_rows; r++)
                    sum[r][v] = v_fma(v_set1(row[r][h]), weight, sum[r][v]);
            }
        }
        for (int r = 0; r < n_rows && i + r < last; r++) {
            const size_t at = (size_t)(i + r) * (size_t)y.stride;
            for (size_t v = 0; v < n_vectors; v++) {
                vec result = sum[r][v];
                if (active != NULL)
                    result = v_where(v_load(active + at + VEC * v),
                                     v_mul(result, v_set1(factor)));
                v_store(y.at + at + VEC * v, result);
            }
        }
    }
}

void KERNEL(matmul)(int32_t first,
                    int32_t last,
                    int32_t n_inner,
                    int32_t width,
                    opn_k_in x,
                    opn_k_in w,
                    opn_k_out y,
                    const float *active,
                    float factor)
{
    if (width < VEC)
        NARROW(matmul)(first, last, n_inner, width, x, w, y, active, factor);
    else
        FOR_WIDTH(width, matmul_rows, first, last, n_inner, x, w, y, active, factor);
}

// Eight rows of the result at a time stay in registers during a loop over rows i, few
// enough of them that the next eight find the rows in the L1 cache.
INLINE void matmul_tn_rows(int32_t first,
                           int32_t last,
                           int32_t n_outer,
                           int32_t at,
                           opn_k_in x,
                           opn_k_in g,
                           bool adds,
                           opn_k_out sum)
{
    enum { OUTER = 8 };
    for (int32_t h = 0; h < n_outer; h += OUTER) {
        const int n_here = n_outer - h < OUTER ? n_outer - h : OUTER;
        float *to = sum.at + (size_t)h * (size_t)sum.stride + at;
        vec part[OUTER];
        for (int r = 0; r < OUTER; r++)
            part[r] = adds && r < n_here ? v_load(to + (size_t)r * (size_t)sum.stride)
                                         : v_zero();
        for (int32_t i = first; i < last; i++) {
            const vec slope = v_load(g.at + (size_t)i * (size_t)g.stride + at);
            const float *row = x.at + (size_t)i * (size_t)x.stride + h;
            for (int r = 0; r < OUTER; r++)
                part[r] = v_fma(v_set1(row[r]), slope, part[r]);
        }
        for (int r = 0; r < n_here; r++)
            v_store(to + (size_t)r * (size_t)sum.stride, part[r]);
    }
}

void KERNEL(matmul_tn)(int32_t first,
                       int32_t last,
                       int32_t n_outer,
                       int32_t width,
                       opn_k_in x,
                       opn_k_in g,
                       bool adds,
                       opn_k_out sum)
{
    enum { ROWS_AT_ONCE = 64 };
    int32_t i = first;
    if (width < VEC) {
        NARROW(matmul_tn)(first, last, n_outer, width, x, g, adds, sum);
        return;
    }
    do {
        const int32_t end = last - i < ROWS_AT_ONCE ? last : i + ROWS_AT_ONCE;
        for (int32_t at = 0; at < width; at += VEC)
            matmul_tn_rows(i, end, n_outer, at, x, g, adds || i > first, sum);
        i = end;
    } while (i < last);
}

void KERNEL(mask)(size_t n,
                  const float *from,
                  const uint64_t *bits,
                  int64_t first_bit,
                  float factor,
                  float *to)
{
    const uint8_t *bytes = (const uint8_t *)bits;
    size_t j = 0;
    for (; j + VEC <= n; j += VEC) {
        const vec x = v_mul(v_set1(factor), v_load(from + j));
        v_store(to + j, bits == NULL ? x : v_kept(bytes, (uint64_t)first_bit + j, x));
    }
    if (j < n)
        NARROW(mask)(n - j, from + j, bits, first_bit + (int64_t)j, factor, to + j);
}

#endif // OPN_SIMD_PRODUCTS_H
