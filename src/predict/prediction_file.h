// prediction_file.h -- reads a file written by opn_prediction_save().

#ifndef OPN_PREDICTION_FILE_H
#define OPN_PREDICTION_FILE_H

#include "base/names.h"
#include "predict/prediction_data.h"

// The contents of such a file for V nodes; everything is owned. Nodes are in file order,
// and numeric names are kept as text.
typedef struct opn_i_prediction_file {
    int32_t n_nodes;     // V, at least 1
    int32_t n_known;     // K, the model's classes, at least 1
    opn_i_names nodes;   // [V] as in the file, duplicates included
    opn_i_names classes; // the model's K, then held-out ones that only labels name
    uint8_t *role;       // [V] opn_role; training and validation nodes have a label
    int32_t *label;      // [V] index into `classes`, -1 if unlabelled
    // Classes, probabilities that sum to 1 up to rounding, and alpha and measures within
    // their range; the last two are NULL if not in the file. Nothing else is kept.
    opn_prediction *said;
} opn_i_prediction_file;

void opn_i_prediction_file_deinit(const opn_alloc *alloc, opn_i_prediction_file *file);

// Reads a CSV, npz or JSON file, optionally gzipped; the format is detected from the
// content. Columns may be in any order, and unknown ones are skipped. A quantity missing
// for every node, such as alpha for a model without evidence, counts as absent.
// Errors: READ, FORMAT and UNSUPPORTED (no predictions, or broken ones; the message names
// the file, the line or item, and what was expected), NOMEM, OVERFLOW, INTERRUPTED.
// Cost: O(file size); a JSON file is parsed into a tree one node at a time.
OPN_NODISCARD opn_status opn_i_prediction_file_read(opn_ctx *ctx,
                                                    const char *path,
                                                    opn_i_prediction_file *out);

#endif // OPN_PREDICTION_FILE_H
