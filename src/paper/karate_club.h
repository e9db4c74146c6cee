// karate_club.h -- a small real graph for illustrations.

#ifndef OPN_KARATE_CLUB_H
#define OPN_KARATE_CLUB_H

#include "report/canvas.h"

enum { OPN_KARATE_NODES = 34, OPN_KARATE_EDGES = 78 };

// Friendships in a karate club that split in two (Zachary 1977), nodes numbered from 0.
extern const opn_vid opn_i_karate_source[OPN_KARATE_EDGES];
extern const opn_vid opn_i_karate_target[OPN_KARATE_EDGES];

// Hops from one node to each other one.
void opn_i_karate_hops(opn_vid from, int32_t hops[OPN_KARATE_NODES]);

// Labelled nodes of the illustrations: their group, 0 or 1; -1 for all others. Chosen so
// that one node is one, two and three hops away from them.
enum { OPN_KARATE_GROUPS = 2 };
int opn_i_karate_label(opn_vid i);
uint32_t opn_i_karate_colour(int group);

// ---- drawing -------------------------------------------------------------------------

// Where node i is in a box. Distances on the page are about those in the graph.
void opn_i_karate_place(const opn_i_box *box, opn_vid i, double at[2]);

void opn_i_karate_draw_edge(opn_i_canvas *canvas,
                            const opn_i_box *box,
                            opn_vid i,
                            opn_vid j);
void opn_i_karate_draw_edges(opn_i_canvas *canvas, const opn_i_box *box);

// A circle; of the second group a square, which grey shows too.
void opn_i_karate_draw_node(opn_i_canvas *canvas,
                            const double at[2],
                            int group,
                            double radius,
                            double outline,
                            uint32_t fill);

#endif // OPN_KARATE_CLUB_H
