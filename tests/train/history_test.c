// history_test.c -- what training reports about its epochs, and that reporting changes
// nothing.

#include "base/context.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

// ---- listening -----------------------------------------------------------------------

enum { MAX_EPOCHS = 64, MAX_LOG = 16384 };

typedef struct history {
    opn_epoch epoch[MAX_EPOCHS];
    int n;
    char log[MAX_LOG];
} history;

static void keep_epoch(void *user, const opn_epoch *epoch)
{
    history *to = user;
    assert_true(to->n < MAX_EPOCHS);
    to->epoch[to->n++] = *epoch;
}

static void keep_log(void *user, opn_log_level level, const char *message)
{
    (void)level;
    history *to = user;
    const size_t n = strlen(to->log);
    assert_true(n + strlen(message) + 2 < sizeof(to->log));
    snprintf(to->log + n, sizeof(to->log) - n, "%s\n", message);
}

static opn_graph *draw_graph(void)
{
    return trial_draw(ctx, "nodes=60 classes=3 features=12 homophily=0.6");
}

// The same without a validation node.
static opn_graph *draw_unvalidated(void)
{
    opn_graph *graph = draw_graph();
    uint8_t role[60];
    for (int i = 0; i < 60; i++)
        role[i] = i % 2 == 0 ? OPN_ROLE_TRAIN : OPN_ROLE_TEST;
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    return graph;
}

static opn_model *
train_listening(const opn_graph *graph, const char *settings, history *to)
{
    const opn_hooks hooks = {
            .size = sizeof(opn_hooks), .log = keep_log, .epoch = keep_epoch, .user = to};
    *to = (history){.n = 0};
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    opn_model *model = trial_train(ctx, graph, settings);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    return model;
}

static void listen_to(const opn_graph *graph, const char *settings, history *to)
{
    opn_model_free(train_listening(graph, settings, to));
}

// ---- which epochs --------------------------------------------------------------------

static void expect_epochs(const history *h, int *at, const char *name, int n)
{
    for (int e = 1; e <= n; e++, (*at)++) {
        assert_true(*at < h->n);
        assert_string_equal(h->epoch[*at].stage, name);
        assert_int_equal(h->epoch[*at].number, e);
    }
}

static void each_epoch_of_each_stage_is_told_once_and_in_order(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        int n_teacher;
    } cases[] = {{"model=gcn epochs=13", 0},
                 {"model=s-gcn epochs=13", 0},
                 {"model=s-bgcn-t epochs=13 teacher_epochs=7", 7},
                 {"model=s-bgcn-t-k epochs=13", 13},
                 {"model=s-bgat-t-k epochs=13 teacher_epochs=21 hidden=8", 21},
                 {"model=s-bsage-t-k epochs=13 teacher_epochs=2", 2}};
    static history h;
    opn_graph *graph = draw_graph();
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        int at = 0;
        listen_to(graph, cases[c].settings, &h);
        expect_epochs(&h, &at, "teacher", cases[c].n_teacher);
        expect_epochs(&h, &at, "model", 13);
        assert_int_equal(at, h.n);
    }
    opn_graph_free(graph);
}

static void of_compared_models_the_epochs_of_the_chosen_one_are_told(void **state)
{
    (void)state;
    static history chosen;
    static history alone;
    opn_graph *graph = draw_graph();
    char settings[80];
    for (int n_threads = 1; n_threads <= 2; n_threads++) {
        opn_ctx *counted = ctx;
        ctx = support_ctx(NULL); // a meter does not count several threads
        assert_int_equal(opn_ctx_set_threads(ctx, n_threads), OPN_OK);
        opn_model *model =
                train_listening(graph, "model=auto epochs=9 hidden=8", &chosen);
        snprintf(settings, sizeof(settings), "model=%s epochs=9 hidden=8",
                 opn_model_id(model));
        listen_to(graph, settings, &alone);
        assert_true(alone.n > 9);
        assert_int_equal(chosen.n, alone.n);
        for (int e = 0; e < alone.n; e++) {
            assert_string_equal(chosen.epoch[e].stage, alone.epoch[e].stage);
            assert_int_equal(chosen.epoch[e].number, alone.epoch[e].number);
            assert_true(chosen.epoch[e].loss == alone.epoch[e].loss);
        }
        opn_model_free(model);
        support_ctx_free(ctx, NULL);
        ctx = counted;
    }
    opn_graph_free(graph);
}

static void epochs_end_where_training_stops_early(void **state)
{
    (void)state;
    static history h;
    opn_graph *graph = draw_graph();
    opn_train_summary summary;
    int at = 0;
    opn_model *model = train_listening(
            graph, "model=s-bgcn-t epochs=30 learning_rate=0.5 patience=2", &h);
    opn_model_summary(model, &summary);
    assert_true(summary.teacher_epochs < 30 && summary.epochs < 30);
    expect_epochs(&h, &at, "teacher", summary.teacher_epochs);
    expect_epochs(&h, &at, "model", summary.epochs);
    assert_int_equal(at, h.n);
    opn_model_free(model);
    opn_graph_free(graph);
}

static void a_model_of_no_epoch_tells_of_none(void **state)
{
    (void)state;
    static history h;
    opn_graph *graph = draw_graph();
    listen_to(graph, "model=s-gcn epochs=0", &h);
    assert_int_equal(h.n, 0);
    opn_graph_free(graph);
}

static int interrupt_at_the_twelfth(void *user)
{
    (void)user;
    static int n_asked;
    return ++n_asked == 12;
}

// What was done before the interruption was reported then.
static void training_that_goes_on_tells_of_the_rest(void **state)
{
    (void)state;
    static history h;
    static const char settings[] = "model=s-bgcn-t epochs=9";
    stage *s = support_open_stage("checkpoint");
    opn_graph *graph = draw_graph();
    opn_model *model = NULL;
    int at = 0;
    const opn_hooks hooks = {.size = sizeof(opn_hooks),
                             .epoch = keep_epoch,
                             .interrupted = interrupt_at_the_twelfth,
                             .user = &h};
    h = (history){.n = 0};
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    assert_int_equal(trial_try_train(ctx, graph, settings, s->path, &model),
                     OPN_ERR_INTERRUPTED);
    assert_true(h.n > 0 && h.n < 18);
    assert_int_equal(trial_try_train(ctx, graph, settings, s->path, &model), OPN_OK);
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    expect_epochs(&h, &at, "teacher", 9);
    expect_epochs(&h, &at, "model", 9);
    assert_int_equal(at, h.n);
    opn_model_free(model);
    opn_graph_free(graph);
    support_close_stage(s);
}

// ---- what they came to ---------------------------------------------------------------

static void tell(char *line, size_t room, const char *name, double value)
{
    const size_t n = strlen(line);
    if (!isnan(value))
        snprintf(line + n, room - n, ", %s %.4f", name, value);
}

// The expected log line of an epoch.
static void line_of(const opn_epoch *epoch, char *line, size_t room)
{
    snprintf(line, room, "%s: epoch %d: loss %.4f (labels %.4f", epoch->stage,
             epoch->number, epoch->loss, epoch->labels);
    tell(line, room, "prior", epoch->prior);
    tell(line, room, "teacher", epoch->teacher);
    tell(line, room, "decay", epoch->decay);
    snprintf(line + strlen(line), room - strlen(line), ")");
    if (!isnan(epoch->accuracy))
        snprintf(line + strlen(line), room - strlen(line),
                 ", validation accuracy %.1f %%", 100.0 * epoch->accuracy);
    snprintf(line + strlen(line), room - strlen(line), "\n");
}

static void terms_are_those_that_the_log_prints(void **state)
{
    (void)state;
    static const char *const settings[] = {
            "model=gcn epochs=9", "model=s-bgcn-t-k epochs=9 teacher_ramp=3",
            "model=s-bgat-t-k epochs=9 hidden=8", "model=s-bsage-t epochs=9 patience=4"};
    static history h;
    for (size_t c = 0; c < 8; c++) {
        opn_graph *graph = c < 4 ? draw_graph() : draw_unvalidated();
        listen_to(graph, settings[c % 4], &h);
        const char *at = h.log;
        for (int e = 0; e < h.n; e++) {
            char line[256];
            line_of(&h.epoch[e], line, sizeof(line));
            at = strstr(at, line);
            if (at == NULL)
                fail_msg("%s: not in the log: %s", settings[c % 4], line);
        }
        opn_graph_free(graph);
    }
}

// With less than one line for each epoch the terms are those of all the same.
static void terms_do_not_depend_on_what_is_logged(void **state)
{
    (void)state;
    static history h;
    static history quiet;
    static const char settings[] = "model=s-bgcn-t-k epochs=25";
    const opn_hooks hooks = {
            .size = sizeof(opn_hooks), .epoch = keep_epoch, .user = &quiet};
    opn_graph *graph = draw_graph();
    listen_to(graph, settings, &h);
    quiet.n = 0;
    assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
    opn_model_free(trial_train(ctx, graph, settings));
    assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
    assert_int_equal(h.n, quiet.n);
    for (int e = 0; e < h.n; e++) {
        assert_true(h.epoch[e].loss == quiet.epoch[e].loss);
        assert_true(h.epoch[e].decay == quiet.epoch[e].decay);
        assert_true(h.epoch[e].accuracy == quiet.epoch[e].accuracy);
    }
    opn_graph_free(graph);
}

// Of the epochs between, what costs nothing is that of all epochs.
static void terms_of_every_fifth_epoch_leave_the_others_brief(void **state)
{
    (void)state;
    static const char *const settings[] = {
            "model=s-bgcn-t-k epochs=12 patience=0",
            "model=s-bgcn-t-k epochs=12 patience=100 learning_rate=0.5",
            "model=s-bgcn-t-k epochs=12 patience=0 unlabelled=vat vat_radius=2",
            "model=gcn epochs=12 patience=0 unlabelled=mean-teacher"};
    static history all;
    static history some;
    const opn_hooks hooks = {.size = sizeof(opn_hooks),
                             .epoch = keep_epoch,
                             .user = &some,
                             .terms_every = 5};
    opn_graph *graph = draw_graph();
    for (int c = 0; c < 4; c++) {
        opn_model *one = train_listening(graph, settings[c], &all);
        some = (history){.n = 0};
        assert_int_equal(opn_ctx_set_hooks(ctx, &hooks), OPN_OK);
        opn_model *other = trial_train(ctx, graph, settings[c]);
        assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
        trial_expect_same(ctx, one, other);
        assert_int_equal(some.n, all.n);
        for (int e = 0; e < all.n; e++) {
            const opn_epoch *brief = &some.epoch[e];
            const bool is_whole =
                    brief->number == 1 || brief->number % 5 == 0 || brief->number == 12;
            assert_true(brief->labels == all.epoch[e].labels);
            assert_int_equal(isnan(brief->loss), !is_whole);
            assert_true(!is_whole || brief->loss == all.epoch[e].loss);
            assert_int_equal(isnan(brief->unlabelled),
                             !is_whole || isnan(all.epoch[e].unlabelled));
            assert_true(c != 1 || brief->accuracy == all.epoch[e].accuracy);
        }
        opn_model_free(one);
        opn_model_free(other);
    }
    opn_graph_free(graph);
}

static void a_term_that_the_loss_does_not_have_is_nan(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        bool has_prior, has_teacher;
    } cases[] = {{"model=gcn epochs=3", false, false},
                 {"model=s-gcn epochs=3", false, false},
                 {"model=s-bgcn-t epochs=3", false, true},
                 {"model=s-bgcn-t-k epochs=3", true, true},
                 {"model=s-bgat-t-k epochs=3 hidden=8", true, true},
                 {"model=sage epochs=3", false, false}};
    static history h;
    for (size_t c = 0; c < 12; c++) {
        const bool has_validation = c < 6;
        opn_graph *graph = has_validation ? draw_graph() : draw_unvalidated();
        listen_to(graph, cases[c % 6].settings, &h);
        for (int e = 0; e < h.n; e++) {
            const opn_epoch *epoch = &h.epoch[e];
            const bool is_student = strcmp(epoch->stage, "model") == 0;
            assert_true(isfinite(epoch->labels) && epoch->labels > 0.0);
            assert_true(isfinite(epoch->decay) && epoch->decay > 0.0);
            assert_int_equal(!isnan(epoch->prior), is_student && cases[c % 6].has_prior);
            assert_int_equal(!isnan(epoch->teacher),
                             is_student && cases[c % 6].has_teacher);
            assert_int_equal(!isnan(epoch->accuracy), has_validation);
            assert_true(isnan(epoch->unlabelled));
        }
        opn_graph_free(graph);
    }
}

static double or_zero(double term)
{
    return isnan(term) ? 0.0 : term;
}

static void loss_is_the_sum_of_its_terms(void **state)
{
    (void)state;
    static const char *const settings[] = {
            "model=gcn epochs=9", "model=s-bgcn-t-k epochs=9 teacher_ramp=3 lambda1=0.5",
            "model=s-bgat-t epochs=9 hidden=8", "model=s-sage epochs=9 weight_decay=0"};
    static history h;
    opn_graph *graph = draw_graph();
    for (size_t c = 0; c < 4; c++) {
        listen_to(graph, settings[c], &h);
        for (int e = 0; e < h.n; e++) {
            const opn_epoch *epoch = &h.epoch[e];
            const double sum = epoch->labels + or_zero(epoch->prior) +
                               or_zero(epoch->teacher) + epoch->decay;
            assert_true(fabs(epoch->loss - sum) <= 1e-12 * fabs(sum));
            assert_true(c == 3 ? epoch->decay == 0.0 : epoch->decay > 0.0);
            assert_true(epoch->accuracy >= 0.0 && epoch->accuracy <= 1.0);
        }
    }
    opn_graph_free(graph);
}

// The terms belong to the weights before the step, the accuracy to those after it.
static void the_last_accuracy_is_that_of_the_trained_model(void **state)
{
    (void)state;
    static const char *const settings[] = {
            "model=gcn epochs=11", "model=s-bgcn epochs=11",
            "model=s-gat epochs=11 hidden=8", "model=sage epochs=11"};
    static history h;
    opn_graph *graph = draw_graph();
    for (size_t c = 0; c < 4; c++) {
        opn_train_summary summary;
        opn_model *model = train_listening(graph, settings[c], &h);
        opn_model_summary(model, &summary);
        assert_true(h.epoch[h.n - 1].accuracy == summary.validation_accuracy);
        opn_model_free(model);
    }
    opn_graph_free(graph);
}

// ---- nothing changes -----------------------------------------------------------------

static void weights_have_the_same_bits_with_and_without_a_listener(void **state)
{
    (void)state;
    static const char *const models[] = {"gcn",        "dropedge-gcn", "s-bgcn-t-k",
                                         "drop-gat",   "s-bgat-t-k",   "sage",
                                         "s-bsage-t-k"};
    static history h;
    opn_graph *graph = draw_graph();
    for (size_t c = 0; c < sizeof(models) / sizeof(models[0]); c++) {
        for (int patience = 0; patience <= 3; patience += 3) {
            char settings[160];
            snprintf(settings, sizeof(settings),
                     "model=%s epochs=15 hidden=8 patience=%d learning_rate=0.05",
                     models[c], patience);
            opn_model *quiet = trial_train(ctx, graph, settings);
            opn_model *told = train_listening(graph, settings, &h);
            assert_true(h.n > 0);
            trial_expect_same(ctx, told, quiet);
            opn_model_free(told);
            assert_int_equal(opn_ctx_set_threads(ctx, 3), OPN_OK);
            told = train_listening(graph, settings, &h);
            assert_int_equal(opn_ctx_set_threads(ctx, 1), OPN_OK);
            trial_expect_same(ctx, told, quiet);
            opn_model_free(told);
            opn_model_free(quiet);
        }
    }
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(each_epoch_of_each_stage_is_told_once_and_in_order),
            WITH_CTX(of_compared_models_the_epochs_of_the_chosen_one_are_told),
            WITH_CTX(epochs_end_where_training_stops_early),
            WITH_CTX(a_model_of_no_epoch_tells_of_none),
            WITH_CTX(training_that_goes_on_tells_of_the_rest),
            WITH_CTX(terms_are_those_that_the_log_prints),
            WITH_CTX(terms_do_not_depend_on_what_is_logged),
            WITH_CTX(terms_of_every_fifth_epoch_leave_the_others_brief),
            WITH_CTX(a_term_that_the_loss_does_not_have_is_nan),
            WITH_CTX(loss_is_the_sum_of_its_terms),
            WITH_CTX(the_last_accuracy_is_that_of_the_trained_model),
            WITH_CTX(weights_have_the_same_bits_with_and_without_a_listener),
    };
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
