// journal.h -- results kept in a file as they come, one JSON object a line.
//
// The file is only ever appended to; a line that a crash has cut short is taken away
// before the next is written.

#ifndef OPN_JOURNAL_H
#define OPN_JOURNAL_H

#include "base/context.h"

#include <jansson.h>

// What the lines of a journal are: records of one size, which hold no pointers.
typedef struct opn_i_journal_kind {
    const char *file; // within the folder: "cells.jsonl"
    const char *what; // for messages: "result of an evaluation"
    size_t n_bytes;   // of a record
    bool (*to_json)(const void *record, json_t *object); // false: out of memory
    bool (*from_json)(const json_t *object, void *record);
} opn_i_journal_kind;

typedef struct opn_i_journal opn_i_journal;

// Makes a folder where there is none. Errors: WRITE.
OPN_NODISCARD opn_status opn_i_make_folder(opn_ctx *ctx, const char *path);

// Opens the journal of a folder that is there, and reads it. `kind` is borrowed.
// Errors: READ, WRITE (the message says what the system said, or that another run has
// it), FORMAT (a line that is none of the kind; the message names it), NOMEM.
OPN_NODISCARD opn_status opn_i_journal_open(opn_ctx *ctx,
                                            const char *folder,
                                            const opn_i_journal_kind *kind,
                                            opn_i_journal **out);
void opn_i_journal_close(opn_i_journal *journal); // accepts NULL

// Whether there is a record under that key, the last one. Safe from several threads.
bool opn_i_journal_find(opn_i_journal *journal, const char *key, void *record);

// Keeps a record, at once and for good; `about` is what else the line should tell, and is
// consumed. Safe from several threads. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_journal_add(opn_ctx *ctx,
                                           opn_i_journal *journal,
                                           const char *key,
                                           json_t *about,
                                           const void *record);

#endif // OPN_JOURNAL_H
