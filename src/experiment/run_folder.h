// run_folder.h -- results kept in a folder as they come: cells, trained models, manifest.
//
// cells.jsonl has one result a line and is only ever appended to; a line that a crash has
// cut short is taken away before the next is written. models/ has the trained models.

#ifndef OPN_RUN_FOLDER_H
#define OPN_RUN_FOLDER_H

#include "experiment/evaluation_data.h"

#include <jansson.h>
#include <stdbool.h>

typedef struct opn_i_run_folder opn_i_run_folder;

// Opens a folder, which is made where there is none.
// Errors: READ, WRITE (the message says what the system said, or that another run has
// it), FORMAT (a line that is no result; the message names it), NOMEM.
OPN_NODISCARD opn_status opn_i_run_folder_open(opn_ctx *ctx,
                                               const char *path,
                                               opn_i_run_folder **out);
void opn_i_run_folder_close(opn_i_run_folder *folder); // accepts NULL

const char *opn_i_run_folder_path(const opn_i_run_folder *folder);

// Whether there is a result under that key. Safe from several threads.
bool opn_i_run_folder_find(opn_i_run_folder *folder, const char *key, opn_cell *out);

// Keeps a result, at once and for good; `about` is what else the line should tell, and is
// consumed. Safe from several threads. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_run_folder_add(opn_ctx *ctx,
                                              opn_i_run_folder *folder,
                                              const char *key,
                                              json_t *about,
                                              const opn_cell *cell);

// FOLDER/models/NAME.safetensors, to be freed.
OPN_NODISCARD opn_status opn_i_run_folder_model(opn_ctx *ctx,
                                                const char *folder,
                                                const char *name,
                                                char **out);

// Puts an entry into FOLDER/manifest.json, in place of the one with the same "id".
// `entry` is consumed. Errors: READ, FORMAT, WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_run_folder_note(opn_ctx *ctx,
                                               const opn_i_run_folder *folder,
                                               json_t *entry);

#endif // OPN_RUN_FOLDER_H
