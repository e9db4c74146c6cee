// toy_gradient.c -- the gradient of a head's loss against differences of its value.
//
// HEAD is the head to look at. Prints the largest difference; exit code 1 when it is too
// large.

#include "network/head.h"

#include <math.h>
#include <stdio.h>

#ifndef HEAD
#    define HEAD opn_i_softmax_head
#endif

enum { NODES = 6, CLASSES = 3 };

static const int32_t target[NODES] = {0, 1, -1, 2, 1, -1};

static opn_i_objective objective_of(opn_i_evidence_kind evidence)
{
    return (opn_i_objective){.head = &HEAD,
                             .evidence = evidence,
                             .n_nodes = NODES,
                             .n_classes = CLASSES,
                             .width = CLASSES,
                             .target = target,
                             .n_train = 4,
                             .teacher_epochs = 1.0};
}

// The slope of the loss along z[j]; the value is computed in double, so only z rounds.
static double difference_at(const opn_i_objective *objective, opn_real *z, int j)
{
    const opn_real before = z[j];
    z[j] = before + (opn_real)(1.0 / 256);
    const double right = opn_i_objective_terms(objective, 0, z).supervised;
    z[j] = before - (opn_real)(1.0 / 256);
    const double left = opn_i_objective_terms(objective, 0, z).supervised;
    z[j] = before;
    return (right - left) * 128.0;
}

int main(void)
{
    static const opn_i_evidence_kind kinds[] = {OPN_EVIDENCE_EXP, OPN_EVIDENCE_RELU,
                                                OPN_EVIDENCE_SOFTPLUS};
    const opn_i_exec exec = {.n_threads = 1};
    double worst = 0.0;
    for (int e = 0; e < 3; e++) {
        const opn_i_objective objective = objective_of(kinds[e]);
        opn_real z[NODES * CLASSES];
        opn_real d_z[NODES * CLASSES];
        int64_t n_bounded = 0;
        for (int j = 0; j < NODES * CLASSES; j++)
            z[j] = (opn_real)(2.0 * sin(1.0 + 3.7 * j));
        opn_i_objective_gradient(&exec, &objective, 0, z, d_z, &n_bounded);
        for (int j = 0; j < NODES * CLASSES; j++)
            worst = fmax(worst, fabs((double)d_z[j] - difference_at(&objective, z, j)));
    }
    printf("largest difference %.1e\n", worst);
    return worst > 1e-4;
}
