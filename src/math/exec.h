// exec.h -- kernels over all rows, on several threads, with the same bits on any number.

#ifndef OPN_EXEC_H
#define OPN_EXEC_H

#include "base/random.h"
#include "math/kernels.h"

// Which kernels, on how many threads.
typedef struct opn_i_exec {
    const opn_k_table *kernels;
    int n_threads;
} opn_i_exec;

// y [n_rows, width] = a x
void opn_i_spmm(const opn_i_exec *exec,
                const opn_k_sparse *a,
                int32_t n_rows,
                int32_t width,
                const opn_real *x,
                opn_real *y);

// y [n_rows, width] = x [n_rows, n_inner] w [n_inner, width]; rows of x are x_width apart
void opn_i_matmul(const opn_i_exec *exec,
                  int32_t n_rows,
                  int32_t n_inner,
                  int32_t x_width,
                  int32_t width,
                  const opn_real *x,
                  const opn_real *w,
                  opn_real *y);

// sum [n_outer, width] = x^T g. Rows are summed in OPN_SUM_BLOCKS blocks, whatever the
// number of threads; `partial` holds OPN_SUM_BLOCKS results.
enum { OPN_SUM_BLOCKS = 16 };
void opn_i_matmul_tn(const opn_i_exec *exec,
                     int32_t n_rows,
                     int32_t n_outer,
                     int32_t x_width,
                     int32_t width,
                     const opn_real *x,
                     const opn_real *g,
                     opn_real *partial,
                     opn_real *sum);

void opn_i_relu_drop(const opn_i_exec *exec,
                     size_t n,
                     opn_real scale,
                     const uint64_t *bits,
                     opn_real *x);
void opn_i_relu_drop_back(
        const opn_i_exec *exec, size_t n, opn_real scale, const opn_real *h, opn_real *d);

// Words that n bits take.
static inline size_t opn_i_bit_words(int64_t n)
{
    return (size_t)(n / 64 + 1);
}

static inline bool opn_i_bit(const uint64_t *bits, int64_t at)
{
    return (bits[at / 64] >> (at % 64) & 1) != 0;
}

// Which of n elements a dropout of that rate keeps in that step, one bit each; `bits`
// holds opn_i_bit_words(n). A bit depends on seed, stream, step and element alone. One
// random bit decides at rate 1/2, sixteen at any other: the rate is met to 1/65536.
void opn_i_keep_bits(const opn_i_exec *exec,
                     uint64_t seed,
                     opn_i_stream stream,
                     uint32_t step,
                     double rate,
                     int64_t n,
                     uint64_t *bits);

// Whether none of n numbers is infinite or NaN.
bool opn_i_all_finite(size_t n, const opn_real *x);

// Threads for that many products and sums, of which each thread should have about a
// million.
int opn_i_exec_threads(const opn_i_exec *exec, int64_t work);

#endif // OPN_EXEC_H
