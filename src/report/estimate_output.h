// estimate_output.h -- formats means and differences for tables and as JSON.

#ifndef OPN_ESTIMATE_OUTPUT_H
#define OPN_ESTIMATE_OUTPUT_H

#include "base/text.h"
#include "opine/metrics.h"

#include <jansson.h>

// A mean and half its interval in OPN_ESTIMATE_WIDTH columns. With one seed there is no
// interval; with none the field is blank.
enum { OPN_ESTIMATE_WIDTH = 14 };
void opn_i_text_add_estimate(opn_i_text *line,
                             const opn_estimate *estimate,
                             int n_digits);

// The same in fewer columns, "86.5 ±3.0": 11 for one decimal, 13 for three. A number that
// does not fit loses decimals, or is written as 1.2e34.
enum { OPN_SHORT_WIDTH = 11, OPN_SHORT_WIDTH_3 = 13 };
void opn_i_text_add_short(opn_i_text *line, const opn_estimate *estimate, int n_digits);

// A signed number with one decimal, in at least `width` columns; never -0.0.
void opn_i_text_add_difference(opn_i_text *line, int width, double difference);

// {"mean", "std", "ci95": [low, high]}
json_t *opn_i_json_estimate(const opn_estimate *estimate);

// {"difference", "ci95": [low, high], "p_value"}
json_t *opn_i_json_comparison(const opn_comparison *comparison);

#endif // OPN_ESTIMATE_OUTPUT_H
