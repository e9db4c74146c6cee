// contexts_test.c -- eight threads, each with a context of its own, at work at once on
// graphs and models that they share.

#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_THREADS = 8 };

// What all threads share, and only read.
typedef struct shared {
    const opn_graph *graph;
    const opn_model *model;
    const opn_prediction *said; // by the model about the graph
    const char *folder;
} shared;

typedef struct one {
    const shared *of;
    int number;
} one;

// Without a meter, which counts for one thread only. Two threads each, so that parallel
// regions run beside each other too.
static opn_ctx *new_context(void)
{
    opn_ctx *own = support_ctx(NULL);
    assert_int_equal(opn_ctx_set_threads(own, 2), OPN_OK);
    return own;
}

// An assertion that fails on one of the threads ends the program, as cmocka has it.
static void run_on_all(const shared *of, void *(*work)(void *))
{
    pthread_t thread[N_THREADS];
    one each[N_THREADS];
    for (int t = 0; t < N_THREADS; t++) {
        each[t] = (one){of, t};
        assert_int_equal(pthread_create(&thread[t], NULL, work, &each[t]), 0);
    }
    for (int t = 0; t < N_THREADS; t++)
        assert_int_equal(pthread_join(thread[t], NULL), 0);
}

static opn_graph *draw_graph(opn_ctx *ctx)
{
    return trial_draw(ctx, "nodes=200 classes=3 features=30 mean_degree=6 seed=4");
}

// ---- training ------------------------------------------------------------------------

static void settings_of(int number, char text[96])
{
    static const char *const models[] = {"s-bgcn-t-k", "gat", "s-bsage-t-k", "drop-mlp"};
    snprintf(text, 96, "model=%s epochs=3 samples=2 seed=%d", models[number % 4],
             number / 4);
}

static void *train_one(void *user)
{
    const one *o = user;
    char settings[96];
    opn_ctx *own = new_context();
    settings_of(o->number, settings);
    opn_model *model = trial_train(own, o->of->graph, settings);
    char path[SUPPORT_PATH];
    char name[32];
    snprintf(name, sizeof(name), "%d.safetensors", o->number);
    assert_int_equal(opn_model_save(own, model, support_path(path, o->of->folder, name)),
                     OPN_OK);
    opn_model_free(model);
    opn_ctx_free(own);
    return NULL;
}

static void eight_threads_train_on_one_graph_with_the_bits_of_one(void **state)
{
    (void)state;
    char folder[SUPPORT_PATH];
    char path[SUPPORT_PATH];
    char name[32];
    support_temp_folder(folder);
    opn_ctx *ctx = new_context();
    opn_graph *graph = draw_graph(ctx);
    const shared of = {.graph = graph, .folder = folder};
    run_on_all(&of, train_one);
    for (int t = 0; t < N_THREADS; t++) {
        char settings[96];
        size_t n_bytes = 0;
        settings_of(t, settings);
        opn_model *model = trial_train(ctx, graph, settings);
        char *bytes = trial_bytes(ctx, model, &n_bytes);
        snprintf(name, sizeof(name), "%d.safetensors", t);
        support_expect_file(support_path(path, folder, name), bytes, n_bytes);
        free(bytes);
        opn_model_free(model);
    }
    opn_graph_free(graph);
    opn_ctx_free(ctx);
    support_remove_folder(folder);
}

// Large enough that what only these settings need, the terms for unlabelled nodes, the
// shift of the input and the centre of sparse features, is shared out over threads:
// ThreadSanitizer sees it here, as their own tests would take it minutes.
static void terms_for_unlabelled_nodes_have_the_bits_of_one_thread(void **state)
{
    (void)state;
    static const char *const terms[] = {"vat", "mean-teacher mean_teacher_noise=0.1",
                                        "pseudo-label"};
    opn_ctx *ctx = support_ctx(NULL);
    opn_graph *graph = trial_draw_split(
            ctx, "nodes=5000 classes=8 features=60 words=5 mean_degree=3 seed=4", 3);
    for (size_t t = 0; t < sizeof(terms) / sizeof(terms[0]); t++) {
        char settings[128];
        opn_model *model[2];
        snprintf(settings, sizeof(settings),
                 "model=s-gcn epochs=3 hidden=64 normalise=standard unlabelled=%s",
                 terms[t]);
        for (int way = 0; way < 2; way++) {
            assert_int_equal(opn_ctx_set_threads(ctx, way == 0 ? 1 : 4), OPN_OK);
            model[way] = trial_train(ctx, graph, settings);
        }
        trial_expect_same(ctx, model[0], model[1]);
        opn_model_free(model[0]);
        opn_model_free(model[1]);
    }
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

// ---- predicting ----------------------------------------------------------------------

static void *predict_one(void *user)
{
    const one *o = user;
    opn_ctx *own = new_context();
    opn_prediction *said = opinions_ask(own, o->of->model, o->of->graph, "samples=3");
    opinions_expect_same(said, o->of->said);
    opn_prediction_free(said);
    opn_ctx_free(own);
    return NULL;
}

static void eight_threads_predict_with_one_model(void **state)
{
    (void)state;
    opn_ctx *ctx = new_context();
    opn_graph *graph = draw_graph(ctx);
    opn_model *model = trial_train(ctx, graph, "model=s-bgcn-t-k epochs=3");
    opn_prediction *said = opinions_ask(ctx, model, graph, "samples=3");
    const shared of = {.graph = graph, .model = model, .said = said};
    run_on_all(&of, predict_one);
    opn_prediction_free(said);
    opn_model_free(model);
    opn_graph_free(graph);
    opn_ctx_free(ctx);
}

// ---- files ---------------------------------------------------------------------------

static void *save_and_load_one(void *user)
{
    const one *o = user;
    static const char *const endings[] = {".npz", ""}; // the latter a folder of tables
    char path[SUPPORT_PATH];
    char name[32];
    char wanted[65];
    char found[65];
    opn_graph *read = NULL;
    opn_graph *back = NULL; // tables list an edge once
    opn_ctx *own = new_context();
    snprintf(name, sizeof(name), "graph%d%s", o->number, endings[o->number % 2]);
    support_path(path, o->of->folder, name);
    assert_int_equal(opn_graph_save(own, o->of->graph, path), OPN_OK);
    assert_int_equal(opn_graph_load(own, path, NULL, &read), OPN_OK);
    assert_int_equal(opn_graph_prepare(own, read, OPN_STEP_UNDIRECTED, &back), OPN_OK);
    assert_int_equal(opn_graph_hash(own, o->of->graph, wanted), OPN_OK);
    assert_int_equal(opn_graph_hash(own, back, found), OPN_OK);
    assert_string_equal(found, wanted);
    opn_graph_free(read);
    opn_graph_free(back);
    opn_ctx_free(own);
    return NULL;
}

static void eight_threads_write_and_read_files(void **state)
{
    (void)state;
    char folder[SUPPORT_PATH];
    support_temp_folder(folder);
    opn_ctx *ctx = new_context();
    opn_graph *graph = draw_graph(ctx);
    const shared of = {.graph = graph, .folder = folder};
    run_on_all(&of, save_and_load_one);
    opn_graph_free(graph);
    opn_ctx_free(ctx);
    support_remove_folder(folder);
}

// ---- failures ------------------------------------------------------------------------

static void *fail_one(void *user)
{
    const one *o = user;
    char path[64];
    opn_ctx *own = new_context();
    snprintf(path, sizeof(path), "/nonexistent/graph-of-thread-%d", o->number);
    for (int again = 0; again < 50; again++) {
        opn_graph *graph = NULL;
        assert_int_not_equal(opn_graph_load(own, path, NULL, &graph), OPN_OK);
        support_expect_error(own, path);
    }
    opn_ctx_free(own);
    return NULL;
}

static void each_context_has_a_message_of_its_own(void **state)
{
    (void)state;
    run_on_all(NULL, fail_one);
}

// ---- an array that graphs share ------------------------------------------------------

static void note_release(void *user)
{
    atomic_fetch_add((atomic_int *)user, 1);
}

static void *copy_and_free(void *user)
{
    const one *o = user;
    opn_ctx *own = new_context();
    for (int again = 0; again < 50; again++) {
        opn_graph *copy = NULL;
        assert_int_equal(opn_graph_copy(own, o->of->graph, &copy), OPN_OK);
        opn_graph_free(copy);
    }
    opn_ctx_free(own);
    return NULL;
}

static void copies_on_eight_threads_release_a_lent_array_once(void **state)
{
    (void)state;
    enum { N_NODES = 700, N_FEATURES = 100 }; // enough to be kept as an array
    static float value[N_NODES * N_FEATURES];
    static const opn_vid source[] = {0, 1};
    static const opn_vid target[] = {1, 2};
    atomic_int n_released = 0;
    for (int j = 0; j < N_NODES * N_FEATURES; j++)
        value[j] = 1.0f + (float)(j % 7);
    opn_ctx *ctx = new_context();
    opn_graph *graph = NULL;
    assert_int_equal(
            opn_graph_create_edges(ctx, N_NODES, 2, source, target, NULL, &graph),
            OPN_OK);
    assert_int_equal(opn_graph_lend_features(ctx, graph, N_FEATURES, value, note_release,
                                             &n_released),
                     OPN_OK);
    const shared of = {.graph = graph};
    const int n_before = atomic_load(&n_released); // 1 in double precision, which copies
    run_on_all(&of, copy_and_free);
    assert_int_equal(atomic_load(&n_released), n_before);
    opn_graph_free(graph);
    assert_int_equal(atomic_load(&n_released), 1);
    opn_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(eight_threads_train_on_one_graph_with_the_bits_of_one),
            cmocka_unit_test(terms_for_unlabelled_nodes_have_the_bits_of_one_thread),
            cmocka_unit_test(eight_threads_predict_with_one_model),
            cmocka_unit_test(eight_threads_write_and_read_files),
            cmocka_unit_test(each_context_has_a_message_of_its_own),
            cmocka_unit_test(copies_on_eight_threads_release_a_lent_array_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
