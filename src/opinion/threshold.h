// threshold.h -- the definition of opn_thresholds.

#ifndef OPN_THRESHOLD_H
#define OPN_THRESHOLD_H

#include "base/context.h"
#include "opinion/measure_table.h"

struct opn_thresholds {
    opn_alloc alloc;
    double most[OPN_N_MEASURES]; // NaN where any value is accepted
};

#endif // OPN_THRESHOLD_H
