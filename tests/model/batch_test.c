// batch_test.c -- batches of unlabelled nodes: who is in them, and what the network sees.

#include "model/batch.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

enum { N_NODES = 50, N_PLACES = 6, N_FEATURES = 11 };

// A network without edges as a workspace, all of which it borrows.
typedef struct scene {
    network net;
    opn_i_workspace workspace;
    opn_i_trainee trainee;
    opn_i_batch batch;
} scene;

// Every tenth node is for training, and the one after it for validation.
static void set_roles(network *net)
{
    for (int32_t i = 0; i < N_NODES; i++) {
        net->target[i] = i % 10 == 0 ? i / 10 % 3 : -1;
        net->validation[i] = i % 10 == 1 ? i / 10 % 3 : -1;
    }
}

static void open_network(const network_kind *kind, bool has_values, scene *s)
{
    const network_size size = {N_NODES, N_FEATURES, 8, 3, has_values};
    *s = (scene){0};
    network_init_drawn_as(ctx, kind, &size, 5, &s->net);
    if (has_values)
        network_centre(&s->net, 7);
    set_roles(&s->net);
    s->workspace = (opn_i_workspace){.exec = s->net.exec,
                                     .hop.rows = s->net.adjacency,
                                     .features = s->net.features,
                                     .network = s->net.gcn};
}

static opn_status start(scene *s, int32_t n_places)
{
    return opn_i_batch_init(ctx, &s->workspace, s->net.target, s->net.validation,
                            n_places, 11, &s->trainee, &s->batch);
}

static void open_scene(bool has_values, scene *s)
{
    open_network(&mlp_kind, has_values, s);
    assert_int_equal(start(s, N_PLACES), OPN_OK);
}

static void close_scene(scene *s)
{
    opn_i_batch_deinit(&ctx->alloc, &s->batch);
    opn_i_trainee_deinit(&ctx->alloc, &s->trainee);
    network_deinit(&s->net);
}

static void places_take_every_unlabelled_node_once_a_round(void **state)
{
    (void)state;
    scene s;
    open_scene(true, &s);
    assert_int_equal(s.batch.n_pool, N_NODES - 10);
    assert_int_equal(s.batch.n_places, N_PLACES);
    const int32_t n_steps = s.batch.n_pool / N_PLACES;
    int32_t first[N_NODES];
    for (int round = 0; round < 2; round++) {
        int seen[N_NODES] = {0};
        for (int32_t step = 0; step < n_steps; step++) {
            opn_i_batch_fill(&s.batch, round * n_steps + step);
            for (int32_t b = 0; b < N_PLACES; b++)
                seen[s.batch.pool[step * N_PLACES + b]]++;
        }
        for (int32_t i = 0; i < N_NODES; i++)
            assert_true(seen[i] <= (i % 10 < 2 ? 0 : 1));
        if (round == 0)
            memcpy(first, s.batch.pool, sizeof(first[0]) * (size_t)s.batch.n_pool);
    }
    assert_int_not_equal(
            memcmp(first, s.batch.pool, sizeof(first[0]) * (size_t)s.batch.n_pool), 0);
    close_scene(&s);
}

static void the_rows_of_the_places_are_those_nodes_features(void **state)
{
    (void)state;
    for (int has_values = 0; has_values < 2; has_values++) {
        scene s;
        opn_real wanted[16];
        const size_t width = (size_t)opn_i_width(N_FEATURES);
        open_scene(has_values != 0, &s);
        opn_i_batch_fill(&s.batch, 4);
        for (int32_t b = 0; b < N_PLACES; b++) {
            opn_i_feature_matrix_row(&s.workspace.features,
                                     s.batch.pool[4 * N_PLACES + b], wanted);
            assert_memory_equal(s.batch.array + (size_t)s.batch.place[b] * width, wanted,
                                width * sizeof(*wanted));
            assert_int_equal(s.trainee.subgraph.target[s.batch.place[b]], -1);
        }
        close_scene(&s);
    }
}

static void an_epoch_has_its_batch_whatever_came_before(void **state)
{
    (void)state;
    scene a;
    scene b;
    const size_t width = (size_t)opn_i_width(N_FEATURES);
    open_scene(true, &a);
    open_scene(true, &b);
    for (int32_t epoch = 0; epoch <= 17; epoch++)
        opn_i_batch_fill(&a.batch, epoch);
    opn_i_batch_fill(&b.batch, 17);
    assert_memory_equal(a.batch.array, b.batch.array,
                        (size_t)a.trainee.subgraph.n_nodes * width * sizeof(opn_real));
    close_scene(&a);
    close_scene(&b);
}

// Logits of all rows, of which those of the places change from epoch to epoch.
static void logits_are_those_of_the_whole_network(void **state)
{
    (void)state;
    for (int has_values = 0; has_values < 2; has_values++) {
        scene s;
        open_scene(has_values != 0, &s);
        opn_i_network *whole = &s.net.gcn;
        opn_i_network *part = s.trainee.network;
        opn_i_network_forward(&s.net.exec, whole, s.net.weights);
        opn_i_batch_fill(&s.batch, 9);
        opn_i_network_forward(&s.net.exec, part, s.net.weights);
        const opn_i_subgraph *subgraph = &s.trainee.subgraph;
        assert_int_equal(subgraph->train.outer.n_rows, 5 + N_PLACES);
        int32_t n_places = 0;
        for (int32_t r = 0; r < subgraph->train.outer.n_rows; r++) {
            const bool is_place = n_places < N_PLACES && s.batch.place[n_places] == r;
            const int32_t round_first = 9 % (s.batch.n_pool / N_PLACES) * N_PLACES;
            const int32_t i =
                    is_place ? s.batch.pool[round_first + n_places] : subgraph->node[r];
            n_places += is_place;
            for (int32_t k = 0; k < 3; k++)
                expect_close((double)part->z[r * part->class_width + k],
                             (double)whole->z[i * whole->class_width + k],
                             by_build(1e-5, 1e-12), 1.0);
        }
        assert_int_equal(n_places, N_PLACES);
        // Validation nodes have rows of their own.
        opn_i_network_forward_on(&s.net.exec, part, &subgraph->check, s.net.weights);
        for (int32_t v = 0; v < 5; v++)
            expect_close((double)part->z[v * part->class_width],
                         (double)whole->z[(10 * v + 1) * whole->class_width],
                         by_build(1e-5, 1e-12), 1.0);
        close_scene(&s);
    }
}

static void few_nodes_make_a_small_batch(void **state)
{
    (void)state;
    scene s;
    open_network(&mlp_kind, true, &s);
    assert_int_equal(start(&s, 1000), OPN_OK);
    assert_int_equal(s.batch.n_places, N_NODES - 10);
    opn_i_batch_fill(&s.batch, 3);
    close_scene(&s);
}

static void what_cannot_be_batched_is_refused(void **state)
{
    (void)state;
    scene s;
    open_network(&gcn_kind, true, &s);
    assert_int_equal(start(&s, N_PLACES), OPN_ERR_INVALID_ARG);
    support_expect_error(ctx, "`batch`");
    support_expect_error(ctx, "drop-mlp");
    close_scene(&s);
    open_network(&mlp_kind, true, &s);
    for (int32_t i = 0; i < N_NODES; i++)
        s.net.target[i] = 0;
    assert_int_equal(start(&s, N_PLACES), OPN_ERR_SHAPE);
    support_expect_error(ctx, "none is left");
    close_scene(&s);
}

static void starting_survives_any_allocation_failure(void **state)
{
    (void)state;
    meter *m = ctx->alloc.user;
    opn_status status = OPN_ERR_NOMEM;
    scene s;
    open_network(&mlp_kind, true, &s);
    for (long k = 1; status != OPN_OK; k++) {
        m->fail_at = m->n_requests + k;
        status = start(&s, N_PLACES);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
    }
    m->fail_at = 0;
    const long n_requests = m->n_requests;
    opn_i_batch_fill(&s.batch, 3);
    assert_int_equal(m->n_requests, n_requests);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(places_take_every_unlabelled_node_once_a_round),
            WITH_CTX(the_rows_of_the_places_are_those_nodes_features),
            WITH_CTX(an_epoch_has_its_batch_whatever_came_before),
            WITH_CTX(logits_are_those_of_the_whole_network),
            WITH_CTX(few_nodes_make_a_small_batch),
            WITH_CTX(what_cannot_be_batched_is_refused),
            WITH_CTX(starting_survives_any_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
