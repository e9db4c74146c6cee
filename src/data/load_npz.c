// load_npz.c -- loads graphs from npz archives: adjacency or edges, features, labels,
// names and a split, under the names that npz_members.c lists.

#include "arrays/npz.h"
#include "data/loaders.h"
#include "data/npz_reader.h"
#include "graph/sparse_input.h"
#include "io/path.h"

#include <string.h>

// Reads the features of the archive, if it has any: n_nodes rows.
static opn_status read_own_features(opn_i_npz_reader *reader, int64_t n_nodes)
{
    opn_status status = OPN_OK;
    opn_graph *graph = reader->graph;
    const opn_i_npz_name *name = reader->found[OPN_NPZ_FEATURES];
    const opn_i_npz_rows rows = {.n_nodes = n_nodes};
    char what[OPN_ZIP_WHAT_ROOM];
    if (name == NULL)
        return OPN_OK;
    OPN_TRY(opn_i_npz_read_features(reader, name, &rows, what, &graph->features));
    OPN_TRY(opn_i_features_tidy(reader->ctx, what, &graph->features));
cleanup:
    return status;
}

// Features beside the archive, or none.
static opn_status read_other_features(opn_i_npz_reader *reader)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    opn_graph *graph = reader->graph;
    const opn_i_npz_name *adjacency = reader->found[OPN_NPZ_ADJACENCY];
    const opn_i_npz_rows rows = {.n_nodes = opn_i_graph_n_nodes(graph)};
    bool found = reader->found[OPN_NPZ_FEATURES] != NULL;
    if (!found && reader->has_folder && opn_i_npz_is_lone(adjacency))
        OPN_TRY(opn_i_npz_read_features_beside(reader, &found));
    if (!found) {
        OPN_TRY(opn_i_csr_init(ctx, (int32_t)rows.n_nodes, 0, 0, false,
                               &graph->features.lists));
        OPN_TRY(opn_i_graph_note(
                ctx, graph,
                "nodes have no features, and only the structure of the graph is "
                "used"));
    }
cleanup:
    return status;
}

static opn_status check_name_count(const opn_i_npz_reader *reader,
                                   opn_i_npz_part part,
                                   const opn_i_names *names,
                                   int32_t n_wanted)
{
    opn_status status = OPN_OK;
    char what[OPN_ZIP_WHAT_ROOM];
    OPN_FAIL_IF(reader->ctx, names->n != 0 && names->n != n_wanted, OPN_ERR_FORMAT,
                "%s: %lld names, expected %d",
                opn_i_npz_what(reader->zip, reader->found[part]->name, what),
                (long long)names->n, n_wanted);
cleanup:
    return status;
}

static opn_status read_all_names(opn_i_npz_reader *reader)
{
    opn_status status = OPN_OK;
    opn_graph *graph = reader->graph;
    OPN_TRY(opn_i_npz_read_names(reader, OPN_NPZ_NODE_NAMES, &graph->node_names));
    OPN_TRY(opn_i_npz_read_names(reader, OPN_NPZ_CLASS_NAMES, &graph->class_names));
    OPN_TRY(opn_i_npz_read_names(reader, OPN_NPZ_FEATURE_NAMES, &graph->feature_names));
cleanup:
    return status;
}

// Says which members were read, unless they are those of the gnn-benchmark collection.
static opn_status note_members(opn_i_npz_reader *reader)
{
    opn_status status = OPN_OK;
    const opn_i_npz_name *adjacency = reader->found[OPN_NPZ_ADJACENCY];
    const opn_i_npz_name *features = reader->found[OPN_NPZ_FEATURES];
    const opn_i_npz_name *labels = reader->found[OPN_NPZ_LABELS];
    const opn_i_npz_name *edges =
            adjacency != NULL ? adjacency : reader->found[OPN_NPZ_EDGES];
    char name[3][64];
    if (opn_i_npz_is(edges, OPN_NPZ_BENCHMARK) &&
        (features == NULL || opn_i_npz_is(features, OPN_NPZ_BENCHMARK)) &&
        (labels == NULL || opn_i_npz_is(labels, OPN_NPZ_BENCHMARK)))
        goto cleanup;
    OPN_TRY(opn_i_graph_note(reader->ctx, reader->graph,
                             "the edges are read from %s%s%s%s%s",
                             opn_i_npz_title(edges, name[0]),
                             features != NULL ? ", the features from " : "",
                             features != NULL ? opn_i_npz_title(features, name[1]) : "",
                             labels != NULL ? ", the labels from " : "",
                             labels != NULL ? opn_i_npz_title(labels, name[2]) : ""));
cleanup:
    return status;
}

// The number of rows that the features have may differ from that of a matrix of edges.
static opn_status check_feature_rows(const opn_i_npz_reader *reader)
{
    opn_status status = OPN_OK;
    char name[64];
    OPN_FAIL_IF(reader->ctx,
                reader->graph->features.n_rows != opn_i_graph_n_nodes(reader->graph),
                OPN_ERR_FORMAT, "%s: %s has %d rows, but the graph has %d nodes",
                reader->path, opn_i_npz_title(reader->found[OPN_NPZ_FEATURES], name),
                reader->graph->features.n_rows, opn_i_graph_n_nodes(reader->graph));
cleanup:
    return status;
}

static opn_status read_graph(opn_i_npz_reader *reader)
{
    opn_status status = OPN_OK;
    opn_graph *graph = reader->graph;
    opn_i_npz_input labels = {0};
    OPN_TRY(opn_i_npz_find_parts(reader));
    OPN_TRY(read_all_names(reader));
    OPN_TRY(opn_i_npz_open_labels(reader, &labels));
    OPN_TRY(note_members(reader));
    OPN_TRY(opn_i_npz_note_unused(reader));
    // Where there are no labels, the features tell how many nodes there are.
    const bool is_by_features = labels.is_none && reader->found[OPN_NPZ_FEATURES] != NULL;
    if (is_by_features)
        OPN_TRY(read_own_features(reader, OPN_NPZ_ANY_ROWS));
    OPN_TRY(opn_i_npz_read_topology(reader, is_by_features
                                                    ? graph->features.n_rows
                                                    : opn_i_npz_n_labels(&labels)));
    if (is_by_features)
        OPN_TRY(check_feature_rows(reader));
    else
        OPN_TRY(read_own_features(reader, opn_i_graph_n_nodes(graph)));
    OPN_TRY(read_other_features(reader));
    OPN_TRY(opn_i_npz_read_labels(reader, &labels));
    OPN_TRY(check_name_count(reader, OPN_NPZ_NODE_NAMES, &graph->node_names,
                             opn_i_graph_n_nodes(graph)));
    OPN_TRY(check_name_count(reader, OPN_NPZ_FEATURE_NAMES, &graph->feature_names,
                             graph->features.n_cols));
    OPN_TRY(opn_i_npz_read_split(reader));
cleanup:
    opn_i_npz_input_release(reader->ctx, &labels);
    return status;
}

opn_status opn_i_load_npz(opn_ctx *ctx, const char *path, opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_i_bytes bytes = {0};
    opn_i_zip *zip = NULL;
    opn_graph *graph = NULL;
    OPN_TRY(opn_i_graph_new(ctx, opn_i_base_name(path), &graph));
    OPN_TRY(opn_i_file_read(ctx, path, &bytes));
    OPN_TRY(opn_i_zip_open_file(ctx, opn_i_input_name(path), &bytes, &zip));
    opn_i_npz_reader reader = {.ctx = ctx,
                               .path = opn_i_input_name(path),
                               .has_folder = strcmp(path, "-") != 0,
                               .zip = zip,
                               .graph = graph};
    OPN_TRY(read_graph(&reader));
    *out = graph;
    graph = NULL;
cleanup:
    opn_i_zip_close(zip);
    opn_i_bytes_release(ctx, &bytes);
    opn_graph_free(graph);
    return status;
}
