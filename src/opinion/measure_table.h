// measure_table.h -- the measures of uncertainty: their names, and what each is good for.

#ifndef OPN_MEASURE_TABLE_H
#define OPN_MEASURE_TABLE_H

#include "opine/model.h"

// The measure that the paper recommends for a task: vacuity for ood, else dissonance.
opn_measure opn_i_recommended_measure(const char *task);

#endif // OPN_MEASURE_TABLE_H
