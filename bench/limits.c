// limits.c -- the most that one core of this machine can do, to compare kernels with.
//
//   limits     prints "ready", then for each line it reads one line of five numbers: fma,
//              in GFLOP/s, and copy, read_l1, read_l2 and read_l3, in GB/s
//
//   fma      products and sums of single precision with AVX2 and FMA, in registers only;
//            a product and its sum are two operations
//   copy     from memory to memory, bytes read and bytes written together
//   read_l1  vectors added up from 16 KB, read_l2 from 256 KB and read_l3 from 8 MB: what
//            a cache of that level holds and the smaller ones do not
//
// It waits for a line before each repetition, so that a script can alternate it with
// other programs. A repetition takes about 0.3 s. Each number is that of the fastest of
// many slices, in CPU time like that of the kernels: these are limits, and a disturbance
// can only make a slice slower.
//
// The copy stores past the caches. A store through them first reads the line that it
// overwrites: bytes that are moved but not counted. memcpy() may do either, depending on
// the C library, the size and the CPU.
//
// Memory comes from malloc(), with its page size, like that of the kernels.

#include <stdio.h>
#include <stdlib.h>

#if defined(__AVX2__) && defined(__FMA__)

#    include <immintrin.h>
#    include <time.h>

enum {
    LANES = 8,
    L1_BYTES = 16 << 10,
    L2_BYTES = 256 << 10,
    L3_BYTES = 8 << 20,
    MEMORY_BYTES = 256 << 20, // one half is copied to the other
    SLICE_BYTES = 64 << 20,   // that a slice of reading takes
    SLICE_ROUNDS = 1 << 20,   // of all sums, that a slice of fma takes
};

static const double seconds_each = 0.06;

// Where results go, so that the compiler cannot remove work whose result is unused.
static volatile float sink;

// What a slice works on; all of it is 1.
typedef struct area {
    float *at;
    size_t n_bytes;
} area;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void keep_sums(int n, const __m256 *sum)
{
    float lane[LANES];
    __m256 total = _mm256_setzero_ps();
    for (int s = 0; s < n; s++)
        total = _mm256_add_ps(total, sum[s]);
    _mm256_storeu_ps(lane, total);
    for (int l = 0; l < LANES; l++)
        sink = lane[l];
}

// ---- slices: each returns the operations or bytes that it did ------------------------

// Two products start per cycle and take four (five on some CPUs), so with ten sums none
// waits for itself; with their operands, twelve fit in the 16 registers.
static double multiply_and_add(const area *from)
{
    enum { SUMS = 12 };
    __m256 sum[SUMS];
    // A sum of 1 stays 1, far from denormals, which take longer. All are read from
    // memory, so that the compiler does not know their values.
    const __m256 factor = _mm256_set1_ps(0.5f * from->at[0]);
    const __m256 added = _mm256_set1_ps(0.5f * from->at[1]);
    for (size_t s = 0; s < SUMS; s++)
        sum[s] = _mm256_loadu_ps(from->at + LANES * s);
    for (long r = 0; r < SLICE_ROUNDS; r++)
        for (int s = 0; s < SUMS; s++)
            sum[s] = _mm256_fmadd_ps(sum[s], factor, added);
    keep_sums(SUMS, sum);
    return 2.0 * LANES * SUMS * SLICE_ROUNDS;
}

static double copy_half(const area *all)
{
    const size_t n = all->n_bytes / sizeof(float) / 2;
    float *to = all->at + n;
    for (size_t j = 0; j < n; j += LANES)
        _mm256_stream_ps(to + j, _mm256_load_ps(all->at + j));
    _mm_sfence();
    return (double)all->n_bytes;
}

// Sums of floats, which a compiler may not reorder: every element is read in every pass.
// Two additions start per cycle and take three or four.
static double read_all(const area *from)
{
    enum { SUMS = 8 };
    const size_t n = from->n_bytes / sizeof(float);
    const size_t n_passes = SLICE_BYTES / from->n_bytes;
    const size_t step = (size_t)SUMS * LANES;
    __m256 sum[SUMS];
    for (int s = 0; s < SUMS; s++)
        sum[s] = _mm256_setzero_ps();
    for (size_t pass = 0; pass < n_passes; pass++)
        for (size_t j = 0; j < n; j += step)
            for (size_t s = 0; s < SUMS; s++)
                sum[s] = _mm256_add_ps(sum[s], _mm256_load_ps(from->at + j + LANES * s));
    keep_sums(SUMS, sum);
    return (double)SLICE_BYTES;
}

// ---- repetitions ---------------------------------------------------------------------

// The rate of the fastest slice, in 10^9 per second.
static double fastest(double (*slice)(const area *), const area *of)
{
    const double start = now();
    double best = 0.0;
    double end = start;
    while (end - start < seconds_each) {
        const double begin = now();
        const double done = slice(of);
        end = now();
        if (done > best * (end - begin))
            best = done / (end - begin);
    }
    return 1e-9 * best;
}

static void measure(const area *memory)
{
    const area l1 = {memory->at, L1_BYTES};
    const area l2 = {memory->at, L2_BYTES};
    const area l3 = {memory->at, L3_BYTES};
    printf("%.3f ", fastest(multiply_and_add, &l1));
    printf("%.3f ", fastest(copy_half, memory));
    printf("%.3f ", fastest(read_all, &l1));
    printf("%.3f ", fastest(read_all, &l2));
    printf("%.3f\n", fastest(read_all, &l3));
    fflush(stdout);
}

int main(void)
{
    char line[64];
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        fprintf(stderr, "limits: this CPU has no AVX2 with FMA\n");
        return 1;
    }
    const area memory = {aligned_alloc(64, MEMORY_BYTES), MEMORY_BYTES};
    if (memory.at == NULL) {
        fprintf(stderr, "limits: out of memory for %zu bytes\n", memory.n_bytes);
        return 1;
    }
    for (size_t j = 0; j < memory.n_bytes / sizeof(float); j++)
        memory.at[j] = 1.0f;
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin) != NULL)
        measure(&memory);
    free(memory.at);
    return 0;
}

#else

int main(void)
{
    fprintf(stderr, "limits: built for a CPU without AVX2 and FMA\n");
    return 1;
}

#endif
