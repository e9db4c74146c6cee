// tuning_scene.h -- a graph to tune on, searches of it, and the settings they draw.

#ifndef OPN_TEST_TUNING_SCENE_H
#define OPN_TEST_TUNING_SCENE_H

#include "opine/opine.h"

enum { TUNING_NODES = 120, TUNING_CLASSES = 4 };

// Of every five nodes one trains, one validates, one is in the pool and two are for
// testing.
void tuning_roles(uint8_t role[TUNING_NODES]);
opn_graph *tuning_graph(opn_ctx *ctx);

// A search for data called "my data"; one that fails also fails the calling test.
opn_tuning *tuning_run(opn_ctx *ctx, const opn_graph *graph, const char *with);

// The parameters of trials 0 … n - 1 under these settings.
void tuning_draw(opn_ctx *ctx,
                 const opn_graph *graph,
                 const char *with,
                 int32_t n,
                 opn_params **out);
void tuning_free_drawn(int n, opn_params **trial);

#endif // OPN_TEST_TUNING_SCENE_H
