// training_cost.c -- about how much a training takes.

#include "train/training_cost.h"

#include "math/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Operations a second of one core on matrices that do not fit its cache, of a machine
// like those people have; and epochs of teacher and student until patience ends them.
static const double operations_a_second = 8e9;
static const double usual_epochs = 300;

// Passes over features, edges and units in an epoch: forward, backward and validation.
enum { PASSES = 3, HOPS = 2, MATRICES = 10, BYTES_AN_ENTRY = 24 };

opn_i_training_cost opn_i_training_cost_of(const opn_graph *graph,
                                           const opn_params *params)
{
    const double n_hidden = (double)opn_params_int(params, "hidden");
    const double n_nodes = opn_i_graph_n_nodes(graph);
    const double n_edges = (double)opn_i_csr_n_entries(&graph->topology) + n_nodes;
    const double n_entries = (double)opn_i_features_n_entries(&graph->features);
    const double n_most = 2.0 * (double)opn_params_int(params, "epochs");
    const double n_epochs =
            opn_params_int(params, "patience") > 0 ? fmin(usual_epochs, n_most) : n_most;
    const double n_units = n_nodes * (n_hidden + graph->n_classes);
    const double n_operations = 2.0 * PASSES * n_hidden *
                                (n_entries + HOPS * n_edges + n_nodes * graph->n_classes);
    return (opn_i_training_cost){
            .n_bytes = MATRICES * n_units * (double)sizeof(opn_real) +
                       BYTES_AN_ENTRY * (n_entries + n_edges),
            .seconds = n_epochs * n_operations / operations_a_second,
    };
}

// Bytes that programs can have without swapping; infinite if the system does not say.
static double free_memory(void)
{
    static const char name[] = "MemAvailable:";
    char line[128];
    double n_kilobytes = (double)INFINITY;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0)
            n_kilobytes = strtod(line + strlen(name), NULL);
    }
    if (file != NULL)
        (void)fclose(file);
    return 1024.0 * n_kilobytes;
}

int opn_i_trainings_that_fit(const opn_i_training_cost *cost)
{
    enum { MOST = 1024 };
    // Half of it: the estimate is rough, and others want memory too.
    const double n = 0.5 * free_memory() / cost->n_bytes;
    return n >= MOST ? MOST : n > 1.0 ? (int)n : 1;
}
