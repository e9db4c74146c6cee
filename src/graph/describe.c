// describe.c -- statistics of a graph, and the hash that identifies it.

#include "graph/homophily.h"
#include "graph/shards.h"
#include "io/sha256.h"

#include <math.h>
#include <string.h>

static opn_status
describe_labels(opn_ctx *ctx, const opn_graph *graph, opn_graph_info *info)
{
    opn_status status = OPN_OK;
    int32_t *size = NULL; // [K]
    OPN_TRY_NEW(ctx, size, graph->n_classes);
    for (opn_vid i = 0; i < info->n_nodes; i++)
        info->n_unlabelled += graph->label[i] < 0;
    opn_graph_class_sizes(graph, size);
    for (int32_t k = 0; k < graph->n_classes; k++)
        info->n_empty_classes += size[k] == 0;
cleanup:
    opn_i_release(&ctx->alloc, size);
    return status;
}

// Self-loops and duplicate edges, in one pass over the stored neighbours.
static void
describe_edges(const opn_graph *graph, uint8_t *has_neighbour, opn_graph_info *info)
{
    const opn_i_csr *a = &graph->topology;
    for (opn_vid i = 0; i < a->n_rows; i++) {
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
            const opn_vid j = a->col_idx[e];
            info->n_repeated += e > a->row_ptr[i] && a->col_idx[e - 1] == j;
            if (i == j) {
                info->n_self_loops++;
                continue;
            }
            has_neighbour[i] = 1;
            has_neighbour[j] = 1;
        }
    }
    for (opn_vid i = 0; i < a->n_rows; i++)
        info->n_isolated += !has_neighbour[i];
}

static opn_off degree_of(const opn_i_csr *a, opn_vid i)
{
    return a->row_ptr[i + 1] - a->row_ptr[i];
}

static int32_t clamp(opn_off n)
{
    return n > INT32_MAX ? INT32_MAX : (int32_t)n;
}

static opn_status
describe_degrees(opn_ctx *ctx, const opn_graph *graph, opn_graph_info *info)
{
    opn_status status = OPN_OK;
    const opn_i_csr *a = &graph->topology;
    int32_t *n_nodes_of = NULL; // [max degree + 1]
    if (a->n_rows == 0)
        return OPN_OK;
    opn_off least = degree_of(a, 0);
    opn_off most = least;
    for (opn_vid i = 1; i < a->n_rows; i++) {
        const opn_off degree = degree_of(a, i);
        least = degree < least ? degree : least;
        most = degree > most ? degree : most;
    }
    OPN_TRY_NEW(ctx, n_nodes_of, most + 1);
    for (opn_vid i = 0; i < a->n_rows; i++)
        n_nodes_of[degree_of(a, i)]++;
    opn_off median = 0;
    for (int64_t n = n_nodes_of[0]; 2 * n < a->n_rows; n += n_nodes_of[median])
        median++;
    info->min_degree = clamp(least);
    info->median_degree = clamp(median);
    info->max_degree = clamp(most);
    info->mean_degree = (double)opn_i_csr_n_entries(a) / a->n_rows;
cleanup:
    opn_i_release(&ctx->alloc, n_nodes_of);
    return status;
}

static opn_status
describe_components(opn_ctx *ctx, const opn_graph *graph, opn_graph_info *info)
{
    opn_status status = OPN_OK;
    int32_t *component = NULL;
    int32_t *size = NULL;
    OPN_TRY_NEW(ctx, component, info->n_nodes);
    OPN_TRY(opn_i_graph_components(ctx, graph, component, &info->n_components));
    OPN_TRY_NEW(ctx, size, info->n_components);
    for (opn_vid i = 0; i < info->n_nodes; i++)
        size[component[i]]++;
    for (int32_t c = 0; c < info->n_components; c++)
        if (size[c] > info->largest_component)
            info->largest_component = size[c];
cleanup:
    opn_i_release(&ctx->alloc, component);
    opn_i_release(&ctx->alloc, size);
    return status;
}

opn_status opn_graph_describe(opn_ctx *ctx, const opn_graph *graph, opn_graph_info *info)
{
    OPN_REJECT_NULL(ctx, graph, info);
    opn_status status = OPN_OK;
    uint8_t *has_neighbour = NULL;
    opn_i_homophily_info homophily = {0};
    opn_graph_info found = {
            .n_nodes = opn_i_graph_n_nodes(graph),
            .n_edges = opn_i_csr_n_entries(&graph->topology),
            .n_features = graph->features.n_cols,
            .n_feature_entries = opn_i_features_n_entries(&graph->features),
            .n_classes = graph->n_classes,
            .is_undirected = graph->is_undirected,
            .is_weighted = graph->topology.value != NULL,
    };
    if (graph->is_undirected)
        found.n_edges /= 2;
    OPN_TRY_NEW(ctx, has_neighbour, found.n_nodes);
    describe_edges(graph, has_neighbour, &found);
    OPN_TRY(describe_labels(ctx, graph, &found));
    OPN_TRY(opn_i_homophily(ctx, graph, graph->label, &homophily));
    found.n_labelled_edges = homophily.n_edges;
    found.homophily = homophily.share;
    found.adjusted_homophily = homophily.adjusted;
    OPN_TRY(describe_degrees(ctx, graph, &found));
    OPN_TRY(describe_components(ctx, graph, &found));
    *info = found;
cleanup:
    opn_i_release(&ctx->alloc, has_neighbour);
    return status;
}

// Numbers are hashed in their memory representation.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "opine needs a little-endian CPU");

// Values as floats, whatever type the build computes in; 1 where values are omitted.
static opn_status hash_values(opn_ctx *ctx, opn_i_sha256 *hash, const opn_i_csr *csr)
{
    opn_status status = OPN_OK;
    enum { CHUNK = 1024, CHUNKS_A_TICK = 1024 };
    float chunk[CHUNK];
    const opn_off n = opn_i_csr_n_entries(csr);
    for (opn_off first = 0; first < n; first += CHUNK) {
        const opn_off n_chunk = n - first < CHUNK ? n - first : CHUNK;
        if (first / CHUNK % CHUNKS_A_TICK == CHUNKS_A_TICK - 1)
            OPN_TRY(opn_i_go_on(ctx, "hashing the data"));
        for (opn_off e = 0; e < n_chunk; e++)
            chunk[e] = csr->value == NULL ? 1.0f : (float)csr->value[first + e];
        opn_i_sha256_add(hash, chunk, (size_t)n_chunk * sizeof(*chunk));
    }
cleanup:
    return status;
}

static opn_status hash_csr(opn_ctx *ctx, opn_i_sha256 *hash, const opn_i_csr *csr)
{
    opn_status status = OPN_OK;
    const int64_t shape[] = {csr->n_rows, csr->n_cols, opn_i_csr_n_entries(csr)};
    opn_i_sha256_add(hash, shape, sizeof(shape));
    OPN_TRY(opn_i_sha256_add_large(hash, csr->row_ptr,
                                   ((size_t)csr->n_rows + 1) * sizeof(*csr->row_ptr)));
    OPN_TRY(opn_i_sha256_add_large(hash, csr->col_idx,
                                   (size_t)shape[2] * sizeof(*csr->col_idx)));
    OPN_TRY(hash_values(ctx, hash, csr));
cleanup:
    return status;
}

// Bytes that are hashed many at a time.
typedef struct hash_buffer {
    opn_i_sha256 *hash;
    size_t n;
    unsigned char bytes[1 << 13];
} hash_buffer;

static void flush(hash_buffer *buffer)
{
    opn_i_sha256_add(buffer->hash, buffer->bytes, buffer->n);
    buffer->n = 0;
}

static void put(hash_buffer *buffer, const void *item, size_t n_bytes)
{
    if (buffer->n + n_bytes > sizeof(buffer->bytes))
        flush(buffer);
    memcpy(buffer->bytes + buffer->n, item, n_bytes);
    buffer->n += n_bytes;
}

// The same bytes as lists of the features have: offsets, columns and values.
static opn_status hash_features(opn_ctx *ctx, opn_i_sha256 *hash, const opn_i_features *x)
{
    enum { OFFSETS, COLUMNS, VALUES, N_PARTS };
    opn_status status = OPN_OK;
    hash_buffer buffer = {.hash = hash};
    const int64_t shape[] = {x->n_rows, x->n_cols, opn_i_features_n_entries(x)};
    int64_t end = 0;
    if (x->dense == NULL)
        return hash_csr(ctx, hash, &x->lists);
    put(&buffer, shape, sizeof(shape));
    put(&buffer, &end, sizeof(end));
    for (int part = 0; part < N_PARTS; part++) {
        for (int32_t i = 0; i < x->n_rows; i++) {
            OPN_TRY_GO_ON_ROWS(ctx, i, "hashing the data");
            for (opn_i_feature_cursor at = opn_i_features_row(x, i);
                 opn_i_feature_next(&at);) {
                const float value = (float)at.value;
                end += part == OFFSETS;
                if (part == COLUMNS)
                    put(&buffer, &at.col, sizeof(at.col));
                if (part == VALUES)
                    put(&buffer, &value, sizeof(value));
            }
            if (part == OFFSETS)
                put(&buffer, &end, sizeof(end));
        }
    }
    flush(&buffer);
cleanup:
    return status;
}

opn_status opn_i_graph_topology_hash(opn_ctx *ctx, const opn_graph *graph, char text[65])
{
    opn_status status = OPN_OK;
    opn_i_sha256 *hash = NULL;
    static const char version[] = "opine topology 1\n";
    OPN_TRY(opn_i_sha256_start(ctx, &hash));
    opn_i_sha256_add(hash, version, strlen(version));
    OPN_TRY(hash_csr(ctx, hash, &graph->topology));
    status = opn_i_sha256_finish(hash, text);
    hash = NULL;
cleanup:
    opn_i_sha256_discard(hash);
    return status;
}

opn_status opn_graph_hash(opn_ctx *ctx, const opn_graph *graph, char text[65])
{
    OPN_REJECT_NULL(ctx, graph, text);
    opn_status status = OPN_OK;
    opn_i_sha256 *hash = NULL;
    static const char version[] = "opine graph 1\n";
    const int64_t n_classes = graph->n_classes;
    if (opn_i_graph_is_partial(graph)) {
        memcpy(text, graph->shards->hash, sizeof(graph->shards->hash));
        return OPN_OK;
    }
    OPN_TRY(opn_i_sha256_start(ctx, &hash));
    opn_i_sha256_add(hash, version, strlen(version));
    OPN_TRY(hash_csr(ctx, hash, &graph->topology));
    OPN_TRY(hash_features(ctx, hash, &graph->features));
    opn_i_sha256_add(hash, &n_classes, sizeof(n_classes));
    opn_i_sha256_add(hash, graph->label,
                     (size_t)opn_i_graph_n_nodes(graph) * sizeof(*graph->label));
    status = opn_i_sha256_finish(hash, text);
    hash = NULL;
cleanup:
    opn_i_sha256_discard(hash);
    return status;
}
