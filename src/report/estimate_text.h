// estimate_text.h -- means and differences in the columns of a table.

#ifndef OPN_ESTIMATE_TEXT_H
#define OPN_ESTIMATE_TEXT_H

#include "base/text.h"
#include "opine/metrics.h"

// A mean and half its interval in OPN_ESTIMATE_WIDTH columns; one seed has no interval,
// none at all leaves blanks.
enum { OPN_ESTIMATE_WIDTH = 14 };
void opn_i_text_add_estimate(opn_i_text *line,
                             const opn_estimate *estimate,
                             int n_digits);

// A signed number with one digit, in at least `width` columns; never -0.0.
void opn_i_text_add_difference(opn_i_text *line, int width, double difference);

#endif // OPN_ESTIMATE_TEXT_H
