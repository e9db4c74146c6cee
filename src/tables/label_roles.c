// label_roles.c -- a split that a table of labels holds beside them: a column of roles,
// or a mask for each of train, validation, calibration and test.

#include "graph/roles.h"
#include "tables/label_columns.h"

#include <string.h>

static const struct {
    opn_i_meaning name;
    uint8_t role;
} masks[] = {{OPN_MEANS_TRAIN, OPN_ROLE_TRAIN},
             {OPN_MEANS_VALIDATION, OPN_ROLE_VALIDATION},
             {OPN_MEANS_CALIBRATION, OPN_ROLE_CALIBRATION},
             {OPN_MEANS_TEST, OPN_ROLE_TEST}};

enum { N_MASKS = sizeof(masks) / sizeof(masks[0]) };

const opn_i_role_columns opn_i_no_roles = {
        OPN_NO_COLUMN, {OPN_NO_COLUMN, OPN_NO_COLUMN, OPN_NO_COLUMN, OPN_NO_COLUMN}};

// ---- values --------------------------------------------------------------------------

static bool is_true(const char *text)
{
    return opn_i_word_means(text, OPN_MEANS_TRUE) || strcmp(text, "1") == 0 ||
           strcmp(text, "1.0") == 0;
}

static bool is_false(const char *text)
{
    return opn_i_is_missing(text) || opn_i_word_means(text, OPN_MEANS_FALSE) ||
           strcmp(text, "0") == 0 || strcmp(text, "0.0") == 0;
}

static bool holds_mask(const opn_i_grid *grid, size_t column)
{
    for (size_t row = grid->n_head; row < grid->n_rows; row++) {
        const char *text = opn_i_grid_cell(grid, row, column);
        if (!is_true(text) && !is_false(text))
            return false;
    }
    return grid->n_rows > grid->n_head;
}

// Whether all values are roles, one of them to train.
static bool holds_roles(const opn_i_grid *grid, size_t column)
{
    bool trains = false;
    for (size_t row = grid->n_head; row < grid->n_rows; row++) {
        const char *text = opn_i_grid_cell(grid, row, column);
        uint8_t role = OPN_ROLE_POOL;
        if (!opn_i_is_missing(text) && !opn_i_role_parse(text, &role))
            return false;
        trains = trains || role == OPN_ROLE_TRAIN;
    }
    return trains;
}

// ---- columns -------------------------------------------------------------------------

// In two columns, what could be a split is one only beside a label.
static bool may_be_split(const opn_i_grid *grid, size_t column)
{
    return grid->n_columns > 2 ||
           (grid->n_columns == 2 &&
            opn_i_names_label(opn_i_grid_cell(grid, 0, 1 - column)));
}

void opn_i_find_role_columns(const opn_i_grid *grid, opn_i_role_columns *out)
{
    *out = opn_i_no_roles;
    if (grid->n_head == 0)
        return;
    for (size_t f = 0; f < grid->n_columns; f++) {
        const char *name = opn_i_grid_cell(grid, 0, f);
        if (!may_be_split(grid, f))
            continue;
        if (out->role == OPN_NO_COLUMN && opn_i_word_means(name, OPN_MEANS_ROLE) &&
            holds_roles(grid, f))
            out->role = f;
        for (size_t m = 0; m < N_MASKS; m++)
            if (out->mask[m] == OPN_NO_COLUMN && opn_i_word_means(name, masks[m].name) &&
                holds_mask(grid, f))
                out->mask[m] = f;
    }
    const size_t role = out->role;
    if (role != OPN_NO_COLUMN || out->mask[0] == OPN_NO_COLUMN)
        *out = opn_i_no_roles;
    out->role = role;
}

bool opn_i_is_role_column(const opn_i_role_columns *columns, size_t column)
{
    for (size_t m = 0; m < N_MASKS; m++)
        if (columns->mask[m] == column)
            return true;
    return columns->role == column;
}

opn_status opn_i_read_row_role(opn_ctx *ctx,
                               const char *path,
                               const opn_i_grid *grid,
                               const opn_i_role_columns *columns,
                               size_t row,
                               uint8_t *role)
{
    opn_status status = OPN_OK;
    size_t before = N_MASKS;
    *role = OPN_ROLE_POOL;
    if (columns->role != OPN_NO_COLUMN)
        (void)opn_i_role_parse(opn_i_grid_cell(grid, row, columns->role), role);
    for (size_t m = 0; m < N_MASKS; m++) {
        if (columns->mask[m] == OPN_NO_COLUMN ||
            !is_true(opn_i_grid_cell(grid, row, columns->mask[m])))
            continue;
        OPN_FAIL_IF(ctx, before < N_MASKS, OPN_ERR_FORMAT,
                    "%s:%zu: %s and %s are both true; masks must not overlap", path,
                    grid->line[row], opn_i_grid_cell(grid, 0, columns->mask[before]),
                    opn_i_grid_cell(grid, 0, columns->mask[m]));
        before = m;
        *role = masks[m].role;
    }
cleanup:
    return status;
}
