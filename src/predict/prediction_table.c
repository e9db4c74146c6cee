// prediction_table.c -- writes predictions as CSV, npz and JSON files.

#include "arrays/npz.h"
#include "graph/graph_data.h"
#include "io/bytes.h"
#include "io/csv.h"
#include "io/file_write.h"
#include "io/json_write.h"
#include "opine/decide.h"
#include "predict/prediction_data.h"
#include "predict/prediction_graphml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A per-node quantity.
typedef struct column {
    char name[24];
    const float *value; // [V]; NULL if the model does not measure it
} column;

enum { MAX_COLUMNS = 2 * OPN_N_MEASURES + 1 };

// The inputs of a table.
typedef struct prediction_table {
    const opn_model *model;
    const opn_graph *graph;
    const opn_split *split; // or NULL
    const opn_prediction *prediction;
    int32_t n_classes;
    column column[MAX_COLUMNS];
    int n_columns;
} prediction_table;

static void add_column(prediction_table *table, const char *name, const float *value)
{
    column *added = &table->column[table->n_columns++];
    snprintf(added->name, sizeof(added->name), "%s", name);
    added->value = value;
}

static void collect_columns(prediction_table *table)
{
    const opn_prediction *p = table->prediction;
    for (int m = 0; m < OPN_N_MEASURES; m++)
        add_column(table, opn_measure_name((opn_measure)m), p->measure[m]);
    for (int m = 0; m < OPN_N_PAPER_MEASURES && opn_i_prediction_is_smoothed(p); m++)
        add_column(table, opn_score_name(OPN_SCORE_SMOOTHED + m), p->smoothed[m]);
    if (p->energy != NULL)
        add_column(table, opn_score_name(OPN_SCORE_ENERGY), p->energy);
}

static const char *role_of(const prediction_table *table, opn_vid i)
{
    if (table->split != NULL)
        return opn_role_name((opn_role)opn_split_roles(table->split)[i]);
    return opn_role_name(table->graph->label[i] < 0 ? OPN_ROLE_UNLABELLED
                                                    : OPN_ROLE_POOL);
}

// Name of the class k that was predicted about.
static const char *class_of(const prediction_table *table, int32_t k, char number[12])
{
    return opn_i_prediction_class(table->model, table->graph, k, number);
}

// Name of the node's label, "" if unlabelled.
static const char *label_of(const prediction_table *table, opn_vid i, char number[12])
{
    const int32_t label = table->graph->label[i];
    return label < 0 ? "" : opn_graph_class_name(table->graph, label, number);
}

static bool is_calibrated(const prediction_table *table)
{
    return table->prediction->calibrated != NULL;
}

static bool has_decisions(const prediction_table *table)
{
    return table->prediction->decision != NULL;
}

static const char *decision_of(const prediction_table *table, opn_vid i)
{
    return opn_decision_name((opn_decision)table->prediction->decision[i]);
}

// Name of the measure that caused the rejection, "" if the node is accepted.
static const char *decided_by_of(const prediction_table *table, opn_vid i)
{
    const int8_t m = table->prediction->decided_by[i];
    return m < 0 ? "" : opn_measure_name((opn_measure)m);
}

// The names of the classes in a node's set, joined by |; "" for an empty one. Returns
// what `text` has, which text->status says is whole.
static const char *set_of(const prediction_table *table, opn_vid i, opn_i_text *text)
{
    const uint8_t *member = table->prediction->member;
    const size_t at = (size_t)i * (size_t)table->n_classes;
    char number[12];
    opn_i_text_empty(text);
    for (int32_t k = 0; k < table->n_classes; k++)
        if (member[at + (size_t)k])
            opn_i_text_add(text, "%s%s", text->n > 0 ? "|" : "",
                           class_of(table, k, number));
    return opn_i_text_chars(text);
}

// ---- CSV -----------------------------------------------------------------------------

static opn_status put_class_heads(opn_ctx *ctx,
                                  opn_i_file_writer *file,
                                  const prediction_table *table,
                                  const char *prefix)
{
    opn_status status = OPN_OK;
    char number[12];
    char *head = NULL;
    size_t room = 0;
    for (int32_t k = 0; k < table->n_classes; k++) {
        const char *name = class_of(table, k, number);
        OPN_TRY_RESERVE(ctx, head, room, 0, strlen(prefix) + strlen(name) + 1);
        snprintf(head, room, "%s%s", prefix, name);
        opn_i_file_writer_put(file, ",", 1);
        opn_i_csv_put_text(file, head, ',');
    }
cleanup:
    opn_i_release(&ctx->alloc, head);
    return status;
}

static opn_status
put_head(opn_ctx *ctx, opn_i_file_writer *file, const prediction_table *table)
{
    opn_status status = OPN_OK;
    opn_i_file_writer_printf(file, "node,role,label");
    OPN_TRY(put_class_heads(ctx, file, table, "p_"));
    OPN_TRY(put_class_heads(ctx, file, table, "alpha_"));
    for (int c = 0; c < table->n_columns; c++)
        opn_i_file_writer_printf(file, ",%s", table->column[c].name);
    opn_i_file_writer_printf(file, ",predicted");
    if (has_decisions(table))
        opn_i_file_writer_printf(file, ",decision,decided_by");
    if (is_calibrated(table)) {
        opn_i_file_writer_printf(file, ",confidence");
        OPN_TRY(put_class_heads(ctx, file, table, "calibrated_"));
    }
    if (table->prediction->member != NULL)
        opn_i_file_writer_printf(file, ",set");
    if (table->prediction->p_known != NULL)
        opn_i_file_writer_printf(file, ",p_known");
    opn_i_file_writer_put(file, "\n", 1);
cleanup:
    return status;
}

// Element of an array, or NaN if there is no array.
static float number_at(const float *value, size_t at)
{
    return value == NULL ? NAN : value[at];
}

// A missing number is written as an empty field.
static void put_number(opn_i_file_writer *file, float number)
{
    if (isnan(number))
        opn_i_file_writer_put(file, ",", 1);
    else
        opn_i_file_writer_printf(file, ",%.9g", (double)number);
}

// One number per class.
static void put_numbers(opn_i_file_writer *file,
                        const prediction_table *table,
                        const float *value,
                        opn_vid i)
{
    const size_t n = (size_t)table->n_classes;
    for (size_t k = 0; k < n; k++)
        put_number(file, number_at(value, (size_t)i * n + k));
}

static void put_row(opn_i_file_writer *file,
                    const prediction_table *table,
                    opn_vid i,
                    opn_i_text *set)
{
    const opn_prediction *p = table->prediction;
    char number[12];
    opn_i_csv_put_text(file, opn_graph_node_name(table->graph, i, number), ',');
    opn_i_file_writer_printf(file, ",%s,", role_of(table, i));
    opn_i_csv_put_text(file, label_of(table, i, number), ',');
    put_numbers(file, table, p->probability, i);
    put_numbers(file, table, p->alpha, i);
    for (int c = 0; c < table->n_columns; c++)
        put_number(file, number_at(table->column[c].value, (size_t)i));
    opn_i_file_writer_put(file, ",", 1);
    opn_i_csv_put_text(file, class_of(table, p->predicted[i], number), ',');
    if (has_decisions(table))
        opn_i_file_writer_printf(file, ",%s,%s", decision_of(table, i),
                                 decided_by_of(table, i));
    if (is_calibrated(table)) {
        put_number(file, p->confidence[i]);
        put_numbers(file, table, p->calibrated, i);
    }
    if (p->member != NULL) {
        opn_i_file_writer_put(file, ",", 1);
        opn_i_csv_put_text(file, set_of(table, i, set), ',');
    }
    if (p->p_known != NULL)
        put_number(file, p->p_known[i]);
    opn_i_file_writer_put(file, "\n", 1);
}

static opn_status save_csv(opn_ctx *ctx, const prediction_table *table, const char *path)
{
    opn_status status = OPN_OK;
    opn_i_file_writer *file = NULL;
    opn_i_text set = {.ctx = ctx};
    OPN_TRY(opn_i_file_writer_open(ctx, path, &file));
    opn_i_file_writer_be_interruptible(file);
    OPN_TRY(put_head(ctx, file, table));
    const opn_vid n_nodes = opn_i_graph_n_nodes(table->graph);
    for (opn_vid i = 0; i < n_nodes && opn_i_file_writer_goes_on(file); i++)
        put_row(file, table, i, &set);
    OPN_TRY(set.status);
    status = opn_i_file_writer_commit(file);
    file = NULL;
cleanup:
    opn_i_text_free(&set);
    opn_i_file_writer_discard(file);
    return status;
}

// ---- npz -----------------------------------------------------------------------------

// The names as an array of strings, to be freed by the caller; the strings are borrowed.
static opn_status list_texts(opn_ctx *ctx, const opn_i_names *names, const char ***out)
{
    opn_status status = OPN_OK;
    OPN_TRY_NEW(ctx, *out, names->n);
    for (int64_t i = 0; i < names->n; i++)
        (*out)[i] = opn_i_names_at(names, i);
cleanup:
    return status;
}

static opn_status collect_nodes(opn_ctx *ctx,
                                const prediction_table *table,
                                opn_i_names *nodes,
                                opn_i_names *roles,
                                opn_i_names *labels,
                                opn_i_names *classes)
{
    opn_status status = OPN_OK;
    char number[12];
    for (int32_t k = 0; k < table->n_classes; k++) {
        const char *text = class_of(table, k, number);
        OPN_TRY(opn_i_names_add(ctx, classes, text, strlen(text)));
    }
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(table->graph); i++) {
        const char *text = opn_graph_node_name(table->graph, i, number);
        OPN_TRY(opn_i_names_add(ctx, nodes, text, strlen(text)));
        text = role_of(table, i);
        OPN_TRY(opn_i_names_add(ctx, roles, text, strlen(text)));
        text = label_of(table, i, number);
        OPN_TRY(opn_i_names_add(ctx, labels, text, strlen(text)));
    }
cleanup:
    return status;
}

// An array of NaN for quantities that the model lacks, as long as the largest array.
static opn_status make_nothing(opn_ctx *ctx, const opn_prediction *p, float **out)
{
    opn_status status = OPN_OK;
    const size_t n_wide = (size_t)p->n_nodes * (size_t)p->n_classes;
    OPN_TRY_NEW(ctx, *out, n_wide);
    for (size_t j = 0; j < n_wide; j++)
        (*out)[j] = NAN;
cleanup:
    return status;
}

static void
add_arrays(opn_i_npz_writer *writer, const prediction_table *table, const float *nothing)
{
    const opn_prediction *p = table->prediction;
    const int64_t shape[] = {p->n_nodes, p->n_classes};
    opn_i_npz_writer_add_i32(writer, "predicted", p->predicted, shape, 1);
    opn_i_npz_writer_add_f32(writer, "p", p->probability, shape, 2);
    opn_i_npz_writer_add_f32(writer, "alpha", p->alpha != NULL ? p->alpha : nothing,
                             shape, 2);
    for (int c = 0; c < table->n_columns; c++) {
        const float *value = table->column[c].value;
        opn_i_npz_writer_add_f32(writer, table->column[c].name,
                                 value != NULL ? value : nothing, shape, 1);
    }
    if (is_calibrated(table)) {
        opn_i_npz_writer_add_f32(writer, "confidence", p->confidence, shape, 1);
        opn_i_npz_writer_add_f32(writer, "calibrated", p->calibrated, shape, 2);
    }
    if (p->p_known != NULL)
        opn_i_npz_writer_add_f32(writer, "p_known", p->p_known, shape, 1);
}

// There are few words and they are static, so an array of pointers is enough.
static opn_status
add_decisions(opn_ctx *ctx, opn_i_npz_writer *writer, const prediction_table *table)
{
    opn_status status = OPN_OK;
    const int64_t n = opn_i_graph_n_nodes(table->graph);
    const char **words = NULL;
    OPN_TRY_NEW(ctx, words, n);
    for (opn_vid i = 0; i < n; i++)
        words[i] = decision_of(table, i);
    opn_i_npz_writer_add_text(writer, "decision", words, &n, 1);
    for (opn_vid i = 0; i < n; i++)
        words[i] = decided_by_of(table, i);
    opn_i_npz_writer_add_text(writer, "decided_by", words, &n, 1);
cleanup:
    opn_i_release(&ctx->alloc, words);
    return status;
}

// The sets as texts, which `sets` keeps until the writer has written them.
static opn_status add_sets(opn_ctx *ctx,
                           opn_i_npz_writer *writer,
                           const prediction_table *table,
                           opn_i_names *sets,
                           const char ***list)
{
    opn_status status = OPN_OK;
    opn_i_text text = {.ctx = ctx};
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(table->graph); i++) {
        const char *set = set_of(table, i, &text);
        OPN_TRY(text.status);
        OPN_TRY(opn_i_names_add(ctx, sets, set, strlen(set)));
    }
    OPN_TRY(list_texts(ctx, sets, list));
    opn_i_npz_writer_add_text(writer, "set", *list, &sets->n, 1);
cleanup:
    opn_i_text_free(&text);
    return status;
}

static opn_status save_npz(opn_ctx *ctx, const prediction_table *table, const char *path)
{
    opn_status status = OPN_OK;
    opn_i_npz_writer *writer = NULL;
    static const char *const arrays[] = {"node", "role", "label", "classes"};
    opn_i_names texts[5] = {{0}}; // the last are sets
    const char **lists[5] = {NULL};
    float *nothing = NULL;
    OPN_TRY(opn_i_npz_writer_open(ctx, path, &writer));
    OPN_TRY(collect_nodes(ctx, table, &texts[0], &texts[1], &texts[2], &texts[3]));
    for (int t = 0; t < 4; t++) {
        OPN_TRY(list_texts(ctx, &texts[t], &lists[t]));
        opn_i_npz_writer_add_text(writer, arrays[t], lists[t], &texts[t].n, 1);
    }
    OPN_TRY(make_nothing(ctx, table->prediction, &nothing)); // read until the commit
    add_arrays(writer, table, nothing);
    if (has_decisions(table))
        OPN_TRY(add_decisions(ctx, writer, table));
    if (table->prediction->member != NULL)
        OPN_TRY(add_sets(ctx, writer, table, &texts[4], &lists[4]));
    status = opn_i_npz_writer_commit(writer);
    writer = NULL;
cleanup:
    opn_i_npz_writer_discard(writer);
    opn_i_release(&ctx->alloc, nothing);
    for (int t = 0; t < 5; t++)
        opn_i_release(&ctx->alloc, lists[t]);
    for (int t = 0; t < 5; t++)
        opn_i_names_deinit(&ctx->alloc, &texts[t]);
    return status;
}

// ---- JSON ----------------------------------------------------------------------------

// An object mapping class names to numbers.
static json_t *json_by_class(const prediction_table *table, const float *value, opn_vid i)
{
    char number[12];
    json_t *object = json_object();
    const size_t at = (size_t)i * (size_t)table->n_classes;
    for (int32_t k = 0; k < table->n_classes; k++)
        opn_i_json_set(object, class_of(table, k, number),
                       opn_i_json_number((double)number_at(value, at + (size_t)k)));
    return object;
}

static json_t *json_set(const prediction_table *table, opn_vid i)
{
    char number[12];
    json_t *list = json_array();
    const size_t at = (size_t)i * (size_t)table->n_classes;
    for (int32_t k = 0; k < table->n_classes; k++)
        if (table->prediction->member[at + (size_t)k])
            opn_i_json_append(list, opn_i_json_string(class_of(table, k, number)));
    return list;
}

static json_t *json_node(const prediction_table *table, opn_vid i)
{
    const opn_prediction *p = table->prediction;
    char number[12];
    json_t *node = json_object();
    opn_i_json_set(node, "node",
                   opn_i_json_string(opn_graph_node_name(table->graph, i, number)));
    opn_i_json_set(node, "role", opn_i_json_string(role_of(table, i)));
    opn_i_json_set(node, "label",
                   table->graph->label[i] < 0
                           ? json_null()
                           : opn_i_json_string(label_of(table, i, number)));
    opn_i_json_set(node, "predicted",
                   opn_i_json_string(class_of(table, p->predicted[i], number)));
    opn_i_json_set(node, "p", json_by_class(table, p->probability, i));
    opn_i_json_set(node, "alpha", json_by_class(table, p->alpha, i));
    for (int c = 0; c < table->n_columns; c++)
        opn_i_json_set(
                node, table->column[c].name,
                opn_i_json_number((double)number_at(table->column[c].value, (size_t)i)));
    if (is_calibrated(table)) {
        opn_i_json_set(node, "confidence", opn_i_json_number((double)p->confidence[i]));
        opn_i_json_set(node, "calibrated", json_by_class(table, p->calibrated, i));
    }
    if (p->member != NULL)
        opn_i_json_set(node, "set", json_set(table, i));
    if (p->p_known != NULL)
        opn_i_json_set(node, "p_known", opn_i_json_number((double)p->p_known[i]));
    if (has_decisions(table)) {
        opn_i_json_set(node, "decision", opn_i_json_string(decision_of(table, i)));
        opn_i_json_set(node, "decided_by",
                       p->decided_by[i] < 0 ? json_null()
                                            : opn_i_json_string(decided_by_of(table, i)));
    }
    return node;
}

// The document is the summary with one more member, the nodes. Writes one node at a time,
// so memory use does not grow with the graph.
static opn_status save_json(opn_ctx *ctx, const prediction_table *table, const char *path)
{
    opn_status status = OPN_OK;
    opn_i_file_writer *file = NULL;
    OPN_TRY(opn_i_file_writer_open(ctx, path, &file));
    opn_i_file_writer_be_interruptible(file);
    const char *summary = opn_prediction_summary(table->prediction);
    opn_i_file_writer_put(file, summary, strlen(summary) - 1); // without "}"
    opn_i_file_writer_printf(file, ",\n\"nodes\":[");
    const opn_vid n_nodes = opn_i_graph_n_nodes(table->graph);
    for (opn_vid i = 0; i < n_nodes && opn_i_file_writer_goes_on(file); i++) {
        json_t *node = json_node(table, i);
        char *text = opn_i_json_text(node, JSON_COMPACT | JSON_REAL_PRECISION(9));
        json_decref(node);
        OPN_FAIL_IF(ctx, text == NULL, OPN_ERR_NOMEM, "%s: out of memory", path);
        opn_i_file_writer_printf(file, i == 0 ? "\n" : ",\n");
        opn_i_file_writer_put(file, text, strlen(text));
        free(text);
    }
    opn_i_file_writer_printf(file, "\n]}\n");
    status = opn_i_file_writer_commit(file);
    file = NULL;
cleanup:
    opn_i_file_writer_discard(file);
    return status;
}

opn_status opn_prediction_save(opn_ctx *ctx,
                               const opn_model *model,
                               const opn_graph *graph,
                               const opn_split *split,
                               const opn_prediction *prediction,
                               const char *path)
{
    OPN_REJECT_NULL(ctx, graph, prediction, path);
    prediction_table table = {.model = model,
                              .graph = graph,
                              .split = split,
                              .prediction = prediction,
                              .n_classes = prediction->n_classes};
    if (model == NULL && prediction->n_classes > graph->n_classes)
        return opn_i_fail(ctx, OPN_ERR_SHAPE,
                          "%s: has %d classes, but the prediction is of %d", graph->name,
                          graph->n_classes, prediction->n_classes);
    collect_columns(&table);
    if (strcmp(path, "-.json") == 0)
        return save_json(ctx, &table, "-");
    if (opn_i_path_ends_in(path, ".graphml"))
        return opn_i_prediction_save_graphml(ctx, model, graph, split, prediction, path);
    if (opn_i_path_ends_in(path, ".npz"))
        return save_npz(ctx, &table, path);
    if (opn_i_path_ends_in(path, ".json"))
        return save_json(ctx, &table, path);
    return save_csv(ctx, &table, path);
}
