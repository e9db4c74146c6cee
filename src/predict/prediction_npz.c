// prediction_npz.c -- reads predictions from a NumPy archive.

#include "io/npz.h"
#include "predict/prediction_reader.h"

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

// Reads all items of an array of strings.
static opn_status
read_texts(opn_ctx *ctx, const opn_i_zip *zip, const char *name, opn_i_names *out)
{
    opn_status status = OPN_OK;
    member found = {0};
    char *text = NULL;
    OPN_TRY(read_member(ctx, zip, name, &found));
    OPN_TRY(check_shape(ctx, &found, found.array.n_items, 0));
    OPN_TRY_NEW(ctx, text, opn_i_ndarray_text_room(&found.array) + 1);
    for (int64_t i = 0; i < found.array.n_items; i++) {
        size_t n_chars = 0;
        OPN_TRY(opn_i_ndarray_text(ctx, found.what, &found.array, i, text, &n_chars));
        OPN_TRY(opn_i_prediction_at(ctx, opn_i_names_add(ctx, out, text, n_chars), "%s",
                                    found.what));
    }
cleanup:
    opn_i_release(&ctx->alloc, text);
    opn_i_bytes_release(ctx, &found.owner);
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

static opn_status check_members(opn_ctx *ctx, const char *path, const opn_i_zip *zip)
{
    opn_status status = OPN_OK;
    // Arrays that other archives are least likely to have come first.
    static const char *const needed[] = {"role",  "predicted", "node",
                                         "label", "classes",   "p"};
    for (size_t a = 0; a < sizeof(needed) / sizeof(needed[0]); a++)
        OPN_FAIL_IF(ctx, !opn_i_npz_has(zip, needed[a]), OPN_ERR_FORMAT,
                    "%s: no member %s.npy; " OPN_PREDICTION_HINT, path, needed[a]);
cleanup:
    return status;
}

static opn_status
read_classes(opn_ctx *ctx, const opn_i_zip *zip, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    opn_i_names texts = {0};
    char what[OPN_ZIP_WHAT_ROOM];
    opn_i_npz_what(zip, "classes", what);
    OPN_TRY(read_texts(ctx, zip, "classes", &texts));
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

// Reads roles and labels, one string per node each.
static opn_status
read_roles_and_labels(opn_ctx *ctx, const opn_i_zip *zip, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    static const char *const arrays[] = {"role", "label"};
    opn_i_names texts = {0};
    char what[OPN_ZIP_WHAT_ROOM];
    for (int a = 0; a < 2; a++) {
        opn_i_npz_what(zip, arrays[a], what);
        opn_i_names_deinit(&ctx->alloc, &texts);
        OPN_TRY(read_texts(ctx, zip, arrays[a], &texts));
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

static opn_status
read_numbers(opn_ctx *ctx, const opn_i_zip *zip, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    const int64_t n = file->nodes.n;
    opn_i_prediction_parts parts = {.has_alpha = opn_i_npz_has(zip, "alpha")};
    member p = {0};
    for (int m = 0; m < OPN_N_MEASURES; m++)
        parts.has_measure[m] = opn_i_npz_has(zip, opn_measure_name((opn_measure)m));
    // Check before allocating: names may take no bytes in the file, but numbers do.
    OPN_TRY(read_member(ctx, zip, "p", &p));
    OPN_TRY(check_shape(ctx, &p, n, file->n_known));
    OPN_TRY(opn_i_prediction_make_room(ctx, file, (size_t)n, &parts));
    OPN_TRY(opn_i_ndarray_to_f32(ctx, p.what, &p.array, file->said->probability));
    if (parts.has_alpha)
        OPN_TRY(read_floats(ctx, zip, "alpha", n, file->n_known, file->said->alpha));
    for (int m = 0; m < OPN_N_MEASURES; m++)
        if (parts.has_measure[m])
            OPN_TRY(read_floats(ctx, zip, opn_measure_name((opn_measure)m), n, 0,
                                file->said->measure[m]));
cleanup:
    opn_i_bytes_release(ctx, &p.owner);
    return status;
}

opn_status opn_i_prediction_read_npz(opn_ctx *ctx,
                                     const char *path,
                                     const opn_i_bytes *bytes,
                                     opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    opn_i_zip *zip = NULL;
    OPN_TRY(opn_i_zip_open(ctx, path, bytes->data, bytes->n, &zip));
    OPN_TRY(check_members(ctx, path, zip));
    OPN_TRY(read_classes(ctx, zip, file));
    OPN_TRY(read_texts(ctx, zip, "node", &file->nodes));
    OPN_TRY(read_numbers(ctx, zip, file));
    OPN_TRY(read_roles_and_labels(ctx, zip, file));
    OPN_TRY(read_predicted(ctx, zip, file));
    for (int64_t i = 0; i < file->nodes.n; i++)
        OPN_TRY(opn_i_prediction_at(ctx, opn_i_prediction_check(ctx, file, i),
                                    "%s: item %lld", path, (long long)i));
    file->n_nodes = (int32_t)file->nodes.n;
cleanup:
    opn_i_zip_close(zip);
    return status;
}
