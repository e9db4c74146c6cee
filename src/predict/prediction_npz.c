// prediction_npz.c -- reads predictions from a NumPy archive.

#include "arrays/npz.h"
#include "predict/prediction_reader.h"

#include <stdio.h>
#include <string.h>

// ---- arrays --------------------------------------------------------------------------

// One array of the archive and the bytes it points into.
typedef struct member {
    opn_i_bytes owner;
    opn_i_ndarray array;
    char what[OPN_ZIP_WHAT_ROOM]; // its name in messages
} member;

static opn_status
read_member(opn_ctx *ctx, const opn_i_zip *zip, const char *name, member *out)
{
    opn_i_npz_what(zip, name, out->what);
    return opn_i_npz_read(ctx, zip, name, &out->owner, &out->array);
}

// Rejects an array that is not [V], or [V,K] if it has classes.
static opn_status
check_shape(opn_ctx *ctx, const member *found, int64_t n_nodes, int32_t n_classes)
{
    opn_status status = OPN_OK;
    const opn_i_ndarray *array = &found->array;
    const bool is_wide = n_classes > 0;
    OPN_FAIL_IF(ctx, !is_wide && (array->n_dims != 1 || array->shape[0] != n_nodes),
                OPN_ERR_FORMAT,
                "%s: %lld items in %d dimensions, expected one for each of %lld nodes",
                found->what, (long long)array->n_items, array->n_dims,
                (long long)n_nodes);
    OPN_FAIL_IF(ctx,
                is_wide && (array->n_dims != 2 || array->shape[0] != n_nodes ||
                            array->shape[1] != n_classes),
                OPN_ERR_FORMAT,
                "%s: %lld items in %d dimensions, expected %lld nodes by %d classes",
                found->what, (long long)array->n_items, array->n_dims, (long long)n_nodes,
                n_classes);
cleanup:
    return status;
}

static bool has_integers(const opn_i_ndarray *array)
{
    return array->kind == 'i' || array->kind == 'u';
}

// Integers, as other tools number nodes and classes, become texts. With `classes` they
// are places among these, below 0 for none, which becomes "".
static opn_status read_integers(opn_ctx *ctx,
                                const member *found,
                                const opn_i_names *classes,
                                opn_i_names *out)
{
    opn_status status = OPN_OK;
    int64_t *value = NULL;
    char number[24];
    OPN_TRY_NEW(ctx, value, found->array.n_items);
    OPN_TRY(opn_i_ndarray_to_i64(ctx, found->what, &found->array, value));
    for (int64_t i = 0; i < found->array.n_items; i++) {
        const char *text = number;
        snprintf(number, sizeof(number), "%lld", (long long)value[i]);
        OPN_FAIL_IF(ctx, classes != NULL && value[i] >= classes->n, OPN_ERR_FORMAT,
                    "%s: item %lld is %s, outside [0, %lld)", found->what, (long long)i,
                    number, (long long)classes->n);
        if (classes != NULL)
            text = value[i] < 0 ? "" : opn_i_names_at(classes, value[i]);
        OPN_TRY(opn_i_names_add(ctx, out, text, strlen(text)));
    }
cleanup:
    opn_i_release(&ctx->alloc, value);
    return status;
}

static opn_status read_strings(opn_ctx *ctx, const member *found, opn_i_names *out)
{
    opn_status status = OPN_OK;
    char *text = NULL;
    OPN_TRY_NEW(ctx, text, opn_i_ndarray_text_room(&found->array) + 1);
    for (int64_t i = 0; i < found->array.n_items; i++) {
        size_t n_chars = 0;
        OPN_TRY(opn_i_ndarray_text(ctx, found->what, &found->array, i, text, &n_chars));
        OPN_TRY(opn_i_prediction_at(ctx, opn_i_names_add(ctx, out, text, n_chars), "%s",
                                    found->what));
    }
cleanup:
    opn_i_release(&ctx->alloc, text);
    return status;
}

// Reads all items of an array of strings, or for another tool's file of integers.
static opn_status read_texts(opn_ctx *ctx,
                             const opn_i_zip *zip,
                             const char *name,
                             const opn_i_prediction_file *file,
                             const opn_i_names *classes,
                             opn_i_names *out)
{
    opn_status status = OPN_OK;
    member found = {0};
    OPN_TRY(read_member(ctx, zip, name, &found));
    OPN_TRY(check_shape(ctx, &found, found.array.n_items, 0));
    if (file->is_foreign && has_integers(&found.array))
        OPN_TRY(read_integers(ctx, &found, classes, out));
    else
        OPN_TRY(read_strings(ctx, &found, out));
cleanup:
    opn_i_bytes_release(ctx, &found.owner);
    return status;
}

// The names 0, 1, … for n nodes or classes that have none.
static opn_status number_them(opn_ctx *ctx, int64_t n, opn_i_names *out)
{
    opn_status status = OPN_OK;
    char number[24];
    for (int64_t i = 0; i < n; i++) {
        const int n_chars = snprintf(number, sizeof(number), "%lld", (long long)i);
        OPN_TRY(opn_i_names_add(ctx, out, number, (size_t)n_chars));
    }
cleanup:
    return status;
}

// Reads a number per node, or per node and class if n_classes is not 0.
static opn_status read_floats(opn_ctx *ctx,
                              const opn_i_zip *zip,
                              const char *name,
                              int64_t n_nodes,
                              int32_t n_classes,
                              float *out)
{
    opn_status status = OPN_OK;
    member found = {0};
    OPN_TRY(read_member(ctx, zip, name, &found));
    OPN_TRY(check_shape(ctx, &found, n_nodes, n_classes));
    OPN_TRY(opn_i_ndarray_to_f32(ctx, found.what, &found.array, out));
cleanup:
    opn_i_bytes_release(ctx, &found.owner);
    return status;
}

// ---- predictions ---------------------------------------------------------------------

// The kind of numbers that an archive of another tool has; p if it has none.
static const opn_i_number_kind *find_numbers(const opn_i_zip *zip,
                                             const opn_i_prediction_file *file)
{
    for (int n = 0; n < OPN_N_NUMBER_KINDS && file->is_foreign; n++)
        if (opn_i_npz_has(zip, opn_i_number_kinds[n].member))
            return &opn_i_number_kinds[n];
    return &opn_i_number_kinds[0];
}

static opn_status check_members(opn_ctx *ctx,
                                const char *path,
                                const opn_i_zip *zip,
                                const opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx,
                file->is_foreign && !opn_i_npz_has(zip, find_numbers(zip, file)->member),
                OPN_ERR_FORMAT, "%s: no member p.npy, logits.npy or alpha.npy; %s", path,
                opn_i_prediction_hint(file));
    if (file->is_foreign)
        return OPN_OK;
    // Arrays that other archives are least likely to have come first.
    static const char *const needed[] = {"role",  "predicted", "node",
                                         "label", "classes",   "p"};
    for (size_t a = 0; a < sizeof(needed) / sizeof(needed[0]); a++)
        OPN_FAIL_IF(ctx, !opn_i_npz_has(zip, needed[a]), OPN_ERR_FORMAT,
                    "%s: no member %s.npy; " OPN_PREDICTION_HINT, path, needed[a]);
cleanup:
    return status;
}

// Reads the numbers that classes go by. For another tool they say how many nodes and
// classes there are, which are the last two dimensions.
static opn_status
read_main(opn_ctx *ctx, const opn_i_zip *zip, opn_i_prediction_file *file, member *out)
{
    opn_status status = OPN_OK;
    const opn_i_number_kind *kind = find_numbers(zip, file);
    file->input = kind->input;
    OPN_TRY(read_member(ctx, zip, kind->member, out));
    const opn_i_ndarray *array = &out->array;
    OPN_FAIL_IF(ctx,
                file->is_foreign &&
                        (array->n_dims < 2 || array->n_dims > 3 || array->n_items == 0),
                OPN_ERR_FORMAT,
                "%s: %lld items in %d dimensions, expected nodes by classes, or samples "
                "by nodes by classes",
                out->what, (long long)array->n_items, array->n_dims);
cleanup:
    return status;
}

static opn_status read_classes(opn_ctx *ctx,
                               const opn_i_zip *zip,
                               const member *numbers,
                               opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    opn_i_names texts = {0};
    char what[OPN_ZIP_WHAT_ROOM];
    opn_i_npz_what(zip, "classes", what);
    if (opn_i_npz_has(zip, "classes"))
        OPN_TRY(read_texts(ctx, zip, "classes", file, NULL, &texts));
    else
        OPN_TRY(number_them(ctx, numbers->array.shape[numbers->array.n_dims - 1],
                            &texts));
    OPN_FAIL_IF(ctx, texts.n == 0, OPN_ERR_FORMAT, "%s: names no classes", what);
    for (int64_t k = 0; k < texts.n; k++) {
        const char *text = opn_i_names_at(&texts, k);
        OPN_TRY(opn_i_prediction_at(
                ctx, opn_i_prediction_add_class(ctx, file, text, strlen(text)), "%s",
                what));
    }
cleanup:
    opn_i_names_deinit(&ctx->alloc, &texts);
    return status;
}

static opn_status read_nodes(opn_ctx *ctx,
                             const opn_i_zip *zip,
                             const member *numbers,
                             opn_i_prediction_file *file)
{
    file->has_nodes = opn_i_npz_has(zip, "node");
    if (file->has_nodes)
        return read_texts(ctx, zip, "node", file, NULL, &file->nodes);
    return number_them(ctx, numbers->array.shape[numbers->array.n_dims - 2],
                       &file->nodes);
}

// The classes that integer labels are places among: none if classes are integers too,
// which are then the same ones.
static opn_status places_of(opn_ctx *ctx,
                            const opn_i_zip *zip,
                            const opn_i_prediction_file *file,
                            const opn_i_names **out)
{
    opn_status status = OPN_OK;
    member classes = {0};
    *out = &file->classes;
    if (file->is_foreign && opn_i_npz_has(zip, "classes")) {
        OPN_TRY(read_member(ctx, zip, "classes", &classes));
        if (has_integers(&classes.array))
            *out = NULL;
    }
cleanup:
    opn_i_bytes_release(ctx, &classes.owner);
    return status;
}

// Reads roles and labels, one string per node each.
static opn_status
read_roles_and_labels(opn_ctx *ctx, const opn_i_zip *zip, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    static const char *const arrays[] = {"role", "label"};
    const opn_i_names *places = NULL;
    opn_i_names texts = {0};
    char what[OPN_ZIP_WHAT_ROOM];
    OPN_TRY(places_of(ctx, zip, file, &places));
    file->has_roles = opn_i_npz_has(zip, "role");
    for (int a = 0; a < 2; a++) {
        if (!opn_i_npz_has(zip, arrays[a]))
            continue; // which only another tool's file may do
        opn_i_npz_what(zip, arrays[a], what);
        opn_i_names_deinit(&ctx->alloc, &texts);
        OPN_TRY(read_texts(ctx, zip, arrays[a], file, places, &texts));
        OPN_FAIL_IF(ctx, texts.n != file->nodes.n, OPN_ERR_FORMAT,
                    "%s: %lld items, expected one for each of %lld nodes", what,
                    (long long)texts.n, (long long)file->nodes.n);
        for (int64_t i = 0; i < texts.n; i++) {
            const char *text = opn_i_names_at(&texts, i);
            status =
                    a == 0 ? opn_i_prediction_set_role(ctx, file, i, text)
                           : opn_i_prediction_set_label(ctx, file, i, text, strlen(text));
            OPN_TRY(opn_i_prediction_at(ctx, status, "%s: item %lld", what,
                                        (long long)i));
        }
    }
cleanup:
    opn_i_names_deinit(&ctx->alloc, &texts);
    return status;
}

static opn_status
read_predicted(opn_ctx *ctx, const opn_i_zip *zip, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    member found = {0};
    OPN_TRY(read_member(ctx, zip, "predicted", &found));
    OPN_TRY(check_shape(ctx, &found, file->nodes.n, 0));
    OPN_TRY(opn_i_ndarray_to_i32(ctx, found.what, &found.array, file->said->predicted));
    for (int64_t i = 0; i < file->nodes.n; i++)
        OPN_FAIL_IF(ctx,
                    file->said->predicted[i] < 0 ||
                            file->said->predicted[i] >= file->n_known,
                    OPN_ERR_FORMAT, "%s: item %lld is %d, outside [0, %d)", found.what,
                    (long long)i, file->said->predicted[i], file->n_known);
cleanup:
    opn_i_bytes_release(ctx, &found.owner);
    return status;
}

// Reads [samples,V,K] into `samples`, and checks each row.
static opn_status
read_samples(opn_ctx *ctx, const member *numbers, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    const opn_i_ndarray *array = &numbers->array;
    const int64_t width = file->n_known;
    OPN_FAIL_IF(ctx,
                array->shape[1] != file->nodes.n || array->shape[2] != width ||
                        array->shape[0] > INT32_MAX,
                OPN_ERR_FORMAT,
                "%s: %lld items in 3 dimensions, expected samples by %lld nodes by %lld "
                "classes",
                numbers->what, (long long)array->n_items, (long long)file->nodes.n,
                (long long)width);
    file->n_samples = (int32_t)array->shape[0];
    OPN_TRY_NEW(ctx, file->samples, array->n_items);
    OPN_TRY(opn_i_ndarray_to_f32(ctx, numbers->what, array, file->samples));
    for (int64_t r = 0; r < array->n_items / width; r++)
        OPN_TRY(opn_i_prediction_at(
                ctx, opn_i_prediction_check_sample(ctx, file, file->samples + r * width),
                "%s: sample %lld, node %lld", numbers->what,
                (long long)(r / file->nodes.n), (long long)(r % file->nodes.n)));
cleanup:
    return status;
}

static opn_status read_numbers(opn_ctx *ctx,
                               const opn_i_zip *zip,
                               const member *numbers,
                               opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    const int64_t n = file->nodes.n;
    const bool has_samples = file->is_foreign && numbers->array.n_dims == 3;
    opn_i_prediction_parts parts = {.has_alpha = opn_i_npz_has(zip, "alpha") &&
                                                 file->input != OPN_OPINION_ALPHA};
    for (int m = 0; m < OPN_N_MEASURES; m++)
        parts.has_measure[m] = opn_i_npz_has(zip, opn_measure_name((opn_measure)m));
    // Check before allocating: names may take no bytes in the file, but numbers do.
    if (has_samples)
        OPN_TRY(read_samples(ctx, numbers, file));
    else
        OPN_TRY(check_shape(ctx, numbers, n, file->n_known));
    OPN_TRY(opn_i_prediction_make_room(ctx, file, (size_t)n, &parts));
    if (!has_samples)
        OPN_TRY(opn_i_ndarray_to_f32(ctx, numbers->what, &numbers->array,
                                     file->said->probability));
    if (parts.has_alpha)
        OPN_TRY(read_floats(ctx, zip, "alpha", n, file->n_known, file->said->alpha));
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (parts.has_measure[m])
            OPN_TRY(read_floats(ctx, zip, opn_measure_name((opn_measure)m), n, 0,
                                file->said->measure[m]));
cleanup:
    return status;
}

opn_status opn_i_prediction_read_npz(opn_ctx *ctx,
                                     const char *path,
                                     const opn_i_bytes *bytes,
                                     opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    opn_i_zip *zip = NULL;
    member numbers = {0};
    OPN_TRY(opn_i_zip_open_file(ctx, path, bytes, &zip));
    OPN_TRY(check_members(ctx, path, zip, file));
    OPN_TRY(read_main(ctx, zip, file, &numbers));
    OPN_TRY(read_classes(ctx, zip, &numbers, file));
    OPN_TRY(read_nodes(ctx, zip, &numbers, file));
    OPN_TRY(read_numbers(ctx, zip, &numbers, file));
    OPN_TRY(read_roles_and_labels(ctx, zip, file));
    if (!file->is_foreign)
        OPN_TRY(read_predicted(ctx, zip, file));
    for (int64_t i = 0; i < file->nodes.n; i++)
        OPN_TRY(opn_i_prediction_at(ctx, opn_i_prediction_check(ctx, file, i),
                                    "%s: item %lld", path, (long long)i));
    file->n_nodes = (int32_t)file->nodes.n;
cleanup:
    opn_i_bytes_release(ctx, &numbers.owner);
    opn_i_zip_close(zip);
    return status;
}
