// check.c -- warnings about the edges and labels of a user's own data.

#include "graph/check_parts.h"
#include "graph/shards.h"

#include "graph/feature_rule.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    FEW_LABELS = 3,                // one to train, one to validate, one to test
    ROOM = 512,                    // bytes of a message
    MAX_SHOWN = OPN_SHOWN_NAME - 6 // bytes of a name: without quotes, ellipsis and NUL
};

// ---- messages ------------------------------------------------------------------------

const char *opn_i_shown_name(const char *name, char out[OPN_SHOWN_NAME])
{
    size_t n = strlen(name);
    const bool is_cut = n > MAX_SHOWN;
    if (is_cut) {
        n = MAX_SHOWN;
        while (n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80)
            n--; // never split a UTF-8 character
    }
    size_t at = 0;
    out[at++] = '"';
    for (size_t c = 0; c < n; c++) {
        const unsigned char byte = (unsigned char)name[c];
        out[at++] = byte < 0x20 || byte == 0x7f ? '?' : name[c];
    }
    snprintf(out + at, OPN_SHOWN_NAME - at, "%s\"", is_cut ? "…" : "");
    return out;
}

const char *
opn_i_shown_node(const opn_i_check *check, opn_vid i, char out[OPN_SHOWN_NAME])
{
    char number[12];
    return opn_i_shown_name(opn_graph_node_name(check->graph, i, number), out);
}

const char *
opn_i_shown_class(const opn_i_check *check, int32_t k, char out[OPN_SHOWN_NAME])
{
    char number[12];
    return opn_i_shown_name(opn_graph_class_name(check->graph, k, number), out);
}

const char *
opn_i_shown_feature(const opn_i_check *check, int32_t k, char out[OPN_SHOWN_NAME])
{
    char number[12];
    return opn_i_shown_name(opn_graph_feature_name(check->graph, k, number), out);
}

void opn_i_warn(
        const opn_i_check *check, const char *kind, int64_t count, const char *fmt, ...)
{
    char message[ROOM];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    if (check->tell != NULL)
        check->tell(check->user, &(opn_warning){kind, count, message});
    else
        opn_i_log(check->ctx, OPN_LOG_WARNING, "%s: %s", check->graph->name, message);
}

// ---- edges ---------------------------------------------------------------------------

// Edges that preprocessing drops. Duplicate columns of a row are adjacent.
static void check_edges(const opn_i_check *check)
{
    const opn_i_csr *a = &check->graph->topology;
    int64_t n_repeated = 0;
    int64_t n_loops = 0;
    opn_vid from = 0;
    opn_vid to = 0;
    opn_vid at = 0;
    char name[OPN_SHOWN_NAME];
    char other[OPN_SHOWN_NAME];
    for (opn_vid i = 0; i < a->n_rows; i++) {
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
            const opn_vid j = a->col_idx[e];
            if (j == i) {
                at = n_loops++ == 0 ? i : at;
            } else if (e > a->row_ptr[i] && a->col_idx[e - 1] == j) {
                from = n_repeated == 0 ? i : from;
                to = n_repeated++ == 0 ? j : to;
            }
        }
    }
    if (n_repeated > 0)
        opn_i_warn(check, "repeated-edges", n_repeated,
                   "duplicate edges: %lld, for example %s to %s; each pair counts once, "
                   "with its largest weight",
                   (long long)n_repeated, opn_i_shown_node(check, from, name),
                   opn_i_shown_node(check, to, other));
    if (n_loops > 0)
        opn_i_warn(check, "self-loops", n_loops,
                   "self-loops: %lld, for example %s; they are ignored",
                   (long long)n_loops, opn_i_shown_node(check, at, name));
}

// Summary of a connected component.
typedef struct part {
    opn_vid size;
    opn_vid first; // its smallest node
    bool is_labelled;
} part;

static void warn_about_parts(const opn_i_check *check, const part *parts, int32_t n)
{
    int32_t n_isolated = 0;
    int32_t n_unlabelled = 0;
    opn_vid alone = 0;
    opn_vid unlabelled = 0;
    char name[OPN_SHOWN_NAME];
    for (int32_t c = 0; c < n; c++) {
        if (parts[c].size == 1)
            alone = n_isolated++ == 0 ? parts[c].first : alone;
        else if (!parts[c].is_labelled)
            unlabelled = n_unlabelled++ == 0 ? parts[c].first : unlabelled;
    }
    if (n_isolated > 0)
        opn_i_warn(
                check, "isolated-nodes", n_isolated,
                "isolated nodes: %d, for example %s; %s", (int)n_isolated,
                opn_i_shown_node(check, alone, name),
                check->graph->features.n_cols > 0
                        ? "they are classified by their own features alone"
                        : "as there are no features either, nothing tells their class");
    if (n_unlabelled > 0)
        opn_i_warn(check, "unlabelled-parts", n_unlabelled,
                   "components without a labelled node: %d, for example that of "
                   "%s; no label can reach them",
                   (int)n_unlabelled, opn_i_shown_node(check, unlabelled, name));
}

// A graph with no labels at all is reported elsewhere.
static opn_status check_parts(const opn_i_check *check, int32_t n_labelled)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = check->ctx;
    const opn_vid n = opn_i_graph_n_nodes(check->graph);
    int32_t *component = NULL;
    part *parts = NULL;
    int32_t n_parts = 0;
    OPN_TRY_NEW(ctx, component, n);
    OPN_TRY(opn_i_graph_components(ctx, check->graph, component, &n_parts));
    OPN_TRY_NEW(ctx, parts, n_parts);
    for (opn_vid i = 0; i < n; i++) {
        part *p = &parts[component[i]];
        p->first = p->size++ == 0 ? i : p->first;
        p->is_labelled |= n_labelled == 0 || check->graph->label[i] >= 0;
    }
    warn_about_parts(check, parts, n_parts);
cleanup:
    opn_i_release(&ctx->alloc, component);
    opn_i_release(&ctx->alloc, parts);
    return status;
}

// ---- classes -------------------------------------------------------------------------

static void check_class_sizes(const opn_i_check *check, const int32_t *size)
{
    int32_t n_small = 0;
    int32_t small = 0;
    char name[OPN_SHOWN_NAME];
    for (int32_t k = 0; k < check->graph->n_classes; k++)
        if (size[k] < FEW_LABELS)
            small = n_small++ == 0 ? k : small;
    if (n_small > 0)
        opn_i_warn(check, "small-classes", n_small,
                   "classes with fewer than %d labelled nodes: %d, for example %s with "
                   "%d; too few to learn from or to score",
                   FEW_LABELS, (int)n_small, opn_i_shown_class(check, small, name),
                   (int)size[small]);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Lowercases the name (ASCII only: other alphabets depend on the language) and removes
// blanks. Returns its length.
static size_t fold(const char *name, char *out)
{
    size_t n = 0;
    for (; *name != 0; name++)
        if (!is_blank(*name))
            out[n++] = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
    return n;
}

static opn_status check_class_names(const opn_i_check *check)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = check->ctx;
    const opn_i_names *names = &check->graph->class_names;
    opn_i_names folded = {0};
    char *text = NULL;
    int32_t *first = NULL; // first class with that folded name
    int32_t n_alike = 0;
    int32_t one = 0;
    int32_t other = 0;
    char name[OPN_SHOWN_NAME];
    char other_name[OPN_SHOWN_NAME];
    OPN_TRY_NEW(ctx, text, names->n_text + 1);
    OPN_TRY_NEW(ctx, first, names->n);
    for (int32_t k = 0; k < names->n; k++) {
        const int64_t n_before = folded.n;
        int32_t number = 0;
        const size_t n_chars = fold(opn_i_names_at(names, k), text);
        OPN_TRY(opn_i_names_intern(ctx, &folded, text, n_chars, &number));
        if (number == n_before) {
            first[number] = k;
        } else if (n_alike++ == 0) {
            one = first[number];
            other = k;
        }
    }
    if (n_alike > 0)
        opn_i_warn(check, "alike-classes", n_alike,
                   "class names that differ only in case or spaces: %d, for example "
                   "%s and %s; they count as different classes",
                   (int)n_alike, opn_i_shown_class(check, one, name),
                   opn_i_shown_class(check, other, other_name));
cleanup:
    opn_i_names_deinit(&ctx->alloc, &folded);
    opn_i_release(&ctx->alloc, text);
    opn_i_release(&ctx->alloc, first);
    return status;
}

static opn_status check_labels(const opn_i_check *check, int32_t *n_labelled)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = check->ctx;
    int32_t *size = NULL;
    OPN_TRY_NEW(ctx, size, check->graph->n_classes);
    opn_graph_class_sizes(check->graph, size);
    for (int32_t k = 0; k < check->graph->n_classes; k++)
        *n_labelled += size[k];
    check_class_sizes(check, size);
    OPN_TRY(check_class_names(check));
cleanup:
    opn_i_release(&ctx->alloc, size);
    return status;
}

// ---- all checks ----------------------------------------------------------------------

// Whether training standardises the features, as presets and `normalise` auto decide.
static opn_status find_scaling(opn_ctx *ctx,
                               const opn_graph *graph,
                               const opn_params *params,
                               bool *is_scaled)
{
    opn_status status = OPN_OK;
    const char *normalise = opn_params_text(params, "normalise");
    const bool is_free = strcmp(normalise, "auto") == 0;
    if (is_free && strcmp(opn_params_text(params, "preset"), "auto") == 0)
        OPN_TRY(opn_i_features_suit(ctx, &graph->features, &normalise));
    else if (is_free && opn_i_features_are_signed(&graph->features))
        normalise = "standard";
    *is_scaled = strcmp(normalise, "standard") == 0;
cleanup:
    return status;
}

opn_status opn_graph_warnings(opn_ctx *ctx,
                              const opn_graph *graph,
                              const opn_params *params,
                              opn_warning_fn *tell,
                              void *user)
{
    OPN_REJECT_NULL(ctx, graph, params);
    opn_status status = OPN_OK;
    const opn_i_check check = {ctx, graph, tell, user};
    int32_t n_labelled = 0;
    bool is_scaled = false;
    if (graph->dataset != NULL || opn_i_graph_n_nodes(graph) == 0 ||
        opn_i_graph_is_partial(graph) || // a rank would warn of what others have
        (tell == NULL && ctx->hooks.log == NULL))
        return OPN_OK;
    check_edges(&check);
    OPN_TRY(check_labels(&check, &n_labelled));
    OPN_TRY(check_parts(&check, n_labelled));
    OPN_TRY(find_scaling(ctx, graph, params, &is_scaled));
    OPN_TRY(opn_i_check_features(&check, is_scaled));
cleanup:
    return status;
}
