// trainer.c -- the one training loop, for teacher and student alike.

#include "model/trainer.h"

#include "math/pace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double adam_epsilon = 1e-8;
static const double adam_beta1 = 0.9;
static const double adam_beta2 = 0.999;

opn_status
opn_i_train_state_init(opn_ctx *ctx, const opn_i_gcn *gcn, opn_i_train_state *out)
{
    opn_status status = OPN_OK;
    opn_i_train_state state = {.n_weights = opn_i_gcn_n_weights(gcn)};
    OPN_TRY_NEW(ctx, state.arena, OPN_LINE + OPN_STATE_BLOCKS * state.n_weights);
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
                                 const opn_i_gcn *gcn,
                                 const opn_real *d_weights,
                                 int32_t epoch)
{
    opn_status status = OPN_OK;
    const size_t n_first = opn_i_gcn_n_decayed(gcn);
    OPN_FAIL_IF(ctx, !opn_i_all_finite(n_first, d_weights), OPN_ERR_NONFINITE,
                "epoch %d: the gradient of the first layer is not finite; a smaller "
                "learning rate may help",
                epoch);
    OPN_FAIL_IF(
            ctx,
            !opn_i_all_finite(opn_i_gcn_n_weights(gcn) - n_first, d_weights + n_first),
            OPN_ERR_NONFINITE,
            "epoch %d: the gradient of the second layer is not finite; a smaller "
            "learning rate may help",
            epoch);
cleanup:
    return status;
}

opn_status opn_i_check_logits(opn_ctx *ctx, const opn_i_gcn *gcn, int32_t epoch)
{
    opn_status status = OPN_OK;
    const size_t n = (size_t)gcn->in_use.n_outputs * (size_t)gcn->class_width;
    OPN_FAIL_IF(ctx, !opn_i_all_finite(n, gcn->z), OPN_ERR_NONFINITE,
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
                      const opn_i_gcn *gcn,
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
    const size_t n_first = opn_i_gcn_n_decayed(gcn);
    const size_t n = state->n_weights;
    const int n_threads = opn_i_exec_threads(exec, (int64_t)n);
    (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (size_t from = 0; from < n; from += WEIGHTS_A_CHUNK) {
        // Weights of the second layer are in the last chunk or two.
        const size_t last = n - from < WEIGHTS_A_CHUNK ? n : from + WEIGHTS_A_CHUNK;
        const size_t cut = last < n_first ? last : n_first < from ? from : n_first;
        step_weights(exec, rate, epsilon, options->weight_decay, from, cut, state,
                     d_weights);
        step_weights(exec, rate, epsilon, 0.0, cut, last, state, d_weights);
    }
}

// One epoch up to the new weights; gcn->z is that of the weights before.
static opn_status run_epoch(opn_ctx *ctx,
                            const opn_i_exec *exec,
                            opn_i_gcn *gcn,
                            const opn_i_objective *objective,
                            const opn_i_train_options *options,
                            opn_i_train_state *state,
                            opn_real *d_weights)
{
    opn_status status = OPN_OK;
    const double rate = options->dropout;
    opn_i_gcn_draw(exec, gcn, options->seed, &options->streams, (uint32_t)state->epoch,
                   rate, options->drop_edge);
    opn_i_gcn_forward_drawn(exec, gcn, state->weights, rate, true);
    OPN_TRY(opn_i_check_logits(ctx, gcn, state->epoch + 1));
    opn_i_objective_gradient(exec, objective, state->epoch, gcn->z, gcn->d_z,
                             &state->n_bounded);
    opn_i_gcn_backward(exec, gcn, state->weights, rate, d_weights);
    OPN_TRY(check_gradient(ctx, gcn, d_weights, state->epoch + 1));
    step_adam(exec, gcn, options, state, d_weights);
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

// Adds ", NAME VALUE" to a line of the log.
static void tell_term(char *line, size_t room, const char *name, double value)
{
    const size_t n = strlen(line);
    snprintf(line + n, room - n, ", %s %.4f", name, value);
}

static void report(opn_ctx *ctx,
                   const opn_i_objective *objective,
                   const opn_i_train_options *options,
                   const opn_i_train_state *state,
                   const opn_i_loss_terms *terms,
                   double accuracy)
{
    char line[160];
    snprintf(line, sizeof(line), "labels %.4f", terms->supervised);
    if (objective->prior != NULL)
        tell_term(line, sizeof(line), "prior", terms->prior);
    if (objective->log_teacher != NULL)
        tell_term(line, sizeof(line), "teacher", terms->teacher);
    tell_term(line, sizeof(line), "decay", terms->decay);
    const double loss = terms->supervised + terms->prior + terms->teacher + terms->decay;
    if (options->validation == NULL)
        opn_i_log(ctx, OPN_LOG_INFO, "%s: epoch %d: loss %.4f (%s)", options->stage,
                  state->epoch + 1, loss, line);
    else
        opn_i_log(ctx, OPN_LOG_INFO,
                  "%s: epoch %d: loss %.4f (%s), validation accuracy %.1f %%",
                  options->stage, state->epoch + 1, loss, line, 100.0 * accuracy);
}

static bool is_report_due(const opn_i_train_options *options, int32_t epoch)
{
    return options->report_every > 0 && (epoch + 1) % options->report_every == 0;
}

// Validation with nothing dropped; keeps the best weights. Tells whether to stop.
static bool validate(const opn_i_exec *exec,
                     opn_i_gcn *gcn,
                     const opn_i_objective *objective,
                     const opn_i_train_options *options,
                     opn_i_train_state *state,
                     double *accuracy)
{
    opn_i_gcn_forward_on(exec, gcn,
                         options->validation_reach == NULL ? &gcn->reach
                                                           : options->validation_reach,
                         state->weights);
    double loss = opn_i_objective_supervised(objective, gcn->in_use.n_outputs,
                                             options->validation, gcn->z, accuracy);
    if (options->stops_on_accuracy)
        loss = 1.0 - *accuracy;
    if (options->patience == 0)
        return false;
    if (loss < state->best_loss) {
        state->best_loss = loss;
        state->best_epoch = state->epoch;
        memcpy(state->best, state->weights, state->n_weights * sizeof(*state->best));
        return false;
    }
    return state->epoch - state->best_epoch >= options->patience;
}

opn_status opn_i_train(opn_ctx *ctx,
                       const opn_i_exec *exec,
                       opn_i_gcn *gcn,
                       const opn_i_objective *objective,
                       const opn_i_train_options *options,
                       opn_i_train_state *state,
                       opn_real *d_weights)
{
    opn_status status = OPN_OK;
    const bool decides = options->validation != NULL && options->patience > 0;
    opn_i_pace pace = {0};
    // Validation multiplies the whole X with the weights of the epoch that follows.
    gcn->subtracts = opn_i_train_subtracts(options->validation != NULL, options->patience,
                                           options->dropout);
    gcn->whole_of = NULL;
    if (state->is_done) // and so was all that follows, before an interruption
        return OPN_OK;
    if (state->epoch == 0)
        opn_i_gcn_init_weights(gcn, options->seed, options->stream_weights,
                               state->weights);
    while (state->epoch < options->n_epochs && !state->is_done) {
        // What nobody reads is not computed.
        const bool is_reported =
                ctx->hooks.log != NULL && is_report_due(options, state->epoch);
        opn_i_loss_terms terms = {0};
        double accuracy = 0.0;
        OPN_TRY(opn_i_progress(ctx, options->stage, state->epoch, options->n_epochs,
                               "epochs"));
        const double norm =
                is_reported ? squared_norm(state->weights, opn_i_gcn_n_decayed(gcn))
                            : 0.0;
        const opn_i_exec paced = opn_i_pace_begin(&pace, exec);
        OPN_TRY(run_epoch(ctx, &paced, gcn, objective, options, state, d_weights));
        if (is_reported)
            terms = opn_i_objective_terms(objective, state->epoch, gcn->z);
        terms.decay = 0.5 * options->weight_decay * norm;
        if (decides || (is_reported && options->validation != NULL))
            state->is_done = validate(&paced, gcn, objective, options, state, &accuracy);
        if (!is_reported) // steps that are timed are alike
            opn_i_pace_end(&pace);
        if (is_reported)
            report(ctx, objective, options, state, &terms, accuracy);
        state->epoch++;
    }
    if (decides && state->best_loss < (double)INFINITY)
        memcpy(state->weights, state->best, state->n_weights * sizeof(*state->best));
    opn_i_gcn_forward(exec, gcn, state->weights, 0.0, false);
    OPN_TRY(opn_i_check_logits(ctx, gcn, state->epoch));
    state->is_done = true;
    OPN_TRY(opn_i_progress(ctx, options->stage, options->n_epochs, options->n_epochs,
                           "epochs"));
cleanup:
    return status;
}
