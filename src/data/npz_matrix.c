// npz_matrix.c -- a matrix of an npz archive, in whatever form it is stored.

#include "arrays/npz.h"
#include "data/npz_reader.h"
#include "graph/sparse_input.h"

#include <stdio.h>
#include <string.h>

enum { MEMBER_ROOM = 64 };

void opn_i_npz_input_release(opn_ctx *ctx, opn_i_npz_input *input)
{
    opn_i_npy_value_release(ctx, &input->value);
    opn_i_names_deinit(&ctx->alloc, &input->lines);
}

opn_status
opn_i_npz_open(const opn_i_npz_reader *reader, const char *member, opn_i_npz_input *out)
{
    opn_i_npz_what(reader->zip, member, out->what);
    return opn_i_npz_read_value(reader->ctx, reader->zip, member, &out->value);
}

opn_status opn_i_npz_need_numbers(opn_ctx *ctx, const opn_i_npz_input *input)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx,
                input->is_lines || input->value.sparse != NULL ||
                        input->value.objects != NULL,
                OPN_ERR_FORMAT, "%s: holds %s; expected an array of numbers", input->what,
                input->is_lines               ? "lines of text"
                : input->value.sparse != NULL ? "a sparse matrix"
                                              : "Python objects");
cleanup:
    return status;
}

static opn_status
check_rows(opn_ctx *ctx, const char *what, int64_t n_rows, int64_t n_nodes)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, n_rows != n_nodes && n_nodes != OPN_NPZ_ANY_ROWS, OPN_ERR_FORMAT,
                "%s: %lld rows, but the graph has %lld nodes", what, (long long)n_rows,
                (long long)n_nodes);
cleanup:
    return status;
}

// The same for rows that take no bytes of the file: if nothing else tells the number of
// nodes, the entries have to make it plausible.
static opn_status check_claim(opn_ctx *ctx,
                              const char *what,
                              int64_t n_rows,
                              int64_t n_nodes,
                              int64_t n_entries)
{
    opn_status status = OPN_OK;
    OPN_TRY(check_rows(ctx, what, n_rows, n_nodes));
    OPN_FAIL_IF(ctx,
                n_nodes == OPN_NPZ_ANY_ROWS && n_rows > opn_i_npz_most_nodes(n_entries),
                OPN_ERR_FORMAT,
                "%s: %lld nodes, of which most have no entry; labels or features have to "
                "tell that there are so many",
                what, (long long)n_rows);
cleanup:
    return status;
}

static opn_status check_shape(opn_ctx *ctx,
                              const char *what,
                              const opn_i_csr *matrix,
                              const opn_i_npz_rows *rows)
{
    opn_status status = OPN_OK;
    if (!rows->is_square) {
        OPN_TRY(check_rows(ctx, what, matrix->n_rows, rows->n_nodes));
        goto cleanup;
    }
    OPN_FAIL_IF(ctx, matrix->n_rows != matrix->n_cols, OPN_ERR_FORMAT,
                "%s: %d by %d, but an adjacency matrix is square", what, matrix->n_rows,
                matrix->n_cols);
    OPN_FAIL_IF(ctx, matrix->n_rows == 0, OPN_ERR_FORMAT, "%s: the graph has no nodes",
                what);
cleanup:
    return status;
}

// ---- a sparse matrix as several members ----------------------------------------------

typedef struct sparse_members {
    opn_i_npz_input shape, data, indptr, indices, format;
    opn_i_sparse_layout layout;
    int64_t size[2];
} sparse_members;

static opn_status open_part(const opn_i_npz_reader *reader,
                            const opn_i_npz_name *name,
                            const char *part,
                            opn_i_npz_input *out)
{
    char member[MEMBER_ROOM];
    snprintf(member, sizeof(member), "%s%s", name->name, part);
    return opn_i_npz_open(reader, member, out);
}

static bool
has_part(const opn_i_npz_reader *reader, const opn_i_npz_name *name, const char *part)
{
    char member[MEMBER_ROOM];
    snprintf(member, sizeof(member), "%s%s", name->name, part);
    return opn_i_npz_has(reader->zip, member);
}

// save_npz() writes the layout in words; without it, the members tell.
static opn_status find_layout(const opn_i_npz_reader *reader,
                              const opn_i_npz_name *name,
                              sparse_members *parts)
{
    static const char *const words[] = {"csr", "csc", "coo"};
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    char *word = NULL;
    size_t room = 0;
    size_t n_chars = 0;
    parts->layout = has_part(reader, name, "row") ? OPN_SPARSE_TRIPLES : OPN_SPARSE_ROWS;
    if (!has_part(reader, name, "format"))
        goto cleanup;
    OPN_TRY(open_part(reader, name, "format", &parts->format));
    const char *what = parts->format.what;
    OPN_FAIL_IF(ctx, opn_i_npy_value_n_items(&parts->format.value) != 1, OPN_ERR_FORMAT,
                "%s: not a single word", what);
    OPN_TRY(opn_i_npy_value_text_room(ctx, what, &parts->format.value, &room));
    OPN_TRY_NEW(ctx, word, room);
    OPN_TRY(opn_i_npy_value_text(ctx, what, &parts->format.value, 0, word, &n_chars));
    int layout = OPN_SPARSE_ROWS;
    while (layout <= OPN_SPARSE_TRIPLES && strcmp(words[layout], word) != 0)
        layout++;
    OPN_FAIL_IF(ctx, layout > OPN_SPARSE_TRIPLES, OPN_ERR_UNSUPPORTED,
                "%s: \"%.40s\"; matrices of the formats csr, csc and coo are read", what,
                word);
    parts->layout = (opn_i_sparse_layout)layout;
cleanup:
    opn_i_release(&ctx->alloc, word);
    return status;
}

// Opens the part and checks that it holds numbers, or at least no objects.
static opn_status open_numbers(const opn_i_npz_reader *reader,
                               const opn_i_npz_name *name,
                               const char *part,
                               opn_i_npz_input *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(open_part(reader, name, part, out));
    OPN_TRY(opn_i_npz_need_numbers(reader->ctx, out));
cleanup:
    return status;
}

static opn_status open_sparse(const opn_i_npz_reader *reader,
                              const opn_i_npz_name *name,
                              sparse_members *parts)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    const opn_i_npz_input *shape = &parts->shape;
    OPN_TRY(find_layout(reader, name, parts));
    const bool is_coo = parts->layout == OPN_SPARSE_TRIPLES;
    OPN_TRY(open_numbers(reader, name, "shape", &parts->shape));
    OPN_FAIL_IF(ctx, shape->value.array.n_items != 2, OPN_ERR_FORMAT,
                "%s: %lld items, expected rows and columns", shape->what,
                (long long)shape->value.array.n_items);
    OPN_TRY(opn_i_ndarray_to_i64(ctx, shape->what, &shape->value.array, parts->size));
    OPN_TRY(open_numbers(reader, name, "data", &parts->data));
    OPN_TRY(open_numbers(reader, name, is_coo ? "col" : "indices", &parts->indices));
    OPN_TRY(open_numbers(reader, name, is_coo ? "row" : "indptr", &parts->indptr));
cleanup:
    return status;
}

static opn_status read_sparse(const opn_i_npz_reader *reader,
                              const opn_i_npz_name *name,
                              const opn_i_npz_rows *rows,
                              char what[OPN_ZIP_WHAT_ROOM],
                              opn_i_csr *out)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    sparse_members parts = {0};
    OPN_TRY(open_sparse(reader, name, &parts));
    const opn_i_ndarray *data = &parts.data.value.array;
    const opn_i_ndarray *indices = &parts.indices.value.array;
    // Most matrices hold nothing but ones, which need not be kept and checked one by one.
    const bool is_plain =
            data->n_items == indices->n_items && opn_i_ndarray_is_ones(data);
    const opn_i_sparse_input input = {
            .layout = parts.layout,
            .n_rows = parts.size[0],
            .n_cols = parts.size[1],
            .indptr = &parts.indptr.value.array,
            .indices = indices,
            .data = is_plain ? NULL : data,
            .indptr_name = parts.indptr.what,
            .indices_name = parts.indices.what,
            .data_name = parts.data.what,
    };
    if (parts.layout != OPN_SPARSE_ROWS)
        OPN_TRY(check_claim(ctx, parts.shape.what, parts.size[0], rows->n_nodes,
                            indices->n_items));
    OPN_TRY(opn_i_sparse_input_read(ctx, &input, out));
    OPN_TRY(check_shape(ctx, parts.shape.what, out, rows));
    memcpy(what, parts.data.what, OPN_ZIP_WHAT_ROOM);
cleanup:
    opn_i_npz_input_release(ctx, &parts.format);
    opn_i_npz_input_release(ctx, &parts.shape);
    opn_i_npz_input_release(ctx, &parts.data);
    opn_i_npz_input_release(ctx, &parts.indices);
    opn_i_npz_input_release(ctx, &parts.indptr);
    return status;
}

// ---- a matrix in a single member -----------------------------------------------------

opn_status opn_i_npz_input_features(opn_ctx *ctx,
                                    const opn_i_npz_input *input,
                                    const opn_i_npz_rows *rows,
                                    opn_i_features *out)
{
    opn_status status = OPN_OK;
    const opn_i_pickle_sparse *sparse = input->value.sparse;
    if (sparse == NULL) {
        OPN_TRY(opn_i_npz_need_numbers(ctx, input));
        // Rows without columns take no bytes in the file.
        if (input->value.n_dims == 2 && input->value.shape[1] == 0)
            OPN_TRY(check_claim(ctx, input->what, input->value.shape[0], rows->n_nodes,
                                0));
        OPN_TRY(opn_i_dense_input_read(ctx, input->what, &input->value.array, out));
        OPN_TRY(check_shape(ctx, input->what, &out->lists, rows));
        goto cleanup;
    }
    const opn_i_sparse_input parts = {
            .layout = sparse->layout,
            .n_rows = sparse->shape[0],
            .n_cols = sparse->shape[1],
            .indptr = sparse->indptr,
            .indices = sparse->indices,
            .data = sparse->data,
            .indptr_name = input->what,
            .indices_name = input->what,
            .data_name = input->what,
    };
    if (sparse->layout != OPN_SPARSE_ROWS)
        OPN_TRY(check_claim(ctx, input->what, sparse->shape[0], rows->n_nodes,
                            sparse->indices->n_items));
    OPN_TRY(opn_i_sparse_input_read(ctx, &parts, &out->lists));
    OPN_TRY(check_shape(ctx, input->what, &out->lists, rows));
cleanup:
    return status;
}

// Moves the lists of x to *out.
static opn_status take_lists(opn_ctx *ctx, opn_i_features *x, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_features_to_lists(ctx, x));
    *out = x->lists;
    *x = (opn_i_features){0};
cleanup:
    return status;
}

opn_status opn_i_npz_input_matrix(opn_ctx *ctx,
                                  const opn_i_npz_input *input,
                                  const opn_i_npz_rows *rows,
                                  opn_i_csr *out)
{
    opn_status status = OPN_OK;
    opn_i_features matrix = {0};
    OPN_TRY(opn_i_npz_input_features(ctx, input, rows, &matrix));
    OPN_TRY(take_lists(ctx, &matrix, out));
cleanup:
    opn_i_features_deinit(&ctx->alloc, &matrix);
    return status;
}

opn_status opn_i_npz_read_features(const opn_i_npz_reader *reader,
                                   const opn_i_npz_name *name,
                                   const opn_i_npz_rows *rows,
                                   char what[OPN_ZIP_WHAT_ROOM],
                                   opn_i_features *out)
{
    opn_status status = OPN_OK;
    opn_i_npz_input input = {0};
    if (opn_i_npz_is(name, OPN_NPZ_SPARSE))
        return read_sparse(reader, name, rows, what, &out->lists);
    OPN_TRY(opn_i_npz_open(reader, name->name, &input));
    OPN_TRY(opn_i_npz_input_features(reader->ctx, &input, rows, out));
    memcpy(what, input.what, OPN_ZIP_WHAT_ROOM);
cleanup:
    opn_i_npz_input_release(reader->ctx, &input);
    return status;
}

opn_status opn_i_npz_read_matrix(const opn_i_npz_reader *reader,
                                 const opn_i_npz_name *name,
                                 const opn_i_npz_rows *rows,
                                 char what[OPN_ZIP_WHAT_ROOM],
                                 opn_i_csr *out)
{
    opn_status status = OPN_OK;
    opn_i_features matrix = {0};
    OPN_TRY(opn_i_npz_read_features(reader, name, rows, what, &matrix));
    OPN_TRY(take_lists(reader->ctx, &matrix, out));
cleanup:
    opn_i_features_deinit(&reader->ctx->alloc, &matrix);
    return status;
}
