// figure_scene.h -- figures of every kind to draw, and what to look for in them.

#ifndef OPN_FIGURE_SCENE_H
#define OPN_FIGURE_SCENE_H

#include "paper/figure_curves.h"
#include "paper/figure_maps.h"
#include "paper/figure_simplex.h"
#include "support/support.h"

enum { N_POINTS = 300, N_LARGE = 15, N_MARKED_EACH = 10, N_NAN = 6, N_GROUPS = 5 };

// Points, lines and Dirichlets; what a test needs differently it changes.
typedef struct figure_scene {
    float place[2 * N_POINTS];
    uint8_t is_large[N_POINTS], is_marked[N_POINTS];
    int32_t group[N_POINTS];
    float value[N_POINTS];
    double x[N_POINTS], y[N_POINTS];
    const char *label; // of everything that has one
    opn_i_names names;
    opn_i_map_panel map[3];
    opn_i_line line[3];
    opn_i_curve_panel curve[2];
    opn_i_simplex_panel simplex[3];
} figure_scene;

extern figure_scene scene;

void make_scene(const char *label);

opn_status draw_scene_maps(opn_ctx *ctx, const char *path);
opn_status draw_scene_curves(opn_ctx *ctx, const char *path);
opn_status draw_scene_simplex(opn_ctx *ctx, const char *path);

// The SVG of a stage, well-formed; to be freed.
char *read_figure(const stage *s);

long count_parts(const char *text, const char *part);
void expect_text(const char *figure, const char *part);

#endif // OPN_FIGURE_SCENE_H
