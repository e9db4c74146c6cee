// real_ledger_test.c -- whether every model is still as good as tests/ledger.csv says.
//
//   real_ledger_test NAME        recomputes the rows of demo, cora or citeseer
//   real_ledger_test --update    rewrites the file, whose diff is then reviewed
//
// Through the public calls, with the preset and the protocol of the paper. Data are
// looked for as the library does, then in $OPINE_SHARED_DATA; where there are none the
// exit code is 77.

#include "opine/opine.h"
#include "opinion/measure_table.h"
#include "support/cmocka_test.h"
#include "support/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, N_SEEDS = 5 };

static const char every_model[] =
        "gcn,drop-gcn,dropedge-gcn,edl-gcn,dpn-gcn,s-gcn,s-bgcn,s-bgcn-t,s-bgcn-t-k,"
        "gat,s-bgat-t-k,sage,s-bsage-t-k";

// An evaluation. On Citeseer those of ood take longest, so that only the plain, the
// sampled and the full model are kept there.
typedef struct plan {
    const char *dataset, *task, *models;
} plan;

static const plan plans[] = {
        {"demo", "misclassification", every_model},
        {"demo", "ood", every_model},
        {"cora", "misclassification", every_model},
        {"cora", "ood", every_model},
        {"citeseer", "misclassification", every_model},
        {"citeseer", "ood", "gcn,drop-gcn,s-bgcn-t-k"},
};

enum { N_PLANS = sizeof(plans) / sizeof(plans[0]) };

// What the tests look at; set up once.
static const char *name;
static opn_ctx *ctx;
static opn_graph *graph;
static ledger kept;
static complaints wrong;

// ---- computing rows ------------------------------------------------------------------

static opn_status paper_params(const plan *p, opn_params **out)
{
    char seeds[12];
    snprintf(seeds, sizeof(seeds), "%d", (int)N_SEEDS);
    const char *const setting[][2] = {{"task", p->task},   {"model", p->models},
                                      {"preset", "paper"}, {"protocol", "paper"},
                                      {"seeds", seeds},    {"seed", "0"}};
    opn_status status = opn_params_create(ctx, out);
    for (size_t s = 0; s < sizeof(setting) / sizeof(setting[0]); s++)
        if (status == OPN_OK)
            status = opn_params_set(ctx, *out, setting[s][0], setting[s][1]);
    return status;
}

static void add_row(ledger *to,
                    const plan *p,
                    const char *model,
                    const char *metric,
                    const char *measure,
                    opn_estimate estimate)
{
    char key[LEDGER_KEY];
    snprintf(key, sizeof(key), "%s,%s,%s,%d,%s,%s", p->dataset, p->task, model,
             (int)N_SEEDS, metric, measure);
    ledger_add(to, key, N_SEEDS, &estimate, &wrong);
}

static void add_rows(ledger *to, const plan *p, const opn_evaluation *found)
{
    for (int32_t m = 0; m < opn_evaluation_n_models(found); m++) {
        const char *model = opn_evaluation_model(found, m);
        add_row(to, p, model, opn_quality_name(OPN_QUALITY_ACCURACY), "",
                opn_evaluation_quality(found, m, OPN_QUALITY_ACCURACY));
        for (int metric = OPN_METRIC_AUROC; metric <= OPN_METRIC_AUPR; metric++)
            for (int32_t score = 0; score < OPN_N_MEASURES; score++) {
                const opn_estimate estimate =
                        opn_evaluation_metric(found, m, (opn_metric)metric, score);
                // No seed has a measure that the model lacks.
                if (estimate.n > 0)
                    add_row(to, p, model, opn_metric_name((opn_metric)metric),
                            opn_score_name(score), estimate);
            }
    }
}

static void evaluate(const plan *p, ledger *to)
{
    opn_params *params = NULL;
    opn_evaluation *found = NULL;
    opn_status status = paper_params(p, &params);
    if (status == OPN_OK)
        status = opn_evaluate(ctx, graph, params, NULL, &found);
    if (status == OPN_OK)
        add_rows(to, p, found);
    else
        complain(&wrong, "%s, %s: %s\n", p->dataset, p->task, opn_ctx_error(ctx));
    opn_evaluation_free(found);
    opn_params_free(params);
}

// ---- graphs --------------------------------------------------------------------------

// Sets data_dir to where the data are, NULL where the library finds them by itself.
static int has_data(const char **data_dir)
{
    for (size_t d = 0; d < opn_dataset_count(); d++) {
        const opn_dataset *dataset = opn_dataset_at(d);
        int found = 0;
        if (strcmp(dataset->name, name) != 0)
            continue;
        *data_dir = NULL;
        if (opn_dataset_find(ctx, dataset, NULL, &found) == OPN_OK && found)
            return 1;
        *data_dir = getenv("OPINE_SHARED_DATA");
        return opn_dataset_find(ctx, dataset, *data_dir, &found) == OPN_OK && found;
    }
    return 0;
}

static void load(const char *data_dir)
{
    opn_graph *raw = NULL;
    opn_status status = opn_graph_load(ctx, name, data_dir, &raw);
    if (status == OPN_OK)
        status = opn_graph_prepare(ctx, raw, opn_graph_usual_steps(raw), &graph);
    if (status != OPN_OK)
        complain(&wrong, "%s\n", opn_ctx_error(ctx));
    opn_graph_free(raw);
}

static void unload(void)
{
    opn_graph_free(graph);
    graph = NULL;
}

// ---- the tests -----------------------------------------------------------------------

static void expect_nothing_wrong(void)
{
    if (wrong.n == 0)
        return;
    // Not by fail_msg, which cuts a long text.
    fputs(wrong.text, stderr);
    fail_msg("%d complaints about " LEDGER_PATH "; where a change is meant, "
             "real_ledger_test --update writes it down",
             wrong.n);
}

static void prefix_of(const plan *p, char prefix[LEDGER_KEY])
{
    snprintf(prefix, LEDGER_KEY, "%s,%s,", p->dataset, p->task);
}

static void the_ledger_is_well_formed(void **state)
{
    (void)state;
    wrong = (complaints){0};
    ledger_read(ctx, LEDGER_PATH, &kept, &wrong);
    for (size_t r = 0; r < kept.n; r++) {
        int is_planned = 0;
        for (size_t p = 0; p < N_PLANS; p++) {
            char prefix[LEDGER_KEY];
            prefix_of(&plans[p], prefix);
            is_planned |= strncmp(kept.row[r].key, prefix, strlen(prefix)) == 0;
        }
        if (!is_planned)
            complain(&wrong, "line %zu: %s is one too many: nothing gives it\n",
                     kept.row[r].line, kept.row[r].key);
    }
    expect_nothing_wrong();
}

static void expect_the_figures_of(const char *task)
{
    static ledger found;
    char prefix[LEDGER_KEY];
    wrong = (complaints){0};
    for (size_t p = 0; p < N_PLANS; p++) {
        if (strcmp(plans[p].dataset, name) != 0 || strcmp(plans[p].task, task) != 0)
            continue;
        found.n = 0;
        evaluate(&plans[p], &found);
        prefix_of(&plans[p], prefix);
        ledger_compare(&kept, &found, prefix, &wrong);
        printf("%s, %s: %zu figures\n", name, task, found.n);
    }
    expect_nothing_wrong();
}

static void misclassification_figures_lie_in_their_intervals(void **state)
{
    (void)state;
    expect_the_figures_of("misclassification");
}

static void ood_figures_lie_in_their_intervals(void **state)
{
    (void)state;
    expect_the_figures_of("ood");
}

static int check(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_ledger_is_well_formed),
            cmocka_unit_test(misclassification_figures_lie_in_their_intervals),
            cmocka_unit_test(ood_figures_lie_in_their_intervals),
    };
    const char *data_dir = NULL;
    if (!has_data(&data_dir)) {
        printf("skipped: %s: no data in $OPINE_DATA, the user's data folder or "
               "$OPINE_SHARED_DATA\n",
               name);
        return SKIPPED;
    }
    load(data_dir);
    if (wrong.n > 0) {
        fputs(wrong.text, stderr);
        return EXIT_FAILURE;
    }
    const int result = cmocka_run_group_tests(tests, NULL, NULL);
    unload();
    return result;
}

// ---- writing the file anew -----------------------------------------------------------

static int update(void)
{
    static ledger found;
    for (size_t p = 0; p < N_PLANS && wrong.n == 0; p++) {
        const char *data_dir = NULL;
        name = plans[p].dataset;
        fprintf(stderr, "%s, %s\n", name, plans[p].task);
        if (has_data(&data_dir))
            load(data_dir);
        else
            complain(&wrong, "%s: no data\n", name);
        if (wrong.n == 0)
            evaluate(&plans[p], &found);
        unload();
    }
    if (wrong.n == 0)
        ledger_write(ctx, LEDGER_PATH, &found, &wrong);
    fputs(wrong.text, stderr);
    return wrong.n > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    const char *asked = argc == 2 ? argv[1] : "";
    for (size_t p = 0; p < N_PLANS; p++)
        if (strcmp(plans[p].dataset, asked) == 0)
            name = asked;
    const int is_update = strcmp(asked, "--update") == 0;
    if (name == NULL && !is_update) {
        fprintf(stderr, "usage: real_ledger_test NAME | --update, NAME being one of demo "
                        "cora citeseer\n");
        return EXIT_FAILURE;
    }
    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return EXIT_FAILURE;
    const int result = is_update ? update() : check();
    opn_ctx_free(ctx);
    return result;
}
