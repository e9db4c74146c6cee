// figure_gkde.c -- how labelled nodes give evidence to others, on a small real graph.

#include "paper/figure_gkde.h"

#include "base/number.h"
#include "graph/gkde.h"
#include "opine/graph.h"
#include "opine/measure.h"
#include "paper/karate_club.h"
#include "report/palette.h"
#include "report/plot.h"

#include <math.h>

enum { N = OPN_KARATE_NODES, K = OPN_KARATE_GROUPS, ASKED = 8 };

static const char *const group_name[K] = {"instructor's group", "officers' group"};
static const double sigma = 1;

typedef struct prior {
    float alpha[N][K];
    float vacuity[N];
    int32_t hops[N]; // from ASKED
} prior;

static opn_status make_prior(opn_ctx *ctx, prior *out)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    opn_real alpha[N * K];
    int32_t target[N];
    float *measure[] = {[OPN_MEASURE_VACUITY] = out->vacuity};
    for (opn_vid i = 0; i < N; i++)
        target[i] = opn_i_karate_label(i);
    OPN_TRY(opn_graph_create_edges(ctx, N, OPN_KARATE_EDGES, opn_i_karate_source,
                                   opn_i_karate_target, NULL, &graph));
    OPN_TRY(opn_i_gkde(ctx, graph, target, K, sigma, false, K, alpha));
    for (int i = 0; i < N * K; i++)
        out->alpha[i / K][i % K] = (float)alpha[i];
    OPN_TRY(opn_opinion(ctx, N, K, out->alpha[0], 1, measure));
    opn_i_karate_hops(ASKED, out->hops);
cleanup:
    opn_graph_free(graph);
    return status;
}

// ---- the graph -----------------------------------------------------------------------

static const double node_radius = 4;
static const double labelled_radius = 6.5;

// The plot without the room that half a node needs.
static opn_i_box inside_of(const opn_i_box *plot)
{
    const double edge = 9;
    return (opn_i_box){plot->x + edge, plot->y + edge, plot->width - 2 * edge,
                       plot->height - 2 * edge};
}

// The neighbour of i that is one hop closer to where the hops are counted from.
static opn_vid step_towards(const int32_t *hops, opn_vid i)
{
    for (int e = 0; e < OPN_KARATE_EDGES; e++) {
        const opn_vid s = opn_i_karate_source[e];
        const opn_vid t = opn_i_karate_target[e];
        if ((s == i || t == i) && hops[s == i ? t : s] == hops[i] - 1)
            return s == i ? t : s;
    }
    return i;
}

// A shortest path from each labelled node to ASKED.
static void put_paths(opn_i_canvas *canvas, const opn_i_box *in, const int32_t *hops)
{
    for (opn_vid l = 0; l < N; l++) {
        const int group = opn_i_karate_label(l);
        if (group < 0)
            continue;
        opn_i_canvas_begin(canvas, &(opn_i_pen){.width = 2.4,
                                                .stroke = opn_i_karate_colour(group),
                                                .dashes = group == 0 ? NULL : "6 2"});
        for (opn_vid i = l; hops[i] > 0; i = step_towards(hops, i))
            opn_i_karate_draw_edge(canvas, in, i, step_towards(hops, i));
        opn_i_canvas_end(canvas);
    }
}

static void put_distances(opn_i_canvas *canvas, const opn_i_box *plot, const prior *p)
{
    const opn_i_box in = inside_of(plot);
    const opn_i_font number = {.size = 10,
                               .room = 20,
                               .anchor = OPN_ANCHOR_MIDDLE,
                               .colour = 0xffffff,
                               .is_bold = true};
    opn_i_font letter = number;
    letter.colour = 0;
    opn_i_karate_draw_edges(canvas, &in);
    put_paths(canvas, &in, p->hops);
    for (opn_vid i = 0; i < N; i++) {
        const int group = opn_i_karate_label(i);
        double at[2];
        opn_i_karate_place(&in, i, at);
        opn_i_karate_draw_node(canvas, at, group,
                               group >= 0 || i == ASKED ? labelled_radius : node_radius,
                               group >= 0 ? 1.4 : 1, opn_i_karate_colour(group));
        if (group >= 0) {
            char hops[16];
            opn_i_format(hops, sizeof(hops), "%d", (int)p->hops[i]);
            opn_i_canvas_text(canvas, &number, at[0], at[1] + 3.6, hops);
        }
        if (i == ASKED)
            opn_i_canvas_text(canvas, &letter, at[0], at[1] + 2.8, "j");
    }
}

static opn_i_range range_of(const float *value)
{
    opn_i_range range = {1, 0};
    for (int i = 0; i < N; i++) {
        range.low = fmin(range.low, (double)value[i]);
        range.high = fmax(range.high, (double)value[i]);
    }
    return range;
}

static void put_vacuity(opn_i_canvas *canvas, const opn_i_box *plot, const prior *p)
{
    enum { N_STEPS = 64 };
    const opn_i_range range = range_of(p->vacuity);
    const opn_i_box bar = {plot->x + 0.1 * plot->width, plot->y + plot->height + 10,
                           0.8 * plot->width, 7};
    const opn_i_box in = inside_of(plot);
    opn_i_karate_draw_edges(canvas, &in);
    for (opn_vid i = 0; i < N; i++) {
        const double part =
                ((double)p->vacuity[i] - range.low) / (range.high - range.low);
        const int group = opn_i_karate_label(i);
        double at[2];
        opn_i_karate_place(&in, i, at);
        opn_i_karate_draw_node(canvas, at, group,
                               group < 0 ? node_radius + 1 : labelled_radius,
                               group < 0 ? 0.6 : 1.4, opn_i_ramp_colour(part));
    }
    opn_i_plot_colour_bar(canvas, &bar, N_STEPS);
    opn_i_plot_ticks_below(canvas, &bar, range);
}

// ---- the sum -------------------------------------------------------------------------

static const double row_height = 15;

static void
put_number(opn_i_canvas *canvas, const opn_i_box *plot, double y, double number)
{
    const opn_i_font right = {.size = 10, .room = 60, .anchor = OPN_ANCHOR_END};
    char text[32];
    opn_i_format(text, sizeof(text), "%.3f", number);
    opn_i_canvas_text(canvas, &right, plot->x + plot->width, y, text);
}

// One labelled node: its distance and the evidence it gives, as a bar and as a number.
static void
put_row(opn_i_canvas *canvas, const opn_i_box *plot, double y, opn_vid i, const prior *p)
{
    const opn_i_font text = {.size = 10, .room = 60};
    const int group = opn_i_karate_label(i);
    const int32_t hops = p->hops[i];
    const double weight = opn_i_gkde_weight(sigma, false, hops);
    const opn_i_box bar = {plot->x + 58, y - 8, 1.5 * weight * (plot->width - 96), 9};
    char distance[24];
    opn_i_karate_draw_node(canvas, (const double[]){plot->x + 7, y - 3.5}, group, 4.5,
                           1.4, opn_i_karate_colour(group));
    opn_i_format(distance, sizeof(distance), "%d %s", (int)hops,
                 hops == 1 ? "hop" : "hops");
    opn_i_canvas_text(canvas, &text, plot->x + 17, y, distance);
    opn_i_canvas_fill(canvas, &bar, opn_i_karate_colour(group));
    put_number(canvas, plot, y, weight);
}

static void put_sum(opn_i_canvas *canvas, const opn_i_box *plot, const prior *p)
{
    const opn_i_font text = {.size = 10, .room = plot->width};
    const float *alpha = p->alpha[ASKED];
    double y = plot->y + 12;
    char line[96];
    opn_i_canvas_text(canvas, &text, plot->x, y, "distance d");
    opn_i_canvas_text(canvas, &text, plot->x + 58, y, "evidence exp(\u2212d\u00b2/2)");
    for (int e = 0; e < K * N; e++) // one group after the other
        if (opn_i_karate_label(e % N) == e / N)
            put_row(canvas, plot, y += row_height, e % N, p);
    y += 7;
    opn_i_canvas_begin(canvas, &(opn_i_pen){.width = 1, .stroke = opn_i_palette.frame});
    opn_i_canvas_move(canvas, plot->x, y);
    opn_i_canvas_line(canvas, plot->x + plot->width, y);
    opn_i_canvas_end(canvas);
    for (int k = 0; k < K; k++) {
        y += row_height;
        opn_i_canvas_text(canvas, &text, plot->x, y, group_name[k]);
        put_number(canvas, plot, y, (double)alpha[k] - 1);
    }
    opn_i_format(line, sizeof(line), "\u03b1\u0302 = evidence + 1 = (%.3f, %.3f)",
                 (double)alpha[0], (double)alpha[1]);
    opn_i_canvas_text(canvas, &text, plot->x, y += row_height + 5, line);
    opn_i_format(line, sizeof(line), "vacuity = 2 / %.3f = %.2f",
                 (double)alpha[0] + (double)alpha[1], (double)p->vacuity[ASKED]);
    opn_i_canvas_text(canvas, &text, plot->x, y + row_height, line);
}

// ---- figure --------------------------------------------------------------------------

// Squares and circles of the legend are those of the graph.
static void put_legend(opn_i_canvas *canvas, const opn_i_box *box)
{
    const opn_i_font text = {.size = 11, .room = 240};
    const double y = box->y + 14;
    double x = box->x;
    for (int k = 0; k < K; k++) {
        char name[64];
        opn_i_format(name, sizeof(name), "labelled: %s", group_name[k]);
        opn_i_karate_draw_node(canvas, (const double[]){x + 8, y - 4}, k, 5, 1.4,
                               opn_i_karate_colour(k));
        opn_i_canvas_text(canvas, &text, x + 20, y, name);
        x += 190;
    }
    opn_i_karate_draw_node(canvas, (const double[]){x + 8, y - 4}, -1, node_radius, 1,
                           0xffffff);
    opn_i_canvas_text(canvas, &text, x + 20, y, "not labelled; numbers count hops to j");
}

opn_status opn_i_figure_gkde(opn_ctx *ctx, const char *path)
{
    enum { N_PANELS = 3 };
    static const char *const titles[N_PANELS] = {
            "distances to node j", "evidence for node j", "vacuity of the prior"};
    opn_status status = OPN_OK;
    opn_i_canvas *canvas = NULL;
    prior p = {0};
    opn_i_plot_grid grid = {.n_panels = N_PANELS,
                            .n_columns = N_PANELS,
                            .has_title = true,
                            .below = 40,
                            .aspect = 0.76,
                            .legend = 20};
    OPN_TRY(make_prior(ctx, &p));
    opn_i_plot_layout(&grid);
    OPN_TRY(opn_i_plot_open(ctx, path,
                            "GKDE: evidence from labelled nodes of a karate club", &grid,
                            &canvas));
    for (int32_t i = 0; i < N_PANELS; i++)
        opn_i_plot_panel_title(canvas, &grid, i, titles[i]);
    const opn_i_box plot[N_PANELS] = {opn_i_plot_at(&grid, 0), opn_i_plot_at(&grid, 1),
                                      opn_i_plot_at(&grid, 2)};
    const opn_i_box box = opn_i_plot_legend_box(&grid);
    put_distances(canvas, &plot[0], &p);
    put_sum(canvas, &plot[1], &p);
    put_vacuity(canvas, &plot[2], &p);
    put_legend(canvas, &box);
    status = opn_i_canvas_close(canvas);
cleanup:
    return status;
}
