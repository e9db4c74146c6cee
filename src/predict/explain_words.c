// explain_words.c -- explanations in words.

#include "predict/explanation_data.h"

#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

const char *opn_reason_name(opn_reason reason)
{
    switch (reason) {
    case OPN_REASON_SURE:
        return "sure";
    case OPN_REASON_LITTLE_EVIDENCE:
        return "little-evidence";
    case OPN_REASON_CONFLICT:
        return "conflict";
    case OPN_REASON_UNDECIDED:
        return "undecided";
    }
    return "?";
}

opn_vid opn_graph_find_node(const opn_graph *graph, const char *name)
{
    char number[12];
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++)
        if (strcmp(opn_graph_node_name(graph, i, number), name) == 0)
            return i;
    return -1;
}

// ---- the sentence --------------------------------------------------------------------

typedef struct sentence {
    opn_i_text text;
    const opn_model *model;
    const opn_explanation *e;
} sentence;

static void say(sentence *s, const char *fmt, ...) OPN_PRINTF(2, 3);
static void say(sentence *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    opn_i_text_add_list(&s->text, fmt, args);
    va_end(args);
}

static const char *class_name(const sentence *s, int32_t k)
{
    return opn_model_class_name(s->model, k);
}

static int count_predicted(const opn_explanation *e, int32_t k)
{
    int n = 0;
    for (int32_t j = 0; j < e->n_neighbours; j++)
        n += e->neighbour[j].predicted == k;
    return n;
}

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

static void say_why_little(sentence *s)
{
    const opn_explanation *e = s->e;
    const int hops = e->nearest_hops;
    if (e->is_of_training && hops == 0)
        say(s, " although it is a labelled node itself");
    else if (e->n_neighbours == 0)
        say(s, " because it has no neighbour");
    else if (!e->is_of_training)
        say(s, "; which nodes had labels in training is not known of this graph");
    else if (hops < 0)
        say(s, " because no labelled node can be reached from it");
    else if (hops == 1)
        say(s, " although the nearest labelled node is 1 hop away");
    else
        say(s, " because the nearest labelled node is %d hops away", hops);
}

static void say_why_conflict(sentence *s, int32_t a, int32_t b)
{
    const opn_explanation *e = s->e;
    const int n_a = count_predicted(e, a);
    const int n_b = count_predicted(e, b);
    if (e->n_neighbours == 0)
        say(s, "; it has no neighbour");
    else if (e->n_neighbours == 1)
        say(s, "; its only neighbour is predicted class %s",
            class_name(s, e->neighbour[0].predicted));
    else if (n_a > 0 && n_b > 0)
        say(s, " because %d of its %d neighbours %s predicted class %s and %d class %s",
            n_a, (int)e->n_neighbours, n_a == 1 ? "is" : "are", class_name(s, a), n_b,
            class_name(s, b));
    else
        say(s, "; of its %d neighbours %d %s predicted class %s and %d class %s",
            (int)e->n_neighbours, n_a, n_a == 1 ? "is" : "are", class_name(s, a), n_b,
            class_name(s, b));
}

static void say_why_sure(sentence *s)
{
    const opn_explanation *e = s->e;
    enum { NEAR = 2 }; // hops
    const int hops = e->hops == NULL ? -1 : e->hops[e->predicted];
    const bool is_agreed = 2 * e->n_agreeing >= e->n_neighbours && e->n_neighbours > 0;
    if (e->n_neighbours == 0)
        say(s, " and has no neighbour");
    else if (e->n_neighbours == 1)
        say(s, is_agreed ? " because its only neighbour is too"
                         : " although its only neighbour is not");
    else if (e->n_agreeing == e->n_neighbours)
        say(s, " because all of its %d neighbours are too", (int)e->n_neighbours);
    else
        say(s,
            is_agreed ? " because %d of its %d neighbours are too"
                      : " although only %d of its %d neighbours are",
            (int)e->n_agreeing, (int)e->n_neighbours);
    if (hops < 0 || hops > NEAR)
        return;
    say(s, is_agreed ? " and " : "; ");
    if (hops == 0)
        say(s, "it is a labelled node of that class itself");
    else
        say(s, "a labelled node of that class is %d hop%s away", hops, plural(hops));
}

// The two most probable classes.
static void find_rivals(const opn_explanation *e, int32_t *first, int32_t *second)
{
    *first = e->predicted;
    *second = e->predicted == 0 ? 1 : 0;
    for (int32_t k = 0; k < e->n_classes; k++)
        if (k != *first && e->probability[k] > e->probability[*second])
            *second = k;
}

static void say_all(sentence *s, const char *node)
{
    const opn_explanation *e = s->e;
    int32_t a = 0;
    int32_t b = 0;
    switch (e->reason) {
    case OPN_REASON_LITTLE_EVIDENCE:
        say(s, "Little is known of node %s (vacuity %.2f)", node,
            (double)e->measure[OPN_MEASURE_VACUITY]);
        say_why_little(s);
        break;
    case OPN_REASON_CONFLICT:
        assert(e->n_conflicts > 0); // or there would be no dissonance
        a = e->conflict[0].a;
        b = e->conflict[0].b;
        say(s,
            "The evidence about node %s conflicts most between class %s and class %s "
            "(dissonance %.2f)",
            node, class_name(s, a), class_name(s, b),
            (double)e->measure[OPN_MEASURE_DISSONANCE]);
        say_why_conflict(s, a, b);
        break;
    case OPN_REASON_UNDECIDED:
        find_rivals(e, &a, &b);
        say(s,
            "Node %s is undecided, most of all between class %s and class %s (entropy "
            "%.2f)",
            node, class_name(s, a), class_name(s, b),
            (double)e->measure[OPN_MEASURE_ENTROPY]);
        say_why_conflict(s, a, b);
        break;
    case OPN_REASON_SURE:
        say(s, "Node %s is predicted class %s (%s %.2f)", node,
            class_name(s, e->predicted), e->belief != NULL ? "belief" : "probability",
            (double)(e->belief != NULL ? e->belief : e->probability)[e->predicted]);
        say_why_sure(s);
        break;
    }
    say(s, ".");
}

opn_status opn_i_explanation_say(opn_ctx *ctx,
                                 const opn_model *model,
                                 const opn_graph *graph,
                                 opn_i_explanation *e)
{
    char number[12];
    sentence s = {.text = {.ctx = ctx}, .model = model, .e = &e->shown};
    say_all(&s, opn_graph_node_name(graph, e->shown.node, number));
    const opn_status status = opn_i_text_take(&s.text, &e->sentence);
    opn_i_text_free(&s.text);
    return status;
}

const char *opn_explanation_sentence(const opn_explanation *explanation)
{
    return ((const opn_i_explanation *)(const void *)explanation)->sentence;
}
