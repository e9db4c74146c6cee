// run_folder.h -- saves results to a folder as they arrive: cells, models, manifest.
//
// cells.jsonl has one result per line, and so has the file of each shard in cells.d.
// models/ has the trained models, manifest.json what undivided runs have evaluated.

#ifndef OPN_RUN_FOLDER_H
#define OPN_RUN_FOLDER_H

#include "experiment/evaluation_data.h"
#include "experiment/run_shard.h"

#include <jansson.h>
#include <stdbool.h>

typedef struct opn_i_run_folder opn_i_run_folder;

// Opens a folder, creating it if needed. `shard` is borrowed, or NULL for an undivided
// run, of which there may be one at a time beside any number of shards.
// Errors: READ, WRITE (the message has the system's reason, or says that another run is
// using it), FORMAT (an invalid line; the message names it), NOMEM.
OPN_NODISCARD opn_status opn_i_run_folder_open(opn_ctx *ctx,
                                               const char *path,
                                               opn_i_shard *shard,
                                               opn_i_run_folder **out);
void opn_i_run_folder_close(opn_i_run_folder *folder); // accepts NULL

const char *opn_i_run_folder_path(const opn_i_run_folder *folder);

// The part of the experiment that is done here; NULL for an undivided run.
opn_i_shard *opn_i_run_folder_shard(const opn_i_run_folder *folder);

// Reads what shards have saved since the folder was opened. Thread-safe. Errors: READ,
// FORMAT, NOMEM.
OPN_NODISCARD opn_status opn_i_run_folder_refresh(opn_ctx *ctx, opn_i_run_folder *folder);

// Finds the result with that key; false if there is none. Thread-safe.
bool opn_i_run_folder_find(opn_i_run_folder *folder, const char *key, opn_cell *out);

// Saves a result to disk at once. `about` is what else the line should record, and is
// consumed. Thread-safe. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_run_folder_add(opn_ctx *ctx,
                                              opn_i_run_folder *folder,
                                              const char *key,
                                              json_t *about,
                                              const opn_cell *cell);

// The names of the files with results, within a folder: that of undivided runs, and the
// folder of those of shards.
extern const char opn_i_cells_file[];   // "cells.jsonl"
extern const char opn_i_cells_shards[]; // "cells.d"

// Makes FOLDER/models if it is not there. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_run_folder_make_models(opn_ctx *ctx, const char *folder);

// FOLDER/models/NAME.safetensors, to be freed.
OPN_NODISCARD opn_status opn_i_run_folder_model(opn_ctx *ctx,
                                                const char *folder,
                                                const char *name,
                                                char **out);

// Adds an entry to FOLDER/manifest.json, replacing the one with the same "id". `entry` is
// consumed. Errors: READ, FORMAT, WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_run_folder_note(opn_ctx *ctx,
                                               const opn_i_run_folder *folder,
                                               json_t *entry);

#endif // OPN_RUN_FOLDER_H
