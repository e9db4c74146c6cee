// journal.h -- saves results to a folder as they arrive, one JSON object per line.
//
// An undivided run appends to one file, FOLDER/cells.jsonl, and truncates a line that a
// crash has cut short before it writes the next. A shard has a file of its own beside
// those of others, FOLDER/cells.d/I-of-N.jsonl. Both read all files.

#ifndef OPN_JOURNAL_H
#define OPN_JOURNAL_H

#include "experiment/run_shard.h"

#include <jansson.h>

// What the lines of a journal hold: records of fixed size without pointers.
typedef struct opn_i_journal_kind {
    const char *file;   // within the folder: "cells.jsonl"
    const char *shards; // the folder of those of shards: "cells.d"
    const char *what;   // for messages: "result of an evaluation"
    size_t n_bytes;     // per record
    bool (*to_json)(const void *record, json_t *object); // false: out of memory
    bool (*from_json)(const json_t *object, void *record);
} opn_i_journal_kind;

typedef struct opn_i_journal opn_i_journal;

// Creates a folder if it does not exist. Errors: WRITE.
OPN_NODISCARD opn_status opn_i_make_folder(opn_ctx *ctx, const char *path);

// Opens the journal of a folder, which is created if it does not exist, and reads it.
// What was created and is still empty when it is closed is removed, except by a shard:
// others may be about to write there. `kind` and `shard` are borrowed; `shard`, NULL for
// an undivided run, counts what is added. Errors: READ, WRITE (the message has the
// system's reason, or says that another run is using it), FORMAT (an invalid line; the
// message names it), NOMEM.
OPN_NODISCARD opn_status opn_i_journal_open(opn_ctx *ctx,
                                            const char *folder,
                                            const opn_i_journal_kind *kind,
                                            opn_i_shard *shard,
                                            opn_i_journal **out);
void opn_i_journal_close(opn_i_journal *journal); // accepts NULL

// Reads what shards have added since it was opened or last refreshed. Thread-safe.
// Errors: READ, FORMAT, NOMEM.
OPN_NODISCARD opn_status opn_i_journal_refresh(opn_ctx *ctx, opn_i_journal *journal);

// Finds the last record with that key; false if there is none. Thread-safe.
bool opn_i_journal_find(opn_i_journal *journal, const char *key, void *record);

// Saves a record to disk at once. `about` is what else the line should record, and is
// consumed. Thread-safe. Errors: WRITE, NOMEM; for a shard also READ and FORMAT.
OPN_NODISCARD opn_status opn_i_journal_add(opn_ctx *ctx,
                                           opn_i_journal *journal,
                                           const char *key,
                                           json_t *about,
                                           const void *record);

#endif // OPN_JOURNAL_H
