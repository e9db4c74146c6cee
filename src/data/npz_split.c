// npz_split.c -- names and the split of an npz archive: a role for each node, masks, or
// lists of nodes.

#include "arrays/npz.h"
#include "data/npz_reader.h"
#include "graph/roles.h"

#include <stdio.h>
#include <string.h>

// ---- names ---------------------------------------------------------------------------

static opn_status
add_names(opn_ctx *ctx, const opn_i_npz_input *input, opn_i_names *names)
{
    opn_status status = OPN_OK;
    char *text = NULL;
    size_t room = 0;
    OPN_TRY(opn_i_npy_value_text_room(ctx, input->what, &input->value, &room));
    OPN_TRY_NEW(ctx, text, room);
    for (int64_t i = 0; i < opn_i_npy_value_n_items(&input->value); i++) {
        size_t n_chars = 0;
        OPN_TRY(opn_i_npy_value_text(ctx, input->what, &input->value, i, text, &n_chars));
        OPN_TRY(opn_i_names_add(ctx, names, text, n_chars));
    }
cleanup:
    opn_i_release(&ctx->alloc, text);
    return status;
}

// Names are optional: those stored as Python objects of other kinds are skipped.
opn_status
opn_i_npz_read_names(opn_i_npz_reader *reader, opn_i_npz_part part, opn_i_names *names)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    opn_i_npz_input input = {0};
    if (reader->found[part] == NULL)
        return OPN_OK;
    status = opn_i_npz_open(reader, reader->found[part]->name, &input);
    if (status == OPN_ERR_UNSUPPORTED) {
        opn_i_log(ctx, OPN_LOG_WARNING, "%s; continuing without these names",
                  opn_ctx_error(ctx));
        status = OPN_OK;
        goto cleanup;
    }
    OPN_TRY(status);
    OPN_TRY(add_names(ctx, &input, names));
cleanup:
    opn_i_npz_input_release(ctx, &input);
    return status;
}

// ---- roles ---------------------------------------------------------------------------

static opn_status
check_role(const opn_i_npz_reader *reader, const char *what, opn_vid i, uint8_t role)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(reader->ctx, !opn_i_role_fits(role, reader->graph->label[i]),
                OPN_ERR_FORMAT, "%s: node %d is used to %s but has no label", what, i,
                opn_i_role_verb(role));
cleanup:
    return status;
}

static opn_status read_roles(opn_i_npz_reader *reader)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    opn_graph *graph = reader->graph;
    opn_i_names roles = {0};
    char what[OPN_ZIP_WHAT_ROOM];
    const opn_vid n = opn_i_graph_n_nodes(graph);
    opn_i_npz_what(reader->zip, reader->found[OPN_NPZ_SPLIT]->name, what);
    OPN_TRY(opn_i_npz_read_names(reader, OPN_NPZ_SPLIT, &roles));
    OPN_FAIL_IF(ctx, roles.n != n, OPN_ERR_FORMAT, "%s: %lld names, expected %d", what,
                (long long)roles.n, n);
    OPN_TRY_NEW(ctx, graph->given_role, n);
    for (opn_vid i = 0; i < n; i++) {
        const char *text = opn_i_names_at(&roles, i);
        OPN_FAIL_IF(ctx, !opn_i_role_parse(text, &graph->given_role[i]), OPN_ERR_FORMAT,
                    "%s: item %d is \"%s\", where " OPN_ROLE_WORDS " is needed", what, i,
                    text);
        OPN_TRY(check_role(reader, what, i, graph->given_role[i]));
    }
cleanup:
    opn_i_names_deinit(&ctx->alloc, &roles);
    return status;
}

// ---- masks ---------------------------------------------------------------------------

static const struct {
    opn_i_npz_part part;
    uint8_t role;
} masks[] = {{OPN_NPZ_TRAIN, OPN_ROLE_TRAIN},
             {OPN_NPZ_VALIDATION, OPN_ROLE_VALIDATION},
             {OPN_NPZ_CALIBRATION, OPN_ROLE_CALIBRATION},
             {OPN_NPZ_TEST, OPN_ROLE_TEST}};

enum { N_MASKS = sizeof(masks) / sizeof(masks[0]) };

// Where the first split of a mask is: its items are `step` apart.
typedef struct first_split {
    int64_t step;
    int64_t n_splits;
} first_split;

// [V], [V,S], or [S,V]; where S is V, the name tells.
static opn_status find_first(const opn_i_npz_reader *reader,
                             const opn_i_npz_name *name,
                             const opn_i_npz_input *mask,
                             first_split *out)
{
    opn_status status = OPN_OK;
    const int64_t n = opn_i_graph_n_nodes(reader->graph);
    const int n_dims = mask->value.n_dims;
    const int64_t *shape = mask->value.shape;
    OPN_TRY(opn_i_npz_need_numbers(reader->ctx, mask));
    const bool fits_columns = n_dims == 2 && shape[0] == n && shape[1] > 0;
    const bool fits_rows = n_dims == 2 && shape[1] == n && shape[0] > 0;
    OPN_FAIL_IF(
            reader->ctx, !(n_dims == 1 && shape[0] == n) && !fits_columns && !fits_rows,
            OPN_ERR_FORMAT,
            "%s: %lld items in %d dimension%s, expected one for each of the %lld nodes, "
            "or several splits as [V,S] or [S,V]; call a list of node numbers train_idx "
            "and so on",
            mask->what, (long long)mask->value.array.n_items, n_dims,
            n_dims == 1 ? "" : "s", (long long)n);
    *out = (first_split){1, 1};
    if (fits_rows && (opn_i_npz_is(name, OPN_NPZ_BY_ROWS) || !fits_columns))
        out->n_splits = shape[0];
    else if (fits_columns)
        *out = (first_split){shape[1], shape[1]};
cleanup:
    return status;
}

static opn_status
give_role(opn_i_npz_reader *reader, const char *what, opn_vid i, uint8_t role)
{
    opn_status status = OPN_OK;
    uint8_t *given = reader->graph->given_role;
    const bool is_taken = opn_i_role_learns(given[i]) || given[i] == OPN_ROLE_TEST;
    OPN_FAIL_IF(reader->ctx, is_taken && given[i] != role, OPN_ERR_FORMAT,
                "%s: node %d is also used to %s; the parts of a split must not overlap",
                what, i, given[i] == OPN_ROLE_TEST ? "test" : opn_i_role_verb(given[i]));
    OPN_TRY(check_role(reader, what, i, role));
    given[i] = role;
cleanup:
    return status;
}

// Gives the role to the nodes that the mask has a 1 for.
static opn_status set_role(opn_i_npz_reader *reader,
                           const opn_i_npz_input *mask,
                           const first_split *first,
                           const double *item,
                           uint8_t role)
{
    opn_status status = OPN_OK;
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(reader->graph); i++) {
        const double value = item[(size_t)i * (size_t)first->step];
        OPN_FAIL_IF(reader->ctx, value != 0.0 && value != 1.0, OPN_ERR_FORMAT,
                    "%s: node %d has %g; a mask holds true and false, or 1 and 0",
                    mask->what, i, value);
        if (value == 1.0)
            OPN_TRY(give_role(reader, mask->what, i, role));
    }
cleanup:
    return status;
}

static opn_status read_mask(opn_i_npz_reader *reader,
                            const opn_i_npz_name *name,
                            const opn_i_npz_input *mask,
                            uint8_t role)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    first_split first;
    double *item = NULL;
    OPN_TRY(find_first(reader, name, mask, &first));
    OPN_TRY_NEW(ctx, item, mask->value.array.n_items);
    OPN_TRY(opn_i_ndarray_to_f64(ctx, mask->what, &mask->value.array, item));
    OPN_TRY(set_role(reader, mask, &first, item, role));
    if (role == OPN_ROLE_TRAIN && first.n_splits > 1)
        OPN_TRY(opn_i_graph_note(ctx, reader->graph,
                                 "the first of the %lld splits in %s is used",
                                 (long long)first.n_splits, name->name));
cleanup:
    opn_i_release(&ctx->alloc, item);
    return status;
}

// Gives the role to the nodes whose numbers are listed; one listed twice counts once.
static opn_status
read_indices(opn_i_npz_reader *reader, const opn_i_npz_input *list, uint8_t role)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    const opn_vid n_nodes = opn_i_graph_n_nodes(reader->graph);
    const int64_t n = list->value.array.n_items;
    int64_t *number = NULL;
    OPN_TRY(opn_i_npz_need_numbers(ctx, list));
    OPN_FAIL_IF(ctx,
                list->value.n_dims != 1 &&
                        !(list->value.n_dims == 2 && list->value.shape[1] == 1),
                OPN_ERR_FORMAT, "%s: %d dimensions, expected a list of node numbers",
                list->what, list->value.n_dims);
    OPN_TRY_NEW(ctx, number, n);
    OPN_TRY(opn_i_ndarray_to_i64(ctx, list->what, &list->value.array, number));
    for (int64_t k = 0; k < n; k++) {
        OPN_FAIL_IF(ctx, number[k] < 0 || number[k] >= n_nodes, OPN_ERR_FORMAT,
                    "%s: item %lld is node %lld, outside [0, %d)", list->what,
                    (long long)k, (long long)number[k], n_nodes);
        OPN_TRY(give_role(reader, list->what, (opn_vid)number[k], role));
    }
cleanup:
    opn_i_release(&ctx->alloc, number);
    return status;
}

// What is called a list of nodes but holds true and false is a mask.
static opn_status
read_part(opn_i_npz_reader *reader, const opn_i_npz_name *name, uint8_t role)
{
    opn_status status = OPN_OK;
    opn_i_npz_input input = {0};
    OPN_TRY(opn_i_npz_open(reader, name->name, &input));
    if (opn_i_npz_is(name, OPN_NPZ_INDICES) && input.value.array.kind != 'b')
        OPN_TRY(read_indices(reader, &input, role));
    else
        OPN_TRY(read_mask(reader, name, &input, role));
cleanup:
    opn_i_npz_input_release(reader->ctx, &input);
    return status;
}

static opn_status note_parts(opn_i_npz_reader *reader)
{
    char list[256] = "";
    size_t n = 0;
    for (size_t m = 0; m < N_MASKS; m++) {
        const opn_i_npz_name *found = reader->found[masks[m].part];
        if (found != NULL)
            n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n > 0 ? ", " : "",
                                  found->name);
    }
    return opn_i_graph_note(reader->ctx, reader->graph, "the split is read from %s",
                            list);
}

// Nodes in no part are in the pool, unless they have no label.
static opn_status read_parts(opn_i_npz_reader *reader)
{
    opn_status status = OPN_OK;
    opn_graph *graph = reader->graph;
    const opn_vid n = opn_i_graph_n_nodes(graph);
    OPN_TRY_NEW(reader->ctx, graph->given_role, n);
    for (opn_vid i = 0; i < n; i++)
        graph->given_role[i] = graph->label[i] < 0 ? OPN_ROLE_UNLABELLED : OPN_ROLE_POOL;
    OPN_TRY(note_parts(reader));
    for (size_t m = 0; m < N_MASKS; m++)
        if (reader->found[masks[m].part] != NULL)
            OPN_TRY(read_part(reader, reader->found[masks[m].part], masks[m].role));
cleanup:
    return status;
}

opn_status opn_i_npz_read_split(opn_i_npz_reader *reader)
{
    if (reader->found[OPN_NPZ_SPLIT] != NULL)
        return read_roles(reader);
    if (reader->found[OPN_NPZ_TRAIN] != NULL)
        return read_parts(reader);
    if (reader->found[OPN_NPZ_VALIDATION] != NULL ||
        reader->found[OPN_NPZ_CALIBRATION] != NULL || reader->found[OPN_NPZ_TEST] != NULL)
        return opn_i_graph_note(
                reader->ctx, reader->graph,
                "the masks are not used, because none says which nodes train");
    return OPN_OK;
}
