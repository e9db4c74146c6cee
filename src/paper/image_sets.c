// image_sets.c -- draws the images that a run of the paper's table is made of.

#include "paper/image_sets.h"

#include "base/random.h"
#include "opine/split.h"

// The paper's counts.
enum { LABELLED_A_CLASS = 5, N_UNLABELLED = 24975 };

static bool is_test(const opn_graph *graph, int32_t i)
{
    return graph->given_role != NULL && graph->given_role[i] == OPN_ROLE_TEST;
}

// The images that are not for testing, in random order; freed by the caller.
static opn_status shuffle_images(opn_ctx *ctx,
                                 const opn_graph *graph,
                                 uint64_t seed,
                                 uint32_t step,
                                 int32_t **out,
                                 int32_t *n_out)
{
    opn_status status = OPN_OK;
    int32_t *image = NULL;
    int32_t n = 0;
    OPN_TRY_NEW(ctx, image, opn_i_graph_n_nodes(graph));
    for (int32_t i = 0; i < opn_i_graph_n_nodes(graph); i++)
        if (!is_test(graph, i))
            image[n++] = i;
    opn_i_rng rng = opn_i_rng_start(seed, OPN_STREAM_SPLIT, step);
    opn_i_rng_shuffle(&rng, image, n);
    *out = image;
    *n_out = n;
cleanup:
    return status;
}

// A graph without edges of some rows, of which the first n_labelled keep their labels.
static opn_status take_images(opn_ctx *ctx,
                              const opn_graph *from,
                              const int32_t *image,
                              int32_t n,
                              int32_t n_labelled,
                              opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    OPN_TRY(opn_i_graph_new(ctx, "images", &graph));
    OPN_TRY(opn_i_features_take_rows(ctx, &from->features, image, n, &graph->features));
    OPN_TRY(opn_i_csr_init(ctx, n, n, 0, false, &graph->topology));
    OPN_TRY_NEW(ctx, graph->label, n);
    OPN_TRY_NEW(ctx, graph->given_role, n);
    for (int32_t i = 0; i < n; i++) {
        graph->label[i] = i < n_labelled ? from->label[image[i]] : -1;
        graph->given_role[i] = i < n_labelled ? OPN_ROLE_TRAIN : OPN_ROLE_UNLABELLED;
    }
    graph->n_classes = from->n_classes;
    graph->is_undirected = true;
    *out = graph;
    graph = NULL;
cleanup:
    opn_graph_free(graph);
    return status;
}

// Moves the images that are to be labelled to the front: the first few of each class.
static opn_status pick_labelled(opn_ctx *ctx,
                                const opn_graph *graph,
                                int32_t *image,
                                int32_t n,
                                int32_t *n_labelled)
{
    opn_status status = OPN_OK;
    int32_t *n_taken = NULL;
    int32_t n_front = 0;
    OPN_TRY_NEW(ctx, n_taken, graph->n_classes);
    for (int32_t i = 0; i < n; i++) {
        const int32_t label = graph->label[image[i]];
        if (label < 0 || n_taken[label] == LABELLED_A_CLASS)
            continue;
        const int32_t moved = image[i];
        image[i] = image[n_front];
        image[n_front++] = moved;
        n_taken[label]++;
    }
    for (int32_t k = 0; k < graph->n_classes; k++)
        OPN_FAIL_IF(ctx, n_taken[k] < LABELLED_A_CLASS, OPN_ERR_SHAPE,
                    "%s: class %d has %d training images; %d of each are labelled",
                    graph->name, k, n_taken[k], LABELLED_A_CLASS);
    *n_labelled = n_front;
cleanup:
    opn_i_release(&ctx->alloc, n_taken);
    return status;
}

static int32_t at_most(int32_t n, int32_t most)
{
    return n < most ? n : most;
}

void opn_i_image_draw_deinit(opn_i_image_draw *draw)
{
    opn_graph_free(draw->graph);
    opn_split_free(draw->split);
    *draw = (opn_i_image_draw){0};
}

// Adds images of another set behind those of a graph, without labels.
static opn_status
append_images(opn_ctx *ctx, const opn_graph *a, const opn_graph *b, opn_graph **out)
{
    opn_status status = OPN_OK;
    const int32_t n_a = a->features.n_rows;
    const int32_t n = n_a + b->features.n_rows;
    opn_graph *graph = NULL;
    OPN_TRY(opn_i_graph_new(ctx, a->name, &graph));
    OPN_TRY(opn_i_features_stack(ctx, &a->features, &b->features, &graph->features));
    OPN_TRY(opn_i_csr_init(ctx, n, n, 0, false, &graph->topology));
    OPN_TRY_NEW(ctx, graph->label, n);
    OPN_TRY_NEW(ctx, graph->given_role, n);
    for (int32_t i = 0; i < n; i++) {
        graph->label[i] = i < n_a ? a->label[i] : -1;
        graph->given_role[i] = i < n_a ? a->given_role[i] : OPN_ROLE_UNLABELLED;
    }
    graph->n_classes = a->n_classes;
    graph->is_undirected = true;
    *out = graph;
    graph = NULL;
cleanup:
    opn_graph_free(graph);
    return status;
}

opn_status opn_i_image_draw_init(opn_ctx *ctx,
                                 const opn_i_image_data *data,
                                 uint64_t seed,
                                 opn_i_image_draw *out)
{
    opn_status status = OPN_OK;
    int32_t *inside = NULL;
    int32_t *outside = NULL;
    opn_graph *first = NULL;
    opn_graph *second = NULL;
    opn_i_image_draw draw = {0};
    int32_t n_inside = 0;
    int32_t n_outside = 0;
    OPN_TRY(shuffle_images(ctx, data->inside, seed, 0, &inside, &n_inside));
    OPN_TRY(shuffle_images(ctx, data->outside, seed, 1, &outside, &n_outside));
    OPN_TRY(pick_labelled(ctx, data->inside, inside, n_inside, &draw.n_labelled));
    draw.n_inside = at_most(n_inside - draw.n_labelled, N_UNLABELLED);
    draw.n_outside = at_most(n_outside, N_UNLABELLED);
    OPN_TRY(take_images(ctx, data->inside, inside, draw.n_labelled + draw.n_inside,
                        draw.n_labelled, &first));
    OPN_TRY(take_images(ctx, data->outside, outside, draw.n_outside, 0, &second));
    OPN_TRY(append_images(ctx, first, second, &draw.graph));
    OPN_TRY(opn_split_create(ctx, draw.graph, OPN_SPLIT_USUAL, seed, NULL, 0,
                             &draw.split));
    *out = draw;
    draw = (opn_i_image_draw){0};
cleanup:
    opn_i_release(&ctx->alloc, inside);
    opn_i_release(&ctx->alloc, outside);
    opn_graph_free(first);
    opn_graph_free(second);
    opn_i_image_draw_deinit(&draw);
    return status;
}

void opn_i_image_data_deinit(opn_i_image_data *data)
{
    opn_graph_free(data->inside);
    opn_graph_free(data->outside);
    opn_graph_free(data->test);
}

// MNIST's own test images, with their labels.
static opn_status take_test(opn_ctx *ctx, const opn_graph *from, opn_graph **out)
{
    opn_status status = OPN_OK;
    int32_t *image = NULL;
    int32_t n = 0;
    OPN_TRY_NEW(ctx, image, opn_i_graph_n_nodes(from));
    for (int32_t i = 0; i < opn_i_graph_n_nodes(from); i++)
        if (is_test(from, i))
            image[n++] = i;
    OPN_FAIL_IF(ctx, n == 0, OPN_ERR_SHAPE, "%s: there are no test images", from->name);
    OPN_TRY(take_images(ctx, from, image, n, n, out));
cleanup:
    opn_i_release(&ctx->alloc, image);
    return status;
}

opn_status
opn_i_image_data_load(opn_ctx *ctx, const opn_params *params, opn_i_image_data *data)
{
    opn_status status = OPN_OK;
    OPN_TRY(opn_graph_load_params(ctx, "mnist", params, &data->inside));
    OPN_TRY(opn_graph_load_params(ctx, "fashion-mnist", params, &data->outside));
    OPN_FAIL_IF(ctx, data->inside->features.n_cols != data->outside->features.n_cols,
                OPN_ERR_SHAPE, "fashion-mnist: images of %d pixels, but mnist has %d",
                data->outside->features.n_cols, data->inside->features.n_cols);
    OPN_TRY(take_test(ctx, data->inside, &data->test));
cleanup:
    return status;
}
