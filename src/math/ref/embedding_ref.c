// embedding_ref.c -- reference implementation of the embedding kernels.

#include "math/embedding.h"

#include <stddef.h>

enum { LANES = 8 };

static uint32_t measure(int32_t n_cols,
                        const opn_real *panel,
                        const opn_real *a,
                        const opn_real *b,
                        opn_real limit_a,
                        opn_real limit_b,
                        opn_real *square)
{
    uint32_t below = 0;
    for (int c = 0; c < 2 * OPN_NEAR_PANEL; c++)
        square[c] = 0;
    for (int32_t k = 0; k < n_cols; k++)
        for (int c = 0; c < OPN_NEAR_PANEL; c++) {
            const opn_real other = panel[(size_t)k * OPN_NEAR_PANEL + (size_t)c];
            const opn_real from_a = other - a[k];
            const opn_real from_b = other - b[k];
            square[c] += from_a * from_a;
            square[OPN_NEAR_PANEL + c] += from_b * from_b;
        }
    for (int c = 0; c < 2 * OPN_NEAR_PANEL; c++)
        below |= (uint32_t)(square[c] < (c < OPN_NEAR_PANEL ? limit_a : limit_b)) << c;
    return below;
}

static void repel(const opn_k_crowd *crowd,
                  int32_t n_points,
                  const opn_real *x,
                  const opn_real *y,
                  opn_k_push *push)
{
    for (int32_t i = 0; i < n_points; i++) {
        opn_real force_x[LANES] = {0};
        opn_real force_y[LANES] = {0};
        opn_real sum[LANES] = {0};
        for (int32_t at = 0; at < crowd->size; at += LANES)
            for (int l = 0; l < LANES; l++) {
                const opn_real off_x = x[i] - crowd->x[at + l];
                const opn_real off_y = y[i] - crowd->y[at + l];
                const opn_real q = 1 / (1 + (off_x * off_x + off_y * off_y));
                const opn_real all_q = q * crowd->n[at + l];
                const opn_real weight = all_q * q;
                sum[l] += all_q;
                force_x[l] += weight * off_x;
                force_y[l] += weight * off_y;
            }
        push[i].x += (double)opn_k_sum_lanes(force_x);
        push[i].y += (double)opn_k_sum_lanes(force_y);
        push[i].sum += (double)opn_k_sum_lanes(sum);
    }
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
        const opn_real *own = point + 2 * (size_t)i;
        opn_real force_x[LANES] = {0};
        opn_real force_y[LANES] = {0};
        for (opn_off e = row_ptr[i]; e < row_ptr[i + 1]; e++) {
            const opn_real *other = point + 2 * (size_t)col[e];
            const opn_real off_x = own[0] - other[0];
            const opn_real off_y = own[1] - other[1];
            const opn_real weight = value[e] / (1 + (off_x * off_x + off_y * off_y));
            force_x[(e - row_ptr[i]) % LANES] += weight * off_x;
            force_y[(e - row_ptr[i]) % LANES] += weight * off_y;
        }
        force[2 * (size_t)i] = opn_k_sum_lanes(force_x);
        force[2 * (size_t)i + 1] = opn_k_sum_lanes(force_y);
    }
}

const opn_k_embedding_table opn_k_embedding_ref = {measure, repel, attract};
