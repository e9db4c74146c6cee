// npz_members.c -- which members of an npz archive mean what.

#include "data/npz_reader.h"
#include "io/npy.h"
#include "io/npz.h"

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
        {"test_mask", OPN_NPZ_TEST, 0},
        {"test_masks", OPN_NPZ_TEST, OPN_NPZ_BY_ROWS},
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

// ---- an archive without a graph ------------------------------------------------------

enum { LIST_ROOM = 480, NAME_BYTES = 40, MAX_LISTED = 8 };

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
    OPN_FAIL_IF(
            ctx, true, OPN_ERR_FORMAT,
            "%s: no graph among its members: %s; write one with numpy.savez(\"g.npz\", "
            "edge_index=e, x=x, y=y), where e [2,E] holds the node numbers of each "
            "edge, x [V,F] the features and y [V] the labels",
            reader->path, list[0] != 0 ? list : "there are none");
cleanup:
    return status;
}
