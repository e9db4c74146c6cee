// embedding_kernels.h -- the embedding kernels, in terms of the vectors of an instruction
// set, which hold eight numbers: embedding.h. Included once by each set; see products.h
// and, for what else is asked for, avx2.h.

#ifndef OPN_SIMD_EMBEDDING_KERNELS_H
#define OPN_SIMD_EMBEDDING_KERNELS_H

// ---- distances -----------------------------------------------------------------------

// Two rows share the loads of a panel.
typedef struct distances {
    vec a[2], b[2];
} distances;

// Columns between checks whether any sum is still below its limit. Sums only grow, and
// most pairs of rows are far apart after only part of the columns.
enum { COLUMNS_A_LOOK = 16 };

INLINE uint32_t bits_below(const vec *square, opn_real limit)
{
    const vec most = v_set1(limit);
    return v_bits_below(square[0], most) | v_bits_below(square[1], most) << VEC;
}

INLINE void add_square(vec other, vec own, vec *sum)
{
    const vec off = v_sub(other, own);
    *sum = v_add(*sum, v_mul(off, off));
}

static uint32_t measure(int32_t n_cols,
                        const opn_real *panel,
                        const opn_real *a,
                        const opn_real *b,
                        opn_real limit_a,
                        opn_real limit_b,
                        opn_real *square)
{
    const vec zero = v_zero();
    distances d = {{zero, zero}, {zero, zero}};
    uint32_t below = 0;
    int32_t k = 0;
    do {
        const int32_t end = n_cols - k < COLUMNS_A_LOOK ? n_cols : k + COLUMNS_A_LOOK;
        for (; k < end; k++, panel += OPN_NEAR_PANEL) {
            const vec own_a = v_set1(a[k]);
            const vec own_b = v_set1(b[k]);
            const vec low = v_load(panel);
            const vec high = v_load(panel + VEC);
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
        v_store(square + v * VEC, d.a[v]);
        v_store(square + OPN_NEAR_PANEL + v * VEC, d.b[v]);
    }
    return below;
}

// ---- forces --------------------------------------------------------------------------

INLINE opn_real sum_of(vec lanes)
{
    opn_real lane[VEC];
    v_store(lane, lanes);
    return opn_k_sum_lanes(lane);
}

// 1 + |y_i - y_j|^2
INLINE vec one_more(vec off_x, vec off_y)
{
    const vec square = v_add(v_mul(off_x, off_x), v_mul(off_y, off_y));
    return v_add(v_set1(1.0f), square);
}

static void repel(const opn_k_crowd *crowd,
                  int32_t n_points,
                  const opn_real *x,
                  const opn_real *y,
                  opn_k_push *push)
{
    for (int32_t i = 0; i < n_points; i++) {
        const vec own_x = v_set1(x[i]);
        const vec own_y = v_set1(y[i]);
        vec force_x = v_zero();
        vec force_y = force_x;
        vec sum = force_x;
        for (int32_t at = 0; at < crowd->size; at += VEC) {
            const vec off_x = v_sub(own_x, v_load(crowd->x + at));
            const vec off_y = v_sub(own_y, v_load(crowd->y + at));
            const vec q = v_div(v_set1(1.0f), one_more(off_x, off_y));
            const vec all_q = v_mul(q, v_load(crowd->n + at));
            const vec weight = v_mul(all_q, q);
            sum = v_add(sum, all_q);
            force_x = v_add(force_x, v_mul(weight, off_x));
            force_y = v_add(force_y, v_mul(weight, off_y));
        }
        push[i].x += (double)sum_of(force_x);
        push[i].y += (double)sum_of(force_y);
        push[i].sum += (double)sum_of(sum);
    }
}

// The points of two entries, as x y x y, and of two others.
INLINE vec points_of(const opn_real *point, const int32_t *two, const int32_t *others)
{
    return v_load_pairs(point + 2 * (size_t)two[0], point + 2 * (size_t)two[1],
                        point + 2 * (size_t)others[0], point + 2 * (size_t)others[1]);
}

typedef struct pull {
    vec x, y;
} pull;

// Adds the pull of eight entries on the point at (own_x, own_y). The pairs are loaded in
// the order that the shuffles, which work on halves, turn into the right one.
INLINE void add_pull(const int32_t *col,
                     vec value,
                     const opn_real *point,
                     vec own_x,
                     vec own_y,
                     pull *sum)
{
    const vec some = points_of(point, col, col + 4);
    const vec others = points_of(point, col + 2, col + 6);
    const vec off_x = v_sub(own_x, v_evens(some, others));
    const vec off_y = v_sub(own_y, v_odds(some, others));
    const vec weight = v_div(value, one_more(off_x, off_y));
    sum->x = v_add(sum->x, v_mul(weight, off_x));
    sum->y = v_add(sum->y, v_mul(weight, off_y));
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
        const vec own_x = v_set1(point[2 * (size_t)i]);
        const vec own_y = v_set1(point[2 * (size_t)i + 1]);
        pull sum = {v_zero(), v_zero()};
        opn_off e = row_ptr[i];
        for (; row_ptr[i + 1] - e >= VEC; e += VEC)
            add_pull(col + e, v_load(value + e), point, own_x, own_y, &sum);
        if (e < row_ptr[i + 1]) {
            int32_t last_col[VEC] = {i, i, i, i, i, i, i, i};
            opn_real last_value[VEC] = {0};
            for (int l = 0; e < row_ptr[i + 1]; l++, e++) {
                last_col[l] = col[e];
                last_value[l] = value[e];
            }
            add_pull(last_col, v_load(last_value), point, own_x, own_y, &sum);
        }
        force[2 * (size_t)i] = sum_of(sum.x);
        force[2 * (size_t)i + 1] = sum_of(sum.y);
    }
}

#define EMBEDDING_KERNELS        \
    {                            \
        measure, repel, attract, \
    }

#endif // OPN_SIMD_EMBEDDING_KERNELS_H
