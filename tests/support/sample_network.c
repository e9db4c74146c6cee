// sample_network.c -- what the tests of the engine share.

#include "support/sample_network.h"
#include "graph/gkde.h"
#include "graph/normalise.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- comparisons ---------------------------------------------------------------------

const int thread_counts[N_THREAD_COUNTS] = {1, 2, 3, 8};

static bool is_close(double got, double want, double tolerance, double floor)
{
    return fabs(got - want) <= tolerance * fmax(fabs(want), floor);
}

void expect_close(double got, double want, double tolerance, double floor)
{
    if (!is_close(got, want, tolerance, floor))
        fail_msg("%.17g, want %.17g within %g", got, want,
                 tolerance * fmax(fabs(want), floor));
}

void expect_rows(int32_t n_rows,
                 int32_t n_cols,
                 int32_t width,
                 const opn_real *got,
                 const double *want,
                 double tolerance,
                 double floor)
{
    for (int32_t i = 0; i < n_rows; i++) {
        for (int32_t k = 0; k < width; k++) {
            const double value = (double)got[(size_t)i * (size_t)width + (size_t)k];
            const double right =
                    k < n_cols ? want[(size_t)i * (size_t)n_cols + (size_t)k] : 0.0;
            if (!is_close(value, right, tolerance, k < n_cols ? floor : 0.0))
                fail_msg("row %d, column %d: %.17g, want %.17g within %g", i, k, value,
                         right, tolerance * fmax(fabs(right), floor));
        }
    }
}

double draw(uint64_t *state, double low, double high)
{
    return low + (high - low) * (below(state, 1u << 24) / 16777216.0);
}

void draw_rows(uint64_t *state,
               int32_t n_rows,
               int32_t n_cols,
               int32_t width,
               double low,
               double high,
               opn_real *out)
{
    for (int32_t i = 0; i < n_rows; i++)
        for (int32_t k = 0; k < width; k++)
            out[(size_t)i * (size_t)width + (size_t)k] =
                    k < n_cols ? (opn_real)draw(state, low, high) : 0;
}

#define ADDRESS(name) opn_k_table_##name,
int all_tables(const opn_k_table *table[MOST_TABLES])
{
    static const opn_k_table *(*const fast[])(void) = {OPN_K_FAST_TABLES(ADDRESS)};
    int n = 0;
    table[n++] = opn_k_table_ref();
    for (size_t f = 0; f < sizeof(fast) / sizeof(fast[0]); f++) {
        table[n] = fast[f]();
        n += table[n] != NULL;
    }
    return n;
}

const opn_k_table *table_of_eights(void)
{
    return opn_k_table_avx2() != NULL ? opn_k_table_avx2() : opn_k_table_neon();
}

// FNV-1a.
static uint64_t hash_bytes(uint64_t hash, size_t n, const void *bytes)
{
    const uint8_t *byte = bytes;
    hash = hash == 0 ? UINT64_C(0xcbf29ce484222325) : hash;
    for (size_t b = 0; b < n; b++)
        hash = (hash ^ byte[b]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t hash_reals(uint64_t hash, size_t n, const opn_real *x)
{
    return hash_bytes(hash, n * sizeof(*x), x);
}

uint64_t hash_doubles(uint64_t hash, size_t n, const double *x)
{
    return hash_bytes(hash, n * sizeof(*x), x);
}

// ---- graphs --------------------------------------------------------------------------

opn_graph *network_graph(opn_ctx *ctx,
                         int32_t n_nodes,
                         int32_t n_edges,
                         const int32_t *edge,
                         const opn_real *weight)
{
    opn_graph *graph = NULL;
    opn_i_csr directed = {0};
    int32_t *row = calloc((size_t)n_edges + 1, sizeof(*row));
    int32_t *col = calloc((size_t)n_edges + 1, sizeof(*col));
    assert_non_null(row);
    assert_non_null(col);
    for (int32_t e = 0; e < n_edges; e++) {
        row[e] = edge[2 * e];
        col[e] = edge[2 * e + 1];
    }
    assert_int_equal(opn_i_graph_new(ctx, "small", &graph), OPN_OK);
    assert_int_equal(opn_i_csr_from_triples(ctx, n_nodes, n_nodes, n_edges, row, col,
                                            weight, &directed),
                     OPN_OK);
    assert_int_equal(opn_i_topology_undirect(ctx, &directed, &graph->topology), OPN_OK);
    graph->is_undirected = true;
    opn_i_csr_deinit(&ctx->alloc, &directed);
    free(row);
    free(col);
    return graph;
}

opn_graph *
network_drawn_graph(opn_ctx *ctx, int32_t n_nodes, int32_t skipped, uint64_t *random)
{
    int32_t *edge = calloc(4 * (size_t)n_nodes + 1, sizeof(*edge));
    assert_non_null(edge);
    int32_t n = 0;
    for (int32_t e = 0; e < 2 * n_nodes; e++) {
        const int32_t i = (int32_t)below(random, (uint32_t)n_nodes);
        const int32_t j = (int32_t)below(random, (uint32_t)n_nodes);
        if (skipped > 0 && (i % skipped == 0 || j % skipped == 0))
            continue;
        edge[2 * n] = i;
        edge[2 * n + 1] = j;
        n++;
    }
    opn_graph *graph = network_graph(ctx, n_nodes, n, edge, NULL);
    free(edge);
    return graph;
}

// ---- networks ------------------------------------------------------------------------

const opn_i_streams student_streams = {.features = OPN_STREAM_STUDENT_FEATURES,
                                       .hidden = OPN_STREAM_STUDENT_HIDDEN,
                                       .edges = OPN_STREAM_STUDENT_EDGES,
                                       .projected = OPN_STREAM_STUDENT_PROJECTED};
const opn_i_streams sample_streams = {.features = OPN_STREAM_SAMPLE_FEATURES,
                                      .hidden = OPN_STREAM_SAMPLE_HIDDEN,
                                      .edges = OPN_STREAM_SAMPLE_EDGES,
                                      .projected = OPN_STREAM_SAMPLE_PROJECTED};

const char *const model_names[GOLDEN_N_OBJECTIVES] = {"gcn",   "edl-gcn",  "dpn-gcn",
                                                      "s-gcn", "s-bgcn-t", "s-bgcn-t-k"};

const network_kind gcn_kind = {&opn_i_gcn_encoder, 1, 1};
const network_kind sage_kind = {&opn_i_sage_encoder, 1, 1};
const network_kind mlp_kind = {&opn_i_mlp_encoder, 1, 1};

network_kind network_kind_of(const network *net)
{
    const opn_i_sizes *sizes = &net->gcn.sizes;
    return (network_kind){net->gcn.encoder, sizes->n_heads, sizes->n_out_heads};
}

// The matrix of the encoder's rule, and both hops over the whole of it.
static opn_i_reach reach_whole(network *net, const opn_i_encoder *encoder)
{
    opn_i_hop_store store = {0};
    assert_int_equal(
            opn_i_graph_normalise(net->ctx, net->graph, encoder->edges, &store.rows),
            OPN_OK);
    assert_int_equal(opn_i_hop_store_transpose(
                             net->ctx, opn_i_edge_rule_is_symmetric(encoder->edges),
                             encoder->needs_entries, &store),
                     OPN_OK);
    net->adjacency = store.rows;
    net->transposed = store.transposed;
    net->entry = store.entry;
    const opn_i_hop hop = opn_i_hop_view(&store);
    return (opn_i_reach){hop, hop};
}

// All that follows from graph and features.
static void
build(network *net, const network_kind *kind, int32_t n_hidden, int32_t n_classes)
{
    opn_ctx *ctx = net->ctx;
    const size_t n_nodes = (size_t)opn_i_graph_n_nodes(net->graph);
    const size_t n = n_nodes * (size_t)opn_i_width(n_classes);
    const opn_i_sizes sizes = {0, n_hidden, n_classes, kind->n_heads, kind->n_out_heads};
    assert_int_equal(
            opn_i_feature_matrix_init(ctx, &net->graph->features, &net->features),
            OPN_OK);
    const opn_i_reach whole = reach_whole(net, kind->encoder);
    assert_int_equal(opn_i_network_init(ctx, kind->encoder, &sizes, &whole, NULL,
                                        &net->features, &net->gcn),
                     OPN_OK);
    net->exec = (opn_i_exec){.kernels = opn_k_select(), .n_threads = 1};
    const size_t n_weights = net->gcn.n_weights;
    net->weights = opn_i_calloc(&ctx->alloc, n_weights, sizeof(opn_real));
    net->d_weights = opn_i_calloc(&ctx->alloc, n_weights, sizeof(opn_real));
    net->target = opn_i_calloc(&ctx->alloc, n_nodes, sizeof(int32_t));
    net->validation = opn_i_calloc(&ctx->alloc, n_nodes, sizeof(int32_t));
    net->prior = opn_i_calloc(&ctx->alloc, n, sizeof(opn_real));
    net->prior_sum = opn_i_calloc(&ctx->alloc, n_nodes, sizeof(opn_real));
    net->log_teacher = opn_i_calloc(&ctx->alloc, n, sizeof(opn_real));
    assert_non_null(net->weights);
    assert_non_null(net->d_weights);
    assert_non_null(net->target);
    assert_non_null(net->validation);
    assert_non_null(net->prior);
    assert_non_null(net->prior_sum);
    assert_non_null(net->log_teacher);
}

static void set_prior(network *net)
{
    const opn_i_network *gcn = &net->gcn;
    assert_int_equal(opn_i_gkde(net->ctx, net->graph, net->target, gcn->sizes.n_classes,
                                1.0, false, gcn->class_width, net->prior),
                     OPN_OK);
    for (int32_t i = 0; i < gcn->n_nodes; i++)
        for (int32_t k = 0; k < gcn->sizes.n_classes; k++)
            net->prior_sum[i] +=
                    net->prior[(size_t)i * (size_t)gcn->class_width + (size_t)k];
}

void network_set_masks(network *net, const uint8_t *x_mask, const uint8_t *hidden_mask)
{
    const opn_i_network *gcn = &net->gcn;
    const opn_off n_entries = opn_i_csr_n_entries(&net->features.rows);
    const size_t n_wide = (size_t)gcn->n_nodes * (size_t)gcn->hidden_width;
    memset(net->features.keep, 0, opn_i_bit_words(n_entries) * sizeof(uint64_t));
    memset(gcn->keep_hidden, 0, opn_i_bit_words((int64_t)n_wide) * sizeof(uint64_t));
    for (opn_off e = 0; e < n_entries; e++)
        net->features.keep[e / 64] |= (uint64_t)x_mask[e] << (e % 64);
    for (int32_t i = 0; i < gcn->n_nodes; i++) {
        for (int32_t h = 0; h < gcn->sizes.n_hidden; h++) {
            const int64_t at = (int64_t)row_place(gcn->hidden_width, i, h);
            gcn->keep_hidden[at / 64] |=
                    (uint64_t)hidden_mask[i * gcn->sizes.n_hidden + h] << (at % 64);
        }
    }
}

// Both golden matrices of weights, padded.
static void set_golden_weights(network *net)
{
    const opn_i_network *gcn = &net->gcn;
    opn_real *w1 = net->weights + gcn->n_decayed;
    for (int32_t k = 0; k < GOLDEN_F; k++)
        for (int32_t h = 0; h < GOLDEN_H; h++)
            net->weights[row_place(gcn->hidden_width, k, h)] =
                    (opn_real)golden_w0[k * GOLDEN_H + h];
    for (int32_t h = 0; h < GOLDEN_H; h++)
        for (int32_t k = 0; k < GOLDEN_K; k++)
            w1[h * gcn->class_width + k] = (opn_real)golden_w1[h * GOLDEN_K + k];
}

static void set_golden_labels(network *net)
{
    for (int32_t i = 0; i < GOLDEN_V; i++)
        net->target[i] = net->validation[i] = -1;
    for (int32_t l = 0; l < GOLDEN_L; l++)
        net->target[golden_training[l]] = golden_label[golden_training[l]];
    for (int32_t l = 0; l < GOLDEN_N_VALID; l++)
        net->validation[golden_validation[l]] = golden_label[golden_validation[l]];
    net->n_train = GOLDEN_L;
}

void network_init_golden_as(opn_ctx *ctx,
                            const golden_case *golden,
                            const network_kind *kind,
                            int32_t n_hidden,
                            network *out)
{
    *out = (network){.ctx = ctx}; // in place: its gcn borrows from it
    opn_real weight[GOLDEN_E];
    for (int32_t e = 0; e < GOLDEN_E; e++)
        weight[e] = (opn_real)golden->edge_weight[e];
    out->graph = network_graph(ctx, GOLDEN_V, GOLDEN_E, golden_edge, weight);
    opn_i_csr *x = &out->graph->features.lists;
    assert_int_equal(opn_i_csr_init(ctx, GOLDEN_V, GOLDEN_F, GOLDEN_N_ENTRIES, true, x),
                     OPN_OK);
    memcpy(x->row_ptr, golden_x_row_ptr, sizeof(golden_x_row_ptr));
    memcpy(x->col_idx, golden_x_col, sizeof(golden_x_col));
    for (int32_t e = 0; e < GOLDEN_N_ENTRIES; e++)
        x->value[e] = (opn_real)golden->x_value[e];
    build(out, kind, n_hidden, GOLDEN_K);
    set_golden_labels(out);
    set_prior(out);
    for (int32_t i = 0; i < GOLDEN_V; i++)
        for (int32_t k = 0; k < GOLDEN_K; k++)
            out->log_teacher[i * out->gcn.class_width + k] =
                    (opn_real)golden_log_teacher[i * GOLDEN_K + k];
}

void network_init_golden(opn_ctx *ctx, const golden_case *golden, network *out)
{
    network_init_golden_as(ctx, golden, &gcn_kind, GOLDEN_H, out);
    set_golden_weights(out);
    network_set_masks(out, golden->x_mask, golden->hidden_mask);
}

const network_size network_for_threads = {.n_nodes = (1 << 18) + 100,
                                          .n_features = 300,
                                          .n_hidden = 8,
                                          .n_classes = 7,
                                          .has_values = false};

static void draw_features(network *net, const network_size *size, uint64_t *random)
{
    enum { A_NODE = 9 };
    const size_t room = (size_t)size->n_nodes * A_NODE;
    int32_t *row = calloc(room, sizeof(*row));
    int32_t *col = calloc(room, sizeof(*col));
    opn_real *value = calloc(room, sizeof(*value));
    assert_non_null(row);
    assert_non_null(col);
    assert_non_null(value);
    opn_off n = 0;
    for (int32_t i = 0; i < size->n_nodes; i++) {
        const int32_t n_here = i % 5 == 3 ? 0 : 1 + (int32_t)below(random, A_NODE);
        for (int32_t t = 0; t < n_here && t < size->n_features; t++) {
            row[n] = i;
            col[n] = (i * 7 + t * 3) % size->n_features;
            value[n++] =
                    (opn_real)(size->has_values ? draw(random, -1.0, 1.0) : 1.0 / n_here);
        }
    }
    assert_int_equal(opn_i_csr_from_triples(net->ctx, size->n_nodes, size->n_features, n,
                                            row, col, value, &net->graph->features.lists),
                     OPN_OK);
    free(row);
    free(col);
    free(value);
}

static void init_drawn(opn_ctx *ctx,
                       const network_kind *kind,
                       const network_size *size,
                       uint64_t seed,
                       network *out)
{
    uint64_t random = seed;
    const int32_t apart = size->n_nodes < 2000 ? 4 : size->n_nodes / 500;
    *out = (network){.ctx = ctx};
    out->graph = network_drawn_graph(ctx, size->n_nodes, 7, &random);
    draw_features(out, size, &random);
    build(out, kind, size->n_hidden, size->n_classes);
    opn_i_network_init_weights(&out->gcn, seed, OPN_STREAM_STUDENT_WEIGHTS, out->weights);
    for (int32_t i = 0; i < size->n_nodes; i++) {
        const int32_t class = (int32_t)below(&random, (uint32_t)size->n_classes);
        out->target[i] = i % apart == 1 ? class : -1;
        out->validation[i] = i % apart == 2 ? class : -1;
        out->n_train += i % apart == 1;
        opn_real z[64];
        assert_true(size->n_classes <= 64);
        draw_rows(&random, 1, size->n_classes, size->n_classes, -3.0, 3.0, z);
        opn_i_log_softmax_row(size->n_classes, z,
                              out->log_teacher +
                                      (size_t)i * (size_t)out->gcn.class_width);
    }
    set_prior(out);
}

void network_init_drawn(opn_ctx *ctx,
                        const network_size *size,
                        uint64_t seed,
                        network *out)
{
    init_drawn(ctx, &gcn_kind, size, seed, out);
}

void network_init_drawn_as(opn_ctx *ctx,
                           const network_kind *kind,
                           const network_size *size,
                           uint64_t seed,
                           network *out)
{
    uint64_t random = seed + 1;
    init_drawn(ctx, kind, size, seed, out);
    for (int m = 0; m < out->gcn.n_matrices; m++) {
        const opn_i_weight *w = &out->gcn.weight[m];
        const double limit = w->n_rows > 2 ? sqrt(6.0 / (w->n_rows + w->n_cols)) : 0.6;
        for (int32_t i = 0; i < w->n_rows; i++)
            for (int32_t k = 0; k < w->n_cols; k++)
                out->weights[opn_i_weight_place(w, i, k)] =
                        (opn_real)draw(&random, -limit, limit);
    }
}

void network_init_permuted(const network *net, const int32_t *to, network *out)
{
    const opn_i_csr *a = &net->graph->topology;
    const opn_i_csr *x = &net->graph->features.lists;
    const size_t n_edges = (size_t)opn_i_csr_n_entries(a) / 2;
    const opn_off n_x = opn_i_csr_n_entries(x);
    int32_t *edge = calloc(2 * n_edges + 1, sizeof(*edge));
    opn_real *weight = calloc(n_edges + 1, sizeof(*weight));
    int32_t *row = calloc((size_t)n_x + 1, sizeof(*row));
    assert_non_null(edge);
    assert_non_null(weight);
    assert_non_null(row);
    size_t n = 0;
    for (int32_t i = 0; i < a->n_rows; i++) {
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
            if (a->col_idx[e] < i)
                continue;
            edge[2 * n] = to[i];
            edge[2 * n + 1] = to[a->col_idx[e]];
            weight[n++] = a->value == NULL ? 1 : a->value[e];
        }
        for (opn_off e = x->row_ptr[i]; e < x->row_ptr[i + 1]; e++)
            row[e] = to[i];
    }
    assert_int_equal(n, n_edges);
    const network_kind kind = network_kind_of(net);
    *out = (network){.ctx = net->ctx};
    out->graph = network_graph(net->ctx, a->n_rows, (int32_t)n, edge, weight);
    assert_int_equal(opn_i_csr_from_triples(net->ctx, x->n_rows, x->n_cols, n_x, row,
                                            x->col_idx, x->value,
                                            &out->graph->features.lists),
                     OPN_OK);
    build(out, &kind, net->gcn.sizes.n_hidden, net->gcn.sizes.n_classes);
    free(edge);
    free(weight);
    free(row);
}

void network_add_dropper(network *net)
{
    assert_int_equal(
            opn_i_edge_dropper_init(net->ctx, &net->graph->topology, &net->dropper),
            OPN_OK);
    net->gcn.dropper = &net->dropper;
}

void network_centre(network *net, uint64_t seed)
{
    const opn_i_csr *x = &net->graph->features.lists;
    int32_t *order = calloc((size_t)x->n_rows, sizeof(*order));
    opn_real *centre = calloc((size_t)x->n_cols, sizeof(*centre));
    assert_non_null(order);
    assert_non_null(centre);
    for (int32_t r = 0; r < x->n_rows; r++)
        order[r] = r;
    draw_rows(&seed, 1, x->n_cols, x->n_cols, -0.5, 0.5, centre);
    centre[0] = 0;
    opn_i_feature_matrix_deinit(&net->ctx->alloc, &net->features);
    assert_int_equal(opn_i_feature_matrix_init_for(
                             net->ctx, &net->graph->features, centre, order,
                             OPN_USE_BACKWARD | OPN_USE_DROPPED, &net->features),
                     OPN_OK);
    free(order);
    free(centre);
}

void network_deinit(network *net)
{
    const opn_alloc *alloc = &net->ctx->alloc;
    opn_i_network_deinit(alloc, &net->gcn);
    opn_i_feature_matrix_deinit(alloc, &net->features);
    opn_i_edge_dropper_deinit(alloc, &net->dropper);
    opn_i_csr_deinit(alloc, &net->adjacency);
    opn_i_csr_deinit(alloc, &net->transposed);
    opn_i_release(alloc, net->entry);
    opn_i_release(alloc, net->weights);
    opn_i_release(alloc, net->d_weights);
    opn_i_release(alloc, net->target);
    opn_i_release(alloc, net->validation);
    opn_i_release(alloc, net->prior);
    opn_i_release(alloc, net->prior_sum);
    opn_i_release(alloc, net->log_teacher);
    opn_graph_free(net->graph);
    *net = (network){0};
}

opn_i_objective network_objective(const network *net, int model)
{
    const bool has_prior = model == GOLDEN_OBJECTIVE_S_BGCN_T_K;
    const bool has_teacher = has_prior || model == GOLDEN_OBJECTIVE_S_BGCN_T;
    return (opn_i_objective){
            .head = model == GOLDEN_OBJECTIVE_GCN       ? &opn_i_softmax_head
                    : model == GOLDEN_OBJECTIVE_DPN_GCN ? &opn_i_dirichlet_head
                                                        : &opn_i_squared_head,
            .evidence = model == GOLDEN_OBJECTIVE_EDL_GCN ? OPN_EVIDENCE_ELU
                                                          : OPN_EVIDENCE_EXP,
            .n_nodes = net->gcn.n_nodes,
            .n_classes = net->gcn.sizes.n_classes,
            .width = net->gcn.class_width,
            .target = net->target,
            .n_train = net->n_train,
            .prior = has_prior ? net->prior : NULL,
            .prior_sum = has_prior ? net->prior_sum : NULL,
            .lambda1 = golden_lambda1,
            .log_teacher = has_teacher ? net->log_teacher : NULL,
            .teacher_epochs = 200.0,
    };
}
