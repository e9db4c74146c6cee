// estimate_text.c -- means and differences in the columns of a table.

#include "report/estimate_text.h"

#include <math.h>

void opn_i_text_add_estimate(opn_i_text *line, const opn_estimate *estimate, int n_digits)
{
    if (estimate->n == 0)
        opn_i_text_add(line, "%*s", OPN_ESTIMATE_WIDTH, "");
    else if (estimate->n == 1)
        opn_i_text_add(line, "%6.*f%8s", n_digits, estimate->mean, "");
    else
        opn_i_text_add(line, "%6.*f ± %-5.*f", n_digits, estimate->mean, n_digits,
                       0.5 * (estimate->high - estimate->low));
}

void opn_i_text_add_difference(opn_i_text *line, int width, double difference)
{
    const double rounded = round(10.0 * difference) / 10.0;
    opn_i_text_add(line, "%+*.1f", width, rounded == 0.0 ? 0.0 : rounded);
}
