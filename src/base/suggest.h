// suggest.h -- suggestions for mistyped words.

#ifndef OPN_SUGGEST_H
#define OPN_SUGGEST_H

#include "opine/base.h"

#include <stdbool.h>

enum { OPN_SUGGESTION_ROOM = 64 };

// The choice in "a|b|c" closest to a word of n_word characters. False if none is close.
bool opn_i_suggest_choice(const char *choices,
                          const char *word,
                          size_t n_word,
                          char out[OPN_SUGGESTION_ROOM]);

#endif // OPN_SUGGEST_H
