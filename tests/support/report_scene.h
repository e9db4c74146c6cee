// report_scene.h -- a graph, a model of it and the page of its report, read back.

#ifndef OPN_REPORT_SCENE_H
#define OPN_REPORT_SCENE_H

#include "opine/opine.h"
#include "predict/prediction_data.h"
#include "support/page_reader.h"
#include "support/support.h"

#include <stdbool.h>

enum { SCENE_NODES = 120, SCENE_NONE = 65535 };
extern const char scene_drawn[];    // of the graph
extern const char scene_bayesian[]; // of a model
extern const char scene_held_out[]; // of one that does not know class 1

typedef struct scene {
    stage *s;
    opn_graph *graph;
    opn_model *model;
    opn_split *split;
    opn_prediction *said;
    page read;
    int32_t known[8];            // graph's class of each of the model's
    int32_t target[SCENE_NODES]; // the model's class of each node's label; -1 none, -2
                                 // unknown
} scene;

// Of five nodes one trains, one validates, the others are scored; some have no label.
opn_graph *scene_graph(opn_ctx *ctx);

scene scene_open(opn_ctx *ctx, const char *settings);
void scene_close(scene *at);

void scene_save(opn_ctx *ctx, const opn_report *report, const char *path);
void scene_add_model(opn_ctx *ctx,
                     opn_report *report,
                     const opn_model *model,
                     const char *settings);

// The page of one model.
page scene_show(opn_ctx *ctx,
                const opn_graph *graph,
                const opn_model *model,
                const char *path);

bool scene_is_near(double a, double b, double tolerance);

// A number of a page, which has six digits.
void scene_expect_number(const json_t *object, const char *path, double want);

// Whether the model's class of node i is that of its label.
bool scene_is_right(const scene *at, int i);

#endif // OPN_REPORT_SCENE_H
