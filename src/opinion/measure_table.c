// measure_table.c -- the measures of uncertainty: their names, and what each is good for.

#include "opinion/measure_table.h"

#include <string.h>

const char *opn_measure_name(opn_measure measure)
{
    static const char *const names[OPN_N_MEASURES] = {
            "vacuity", "dissonance", "aleatoric", "epistemic", "entropy"};
    return names[measure];
}

opn_measure opn_i_recommended_measure(const char *task)
{
    return strcmp(task, "ood") == 0 ? OPN_MEASURE_VACUITY : OPN_MEASURE_DISSONANCE;
}
