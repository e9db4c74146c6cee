// preset_test.c -- the paper's parameters and splits.

#include "base/context.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/planetoid_writer.h"
#include "support/support.h"
#include "train/train.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static opn_ctx *ctx;
static char folder[SUPPORT_PATH]; // of named datasets, each as small as may be

static opn_params *make_params(const char *task)
{
    opn_params *params = NULL;
    assert_int_equal(opn_params_create(ctx, &params), OPN_OK);
    if (task != NULL)
        assert_int_equal(opn_params_set(ctx, params, "task", task), OPN_OK);
    return params;
}

static void set(opn_params *params, const char *name, const char *value)
{
    assert_int_equal(opn_params_set(ctx, params, name, value), OPN_OK);
}

static opn_graph *draw(const char *n_classes)
{
    opn_params *params = make_params(NULL);
    opn_graph *graph = NULL;
    set(params, "nodes", "700");
    set(params, "classes", n_classes);
    set(params, "features", "30");
    assert_int_equal(opn_graph_generate(ctx, params, &graph), OPN_OK);
    opn_params_free(params);
    return graph;
}

static opn_graph *load(const char *data)
{
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_load(ctx, data, folder, &graph), OPN_OK);
    return graph;
}

// The paper's; it has no settings for images.
static void write_dataset(const opn_dataset *dataset)
{
    char path[SUPPORT_PATH];
    if (strstr(dataset->file, "idx") != NULL)
        return;
    support_path(path, folder, dataset->file);
    if (strstr(path, ".npz") == NULL) {
        support_write_planetoid(path);
        return;
    }
    opn_graph *graph = draw("8");
    assert_int_equal(opn_graph_save(ctx, graph, path), OPN_OK);
    opn_graph_free(graph);
}

static int set_up(void **state)
{
    char path[SUPPORT_PATH];
    (void)state;
    support_temp_folder(folder);
    ctx = support_ctx(NULL);
    assert_int_equal(mkdir(support_path(path, folder, "planetoid"), 0777), 0);
    assert_int_equal(mkdir(support_path(path, folder, "gnn-benchmark"), 0777), 0);
    for (size_t d = 0; d < opn_dataset_count(); d++)
        if (opn_dataset_at(d)->file != NULL)
            write_dataset(opn_dataset_at(d));
    opn_ctx_free(ctx);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    support_remove_folder(folder);
    return 0;
}

// ---- parameters ----------------------------------------------------------------------

typedef struct preset_case {
    const char *dataset, *task;
    const char *hidden, *dropout, *weight_decay, *epochs, *patience, *lambda1;
} preset_case;

static const char miss[] = "misclassification";

// The paper's table of hyper-parameters, its text for lambda1, and our own choice of the
// epochs of OOD on graphs without early stopping.
static const preset_case cases[] = {
        {"demo", miss, "16", "0.5", "0.0005", "200", "0", "0.001"},
        {"cora", miss, "16", "0.5", "0.0005", "200", "0", "0.001"},
        {"citeseer", miss, "16", "0.5", "0.0005", "200", "0", "0.001"},
        {"pubmed", miss, "16", "0.5", "0.0005", "200", "0", "0.001"},
        {"photo", miss, "64", "0.2", "0.0001", "100000", "50", "0.001"},
        {"computers", miss, "64", "0.2", "0.0001", "100000", "50", "0.001"},
        {"physics", miss, "64", "0.1", "0.001", "100000", "50", "0.001"},
        {"demo", "ood", "16", "0.5", "0.0005", "1000", "0", "0.1"},
        {"cora", "ood", "16", "0.5", "0.0005", "1000", "0", "0.1"},
        {"citeseer", "ood", "16", "0.5", "0.0005", "1000", "0", "0.1"},
        {"pubmed", "ood", "16", "0.5", "0.0005", "1000", "0", "0.1"},
        {"photo", "ood", "64", "0.2", "0.0001", "100000", "50", "0.1"},
        {"computers", "ood", "64", "0.2", "0.0001", "100000", "50", "0.1"},
        {"physics", "ood", "64", "0.1", "0.001", "100000", "50", "0.1"},
};

static void expect_params(const opn_params *params, const preset_case *want)
{
    assert_string_equal(opn_params_text(params, "hidden"), want->hidden);
    assert_string_equal(opn_params_text(params, "dropout"), want->dropout);
    assert_string_equal(opn_params_text(params, "weight_decay"), want->weight_decay);
    assert_string_equal(opn_params_text(params, "epochs"), want->epochs);
    assert_string_equal(opn_params_text(params, "patience"), want->patience);
    assert_string_equal(opn_params_text(params, "lambda1"), want->lambda1);
}

// The teacher is the plain GCN of 200 epochs, also where the model is given 1000.
static void expect_teacher(const opn_params *params)
{
    const bool is_longer = strcmp(opn_params_text(params, "epochs"), "1000") == 0;
    assert_string_equal(opn_params_text(params, "teacher_epochs"),
                        is_longer ? "200" : "0");
}

static bool is_preset(const char *name)
{
    static const char *const names[] = {"hidden",   "dropout", "weight_decay",  "epochs",
                                        "patience", "lambda1", "teacher_epochs"};
    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
        if (strcmp(names[n], name) == 0)
            return true;
    return false;
}

static void strong_is_the_same_on_every_graph(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_graph *graph = load(cases[c].dataset);
        opn_params *params = make_params(cases[c].task);
        assert_int_equal(opn_params_set(ctx, params, "preset", "strong"), OPN_OK);
        assert_int_equal(opn_params_use_preset(ctx, graph, params), OPN_OK);
        assert_string_equal(opn_params_text(params, "lambda1"), "0.3");
        assert_string_equal(opn_params_text(params, "epochs"), "500");
        assert_string_equal(opn_params_text(params, "teacher_epochs"), "200");
        assert_string_equal(opn_params_text(params, "patience"), "0");
        assert_string_equal(opn_params_text(params, "propagate"), "10");
        assert_string_equal(opn_params_text(params, "hidden"), cases[c].hidden);
        opn_params_free(params);
        opn_graph_free(graph);
    }
}

// On a named dataset both trains as ood does, but holds nothing out by itself.
static void both_is_ood_without_classes_held_out(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        if (strcmp(cases[c].task, "ood") != 0)
            continue;
        opn_graph *graph = load(cases[c].dataset);
        opn_params *params = make_params("both");
        opn_split *split = NULL;
        assert_int_equal(opn_params_use_preset(ctx, graph, params), OPN_OK);
        expect_params(params, &cases[c]);
        assert_string_equal(opn_params_text(params, "task"), "both");
        assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
        assert_int_equal(opn_split_n_known(split), opn_graph_n_classes(graph));
        assert_string_equal(opn_i_task_scored(params, false), "misclassification");
        assert_string_equal(opn_i_task_scored(params, true), "ood");
        opn_split_free(split);
        opn_params_free(params);
        opn_graph_free(graph);
    }
}

static void presets_are_those_of_the_paper_and_nothing_else_is_touched(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_graph *graph = load(cases[c].dataset);
        opn_params *params = make_params(cases[c].task);
        assert_int_equal(opn_params_use_preset(ctx, graph, params), OPN_OK);
        expect_params(params, &cases[c]);
        expect_teacher(params);
        assert_string_equal(opn_params_text(params, "preset"), "paper");
        for (size_t p = 0; p < opn_param_count(); p++) {
            const opn_param *param = opn_param_at(p);
            if (!is_preset(param->name) && strcmp(param->name, "task") != 0 &&
                strcmp(param->name, "preset") != 0)
                assert_string_equal(opn_params_text(params, param->name),
                                    param->default_text);
        }
        opn_params_free(params);
        opn_graph_free(graph);
    }
}

static void presets_never_override_what_was_given(void **state)
{
    (void)state;
    const preset_case given = {"", "", "7", "0.25", "0.125", "3", "2", "0.75"};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_graph *graph = load(cases[c].dataset);
        opn_params *params = make_params(cases[c].task);
        set(params, "hidden", given.hidden);
        set(params, "dropout", given.dropout);
        set(params, "weight_decay", given.weight_decay);
        set(params, "epochs", given.epochs);
        set(params, "patience", given.patience);
        set(params, "lambda1", given.lambda1);
        assert_int_equal(opn_params_use_preset(ctx, graph, params), OPN_OK);
        expect_params(params, &given);
        opn_params_free(params);
        opn_graph_free(graph);
    }
}

static void a_given_default_is_given_too(void **state)
{
    (void)state;
    opn_graph *graph = load("photo");
    opn_params *params = make_params("ood");
    set(params, "hidden", "16");
    set(params, "lambda1", "0.001");
    assert_int_equal(opn_params_use_preset(ctx, graph, params), OPN_OK);
    assert_string_equal(opn_params_text(params, "hidden"), "16");
    assert_string_equal(opn_params_text(params, "lambda1"), "0.001");
    opn_params_free(params);
    opn_graph_free(graph);
}

static void help_names_the_epochs_that_task_ood_uses(void **state)
{
    (void)state;
    static const char *const names[] = {"epochs", "teacher_epochs"};
    opn_graph *graph = load("demo");
    opn_params *params = make_params("ood");
    assert_int_equal(opn_params_use_preset(ctx, graph, params), OPN_OK);
    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
        const opn_param *param = opn_param_find(names[n]);
        assert_string_not_equal(opn_params_text(params, names[n]), param->default_text);
        assert_non_null(strstr(param->help, "`task` ood"));
        assert_non_null(strstr(param->help, opn_params_text(params, names[n])));
    }
    opn_params_free(params);
    opn_graph_free(graph);
}

// A graph's name is only the name of its file.
static void own_data_called_like_a_dataset_are_own_data(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    opn_graph *drawn = draw("8");
    assert_int_equal(opn_graph_save(ctx, drawn, support_path(path, folder, "photo.npz")),
                     OPN_OK);
    opn_graph *graph = load(path);
    opn_params *params = make_params("ood");
    opn_params *usual = make_params(NULL);
    opn_split *split = NULL;
    const preset_case want = {"", "ood", "64", "0.5", "0.0005", "500", "50", "0.1"};
    const preset_case both = {"", "both", "64", "0.5", "0.0005", "500", "50", "0.001"};
    assert_int_equal(opn_params_use_preset(ctx, graph, params), OPN_OK);
    expect_params(params, &want);
    assert_int_equal(opn_params_use_preset(ctx, graph, usual), OPN_OK);
    expect_params(usual, &both);
    assert_string_equal(opn_params_text(usual, "task"), both.task);
    opn_params_free(usual);
    assert_string_equal(opn_params_text(params, "model"), "auto");
    assert_string_equal(opn_params_text(params, "normalise"), "l2");
    assert_string_equal(opn_params_text(params, "preset"), "auto");
    assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
    assert_int_equal(opn_split_n_known(split), 8);
    opn_split_free(split);
    opn_params_free(params);
    opn_graph_free(graph);
    opn_graph_free(drawn);
}

// Half of a few measurements is too much to drop.
static void own_data_that_are_standardised_lose_fewer_features(void **state)
{
    (void)state;
    char path[SUPPORT_PATH];
    opn_graph *drawn = draw("3");
    assert_int_equal(opn_graph_save(ctx, drawn, support_path(path, folder, "own.npz")),
                     OPN_OK);
    opn_graph *graph = load(path);
    const struct {
        const char *name, *value, *dropout;
    } want[] = {{"normalise", "standard", "0.3"},
                {"normalise", "l2", "0.5"},
                {"dropout", "0.4", "0.4"},
                {"model", "gat", "0.6"}}; // as its authors have it
    for (size_t c = 0; c < sizeof(want) / sizeof(want[0]); c++) {
        opn_params *params = make_params("misclassification");
        if (c > 1)
            set(params, "normalise", "standard");
        set(params, want[c].name, want[c].value);
        assert_int_equal(opn_params_use_preset(ctx, graph, params), OPN_OK);
        assert_string_equal(opn_params_text(params, "dropout"), want[c].dropout);
        opn_params_free(params);
    }
    opn_graph_free(graph);
    opn_graph_free(drawn);
}

static void attention_starts_as_its_authors_and_the_paper_have_it(void **state)
{
    (void)state;
    static const struct {
        const char *dataset, *dropout, *decay, *rate, *out_heads, *at_test;
    } want[] = {
            {"demo", "0.6", "0.0005", "0.005", "1", "0.4"},
            {"cora", "0.6", "0.0005", "0.005", "1", "0.4"},
            {"citeseer", "0.6", "0.0005", "0.005", "1", "0.4"},
            {"pubmed", "0.6", "0.001", "0.01", "8", "0.4"},
            {"photo", "0.2", "0.0001", "0.005", "1", "0.2"},
            {"computers", "0.2", "0.0001", "0.005", "1", "0.2"},
            {"physics", "0.1", "0.001", "0.005", "1", "0.1"},
    };
    for (size_t c = 0; c < sizeof(want) / sizeof(want[0]); c++) {
        opn_graph *graph = load(want[c].dataset);
        opn_params *params = make_params("ood");
        set(params, "model", "s-bgat-t-k,gcn"); // the first one counts
        set(params, "heads", "4");
        assert_int_equal(opn_params_use_preset(ctx, graph, params), OPN_OK);
        const preset_case basic = {"",       "",    "64", want[c].dropout, want[c].decay,
                                   "100000", "100", "0.1"};
        expect_params(params, &basic);
        assert_string_equal(opn_params_text(params, "heads"), "4");
        assert_string_equal(opn_params_text(params, "out_heads"), want[c].out_heads);
        assert_string_equal(opn_params_text(params, "learning_rate"), want[c].rate);
        assert_string_equal(opn_params_text(params, "drop_edge"), want[c].dropout);
        assert_string_equal(opn_params_text(params, "sample_drop_edge"), want[c].at_test);
        assert_string_equal(opn_params_text(params, "sample_dropout"), "0");
        assert_string_equal(opn_params_text(params, "stop_on"), "both");
        assert_string_equal(opn_params_text(params, "teacher_ramp"), "50");
        assert_string_equal(opn_params_text(params, "teacher_epochs"), "0");
        opn_params_free(params);
        opn_graph_free(graph);
    }
}

static void graph_sage_starts_as_the_convolution_does(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        opn_graph *graph = load(cases[c].dataset);
        opn_params *params = make_params(cases[c].task);
        set(params, "model", "s-bsage-t-k");
        assert_int_equal(opn_params_use_preset(ctx, graph, params), OPN_OK);
        expect_params(params, &cases[c]);
        opn_params_free(params);
        opn_graph_free(graph);
    }
}

// ---- splits --------------------------------------------------------------------------

static void task_ood_holds_out_the_last_classes_of_a_dataset(void **state)
{
    (void)state;
    static const struct {
        const char *dataset;
        int32_t n_known;
    } known[] = {{"demo", 4}, {"photo", 4}, {"computers", 5}, {"physics", 3}};
    for (size_t d = 0; d < sizeof(known) / sizeof(known[0]); d++) {
        opn_graph *graph = load(known[d].dataset);
        opn_params *params = make_params("ood");
        opn_split *split = NULL;
        assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
        assert_int_equal(opn_split_n_known(split), known[d].n_known);
        for (int32_t k = 0; k < opn_graph_n_classes(graph); k++)
            assert_int_equal(opn_split_known(split)[k], k < known[d].n_known ? k : -1);
        for (opn_vid i = 0; i < opn_graph_n_nodes(graph); i++)
            if (opn_graph_labels(graph)[i] >= known[d].n_known)
                assert_true(opn_split_roles(split)[i] >= OPN_ROLE_TEST);
        opn_split_free(split);
        opn_params_free(params);
        opn_graph_free(graph);
    }
}

static void named_classes_are_held_out_whatever_the_task(void **state)
{
    (void)state;
    static const char *const tasks[] = {"misclassification", "ood"};
    opn_graph *graph = load("demo");
    for (int t = 0; t < 2; t++) {
        const int32_t want[] = {0, -1, 1, 2, 3, -1};
        opn_params *params = make_params(tasks[t]);
        opn_split *split = NULL;
        set(params, "ood_classes", "5,1");
        assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_OK);
        assert_memory_equal(opn_split_known(split), want, sizeof(want));
        opn_split_free(split);
        opn_params_free(params);
    }
    opn_graph_free(graph);
}

static void bad_lists_of_classes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *classes, *part;
    } bad[] = {
            {"x", "\"x\" is not a class of demo"},
            {"0,six", "\"six\" is not a class of demo"},
            {"6", "\"6\" is not a class of demo"},
            {"-1", "\"-1\" is not a class of demo"},
            {"04", "\"04\" is not a class of demo"},
            {"0,,1", "\"\" is not a class of demo"},
            {"4,5,4", "`ood_classes`: class 4 is named twice"},
            {"0,1,2,3,4,5", "every class is out-of-distribution"},
            {"0,1,2,3,4,5,0", "more classes than demo has"},
    };
    opn_graph *graph = load("demo");
    for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
        opn_params *params = make_params(NULL);
        opn_split *split = NULL;
        set(params, "ood_classes", bad[b].classes);
        assert_int_equal(opn_split_from_params(ctx, graph, params, &split),
                         OPN_ERR_INVALID_ARG);
        assert_null(split);
        support_expect_error(ctx, bad[b].part);
        opn_params_free(params);
    }
    opn_graph_free(graph);
}

static void seeds_draw_splits_of_their_own(void **state)
{
    (void)state;
    opn_graph *graph = load("demo");
    opn_split *split[3] = {NULL};
    static const char *const seeds[] = {"1", "1", "2"};
    const size_t n = (size_t)opn_graph_n_nodes(graph);
    for (int s = 0; s < 3; s++) {
        opn_params *params = make_params(NULL);
        set(params, "seed", seeds[s]);
        assert_int_equal(opn_split_from_params(ctx, graph, params, &split[s]), OPN_OK);
        opn_params_free(params);
    }
    assert_memory_equal(opn_split_roles(split[0]), opn_split_roles(split[1]), n);
    assert_memory_not_equal(opn_split_roles(split[0]), opn_split_roles(split[2]), n);
    for (int s = 0; s < 3; s++)
        opn_split_free(split[s]);
    opn_graph_free(graph);
}

static void a_graph_without_labels_has_no_split(void **state)
{
    (void)state;
    const opn_vid from[] = {0};
    const opn_vid to[] = {1};
    opn_graph *graph = NULL;
    opn_split *split = NULL;
    opn_params *params = make_params(NULL);
    assert_int_equal(opn_graph_create_edges(ctx, 2, 1, from, to, NULL, &graph), OPN_OK);
    assert_int_equal(opn_split_from_params(ctx, graph, params, &split), OPN_ERR_SHAPE);
    assert_null(split);
    support_expect_error(ctx, "no labels to learn from");
    opn_params_free(params);
    opn_graph_free(graph);
}

static void every_allocation_failure_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    opn_ctx *plain = support_ctx(NULL);
    ctx = plain;
    opn_graph *graph = load("demo");
    int n_refused = 0;
    for (long fail_at = 1;; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        opn_params *params = NULL;
        opn_split *split = NULL;
        m.n_requests = 0;
        m.fail_at = fail_at;
        opn_status status = opn_params_create(own, &params);
        if (status == OPN_OK)
            status = opn_params_set(own, params, "task", "ood");
        if (status == OPN_OK)
            status = opn_params_use_preset(own, graph, params);
        if (status == OPN_OK)
            status = opn_split_from_params(own, graph, params, &split);
        assert_int_equal(status == OPN_OK, split != NULL);
        opn_split_free(split);
        opn_params_free(params);
        support_ctx_free(own, &m);
        if (status == OPN_OK)
            break;
        assert_int_equal(status, OPN_ERR_NOMEM);
        n_refused++;
    }
    assert_true(n_refused > 5);
    opn_graph_free(graph);
    opn_ctx_free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(presets_are_those_of_the_paper_and_nothing_else_is_touched),
            WITH_CTX(strong_is_the_same_on_every_graph),
            WITH_CTX(both_is_ood_without_classes_held_out),
            WITH_CTX(attention_starts_as_its_authors_and_the_paper_have_it),
            WITH_CTX(graph_sage_starts_as_the_convolution_does),
            WITH_CTX(presets_never_override_what_was_given),
            WITH_CTX(a_given_default_is_given_too),
            WITH_CTX(help_names_the_epochs_that_task_ood_uses),
            WITH_CTX(own_data_called_like_a_dataset_are_own_data),
            WITH_CTX(own_data_that_are_standardised_lose_fewer_features),
            WITH_CTX(task_ood_holds_out_the_last_classes_of_a_dataset),
            WITH_CTX(named_classes_are_held_out_whatever_the_task),
            WITH_CTX(bad_lists_of_classes_are_refused),
            WITH_CTX(seeds_draw_splits_of_their_own),
            WITH_CTX(a_graph_without_labels_has_no_split),
            cmocka_unit_test(every_allocation_failure_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
