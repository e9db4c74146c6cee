// suspects.c -- labels that models which did not see them contradict.

#include "graph/narrow.h"
#include "model/model_data.h"
#include "opine/labels.h"
#include "predict/node_list.h"
#include "predict/prediction_data.h"
#include "train/jobs.h"
#include "train/train.h"
#include "train/training_cost.h"

#include <math.h>
#include <stdlib.h>

// Three parts train, one validates and one is judged. Fewer parts leave less to train
// on, more take longer.
enum { N_PARTS = 5, LEAST_LABELS = 2 * N_PARTS };

// What the models say about each label.
typedef struct judging {
    const opn_graph *graph;
    const opn_split *split; // that of `model`
    opn_params *params;     // of one model like it
    uint64_t seed;
    opn_suspect *suspect; // [V] of the nodes where `is_suspect` is 1
    uint8_t *is_suspect;  // [V]
} judging;

// ---- out-of-fold opinions ------------------------------------------------------------

// The class of the graph that is number `known` among the known ones.
static int32_t class_of_known(const opn_split *split, int32_t known)
{
    int32_t k = 0;
    while (opn_split_known(split)[k] != known)
        k++;
    return k;
}

static void judge(const judging *j, const opn_prediction *p, opn_vid i)
{
    const int32_t label = j->graph->label[i];
    const int32_t expected = p->predicted[i];
    const float *probability = p->probability + (size_t)i * (size_t)p->n_classes;
    const float *vacuity = p->measure[OPN_MEASURE_VACUITY];
    const int32_t known = opn_split_known(j->split)[label];
    if (expected == known)
        return;
    j->is_suspect[i] = 1;
    j->suspect[i] = (opn_suspect){.node = i,
                                  .label = label,
                                  .expected = class_of_known(j->split, expected),
                                  .p_label = (double)probability[known],
                                  .p_expected = (double)probability[expected],
                                  .vacuity = vacuity == NULL ? NAN : vacuity[i]};
}

// Each job writes to the nodes of its own part alone.
static opn_status judge_part(opn_ctx *ctx, void *user, int32_t part)
{
    opn_status status = OPN_OK;
    const judging *j = user;
    opn_split *split = NULL;
    opn_model *model = NULL;
    opn_prediction *said = NULL;
    OPN_TRY(opn_i_split_turn(ctx, j->graph, j->split, OPN_TURNS_TEST, j->seed, N_PARTS,
                             part, &split));
    OPN_TRY(opn_i_train_one(ctx, j->graph, split, j->params, NULL, &model));
    OPN_TRY(opn_model_predict(ctx, model, j->graph, j->params, 0, &said));
    const uint8_t *role = opn_split_roles(split);
    for (opn_vid i = 0; i < opn_split_n_nodes(split); i++)
        if (role[i] == OPN_ROLE_TEST)
            judge(j, said, i);
cleanup:
    opn_prediction_free(said);
    opn_model_free(model);
    opn_split_free(split);
    return status;
}

static void tell_part(opn_ctx *ctx, void *user, int32_t part)
{
    const judging *j = user;
    opn_i_log(ctx, OPN_LOG_DETAIL, "%s: the labels of part %d of %d are judged",
              j->graph->name, (int)part + 1, N_PARTS);
}

// ---- the list ------------------------------------------------------------------------

typedef struct suspect_list {
    opn_suspects shown; // first, so that a pointer to it is one to the struct
    opn_alloc alloc;
    opn_suspect *suspect;
} suspect_list;

void opn_suspects_free(opn_suspects *shown)
{
    suspect_list *s = (suspect_list *)(void *)shown;
    if (s == NULL)
        return;
    const opn_alloc alloc = s->alloc;
    opn_i_release(&alloc, s->suspect);
    opn_i_release(&alloc, s);
}

// The most suspect first, of equal ones that of the smaller number.
static int by_suspicion(const void *left, const void *right)
{
    const opn_suspect *a = left;
    const opn_suspect *b = right;
    const double gap_a = a->p_expected - a->p_label;
    const double gap_b = b->p_expected - b->p_label;
    if (gap_a != gap_b)
        return gap_a > gap_b ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static opn_status list_suspects(opn_ctx *ctx, const judging *j, opn_suspects **out)
{
    opn_status status = OPN_OK;
    suspect_list *s = NULL;
    const opn_vid n_nodes = opn_i_graph_n_nodes(j->graph);
    int32_t n = 0;
    OPN_TRY_NEW(ctx, s, 1);
    s->alloc = ctx->alloc;
    for (opn_vid i = 0; i < n_nodes; i++)
        s->shown.n += j->is_suspect[i];
    OPN_TRY_NEW(ctx, s->suspect, s->shown.n);
    for (opn_vid i = 0; i < n_nodes; i++) {
        const int32_t label = j->graph->label[i];
        s->shown.n_judged += label >= 0 && opn_split_known(j->split)[label] >= 0;
        if (j->is_suspect[i])
            s->suspect[n++] = j->suspect[i];
    }
    qsort(s->suspect, (size_t)n, sizeof(*s->suspect), by_suspicion);
    s->shown.suspect = s->suspect;
    *out = &s->shown;
    s = NULL;
cleanup:
    opn_suspects_free(s == NULL ? NULL : &s->shown);
    return status;
}

// ---- the work ------------------------------------------------------------------------

static opn_status
check_labels(opn_ctx *ctx, const opn_graph *graph, const opn_split *split)
{
    opn_status status = OPN_OK;
    int32_t n = 0;
    OPN_FAIL_IF(ctx, split == NULL, OPN_ERR_SHAPE,
                "%s: is not the graph that the model was trained on, with the same "
                "split; labels are judged on that one",
                graph->name);
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(graph); i++)
        n += graph->label[i] >= 0 && opn_split_known(split)[graph->label[i]] >= 0;
    OPN_FAIL_IF(ctx, n < LEAST_LABELS, OPN_ERR_SHAPE,
                "%s: has %d labelled nodes of known classes; to judge labels takes at "
                "least %d",
                graph->name, (int)n, LEAST_LABELS);
cleanup:
    return status;
}

opn_status opn_suspects_find(opn_ctx *ctx,
                             const opn_model *model,
                             const opn_graph *graph,
                             opn_suspects **out)
{
    OPN_REJECT_NULL(ctx, model, graph, out);
    opn_status status = OPN_OK;
    opn_split *split = NULL;
    judging j = {.graph = graph};
    OPN_TRY(opn_model_split(ctx, model, graph, &split));
    OPN_TRY(check_labels(ctx, graph, split));
    j.split = split;
    OPN_TRY(opn_i_model_params(ctx, model, &j.params));
    OPN_TRY(opn_params_set(ctx, j.params, "model", opn_model_id(model)));
    j.seed = (uint64_t)opn_params_int(j.params, "seed");
    OPN_TRY_NEW(ctx, j.suspect, opn_i_graph_n_nodes(graph));
    OPN_TRY_NEW(ctx, j.is_suspect, opn_i_graph_n_nodes(graph));
    const opn_i_training_cost cost = opn_i_training_cost_of(graph, j.params);
    const opn_i_jobs jobs = {.stage = "judging labels",
                             .n = N_PARTS,
                             .n_at_once = opn_i_trainings_that_fit(&cost),
                             .run = judge_part,
                             .tell = tell_part,
                             .user = &j};
    OPN_TRY(opn_i_jobs_run(ctx, &jobs));
    OPN_TRY(list_suspects(ctx, &j, out));
cleanup:
    opn_i_release(&ctx->alloc, j.suspect);
    opn_i_release(&ctx->alloc, j.is_suspect);
    opn_params_free(j.params);
    opn_split_free(split);
    return status;
}

// ---- files ---------------------------------------------------------------------------

static const char *const columns[] = {"node",    "label",      "expected",
                                      "p_label", "p_expected", "vacuity"};

static opn_i_list_field
field_of(const opn_i_node_list *list, int32_t row, int column, char room[12])
{
    const opn_suspect *s = (const opn_suspect *)list->rows + row;
    switch (column) {
    case 0:
        return (opn_i_list_field){opn_graph_node_name(list->graph, s->node, room), 0.0};
    case 1:
        return opn_i_list_class(list->graph, s->label, room);
    case 2:
        return opn_i_list_class(list->graph, s->expected, room);
    case 3:
        return (opn_i_list_field){NULL, s->p_label};
    case 4:
        return (opn_i_list_field){NULL, s->p_expected};
    default:
        return (opn_i_list_field){NULL, (double)s->vacuity};
    }
}

opn_status opn_suspects_save(opn_ctx *ctx,
                             const opn_graph *graph,
                             const opn_suspects *suspects,
                             const char *path)
{
    OPN_REJECT_NULL(ctx, graph, suspects, path);
    const opn_i_node_list list = {.graph = graph,
                                  .rows = suspects->suspect,
                                  .n_rows = suspects->n,
                                  .n_columns = sizeof(columns) / sizeof(columns[0]),
                                  .column = columns,
                                  .field = field_of};
    return opn_i_node_list_save(ctx, &list, path);
}
