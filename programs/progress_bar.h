// progress_bar.h -- formats the progress of a stage as one line of a given width.

#ifndef OPINE_PROGRESS_BAR_H
#define OPINE_PROGRESS_BAR_H

#include <opine/opine.h>

#include <stdbool.h>

// How fast a stage progresses. Unknown values are negative.
typedef struct bar_pace {
    double a_second; // in units of the progress
    double seconds_left;
} bar_pace;

enum { BAR_ROOM = 1024 }; // bytes of a line, including the NUL

// A character on a terminal.
typedef struct text_character {
    int n_bytes;   // 1 for a byte that is not UTF-8
    int n_columns; // 2 for a wide one, 0 for an accent, 1 for a '?' in its place
    bool is_plain; // if not: a control or direction mark, or not UTF-8; shown as '?'
} text_character;

// The first character of a non-empty text.
text_character text_character_at(const char *text);

// Columns that a text takes on a terminal; wide characters take two, accents none, and
// bytes that are not UTF-8 one each.
int text_columns(const char *text);

// Writes "model [####----]  50% 100/200 epochs, loss 0.5231, 80 epochs/s, 0:01 left" in
// at most n_columns columns. What does not fit is dropped: the rate first, then the note
// from its end, the unit, the count, the time and the bar; the rest is truncated. Without
// UTF-8 only ASCII is written. Control characters are shown as '?'.
void bar_format(const opn_progress *progress,
                const bar_pace *pace,
                int n_columns,
                bool has_utf8,
                char line[BAR_ROOM]);

#endif // OPINE_PROGRESS_BAR_H
