// kernels.c -- times the kernels of training one by one, on the matrices of a dataset.
//
//   kernels DATA     prints "ready", then for each line it reads one line per kernel and
//   an
//                    empty line: name, seconds, operations, bytes, bytes gathered, bytes
//                    of the source they are gathered from
//
//   x_w0_whole  X W0, nothing dropped        evidence  gradient of the evidence loss
//   x_w0        X W0 with dropout            x_t_g     X^T G with dropout
//   a_p         A^ P, P = X W0, and ReLU     adam      a step of Adam, all weights
//   hidden_w1   hidden W1                    draw      bits of what dropout keeps
//   a_q         A^ Q, Q = hidden W1          drop      X without what is dropped
//
// One thread, s-bgcn-t-k with the paper's parameters and initial weights. Seconds are CPU
// time, which other programs disturb less: the median over batches of calls that fill
// 50 ms. So what fits in the caches is there already; in an epoch a kernel finds what
// others left. A script can alternate it with other programs.
//
// Operations are those of the formula on the columns in use, however a kernel computes
// it: two for each entry of a sparse matrix and column, though an entry of 1 is only
// added, and sums of the bits of a word are looked up; 2 V H K for hidden W1; 14 per
// weight for Adam, counting division and root as one each; 0 where they are not counted.
//
// Bytes are the least that must be moved: a sparse matrix as the kernel stores it, and
// the rows of input and output once each. Gathered are the entries times the bytes of the
// row that each requests; 0 where rows are read in order. They come from a panel of the
// input; where nothing is gathered the source is 0, which stands for all bytes.

#include "workbench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- kernels -------------------------------------------------------------------------

// A drop may invert the bits, so they are copied first, which takes a hundredth of the
// time.
static void run_drop(workbench *b)
{
    opn_i_feature_matrix *features = &b->workspace.features;
    const size_t n_words = opn_i_bit_words(opn_i_feature_matrix_n_bits(features));
    memcpy(features->keep, b->keep, n_words * sizeof(*b->keep));
    opn_i_feature_matrix_drop(&b->workspace.exec, features, b->dropout, b->uses);
}

// The next kernel needs X W0 without dropout where training stores it.
static void run_x_w0_whole(workbench *b)
{
    const opn_i_network *gcn = &b->workspace.network;
    opn_i_feature_matrix_product(&b->workspace.exec, &b->workspace.features,
                                 gcn->hidden_width, b->state.weights,
                                 layers_of(gcn)->d_hidden);
}

static void run_x_w0(workbench *b)
{
    const opn_i_network *gcn = &b->workspace.network;
    const opn_i_feature_matrix *x = &b->workspace.features;
    if (x->lists_dropped)
        opn_i_feature_matrix_subtract(&b->workspace.exec, x, gcn->hidden_width,
                                      b->state.weights, layers_of(gcn)->d_hidden,
                                      layers_of(gcn)->p);
    else
        opn_i_feature_matrix_product(&b->workspace.exec, x, gcn->hidden_width,
                                     b->state.weights, layers_of(gcn)->p);
}

static void run_a_p(workbench *b)
{
    const opn_i_network *gcn = &b->workspace.network;
    const opn_k_finish finish = {.rectifies = true,
                                 .factor = (opn_real)(1.0 / (1.0 - b->dropout)),
                                 .bits = gcn->keep_hidden};
    opn_i_hop_product(&b->workspace.exec, &gcn->reach.inner,
                      opn_i_rows(layers_of(gcn)->p, gcn->n_nodes, gcn->hidden_width),
                      opn_i_rows(layers_of(gcn)->hidden, gcn->n_nodes, gcn->hidden_width),
                      &finish);
}

static void run_hidden_w1(workbench *b)
{
    const opn_i_network *gcn = &b->workspace.network;
    const opn_real *w1 = b->state.weights + gcn->n_decayed;
    opn_i_matmul(
            &b->workspace.exec, gcn->n_nodes, gcn->sizes.n_hidden,
            opn_i_rows_const(layers_of(gcn)->hidden, gcn->n_nodes, gcn->hidden_width),
            opn_i_rows_const(w1, gcn->sizes.n_hidden, gcn->class_width),
            opn_i_rows(layers_of(gcn)->q, gcn->n_nodes, gcn->class_width), NULL, 1);
}

static void run_a_q(workbench *b)
{
    const opn_i_network *gcn = &b->workspace.network;
    opn_i_hop_product(&b->workspace.exec, &gcn->reach.outer,
                      opn_i_rows(layers_of(gcn)->q, gcn->n_nodes, gcn->class_width),
                      opn_i_rows(gcn->z, gcn->n_nodes, gcn->class_width), NULL);
}

static void run_evidence(workbench *b)
{
    const int32_t late = 200; // the teacher counts in full
    const opn_i_network *gcn = &b->workspace.network;
    opn_i_objective_gradient(&b->workspace.exec, &b->objective, late, gcn->z, gcn->d_z,
                             &b->state.n_bounded);
}

// G is whatever is where training stores it: here P.
static void run_x_t_g(workbench *b)
{
    const opn_i_network *gcn = &b->workspace.network;
    opn_i_feature_matrix_product_transposed(&b->workspace.exec, &b->workspace.features,
                                            gcn->hidden_width, layers_of(gcn)->p,
                                            b->d_weights);
}

// At a learning rate of 0 the weights stay as they are; with decay for all of them the
// work is the same.
static void run_adam(workbench *b)
{
    const opn_i_train_state *s = &b->state;
    b->workspace.exec.kernels->adam(s->n_weights, 0, (opn_real)1e-8, (opn_real)1e-4,
                                    s->weights, s->optimiser.mean, s->optimiser.square,
                                    b->d_weights);
}

// Each finds what those before it have computed.
enum { X_W0_WHOLE, X_W0, A_P, HIDDEN_W1, A_Q, EVIDENCE, X_T_G, ADAM, DRAW, DROP };
enum { N_KERNELS = DROP + 1 };

static const struct kernel {
    const char *name;
    void (*run)(workbench *b);
} kernels[N_KERNELS] = {
        [X_W0_WHOLE] = {"x_w0_whole", run_x_w0_whole},
        [X_W0] = {"x_w0", run_x_w0},
        [A_P] = {"a_p", run_a_p},
        [HIDDEN_W1] = {"hidden_w1", run_hidden_w1},
        [A_Q] = {"a_q", run_a_q},
        [EVIDENCE] = {"evidence", run_evidence},
        [X_T_G] = {"x_t_g", run_x_t_g},
        [ADAM] = {"adam", run_adam},
        [DRAW] = {"draw", workbench_draw},
        [DROP] = {"drop", run_drop},
};

// What X has to be like before a kernel is timed.
static void prepare(workbench *b, int k)
{
    if (k == X_W0_WHOLE)
        opn_i_feature_matrix_drop(&b->workspace.exec, &b->workspace.features, 0.0,
                                  b->uses);
    else if (k == X_W0)
        run_drop(b);
}

// ---- counts of operations and bytes
// ------------------------------------------------------------

enum { INDEX_BYTES = sizeof(int32_t), POINTER_BYTES = sizeof(opn_off) };
enum { REAL_BYTES = sizeof(opn_real), WORD_BYTES = sizeof(uint64_t) };

typedef struct work {
    double operations, bytes, gathered, source;
} work;

// A product of sparse [n_rows,n_inner], of n_bytes, with rows of `width` numbers: n_cols
// of them are in use, and those of n_gathered entries are gathered, slice by slice.
static work count_product(double n_entries,
                          double n_gathered,
                          double n_bytes,
                          int32_t n_rows,
                          int32_t n_inner,
                          int32_t n_cols,
                          int32_t width)
{
    const double row = (double)width * REAL_BYTES;
    const double slice = (double)opn_i_slice(width, 0) * REAL_BYTES;
    return (work){
            .operations = 2.0 * n_entries * n_cols,
            .bytes = n_bytes + ((double)n_rows + n_inner) * row,
            .gathered = n_gathered * row,
            .source = n_gathered > 0.0 ? n_inner * slice : 0.0,
    };
}

static double list_bytes(double n_entries, bool has_values, double n_rows)
{
    return n_entries * (has_values ? INDEX_BYTES + REAL_BYTES : INDEX_BYTES) +
           n_rows * (POINTER_BYTES + REAL_BYTES);
}

// Products with X: of bits that are looked up, or of a list of entries.
static void count_features(const workbench *b, work *out)
{
    const opn_i_network *gcn = &b->workspace.network;
    const opn_i_feature_matrix *features = &b->workspace.features;
    const int32_t v = gcn->n_nodes;
    const int32_t f = gcn->sizes.n_features;
    const int32_t h = gcn->sizes.n_hidden;
    const int32_t wide = gcn->hidden_width;
    const bool has_map = features->map != NULL;
    const bool has_values = features->row_scale == NULL;
    const bool subtracts = (b->uses & OPN_USE_DROPPED) != 0;
    const double n = (double)opn_i_csr_n_entries(&features->rows);
    const double kept = (double)b->n_kept;
    const double map_bytes = (double)v * ((f + 63) / 64) * WORD_BYTES;
    const double n_whole = has_map ? 0.0 : n;
    const double n_list = subtracts ? n - kept : has_map ? 0.0 : kept;
    const double n_transposed = has_map ? 0.0 : kept;
    out[X_W0_WHOLE] =
            count_product(n, n_whole, has_map ? map_bytes : list_bytes(n, has_values, v),
                          v, f, h, wide);
    out[X_W0] = count_product(
            kept, n_list, n_list > 0.0 ? list_bytes(n_list, has_values, v) : map_bytes, v,
            f, h, wide);
    if (subtracts)
        out[X_W0].bytes += (double)v * wide * REAL_BYTES;
    out[X_T_G] = count_product(kept, n_transposed,
                               has_map ? map_bytes : list_bytes(kept, has_values, f), f,
                               v, h, wide);
    // All entries and a bit each in, and the kept ones out, once.
    out[DROP].bytes =
            list_bytes(n, has_values, v) + list_bytes(kept, has_values, v) + n / 8.0;
    out[DRAW].bytes = (n + (double)v * wide) / 8.0;
}

static void count_work(const workbench *b, work *out)
{
    const opn_i_network *gcn = &b->workspace.network;
    const int32_t v = gcn->n_nodes;
    const double h = gcn->sizes.n_hidden;
    const double k = gcn->sizes.n_classes;
    const double n_narrow = (double)v * gcn->class_width;
    const double n = (double)opn_i_csr_n_entries(&b->workspace.hop.rows);
    const double bytes = list_bytes(n, true, v);
    count_features(b, out);
    out[A_P] = count_product(n, n, bytes, v, v, gcn->sizes.n_hidden, gcn->hidden_width);
    out[A_Q] = count_product(n, n, bytes, v, v, gcn->sizes.n_classes, gcn->class_width);
    out[HIDDEN_W1].operations = 2.0 * v * h * k;
    out[HIDDEN_W1].bytes =
            ((double)v * gcn->hidden_width + n_narrow + h * gcn->class_width) *
            REAL_BYTES;
    // In: logits, prior and its sum, teacher and target; out: the gradient.
    out[EVIDENCE].bytes = (4.0 * n_narrow + v) * REAL_BYTES + (double)v * INDEX_BYTES;
    // In: weight, gradient and both moments; out: all but the gradient.
    out[ADAM].operations = 14.0 * h * (gcn->sizes.n_features + k);
    out[ADAM].bytes = 7.0 * (double)b->state.n_weights * REAL_BYTES;
    out[ADAM].source = 4.0 * (double)b->state.n_weights * REAL_BYTES;
}

// ---- repetitions ---------------------------------------------------------------------

enum { MAX_BATCHES = 50 };
static const clock_t all_ticks = CLOCKS_PER_SEC / 20;

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

// Seconds per call. A batch shorter than a millisecond is not counted, and the next is
// twice as long: clock() takes about as long as the shortest kernels.
static double time_calls(void (*run)(workbench *b), workbench *b)
{
    double seconds[MAX_BATCHES] = {0};
    size_t n = 0;
    int n_calls = 1;
    const clock_t start = clock();
    while (n < MAX_BATCHES && clock() - start < all_ticks) {
        const clock_t begin = clock();
        for (int c = 0; c < n_calls; c++)
            run(b);
        const clock_t ticks = clock() - begin;
        if (ticks < all_ticks / MAX_BATCHES)
            n_calls *= 2;
        else
            seconds[n++] = (double)ticks / CLOCKS_PER_SEC / n_calls;
    }
    qsort(seconds, n, sizeof(*seconds), compare);
    return seconds[n / 2];
}

static void time_all(workbench *b)
{
    work of[N_KERNELS] = {0};
    count_work(b, of);
    for (int k = 0; k < N_KERNELS; k++) {
        prepare(b, k);
        printf("%s %.9f %.0f %.0f %.0f %.0f\n", kernels[k].name,
               time_calls(kernels[k].run, b), of[k].operations, of[k].bytes,
               of[k].gathered, of[k].source);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: kernels DATA\n");
        return 2;
    }
    char line[64];
    workbench b = {0};
    opn_ctx *ctx = NULL;
    opn_status status = opn_ctx_create(NULL, &ctx);
    if (status == OPN_OK)
        status = workbench_init(ctx, argv[1], &b);
    if (status == OPN_OK) {
        puts("ready");
        fflush(stdout);
        while (fgets(line, sizeof(line), stdin) != NULL)
            time_all(&b);
        workbench_deinit(&b);
    } else {
        fprintf(stderr, "kernels: %s\n",
                ctx != NULL ? opn_ctx_error(ctx) : opn_status_name(status));
    }
    opn_ctx_free(ctx);
    return status == OPN_OK ? 0 : 1;
}
