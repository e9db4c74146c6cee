// suggest.h -- what a mistyped word was meant to be.

#ifndef OPN_SUGGEST_H
#define OPN_SUGGEST_H

#include "opine/base.h"

#include <stdbool.h>

enum { OPN_SUGGESTION_ROOM = 64 };

// The choice of "a|b|c" nearest to a word of n_word characters. False when none is near.
bool opn_i_suggest_choice(const char *choices,
                          const char *word,
                          size_t n_word,
                          char out[OPN_SUGGESTION_ROOM]);

#endif // OPN_SUGGEST_H
