// model_file.c -- models as safetensors files.
//
// Tensors: the weight matrices (weights_file.c) and, for standardised features,
// feature_mean and feature_scale [F], F64, with feature_centre if some stay sparse.
// Metadata: format, model, data_hash, classes and features (JSON arrays of names),
// summary, and "param.NAME" for every training parameter; source and notes (a JSON array
// of sentences) say where the training graph came from and how it was read; candidates,
// what the model was chosen from. A model for other graphs is a file of its own in the
// tensor "elsewhere".

#include "base/byte_block.h"
#include "base/number.h"
#include "io/bytes.h"
#include "io/json_write.h"
#include "io/safetensors.h"
#include "math/exec.h"
#include "model/model_choice.h"
#include "model/weights_file.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char format_text[] = "opine model 1";

// ---- names ---------------------------------------------------------------------------

static opn_status put_names(opn_ctx *ctx,
                            opn_i_safetensors_writer *writer,
                            const char *key,
                            const opn_i_names *names)
{
    opn_status status = OPN_OK;
    json_t *list = json_array();
    char *text = NULL;
    for (int64_t i = 0; i < names->n && list != NULL; i++)
        opn_i_json_append(list, json_string(opn_i_names_at(names, i)));
    OPN_FAIL_IF(ctx, opn_i_json_is_short() || list == NULL, OPN_ERR_INVALID_ARG,
                "%s: a name is not UTF-8, or there is no memory", key);
    text = opn_i_json_text(list, JSON_COMPACT);
    OPN_FAIL_IF(ctx, text == NULL, OPN_ERR_NOMEM, "out of memory for %s", key);
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, key, text));
cleanup:
    free(text);
    json_decref(list);
    return status;
}

static opn_status get_names(opn_ctx *ctx,
                            const char *path,
                            const char *key,
                            const char *text,
                            opn_i_names *names)
{
    opn_status status = OPN_OK;
    json_error_t error;
    json_t *list = text == NULL ? NULL : json_loads(text, 0, &error);
    OPN_FAIL_IF(ctx, !json_is_array(list), OPN_ERR_FORMAT,
                "%s: metadata \"%s\" is no list of names", path, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        OPN_FAIL_IF(ctx, name == NULL, OPN_ERR_FORMAT,
                    "%s: metadata \"%s\" holds something that is no name", path, key);
        OPN_TRY(opn_i_names_add(ctx, names, name, strlen(name)));
    }
cleanup:
    json_decref(list);
    return status;
}

// ---- saving --------------------------------------------------------------------------

// Integers stored in a file, and the largest value of each; put_metadata() and
// get_numbers() use this order.
static const struct {
    const char *key;
    int64_t max;
} numbers[] = {{"evidence", OPN_N_EVIDENCES - 1}, {"normalise", OPN_N_NORMALISES - 1},
               {"teacher_epochs", INT32_MAX},     {"epochs", INT32_MAX},
               {"training_nodes", INT32_MAX},     {"validation_nodes", INT32_MAX},
               {"validation_right", INT32_MAX},   {"bounded_logits", INT64_MAX}};
enum { N_NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

// The calibration, if there is one: its kind, nodes, exponents and losses.
static opn_status put_calibration(opn_i_safetensors_writer *writer,
                                  const opn_calibrator *c)
{
    opn_status status = OPN_OK;
    char text[160];
    if (c->kind == OPN_CALIBRATION_NONE)
        return OPN_OK;
    opn_i_format(text, sizeof(text), "[%d,%d,%.17g,%.17g,%.17g,%.17g]", (int)c->kind,
                 (int)c->n, c->a, c->b, c->nll_before, c->nll_after);
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "calibration", text));
cleanup:
    return status;
}

// What only some models have, or only files since these were added.
static opn_status put_optional(opn_i_safetensors_writer *writer, const opn_model *model)
{
    opn_status status = OPN_OK;
    const double nll = model->summary.validation_nll;
    char text[32];
    if (model->n_node_features > 0)
        OPN_TRY(opn_i_safetensors_writer_add_int(writer, "node_features",
                                                 model->n_node_features));
    if (isfinite(nll)) {
        opn_i_format(text, sizeof(text), "%.17g", nll);
        OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "validation_nll", text));
    }
    if (model->summary.ended_early)
        OPN_TRY(opn_i_safetensors_writer_add_int(writer, "ended_early", 1));
    if (model->n_members > 1)
        OPN_TRY(opn_i_safetensors_writer_add_int(writer, "members", model->n_members));
    OPN_TRY(opn_i_safetensors_writer_add_int(writer, "isolated", model->may_be_isolated));
    OPN_TRY(put_calibration(writer, &model->calibrator));
cleanup:
    return status;
}

static opn_status
put_candidates(opn_ctx *ctx, opn_i_safetensors_writer *writer, const opn_model *model)
{
    opn_status status = OPN_OK;
    char *text = NULL;
    if (model->n_candidates == 0)
        return OPN_OK;
    text = opn_i_candidates_to_text(model);
    OPN_FAIL_IF(ctx, text == NULL, OPN_ERR_NOMEM, "out of memory for candidates");
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "candidates", text));
cleanup:
    free(text);
    return status;
}

static opn_status
put_metadata(opn_ctx *ctx, opn_i_safetensors_writer *writer, const opn_model *model)
{
    opn_status status = OPN_OK;
    const opn_train_summary *s = &model->summary;
    char key[80];
    const double n_right =
            s->n_validation > 0 ? s->validation_accuracy * s->n_validation : 0;
    const int64_t value[N_NUMBERS] = {
            model->evidence, model->normalise, s->teacher_epochs, s->epochs,
            s->n_train,      s->n_validation,  llround(n_right),  s->n_bounded_logits};
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "format", format_text));
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "opine_version",
                                                  opn_version()));
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "model", model->kind->id));
    OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "data_hash", model->data_hash));
    if (model->topology_hash[0] != 0)
        OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "topology_hash",
                                                      model->topology_hash));
    if (model->split_hash[0] != 0)
        OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "split_hash",
                                                      model->split_hash));
    if (model->source != NULL)
        OPN_TRY(opn_i_safetensors_writer_add_metadata(writer, "source", model->source));
    if (model->notes.n > 0)
        OPN_TRY(put_names(ctx, writer, "notes", &model->notes));
    for (size_t n = 0; n < N_NUMBERS; n++)
        OPN_TRY(opn_i_safetensors_writer_add_int(writer, numbers[n].key, value[n]));
    OPN_TRY(put_optional(writer, model));
    OPN_TRY(put_candidates(ctx, writer, model));
    OPN_TRY(put_names(ctx, writer, "classes", &model->class_names));
    OPN_TRY(put_names(ctx, writer, "features", &model->feature_names));
    for (int64_t p = 0; p < model->param_names.n; p++) {
        snprintf(key, sizeof(key), "param.%s", opn_i_names_at(&model->param_names, p));
        OPN_TRY(opn_i_safetensors_writer_add_metadata(
                writer, key, opn_i_names_at(&model->param_values, p)));
    }
cleanup:
    return status;
}

// Mean, scale and centre of the features, where they are standardised.
static opn_status put_columns(opn_i_safetensors_writer *writer, const opn_model *model)
{
    opn_status status = OPN_OK;
    const int64_t shape[] = {opn_model_n_features(model)};
    const struct {
        const char *name;
        const double *data;
    } columns[] = {{"feature_mean", model->mean},
                   {"feature_scale", model->scale},
                   {"feature_centre", model->centre}};
    for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++)
        if (columns[c].data != NULL)
            OPN_TRY(opn_i_safetensors_writer_add_tensor(
                    writer, columns[c].name, OPN_TENSOR_F64, shape, 1, columns[c].data));
cleanup:
    return status;
}

// What a writer borrows until it has written it.
typedef struct borrowed {
    opn_i_packed packed;
    char *elsewhere;
    size_t n_elsewhere;
} borrowed;

static void release_borrowed(const opn_ctx *ctx, borrowed *b)
{
    opn_i_packed_deinit(&ctx->alloc, &b->packed);
    opn_i_release(&ctx->alloc, b->elsewhere);
}

static opn_status put_model(opn_ctx *ctx,
                            opn_i_safetensors_writer *writer,
                            const opn_model *model,
                            borrowed *b)
{
    opn_status status = OPN_OK;
    OPN_TRY(put_metadata(ctx, writer, model));
    OPN_TRY(opn_i_weights_put(ctx, writer, model, &b->packed));
    OPN_TRY(put_columns(writer, model));
cleanup:
    return status;
}

// The bytes of the model for other graphs.
static opn_status pack_elsewhere(opn_ctx *ctx, const opn_model *model, borrowed *b)
{
    opn_status status = OPN_OK;
    opn_i_safetensors_writer *writer = NULL;
    borrowed inner = {0};
    OPN_TRY(opn_i_safetensors_writer_create(ctx, &writer));
    OPN_TRY(put_model(ctx, writer, model, &inner));
    status = opn_i_safetensors_writer_take(writer, &b->elsewhere, &b->n_elsewhere);
    writer = NULL;
cleanup:
    opn_i_safetensors_writer_discard(writer);
    release_borrowed(ctx, &inner);
    return status;
}

// A writer that holds the whole file.
static opn_status
collect(opn_ctx *ctx, const opn_model *model, borrowed *b, opn_i_safetensors_writer **out)
{
    opn_status status = OPN_OK;
    opn_i_safetensors_writer *writer = NULL;
    OPN_TRY(opn_i_safetensors_writer_create(ctx, &writer));
    OPN_TRY(put_model(ctx, writer, model, b));
    if (model->elsewhere != NULL) {
        OPN_TRY(pack_elsewhere(ctx, model->elsewhere, b));
        const int64_t shape[] = {(int64_t)b->n_elsewhere};
        OPN_TRY(opn_i_safetensors_writer_add_tensor(writer, "elsewhere", OPN_TENSOR_U8,
                                                    shape, 1, b->elsewhere));
    }
    *out = writer;
    writer = NULL;
cleanup:
    opn_i_safetensors_writer_discard(writer);
    return status;
}

opn_status opn_model_save(opn_ctx *ctx, const opn_model *model, const char *path)
{
    OPN_REJECT_NULL(ctx, model, path);
    opn_status status = OPN_OK;
    opn_i_safetensors_writer *writer = NULL;
    borrowed b = {0};
    OPN_TRY(collect(ctx, model, &b, &writer));
    status = opn_i_safetensors_writer_commit(writer, path);
cleanup:
    release_borrowed(ctx, &b);
    return status;
}

opn_status opn_model_write(opn_ctx *ctx, const opn_model *model, opn_bytes **out)
{
    OPN_REJECT_NULL(ctx, model, out);
    opn_status status = OPN_OK;
    opn_i_safetensors_writer *writer = NULL;
    borrowed b = {0};
    char *bytes = NULL;
    size_t n = 0;
    OPN_TRY(collect(ctx, model, &b, &writer));
    OPN_TRY(opn_i_safetensors_writer_take(writer, &bytes, &n));
    OPN_TRY(opn_i_bytes_hand_over(ctx, bytes, n, out));
cleanup:
    release_borrowed(ctx, &b);
    return status;
}

// ---- loading -------------------------------------------------------------------------

// Whether names, features of nodes and the rows of w0 agree.
static opn_status check_features(opn_ctx *ctx, const char *path, const opn_model *model)
{
    opn_status status = OPN_OK;
    const int32_t n_rows = model->sizes.n_features;
    const int32_t n_given = opn_model_n_features(model);
    OPN_FAIL_IF(ctx, model->kind->encoder->uses_links && model->n_node_features == 0,
                OPN_ERR_FORMAT, "%s: metadata \"node_features\" is missing", path);
    OPN_FAIL_IF(ctx, n_given < 0, OPN_ERR_FORMAT,
                "%s: %d features of nodes for the %d rows of w0", path,
                model->n_node_features, n_rows);
    OPN_FAIL_IF(ctx, model->feature_names.n != 0 && model->feature_names.n != n_given,
                OPN_ERR_FORMAT, "%s: %lld names of features for the %d rows of w0", path,
                (long long)model->feature_names.n, n_given);
cleanup:
    return status;
}

// The sizes that the weights must have, from the first weight, the names and the
// parameters.
static opn_status find_sizes(opn_ctx *ctx,
                             const char *path,
                             const opn_i_safetensors *file,
                             const opn_params *params,
                             opn_model *model)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *w0 = NULL;
    opn_i_sizes *sizes = &model->sizes;
    const int64_t n_classes = model->class_names.n;
    OPN_TRY(opn_i_weights_matrix(ctx, path, file, "w0", &w0));
    OPN_FAIL_IF(ctx, n_classes < 2 || n_classes > OPN_MAX_CLASSES, OPN_ERR_FORMAT,
                "%s: %lld names of classes, between 2 and %d are possible", path,
                (long long)n_classes, OPN_MAX_CLASSES);
    *sizes = opn_i_model_sizes(model->kind, params);
    sizes->n_features = (int32_t)w0->shape[0];
    sizes->n_classes = (int32_t)n_classes;
    OPN_TRY(check_features(ctx, path, model));
    OPN_TRY(opn_i_model_check_sizes(ctx, model->kind, sizes));
cleanup:
    if (status == OPN_ERR_INVALID_ARG)
        status = opn_i_fail_within(ctx, OPN_ERR_FORMAT, path);
    return status;
}

// Reads one of the columns of put_columns().
static opn_status get_column(opn_ctx *ctx,
                             const char *path,
                             const opn_i_safetensors *file,
                             const char *name,
                             int32_t n,
                             double **out)
{
    opn_status status = OPN_OK;
    const opn_i_tensor_view *tensor = opn_i_safetensors_find(file, name);
    OPN_FAIL_IF(ctx,
                tensor == NULL || tensor->type != OPN_TENSOR_F64 || tensor->n_items != n,
                OPN_ERR_FORMAT, "%s: holds no \"%s\" of %d 64-bit floats", path, name, n);
    OPN_TRY_NEW(ctx, *out, n);
    memcpy(*out, tensor->data, (size_t)n * sizeof(**out));
    for (int32_t k = 0; k < n; k++)
        OPN_FAIL_IF(ctx, !isfinite((*out)[k]), OPN_ERR_FORMAT,
                    "%s: tensor \"%s\": item %d is not finite", path, name, k);
cleanup:
    return status;
}

// Files of earlier versions have no centre: they standardised every column in full.
static opn_status get_columns(opn_ctx *ctx,
                              const char *path,
                              const opn_i_safetensors *file,
                              opn_model *model)
{
    opn_status status = OPN_OK;
    const int32_t n = opn_model_n_features(model);
    if (model->normalise != OPN_NORMALISE_STANDARD)
        return OPN_OK;
    OPN_TRY(get_column(ctx, path, file, "feature_mean", n, &model->mean));
    OPN_TRY(get_column(ctx, path, file, "feature_scale", n, &model->scale));
    if (opn_i_safetensors_find(file, "feature_centre") != NULL)
        OPN_TRY(get_column(ctx, path, file, "feature_centre", n, &model->centre));
cleanup:
    return status;
}

static opn_status
get_params(opn_ctx *ctx, const opn_i_safetensors *file, opn_model *model)
{
    opn_status status = OPN_OK;
    for (size_t i = 0; i < opn_i_safetensors_n_metadata(file); i++) {
        const char *key = opn_i_safetensors_key(file, i);
        const char *value = opn_i_safetensors_value(file, i);
        if (strncmp(key, "param.", 6) != 0)
            continue;
        OPN_TRY(opn_i_names_add(ctx, &model->param_names, key + 6, strlen(key + 6)));
        OPN_TRY(opn_i_names_add(ctx, &model->param_values, value, strlen(value)));
    }
cleanup:
    return status;
}

static opn_status get_numbers(opn_ctx *ctx,
                              const char *path,
                              const opn_i_safetensors *file,
                              opn_model *model)
{
    opn_status status = OPN_OK;
    int64_t value[N_NUMBERS] = {0};
    for (size_t n = 0; n < N_NUMBERS; n++)
        OPN_TRY(opn_i_safetensors_int(ctx, path, file, numbers[n].key, 0, numbers[n].max,
                                      &value[n]));
    model->evidence = (opn_i_evidence_kind)value[0];
    model->normalise = (opn_i_normalise)value[1];
    model->summary = (opn_train_summary){
            .teacher_epochs = (int32_t)value[2],
            .epochs = (int32_t)value[3],
            .n_train = (int32_t)value[4],
            .n_validation = (int32_t)value[5],
            .validation_accuracy =
                    value[5] > 0 ? (double)value[6] / (double)value[5] : (double)NAN,
            .n_bounded_logits = value[7],
    };
cleanup:
    return status;
}

// A whole number of put_optional(); *out stays if the file has none.
static opn_status get_optional_int(opn_ctx *ctx,
                                   const char *path,
                                   const opn_i_safetensors *file,
                                   const char *key,
                                   int32_t min,
                                   int32_t max,
                                   int32_t *out)
{
    opn_status status = OPN_OK;
    int64_t value = *out;
    if (opn_i_safetensors_metadata(file, key) != NULL)
        OPN_TRY(opn_i_safetensors_int(ctx, path, file, key, min, max, &value));
    *out = (int32_t)value;
cleanup:
    return status;
}

static opn_status get_calibration(opn_ctx *ctx,
                                  const char *path,
                                  const opn_i_safetensors *file,
                                  opn_calibrator *out)
{
    enum { N_ITEMS = 6 };
    opn_status status = OPN_OK;
    double item[N_ITEMS] = {0.0};
    const char *text = opn_i_safetensors_metadata(file, "calibration");
    json_t *list = text == NULL ? NULL : json_loads(text, 0, NULL);
    bool is_whole = json_array_size(list) == N_ITEMS;
    for (size_t i = 0; i < N_ITEMS && is_whole; i++) {
        is_whole = json_is_number(json_array_get(list, i));
        item[i] = json_number_value(json_array_get(list, i));
    }
    const bool is_temperature = item[0] == OPN_CALIBRATION_TEMPERATURE && item[3] == 0.0;
    const bool is_pool = item[0] == OPN_CALIBRATION_POOL && item[3] > 0.0;
    OPN_FAIL_IF(
            ctx,
            text != NULL && !(is_whole && (is_temperature || is_pool) && item[1] >= 0.0 &&
                              item[1] <= INT32_MAX && item[2] > 0.0),
            OPN_ERR_FORMAT,
            "%s: metadata \"calibration\" is not a kind, nodes, two exponents above 0 "
            "and two losses",
            path);
    *out = (opn_calibrator){(opn_calibration)item[0],
                            (int32_t)item[1],
                            item[2],
                            item[3],
                            item[4],
                            item[5]};
cleanup:
    json_decref(list);
    return status;
}

static opn_status get_optional(opn_ctx *ctx,
                               const char *path,
                               const opn_i_safetensors *file,
                               opn_model *model)
{
    opn_status status = OPN_OK;
    const char *nll = opn_i_safetensors_metadata(file, "validation_nll");
    int32_t ended_early = 0;
    int32_t may_be_isolated = 1;
    OPN_TRY(get_optional_int(ctx, path, file, "node_features", 0, INT32_MAX,
                             &model->n_node_features));
    OPN_TRY(get_optional_int(ctx, path, file, "ended_early", 0, 1, &ended_early));
    OPN_TRY(get_optional_int(ctx, path, file, "members", 1, OPN_MAX_MEMBERS,
                             &model->n_members));
    OPN_TRY(get_optional_int(ctx, path, file, "isolated", 0, 1, &may_be_isolated));
    OPN_TRY(get_calibration(ctx, path, file, &model->calibrator));
    model->summary.ended_early = ended_early;
    model->may_be_isolated = may_be_isolated != 0;
    model->summary.validation_nll = (double)NAN;
    OPN_FAIL_IF(ctx,
                nll != NULL && !opn_i_parse_real(nll, strlen(nll),
                                                 &model->summary.validation_nll),
                OPN_ERR_FORMAT, "%s: metadata \"validation_nll\" is not a number", path);
cleanup:
    return status;
}

// Models of older versions do not have them.
static opn_status get_origin(opn_ctx *ctx,
                             const char *path,
                             const opn_i_safetensors *file,
                             opn_model *model)
{
    opn_status status = OPN_OK;
    const char *source = opn_i_safetensors_metadata(file, "source");
    const char *notes = opn_i_safetensors_metadata(file, "notes");
    if (source != NULL && source[0] != 0)
        OPN_TRY(opn_i_model_set_source(ctx, source, model));
    if (notes != NULL)
        OPN_TRY(get_names(ctx, path, "notes", notes, &model->notes));
cleanup:
    return status;
}

// A hash that not every file has; nothing happens without it.
static void get_hash(const opn_i_safetensors *file, const char *key, char hash[65])
{
    const char *text = opn_i_safetensors_metadata(file, key);
    if (text != NULL && strlen(text) == 64)
        memcpy(hash, text, 65);
}

static opn_status get_metadata(opn_ctx *ctx,
                               const char *path,
                               const opn_i_safetensors *file,
                               opn_model *model)
{
    opn_status status = OPN_OK;
    const char *format = opn_i_safetensors_metadata(file, "format");
    const char *id = opn_i_safetensors_metadata(file, "model");
    const char *hash = opn_i_safetensors_metadata(file, "data_hash");
    OPN_FAIL_IF(ctx, format == NULL || strcmp(format, format_text) != 0, OPN_ERR_FORMAT,
                "%s: is no model of opine, or of another version", path);
    model->kind = id == NULL ? NULL : opn_i_model_kind_find(id);
    if (model->kind != NULL && opn_i_model_kind_is_auto(model->kind))
        model->kind = NULL;
    OPN_FAIL_IF(ctx, model->kind == NULL, OPN_ERR_FORMAT, "%s: no model is called \"%s\"",
                path, id == NULL ? "" : id);
    OPN_FAIL_IF(ctx, hash == NULL || strlen(hash) != 64, OPN_ERR_FORMAT,
                "%s: metadata \"data_hash\" is no hash", path);
    memcpy(model->data_hash, hash, sizeof(model->data_hash));
    get_hash(file, "topology_hash", model->topology_hash);
    get_hash(file, "split_hash", model->split_hash);
    OPN_TRY(get_origin(ctx, path, file, model));
    OPN_TRY(get_numbers(ctx, path, file, model));
    OPN_TRY(get_optional(ctx, path, file, model));
    const char *candidates = opn_i_safetensors_metadata(file, "candidates");
    if (candidates != NULL)
        OPN_TRY(opn_i_candidates_from_text(ctx, path, candidates, model));
    OPN_TRY(get_names(ctx, path, "classes", opn_i_safetensors_metadata(file, "classes"),
                      &model->class_names));
    OPN_TRY(get_names(ctx, path, "features", opn_i_safetensors_metadata(file, "features"),
                      &model->feature_names));
    OPN_TRY(get_params(ctx, file, model));
cleanup:
    return status;
}

// Otherwise a parameter out of bounds would only show up in prediction.
static opn_status read_params(opn_ctx *ctx,
                              const char *path,
                              const opn_i_safetensors *file,
                              opn_model *model)
{
    opn_params *params = NULL;
    opn_status status = opn_i_model_params(ctx, model, &params);
    if (status == OPN_ERR_INVALID_ARG)
        status = opn_i_fail_within(ctx, OPN_ERR_FORMAT, path);
    if (status == OPN_OK)
        status = find_sizes(ctx, path, file, params, model);
    opn_params_free(params);
    return status;
}

static opn_status
get_model(opn_ctx *ctx, const char *path, const opn_i_safetensors *file, opn_model *model)
{
    opn_status status = OPN_OK;
    OPN_TRY(get_metadata(ctx, path, file, model));
    OPN_TRY(read_params(ctx, path, file, model));
    OPN_TRY(opn_i_weights_get(ctx, path, file, model));
    OPN_TRY(get_columns(ctx, path, file, model));
cleanup:
    return status;
}

// Whether a model can stand in for another: it says the same things of the same classes.
static bool fits_elsewhere(const opn_model *model, const opn_model *other)
{
    if (model->n_node_features == 0 || other->n_node_features > 0 ||
        other->kind->head != model->kind->head ||
        other->kind->is_sampled != model->kind->is_sampled ||
        other->sizes.n_hidden != model->sizes.n_hidden ||
        other->class_names.n != model->class_names.n)
        return false;
    for (int64_t k = 0; k < model->class_names.n; k++)
        if (strcmp(opn_i_names_at(&model->class_names, k),
                   opn_i_names_at(&other->class_names, k)) != 0)
            return false;
    return true;
}

// The model for other graphs, if the file has one.
static opn_status get_elsewhere(opn_ctx *ctx,
                                const char *path,
                                const opn_i_safetensors *file,
                                opn_model *model)
{
    opn_status status = OPN_OK;
    opn_i_safetensors *inner = NULL;
    const opn_i_tensor_view *tensor = opn_i_safetensors_find(file, "elsewhere");
    if (tensor == NULL)
        return OPN_OK;
    OPN_FAIL_IF(ctx, tensor->type != OPN_TENSOR_U8, OPN_ERR_FORMAT,
                "%s: tensor \"elsewhere\" holds no bytes", path);
    OPN_TRY(opn_i_safetensors_open(ctx, path, tensor->data, (size_t)tensor->n_items,
                                   &inner));
    OPN_TRY(opn_i_model_new(ctx, &model->elsewhere));
    OPN_TRY(get_model(ctx, path, inner, model->elsewhere));
    OPN_FAIL_IF(ctx, !fits_elsewhere(model, model->elsewhere), OPN_ERR_FORMAT,
                "%s: the model for other graphs does not fit the other one", path);
cleanup:
    opn_i_safetensors_free(inner);
    return status;
}

// `path` names the bytes in messages.
static opn_status read_model(opn_ctx *ctx,
                             const char *path,
                             const unsigned char *data,
                             size_t n_bytes,
                             opn_model **out)
{
    opn_status status = OPN_OK;
    opn_i_safetensors *file = NULL;
    opn_model *model = NULL;
    OPN_TRY(opn_i_model_new(ctx, &model));
    OPN_TRY(opn_i_safetensors_open(ctx, path, data, n_bytes, &file));
    OPN_TRY(get_model(ctx, path, file, model));
    OPN_TRY(get_elsewhere(ctx, path, file, model));
    *out = model;
    model = NULL;
cleanup:
    opn_i_safetensors_free(file);
    opn_model_free(model);
    return status;
}

opn_status opn_model_load(opn_ctx *ctx, const char *path, opn_model **out)
{
    OPN_REJECT_NULL(ctx, path, out);
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    OPN_TRY(opn_i_file_read(ctx, path, &bytes));
    OPN_TRY(read_model(ctx, opn_i_input_name(path), bytes.data, bytes.n, out));
cleanup:
    opn_i_bytes_release(ctx, &bytes);
    return status;
}

opn_status opn_model_read(opn_ctx *ctx, const void *data, size_t n_bytes, opn_model **out)
{
    OPN_REJECT_NULL(ctx, data, out);
    return read_model(ctx, "the bytes of the model", data, n_bytes, out);
}
