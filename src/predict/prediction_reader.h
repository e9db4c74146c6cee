// prediction_reader.h -- what the readers of the three forms of predictions share.
//
// A reader names the classes, makes room, then sets and checks one node after the other.
// Messages of the functions here begin with what is wrong; the reader puts the place
// before them.

#ifndef OPN_PREDICTION_READER_H
#define OPN_PREDICTION_READER_H

#include "io/bytes.h"
#include "predict/prediction_file.h"

// How messages about a file of something else end.
#define OPN_PREDICTION_HINT "expected a file of predictions"

// Puts the place that the format describes before a message about the data, and yields
// `status`, which may be OPN_OK.
opn_status opn_i_prediction_at(opn_ctx *ctx, opn_status status, const char *fmt, ...)
        OPN_PRINTF(3, 4);

// Adds a class of the model. Errors: FORMAT (no name, or one that is there already),
// NOMEM.
OPN_NODISCARD opn_status opn_i_prediction_add_class(opn_ctx *ctx,
                                                    opn_i_prediction_file *file,
                                                    const char *text,
                                                    size_t n_chars);

// Makes room for n_nodes, when the classes are all there. Numbers are not set.
OPN_NODISCARD opn_status opn_i_prediction_make_room(opn_ctx *ctx,
                                                    opn_i_prediction_file *file,
                                                    size_t n_nodes,
                                                    const opn_i_prediction_parts *parts);

// Nodes to make room for when there may be max_nodes, each of whom takes at least a byte
// for each class of a file of n_bytes: what comes behind them is sure to be refused.
size_t opn_i_prediction_bound(const opn_i_prediction_file *file,
                              size_t max_nodes,
                              size_t n_bytes);

// One thing about node i. An empty label is none. Errors: FORMAT, NOMEM.
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

// Checks role, label and numbers of node i, and takes numbers that rounding has put just
// outside of their range back to its end. A number that is missing is NaN.
OPN_NODISCARD opn_status opn_i_prediction_check(opn_ctx *ctx,
                                                const opn_i_prediction_file *file,
                                                int64_t i);

// ---- the forms -----------------------------------------------------------------------

// Each fills an empty `file`, and leaves what it has so far on failure. *take is consumed
// and left empty.
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
