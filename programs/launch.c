// launch.c -- tells whether the command was started once, or several times by a launcher
// of MPI programs.

#include "command.h"

#include <stdlib.h>

// What launchers tell each of their processes. SLURM_NTASKS is not among them: it is also
// set where one script runs alone in a place for several, as in most job arrays.
static const struct {
    const char *variable;
    bool is_rank; // from 0; otherwise it is the number of processes
} launchers[] = {
        {"OMPI_COMM_WORLD_SIZE", false}, // Open MPI
        {"PMI_SIZE", false},             // MPICH, Intel MPI, srun --mpi=pmi2
        {"MV2_COMM_WORLD_SIZE", false},  // MVAPICH
        {"SLURM_STEP_NUM_TASKS", false}, // srun
        {"PMIX_RANK", true},             // prun, which does not tell the number
};

// Whether several ranks can share the work of a verb.
static bool is_shared(const opine_verb *verb)
{
    return verb->run == run_train || verb->run == run_predict;
}

bool is_launched_well(const opine_app *app, const opine_verb *verb)
{
    const opn_param *shard = opn_param_find("shard");
    if (app->n_ranks > 1) {
        if (!is_shared(verb) && app->rank == 0)
            complain("%s is for one process; train and predict are shared by %d",
                     verb->name, app->n_ranks);
        return is_shared(verb);
    }
    if (verb->group == VERB_OTHER || opn_params_given(app->params, "shard"))
        return true;
    for (size_t l = 0; l < sizeof(launchers) / sizeof(launchers[0]); l++) {
        const char *variable = launchers[l].variable;
        const char *value = getenv(variable);
        if (value == NULL || strtol(value, NULL, 10) < (launchers[l].is_rank ? 1 : 2))
            continue;
        complain("started as one of several processes (%s is %s), which would all do the "
                 "same: opine does not use MPI; start it once%s, or unset %s if they are "
                 "meant to be independent",
                 variable, value,
                 verb_uses(verb, shard) ? ", or give each process its --shard I/N" : "",
                 variable);
        return false;
    }
    return true;
}
