// table_writer.h -- folders of CSV files.

#ifndef OPN_TEST_TABLE_WRITER_H
#define OPN_TEST_TABLE_WRITER_H

#include "support/support.h"

// The texts of a folder's files; NULL for a file that is not there.
typedef struct tables {
    const char *edges;
    const char *features;
    const char *labels;
    const char *split;
    const char *classes;
} tables;

enum { N_TABLES = 5 };
extern const char *const table_names[N_TABLES];

// Three nodes that have names, weights and every file.
extern const tables tables_sample;

// The text of the table of this name.
const char *table_text(const tables *from, size_t t);

// path = folder/name followed by the suffix; returns path.
char *table_path(char path[SUPPORT_PATH],
                 const char *folder,
                 const char *name,
                 const char *suffix);

// Writes the files that are there, removes the others, and returns the bytes written.
size_t tables_write(const char *folder, const tables *from, const char *suffix);

#endif // OPN_TEST_TABLE_WRITER_H
