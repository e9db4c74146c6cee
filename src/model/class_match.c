// class_match.c -- the classes of a graph beside those that a model knows, by name.

#include "model/class_match.h"

#include "tables/class_order.h"

#include <string.h>

// ---- names ---------------------------------------------------------------------------

// A model calls classes without a name by their number.
static bool is_numbered(const opn_i_names *names)
{
    for (int64_t k = 0; k < names->n; k++)
        if (opn_i_plain_number(opn_i_names_at(names, k)) < 0)
            return false;
    return true;
}

// Whether names can be compared: words with words, numbers with numbers.
static bool are_both_named(const opn_model *model, const opn_graph *graph)
{
    return is_numbered(&model->class_names) == is_numbered(&graph->class_names);
}

bool opn_i_classes_agree(const opn_model *model, const opn_graph *graph)
{
    char number[12];
    int32_t m = 0;
    for (int32_t k = 0; k < graph->n_classes && m < model->sizes.n_classes; k++)
        m += strcmp(opn_graph_class_name(graph, k, number),
                    opn_model_class_name(model, m)) == 0;
    return m == model->sizes.n_classes || !are_both_named(model, graph);
}

// Index in the model of each class of the graph, -1 where it knows none of that name.
static opn_status
find_known(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, int32_t *known)
{
    opn_status status = OPN_OK;
    opn_i_names names = {0};
    char number[12];
    OPN_TRY(opn_i_names_index(ctx, &model->class_names, &names));
    for (int32_t k = 0; k < graph->n_classes; k++) {
        const char *name = opn_graph_class_name(graph, k, number);
        known[k] = opn_i_names_find(&names, name, strlen(name));
    }
cleanup:
    opn_i_names_deinit(&ctx->alloc, &names);
    return status;
}

// ---- order ---------------------------------------------------------------------------

// The new number of each class: classes that the model knows share out their own numbers
// in its order, the others keep theirs. False if nothing moves.
static bool
rank_classes(int32_t n, int32_t n_model, const int32_t *known, int32_t *at, int32_t *rank)
{
    bool moves = false;
    int32_t slot = 0;
    for (int32_t m = 0; m < n_model; m++)
        at[m] = -1;
    for (int32_t k = 0; k < n; k++) {
        rank[k] = k;
        if (known[k] >= 0)
            at[known[k]] = k;
    }
    for (int32_t m = 0; m < n_model; m++) {
        if (at[m] < 0)
            continue;
        while (known[slot] < 0)
            slot++;
        moves = moves || slot != at[m];
        rank[at[m]] = slot++;
    }
    return moves;
}

static opn_status move_classes(opn_ctx *ctx, const int32_t *rank, opn_graph *graph)
{
    opn_status status = OPN_OK;
    const int32_t n = graph->n_classes;
    opn_i_names names = {0};
    int32_t *from = NULL;
    OPN_TRY_NEW(ctx, from, n);
    for (int32_t k = 0; k < n; k++)
        from[rank[k]] = k;
    for (int32_t k = 0; k < n; k++) {
        const char *name = opn_i_names_at(&graph->class_names, from[k]);
        OPN_TRY(opn_i_names_add(ctx, &names, name, strlen(name)));
    }
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++)
        if (graph->label[i] >= 0)
            graph->label[i] = rank[graph->label[i]];
    opn_i_names_deinit(&graph->alloc, &graph->class_names);
    graph->class_names = names;
    names = (opn_i_names){0};
cleanup:
    opn_i_release(&ctx->alloc, from);
    opn_i_names_deinit(&ctx->alloc, &names);
    return status;
}

static opn_status order_classes(opn_ctx *ctx,
                                const opn_model *model,
                                const int32_t *known,
                                opn_graph *graph)
{
    opn_status status = OPN_OK;
    const int32_t n_model = model->sizes.n_classes;
    int32_t *at = NULL;
    int32_t *rank = NULL;
    OPN_TRY_NEW(ctx, at, n_model);
    OPN_TRY_NEW(ctx, rank, graph->n_classes);
    if (rank_classes(graph->n_classes, n_model, known, at, rank))
        OPN_TRY(move_classes(ctx, rank, graph));
cleanup:
    opn_i_release(&ctx->alloc, at);
    opn_i_release(&ctx->alloc, rank);
    return status;
}

// ---- both ----------------------------------------------------------------------------

// Classes with labelled nodes that the model knows, and that it does not.
typedef struct found {
    int32_t n_known, n_unknown;
    int32_t first_unknown;
} found;

static opn_status
count_found(opn_ctx *ctx, const opn_graph *graph, const int32_t *known, found *out)
{
    opn_status status = OPN_OK;
    int32_t *size = NULL;
    OPN_TRY_NEW(ctx, size, graph->n_classes);
    opn_graph_class_sizes(graph, size);
    for (int32_t k = graph->n_classes - 1; k >= 0; k--) {
        out->n_known += size[k] > 0 && known[k] >= 0;
        if (size[k] == 0 || known[k] >= 0)
            continue;
        out->n_unknown++;
        out->first_unknown = k;
    }
cleanup:
    opn_i_release(&ctx->alloc, size);
    return status;
}

// In the graph it was trained on, unknown classes are those that were held out.
static opn_status tell_unknown(opn_ctx *ctx,
                               const opn_model *model,
                               const opn_graph *graph,
                               const found *f,
                               const char *name)
{
    opn_status status = OPN_OK;
    char hash[65];
    OPN_TRY(opn_graph_hash(ctx, graph, hash));
    if (strcmp(hash, model->data_hash) != 0)
        opn_i_log(ctx, OPN_LOG_WARNING,
                  "%s: the model does not know %d of the %d classes, \"%s\" for example; "
                  "it never predicts such a class",
                  graph->name, f->n_unknown, f->n_known + f->n_unknown, name);
cleanup:
    return status;
}

opn_status opn_i_classes_match(opn_ctx *ctx, const opn_model *model, opn_graph *graph)
{
    opn_status status = OPN_OK;
    int32_t *known = NULL;
    found f = {0};
    char number[12];
    if (graph->class_names.n == 0 || !are_both_named(model, graph))
        return OPN_OK;
    OPN_TRY_NEW(ctx, known, graph->n_classes);
    OPN_TRY(find_known(ctx, model, graph, known));
    OPN_TRY(count_found(ctx, graph, known, &f));
    const char *name = opn_graph_class_name(graph, f.first_unknown, number);
    OPN_FAIL_IF(ctx, f.n_known == 0 && f.n_unknown > 0, OPN_ERR_SHAPE,
                "%s: has classes such as \"%s\", none of which the model knows; it knows "
                "classes such as \"%s\". Name the column of the labels with `label`, or "
                "leave labels out",
                graph->name, name, opn_model_class_name(model, 0));
    OPN_TRY(order_classes(ctx, model, known, graph));
    if (f.n_unknown > 0)
        OPN_TRY(tell_unknown(ctx, model, graph, &f, name));
cleanup:
    opn_i_release(&ctx->alloc, known);
    return status;
}
