// attention.c -- an attention layer: each node attends to its neighbours.

#include "network/attention.h"

#include <string.h>

// Number of vectors of eight for the units of a node.
static int32_t n_vectors_of(int32_t n_heads, int32_t n_units)
{
    return n_heads == 1 ? opn_i_width(n_units) / OPN_LANES : n_units;
}

int32_t opn_i_attention_width(int32_t n_heads, int32_t n_units)
{
    return n_vectors_of(n_heads, n_units) * OPN_LANES;
}

int opn_i_attention_list(int32_t n_heads,
                         int32_t n_units,
                         const char *const name[3],
                         opn_i_weight *list)
{
    const opn_i_weight units = {.n_rows = 1,
                                .n_cols = n_heads * n_units,
                                .n_row_heads = 1,
                                .n_heads = n_heads,
                                .n_parts = 1,
                                .width = opn_i_attention_width(n_heads, n_units),
                                .is_decayed = true};
    list[0] = list[2] = units;
    list[0].name = name[0];
    list[0].n_rows = 2;
    list[0].fan = n_units + 1;
    list[1] = (opn_i_weight){.name = name[1],
                             .n_rows = 2,
                             .n_cols = n_heads,
                             .n_row_heads = 1,
                             .n_heads = 1,
                             .n_parts = 1,
                             .width = OPN_LANES,
                             .is_decayed = true};
    list[2].name = name[2];
    return 3;
}

// ---- allocation ----------------------------------------------------------------------

void opn_i_attention_deinit(const opn_alloc *alloc, opn_i_attention *layer)
{
    opn_i_release(alloc, layer->arena);
    opn_i_release(alloc, layer->keep_units);
    opn_i_release(alloc, layer->keep_entries);
    *layer = (opn_i_attention){0};
}

int64_t opn_i_attention_unit_bits(const opn_i_attention *layer, int64_t n)
{
    return n * layer->pass.n_vectors * OPN_LANES;
}

int64_t opn_i_attention_entry_bits(const opn_i_attention *layer, int64_t n)
{
    return layer->pass.is_single ? n : n * OPN_LANES;
}

// Divides up the arena; with NULL, only returns the size needed.
static size_t cut_arena(opn_i_attention *layer, const opn_i_hop *hop, opn_real *arena)
{
    opn_k_attention *pass = &layer->pass;
    const bool with_backward = hop->entry != NULL;
    const size_t n_nodes = (size_t)layer->n_nodes;
    const size_t n_wide = opn_i_whole_lines(n_nodes * (size_t)layer->width);
    const size_t n_thin = opn_i_whole_lines(n_nodes * OPN_LANES);
    const size_t n_scores =
            with_backward ? (size_t)opn_i_hop_n_entries(hop) * OPN_LANES : 0;
    opn_real **const wide[] = {&layer->g, &layer->dropped, &layer->o, &layer->d_o};
    opn_real **const thin[] = {&pass->dst,   &pass->src,   &pass->top,  &pass->inverse,
                               &pass->o_d_o, &pass->d_dst, &pass->d_src};
    size_t n = 0;
    for (size_t w = 0; w < sizeof(wide) / sizeof(wide[0]); w++, n += n_wide)
        *wide[w] = arena == NULL ? NULL : arena + n;
    for (size_t t = 0; t < sizeof(thin) / sizeof(thin[0]); t++, n += n_thin)
        *thin[t] = arena == NULL ? NULL : arena + n;
    pass->d_score = arena == NULL ? NULL : arena + n;
    n += opn_i_whole_lines(n_scores);
    layer->sums = arena == NULL ? NULL : arena + n;
    return n + OPN_SUM_BLOCKS * opn_k_attention_n_sums(pass) * OPN_LANES;
}

opn_status opn_i_attention_init(opn_ctx *ctx,
                                int32_t n_heads,
                                int32_t n_units,
                                int32_t n_nodes,
                                const opn_i_hop *hop,
                                opn_i_attention *out)
{
    opn_status status = OPN_OK;
    opn_i_attention layer = {.n_heads = n_heads,
                             .n_units = n_units,
                             .width = opn_i_attention_width(n_heads, n_units),
                             .n_nodes = n_nodes};
    layer.pass.n_vectors = n_vectors_of(n_heads, n_units);
    layer.pass.is_single = n_heads == 1;
    const size_t n = cut_arena(&layer, hop, NULL);
    OPN_TRY_NEW(ctx, layer.arena, OPN_MARGIN + n);
    cut_arena(&layer, hop, opn_i_on_line(layer.arena));
    OPN_TRY_NEW(ctx, layer.keep_units,
                opn_i_bit_words(opn_i_attention_unit_bits(&layer, hop->n_cols)));
    OPN_TRY_NEW(ctx, layer.keep_entries,
                opn_i_bit_words(
                        opn_i_attention_entry_bits(&layer, opn_i_hop_n_entries(hop))));
    *out = layer;
    layer = (opn_i_attention){0};
cleanup:
    opn_i_attention_deinit(&ctx->alloc, &layer);
    return status;
}

// ---- kernels over all rows -----------------------------------------------------------

opn_k_wide opn_i_attention_wide(const opn_i_attention *layer, opn_real *at)
{
    return (opn_k_wide){at, (size_t)layer->width};
}

void opn_i_attention_run(const opn_i_exec *exec,
                         const opn_i_attention *layer,
                         opn_k_attention_rows *kernel,
                         int32_t n)
{
    opn_i_attention_rows(exec, &layer->pass, kernel, n, layer->n_entries);
}

// ---- forward and backward ------------------------------------------------------------

void opn_i_attention_forward(const opn_i_exec *exec,
                             opn_i_attention *layer,
                             const opn_i_hop *hop,
                             opn_real *g,
                             const opn_i_weight *weight,
                             const opn_real *weights,
                             opn_i_rates rates,
                             bool knows_scores,
                             bool with_backward)
{
    opn_k_attention *pass = &layer->pass;
    enum { FAR_BYTES = 1 << 20 };
    const bool has_own = with_backward || rates.units > 0.0;
    layer->n_entries = opn_i_hop_n_entries(hop);
    pass->keep_units = rates.units > 0.0 ? layer->keep_units : NULL;
    pass->keep_entries = rates.edges > 0.0 ? layer->keep_entries : NULL;
    pass->unit_factor = (opn_real)(1.0 / (1.0 - rates.units));
    pass->entry_factor = (opn_real)(1.0 / (1.0 - rates.edges));
    pass->a_dst = weights + weight[0].at;
    pass->a_src = pass->a_dst + weight[0].width;
    pass->c_dst = weights + weight[1].at;
    pass->c_src = pass->c_dst + weight[1].width;
    pass->b = weights + weight[2].at;
    pass->g = opn_i_attention_wide(layer, g);
    pass->dropped = opn_i_attention_wide(layer, has_own ? layer->dropped : g);
    pass->is_far = (size_t)hop->n_cols * (size_t)layer->width * sizeof(*g) > FAR_BYTES;
    pass->o = opn_i_attention_wide(layer, layer->o);
    if (!knows_scores)
        opn_i_attention_run(exec, layer, exec->kernels->attention->score, hop->n_cols);
    opn_i_hop_attend(exec, hop, pass);
}

// Sums d_dst for the inputs that are also outputs.
static void
sum_scores(const opn_i_exec *exec, opn_i_attention *layer, const opn_i_hop *hop)
{
    opn_k_attention *pass = &layer->pass;
    const int n_threads = opn_i_exec_threads(exec, opn_i_hop_n_entries(hop) * OPN_LANES);
    (void)n_threads;
    memset(pass->d_dst, 0, (size_t)hop->n_cols * OPN_LANES * sizeof(*pass->d_dst));
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int32_t i = 0; i < hop->n_rows; i++) {
        const int32_t own = opn_i_hop_own(hop, i);
        opn_real sum[OPN_LANES] = {0};
        for (opn_off e = pass->begin[i]; e < pass->end[i]; e++)
            for (int l = 0; l < OPN_LANES; l++)
                sum[l] += pass->d_score[e * OPN_LANES + l];
        memcpy(pass->d_dst + (size_t)own * OPN_LANES, sum, sizeof(sum));
    }
}

// One number per head; with a single head, `sums` holds it eight times.
static void take_heads(const opn_i_attention *layer, const opn_real *sums, opn_real *to)
{
    memset(to, 0, OPN_LANES * sizeof(*to));
    memcpy(to, sums, (size_t)layer->n_heads * sizeof(*to));
}

void opn_i_attention_backward(const opn_i_exec *exec,
                              opn_i_attention *layer,
                              const opn_i_hop *hop,
                              const opn_real *scale,
                              const opn_i_weight *weight,
                              opn_real *d_weights)
{
    const opn_k_attention_table *kernels = exec->kernels->attention;
    opn_k_attention *pass = &layer->pass;
    const size_t n = (size_t)pass->n_vectors * OPN_LANES;
    pass->scale = scale;
    opn_i_attention_sums(exec, pass, kernels->settle, hop->n_rows, layer->n_entries, n,
                         layer->sums);
    memcpy(d_weights + weight[2].at, layer->sums, n * sizeof(*d_weights));
    opn_i_hop_attend_back(exec, hop, pass);
    sum_scores(exec, layer, hop);
    opn_i_attention_sums(exec, pass, kernels->unscore, hop->n_cols, layer->n_entries,
                         2 * n + 2 * (size_t)OPN_LANES, layer->sums);
    memcpy(d_weights + weight[0].at, layer->sums, 2 * n * sizeof(*d_weights));
    take_heads(layer, layer->sums + 2 * n, d_weights + weight[1].at);
    take_heads(layer, layer->sums + 2 * n + OPN_LANES,
               d_weights + weight[1].at + OPN_LANES);
}
