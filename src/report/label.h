// label.h -- makes names from any source safe to draw: valid, harmless, of known width.

#ifndef OPN_LABEL_H
#define OPN_LABEL_H

#include <stdbool.h>
#include <stddef.h>

enum { OPN_LABEL_ROOM = 1024 };

// Valid UTF-8 of characters that XML allows; not escaped, and never longer than its room.
typedef struct opn_i_label {
    char text[OPN_LABEL_ROOM]; // NUL-terminated
    double width;              // approximate, in em: a bit more than in most fonts
} opn_i_label;

// Takes as much of `text` (NULL means empty) as fits into `room` em and returns where the
// rest begins, NULL if there is none. If may_break and there is a space to break at, what
// does not fit goes to the rest; otherwise it is cut off and marked with "…".
//
// Invalid UTF-8 bytes become U+FFFD; white space becomes one blank; controls, marks that
// change the text direction and invisible characters are dropped; at most four marks per
// letter are kept. Cost: O(length of the text).
const char *
opn_i_label_take(const char *text, double room, bool may_break, opn_i_label *out);

// Number of lines, at most `most`, that the text takes when wrapped.
int opn_i_label_count_lines(const char *text, double room, int most);

#endif // OPN_LABEL_H
