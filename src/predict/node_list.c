// node_list.c -- writes lists of nodes as CSV and JSON files.

#include "predict/node_list.h"

#include "io/bytes.h"
#include "io/csv.h"
#include "io/file_write.h"
#include "io/json_write.h"

#include <math.h>
#include <string.h>

opn_i_list_field opn_i_list_class(const opn_graph *graph, int32_t k, char room[12])
{
    return (opn_i_list_field){k < 0 ? NULL : opn_graph_class_name(graph, k, room),
                              (double)NAN};
}

static void put_row(opn_i_file_writer *file, const opn_i_node_list *list, int32_t row)
{
    char room[12];
    for (int c = 0; c < list->n_columns; c++) {
        const opn_i_list_field field = list->field(list, row, c, room);
        if (c > 0)
            opn_i_file_writer_put(file, ",", 1);
        if (field.text != NULL)
            opn_i_csv_put_text(file, field.text, ',');
        else if (!isnan(field.number))
            opn_i_file_writer_printf(file, "%.9g", field.number);
    }
    opn_i_file_writer_put(file, "\n", 1);
}

static opn_status save_csv(opn_ctx *ctx, const opn_i_node_list *list, const char *path)
{
    opn_status status = OPN_OK;
    opn_i_file_writer *file = NULL;
    OPN_TRY(opn_i_file_writer_open(ctx, path, &file));
    opn_i_file_writer_be_interruptible(file);
    for (int c = 0; c < list->n_columns; c++)
        opn_i_file_writer_printf(file, "%s%s", c > 0 ? "," : "", list->column[c]);
    opn_i_file_writer_put(file, "\n", 1);
    for (int32_t row = 0; row < list->n_rows; row++)
        put_row(file, list, row);
    status = opn_i_file_writer_commit(file);
cleanup:
    return status;
}

static json_t *json_row(const opn_i_node_list *list, int32_t row)
{
    char room[12];
    json_t *object = json_object();
    for (int c = 0; c < list->n_columns; c++) {
        const opn_i_list_field field = list->field(list, row, c, room);
        opn_i_json_set(object, list->column[c],
                       field.text != NULL ? opn_i_json_string(field.text)
                                          : opn_i_json_number(field.number));
    }
    return object;
}

static opn_status save_json(opn_ctx *ctx, const opn_i_node_list *list, const char *path)
{
    json_t *rows = json_array();
    for (int32_t row = 0; row < list->n_rows; row++)
        opn_i_json_append(rows, json_row(list, row));
    return opn_i_json_save(ctx, path, rows, 9);
}

opn_status
opn_i_node_list_save(opn_ctx *ctx, const opn_i_node_list *list, const char *path)
{
    if (strcmp(path, "-.json") == 0)
        return save_json(ctx, list, "-");
    return opn_i_path_ends_in(path, ".json") ? save_json(ctx, list, path)
                                             : save_csv(ctx, list, path);
}
