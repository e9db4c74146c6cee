// attention_kernels.h -- the attention kernels, in terms of the vectors of an instruction
// set, which hold eight numbers: attend.h. Included once by each set; see products.h and,
// for what else is asked for, avx2.h.
//
// Kernels work on blocks of at most MOST_VECTORS vectors of a node, whose sums stay in
// registers; only look_back needs all vectors at once.

#ifndef OPN_SIMD_ATTENTION_KERNELS_H
#define OPN_SIMD_ATTENTION_KERNELS_H

// ---- vectors -------------------------------------------------------------------------

// Up to this many vectors of a row are kept in registers; calls kernel(V, ...) with their
// number, at most this one, as a constant, so that the compiler unrolls.
#define FOR_VECTORS(n_vectors, kernel, ...) \
    switch (n_vectors) {                    \
    case 1:                                 \
        kernel(1, __VA_ARGS__);             \
        break;                              \
    case 2:                                 \
        kernel(2, __VA_ARGS__);             \
        break;                              \
    case 3:                                 \
        kernel(3, __VA_ARGS__);             \
        break;                              \
    case 4:                                 \
        kernel(4, __VA_ARGS__);             \
        break;                              \
    case 5:                                 \
        kernel(5, __VA_ARGS__);             \
        break;                              \
    case 6:                                 \
        kernel(6, __VA_ARGS__);             \
        break;                              \
    case 7:                                 \
        kernel(7, __VA_ARGS__);             \
        break;                              \
    default:                                \
        kernel(8, __VA_ARGS__);             \
        break;                              \
    }

// exp with relative error 4e-7 for x in [-87, 0]; smaller x give exp(-87), i.e. nothing,
// and NaN stays NaN. Its dependency chain is short because attention waits for it: a
// tenth less time than with the exp of the evidence, a quarter for activate.
INLINE vec exp_below_0(vec x)
{
    // At this size a float is an integer, with n + 127 in its last bits.
    const vec whole = v_set1(12582912.0f + 127.0f);
    x = v_max(v_set1(-87.0f), x);
    const vec shifted = v_fma(x, v_set1(1.44269504f), whole);
    const vec n = v_sub(shifted, whole);
    const vec r = v_fnma(n, v_set1(0.693147181f), x);
    const vec r2 = v_mul(r, r);
    const vec low = v_fma(r, v_set1(1.6667119670e-1f), v_set1(4.9999223817e-1f));
    const vec high = v_fma(r, v_set1(8.3123715153e-3f), v_set1(4.1891287307e-2f));
    const vec sum = v_fma(v_fma(high, r2, low), r2, v_add(r, v_set1(1.0f)));
    const ints power = i_shift_left(i_bits(shifted), 23);
    return v_mul(sum, v_bits(power));
}

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

INLINE vec vector_of(const opn_k_wide *x, int32_t i, size_t v)
{
    return v_load(opn_k_vector(x, i, (int32_t)v));
}

INLINE void put_vector(const opn_k_wide *x, int32_t i, size_t v, vec vector)
{
    v_store(opn_k_vector(x, i, (int32_t)v), vector);
}

// The per-head numbers of a node.
INLINE vec of_node(const float *x, int32_t i)
{
    return v_load(x + (size_t)i * 8);
}

INLINE void put_of_node(float *x, int32_t i, vec vector)
{
    v_store(x + (size_t)i * 8, vector);
}

// x in the kept lanes, else 0; `vector` is the index of its byte.
INLINE vec kept(const uint64_t *bits, size_t vector, vec x)
{
    if (bits == NULL)
        return x;
    return v_lanes(((const uint8_t *)bits)[vector], x);
}

// The same for an entry, which has a single bit if there is one head.
INLINE vec kept_of_entry(const opn_k_attention *layer, size_t e, vec x)
{
    const uint8_t *bytes = (const uint8_t *)layer->keep_entries;
    if (bytes == NULL || !layer->is_single)
        return kept(layer->keep_entries, e, x);
    const int bit = bytes[e / 8] >> (e % 8) & 1;
    return v_mask(bit, x);
}

// Per-head sums from the sums of each lane: the same, or their total for one head.
INLINE vec by_heads(const opn_k_attention *layer, vec x)
{
    return layer->is_single ? v_total(x) : x;
}

// x . y per lane for row i of x. Even and odd vectors are summed separately, to break the
// dependency chain of additions.
INLINE vec dot(size_t n_vectors, const opn_k_wide *x, int32_t i, const vec *y)
{
    vec even = v_mul(vector_of(x, i, 0), y[0]);
    if (n_vectors == 1)
        return even;
    vec odd = v_mul(vector_of(x, i, 1), y[1]);
    for (size_t v = 2; v < n_vectors; v++) {
        if (v % 2 == 0)
            even = v_fma(vector_of(x, i, v), y[v], even);
        else
            odd = v_fma(vector_of(x, i, v), y[v], odd);
    }
    return v_add(even, odd);
}

INLINE vec leaky(vec score)
{
    return v_max(score, v_mul(v_set1(OPN_ATTENTION_SLOPE), score));
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
#define IN_BLOCKS(most, block, layer, first, last, to)                  \
    for (int32_t from = 0; from < (layer)->n_vectors; from += (most)) { \
        const int32_t rest = (layer)->n_vectors - from;                 \
        part of = {(size_t)from, first, last, NULL};                    \
        of.sums = (to);                                                 \
        FOR_VECTORS(rest < (most) ? rest : (most), block, layer, of)    \
    }

// Defines the kernel `name` from name_block().
#define ATTENTION_KERNEL(name)                                                  \
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
    const vec c_dst = is_single ? v_set1(*block.c_dst) : of_node(block.c_dst, 0);
    const vec c_src = is_single ? v_set1(*block.c_src) : of_node(block.c_src, 0);
    vec a_dst[MOST_VECTORS], a_src[MOST_VECTORS];
    for (size_t v = 0; v < n_vectors; v++) {
        a_dst[v] = v_load(block.a_dst + 8 * v);
        a_src[v] = v_load(block.a_src + 8 * v);
    }
    for (int32_t j = of.first; j < of.last; j++) {
        const vec dst = by_heads(&block, dot(n_vectors, &block.g, j, a_dst));
        const vec src = by_heads(&block, dot(n_vectors, &block.g, j, a_src));
        // Later blocks add to the first.
        const vec old_dst = of.from == 0 ? c_dst : of_node(block.dst, j);
        const vec old_src = of.from == 0 ? c_src : of_node(block.src, j);
        put_of_node(block.dst, j, v_add(dst, old_dst));
        put_of_node(block.src, j, v_add(src, old_src));
        for (size_t v = 0; v < n_vectors && drops; v++) {
            const size_t vector = (size_t)j * (size_t)block.n_vectors + of.from + v;
            const vec unit = v_mul(vector_of(&block.g, j, v), v_set1(block.unit_factor));
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
        __builtin_prefetch(opn_k_vector(&layer->dropped, j, (int32_t)v));
}

// The largest l of a row is that of the largest src, because LeakyReLU is increasing.
INLINE vec top_of_row(const opn_k_attention *layer, int32_t i, vec dst)
{
    opn_off e = layer->begin[i];
    vec top = of_node(layer->src, layer->col[e]);
    while (++e < layer->end[i])
        top = v_max(top, of_node(layer->src, layer->col[e]));
    return leaky(v_add(dst, top));
}

INLINE void
attend_rows(size_t n_vectors, bool asks, const opn_k_attention *layer, part of)
{
    const opn_k_attention block = block_of(layer, of.from);
    const opn_off n_known = of.last > of.first ? block.end[of.last - 1] : 0;
    for (int32_t i = of.first; i < of.last; i++) {
        const vec dst = of_node(block.dst, input_of(&block, i));
        const vec top = top_of_row(&block, i, dst);
        vec total = v_zero();
        vec sum[MOST_VECTORS];
        for (size_t v = 0; v < n_vectors; v++)
            sum[v] = v_zero();
        for (opn_off e = block.begin[i]; e < block.end[i]; e++) {
            const int32_t j = block.col[e];
            const vec l = leaky(v_add(dst, of_node(block.src, j)));
            const vec w = exp_below_0(v_sub(l, top));
            const vec share = kept_of_entry(&block, (size_t)e, w);
            if (asks)
                ask_for(n_vectors, &block, e, n_known);
            total = v_add(total, w);
            for (size_t v = 0; v < n_vectors; v++)
                sum[v] = v_fma(share, vector_of(&block.dropped, j, v), sum[v]);
        }
        const vec inverse = v_div(v_set1(1.0f), total);
        const vec factor = v_mul(inverse, v_set1(block.entry_factor));
        put_of_node(block.top, i, top);
        put_of_node(block.inverse, i, inverse);
        for (size_t v = 0; v < n_vectors; v++)
            put_vector(&block.o, i, v, v_mul(factor, sum[v]));
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
INLINE vec elu(vec x)
{
    const vec power = exp_below_0(v_min(v_zero(), x));
    return v_max(x, v_sub(power, v_set1(1.0f)));
}

INLINE void activate_block(size_t n_vectors, const opn_k_attention *layer, part of)
{
    const opn_k_attention block = block_of(layer, of.from);
    const vec factor = v_set1(block.hidden_factor);
    for (int32_t i = of.first; i < of.last; i++)
        for (size_t v = 0; v < n_vectors; v++) {
            const size_t vector = (size_t)i * (size_t)block.n_vectors + of.from + v;
            const vec x = v_add(vector_of(&block.o, i, v), v_load(block.b + 8 * v));
            put_vector(&block.hidden, i, v,
                       kept(block.keep_hidden, vector, v_mul(elu(x), factor)));
        }
}

// ---- backward ------------------------------------------------------------------------

INLINE void inactivate_block(size_t n_vectors, const opn_k_attention *layer, part of)
{
    const opn_k_attention block = block_of(layer, of.from);
    const vec factor = v_set1(block.hidden_factor);
    for (int32_t i = of.first; i < of.last; i++)
        for (size_t v = 0; v < n_vectors; v++) {
            const size_t vector = (size_t)i * (size_t)block.n_vectors + of.from + v;
            const vec hidden = vector_of(&block.hidden, i, v);
            const vec slope = v_add(v_min(v_zero(), hidden), factor);
            const vec d_o = v_mul(vector_of(&block.d_o, i, v), slope);
            put_vector(&block.d_o, i, v, kept(block.keep_hidden, vector, d_o));
        }
}

INLINE void settle_block(size_t n_vectors, const opn_k_attention *layer, part of)
{
    const opn_k_attention block = block_of(layer, of.from);
    vec sum[MOST_VECTORS];
    for (size_t v = 0; v < n_vectors; v++)
        sum[v] = v_zero();
    for (int32_t i = of.first; i < of.last; i++) {
        vec d_o[MOST_VECTORS];
        for (size_t v = 0; v < n_vectors; v++) {
            d_o[v] = vector_of(&block.d_o, i, v);
            sum[v] = v_add(sum[v], d_o[v]);
        }
        const vec o_d_o = by_heads(&block, dot(n_vectors, &block.o, i, d_o));
        const vec old = of.from == 0 ? v_zero() : of_node(block.o_d_o, i);
        put_of_node(block.o_d_o, i, v_add(old, o_d_o));
    }
    for (size_t v = 0; v < n_vectors; v++)
        v_store(of.sums + 8 * (of.from + v), sum[v]);
}

// `g` and `sum` are buffers of n_vectors.
INLINE void
look_back_rows(size_t n_vectors, const opn_k_attention *layer, part of, vec *g, vec *sum)
{
    const opn_k_attention block = block_of(layer, 0);
    const vec slope = v_set1(OPN_ATTENTION_SLOPE);
    for (int32_t j = of.first; j < of.last; j++) {
        const vec src = of_node(block.src, j);
        vec d_src = v_zero();
        for (size_t v = 0; v < n_vectors; v++) {
            g[v] = vector_of(&block.dropped, j, v);
            sum[v] = v_zero();
        }
        for (opn_off t = block.transposed_begin[j]; t < block.transposed_end[j]; t++) {
            const int32_t i = block.transposed_col[t];
            const size_t e = block.transposed_entry[t];
            const vec s = v_add(of_node(block.dst, input_of(&block, i)), src);
            const vec w = v_mul(exp_below_0(v_sub(leaky(s), of_node(block.top, i))),
                                of_node(block.inverse, i));
            const vec factor = kept_of_entry(&block, e, v_set1(block.entry_factor));
            const vec d_w = by_heads(&block, dot(n_vectors, &block.d_o, i, g));
            const vec d_l = v_mul(w, v_fms(factor, d_w, of_node(block.o_d_o, i)));
            const vec d_score = v_choose_positive(s, d_l, v_mul(slope, d_l));
            const vec share = v_mul(factor, w);
            v_store(block.d_score + e * 8, d_score);
            d_src = v_add(d_src, d_score);
            for (size_t v = 0; v < n_vectors; v++)
                sum[v] = v_fma(share, vector_of(&block.d_o, i, v), sum[v]);
        }
        put_of_node(block.d_src, j, d_src);
        for (size_t v = 0; v < n_vectors; v++)
            put_vector(&block.dropped, j, v, sum[v]);
    }
}

INLINE void look_back_near(size_t n_vectors, const opn_k_attention *layer, part of)
{
    vec g[MOST_VECTORS], sum[MOST_VECTORS];
    look_back_rows(n_vectors, layer, of, g, sum);
}

static void look_back(const opn_k_attention *layer, int32_t first, int32_t last)
{
    const part of = {0, first, last, NULL};
    if (layer->n_vectors <= MOST_VECTORS) {
        FOR_VECTORS(layer->n_vectors, look_back_near, layer, of)
    } else {
        vec g[OPN_MAX_VECTORS], sum[OPN_MAX_VECTORS];
        look_back_rows((size_t)layer->n_vectors, layer, of, g, sum);
    }
}

INLINE void unscore_block(size_t n_vectors, const opn_k_attention *layer, part of)
{
    const opn_k_attention block = block_of(layer, of.from);
    const size_t n_all = (size_t)block.n_vectors;
    vec a_dst[MOST_VECTORS], a_src[MOST_VECTORS];
    vec c_dst = v_zero(), c_src = v_zero();
    for (size_t v = 0; v < n_vectors; v++)
        a_dst[v] = a_src[v] = v_zero();
    for (int32_t j = of.first; j < of.last; j++) {
        const vec d_dst = of_node(block.d_dst, j);
        const vec d_src = of_node(block.d_src, j);
        const vec scale = v_set1(block.scale == NULL ? 1.0f : block.scale[j]);
        c_dst = v_add(c_dst, d_dst);
        c_src = v_add(c_src, d_src);
        for (size_t v = 0; v < n_vectors; v++) {
            const vec g = vector_of(&block.g, j, v);
            vec d_g = v_mul(vector_of(&block.dropped, j, v), v_set1(block.unit_factor));
            d_g = kept(block.keep_units, (size_t)j * n_all + of.from + v, d_g);
            d_g = v_fma(v_load(block.a_dst + 8 * v), d_dst, d_g);
            d_g = v_fma(v_load(block.a_src + 8 * v), d_src, d_g);
            put_vector(&block.dropped, j, v, v_mul(d_g, scale));
            a_dst[v] = v_fma(d_dst, g, a_dst[v]);
            a_src[v] = v_fma(d_src, g, a_src[v]);
        }
    }
    for (size_t v = 0; v < n_vectors; v++) {
        v_store(of.sums + 8 * (of.from + v), a_dst[v]);
        v_store(of.sums + 8 * (n_all + of.from + v), a_src[v]);
    }
    v_store(of.sums + 16 * n_all, c_dst); // the same in every block
    v_store(of.sums + 16 * n_all + 8, c_src);
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

#define ATTENTION_KERNELS                                                \
    {                                                                    \
        score, attend, activate, inactivate, settle, look_back, unscore, \
    }

#endif // OPN_SIMD_ATTENTION_KERNELS_H
