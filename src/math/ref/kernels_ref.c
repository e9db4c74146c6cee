// kernels_ref.c -- reference implementation of the kernels.

#include "base/random.h"
#include "math/kernels.h"
#include "math/special.h"

#include <math.h>

static void philox(uint64_t seed,
                   uint32_t stream,
                   uint32_t step,
                   uint64_t first,
                   size_t n_blocks,
                   uint32_t *out)
{
    for (size_t b = 0; b < n_blocks; b++) {
        const opn_i_random4 drawn =
                opn_i_random(seed, (opn_i_stream)stream, step, first + b);
        for (int w = 0; w < 4; w++)
            out[4 * b + (size_t)w] = drawn.word[w];
    }
}

static void
keep(size_t n_words, uint32_t threshold, const uint8_t *random, uint64_t *bits)
{
    for (size_t w = 0; w < n_words; w++) {
        uint64_t word = 0;
        for (int b = 0; b < 64; b++)
            word |= (uint64_t)(random[64 * w + (size_t)b] >= threshold) << b;
        bits[w] = word;
    }
}

static void compact(size_t first,
                    size_t last,
                    const uint64_t *bits,
                    const int32_t *col,
                    const opn_real *value,
                    opn_off at,
                    int32_t *to_col,
                    opn_real *to_value)
{
    for (size_t w = first; w < last; w++) {
        for (size_t b = 0; b < 64; b++) {
            if ((bits[w] >> b & 1) == 0)
                continue;
            to_col[at] = col[64 * w + b];
            if (value != NULL)
                to_value[at] = value[64 * w + b];
            at++;
        }
    }
}

static void count(size_t n_words,
                  const uint64_t *bits,
                  opn_off *rank,
                  int32_t n_ptr,
                  const opn_off *ptr,
                  opn_off *to_ptr)
{
    rank[0] = 0;
    for (size_t w = 0; w < n_words; w++)
        rank[w + 1] = rank[w] + __builtin_popcountll(bits[w]);
    for (int32_t i = 0; i < n_ptr; i++) {
        const uint64_t before = (UINT64_C(1) << (ptr[i] % 64)) - 1;
        to_ptr[i] = rank[ptr[i] / 64] + __builtin_popcountll(bits[ptr[i] / 64] & before);
    }
}

static void spread(int32_t first,
                   int32_t last,
                   int32_t n_rows,
                   int32_t n_words,
                   const opn_off *row_ptr,
                   const uint64_t *bits,
                   const uint64_t *map,
                   uint64_t *kept)
{
    for (int32_t i = first; i < last; i++) {
        opn_off e = row_ptr[i];
        for (int32_t w = 0; w < n_words; w++) {
            const size_t at = (size_t)w * (size_t)n_rows + (size_t)i;
            uint64_t word = 0;
            for (int b = 0; b < 64; b++) {
                if ((map[at] >> b & 1) == 0)
                    continue;
                word |= (bits[e / 64] >> (e % 64) & 1) << b;
                e++;
            }
            kept[at] = word;
        }
    }
}

static void transpose(const uint64_t *from, uint64_t *to)
{
    for (int r = 0; r < 64; r++) {
        to[r] = 0;
        for (int c = 0; c < 64; c++)
            to[r] |= (from[c] >> r & 1) << c;
    }
}

// Value stored for the sum of the element at `place`.
static opn_real finished(const opn_k_finish *finish, size_t place, opn_real sum)
{
    if (finish->base != NULL)
        sum = finish->base_factor * finish->base[place] - sum;
    if (finish->rectifies) {
        const int64_t bit = finish->first_bit + (int64_t)place;
        const bool is_kept =
                finish->bits == NULL || (finish->bits[bit / 64] >> (bit % 64) & 1) != 0;
        sum = is_kept && !(sum <= 0) ? sum * finish->factor : 0; // NaN stays NaN
    }
    return sum;
}

static void spmm(const opn_k_sparse *a,
                 int32_t first,
                 int32_t last,
                 int32_t width,
                 opn_k_in x,
                 opn_k_out y,
                 const opn_k_finish *finish)
{
    for (int32_t i = first; i < last; i++) {
        const size_t at = (size_t)i * (size_t)y.stride;
        const opn_real scale = a->scale == NULL ? 1 : a->scale[i];
        opn_real sum[OPN_SLICE] = {0};
        for (opn_off e = a->begin[i]; e < a->end[i]; e++) {
            const opn_real *from = x.at + (size_t)a->col[e] * (size_t)x.stride;
            const opn_real value = a->value == NULL ? 1 : a->value[e];
            for (int32_t k = 0; k < width; k++)
                sum[k] += value * from[k];
        }
        for (int32_t k = 0; k < width; k++) {
            const size_t place = at + (size_t)k;
            y.at[place] = finish == NULL ? scale * sum[k]
                                         : finished(finish, place, scale * sum[k]);
        }
    }
}

static void scatter(const opn_k_sparse *a,
                    int32_t first,
                    int32_t last,
                    int32_t width,
                    opn_k_in x,
                    opn_k_out y)
{
    for (int32_t i = first; i < last; i++) {
        const opn_real *from = x.at + (size_t)i * (size_t)x.stride;
        const opn_real scale = a->scale == NULL ? 1 : a->scale[i];
        for (opn_off e = a->begin[i]; e < a->end[i]; e++) {
            opn_real *to = y.at + (size_t)a->col[e] * (size_t)y.stride;
            const opn_real value = a->value == NULL ? 1 : a->value[e];
            for (int32_t k = 0; k < width; k++)
                to[k] += value * (scale * from[k]);
        }
    }
}

static void lookup(int32_t n_rows,
                   const uint64_t *map,
                   int32_t n_bits,
                   int32_t width,
                   opn_k_in x,
                   bool adds,
                   opn_k_out y)
{
    for (int32_t i = 0; i < n_rows; i++) {
        opn_real *row = y.at + (size_t)i * (size_t)y.stride;
        for (int32_t k = 0; k < width && !adds; k++)
            row[k] = 0;
        for (int32_t b = 0; b < n_bits; b++) {
            const opn_real *from = x.at + (size_t)b * (size_t)x.stride;
            for (int32_t k = 0; k < width && (map[i] >> b & 1) != 0; k++)
                row[k] += from[k];
        }
    }
}

static void matmul(int32_t first,
                   int32_t last,
                   int32_t n_inner,
                   int32_t width,
                   opn_k_in x,
                   opn_k_in w,
                   opn_k_out y,
                   const opn_real *active,
                   opn_real factor)
{
    for (int32_t i = first; i < last; i++) {
        const size_t at = (size_t)i * (size_t)y.stride;
        const opn_real *x_row = x.at + (size_t)i * (size_t)x.stride;
        for (int32_t k = 0; k < width; k++) {
            const size_t place = at + (size_t)k;
            opn_real sum = 0;
            for (int32_t h = 0; h < n_inner; h++)
                sum += x_row[h] * w.at[(size_t)h * (size_t)w.stride + (size_t)k];
            y.at[place] = active == NULL ? sum : active[place] > 0 ? sum * factor : 0;
        }
    }
}

static void matmul_tn(int32_t first,
                      int32_t last,
                      int32_t n_outer,
                      int32_t width,
                      opn_k_in x,
                      opn_k_in g,
                      bool adds,
                      opn_k_out sum)
{
    for (int32_t h = 0; h < n_outer && !adds; h++)
        for (int32_t k = 0; k < width; k++)
            sum.at[(size_t)h * (size_t)sum.stride + (size_t)k] = 0;
    for (int32_t i = first; i < last; i++) {
        const opn_real *x_row = x.at + (size_t)i * (size_t)x.stride;
        const opn_real *g_row = g.at + (size_t)i * (size_t)g.stride;
        for (int32_t h = 0; h < n_outer; h++)
            for (int32_t k = 0; k < width; k++)
                sum.at[(size_t)h * (size_t)sum.stride + (size_t)k] += x_row[h] * g_row[k];
    }
}

static void mask(size_t n,
                 const opn_real *from,
                 const uint64_t *bits,
                 int64_t first_bit,
                 opn_real factor,
                 opn_real *to)
{
    for (size_t j = 0; j < n; j++) {
        const uint64_t bit = (uint64_t)first_bit + j;
        const bool is_kept = bits == NULL || (bits[bit / 64] >> (bit % 64) & 1) != 0;
        to[j] = is_kept ? factor * from[j] : 0;
    }
}

static void adam(size_t n,
                 opn_real rate,
                 opn_real epsilon,
                 opn_real decay,
                 opn_real *w,
                 opn_real *mean,
                 opn_real *square,
                 const opn_real *g)
{
    const opn_real beta1 = (opn_real)0.9;
    const opn_real beta2 = (opn_real)0.999;
    for (size_t j = 0; j < n; j++) {
        const opn_real slope = g[j] + decay * w[j];
        mean[j] = beta1 * mean[j] + (1 - beta1) * slope;
        square[j] = beta2 * square[j] + (1 - beta2) * slope * slope;
        w[j] -= rate * mean[j] / ((opn_real)sqrt((double)square[j]) + epsilon);
    }
}

// dL/dp_k of the squared and the teacher term.
static opn_real slope_in_p(
        const opn_k_evidence *loss, int32_t i, int32_t k, opn_real p, opn_real inverse1)
{
    const int32_t target = loss->target[i];
    opn_real slope = 0;
    if (target >= 0)
        slope = loss->target_weight *
                (2 * (p - (k == target ? 1 : 0)) + (1 - 2 * p) * inverse1);
    if (loss->log_teacher != NULL) {
        const size_t at = (size_t)i * (size_t)loss->width + (size_t)k;
        slope +=
                loss->teacher_weight * ((opn_real)log((double)p) - loss->log_teacher[at]);
    }
    return slope;
}

void opn_k_evidence_row(const opn_k_evidence *loss,
                        int32_t i,
                        const opn_real *e,
                        const opn_real *slope,
                        opn_real *d_z)
{
    const int32_t n = loss->n_classes;
    const opn_real *prior =
            loss->prior == NULL ? NULL : loss->prior + (size_t)i * (size_t)loss->width;
    opn_real strength = (opn_real)n; // S
    for (int32_t k = 0; k < n; k++)
        strength += e[k];
    const opn_real inverse = 1 / strength;
    const opn_real inverse1 = 1 / (strength + 1);
    opn_real level = 0; // u.p + v
    opn_real spread = 0;
    for (int32_t k = 0; k < n; k++) {
        const opn_real p = (e[k] + 1) * inverse;
        level += slope_in_p(loss, i, k, p, inverse1) * p;
        spread += p * (1 - p);
    }
    if (loss->target[i] >= 0)
        level += loss->target_weight * spread * strength * inverse1 * inverse1;
    const opn_real q_sum = opn_k_trigamma_q(inverse);
    for (int32_t k = 0; k < n; k++) {
        const opn_real alpha = e[k] + 1;
        const opn_real u = slope_in_p(loss, i, k, alpha * inverse, inverse1);
        opn_real total = slope[k] * inverse * (u - level);
        if (prior != NULL) {
            const opn_real y = 1 / alpha;
            const opn_real q = opn_k_trigamma_q(y);
            const opn_real own = slope[k] * y * (q - prior[k] * (1 + y * q));
            const opn_real common = slope[k] * inverse *
                                    (q_sum - loss->prior_sum[i] * (1 + inverse * q_sum));
            total += loss->prior_weight * (own - common);
        }
        d_z[k] = total;
    }
}

static int64_t exp_evidence_gradient(const opn_k_evidence *loss,
                                     int32_t first,
                                     int32_t last,
                                     const opn_real *z,
                                     opn_real *d_z)
{
    int64_t n_bounded = 0;
    for (int32_t i = first; i < last; i++) {
        const size_t at = (size_t)i * (size_t)loss->width;
        for (int32_t k = 0; k < loss->n_classes; k++) {
            const opn_real logit = z[at + (size_t)k];
            n_bounded += logit > loss->max_logit;
            d_z[at + (size_t)k] = (opn_real)exp(
                    (double)(logit < loss->max_logit ? logit : loss->max_logit));
        }
        opn_k_evidence_row(loss, i, d_z + at, d_z + at, d_z + at);
    }
    return n_bounded;
}

// alpha, or exp(z - top) for a softmax.
static double exponential(const opn_k_moments *sums, opn_real z, opn_real top)
{
    if (sums->is_softmax)
        return exp((double)(z - top));
    return exp((double)(z < sums->max_logit ? z : sums->max_logit)) + 1.0;
}

static void
add_moments(const opn_k_moments *sums, int32_t first, int32_t last, const opn_real *z)
{
    for (int32_t i = first; i < last; i++) {
        const size_t at = (size_t)i * (size_t)sums->width;
        const opn_real *row = z + at;
        opn_real top = row[0];
        double total = 0.0;
        for (int32_t k = 1; k < sums->n_classes; k++)
            top = row[k] > top ? row[k] : top;
        for (int32_t k = 0; k < sums->n_classes; k++)
            total += exponential(sums, row[k], top);
        for (int32_t k = 0; k < sums->n_classes; k++) {
            const double e = exponential(sums, row[k], top);
            const double p = e / total;
            if (sums->z != NULL)
                sums->z[at + (size_t)k] += (double)row[k];
            sums->p[at + (size_t)k] += p;
            if (sums->alpha != NULL)
                sums->alpha[at + (size_t)k] += e;
            sums->entropy[i] -= p > 0.0 ? p * log(p) : 0.0;
        }
    }
}

const opn_k_table *opn_k_table_ref(void)
{
    static const opn_k_table table = {
            "ref",
            philox,
            keep,
            compact,
            count,
            spread,
            transpose,
            spmm,
            scatter,
            lookup,
            matmul,
            matmul_tn,
            mask,
            adam,
            exp_evidence_gradient,
            add_moments,
            &opn_k_attention_ref,
            &opn_k_embedding_ref,
    };
    return &table;
}
