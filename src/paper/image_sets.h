// image_sets.h -- the images of the paper's table: 50 labelled ones of MNIST, and as many
// unlabelled ones of MNIST as of FashionMNIST.

#ifndef OPN_IMAGE_SETS_H
#define OPN_IMAGE_SETS_H

#include "graph/graph_data.h"

// What a seed draws of the images; rows are the labelled ones, then those of MNIST, then
// those of FashionMNIST.
typedef struct opn_i_image_draw {
    opn_graph *graph;
    opn_split *split;
    int32_t n_labelled, n_inside, n_outside;
} opn_i_image_draw;

typedef struct opn_i_image_data {
    opn_graph *inside, *outside; // MNIST and FashionMNIST
    opn_graph *test;             // MNIST's own test images
} opn_i_image_data;

// Errors: those of opn_graph_load(); SHAPE (images of another size, no test images).
OPN_NODISCARD opn_status opn_i_image_data_load(opn_ctx *ctx,
                                               const opn_params *params,
                                               opn_i_image_data *data);
void opn_i_image_data_deinit(opn_i_image_data *data);

// Five images of each class with labels, and 24,975 others of each set; fewer where there
// are not as many. Errors: SHAPE (a class has too few), NOMEM.
OPN_NODISCARD opn_status opn_i_image_draw_init(opn_ctx *ctx,
                                               const opn_i_image_data *data,
                                               uint64_t seed,
                                               opn_i_image_draw *out);
void opn_i_image_draw_deinit(opn_i_image_draw *draw);

#endif // OPN_IMAGE_SETS_H
