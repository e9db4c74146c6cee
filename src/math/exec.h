// exec.h -- multithreaded kernels over all rows, with the same bits for any thread count.

#ifndef OPN_EXEC_H
#define OPN_EXEC_H

#include "base/context.h"
#include "base/random.h"
#include "math/kernels.h"

// Whether the caller wants to stop, asked before each large product and between its
// parts.
typedef struct opn_i_watch {
    opn_ctx *ctx;
    const char *stage; // for the message: "training the model"
    int64_t work;      // multiply-adds of a thread between two looks, about
    opn_status status; // INTERRUPTED once the caller has asked for it
} opn_i_watch;

// One that looks every 10 to 40 ms, beside which calling the hook does not show.
static inline opn_i_watch opn_i_watch_for(opn_ctx *ctx, const char *doing)
{
    return (opn_i_watch){.ctx = ctx, .stage = doing, .work = INT64_C(1) << 26};
}

// Which kernels to use, and on how many threads. Once `watch` has a status, the functions
// below return at once, and what they write is not defined: who gave the watch looks at
// it before using any of that. Without one (NULL) they never stop.
typedef struct opn_i_exec {
    const opn_k_table *kernels;
    int n_threads;
    opn_i_watch *watch;
} opn_i_exec;

static inline opn_i_exec opn_i_watched(const opn_i_exec *exec, opn_i_watch *watch)
{
    return (opn_i_exec){exec->kernels, exec->n_threads, watch};
}

// A dense matrix, or some columns of one, writable and read-only.
typedef struct opn_i_dense {
    opn_real *data;
    int32_t n_rows, width;
    int32_t stride; // from row to row
} opn_i_dense;

typedef struct opn_i_dense_const {
    const opn_real *data;
    int32_t n_rows, width;
    int32_t stride;
} opn_i_dense_const;

static inline opn_i_dense opn_i_rows(opn_real *data, int32_t n_rows, int32_t width)
{
    return (opn_i_dense){data, n_rows, width, width};
}

static inline opn_i_dense_const
opn_i_rows_const(const opn_real *data, int32_t n_rows, int32_t width)
{
    return (opn_i_dense_const){data, n_rows, width, width};
}

static inline opn_i_dense_const opn_i_as_const(opn_i_dense x)
{
    return (opn_i_dense_const){x.data, x.n_rows, x.width, x.stride};
}

// Columns [first, first + width) of a matrix.
static inline opn_i_dense opn_i_columns(opn_i_dense x, int32_t first, int32_t width)
{
    return (opn_i_dense){x.data + first, x.n_rows, width, x.stride};
}

static inline opn_real *opn_i_element(opn_i_dense x, int32_t i, int32_t k)
{
    return x.data + (size_t)i * (size_t)x.stride + (size_t)k;
}

static inline const opn_real *
opn_i_element_const(opn_i_dense_const x, int32_t i, int32_t k)
{
    return x.data + (size_t)i * (size_t)x.stride + (size_t)k;
}

// Rows of 16, 32 or 64 numbers are whole cache lines if the first one is aligned. Arenas
// are divided at multiples of OPN_LINE numbers from their first cache line. Their margin
// covers that alignment and one row of a slice: kernels read the first row of a matrix
// even if it has none.
enum { OPN_LINE = 16, OPN_MARGIN = OPN_LINE + OPN_SLICE };

static inline size_t opn_i_whole_lines(size_t n)
{
    return (n + OPN_LINE - 1) / OPN_LINE * OPN_LINE;
}

static inline opn_real *opn_i_on_line(opn_real *arena)
{
    const uintptr_t n_bytes = OPN_LINE * sizeof(*arena);
    const uintptr_t beyond = (uintptr_t)arena % n_bytes;
    return arena + (beyond == 0 ? 0 : (n_bytes - beyond) / sizeof(*arena));
}

// y = a x for the first n_rows rows of y. `finish` may be NULL; its base has the stride
// of y and its first bit belongs to the first element.
void opn_i_spmm(const opn_i_exec *exec,
                const opn_k_sparse *a,
                int32_t n_rows,
                opn_i_dense_const x,
                opn_i_dense y,
                const opn_k_finish *finish);

// y = a^T x for a of n_rows rows. Rows are summed in n_blocks blocks of about as many
// entries each, for any number of threads; `partial` holds n_blocks - 1 slices of y.
void opn_i_scatter(const opn_i_exec *exec,
                   const opn_k_sparse *a,
                   int32_t n_rows,
                   opn_i_dense_const x,
                   int32_t n_blocks,
                   opn_real *partial,
                   opn_i_dense y);

// y = map x for a binary map of y.n_rows rows; column 64 w + b of row i is bit b of map[i
// + w y.n_rows]. Row i is multiplied by scale[i] unless scale is NULL.
void opn_i_lookup(const opn_i_exec *exec,
                  const uint64_t *map,
                  const opn_real *scale,
                  int32_t n_cols,
                  opn_i_dense_const x,
                  opn_i_dense y);

// y = x w for n_rows rows, with w of n_inner rows. If `active`, with the stride of y, is
// given, the result is multiplied by factor where active > 0, else set to 0.
void opn_i_matmul(const opn_i_exec *exec,
                  int32_t n_rows,
                  int32_t n_inner,
                  opn_i_dense_const x,
                  opn_i_dense_const w,
                  opn_i_dense y,
                  const opn_real *active,
                  opn_real factor);

// sum [n_outer, g.width] = x^T g for n_rows rows, x padded to OPN_LANES columns. Rows are
// summed in OPN_SUM_BLOCKS blocks for any number of threads; `partial` holds
// OPN_SUM_BLOCKS results.
enum { OPN_SUM_BLOCKS = 16 };

// Start of block b of OPN_SUM_BLOCKS, which is the end of the one before.
static inline int32_t opn_i_block_start(int32_t n_rows, int b)
{
    return (int32_t)((int64_t)n_rows * b / OPN_SUM_BLOCKS);
}

void opn_i_matmul_tn(const opn_i_exec *exec,
                     int32_t n_rows,
                     int32_t n_outer,
                     opn_i_dense_const x,
                     opn_i_dense_const g,
                     opn_real *partial,
                     opn_real *sum);

// Runs an attention kernel over the first n_rows rows of a layer whose pattern has
// n_entries.
void opn_i_attention_rows(const opn_i_exec *exec,
                          const opn_k_attention *layer,
                          opn_k_attention_rows *kernel,
                          int32_t n_rows,
                          opn_off n_entries);

// The same for one that sums over rows, in OPN_SUM_BLOCKS blocks: `sums` holds that many
// times opn_k_attention_n_sums() vectors; its first n_sums numbers are the result.
void opn_i_attention_sums(const opn_i_exec *exec,
                          const opn_k_attention *layer,
                          opn_k_attention_sums *kernel,
                          int32_t n_rows,
                          opn_off n_entries,
                          size_t n_sums,
                          opn_real *sums);

// Words needed for n bits.
static inline size_t opn_i_bit_words(int64_t n)
{
    return (size_t)(n / 64 + 1);
}

static inline bool opn_i_bit(const uint64_t *bits, int64_t at)
{
    return (bits[at / 64] >> (at % 64) & 1) != 0;
}

// The rate that dropout meets, in 256ths: what is kept is to be scaled by that one.
double opn_i_met_rate(double rate);

// Which of n elements a dropout of that rate keeps in that step, one bit each; `bits`
// holds opn_i_bit_words(n). A bit depends only on seed, stream, step and element. Uses
// one random bit at rate 1/2, eight at any other.
void opn_i_keep_bits(const opn_i_exec *exec,
                     uint64_t seed,
                     opn_i_stream stream,
                     uint32_t step,
                     double rate,
                     int64_t n,
                     uint64_t *bits);

// The same of elements 64 first_word … of a longer list; first_word is even.
void opn_i_keep_bits_from(const opn_i_exec *exec,
                          uint64_t seed,
                          opn_i_stream stream,
                          uint32_t step,
                          double rate,
                          uint64_t first_word,
                          int64_t n,
                          uint64_t *bits);

// Whether all n numbers are finite.
bool opn_i_all_finite(size_t n, const opn_real *x);

// Tasks [begin, end), to be done between two looks at the watch; starts as {0}.
typedef struct opn_i_part {
    int32_t begin, end;
} opn_i_part;

// The next part of n_tasks tasks, which are that many multiply-adds together: all of them
// if that takes no time worth a look. Returns whether there is one; when it returns
// false, `end` is n_tasks unless the work is to stop. Called outside parallel regions.
bool opn_i_next_part(const opn_i_exec *exec,
                     int64_t work,
                     int32_t n_tasks,
                     opn_i_part *part);

// Threads to use for that many multiply-adds, of which each thread should have about a
// million.
int opn_i_exec_threads(const opn_i_exec *exec, int64_t work);

#endif // OPN_EXEC_H
