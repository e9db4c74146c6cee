// tuning_data.c -- trials, and their getters.

#include "tune/tuning_data.h"

#include "experiment/evaluation_data.h"

void opn_tuning_free(opn_tuning *tuning)
{
    if (tuning == NULL)
        return;
    const opn_alloc alloc = tuning->alloc;
    for (int32_t t = 0; t < tuning->n_trials && tuning->setting != NULL; t++)
        opn_params_free(tuning->setting[t].params);
    opn_i_names_deinit(&alloc, &tuning->held_out);
    opn_i_release(&alloc, tuning->setting);
    opn_i_release(&alloc, tuning->run);
    opn_i_release(&alloc, tuning->ranked);
    opn_i_release(&alloc, tuning->dataset);
    opn_i_release(&alloc, tuning->command);
    opn_i_release(&alloc, tuning);
}

int32_t opn_tuning_n_trials(const opn_tuning *tuning)
{
    OPN_RETURN_IF_NULL(tuning, 0);
    return tuning->n_trials;
}

int32_t opn_tuning_n_seeds(const opn_tuning *tuning)
{
    OPN_RETURN_IF_NULL(tuning, 0);
    return tuning->n_seeds;
}

const opn_params *opn_tuning_params(const opn_tuning *tuning, int32_t t)
{
    OPN_RETURN_IF_NULL(tuning, NULL);
    return tuning->setting[t].params;
}

const opn_trial_run *opn_tuning_runs(const opn_tuning *tuning, int32_t t)
{
    OPN_RETURN_IF_NULL(tuning, NULL);
    return tuning->run + (size_t)t * (size_t)tuning->n_seeds;
}

int32_t opn_tuning_ranked(const opn_tuning *tuning, int32_t rank)
{
    OPN_RETURN_IF_NULL(tuning, 0);
    return tuning->ranked[rank];
}

int32_t opn_tuning_recommended(const opn_tuning *tuning)
{
    OPN_RETURN_IF_NULL(tuning, 0);
    return tuning->recommended;
}

int32_t opn_tuning_needed_seeds(const opn_tuning *tuning)
{
    OPN_RETURN_IF_NULL(tuning, 0);
    return tuning->n_needed_seeds;
}

const char *opn_tuning_command(const opn_tuning *tuning)
{
    OPN_RETURN_IF_NULL(tuning, "");
    return tuning->command;
}

opn_estimate
opn_i_trial_estimate(const opn_tuning *tuning, int32_t t, opn_i_trial_figure figure)
{
    opn_estimate estimate;
    double value[OPN_MAX_SEEDS];
    const opn_trial_run *run = opn_tuning_runs(tuning, t);
    for (int32_t s = 0; s < tuning->n_seeds; s++)
        value[s] = figure == OPN_TRIAL_OBJECTIVE   ? run[s].objective
                   : figure == OPN_TRIAL_ACCURACY  ? run[s].accuracy
                   : figure == OPN_TRIAL_DETECTION ? run[s].detection
                                                   : run[s].seconds;
    opn_estimate_mean(tuning->n_seeds, value, &estimate);
    return estimate;
}
