// prediction_sample.h -- files of predictions for two nodes, written by hand.

#ifndef OPN_TEST_PREDICTION_SAMPLE_H
#define OPN_TEST_PREDICTION_SAMPLE_H

#include "predict/prediction_file.h"

// Two nodes, m and n, of the classes x and y; z is held out.
extern const char two_nodes_csv[];
extern const char two_nodes_json[];

// Asserts that a file holds exactly these.
void two_nodes_expect(const opn_i_prediction_file *file);

// Reads any file of predictions; one that cannot be read fails the calling test. Free it
// with opn_i_prediction_file_deinit().
opn_i_prediction_file prediction_read(opn_ctx *ctx, const char *path);

#endif // OPN_TEST_PREDICTION_SAMPLE_H
