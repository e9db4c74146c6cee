// progress_bar.c -- formats the progress of a stage as one line of a given width.

#include "progress_bar.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

enum { LEAST_CELLS = 8, MOST_CELLS = 40, PERCENT_COLUMNS = 5, TEXT_ROOM = 160 };

// ---- characters ----------------------------------------------------------------------

// Controls, and characters that change the text direction or break the line.
static bool is_control(utf8proc_int32_t code)
{
    const int bounds = utf8proc_get_property(code)->boundclass;
    return bounds == UTF8PROC_BOUNDCLASS_CONTROL || bounds == UTF8PROC_BOUNDCLASS_CR ||
           bounds == UTF8PROC_BOUNDCLASS_LF;
}

// utf8proc gives spacing vowel signs no width, but most terminals give them a column: a
// line may be too short, never too long.
static int columns_of_character(utf8proc_int32_t code)
{
    const int bounds = utf8proc_get_property(code)->boundclass;
    const bool is_above_or_below =
            bounds == UTF8PROC_BOUNDCLASS_EXTEND || bounds == UTF8PROC_BOUNDCLASS_ZWJ;
    const int n_columns = utf8proc_charwidth(code);
    return n_columns == 0 && !is_above_or_below ? 1 : n_columns;
}

text_character text_character_at(const char *text)
{
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t n = utf8proc_iterate((const unsigned char *)text, -1, &code);
    const bool is_plain = n > 0 && !is_control(code);
    return (text_character){.n_bytes = n > 0 ? (int)n : 1,
                            .n_columns = is_plain ? columns_of_character(code) : 1,
                            .is_plain = is_plain};
}

int text_columns(const char *text)
{
    int n_columns = 0;
    while (*text != 0) {
        const text_character c = text_character_at(text);
        n_columns += c.n_columns;
        text += c.n_bytes;
    }
    return n_columns;
}

// A line being written.
typedef struct bar_line {
    char *text;
    size_t n;
    int n_columns; // still free
    bool has_utf8;
} bar_line;

static void put(bar_line *line, const char *text)
{
    while (*text != 0) {
        const text_character c = text_character_at(text);
        const bool is_shown = c.is_plain && (c.n_bytes == 1 || line->has_utf8);
        const int n_columns = is_shown ? c.n_columns : 1;
        const size_t n_bytes = is_shown ? (size_t)c.n_bytes : 1;
        if (n_columns > line->n_columns || line->n + n_bytes >= BAR_ROOM)
            break;
        memcpy(line->text + line->n, is_shown ? text : "?", n_bytes);
        line->n += n_bytes;
        line->n_columns -= n_columns;
        text += c.n_bytes;
    }
    line->text[line->n] = 0;
}

// ---- parts ---------------------------------------------------------------------------

// What follows the stage name; empty strings are omitted.
typedef struct bar_parts {
    bool has_share; // the total is known, so bar and percent are too
    bool has_bar, has_percent;
    char count[TEXT_ROOM];
    char unit[TEXT_ROOM];
    char note[TEXT_ROOM];
    char rate[TEXT_ROOM];
    char left[TEXT_ROOM];
} bar_parts;

// Bytes are shown in megabytes.
static void format_counts(const opn_progress *p, const bar_pace *pace, bar_parts *parts)
{
    const bool is_bytes = strcmp(p->unit, "bytes") == 0;
    const double scale = is_bytes ? 1e-6 : 1.0;
    const int n_digits = is_bytes ? 1 : 0;
    const char *unit = is_bytes ? "MB" : p->unit;
    snprintf(parts->unit, TEXT_ROOM, " %s", unit);
    if (p->total > 0)
        snprintf(parts->count, TEXT_ROOM, " %.*f/%.*f", n_digits, scale * (double)p->done,
                 n_digits, scale * (double)p->total);
    else
        snprintf(parts->count, TEXT_ROOM, " %.*f", n_digits, scale * (double)p->done);
    if (pace->a_second >= 1.0) // for anything slower the rate is not informative
        snprintf(parts->rate, TEXT_ROOM, ", %.*f %s/s", n_digits, scale * pace->a_second,
                 unit);
}

static void format_time(double seconds, char *out)
{
    const double most = 100.0 * 3600.0; // longer estimates are guesses
    if (!(seconds >= 0.0 && seconds < most))
        return;
    const int whole = (int)seconds;
    if (whole < 3600)
        snprintf(out, TEXT_ROOM, ", %d:%02d left", whole / 60, whole % 60);
    else
        snprintf(out, TEXT_ROOM, ", %d:%02d:%02d left", whole / 3600, whole / 60 % 60,
                 whole % 60);
}

static int columns_of(const char *stage, const bar_parts *parts, int n_cells)
{
    return text_columns(stage) + (parts->has_bar ? 3 + n_cells : 0) +
           (parts->has_percent ? PERCENT_COLUMNS : 0) + text_columns(parts->count) +
           text_columns(parts->unit) + text_columns(parts->note) +
           text_columns(parts->rate) + text_columns(parts->left);
}

// Drops the least important part. False if nothing is left to drop.
static bool drop_one(bar_parts *parts)
{
    char *last_of_note = strrchr(parts->note, ',');
    if (parts->rate[0] != 0)
        parts->rate[0] = 0;
    else if (last_of_note != NULL)
        *last_of_note = 0;
    else if (parts->unit[0] != 0 && parts->has_share)
        parts->unit[0] = 0;
    else if (parts->count[0] != 0) { // the percentage says most of it
        parts->count[0] = 0;
        parts->unit[0] = 0;
    } else if (parts->left[0] != 0)
        parts->left[0] = 0;
    else if (parts->has_bar)
        parts->has_bar = false;
    else if (parts->has_percent)
        parts->has_percent = false;
    else
        return false;
    return true;
}

// ---- line ----------------------------------------------------------------------------

static void put_bar(bar_line *line, double share, int n_cells)
{
    const int n_filled = share < 1.0 ? (int)(share * n_cells) : n_cells;
    put(line, line->has_utf8 ? " " : " [");
    for (int c = 0; c < n_cells; c++)
        put(line,
            c < n_filled ? (line->has_utf8 ? "█" : "#") : (line->has_utf8 ? "░" : "-"));
    put(line, line->has_utf8 ? "" : "]");
}

void bar_format(const opn_progress *progress,
                const bar_pace *pace,
                int n_columns,
                bool has_utf8,
                char line[BAR_ROOM])
{
    bar_parts parts = {.has_share = progress->total > 0};
    bar_line out = {.text = line, .n_columns = n_columns, .has_utf8 = has_utf8};
    const double share =
            parts.has_share ? (double)progress->done / (double)progress->total : 0.0;
    char percent[16];
    parts.has_bar = parts.has_share;
    parts.has_percent = parts.has_share;
    format_counts(progress, pace, &parts);
    if (progress->note != NULL)
        snprintf(parts.note, TEXT_ROOM, ", %s", progress->note);
    format_time(pace->seconds_left, parts.left);
    while (columns_of(progress->stage, &parts, LEAST_CELLS) > n_columns &&
           drop_one(&parts))
        ;
    const int n_free = n_columns - columns_of(progress->stage, &parts, 0);
    line[0] = 0;
    put(&out, progress->stage);
    if (parts.has_bar)
        put_bar(&out, share, n_free < MOST_CELLS ? n_free : MOST_CELLS);
    snprintf(percent, sizeof(percent), " %3.0f%%", 100.0 * share);
    put(&out, parts.has_percent ? percent : "");
    put(&out, parts.count);
    put(&out, parts.unit);
    put(&out, parts.note);
    put(&out, parts.rate);
    put(&out, parts.left);
}
