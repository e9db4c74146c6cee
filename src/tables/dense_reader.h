// dense_reader.h -- a table of features with one row per node, while it is read.

#ifndef OPN_DENSE_READER_H
#define OPN_DENSE_READER_H

#include "tables/folder_reader.h"

typedef enum opn_i_column_use {
    OPN_COLUMN_NUMBERS,
    OPN_COLUMN_BOOLEANS, // yes and no
    OPN_COLUMN_WORDS,    // a feature for each
    OPN_COLUMN_NODES,    // names the nodes; this and what follows is no feature
    OPN_COLUMN_INDEX,    // has no name, beside one that names the nodes
    OPN_COLUMN_EMPTY,    // only missing values
    OPN_COLUMN_TEXTS     // too many words
} opn_i_column_use;

typedef struct opn_i_dense_column {
    opn_i_names words; // those that are not numbers; all values, if may_be_node
    opn_i_names ids;   // all values, if may_be_ids
    bool may_be_node;  // by its name
    bool may_be_ids;   // by its values so far: all different, and none a fraction
    bool is_index;     // has no name
    bool has_word, has_number;
    size_t n_missing;
    size_t twice_line;   // where a value of may_be_node is repeated, or 0
    int32_t twice_word;  // that value
    size_t unnamed_line; // where it is missing, or 0
    opn_i_column_use use;
    int32_t first;      // its first feature
    int32_t n_features; // of which the last says what is missing, if n_missing > 0
} opn_i_dense_column;

// A value that is not a number; word -1 for one that is missing.
typedef struct opn_i_word_entry {
    int32_t row;
    int32_t column;
    int32_t word;
} opn_i_word_entry;

typedef struct opn_i_dense_reader {
    opn_i_folder *folder; // whose entries have rows and columns for nodes and features
    opn_i_table *table;
    opn_i_names head; // names of the columns, or their numbers
    bool has_header;
    bool has_decimal_comma; // some number has a comma for its point
    size_t head_line;
    opn_i_dense_column *column; // [n_columns]
    size_t n_columns;
    size_t node; // the column that names the nodes; OPN_NO_COLUMN: rows are 0, 1, …
    opn_i_word_entry *word;
    size_t n_words, word_room;
    size_t n_rows;
} opn_i_dense_reader;

// Whether the text is a number with a currency, % or separators of thousands, which is
// not read as one; and what to do about it.
bool opn_i_is_dressed_number(const char *text);
#define OPN_UNDRESS "write numbers without currency, % and thousands separators"

// Finds the column that names the nodes, once all rows are read, and declares these; node
// [n_rows] receives the node of each row. Notes what is not obvious.
// Errors: FORMAT (a node without a name or twice, two columns that could name them).
OPN_NODISCARD opn_status opn_i_dense_find_nodes(opn_i_dense_reader *d, int32_t *node);

// Makes features of the columns, names them, and moves all entries to them; node [n_rows]
// is the node of each row. Notes what is not obvious.
OPN_NODISCARD opn_status opn_i_dense_settle(opn_i_dense_reader *d, const int32_t *node);

#endif // OPN_DENSE_READER_H
