// unlabelled_choice.h -- the term for unlabelled nodes that the parameters ask for.

#ifndef OPN_UNLABELLED_CHOICE_H
#define OPN_UNLABELLED_CHOICE_H

#include "network/unlabelled.h"
#include "opine/params.h"

opn_i_unlabelled_kind opn_i_unlabelled_chosen(const opn_params *params);

// Lengths are fractions of the root mean square length of these features.
opn_i_unlabelled_options opn_i_unlabelled_choose(const opn_params *params,
                                                 const opn_i_feature_matrix *features);

#endif // OPN_UNLABELLED_CHOICE_H
