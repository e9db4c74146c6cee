// members.c -- trains the members of an ensemble.

#include "train/members.h"

#include "model/model_data.h"
#include "train/checkpoint_file.h"
#include "train/jobs.h"
#include "train/train.h"
#include "train/training_cost.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct training_all {
    const opn_i_ensemble *ensemble;
    const char *id;                    // of the model that all members are
    int32_t first;                     // member of the first job
    opn_model *model[OPN_MAX_MEMBERS]; // of each member
} training_all;

static opn_status train_member(opn_ctx *ctx, void *user, int32_t job)
{
    opn_status status = OPN_OK;
    training_all *all = user;
    const opn_i_ensemble *e = all->ensemble;
    const int32_t m = all->first + job;
    const uint64_t seed = (uint64_t)opn_params_int(e->params, "seed");
    opn_params *params = NULL;
    char *path = NULL;
    char text[32];
    snprintf(text, sizeof(text), "%s-%d", e->part, (int)m);
    if (e->checkpoint != NULL)
        OPN_TRY(opn_i_checkpoint_part(ctx, e->checkpoint, text, &path));
    OPN_TRY(opn_params_copy(ctx, e->params, &params));
    OPN_TRY(opn_params_set(ctx, params, "model", all->id));
    snprintf(text, sizeof(text), "%" PRIu64, opn_i_member_seed(seed, m));
    OPN_TRY(opn_params_set(ctx, params, "seed", text));
    status = opn_i_train_one(ctx, e->graph, e->split, params, path, &all->model[m]);
    if (status == OPN_ERR_FORMAT && e->checkpoint != NULL)
        status = opn_i_checkpoint_refuse(ctx, e->checkpoint);
cleanup:
    opn_i_release(&ctx->alloc, path);
    opn_params_free(params);
    return status;
}

static void tell_member(opn_ctx *ctx, void *user, int32_t job)
{
    const training_all *all = user;
    const int32_t m = all->first + job;
    opn_train_summary s;
    opn_model_summary(all->model[m], &s);
    if (s.n_validation > 0)
        opn_i_log(ctx, OPN_LOG_STEP,
                  "%s, member %d: %d epochs, validation accuracy %.1f %%", all->id,
                  (int)m + 1, (int)s.epochs, 100.0 * s.validation_accuracy);
}

// Means of what the members reached, and sums of what they took.
static void add_summary(const opn_train_summary *from, opn_train_summary *to)
{
    to->epochs += from->epochs;
    to->teacher_epochs += from->teacher_epochs;
    to->validation_accuracy += from->validation_accuracy;
    to->validation_nll += from->validation_nll;
    to->n_bounded_logits += from->n_bounded_logits;
    to->teacher_seconds += from->teacher_seconds;
    to->prior_seconds += from->prior_seconds;
    to->train_seconds += from->train_seconds;
    to->ended_early = to->ended_early && from->ended_early;
}

// Moves the weights of the others into the first.
static void join_members(training_all *all, int32_t n, opn_model *model)
{
    opn_train_summary *summary = &model->summary;
    for (int32_t m = 1; m < n; m++) {
        model->member[m] = all->model[m]->member[0];
        all->model[m]->member[0] = (opn_i_member){0};
        add_summary(&all->model[m]->summary, summary);
    }
    model->n_members = n;
    summary->epochs /= n;
    summary->teacher_epochs /= n;
    summary->validation_accuracy /= n;
    summary->validation_nll /= n;
}

opn_status
opn_i_train_members(opn_ctx *ctx, const opn_i_ensemble *ensemble, opn_model **model)
{
    opn_status status = OPN_OK;
    const opn_params *params = ensemble->params;
    const int32_t n = (int32_t)opn_params_int(params, "members");
    const opn_i_training_cost cost = opn_i_training_cost_of(ensemble->graph, params);
    training_all all = {.ensemble = ensemble,
                        .id = *model != NULL ? opn_model_id(*model)
                                             : opn_params_text(params, "model"),
                        .first = *model != NULL};
    const opn_i_jobs jobs = {.stage = "training members",
                             .n = n - all.first,
                             .n_at_once = opn_i_trainings_that_fit(&cost),
                             .run = train_member,
                             .tell = tell_member,
                             .user = &all};
    OPN_TRY(opn_i_jobs_run(ctx, &jobs));
    if (*model == NULL) {
        *model = all.model[0];
        all.model[0] = NULL;
    }
    join_members(&all, n, *model);
cleanup:
    for (int32_t m = 0; m < OPN_MAX_MEMBERS; m++)
        opn_model_free(all.model[m]);
    return status;
}
