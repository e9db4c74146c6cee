// protocol_test.c -- what each protocol makes of graphs and parameters.

#include "graph/protocol.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <stdio.h>
#include <string.h>

static opn_ctx *ctx;

enum { MAX_CLASSES = 10 };

static const opn_dataset *dataset_called(const char *name)
{
    for (size_t d = 0; d < opn_dataset_count(); d++)
        if (strcmp(opn_dataset_at(d)->name, name) == 0)
            return opn_dataset_at(d);
    fail_msg("no dataset %s", name);
    return NULL;
}

// ---- classes -------------------------------------------------------------------------

static void
expect_classes(const char *settings, const char *dataset, int32_t n, const char *want)
{
    opn_params *params = trial_params(ctx, settings);
    const opn_graph graph = {.n_classes = n,
                             .dataset = dataset == NULL ? NULL : dataset_called(dataset)};
    int32_t classes[MAX_CLASSES];
    int32_t ignored = 99;
    char got[64] = "";
    const int32_t n_out = opn_i_protocol_classes(params, &graph, classes, &ignored);
    for (int32_t c = 0; c < n_out; c++)
        snprintf(got + strlen(got), sizeof(got) - strlen(got), "%d%s", classes[c],
                 classes[c] == ignored ? "-" : "");
    assert_string_equal(got, want);
    opn_params_free(params);
}

// Held-out classes; one that is not scored is followed by a minus.
static void each_protocol_holds_the_classes_of_its_authors_out(void **state)
{
    (void)state;
    static const struct {
        const char *dataset;
        int32_t n;
        const char *paper, *gnnsafe, *gpn;
    } stated[] = {
            {"cora", 7, "456", "0123-", "456"},
            {"citeseer", 6, "345", "345", "45"},
            {"pubmed", 3, "2", "2", "2"},
            {"photo", 8, "4567", "01234-", "567"},
            {"computers", 10, "56789", "56789", "56789"},
            {"physics", 5, "34", "34", "34"},
            {"demo", 6, "45", "45", "45"},
            {NULL, 4, "", "", ""},
    };
    for (size_t s = 0; s < sizeof(stated) / sizeof(stated[0]); s++) {
        const char *dataset = stated[s].dataset;
        const int32_t n = stated[s].n;
        expect_classes("", dataset, n, stated[s].paper);
        expect_classes("protocol=reference", dataset, n, stated[s].paper);
        expect_classes("protocol=gnnsafe shift=label", dataset, n, stated[s].gnnsafe);
        expect_classes("protocol=gpn", dataset, n, stated[s].gpn);
        expect_classes("protocol=gnnsafe shift=structure", dataset, n, "");
        expect_classes("protocol=gnnsafe shift=feature", dataset, n, "");
    }
}

// ---- steps ---------------------------------------------------------------------------

static uint32_t steps_of(const char *settings, const char *dataset, uint32_t usual)
{
    opn_params *params = trial_params(ctx, settings);
    const opn_graph graph = {.usual_steps = usual, .dataset = dataset_called(dataset)};
    const uint32_t steps = opn_i_protocol_steps(opn_i_protocol_of(params), &graph);
    opn_params_free(params);
    return steps;
}

static void rivals_keep_graphs_whole_and_gpn_makes_pubmed_binary(void **state)
{
    (void)state;
    const uint32_t npz =
            OPN_STEP_UNDIRECTED | OPN_STEP_LARGEST_COMPONENT | OPN_STEP_BINARY_FEATURES;
    const uint32_t whole = OPN_STEP_UNDIRECTED | OPN_STEP_BINARY_FEATURES;
    assert_int_equal(steps_of("", "photo", npz), npz);
    assert_int_equal(steps_of("protocol=reference", "photo", npz), npz);
    assert_int_equal(steps_of("protocol=gnnsafe", "photo", npz), whole);
    assert_int_equal(steps_of("protocol=gpn", "photo", npz), whole);
    assert_int_equal(steps_of("protocol=gnnsafe", "pubmed", OPN_STEP_UNDIRECTED),
                     OPN_STEP_UNDIRECTED);
    assert_int_equal(steps_of("protocol=gpn", "pubmed", OPN_STEP_UNDIRECTED), whole);
    assert_int_equal(steps_of("protocol=gpn", "cora", OPN_STEP_UNDIRECTED),
                     OPN_STEP_UNDIRECTED);
}

// ---- what goes together --------------------------------------------------------------

static void expect_checked(const char *settings, const char *part)
{
    opn_params *params = trial_params(ctx, settings);
    const opn_status status = opn_i_protocol_check(ctx, params);
    assert_int_equal(status, part == NULL ? OPN_OK : OPN_ERR_INVALID_ARG);
    if (part != NULL)
        support_expect_error(ctx, part);
    opn_params_free(params);
}

static void what_makes_no_sense_together_is_refused_by_name(void **state)
{
    (void)state;
    expect_checked("", NULL);
    expect_checked("protocol=gpn", NULL);
    expect_checked("protocol=gpn task=misclassification", NULL);
    expect_checked("protocol=gnnsafe shift=label ood_classes=1", NULL);
    expect_checked("protocol=gnnsafe shift=feature task=ood", NULL);
    expect_checked("protocol=gnnsafe", "`protocol` gnnsafe needs a `shift`: structure");
    expect_checked("shift=label",
                   "`shift` label is for `protocol` gnnsafe, not for paper");
    expect_checked("protocol=gpn shift=feature", "not for gpn");
    expect_checked("protocol=gnnsafe shift=label task=misclassification",
                   "is for `task` ood, not for misclassification");
    expect_checked("protocol=gnnsafe shift=structure ood_classes=1",
                   "`shift` structure holds no class out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(each_protocol_holds_the_classes_of_its_authors_out),
            WITH_CTX(rivals_keep_graphs_whole_and_gpn_makes_pubmed_binary),
            WITH_CTX(what_makes_no_sense_together_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
