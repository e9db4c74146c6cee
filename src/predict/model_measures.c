// model_measures.c -- which measures each kind of model has.

#include "predict/model_measures.h"

// Bits OPN_NEEDS_... A Dirichlet prior network has evidence, but it does not represent
// belief; its Dirichlet is a distribution over p.
static unsigned gives(const opn_i_model_kind *kind)
{
    const bool has_belief =
            opn_i_head_has_evidence(kind->head) && !kind->head->has_closed_form;
    const bool has_spread = kind->is_sampled || kind->head->has_closed_form;
    return (has_belief ? OPN_NEEDS_BELIEF : 0u) | (has_spread ? OPN_NEEDS_SPREAD : 0u) |
           (kind->has_teacher ? OPN_NEEDS_TEACHER : 0u);
}

bool opn_i_kind_measures(const opn_i_model_kind *kind, int m)
{
    return (opn_i_measure_at(m)->needs & ~gives(kind)) == 0;
}

int opn_model_measures(const opn_model *model, opn_measure measure)
{
    OPN_RETURN_IF_NULL(model, 0);
    const bool needs_teacher =
            (opn_i_measure_at((int)measure)->needs & OPN_NEEDS_TEACHER) != 0;
    return opn_i_kind_measures(model->kind, (int)measure) &&
           (!needs_teacher || opn_i_model_has_teacher(model));
}
