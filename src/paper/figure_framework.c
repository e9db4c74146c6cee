// figure_framework.c -- how the parts of the method work together.

#include "paper/figure_framework.h"

#include "base/number.h"
#include "opine/measure.h"
#include "opinion/measure_table.h"
#include "paper/karate_club.h"
#include "report/palette.h"
#include "report/plot.h"

#include <math.h>

enum { WIDTH = 640, HEIGHT = 342, LINE = 13 };

// ---- parts ---------------------------------------------------------------------------

typedef struct part {
    opn_i_box box;
    const char *title;
    const char *line[4]; // NULL-terminated unless there are four
} part;

static const part prior = {
        {186, 32, 226, 62},
        "(b) GKDE prior",
        {"evidence of labelled nodes nearby:",
         "\u03b1\u0302 = 1 + \u2211 exp(\u2212d\u00b2/2\u03c3\u00b2)"}};
static const part student = {{186, 136, 226, 90},
                             "(a) Student: Bayesian GCN",
                             {"logits z with dropout, evidence exp(z),",
                              "\u03b1 = exp(z) + 1, p = \u03b1 / S", "M passes, averaged",
                              "loss: (d) squared error on labels"}};
static const part teacher = {
        {186, 268, 226, 62},
        "(c) Teacher: GCN",
        {"trained first, with cross-entropy:", "class probabilities p\u0302"}};
static const part graph = {{8, 112, 132, 138}, "Graph", {"features, a few labels"}};
static const part opinion = {{462, 108, 170, 146}, "Opinion about a node", {NULL}};

static void put_part(opn_i_canvas *canvas, const part *p)
{
    const opn_i_font title = {.size = 12, .room = p->box.width - 12, .is_bold = true};
    const opn_i_font text = {.size = 10.5, .room = p->box.width - 8};
    opn_i_canvas_begin(canvas, &(opn_i_pen){.width = 1.2,
                                            .stroke = opn_i_palette.frame,
                                            .is_filled = true,
                                            .fill = opn_i_palette.panel});
    opn_i_canvas_box(canvas, &p->box, 6);
    opn_i_canvas_end(canvas);
    opn_i_canvas_text(canvas, &title, p->box.x + 8, p->box.y + 18, p->title);
    for (int l = 0; l < 4 && p->line[l] != NULL; l++)
        opn_i_canvas_text(canvas, &text, p->box.x + 8, p->box.y + 34 + l * (LINE + 1),
                          p->line[l]);
}

// Along the points [n,2], with a head at the last.
static void put_arrow(opn_i_canvas *canvas, int n, const double *at)
{
    const double head = 8;
    const double *end = at + 2 * (size_t)(n - 1);
    const double length = hypot(end[0] - end[-2], end[1] - end[-1]);
    const double along[2] = {(end[0] - end[-2]) / length, (end[1] - end[-1]) / length};
    const double neck[2] = {end[0] - head * along[0], end[1] - head * along[1]};
    opn_i_canvas_begin(canvas, &(opn_i_pen){.width = 1.6, .stroke = opn_i_palette.ink});
    opn_i_canvas_move(canvas, at[0], at[1]);
    for (const double *bend = at + 2; bend < end; bend += 2)
        opn_i_canvas_line(canvas, bend[0], bend[1]);
    opn_i_canvas_line(canvas, neck[0], neck[1]);
    opn_i_canvas_end(canvas);
    opn_i_canvas_begin(canvas,
                       &(opn_i_pen){.is_filled = true, .fill = opn_i_palette.ink});
    opn_i_canvas_move(canvas, end[0], end[1]);
    opn_i_canvas_line(canvas, neck[0] + 3.5 * along[1], neck[1] - 3.5 * along[0]);
    opn_i_canvas_line(canvas, neck[0] - 3.5 * along[1], neck[1] + 3.5 * along[0]);
    opn_i_canvas_join(canvas);
    opn_i_canvas_end(canvas);
}

static double middle(const opn_i_box *box)
{
    return box->y + box->height / 2;
}

static void put_arrows(opn_i_canvas *canvas)
{
    const double right = graph.box.x + graph.box.width;
    const double bend = (right + student.box.x) / 2;
    const double y = middle(&graph.box);
    const double x = student.box.x + 40;
    put_arrow(canvas, 2, (const double[]){right, y, student.box.x, y});
    put_arrow(canvas, 4,
              (const double[]){right, y, bend, y, bend, middle(&prior.box), prior.box.x,
                               middle(&prior.box)});
    put_arrow(canvas, 4,
              (const double[]){right, y, bend, y, bend, middle(&teacher.box),
                               teacher.box.x, middle(&teacher.box)});
    put_arrow(canvas, 2,
              (const double[]){x, prior.box.y + prior.box.height, x, student.box.y});
    put_arrow(canvas, 2,
              (const double[]){x, teacher.box.y, x, student.box.y + student.box.height});
    put_arrow(canvas, 2,
              (const double[]){student.box.x + student.box.width, y, opinion.box.x, y});
}

// What each arrow adds to the loss of the student.
static void put_losses(opn_i_canvas *canvas)
{
    const opn_i_font text = {.size = 11, .room = 210};
    const double x = student.box.x + 50;
    opn_i_canvas_text(canvas, &text, x, student.box.y - 17,
                      "+ \u03bb1 KL[ Dir(\u03b1), Dir(\u03b1\u0302) ]");
    opn_i_canvas_text(canvas, &text, x, teacher.box.y - 17, "+ \u03bb2 KL[ p, p\u0302 ]");
}

// ---- inside the parts ----------------------------------------------------------------

static void put_graph(opn_i_canvas *canvas)
{
    const opn_i_box in = {graph.box.x + 12, graph.box.y + 48, graph.box.width - 24,
                          graph.box.height - 60};
    opn_i_karate_draw_edges(canvas, &in);
    for (opn_vid i = 0; i < OPN_KARATE_NODES; i++) {
        const int group = opn_i_karate_label(i);
        double at[2];
        opn_i_karate_place(&in, i, at);
        opn_i_karate_draw_node(canvas, at, group, group < 0 ? 2.4 : 4, 0.8,
                               opn_i_karate_colour(group));
    }
}

// The measures of an example, in the colours that they have in all figures.
static void put_opinion(opn_i_canvas *canvas, const float value[OPN_N_PAPER_MEASURES])
{
    const opn_i_font text = {.size = 10.5, .room = 150};
    const opn_i_font right = {.size = 10.5, .room = 40, .anchor = OPN_ANCHOR_END};
    const double end = opinion.box.x + opinion.box.width - 8;
    opn_i_canvas_text(canvas, &text, opinion.box.x + 8, opinion.box.y + 34,
                      "Dir(\u03b1), say \u03b1 = (9, 3, 2):");
    for (int m = 0; m < OPN_N_PAPER_MEASURES; m++) {
        const double y = opinion.box.y + 54 + 18 * m;
        const opn_i_box bar = {opinion.box.x + 76, y - 8, 50, 9};
        const opn_i_box filled = {bar.x, bar.y, bar.width * (double)value[m], bar.height};
        char number[16];
        opn_i_canvas_text(canvas, &text, opinion.box.x + 8, y,
                          opn_measure_name((opn_measure)m));
        opn_i_canvas_fill(canvas, &bar, 0xffffff);
        opn_i_canvas_fill(canvas, &filled, opn_i_palette.measure[m]);
        opn_i_canvas_outline(canvas, &bar, opn_i_palette.frame);
        opn_i_format(number, sizeof(number), "%.2f", (double)value[m]);
        opn_i_canvas_text(canvas, &right, end, y, number);
    }
}

opn_status opn_i_figure_framework(opn_ctx *ctx, const char *path)
{
    static const float alpha[3] = {9, 3, 2}; // of the example
    static const part *const parts[] = {&graph, &prior, &student, &teacher, &opinion};
    opn_status status = OPN_OK;
    opn_i_canvas *canvas = NULL;
    const opn_i_font title = {
            .size = 14, .room = WIDTH, .anchor = OPN_ANCHOR_MIDDLE, .is_bold = true};
    float value[OPN_N_PAPER_MEASURES];
    float *measure[OPN_N_PAPER_MEASURES];
    for (int m = 0; m < OPN_N_PAPER_MEASURES; m++)
        measure[m] = &value[m];
    OPN_TRY(opn_opinion(ctx, 1, 3, alpha, OPN_N_PAPER_MEASURES, measure));
    OPN_TRY(opn_i_canvas_open(ctx, path, "The framework: S-BGCN-T-K", WIDTH, HEIGHT,
                              &canvas));
    opn_i_canvas_text(canvas, &title, WIDTH / 2.0, 18, "The framework: S-BGCN-T-K");
    put_arrows(canvas);
    for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
        put_part(canvas, parts[p]);
    put_losses(canvas);
    put_graph(canvas);
    put_opinion(canvas, value);
    status = opn_i_canvas_close(canvas);
cleanup:
    return status;
}
