// roles.h -- the names of roles in files.

#ifndef OPN_ROLES_H
#define OPN_ROLES_H

#include "opine/split.h"

#include <stdbool.h>

#define OPN_ROLE_WORDS "train, validation, calibration, test, pool or unlabelled"

// The role of that name, in upper or lower case; also accepts "val", "valid" and other
// usual words. False if there is none.
bool opn_i_role_parse(const char *text, uint8_t *role);

// Whether its label is used before anything is tested: to train, validate or calibrate.
bool opn_i_role_learns(uint8_t role);

// Only a labelled node can learn.
bool opn_i_role_fits(uint8_t role, int32_t label);

// What a node that learns is used to do: "train".
const char *opn_i_role_verb(uint8_t role);

#endif // OPN_ROLES_H
