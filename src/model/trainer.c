// trainer.c -- the one training loop, for teacher and student alike.

#include "model/trainer.h"

#include "math/thread_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double adam_epsilon = 1e-8;
static const double adam_beta1 = 0.9;
static const double adam_beta2 = 0.999;

opn_status
opn_i_train_state_init(opn_ctx *ctx, const opn_i_network *network, opn_i_train_state *out)
{
    opn_status status = OPN_OK;
    opn_i_train_state state = {.n_weights = network->n_weights};
    OPN_TRY_NEW(ctx, state.arena, OPN_MARGIN + OPN_STATE_BLOCKS * state.n_weights);
    state.weights = opn_i_on_line(state.arena);
    state.mean = state.weights + state.n_weights;
    state.square = state.mean + state.n_weights;
    state.best = state.square + state.n_weights;
    state.best_loss = (double)INFINITY;
    *out = state;
cleanup:
    return status;
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
    return status;
}

enum { WEIGHTS_A_CHUNK = 1 << 14 };

static void step_weights(const opn_i_exec *exec,
                         opn_real rate,
                         opn_real epsilon,
                         double decay,
                         size_t first,
                         size_t last,
                         opn_i_train_state *state,
                         const opn_real *d_weights)
{
    exec->kernels->adam(last - first, rate, epsilon, (opn_real)decay,
                        state->weights + first, state->mean + first,
                        state->square + first, d_weights + first);
}

static void step_adam(const opn_i_exec *exec,
                      const opn_i_network *network,
                      const opn_i_train_options *options,
                      opn_i_train_state *state,
                      const opn_real *d_weights)
{
    const double t = state->epoch + 1.0;
    const double root = sqrt(1.0 - pow(adam_beta2, t));
    // m^ / (sqrt(v^) + eps) with both corrections moved into the rate and epsilon.
    const opn_real rate =
            (opn_real)(options->learning_rate * root / (1.0 - pow(adam_beta1, t)));
    const opn_real epsilon = (opn_real)(adam_epsilon * root);
    const size_t n_first = network->n_decayed;
    const size_t n = state->n_weights;
    const int n_threads = opn_i_exec_threads(exec, (int64_t)n);
    (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (size_t from = 0; from < n; from += WEIGHTS_A_CHUNK) {
        // Weights that do not decay come last.
        const size_t last = n - from < WEIGHTS_A_CHUNK ? n : from + WEIGHTS_A_CHUNK;
        const size_t cut = last < n_first ? last : n_first < from ? from : n_first;
        step_weights(exec, rate, epsilon, options->weight_decay, from, cut, state,
                     d_weights);
        step_weights(exec, rate, epsilon, 0.0, cut, last, state, d_weights);
    }
}

// One epoch up to the new weights; network->z is that of the weights before.
static opn_status run_epoch(opn_ctx *ctx,
                            const opn_i_exec *exec,
                            opn_i_network *network,
                            const opn_i_objective *objective,
                            const opn_i_train_options *options,
                            opn_i_train_state *state,
                            opn_real *d_weights)
{
    opn_status status = OPN_OK;
    opn_i_network_draw(exec, network, options->seed, &options->streams,
                       (uint32_t)state->epoch, options->rates);
    opn_i_network_forward_drawn(exec, network, state->weights, options->rates, true);
    OPN_TRY(opn_i_check_logits(ctx, network, state->epoch + 1));
    opn_i_objective_gradient(exec, objective, state->epoch, network->z, network->d_z,
                             &state->n_bounded);
    opn_i_network_backward(exec, network, state->weights, d_weights);
    OPN_TRY(check_gradient(ctx, network, d_weights, state->epoch + 1));
    step_adam(exec, network, options, state, d_weights);
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

// Adds ", NAME VALUE" to a line of the log, if there is one.
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

// What the epochs that follow show beside their number.
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
            .loss = terms->supervised + terms->prior + terms->teacher + terms->decay,
            .labels = terms->supervised,
            .prior = objective->prior != NULL ? terms->prior : (double)NAN,
            .teacher = objective->log_teacher != NULL ? terms->teacher : (double)NAN,
            .decay = terms->decay,
            .accuracy = options->validation != NULL ? accuracy : (double)NAN,
    };
    note_epoch(&epoch, note);
    if (is_log_due(ctx, options, state->epoch))
        log_epoch(ctx, &epoch);
    if (ctx->hooks.epoch != NULL)
        ctx->hooks.epoch(ctx->hooks.user, &epoch);
}

// Keeps the weights if they are the best so far. Tells whether to stop.
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

// Validation with nothing dropped; keeps the best weights. Tells whether to stop.
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
    return opn_i_progress_noted(ctx, &now);
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
    // Validation multiplies the whole X with the weights of the epoch that follows.
    network->subtracts = opn_i_train_subtracts(options->validation != NULL,
                                               options->patience, options->rates.units);
    network->is_frozen = false;
    network->whole_of = NULL;
    if (state->is_done) // and so was all that follows, before an interruption
        return OPN_OK;
    if (state->epoch == 0)
        opn_i_network_init_weights(network, options->seed, options->stream_weights,
                                   state->weights);
    while (state->epoch < options->n_epochs && !state->is_done) {
        // What nobody reads is not computed.
        const bool is_reported =
                ctx->hooks.epoch != NULL || is_log_due(ctx, options, state->epoch);
        opn_i_loss_terms terms = {0};
        double accuracy = 0.0;
        OPN_TRY(tell_progress(ctx, options, state->epoch, note));
        if (options->keep != NULL)
            options->keep(options->user);
        const double norm =
                is_reported ? squared_norm(state->weights, network->n_decayed) : 0.0;
        const opn_i_exec chosen = opn_i_thread_choice_begin(&choice, exec);
        OPN_TRY(run_epoch(ctx, &chosen, network, objective, options, state, d_weights));
        if (is_reported)
            terms = opn_i_objective_terms(objective, state->epoch, network->z);
        terms.decay = 0.5 * options->weight_decay * norm;
        if (decides || (is_reported && options->validation != NULL))
            state->is_done =
                    validate(&chosen, network, objective, options, state, &accuracy);
        if (!is_reported) // steps that are timed are alike
            opn_i_thread_choice_end(&choice);
        if (is_reported)
            report(ctx, objective, options, state, &terms, accuracy, note);
        state->epoch++;
    }
    if (decides && state->best_loss < (double)INFINITY)
        memcpy(state->weights, state->best, state->n_weights * sizeof(*state->best));
    opn_i_network_forward(exec, network, state->weights);
    OPN_TRY(opn_i_check_logits(ctx, network, state->epoch));
    state->is_done = true;
    OPN_TRY(tell_progress(ctx, options, options->n_epochs, note));
cleanup:
    return status;
}
