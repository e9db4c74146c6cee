// label.h -- names from anywhere, made fit to be drawn: valid, harmless, of known width.

#ifndef OPN_LABEL_H
#define OPN_LABEL_H

#include <stdbool.h>
#include <stddef.h>

enum { OPN_LABEL_ROOM = 1024 };

// Valid UTF-8 of characters that XML allows, neither escaped nor longer than its room.
typedef struct opn_i_label {
    char text[OPN_LABEL_ROOM]; // ends in NUL
    double width;              // about, in em: somewhat more than in most fonts
} opn_i_label;

// Takes as much of `text` (NULL is none) as fits into `room` em and returns where the
// rest begins, NULL when there is none. What does not fit goes to the rest when may_break
// and there is a space to break at; else it is cut off, and "…" tells so.
//
// Bytes that are no UTF-8 become U+FFFD; white space becomes one blank; controls, marks
// that turn the direction of what follows, and signs that are not seen are dropped; of
// marks on one letter the first four stay. Cost: O(length of the text).
const char *
opn_i_label_take(const char *text, double room, bool may_break, opn_i_label *out);

// Number of lines, at most `most`, that the text takes when broken.
int opn_i_label_count_lines(const char *text, double room, int most);

#endif // OPN_LABEL_H
