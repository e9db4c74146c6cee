// image_tiles.c -- the images that a model is most and least certain of.

#include "report/image_tiles.h"

#include "io/json_write.h"
#include "report/png.h"

#include <math.h>

enum { N_TILES = 16, MOST_PIXELS = 1 << 14 };

static bool has_test(const opn_i_view *view)
{
    for (int32_t i = 0; i < view->n_nodes; i++)
        if (view->role[i] == OPN_ROLE_TEST)
            return true;
    return false;
}

// The first N_TILES nodes by value times sign, of equal ones those that come first;
// returns how many there are.
static int pick_tiles(const opn_i_view *view,
                      const float *value,
                      double sign,
                      bool only_test,
                      int32_t picked[N_TILES])
{
    int n = 0;
    for (int32_t i = 0; i < view->n_nodes; i++) {
        const double own = sign * (double)value[i];
        if (isnan(own) || (only_test ? view->role[i] != OPN_ROLE_TEST
                                     : view->role[i] == OPN_ROLE_TRAIN))
            continue;
        int at = n;
        while (at > 0 && sign * (double)value[picked[at - 1]] > own)
            at--;
        if (at == N_TILES)
            continue;
        n = n < N_TILES ? n + 1 : n;
        for (int t = n - 1; t > at; t--)
            picked[t] = picked[t - 1];
        picked[at] = i;
    }
    return n;
}

// The image of a node, whose features are its pixels divided by 255.
static opn_status draw_tile(opn_ctx *ctx, const opn_graph *graph, int32_t i, json_t *list)
{
    opn_status status = OPN_OK;
    const opn_i_features *x = &graph->features;
    unsigned char *pixel = NULL;
    char *address = NULL;
    OPN_TRY_NEW(ctx, pixel, x->n_cols);
    for (opn_i_feature_cursor at = opn_i_features_row(x, i); opn_i_feature_next(&at);) {
        const double shade = 255.0 * (double)at.value;
        pixel[at.col] = (unsigned char)fmin(fmax(shade + 0.5, 0.0), 255.0);
    }
    OPN_TRY(opn_i_png_address(ctx, graph->image_height, graph->image_width, pixel,
                              &address));
    opn_i_json_append(list, json_pack("{s:i,s:s}", "node", i, "png", address));
cleanup:
    opn_i_release(&ctx->alloc, pixel);
    opn_i_release(&ctx->alloc, address);
    return status;
}

opn_status opn_i_image_tiles(opn_ctx *ctx,
                             const opn_graph *graph,
                             const opn_i_view *view,
                             json_t **out)
{
    opn_status status = OPN_OK;
    const opn_measure measure = opn_i_view_recommended(view);
    const float *value = view->said->measure[measure];
    const bool only_test = has_test(view);
    json_t *object = NULL;
    const bool are_images = graph != NULL && graph->image_width > 0 && value != NULL &&
                            graph->features.n_cols <= MOST_PIXELS;
    if (!are_images) {
        *out = json_null();
        return OPN_OK;
    }
    object = json_pack("{s:s,s:s,s:i,s:i}", "measure", opn_measure_name(measure), "of",
                       only_test ? "test" : "other", "width", graph->image_width,
                       "height", graph->image_height);
    for (int side = 0; side < 2; side++) {
        int32_t picked[N_TILES];
        json_t *list = json_array();
        opn_i_json_set(object, side == 0 ? "certain" : "uncertain", list);
        const int n = pick_tiles(view, value, side == 0 ? 1.0 : -1.0, only_test, picked);
        for (int t = 0; t < n; t++)
            OPN_TRY(draw_tile(ctx, graph, picked[t], list));
    }
    *out = json_incref(object);
cleanup:
    json_decref(object);
    return status;
}
