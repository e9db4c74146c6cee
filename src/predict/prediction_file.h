// prediction_file.h -- predictions, read back from the file that opn_prediction_save()
// wrote.

#ifndef OPN_PREDICTION_FILE_H
#define OPN_PREDICTION_FILE_H

#include "base/names.h"
#include "predict/prediction_data.h"

// All that such a file says of V nodes; everything is owned. Nodes are in the file's
// order, and numbers for names are texts too.
typedef struct opn_i_prediction_file {
    int32_t n_nodes;     // V, at least 1
    int32_t n_known;     // K, the model's classes, at least 1
    opn_i_names nodes;   // [V] as they stand there, also twice
    opn_i_names classes; // the model's K, then those that only labels name: held out
    uint8_t *role;       // [V] opn_role; who trains or validates has a label
    int32_t *label;      // [V] one of `classes`, -1 where there is none
    // Classes, probabilities that sum to 1 as far as they were rounded, alpha and
    // measures within their range, both NULL where the file has none. Nothing else is
    // kept.
    opn_prediction *said;
} opn_i_prediction_file;

void opn_i_prediction_file_deinit(const opn_alloc *alloc, opn_i_prediction_file *file);

// Reads a CSV, npz or JSON file, also one in gzip; which of them it is, its content says.
// Columns may be in any order, and those of another name are skipped. What is missing of
// every node, like the evidence of a model without any, counts as not there.
// Errors: READ, FORMAT and UNSUPPORTED (no predictions, or broken ones; the message names
// file, line or item, and what would be right), NOMEM, OVERFLOW, INTERRUPTED.
// Cost: O(size of the file); of a JSON file one node at a time is a tree in memory.
OPN_NODISCARD opn_status opn_i_prediction_file_read(opn_ctx *ctx,
                                                    const char *path,
                                                    opn_i_prediction_file *out);

#endif // OPN_PREDICTION_FILE_H
