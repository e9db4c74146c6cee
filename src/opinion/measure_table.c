// measure_table.c -- the table of uncertainty measures and all their properties.

#include "opinion/measure_table.h"

#include "base/context.h"
#include "opinion/measures.h"

#include <math.h>
#include <string.h>

// ---- computation ---------------------------------------------------------------------

static double vacuity_of(const opn_i_opinion *x)
{
    return opn_i_vacuity(x->n_classes, x->alpha);
}

static double dissonance_of(const opn_i_opinion *x)
{
    return opn_i_dissonance(x->n_classes, x->alpha);
}

static double entropy_of(const opn_i_opinion *x)
{
    return opn_i_entropy(x->n_classes, x->p);
}

static double aleatoric_of(const opn_i_opinion *x)
{
    return x->is_closed ? opn_i_expected_entropy(x->n_classes, x->alpha)
                        : x->expected_entropy;
}

static double epistemic_of(const opn_i_opinion *x)
{
    return x->is_closed ? opn_i_mutual_information(x->n_classes, x->alpha)
                        : fmax(0.0, entropy_of(x) - x->expected_entropy);
}

// ---- the table -----------------------------------------------------------------------

// Vacuity, dissonance and belief are parts of one whole, so half of it is much; the
// entropies are not.
#define NAMED(text) .name = "" text, .smoothed_name = "" text "~"
#define OF_WHOLE    .some = 0.25, .much = 0.5, .low = 0.0, .high = 1.0
#define OF_ENTROPY  .some = 1.0 / 3.0, .much = 2.0 / 3.0, .low = 0.0, .high = 1.0
// A sum of four logarithms of vacuity: some and much are where each is that of 1/4 and
// of 1/2. Logits end at 60, so that no logarithm is below -61.
#define OF_FUSED  .some = -5.545, .much = -2.773, .low = -244.0, .high = 0.0
#define OF_MARGIN .some = -0.5, .much = -0.1, .low = -1.0, .high = 1.0

static const opn_i_measure measures[] = {
        [OPN_MEASURE_VACUITY] = {NAMED("vacuity"),
                                 .phrase = {"there is a lot of evidence",
                                            "there is some evidence",
                                            "there is little evidence"},
                                 OF_WHOLE, .needs = OPN_NEEDS_BELIEF,
                                 .decision = OPN_DECISION_OOD, .of = vacuity_of},
        [OPN_MEASURE_DISSONANCE] = {NAMED("dissonance"),
                                    .phrase = {"the evidence agrees",
                                               "the evidence conflicts somewhat",
                                               "the evidence conflicts"},
                                    OF_WHOLE, .needs = OPN_NEEDS_BELIEF,
                                    .decision = OPN_DECISION_MISCLASSIFIED,
                                    .of = dissonance_of},
        [OPN_MEASURE_ALEATORIC] = {NAMED("aleatoric"),
                                   .phrase = {"there is little noise in the data",
                                              "the data are somewhat noisy",
                                              "the data are noisy"},
                                   OF_ENTROPY, .needs = OPN_NEEDS_SPREAD,
                                   .decision = OPN_DECISION_MISCLASSIFIED,
                                   .of = aleatoric_of},
        [OPN_MEASURE_EPISTEMIC] = {NAMED("epistemic"),
                                   .phrase = {"the model is sure",
                                              "the model is somewhat unsure",
                                              "the model is unsure"},
                                   OF_ENTROPY, .needs = OPN_NEEDS_SPREAD,
                                   .decision = OPN_DECISION_MISCLASSIFIED,
                                   .of = epistemic_of},
        [OPN_MEASURE_ENTROPY] = {NAMED("entropy"),
                                 .phrase = {"one class stands out",
                                            "several classes are plausible",
                                            "the probability is spread over the classes"},
                                 OF_ENTROPY, .decision = OPN_DECISION_MISCLASSIFIED,
                                 .of = entropy_of},
        [OPN_MEASURE_FUSED] = {NAMED("fused"),
                               .phrase = {"there is a lot of evidence around the node",
                                          "there is some evidence around the node",
                                          "there is little evidence around the node"},
                               OF_FUSED, .needs = OPN_NEEDS_BELIEF | OPN_NEEDS_TEACHER,
                               .decision = OPN_DECISION_OOD},
        [OPN_MEASURE_MARGIN] = {NAMED("margin"),
                                .phrase = {"the class stands out around the node",
                                           "other classes come close around the node",
                                           "another class is as likely around the node"},
                                OF_MARGIN, .needs = OPN_NEEDS_BELIEF | OPN_NEEDS_TEACHER,
                                .decision = OPN_DECISION_MISCLASSIFIED},
};
_Static_assert(sizeof(measures) / sizeof(measures[0]) == OPN_N_MEASURES,
               "every measure has its row");

const opn_i_measure *opn_i_measure_at(int m)
{
    return &measures[m];
}

opn_measure opn_i_recommended_measure(const char *task)
{
    return strcmp(task, "ood") == 0 ? OPN_MEASURE_VACUITY : OPN_MEASURE_DISSONANCE;
}

// ---- lookup --------------------------------------------------------------------------

int32_t opn_measure_count(void)
{
    return OPN_N_MEASURES;
}

const char *opn_measure_name(opn_measure measure)
{
    return measures[measure].name;
}

int32_t opn_measure_find(const char *name)
{
    OPN_RETURN_IF_NULL(name, -1);
    for (int32_t m = 0; m < OPN_N_MEASURES; m++)
        if (strcmp(measures[m].name, name) == 0)
            return m;
    return -1;
}

const char *opn_measure_phrase(opn_measure measure, double value)
{
    const opn_i_measure *m = &measures[measure];
    if (isnan(value))
        return "";
    return m->phrase[value < m->some ? 0 : value < m->much ? 1 : 2];
}

opn_decision opn_decision_for(opn_measure measure)
{
    return measures[measure].decision;
}

// ---- scores --------------------------------------------------------------------------

int32_t opn_score_count(void)
{
    return OPN_N_SCORES;
}

const char *opn_score_name(int32_t score)
{
    static const char *const rivals[] = {"gnnsafe", "1-max-p"};
    const bool is_smoothed = score >= OPN_SCORE_SMOOTHED;
    const int32_t of = score % OPN_SCORE_SMOOTHED;
    if (score >= OPN_SCORE_RIVALS)
        return rivals[score - OPN_SCORE_RIVALS];
    if (of == OPN_SCORE_ENERGY)
        return is_smoothed ? "energy~" : "energy";
    return is_smoothed ? measures[of].smoothed_name : measures[of].name;
}

int32_t opn_score_find(const char *name)
{
    OPN_RETURN_IF_NULL(name, -1);
    for (int32_t s = 0; s < OPN_N_SCORES; s++)
        if (strcmp(opn_score_name(s), name) == 0)
            return s;
    return -1;
}
