// npz_labels.c -- labels of an npz archive: numbers, names, or a one-hot row for each
// node.

#include "data/npz_reader.h"
#include "tables/class_order.h"
#include "tables/folder_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int64_t opn_i_npz_n_labels(const opn_i_npz_input *labels)
{
    if (labels->is_none)
        return OPN_NPZ_ANY_ROWS;
    if (labels->is_lines)
        return labels->lines.n;
    return labels->value.n_dims == 0 ? 1 : labels->value.shape[0];
}

static opn_status
fail_count(const opn_i_npz_reader *reader, const opn_i_npz_input *labels, int64_t n_items)
{
    return opn_i_fail(reader->ctx, OPN_ERR_FORMAT,
                      "%s: %lld items, but the graph has %d nodes", labels->what,
                      (long long)n_items, opn_i_graph_n_nodes(reader->graph));
}

// ---- classes by name -----------------------------------------------------------------

// Classes by first appearance, and the one of each node.
typedef struct named_labels {
    opn_i_names classes;
    int32_t *label; // [V] -1 where unlabelled
    int64_t n_unlabelled;
    int64_t first_word; // the first node whose label is a word for none, or -1
} named_labels;

// Text that stands for no label, unless class_names lists it.
static bool is_missing(const opn_i_npz_reader *reader, const char *text)
{
    const opn_i_names *listed = &reader->graph->class_names;
    if (!opn_i_is_missing(text) && strcmp(text, "-1") != 0)
        return false;
    for (int64_t k = 0; k < listed->n; k++)
        if (strcmp(opn_i_names_at(listed, k), text) == 0)
            return false;
    return true;
}

static opn_status add_label(const opn_i_npz_reader *reader,
                            named_labels *named,
                            int64_t i,
                            const char *text)
{
    if (is_missing(reader, text)) {
        named->label[i] = -1;
        named->n_unlabelled++;
        if (named->first_word < 0 && text[0] != 0)
            named->first_word = i;
        return OPN_OK;
    }
    return opn_i_names_intern(reader->ctx, &named->classes, text, strlen(text),
                              &named->label[i]);
}

// The classes that class_names lists, in its order: rank[k] is the number of class k.
static opn_status
find_listed(opn_i_npz_reader *reader, const opn_i_names *classes, int32_t *rank)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    const opn_i_names *listed = &reader->graph->class_names;
    opn_i_names known = {0};
    int32_t number = 0;
    for (int64_t k = 0; k < listed->n; k++) {
        const char *text = opn_i_names_at(listed, k);
        OPN_TRY(opn_i_names_intern(ctx, &known, text, strlen(text), &number));
        OPN_FAIL_IF(ctx, number < k, OPN_ERR_FORMAT, "%s: class_names lists \"%s\" twice",
                    reader->path, text);
    }
    for (int64_t k = 0; k < classes->n; k++) {
        const char *text = opn_i_names_at(classes, k);
        rank[k] = opn_i_names_find(&known, text, strlen(text));
        OPN_FAIL_IF(ctx, rank[k] < 0, OPN_ERR_FORMAT,
                    "%s: the label \"%s\" is not in class_names", reader->path, text);
    }
cleanup:
    opn_i_names_deinit(&ctx->alloc, &known);
    return status;
}

static opn_status settle_names(opn_i_npz_reader *reader, const named_labels *named)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    opn_graph *graph = reader->graph;
    int32_t *rank = NULL;
    const bool is_listed = graph->class_names.n > 0;
    OPN_TRY_NEW(ctx, rank, named->classes.n);
    if (is_listed)
        OPN_TRY(find_listed(reader, &named->classes, rank));
    else
        OPN_TRY(opn_i_classes_rank(ctx, &named->classes, false, rank,
                                   &graph->class_names));
    graph->n_classes = (int32_t)(is_listed ? graph->class_names.n : named->classes.n);
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++)
        graph->label[i] = named->label[i] < 0 ? -1 : rank[named->label[i]];
cleanup:
    opn_i_release(&ctx->alloc, rank);
    return status;
}

// Reads the label of each node; `text` has room for any of them.
static opn_status add_labels(opn_i_npz_reader *reader,
                             const opn_i_npz_input *labels,
                             char *text,
                             named_labels *named)
{
    opn_status status = OPN_OK;
    char first[32] = "";
    size_t n_chars = 0;
    for (int64_t i = 0; i < opn_i_graph_n_nodes(reader->graph); i++) {
        if (!labels->is_lines)
            OPN_TRY(opn_i_npy_value_text(reader->ctx, labels->what, &labels->value, i,
                                         text, &n_chars));
        const char *said = labels->is_lines ? opn_i_names_at(&labels->lines, i) : text;
        OPN_TRY(add_label(reader, named, i, said));
        if (named->first_word == i)
            snprintf(first, sizeof(first), "%s", said);
    }
    if (named->first_word >= 0)
        OPN_TRY(opn_i_graph_note(reader->ctx, reader->graph,
                                 "nodes without a label: %lld; the label of node %lld, "
                                 "\"%s\", is taken for none",
                                 (long long)named->n_unlabelled,
                                 (long long)named->first_word, first));
cleanup:
    return status;
}

static opn_status read_texts(opn_i_npz_reader *reader, const opn_i_npz_input *labels)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    const int64_t n = opn_i_graph_n_nodes(reader->graph);
    const int64_t n_items =
            labels->is_lines ? labels->lines.n : opn_i_npy_value_n_items(&labels->value);
    named_labels named = {.first_word = -1};
    char *text = NULL;
    size_t room = 0;
    if (n_items != n)
        OPN_TRY(fail_count(reader, labels, n_items));
    OPN_TRY_NEW(ctx, named.label, n);
    if (!labels->is_lines) {
        OPN_TRY(opn_i_npy_value_text_room(ctx, labels->what, &labels->value, &room));
        OPN_TRY_NEW(ctx, text, room);
    }
    OPN_TRY(add_labels(reader, labels, text, &named));
    OPN_TRY(settle_names(reader, &named));
cleanup:
    opn_i_names_deinit(&ctx->alloc, &named.classes);
    opn_i_release(&ctx->alloc, named.label);
    opn_i_release(&ctx->alloc, text);
    return status;
}

// ---- classes by number ---------------------------------------------------------------

// Whole numbers of any type; NaN counts as -1, unlabelled.
static opn_status
to_numbers(opn_ctx *ctx, const opn_i_npz_input *labels, int64_t n, int64_t *number)
{
    opn_status status = OPN_OK;
    double *real = NULL;
    if (labels->value.array.kind != 'f') {
        OPN_TRY(opn_i_ndarray_to_i64(ctx, labels->what, &labels->value.array, number));
        goto cleanup;
    }
    OPN_TRY_NEW(ctx, real, n);
    OPN_TRY(opn_i_ndarray_to_f64(ctx, labels->what, &labels->value.array, real));
    for (int64_t i = 0; i < n; i++) {
        const bool in_range = real[i] >= -0x1p53 && real[i] <= 0x1p53; // false for NaN
        OPN_FAIL_IF(
                ctx, !isnan(real[i]) && (!in_range || real[i] != floor(real[i])),
                OPN_ERR_FORMAT,
                "%s: item %lld is %g; labels are whole numbers, names or one-hot rows",
                labels->what, (long long)i, real[i]);
        number[i] = in_range ? (int64_t)real[i] : -1;
    }
cleanup:
    opn_i_release(&ctx->alloc, real);
    return status;
}

// Whether the numbers are 0 … K-1 without gaps, as in the benchmarks; sets K.
static opn_status are_gapless(
        opn_ctx *ctx, const int64_t *number, int64_t n, bool *gapless, int32_t *n_classes)
{
    opn_status status = OPN_OK;
    uint8_t *seen = NULL;
    int64_t largest = -1;
    int64_t n_seen = 0;
    for (int64_t i = 0; i < n; i++)
        largest = number[i] > largest ? number[i] : largest;
    *gapless = largest < n;
    if (!*gapless)
        goto cleanup;
    OPN_TRY_NEW(ctx, seen, largest + 1);
    for (int64_t i = 0; i < n; i++) {
        if (number[i] >= 0 && seen[number[i]] == 0) {
            seen[number[i]] = 1;
            n_seen++;
        }
    }
    *gapless = n_seen == largest + 1;
    *n_classes = (int32_t)n_seen;
cleanup:
    opn_i_release(&ctx->alloc, seen);
    return status;
}

// Two classes are often numbered -1 and 1; elsewhere -1 stands for no label.
static bool are_signs(opn_vid n, const int64_t *number)
{
    for (opn_vid i = 0; i < n; i++)
        if (number[i] != -1 && number[i] != 1)
            return false;
    return n > 0;
}

// Numbers with gaps: only those that occur are classes, and keep their number as a name.
static opn_status name_numbers(opn_i_npz_reader *reader, const int64_t *number)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    opn_graph *graph = reader->graph;
    const opn_vid n = opn_i_graph_n_nodes(graph);
    named_labels named = {0};
    char text[24];
    const bool have_signs = are_signs(n, number);
    OPN_TRY_NEW(ctx, named.label, n);
    for (opn_vid i = 0; i < n; i++) {
        const int n_chars = snprintf(text, sizeof(text), "%" PRId64, number[i]);
        if (have_signs)
            OPN_TRY(opn_i_names_intern(ctx, &named.classes, text, (size_t)n_chars,
                                       &named.label[i]));
        else
            OPN_TRY(add_label(reader, &named, i, text));
    }
    OPN_TRY(settle_names(reader, &named));
    OPN_TRY(opn_i_graph_note(ctx, graph,
                             "the classes are the %d numbers among the labels, from %s "
                             "to %s",
                             graph->n_classes, opn_i_names_at(&graph->class_names, 0),
                             opn_i_names_at(&graph->class_names, graph->n_classes - 1)));
cleanup:
    opn_i_names_deinit(&ctx->alloc, &named.classes);
    opn_i_release(&ctx->alloc, named.label);
    return status;
}

static opn_status
settle_numbers(opn_i_npz_reader *reader, const char *what, const int64_t *number)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    opn_graph *graph = reader->graph;
    const opn_vid n = opn_i_graph_n_nodes(graph);
    const int64_t n_listed = graph->class_names.n;
    bool gapless = false;
    for (opn_vid i = 0; i < n; i++) {
        OPN_FAIL_IF(ctx, number[i] < -1, OPN_ERR_FORMAT,
                    "%s: item %d is %lld, below 0 and not -1 for unlabelled", what, i,
                    (long long)number[i]);
        OPN_FAIL_IF(ctx, n_listed > 0 && number[i] >= n_listed, OPN_ERR_FORMAT,
                    "%s: item %d is %lld, outside [0, %lld) and not -1 for unlabelled",
                    what, i, (long long)number[i], (long long)n_listed);
    }
    OPN_TRY(are_gapless(ctx, number, n, &gapless, &graph->n_classes));
    if (!gapless && n_listed == 0)
        return name_numbers(reader, number);
    if (n_listed > 0)
        graph->n_classes = (int32_t)n_listed;
    for (opn_vid i = 0; i < n; i++)
        graph->label[i] = (int32_t)number[i];
cleanup:
    return status;
}

// ---- one-hot -------------------------------------------------------------------------

// The column of the only 1 in each row; -1 for a row of zeros.
static opn_status
find_ones(opn_ctx *ctx, const char *what, const opn_i_csr *rows, int64_t *number)
{
    opn_status status = OPN_OK;
    for (int32_t i = 0; i < rows->n_rows; i++) {
        number[i] = -1;
        for (opn_off e = rows->row_ptr[i]; e < rows->row_ptr[i + 1]; e++) {
            const double value = rows->value == NULL ? 1.0 : (double)rows->value[e];
            if (value == 0.0)
                continue;
            OPN_FAIL_IF(ctx, value != 1.0 || number[i] >= 0, OPN_ERR_FORMAT,
                        "%s: row %d has %s; a one-hot row has a single 1, and a node "
                        "belongs to one class only",
                        what, i,
                        value == 1.0 ? "several ones" : "other values than 0 and 1");
            number[i] = rows->col_idx[e];
        }
    }
cleanup:
    return status;
}

static opn_status
read_one_hot(opn_i_npz_reader *reader, const opn_i_npz_input *labels, int64_t *number)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    const opn_i_npz_rows shape = {.n_nodes = opn_i_graph_n_nodes(reader->graph)};
    opn_i_csr rows = {0};
    OPN_TRY(opn_i_npz_input_matrix(ctx, labels, &shape, &rows));
    OPN_TRY(find_ones(ctx, labels->what, &rows, number));
    OPN_TRY(opn_i_graph_note(ctx, reader->graph,
                             "the labels are one-hot rows of %d columns", rows.n_cols));
cleanup:
    opn_i_csr_deinit(&ctx->alloc, &rows);
    return status;
}

// ---- all forms -----------------------------------------------------------------------

// A matrix with a single column is a column of labels.
static bool is_one_hot(const opn_i_npy_value *value)
{
    return value->sparse != NULL || (value->n_dims == 2 && value->shape[1] != 1);
}

opn_status opn_i_npz_read_labels(opn_i_npz_reader *reader, const opn_i_npz_input *labels)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    const opn_vid n = opn_i_graph_n_nodes(reader->graph);
    const opn_i_ndarray *array = &labels->value.array;
    int64_t *number = NULL;
    OPN_TRY_NEW(ctx, reader->graph->label, n);
    if (labels->is_none) {
        for (opn_vid i = 0; i < n; i++)
            reader->graph->label[i] = -1;
        reader->graph->n_classes = (int32_t)reader->graph->class_names.n;
        goto cleanup;
    }
    if (labels->is_lines || labels->value.objects != NULL || array->kind == 'U' ||
        array->kind == 'S') {
        OPN_TRY(read_texts(reader, labels));
        goto cleanup;
    }
    OPN_TRY_NEW(ctx, number, n);
    if (is_one_hot(&labels->value)) {
        OPN_TRY(read_one_hot(reader, labels, number));
    } else {
        if (array->n_items != n)
            OPN_TRY(fail_count(reader, labels, array->n_items));
        OPN_TRY(to_numbers(ctx, labels, n, number));
    }
    OPN_TRY(settle_numbers(reader, labels->what, number));
cleanup:
    opn_i_release(&ctx->alloc, number);
    return status;
}
