// prediction_reader.h -- shared by the readers of the three prediction formats.
//
// A reader names the classes, makes room, then sets and checks one node after another.
// Messages from the functions here start with what is wrong; the reader prepends the
// position.

#ifndef OPN_PREDICTION_READER_H
#define OPN_PREDICTION_READER_H

#include "io/bytes.h"
#include "predict/prediction_file.h"

// End of messages about files that hold something else.
#define OPN_PREDICTION_HINT "expected a file of predictions"

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
// out of range. A missing number is NaN.
OPN_NODISCARD opn_status opn_i_prediction_check(opn_ctx *ctx,
                                                const opn_i_prediction_file *file,
                                                int64_t i);

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
