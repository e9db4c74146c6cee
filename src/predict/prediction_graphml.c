// prediction_graphml.c -- writes predictions as a GraphML file.

#include "predict/prediction_graphml.h"

#include "graph/graph_data.h"
#include "io/file_write.h"
#include "opine/decide.h"
#include "predict/prediction_data.h"

#include <math.h>
#include <string.h>

typedef struct document {
    opn_i_file_writer *file;
    const opn_model *model;
    const opn_graph *graph;
    const opn_split *split; // or NULL
    const opn_prediction *said;
} document;

// Text between tags or quotes. Control characters cannot stand in XML at all.
static void put_text(opn_i_file_writer *file, const char *text)
{
    for (; *text != 0; text++) {
        const char *escape = *text == '&'               ? "&amp;"
                             : *text == '<'             ? "&lt;"
                             : *text == '>'             ? "&gt;"
                             : *text == '"'             ? "&quot;"
                             : *text == '\t'            ? "&#9;"
                             : *text == '\n'            ? "&#10;"
                             : *text == '\r'            ? "&#13;"
                             : *text > 0 && *text < ' ' ? "?"
                                                        : NULL;
        if (escape != NULL)
            opn_i_file_writer_put(file, escape, strlen(escape));
        else
            opn_i_file_writer_put(file, text, 1);
    }
}

// ---- what attributes there are -------------------------------------------------------

// The id of an attribute is a token; what it is called may be any text.
static void put_key(const document *d, const char *id, const char *type)
{
    opn_i_file_writer_printf(
            d->file,
            "  <key id=\"%s\" for=\"node\" attr.name=\"%s\" attr.type=\"%s\"/>\n", id, id,
            type);
}

static void put_class_key(const document *d, int32_t k)
{
    char number[12];
    opn_i_file_writer_printf(d->file, "  <key id=\"p%d\" for=\"node\" attr.name=\"p_", k);
    put_text(d->file, opn_i_prediction_class(d->model, d->graph, k, number));
    opn_i_file_writer_printf(d->file, "\" attr.type=\"double\"/>\n");
}

static void put_keys(const document *d)
{
    static const char *const texts[] = {"name", "role", "label", "predicted"};
    for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++)
        put_key(d, texts[t], "string");
    for (int32_t k = 0; k < opn_prediction_n_classes(d->said); k++)
        put_class_key(d, k);
    for (int32_t m = 0; m < opn_measure_count(); m++)
        if (opn_prediction_measure(d->said, (opn_measure)m) != NULL)
            put_key(d, opn_measure_name((opn_measure)m), "double");
    if (opn_prediction_decision(d->said) != NULL)
        put_key(d, "decision", "string");
    if (d->graph->topology.value != NULL)
        opn_i_file_writer_printf(d->file,
                                 "  <key id=\"weight\" for=\"edge\" "
                                 "attr.name=\"weight\" attr.type=\"double\"/>\n");
}

// ---- nodes and edges -----------------------------------------------------------------

static void put_datum(const document *d, const char *key, const char *text)
{
    opn_i_file_writer_printf(d->file, "<data key=\"%s\">", key);
    put_text(d->file, text);
    opn_i_file_writer_printf(d->file, "</data>");
}

// A number that is not there is left out.
static void put_number(const document *d, const char *key, float value)
{
    if (!isnan(value))
        opn_i_file_writer_printf(d->file, "<data key=\"%s\">%.9g</data>", key,
                                 (double)value);
}

static const char *role_of(const document *d, opn_vid i)
{
    if (d->split != NULL)
        return opn_role_name((opn_role)opn_split_roles(d->split)[i]);
    return opn_role_name(d->graph->label[i] < 0 ? OPN_ROLE_UNLABELLED : OPN_ROLE_POOL);
}

static void put_node(const document *d, opn_vid i)
{
    char number[12];
    const int32_t n_classes = opn_prediction_n_classes(d->said);
    const uint8_t *decision = opn_prediction_decision(d->said);
    opn_i_file_writer_printf(d->file, "    <node id=\"n%d\">", i);
    put_datum(d, "name", opn_graph_node_name(d->graph, i, number));
    put_datum(d, "role", role_of(d, i));
    if (d->graph->label[i] >= 0)
        put_datum(d, "label", opn_graph_class_name(d->graph, d->graph->label[i], number));
    put_datum(d, "predicted",
              opn_i_prediction_class(d->model, d->graph,
                                     opn_prediction_predicted(d->said)[i], number));
    for (int32_t k = 0; k < n_classes; k++)
        opn_i_file_writer_printf(
                d->file, "<data key=\"p%d\">%.9g</data>", k,
                (double)opn_prediction_probability(d->said)[(int64_t)i * n_classes + k]);
    for (int32_t m = 0; m < opn_measure_count(); m++) {
        const float *measure = opn_prediction_measure(d->said, (opn_measure)m);
        if (measure != NULL)
            put_number(d, opn_measure_name((opn_measure)m), measure[i]);
    }
    if (decision != NULL)
        put_datum(d, "decision", opn_decision_name((opn_decision)decision[i]));
    opn_i_file_writer_printf(d->file, "</node>\n");
}

static void put_edges_of(const document *d, opn_vid i)
{
    const opn_i_csr *a = &d->graph->topology;
    for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
        if (d->graph->is_undirected && a->col_idx[e] < i)
            continue; // each pair only once
        opn_i_file_writer_printf(d->file, "    <edge source=\"n%d\" target=\"n%d\"", i,
                                 a->col_idx[e]);
        if (a->value == NULL)
            opn_i_file_writer_printf(d->file, "/>\n");
        else
            opn_i_file_writer_printf(d->file,
                                     "><data key=\"weight\">%.9g</data></edge>\n",
                                     (double)a->value[e]);
    }
}

opn_status opn_i_prediction_save_graphml(opn_ctx *ctx,
                                         const opn_model *model,
                                         const opn_graph *graph,
                                         const opn_split *split,
                                         const opn_prediction *prediction,
                                         const char *path)
{
    opn_status status = OPN_OK;
    document d = {NULL, model, graph, split, prediction};
    const opn_vid n_nodes = opn_i_graph_n_nodes(graph);
    OPN_TRY(opn_i_file_writer_open(ctx, path, &d.file));
    opn_i_file_writer_be_interruptible(d.file);
    opn_i_file_writer_printf(d.file,
                             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                             "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">"
                             "\n");
    put_keys(&d);
    opn_i_file_writer_printf(d.file, "  <graph edgedefault=\"%s\">\n",
                             graph->is_undirected ? "undirected" : "directed");
    for (opn_vid i = 0; i < n_nodes && opn_i_file_writer_goes_on(d.file); i++)
        put_node(&d, i);
    for (opn_vid i = 0; i < n_nodes && opn_i_file_writer_goes_on(d.file); i++)
        put_edges_of(&d, i);
    opn_i_file_writer_printf(d.file, "  </graph>\n</graphml>\n");
    status = opn_i_file_writer_commit(d.file);
    d.file = NULL;
cleanup:
    opn_i_file_writer_discard(d.file);
    return status;
}
