// reproduce_rows.c -- adds the results of one evaluation to the tables.

#include "paper/reproduce_rows.h"

#include "model/model_data.h"
#include "opinion/measure_table.h"

#include <math.h>
#include <string.h>

static bool is_ood(const opn_i_measured *measured)
{
    return strcmp(measured->task, "ood") == 0;
}

bool opn_i_is_figure_of(const opn_figure *figure, const char *task)
{
    return strcmp(figure->task, task) == 0 ||
           (strcmp(figure->task, "classification") == 0 &&
            strcmp(task, "misclassification") == 0);
}

// ---- rows ----------------------------------------------------------------------------

static int32_t find_model(const opn_evaluation *evaluation, const char *model)
{
    for (int32_t m = 0; m < opn_evaluation_n_models(evaluation); m++)
        if (strcmp(opn_evaluation_model(evaluation, m), model) == 0)
            return m;
    return -1;
}

static opn_status
add_row(opn_ctx *ctx, const opn_i_result_row *row, opn_reproduction *found)
{
    opn_status status = OPN_OK;
    OPN_TRY_RESERVE(ctx, found->row, found->row_room, (size_t)found->n_rows,
                    (size_t)found->n_rows + 1);
    found->row[found->n_rows++] = *row;
cleanup:
    return status;
}

// The paper's figure, or NaN; from any table that has it if `table` is NULL.
static double figure_of(const opn_i_measured *measured,
                        const char *table,
                        const char *model,
                        int k,
                        const char *measure)
{
    for (size_t f = 0; f < opn_figure_count(); f++) {
        const opn_figure *figure = opn_figure_at(f);
        if ((table == NULL || strcmp(figure->table, table) == 0) &&
            opn_i_is_figure_of(figure, measured->task) &&
            strcmp(figure->dataset, measured->dataset) == 0 &&
            strcmp(figure->model, model) == 0 &&
            strcmp(figure->metric, opn_metric_name((opn_metric)k)) == 0 &&
            strcmp(figure->measure, measure) == 0)
            return figure->value;
    }
    return (double)NAN;
}

static opn_i_result_row make_row(const opn_i_measured *measured,
                                 const char *table,
                                 const char *model,
                                 const char *measure)
{
    const opn_evaluation *evaluation = measured->evaluation;
    const int32_t m = find_model(evaluation, model);
    opn_i_result_row row = {.table = table,
                            .task = measured->task,
                            .dataset = measured->dataset,
                            .model = model,
                            .setting = measured->setting,
                            .measure = measure,
                            .paper = {(double)NAN, (double)NAN}};
    if (strcmp(measure, "accuracy") == 0) {
        row.ours[0] = opn_evaluation_quality(evaluation, m, OPN_QUALITY_ACCURACY);
        return row;
    }
    for (int k = 0; k < OPN_AUROC_AUPR; k++) {
        row.paper[k] = figure_of(measured, table, model, k, measure);
        row.ours[k] = opn_evaluation_metric(evaluation, m, (opn_metric)k,
                                            opn_score_find(measure));
    }
    return row;
}

opn_status opn_i_add_table_rows(opn_ctx *ctx,
                                const opn_i_measured *measured,
                                const char *table,
                                const char *measure,
                                opn_reproduction *found)
{
    opn_status status = OPN_OK;
    for (size_t f = 0; f < opn_figure_count(); f++) {
        const opn_figure *figure = opn_figure_at(f);
        const bool is_accuracy = strcmp(figure->metric, "accuracy") == 0;
        const char *name = is_accuracy ? "accuracy" : figure->measure;
        if (strcmp(figure->table, table) != 0 ||
            !opn_i_is_figure_of(figure, measured->task) ||
            strcmp(figure->dataset, measured->dataset) != 0 ||
            strcmp(figure->metric, "aupr") == 0 || // in the row of its AUROC
            find_model(measured->evaluation, figure->model) < 0 ||
            (measure != NULL && strcmp(measure, name) != 0))
            continue;
        opn_i_result_row row = make_row(measured, table, figure->model, name);
        if (is_accuracy)
            row.paper[0] = figure->value;
        OPN_TRY(add_row(ctx, &row, found));
    }
cleanup:
    return status;
}

// ---- our own tables ------------------------------------------------------------------

// rule: what is to find more than the paper's measures, on its six graphs; beyond:
// smoothed measures and energies; encoders: the same model with each encoder. A measure
// that the library does not have is left out.
static const opn_i_own_row own_rows[] = {
        {"rule", "misclassification", "s-bgcn-t-k", "dissonance"},
        {"rule", "misclassification", "s-bgcn-t-k", "margin"},
        {"rule", "misclassification", "s-bgcn-t-k", "1-max-p"},
        {"rule", "ood", "s-bgcn-t-k", "vacuity"},
        {"rule", "ood", "s-bgcn-t-k", "vacuity~"},
        {"rule", "ood", "s-bgcn-t-k", "fused"},
        {"beyond", "misclassification", "s-bgcn-t-k", "dissonance"},
        {"beyond", "misclassification", "s-bgcn-t-k", "dissonance~"},
        {"beyond", "misclassification", "s-bgcn-t-k", "entropy~"},
        {"beyond", "misclassification", "gcn", "entropy~"},
        {"beyond", "misclassification", "gcn", "energy"},
        {"beyond", "misclassification", "gcn", "energy~"},
        {"beyond", "ood", "s-bgcn-t-k", "vacuity"},
        {"beyond", "ood", "s-bgcn-t-k", "vacuity~"},
        {"beyond", "ood", "s-bgcn-t-k", "energy~"},
        {"beyond", "ood", "gcn", "energy"},
        {"beyond", "ood", "gcn", "entropy~"},
        {"beyond", "ood", "gcn", "energy~"},
        {"encoders", "misclassification", "s-bgcn-t-k", "dissonance"},
        {"encoders", "misclassification", "s-bgat-t-k", "dissonance"},
        {"encoders", "misclassification", "s-bsage-t-k", "dissonance"},
        {"encoders", "misclassification", "s-bgcn-t-k", "entropy"},
        {"encoders", "misclassification", "s-bgat-t-k", "entropy"},
        {"encoders", "misclassification", "s-bsage-t-k", "entropy"},
        {"encoders", "misclassification", "s-bgcn-t-k", "accuracy"},
        {"encoders", "misclassification", "s-bgat-t-k", "accuracy"},
        {"encoders", "misclassification", "s-bsage-t-k", "accuracy"},
        {"encoders", "ood", "s-bgcn-t-k", "vacuity"},
        {"encoders", "ood", "s-bgat-t-k", "vacuity"},
        {"encoders", "ood", "s-bsage-t-k", "vacuity"},
        {"encoders", "ood", "s-bgcn-t-k", "entropy"},
        {"encoders", "ood", "s-bgat-t-k", "entropy"},
        {"encoders", "ood", "s-bsage-t-k", "entropy"},
};

size_t opn_i_own_row_count(void)
{
    return sizeof(own_rows) / sizeof(own_rows[0]);
}

const opn_i_own_row *opn_i_own_row_at(size_t n)
{
    return &own_rows[n];
}

opn_status opn_i_add_own_rows(opn_ctx *ctx,
                              const opn_i_measured *measured,
                              const char *table,
                              opn_reproduction *found)
{
    opn_status status = OPN_OK;
    const char *best = opn_score_name((int32_t)opn_i_recommended_measure(measured->task));
    for (size_t n = 0; n < opn_i_own_row_count(); n++) {
        const opn_i_own_row *own = &own_rows[n];
        const bool is_accuracy = strcmp(own->measure, "accuracy") == 0;
        if (strcmp(own->table, table) != 0 || strcmp(own->task, measured->task) != 0 ||
            (!is_accuracy && opn_score_find(own->measure) < 0))
            continue;
        opn_i_result_row row = make_row(measured, table, own->model, own->measure);
        for (int k = 0; k < OPN_AUROC_AUPR && !is_accuracy; k++)
            row.paper[k] = figure_of(measured, NULL, "s-bgcn-t-k", k, best);
        OPN_TRY(add_row(ctx, &row, found));
    }
cleanup:
    return status;
}

// ---- costs ---------------------------------------------------------------------------

opn_status
opn_i_add_costs(opn_ctx *ctx, const opn_i_measured *measured, opn_reproduction *found)
{
    opn_status status = OPN_OK;
    const opn_evaluation *evaluation = measured->evaluation;
    for (int32_t m = 0; m < opn_evaluation_n_models(evaluation); m++) {
        const opn_i_means mean = opn_i_evaluation_means(evaluation, m);
        const opn_i_cost cost = {
                .dataset = measured->dataset,
                .task = measured->task,
                .model = opn_i_model_kind_find(opn_evaluation_model(evaluation, m))->id,
                .setting = measured->setting,
                .n_seeds = opn_evaluation_n_seeds(evaluation),
                .n_epochs = mean.n_epochs,
                .seconds = mean.total_seconds,
                .n_pool = mean.n_pool,
                .prevalence = mean.prevalence};
        OPN_TRY_RESERVE(ctx, found->cost, found->cost_room, (size_t)found->n_costs,
                        (size_t)found->n_costs + 1);
        found->cost[found->n_costs++] = cost;
    }
cleanup:
    return status;
}

// ---- answers -------------------------------------------------------------------------

// A score of a model.
typedef struct contender {
    int32_t model, score;
} contender;

static void
take_values(const opn_evaluation *evaluation, contender who, int k, double *value)
{
    const opn_cell *cell = opn_i_evaluation_cells(evaluation, who.model);
    for (int32_t s = 0; s < opn_evaluation_n_seeds(evaluation); s++)
        value[s] = cell[s].metric[k][who.score];
}

static opn_status add_answer(opn_ctx *ctx,
                             const opn_i_measured *measured,
                             int number,
                             contender best,
                             contender rival,
                             opn_reproduction *found)
{
    opn_status status = OPN_OK;
    const opn_evaluation *evaluation = measured->evaluation;
    double ours[OPN_MAX_SEEDS];
    double theirs[OPN_MAX_SEEDS];
    opn_i_answer answer = {.number = number,
                           .dataset = measured->dataset,
                           .rival = best.model == rival.model
                                            ? opn_score_name(rival.score)
                                            : "s-bgcn-t"};
    for (int k = 0; k < OPN_AUROC_AUPR; k++) {
        take_values(evaluation, best, k, ours);
        take_values(evaluation, rival, k, theirs);
        OPN_TRY(opn_compare(ctx, opn_evaluation_n_seeds(evaluation), ours, theirs, 0,
                            &answer.difference[k]));
    }
    OPN_TRY_RESERVE(ctx, found->answer, found->answer_room, (size_t)found->n_answers,
                    (size_t)found->n_answers + 1);
    found->answer[found->n_answers++] = answer;
cleanup:
    return status;
}

// The best of the paper's other measures of the model, by AUROC.
static contender find_rival(const opn_evaluation *evaluation, contender best)
{
    contender rival = {best.model, -1};
    double highest = -1.0;
    for (int32_t s = 0; s < OPN_N_PAPER_MEASURES; s++) {
        const double mean =
                opn_evaluation_metric(evaluation, best.model, OPN_METRIC_AUROC, s).mean;
        if (s != best.score && mean > highest) {
            highest = mean;
            rival.score = s;
        }
    }
    return rival;
}

opn_status
opn_i_add_answers(opn_ctx *ctx, const opn_i_measured *measured, opn_reproduction *found)
{
    opn_status status = OPN_OK;
    const opn_evaluation *evaluation = measured->evaluation;
    const contender best = {find_model(evaluation, "s-bgcn-t-k"),
                            (int32_t)opn_i_recommended_measure(measured->task)};
    const contender without_prior = {find_model(evaluation, "s-bgcn-t"), best.score};
    if (best.model < 0)
        return OPN_OK;
    const contender rival = find_rival(evaluation, best);
    if (rival.score >= 0)
        OPN_TRY(add_answer(ctx, measured, is_ood(measured) ? 2 : 1, best, rival, found));
    if (is_ood(measured) && without_prior.model >= 0)
        OPN_TRY(add_answer(ctx, measured, 3, best, without_prior, found));
cleanup:
    return status;
}

opn_status opn_i_add_rule_answer(opn_ctx *ctx,
                                 const opn_i_measured *measured,
                                 opn_reproduction *found)
{
    opn_status status = OPN_OK;
    const bool is_of_ood = is_ood(measured);
    const int32_t model = find_model(measured->evaluation, "s-bgcn-t-k");
    const contender best = {model, opn_score_find(is_of_ood ? "fused" : "margin")};
    const contender rival = {model,
                             opn_score_find(is_of_ood ? "vacuity~" : "dissonance")};
    if (model >= 0 && best.score >= 0)
        OPN_TRY(add_answer(ctx, measured, is_of_ood ? 5 : 4, best, rival, found));
cleanup:
    return status;
}
