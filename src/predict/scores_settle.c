// scores_settle.c -- opinions from what another tool says about nodes.

#include "opinion/number_array.h"
#include "predict/prediction_reader.h"

#include <math.h>
#include <string.h>

static const char reading[] = "reading the scores"; // in messages

static opn_status check_nodes(opn_ctx *ctx, const opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    opn_i_names seen = {0};
    for (int32_t i = 0; i < file->n_nodes; i++) {
        const char *name = opn_i_names_at(&file->nodes, i);
        int32_t at = 0;
        OPN_TRY_GO_ON_ROWS(ctx, i, reading);
        OPN_FAIL_IF(ctx, name[0] == 0, OPN_ERR_FORMAT, "node %d has no name", i);
        OPN_TRY(opn_i_names_intern(ctx, &seen, name, strlen(name), &at));
        OPN_FAIL_IF(ctx, at < i, OPN_ERR_FORMAT, "node \"%s\" appears twice", name);
    }
cleanup:
    opn_i_names_deinit(&ctx->alloc, &seen);
    return status;
}

// The numbers that opinions follow from: evidence where there is some, else what the
// file has.
typedef struct numbers {
    opn_opinion_input input;
    int32_t n_samples;
    const float *x; // [n_samples,V,K]
} numbers;

static numbers numbers_of(const opn_i_prediction_file *file)
{
    if (file->samples != NULL)
        return (numbers){file->input, file->n_samples, file->samples};
    if (file->said->alpha != NULL)
        return (numbers){OPN_OPINION_ALPHA, 1, file->said->alpha};
    return (numbers){file->input, 1, file->said->probability};
}

// Makes room for the measures that the file lacks, and points `room` to them.
static opn_status
add_measures(opn_ctx *ctx, opn_i_prediction_file *file, opn_number_room *room)
{
    opn_status status = OPN_OK;
    for (int m = 0; m < OPN_N_PAPER_MEASURES; m++) {
        room[m] = opn_into_f32(NULL);
        if (file->said->measure[m] != NULL)
            continue;
        OPN_TRY_NEW(ctx, file->said->measure[m], file->n_nodes);
        room[m] = opn_into_f32(file->said->measure[m]);
    }
cleanup:
    return status;
}

static opn_status form_opinions(opn_ctx *ctx, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    opn_prediction *said = file->said;
    opn_number_room room[OPN_N_PAPER_MEASURES];
    opn_number_room alpha = {NULL, NULL};
    opn_number_room p = {NULL, NULL};
    const numbers from = numbers_of(file);
    if (file->samples != NULL || file->input != OPN_OPINION_PROBABILITY)
        p = opn_into_f32(said->probability);
    if (said->alpha == NULL && from.input == OPN_OPINION_ALPHA) {
        OPN_TRY_NEW(ctx, said->alpha, (size_t)file->n_nodes * (size_t)file->n_known);
        alpha = opn_into_f32(said->alpha);
    }
    OPN_TRY(add_measures(ctx, file, room));
    OPN_TRY(opn_opinion_from(ctx, from.input, from.n_samples, file->n_nodes,
                             file->n_known, opn_f32(from.x), OPN_N_PAPER_MEASURES, room,
                             alpha, p));
    for (int m = 0; m < OPN_N_PAPER_MEASURES; m++)
        opn_i_drop_missing(&ctx->alloc, &said->measure[m]);
cleanup:
    return status;
}

opn_status opn_i_scores_settle(opn_ctx *ctx, opn_i_prediction_file *file)
{
    opn_status status = OPN_OK;
    const size_t width = (size_t)file->n_known;
    OPN_FAIL_IF(ctx, file->n_known < 2, OPN_ERR_FORMAT,
                "has numbers of one class, \"%s\"; there must be two or more",
                opn_i_names_at(&file->classes, 0));
    OPN_TRY(check_nodes(ctx, file));
    OPN_TRY(opn_i_go_on(ctx, reading));
    OPN_TRY(form_opinions(ctx, file));
    OPN_TRY(opn_i_go_on(ctx, reading));
    for (int32_t i = 0; i < file->n_nodes; i++)
        file->said->predicted[i] = opn_i_largest(
                file->n_known, opn_f32(file->said->probability), (size_t)i * width);
cleanup:
    return status;
}
