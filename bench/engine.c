// engine.c -- times training, sampling and the prior, stage by stage, and embedding.
//
//   engine train THREADS EPOCHS SAMPLES DATA [PARAMETER VALUE]...
//   engine grow THREADS EPOCHS SAMPLES HIDDEN NODES DEGREE FEATURES WORDS CLASSES
//               LABELLED
//   engine prior THREADS NODES DEGREE LABELLED
//   engine embed THREADS PERPLEXITY ROWS.npy PLACES.npy
//
// Loads or generates a graph, runs once to warm up and prints "ready"; then, for each
// line it reads, makes one run and prints one line, so that a script can alternate it
// with other programs. Run r has seed r.
//
//   train   seconds of teacher, prior, student, samples and the whole run, seconds of the
//           median epoch of teacher and of student; the same seven in CPU time, of all
//           threads together; accuracy on the test nodes in percent, and the peak MB
//           apart from the graph; s-bgcn-t-k with the paper's parameters, except those
//           given
//   grow    the same on a generated graph with LABELLED training nodes and no validation
//           nodes
//   prior   seconds, and the peak MB apart from the graph and the result
//   embed   the same, apart from the rows and their places, which it writes; without a
//           warm-up run
//
// An epoch begins when the library calls its progress hook, so this is the time that a
// program embedding it waits. The prior is what happens between the last epoch of the
// teacher and the first of the student, which includes getting the student ready.
// Validation decides when to stop where it does in the paper, unless EPOCHS are too few
// for that.

#include "tally.h"

#include "arrays/npy.h"
#include "base/clock.h"
#include "graph/gkde.h"
#include "io/file_write.h"
#include "math/kernels.h"
#include "opine/opine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- requests ------------------------------------------------------------------------

static void say_ready(void)
{
    puts("ready");
    fflush(stdout);
}

static bool is_asked(void)
{
    char line[64];
    return fgets(line, sizeof(line), stdin) != NULL;
}

// ---- parameters ----------------------------------------------------------------------

// From names and values in turn, up to a NULL.
static opn_status
set_params(opn_ctx *ctx, opn_params *params, const char *const *name_and_value)
{
    opn_status status = OPN_OK;
    for (const char *const *at = name_and_value; *at != NULL; at += 2)
        OPN_TRY(opn_params_set(ctx, params, at[0], at[1]));
cleanup:
    return status;
}

// ---- graphs --------------------------------------------------------------------------

static opn_status load_graph(opn_ctx *ctx, const char *data, opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_graph *raw = NULL;
    OPN_TRY(opn_graph_load(ctx, data, NULL, &raw));
    OPN_TRY(opn_graph_prepare(ctx, raw, opn_graph_usual_steps(raw), out));
cleanup:
    opn_graph_free(raw);
    return status;
}

// The labelled nodes, spread evenly, are the training nodes of the graph's own split; all
// others are test nodes.
static opn_status
draw_graph(opn_ctx *ctx, const char *const *param, const char *labelled, opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    uint8_t *role = NULL;
    opn_graph *graph = NULL;
    const long n_labelled = strtol(labelled, NULL, 10);
    OPN_TRY(opn_params_create(ctx, &params));
    OPN_TRY(set_params(ctx, params, param));
    OPN_TRY(opn_graph_generate(ctx, params, &graph));
    const opn_vid n = opn_graph_n_nodes(graph);
    OPN_FAIL_IF(ctx, n_labelled < 1 || n_labelled > n, OPN_ERR_INVALID_ARG,
                "%s of %d nodes cannot be labelled", labelled, n);
    OPN_TRY_NEW(ctx, role, n);
    memset(role, OPN_ROLE_TEST, (size_t)n);
    for (long l = 0; l < n_labelled; l++)
        role[l * (n / n_labelled)] = OPN_ROLE_TRAIN;
    OPN_TRY(opn_graph_set_roles(ctx, graph, role));
    *out = graph;
    graph = NULL;
cleanup:
    opn_graph_free(graph);
    opn_i_release(&ctx->alloc, role);
    opn_params_free(params);
    return status;
}

// ---- training ------------------------------------------------------------------------

typedef enum stage { TEACHER, STUDENT, SAMPLES, N_STAGES } stage;

static const char *const stage_names[N_STAGES] = {"teacher", "model", "sampling"};

typedef enum timer { CLOCK, CPU, N_TIMERS } timer;

static double read_timer(timer t)
{
    struct timespec now;
    (void)clock_gettime(t == CPU ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// When a run began and ended, and when the library reported on each stage.
typedef struct stages {
    double start[N_TIMERS], end[N_TIMERS];
    double *at[N_STAGES][N_TIMERS];
    int n[N_STAGES];
    int room;       // of each
    double *length; // [room]
} stages;

static void note_stage(void *user, const opn_progress *progress)
{
    stages *s = user;
    for (int k = 0; k < N_STAGES; k++) {
        if (strcmp(stage_names[k], progress->stage) != 0 || s->n[k] == s->room)
            continue;
        for (int t = 0; t < N_TIMERS; t++)
            s->at[k][t][s->n[k]] = read_timer((timer)t);
        s->n[k]++;
    }
}

static opn_status make_room(opn_ctx *ctx, const opn_params *params, stages *s)
{
    opn_status status = OPN_OK;
    const int64_t n_epochs = opn_params_int(params, "epochs");
    const int64_t n_samples = opn_params_int(params, "samples");
    s->room = 1 + (int)(n_epochs > n_samples ? n_epochs : n_samples);
    OPN_TRY_NEW(ctx, s->length, s->room);
    for (int k = 0; k < N_STAGES; k++)
        for (int t = 0; t < N_TIMERS; t++)
            OPN_TRY_NEW(ctx, s->at[k][t], s->room);
cleanup:
    return status;
}

static void release_stages(const opn_alloc *alloc, stages *s)
{
    for (int k = 0; k < N_STAGES; k++)
        for (int t = 0; t < N_TIMERS; t++)
            opn_i_release(alloc, s->at[k][t]);
    opn_i_release(alloc, s->length);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

// The last epoch also has a pass without dropout, which hardly moves the median.
static double median_epoch(const stages *s, stage of, timer t)
{
    const int n = s->n[of] - 1;
    for (int e = 0; e < n; e++)
        s->length[e] = s->at[of][t][e + 1] - s->at[of][t][e];
    if (n < 1)
        return 0.0;
    qsort(s->length, (size_t)n, sizeof(*s->length), compare);
    return s->length[n / 2];
}

static double stage_seconds(const stages *s, stage of, timer t)
{
    return s->n[of] < 2 ? 0.0 : s->at[of][t][s->n[of] - 1] - s->at[of][t][0];
}

// The seven numbers of one timer.
static void print_seconds(const stages *s, timer t)
{
    const int n_teacher = s->n[TEACHER];
    const double taught = n_teacher > 0 ? s->at[TEACHER][t][n_teacher - 1] : s->start[t];
    const double begun = s->n[STUDENT] > 0 ? s->at[STUDENT][t][0] : taught;
    printf("%.6f %.6f %.6f %.6f %.6f %.6f %.6f ", taught - s->start[t], begun - taught,
           stage_seconds(s, STUDENT, t), stage_seconds(s, SAMPLES, t),
           s->end[t] - s->start[t], median_epoch(s, TEACHER, t),
           median_epoch(s, STUDENT, t));
}

// Percent of the test nodes.
static double
accuracy_of(const opn_graph *graph, const opn_split *split, const int32_t *predicted)
{
    const int32_t *label = opn_graph_labels(graph);
    const int32_t *known = opn_split_known(split);
    const uint8_t *role = opn_split_roles(split);
    double n = 0.0;
    double n_right = 0.0;
    for (opn_vid i = 0; i < opn_graph_n_nodes(graph); i++) {
        if (role[i] != OPN_ROLE_TEST || label[i] < 0)
            continue;
        n += 1.0;
        n_right += predicted[i] == known[label[i]];
    }
    return n > 0.0 ? 100.0 * n_right / n : 0.0;
}

// One run, and its line if it `is_shown`. Measures are computed, as for a user.
static opn_status run(opn_ctx *ctx,
                      const opn_graph *graph,
                      const opn_params *params,
                      bool is_shown,
                      tally *memory,
                      stages *s)
{
    opn_status status = OPN_OK;
    opn_split *split = NULL;
    opn_model *model = NULL;
    opn_prediction *said = NULL;
    memset(s->n, 0, sizeof(s->n));
    const size_t n_before = tally_start(memory);
    for (int t = 0; t < N_TIMERS; t++)
        s->start[t] = read_timer((timer)t);
    OPN_TRY(opn_split_from_params(ctx, graph, params, &split));
    OPN_TRY(opn_model_train(ctx, graph, split, params, NULL, &model));
    OPN_TRY(opn_model_predict(ctx, model, graph, params, 0, &said));
    for (int t = 0; t < N_TIMERS; t++)
        s->end[t] = read_timer((timer)t);
    for (int t = 0; t < N_TIMERS && is_shown; t++)
        print_seconds(s, (timer)t);
    if (is_shown)
        printf("%.6f %.3f\n", accuracy_of(graph, split, opn_prediction_predicted(said)),
               tally_megabytes(memory, n_before));
    fflush(stdout);
cleanup:
    opn_prediction_free(said);
    opn_model_free(model);
    opn_split_free(split);
    return status;
}

// Answers requests; `param` are the parameters that differ from the paper's.
static opn_status serve_training(opn_ctx *ctx,
                                 const opn_graph *graph,
                                 const char *epochs,
                                 const char *samples,
                                 const char *const *param,
                                 tally *memory)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    stages s = {0};
    const opn_hooks hooks = {
            .size = sizeof(opn_hooks), .progress = note_stage, .user = &s};
    OPN_TRY(opn_params_create(ctx, &params));
    OPN_TRY(opn_params_set(ctx, params, "epochs", epochs));
    OPN_TRY(opn_params_set(ctx, params, "samples", samples));
    OPN_TRY(set_params(ctx, params, param));
    OPN_TRY(opn_params_use_preset(ctx, graph, params));
    OPN_TRY(make_room(ctx, params, &s));
    OPN_TRY(opn_ctx_set_hooks(ctx, &hooks));
    OPN_TRY(run(ctx, graph, params, false, memory, &s));
    say_ready();
    for (int r = 0; is_asked(); r++) {
        char seed[16];
        snprintf(seed, sizeof(seed), "%d", r);
        OPN_TRY(opn_params_set(ctx, params, "seed", seed));
        OPN_TRY(run(ctx, graph, params, true, memory, &s));
    }
cleanup:
    (void)!opn_ctx_set_hooks(ctx, NULL); // removing them cannot fail
    release_stages(&ctx->alloc, &s);
    opn_params_free(params);
    return status;
}

// ---- the prior -----------------------------------------------------------------------

static opn_status serve_prior(opn_ctx *ctx, const opn_graph *graph, tally *memory)
{
    opn_status status = OPN_OK;
    int32_t *target = NULL;
    opn_real *prior = NULL;
    const int32_t n_classes = opn_graph_n_classes(graph);
    const int32_t n_nodes = opn_graph_n_nodes(graph);
    const int32_t width = opn_i_width(n_classes);
    OPN_TRY_NEW(ctx, target, n_nodes);
    OPN_TRY_NEW(ctx, prior, (size_t)n_nodes * (size_t)width);
    for (int32_t i = 0; i < n_nodes; i++)
        target[i] = graph->given_role[i] == OPN_ROLE_TRAIN ? graph->label[i] : -1;
    OPN_TRY(opn_i_gkde(ctx, graph, target, n_classes, 1.0, false, width, prior));
    say_ready();
    while (is_asked()) {
        const size_t n_before = tally_start(memory);
        const double start = opn_i_clock();
        OPN_TRY(opn_i_gkde(ctx, graph, target, n_classes, 1.0, false, width, prior));
        printf("%.6f ", opn_i_clock() - start);
        printf("%.3f\n", tally_megabytes(memory, n_before));
        fflush(stdout);
    }
cleanup:
    opn_i_release(&ctx->alloc, target);
    opn_i_release(&ctx->alloc, prior);
    return status;
}

// ---- embedding -----------------------------------------------------------------------

typedef struct rows {
    int32_t n_rows, n_cols;
    float *x; // [n_rows,n_cols]
} rows;

static opn_status read_rows(opn_ctx *ctx, const char *path, rows *out)
{
    opn_status status = OPN_OK;
    opn_i_bytes file = {0};
    opn_i_ndarray array;
    OPN_TRY(opn_i_file_read(ctx, path, &file));
    OPN_TRY(opn_i_npy_read(ctx, path, file.data, file.n, &array));
    OPN_FAIL_IF(ctx,
                array.n_dims != 2 || array.shape[0] > INT32_MAX ||
                        array.shape[1] > INT32_MAX,
                OPN_ERR_SHAPE, "%s: no matrix of rows", path);
    OPN_TRY_NEW(ctx, out->x, array.n_items);
    OPN_TRY(opn_i_ndarray_to_f32(ctx, path, &array, out->x));
    out->n_rows = (int32_t)array.shape[0];
    out->n_cols = (int32_t)array.shape[1];
cleanup:
    opn_i_bytes_release(ctx, &file);
    return status;
}

static opn_status
write_places(opn_ctx *ctx, const char *path, int32_t n_rows, const float *place)
{
    opn_status status = OPN_OK;
    const opn_i_ndarray array = {
            .kind = 'f', .n_dims = 2, .item_size = sizeof(*place), .shape = {n_rows, 2}};
    unsigned char header[OPN_NPY_HEADER_ROOM];
    opn_i_file_writer *writer = NULL;
    OPN_TRY(opn_i_file_writer_open(ctx, path, &writer));
    opn_i_file_writer_put(writer, header, opn_i_npy_header(&array, header));
    opn_i_file_writer_put(writer, place, 2 * (size_t)n_rows * sizeof(*place));
    OPN_TRY(opn_i_file_writer_commit(writer));
cleanup:
    return status;
}

static opn_status embed(opn_ctx *ctx, char **argv, tally *memory)
{
    opn_status status = OPN_OK;
    rows of = {0};
    float *place = NULL;
    OPN_TRY(read_rows(ctx, argv[1], &of));
    OPN_TRY_NEW(ctx, place, 2 * (size_t)of.n_rows);
    say_ready();
    for (uint64_t seed = 0; is_asked(); seed++) {
        const size_t n_before = tally_start(memory);
        const double start = opn_i_clock();
        OPN_TRY(opn_embed(ctx, of.n_rows, of.n_cols, of.x, strtod(argv[0], NULL), seed,
                          place));
        const double seconds = opn_i_clock() - start;
        const double n_most = tally_megabytes(memory, n_before);
        OPN_TRY(write_places(ctx, argv[2], of.n_rows, place));
        printf("%.6f %.3f\n", seconds, n_most);
        fflush(stdout);
    }
cleanup:
    opn_i_release(&ctx->alloc, place);
    opn_i_release(&ctx->alloc, of.x);
    return status;
}

// ---- what was asked for --------------------------------------------------------------

static opn_status train(opn_ctx *ctx, char **argv, tally *memory)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    OPN_TRY(load_graph(ctx, argv[2], &graph));
    OPN_TRY(serve_training(ctx, graph, argv[0], argv[1], (const char *const *)argv + 3,
                           memory));
cleanup:
    opn_graph_free(graph);
    return status;
}

static opn_status grow(opn_ctx *ctx, char **argv, tally *memory)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    const char *const drawn[] = {"nodes",    argv[3], "mean_degree", argv[4],
                                 "features", argv[5], "words",       argv[6],
                                 "classes",  argv[7], NULL};
    const char *const param[] = {"hidden", argv[2], NULL};
    OPN_TRY(draw_graph(ctx, drawn, argv[8], &graph));
    OPN_TRY(serve_training(ctx, graph, argv[0], argv[1], param, memory));
cleanup:
    opn_graph_free(graph);
    return status;
}

// Without words: the prior looks at edges alone.
static opn_status spread(opn_ctx *ctx, char **argv, tally *memory)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    const char *const drawn[] = {"nodes", argv[0], "mean_degree", argv[1],
                                 "words", "0",     NULL};
    OPN_TRY(draw_graph(ctx, drawn, argv[2], &graph));
    OPN_TRY(serve_prior(ctx, graph, memory));
cleanup:
    opn_graph_free(graph);
    return status;
}

static const struct verb {
    const char *name;
    int n_arguments;   // after THREADS
    bool takes_params; // after those
    opn_status (*run)(opn_ctx *ctx, char **argv, tally *memory);
} verbs[] = {
        {"train", 3, true, train},
        {"grow", 9, false, grow},
        {"prior", 3, false, spread},
        {"embed", 3, false, embed},
};

static bool is_meant(const struct verb *verb, int argc, char **argv)
{
    const int n_more = argc - 3 - verb->n_arguments;
    return n_more >= 0 && (verb->takes_params ? n_more % 2 == 0 : n_more == 0) &&
           strcmp(argv[1], verb->name) == 0;
}

int main(int argc, char **argv)
{
    const struct verb *verb = NULL;
    for (size_t v = 0; v < sizeof(verbs) / sizeof(verbs[0]); v++)
        if (is_meant(&verbs[v], argc, argv))
            verb = &verbs[v];
    if (verb == NULL) {
        fprintf(stderr, "usage: engine train THREADS EPOCHS SAMPLES DATA "
                        "[PARAMETER VALUE]...\n"
                        "       engine grow THREADS EPOCHS SAMPLES HIDDEN NODES DEGREE "
                        "FEATURES WORDS CLASSES LABELLED\n"
                        "       engine prior THREADS NODES DEGREE LABELLED\n"
                        "       engine embed THREADS PERPLEXITY ROWS.npy PLACES.npy\n");
        return 2;
    }
    tally memory = {0};
    const opn_alloc alloc = tally_alloc(&memory);
    opn_ctx *ctx = NULL;
    opn_status status = opn_ctx_create(&alloc, &ctx);
    if (status == OPN_OK)
        status = opn_ctx_set_threads(ctx, (int)strtol(argv[2], NULL, 10));
    if (status == OPN_OK)
        status = verb->run(ctx, argv + 3, &memory);
    if (status != OPN_OK)
        fprintf(stderr, "engine: %s\n",
                ctx != NULL ? opn_ctx_error(ctx) : opn_status_name(status));
    opn_ctx_free(ctx);
    return status == OPN_OK ? 0 : 1;
}
