// unlabelled.c -- terms of the loss for nodes without a label.

#include "network/unlabelled.h"

#include "network/head.h"

#include <math.h>
#include <string.h>

bool opn_i_unlabelled_parse(const char *text, opn_i_unlabelled_kind *kind)
{
    static const char *const names[] = {"none", "vat", "mean-teacher", "pseudo-label"};
    for (int k = 0; k < (int)(sizeof(names) / sizeof(names[0])); k++) {
        if (strcmp(names[k], text) == 0) {
            *kind = (opn_i_unlabelled_kind)k;
            return true;
        }
    }
    return false;
}

// ---- buffers -------------------------------------------------------------------------

void opn_i_unlabelled_deinit(const opn_alloc *alloc, opn_i_unlabelled *term)
{
    opn_i_input_shift_deinit(alloc, &term->shift);
    opn_i_release(alloc, term->arena);
    opn_i_release(alloc, term->guess);
    *term = (opn_i_unlabelled){0};
}

static bool shifts_features(const opn_i_unlabelled_options *options)
{
    return options->kind == OPN_UNLABELLED_VAT ||
           (options->kind == OPN_UNLABELLED_MEAN_TEACHER && options->noise > 0.0);
}

opn_status opn_i_unlabelled_init(opn_ctx *ctx,
                                 const opn_i_unlabelled_options *options,
                                 const opn_i_network *network,
                                 const opn_i_objective *objective,
                                 opn_i_unlabelled *out)
{
    opn_status status = OPN_OK;
    opn_i_unlabelled term = {.options = *options};
    const bool is_vat = options->kind == OPN_UNLABELLED_VAT;
    const size_t n_z =
            opn_i_whole_lines((size_t)objective->n_nodes * (size_t)objective->width);
    for (int32_t i = 0; i < objective->n_nodes; i++)
        term.n_unlabelled += objective->target[i] < 0;
    if (options->kind == OPN_UNLABELLED_PSEUDO_LABEL)
        OPN_TRY_NEW(ctx, term.guess, objective->n_nodes);
    if (shifts_features(options))
        OPN_TRY(opn_i_input_shift_init(ctx, network->n_nodes, network->sizes.n_features,
                                       network->hidden_width, &term.shift));
    OPN_TRY_NEW(ctx, term.arena, OPN_MARGIN + n_z + (is_vat ? network->n_weights : n_z));
    term.belief = opn_i_on_line(term.arena);
    term.d_z = term.d_weights = term.belief + n_z; // no term uses both
    *out = term;
    term = (opn_i_unlabelled){0};
cleanup:
    opn_i_unlabelled_deinit(&ctx->alloc, &term);
    return status;
}

static double weight_at(const opn_i_unlabelled_options *options, int32_t epoch)
{
    const double ramp = options->ramp > 0.0 ? epoch / options->ramp : 1.0;
    return options->weight * (ramp < 1.0 ? ramp : 1.0);
}

// ---- probabilities -------------------------------------------------------------------

// p of one node as predictions have it, and the factors by which d_z = factor (d_p - sum
// over k of p_k d_p_k); `factor` may be NULL.
static void
believe(const opn_i_objective *objective, const opn_real *z, double *p, double *factor)
{
    const int32_t n = objective->n_classes;
    opn_real e[OPN_MAX_CLASSES];
    opn_real slope[OPN_MAX_CLASSES];
    double strength = 0.0;
    if (!opn_i_head_has_evidence(objective->head)) {
        opn_i_softmax_row(n, z, e);
        for (int32_t k = 0; k < n; k++)
            p[k] = (double)e[k];
        if (factor != NULL)
            memcpy(factor, p, (size_t)n * sizeof(*p));
        return;
    }
    opn_i_evidence_row(objective->evidence, n, z, e, slope);
    for (int32_t k = 0; k < n; k++)
        strength += (double)e[k] + 1.0;
    for (int32_t k = 0; k < n; k++) {
        p[k] = ((double)e[k] + 1.0) / strength;
        if (factor != NULL)
            factor[k] = (double)slope[k] / strength;
    }
}

static int threads_of(const opn_i_exec *exec, const opn_i_objective *objective)
{
    return opn_i_exec_threads(exec, 32 * (int64_t)objective->n_nodes * objective->width);
}

static void keep_belief(const opn_i_exec *exec,
                        const opn_i_objective *objective,
                        const opn_real *z,
                        opn_real *belief)
{
    const int n_threads = threads_of(exec, objective);
    (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int32_t i = 0; i < objective->n_nodes; i++) {
        const size_t at = (size_t)i * (size_t)objective->width;
        double p[OPN_MAX_CLASSES];
        believe(objective, z + at, p, NULL);
        for (int32_t k = 0; k < objective->n_classes; k++)
            belief[at + (size_t)k] = (opn_real)p[k];
    }
}

// p_k is 0 only where rounding made it so.
static double positive(double p)
{
    return p > 1e-30 ? p : 1e-30;
}

// The distance of p from the belief: its derivative in p_k, and its value.
static double slope_at(const opn_i_unlabelled *term, double p, double belief)
{
    return term->options.kind == OPN_UNLABELLED_VAT ? -belief / positive(p)
                                                    : 2.0 * (p - belief);
}

static double distance_of(const opn_i_unlabelled *term, double p, double belief)
{
    const double miss = p - belief;
    if (term->options.kind == OPN_UNLABELLED_MEAN_TEACHER)
        return miss * miss;
    return belief > 0.0 ? belief * log(belief / positive(p)) : 0.0;
}

// Adds weight times the gradient of the distance of each unlabelled node to d_z.
static void add_distance(const opn_i_exec *exec,
                         const opn_i_unlabelled *term,
                         const opn_i_objective *objective,
                         double weight,
                         const opn_real *z,
                         opn_real *d_z)
{
    const int32_t n = objective->n_classes;
    const int n_threads = threads_of(exec, objective);
    (void)n_threads;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int32_t i = 0; i < objective->n_nodes; i++) {
        const size_t at = (size_t)i * (size_t)objective->width;
        double p[OPN_MAX_CLASSES];
        double factor[OPN_MAX_CLASSES];
        double d_p[OPN_MAX_CLASSES];
        double mean = 0.0;
        if (objective->target[i] >= 0)
            continue;
        believe(objective, z + at, p, factor);
        for (int32_t k = 0; k < n; k++) {
            d_p[k] = slope_at(term, p[k], (double)term->belief[at + (size_t)k]);
            mean += p[k] * d_p[k];
        }
        for (int32_t k = 0; k < n; k++)
            d_z[at + (size_t)k] += (opn_real)(weight * factor[k] * (d_p[k] - mean));
    }
}

// ---- pseudo-label --------------------------------------------------------------------

// The class of the largest logit where it is likely enough, else -1.
static void
guess_classes(opn_i_unlabelled *term, const opn_i_objective *objective, const opn_real *z)
{
    for (int32_t i = 0; i < objective->n_nodes; i++) {
        const opn_real *row = z + (size_t)i * (size_t)objective->width;
        double p[OPN_MAX_CLASSES];
        int32_t best = 0;
        term->guess[i] = -1;
        if (objective->target[i] >= 0)
            continue;
        for (int32_t k = 1; k < objective->n_classes; k++)
            if (row[k] > row[best])
                best = k;
        term->guess[i] = best;
        if (term->options.threshold > 0.0) {
            believe(objective, row, p, NULL);
            term->guess[i] = p[best] >= term->options.threshold ? best : -1;
        }
    }
}

// The head's loss alone, with the guesses for labels.
static opn_i_objective guessed(const opn_i_unlabelled *term,
                               const opn_i_objective *objective)
{
    opn_i_objective other = *objective;
    other.target = term->guess;
    other.n_train = term->n_unlabelled;
    other.prior = other.prior_sum = other.log_teacher = NULL;
    return other;
}

static void add_guesses(const opn_i_exec *exec,
                        opn_i_unlabelled *term,
                        const opn_i_objective *objective,
                        double weight,
                        const opn_real *z,
                        opn_real *d_z)
{
    const size_t n = (size_t)objective->n_nodes * (size_t)objective->width;
    int64_t n_bounded = 0; // counted by the objective already
    guess_classes(term, objective, z);
    const opn_i_objective other = guessed(term, objective);
    opn_i_objective_gradient(exec, &other, 0, z, term->d_z, &n_bounded);
    for (size_t j = 0; j < n; j++)
        d_z[j] += (opn_real)weight * term->d_z[j];
}

// ---- an epoch ------------------------------------------------------------------------

static const opn_i_streams averaged_streams = {.features = OPN_STREAM_AVERAGED_FEATURES,
                                               .hidden = OPN_STREAM_AVERAGED_HIDDEN,
                                               .edges = OPN_STREAM_AVERAGED_EDGES,
                                               .projected =
                                                       OPN_STREAM_AVERAGED_PROJECTED};

static void ask_teacher(const opn_i_exec *exec,
                        opn_i_unlabelled *term,
                        const opn_i_objective *objective,
                        opn_i_network *network,
                        const opn_real *average,
                        uint32_t step,
                        opn_i_rates rates)
{
    const opn_i_unlabelled_options *options = &term->options;
    opn_i_network_draw(exec, network, options->seed, &averaged_streams, step, rates);
    if (shifts_features(options)) {
        opn_i_input_shift_measure(exec, &term->shift, average);
        opn_i_input_shift_noise(exec, &term->shift, options->seed,
                                OPN_STREAM_UNLABELLED_SHIFT, step, options->noise);
        term->shift.use = OPN_SHIFT_ADDS;
        network->shift = &term->shift;
    }
    opn_i_network_forward_drawn(exec, network, average, rates, false);
    network->shift = NULL;
    keep_belief(exec, objective, network->z, term->belief);
}

void opn_i_unlabelled_begin(const opn_i_exec *exec,
                            opn_i_unlabelled *term,
                            const opn_i_objective *objective,
                            opn_i_network *network,
                            const opn_real *average,
                            int32_t epoch,
                            opn_i_rates rates)
{
    if (term->options.kind == OPN_UNLABELLED_MEAN_TEACHER)
        ask_teacher(exec, term, objective, network, average, (uint32_t)epoch, rates);
    if (term->options.kind == OPN_UNLABELLED_VAT) {
        term->shift.use = OPN_SHIFT_RECORDS;
        network->shift = &term->shift;
    }
}

void opn_i_unlabelled_add(const opn_i_exec *exec,
                          opn_i_unlabelled *term,
                          const opn_i_objective *objective,
                          opn_i_network *network,
                          int32_t epoch)
{
    const double weight = weight_at(&term->options, epoch);
    network->shift = NULL;
    if (term->n_unlabelled == 0)
        return;
    if (term->options.kind == OPN_UNLABELLED_VAT)
        keep_belief(exec, objective, network->z, term->belief);
    if (term->options.kind == OPN_UNLABELLED_MEAN_TEACHER)
        add_distance(exec, term, objective, weight / term->n_unlabelled, network->z,
                     network->d_z);
    if (term->options.kind == OPN_UNLABELLED_PSEUDO_LABEL)
        add_guesses(exec, term, objective, weight, network->z, network->d_z);
}

// A pass with the shift and the masks of the one before, and the way back from the term
// with that weight, to term->d_weights.
static void run_shifted(const opn_i_exec *exec,
                        opn_i_unlabelled *term,
                        const opn_i_objective *objective,
                        opn_i_network *network,
                        const opn_real *weights,
                        opn_i_rates rates,
                        opn_i_shift_use use,
                        double weight)
{
    const size_t n_z = (size_t)objective->n_nodes * (size_t)objective->width;
    term->shift.use = use;
    network->shift = &term->shift;
    opn_i_network_forward_drawn(exec, network, weights, rates, true);
    memset(network->d_z, 0, n_z * sizeof(*network->d_z));
    add_distance(exec, term, objective, weight, network->z, network->d_z);
    opn_i_network_backward(exec, network, weights, term->d_weights);
    network->shift = NULL;
}

void opn_i_unlabelled_perturb(const opn_i_exec *exec,
                              opn_i_unlabelled *term,
                              const opn_i_objective *objective,
                              opn_i_network *network,
                              const opn_real *weights,
                              int32_t epoch,
                              opn_i_rates rates,
                              opn_real *d_weights)
{
    const opn_i_unlabelled_options *options = &term->options;
    if (options->kind != OPN_UNLABELLED_VAT || term->n_unlabelled == 0)
        return;
    opn_i_input_shift_measure(exec, &term->shift, weights);
    opn_i_input_shift_draw(exec, &term->shift, options->seed, OPN_STREAM_UNLABELLED_SHIFT,
                           (uint32_t)epoch);
    opn_i_input_shift_point(exec, &term->shift, options->step);
    // Only the direction counts, and without a weight it keeps far from the least floats.
    run_shifted(exec, term, objective, network, weights, rates, OPN_SHIFT_POINTS, 1.0);
    opn_i_input_shift_point(exec, &term->shift, options->radius);
    run_shifted(exec, term, objective, network, weights, rates, OPN_SHIFT_REPLAYS,
                weight_at(options, epoch) / term->n_unlabelled);
    for (size_t j = 0; j < network->n_weights; j++)
        d_weights[j] += term->d_weights[j];
}

double opn_i_unlabelled_value(const opn_i_unlabelled *term,
                              const opn_i_objective *objective,
                              int32_t epoch,
                              const opn_real *z)
{
    double sum = 0.0;
    const double weight = weight_at(&term->options, epoch);
    if (term->n_unlabelled == 0)
        return 0.0;
    if (term->options.kind == OPN_UNLABELLED_PSEUDO_LABEL) {
        const opn_i_objective other = guessed(term, objective);
        return weight * opn_i_objective_terms(&other, epoch, z).supervised;
    }
    for (int32_t i = 0; i < objective->n_nodes; i++) {
        const size_t at = (size_t)i * (size_t)objective->width;
        double p[OPN_MAX_CLASSES];
        if (objective->target[i] >= 0)
            continue;
        believe(objective, z + at, p, NULL);
        for (int32_t k = 0; k < objective->n_classes; k++)
            sum += distance_of(term, p[k], (double)term->belief[at + (size_t)k]);
    }
    return weight * sum / term->n_unlabelled;
}

void opn_i_unlabelled_average(const opn_i_unlabelled *term,
                              int32_t epoch,
                              size_t n_weights,
                              const opn_real *weights,
                              opn_real *average)
{
    const double start = 1.0 - 1.0 / (epoch + 2.0);
    const double decay = term->options.decay < start ? term->options.decay : start;
    if (term->options.kind != OPN_UNLABELLED_MEAN_TEACHER)
        return;
    for (size_t j = 0; j < n_weights; j++)
        average[j] = (opn_real)(decay * (double)average[j] +
                                (1.0 - decay) * (double)weights[j]);
}
