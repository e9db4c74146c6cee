// attention_avx2.c -- the attention kernels.
//
// Kernels work on blocks of at most MOST_VECTORS vectors of a node, whose sums stay in
// registers; only look_back needs all vectors at once.

#include "math/avx2/avx2.h"

#ifdef OPN_HAS_AVX2

// ---- vectors -------------------------------------------------------------------------

// A local copy of the layer, which stores cannot alias, whose vectors start at `from`.
// n_vectors and the bits are still those of the whole layer.
INLINE opn_k_attention block_of(const opn_k_attention *layer, size_t from)
{
    opn_k_attention block = *layer;
    if (from == 0)
        return block;
    opn_k_wide *const moved[] = {&block.g, &block.dropped, &block.o, &block.hidden,
                                 &block.d_o};
    for (size_t m = 0; m < sizeof(moved) / sizeof(moved[0]); m++)
        if (moved[m]->at != NULL)
            moved[m]->at += 8 * from;
    block.a_dst += 8 * from;
    block.a_src += 8 * from;
    if (block.b != NULL)
        block.b += 8 * from;
    return block;
}

INLINE __m256 vector_of(const opn_k_wide *x, int32_t i, size_t v)
{
    return _mm256_loadu_ps(opn_k_vector(x, i, (int32_t)v));
}

INLINE void put_vector(const opn_k_wide *x, int32_t i, size_t v, __m256 vector)
{
    _mm256_storeu_ps(opn_k_vector(x, i, (int32_t)v), vector);
}

// The per-head numbers of a node.
INLINE __m256 of_node(const float *x, int32_t i)
{
    return _mm256_loadu_ps(x + (size_t)i * 8);
}

INLINE void put_of_node(float *x, int32_t i, __m256 vector)
{
    _mm256_storeu_ps(x + (size_t)i * 8, vector);
}

// x in the kept lanes, else 0; `vector` is the index of its byte.
INLINE __m256 kept(const uint64_t *bits, size_t vector, __m256 x)
{
    if (bits == NULL)
        return x;
    return _mm256_and_ps(x, opn_k_lanes_of(((const uint8_t *)bits)[vector]));
}

// The same for an entry, which has a single bit if there is one head.
INLINE __m256 kept_of_entry(const opn_k_attention *layer, size_t e, __m256 x)
{
    const uint8_t *bytes = (const uint8_t *)layer->keep_entries;
    if (bytes == NULL || !layer->is_single)
        return kept(layer->keep_entries, e, x);
    const int bit = bytes[e / 8] >> (e % 8) & 1;
    return _mm256_and_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(-bit)));
}

// Per-head sums from the sums of each lane: the same, or their total for one head.
INLINE __m256 by_heads(const opn_k_attention *layer, __m256 x)
{
    if (!layer->is_single)
        return x;
    x = _mm256_add_ps(x, _mm256_permute2f128_ps(x, x, 1));
    x = _mm256_add_ps(x, _mm256_permute_ps(x, 0x4e));
    return _mm256_add_ps(x, _mm256_permute_ps(x, 0xb1));
}

// x . y per lane for row i of x. Even and odd vectors are summed separately, to break the
// dependency chain of additions.
INLINE __m256 dot(size_t n_vectors, const opn_k_wide *x, int32_t i, const __m256 *y)
{
    __m256 even = _mm256_mul_ps(vector_of(x, i, 0), y[0]);
    if (n_vectors == 1)
        return even;
    __m256 odd = _mm256_mul_ps(vector_of(x, i, 1), y[1]);
    for (size_t v = 2; v < n_vectors; v++) {
        if (v % 2 == 0)
            even = _mm256_fmadd_ps(vector_of(x, i, v), y[v], even);
        else
            odd = _mm256_fmadd_ps(vector_of(x, i, v), y[v], odd);
    }
    return _mm256_add_ps(even, odd);
}

INLINE __m256 leaky(__m256 score)
{
    return _mm256_max_ps(score,
                         _mm256_mul_ps(_mm256_set1_ps(OPN_ATTENTION_SLOPE), score));
}

INLINE int32_t input_of(const opn_k_attention *layer, int32_t output)
{
    return layer->own == NULL ? output : layer->own[output];
}

// The part of a kernel done at once: vectors from that number on, rows [first, last).
typedef struct part {
    size_t from;
    int32_t first, last;
    float *sums;
} part;

// Calls block(V, layer, part) for blocks of at most `most` vectors, with V, their number,
// as a constant.
#    define IN_BLOCKS(most, block, layer, first, last, to)                  \
        for (int32_t from = 0; from < (layer)->n_vectors; from += (most)) { \
            const int32_t rest = (layer)->n_vectors - from;                 \
            part of = {(size_t)from, first, last, NULL};                    \
            of.sums = (to);                                                 \
            FOR_VECTORS(rest < (most) ? rest : (most), block, layer, of)    \
        }

// Defines the kernel `name` from name_block().
#    define ATTENTION_KERNEL(name)                                                  \
        static void name(const opn_k_attention *layer, int32_t first, int32_t last) \
        {                                                                           \
            IN_BLOCKS(MOST_VECTORS, name##_block, layer, first, last, NULL)         \
        }

// ---- forward -------------------------------------------------------------------------

INLINE void score_block(size_t n_vectors, const opn_k_attention *layer, part of)
{
    const opn_k_attention block = block_of(layer, of.from);
    const bool drops = block.dropped.at != block.g.at;
    const bool is_single = block.is_single;
    const __m256 c_dst =
            is_single ? _mm256_broadcast_ss(block.c_dst) : of_node(block.c_dst, 0);
    const __m256 c_src =
            is_single ? _mm256_broadcast_ss(block.c_src) : of_node(block.c_src, 0);
    __m256 a_dst[MOST_VECTORS], a_src[MOST_VECTORS];
    for (size_t v = 0; v < n_vectors; v++) {
        a_dst[v] = _mm256_loadu_ps(block.a_dst + 8 * v);
        a_src[v] = _mm256_loadu_ps(block.a_src + 8 * v);
    }
    for (int32_t j = of.first; j < of.last; j++) {
        const __m256 dst = by_heads(&block, dot(n_vectors, &block.g, j, a_dst));
        const __m256 src = by_heads(&block, dot(n_vectors, &block.g, j, a_src));
        // Later blocks add to the first.
        const __m256 old_dst = of.from == 0 ? c_dst : of_node(block.dst, j);
        const __m256 old_src = of.from == 0 ? c_src : of_node(block.src, j);
        put_of_node(block.dst, j, _mm256_add_ps(dst, old_dst));
        put_of_node(block.src, j, _mm256_add_ps(src, old_src));
        for (size_t v = 0; v < n_vectors && drops; v++) {
            const size_t vector = (size_t)j * (size_t)block.n_vectors + of.from + v;
            const __m256 unit = _mm256_mul_ps(vector_of(&block.g, j, v),
                                              _mm256_set1_ps(block.unit_factor));
            put_vector(&block.dropped, j, v, kept(block.keep_units, vector, unit));
        }
    }
}

// Prefetches the row of an entry well ahead, across the ends of rows: 0.6 of the time on
// a random graph as large as Physics.
enum { AHEAD = 8 };
INLINE void
ask_for(size_t n_vectors, const opn_k_attention *layer, opn_off e, opn_off end)
{
    const int32_t j = layer->col[e + AHEAD < end ? e + AHEAD : end - 1];
    for (size_t v = 0; v < n_vectors; v += 2)
        _mm_prefetch((const char *)opn_k_vector(&layer->dropped, j, (int32_t)v),
                     _MM_HINT_T0);
}

// The largest l of a row is that of the largest src, because LeakyReLU is increasing.
INLINE __m256 top_of_row(const opn_k_attention *layer, int32_t i, __m256 dst)
{
    opn_off e = layer->begin[i];
    __m256 top = of_node(layer->src, layer->col[e]);
    while (++e < layer->end[i])
        top = _mm256_max_ps(top, of_node(layer->src, layer->col[e]));
    return leaky(_mm256_add_ps(dst, top));
}

INLINE void
attend_rows(size_t n_vectors, bool asks, const opn_k_attention *layer, part of)
{
    const opn_k_attention block = block_of(layer, of.from);
    const opn_off n_known = of.last > of.first ? block.end[of.last - 1] : 0;
    for (int32_t i = of.first; i < of.last; i++) {
        const __m256 dst = of_node(block.dst, input_of(&block, i));
        const __m256 top = top_of_row(&block, i, dst);
        __m256 total = _mm256_setzero_ps();
        __m256 sum[MOST_VECTORS];
        for (size_t v = 0; v < n_vectors; v++)
            sum[v] = _mm256_setzero_ps();
        for (opn_off e = block.begin[i]; e < block.end[i]; e++) {
            const int32_t j = block.col[e];
            const __m256 l = leaky(_mm256_add_ps(dst, of_node(block.src, j)));
            const __m256 w = opn_k_exp_below_0(_mm256_sub_ps(l, top));
            const __m256 share = kept_of_entry(&block, (size_t)e, w);
            if (asks)
                ask_for(n_vectors, &block, e, n_known);
            total = _mm256_add_ps(total, w);
            for (size_t v = 0; v < n_vectors; v++)
                sum[v] = _mm256_fmadd_ps(share, vector_of(&block.dropped, j, v), sum[v]);
        }
        const __m256 inverse = _mm256_div_ps(_mm256_set1_ps(1.0f), total);
        const __m256 factor = _mm256_mul_ps(inverse, _mm256_set1_ps(block.entry_factor));
        put_of_node(block.top, i, top);
        put_of_node(block.inverse, i, inverse);
        for (size_t v = 0; v < n_vectors; v++)
            put_vector(&block.o, i, v, _mm256_mul_ps(factor, sum[v]));
    }
}

INLINE void attend_block(size_t n_vectors, const opn_k_attention *layer, part of)
{
    if (layer->is_far)
        attend_rows(n_vectors, true, layer, of);
    else
        attend_rows(n_vectors, false, layer, of);
}

// exp(x) - 1 is never below x; for x > 0 it is computed at 0. With this order of operands
// in min and max NaN stays NaN.
INLINE __m256 elu(__m256 x)
{
    const __m256 power = opn_k_exp_below_0(_mm256_min_ps(_mm256_setzero_ps(), x));
    return _mm256_max_ps(x, _mm256_sub_ps(power, _mm256_set1_ps(1.0f)));
}

INLINE void activate_block(size_t n_vectors, const opn_k_attention *layer, part of)
{
    const opn_k_attention block = block_of(layer, of.from);
    const __m256 factor = _mm256_set1_ps(block.hidden_factor);
    for (int32_t i = of.first; i < of.last; i++)
        for (size_t v = 0; v < n_vectors; v++) {
            const size_t vector = (size_t)i * (size_t)block.n_vectors + of.from + v;
            const __m256 x = _mm256_add_ps(vector_of(&block.o, i, v),
                                           _mm256_loadu_ps(block.b + 8 * v));
            put_vector(&block.hidden, i, v,
                       kept(block.keep_hidden, vector, _mm256_mul_ps(elu(x), factor)));
        }
}

// ---- backward ------------------------------------------------------------------------

INLINE void inactivate_block(size_t n_vectors, const opn_k_attention *layer, part of)
{
    const opn_k_attention block = block_of(layer, of.from);
    const __m256 factor = _mm256_set1_ps(block.hidden_factor);
    for (int32_t i = of.first; i < of.last; i++)
        for (size_t v = 0; v < n_vectors; v++) {
            const size_t vector = (size_t)i * (size_t)block.n_vectors + of.from + v;
            const __m256 hidden = vector_of(&block.hidden, i, v);
            const __m256 slope =
                    _mm256_add_ps(_mm256_min_ps(_mm256_setzero_ps(), hidden), factor);
            const __m256 d_o = _mm256_mul_ps(vector_of(&block.d_o, i, v), slope);
            put_vector(&block.d_o, i, v, kept(block.keep_hidden, vector, d_o));
        }
}

INLINE void settle_block(size_t n_vectors, const opn_k_attention *layer, part of)
{
    const opn_k_attention block = block_of(layer, of.from);
    __m256 sum[MOST_VECTORS];
    for (size_t v = 0; v < n_vectors; v++)
        sum[v] = _mm256_setzero_ps();
    for (int32_t i = of.first; i < of.last; i++) {
        __m256 d_o[MOST_VECTORS];
        for (size_t v = 0; v < n_vectors; v++) {
            d_o[v] = vector_of(&block.d_o, i, v);
            sum[v] = _mm256_add_ps(sum[v], d_o[v]);
        }
        const __m256 o_d_o = by_heads(&block, dot(n_vectors, &block.o, i, d_o));
        const __m256 old = of.from == 0 ? _mm256_setzero_ps() : of_node(block.o_d_o, i);
        put_of_node(block.o_d_o, i, _mm256_add_ps(old, o_d_o));
    }
    for (size_t v = 0; v < n_vectors; v++)
        _mm256_storeu_ps(of.sums + 8 * (of.from + v), sum[v]);
}

// `g` and `sum` are buffers of n_vectors.
INLINE void look_back_rows(
        size_t n_vectors, const opn_k_attention *layer, part of, __m256 *g, __m256 *sum)
{
    const opn_k_attention block = block_of(layer, 0);
    const __m256 slope = _mm256_set1_ps(OPN_ATTENTION_SLOPE);
    for (int32_t j = of.first; j < of.last; j++) {
        const __m256 src = of_node(block.src, j);
        __m256 d_src = _mm256_setzero_ps();
        for (size_t v = 0; v < n_vectors; v++) {
            g[v] = vector_of(&block.dropped, j, v);
            sum[v] = _mm256_setzero_ps();
        }
        for (opn_off t = block.transposed_begin[j]; t < block.transposed_end[j]; t++) {
            const int32_t i = block.transposed_col[t];
            const size_t e = block.transposed_entry[t];
            const __m256 s = _mm256_add_ps(of_node(block.dst, input_of(&block, i)), src);
            const __m256 w = _mm256_mul_ps(
                    opn_k_exp_below_0(_mm256_sub_ps(leaky(s), of_node(block.top, i))),
                    of_node(block.inverse, i));
            const __m256 factor =
                    kept_of_entry(&block, e, _mm256_set1_ps(block.entry_factor));
            const __m256 d_w = by_heads(&block, dot(n_vectors, &block.d_o, i, g));
            const __m256 d_l = _mm256_mul_ps(
                    w, _mm256_fmsub_ps(factor, d_w, of_node(block.o_d_o, i)));
            const __m256 d_score =
                    _mm256_blendv_ps(_mm256_mul_ps(slope, d_l), d_l,
                                     _mm256_cmp_ps(s, _mm256_setzero_ps(), _CMP_GT_OQ));
            const __m256 share = _mm256_mul_ps(factor, w);
            _mm256_storeu_ps(block.d_score + e * 8, d_score);
            d_src = _mm256_add_ps(d_src, d_score);
            for (size_t v = 0; v < n_vectors; v++)
                sum[v] = _mm256_fmadd_ps(share, vector_of(&block.d_o, i, v), sum[v]);
        }
        put_of_node(block.d_src, j, d_src);
        for (size_t v = 0; v < n_vectors; v++)
            put_vector(&block.dropped, j, v, sum[v]);
    }
}

INLINE void look_back_near(size_t n_vectors, const opn_k_attention *layer, part of)
{
    __m256 g[MOST_VECTORS], sum[MOST_VECTORS];
    look_back_rows(n_vectors, layer, of, g, sum);
}

static void look_back(const opn_k_attention *layer, int32_t first, int32_t last)
{
    const part of = {0, first, last, NULL};
    if (layer->n_vectors <= MOST_VECTORS) {
        FOR_VECTORS(layer->n_vectors, look_back_near, layer, of)
    } else {
        __m256 g[OPN_MAX_VECTORS], sum[OPN_MAX_VECTORS];
        look_back_rows((size_t)layer->n_vectors, layer, of, g, sum);
    }
}

INLINE void unscore_block(size_t n_vectors, const opn_k_attention *layer, part of)
{
    const opn_k_attention block = block_of(layer, of.from);
    const size_t n_all = (size_t)block.n_vectors;
    __m256 a_dst[MOST_VECTORS], a_src[MOST_VECTORS];
    __m256 c_dst = _mm256_setzero_ps(), c_src = _mm256_setzero_ps();
    for (size_t v = 0; v < n_vectors; v++)
        a_dst[v] = a_src[v] = _mm256_setzero_ps();
    for (int32_t j = of.first; j < of.last; j++) {
        const __m256 d_dst = of_node(block.d_dst, j);
        const __m256 d_src = of_node(block.d_src, j);
        const __m256 scale = _mm256_set1_ps(block.scale == NULL ? 1.0f : block.scale[j]);
        c_dst = _mm256_add_ps(c_dst, d_dst);
        c_src = _mm256_add_ps(c_src, d_src);
        for (size_t v = 0; v < n_vectors; v++) {
            const __m256 g = vector_of(&block.g, j, v);
            __m256 d_g = _mm256_mul_ps(vector_of(&block.dropped, j, v),
                                       _mm256_set1_ps(block.unit_factor));
            d_g = kept(block.keep_units, (size_t)j * n_all + of.from + v, d_g);
            d_g = _mm256_fmadd_ps(_mm256_loadu_ps(block.a_dst + 8 * v), d_dst, d_g);
            d_g = _mm256_fmadd_ps(_mm256_loadu_ps(block.a_src + 8 * v), d_src, d_g);
            put_vector(&block.dropped, j, v, _mm256_mul_ps(d_g, scale));
            a_dst[v] = _mm256_fmadd_ps(d_dst, g, a_dst[v]);
            a_src[v] = _mm256_fmadd_ps(d_src, g, a_src[v]);
        }
    }
    for (size_t v = 0; v < n_vectors; v++) {
        _mm256_storeu_ps(of.sums + 8 * (of.from + v), a_dst[v]);
        _mm256_storeu_ps(of.sums + 8 * (n_all + of.from + v), a_src[v]);
    }
    _mm256_storeu_ps(of.sums + 16 * n_all, c_dst); // the same in every block
    _mm256_storeu_ps(of.sums + 16 * n_all + 8, c_src);
}

ATTENTION_KERNEL(score)
ATTENTION_KERNEL(attend)
ATTENTION_KERNEL(activate)
ATTENTION_KERNEL(inactivate)

static void settle(const opn_k_attention *layer, int32_t first, int32_t last, float *sums)
{
    IN_BLOCKS(MOST_VECTORS, settle_block, layer, first, last, sums)
}

static void
unscore(const opn_k_attention *layer, int32_t first, int32_t last, float *sums)
{
    IN_BLOCKS(4, unscore_block, layer, first, last, sums) // two sums per vector
}

const opn_k_attention_table opn_k_attention_avx2 = {
        score, attend, activate, inactivate, settle, look_back, unscore,
};

#endif
