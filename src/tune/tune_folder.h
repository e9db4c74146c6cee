// tune_folder.h -- saves trials to a folder as they finish.

#ifndef OPN_TUNE_FOLDER_H
#define OPN_TUNE_FOLDER_H

#include "experiment/journal.h"
#include "io/sha256.h"
#include "tune/tune_trial.h"

// Opens FOLDER/trials.jsonl, or the file of a shard in FOLDER/trials.d, with records
// opn_trial_run, creating the folder if needed. Errors: as opn_i_journal_open().
OPN_NODISCARD opn_status opn_i_tune_folder_open(opn_ctx *ctx,
                                                const char *folder,
                                                opn_i_shard *shard,
                                                opn_i_journal **out);

// A hash of everything that a run of a trial depends on: runs with equal keys are equal.
OPN_NODISCARD opn_status opn_i_tune_key(opn_ctx *ctx,
                                        const char *data_hash,
                                        const opn_i_model_kind *kind,
                                        const opn_i_trial *trial,
                                        char key[OPN_SHA256_TEXT]);

// Saves a run of trial t, with a description of the trial. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_tune_folder_add(opn_ctx *ctx,
                                               opn_i_journal *journal,
                                               const char *key,
                                               const opn_i_trial *trial,
                                               int32_t t,
                                               const opn_trial_run *run);

#endif // OPN_TUNE_FOLDER_H
