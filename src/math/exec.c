// exec.c -- kernels over all rows, on several threads.

#include "math/exec.h"

#include <string.h>

// Rows a thread takes at a time: enough to hide the start, few enough to share hubs out.
// Products and sums that are worth a thread: some 100 microseconds. Below that, waiting
// for one another costs more than it gains, and on a busy machine very much more.
enum { ROWS_A_CHUNK = 256, WORK_A_THREAD = 1 << 20, ELEMENTS_A_CHUNK = 1 << 12 };

int opn_i_exec_threads(const opn_i_exec *exec, int64_t work)
{
    const int64_t n = work / WORK_A_THREAD;
    return n < 1 ? 1 : n > exec->n_threads ? exec->n_threads : (int)n;
}

// Eight sums side by side fit one vector; a single one is a chain that must not be
// broken.
bool opn_i_all_finite(size_t n, const opn_real *x)
{
    opn_real sum[OPN_LANES] = {0};
    opn_real total = 0;
    size_t j = 0;
    for (; j + OPN_LANES <= n; j += OPN_LANES)
        for (size_t l = 0; l < OPN_LANES; l++)
            sum[l] += x[j + l] * 0; // 0, or NaN for infinity and NaN
    for (; j < n; j++)
        total += x[j] * 0;
    for (size_t l = 0; l < OPN_LANES; l++)
        total += sum[l];
    return total == 0;
}

static int32_t chunk_end(int32_t first, int32_t n_rows)
{
    return n_rows - first < ROWS_A_CHUNK ? n_rows : first + ROWS_A_CHUNK;
}

void opn_i_spmm(const opn_i_exec *exec,
                const opn_k_sparse *a,
                int32_t n_rows,
                int32_t width,
                const opn_real *x,
                opn_real *y)
{
    const int64_t n_entries = n_rows > 0 ? a->end[n_rows - 1] - a->begin[0] : 0;
    const int n_threads = opn_i_exec_threads(exec, (n_entries + n_rows) * width);
    (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(dynamic) num_threads(n_threads) if (n_threads > 1)
    for (int32_t first = 0; first < n_rows; first += ROWS_A_CHUNK)
        exec->kernels->spmm(a, first, chunk_end(first, n_rows), width, x, y);
}

void opn_i_matmul(const opn_i_exec *exec,
                  int32_t n_rows,
                  int32_t n_inner,
                  int32_t x_width,
                  int32_t width,
                  const opn_real *x,
                  const opn_real *w,
                  opn_real *y)
{
    const int n_threads = opn_i_exec_threads(exec, (int64_t)n_rows * n_inner * width / 4);
    (void)n_threads;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int32_t first = 0; first < n_rows; first += ROWS_A_CHUNK)
        exec->kernels->matmul(first, chunk_end(first, n_rows), n_inner, x_width, width, x,
                              w, y);
}

void opn_i_matmul_tn(const opn_i_exec *exec,
                     int32_t n_rows,
                     int32_t n_outer,
                     int32_t x_width,
                     int32_t width,
                     const opn_real *x,
                     const opn_real *g,
                     opn_real *partial,
                     opn_real *sum)
{
    const size_t n = (size_t)n_outer * (size_t)width;
    const int n_threads = opn_i_exec_threads(exec, (int64_t)n_rows * n_outer * width / 4);
    (void)n_threads;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (int b = 0; b < OPN_SUM_BLOCKS; b++) {
        const int32_t first = (int32_t)((int64_t)n_rows * b / OPN_SUM_BLOCKS);
        const int32_t last = (int32_t)((int64_t)n_rows * (b + 1) / OPN_SUM_BLOCKS);
        exec->kernels->matmul_tn(first, last, n_outer, x_width, width, x, g,
                                 partial + (size_t)b * n);
    }
    memcpy(sum, partial, n * sizeof(*sum));
    for (size_t b = 1; b < OPN_SUM_BLOCKS; b++)
        for (size_t j = 0; j < n; j++)
            sum[j] += partial[b * n + j];
}

void opn_i_relu_drop(const opn_i_exec *exec,
                     size_t n,
                     opn_real scale,
                     const uint64_t *bits,
                     opn_real *x)
{
    const int n_threads = opn_i_exec_threads(exec, (int64_t)n);
    (void)n_threads;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (size_t first = 0; first < n; first += ELEMENTS_A_CHUNK) {
        const size_t n_chunk =
                n - first < ELEMENTS_A_CHUNK ? n - first : ELEMENTS_A_CHUNK;
        exec->kernels->relu_drop(n_chunk, scale, bits == NULL ? NULL : bits + first / 64,
                                 x + first);
    }
}

void opn_i_relu_drop_back(
        const opn_i_exec *exec, size_t n, opn_real scale, const opn_real *h, opn_real *d)
{
    const int n_threads = opn_i_exec_threads(exec, (int64_t)n);
    (void)n_threads;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (size_t first = 0; first < n; first += ELEMENTS_A_CHUNK) {
        const size_t n_chunk =
                n - first < ELEMENTS_A_CHUNK ? n - first : ELEMENTS_A_CHUNK;
        exec->kernels->relu_drop_back(n_chunk, scale, h + first, d + first);
    }
}

// At rate 1/2: bits of words w … w + n - 1, two of them from each block of four words.
static void keep_half(const opn_i_exec *exec,
                      uint64_t seed,
                      opn_i_stream stream,
                      uint32_t step,
                      size_t first,
                      size_t n_words,
                      uint64_t *bits)
{
    enum { WORDS = 64 };
    uint32_t drawn[2 * WORDS];
    for (size_t done = 0; done < n_words; done += WORDS) {
        const size_t n = n_words - done < WORDS ? n_words - done : WORDS;
        exec->kernels->philox(seed, (uint32_t)stream, step, (first + done) / 2,
                              (n + 1) / 2, drawn);
        memcpy(bits + first + done, drawn, n * sizeof(*bits));
    }
}

// At any other rate: eight blocks of four words decide one word of bits.
static void keep_some(const opn_i_exec *exec,
                      uint64_t seed,
                      opn_i_stream stream,
                      uint32_t step,
                      uint32_t threshold,
                      size_t first,
                      size_t n_words,
                      uint64_t *bits)
{
    enum { WORDS = 8 };
    uint32_t drawn[32 * WORDS];
    uint16_t halves[64 * WORDS];
    for (size_t done = 0; done < n_words; done += WORDS) {
        const size_t n = n_words - done < WORDS ? n_words - done : WORDS;
        exec->kernels->philox(seed, (uint32_t)stream, step, 8 * (uint64_t)(first + done),
                              8 * n, drawn);
        memcpy(halves, drawn, n * 64 * sizeof(*halves));
        exec->kernels->keep(n, threshold, halves, bits + first + done);
    }
}

void opn_i_keep_bits(const opn_i_exec *exec,
                     uint64_t seed,
                     opn_i_stream stream,
                     uint32_t step,
                     double rate,
                     int64_t n,
                     uint64_t *bits)
{
    enum { WORDS_A_CHUNK = 256 };
    const size_t n_words = opn_i_bit_words(n);
    const uint32_t threshold = (uint32_t)(rate * 65536.0 + 0.5);
    const int n_threads = opn_i_exec_threads(exec, rate == 0.5 ? n / 16 : n);
    (void)n_threads;
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
    for (size_t first = 0; first < n_words; first += WORDS_A_CHUNK) {
        const size_t n_chunk =
                n_words - first < WORDS_A_CHUNK ? n_words - first : WORDS_A_CHUNK;
        if (rate == 0.5)
            keep_half(exec, seed, stream, step, first, n_chunk, bits);
        else
            keep_some(exec, seed, stream, step, threshold, first, n_chunk, bits);
    }
}
