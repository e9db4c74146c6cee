// folder_words.h -- what the words in people's tables mean: names of columns, and values
// that are not numbers.

#ifndef OPN_FOLDER_WORDS_H
#define OPN_FOLDER_WORDS_H

#include <stdbool.h>

typedef enum opn_i_meaning {
    OPN_MEANS_NODE,    // certainly the node of a row
    OPN_MEANS_ID,      // perhaps the node of a row
    OPN_MEANS_SOURCE,  // of an edge
    OPN_MEANS_TARGET,  // of an edge
    OPN_MEANS_WEIGHT,  // of an edge
    OPN_MEANS_ASIDE,   // of an edge, but not its weight
    OPN_MEANS_LABEL,   // certainly
    OPN_MEANS_CLASS,   // perhaps the label
    OPN_MEANS_FEATURE, // its name, where each row holds one value
    OPN_MEANS_VALUE,   // of that feature
    OPN_MEANS_ROLE,    // in a split
    OPN_MEANS_TRAIN,   // a mask of a split, as are the next three
    OPN_MEANS_VALIDATION,
    OPN_MEANS_CALIBRATION,
    OPN_MEANS_TEST,
    OPN_MEANS_PREDICTION, // of a model
    OPN_MEANS_MISSING,    // these three are values
    OPN_MEANS_TRUE,
    OPN_MEANS_FALSE
} opn_i_meaning;

// Whether the word has that meaning, in upper or lower case. In names of columns, blanks
// and the characters _ - . do not count: "Node ID" is "node_id".
bool opn_i_word_means(const char *word, opn_i_meaning meaning);

// The place of the word among those of that meaning, the most telling first; -1 if it is
// not one of them.
int opn_i_word_rank(const char *word, opn_i_meaning meaning);

// How well the name of a column says that it holds the nodes; small is better. Below 0
// the first column says so, below OPN_PERHAPS_NODE another does, INT_MAX is no such name.
enum { OPN_PERHAPS_NODE = 100 };
int opn_i_node_rank(const char *name, bool is_first);
bool opn_i_names_node(const char *name);

// Whether the name of a column says that it may hold the label.
bool opn_i_names_label(const char *name);

// Whether the name of a column says nothing, as that of an index of pandas: it is empty,
// or what pandas makes of an empty one.
bool opn_i_is_unnamed(const char *name);

// Whether a value stands for none: empty, NA, NaN, None, …
bool opn_i_is_missing(const char *text);

#endif // OPN_FOLDER_WORDS_H
