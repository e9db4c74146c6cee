// feature_match.c -- which column of a model each feature of a graph belongs to.

#include "model/features.h"

#include <string.h>

// ---- names ---------------------------------------------------------------------------

// What a model knows by name; columns of words are features called COLUMN=VALUE.
typedef struct known_names {
    opn_i_names features;
    opn_i_names columns; // of words
} known_names;

static void deinit_known(opn_ctx *ctx, known_names *known)
{
    opn_i_names_deinit(&ctx->alloc, &known->features);
    opn_i_names_deinit(&ctx->alloc, &known->columns);
}

static opn_status find_known(opn_ctx *ctx, const opn_model *model, known_names *known)
{
    opn_status status = OPN_OK;
    for (int64_t k = 0; k < model->feature_names.n; k++) {
        const char *name = opn_i_names_at(&model->feature_names, k);
        const size_t n_column = strcspn(name, "=");
        int32_t at = 0;
        OPN_TRY(opn_i_names_intern(ctx, &known->features, name, strlen(name), &at));
        if (name[n_column] == '=')
            OPN_TRY(opn_i_names_intern(ctx, &known->columns, name, n_column, &at));
    }
cleanup:
    return status;
}

// Whether a feature that is not known is a new value of a column that is, or marks what
// is missing there.
static bool is_new_value(const known_names *known, const char *name)
{
    static const char mark[] = " is missing";
    const size_t n = strlen(name);
    const size_t n_mark = sizeof(mark) - 1;
    const size_t n_column = strcspn(name, "=");
    if (n_column < n && opn_i_names_find(&known->columns, name, n_column) >= 0)
        return true;
    return n > n_mark && strcmp(name + n - n_mark, mark) == 0 &&
           (opn_i_names_find(&known->columns, name, n - n_mark) >= 0 ||
            opn_i_names_find(&known->features, name, n - n_mark) >= 0);
}

// ---- columns -------------------------------------------------------------------------

// Index in the model of each of the graph's features, -1 for new values.
static opn_status
match_names(opn_ctx *ctx, const opn_model *model, const opn_graph *graph, int32_t *number)
{
    opn_status status = OPN_OK;
    known_names known = {0};
    OPN_TRY(find_known(ctx, model, &known));
    for (int32_t k = 0; k < graph->features.n_cols; k++) {
        const char *name = opn_i_names_at(&graph->feature_names, k);
        number[k] = opn_i_names_find(&known.features, name, strlen(name));
        OPN_FAIL_IF(
                ctx, number[k] < 0 && !is_new_value(&known, name), OPN_ERR_SHAPE,
                "%s: the model does not know feature \"%s\"; it must have the features "
                "of the data it was trained on",
                graph->name, name);
    }
cleanup:
    deinit_known(ctx, &known);
    return status;
}

static bool is_as_before(const int32_t *number, int32_t n_cols, int32_t n_known)
{
    for (int32_t k = 0; k < n_cols; k++)
        if (number[k] != k)
            return false;
    return n_cols == n_known;
}

opn_status opn_i_features_match(opn_ctx *ctx,
                                const opn_model *model,
                                const opn_graph *graph,
                                opn_i_features *x)
{
    opn_status status = OPN_OK;
    int32_t *number = NULL;
    const bool are_named = model->feature_names.n > 0 && graph->feature_names.n > 0;
    const int32_t n_known = opn_model_n_features(model);
    OPN_FAIL_IF(ctx, !are_named && x->n_cols != n_known, OPN_ERR_SHAPE,
                "%s: has %d features, but the model was trained on %d", graph->name,
                x->n_cols, n_known);
    if (are_named) {
        OPN_TRY_NEW(ctx, number, x->n_cols);
        OPN_TRY(match_names(ctx, model, graph, number));
        if (!is_as_before(number, x->n_cols, n_known))
            OPN_TRY(opn_i_features_renumber(ctx, number, n_known, x));
    }
cleanup:
    opn_i_release(&ctx->alloc, number);
    return status;
}

// ---- warnings ------------------------------------------------------------------------

static void
warn_of_new(opn_ctx *ctx, const opn_graph *graph, int64_t n_new, const char *example)
{
    if (n_new > 0)
        opn_i_log(ctx, OPN_LOG_WARNING,
                  "%s: %lld %s not in the data that the model was trained on, \"%s\"%s; "
                  "nodes that have %s count as having none",
                  graph->name, (long long)n_new,
                  n_new == 1 ? "value of a feature is" : "values of features are",
                  example, n_new == 1 ? "" : " for example", n_new == 1 ? "it" : "them");
}

static void warn_of_missing(opn_ctx *ctx,
                            const opn_model *model,
                            const opn_graph *graph,
                            const opn_i_names *own)
{
    int64_t n_missing = 0;
    const char *example = NULL;
    for (int64_t k = 0; k < model->feature_names.n; k++) {
        const char *name = opn_i_names_at(&model->feature_names, k);
        if (opn_i_names_find(own, name, strlen(name)) >= 0)
            continue;
        example = n_missing++ == 0 ? name : example;
    }
    if (n_missing > 0)
        opn_i_log(ctx, OPN_LOG_WARNING,
                  "%s: lacks %lld of the %lld features that the model was trained on, "
                  "\"%s\" for example; they count as 0",
                  graph->name, (long long)n_missing, (long long)model->feature_names.n,
                  example);
}

// Without the memory for names there is no warning; what follows will say so.
void opn_i_features_warn(opn_ctx *ctx, const opn_model *model, const opn_graph *graph)
{
    opn_status status = OPN_OK;
    known_names known = {0};
    opn_i_names own = {0};
    int64_t n_new = 0;
    const char *example = "";
    if (model->feature_names.n == 0 || graph->feature_names.n == 0)
        return;
    OPN_TRY(find_known(ctx, model, &known));
    for (int64_t k = 0; k < graph->feature_names.n; k++) {
        const char *name = opn_i_names_at(&graph->feature_names, k);
        int32_t at = 0;
        OPN_TRY(opn_i_names_intern(ctx, &own, name, strlen(name), &at));
        if (opn_i_names_find(&known.features, name, strlen(name)) >= 0)
            continue;
        if (!is_new_value(&known, name))
            goto cleanup; // an error
        example = n_new++ == 0 ? name : example;
    }
    warn_of_new(ctx, graph, n_new, example);
    warn_of_missing(ctx, model, graph, &own);
cleanup:
    (void)status;
    deinit_known(ctx, &known);
    opn_i_names_deinit(&ctx->alloc, &own);
}
