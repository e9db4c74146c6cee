// suggest.c -- suggestions for mistyped words.

#include "base/suggest.h"

#include "base/context.h"

#include <limits.h>
#include <string.h>

enum {
    MIN_BEGINNING = 3, // letters a prefix needs to identify a word
    LETTER = 2         // cost of a wrong letter
};

typedef struct span {
    const char *text;
    size_t n;
} span;

// Words are compared without regard to case. Only ASCII letters are folded, since option
// names use no others.
static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

// Cost of inserting or deleting a character. Separators are cheaper because people guess
// them, so that s-bgcn-tk is closer to s-bgcn-t-k than to s-bgcn-t.
static int cost_of(char c)
{
    return c == '-' || c == '_' || c == ' ' ? LETTER / 2 : LETTER;
}

// Cost of the insertions, deletions and changes that turn one word into the other;
// INT_MAX for words longer than any candidate.
static int distance_between(span a, span b)
{
    int row[OPN_SUGGESTION_ROOM] = {0};
    if (a.n >= OPN_SUGGESTION_ROOM || b.n >= OPN_SUGGESTION_ROOM)
        return INT_MAX;
    for (size_t j = 1; j <= b.n; j++)
        row[j] = row[j - 1] + cost_of(b.text[j - 1]);
    for (size_t i = 1; i <= a.n; i++) {
        const int deletion = cost_of(a.text[i - 1]);
        int diagonal = row[0];
        row[0] += deletion;
        for (size_t j = 1; j <= b.n; j++) {
            const bool is_same = lower(a.text[i - 1]) == lower(b.text[j - 1]);
            const int changed = diagonal + (is_same ? 0 : LETTER);
            diagonal = row[j];
            row[j] = least(changed,
                           least(row[j] + deletion, row[j - 1] + cost_of(b.text[j - 1])));
        }
    }
    return row[b.n];
}

static bool begins_with(span whole, span part)
{
    if (part.n < MIN_BEGINNING || part.n > whole.n)
        return false;
    for (size_t c = 0; c < part.n; c++)
        if (lower(part.text[c]) != lower(whole.text[c]))
            return false;
    return true;
}

// Takes the candidate if it is closer than the best so far; a prefix counts as one wrong
// letter.
static void consider(span word, span candidate, span *best, int *best_distance)
{
    int distance = distance_between(word, candidate);
    if (begins_with(candidate, word))
        distance = least(distance, LETTER);
    if (distance > *best_distance || (best->text != NULL && distance == *best_distance))
        return;
    *best = candidate;
    *best_distance = distance;
}

// Up to a third of the letters may be wrong.
static int most_wrong(span word)
{
    return word.n == 0 ? -1 : LETTER * (1 + (int)(word.n / 3));
}

const char *opn_text_nearest(const char *word, const char *const *candidates, size_t n)
{
    OPN_RETURN_IF_NULL(word, NULL);
    const span wanted = {word, strlen(word)};
    span best = {0};
    int best_distance = most_wrong(wanted);
    for (size_t c = 0; candidates != NULL && c < n; c++)
        consider(wanted, (span){candidates[c], strlen(candidates[c])}, &best,
                 &best_distance);
    return best.text;
}

bool opn_i_suggest_choice(const char *choices,
                          const char *word,
                          size_t n_word,
                          char out[OPN_SUGGESTION_ROOM])
{
    const span wanted = {word, n_word};
    span best = {0};
    int best_distance = most_wrong(wanted);
    while (*choices != 0) {
        const size_t n = strcspn(choices, "|");
        consider(wanted, (span){choices, n}, &best, &best_distance);
        choices += n + (choices[n] == '|');
    }
    if (best.text != NULL) {
        memcpy(out, best.text, best.n);
        out[best.n] = 0;
    }
    return best.text != NULL;
}
