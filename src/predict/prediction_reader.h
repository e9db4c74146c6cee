// prediction_reader.h -- shared by the readers of the three prediction formats.
//
// A reader names the classes, makes room, then sets and checks one node after another.
// Messages from the functions here start with what is wrong; the reader prepends the
// position.

#ifndef OPN_PREDICTION_READER_H
#define OPN_PREDICTION_READER_H

#include "io/csv.h"
#include "predict/prediction_file.h"

// End of messages about files that hold something else.
#define OPN_PREDICTION_HINT "expected a file of predictions"

#define OPN_SCORES_HINT \
    "expected a row for each node with p, logits or alpha of every class"
const char *opn_i_prediction_hint(const opn_i_prediction_file *file);

// What the numbers of a file may be, with the names that say so; a file of predictions
// has the first.
typedef struct opn_i_number_kind {
    const char *prefix; // of columns, "p_"
    const char *member; // of archives and of the nodes in JSON, "p"
    opn_opinion_input input;
} opn_i_number_kind;
enum { OPN_N_NUMBER_KINDS = 3 };
extern const opn_i_number_kind opn_i_number_kinds[OPN_N_NUMBER_KINDS];

// Prepends the formatted position to a message about the data and returns `status`, which
// may be OPN_OK.
opn_status opn_i_prediction_at(opn_ctx *ctx, opn_status status, const char *fmt, ...)
        OPN_PRINTF(3, 4);

// Adds a class of the model. Errors: FORMAT (empty or duplicate name), NOMEM.
OPN_NODISCARD opn_status opn_i_prediction_add_class(opn_ctx *ctx,
                                                    opn_i_prediction_file *file,
                                                    const char *text,
                                                    size_t n_chars);

// Makes room for n_nodes, once all classes are known. Numbers are left unset.
OPN_NODISCARD opn_status opn_i_prediction_make_room(opn_ctx *ctx,
                                                    opn_i_prediction_file *file,
                                                    size_t n_nodes,
                                                    const opn_i_prediction_parts *parts);

// How many nodes to make room for, given at most max_nodes, each taking at least one byte
// per class in a file of n_bytes. Nodes beyond that are certain to be rejected.
size_t opn_i_prediction_bound(const opn_i_prediction_file *file,
                              size_t max_nodes,
                              size_t n_bytes);

// Each sets one value of node i. An empty label means unlabelled. Errors: FORMAT, NOMEM.
OPN_NODISCARD opn_status opn_i_prediction_set_role(opn_ctx *ctx,
                                                   opn_i_prediction_file *file,
                                                   int64_t i,
                                                   const char *text);
OPN_NODISCARD opn_status opn_i_prediction_set_label(opn_ctx *ctx,
                                                    opn_i_prediction_file *file,
                                                    int64_t i,
                                                    const char *text,
                                                    size_t n_chars);
OPN_NODISCARD opn_status opn_i_prediction_set_predicted(opn_ctx *ctx,
                                                        opn_i_prediction_file *file,
                                                        int64_t i,
                                                        const char *text,
                                                        size_t n_chars);

// Checks role, label and numbers of node i, and clamps numbers that rounding has put just
// out of range. A missing number is NaN. Samples of numbers are checked one by one.
OPN_NODISCARD opn_status opn_i_prediction_check(opn_ctx *ctx,
                                                const opn_i_prediction_file *file,
                                                int64_t i);

OPN_NODISCARD opn_status opn_i_prediction_check_sample(opn_ctx *ctx,
                                                       const opn_i_prediction_file *file,
                                                       float *number);

// Computes what a foreign file does not have from what it has; see
// opn_i_scores_file_read(). The message begins with what is wrong.
OPN_NODISCARD opn_status opn_i_scores_settle(opn_ctx *ctx, opn_i_prediction_file *file);

// Frees an array that is missing for every node, which its first number says.
void opn_i_drop_missing(const opn_alloc *alloc, float **value);

// The next row of a table that is not an empty line. Errors: those of opn_i_csv_next().
OPN_NODISCARD opn_status opn_i_prediction_next_row(opn_ctx *ctx,
                                                   opn_i_csv *rows,
                                                   bool *has_row);

// ---- formats -------------------------------------------------------------------------

// Each fills an empty `file`, leaving it partly filled on failure. *take is consumed and
// left empty.
OPN_NODISCARD opn_status opn_i_prediction_read_csv(opn_ctx *ctx,
                                                   const char *path,
                                                   opn_i_bytes *take,
                                                   opn_i_prediction_file *file);
OPN_NODISCARD opn_status opn_i_prediction_read_npz(opn_ctx *ctx,
                                                   const char *path,
                                                   const opn_i_bytes *bytes,
                                                   opn_i_prediction_file *file);
OPN_NODISCARD opn_status opn_i_prediction_read_json(opn_ctx *ctx,
                                                    const char *path,
                                                    const opn_i_bytes *bytes,
                                                    opn_i_prediction_file *file);

#endif // OPN_PREDICTION_READER_H
