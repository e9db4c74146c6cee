// unlabelled_choice.c -- the term for unlabelled nodes that the parameters ask for.

#include "train/unlabelled_choice.h"

opn_i_unlabelled_kind opn_i_unlabelled_chosen(const opn_params *params)
{
    opn_i_unlabelled_kind kind = OPN_UNLABELLED_NONE;
    (void)opn_i_unlabelled_parse(opn_params_text(params, "unlabelled"), &kind);
    return kind;
}

opn_i_unlabelled_options opn_i_unlabelled_choose(const opn_params *params,
                                                 const opn_i_feature_matrix *features)
{
    const double length = opn_i_feature_matrix_length(features);
    return (opn_i_unlabelled_options){
            .kind = opn_i_unlabelled_chosen(params),
            .weight = opn_params_real(params, "unlabelled_weight"),
            .ramp = opn_params_real(params, "unlabelled_ramp"),
            .radius = length * opn_params_real(params, "vat_radius"),
            .step = length * opn_params_real(params, "vat_step"),
            .decay = opn_params_real(params, "mean_teacher_decay"),
            .noise = opn_params_real(params, "mean_teacher_noise"),
            .threshold = opn_params_real(params, "pseudo_label_threshold"),
            .seed = (uint64_t)opn_params_int(params, "seed"),
    };
}
