// subgraph_test.c -- passes over the part of a graph that some nodes depend on, against
// passes over the whole; and passes that subtract what they drop, against those that do
// not.

#include "network/gat.h"
#include "network/sage.h"
#include "network/subgraph.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A training in which passes that drop subtract from the product that validation made.
static const opn_i_plan subtracting = {.trains = true, .has_whole = true, .dropout = 0.2};

static opn_ctx *ctx;

// Features as lists with one factor per row, as bits, and as lists with values; the last
// two networks are of one slice. Of 600 nodes with four neighbours each, five reach about
// a hundred.
enum { N_NODES = 600, N_MATRICES = 4 };
static const network_size matrices[N_MATRICES] = {{N_NODES, 40, 19, 5, false},
                                                  {N_NODES, 20, 24, 9, false},
                                                  {N_NODES, 40, 7, 3, true},
                                                  {N_NODES, 50, 11, 4, false}};

static void init_network(int d, network *out)
{
    network_init_drawn(ctx, &matrices[d], 4, out);
    assert_int_equal(out->features.map != NULL, d == 1);
}

// The same with attention, of one head, eight, and an odd number, or with GraphSAGE.
enum { N_OTHER_KINDS = 2 };
static void init_other_network(int d, int kind, network *out)
{
    static const network_kind attention[N_MATRICES] = {{&opn_i_gat_encoder, 1, 2},
                                                       {&opn_i_gat_encoder, 8, 1},
                                                       {&opn_i_gat_encoder, 7, 3},
                                                       {&opn_i_gat_encoder, 1, 1}};
    network_init_drawn_as(ctx, kind == 0 ? &attention[d] : &sage_kind, &matrices[d], 4,
                          out);
}

// ---- labels --------------------------------------------------------------------------

// Which nodes have a label. Every seventh is isolated.
typedef enum label_kind {
    OF_NONE,
    OF_FEW,
    OF_OTHER_FEW,
    OF_ISOLATED,
    OF_MANY,
    OF_ALL,
    N_LABEL_KINDS
} label_kind;

static bool has_label(label_kind kind, int32_t i)
{
    switch (kind) {
    case OF_FEW:
        return i % 130 == 45;
    case OF_OTHER_FEW:
        return i % 110 == 47 || i == 45; // one in common
    case OF_ISOLATED:
        return i % 70 == 14;
    case OF_MANY:
        return i % 4 == 1;
    case OF_ALL:
        return true;
    case OF_NONE:
    case N_LABEL_KINDS:
        break;
    }
    return false;
}

static void set_labels(label_kind kind, int32_t n_classes, int32_t *label)
{
    for (int32_t i = 0; i < N_NODES; i++)
        label[i] = has_label(kind, i) ? i % n_classes : -1;
}

// ---- parts ---------------------------------------------------------------------------

// Nodes at most `hops` away from a label, the slow way: all edges, once per hop.
static void
mark_reach(const opn_i_csr *topology, const int32_t *label, int hops, bool *to)
{
    bool from[N_NODES];
    for (int32_t i = 0; i < N_NODES; i++)
        to[i] = label[i] >= 0;
    for (; hops > 0; hops--) {
        memcpy(from, to, sizeof(from));
        for (int32_t i = 0; i < N_NODES; i++)
            for (opn_off e = topology->row_ptr[i]; e < topology->row_ptr[i + 1]; e++)
                to[i] |= from[topology->col_idx[e]];
    }
}

// A network over the part of another's graph that labels reach.
typedef struct part {
    network *net; // of the whole
    int32_t target[N_NODES], validation[N_NODES];
    opn_i_subgraph subgraph;
    opn_i_feature_matrix features;
    opn_i_network gcn;
    opn_real *d_weights; // room
} part;

static part *new_part(network *net, label_kind target, label_kind validation)
{
    part *p = calloc(1, sizeof(*p)); // in place: its gcn borrows from it
    assert_non_null(p);
    p->net = net;
    set_labels(target, net->gcn.sizes.n_classes, p->target);
    set_labels(validation, net->gcn.sizes.n_classes, p->validation);
    assert_int_equal(opn_i_subgraph_init(ctx, &net->adjacency, &net->gcn.reach, p->target,
                                         p->validation, false,
                                         net->gcn.encoder->needs_entries, &p->subgraph),
                     OPN_OK);
    assert_int_equal(opn_i_feature_matrix_init_part(
                             ctx, &net->features, p->subgraph.node, p->subgraph.n_nodes,
                             p->subgraph.train.inner.n_cols, &p->features),
                     OPN_OK);
    assert_int_equal(opn_i_network_init(ctx, net->gcn.encoder, &net->gcn.sizes,
                                        &p->subgraph.train, NULL, &p->features, &p->gcn),
                     OPN_OK);
    assert_int_equal(p->gcn.n_weights, net->gcn.n_weights);
    p->d_weights = calloc(p->gcn.n_weights, sizeof(*p->d_weights));
    assert_non_null(p->d_weights);
    return p;
}

static void free_part(part *p)
{
    opn_i_network_deinit(&ctx->alloc, &p->gcn);
    opn_i_feature_matrix_deinit(&ctx->alloc, &p->features);
    opn_i_subgraph_deinit(&ctx->alloc, &p->subgraph);
    free(p->d_weights);
    free(p);
}

// The r-th labelled node is the r-th output.
static void expect_labels(const int32_t *label, int32_t n_outputs, const int32_t *got)
{
    int32_t n = 0;
    for (int32_t i = 0; i < N_NODES; i++)
        if (label[i] >= 0)
            assert_int_equal(got[n++], label[i]);
    assert_int_equal(n, n_outputs);
}

// Number r is of the next marked node from `next` on that has none; returns the one
// after.
static int32_t expect_next(const bool *mark, bool *has_number, int32_t next, int32_t node)
{
    while (next < N_NODES && (!mark[next] || has_number[next]))
        next++;
    assert_int_equal(node, next);
    has_number[next] = true;
    return next + 1;
}

static void expect_numbers(const part *p)
{
    const opn_i_csr *topology = &p->net->graph->topology;
    const opn_i_subgraph *subgraph = &p->subgraph;
    bool trained[N_NODES], checked[N_NODES], has_number[N_NODES] = {false};
    int32_t n_either = 0;
    int32_t n_trained = 0;
    int32_t next = 0;
    mark_reach(topology, p->target, 2, trained);
    mark_reach(topology, p->validation, 2, checked);
    for (int32_t i = 0; i < N_NODES; i++) {
        n_trained += trained[i];
        n_either += trained[i] || checked[i];
    }
    assert_int_equal(subgraph->train.inner.n_cols, n_trained);
    assert_int_equal(subgraph->check.inner.n_cols, n_either);
    assert_int_equal(subgraph->n_nodes, n_either);
    for (int32_t r = 0; r < n_trained; r++)
        next = expect_next(trained, has_number, next, subgraph->node[r]);
    next = 0;
    for (int32_t r = n_trained; r < n_either; r++)
        next = expect_next(checked, has_number, next, subgraph->node[r]);
}

static int32_t count_reach(const part *p, const int32_t *label, int hops)
{
    bool mark[N_NODES];
    int32_t n = 0;
    mark_reach(&p->net->graph->topology, label, hops, mark);
    for (int32_t i = 0; i < N_NODES; i++)
        n += mark[i];
    return n;
}

static void
nodes_get_each_number_once_and_those_that_training_reaches_come_first(void **state)
{
    (void)state;
    network net;
    init_network(0, &net);
    for (int c = 0; c < N_LABEL_KINDS * N_LABEL_KINDS; c++) {
        part *p = new_part(&net, (label_kind)(c / N_LABEL_KINDS),
                           (label_kind)(c % N_LABEL_KINDS));
        expect_numbers(p);
        expect_labels(p->target, p->subgraph.train.outer.n_rows, p->subgraph.target);
        expect_labels(p->validation, p->subgraph.check.outer.n_rows,
                      p->subgraph.validation);
        assert_int_equal(p->subgraph.train.inner.n_rows, count_reach(p, p->target, 1));
        assert_int_equal(p->subgraph.check.inner.n_rows,
                         count_reach(p, p->validation, 1));
        free_part(p);
    }
    network_deinit(&net);
}

// ---- passes --------------------------------------------------------------------------

// Logits of the labelled nodes, which a reach has one after the other, are those of the
// whole.
static void
expect_logits(const opn_i_network *whole, const int32_t *label, const opn_i_network *gcn)
{
    const int32_t width = whole->class_width;
    size_t at = 0;
    for (int32_t i = 0; i < N_NODES; i++)
        for (int32_t k = 0; k < width && label[i] >= 0; k++, at++)
            expect_close((double)gcn->z[at],
                         (double)whole->z[(size_t)i * (size_t)width + (size_t)k],
                         by_build(1e-6, 1e-14), k < whole->sizes.n_classes ? 1.0 : 0.0);
}

static void
expect_weights(const opn_i_network *gcn, const opn_real *got, const opn_real *want)
{
    for (size_t j = 0; j < gcn->n_weights; j++)
        expect_close((double)got[j], (double)want[j], by_build(2e-6, 1e-14), 0.5);
}

// Gradient of the cross-entropy of the labelled nodes after a pass.
static void run_backward(const opn_i_exec *exec,
                         opn_i_network *gcn,
                         const opn_real *weights,
                         const int32_t *target,
                         opn_real *d_weights)
{
    opn_i_objective objective = {.head = &opn_i_softmax_head,
                                 .n_nodes = gcn->reach.outer.n_rows,
                                 .n_classes = gcn->sizes.n_classes,
                                 .width = gcn->class_width,
                                 .target = target,
                                 .n_train = 1}; // a sum, for it may be of none
    int64_t n_bounded = 0;
    opn_i_objective_gradient(exec, &objective, 0, gcn->z, gcn->d_z, &n_bounded);
    memset(d_weights, 0xff, gcn->n_weights * sizeof(*d_weights));
    opn_i_network_backward(exec, gcn, weights, d_weights);
}

// Bits of units, n per node, and of coefficients, n per entry of a row of the pattern.
static void carry_units(const bool *mark, int64_t n, const uint64_t *from, uint64_t *to)
{
    int32_t r = 0;
    for (int32_t i = 0; i < N_NODES; i++) {
        for (int64_t b = 0; b < n && mark[i]; b++)
            put_bit(to, i * n + b, opn_i_bit(from, r * n + b));
        r += mark[i];
    }
}

static void carry_entries(
        const part *p, const bool *mark, int64_t n, const uint64_t *from, uint64_t *to)
{
    const opn_off *row_ptr = p->net->adjacency.row_ptr;
    int64_t at = 0;
    for (int32_t i = 0; i < N_NODES; i++)
        for (int64_t b = n * row_ptr[i]; b < n * row_ptr[i + 1] && mark[i]; b++)
            put_bit(to, b, opn_i_bit(from, at++));
}

// What a layer drops: units of the nodes it sees, and coefficients of those that look.
static void carry_layer(const part *p,
                        const bool *inputs,
                        const bool *outputs,
                        const opn_i_attention *from,
                        const opn_i_attention *to)
{
    carry_units(inputs, opn_i_attention_unit_bits(from, 1), from->keep_units,
                to->keep_units);
    carry_entries(p, outputs, opn_i_attention_entry_bits(from, 1), from->keep_entries,
                  to->keep_entries);
}

static void carry_attention(const part *p, bool mark[3][N_NODES])
{
    const opn_i_gat_layers *from = p->gcn.layers;
    const opn_i_gat_layers *to = p->net->gcn.layers;
    carry_layer(p, mark[2], mark[1], &from->first, &to->first);
    carry_layer(p, mark[1], mark[0], &from->second, &to->second);
    carry_units(mark[1], opn_i_attention_unit_bits(&from->first, 1), p->gcn.keep_hidden,
                p->net->gcn.keep_hidden);
}

// Gives the elements of the whole the bits that they have in the part.
static void carry_masks_over(const part *p)
{
    const opn_i_csr *x = &p->net->features.rows;
    const opn_i_csr *of_part = &p->features.rows;
    bool mark[3][N_NODES]; // nodes that many hops away
    for (int hops = 0; hops < 3; hops++)
        mark_reach(&p->net->graph->topology, p->target, hops, mark[hops]);
    for (int32_t r = 0; r < p->features.n_trained; r++)
        for (opn_off e = of_part->row_ptr[r]; e < of_part->row_ptr[r + 1]; e++)
            put_bit(p->net->features.keep,
                    x->row_ptr[p->subgraph.node[r]] + e - of_part->row_ptr[r],
                    opn_i_bit(p->features.keep, e));
    if (p->gcn.encoder == &opn_i_gat_encoder) {
        carry_attention(p, mark);
        return;
    }
    const opn_i_sage_layers *sage = p->gcn.layers;
    carry_units(mark[1],
                p->gcn.encoder == &opn_i_sage_encoder ? sage->half : p->gcn.hidden_width,
                p->gcn.keep_hidden, p->net->gcn.keep_hidden);
}

// The whole draws masks of its own first, which must not matter where the part has none.
static void expect_same_pass(part *p, uint32_t step, double rate)
{
    network *net = p->net;
    const opn_i_rates rates = {rate, rate};
    opn_i_network_draw(&net->exec, &net->gcn, 9, &sample_streams, step, rates);
    opn_i_network_draw(&net->exec, &p->gcn, 9, &student_streams, step, rates);
    if (rate > 0.0)
        carry_masks_over(p);
    opn_i_network_forward_drawn(&net->exec, &net->gcn, net->weights, rates, true);
    opn_i_network_forward_drawn(&net->exec, &p->gcn, net->weights, rates, true);
    expect_logits(&net->gcn, p->target, &p->gcn);
    run_backward(&net->exec, &net->gcn, net->weights, p->target, net->d_weights);
    run_backward(&net->exec, &p->gcn, net->weights, p->subgraph.target, p->d_weights);
    expect_weights(&p->gcn, p->d_weights, net->d_weights);
    opn_i_network_forward(&net->exec, &net->gcn, net->weights);
    opn_i_network_forward_on(&net->exec, &p->gcn, &p->subgraph.check, net->weights);
    expect_logits(&net->gcn, p->validation, &p->gcn);
}

static void passes_over_a_part_have_the_logits_and_gradients_of_the_whole(void **state)
{
    (void)state;
    static const double rates[] = {0.0, 0.5, 0.2};
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int d = 0; d < N_MATRICES; d++) {
        network net;
        init_network(d, &net);
        for (int c = 0; c < n_tables * N_LABEL_KINDS * N_LABEL_KINDS; c++) {
            net.exec.kernels = table[c % n_tables];
            part *p = new_part(&net, (label_kind)(c / n_tables % N_LABEL_KINDS),
                               (label_kind)(c / n_tables / N_LABEL_KINDS));
            for (int r = 0; r < 3; r++)
                expect_same_pass(p, (uint32_t)c, rates[r]);
            free_part(p);
        }
        network_deinit(&net);
    }
}

static void other_encoders_have_the_same_passes_over_a_part_too(void **state)
{
    (void)state;
    static const label_kind labels[][2] = {{OF_FEW, OF_OTHER_FEW},
                                           {OF_ISOLATED, OF_MANY},
                                           {OF_MANY, OF_NONE},
                                           {OF_NONE, OF_FEW},
                                           {OF_ALL, OF_FEW}};
    enum { N_LABELS = sizeof(labels) / sizeof(labels[0]) };
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int d = 0; d < N_MATRICES * N_OTHER_KINDS; d++) {
        network net;
        init_other_network(d % N_MATRICES, d / N_MATRICES, &net);
        for (int c = 0; c < n_tables * N_LABELS; c++) {
            net.exec.kernels = table[c % n_tables];
            part *p = new_part(&net, labels[c / n_tables][0], labels[c / n_tables][1]);
            if (c / n_tables == 0)
                opn_i_network_follow(&p->gcn, subtracting);
            expect_same_pass(p, (uint32_t)c, 0.2);
            opn_i_network_follow(&p->gcn, (opn_i_plan){.trains = true});
            expect_same_pass(p, (uint32_t)c, 0.0);
            free_part(p);
        }
        network_deinit(&net);
    }
}

static void
expect_bits(const part *p, opn_i_stream stream, int64_t n, const uint64_t *got)
{
    const size_t n_bytes = opn_i_bit_words(n) * sizeof(*got);
    uint64_t *want = malloc(n_bytes);
    assert_non_null(want);
    opn_i_keep_bits(&p->net->exec, 77, stream, 5, 0.3, n, want);
    assert_memory_equal(got, want, n_bytes);
    free(want);
}

static void a_part_draws_for_what_it_trains_alone(void **state)
{
    (void)state;
    network net;
    init_network(0, &net);
    part *p = new_part(&net, OF_FEW, OF_MANY);
    const opn_i_reach *train = &p->subgraph.train;
    assert_true(train->outer.n_rows < train->inner.n_rows &&
                train->inner.n_rows < train->inner.n_cols);
    opn_i_network_draw(&net.exec, &p->gcn, 77, &student_streams, 5,
                       (opn_i_rates){0.3, 0.0});
    expect_bits(p, student_streams.features,
                p->features.rows.row_ptr[train->inner.n_cols], p->features.keep);
    expect_bits(p, student_streams.hidden,
                (int64_t)train->inner.n_rows * p->gcn.hidden_width, p->gcn.keep_hidden);
    free_part(p);
    network_deinit(&net);
}

static void a_loss_on_no_node_has_no_gradient(void **state)
{
    (void)state;
    for (int d = 0; d < N_MATRICES; d++) {
        network net;
        init_network(d, &net);
        part *p = new_part(&net, OF_NONE, OF_FEW);
        opn_i_network_forward_drawn(&net.exec, &p->gcn, net.weights,
                                    (opn_i_rates){0.0, 0.0}, true);
        run_backward(&net.exec, &p->gcn, net.weights, p->subgraph.target, p->d_weights);
        for (size_t j = 0; j < p->gcn.n_weights; j++)
            assert_true(p->d_weights[j] == 0);
        free_part(p);
        network_deinit(&net);
    }
}

static void expect_whole(const opn_i_reach *reach, const opn_i_csr *adjacency)
{
    const opn_k_sparse *matrix[] = {&reach->outer.rows, &reach->inner.rows,
                                    &reach->outer.transposed, &reach->inner.transposed};
    assert_int_equal(reach->outer.n_rows, N_NODES);
    assert_int_equal(reach->inner.n_rows, N_NODES);
    assert_int_equal(reach->inner.n_cols, N_NODES);
    for (int a = 0; a < 4; a++) {
        assert_ptr_equal(matrix[a]->begin, adjacency->row_ptr);
        assert_ptr_equal(matrix[a]->end, adjacency->row_ptr + 1);
        assert_ptr_equal(matrix[a]->col, adjacency->col_idx);
        assert_ptr_equal(matrix[a]->value, adjacency->value);
        assert_null(matrix[a]->scale);
    }
}

// The loss of a student depends on all nodes, but its validation does not.
static void a_whole_subgraph_keeps_the_numbers_and_the_adjacency(void **state)
{
    (void)state;
    network net;
    int32_t target[N_NODES], validation[N_NODES];
    init_network(0, &net);
    for (int c = 0; c < N_LABEL_KINDS; c++) {
        opn_i_subgraph subgraph = {0};
        set_labels(OF_FEW, 5, target);
        set_labels((label_kind)c, 5, validation);
        assert_int_equal(opn_i_subgraph_init(ctx, &net.adjacency, &net.gcn.reach, target,
                                             validation, true, false, &subgraph),
                         OPN_OK);
        expect_whole(&subgraph.train, &net.adjacency);
        assert_int_equal(subgraph.n_nodes, N_NODES);
        assert_int_equal(subgraph.check.inner.n_cols, N_NODES);
        for (int32_t i = 0; i < N_NODES; i++)
            assert_int_equal(subgraph.node[i], i);
        assert_memory_equal(subgraph.target, target, sizeof(target));
        expect_labels(validation, subgraph.check.outer.n_rows, subgraph.validation);
        const size_t n_z = (size_t)N_NODES * (size_t)net.gcn.class_width;
        opn_i_network checked = net.gcn; // with logits of its own
        checked.z = calloc(n_z, sizeof(*checked.z));
        assert_non_null(checked.z);
        opn_i_network_forward(&net.exec, &net.gcn, net.weights);
        opn_i_network_forward_on(&net.exec, &checked, &subgraph.check, net.weights);
        expect_logits(&net.gcn, validation, &checked);
        free(checked.z);
        opn_i_subgraph_deinit(&ctx->alloc, &subgraph);
    }
    network_deinit(&net);
}

static void a_graph_without_nodes_has_a_subgraph_without_nodes(void **state)
{
    (void)state;
    for (int is_whole = 0; is_whole < 2; is_whole++) {
        opn_i_csr none = {0};
        opn_i_subgraph subgraph = {0};
        const int32_t no_label = -1;
        assert_int_equal(opn_i_csr_init(ctx, 0, 0, 0, true, &none), OPN_OK);
        const opn_i_reach whole = symmetric_reach(&none);
        assert_int_equal(opn_i_subgraph_init(ctx, &none, &whole, &no_label, &no_label,
                                             is_whole == 1, false, &subgraph),
                         OPN_OK);
        assert_int_equal(subgraph.n_nodes, 0);
        assert_int_equal(subgraph.train.outer.n_rows, 0);
        assert_int_equal(subgraph.check.outer.n_rows, 0);
        opn_i_subgraph_deinit(&ctx->alloc, &subgraph);
        opn_i_csr_deinit(&ctx->alloc, &none);
    }
}

// ---- subtracting ---------------------------------------------------------------------

// Two networks alike, of which the second subtracts.
typedef struct pair {
    network plain, other;
} pair;

static void init_pair(int d, const opn_k_table *kernels, pair *out)
{
    init_network(d, &out->plain);
    init_network(d, &out->other);
    out->plain.exec.kernels = out->other.exec.kernels = kernels;
    opn_i_network_follow(&out->other.gcn, subtracting);
}

static void deinit_pair(pair *two)
{
    network_deinit(&two->plain);
    network_deinit(&two->other);
}

// The same pass of both, and the backward pass if there is a target.
static void
expect_same_drawn_pass(pair *two, uint32_t step, double rate, const int32_t *target)
{
    network *both[] = {&two->plain, &two->other};
    int32_t all[N_NODES];
    set_labels(OF_ALL, 3, all);
    for (int n = 0; n < 2; n++) {
        opn_i_network_draw(&both[n]->exec, &both[n]->gcn, 5, &student_streams, step,
                           (opn_i_rates){rate, 0.0});
        opn_i_network_forward_drawn(&both[n]->exec, &both[n]->gcn, both[n]->weights,
                                    (opn_i_rates){rate, 0.0}, target != NULL);
    }
    assert_int_equal(two->other.features.lists_dropped, rate > 0.0);
    expect_logits(&two->plain.gcn, all, &two->other.gcn);
    for (int n = 0; n < 2 && target != NULL; n++)
        run_backward(&both[n]->exec, &both[n]->gcn, both[n]->weights, target,
                     both[n]->d_weights);
    if (target != NULL)
        expect_weights(&two->plain.gcn, two->other.d_weights, two->plain.d_weights);
}

static void change_weights(pair *two, uint64_t *random)
{
    for (size_t j = 0; j < two->plain.gcn.n_weights; j++) {
        const opn_real factor = (opn_real)draw(random, -1.2, 1.2);
        two->plain.weights[j] *= factor;
        two->other.weights[j] *= factor;
    }
}

// An epoch: a pass with dropout, the backward pass, new weights and perhaps a pass over
// all nodes without dropout.
static void a_training_that_subtracts_has_the_same_passes(void **state)
{
    (void)state;
    static const double rates[] = {0.1, 0.2};
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    int32_t target[N_NODES];
    uint64_t random = 3;
    set_labels(OF_MANY, 3, target);
    for (int c = 0; c < n_tables * N_MATRICES; c++) {
        pair two;
        init_pair(c % N_MATRICES, table[c / N_MATRICES], &two);
        for (uint32_t epoch = 0; epoch < 12; epoch++) {
            expect_same_drawn_pass(&two, epoch, rates[epoch % 2], target);
            assert_null(two.other.gcn.whole_of);
            change_weights(&two, &random);
            if (epoch % 3 != 0)
                expect_same_drawn_pass(&two, epoch, 0.0, epoch % 3 == 1 ? NULL : target);
        }
        deinit_pair(&two);
    }
}

// Of many passes with the same weights the first makes the whole product, and the others
// take it; weights elsewhere are other weights.
static void passes_of_the_same_weights_share_the_whole_product(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    int32_t target[N_NODES];
    uint64_t random = 4;
    set_labels(OF_MANY, 3, target);
    for (int c = 0; c < n_tables * N_MATRICES; c++) {
        pair two;
        init_pair(c % N_MATRICES, table[c / N_MATRICES], &two);
        opn_i_network *gcn = &two.other.gcn;
        for (uint32_t m = 0; m < 4; m++) {
            expect_same_drawn_pass(&two, m, m % 2 == 0 ? 0.2 : 0.1, NULL);
            assert_ptr_equal(gcn->whole_of, two.other.weights);
        }
        change_weights(&two, &random);
        gcn->whole_of = NULL;
        expect_same_drawn_pass(&two, 4, 0.2, NULL);
        layers_of(gcn)->d_hidden[0] = (opn_real)NAN;
        opn_i_network_forward_drawn(&two.other.exec, gcn, two.other.weights,
                                    (opn_i_rates){0.2, 0.0}, false);
        assert_true(isnan(layers_of(gcn)->p[0]));
        opn_real *elsewhere = two.other.weights;
        two.other.weights = two.other.d_weights;
        two.other.d_weights = elsewhere;
        memcpy(two.other.weights, elsewhere, gcn->n_weights * sizeof(*elsewhere));
        expect_same_drawn_pass(&two, 5, 0.2, NULL);
        expect_same_drawn_pass(&two, 6, 0.0, target); // the way back drops nothing either
        deinit_pair(&two);
    }
}

// A part that subtracts: validation makes the whole product of all its rows, and training
// subtracts from that of its own.
static void a_part_may_subtract_from_the_product_that_validation_made(void **state)
{
    (void)state;
    for (int d = 0; d < N_MATRICES; d++) {
        network net;
        init_network(d, &net);
        part *p = new_part(&net, OF_FEW, OF_OTHER_FEW);
        assert_true(p->subgraph.train.inner.n_cols < p->subgraph.n_nodes);
        opn_i_network_follow(&p->gcn, subtracting);
        for (uint32_t step = 0; step < 4; step++) {
            expect_same_pass(p, step, 0.2); // ends with validation
            assert_ptr_equal(p->gcn.whole_of, net.weights);
            assert_true(p->features.rate == 0.0);
        }
        free_part(p);
        network_deinit(&net);
    }
}

// ---- threads and memory --------------------------------------------------------------

// A part worth several threads has the same bits on any number.
static void a_part_gives_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    network net;
    opn_i_subgraph subgraph = {0};
    opn_i_feature_matrix features = {0};
    opn_i_network gcn = {0};
    network_init_drawn(ctx, &network_for_threads, 4, &net);
    for (int32_t i = 0; i < net.gcn.n_nodes; i++) {
        net.target[i] = i % 6 == 1 ? i % 7 : -1;
        net.validation[i] = i % 50 == 2 ? i % 7 : -1;
    }
    assert_int_equal(opn_i_subgraph_init(ctx, &net.adjacency, &net.gcn.reach, net.target,
                                         net.validation, false, false, &subgraph),
                     OPN_OK);
    assert_int_equal(opn_i_feature_matrix_init_part(
                             ctx, &net.features, subgraph.node, subgraph.n_nodes,
                             subgraph.train.inner.n_cols, &features),
                     OPN_OK);
    assert_int_equal(opn_i_network_init(ctx, &opn_i_gcn_encoder,
                                        &(const opn_i_sizes){0, 8, 7, 1, 1},
                                        &subgraph.train, NULL, &features, &gcn),
                     OPN_OK);
    opn_i_network_follow(&gcn, subtracting);
    const size_t n_bytes = gcn.n_weights * sizeof(opn_real);
    opn_real *d_weights = malloc(n_bytes);
    assert_non_null(d_weights);
    for (int c = 0; c < N_THREAD_COUNTS; c++) {
        net.exec.n_threads = thread_counts[c];
        opn_i_network_draw(&net.exec, &gcn, 3, &student_streams, 0,
                           (opn_i_rates){0.2, 0.0});
        opn_i_network_forward_drawn(&net.exec, &gcn, net.weights, (opn_i_rates){0.2, 0.0},
                                    true);
        run_backward(&net.exec, &gcn, net.weights, subgraph.target,
                     c == 0 ? d_weights : net.d_weights);
        if (c > 0)
            assert_memory_equal(net.d_weights, d_weights, n_bytes);
    }
    free(d_weights);
    opn_i_network_deinit(&ctx->alloc, &gcn);
    opn_i_feature_matrix_deinit(&ctx->alloc, &features);
    opn_i_subgraph_deinit(&ctx->alloc, &subgraph);
    network_deinit(&net);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    network net;
    int32_t target[N_NODES], validation[N_NODES];
    init_network(0, &net);
    set_labels(OF_FEW, 5, target);
    set_labels(OF_OTHER_FEW, 5, validation);
    for (int c = 0; c < 3; c++) { // the last one with the numbers of entries
        const int is_whole = c == 1;
        int n_failed = 0;
        for (long fail_at = 1;; fail_at++) {
            meter m = {0};
            opn_ctx *other = support_ctx(&m);
            opn_i_subgraph subgraph = {0};
            m.fail_at = m.n_requests + fail_at;
            const opn_status status =
                    opn_i_subgraph_init(other, &net.adjacency, &net.gcn.reach, target,
                                        validation, is_whole == 1, c == 2, &subgraph);
            assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
            assert_int_equal(status == OPN_OK, subgraph.node != NULL);
            opn_i_subgraph_deinit(&other->alloc, &subgraph);
            support_ctx_free(other, &m);
            if (status == OPN_OK)
                break;
            n_failed++;
        }
        assert_true(n_failed >= (is_whole == 1 ? 14 : c == 0 ? 30 : 34));
    }
    network_deinit(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(
                    nodes_get_each_number_once_and_those_that_training_reaches_come_first),
            WITH_CTX(passes_over_a_part_have_the_logits_and_gradients_of_the_whole),
            WITH_CTX(other_encoders_have_the_same_passes_over_a_part_too),
            WITH_CTX(a_part_draws_for_what_it_trains_alone),
            WITH_CTX(a_loss_on_no_node_has_no_gradient),
            WITH_CTX(a_whole_subgraph_keeps_the_numbers_and_the_adjacency),
            WITH_CTX(a_graph_without_nodes_has_a_subgraph_without_nodes),
            WITH_CTX(a_training_that_subtracts_has_the_same_passes),
            WITH_CTX(passes_of_the_same_weights_share_the_whole_product),
            WITH_CTX(a_part_may_subtract_from_the_product_that_validation_made),
            WITH_CTX(a_part_gives_the_same_bits_on_any_number_of_threads),
            WITH_CTX(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
