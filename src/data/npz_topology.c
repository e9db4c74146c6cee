// npz_topology.c -- neighbours in an npz archive: an adjacency matrix or a list of edges.

#include "data/npz_reader.h"
#include "graph/sparse_input.h"

#include <string.h>

// Drops stored zeros, which are not edges; weights that are all 1 are omitted.
static opn_status clean_weights(opn_ctx *ctx, const char *what, opn_i_csr *adjacency)
{
    opn_status status = OPN_OK;
    opn_off n_kept = 0;
    opn_off n_ones = 0;
    opn_off e = 0;
    for (int32_t i = 0; i < adjacency->n_rows; i++) {
        for (; e < adjacency->row_ptr[i + 1]; e++) {
            const opn_real weight = adjacency->value[e];
            OPN_FAIL_IF(
                    ctx, weight < 0, OPN_ERR_FORMAT,
                    "%s: the edge from node %d to node %d has the weight %g; a weight "
                    "must not be negative",
                    what, i, adjacency->col_idx[e], (double)weight);
            if (weight == 0)
                continue;
            adjacency->col_idx[n_kept] = adjacency->col_idx[e];
            adjacency->value[n_kept++] = weight;
            n_ones += weight == 1;
        }
        adjacency->row_ptr[i + 1] = n_kept;
    }
    if (n_ones == n_kept) {
        opn_i_release(&ctx->alloc, adjacency->value);
        adjacency->value = NULL;
    }
cleanup:
    return status;
}

// ---- a list of edges -----------------------------------------------------------------

// Numbers of the nodes at both ends of each edge.
typedef struct edge_list {
    int64_t n;
    int32_t *source, *target; // [n]
    opn_real *weight;         // [n] or NULL
} edge_list;

static void release_edges(opn_ctx *ctx, edge_list *edges)
{
    opn_i_release(&ctx->alloc, edges->source);
    opn_i_release(&ctx->alloc, edges->target);
    opn_i_release(&ctx->alloc, edges->weight);
}

// Whether each row is an edge; where the shape is [2,2], the name tells.
static opn_status
find_direction(opn_i_npz_reader *reader, const opn_i_npz_input *input, bool *by_rows)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    const bool is_usual = opn_i_npz_is(reader->found[OPN_NPZ_EDGES], OPN_NPZ_BY_ROWS);
    const int64_t *shape = input->value.shape;
    OPN_TRY(opn_i_npz_need_numbers(ctx, input));
    OPN_FAIL_IF(
            ctx, input->value.n_dims != 2, OPN_ERR_FORMAT,
            "%s: %d dimension%s, expected [2,E] or [E,2]: the node numbers of each edge",
            input->what, input->value.n_dims, input->value.n_dims == 1 ? "" : "s");
    OPN_FAIL_IF(
            ctx, shape[0] != 2 && shape[1] != 2, OPN_ERR_FORMAT,
            "%s: shape [%lld,%lld], expected [2,E] or [E,2]: the node numbers of each "
            "edge",
            input->what, (long long)shape[0], (long long)shape[1]);
    *by_rows = shape[0] == 2 && shape[1] == 2 ? is_usual : shape[1] == 2;
cleanup:
    return status;
}

static opn_status
check_ends(opn_ctx *ctx, const char *what, const edge_list *edges, int64_t n_nodes)
{
    opn_status status = OPN_OK;
    for (int64_t e = 0; e < edges->n; e++) {
        const int32_t source = edges->source[e];
        const int32_t target = edges->target[e];
        const bool fits = source >= 0 && source < n_nodes;
        OPN_FAIL_IF(
                ctx, !fits || target < 0 || target >= n_nodes, OPN_ERR_FORMAT,
                "%s: edge %lld joins node %d to node %d, but nodes are numbered from 0 "
                "to %lld, as many as there are labels or rows of features%s",
                what, (long long)e, source, target, (long long)n_nodes - 1,
                source == n_nodes || target == n_nodes
                        ? "; subtract 1 if they are numbered from 1"
                        : "");
    }
cleanup:
    return status;
}

static opn_status
read_ends(opn_i_npz_reader *reader, const opn_i_npz_input *input, edge_list *edges)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    int32_t *ends = NULL;
    bool by_rows = false;
    OPN_TRY(find_direction(reader, input, &by_rows));
    edges->n = input->value.shape[by_rows ? 0 : 1];
    OPN_TRY_NEW(ctx, ends, 2 * edges->n);
    OPN_TRY_NEW(ctx, edges->source, edges->n);
    OPN_TRY_NEW(ctx, edges->target, edges->n);
    OPN_TRY(opn_i_ndarray_to_i32(ctx, input->what, &input->value.array, ends));
    for (int64_t e = 0; e < edges->n; e++) {
        edges->source[e] = ends[by_rows ? 2 * e : e];
        edges->target[e] = ends[by_rows ? 2 * e + 1 : edges->n + e];
    }
cleanup:
    opn_i_release(&ctx->alloc, ends);
    return status;
}

// Zero weights are dropped with the edges; `what` receives the name of the weights.
static opn_status
read_weights(opn_i_npz_reader *reader, edge_list *edges, char what[OPN_ZIP_WHAT_ROOM])
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    opn_i_npz_input input = {0};
    if (reader->found[OPN_NPZ_WEIGHTS] == NULL)
        return OPN_OK;
    OPN_TRY(opn_i_npz_open(reader, reader->found[OPN_NPZ_WEIGHTS]->name, &input));
    OPN_TRY(opn_i_npz_need_numbers(ctx, &input));
    OPN_FAIL_IF(ctx, input.value.array.n_items != edges->n, OPN_ERR_FORMAT,
                "%s: %lld weight%s for %lld edge%s", input.what,
                (long long)input.value.array.n_items,
                input.value.array.n_items == 1 ? "" : "s", (long long)edges->n,
                edges->n == 1 ? "" : "s");
    OPN_TRY_NEW(ctx, edges->weight, edges->n);
    OPN_TRY(opn_i_ndarray_to_real(ctx, input.what, &input.value.array, edges->weight));
    memcpy(what, input.what, OPN_ZIP_WHAT_ROOM);
cleanup:
    opn_i_npz_input_release(ctx, &input);
    return status;
}

// The number of nodes, where only the edges tell.
static opn_status
count_nodes(opn_ctx *ctx, const char *what, const edge_list *edges, int64_t *n_nodes)
{
    opn_status status = OPN_OK;
    int32_t largest = -1;
    for (int64_t e = 0; e < edges->n; e++) {
        largest = edges->source[e] > largest ? edges->source[e] : largest;
        largest = edges->target[e] > largest ? edges->target[e] : largest;
    }
    OPN_FAIL_IF(ctx, largest >= opn_i_npz_most_nodes(edges->n), OPN_ERR_FORMAT,
                "%s: node %d is in one of only %lld edges; nodes are numbered from 0 "
                "without gaps",
                what, largest, (long long)edges->n);
    *n_nodes = (int64_t)largest + 1;
cleanup:
    return status;
}

static opn_status read_edges(opn_i_npz_reader *reader, int64_t n_nodes)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = reader->ctx;
    opn_i_npz_input input = {0};
    edge_list edges = {0};
    char what[OPN_ZIP_WHAT_ROOM];
    OPN_TRY(opn_i_npz_open(reader, reader->found[OPN_NPZ_EDGES]->name, &input));
    OPN_FAIL_IF(ctx, n_nodes >= INT32_MAX, OPN_ERR_OVERFLOW,
                "%s: a graph of %lld nodes is too large", input.what, (long long)n_nodes);
    OPN_TRY(read_ends(reader, &input, &edges));
    if (n_nodes == OPN_NPZ_ANY_ROWS)
        OPN_TRY(count_nodes(ctx, input.what, &edges, &n_nodes));
    OPN_FAIL_IF(ctx, n_nodes == 0, OPN_ERR_FORMAT, "%s: the graph has no nodes",
                input.what);
    OPN_TRY(check_ends(ctx, input.what, &edges, n_nodes));
    OPN_TRY(read_weights(reader, &edges, what));
    OPN_TRY(opn_i_csr_from_triples(ctx, (int32_t)n_nodes, (int32_t)n_nodes, edges.n,
                                   edges.source, edges.target, edges.weight,
                                   &reader->graph->topology));
    if (edges.weight != NULL)
        OPN_TRY(clean_weights(ctx, what, &reader->graph->topology));
cleanup:
    release_edges(ctx, &edges);
    opn_i_npz_input_release(ctx, &input);
    return status;
}

// ---- both forms ----------------------------------------------------------------------

static opn_status read_adjacency(opn_i_npz_reader *reader, int64_t n_nodes)
{
    opn_status status = OPN_OK;
    const opn_i_npz_rows rows = {.n_nodes = n_nodes, .is_square = true};
    opn_i_csr *a = &reader->graph->topology;
    char what[OPN_ZIP_WHAT_ROOM];
    OPN_TRY(opn_i_npz_read_matrix(reader, reader->found[OPN_NPZ_ADJACENCY], &rows, what,
                                  a));
    if (a->value != NULL)
        OPN_TRY(clean_weights(reader->ctx, what, a));
    OPN_TRY(opn_i_csr_sort(reader->ctx, a));
cleanup:
    return status;
}

// Known benchmarks are directed too, as everyone who uses them knows.
static opn_status note_directions(opn_i_npz_reader *reader)
{
    opn_status status = OPN_OK;
    const opn_i_csr *a = &reader->graph->topology;
    opn_i_csr back = {0};
    const opn_off n = opn_i_csr_n_entries(a);
    OPN_TRY(opn_i_csr_transpose(reader->ctx, a, &back));
    const bool is_symmetric =
            memcmp(a->row_ptr, back.row_ptr, (size_t)a->n_rows * sizeof(*a->row_ptr)) ==
                    0 &&
            memcmp(a->col_idx, back.col_idx, (size_t)n * sizeof(*a->col_idx)) == 0;
    if (!is_symmetric)
        OPN_TRY(opn_i_graph_note(reader->ctx, reader->graph,
                                 "some edges are listed in one direction only; training "
                                 "uses every edge in both directions"));
cleanup:
    opn_i_csr_deinit(&reader->ctx->alloc, &back);
    return status;
}

// Edges that leave out node 0 and begin at node 1 may be numbered from 1.
static opn_status note_first_node(opn_i_npz_reader *reader)
{
    const opn_i_csr *a = &reader->graph->topology;
    const opn_off n = opn_i_csr_n_entries(a);
    int32_t first = INT32_MAX;
    for (int32_t i = a->n_rows - 1; i >= 0; i--)
        first = a->row_ptr[i + 1] > a->row_ptr[i] ? i : first;
    for (opn_off e = 0; e < n; e++)
        first = a->col_idx[e] < first ? a->col_idx[e] : first;
    if (first != 1)
        return OPN_OK;
    return opn_i_graph_note(
            reader->ctx, reader->graph,
            "node 0 has no edge; subtract 1 from the nodes of the edges if "
            "these are numbered from 1");
}

opn_status opn_i_npz_read_topology(opn_i_npz_reader *reader, int64_t n_nodes)
{
    opn_status status = OPN_OK;
    const opn_i_npz_name *adjacency = reader->found[OPN_NPZ_ADJACENCY];
    if (adjacency != NULL)
        OPN_TRY(read_adjacency(reader, n_nodes));
    else
        OPN_TRY(read_edges(reader, n_nodes));
    if (adjacency == NULL || !opn_i_npz_is(adjacency, OPN_NPZ_BENCHMARK))
        OPN_TRY(note_directions(reader));
    if (adjacency == NULL)
        OPN_TRY(note_first_node(reader));
cleanup:
    return status;
}
