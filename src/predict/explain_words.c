// explain_words.c -- explanations in words.

#include "predict/explanation_data.h"

#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
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
    OPN_RETURN_IF_NULL(graph, -1);
    OPN_RETURN_IF_NULL(name, -1);
    char number[12];
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++)
        if (strcmp(opn_graph_node_name(graph, i, number), name) == 0)
            return i;
    return -1;
}

// ---- sentence ------------------------------------------------------------------------

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

// A number as written in prose: a word up to ten, unless next to a larger number.
typedef struct count {
    char text[12];
} count;

static count count_of(int n, int beside)
{
    static const char *const words[] = {"none", "one",   "two",   "three", "four", "five",
                                        "six",  "seven", "eight", "nine",  "ten"};
    enum { N_WORDS = sizeof(words) / sizeof(words[0]) };
    count out;
    if (n == 0 || (n < N_WORDS && beside < N_WORDS))
        snprintf(out.text, sizeof(out.text), "%s", words[n]);
    else
        snprintf(out.text, sizeof(out.text), "%d", n);
    return out;
}

// "both of its neighbours are", "none of its 14 neighbours are": n of the neighbours
// (there is at least one), and a verb that agrees.
static void say_neighbours(sentence *s, int n)
{
    const int n_all = s->e->n_neighbours;
    const count all = count_of(n_all, n_all);
    if (n_all == 1)
        say(s, n == 1 ? "its only neighbour is" : "its only neighbour is not");
    else if (n_all == 2 && n != 1)
        say(s, n == 2 ? "both of its neighbours are" : "neither of its neighbours is");
    else if (n == n_all)
        say(s, "all %s of its neighbours are", all.text);
    else
        say(s, "%s of its %s neighbours %s", count_of(n, n_all).text, all.text,
            n == 1 ? "is" : "are");
}

static void say_hops(sentence *s, int hops)
{
    say(s, "%s hop%s away", count_of(hops, hops).text, hops == 1 ? "" : "s");
}

static void say_why_little(sentence *s)
{
    const opn_explanation *e = s->e;
    const int hops = e->nearest_hops;
    if (e->is_of_training && hops == 0)
        say(s, " although it is labelled itself");
    else if (e->n_neighbours == 0)
        say(s, " because it has no neighbours");
    else if (!e->is_of_training)
        say(s, "; which nodes were labelled in training is not known for this graph");
    else if (hops < 0)
        say(s, " because no labelled node can be reached from it");
    else {
        say(s, hops == 1 ? " although" : " because");
        say(s, " the nearest labelled node is ");
        say_hops(s, hops);
    }
}

// Both classes are among the neighbours' predictions.
static void say_split(sentence *s, int32_t a, int n_a, int32_t b, int n_b)
{
    const int n_all = s->e->n_neighbours;
    say(s, ", because ");
    say_neighbours(s, n_a);
    say(s, " predicted class %s and ", class_name(s, a));
    if (n_a + n_b < n_all)
        say(s, "%s", count_of(n_b, n_all).text);
    else
        say(s, n_b == 1 ? "the other" : "the other %s", count_of(n_b, n_all).text);
    say(s, " class %s", class_name(s, b));
}

static void say_why_conflict(sentence *s, int32_t a, int32_t b)
{
    const opn_explanation *e = s->e;
    const int n_all = e->n_neighbours;
    const int n_a = count_predicted(e, a);
    const int n_b = count_predicted(e, b);
    const int32_t only = n_a > 0 ? a : b;
    const int n_only = n_a + n_b; // one of the two is 0 unless both occur
    if (n_all == 0)
        say(s, "; it has no neighbours");
    else if (n_a > 0 && n_b > 0)
        say_split(s, a, n_a, b, n_b);
    else if (n_all == 1)
        say(s, "; its only neighbour is predicted class %s",
            class_name(s, e->neighbour[0].predicted));
    else if (n_only == 0) {
        say(s, "; ");
        say_neighbours(s, 0);
        say(s, " predicted class %s or class %s", class_name(s, a), class_name(s, b));
    } else {
        say(s, "; ");
        say_neighbours(s, n_only);
        say(s, " predicted class %s", class_name(s, only));
        if (n_only < n_all)
            say(s, ", none class %s", class_name(s, only == a ? b : a));
    }
}

static void say_why_sure(sentence *s)
{
    const opn_explanation *e = s->e;
    enum { NEAR = 2 }; // hops
    const int hops = e->hops == NULL ? -1 : e->hops[e->predicted];
    const bool is_agreed = 2 * e->n_agreeing >= e->n_neighbours && e->n_neighbours > 0;
    if (e->n_neighbours == 0)
        say(s, "; it has no neighbours");
    else {
        const bool is_few = !is_agreed && e->n_agreeing > 0;
        say(s, is_agreed ? " because " : is_few ? " although only " : " although ");
        say_neighbours(s, e->n_agreeing);
        say(s, is_agreed ? " too" : "");
    }
    if (hops < 0 || hops > NEAR)
        return;
    say(s, is_agreed || e->n_neighbours == 0 ? " and " : "; ");
    if (hops == 0)
        say(s, "it is labelled with that class itself");
    else {
        say(s, "a labelled node of that class is ");
        say_hops(s, hops);
    }
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
        say(s, "There is little evidence about node %s (vacuity %.2f)", node,
            (double)e->measure[OPN_MEASURE_VACUITY]);
        say_why_little(s);
        break;
    case OPN_REASON_CONFLICT:
        assert(e->n_conflicts > 0); // otherwise there would be no dissonance
        a = e->conflict[0].a;
        b = e->conflict[0].b;
        // "Mainly" means more than half, as on the page.
        say(s,
            "The evidence about node %s conflicts%s class %s and class %s (dissonance "
            "%.2f)",
            node,
            e->conflict[0].share > 0.5 ? ", mainly between"
                                       : " between several classes, among them",
            class_name(s, a), class_name(s, b),
            (double)e->measure[OPN_MEASURE_DISSONANCE]);
        say_why_conflict(s, a, b);
        break;
    case OPN_REASON_UNDECIDED:
        find_rivals(e, &a, &b);
        say(s,
            "Node %s is undecided, mainly between class %s and class %s (entropy "
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
    OPN_RETURN_IF_NULL(explanation, "");
    return ((const opn_i_explanation *)(const void *)explanation)->sentence;
}
