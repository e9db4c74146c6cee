// trainer.c -- the training loop of both teacher and student.

#include "model/trainer.h"

#include "comm/comm.h"
#include "math/thread_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static opn_status init_state(opn_ctx *ctx,
                             const opn_i_network *network,
                             bool has_average,
                             opn_i_train_state *out)
{
    opn_status status = OPN_OK;
    opn_i_train_state state = {.n_weights = network->n_weights,
                               .n_blocks = OPN_STATE_BLOCKS + (has_average ? 1 : 0)};
    OPN_TRY_NEW(ctx, state.arena, OPN_MARGIN + state.n_blocks * state.n_weights);
    state.weights = opn_i_on_line(state.arena);
    if (has_average)
        state.average = state.weights + OPN_STATE_BLOCKS * state.n_weights;
    state.best = state.weights + (OPN_STATE_BLOCKS - 1) * state.n_weights;
    state.optimiser = opn_i_optimiser_view(state.n_weights, network->n_decayed,
                                           state.weights + state.n_weights);
    state.best_loss = (double)INFINITY;
    *out = state;
cleanup:
    return status;
}

opn_status
opn_i_train_state_init(opn_ctx *ctx, const opn_i_network *network, opn_i_train_state *out)
{
    return init_state(ctx, network, false, out);
}

opn_status opn_i_train_state_init_averaged(opn_ctx *ctx,
                                           const opn_i_network *network,
                                           opn_i_train_state *out)
{
    return init_state(ctx, network, true, out);
}

void opn_i_train_state_deinit(const opn_alloc *alloc, opn_i_train_state *state)
{
    opn_i_release(alloc, state->arena);
    *state = (opn_i_train_state){0};
}

static opn_status check_gradient(opn_ctx *ctx,
                                 const opn_i_network *network,
                                 const opn_real *d_weights,
                                 int32_t epoch)
{
    opn_status status = OPN_OK;
    for (int m = 0; m < network->n_matrices; m++) {
        const opn_i_weight *w = &network->weight[m];
        OPN_FAIL_IF(ctx,
                    !opn_i_all_finite((size_t)opn_i_weight_rows(w) * (size_t)w->width,
                                      d_weights + w->at),
                    OPN_ERR_NONFINITE,
                    "epoch %d: the gradient of %s is not finite; a smaller learning rate "
                    "may help",
                    epoch, w->name);
    }
cleanup:
    return status;
}

opn_status opn_i_check_logits(opn_ctx *ctx, const opn_i_network *network, int32_t epoch)
{
    opn_status status = OPN_OK;
    const size_t n = (size_t)network->in_use.outer.n_rows * (size_t)network->class_width;
    OPN_FAIL_IF(ctx, !opn_i_all_finite(n, network->z), OPN_ERR_NONFINITE,
                "epoch %d: the logits are not finite; a smaller learning rate may help",
                epoch);
cleanup:
    return opn_i_comm_agree(ctx, status);
}

// What is read of the loss of an epoch; the rest is not computed.
typedef enum reading { READS_NOTHING, READS_LABELS, READS_TERMS } reading;

// One epoch up to the weight update. The terms are those of the loss before it.
static opn_status run_epoch(opn_ctx *ctx,
                            const opn_i_exec *exec,
                            opn_i_network *network,
                            const opn_i_objective *objective,
                            const opn_i_train_options *options,
                            opn_i_train_state *state,
                            opn_real *d_weights,
                            reading reads,
                            opn_i_loss_terms *terms)
{
    opn_status status = OPN_OK;
    opn_i_unlabelled *unlabelled = options->unlabelled;
    int64_t n_bounded = 0;
    if (options->batch != NULL)
        opn_i_batch_fill(options->batch, state->epoch);
    if (unlabelled != NULL)
        opn_i_unlabelled_begin(exec, unlabelled, objective, network, state->average,
                               state->epoch, options->rates);
    opn_i_network_draw(exec, network, options->seed, &options->streams,
                       (uint32_t)state->epoch, options->rates);
    opn_i_network_forward_drawn(exec, network, state->weights, options->rates, true);
    OPN_TRY(exec->watch->status);
    OPN_TRY(opn_i_check_logits(ctx, network, state->epoch + 1));
    opn_i_objective_gradient(exec, objective, state->epoch, network->z, network->d_z,
                             &n_bounded);
    if (unlabelled != NULL)
        opn_i_unlabelled_add(exec, unlabelled, objective, network, state->epoch);
    // Here, because passes on shifted features overwrite the logits.
    if (reads == READS_TERMS)
        *terms = opn_i_objective_terms(objective, state->epoch, network->z);
    if (reads == READS_LABELS)
        terms->supervised = opn_i_objective_labels(objective, network->z);
    opn_i_network_backward(exec, network, state->weights, d_weights);
    if (unlabelled != NULL)
        opn_i_unlabelled_perturb(exec, unlabelled, objective, network, state->weights,
                                 state->epoch, options->rates, d_weights);
    if (reads == READS_TERMS && unlabelled != NULL)
        terms->unlabelled =
                opn_i_unlabelled_value(unlabelled, objective, state->epoch, network->z);
    // Until here the state is as before, so that training can be continued from it.
    OPN_TRY(exec->watch->status);
    OPN_TRY(check_gradient(ctx, network, d_weights, state->epoch + 1));
    if (network->blocks != NULL)
        network->blocks->comm->sum(network->blocks->comm, 1, &n_bounded);
    state->n_bounded += n_bounded;
    opn_i_optimiser_step(exec, &state->optimiser, &options->optimiser, state->epoch,
                         d_weights, state->weights);
    if (unlabelled != NULL)
        opn_i_unlabelled_average(unlabelled, state->epoch, state->n_weights,
                                 state->weights, state->average);
cleanup:
    return status;
}

static double squared_norm(const opn_real *x, size_t n)
{
    double sum = 0.0;
    for (size_t j = 0; j < n; j++)
        sum += (double)x[j] * (double)x[j];
    return sum;
}

// Appends ", NAME VALUE" to a log line, if there is a value.
static void tell_term(char *line, size_t room, const char *name, double value)
{
    const size_t n = strlen(line);
    if (!isnan(value))
        snprintf(line + n, room - n, ", %s %.4f", name, value);
}

static void log_epoch(opn_ctx *ctx, const opn_epoch *epoch)
{
    char line[160];
    char accuracy[48] = "";
    snprintf(line, sizeof(line), "labels %.4f", epoch->labels);
    tell_term(line, sizeof(line), "prior", epoch->prior);
    tell_term(line, sizeof(line), "teacher", epoch->teacher);
    tell_term(line, sizeof(line), "unlabelled", epoch->unlabelled);
    tell_term(line, sizeof(line), "decay", epoch->decay);
    if (!isnan(epoch->accuracy))
        snprintf(accuracy, sizeof(accuracy), ", validation accuracy %.1f %%",
                 100.0 * epoch->accuracy);
    opn_i_log(ctx, OPN_LOG_STEP, "%s: epoch %d: loss %.4f (%s)%s", epoch->stage,
              epoch->number, epoch->loss, line, accuracy);
}

static bool
is_log_due(const opn_ctx *ctx, const opn_i_train_options *options, int32_t epoch)
{
    return ctx->hooks.log != NULL && options->report_every > 0 &&
           (epoch + 1) % options->report_every == 0;
}

// Whether the caller wants every term of the epoch, only what costs nothing, or neither.
static reading
reading_of(const opn_ctx *ctx, const opn_i_train_options *options, int32_t epoch)
{
    const int32_t every = ctx->hooks.terms_every;
    const bool is_wanted = ctx->hooks.epoch != NULL;
    const bool is_turn = every <= 1 || epoch == 0 || (epoch + 1) % every == 0 ||
                         epoch + 1 == options->n_epochs;
    if (is_log_due(ctx, options, epoch) || (is_wanted && is_turn))
        return READS_TERMS;
    return is_wanted ? READS_LABELS : READS_NOTHING;
}

// What any rank reads, all compute: sums are over all of them.
static reading agree_reading(const opn_ctx *ctx, reading reads)
{
    const opn_i_comm *comm = opn_i_comm_of(ctx);
    int64_t most = reads;
    comm->max(comm, 1, &most);
    return (reading)most;
}

// What progress shows next to the number of the following epochs.
typedef char epoch_note[64];

static void note_epoch(const opn_epoch *epoch, epoch_note note)
{
    const int n = snprintf(note, sizeof(epoch_note), "loss %.4f", epoch->loss);
    if (n > 0 && !isnan(epoch->accuracy))
        snprintf(note + n, sizeof(epoch_note) - (size_t)n, ", validation %.1f %%",
                 100.0 * epoch->accuracy);
}

static void report(opn_ctx *ctx,
                   const opn_i_objective *objective,
                   const opn_i_train_options *options,
                   const opn_i_train_state *state,
                   const opn_i_loss_terms *terms,
                   double accuracy,
                   epoch_note note)
{
    const opn_epoch epoch = {
            .stage = options->stage,
            .number = state->epoch + 1,
            .loss = opn_i_loss_sum(terms),
            .labels = terms->supervised,
            .prior = objective->prior != NULL ? terms->prior : (double)NAN,
            .teacher = objective->log_teacher != NULL ? terms->teacher : (double)NAN,
            .unlabelled = options->unlabelled != NULL ? terms->unlabelled : (double)NAN,
            .decay = terms->decay,
            .accuracy = options->validation != NULL ? accuracy : (double)NAN,
    };
    note_epoch(&epoch, note);
    if (is_log_due(ctx, options, state->epoch))
        log_epoch(ctx, &epoch);
    if (ctx->hooks.epoch != NULL)
        ctx->hooks.epoch(ctx->hooks.user, &epoch);
}

// An epoch of which not all terms are wanted.
static void report_briefly(opn_ctx *ctx,
                           const opn_i_train_options *options,
                           int32_t number,
                           double labels,
                           double accuracy)
{
    const opn_epoch epoch = {.stage = options->stage,
                             .number = number,
                             .loss = (double)NAN,
                             .labels = labels,
                             .prior = (double)NAN,
                             .teacher = (double)NAN,
                             .unlabelled = (double)NAN,
                             .decay = (double)NAN,
                             .accuracy = accuracy};
    ctx->hooks.epoch(ctx->hooks.user, &epoch);
}

// Keeps the weights if they are the best so far. Returns whether to stop.
static bool note_score(const opn_i_train_options *options,
                       opn_i_train_state *state,
                       double loss,
                       double accuracy)
{
    const bool needs_both = options->stop == OPN_STOP_BOTH;
    if (options->stop == OPN_STOP_ACCURACY)
        loss = 1.0 - accuracy;
    const bool is_lower = loss < state->best_loss;
    const bool is_low = is_lower || (needs_both && loss == state->best_loss);
    const bool is_high = needs_both && accuracy >= state->best_accuracy;
    if (is_low && (is_high || !needs_both))
        memcpy(state->best, state->weights, state->n_weights * sizeof(*state->best));
    if (is_low || is_high)
        state->best_epoch = state->epoch;
    state->best_loss = is_lower ? loss : state->best_loss;
    state->best_accuracy = is_high ? accuracy : state->best_accuracy;
    return state->epoch - state->best_epoch >= options->patience;
}

// Validates without dropout; keeps the best weights. Returns whether to stop.
static bool validate(const opn_i_exec *exec,
                     opn_i_network *network,
                     const opn_i_objective *objective,
                     const opn_i_train_options *options,
                     opn_i_train_state *state,
                     double *accuracy)
{
    opn_i_network_forward_on(exec, network,
                             options->validation_reach == NULL
                                     ? &network->reach
                                     : options->validation_reach,
                             state->weights);
    const double loss =
            opn_i_objective_supervised(objective, network->in_use.outer.n_rows,
                                       options->validation, network->z, accuracy);
    return options->patience > 0 && note_score(options, state, loss, *accuracy);
}

static opn_status tell_progress(opn_ctx *ctx,
                                const opn_i_train_options *options,
                                int32_t n_done,
                                const epoch_note note)
{
    const opn_progress now = {.stage = options->stage,
                              .done = n_done,
                              .total = options->n_epochs,
                              .unit = "epochs",
                              .note = note[0] != 0 ? note : NULL};
    return opn_i_comm_progress(ctx, &now);
}

static void init_weights(const opn_i_network *network,
                         const opn_i_train_options *options,
                         opn_i_train_state *state)
{
    opn_i_network_init_weights(network, options->seed, options->stream_weights,
                               state->weights);
    if (state->average != NULL)
        memcpy(state->average, state->weights,
               state->n_weights * sizeof(*state->average));
}

// What a rank has exchanged so far: rows that neighbours need, and sums.
typedef struct traffic {
    int64_t n_bytes; // of rows
    double row_seconds, sum_seconds;
} traffic;

static traffic traffic_of(const opn_i_network *network)
{
    const opn_i_halo *halo = network->reach.inner.halo;
    const opn_i_blocks *blocks = network->blocks;
    return (traffic){.n_bytes = halo == NULL ? 0 : halo->n_bytes,
                     .row_seconds = halo == NULL ? 0.0 : halo->seconds,
                     .sum_seconds = blocks == NULL ? 0.0 : blocks->seconds};
}

// Says what the ranks have exchanged since. Of their times the smallest tells what the
// exchange takes: the others also wait for slower ranks.
static void tell_traffic(opn_ctx *ctx,
                         const opn_i_network *network,
                         const opn_i_train_options *options,
                         const traffic *before,
                         int32_t n_epochs)
{
    const opn_i_comm *comm = opn_i_comm_of(ctx);
    const traffic now = traffic_of(network);
    int64_t n_bytes = now.n_bytes - before->n_bytes;
    int64_t negative_ns[] = {-(int64_t)(1e9 * (now.row_seconds - before->row_seconds)),
                             -(int64_t)(1e9 * (now.sum_seconds - before->sum_seconds))};
    if (comm->n_ranks == 1 || n_epochs == 0)
        return;
    comm->sum(comm, 1, &n_bytes);
    comm->max(comm, 2, negative_ns);
    opn_i_log(
            ctx, OPN_LOG_STEP,
            "%s: %d ranks exchanged %lld bytes of neighbouring rows an epoch, which took "
            "%.4f s; sums over ranks %.4f s",
            options->stage, comm->n_ranks, (long long)(n_bytes / n_epochs),
            -1e-9 * (double)negative_ns[0] / n_epochs,
            -1e-9 * (double)negative_ns[1] / n_epochs);
}

opn_status opn_i_train(opn_ctx *ctx,
                       const opn_i_exec *exec,
                       opn_i_network *network,
                       const opn_i_objective *objective,
                       const opn_i_train_options *options,
                       opn_i_train_state *state,
                       opn_real *d_weights)
{
    opn_status status = OPN_OK;
    const bool decides = options->validation != NULL && options->patience > 0;
    opn_i_thread_choice choice = {0};
    epoch_note note = "";
    char doing[32];
    snprintf(doing, sizeof(doing), "training the %s", options->stage);
    opn_i_watch watch = opn_i_watch_for(ctx, doing);
    const opn_i_exec watched = opn_i_watched(exec, &watch);
    // Validation multiplies the whole X by the weights that the next epoch uses.
    opn_i_network_follow(network, (opn_i_plan){.trains = true,
                                               .has_whole = decides,
                                               .dropout = options->rates.units});
    if (state->is_done) // and the rest too, before an interruption
        return OPN_OK;
    const traffic before = traffic_of(network);
    const int32_t n_before_epochs = state->epoch;
    if (state->epoch == 0)
        init_weights(network, options, state);
    while (state->epoch < options->n_epochs && !state->is_done) {
        const reading reads = agree_reading(ctx, reading_of(ctx, options, state->epoch));
        const bool is_whole = reads == READS_TERMS;
        opn_i_loss_terms terms = {0};
        double accuracy = (double)NAN;
        OPN_TRY(tell_progress(ctx, options, state->epoch, note));
        if (options->keep != NULL)
            options->keep(options->user);
        const double norm =
                is_whole ? squared_norm(state->weights, network->n_decayed) : 0.0;
        opn_i_exec chosen = opn_i_thread_choice_begin(&choice, &watched);
        OPN_TRY(run_epoch(ctx, &chosen, network, objective, options, state, d_weights,
                          reads, &terms));
        terms.decay = 0.5 * options->optimiser.weight_decay * norm;
        // Training cannot be continued from weights that were changed and not validated.
        if (options->keep != NULL)
            chosen.watch = NULL;
        if (decides || (is_whole && options->validation != NULL))
            state->is_done =
                    validate(&chosen, network, objective, options, state, &accuracy);
        OPN_TRY(watch.status);
        if (!is_whole) // only time steps that do the same work
            opn_i_thread_choice_end(&choice);
        if (is_whole)
            report(ctx, objective, options, state, &terms, accuracy, note);
        if (reads == READS_LABELS && ctx->hooks.epoch != NULL)
            report_briefly(ctx, options, state->epoch + 1, terms.supervised, accuracy);
        state->epoch++;
    }
    tell_traffic(ctx, network, options, &before, state->epoch - n_before_epochs);
    if (decides && state->best_loss < (double)INFINITY)
        memcpy(state->weights, state->best, state->n_weights * sizeof(*state->best));
    OPN_TRY(opn_i_network_pass(ctx, exec, network, state->weights, doing));
    OPN_TRY(opn_i_check_logits(ctx, network, state->epoch));
    state->is_done = true;
    OPN_TRY(tell_progress(ctx, options, options->n_epochs, note));
cleanup:
    return status;
}
