// datasets_test.c -- where the datasets that have a name are looked for.

#include "graph/graph_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static opn_ctx *ctx;

static const char file[] = "gnn-benchmark/amazon_electronics_photo.npz";

static const opn_dataset *photo(void)
{
    for (size_t d = 0; d < opn_dataset_count(); d++)
        if (strcmp(opn_dataset_at(d)->name, "photo") == 0)
            return opn_dataset_at(d);
    fail_msg("there is no photo");
    return NULL;
}

// A data folder in `folder`, whose photo has so many nodes.
static void
put_data(char path[SUPPORT_PATH], const char *folder, const char *name, int n_nodes)
{
    char part[SUPPORT_PATH];
    char settings[64];
    assert_int_equal(mkdir(support_path(path, folder, name), 0777), 0);
    assert_int_equal(mkdir(support_path(part, path, "gnn-benchmark"), 0777), 0);
    snprintf(settings, sizeof(settings), "nodes=%d classes=2 features=8 mean_degree=20",
             n_nodes);
    opn_graph *graph = trial_draw(ctx, settings);
    assert_int_equal(opn_graph_save(ctx, graph, support_path(part, path, file)), OPN_OK);
    opn_graph_free(graph);
}

static void expect_nodes(const char *data_dir, int n_nodes)
{
    int found = 0;
    opn_graph *graph = NULL;
    assert_int_equal(opn_dataset_find(ctx, photo(), data_dir, &found), OPN_OK);
    assert_int_equal(found, 1);
    if (opn_graph_load(ctx, "photo", data_dir, &graph) != OPN_OK)
        fail_msg("%s", opn_ctx_error(ctx));
    assert_int_equal(opn_graph_n_nodes(graph), n_nodes);
    assert_string_equal(opn_graph_name(graph), "photo");
    opn_graph_free(graph);
}

static void a_dataset_is_taken_from_the_first_folder_that_has_it(void **state)
{
    (void)state;
    char folder[SUPPORT_PATH];
    char named[SUPPORT_PATH];
    char environment[SUPPORT_PATH];
    char home[SUPPORT_PATH];
    support_temp_folder(folder);
    put_data(named, folder, "named", 30);
    put_data(environment, folder, "environment", 40);
    put_data(home, folder, "opine", 50); // $XDG_DATA_HOME/opine
    assert_int_equal(setenv("XDG_DATA_HOME", folder, 1), 0);
    assert_int_equal(setenv("OPINE_DATA", environment, 1), 0);
    expect_nodes(named, 30);
    expect_nodes("", 40);
    expect_nodes(NULL, 40);
    expect_nodes(folder, 40); // which has no such file
    assert_int_equal(unsetenv("OPINE_DATA"), 0);
    expect_nodes(NULL, 50);
    assert_int_equal(unsetenv("XDG_DATA_HOME"), 0);
    support_remove_folder(folder);
}

static void a_dataset_that_is_nowhere_is_said_to_be_missing(void **state)
{
    (void)state;
    int found = 1;
    opn_graph *graph = NULL;
    assert_int_equal(setenv("XDG_DATA_HOME", "/nonexistent", 1), 0);
    assert_int_equal(unsetenv("OPINE_DATA"), 0);
    assert_int_equal(opn_dataset_find(ctx, photo(), NULL, &found), OPN_OK);
    assert_int_equal(found, 0);
    assert_int_equal(opn_graph_load(ctx, "photo", NULL, &graph), OPN_ERR_READ);
    assert_null(graph);
    support_expect_error(ctx,
                         "photo: gnn-benchmark/amazon_electronics_photo.npz is not in");
    // What is built in needs no folder.
    assert_int_equal(opn_dataset_find(ctx, opn_dataset_at(0), NULL, &found), OPN_OK);
    assert_int_equal(found, 1);
    assert_int_equal(unsetenv("XDG_DATA_HOME"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_dataset_is_taken_from_the_first_folder_that_has_it),
            WITH_CTX(a_dataset_that_is_nowhere_is_said_to_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
