// roles.h -- the names of roles in files.

#ifndef OPN_ROLES_H
#define OPN_ROLES_H

#include "opine/split.h"

#include <stdbool.h>

#define OPN_ROLE_WORDS "train, validation, test, pool or unlabelled"

// The role of that name, in upper or lower case; also accepts "val", "valid" and other
// usual words. False if there is none.
bool opn_i_role_parse(const char *text, uint8_t *role);

// Only a labelled node can train or validate.
bool opn_i_role_fits(uint8_t role, int32_t label);

#endif // OPN_ROLES_H
