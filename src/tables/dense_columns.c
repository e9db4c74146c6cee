// dense_columns.c -- makes features of the columns of a table with one row per node.

#include "base/number.h"
#include "tables/dense_reader.h"
#include "tables/folder_words.h"

#include <stdio.h>
#include <string.h>

// A column of more words than this, or of more than MANY_WORDS with fewer than two rows
// for each, holds names or texts, not categories.
enum { MAX_WORDS = 1000, MANY_WORDS = 20 };

// A column that might have named the nodes but does not is one like the others: its
// values are kept as text, which may be numbers.
static void release_candidate(opn_i_dense_reader *d, size_t f)
{
    opn_i_dense_column *column = &d->column[f];
    for (int64_t k = 0; k < column->words.n; k++) {
        const char *text = opn_i_names_at(&column->words, k);
        column->has_number = column->has_number || opn_i_is_number(text);
        column->has_word =
                column->has_word || !(opn_i_is_number(text) || opn_i_is_missing(text));
    }
}

static bool are_booleans(const opn_i_names *words)
{
    for (int64_t k = 0; k < words->n; k++)
        if (!opn_i_word_means(opn_i_names_at(words, k), OPN_MEANS_TRUE) &&
            !opn_i_word_means(opn_i_names_at(words, k), OPN_MEANS_FALSE))
            return false;
    return true;
}

static opn_i_column_use use_of(const opn_i_dense_reader *d, size_t f)
{
    const opn_i_dense_column *column = &d->column[f];
    const size_t n_words = (size_t)column->words.n;
    if (f == d->node)
        return OPN_COLUMN_NODES;
    if (column->is_index)
        return OPN_COLUMN_INDEX;
    if (!column->has_word)
        return column->has_number || d->n_rows == 0 ? OPN_COLUMN_NUMBERS
                                                    : OPN_COLUMN_EMPTY;
    if (column->has_number || n_words > MAX_WORDS ||
        (n_words > MANY_WORDS && 2 * n_words > d->n_rows))
        return OPN_COLUMN_TEXTS;
    return are_booleans(&column->words) ? OPN_COLUMN_BOOLEANS : OPN_COLUMN_WORDS;
}

// Adds a feature called NAME, or NAME and what follows it.
static opn_status
name_feature(opn_i_dense_reader *d, size_t f, const char *mark, const char *rest)
{
    opn_status status = OPN_OK;
    opn_i_text name = {.ctx = d->folder->ctx};
    const int64_t n_before = d->folder->features.n;
    int32_t feature = 0;
    opn_i_text_add(&name, "%s%s%s", opn_i_names_at(&d->head, (int64_t)f), mark, rest);
    OPN_TRY(name.status);
    OPN_TRY(opn_i_names_intern(d->folder->ctx, &d->folder->features,
                               opn_i_text_chars(&name), name.n, &feature));
    OPN_FAIL_IF(d->folder->ctx, feature < n_before, OPN_ERR_FORMAT,
                "%s:%zu: feature \"%s\" has two columns; give each a name of its own",
                d->table->path, d->head_line, opn_i_text_chars(&name));
cleanup:
    opn_i_text_free(&name);
    return status;
}

static opn_status name_features(opn_i_dense_reader *d, size_t f)
{
    opn_status status = OPN_OK;
    opn_i_dense_column *column = &d->column[f];
    if (column->may_be_node && f != d->node)
        release_candidate(d, f);
    column->use = use_of(d, f);
    column->first = (int32_t)d->folder->features.n;
    if (column->use > OPN_COLUMN_WORDS)
        goto cleanup;
    if (column->use == OPN_COLUMN_WORDS)
        for (int64_t k = 0; k < column->words.n; k++)
            OPN_TRY(name_feature(d, f, "=", opn_i_names_at(&column->words, k)));
    else
        OPN_TRY(name_feature(d, f, "", ""));
    if (column->n_missing > 0)
        OPN_TRY(name_feature(d, f, " is missing", ""));
    column->n_features = (int32_t)d->folder->features.n - column->first;
cleanup:
    return status;
}

// The feature that a value which is not a number belongs to, and what it is there; -1 if
// it belongs to none.
static int32_t
place_word(const opn_i_dense_reader *d, const opn_i_word_entry *w, double *value)
{
    const opn_i_dense_column *column = &d->column[w->column];
    *value = 1.0;
    if (column->use > OPN_COLUMN_WORDS)
        return -1;
    if (w->word < 0)
        return column->first + column->n_features - 1;
    if (column->use == OPN_COLUMN_WORDS)
        return column->first + w->word;
    const char *text = opn_i_names_at(&column->words, w->word);
    if (column->use == OPN_COLUMN_BOOLEANS) {
        *value = opn_i_word_means(text, OPN_MEANS_TRUE);
        return column->first;
    }
    // A number, or a word for none, of a column that might have named the nodes.
    const bool is_number = opn_i_parse_real(text, strlen(text), value);
    return is_number && opn_i_is_value(*value) ? column->first : -1;
}

// Gives the entries their nodes and features.
static opn_status settle_entries(opn_i_dense_reader *d, const int32_t *node)
{
    opn_status status = OPN_OK;
    opn_i_folder *folder = d->folder;
    size_t n_kept = 0;
    for (size_t e = 0; e < folder->n_entries; e++) {
        OPN_TRY_GO_ON(folder->ctx, e, "sorting the features");
        const opn_i_dense_column *column = &d->column[folder->col[e]];
        if (column->use > OPN_COLUMN_WORDS)
            continue; // numbers that turned out to name the nodes
        folder->row[n_kept] = node[folder->row[e]];
        folder->col[n_kept] = column->first;
        folder->value[n_kept++] = folder->value[e];
    }
    folder->n_entries = n_kept;
    for (size_t e = 0; e < d->n_words; e++) {
        double value = 0.0;
        const int32_t k = place_word(d, &d->word[e], &value);
        if (k >= 0)
            OPN_TRY(opn_i_put_entry(folder, node[d->word[e].row], k, value));
    }
cleanup:
    return status;
}

static opn_status note_use(const opn_i_dense_reader *d,
                           bool *chosen,
                           opn_i_column_use use,
                           const char *after,
                           const char *after_many)
{
    for (size_t f = 0; f < d->n_columns; f++)
        chosen[f] = d->column[f].use == use;
    return opn_i_note_columns(d->folder, d->table->path, &d->head, chosen, d->n_columns,
                              after, after_many);
}

// ---- notes ---------------------------------------------------------------------------

bool opn_i_is_dressed_number(const char *text)
{
    static const char *const marks[] = {",",        "%",       "$", "\xE2\x82\xAC",
                                        "\xC2\xA3", "\xC2\xA5"};
    bool has_digit = false;
    bool has_mark = false;
    const char *at = text + (text[0] == '-' || text[0] == '+');
    while (*at != 0) {
        const size_t n_plain = strspn(at, "0123456789. ");
        has_digit = has_digit || strcspn(at, "0123456789") < n_plain;
        at += n_plain;
        const char *before = at;
        for (size_t m = 0; m < sizeof(marks) / sizeof(marks[0]) && at == before; m++)
            if (strncmp(at, marks[m], strlen(marks[m])) == 0)
                at += strlen(marks[m]);
        if (at == before && *at != 0)
            return false;
        has_mark = has_mark || at > before;
    }
    return has_digit && has_mark;
}

// Numbers in another dress would be one feature for each, or none.
static opn_status note_dressed(const opn_i_dense_reader *d, bool *chosen)
{
    char after[160];
    char after_many[160];
    const char *example = NULL;
    for (size_t f = 0; f < d->n_columns; f++) {
        const opn_i_dense_column *column = &d->column[f];
        chosen[f] = column->use == OPN_COLUMN_WORDS || column->use == OPN_COLUMN_TEXTS;
        for (int64_t k = 0; k < column->words.n && chosen[f]; k++)
            chosen[f] = opn_i_is_dressed_number(opn_i_names_at(&column->words, k));
        if (chosen[f] && example == NULL)
            example = opn_i_names_at(&column->words, 0);
    }
    example = example == NULL ? "" : example;
    snprintf(after, sizeof(after), "holds \"%.32s\" and the like as words; %s", example,
             OPN_UNDRESS);
    snprintf(after_many, sizeof(after_many), "hold \"%.32s\" and the like as words; %s",
             example, OPN_UNDRESS);
    return opn_i_note_columns(d->folder, d->table->path, &d->head, chosen, d->n_columns,
                              after, after_many);
}

static opn_status note_uses(const opn_i_dense_reader *d)
{
    opn_status status = OPN_OK;
    bool *chosen = NULL;
    char after[96];
    char after_many[96];
    int64_t n_values = 0;
    OPN_TRY_NEW(d->folder->ctx, chosen, d->n_columns);
    for (size_t f = 0; f < d->n_columns; f++)
        n_values += d->column[f].use == OPN_COLUMN_WORDS ? d->column[f].words.n : 0;
    snprintf(after, sizeof(after), "holds words: %lld %s, one for each value",
             (long long)n_values, n_values == 1 ? "feature" : "features");
    snprintf(after_many, sizeof(after_many),
             "hold words: %lld features, one for each value", (long long)n_values);
    OPN_TRY(note_use(d, chosen, OPN_COLUMN_WORDS, after, after_many));
    OPN_TRY(note_use(d, chosen, OPN_COLUMN_TEXTS,
                     "has too many different words for a feature and is not used",
                     "have too many different words for features and are not used"));
    OPN_TRY(note_dressed(d, chosen));
    OPN_TRY(note_use(d, chosen, OPN_COLUMN_INDEX, "has no name and is not used", ""));
    OPN_TRY(note_use(d, chosen, OPN_COLUMN_EMPTY, "has no values and is not used",
                     "have no values and are not used"));
    if (d->has_decimal_comma)
        OPN_TRY(opn_i_graph_note(d->folder->ctx, d->folder->graph,
                                 "%s: a comma in a number is taken as its decimal point",
                                 d->folder->feature_file));
    for (size_t f = 0; f < d->n_columns; f++)
        chosen[f] = d->column[f].use <= OPN_COLUMN_WORDS && d->column[f].n_missing > 0;
    OPN_TRY(opn_i_note_columns(
            d->folder, d->table->path, &d->head, chosen, d->n_columns,
            "lacks values: they are 0, and one more feature marks them",
            "lack values: they are 0, and one more feature for each marks them"));
cleanup:
    opn_i_release(&d->folder->ctx->alloc, chosen);
    return status;
}

opn_status opn_i_dense_settle(opn_i_dense_reader *d, const int32_t *node)
{
    opn_status status = OPN_OK;
    for (size_t f = 0; f < d->n_columns; f++)
        OPN_TRY(name_features(d, f));
    OPN_TRY(settle_entries(d, node));
    OPN_TRY(note_uses(d));
cleanup:
    return status;
}
