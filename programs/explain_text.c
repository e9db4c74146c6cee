// explain_text.c -- prints an explanation for reading in a terminal.

#include "explain_text.h"

#include "terminal_text.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST_COLUMNS = 80, LEAST_COLUMNS = 40, WIDE = 56, MOST_ROWS = 8 };

// Layout of the output.
typedef struct layout {
    int n_columns;
    bool is_wide;                 // room for all numbers
    bool has_blocks;              // bars are drawn with blocks, otherwise with '#'
    int n_name;                   // columns for a name
    bool has_evidence, has_prior; // shown in the chart besides beliefs
} layout;

// ---- terminal ------------------------------------------------------------------------

static int output_columns(void)
{
    const int n_columns = terminal_columns(STDOUT_FILENO);
    return n_columns < LEAST_COLUMNS  ? LEAST_COLUMNS
           : n_columns > MOST_COLUMNS ? MOST_COLUMNS
                                      : n_columns;
}

static bool output_has_blocks(void)
{
    return isatty(STDOUT_FILENO) && is_utf8_locale();
}

static layout find_layout(const opn_explanation *e)
{
    // Width of numbers and blanks in the widest table; names get the rest.
    enum { NUMBERS_WIDE = 44, NUMBERS_NARROW = 29, MOST_NAME = 16 };
    layout at = {.n_columns = output_columns(), .has_blocks = output_has_blocks()};
    at.is_wide = at.n_columns >= WIDE;
    at.n_name = (at.n_columns - (at.is_wide ? NUMBERS_WIDE : NUMBERS_NARROW)) / 2;
    at.n_name = at.n_name > MOST_NAME ? MOST_NAME : at.n_name;
    at.has_evidence = at.is_wide && e->alpha != NULL;
    at.has_prior = at.is_wide && e->prior != NULL;
    return at;
}

// ---- pieces --------------------------------------------------------------------------

// A bar that fills n_columns if share is 1.
static void put_bar(double share, int n_columns, bool has_blocks)
{
    static const char *const eighths[] = {"",
                                          "\xe2\x96\x8f",
                                          "\xe2\x96\x8e",
                                          "\xe2\x96\x8d",
                                          "\xe2\x96\x8c",
                                          "\xe2\x96\x8b",
                                          "\xe2\x96\x8a",
                                          "\xe2\x96\x89"};
    const int n_parts = has_blocks ? 8 : 1;
    const int n = (int)lround(fmin(fmax(share, 0.0), 1.0) * n_columns * n_parts);
    for (int c = 0; c < n / n_parts; c++)
        fputs(has_blocks ? "\xe2\x96\x88" : "#", stdout);
    if (has_blocks)
        fputs(eighths[n % n_parts], stdout);
}

static void put_more(int32_t n)
{
    if (n > 0)
        printf("  and %d more\n", (int)n);
}

static int32_t at_most(int32_t n, int32_t most)
{
    return n < most ? n : most;
}

// ---- parts ---------------------------------------------------------------------------

static void put_heading(const explained *x)
{
    char number[12];
    const opn_explanation *e = x->e;
    printf("node         ");
    print_name(opn_graph_node_name(x->graph, e->node, number), 0);
    printf(" (%s)", opn_role_name(e->role));
    printf("\npredicted    ");
    print_name(opn_model_class_name(x->model, e->predicted), 0);
    printf("\nlabel        ");
    if (e->label >= 0)
        print_name(opn_graph_class_name(x->graph, e->label, number), 0);
    else
        printf("none");
    printf("\n\n");
}

// A number in its own column, which is empty for NaN.
static void put_amount(double amount)
{
    if (isnan(amount))
        printf(" %10s", "");
    else
        printf(" %10.4g", amount);
}

// The headings of two columns of names.
static void put_heads(const layout *at, const char *one, const char *other)
{
    printf("  ");
    print_cell(one, at->n_name);
    putchar(' ');
    print_cell(other, at->n_name);
}

// One line of the chart: a name, numbers and a bar.
static void
put_share(const layout *at, const char *name, double share, double evidence, double prior)
{
    const int n_before =
            2 + at->n_name + 8 + 11 * at->has_evidence + 11 * at->has_prior + 2;
    printf("  ");
    print_cell(name, at->n_name);
    printf(" %7.3f", share);
    if (at->has_evidence)
        put_amount(evidence);
    if (at->has_prior)
        put_amount(prior);
    printf("  ");
    put_bar(share, at->n_columns - n_before, at->has_blocks);
    putchar('\n');
}

// The class of rank r by share; ties in class order.
static int32_t class_at(const float *share, int32_t n, int32_t rank)
{
    for (int32_t k = 0; k < n; k++) {
        int32_t n_before = 0;
        for (int32_t j = 0; j < n; j++)
            n_before += share[j] > share[k] || (j < k && share[j] == share[k]);
        if (n_before == rank)
            return k;
    }
    return 0;
}

static void put_chart(const explained *x, const layout *at)
{
    const opn_explanation *e = x->e;
    const float *share = e->belief != NULL ? e->belief : e->probability;
    printf("  %-*s %7s", at->n_name, "class", e->belief != NULL ? "belief" : "p");
    if (at->has_evidence)
        printf(" %10s", "evidence");
    if (at->has_prior)
        printf(" %10s", "prior");
    putchar('\n');
    for (int32_t r = 0; r < at_most(e->n_classes, MOST_ROWS); r++) {
        const int32_t k = class_at(share, e->n_classes, r);
        put_share(at, opn_model_class_name(x->model, k), (double)share[k],
                  e->alpha != NULL ? (double)e->alpha[k] - 1.0 : (double)NAN,
                  e->prior != NULL ? e->prior[k] : (double)NAN);
    }
    put_more(e->n_classes - MOST_ROWS);
    if (e->belief != NULL)
        put_share(at, "(unassigned)", (double)e->measure[OPN_MEASURE_VACUITY],
                  (double)NAN, (double)NAN);
    else if (e->alpha == NULL)
        printf("  %s gives probabilities, no evidence\n", opn_model_id(x->model));
    putchar('\n');
}

static void put_measures(const explained *x)
{
    for (int32_t m = 0; m < x->e->n_measures; m++) {
        const double value = (double)x->e->measure[m];
        const char *name = opn_measure_name((opn_measure)m);
        if (isnan(value))
            printf("%-12s      -  not measured by %s\n", name, opn_model_id(x->model));
        else
            printf("%-12s%7.3f  %s\n", name, value,
                   opn_measure_phrase((opn_measure)m, value));
    }
    putchar('\n');
}

static void put_sources(const explained *x, const layout *at)
{
    const opn_explanation *e = x->e;
    char number[12];
    if (!e->has_prior) {
        printf("Evidence from labelled nodes: none; %s has no prior.\n\n",
               opn_model_id(x->model));
        return;
    }
    if (!e->is_of_training) {
        printf("Evidence from labelled nodes: not known; the model was trained on another "
               "graph.\n\n");
        return;
    }
    printf("Evidence from labelled nodes (the prior): %.4g in total, from %d node%s\n",
           e->prior_sum, (int)e->n_sources, e->n_sources == 1 ? "" : "s");
    if (e->n_sources > 0) {
        put_heads(at, "node", "class");
        printf(" %5s %10s %8s\n", "hops", "weight", "share");
    }
    for (int32_t l = 0; l < at_most(e->n_sources, MOST_ROWS); l++) {
        const opn_source *from = &e->source[l];
        printf("  ");
        print_cell(opn_graph_node_name(x->graph, from->node, number), at->n_name);
        putchar(' ');
        print_cell(opn_model_class_name(x->model, from->k), at->n_name);
        printf(" %5d %10.4g %6.1f %%\n", (int)from->hops, from->weight,
               100.0 * from->share);
    }
    put_more(e->n_sources - MOST_ROWS);
    putchar('\n');
}

static void put_conflicts(const explained *x, const layout *at)
{
    const opn_explanation *e = x->e;
    if (!opn_model_measures(x->model, OPN_MEASURE_DISSONANCE)) {
        printf("Conflict: not measured by %s.\n\n", opn_model_id(x->model));
        return;
    }
    if (e->n_conflicts == 0) {
        printf("Conflict: none.\n\n");
        return;
    }
    printf("Conflict\n");
    put_heads(at, "between", "and");
    printf(" %10s %8s\n", "dissonance", "share");
    for (int32_t c = 0; c < at_most(e->n_conflicts, MOST_ROWS); c++) {
        const opn_conflict *between = &e->conflict[c];
        printf("  ");
        print_cell(opn_model_class_name(x->model, between->a), at->n_name);
        putchar(' ');
        print_cell(opn_model_class_name(x->model, between->b), at->n_name);
        printf(" %10.4f %6.1f %%\n", between->dissonance, 100.0 * between->share);
    }
    put_more(e->n_conflicts + e->n_conflicts_left - MOST_ROWS);
    putchar('\n');
}

// A measure with few digits, "-" if there is none.
static void put_short(float value)
{
    if (isnan(value))
        printf(" %10s", "-");
    else
        printf(" %10.3f", (double)value);
}

static void put_neighbours(const explained *x, const layout *at)
{
    const opn_explanation *e = x->e;
    const int32_t n_others = e->n_neighbours - e->n_agreeing;
    char number[12];
    if (e->n_neighbours == 0) {
        printf("Neighbours: none.\n");
        return;
    }
    printf("Neighbours: %d of %d agree%s%s\n", (int)e->n_agreeing, (int)e->n_neighbours,
           e->n_agreeing == 1 ? "s" : "",
           n_others == 0   ? ""
           : n_others == 1 ? "; this one does not"
                           : "; these do not");
    if (n_others > 0) {
        put_heads(at, "node", "predicted");
        printf(" %7s%s\n", "p", at->is_wide ? "    vacuity dissonance    entropy" : "");
    }
    for (int32_t j = 0; j < at_most(n_others, MOST_ROWS); j++) {
        const opn_neighbour *other = &e->neighbour[j];
        printf("  ");
        print_cell(opn_graph_node_name(x->graph, other->node, number), at->n_name);
        putchar(' ');
        print_cell(opn_model_class_name(x->model, other->predicted), at->n_name);
        printf(" %7.3f", (double)other->probability);
        if (at->is_wide) {
            put_short(other->measure[OPN_MEASURE_VACUITY]);
            put_short(other->measure[OPN_MEASURE_DISSONANCE]);
            put_short(other->measure[OPN_MEASURE_ENTROPY]);
        }
        putchar('\n');
    }
    put_more(n_others - MOST_ROWS);
}

void print_explanation(const explained *x)
{
    const layout at = find_layout(x->e);
    put_heading(x);
    print_wrapped(opn_explanation_sentence(x->e), at.n_columns, 0, 0);
    putchar('\n');
    put_chart(x, &at);
    put_measures(x);
    put_sources(x, &at);
    put_conflicts(x, &at);
    put_neighbours(x, &at);
}
