// scored_nodes.c -- nodes with labels and two opinions about them, drawn.

#include "support/scored_nodes.h"

#include "support/support.h"

static void draw_row(const scored_rule *rule, int32_t label, uint64_t *random, double *p)
{
    const uint32_t n_classes = (uint32_t)rule->n_classes;
    const int32_t favoured = below(random, 100) < (uint32_t)rule->percent
                                     ? label
                                     : (int32_t)below(random, n_classes);
    double sum = 0.0;
    for (int32_t k = 0; k < rule->n_classes; k++) {
        p[k] = 1.0 + below(random, (uint32_t)rule->levels);
        p[k] += k == favoured ? rule->lift : 0;
        sum += p[k];
    }
    for (int32_t k = 0; k < rule->n_classes; k++)
        p[k] /= sum;
}

void scored_draw(const scored_rule *rule, scored_nodes *out)
{
    uint64_t random = rule->seed;
    out->n = rule->n;
    out->n_classes = rule->n_classes;
    for (int32_t i = 0; i < rule->n; i++) {
        out->label[i] = (int32_t)below(&random, (uint32_t)rule->n_classes);
        draw_row(rule, out->label[i], &random, out->p + i * rule->n_classes);
        draw_row(rule, out->label[i], &random, out->q + i * rule->n_classes);
    }
}

int32_t scored_top(const scored_nodes *nodes, int32_t i)
{
    const double *p = nodes->p + i * nodes->n_classes;
    int32_t top = 0;
    for (int32_t k = 1; k < nodes->n_classes; k++)
        if (p[k] > p[top])
            top = k;
    return top;
}
