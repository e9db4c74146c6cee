// evaluation_data.c -- results of several models, and their getters.

#include "experiment/evaluation_data.h"

#include "train/train.h"

#include <math.h>
#include <string.h>

const char *opn_metric_name(opn_metric metric)
{
    static const char *const names[OPN_N_METRICS] = {"auroc", "aupr", "aupr_errors",
                                                     "fpr95", "aurc", "fpr95_errors"};
    return names[metric];
}

const char *opn_quality_name(opn_quality quality)
{
    static const char *const names[OPN_N_QUALITIES] = {"accuracy",
                                                       "brier",
                                                       "nll",
                                                       "ece",
                                                       "adaptive_ece",
                                                       "calibrated_brier",
                                                       "calibrated_nll",
                                                       "calibrated_ece",
                                                       "calibrated_adaptive_ece"};
    return names[quality];
}

void opn_evaluation_free(opn_evaluation *evaluation)
{
    if (evaluation == NULL)
        return;
    const opn_alloc alloc = evaluation->alloc;
    opn_params_free(evaluation->params);
    opn_i_names_deinit(&alloc, &evaluation->models);
    opn_i_release(&alloc, evaluation->dataset);
    opn_i_release(&alloc, evaluation->source);
    opn_i_release(&alloc, evaluation->cell);
    opn_i_release(&alloc, evaluation);
}

int32_t opn_evaluation_n_models(const opn_evaluation *evaluation)
{
    OPN_RETURN_IF_NULL(evaluation, 0);
    return (int32_t)evaluation->models.n;
}

int32_t opn_evaluation_n_seeds(const opn_evaluation *evaluation)
{
    OPN_RETURN_IF_NULL(evaluation, 0);
    return evaluation->n_seeds;
}

const char *opn_evaluation_model(const opn_evaluation *evaluation, int32_t m)
{
    OPN_RETURN_IF_NULL(evaluation, "");
    return opn_i_names_at(&evaluation->models, m);
}

const char *opn_i_evaluation_scored(const opn_evaluation *evaluation)
{
    return opn_i_task_scored(evaluation->params, evaluation->holds_out);
}

const opn_cell *opn_i_evaluation_cells(const opn_evaluation *evaluation, int32_t m)
{
    return evaluation->cell + (size_t)m * (size_t)evaluation->n_seeds;
}

const opn_cell *
opn_evaluation_cell(const opn_evaluation *evaluation, int32_t m, int32_t s)
{
    OPN_RETURN_IF_NULL(evaluation, NULL);
    return opn_i_evaluation_cells(evaluation, m) + s;
}

int opn_i_evaluation_chosen(const opn_evaluation *evaluation,
                            int32_t m,
                            opn_i_chosen chosen[OPN_MAX_CANDIDATES])
{
    const opn_cell *cell = opn_i_evaluation_cells(evaluation, m);
    int n = 0;
    for (int32_t s = 0; s < evaluation->n_seeds; s++) {
        int c = 0;
        while (c < n && strcmp(chosen[c].model, cell[s].chosen) != 0)
            c++;
        if (cell[s].chosen[0] == 0 || c == OPN_MAX_CANDIDATES)
            continue;
        if (c == n)
            chosen[n++] = (opn_i_chosen){.model = cell[s].chosen};
        const opn_i_chosen counted = {chosen[c].model, chosen[c].n + 1};
        for (; c > 0 && chosen[c - 1].n < counted.n; c--)
            chosen[c] = chosen[c - 1];
        chosen[c] = counted;
    }
    return n;
}

const char *opn_cell_chosen(const opn_cell *cell)
{
    OPN_RETURN_IF_NULL(cell, "");
    return cell->chosen;
}

uint64_t opn_cell_seed(const opn_cell *cell)
{
    OPN_RETURN_IF_NULL(cell, 0);
    return cell->seed;
}

const char *opn_cell_split_hash(const opn_cell *cell)
{
    OPN_RETURN_IF_NULL(cell, "");
    return cell->split_hash;
}

double opn_cell_n_pool(const opn_cell *cell)
{
    OPN_RETURN_IF_NULL(cell, (double)NAN);
    return cell->n_pool;
}

double opn_cell_prevalence(const opn_cell *cell)
{
    OPN_RETURN_IF_NULL(cell, (double)NAN);
    return cell->prevalence;
}

double opn_cell_n_epochs(const opn_cell *cell)
{
    OPN_RETURN_IF_NULL(cell, (double)NAN);
    return cell->n_epochs;
}

opn_seconds opn_cell_seconds(const opn_cell *cell)
{
    OPN_RETURN_IF_NULL(cell, (opn_seconds){0});
    return cell->seconds;
}

double opn_cell_quality(const opn_cell *cell, opn_quality quality)
{
    OPN_RETURN_IF_NULL(cell, (double)NAN);
    return cell->quality[quality];
}

double opn_cell_metric(const opn_cell *cell, opn_metric metric, int32_t score)
{
    OPN_RETURN_IF_NULL(cell, (double)NAN);
    return cell->metric[metric][score];
}

opn_estimate opn_evaluation_metric(const opn_evaluation *evaluation,
                                   int32_t m,
                                   opn_metric metric,
                                   int32_t score)
{
    OPN_RETURN_IF_NULL(evaluation, (opn_estimate){.mean = (double)NAN});
    opn_estimate estimate;
    double value[OPN_MAX_SEEDS];
    const opn_cell *cell = opn_i_evaluation_cells(evaluation, m);
    for (int32_t s = 0; s < evaluation->n_seeds; s++)
        value[s] = cell[s].metric[metric][score];
    opn_estimate_mean(evaluation->n_seeds, value, &estimate);
    return estimate;
}

opn_estimate
opn_evaluation_quality(const opn_evaluation *evaluation, int32_t m, opn_quality quality)
{
    OPN_RETURN_IF_NULL(evaluation, (opn_estimate){.mean = (double)NAN});
    opn_estimate estimate;
    double value[OPN_MAX_SEEDS];
    const opn_cell *cell = opn_i_evaluation_cells(evaluation, m);
    for (int32_t s = 0; s < evaluation->n_seeds; s++)
        value[s] = cell[s].quality[quality];
    opn_estimate_mean(evaluation->n_seeds, value, &estimate);
    return estimate;
}

opn_i_means opn_i_evaluation_means(const opn_evaluation *evaluation, int32_t m)
{
    opn_i_means mean = {0};
    const opn_cell *cell = opn_i_evaluation_cells(evaluation, m);
    const double n = evaluation->n_seeds;
    for (int32_t s = 0; s < evaluation->n_seeds; s++) {
        mean.n_pool += cell[s].n_pool / n;
        mean.prevalence += cell[s].prevalence / n;
        mean.n_epochs += cell[s].n_epochs / n;
        mean.seconds.teacher += cell[s].seconds.teacher / n;
        mean.seconds.prior += cell[s].seconds.prior / n;
        mean.seconds.train += cell[s].seconds.train / n;
        mean.seconds.infer += cell[s].seconds.infer / n;
    }
    mean.total_seconds = mean.seconds.teacher + mean.seconds.prior + mean.seconds.train +
                         mean.seconds.infer;
    return mean;
}
