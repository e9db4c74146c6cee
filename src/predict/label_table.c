// label_table.c -- reads labels of nodes that predictions come without.

#include "predict/label_table.h"

#include "graph/roles.h"
#include "io/csv.h"
#include "predict/prediction_reader.h"
#include "tables/folder_words.h"

#include <stdint.h>
#include <string.h>

enum { NODE, LABEL, ROLE, N_COLUMNS };

typedef struct table {
    opn_i_csv rows;
    size_t n_fields;
    size_t column[N_COLUMNS]; // SIZE_MAX for one that is not there
    opn_i_names index;        // the nodes of the file
    uint8_t *listed;          // [V]
    int64_t n_listed, n_others;
} table;

// ---- header --------------------------------------------------------------------------

static bool is_called(const char *name, int column)
{
    switch (column) {
    case NODE:
        return opn_i_names_node(name);
    case LABEL:
        return opn_i_names_label(name);
    default:
        return opn_i_word_means(name, OPN_MEANS_ROLE);
    }
}

static opn_status read_head(opn_ctx *ctx, table *t)
{
    opn_status status = OPN_OK;
    static const char *const names[N_COLUMNS] = {"node", "label", "role"};
    t->n_fields = t->rows.n_fields;
    for (int c = 0; c < N_COLUMNS; c++) {
        t->column[c] = SIZE_MAX;
        // Its own name decides where others are called alike.
        for (size_t f = 0; f < t->n_fields; f++)
            if (strcmp(t->rows.field[f].text, names[c]) == 0)
                t->column[c] = f;
        for (size_t f = 0; f < t->n_fields && t->column[c] == SIZE_MAX; f++)
            if (is_called(t->rows.field[f].text, c))
                t->column[c] = f;
        OPN_FAIL_IF(ctx, c != ROLE && t->column[c] == SIZE_MAX, OPN_ERR_FORMAT,
                    "no column \"%s\"; expected a table of labels, node,label or "
                    "node,label,role",
                    names[c]);
    }
cleanup:
    return status;
}

// ---- rows ----------------------------------------------------------------------------

static opn_status read_row(opn_ctx *ctx, table *t, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, t->rows.n_fields != t->n_fields, OPN_ERR_FORMAT,
                "%zu %s, but the first row has %zu", t->rows.n_fields,
                opn_i_fields_word(t->rows.n_fields), t->n_fields);
    const opn_i_csv_field *node = &t->rows.field[t->column[NODE]];
    const opn_i_csv_field *label = &t->rows.field[t->column[LABEL]];
    const int32_t i = opn_i_names_find(&t->index, node->text, node->n_chars);
    if (i < 0) {
        t->n_others++;
        goto cleanup;
    }
    OPN_FAIL_IF(ctx, t->listed[i], OPN_ERR_FORMAT, "node \"%s\" appears twice",
                node->text);
    t->listed[i] = 1;
    t->n_listed++;
    OPN_TRY(opn_i_prediction_set_label(ctx, file, i, label->text, label->n_chars));
    if (t->column[ROLE] != SIZE_MAX) {
        const opn_i_csv_field *role = &t->rows.field[t->column[ROLE]];
        file->role[i] = OPN_ROLE_POOL;
        if (role->n_chars > 0)
            OPN_TRY(opn_i_prediction_set_role(ctx, file, i, role->text));
        OPN_FAIL_IF(ctx, !opn_i_role_fits(file->role[i], file->label[i]), OPN_ERR_FORMAT,
                    "node \"%s\" is used to %s but has no label", node->text,
                    opn_i_role_verb(file->role[i]));
    }
cleanup:
    return status;
}

static opn_status
read_rows(opn_ctx *ctx, const char *path, table *t, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    bool has_row = false;
    OPN_TRY(opn_i_prediction_next_row(ctx, &t->rows, &has_row));
    OPN_FAIL_IF(ctx, !has_row, OPN_ERR_FORMAT, "%s: is empty; expected a table of labels",
                path);
    OPN_TRY(opn_i_prediction_at(ctx, read_head(ctx, t), "%s", path));
    const bool has_roles = t->column[ROLE] != SIZE_MAX;
    for (int32_t i = 0; i < file->n_nodes; i++) {
        file->label[i] = -1;
        if (has_roles)
            file->role[i] = OPN_ROLE_UNLABELLED;
    }
    file->has_roles = file->has_roles || has_roles;
    for (;;) {
        OPN_TRY(opn_i_prediction_next_row(ctx, &t->rows, &has_row));
        if (!has_row)
            break;
        OPN_TRY(opn_i_prediction_at(ctx, read_row(ctx, t, file), "%s:%zu", path,
                                    t->rows.line));
    }
cleanup:
    return status;
}

opn_status opn_i_label_table_read(opn_ctx *ctx,
                                  const char *path,
                                  const char *scores,
                                  opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    table t = {0};
    OPN_TRY(opn_i_file_read(ctx, path, &bytes));
    const char delimiter = opn_i_csv_delimiter(&bytes, ',');
    OPN_TRY(opn_i_csv_open(ctx, path, &bytes, delimiter, &t.rows));
    OPN_TRY(opn_i_names_index(ctx, &file->nodes, &t.index));
    OPN_TRY_NEW(ctx, t.listed, file->n_nodes);
    OPN_TRY(read_rows(ctx, path, &t, file));
    const int64_t n_all = t.n_others + t.n_listed;
    OPN_FAIL_IF(ctx, t.n_listed == 0, OPN_ERR_FORMAT,
                "%s: none of its %lld nodes is in %s, whose first node is \"%s\"", path,
                (long long)t.n_others, scores, opn_i_names_at(&file->nodes, 0));
    if (t.n_others > 0)
        opn_i_log(ctx, OPN_LOG_INFO, "%s: %lld of %lld nodes are not in %s and left out",
                  path, (long long)t.n_others, (long long)n_all, scores);
cleanup:
    opn_i_csv_close(ctx, &t.rows);
    opn_i_names_deinit(&ctx->alloc, &t.index);
    opn_i_release(&ctx->alloc, t.listed);
    opn_i_bytes_release(ctx, &bytes);
    return status;
}
