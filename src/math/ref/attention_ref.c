// attention_ref.c -- reference implementation of the attention kernels.

#include "math/kernels.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 };

// ---- vectors -------------------------------------------------------------------------

static bool is_kept(const uint64_t *bits, size_t vector, int lane)
{
    return bits == NULL ||
           (bits[vector / 8] >> (8 * (vector % 8) + (size_t)lane) & 1) != 0;
}

static bool is_entry_kept(const opn_k_attention *layer, size_t entry, int lane)
{
    if (layer->is_single && layer->keep_entries != NULL)
        return (layer->keep_entries[entry / 64] >> (entry % 64) & 1) != 0;
    return is_kept(layer->keep_entries, entry, lane);
}

// sum = x . y per head, for row i of x and one row y [n_vectors,8].
static void dot(const opn_k_attention *layer,
                const opn_k_wide *x,
                int32_t i,
                const opn_real *y,
                opn_real sum[LANES])
{
    opn_real total = 0;
    memset(sum, 0, LANES * sizeof(*sum));
    for (int32_t v = 0; v < layer->n_vectors; v++)
        for (int l = 0; l < LANES; l++)
            sum[l] += opn_k_vector(x, i, v)[l] * y[v * LANES + l];
    for (int l = 0; l < LANES; l++)
        total += sum[l];
    for (int l = 0; l < LANES && layer->is_single; l++)
        sum[l] = total;
}

// Copies row i of x to contiguous memory.
static void
copy_row(const opn_k_attention *layer, const opn_k_wide *x, int32_t i, opn_real *row)
{
    for (int32_t v = 0; v < layer->n_vectors; v++)
        memcpy(row + (size_t)v * LANES, opn_k_vector(x, i, v), LANES * sizeof(*row));
}

static opn_real leaky(opn_real score)
{
    return score > 0 ? score : OPN_ATTENTION_SLOPE * score;
}

static opn_real exponential(opn_real x)
{
    return (opn_real)exp((double)x);
}

static int32_t input_of(const opn_k_attention *layer, int32_t output)
{
    return layer->own == NULL ? output : layer->own[output];
}

// ---- forward -------------------------------------------------------------------------

static void score(const opn_k_attention *layer, int32_t first, int32_t last)
{
    for (int32_t j = first; j < last; j++) {
        opn_real *dst = layer->dst + (size_t)j * LANES;
        opn_real *src = layer->src + (size_t)j * LANES;
        dot(layer, &layer->g, j, layer->a_dst, dst);
        dot(layer, &layer->g, j, layer->a_src, src);
        for (int l = 0; l < LANES; l++) {
            dst[l] += layer->c_dst[layer->is_single ? 0 : l];
            src[l] += layer->c_src[layer->is_single ? 0 : l];
        }
        for (int32_t v = 0; v < layer->n_vectors && layer->dropped.at != layer->g.at; v++)
            for (int l = 0; l < LANES; l++)
                opn_k_vector(&layer->dropped, j, v)[l] =
                        is_kept(layer->keep_units,
                                (size_t)j * (size_t)layer->n_vectors + (size_t)v, l)
                                ? opn_k_vector(&layer->g, j, v)[l] * layer->unit_factor
                                : 0;
    }
}

// One lane of one output.
static void attend_lane(const opn_k_attention *layer, int32_t i, int l)
{
    const size_t at = (size_t)i * LANES + (size_t)l;
    const opn_real dst = layer->dst[(size_t)input_of(layer, i) * LANES + (size_t)l];
    opn_real top = -(opn_real)INFINITY;
    opn_real sum = 0;
    for (opn_off e = layer->begin[i]; e < layer->end[i]; e++) {
        const opn_real src = layer->src[(size_t)layer->col[e] * LANES + (size_t)l];
        top = leaky(dst + src) > top ? leaky(dst + src) : top;
    }
    for (int32_t v = 0; v < layer->n_vectors; v++)
        opn_k_vector(&layer->o, i, v)[l] = 0;
    for (opn_off e = layer->begin[i]; e < layer->end[i]; e++) {
        const int32_t j = layer->col[e];
        const opn_real src = layer->src[(size_t)j * LANES + (size_t)l];
        const opn_real w = exponential(leaky(dst + src) - top);
        sum += w;
        for (int32_t v = 0; v < layer->n_vectors && is_entry_kept(layer, (size_t)e, l);
             v++)
            opn_k_vector(&layer->o, i, v)[l] +=
                    w * opn_k_vector(&layer->dropped, j, v)[l];
    }
    layer->top[at] = top;
    layer->inverse[at] = 1 / sum;
    for (int32_t v = 0; v < layer->n_vectors; v++)
        opn_k_vector(&layer->o, i, v)[l] *= layer->inverse[at] * layer->entry_factor;
}

static void attend(const opn_k_attention *layer, int32_t first, int32_t last)
{
    for (int32_t i = first; i < last; i++)
        for (int l = 0; l < LANES; l++)
            attend_lane(layer, i, l);
}

static void activate(const opn_k_attention *layer, int32_t first, int32_t last)
{
    for (int32_t i = first; i < last; i++)
        for (int32_t v = 0; v < layer->n_vectors; v++)
            for (int l = 0; l < LANES; l++) {
                const size_t vector = (size_t)i * (size_t)layer->n_vectors + (size_t)v;
                const opn_real x =
                        opn_k_vector(&layer->o, i, v)[l] + layer->b[v * LANES + l];
                const opn_real elu = x > 0 ? x : exponential(x) - 1;
                opn_k_vector(&layer->hidden, i, v)[l] =
                        is_kept(layer->keep_hidden, vector, l)
                                ? elu * layer->hidden_factor
                                : 0;
            }
}

// ---- backward ------------------------------------------------------------------------

static void inactivate(const opn_k_attention *layer, int32_t first, int32_t last)
{
    const opn_real factor = layer->hidden_factor;
    for (int32_t i = first; i < last; i++)
        for (int32_t v = 0; v < layer->n_vectors; v++)
            for (int l = 0; l < LANES; l++) {
                const size_t vector = (size_t)i * (size_t)layer->n_vectors + (size_t)v;
                const opn_real hidden = opn_k_vector(&layer->hidden, i, v)[l];
                const opn_real slope = hidden > 0 ? factor : hidden + factor;
                opn_k_vector(&layer->d_o, i, v)[l] *=
                        is_kept(layer->keep_hidden, vector, l) ? slope : 0;
            }
}

static void
settle(const opn_k_attention *layer, int32_t first, int32_t last, opn_real *sums)
{
    opn_real row[OPN_MAX_VECTORS * LANES];
    memset(sums, 0, (size_t)layer->n_vectors * LANES * sizeof(*sums));
    for (int32_t i = first; i < last; i++) {
        copy_row(layer, &layer->d_o, i, row);
        dot(layer, &layer->o, i, row, layer->o_d_o + (size_t)i * LANES);
        for (int32_t v = 0; v < layer->n_vectors; v++)
            for (int l = 0; l < LANES; l++)
                sums[v * LANES + l] += row[v * LANES + l];
    }
}

// Adds the part of entry e, from output i to input j, to the gradients of j; g is
// drop(g_j).
static void look_back_entry(
        const opn_k_attention *layer, size_t e, int32_t i, int32_t j, const opn_real *g)
{
    opn_real d_w[LANES];
    dot(layer, &layer->d_o, i, g, d_w);
    for (int l = 0; l < LANES; l++) {
        const size_t at = (size_t)i * LANES + (size_t)l;
        const opn_real s = layer->dst[(size_t)input_of(layer, i) * LANES + (size_t)l] +
                           layer->src[(size_t)j * LANES + (size_t)l];
        const opn_real w = exponential(leaky(s) - layer->top[at]) * layer->inverse[at];
        const opn_real keep = is_entry_kept(layer, e, l) ? layer->entry_factor : 0;
        const opn_real d_score = w * (keep * d_w[l] - layer->o_d_o[at]) *
                                 (s > 0 ? 1 : OPN_ATTENTION_SLOPE);
        layer->d_score[e * LANES + (size_t)l] = d_score;
        layer->d_src[(size_t)j * LANES + (size_t)l] += d_score;
        for (int32_t v = 0; v < layer->n_vectors; v++)
            opn_k_vector(&layer->dropped, j, v)[l] +=
                    keep * w * opn_k_vector(&layer->d_o, i, v)[l];
    }
}

static void look_back(const opn_k_attention *layer, int32_t first, int32_t last)
{
    opn_real row[OPN_MAX_VECTORS * LANES];
    for (int32_t j = first; j < last; j++) {
        copy_row(layer, &layer->dropped, j, row);
        for (int32_t v = 0; v < layer->n_vectors; v++)
            memset(opn_k_vector(&layer->dropped, j, v), 0, LANES * sizeof(*row));
        memset(layer->d_src + (size_t)j * LANES, 0, LANES * sizeof(*layer->d_src));
        for (opn_off t = layer->transposed_begin[j]; t < layer->transposed_end[j]; t++)
            look_back_entry(layer, layer->transposed_entry[t], layer->transposed_col[t],
                            j, row);
    }
}

static void
unscore(const opn_k_attention *layer, int32_t first, int32_t last, opn_real *sums)
{
    const size_t n = (size_t)layer->n_vectors * LANES;
    memset(sums, 0, opn_k_attention_n_sums(layer) * LANES * sizeof(*sums));
    for (int32_t j = first; j < last; j++) {
        for (size_t l = 0; l < LANES; l++) {
            const opn_real d_dst = layer->d_dst[(size_t)j * LANES + l];
            const opn_real d_src = layer->d_src[(size_t)j * LANES + l];
            for (int32_t v = 0; v < layer->n_vectors; v++) {
                const size_t at = (size_t)v * LANES + l;
                const size_t vector = (size_t)j * (size_t)layer->n_vectors + (size_t)v;
                const opn_real g = opn_k_vector(&layer->g, j, v)[l];
                opn_real *d_g = &opn_k_vector(&layer->dropped, j, v)[l];
                *d_g = is_kept(layer->keep_units, vector, (int)l)
                               ? *d_g * layer->unit_factor
                               : 0;
                *d_g += layer->a_dst[at] * d_dst + layer->a_src[at] * d_src;
                *d_g *= layer->scale == NULL ? 1 : layer->scale[j];
                sums[at] += d_dst * g;
                sums[n + at] += d_src * g;
            }
            sums[2 * n + l] += d_dst;
            sums[2 * n + LANES + l] += d_src;
        }
    }
}

const opn_k_attention_table opn_k_attention_ref = {
        score, attend, activate, inactivate, settle, look_back, unscore,
};
