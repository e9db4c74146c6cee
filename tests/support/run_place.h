// run_place.h -- a folder with two graphs and room for a run, and reports of what a run
// leaves there.
//
// Anything that fails also fails the calling test.

#ifndef OPN_TEST_RUN_PLACE_H
#define OPN_TEST_RUN_PLACE_H

#include "opine/opine.h"
#include "support/page_reader.h"
#include "support/support.h"

enum { PLACE_NODES = 60, PLACE_CLASSES = 3 };

typedef struct place {
    char folder[SUPPORT_PATH];
    char data[SUPPORT_PATH], other[SUPPORT_PATH]; // two graphs, as folders of CSV files
    char run[SUPPORT_PATH], cells[SUPPORT_PATH], models[SUPPORT_PATH];
    char evaluation[SUPPORT_PATH], results[SUPPORT_PATH];
    char model[SUPPORT_PATH], page[SUPPORT_PATH];
    opn_graph *graph; // the one in `data`
} place;

place place_open(opn_ctx *ctx);
void place_close(place *at);

// Draws a graph with a split and saves it.
void place_save_graph(opn_ctx *ctx, const char *drawn, const char *path);
opn_graph *place_load_graph(opn_ctx *ctx, const char *data);

// ---- runs ----------------------------------------------------------------------------

// Evaluates the place's graph into its run.
opn_evaluation *place_evaluate(opn_ctx *ctx, const place *at, const char *settings);

// Three models over two seeds.
extern const char place_settings[];

// Evaluates with these and saves evaluation.json.
void place_make_run(opn_ctx *ctx, const place *at);

// ---- reports -------------------------------------------------------------------------

opn_status
place_try_load(opn_ctx *ctx, const char *run, const char *data, const char *settings);

// Asserts this status, and a message that contains `part`.
void place_expect_refused(opn_ctx *ctx,
                          const char *run,
                          const char *data,
                          const char *settings,
                          opn_status want,
                          const char *part);

// Loads and saves a report, and reads its page.
page place_load(opn_ctx *ctx,
                const place *at,
                const char *run,
                const char *data,
                const char *settings);

int place_n_views(const page *read);

// Asserts that the training curves of a view end in the weights of its model; not so in a
// double build, because the file of a model holds floats.
void place_expect_same_weights(const json_t *view);

#endif // OPN_TEST_RUN_PLACE_H
