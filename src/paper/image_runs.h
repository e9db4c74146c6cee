// image_runs.h -- the runs behind the paper's table of images: MC dropout on MNIST with
// 50 labels, with and without unlabelled images in the loss, half of which are not MNIST.

#ifndef OPN_IMAGE_RUNS_H
#define OPN_IMAGE_RUNS_H

#include "experiment/run_shard.h"
#include "paper/reproduction_data.h"

#include "opine/params.h"

// The columns of the paper, by the value of `unlabelled`, and what the paper calls them.
extern const char *const opn_i_image_terms[OPN_IMAGE_TERMS];
extern const char *const opn_i_image_titles[OPN_IMAGE_TERMS];

// MC dropout, as in the paper, and the same with evidence.
extern const char *const opn_i_image_models[OPN_IMAGE_MODELS];

// Every parameter that is not at its default, the same for all runs.
typedef struct opn_i_image_setting {
    const char *name, *value;
} opn_i_image_setting;
size_t opn_i_image_setting_count(void);
const opn_i_image_setting *opn_i_image_setting_at(size_t n);

// Runs every model with every term over `seeds` seeds, 5 unless given, and adds the
// results. Each is kept in `folder`, or NULL, as soon as it is there. A shard, or NULL,
// does its part of the runs, and adds nothing. Errors: those of
// opn_graph_load(), opn_model_train() and opn_model_predict(); SHAPE (images of another
// size, or a class with too few of them).
OPN_NODISCARD opn_status opn_i_run_images(opn_ctx *ctx,
                                          const opn_params *params,
                                          const char *folder,
                                          opn_i_shard *shard,
                                          opn_reproduction *found);

#endif // OPN_IMAGE_RUNS_H
