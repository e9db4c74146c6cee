// optimiser.c -- Adam.

#include "model/optimiser.h"

#include <math.h>

static const double epsilon = 1e-8;
static const double beta1 = 0.9;
static const double beta2 = 0.999;

enum { WEIGHTS_A_CHUNK = 1 << 14 };

opn_i_optimiser opn_i_optimiser_view(size_t n_weights, size_t n_decayed, opn_real *room)
{
    return (opn_i_optimiser){.n_weights = n_weights,
                             .n_decayed = n_decayed,
                             .mean = room,
                             .square = room + n_weights};
}

// A step in the form the kernel takes.
typedef struct step {
    opn_real rate, epsilon;
} step;

// m^ / (sqrt(v^) + eps) with both bias corrections moved into the rate and epsilon.
static step corrected_step(double learning_rate, int32_t n_done)
{
    const double t = n_done + 1.0;
    const double root = sqrt(1.0 - pow(beta2, t));
    return (step){(opn_real)(learning_rate * root / (1.0 - pow(beta1, t))),
                  (opn_real)(epsilon * root)};
}

static void step_weights(const opn_i_exec *exec,
                         const opn_i_optimiser *optimiser,
                         step by,
                         double decay,
                         size_t first,
                         size_t last,
                         const opn_real *d_weights,
                         opn_real *weights)
{
    exec->kernels->adam(last - first, by.rate, by.epsilon, (opn_real)decay,
                        weights + first, optimiser->mean + first,
                        optimiser->square + first, d_weights + first);
}

void opn_i_optimiser_step(const opn_i_exec *exec,
                          const opn_i_optimiser *optimiser,
                          const opn_i_optimiser_options *options,
                          int32_t n_done,
                          const opn_real *d_weights,
                          opn_real *weights)
{
    const step by = corrected_step(options->learning_rate, n_done);
    const size_t n_first = optimiser->n_decayed;
    const size_t n = optimiser->n_weights;
    const int n_threads = opn_i_exec_threads(exec, (int64_t)n);
    (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (size_t from = 0; from < n; from += WEIGHTS_A_CHUNK) {
        const size_t last = n - from < WEIGHTS_A_CHUNK ? n : from + WEIGHTS_A_CHUNK;
        const size_t cut = last < n_first ? last : n_first < from ? from : n_first;
        step_weights(exec, optimiser, by, options->weight_decay, from, cut, d_weights,
                     weights);
        step_weights(exec, optimiser, by, 0.0, cut, last, d_weights, weights);
    }
}
