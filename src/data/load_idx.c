// load_idx.c -- images in IDX files, as MNIST and its kin come: a graph without edges
// whose features are the pixels.
//
// Labels are in a file beside the images, named alike: labels for images, idx1 for idx3.
// The images of a test set beside a training set belong to the graph too.

#include "arrays/idx.h"
#include "data/loaders.h"
#include "graph/sparse_input.h"
#include "io/bytes.h"
#include "io/path.h"

#include <stdio.h>
#include <string.h>

// A file and the array in it.
typedef struct idx_file {
    char *path; // NULL: there is no such file
    opn_i_bytes bytes;
    opn_i_ndarray array;
} idx_file;

// Images and perhaps their labels.
typedef struct image_set {
    idx_file images, labels;
} image_set;

// The given set, and the test set beside it.
enum { N_SETS = 2 };
typedef struct image_sets {
    image_set part[N_SETS];
    int n;
} image_sets;

enum { N_LABELS = 256, MAX_PIXEL = 255 };

static void close_file(opn_ctx *ctx, idx_file *file)
{
    opn_i_release(&ctx->alloc, file->path);
    opn_i_bytes_release(ctx, &file->bytes);
}

static void close_sets(opn_ctx *ctx, image_sets *sets)
{
    for (int s = 0; s < N_SETS; s++) {
        close_file(ctx, &sets->part[s].images);
        close_file(ctx, &sets->part[s].labels);
    }
}

// ---- names of files ------------------------------------------------------------------

bool opn_i_path_is_idx(const char *path)
{
    const char *at = opn_i_base_name(path);
    while ((at = strstr(at, "idx")) != NULL) {
        at += 3;
        if (*at >= '1' && *at <= '9')
            return !opn_i_path_ends_in(path, ".npz");
    }
    return false;
}

// Replaces a word in the last part of a path; NULL if it is not in there.
static opn_status
replace_word(opn_ctx *ctx, const char *path, const char *word, const char *by, char **out)
{
    opn_status status = OPN_OK;
    char *head = NULL;
    const char *at = strstr(opn_i_base_name(path), word);
    *out = NULL;
    if (at == NULL)
        return OPN_OK;
    OPN_TRY(opn_i_join_path(ctx, NULL, path, "", &head));
    head[at - path] = 0;
    const size_t n_room = strlen(path) + strlen(by) + 1;
    OPN_TRY_NEW(ctx, *out, n_room);
    snprintf(*out, n_room, "%s%s%s", head, by, at + strlen(word));
cleanup:
    opn_i_release(&ctx->alloc, head);
    return status;
}

// Turns a path into that of the same file packed, if it is packed, or else unpacked.
static opn_status toggle_packed(opn_ctx *ctx, char **path)
{
    opn_status status = OPN_OK;
    char *other = NULL;
    const bool is_packed = opn_i_path_ends_in(*path, ".gz");
    OPN_TRY(opn_i_join_path(ctx, NULL, *path, is_packed ? "" : ".gz", &other));
    if (is_packed)
        other[strlen(other) - strlen(".gz")] = 0;
    opn_i_release(&ctx->alloc, *path);
    *path = other;
cleanup:
    return status;
}

// Keeps a path at which there is a file, packed like the one that it was made from or
// not; else sets it to NULL.
static opn_status keep_existing(opn_ctx *ctx, char **path)
{
    opn_status status = OPN_OK;
    if (*path != NULL && !opn_i_path_is_taken(*path))
        OPN_TRY(toggle_packed(ctx, path));
    if (*path != NULL && !opn_i_path_is_taken(*path)) {
        opn_i_release(&ctx->alloc, *path);
        *path = NULL;
    }
cleanup:
    return status;
}

static opn_status find_labels(opn_ctx *ctx, const char *images, char **out)
{
    opn_status status = OPN_OK;
    char *named = NULL;
    *out = NULL;
    OPN_TRY(replace_word(ctx, images, "images", "labels", &named));
    if (named != NULL)
        OPN_TRY(replace_word(ctx, named, "idx3", "idx1", out));
    OPN_TRY(keep_existing(ctx, out));
cleanup:
    opn_i_release(&ctx->alloc, named);
    return status;
}

static opn_status find_test_images(opn_ctx *ctx, const char *images, char **out)
{
    static const char *const words[] = {"t10k-images", "test-images"};
    opn_status status = OPN_OK;
    *out = NULL;
    for (size_t w = 0; w < sizeof(words) / sizeof(words[0]) && *out == NULL; w++) {
        OPN_TRY(replace_word(ctx, images, "train-images", words[w], out));
        OPN_TRY(keep_existing(ctx, out));
    }
cleanup:
    return status;
}

opn_status opn_i_folder_images(opn_ctx *ctx, const char *folder, char **out)
{
    static const char *const names[] = {"train-images-idx3-ubyte",
                                        "train-images.idx3-ubyte"};
    opn_status status = OPN_OK;
    *out = NULL;
    for (size_t f = 0; f < sizeof(names) / sizeof(names[0]) && *out == NULL; f++) {
        OPN_TRY(opn_i_join_path(ctx, folder, names[f], "", out));
        OPN_TRY(keep_existing(ctx, out));
    }
cleanup:
    return status;
}

// ---- files ---------------------------------------------------------------------------

// Reads the file at file->path, of one byte an item.
static opn_status read_file(opn_ctx *ctx, idx_file *file)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_regular_file_read(ctx, file->path, &file->bytes));
    OPN_TRY(opn_i_idx_read(ctx, file->path, file->bytes.data, file->bytes.n,
                           &file->array));
    OPN_FAIL_IF(ctx, file->array.kind != 'u', OPN_ERR_UNSUPPORTED,
                "%s: items of %d bytes, type %c; images and labels are read as unsigned "
                "bytes (type 0x08)",
                file->path, (int)file->array.item_size, file->array.kind);
cleanup:
    return status;
}

static opn_status check_images(opn_ctx *ctx, const idx_file *file, const idx_file *first)
{
    opn_status status = OPN_OK;
    const opn_i_ndarray *a = &file->array;
    const opn_i_ndarray *b = &first->array;
    OPN_FAIL_IF(ctx, a->n_dims == 1, OPN_ERR_FORMAT,
                "%s: holds one number for each item; name the file of the images",
                file->path);
    OPN_FAIL_IF(ctx, a->n_dims != 3, OPN_ERR_FORMAT,
                "%s: %d dimensions, expected images, rows and columns", file->path,
                a->n_dims);
    OPN_FAIL_IF(ctx, a->n_items == 0, OPN_ERR_FORMAT,
                "%s: %lld images of %lld x %lld pixels; at least one of each is needed",
                file->path, (long long)a->shape[0], (long long)a->shape[1],
                (long long)a->shape[2]);
    OPN_FAIL_IF(ctx, a->shape[1] != b->shape[1] || a->shape[2] != b->shape[2],
                OPN_ERR_FORMAT,
                "%s: images of %lld x %lld pixels, but %s has %lld x %lld", file->path,
                (long long)a->shape[1], (long long)a->shape[2], first->path,
                (long long)b->shape[1], (long long)b->shape[2]);
cleanup:
    return status;
}

static opn_status check_labels(opn_ctx *ctx, const image_set *set)
{
    opn_status status = OPN_OK;
    const opn_i_ndarray *labels = &set->labels.array;
    OPN_FAIL_IF(ctx, labels->n_dims != 1, OPN_ERR_FORMAT,
                "%s: %d dimensions, expected one label for each image", set->labels.path,
                labels->n_dims);
    OPN_FAIL_IF(ctx, labels->shape[0] != set->images.array.shape[0], OPN_ERR_FORMAT,
                "%s: %lld labels, but %s has %lld images", set->labels.path,
                (long long)labels->shape[0], set->images.path,
                (long long)set->images.array.shape[0]);
cleanup:
    return status;
}

// Reads the images at set->images.path and the labels beside them.
static opn_status read_set(opn_ctx *ctx, const image_sets *sets, image_set *set)
{
    opn_status status = OPN_OK;
    OPN_TRY(read_file(ctx, &set->images));
    OPN_TRY(check_images(ctx, &set->images, &sets->part[0].images));
    OPN_TRY(find_labels(ctx, set->images.path, &set->labels.path));
    if (set->labels.path != NULL) {
        OPN_TRY(read_file(ctx, &set->labels));
        OPN_TRY(check_labels(ctx, set));
    }
cleanup:
    return status;
}

static opn_status read_sets(opn_ctx *ctx, const char *path, image_sets *sets)
{
    opn_status status = OPN_OK;
    int64_t n_images = 0;
    OPN_TRY(opn_i_join_path(ctx, NULL, path, "", &sets->part[0].images.path));
    OPN_TRY(find_test_images(ctx, path, &sets->part[1].images.path));
    sets->n = sets->part[1].images.path == NULL ? 1 : N_SETS;
    for (int s = 0; s < sets->n; s++) {
        OPN_TRY(read_set(ctx, sets, &sets->part[s]));
        n_images += sets->part[s].images.array.shape[0];
    }
    const int64_t n_pixels =
            sets->part[0].images.array.n_items / sets->part[0].images.array.shape[0];
    OPN_FAIL_IF(ctx, n_images >= INT32_MAX || n_pixels >= INT32_MAX, OPN_ERR_OVERFLOW,
                "%s: %lld images of %lld pixels are too many", path, (long long)n_images,
                (long long)n_pixels);
cleanup:
    return status;
}

// ---- graph ---------------------------------------------------------------------------

// Pixels are divided by 255; those that are 0 are not stored.
static opn_status read_pixels(opn_ctx *ctx, const image_sets *sets, opn_graph *graph)
{
    opn_status status = OPN_OK;
    opn_off n_entries = 0;
    int32_t n_images = 0;
    const opn_i_ndarray *first = &sets->part[0].images.array;
    const int32_t n_pixels = (int32_t)(first->n_items / first->shape[0]);
    for (int s = 0; s < sets->n; s++) {
        const opn_i_ndarray *array = &sets->part[s].images.array;
        for (int64_t p = 0; p < array->n_items; p++)
            n_entries += array->data[p] != 0;
        n_images += (int32_t)array->shape[0];
    }
    opn_i_csr *x = &graph->features.lists;
    OPN_TRY(opn_i_csr_init(ctx, n_images, n_pixels, n_entries, true, x));
    opn_off n = 0;
    int32_t i = 0;
    for (int s = 0; s < sets->n; s++) {
        const opn_i_ndarray *array = &sets->part[s].images.array;
        for (int64_t p = 0; p < array->n_items; p++) {
            if (array->data[p] != 0) {
                x->col_idx[n] = (int32_t)(p % n_pixels);
                x->value[n++] = (opn_real)(array->data[p] / (double)MAX_PIXEL);
            }
            if (p % n_pixels == n_pixels - 1)
                x->row_ptr[++i] = n;
        }
    }
    OPN_TRY(opn_i_features_tidy(ctx, sets->part[0].images.path, &graph->features));
    graph->image_height = (int32_t)first->shape[1];
    graph->image_width = (int32_t)first->shape[2];
    OPN_TRY(opn_i_graph_note(ctx, graph,
                             "the features are the pixels of images of %d x %d, divided "
                             "by %d",
                             graph->image_height, graph->image_width, (int)MAX_PIXEL));
cleanup:
    return status;
}

// Classes are the numbers among the labels, in their order; names if some are left out.
static opn_status name_classes(opn_ctx *ctx,
                               const image_sets *sets,
                               int32_t class_of[N_LABELS],
                               opn_graph *graph)
{
    opn_status status = OPN_OK;
    bool seen[N_LABELS] = {false};
    int32_t last = -1;
    char text[12];
    for (int s = 0; s < sets->n; s++)
        for (int64_t i = 0; i < sets->part[s].labels.array.n_items; i++)
            seen[sets->part[s].labels.array.data[i]] = true;
    for (int32_t label = 0; label < N_LABELS; label++) {
        if (!seen[label])
            continue;
        class_of[label] = graph->n_classes++;
        last = label;
    }
    for (int32_t label = 0; label <= last && last >= graph->n_classes; label++) {
        const int n_chars = snprintf(text, sizeof(text), "%d", label);
        if (seen[label])
            OPN_TRY(opn_i_names_add(ctx, &graph->class_names, text, (size_t)n_chars));
    }
cleanup:
    return status;
}

static opn_status read_labels(opn_ctx *ctx, const image_sets *sets, opn_graph *graph)
{
    opn_status status = OPN_OK;
    int32_t class_of[N_LABELS];
    opn_vid i = 0;
    OPN_TRY(name_classes(ctx, sets, class_of, graph));
    OPN_TRY_NEW(ctx, graph->label, graph->features.n_rows);
    for (int s = 0; s < sets->n; s++) {
        const image_set *set = &sets->part[s];
        for (int64_t j = 0; j < set->images.array.shape[0]; j++)
            graph->label[i++] =
                    set->labels.path == NULL ? -1 : class_of[set->labels.array.data[j]];
        if (set->labels.path == NULL)
            OPN_TRY(opn_i_graph_note(ctx, graph,
                                     "the images of %s have no labels: there is no file "
                                     "of labels beside them",
                                     opn_i_base_name(set->images.path)));
    }
cleanup:
    return status;
}

// Where there is a test set, the last tenth of the other images validates.
static opn_status set_roles(opn_ctx *ctx, const image_sets *sets, opn_graph *graph)
{
    opn_status status = OPN_OK;
    if (sets->n < N_SETS || sets->part[0].labels.path == NULL)
        return OPN_OK;
    const opn_vid n = graph->features.n_rows;
    const opn_vid n_first = (opn_vid)sets->part[0].images.array.shape[0];
    const opn_vid n_validation = n_first / 10;
    OPN_TRY_NEW(ctx, graph->given_role, n);
    for (opn_vid i = 0; i < n; i++)
        graph->given_role[i] = i >= n_first                  ? OPN_ROLE_TEST
                               : i >= n_first - n_validation ? OPN_ROLE_VALIDATION
                                                             : OPN_ROLE_TRAIN;
    OPN_TRY(opn_i_graph_note(ctx, graph,
                             "the %d images of %s are for testing, and the last %d of %s "
                             "for validation",
                             n - n_first, opn_i_base_name(sets->part[1].images.path),
                             n_validation, opn_i_base_name(sets->part[0].images.path)));
cleanup:
    return status;
}

opn_status opn_i_load_idx(opn_ctx *ctx, const char *path, opn_graph **out)
{
    opn_status status = OPN_OK;
    image_sets sets = {0};
    opn_graph *graph = NULL;
    OPN_TRY(opn_i_graph_new(ctx, opn_i_base_name(path), &graph));
    OPN_TRY(read_sets(ctx, path, &sets));
    OPN_TRY(read_pixels(ctx, &sets, graph));
    const opn_vid n = graph->features.n_rows;
    OPN_TRY(opn_i_csr_init(ctx, n, n, 0, false, &graph->topology));
    OPN_TRY(read_labels(ctx, &sets, graph));
    OPN_TRY(set_roles(ctx, &sets, graph));
    *out = graph;
    graph = NULL;
cleanup:
    close_sets(ctx, &sets);
    opn_graph_free(graph);
    return status;
}
