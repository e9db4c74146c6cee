// progress_bar.c -- one line that tells how far a stage has come, for a given width.

#include "progress_bar.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_CELLS = 8, MOST_CELLS = 40, PERCENT_COLUMNS = 5, TEXT_ROOM = 160 };

// ---- characters ----------------------------------------------------------------------

// Bytes of the UTF-8 character at `text`, with its number; 0 where there is none.
static int decode(const char *text, uint32_t *code)
{
    static const uint32_t first_of[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *c = (const unsigned char *)text;
    const int n = c[0] < 0x80             ? 1
                  : (c[0] & 0xe0) == 0xc0 ? 2
                  : (c[0] & 0xf0) == 0xe0 ? 3
                  : (c[0] & 0xf8) == 0xf0 ? 4
                                          : 0;
    *code = n == 1 ? c[0] : n > 0 ? c[0] & (0xffu >> (n + 1)) : 0;
    for (int b = 1; b < n; b++) {
        if ((c[b] & 0xc0) != 0x80) // the NUL at the end too
            return 0;
        *code = *code << 6 | (c[b] & 0x3f);
    }
    const bool is_surrogate = *code >= 0xd800 && *code < 0xe000;
    const bool is_in_range = n > 0 && *code >= first_of[n] && *code < 0x110000;
    return is_in_range && !is_surrogate ? n : 0;
}

// East Asian wide and fullwidth characters and pictures. A mark that combines with the
// character before counts as a column of its own: a line may be too short, never too
// long.
static bool is_wide(uint32_t code)
{
    static const uint32_t ranges[][2] = {
            {0x1100, 0x115f},   {0x231a, 0x231b},  {0x23e9, 0x23f3},   {0x25fd, 0x25fe},
            {0x2614, 0x27bf},   {0x2b1b, 0x2b55},  {0x2e80, 0x303e},   {0x3041, 0xa4cf},
            {0xa960, 0xa97c},   {0xac00, 0xd7a3},  {0xf900, 0xfaff},   {0xfe10, 0xfe6f},
            {0xff01, 0xff60},   {0xffe0, 0xffe6},  {0x16fe0, 0x18fff}, {0x1aff0, 0x1b2ff},
            {0x1f000, 0x1fbff}, {0x20000, 0x3fffd}};
    for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++)
        if (code >= ranges[r][0] && code <= ranges[r][1])
            return true;
    return false;
}

// C1 controls move a cursor as C0 ones do.
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

text_character text_character_at(const char *text)
{
    uint32_t code = 0;
    const int n = decode(text, &code);
    const bool is_plain = n > 0 && !is_control(code);
    return (text_character){.n_bytes = n > 0 ? n : 1,
                            .n_columns = is_plain && is_wide(code) ? 2 : 1,
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

// A line under way.
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

// What stands behind the stage; an empty text is left out.
typedef struct bar_parts {
    bool has_share; // the total is known, and with it bar and percent
    bool has_bar, has_percent;
    char count[TEXT_ROOM];
    char unit[TEXT_ROOM];
    char note[TEXT_ROOM];
    char rate[TEXT_ROOM];
    char left[TEXT_ROOM];
} bar_parts;

// Bytes are counted in megabytes.
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
    if (pace->a_second >= 1.0) // of what takes longer, the rate says nothing
        snprintf(parts->rate, TEXT_ROOM, ", %.*f %s/s", n_digits, scale * pace->a_second,
                 unit);
}

static void format_time(double seconds, char *out)
{
    const double most = 100.0 * 3600.0; // beyond this it is a guess
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

// Takes away what is missed least. False when nothing is left to take away.
static bool drop_one(bar_parts *parts)
{
    char *last_of_note = strrchr(parts->note, ',');
    if (parts->rate[0] != 0)
        parts->rate[0] = 0;
    else if (last_of_note != NULL)
        *last_of_note = 0;
    else if (parts->unit[0] != 0 && parts->has_share)
        parts->unit[0] = 0;
    else if (parts->count[0] != 0) { // the share tells most of it
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

// ---- the line ------------------------------------------------------------------------

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
