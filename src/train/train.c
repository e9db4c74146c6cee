// train.c -- runs the stages of training: teacher, prior, student.

#include "train/train.h"

#include "base/clock.h"
#include "comm/comm.h"
#include "graph/gkde.h"
#include "io/bytes.h"
#include "model/checkpoint.h"
#include "model/workspace.h"
#include "train/training_key.h"
#include "train/unlabelled_choice.h"

#include <math.h>
#include <string.h>

typedef struct training {
    opn_ctx *ctx;
    const opn_graph *graph;
    const opn_split *split;
    const opn_params *params;
    opn_model *model;
    opn_i_workspace workspace;
    // In workspace order.
    int32_t *target;     // [V] class of training nodes, -1 for others
    int32_t *validation; // [V]
    int32_t n_train, n_validation;
    opn_real *prior, *prior_sum, *log_teacher; // [V,K] [V] [V,K], or NULL
    opn_real *gradient;                        // with d_weights
    opn_real *d_weights; // on whole cache lines, which X^T G is scattered to
    opn_i_train_state teacher, student;
    const char *checkpoint;    // path, or NULL
    char key[OPN_SHA256_TEXT]; // identifies the training of the checkpoint
    double keep_at;            // time at which to write the next one
} training;

static void release_training(training *t)
{
    const opn_alloc *alloc = &t->ctx->alloc;
    opn_i_workspace_deinit(alloc, &t->workspace);
    opn_i_train_state_deinit(alloc, &t->teacher);
    opn_i_train_state_deinit(alloc, &t->student);
    opn_i_release(alloc, t->target);
    opn_i_release(alloc, t->validation);
    opn_i_release(alloc, t->prior);
    opn_i_release(alloc, t->prior_sum);
    opn_i_release(alloc, t->log_teacher);
    opn_i_release(alloc, t->gradient);
    opn_model_free(t->model);
}

// ---- model before training -----------------------------------------------------------

// Stores the parameters that affect the model in it, to record how it was made.
static opn_status keep_params(opn_ctx *ctx, const opn_params *params, opn_model *model)
{
    opn_status status = OPN_OK;
    for (size_t p = 0; p < opn_param_count(); p++) {
        const opn_param *param = opn_param_at(p);
        const char *value = opn_params_text(params, param->name);
        if (!(param->affects & OPN_AFFECTS_PREDICTION))
            continue;
        OPN_TRY(opn_i_names_add(ctx, &model->param_names, param->name,
                                strlen(param->name)));
        OPN_TRY(opn_i_names_add(ctx, &model->param_values, value, strlen(value)));
    }
cleanup:
    return status;
}

static opn_status keep_classes(opn_ctx *ctx,
                               const opn_graph *graph,
                               const opn_split *split,
                               opn_model *model)
{
    opn_status status = OPN_OK;
    char number[12];
    const int32_t *known = opn_split_known(split);
    for (int32_t k = 0; k < graph->n_classes; k++) {
        const char *name = opn_graph_class_name(graph, k, number);
        if (known[k] >= 0)
            OPN_TRY(opn_i_names_add(ctx, &model->class_names, name, strlen(name)));
    }
cleanup:
    return status;
}

static opn_status describe_model(training *t, const opn_split *split)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = t->ctx;
    opn_model *model = t->model;
    model->kind = opn_i_model_kind_find(opn_params_text(t->params, "model"));
    OPN_FAIL_IF(ctx, model->kind == NULL || opn_i_model_kind_is_auto(model->kind),
                OPN_ERR_INVALID_ARG, "`model` %s: training takes one model",
                opn_params_text(t->params, "model"));
    OPN_TRY(opn_i_model_choose_evidence(ctx, t->params, model));
    model->sizes = opn_i_model_sizes(model->kind, t->params);
    model->sizes.n_classes = opn_split_n_known(split);
    OPN_TRY(opn_i_model_check_sizes(ctx, model->kind, &model->sizes));
    OPN_TRY(keep_params(ctx, t->params, model));
    OPN_TRY(keep_classes(ctx, t->graph, split, model));
    OPN_TRY(opn_i_features_fit(ctx, t->graph, opn_params_text(t->params, "normalise"),
                               model));
    OPN_TRY(opn_graph_hash(ctx, t->graph, model->data_hash));
    OPN_TRY(opn_i_model_keep_origin(ctx, t->graph, model));
    model->may_be_isolated = opn_i_graph_has_isolated(t->graph);
    OPN_TRY(opn_i_split_hash(ctx, split, model->split_hash));
cleanup:
    return status;
}

// The known class of node i, if it has that role, or -1.
static int32_t
class_in(const opn_graph *graph, const opn_split *split, opn_vid i, opn_role role)
{
    if (opn_split_roles(split)[i] != role || graph->label[i] < 0)
        return -1;
    return opn_split_known(split)[graph->label[i]];
}

static opn_status find_targets(training *t, const opn_split *split)
{
    opn_status status = OPN_OK;
    const opn_vid n = t->workspace.network.n_nodes;
    OPN_TRY_NEW(t->ctx, t->target, n);
    OPN_TRY_NEW(t->ctx, t->validation, n);
    for (opn_vid r = 0; r < n; r++) {
        const opn_vid i = t->workspace.order[r];
        t->target[r] = class_in(t->graph, split, i, OPN_ROLE_TRAIN);
        t->validation[r] = class_in(t->graph, split, i, OPN_ROLE_VALIDATION);
    }
    // Of all nodes, whichever rank has them.
    for (opn_vid i = 0; i < opn_i_graph_n_nodes(t->graph); i++) {
        t->n_train += class_in(t->graph, split, i, OPN_ROLE_TRAIN) >= 0;
        t->n_validation += class_in(t->graph, split, i, OPN_ROLE_VALIDATION) >= 0;
    }
cleanup:
    return status;
}

// ---- checkpoints ---------------------------------------------------------------------

// Writing checkpoints takes at most this share of the time.
static const double keeping_share = 0.02;

static opn_i_checkpoint checkpoint_of(training *t)
{
    return (opn_i_checkpoint){
            .key = t->key,
            .teacher = t->model->kind->has_teacher ? &t->teacher : NULL,
            .student = &t->student,
    };
}

// Sets when the next checkpoint is due, given that the last one was started at `begun`.
static void set_next_keeping(training *t, double begun)
{
    const double now = opn_i_clock();
    const double every = opn_params_real(t->params, "checkpoint_every");
    const double least = (now - begun) / keeping_share;
    t->keep_at = every > 0.0 ? now + fmax(every, least) : (double)INFINITY;
}

// If saving fails, training goes on.
static void keep_state(training *t)
{
    const opn_i_checkpoint states = checkpoint_of(t);
    if (opn_i_comm_of(t->ctx)->rank > 0) // the first writes that of all
        return;
    if (opn_i_checkpoint_save(t->ctx, t->checkpoint, &states) != OPN_OK)
        opn_i_log(t->ctx, OPN_LOG_WARNING, "continuing without a checkpoint: %s",
                  t->ctx->error);
}

// Saves the training state from time to time, so that little is lost to a signal that
// cannot be caught.
static void keep_now_and_then(void *user)
{
    training *t = user;
    const double begun = opn_i_clock();
    if (begun < t->keep_at)
        return;
    keep_state(t);
    set_next_keeping(t, begun);
}

// ---- stages --------------------------------------------------------------------------

static opn_i_objective
objective_of(const training *t, const opn_i_subgraph *subgraph, const opn_i_head *head)
{
    return (opn_i_objective){
            .head = head,
            .evidence = t->model->evidence,
            .n_nodes = subgraph->train.outer.n_rows,
            .n_classes = t->model->sizes.n_classes,
            .width = t->workspace.network.class_width,
            .target = subgraph->target,
            .blocks = t->workspace.network.blocks,
            .n_train = t->n_train,
            .lambda1 = opn_params_real(t->params, "lambda1"),
            .teacher_epochs = opn_params_real(t->params, "teacher_ramp"),
    };
}

static opn_i_stop stop_of(const char *text)
{
    return strcmp(text, "loss") == 0       ? OPN_STOP_LOSS
           : strcmp(text, "accuracy") == 0 ? OPN_STOP_ACCURACY
                                           : OPN_STOP_BOTH;
}

static opn_i_train_options options_of(training *t,
                                      const opn_i_subgraph *subgraph,
                                      const char *stage,
                                      int64_t n_epochs)
{
    return (opn_i_train_options){
            .stage = stage,
            .n_epochs = (int32_t)n_epochs,
            .patience = (int32_t)opn_params_int(t->params, "patience"),
            .stop = stop_of(opn_params_text(t->params, "stop_on")),
            .rates = {opn_i_met_rate(opn_params_real(t->params, "dropout")),
                      opn_i_met_rate(opn_params_real(t->params, "drop_edge"))},
            .optimiser = {.learning_rate = opn_params_real(t->params, "learning_rate"),
                          .weight_decay = opn_params_real(t->params, "weight_decay")},
            .seed = (uint64_t)opn_params_int(t->params, "seed"),
            .validation = t->n_validation > 0 ? subgraph->validation : NULL,
            .validation_reach = &subgraph->check,
            .report_every = n_epochs >= 10 ? (int32_t)(n_epochs / 10) : 1,
            .keep = t->checkpoint != NULL ? keep_now_and_then : NULL,
            .user = t,
    };
}

static opn_status run_teacher(training *t)
{
    opn_status status = OPN_OK;
    opn_i_network *network = &t->workspace.network;
    opn_i_trainee trainee = {0};
    OPN_TRY(opn_i_trainee_init(t->ctx, &t->workspace, t->target, t->validation, false,
                               &trainee));
    const opn_i_objective objective =
            objective_of(t, &trainee.subgraph, &opn_i_softmax_head);
    const int64_t n_own = opn_params_int(t->params, "teacher_epochs");
    opn_i_train_options options =
            options_of(t, &trainee.subgraph, "teacher",
                       n_own > 0 ? n_own : opn_params_int(t->params, "epochs"));
    options.stream_weights = OPN_STREAM_TEACHER_WEIGHTS;
    options.streams = (opn_i_streams){.features = OPN_STREAM_TEACHER_FEATURES,
                                      .hidden = OPN_STREAM_TEACHER_HIDDEN,
                                      .edges = OPN_STREAM_TEACHER_EDGES,
                                      .projected = OPN_STREAM_TEACHER_PROJECTED};
    OPN_TRY(opn_i_train(t->ctx, &t->workspace.exec, trainee.network, &objective, &options,
                        &t->teacher, t->d_weights));
    opn_i_trainee_deinit(&t->ctx->alloc, &trainee); // makes room for the whole graph
    OPN_TRY(opn_i_network_pass(t->ctx, &t->workspace.exec, network, t->teacher.weights,
                               "training the teacher"));
    OPN_TRY(opn_i_check_logits(t->ctx, network, t->teacher.epoch));
    OPN_TRY_NEW(t->ctx, t->log_teacher,
                (size_t)network->n_nodes * (size_t)network->class_width);
    for (int32_t i = 0; i < network->n_nodes; i++) {
        OPN_TRY_GO_ON_ROWS(t->ctx, i, "training the teacher");
        const size_t at = (size_t)i * (size_t)network->class_width;
        opn_i_log_softmax_row(network->sizes.n_classes, network->z + at,
                              t->log_teacher + at);
    }
cleanup:
    opn_i_trainee_deinit(&t->ctx->alloc, &trainee);
    return status;
}

static opn_status find_prior(training *t)
{
    opn_status status = OPN_OK;
    const opn_i_network *network = &t->workspace.network;
    const size_t width = (size_t)network->class_width;
    const int32_t *order = t->workspace.order;
    const opn_vid n_nodes = opn_i_graph_n_nodes(t->graph);
    int32_t *target = NULL; // in graph order, like everything computed from it
    opn_real *prior = NULL;
    OPN_TRY_NEW(t->ctx, target, n_nodes);
    OPN_TRY_NEW(t->ctx, prior, (size_t)n_nodes * width);
    OPN_TRY_NEW(t->ctx, t->prior, (size_t)network->n_nodes * width);
    OPN_TRY_NEW(t->ctx, t->prior_sum, network->n_nodes);
    for (opn_vid i = 0; i < n_nodes; i++)
        target[i] = class_in(t->graph, t->split, i, OPN_ROLE_TRAIN);
    OPN_TRY(opn_i_gkde(t->ctx, t->graph, target, network->sizes.n_classes,
                       opn_params_real(t->params, "sigma"),
                       opn_params_flag(t->params, "kernel_constant"),
                       network->class_width, prior));
    for (int32_t r = 0; r < network->n_nodes; r++) {
        opn_real *row = t->prior + (size_t)r * width;
        memcpy(row, prior + (size_t)order[r] * width, width * sizeof(*row));
        for (int32_t k = 0; k < network->sizes.n_classes; k++)
            t->prior_sum[r] += row[k];
    }
cleanup:
    opn_i_release(&t->ctx->alloc, target);
    opn_i_release(&t->ctx->alloc, prior);
    return status;
}

// The network in training: all of it, on batches, or where the loss depends on it.
static opn_status init_trainee(training *t, opn_i_trainee *trainee, opn_i_batch *batch)
{
    opn_status status = OPN_OK;
    const opn_i_model_kind *kind = t->model->kind;
    const bool has_unlabelled = opn_i_unlabelled_chosen(t->params) != OPN_UNLABELLED_NONE;
    const bool has_matrices = kind->has_prior || kind->has_teacher;
    const int64_t n_places = opn_params_int(t->params, "batch");
    if (has_unlabelled && n_places > 0) {
        OPN_FAIL_IF(t->ctx, has_matrices, OPN_ERR_INVALID_ARG,
                    "`batch`: a model with a teacher or a prior takes all nodes at once, "
                    "which 0 does");
        OPN_TRY(opn_i_batch_init(
                t->ctx, &t->workspace, t->target, t->validation, (int32_t)n_places,
                (uint64_t)opn_params_int(t->params, "seed"), trainee, batch));
    } else {
        OPN_TRY(opn_i_trainee_init(t->ctx, &t->workspace, t->target, t->validation,
                                   has_matrices || kind->drops_edges || has_unlabelled,
                                   trainee));
    }
cleanup:
    return status;
}

static opn_status run_student(training *t)
{
    opn_status status = OPN_OK;
    const opn_i_model_kind *kind = t->model->kind;
    const bool has_term = opn_i_unlabelled_chosen(t->params) != OPN_UNLABELLED_NONE;
    opn_i_trainee trainee = {0};
    opn_i_batch batch = {0};
    opn_i_unlabelled term = {0};
    OPN_TRY(init_trainee(t, &trainee, &batch));
    opn_i_objective objective = objective_of(t, &trainee.subgraph, kind->head);
    opn_i_train_options options = options_of(t, &trainee.subgraph, "model",
                                             opn_params_int(t->params, "epochs"));
    objective.prior = t->prior;
    objective.prior_sum = t->prior_sum;
    objective.log_teacher = t->log_teacher;
    options.stream_weights = OPN_STREAM_STUDENT_WEIGHTS;
    options.streams = (opn_i_streams){.features = OPN_STREAM_STUDENT_FEATURES,
                                      .hidden = OPN_STREAM_STUDENT_HIDDEN,
                                      .edges = OPN_STREAM_STUDENT_EDGES,
                                      .projected = OPN_STREAM_STUDENT_PROJECTED};
    if (has_term) {
        const opn_i_unlabelled_options term_options =
                opn_i_unlabelled_choose(t->params, &t->workspace.features);
        OPN_TRY(opn_i_unlabelled_init(t->ctx, &term_options, trainee.network, &objective,
                                      &term));
        options.unlabelled = &term;
        options.batch = batch.n_places > 0 ? &batch : NULL;
    }
    OPN_TRY(opn_i_train(t->ctx, &t->workspace.exec, trainee.network, &objective, &options,
                        &t->student, t->d_weights));
cleanup:
    opn_i_unlabelled_deinit(&t->ctx->alloc, &term);
    opn_i_batch_deinit(&t->ctx->alloc, &batch);
    opn_i_trainee_deinit(&t->ctx->alloc, &trainee);
    return status;
}

// Runs a stage and measures its time.
static opn_status timed(training *t, opn_status (*run)(training *t), double *seconds)
{
    const double start = opn_i_clock();
    const opn_status status = run(t);
    *seconds = opn_i_clock() - start;
    return status;
}

static opn_status run_stages(training *t)
{
    opn_status status = OPN_OK;
    opn_train_summary *summary = &t->model->summary;
    if (t->student.is_done) // before an interruption
        return OPN_OK;
    if (t->model->kind->has_teacher)
        OPN_TRY(timed(t, run_teacher, &summary->teacher_seconds));
    if (t->model->kind->has_prior)
        OPN_TRY(timed(t, find_prior, &summary->prior_seconds));
    OPN_TRY(timed(t, run_student, &summary->train_seconds));
cleanup:
    return status;
}

// Resumes from a checkpoint if there is one, and saves one when interrupted. At the end
// the checkpoint has the final weights, for a training whose model cannot be saved.
static opn_status run_resumably(training *t)
{
    opn_status status = OPN_OK;
    const opn_i_checkpoint states = checkpoint_of(t);
    if (t->checkpoint != NULL && opn_i_file_exists(t->checkpoint)) {
        status = opn_i_checkpoint_load(t->ctx, t->checkpoint, &states);
        if (status == OPN_OK)
            opn_i_log(t->ctx, OPN_LOG_INFO, "resuming from %s", t->checkpoint);
    }
    // Also so that no rank looks for what another has written meanwhile.
    OPN_TRY(opn_i_comm_agree(t->ctx, status));
    OPN_FAIL_IF(t->ctx, !opn_i_comm_is_same(t->ctx, &t->student.epoch, sizeof(int32_t)),
                OPN_ERR_READ, "%s: not all ranks see the checkpoint", t->checkpoint);
    set_next_keeping(t, opn_i_clock());
    status = run_stages(t);
    if (status == OPN_ERR_INTERRUPTED && t->checkpoint != NULL &&
        opn_i_comm_of(t->ctx)->rank == 0) {
        OPN_TRY(opn_i_checkpoint_save(t->ctx, t->checkpoint, &states));
        status = OPN_ERR_INTERRUPTED;
    }
    if (status == OPN_OK && t->checkpoint != NULL)
        keep_state(t);
cleanup:
    return status;
}

// ---- whole training ------------------------------------------------------------------

static opn_status summarise(training *t)
{
    opn_status status = OPN_OK;
    opn_train_summary *summary = &t->model->summary;
    const opn_i_network *network = &t->workspace.network;
    const opn_i_objective objective = {.head = t->model->kind->head,
                                       .evidence = t->model->evidence,
                                       .n_classes = network->sizes.n_classes,
                                       .width = network->class_width,
                                       .blocks = network->blocks};
    double accuracy = 0.0;
    OPN_TRY(opn_i_network_pass(t->ctx, &t->workspace.exec, &t->workspace.network,
                               t->student.weights, "training the model"));
    OPN_TRY(opn_i_check_logits(t->ctx, network, t->student.epoch));
    (void)opn_i_objective_supervised(&objective, network->n_nodes, t->validation,
                                     network->z, &accuracy);
    summary->teacher_epochs = t->model->kind->has_teacher ? t->teacher.epoch : 0;
    summary->epochs = t->student.epoch;
    summary->n_train = t->n_train;
    summary->n_validation = t->n_validation;
    summary->validation_accuracy = t->n_validation > 0 ? accuracy : (double)NAN;
    summary->validation_nll =
            opn_i_objective_nll(&objective, network->n_nodes, t->validation, network->z);
    summary->ended_early = t->student.epoch < opn_params_int(t->params, "epochs");
    summary->n_bounded_logits = t->student.n_bounded;
cleanup:
    return status;
}

static opn_status
keep_weights(opn_ctx *ctx, const opn_i_train_state *state, opn_real **out)
{
    opn_status status = OPN_OK;
    OPN_TRY_NEW(ctx, *out, state->n_weights);
    memcpy(*out, state->weights, state->n_weights * sizeof(**out));
cleanup:
    return status;
}

opn_status opn_i_train_one(opn_ctx *ctx,
                           const opn_graph *graph,
                           const opn_split *split,
                           const opn_params *params,
                           const char *checkpoint,
                           opn_model **out)
{
    opn_status status = OPN_OK;
    training t = {.ctx = ctx,
                  .graph = graph,
                  .split = split,
                  .params = params,
                  .checkpoint = checkpoint};
    OPN_TRY(opn_i_model_new(ctx, &t.model));
    OPN_TRY(describe_model(&t, split));
    // It is not known yet whether there are validation nodes.
    const opn_i_plan plan = {.trains = true,
                             .has_whole = opn_params_int(params, "patience") > 0,
                             .dropout = opn_params_real(params, "dropout"),
                             .needs_whole = opn_i_unlabelled_chosen(params) !=
                                            OPN_UNLABELLED_NONE};
    OPN_TRY(opn_i_workspace_init(ctx, t.model, graph, plan, &t.workspace));
    OPN_TRY(find_targets(&t, split));
    OPN_TRY(opn_i_train_state_init(ctx, &t.workspace.network, &t.teacher));
    OPN_TRY(opn_i_unlabelled_chosen(params) == OPN_UNLABELLED_MEAN_TEACHER
                    ? opn_i_train_state_init_averaged(ctx, &t.workspace.network,
                                                      &t.student)
                    : opn_i_train_state_init(ctx, &t.workspace.network, &t.student));
    OPN_TRY_NEW(ctx, t.gradient, OPN_MARGIN + t.student.n_weights);
    t.d_weights = opn_i_on_line(t.gradient);
    OPN_TRY(opn_i_training_key(ctx, t.model->data_hash, split, params, t.model->kind,
                               t.key));
    OPN_TRY(run_resumably(&t));
    OPN_TRY(keep_weights(ctx, &t.student, &t.model->member[0].student));
    if (t.model->kind->has_teacher)
        OPN_TRY(keep_weights(ctx, &t.teacher, &t.model->member[0].teacher));
    OPN_TRY(summarise(&t));
    *out = t.model;
    t.model = NULL;
cleanup:
    release_training(&t);
    return status;
}
