// statistics.h -- the distributions behind intervals and tests.

#ifndef OPN_STATISTICS_H
#define OPN_STATISTICS_H

#include <stdint.h>

// The p-quantile of Student's t with n_free >= 1 degrees of freedom, 0.5 <= p < 1.
// Accurate to 12 digits for n_free up to 1000, to 10 up to 100,000. Cost: O(n_free).
double opn_i_student_quantile(double p, int32_t n_free);

#endif // OPN_STATISTICS_H
