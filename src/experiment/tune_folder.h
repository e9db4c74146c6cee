// tune_folder.h -- trials kept in a folder as they come.

#ifndef OPN_TUNE_FOLDER_H
#define OPN_TUNE_FOLDER_H

#include "experiment/journal.h"
#include "experiment/tune_trial.h"
#include "io/sha256.h"

// FOLDER/trials.jsonl, of records opn_trial_run; the folder is made where there is none.
// Errors: as opn_i_journal_open().
OPN_NODISCARD opn_status opn_i_tune_folder_open(opn_ctx *ctx,
                                                const char *folder,
                                                opn_i_journal **out);

// A hash of all that a run of a trial depends on: two with one key are the same.
OPN_NODISCARD opn_status opn_i_tune_key(opn_ctx *ctx,
                                        const char *data_hash,
                                        const opn_i_model_kind *kind,
                                        const opn_i_trial *trial,
                                        char key[OPN_SHA256_TEXT]);

// Keeps a run of trial t, with what it is a run of. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_tune_folder_add(opn_ctx *ctx,
                                               opn_i_journal *journal,
                                               const char *key,
                                               const opn_i_trial *trial,
                                               int32_t t,
                                               const opn_trial_run *run);

#endif // OPN_TUNE_FOLDER_H
