// narrow.c -- variants of a split, for callers that may not use test nodes.

#include "graph/narrow.h"

#include "base/random.h"
#include "graph/roles.h"
#include "graph/split_data.h"

#include <string.h>

void opn_i_split_ignore(const opn_graph *graph, int32_t k, opn_split *split)
{
    for (opn_vid i = 0; i < split->n_nodes; i++) {
        if (graph->label[i] == k) {
            split->n_pool -= split->pool[i];
            split->pool[i] = 0;
        }
    }
}

// Whether a node of the old split that learns does so in the new one.
static bool
still_learns(const opn_split *split, const uint8_t *spared, opn_vid i, int32_t label)
{
    if (split->role[i] == OPN_ROLE_VALIDATION && spared != NULL && spared[i] != 0)
        return false;
    return label >= 0 && split->known[label] >= 0;
}

opn_status opn_i_split_narrow(opn_ctx *ctx,
                              const opn_graph *graph,
                              const opn_split *split,
                              int32_t held_out,
                              const uint8_t *spared,
                              opn_split **out)
{
    opn_status status = OPN_OK;
    opn_split *narrow = NULL;
    int32_t *ood = NULL;
    int32_t n_ood = 0;
    OPN_TRY_NEW(ctx, narrow, 1);
    narrow->alloc = ctx->alloc;
    narrow->origin = split->origin;
    narrow->n_nodes = split->n_nodes;
    narrow->n_classes = split->n_classes;
    narrow->n_pool = split->n_pool;
    OPN_TRY_NEW(ctx, narrow->role, split->n_nodes);
    OPN_TRY_NEW(ctx, narrow->pool, split->n_nodes);
    OPN_TRY_NEW(ctx, narrow->known, split->n_classes);
    OPN_TRY_NEW(ctx, ood, split->n_classes);
    for (int32_t k = 0; k < split->n_classes; k++)
        if (split->known[k] < 0 || k == held_out)
            ood[n_ood++] = k;
    OPN_TRY(opn_i_split_number_known(ctx, graph, ood, n_ood, narrow));
    memcpy(narrow->pool, split->pool, (size_t)split->n_nodes);
    memcpy(narrow->role, split->role, (size_t)split->n_nodes);
    for (opn_vid i = 0; i < split->n_nodes; i++) {
        uint8_t *role = &narrow->role[i];
        const bool learns = opn_i_role_learns(*role);
        if (learns && !still_learns(narrow, spared, i, graph->label[i]))
            *role = OPN_ROLE_POOL;
        narrow->count[*role]++;
    }
    OPN_FAIL_IF(ctx, narrow->count[OPN_ROLE_TRAIN] == 0, OPN_ERR_SHAPE,
                "%s: no labelled node of a known class is left to train on", graph->name);
    *out = narrow;
    narrow = NULL;
cleanup:
    opn_i_release(&ctx->alloc, ood);
    opn_split_free(narrow);
    return status;
}

// Whether a node is dealt into a part.
static bool
takes_turns(const opn_graph *graph, const opn_split *split, opn_i_turns turns, opn_vid i)
{
    if (turns == OPN_TURNS_VALIDATE)
        return split->role[i] == OPN_ROLE_TRAIN;
    return graph->label[i] >= 0 && split->known[graph->label[i]] >= 0;
}

// What becomes of a role when it is the turn of part `turn` of n; `own` is the part of
// the node, -1 for none.
static uint8_t
role_in_turn(opn_i_turns turns, uint8_t role, int32_t own, int32_t turn, int32_t n)
{
    if (turns == OPN_TURNS_VALIDATE) {
        if (own == turn)
            return OPN_ROLE_VALIDATION;
        return role == OPN_ROLE_VALIDATION ? OPN_ROLE_TRAIN : role;
    }
    if (own < 0)
        return role;
    if (own == turn)
        return OPN_ROLE_TEST;
    return own == (turn + 1) % n ? OPN_ROLE_VALIDATION : OPN_ROLE_TRAIN;
}

// The part [V] of each node that takes turns, -1 for other nodes. Parts have about the
// same number of nodes of each class.
static opn_status deal_parts(opn_ctx *ctx,
                             const opn_graph *graph,
                             const opn_split *split,
                             opn_i_turns turns,
                             uint64_t seed,
                             int32_t n_parts,
                             int32_t *part)
{
    opn_status status = OPN_OK;
    opn_vid *node = NULL;
    int32_t *n_before = NULL; // dealt before the next node of each class
    int32_t n = 0;
    OPN_TRY_NEW(ctx, node, split->n_nodes);
    OPN_TRY_NEW(ctx, n_before, (size_t)split->n_classes + 1);
    for (opn_vid i = 0; i < split->n_nodes; i++) {
        part[i] = -1;
        if (takes_turns(graph, split, turns, i))
            node[n++] = i;
    }
    opn_i_rng rng = opn_i_rng_start(seed, OPN_STREAM_FOLDS, 0);
    opn_i_rng_shuffle(&rng, node, n);
    // Dealt class by class, so that small classes are spread over all parts.
    for (int32_t t = 0; t < n; t++)
        n_before[graph->label[node[t]] + 1]++;
    for (int32_t k = 0; k < split->n_classes; k++)
        n_before[k + 1] += n_before[k];
    for (int32_t t = 0; t < n; t++)
        part[node[t]] = n_before[graph->label[node[t]]]++ % n_parts;
cleanup:
    opn_i_release(&ctx->alloc, node);
    opn_i_release(&ctx->alloc, n_before);
    return status;
}

opn_status opn_i_split_turn(opn_ctx *ctx,
                            const opn_graph *graph,
                            const opn_split *split,
                            opn_i_turns turns,
                            uint64_t seed,
                            int32_t n_parts,
                            int32_t part,
                            opn_split **out)
{
    opn_status status = OPN_OK;
    int32_t *part_of = NULL;
    opn_split *other = NULL;
    OPN_TRY_NEW(ctx, part_of, split->n_nodes);
    OPN_TRY(deal_parts(ctx, graph, split, turns, seed, n_parts, part_of));
    OPN_TRY(opn_i_split_narrow(ctx, graph, split, -1, NULL, &other));
    memset(other->count, 0, sizeof(other->count));
    for (opn_vid i = 0; i < split->n_nodes; i++) {
        other->role[i] = role_in_turn(turns, other->role[i], part_of[i], part, n_parts);
        other->count[other->role[i]]++;
    }
    OPN_FAIL_IF(ctx, other->count[OPN_ROLE_TRAIN] == 0, OPN_ERR_SHAPE,
                "%s: too few labelled nodes to divide", graph->name);
    *out = other;
    other = NULL;
cleanup:
    opn_i_release(&ctx->alloc, part_of);
    opn_split_free(other);
    return status;
}
