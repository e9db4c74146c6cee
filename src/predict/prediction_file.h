// prediction_file.h -- reads a file written by opn_prediction_save(), or by another tool.

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
    uint8_t *role;  // [V] opn_role; nodes that learn have a label, but see is_foreign
    int32_t *label; // [V] index into `classes`, -1 if unlabelled
    // Classes, probabilities that sum to 1 up to rounding, and alpha and measures within
    // their range; the last two are NULL if not in the file. Nothing else is kept.
    opn_prediction *said;
    // Of another tool's file:
    bool is_foreign;           // and any node may be without a label
    bool has_nodes, has_roles; // in the file; else nodes are 0, 1, …
    opn_opinion_input input;   // what the numbers of each node and class are
    int32_t n_samples;
    float *samples; // [n_samples,V,K] if there are several dimensions of them, or NULL
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

// A graph of the nodes in the file, with their names, labels and classes, without edges.
// Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_prediction_file_graph(opn_ctx *ctx,
                                                     const char *path,
                                                     const opn_i_prediction_file *file,
                                                     opn_graph **out);

// The same for a file of another tool, which may lack roles, labels and predicted classes
// and have alpha or logits in the place of p; an npz file may also lack the names of
// nodes and classes, which are then numbers, and have several samples of the numbers.
// What can be computed from the numbers is: p, the predicted class, the one of the
// largest p, and the measures that the file does not have itself. Errors: those above,
// and FORMAT also for a node in two rows.
OPN_NODISCARD opn_status opn_i_scores_file_read(opn_ctx *ctx,
                                                const char *path,
                                                opn_i_prediction_file *out);

#endif // OPN_PREDICTION_FILE_H
