// karate_club.c -- a small real graph for illustrations.

#include "paper/karate_club.h"

#include "report/palette.h"

const opn_vid opn_i_karate_source[OPN_KARATE_EDGES] = {
        0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  1,  1,  1,  1,
        1,  1,  1,  1,  2,  2,  2,  2,  2,  2,  2,  2,  3,  3,  3,  4,  4,  5,  5,  5,
        6,  8,  8,  8,  9,  13, 14, 14, 15, 15, 18, 18, 19, 20, 20, 22, 22, 23, 23, 23,
        23, 23, 24, 24, 24, 25, 26, 26, 27, 28, 28, 29, 29, 30, 30, 31, 31, 32};
const opn_vid opn_i_karate_target[OPN_KARATE_EDGES] = {
        1,  2,  3,  4,  5,  6,  7,  8,  10, 11, 12, 13, 17, 19, 21, 31, 2,  3,  7,  13,
        17, 19, 21, 30, 3,  7,  8,  9,  13, 27, 28, 32, 7,  12, 13, 6,  10, 6,  10, 16,
        16, 30, 32, 33, 33, 33, 32, 33, 32, 33, 32, 33, 33, 32, 33, 32, 33, 25, 27, 29,
        32, 33, 25, 27, 31, 31, 29, 33, 33, 31, 33, 32, 33, 32, 33, 32, 33, 33};

// From stress majorisation, then moved apart where nodes would touch: thousandths of the
// width and height of a box 1.5 times as wide as high.
static const int16_t place[OPN_KARATE_NODES][2] = {
        {337, 368},  {430, 219}, {552, 487},  {416, 462}, {278, 697}, {178, 691},
        {127, 560},  {399, 612}, {613, 329},  {729, 192}, {183, 434}, {178, 139},
        {203, 285},  {512, 338}, {814, 70},   {900, 148}, {0, 754},   {274, 90},
        {957, 273},  {553, 191}, {984, 419},  {354, 0},   {917, 531}, {795, 788},
        {648, 1000}, {550, 969}, {1000, 617}, {666, 754}, {701, 612}, {888, 692},
        {642, 117},  {564, 645}, {790, 501},  {741, 368}};

void opn_i_karate_hops(opn_vid from, int32_t hops[OPN_KARATE_NODES])
{
    bool is_found = true;
    for (int i = 0; i < OPN_KARATE_NODES; i++)
        hops[i] = i == from ? 0 : -1;
    for (int32_t d = 0; is_found; d++) {
        is_found = false;
        for (int e = 0; e < 2 * OPN_KARATE_EDGES; e++) {
            const opn_vid s = opn_i_karate_source[e / 2];
            const opn_vid t = opn_i_karate_target[e / 2];
            const opn_vid a = e % 2 == 0 ? s : t;
            const opn_vid b = e % 2 == 0 ? t : s;
            if (hops[a] == d && hops[b] < 0) {
                hops[b] = d + 1;
                is_found = true;
            }
        }
    }
}

int opn_i_karate_label(opn_vid i)
{
    static const int8_t groups[OPN_KARATE_NODES] = {
            [1] = 1, [12] = 1, [25] = 2, [33] = 2};
    return groups[i] - 1;
}

uint32_t opn_i_karate_colour(int group)
{
    return group < 0 ? 0xffffff : opn_i_group_colour(group == 0 ? 0 : 3);
}

// ---- drawing -------------------------------------------------------------------------

void opn_i_karate_place(const opn_i_box *box, opn_vid i, double at[2])
{
    at[0] = box->x + box->width * place[i][0] / 1000.0;
    at[1] = box->y + box->height * place[i][1] / 1000.0;
}

void opn_i_karate_draw_edge(opn_i_canvas *canvas,
                            const opn_i_box *box,
                            opn_vid i,
                            opn_vid j)
{
    double at[2];
    opn_i_karate_place(box, i, at);
    opn_i_canvas_move(canvas, at[0], at[1]);
    opn_i_karate_place(box, j, at);
    opn_i_canvas_line(canvas, at[0], at[1]);
}

void opn_i_karate_draw_edges(opn_i_canvas *canvas, const opn_i_box *box)
{
    opn_i_canvas_begin(canvas,
                       &(opn_i_pen){.width = 0.8, .stroke = opn_i_palette.chance});
    for (int e = 0; e < OPN_KARATE_EDGES; e++)
        opn_i_karate_draw_edge(canvas, box, opn_i_karate_source[e],
                               opn_i_karate_target[e]);
    opn_i_canvas_end(canvas);
}

void opn_i_karate_draw_node(opn_i_canvas *canvas,
                            const double at[2],
                            int group,
                            double radius,
                            double outline,
                            uint32_t fill)
{
    const opn_i_box box = {at[0] - radius, at[1] - radius, 2 * radius, 2 * radius};
    opn_i_canvas_begin(canvas, &(opn_i_pen){.width = outline,
                                            .stroke = opn_i_palette.ink,
                                            .is_filled = true,
                                            .fill = fill});
    if (group == 1)
        opn_i_canvas_box(canvas, &box, 0);
    else
        opn_i_canvas_circle(canvas, at[0], at[1], radius);
    opn_i_canvas_end(canvas);
}
