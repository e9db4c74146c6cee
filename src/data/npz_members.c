// npz_members.c -- which members of an npz archive mean what.

#include "data/npz_reader.h"

#include "arrays/npy.h"
#include "arrays/npz.h"
#include "tables/folder_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Of several names of a part the first that an archive has counts. In this order: the
// gnn-benchmark collection and `opine data convert`, GraphGallery, PyTorch Geometric and
// its like, Platonov and others (2023), and what scipy.sparse.save_npz() writes.
static const opn_i_npz_name names[] = {
        {"adj_", OPN_NPZ_ADJACENCY, OPN_NPZ_SPARSE | OPN_NPZ_BENCHMARK},
        {"adj_matrix", OPN_NPZ_ADJACENCY, 0},
        {"adj", OPN_NPZ_ADJACENCY, 0},
        {"adjacency", OPN_NPZ_ADJACENCY, 0},
        {"adjacency_matrix", OPN_NPZ_ADJACENCY, 0},
        {"A", OPN_NPZ_ADJACENCY, 0},
        {"", OPN_NPZ_ADJACENCY, OPN_NPZ_SPARSE},

        {"edge_index", OPN_NPZ_EDGES, 0},
        {"edges", OPN_NPZ_EDGES, OPN_NPZ_BY_ROWS},
        {"edge_list", OPN_NPZ_EDGES, OPN_NPZ_BY_ROWS},

        {"edge_weight", OPN_NPZ_WEIGHTS, 0},
        {"edge_weights", OPN_NPZ_WEIGHTS, 0},

        {"attr_matrix", OPN_NPZ_FEATURES, OPN_NPZ_BENCHMARK},
        {"attr_", OPN_NPZ_FEATURES, OPN_NPZ_SPARSE | OPN_NPZ_BENCHMARK},
        {"node_attr", OPN_NPZ_FEATURES, 0},
        {"x", OPN_NPZ_FEATURES, 0},
        {"node_features", OPN_NPZ_FEATURES, 0},
        {"features", OPN_NPZ_FEATURES, 0},
        {"feat", OPN_NPZ_FEATURES, 0},
        {"attr", OPN_NPZ_FEATURES, 0},
        {"X", OPN_NPZ_FEATURES, 0},

        {"labels", OPN_NPZ_LABELS, OPN_NPZ_BENCHMARK},
        {"node_label", OPN_NPZ_LABELS, 0},
        {"y", OPN_NPZ_LABELS, 0},
        {"node_labels", OPN_NPZ_LABELS, 0},
        {"label", OPN_NPZ_LABELS, 0},
        {"Y", OPN_NPZ_LABELS, 0},

        {"node_names", OPN_NPZ_NODE_NAMES, OPN_NPZ_BENCHMARK},
        {"class_names", OPN_NPZ_CLASS_NAMES, OPN_NPZ_BENCHMARK},
        {"attr_names", OPN_NPZ_FEATURE_NAMES, OPN_NPZ_BENCHMARK},
        {"feature_names", OPN_NPZ_FEATURE_NAMES, 0},

        {"split", OPN_NPZ_SPLIT, OPN_NPZ_BENCHMARK},
        {"train_mask", OPN_NPZ_TRAIN, 0},
        {"train_masks", OPN_NPZ_TRAIN, OPN_NPZ_BY_ROWS},
        {"val_mask", OPN_NPZ_VALIDATION, 0},
        {"val_masks", OPN_NPZ_VALIDATION, OPN_NPZ_BY_ROWS},
        {"valid_mask", OPN_NPZ_VALIDATION, 0},
        {"validation_mask", OPN_NPZ_VALIDATION, 0},
        {"calibration_mask", OPN_NPZ_CALIBRATION, 0},
        {"calib_mask", OPN_NPZ_CALIBRATION, 0},
        {"cal_mask", OPN_NPZ_CALIBRATION, 0},
        {"test_mask", OPN_NPZ_TEST, 0},
        {"test_masks", OPN_NPZ_TEST, OPN_NPZ_BY_ROWS},

        {"train_idx", OPN_NPZ_TRAIN, OPN_NPZ_INDICES},
        {"train_index", OPN_NPZ_TRAIN, OPN_NPZ_INDICES},
        {"train_indices", OPN_NPZ_TRAIN, OPN_NPZ_INDICES},
        {"idx_train", OPN_NPZ_TRAIN, OPN_NPZ_INDICES},
        {"val_idx", OPN_NPZ_VALIDATION, OPN_NPZ_INDICES},
        {"val_index", OPN_NPZ_VALIDATION, OPN_NPZ_INDICES},
        {"val_indices", OPN_NPZ_VALIDATION, OPN_NPZ_INDICES},
        {"idx_val", OPN_NPZ_VALIDATION, OPN_NPZ_INDICES},
        {"valid_idx", OPN_NPZ_VALIDATION, OPN_NPZ_INDICES},
        {"valid_index", OPN_NPZ_VALIDATION, OPN_NPZ_INDICES},
        {"valid_indices", OPN_NPZ_VALIDATION, OPN_NPZ_INDICES},
        {"idx_valid", OPN_NPZ_VALIDATION, OPN_NPZ_INDICES},
        {"validation_idx", OPN_NPZ_VALIDATION, OPN_NPZ_INDICES},
        {"validation_index", OPN_NPZ_VALIDATION, OPN_NPZ_INDICES},
        {"validation_indices", OPN_NPZ_VALIDATION, OPN_NPZ_INDICES},
        {"idx_validation", OPN_NPZ_VALIDATION, OPN_NPZ_INDICES},
        {"calibration_idx", OPN_NPZ_CALIBRATION, OPN_NPZ_INDICES},
        {"calib_idx", OPN_NPZ_CALIBRATION, OPN_NPZ_INDICES},
        {"cal_idx", OPN_NPZ_CALIBRATION, OPN_NPZ_INDICES},
        {"test_idx", OPN_NPZ_TEST, OPN_NPZ_INDICES},
        {"test_index", OPN_NPZ_TEST, OPN_NPZ_INDICES},
        {"test_indices", OPN_NPZ_TEST, OPN_NPZ_INDICES},
        {"idx_test", OPN_NPZ_TEST, OPN_NPZ_INDICES},
};

enum { N_NAMES = sizeof(names) / sizeof(names[0]), MEMBER_ROOM = 64 };

static bool has(const opn_i_zip *zip, const char *start, const char *end)
{
    char member[MEMBER_ROOM];
    snprintf(member, sizeof(member), "%s%s", start, end);
    return opn_i_npz_has(zip, member);
}

// One member of a matrix is enough, so that a missing one can be named; save_npz() writes
// words that other archives use too, so there all of them are needed.
static bool is_there(const opn_i_zip *zip, const opn_i_npz_name *name)
{
    if (!opn_i_npz_is(name, OPN_NPZ_SPARSE))
        return opn_i_npz_has(zip, name->name);
    if (name->name[0] == 0)
        return opn_i_npz_has(zip, "data") && opn_i_npz_has(zip, "shape") &&
               (opn_i_npz_has(zip, "indptr") || opn_i_npz_has(zip, "row"));
    return has(zip, name->name, "data") || has(zip, name->name, "indices") ||
           has(zip, name->name, "indptr") || has(zip, name->name, "shape");
}

const char *opn_i_npz_title(const opn_i_npz_name *name, char out[64])
{
    const size_t n = strlen(name->name);
    if (n == 0)
        return "a matrix of scipy.sparse.save_npz()";
    snprintf(out, 64, "%.*s", (int)(opn_i_npz_is(name, OPN_NPZ_SPARSE) ? n - 1 : n),
             name->name);
    return out;
}

const char *opn_i_npz_list_names(opn_i_npz_part part, char out[256])
{
    size_t n = 0;
    out[0] = 0;
    for (size_t i = 0; i < N_NAMES; i++)
        if (names[i].part == part && !opn_i_npz_is(&names[i], OPN_NPZ_SPARSE))
            n += (size_t)snprintf(out + n, 256 - n, "%s%s", n > 0 ? ", " : "",
                                  names[i].name);
    return out;
}

// ---- members that are not read -------------------------------------------------------

// Whether the member is one that the name stands for.
static bool stands_for(const opn_i_npz_name *name, const char *member)
{
    static const char *const endings[] = {"data", "indices", "indptr", "shape",
                                          "row",  "col",     "format"};
    const size_t n = strlen(name->name);
    if (!opn_i_npz_is(name, OPN_NPZ_SPARSE))
        return strcmp(name->name, member) == 0;
    for (size_t e = 0; e < sizeof(endings) / sizeof(endings[0]); e++)
        if (strncmp(name->name, member, n) == 0 && strcmp(endings[e], member + n) == 0)
            return true;
    return false;
}

// Whether the part is read, where the archive has it in two ways.
static bool is_read(const opn_i_npz_reader *reader, opn_i_npz_part part)
{
    const bool is_listed = part == OPN_NPZ_EDGES || part == OPN_NPZ_WEIGHTS;
    const bool is_mask = part == OPN_NPZ_TRAIN || part == OPN_NPZ_VALIDATION ||
                         part == OPN_NPZ_CALIBRATION || part == OPN_NPZ_TEST;
    return reader->found[part] != NULL &&
           !(is_listed && reader->found[OPN_NPZ_ADJACENCY] != NULL) &&
           !(is_mask && reader->found[OPN_NPZ_SPLIT] != NULL);
}

opn_status opn_i_npz_note_unused(opn_i_npz_reader *reader)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    const int n_members = opn_i_zip_n_members(reader->zip);
    opn_i_text list = {.ctx = ctx};
    opn_i_names unused = {0};
    bool *all = NULL;
    OPN_TRY_NEW(ctx, all, n_members);
    for (int i = 0; i < n_members; i++) {
        char member[MEMBER_ROOM];
        const char *file = opn_i_zip_member_name(reader->zip, i);
        const size_t n = strlen(file);
        const bool is_array = n > 4 && strcmp(file + n - 4, ".npy") == 0;
        bool is_known = false;
        snprintf(member, sizeof(member), "%.*s", (int)(is_array ? n - 4 : n), file);
        for (int part = 0; part < OPN_N_NPZ_PARTS && !is_known; part++)
            is_known = is_read(reader, (opn_i_npz_part)part) &&
                       stands_for(reader->found[part], member);
        all[i] = true;
        if (!is_known)
            OPN_TRY(opn_i_names_add(ctx, &unused, member, strlen(member)));
    }
    if (unused.n == 0)
        goto cleanup;
    opn_i_list_names(&list, &unused, all, (size_t)unused.n, "and");
    OPN_TRY(list.status);
    OPN_TRY(opn_i_graph_note(ctx, reader->graph, "%s %s not used",
                             opn_i_text_chars(&list), unused.n == 1 ? "is" : "are"));
cleanup:
    opn_i_text_free(&list);
    opn_i_names_deinit(&ctx->alloc, &unused);
    opn_i_release(&ctx->alloc, all);
    return status;
}

// ---- an archive without a graph ------------------------------------------------------

enum { LIST_ROOM = 400, NAME_BYTES = 40, MAX_LISTED = 8 };

// Bytes of the name to show, without half a character at the end.
static int shown_length(const char *name)
{
    size_t n = strlen(name);
    if (n > NAME_BYTES)
        for (n = NAME_BYTES; n > 0 && ((unsigned char)name[n] & 0xC0) == 0x80;)
            n--;
    return (int)n;
}

// A member with its shape and type, as far as its header can be read.
static void
describe_member(opn_ctx *ctx, const opn_i_zip *zip, const char *member, char out[160])
{
    opn_i_bytes bytes = {0};
    opn_i_npy_about about;
    int n = snprintf(out, 160, "%.*s", shown_length(member), member);
    if (opn_i_zip_read(ctx, zip, member, &bytes) == OPN_OK &&
        opn_i_npy_look(ctx, member, bytes.data, bytes.n, &about) == OPN_OK) {
        n += snprintf(out + n, (size_t)(160 - n), " [");
        for (int d = 0; d < about.n_dims && d < 3; d++)
            n += snprintf(out + n, (size_t)(160 - n), "%s%" PRId64, d > 0 ? "," : "",
                          about.shape[d]);
        snprintf(out + n, (size_t)(160 - n), "%s] %.8s", about.n_dims > 3 ? ",..." : "",
                 about.type);
    }
    opn_i_bytes_release(ctx, &bytes);
}

static void list_members(opn_ctx *ctx, const opn_i_zip *zip, char out[LIST_ROOM])
{
    const int n_members = opn_i_zip_n_members(zip);
    size_t n = 0;
    int i = 0;
    out[0] = 0;
    for (; i < n_members && i < MAX_LISTED; i++) {
        char member[160];
        describe_member(ctx, zip, opn_i_zip_member_name(zip, i), member);
        if (n + strlen(member) + 32 > LIST_ROOM)
            break;
        n += (size_t)snprintf(out + n, LIST_ROOM - n, "%s%s", i > 0 ? ", " : "", member);
    }
    if (i < n_members)
        snprintf(out + n, LIST_ROOM - n, " and %d more", n_members - i);
}

opn_status opn_i_npz_find_parts(opn_i_npz_reader *reader)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    char list[LIST_ROOM];
    for (size_t i = 0; i < N_NAMES; i++)
        if (reader->found[names[i].part] == NULL && is_there(reader->zip, &names[i]))
            reader->found[names[i].part] = &names[i];
    if (reader->found[OPN_NPZ_ADJACENCY] != NULL || reader->found[OPN_NPZ_EDGES] != NULL)
        goto cleanup;
    list_members(ctx, reader->zip, list);
    opn_i_set_error(ctx,
                    "%s: no graph among its members: %s; this writes one:", reader->path,
                    list[0] != 0 ? list : "there are none");
    opn_i_add_lines(ctx, OPN_NPZ_RECIPE);
    status = OPN_ERR_FORMAT;
cleanup:
    return status;
}
