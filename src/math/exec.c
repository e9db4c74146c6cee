// exec.c -- multithreaded kernels over all rows.

#include "math/exec.h"

#include <string.h>

// Rows per chunk: enough to hide the startup cost, few enough to spread hubs over
// threads. Multiply-adds worth a thread: about 10 microseconds, five times the cost of
// synchronising threads. With eight times as many, two threads gain 1.5 on Pubmed, not
// 1.8. Bytes of a slice from which prefetching pays: it does on Physics (2.2 MB), and
// makes no difference on Pubmed (1.3 MB).
enum { ROWS_A_CHUNK = 256, WORK_A_THREAD = 1 << 17, FAR_BYTES = 3 << 19 };

// Whether to leave out a step of that many multiply-adds, and all that follow. Small
// steps do not ask: an epoch has some thirty of them.
static bool is_stopped(const opn_i_exec *exec, int64_t work)
{
    opn_i_watch *watch = exec->watch;
    if (watch == NULL)
        return false;
    if (watch->status == OPN_OK && work >= watch->work / 32)
        watch->status = opn_i_go_on(watch->ctx, watch->stage);
    return watch->status != OPN_OK;
}

// A multiple of the threads, so that none of them waits at the end of a part.
static int32_t tasks_a_part(const opn_i_exec *exec, int64_t work, int32_t n_tasks)
{
    const int64_t n_parts =
            exec->watch == NULL ? 1 : work / exec->n_threads / exec->watch->work;
    if (n_parts < 2)
        return n_tasks;
    return (int32_t)(n_tasks / n_parts / exec->n_threads + 1) * exec->n_threads;
}

bool opn_i_next_part(const opn_i_exec *exec,
                     int64_t work,
                     int32_t n_tasks,
                     opn_i_part *part)
{
    if (part->end >= n_tasks || is_stopped(exec, work))
        return false;
    const int32_t n = tasks_a_part(exec, work, n_tasks);
    part->begin = part->end;
    part->end = n_tasks - part->begin < n ? n_tasks : part->begin + n;
    return true;
}

int opn_i_exec_threads(const opn_i_exec *exec, int64_t work)
{
    const int64_t n = work / WORK_A_THREAD;
    return n < 1 ? 1 : n > exec->n_threads ? exec->n_threads : (int)n;
}

// Eight separate sums fit one vector; a single sum is a chain that cannot be reordered.
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

static int32_t chunk_end(int32_t first, int32_t n_rows, int32_t n_chunk)
{
    return n_rows - first < n_chunk ? n_rows : first + n_chunk;
}

static opn_k_out slice_of(opn_i_dense y, int32_t at)
{
    return (opn_k_out){y.data + at, y.stride};
}

static opn_k_in read_slice(opn_i_dense_const x, int32_t at)
{
    const size_t n_bytes = (size_t)x.n_rows * (size_t)x.stride * sizeof(opn_real);
    return (opn_k_in){x.data + at, x.stride, n_bytes > FAR_BYTES};
}

// Where slice s of a matrix starts.
static int32_t slice_start(int32_t width, int32_t s)
{
    int32_t at = 0;
    while (s-- > 0)
        at += opn_i_slice(width, at);
    return at;
}

static int32_t n_slices(int32_t width)
{
    int32_t n = 0;
    for (int32_t at = 0; at < width; at += opn_i_slice(width, at))
        n++;
    return n;
}

static void spmm_chunk(const opn_i_exec *exec,
                       const opn_k_sparse *a,
                       int32_t first,
                       int32_t last,
                       int32_t at,
                       opn_i_dense_const x,
                       opn_i_dense y,
                       const opn_k_finish *finish)
{
    opn_k_finish here = {0};
    if (finish != NULL)
        here = *finish;
    here.base = here.base == NULL ? NULL : here.base + at;
    here.first_bit += at;
    exec->kernels->spmm(a, first, last, opn_i_slice(y.width, at), read_slice(x, at),
                        slice_of(y, at), finish == NULL ? NULL : &here);
}

void opn_i_spmm(const opn_i_exec *exec,
                const opn_k_sparse *a,
                int32_t n_rows,
                opn_i_dense_const x,
                opn_i_dense y,
                const opn_k_finish *finish)
{
    const int64_t n_entries = n_rows > 0 ? a->end[n_rows - 1] - a->begin[0] : 0;
    const int64_t work = (n_entries + n_rows) * y.width;
    const int n_threads = opn_i_exec_threads(exec, work);
    const int32_t n_chunks = (n_rows + ROWS_A_CHUNK - 1) / ROWS_A_CHUNK;
    const int32_t n_tasks = n_chunks * n_slices(y.width);
    opn_i_part part = {0};
    (void)n_threads; // unused when built without OpenMP
    while (opn_i_next_part(exec, work, n_tasks, &part)) {
#pragma omp parallel for schedule(dynamic) num_threads(n_threads) if (n_threads > 1)
        for (int32_t t = part.begin; t < part.end; t++) {
            const int32_t first = t % n_chunks * ROWS_A_CHUNK;
            spmm_chunk(exec, a, first, chunk_end(first, n_rows, ROWS_A_CHUNK),
                       slice_start(y.width, t / n_chunks), x, y, finish);
        }
    }
}

// Adds the first n numbers of each of n_blocks blocks to `sum`, in block order.
static void add_blocks(
        size_t n_blocks, size_t stride, size_t n, const opn_real *blocks, opn_real *sum)
{
    for (size_t b = 0; b < n_blocks; b++)
        for (size_t j = 0; j < n; j++)
            sum[j] += blocks[b * stride + j];
}

// The first row of block b of n_blocks that have about as many entries each.
static int32_t
entry_block_start(const opn_k_sparse *a, int32_t n_rows, int32_t n_blocks, int32_t b)
{
    int32_t low = 0, high = n_rows;
    if (b == 0 || b == n_blocks || n_rows == 0)
        return b == 0 ? 0 : n_rows;
    const opn_off before =
            a->begin[0] + (a->end[n_rows - 1] - a->begin[0]) / n_blocks * b;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (a->begin[middle] < before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void clear_rows(int32_t n_rows, int32_t width, opn_k_out y)
{
    for (int32_t i = 0; i < n_rows; i++)
        memset(y.at + (size_t)i * (size_t)y.stride, 0, (size_t)width * sizeof(*y.at));
}

// One slice of y, of that width.
static void scatter_slice(const opn_i_exec *exec,
                          const opn_k_sparse *a,
                          int32_t n_rows,
                          int32_t n_blocks,
                          opn_k_in x,
                          opn_real *partial,
                          int32_t n_sums,
                          int32_t width,
                          opn_k_out y)
{
    const size_t n = (size_t)n_sums * (size_t)width;
    const int64_t n_entries = n_rows > 0 ? a->end[n_rows - 1] - a->begin[0] : 0;
    const int64_t work = n_entries * width;
    const int n_threads = opn_i_exec_threads(exec, work);
    opn_i_part part = {0};
    (void)n_threads;
    while (opn_i_next_part(exec, work, n_blocks, &part)) {
#pragma omp parallel for schedule(dynamic) num_threads(n_threads) if (n_threads > 1)
        for (int32_t b = part.begin; b < part.end; b++) {
            const opn_k_out sum =
                    b == 0 ? y : (opn_k_out){partial + (size_t)(b - 1) * n, width};
            clear_rows(n_sums, width, sum);
            exec->kernels->scatter(a, entry_block_start(a, n_rows, n_blocks, b),
                                   entry_block_start(a, n_rows, n_blocks, b + 1), width,
                                   x, sum);
        }
    }
    if (part.end < n_blocks)
        return;
    for (int32_t i = 0; i < n_sums && n_blocks > 1; i++)
        add_blocks((size_t)n_blocks - 1, n, (size_t)width,
                   partial + (size_t)i * (size_t)width,
                   y.at + (size_t)i * (size_t)y.stride);
}

void opn_i_scatter(const opn_i_exec *exec,
                   const opn_k_sparse *a,
                   int32_t n_rows,
                   opn_i_dense_const x,
                   int32_t n_blocks,
                   opn_real *partial,
                   opn_i_dense y)
{
    for (int32_t at = 0; at < y.width; at += opn_i_slice(y.width, at))
        scatter_slice(exec, a, n_rows, n_blocks, read_slice(x, at), partial, y.n_rows,
                      opn_i_slice(y.width, at), slice_of(y, at));
}

// Rows [first, last) of the slice of y that starts at column `at`.
static void lookup_chunk(const opn_i_exec *exec,
                         const uint64_t *map,
                         const opn_real *scale,
                         int32_t n_cols,
                         int32_t first,
                         int32_t last,
                         int32_t at,
                         opn_i_dense_const x,
                         opn_i_dense y)
{
    const int32_t width = opn_i_slice_of(y.width, at, OPN_LOOKUP);
    const opn_k_out rows = {opn_i_element(y, first, at), y.stride};
    if (n_cols == 0)
        clear_rows(last - first, width, rows);
    for (int32_t k = 0; k < n_cols; k += 64) {
        const opn_k_in from = {opn_i_element_const(x, k, at), x.stride, false};
        exec->kernels->lookup(
                last - first, map + (size_t)(k / 64) * (size_t)y.n_rows + (size_t)first,
                n_cols - k < 64 ? n_cols - k : 64, width, from, k > 0, rows);
    }
    for (int32_t i = first; i < last && scale != NULL; i++)
        for (int32_t k = 0; k < width; k++)
            opn_i_element(y, i, at)[k] *= scale[i];
}

void opn_i_lookup(const opn_i_exec *exec,
                  const uint64_t *map,
                  const opn_real *scale,
                  int32_t n_cols,
                  opn_i_dense_const x,
                  opn_i_dense y)
{
    // Building a kernel's table costs as much as fifty rows, so each serves a thousand.
    enum { ROWS_A_TABLE = 1024 };
    const int64_t work = (int64_t)y.n_rows * n_cols * y.width / 4;
    const int n_threads = opn_i_exec_threads(exec, work);
    const int32_t n_chunks = (y.n_rows + ROWS_A_TABLE - 1) / ROWS_A_TABLE;
    const int32_t n_tasks = n_chunks * ((y.width + OPN_LOOKUP - 1) / OPN_LOOKUP);
    opn_i_part part = {0};
    (void)n_threads;
    while (opn_i_next_part(exec, work, n_tasks, &part)) {
#pragma omp parallel for schedule(dynamic) num_threads(n_threads) if (n_threads > 1)
        for (int32_t t = part.begin; t < part.end; t++) {
            const int32_t first = t % n_chunks * ROWS_A_TABLE;
            lookup_chunk(exec, map, scale, n_cols, first,
                         chunk_end(first, y.n_rows, ROWS_A_TABLE),
                         t / n_chunks * OPN_LOOKUP, x, y);
        }
    }
}

// Rows [first, last) of y.
static void matmul_chunk(const opn_i_exec *exec,
                         int32_t first,
                         int32_t last,
                         int32_t n_inner,
                         opn_i_dense_const x,
                         opn_i_dense_const w,
                         opn_i_dense y,
                         const opn_real *active,
                         opn_real factor)
{
    for (int32_t at = 0; at < y.width; at += opn_i_slice(y.width, at))
        exec->kernels->matmul(first, last, n_inner, opn_i_slice(y.width, at),
                              read_slice(x, 0), read_slice(w, at), slice_of(y, at),
                              active == NULL ? NULL : active + at, factor);
}

void opn_i_matmul(const opn_i_exec *exec,
                  int32_t n_rows,
                  int32_t n_inner,
                  opn_i_dense_const x,
                  opn_i_dense_const w,
                  opn_i_dense y,
                  const opn_real *active,
                  opn_real factor)
{
    const int64_t work = (int64_t)n_rows * n_inner * y.width / 4;
    const int n_threads = opn_i_exec_threads(exec, work);
    const int32_t n_tasks = (n_rows + ROWS_A_CHUNK - 1) / ROWS_A_CHUNK;
    opn_i_part part = {0};
    (void)n_threads;
    while (opn_i_next_part(exec, work, n_tasks, &part)) {
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
        for (int32_t t = part.begin; t < part.end; t++)
            matmul_chunk(exec, t * ROWS_A_CHUNK,
                         chunk_end(t * ROWS_A_CHUNK, n_rows, ROWS_A_CHUNK), n_inner, x, w,
                         y, active, factor);
    }
}

// Sums rows [first, last) of both.
static void matmul_tn_block(const opn_i_exec *exec,
                            int32_t first,
                            int32_t last,
                            int32_t n_outer,
                            opn_i_dense_const x,
                            opn_i_dense_const g,
                            opn_k_out sum)
{
    for (int32_t at = 0; at < g.width; at += opn_i_slice(g.width, at)) {
        const opn_k_out to = {sum.at + at, sum.stride};
        exec->kernels->matmul_tn(first, last, n_outer, opn_i_slice(g.width, at),
                                 read_slice(x, 0), read_slice(g, at), false, to);
    }
}

void opn_i_matmul_tn(const opn_i_exec *exec,
                     int32_t n_rows,
                     int32_t n_outer,
                     opn_i_dense_const x,
                     opn_i_dense_const g,
                     opn_real *partial,
                     opn_real *sum)
{
    const size_t n = (size_t)n_outer * (size_t)g.width;
    const int64_t work = (int64_t)n_rows * n_outer * g.width / 4;
    const int n_threads = opn_i_exec_threads(exec, work);
    opn_i_part part = {0};
    (void)n_threads;
    while (opn_i_next_part(exec, work, OPN_SUM_BLOCKS, &part)) {
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
        for (int b = part.begin; b < part.end; b++)
            matmul_tn_block(exec, opn_i_block_start(n_rows, b),
                            opn_i_block_start(n_rows, b + 1), n_outer, x, g,
                            (opn_k_out){partial + (size_t)b * n, g.width});
    }
    if (part.end < OPN_SUM_BLOCKS)
        return;
    memcpy(sum, partial, n * sizeof(*sum));
    add_blocks(OPN_SUM_BLOCKS - 1, n, n, partial + n, sum);
}

// Approximate multiply-adds of a kernel over n rows: an entry costs as much as another
// row, plus an exponential.
static int64_t
attention_work(const opn_k_attention *layer, int32_t n_rows, opn_off n_entries)
{
    return 8 * (n_rows + n_entries) * (int64_t)(layer->n_vectors + 2);
}

void opn_i_attention_rows(const opn_i_exec *exec,
                          const opn_k_attention *layer,
                          opn_k_attention_rows *kernel,
                          int32_t n_rows,
                          opn_off n_entries)
{
    enum { ROWS_A_TASK = 128 };
    const int64_t work = attention_work(layer, n_rows, n_entries);
    const int n_threads = opn_i_exec_threads(exec, work);
    const int32_t n_tasks = (n_rows + ROWS_A_TASK - 1) / ROWS_A_TASK;
    opn_i_part part = {0};
    (void)n_threads;
    while (opn_i_next_part(exec, work, n_tasks, &part)) {
#pragma omp parallel for schedule(dynamic) num_threads(n_threads) if (n_threads > 1)
        for (int32_t t = part.begin; t < part.end; t++)
            kernel(layer, t * ROWS_A_TASK,
                   chunk_end(t * ROWS_A_TASK, n_rows, ROWS_A_TASK));
    }
}

void opn_i_attention_sums(const opn_i_exec *exec,
                          const opn_k_attention *layer,
                          opn_k_attention_sums *kernel,
                          int32_t n_rows,
                          opn_off n_entries,
                          size_t n_sums,
                          opn_real *sums)
{
    const int64_t work = attention_work(layer, n_rows, n_entries);
    const int n_threads = opn_i_exec_threads(exec, work);
    const size_t room = opn_k_attention_n_sums(layer) * OPN_LANES;
    opn_i_part part = {0};
    (void)n_threads;
    while (opn_i_next_part(exec, work, OPN_SUM_BLOCKS, &part)) {
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
        for (int b = part.begin; b < part.end; b++)
            kernel(layer, opn_i_block_start(n_rows, b), opn_i_block_start(n_rows, b + 1),
                   sums + (size_t)b * room);
    }
    if (part.end < OPN_SUM_BLOCKS)
        return;
    add_blocks(OPN_SUM_BLOCKS - 1, room, n_sums, sums + room, sums);
}

// At rate 1/2: n_words words of bits from `first` on, two from each block of four words.
static void keep_half(const opn_i_exec *exec,
                      uint64_t seed,
                      opn_i_stream stream,
                      uint32_t step,
                      uint64_t first,
                      size_t n_words,
                      uint64_t *bits)
{
    enum { WORDS = 64 };
    uint32_t drawn[2 * WORDS];
    for (size_t done = 0; done < n_words; done += WORDS) {
        const size_t n = n_words - done < WORDS ? n_words - done : WORDS;
        exec->kernels->philox(seed, (uint32_t)stream, step, (first + done) / 2,
                              (n + 1) / 2, drawn);
        memcpy(bits + done, drawn, n * sizeof(*bits));
    }
}

// At any other rate: four blocks of four words give one word of bits.
static void keep_some(const opn_i_exec *exec,
                      uint64_t seed,
                      opn_i_stream stream,
                      uint32_t step,
                      uint32_t threshold,
                      uint64_t first,
                      size_t n_words,
                      uint64_t *bits)
{
    enum { WORDS = 16 };
    uint32_t drawn[16 * WORDS];
    for (size_t done = 0; done < n_words; done += WORDS) {
        const size_t n = n_words - done < WORDS ? n_words - done : WORDS;
        exec->kernels->philox(seed, (uint32_t)stream, step, 4 * (first + done), 4 * n,
                              drawn);
        exec->kernels->keep(n, threshold, (const uint8_t *)drawn, bits + done);
    }
}

// Dropped elements of 256, at that rate; neither none nor all of them.
static uint32_t dropped_of_256(double rate)
{
    const double n = rate * 256.0 + 0.5;
    return rate <= 0.0 ? 0 : n < 1.0 ? 1 : n >= 255.0 ? 255 : (uint32_t)n;
}

double opn_i_met_rate(double rate)
{
    return dropped_of_256(rate) / 256.0;
}

enum { WORDS_A_CHUNK = 256 };

// The chunk of n_words words that begins at `first`; word 0 has the number first_word.
static void keep_chunk(const opn_i_exec *exec,
                       uint64_t seed,
                       opn_i_stream stream,
                       uint32_t step,
                       double rate,
                       uint64_t first_word,
                       size_t n_words,
                       size_t first,
                       uint64_t *bits)
{
    const size_t n = n_words - first < WORDS_A_CHUNK ? n_words - first : WORDS_A_CHUNK;
    if (rate == 0.5)
        keep_half(exec, seed, stream, step, first_word + first, n, bits + first);
    else
        keep_some(exec, seed, stream, step, dropped_of_256(rate), first_word + first, n,
                  bits + first);
}

void opn_i_keep_bits(const opn_i_exec *exec,
                     uint64_t seed,
                     opn_i_stream stream,
                     uint32_t step,
                     double rate,
                     int64_t n,
                     uint64_t *bits)
{
    opn_i_keep_bits_from(exec, seed, stream, step, rate, 0, n, bits);
}

void opn_i_keep_bits_from(const opn_i_exec *exec,
                          uint64_t seed,
                          opn_i_stream stream,
                          uint32_t step,
                          double rate,
                          uint64_t first_word,
                          int64_t n,
                          uint64_t *bits)
{
    const int64_t work = rate == 0.5 ? n / 16 : n;
    const int n_threads = opn_i_exec_threads(exec, work);
    const int32_t n_tasks = (int32_t)((opn_i_bit_words(n) - 1) / WORDS_A_CHUNK) + 1;
    opn_i_part part = {0};
    (void)n_threads;
    while (opn_i_next_part(exec, work, n_tasks, &part)) {
#pragma omp parallel for schedule(static) num_threads(n_threads) if (n_threads > 1)
        for (int32_t t = part.begin; t < part.end; t++)
            keep_chunk(exec, seed, stream, step, rate, first_word, opn_i_bit_words(n),
                       (size_t)t * WORDS_A_CHUNK, bits);
    }
}
