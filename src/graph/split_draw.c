// split_draw.c -- draws that splits are made of. docs/protocols.md defines those of other
// papers.

#include "graph/split_draw.h"

#include "base/random.h"

opn_status opn_i_shuffle_labelled(opn_ctx *ctx,
                                  const opn_graph *graph,
                                  const int32_t *known,
                                  uint64_t seed,
                                  opn_vid **out,
                                  opn_vid *n_out)
{
    opn_status status = OPN_OK;
    opn_vid *node = NULL;
    opn_vid n = 0;
    OPN_TRY_NEW(ctx, node, opn_i_graph_n_nodes(graph));
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++)
        if (graph->label[i] >= 0 && (known == NULL || known[graph->label[i]] >= 0))
            node[n++] = i;
    opn_i_rng rng = opn_i_rng_start(seed, OPN_STREAM_SPLIT, 0);
    opn_i_rng_shuffle(&rng, node, n);
    *out = node;
    *n_out = n;
cleanup:
    return status;
}

opn_status opn_i_draw_tenths(opn_ctx *ctx,
                             const opn_graph *graph,
                             const int32_t *known,
                             uint64_t seed,
                             uint8_t *role)
{
    opn_status status = OPN_OK;
    opn_vid *node = NULL;
    opn_vid n = 0;
    OPN_TRY(opn_i_shuffle_labelled(ctx, graph, known, seed, &node, &n));
    const opn_vid tenth = n / 10;
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++)
        if (graph->label[i] >= 0)
            role[i] = OPN_ROLE_POOL;
    for (opn_vid i = 0; i < n; i++)
        role[node[i]] = i < tenth       ? OPN_ROLE_TRAIN
                        : i < 2 * tenth ? OPN_ROLE_VALIDATION
                                        : OPN_ROLE_TEST;
cleanup:
    opn_i_release(&ctx->alloc, node);
    return status;
}

// The role of node number `at` of a class of n.
static opn_role share_of(int32_t at, int32_t n)
{
    const int32_t n_train = n / 20;
    const int32_t n_validation = (int32_t)((int64_t)(n - n_train) * 15 / 100);
    const int32_t n_test = (int32_t)((int64_t)(n - n_train - n_validation) * 80 / 100);
    if (at < n_train)
        return OPN_ROLE_TRAIN;
    if (at < n_train + n_validation)
        return OPN_ROLE_VALIDATION;
    return at < n_train + n_validation + n_test ? OPN_ROLE_TEST : OPN_ROLE_POOL;
}

opn_status
opn_i_draw_shares(opn_ctx *ctx, const opn_graph *graph, uint64_t seed, uint8_t *role)
{
    opn_status status = OPN_OK;
    opn_vid *node = NULL;
    int32_t *size = NULL;
    int32_t *n_before = NULL; // nodes of each class before the next in random order
    opn_vid n = 0;
    OPN_TRY(opn_i_shuffle_labelled(ctx, graph, NULL, seed, &node, &n));
    OPN_TRY_NEW(ctx, size, graph->n_classes);
    OPN_TRY_NEW(ctx, n_before, graph->n_classes);
    opn_graph_class_sizes(graph, size);
    for (opn_vid i = 0; i < n; i++) {
        const int32_t k = graph->label[node[i]];
        role[node[i]] = (uint8_t)share_of(n_before[k]++, size[k]);
    }
cleanup:
    opn_i_release(&ctx->alloc, node);
    opn_i_release(&ctx->alloc, size);
    opn_i_release(&ctx->alloc, n_before);
    return status;
}
