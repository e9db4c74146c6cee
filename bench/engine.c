// engine.c -- times training, sampling and the prior, stage by stage.
//
//   engine train RUNS THREADS EPOCHS DATA
//       one line a run of s-bgcn-t-k with the paper's parameters: seconds, and seconds of
//       the processor, of teacher, prior, student, 100 samples and all of it, then of the
//       median epoch of teacher and student
//   engine prior RUNS THREADS NODES DEGREE LABELLED
//       one line a run on a drawn graph: seconds, seconds of the processor, and MB that
//       it takes beside the graph and its result
//
// Loading, drawing and one more run that goes before are not counted. A stage begins and
// ends where the library says so to its progress hook, so this is what a program that
// embeds it waits for. Validation decides when to stop where the paper lets it, but
// EPOCHS are too few for that.

#include "graph/gkde.h"
#include "math/kernels.h"
#include "opine/opine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct moment {
    double wall;
    double processor;
} moment;

static double read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static moment now(void)
{
    return (moment){read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID)};
}

static void print_since(moment start, moment end)
{
    printf("%.6f %.6f ", end.wall - start.wall, end.processor - start.processor);
}

// ---- memory --------------------------------------------------------------------------

// Bytes in use, and the most there were; each block begins with its size.
typedef struct ledger {
    size_t n_bytes;
    size_t n_most;
} ledger;

enum { BLOCK_HEAD = 64 };

static void *take(void *user, size_t n_bytes)
{
    ledger *of = user;
    char *block = malloc(n_bytes + BLOCK_HEAD);
    if (block == NULL)
        return NULL;
    memcpy(block, &n_bytes, sizeof(n_bytes));
    of->n_bytes += n_bytes;
    of->n_most = of->n_bytes > of->n_most ? of->n_bytes : of->n_most;
    return block + BLOCK_HEAD;
}

static void give_back(void *user, void *ptr)
{
    ledger *of = user;
    size_t n_bytes;
    char *block = (char *)ptr - BLOCK_HEAD;
    memcpy(&n_bytes, block, sizeof(n_bytes));
    of->n_bytes -= n_bytes;
    free(block);
}

// ---- training ------------------------------------------------------------------------

typedef enum stage { TEACHER, PRIOR, STUDENT, SAMPLES, N_STAGES } stage;

enum { N_SPARE = 200 }; // moments beyond one an epoch: the end, hops, samples

static const char *const stage_names[N_STAGES] = {"teacher", "spreading evidence",
                                                  "model", "sampling"};

// When the library spoke of each stage, one moment after the other.
typedef struct stages {
    moment *at[N_STAGES];
    int n[N_STAGES];
    int room; // of each
} stages;

static void note_stage(void *user, const opn_progress *progress)
{
    stages *s = user;
    for (int k = 0; k < N_STAGES; k++)
        if (strcmp(stage_names[k], progress->stage) == 0 && s->n[k] < s->room)
            s->at[k][s->n[k]++] = now();
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

// The median, so that the epochs in which the library also finds out what to tell its log
// do not count: there are ten of them, however few epochs there are.
static void print_median_epoch(const stages *s, stage of, double *length)
{
    const int n = s->n[of] - 1;
    for (int is_processor = 0; is_processor < 2; is_processor++) {
        for (int e = 0; e < n; e++) {
            const moment *m = s->at[of] + e;
            length[e] = is_processor ? m[1].processor - m[0].processor
                                     : m[1].wall - m[0].wall;
        }
        qsort(length, (size_t)n, sizeof(*length), compare);
        printf("%.6f ", n > 0 ? length[n / 2] : 0.0);
    }
}

static void print_run(const stages *s, moment start, moment end, double *length)
{
    for (int k = 0; k < N_STAGES; k++) {
        const int last = s->n[k] - 1;
        if (k == PRIOR) // it speaks only after its first step
            print_since(s->at[TEACHER][s->n[TEACHER] - 1], s->at[k][last]);
        else
            print_since(s->at[k][0], s->at[k][last]);
    }
    print_since(start, end);
    print_median_epoch(s, TEACHER, length);
    print_median_epoch(s, STUDENT, length);
    printf("\n");
}

static opn_status
train_and_predict(opn_ctx *ctx, const opn_graph *graph, const opn_params *params)
{
    opn_status status = OPN_OK;
    opn_split *split = NULL;
    opn_model *model = NULL;
    opn_prediction out = {0};
    const opn_vid n_nodes = opn_graph_n_nodes(graph);
    OPN_TRY_NEW(ctx, out.predicted, n_nodes);
    for (int m = 0; m < OPN_N_MEASURES; m++)
        OPN_TRY_NEW(ctx, out.measure[m], n_nodes);
    OPN_TRY(opn_split_from_params(ctx, graph, params, &split));
    OPN_TRY(opn_model_train(ctx, graph, split, params, NULL, &model));
    OPN_TRY(opn_model_predict(ctx, model, graph, params, &out));
cleanup:
    opn_i_release(&ctx->alloc, out.predicted);
    for (int m = 0; m < OPN_N_MEASURES; m++)
        opn_i_release(&ctx->alloc, out.measure[m]);
    opn_model_free(model);
    opn_split_free(split);
    return status;
}

static opn_status
time_training(opn_ctx *ctx, long n_runs, const char *epochs, const char *data)
{
    opn_status status = OPN_OK;
    opn_graph *raw = NULL;
    opn_graph *graph = NULL;
    opn_params *params = NULL;
    double *length = NULL;
    stages s = {0};
    const opn_hooks hooks = {.progress = note_stage, .user = &s};
    OPN_TRY(opn_graph_load(ctx, data, NULL, &raw));
    OPN_TRY(opn_graph_prepare(ctx, raw, opn_graph_usual_steps(raw), &graph));
    OPN_TRY(opn_params_create(ctx, &params));
    OPN_TRY(opn_params_set(ctx, params, "epochs", epochs));
    OPN_TRY(opn_params_use_preset(ctx, graph, params));
    opn_ctx_set_hooks(ctx, &hooks);
    s.room = (int)opn_params_int(params, "epochs") + N_SPARE;
    OPN_TRY_NEW(ctx, length, s.room);
    for (int k = 0; k < N_STAGES; k++)
        OPN_TRY_NEW(ctx, s.at[k], s.room);
    for (long r = 0; r <= n_runs; r++) {
        memset(s.n, 0, sizeof(s.n));
        const moment start = now();
        OPN_TRY(train_and_predict(ctx, graph, params));
        const moment end = now();
        if (r > 0)
            print_run(&s, start, end, length);
    }
cleanup:
    opn_ctx_set_hooks(ctx, NULL);
    for (int k = 0; k < N_STAGES; k++)
        opn_i_release(&ctx->alloc, s.at[k]);
    opn_i_release(&ctx->alloc, length);
    opn_graph_free(raw);
    opn_graph_free(graph);
    opn_params_free(params);
    return status;
}

// ---- the prior -----------------------------------------------------------------------

// Drawn without words: the prior looks at edges alone.
static opn_status
draw_graph(opn_ctx *ctx, const char *nodes, const char *degree, opn_graph **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    OPN_TRY(opn_params_create(ctx, &params));
    OPN_TRY(opn_params_set(ctx, params, "nodes", nodes));
    OPN_TRY(opn_params_set(ctx, params, "mean_degree", degree));
    OPN_TRY(opn_params_set(ctx, params, "words", "0"));
    OPN_TRY(opn_graph_generate(ctx, params, out));
cleanup:
    opn_params_free(params);
    return status;
}

static opn_status time_prior(opn_ctx *ctx,
                             long n_runs,
                             const char *nodes,
                             const char *degree,
                             long n_labelled,
                             ledger *memory)
{
    opn_status status = OPN_OK;
    opn_graph *graph = NULL;
    int32_t *target = NULL;
    opn_real *prior = NULL;
    OPN_TRY(draw_graph(ctx, nodes, degree, &graph));
    const int32_t n_nodes = opn_graph_n_nodes(graph);
    const int32_t width = opn_i_width(opn_graph_n_classes(graph));
    OPN_FAIL_IF(ctx, n_labelled < 1 || n_labelled > n_nodes, OPN_ERR_INVALID_ARG,
                "%ld of %d nodes cannot be labelled", n_labelled, n_nodes);
    OPN_TRY_NEW(ctx, target, n_nodes);
    OPN_TRY_NEW(ctx, prior, (size_t)n_nodes * (size_t)width);
    const int32_t every = n_nodes / (int32_t)n_labelled;
    for (int32_t i = 0; i < n_nodes; i++)
        target[i] = i % every == 0 && i / every < n_labelled ? graph->label[i] : -1;
    for (long r = 0; r <= n_runs; r++) {
        const size_t n_before = memory->n_bytes;
        memory->n_most = n_before;
        const moment start = now();
        OPN_TRY(opn_i_gkde(ctx, graph, target, opn_graph_n_classes(graph), 1.0, false,
                           width, prior));
        const moment end = now();
        if (r == 0)
            continue;
        print_since(start, end);
        printf("%.3f\n", (double)(memory->n_most - n_before) / 1e6);
    }
cleanup:
    opn_i_release(&ctx->alloc, target);
    opn_i_release(&ctx->alloc, prior);
    opn_graph_free(graph);
    return status;
}

int main(int argc, char **argv)
{
    const bool is_train = argc == 6 && strcmp(argv[1], "train") == 0;
    const bool is_prior = argc == 7 && strcmp(argv[1], "prior") == 0;
    const long n_runs = is_train || is_prior ? strtol(argv[2], NULL, 10) : 0;
    if (n_runs < 1) {
        fprintf(stderr, "usage: engine train RUNS THREADS EPOCHS DATA\n"
                        "       engine prior RUNS THREADS NODES DEGREE LABELLED\n");
        return 2;
    }
    ledger memory = {0};
    const opn_alloc alloc = {take, give_back, &memory};
    opn_ctx *ctx = NULL;
    opn_status status = opn_ctx_create(&alloc, &ctx);
    if (status == OPN_OK)
        status = opn_ctx_set_threads(ctx, (int)strtol(argv[3], NULL, 10));
    if (status == OPN_OK && is_train)
        status = time_training(ctx, n_runs, argv[4], argv[5]);
    else if (status == OPN_OK)
        status = time_prior(ctx, n_runs, argv[4], argv[5], strtol(argv[6], NULL, 10),
                            &memory);
    if (status != OPN_OK)
        fprintf(stderr, "engine: %s\n",
                ctx != NULL ? opn_ctx_error(ctx) : opn_status_name(status));
    opn_ctx_free(ctx);
    return status == OPN_OK ? 0 : 1;
}
