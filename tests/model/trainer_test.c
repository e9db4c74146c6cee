// trainer_test.c -- the training loop: Adam, early stopping, interruption, determinism.

#include "model/trainer.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

static opn_i_train_options usual_options(void)
{
    return (opn_i_train_options){.stage = "model",
                                 .n_epochs = 10,
                                 .optimiser = {0.01, golden_weight_decay},
                                 .rates.units = 0.5,
                                 .seed = 11,
                                 .stream_weights = OPN_STREAM_STUDENT_WEIGHTS,
                                 .rates.edges = 0.2,
                                 .streams = student_streams};
}

static opn_status train_on(network *net,
                           int model,
                           const opn_i_train_options *options,
                           opn_i_train_state *state)
{
    const opn_i_objective objective = network_objective(net, model);
    return opn_i_train(net->ctx, &net->exec, &net->gcn, &objective, options, state,
                       net->d_weights);
}

static opn_i_train_state new_state(network *net)
{
    opn_i_train_state state = {0};
    assert_int_equal(opn_i_train_state_init(net->ctx, &net->gcn, &state), OPN_OK);
    return state;
}

static void train(network *net,
                  int model,
                  const opn_i_train_options *options,
                  opn_i_train_state *state)
{
    if (train_on(net, model, options, state) != OPN_OK)
        fail_msg("%s: %s", model_names[model], opn_ctx_error(net->ctx));
}

static void expect_same_state(const opn_i_train_state *got, const opn_i_train_state *want)
{
    assert_int_equal(got->n_weights, want->n_weights);
    assert_memory_equal(got->weights, want->weights,
                        OPN_STATE_BLOCKS * want->n_weights * sizeof(opn_real));
    assert_int_equal(got->epoch, want->epoch);
    assert_int_equal(got->best_epoch, want->best_epoch);
    assert_true(got->is_done == want->is_done);
    assert_int_equal(got->n_bounded, want->n_bounded);
    assert_memory_equal(&got->best_loss, &want->best_loss, sizeof(double));
    assert_memory_equal(&got->best_accuracy, &want->best_accuracy, sizeof(double));
}

// ---- Adam ----------------------------------------------------------------------------

// One gradient of s-bgcn-t-k with the golden masks, at the golden epoch.
static void golden_gradient(network *net, const golden_case *golden)
{
    const opn_i_objective objective = network_objective(net, GOLDEN_OBJECTIVE_S_BGCN_T_K);
    int64_t n_bounded = 0;
    opn_i_network_forward_drawn(&net->exec, &net->gcn, net->weights,
                                (opn_i_rates){golden->rate, 0.0}, true);
    opn_i_objective_gradient(&net->exec, &objective, GOLDEN_EPOCH, net->gcn.z,
                             net->gcn.d_z, &n_bounded);
    opn_i_network_backward(&net->exec, &net->gcn, net->weights, net->d_weights);
}

static double golden_loss(network *net)
{
    const opn_i_objective objective = network_objective(net, GOLDEN_OBJECTIVE_S_BGCN_T_K);
    const opn_i_loss_terms terms =
            opn_i_objective_terms(&objective, GOLDEN_EPOCH, net->gcn.z);
    double norm = 0.0;
    for (size_t j = 0; j < net->gcn.n_decayed; j++)
        norm += (double)net->weights[j] * (double)net->weights[j];
    return terms.supervised + terms.prior + terms.teacher +
           0.5 * golden_weight_decay * norm;
}

static void
expect_golden_weights(const network *net, const golden_case *golden, int which)
{
    const opn_i_network *gcn = &net->gcn;
    const double tolerance = by_build(1e-5, 1e-12);
    expect_rows(GOLDEN_F, GOLDEN_H, gcn->hidden_width, net->weights,
                golden->adam_w0[which], tolerance, 1.0);
    expect_rows(GOLDEN_H, GOLDEN_K, gcn->class_width, net->weights + gcn->n_decayed,
                golden->adam_w1[which], tolerance, 1.0);
}

static void ten_steps_of_adam_are_golden(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    for (int round = 0; round < 2 * n_tables; round++) {
        const golden_case *golden = &golden_cases[round % 2];
        network net;
        network_init_golden(ctx, golden, &net);
        net.exec.kernels = table[round / 2];
        opn_i_train_state moments = new_state(&net);
        const size_t n = moments.n_weights;
        const size_t n_first = net.gcn.n_decayed;
        for (int t = 1; t <= GOLDEN_N_STEPS; t++) {
            const double root = sqrt(1.0 - pow(0.999, t));
            const opn_real rate = (opn_real)(0.01 * root / (1.0 - pow(0.9, t)));
            const opn_real epsilon = (opn_real)(1e-8 * root);
            golden_gradient(&net, golden);
            expect_close(golden_loss(&net), golden->adam_loss[t - 1],
                         by_build(1e-5, 1e-12), 1.0);
            net.exec.kernels->adam(n_first, rate, epsilon, (opn_real)golden_weight_decay,
                                   net.weights, moments.optimiser.mean,
                                   moments.optimiser.square, net.d_weights);
            net.exec.kernels->adam(n - n_first, rate, epsilon, 0, net.weights + n_first,
                                   moments.optimiser.mean + n_first,
                                   moments.optimiser.square + n_first,
                                   net.d_weights + n_first);
            if (t == 1 || t == GOLDEN_N_STEPS)
                expect_golden_weights(&net, golden, t == 1 ? 0 : 1);
        }
        opn_i_train_state_deinit(&ctx->alloc, &moments);
        network_deinit(&net);
    }
}

// The loop written out, with Adam as in the textbook, in double.
typedef struct textbook {
    double *w, *mean, *square; // [n_weights]
} textbook;

static void textbook_step(network *net,
                          const opn_i_objective *objective,
                          const opn_i_train_options *options,
                          int32_t epoch,
                          textbook *book)
{
    int64_t n_bounded = 0;
    for (size_t j = 0; j < net->gcn.n_weights; j++)
        net->weights[j] = (opn_real)book->w[j];
    opn_i_network_draw(&net->exec, &net->gcn, options->seed, &options->streams,
                       (uint32_t)epoch,
                       (opn_i_rates){options->rates.units, options->rates.edges});
    opn_i_network_forward_drawn(&net->exec, &net->gcn, net->weights,
                                (opn_i_rates){options->rates.units, 0.0}, true);
    opn_i_objective_gradient(&net->exec, objective, epoch, net->gcn.z, net->gcn.d_z,
                             &n_bounded);
    opn_i_network_backward(&net->exec, &net->gcn, net->weights, net->d_weights);
    for (size_t j = 0; j < net->gcn.n_weights; j++) {
        const bool is_decayed = j < net->gcn.n_decayed;
        const double slope =
                (double)net->d_weights[j] +
                (is_decayed ? options->optimiser.weight_decay * book->w[j] : 0.0);
        book->mean[j] = 0.9 * book->mean[j] + 0.1 * slope;
        book->square[j] = 0.999 * book->square[j] + 0.001 * slope * slope;
        const double mean = book->mean[j] / (1.0 - pow(0.9, epoch + 1));
        const double square = book->square[j] / (1.0 - pow(0.999, epoch + 1));
        book->w[j] -= options->optimiser.learning_rate * mean / (sqrt(square) + 1e-8);
    }
}

static void training_is_adam_on_the_loss_of_each_epoch(void **state)
{
    (void)state;
    for (int model = 0; model < GOLDEN_N_OBJECTIVES; model++) {
        network net;
        network_init_golden(ctx, &golden_cases[1], &net);
        if (model == GOLDEN_OBJECTIVE_GCN)
            network_add_dropper(&net);
        opn_i_objective objective = network_objective(&net, model);
        objective.teacher_epochs = 5.0; // the whole ramp in a few epochs
        opn_i_train_options options = usual_options();
        options.n_epochs = 8;
        options.rates.units = 0.3;
        options.optimiser.weight_decay = 0.5;
        opn_i_train_state trained = new_state(&net);
        const size_t n = trained.n_weights;
        textbook book = {calloc(n, sizeof(double)), calloc(n, sizeof(double)),
                         calloc(n, sizeof(double))};
        assert_true(book.w != NULL && book.mean != NULL && book.square != NULL);
        opn_i_network_init_weights(&net.gcn, options.seed, options.stream_weights,
                                   net.weights);
        for (size_t j = 0; j < n; j++)
            book.w[j] = (double)net.weights[j];
        for (int32_t epoch = 0; epoch < options.n_epochs; epoch++)
            textbook_step(&net, &objective, &options, epoch, &book);
        assert_int_equal(opn_i_train(ctx, &net.exec, &net.gcn, &objective, &options,
                                     &trained, net.d_weights),
                         OPN_OK);
        for (size_t j = 0; j < n; j++)
            expect_close((double)trained.weights[j], book.w[j], by_build(2e-4, 1e-9),
                         1.0);
        assert_int_equal(trained.epoch, options.n_epochs);
        free(book.w);
        free(book.mean);
        free(book.square);
        opn_i_train_state_deinit(&ctx->alloc, &trained);
        network_deinit(&net);
    }
}

static void training_lowers_the_loss_of_every_model(void **state)
{
    (void)state;
    for (int model = 0; model < GOLDEN_N_OBJECTIVES; model++) {
        network net;
        network_init_golden(ctx, &golden_cases[0], &net);
        opn_i_train_options options = usual_options();
        const opn_i_objective objective = network_objective(&net, model);
        double loss[2];
        for (int r = 0; r < 2; r++) {
            opn_i_train_state trained = new_state(&net);
            options.n_epochs = 150 * r;
            options.rates.units = 0.1;
            train(&net, model, &options, &trained);
            opn_i_network_forward(&net.exec, &net.gcn, trained.weights);
            loss[r] = opn_i_objective_terms(&objective, 0, net.gcn.z).supervised;
            opn_i_train_state_deinit(&ctx->alloc, &trained);
        }
        if (!(loss[1] < 0.8 * loss[0]))
            fail_msg("%s: from %g to %g", model_names[model], loss[0], loss[1]);
        network_deinit(&net);
    }
}

// ---- determinism and memory ----------------------------------------------------------

static void
training_has_the_same_bits_on_any_number_of_threads_for_every_model(void **state)
{
    (void)state;
    network net;
    network_init_drawn(ctx, &network_for_threads, 6, &net);
    network_add_dropper(&net);
    opn_i_train_options options = usual_options();
    options.n_epochs = 1;
    options.rates.units = 0.4;
    options.patience = 5;
    options.validation = net.validation;
    for (int model = 0; model < GOLDEN_N_OBJECTIVES; model++) {
        opn_i_train_state first = new_state(&net);
        net.exec.n_threads = 1;
        net.gcn.dropper = model == GOLDEN_OBJECTIVE_GCN ? &net.dropper : NULL;
        train(&net, model, &options, &first);
        // Every number for the model that has all terms, one for each of the others.
        for (int t = 0; t < N_THREAD_COUNTS; t++) {
            if (model != GOLDEN_OBJECTIVE_S_BGCN_T_K && t != 1 + model % 3)
                continue;
            opn_i_train_state other = new_state(&net);
            net.exec.n_threads = thread_counts[t];
            train(&net, model, &options, &other);
            expect_same_state(&other, &first);
            opn_i_train_state_deinit(&ctx->alloc, &other);
        }
        opn_i_train_state_deinit(&ctx->alloc, &first);
    }
    network_deinit(&net);
}

static void another_seed_gives_other_weights(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    opn_i_train_options options = usual_options();
    opn_i_train_state first = new_state(&net);
    opn_i_train_state other = new_state(&net);
    train(&net, GOLDEN_OBJECTIVE_S_GCN, &options, &first);
    options.seed++;
    train(&net, GOLDEN_OBJECTIVE_S_GCN, &options, &other);
    assert_memory_not_equal(first.weights, other.weights,
                            first.n_weights * sizeof(opn_real));
    opn_i_train_state_deinit(&ctx->alloc, &first);
    opn_i_train_state_deinit(&ctx->alloc, &other);
    network_deinit(&net);
}

static void the_epoch_loop_allocates_nothing(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    network_add_dropper(&net);
    opn_i_train_options options = usual_options();
    options.validation = net.validation;
    options.patience = 3;
    options.report_every = 1;
    for (int model = 0; model < GOLDEN_N_OBJECTIVES; model++) {
        opn_i_train_state trained = new_state(&net);
        const meter *m = ctx->alloc.user;
        const long n_before = m->n_requests;
        train(&net, model, &options, &trained);
        assert_int_equal(m->n_requests, n_before);
        opn_i_train_state_deinit(&ctx->alloc, &trained);
    }
    network_deinit(&net);
}

// ---- early stopping ------------------------------------------------------------------

// Weights after each epoch, from a new training up to there, and the best of them.
static int32_t best_by_hand(network *net,
                            int model,
                            const opn_i_train_options *options,
                            int32_t n_epochs,
                            double *best_loss,
                            opn_real *best)
{
    const opn_i_objective objective = network_objective(net, model);
    int32_t best_epoch = -1;
    *best_loss = (double)INFINITY;
    for (int32_t epoch = 0; epoch < n_epochs; epoch++) {
        opn_i_train_options some = *options;
        opn_i_train_state trained = new_state(net);
        double accuracy = 0.0;
        some.n_epochs = epoch + 1;
        some.patience = 0;
        some.validation = NULL;
        train(net, model, &some, &trained);
        opn_i_network_forward(&net->exec, &net->gcn, trained.weights);
        const double term = opn_i_objective_supervised(
                &objective, objective.n_nodes, net->validation, net->gcn.z, &accuracy);
        const double loss = options->stop ? 1.0 - accuracy : term;
        if (loss < *best_loss) {
            *best_loss = loss;
            best_epoch = epoch;
            memcpy(best, trained.weights, trained.n_weights * sizeof(*best));
        }
        opn_i_train_state_deinit(&ctx->alloc, &trained);
        if (epoch - best_epoch >= options->patience)
            break;
    }
    return best_epoch;
}

static void expect_best_weights(bool stops_on_accuracy)
{
    for (int model = 0; model < GOLDEN_N_OBJECTIVES; model++) {
        network net;
        network_init_golden(ctx, &golden_cases[0], &net);
        if (model == GOLDEN_OBJECTIVE_GCN)
            network_add_dropper(&net); // validation still sees all edges
        opn_i_train_options options = usual_options();
        options.n_epochs = 80;
        options.patience = 6;
        options.stop = stops_on_accuracy;
        options.optimiser.learning_rate = 0.2;
        options.validation = net.validation;
        opn_i_train_state trained = new_state(&net);
        opn_real *best = net.weights;
        double best_loss = 0.0;
        const int32_t best_epoch =
                best_by_hand(&net, model, &options, 80, &best_loss, best);
        train(&net, model, &options, &trained);
        assert_int_equal(trained.best_epoch, best_epoch);
        assert_true(trained.best_loss == best_loss);
        assert_memory_equal(trained.weights, best, trained.n_weights * sizeof(*best));
        assert_int_equal(trained.epoch, best_epoch + options.patience + 1);
        assert_true(trained.epoch < options.n_epochs);
        opn_i_train_state_deinit(&ctx->alloc, &trained);
        network_deinit(&net);
    }
}

static void early_stopping_keeps_the_weights_of_the_best_supervised_term(void **state)
{
    (void)state;
    expect_best_weights(false);
}

static void early_stopping_may_watch_the_accuracy_instead(void **state)
{
    (void)state;
    expect_best_weights(true);
}

// What a rule with both says, from a new training up to each epoch.
typedef struct verdict {
    int32_t n_epochs;      // done when it stops
    int32_t last_good;     // the last epoch in which loss or accuracy was as good as ever
    int32_t kept;          // the last in which both were
    double loss, accuracy; // the best of each
} verdict;

static verdict
both_by_hand(network *net, int model, const opn_i_train_options *options, opn_real *kept)
{
    const opn_i_objective objective = network_objective(net, model);
    verdict found = {.loss = (double)INFINITY};
    for (int32_t n_bad = 0;
         n_bad < options->patience && found.n_epochs < options->n_epochs;
         found.n_epochs++) {
        opn_i_train_options some = *options;
        opn_i_train_state trained = new_state(net);
        double accuracy = 0.0;
        some.n_epochs = found.n_epochs + 1;
        some.patience = 0;
        some.validation = NULL;
        train(net, model, &some, &trained);
        opn_i_network_forward(&net->exec, &net->gcn, trained.weights);
        const double loss = opn_i_objective_supervised(
                &objective, objective.n_nodes, net->validation, net->gcn.z, &accuracy);
        const bool is_low = loss <= found.loss;
        const bool is_high = accuracy >= found.accuracy;
        if (is_low && is_high) {
            memcpy(kept, trained.weights, trained.n_weights * sizeof(*kept));
            found.kept = found.n_epochs;
        }
        if (is_low || is_high)
            found.last_good = found.n_epochs;
        n_bad = is_low || is_high ? 0 : n_bad + 1;
        found.loss = fmin(found.loss, loss);
        found.accuracy = fmax(found.accuracy, accuracy);
        opn_i_train_state_deinit(&ctx->alloc, &trained);
    }
    return found;
}

// As the authors of graph attention do it.
static void with_both_watched_either_goes_on_and_both_keep_the_weights(void **state)
{
    (void)state;
    int n_apart = 0;
    int n_stopped = 0;
    for (int model = 0; model < GOLDEN_N_OBJECTIVES; model++) {
        network net;
        network_init_golden(ctx, &golden_cases[0], &net);
        opn_i_train_options options = usual_options();
        options.n_epochs = 120;
        options.patience = 4;
        options.stop = OPN_STOP_BOTH;
        options.optimiser.learning_rate = 0.2;
        options.validation = net.validation;
        opn_i_train_state trained = new_state(&net);
        const verdict want = both_by_hand(&net, model, &options, net.weights);
        train(&net, model, &options, &trained);
        assert_int_equal(trained.epoch, want.n_epochs);
        assert_int_equal(trained.best_epoch, want.last_good);
        assert_true(trained.best_loss == want.loss);
        assert_true(trained.best_accuracy == want.accuracy);
        assert_memory_equal(trained.weights, net.weights,
                            trained.n_weights * sizeof(opn_real));
        n_apart += want.kept < want.last_good;
        n_stopped += trained.epoch == want.last_good + options.patience + 1;
        opn_i_train_state_deinit(&ctx->alloc, &trained);
        network_deinit(&net);
    }
    assert_true(n_apart > 1 && n_stopped > 1); // or nothing was told apart
}

// A node without features and neighbours has the same logits whatever the weights.
static void with_both_watched_what_is_as_good_counts_as_better(void **state)
{
    (void)state;
    enum { SAME = 28 };
    const network_size size = {60, 20, 9, 3, false};
    network net;
    network_init_drawn(ctx, &size, 4, &net);
    for (int32_t i = 0; i < size.n_nodes; i++)
        net.validation[i] = i == SAME ? 0 : -1;
    opn_i_train_options options = usual_options();
    opn_i_train_state plain = new_state(&net);
    train(&net, GOLDEN_OBJECTIVE_S_GCN, &options, &plain);
    options.validation = net.validation;
    options.patience = 3;
    for (int stop = OPN_STOP_LOSS; stop <= OPN_STOP_BOTH; stop++) {
        opn_i_train_state trained = new_state(&net);
        options.stop = (opn_i_stop)stop;
        train(&net, GOLDEN_OBJECTIVE_S_GCN, &options, &trained);
        assert_int_equal(trained.epoch, stop == OPN_STOP_BOTH ? options.n_epochs : 4);
        assert_int_equal(memcmp(trained.weights, plain.weights,
                                plain.n_weights * sizeof(opn_real)) == 0,
                         stop == OPN_STOP_BOTH);
        opn_i_train_state_deinit(&ctx->alloc, &trained);
    }
    opn_i_train_state_deinit(&ctx->alloc, &plain);
    network_deinit(&net);
}

// However large the terms of prior and teacher, only the labels decide when to stop.
static void a_ramp_does_not_stop_training(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    opn_i_objective objective = network_objective(&net, GOLDEN_OBJECTIVE_S_BGCN_T);
    for (size_t j = 0; j < (size_t)objective.n_nodes * (size_t)objective.width; j++)
        net.log_teacher[j] = -100; // a constant: large, and without a slope of its own
    objective.teacher_epochs = 60.0;
    opn_i_train_options options = usual_options();
    options.n_epochs = 40;
    options.patience = 5;
    options.rates.units = 0.0;
    options.optimiser.learning_rate = 0.005;
    options.validation = net.target; // the supervised term falls in every epoch
    opn_i_train_state trained = new_state(&net);
    assert_int_equal(opn_i_train(ctx, &net.exec, &net.gcn, &objective, &options, &trained,
                                 net.d_weights),
                     OPN_OK);
    assert_int_equal(trained.epoch, options.n_epochs);
    assert_int_equal(trained.best_epoch, options.n_epochs - 1);
    opn_i_train_state_deinit(&ctx->alloc, &trained);
    network_deinit(&net);
}

static void validation_without_patience_changes_nothing(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    opn_i_train_options options = usual_options();
    options.optimiser.learning_rate = 0.2;
    opn_i_train_state plain = new_state(&net);
    opn_i_train_state watched = new_state(&net);
    train(&net, GOLDEN_OBJECTIVE_S_GCN, &options, &plain);
    options.validation = net.validation;
    options.report_every = 3;
    train(&net, GOLDEN_OBJECTIVE_S_GCN, &options, &watched);
    expect_same_state(&watched, &plain);
    opn_i_train_state_deinit(&ctx->alloc, &plain);
    opn_i_train_state_deinit(&ctx->alloc, &watched);
    network_deinit(&net);
}

static void no_epoch_leaves_the_weights_as_they_were_drawn(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    opn_i_train_options options = usual_options();
    options.n_epochs = 0;
    options.patience = 5;
    options.validation = net.validation;
    opn_i_train_state trained = new_state(&net);
    train(&net, GOLDEN_OBJECTIVE_S_GCN, &options, &trained);
    opn_i_network_init_weights(&net.gcn, options.seed, options.stream_weights,
                               net.weights);
    assert_memory_equal(trained.weights, net.weights,
                        trained.n_weights * sizeof(opn_real));
    opn_i_train_state_deinit(&ctx->alloc, &trained);
    network_deinit(&net);
}

// ---- interruption --------------------------------------------------------------------

// Interrupts at the k-th question for every k, goes on, and compares with a run that was
// never interrupted.
static void expect_resumable(network *net, const opn_i_train_options *options)
{
    opn_i_train_state whole = new_state(net);
    train(net, GOLDEN_OBJECTIVE_S_BGCN_T_K, options, &whole);
    int n_interrupted = 0;
    for (long at = 1;; at++) {
        listener ear = {.interrupt_at = at};
        listener deaf = {0};
        opn_i_train_state parts = new_state(net);
        support_listen(ctx, &ear);
        const opn_status status =
                train_on(net, GOLDEN_OBJECTIVE_S_BGCN_T_K, options, &parts);
        support_listen(ctx, &deaf);
        assert_true(status == OPN_OK || status == OPN_ERR_INTERRUPTED);
        if (status == OPN_ERR_INTERRUPTED) {
            n_interrupted++;
            net->gcn.z[0] = 7; // what is left of a pass must not matter
            train(net, GOLDEN_OBJECTIVE_S_BGCN_T_K, options, &parts);
        }
        expect_same_state(&parts, &whole);
        opn_i_train_state_deinit(&ctx->alloc, &parts);
        if (status == OPN_OK)
            break;
    }
    assert_true(n_interrupted >= whole.epoch);
    opn_i_train_state_deinit(&ctx->alloc, &whole);
}

static void an_interrupted_run_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    opn_i_train_options options = usual_options();
    expect_resumable(&net, &options);
    network_deinit(&net);
}

static void a_run_that_stops_early_may_be_interrupted_anywhere_too(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    opn_i_train_options options = usual_options();
    options.n_epochs = 80;
    options.patience = 6;
    options.optimiser.learning_rate = 0.2;
    options.validation = net.validation;
    expect_resumable(&net, &options);
    network_deinit(&net);
}

// ---- bad numbers ---------------------------------------------------------------------

static void expect_refused(network *net,
                           int model,
                           const opn_i_train_options *options,
                           const char *part,
                           const char *other_part)
{
    opn_i_train_state trained = new_state(net);
    assert_int_equal(train_on(net, model, options, &trained), OPN_ERR_NONFINITE);
    support_expect_error(ctx, part);
    support_expect_error(ctx, other_part);
    opn_i_train_state_deinit(&ctx->alloc, &trained);
}

static void a_gradient_that_is_not_finite_names_epoch_and_weights(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[1], &net);
    opn_i_train_options options = usual_options();
    // A teacher without a logarithm reaches every weight.
    net.log_teacher[0] = (opn_real)NAN;
    expect_refused(&net, GOLDEN_OBJECTIVE_S_BGCN_T, &options, "epoch 1",
                   "gradient of w0");
    // Where no feature has a node the first layer has no gradient at all.
    memset(net.features.rows.row_ptr, 0, (GOLDEN_V + 1) * sizeof(opn_off));
    options.rates.units = 0.0;
    expect_refused(&net, GOLDEN_OBJECTIVE_S_BGCN_T, &options, "epoch 1",
                   "gradient of w1");
    network_deinit(&net);
}

static void logits_that_are_not_finite_name_the_epoch(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[1], &net);
    opn_i_train_options options = usual_options();
    options.rates.units = 0.0;
    for (opn_off e = 0; e < GOLDEN_N_ENTRIES; e++)
        net.features.rows.value[e] = (opn_real)INFINITY;
    for (int model = 0; model < GOLDEN_N_OBJECTIVES; model++)
        expect_refused(&net, model, &options, "epoch 1", "logits");
    network_deinit(&net);
}

// Whatever the model, a run whose logits are not finite must fail.
static void a_learning_rate_that_diverges_is_an_error_for_every_model(void **state)
{
    (void)state;
    int n_silent = 0;
    for (int model = 0; model < GOLDEN_N_OBJECTIVES; model++) {
        network net;
        network_init_golden(ctx, &golden_cases[0], &net);
        opn_i_train_options options = usual_options();
        options.n_epochs = 50;
        options.optimiser.learning_rate = 1e30 * by_build(1.0, 1e130);
        opn_i_train_state trained = new_state(&net);
        const opn_status status = train_on(&net, model, &options, &trained);
        bool is_finite = true;
        opn_i_network_forward(&net.exec, &net.gcn, trained.weights);
        for (int32_t i = 0; i < GOLDEN_V; i++)
            for (int32_t k = 0; k < GOLDEN_K; k++)
                is_finite &= isfinite(net.gcn.z[i * net.gcn.class_width + k]) != 0;
        if (status == OPN_OK && !is_finite) {
            print_error("%s: logits are not finite, no one said so\n",
                        model_names[model]);
            n_silent++;
        }
        if (status != OPN_OK) {
            assert_int_equal(status, OPN_ERR_NONFINITE);
            support_expect_error(ctx, "epoch ");
        }
        opn_i_train_state_deinit(&ctx->alloc, &trained);
        network_deinit(&net);
    }
    assert_int_equal(n_silent, 0);
}

// ---- telling the user ----------------------------------------------------------------

static void the_log_shows_each_term_and_validation_as_often_as_asked(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    opn_i_train_options options = usual_options();
    options.rates.units = 0.0;
    options.report_every = 5;
    options.validation = net.validation;
    listener ear = {0};
    support_listen(ctx, &ear);
    opn_i_train_state trained = new_state(&net);
    train(&net, GOLDEN_OBJECTIVE_S_BGCN_T_K, &options, &trained);
    assert_int_equal(ear.n_messages[OPN_LOG_STEP], 2);
    assert_non_null(strstr(ear.log, "model: epoch 5: loss "));
    assert_non_null(strstr(ear.log, "model: epoch 10: loss "));
    assert_non_null(strstr(ear.log, "validation accuracy"));
    assert_int_equal(ear.n_progress, options.n_epochs + 1);
    assert_int_equal(ear.last.done, options.n_epochs);
    assert_int_equal(ear.last.total, options.n_epochs);
    const char *last_line = strstr(ear.log, "epoch 10: loss ");
    const char *last_share = strstr(last_line, "accuracy ");
    char note[64];
    snprintf(note, sizeof(note), "loss %.6s, validation %.*s", last_line + 15,
             (int)strcspn(last_share + 9, "\n"), last_share + 9);
    assert_string_equal(ear.note, note);
    // The last line is about the weights before the tenth step.
    const opn_i_objective objective =
            network_objective(&net, GOLDEN_OBJECTIVE_S_BGCN_T_K);
    opn_i_train_state before = new_state(&net);
    options.n_epochs = 9;
    options.report_every = 0;
    train(&net, GOLDEN_OBJECTIVE_S_BGCN_T_K, &options, &before);
    opn_i_network_forward(&net.exec, &net.gcn, before.weights);
    const opn_i_loss_terms terms = opn_i_objective_terms(&objective, 9, net.gcn.z);
    double norm = 0.0;
    for (size_t j = 0; j < net.gcn.n_decayed; j++)
        norm += (double)before.weights[j] * (double)before.weights[j];
    const double decay = 0.5 * options.optimiser.weight_decay * norm;
    char line[200];
    snprintf(line, sizeof(line),
             "epoch 10: loss %.4f (labels %.4f, prior %.4f, teacher %.4f, decay %.4f)",
             terms.supervised + terms.prior + terms.teacher + decay, terms.supervised,
             terms.prior, terms.teacher, decay);
    if (strstr(ear.log, line) == NULL)
        fail_msg("%s\nnot in\n%s", line, ear.log);
    opn_i_train_state_deinit(&ctx->alloc, &before);
    opn_i_train_state_deinit(&ctx->alloc, &trained);
    network_deinit(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(ten_steps_of_adam_are_golden),
            WITH_CTX(training_is_adam_on_the_loss_of_each_epoch),
            WITH_CTX(training_lowers_the_loss_of_every_model),
            WITH_CTX(training_has_the_same_bits_on_any_number_of_threads_for_every_model),
            WITH_CTX(another_seed_gives_other_weights),
            WITH_CTX(the_epoch_loop_allocates_nothing),
            WITH_CTX(early_stopping_keeps_the_weights_of_the_best_supervised_term),
            WITH_CTX(early_stopping_may_watch_the_accuracy_instead),
            WITH_CTX(with_both_watched_either_goes_on_and_both_keep_the_weights),
            WITH_CTX(with_both_watched_what_is_as_good_counts_as_better),
            WITH_CTX(a_ramp_does_not_stop_training),
            WITH_CTX(validation_without_patience_changes_nothing),
            WITH_CTX(no_epoch_leaves_the_weights_as_they_were_drawn),
            WITH_CTX(an_interrupted_run_goes_on_to_the_same_bits),
            WITH_CTX(a_run_that_stops_early_may_be_interrupted_anywhere_too),
            WITH_CTX(a_gradient_that_is_not_finite_names_epoch_and_weights),
            WITH_CTX(logits_that_are_not_finite_name_the_epoch),
            WITH_CTX(a_learning_rate_that_diverges_is_an_error_for_every_model),
            WITH_CTX(the_log_shows_each_term_and_validation_as_often_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
