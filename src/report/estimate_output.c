// estimate_output.c -- formats means and differences for tables and as JSON.

#include "report/estimate_output.h"

#include "base/number.h"
#include "io/json_write.h"

#include <math.h>
#include <string.h>

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

// As 1.2e34, for large numbers; returns the length.
static int format_power(char *out, size_t room, int n_digits, double value)
{
    (void)opn_i_format(out, room, "%.*e", n_digits, value);
    char *power = strchr(out, 'e') + 1;
    const size_t n_skipped = strspn(power, "+0");
    memmove(power, power + n_skipped, strlen(power + n_skipped) + 1);
    return (int)strlen(out);
}

// Formats a number in at most `width` columns: dropping decimals, then by its power of
// ten.
static void format_within(char *out, size_t room, int width, int n_digits, double value)
{
    int n = opn_i_format(out, room, "%.*f", n_digits, value);
    while (n > width && n_digits > 0)
        n = opn_i_format(out, room, "%.*f", --n_digits, value);
    if (n > width && isfinite(value) && format_power(out, room, 1, value) > width)
        (void)format_power(out, room, 0, value);
}

void opn_i_text_add_short(opn_i_text *line, const opn_estimate *estimate, int n_digits)
{
    const int mean_width = n_digits == 1 ? 5 : 6;
    const int half_width = n_digits == 1 ? 4 : 5;
    char mean[32] = "";
    char half[32] = "";
    if (estimate->n > 0)
        format_within(mean, sizeof(mean), mean_width, n_digits, estimate->mean);
    if (estimate->n > 1)
        format_within(half, sizeof(half), half_width, n_digits,
                      0.5 * (estimate->high - estimate->low));
    opn_i_text_add(line, "%*s %s%-*s", mean_width, mean, estimate->n > 1 ? "±" : " ",
                   half_width, half);
}

void opn_i_text_add_difference(opn_i_text *line, int width, double difference)
{
    const double rounded = round(10.0 * difference) / 10.0;
    opn_i_text_add(line, "%+*.1f", width, rounded == 0.0 ? 0.0 : rounded);
}

json_t *opn_i_json_estimate(const opn_estimate *estimate)
{
    json_t *object = json_object();
    opn_i_json_set(object, "mean", opn_i_json_number(estimate->mean));
    opn_i_json_set(object, "std", opn_i_json_number(estimate->std));
    opn_i_json_set(object, "ci95", opn_i_json_interval(estimate->low, estimate->high));
    return object;
}

json_t *opn_i_json_comparison(const opn_comparison *comparison)
{
    json_t *object = json_object();
    opn_i_json_set(object, "difference", opn_i_json_number(comparison->difference));
    opn_i_json_set(object, "ci95",
                   opn_i_json_interval(comparison->low, comparison->high));
    opn_i_json_set(object, "p_value", opn_i_json_number(comparison->p_value));
    return object;
}
