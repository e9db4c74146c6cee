// progress_bar.h -- one line that tells how far a stage has come, for a given width.

#ifndef OPINE_PROGRESS_BAR_H
#define OPINE_PROGRESS_BAR_H

#include <opine/opine.h>

#include <stdbool.h>

// How fast a stage comes on, by the clock. What is not known is negative.
typedef struct bar_pace {
    double a_second; // of the unit of the progress
    double seconds_left;
} bar_pace;

enum { BAR_ROOM = 1024 }; // bytes of a line, NUL included

// A character on a terminal.
typedef struct text_character {
    int n_bytes;   // 1 for a byte that is no UTF-8
    int n_columns; // 2 for a wide one, 0 for an accent, 1 for a '?' in its place
    bool is_plain; // else it is a control or direction mark, or no UTF-8: shows as '?'
} text_character;

// The first character of a text that is not empty.
text_character text_character_at(const char *text);

// Columns that a text takes on a terminal; wide characters take two, accents none. Of
// what is no UTF-8 each byte takes one.
int text_columns(const char *text);

// Writes "model [####----]  50% 100/200 epochs, loss 0.5231, 80 epochs/s, 0:01 left" in
// at most n_columns columns: what has no room is left out, the rate first, then the note
// from its end, the unit, the count, the time, the bar, and the rest is cut. Without
// UTF-8 only ASCII is written. Control characters show as '?'.
void bar_format(const opn_progress *progress,
                const bar_pace *pace,
                int n_columns,
                bool has_utf8,
                char line[BAR_ROOM]);

#endif // OPINE_PROGRESS_BAR_H
