// figure_scene.c -- figures of every kind to draw, and what to look for in them.

#include "support/figure_scene.h"
#include "support/cmocka_test.h"
#include "support/svg_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

figure_scene scene;

static void make_points(void)
{
    uint64_t seed = 5;
    for (int i = 0; i < N_POINTS; i++) {
        scene.place[2 * i] = (float)below(&seed, 1001) / 1000;
        scene.place[2 * i + 1] = (float)below(&seed, 1001) / 1000;
        scene.is_large[i] = i % (N_POINTS / N_LARGE) == 0;
        scene.is_marked[i] = i % N_MARKED_EACH == 3;
        scene.group[i] = (int32_t)below(&seed, N_GROUPS);
        scene.value[i] = (float)below(&seed, 1000) / 999;
        scene.x[i] = (double)i / (N_POINTS - 1);
        scene.y[i] = sqrt(scene.x[i]);
    }
    for (int i = 1; i < N_POINTS; i += N_POINTS / N_NAN) // none of them large
        scene.value[i] = NAN;
}

void make_scene(const char *label)
{
    static const double alpha[3][3] = {{30, 1, 1}, {20, 20, 20}, {1, 1, 1}};
    make_points();
    scene.label = label;
    scene.names = (opn_i_names){0};
    scene.map[0] = (opn_i_map_panel){.title = label,
                                     .place = scene.place,
                                     .is_large = scene.is_large,
                                     .group = scene.group,
                                     .group_names = &scene.names,
                                     .n_groups = N_GROUPS};
    scene.map[1] = scene.map[0];
    scene.map[2] = (opn_i_map_panel){.title = label,
                                     .place = scene.place,
                                     .is_large = scene.is_large,
                                     .value = scene.value,
                                     .high = 1,
                                     .is_marked = scene.is_marked,
                                     .marked_name = label,
                                     .caption = label};
    for (int l = 0; l < 3; l++)
        scene.line[l] = (opn_i_line){.name = label,
                                     .n = N_POINTS,
                                     .x = scene.x,
                                     .y = l == 2 ? scene.x : scene.y,
                                     .low = l == 1 ? scene.x : NULL,
                                     .high = l == 1 ? scene.y : NULL,
                                     .is_chance = l == 2};
    for (int p = 0; p < 2; p++)
        scene.curve[p] = (opn_i_curve_panel){.title = label,
                                             .x_name = label,
                                             .y_name = label,
                                             .band_name = label,
                                             .line = scene.line};
    scene.curve[0].n_lines = scene.curve[1].n_lines = 3;
    for (int p = 0; p < 3; p++) {
        scene.simplex[p] = (opn_i_simplex_panel){
                .title = label, .corner = {label, label, label}, .caption = label};
        memcpy(scene.simplex[p].alpha, alpha[p], sizeof(alpha[p]));
    }
}

opn_status draw_scene_maps(opn_ctx *ctx, const char *path)
{
    opn_status status = OPN_OK;
    for (int k = 0; k < N_GROUPS; k++)
        OPN_TRY(opn_i_names_add(ctx, &scene.names, scene.label, strlen(scene.label)));
    OPN_TRY(opn_i_figure_maps(ctx, path, scene.label, N_POINTS, 3, scene.map, 3));
cleanup:
    opn_i_names_deinit(&ctx->alloc, &scene.names);
    scene.names = (opn_i_names){0};
    return status;
}

opn_status draw_scene_curves(opn_ctx *ctx, const char *path)
{
    return opn_i_figure_curves(ctx, path, scene.label, 2, scene.curve, 2);
}

opn_status draw_scene_simplex(opn_ctx *ctx, const char *path)
{
    return opn_i_figure_simplex(ctx, path, scene.label, 3, scene.simplex);
}

char *read_figure(const stage *s)
{
    size_t n;
    char *text = support_read_file(s->path, &n);
    support_expect_svg(text, n);
    return text;
}

long count_parts(const char *text, const char *part)
{
    long n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        n++;
    return n;
}

void expect_text(const char *figure, const char *part)
{
    if (strstr(figure, part) == NULL)
        fail_msg("\"%s\" is not in the figure", part);
}
