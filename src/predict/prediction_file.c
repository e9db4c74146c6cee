// prediction_file.c -- reads predictions back: detects the file format and checks the
// numbers.

#include "predict/prediction_file.h"

#include "arrays/zip_archive.h"
#include "graph/graph_data.h"
#include "graph/roles.h"
#include "io/path.h"
#include "predict/prediction_reader.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// How far single precision and nine digits may put a number out of range.
static const double range_slack = 1e-5;

// Error of a probability that was truncated to three digits.
static const double digit_slack = 5e-4;

void opn_i_prediction_file_deinit(const opn_alloc *alloc, opn_i_prediction_file *file)
{
    opn_i_names_deinit(alloc, &file->nodes);
    opn_i_names_deinit(alloc, &file->classes);
    opn_i_release(alloc, file->role);
    opn_i_release(alloc, file->label);
    opn_prediction_free(file->said);
    opn_i_release(alloc, file->samples);
    *file = (opn_i_prediction_file){0};
}

const opn_i_number_kind opn_i_number_kinds[OPN_N_NUMBER_KINDS] = {
        {"p_", "p", OPN_OPINION_PROBABILITY},
        {"alpha_", "alpha", OPN_OPINION_ALPHA},
        {"logit_", "logits", OPN_OPINION_SOFTMAX},
};

const char *opn_i_prediction_hint(const opn_i_prediction_file *file)
{
    return file->is_foreign ? OPN_SCORES_HINT : OPN_PREDICTION_HINT;
}

// ---- shared by all formats -----------------------------------------------------------

opn_status opn_i_prediction_at(opn_ctx *ctx, opn_status status, const char *fmt, ...)
{
    char place[OPN_ZIP_WHAT_ROOM];
    va_list args;
    if (status != OPN_ERR_FORMAT && status != OPN_ERR_OVERFLOW)
        return status;
    va_start(args, fmt);
    vsnprintf(place, sizeof(place), fmt, args);
    va_end(args);
    return opn_i_fail_within(ctx, status, place);
}

opn_status opn_i_prediction_add_class(opn_ctx *ctx,
                                      opn_i_prediction_file *file,
                                      const char *text,
                                      size_t n_chars)
{
    opn_status status = OPN_OK;
    int32_t k = 0;
    OPN_FAIL_IF(ctx, n_chars == 0, OPN_ERR_FORMAT, "a class has no name");
    OPN_TRY(opn_i_names_intern(ctx, &file->classes, text, n_chars, &k));
    OPN_FAIL_IF(ctx, k < file->n_known, OPN_ERR_FORMAT, "class \"%s\" appears twice",
                opn_i_names_at(&file->classes, k));
    file->n_known++;
cleanup:
    return status;
}

opn_status opn_i_prediction_make_room(opn_ctx *ctx,
                                      opn_i_prediction_file *file,
                                      size_t n_nodes,
                                      const opn_i_prediction_parts *parts)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_prediction_new(ctx, n_nodes, file->n_known, parts, &file->said));
    OPN_TRY_NEW(ctx, file->role, n_nodes);
    OPN_TRY_NEW(ctx, file->label, n_nodes);
    // What a foreign file does not say.
    memset(file->role, OPN_ROLE_UNLABELLED, n_nodes);
    for (size_t i = 0; i < n_nodes; i++)
        file->label[i] = -1;
cleanup:
    return status;
}

size_t opn_i_prediction_bound(const opn_i_prediction_file *file,
                              size_t max_nodes,
                              size_t n_bytes)
{
    const size_t n_full = n_bytes / (size_t)file->n_known + 1;
    return max_nodes < n_full ? max_nodes : n_full;
}

opn_status opn_i_prediction_set_role(opn_ctx *ctx,
                                     opn_i_prediction_file *file,
                                     int64_t i,
                                     const char *text)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, !opn_i_role_parse(text, &file->role[i]), OPN_ERR_FORMAT,
                "role \"%s\" is not one of " OPN_ROLE_WORDS, text);
cleanup:
    return status;
}

opn_status opn_i_prediction_set_label(opn_ctx *ctx,
                                      opn_i_prediction_file *file,
                                      int64_t i,
                                      const char *text,
                                      size_t n_chars)
{
    file->label[i] = -1;
    if (n_chars == 0)
        return OPN_OK;
    return opn_i_names_intern(ctx, &file->classes, text, n_chars, &file->label[i]);
}

opn_status opn_i_prediction_set_predicted(opn_ctx *ctx,
                                          opn_i_prediction_file *file,
                                          int64_t i,
                                          const char *text,
                                          size_t n_chars)
{
    opn_status status = OPN_OK;
    if (file->is_foreign)
        return OPN_OK; // the class of the largest p, whatever the tool calls it
    const int32_t k = opn_i_names_find(&file->classes, text, n_chars);
    // Classes after the first n_known come from labels.
    OPN_FAIL_IF(ctx, k < 0 || k >= file->n_known, OPN_ERR_FORMAT,
                "predicted \"%s\" is not one of the %d classes with a p", text,
                file->n_known);
    file->said->predicted[i] = k;
cleanup:
    return status;
}

// ---- numbers -------------------------------------------------------------------------

// Clamps a number that is outside [low, high] only by rounding; false if it is further
// out or NaN.
static bool settle(float *number, double low, double high)
{
    const double value = (double)*number;
    if (!(value >= low - range_slack && value <= high + range_slack))
        return false;
    if (value < low)
        *number = (float)low;
    else if (value > high)
        *number = (float)high;
    return true;
}

static opn_status
check_probabilities(opn_ctx *ctx, const opn_i_prediction_file *file, float *p)
{
    opn_status status = OPN_OK;
    double sum = 0.0;
    for (int32_t k = 0; k < file->n_known; k++) {
        OPN_FAIL_IF(ctx, isnan(p[k]), OPN_ERR_FORMAT, "p of class \"%s\" is missing",
                    opn_i_names_at(&file->classes, k));
        OPN_FAIL_IF(ctx, !settle(&p[k], 0.0, 1.0), OPN_ERR_FORMAT,
                    "p of class \"%s\" is %g, outside [0, 1]",
                    opn_i_names_at(&file->classes, k), (double)p[k]);
        sum += (double)p[k];
    }
    OPN_FAIL_IF(ctx, fabs(sum - 1.0) > range_slack + digit_slack * file->n_known,
                OPN_ERR_FORMAT, "the p of all classes sum to %.6g, not 1", sum);
cleanup:
    return status;
}

// Alpha or logits, which take the place of p.
static opn_status
check_foreign(opn_ctx *ctx, const opn_i_prediction_file *file, float *number)
{
    opn_status status = OPN_OK;
    const bool is_alpha = file->input == OPN_OPINION_ALPHA;
    const double least = is_alpha ? 1.0 : -(double)FLT_MAX;
    for (int32_t k = 0; k < file->n_known; k++)
        OPN_FAIL_IF(ctx, !settle(&number[k], least, (double)FLT_MAX), OPN_ERR_FORMAT,
                    "%s of class \"%s\" is %g, expected a finite number%s",
                    is_alpha ? "alpha" : "logit", opn_i_names_at(&file->classes, k),
                    (double)number[k], is_alpha ? " of at least 1" : "");
cleanup:
    return status;
}

opn_status opn_i_prediction_check_sample(opn_ctx *ctx,
                                         const opn_i_prediction_file *file,
                                         float *number)
{
    return file->input == OPN_OPINION_PROBABILITY ? check_probabilities(ctx, file, number)
                                                  : check_foreign(ctx, file, number);
}

// For numbers that a model has either for every node and class or for none.
static const char *presence(bool is_missing)
{
    return is_missing ? "missing" : "given";
}

static opn_status check_alpha(opn_ctx *ctx, const opn_i_prediction_file *file, int64_t i)
{
    opn_status status = OPN_OK;
    float *alpha = file->said->alpha + (size_t)i * (size_t)file->n_known;
    const bool is_missing = isnan(file->said->alpha[0]);
    for (int32_t k = 0; k < file->n_known; k++) {
        OPN_FAIL_IF(ctx, isnan(alpha[k]) != is_missing, OPN_ERR_FORMAT,
                    "alpha of class \"%s\" is %s, but those before it are %s",
                    opn_i_names_at(&file->classes, k), presence(!is_missing),
                    presence(is_missing));
        OPN_FAIL_IF(ctx, !is_missing && !settle(&alpha[k], 1.0, (double)FLT_MAX),
                    OPN_ERR_FORMAT,
                    "alpha of class \"%s\" is %g, expected a finite number of at least 1",
                    opn_i_names_at(&file->classes, k), (double)alpha[k]);
    }
cleanup:
    return status;
}

static opn_status
check_measures(opn_ctx *ctx, const opn_i_prediction_file *file, int64_t i)
{
    opn_status status = OPN_OK;
    for (int m = 0; m < OPN_N_MEASURES; m++) {
        float *value = file->said->measure[m];
        const opn_i_measure *measure = opn_i_measure_at(m);
        if (value == NULL)
            continue;
        const bool is_missing = isnan(value[0]);
        OPN_FAIL_IF(ctx, isnan(value[i]) != is_missing, OPN_ERR_FORMAT,
                    "%s is %s, but those before it are %s", measure->name,
                    presence(!is_missing), presence(is_missing));
        OPN_FAIL_IF(ctx, !is_missing && !settle(&value[i], measure->low, measure->high),
                    OPN_ERR_FORMAT, "%s is %g, outside [%g, %g]", measure->name,
                    (double)value[i], measure->low, measure->high);
    }
cleanup:
    return status;
}

opn_status
opn_i_prediction_check(opn_ctx *ctx, const opn_i_prediction_file *file, int64_t i)
{
    opn_status status = OPN_OK;
    // Labels of another tool's nodes may stand elsewhere.
    OPN_FAIL_IF(ctx, !file->is_foreign && !opn_i_role_fits(file->role[i], file->label[i]),
                OPN_ERR_FORMAT, "the node is used to %s but has no label",
                opn_i_role_verb(file->role[i]));
    if (file->samples == NULL)
        OPN_TRY(opn_i_prediction_check_sample(
                ctx, file, file->said->probability + (size_t)i * (size_t)file->n_known));
    if (file->said->alpha != NULL)
        OPN_TRY(check_alpha(ctx, file, i));
    OPN_TRY(check_measures(ctx, file, i));
cleanup:
    return status;
}

// ---- file ----------------------------------------------------------------------------

typedef enum form { FORM_CSV, FORM_NPZ, FORM_JSON, FORM_MODEL } form;

static form form_of(const opn_i_bytes *bytes)
{
    const char *text = (const char *)bytes->data;
    // The first member, or the directory of an empty archive.
    if (bytes->n >= 4 &&
        (memcmp(text, "PK\3\4", 4) == 0 || memcmp(text, "PK\5\6", 4) == 0))
        return FORM_NPZ;
    // The length of a safetensors header takes eight bytes, and the upper ones are 0.
    if (bytes->n > 8 && text[7] == 0 && text[8] == '{')
        return FORM_MODEL;
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3;
    text += strspn(text, " \t\r\n");
    return *text == '[' || *text == '{' ? FORM_JSON : FORM_CSV;
}

static opn_status
read_form(opn_ctx *ctx, const char *path, opn_i_bytes *bytes, opn_i_prediction_file *file)
{
    switch (form_of(bytes)) {
    case FORM_NPZ:
        return opn_i_prediction_read_npz(ctx, path, bytes, file);
    case FORM_JSON:
        return opn_i_prediction_read_json(ctx, path, bytes, file);
    case FORM_MODEL:
        return opn_i_fail(ctx, OPN_ERR_FORMAT, "%s: holds tensors like a model; %s", path,
                          opn_i_prediction_hint(file));
    case FORM_CSV:
        break;
    }
    return opn_i_prediction_read_csv(ctx, path, bytes, file);
}

void opn_i_drop_missing(const opn_alloc *alloc, float **value)
{
    if (*value == NULL || !isnan((*value)[0]))
        return;
    opn_i_release(alloc, *value);
    *value = NULL;
}

// Reads what is in the file, and drops what is missing for every node.
static opn_status
read_file(opn_ctx *ctx, const char *path, bool is_foreign, opn_i_prediction_file *out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    opn_i_prediction_file file = {.is_foreign = is_foreign,
                                  .has_nodes = true,
                                  .input = OPN_OPINION_PROBABILITY,
                                  .n_samples = 1};
    OPN_TRY(opn_i_file_read(ctx, path, &bytes));
    OPN_TRY(read_form(ctx, path, &bytes, &file));
    OPN_FAIL_IF(ctx, file.n_nodes == 0, OPN_ERR_FORMAT, "%s: has no nodes; %s", path,
                opn_i_prediction_hint(&file));
    opn_i_drop_missing(&ctx->alloc, &file.said->alpha);
    for (int m = 0; m < OPN_N_MEASURES; m++)
        opn_i_drop_missing(&ctx->alloc, &file.said->measure[m]);
    file.said->n_nodes = file.n_nodes; // may be less than was allocated
    *out = file;
    file = (opn_i_prediction_file){0};
cleanup:
    opn_i_prediction_file_deinit(&ctx->alloc, &file);
    opn_i_bytes_release(ctx, &bytes);
    return status;
}

opn_status
opn_i_prediction_file_read(opn_ctx *ctx, const char *path, opn_i_prediction_file *out)
{
    return read_file(ctx, path, false, out);
}

opn_status
opn_i_scores_file_read(opn_ctx *ctx, const char *path, opn_i_prediction_file *out)
{
    opn_status status = OPN_OK;
    opn_i_prediction_file file = {0};
    OPN_TRY(read_file(ctx, path, true, &file));
    OPN_TRY(opn_i_prediction_at(ctx, opn_i_scores_settle(ctx, &file), "%s", path));
    *out = file;
    file = (opn_i_prediction_file){0};
cleanup:
    opn_i_prediction_file_deinit(&ctx->alloc, &file);
    return status;
}

opn_status opn_i_prediction_file_graph(opn_ctx *ctx,
                                       const char *path,
                                       const opn_i_prediction_file *file,
                                       opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    OPN_TRY(opn_graph_create_edges(ctx, file->n_nodes, 0, NULL, NULL, NULL, &graph));
    OPN_TRY(opn_graph_set_labels(ctx, graph, (int32_t)file->classes.n, file->label));
    OPN_TRY(opn_i_names_copy(ctx, &file->nodes, &graph->node_names));
    OPN_TRY(opn_i_names_copy(ctx, &file->classes, &graph->class_names));
    opn_i_release(&ctx->alloc, graph->name);
    graph->name = NULL;
    OPN_TRY(opn_i_join_path(ctx, NULL, opn_i_base_name(path), "", &graph->name));
    *out = graph;
    graph = NULL;
cleanup:
    opn_graph_free(graph);
    return status;
}
