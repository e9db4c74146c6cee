// random.h -- counter-based random numbers (Random123's Philox).
//
// A number depends only on (seed, stream, step, element): not on earlier draws, nor on
// the thread that draws it.

#ifndef OPN_RANDOM_H
#define OPN_RANDOM_H

#include <stdint.h>

// Purpose of a stream; two streams of one seed never share a number. Append only:
// reproducible runs depend on these values.
typedef enum opn_i_stream {
    OPN_STREAM_SPLIT = 1,
    OPN_STREAM_GENERATE_NODES = 2,
    OPN_STREAM_GENERATE_EDGES = 3,
    OPN_STREAM_GENERATE_WORDS = 4,
    OPN_STREAM_GENERATE_TOPICS = 5,
    OPN_STREAM_TEACHER_WEIGHTS = 6,
    OPN_STREAM_TEACHER_FEATURES = 7,
    OPN_STREAM_TEACHER_HIDDEN = 8,
    OPN_STREAM_STUDENT_WEIGHTS = 9,
    OPN_STREAM_STUDENT_FEATURES = 10,
    OPN_STREAM_STUDENT_HIDDEN = 11,
    OPN_STREAM_SAMPLE_FEATURES = 12,
    OPN_STREAM_SAMPLE_HIDDEN = 13,
    OPN_STREAM_STUDENT_EDGES = 14,
    OPN_STREAM_SAMPLE_EDGES = 15,
    OPN_STREAM_POOL = 16,
    OPN_STREAM_BOOTSTRAP = 17,
    OPN_STREAM_TEACHER_EDGES = 18,
    OPN_STREAM_TEACHER_PROJECTED = 19,
    OPN_STREAM_STUDENT_PROJECTED = 20,
    OPN_STREAM_SAMPLE_PROJECTED = 21,
    OPN_STREAM_EMBEDDING = 22,
    OPN_STREAM_TUNE_TRIAL = 23,
    OPN_STREAM_TUNE_HALVES = 24,
    OPN_STREAM_FOLDS = 25,
    OPN_STREAM_MEMBERS = 26,
    OPN_STREAM_SETS = 30,
    OPN_STREAM_SHIFT_EDGES = 31,
    OPN_STREAM_SHIFT_FEATURES = 32,
    OPN_STREAM_AVERAGED_FEATURES = 40,
    OPN_STREAM_AVERAGED_HIDDEN = 41,
    OPN_STREAM_AVERAGED_EDGES = 42,
    OPN_STREAM_AVERAGED_PROJECTED = 43,
    OPN_STREAM_UNLABELLED_SHIFT = 44,
    OPN_STREAM_BATCH = 45
} opn_i_stream;

typedef struct opn_i_random4 {
    uint32_t word[4];
} opn_i_random4;

// Four random words for one element of one step (an epoch, a sample, a node).
opn_i_random4
opn_i_random(uint64_t seed, opn_i_stream stream, uint32_t step, uint64_t element);

// A sequence of numbers for one (seed, stream, step), drawn in order. Lives on the stack.
typedef struct opn_i_rng {
    uint64_t seed;
    uint64_t next_element;
    opn_i_stream stream;
    uint32_t step;
    opn_i_random4 block;
    int n_left; // words of block not yet used
} opn_i_rng;

opn_i_rng opn_i_rng_start(uint64_t seed, opn_i_stream stream, uint32_t step);

// A sequence for a single element, good for 2^18 words.
opn_i_rng
opn_i_rng_start_at(uint64_t seed, opn_i_stream stream, uint32_t step, uint64_t element);

uint32_t opn_i_rng_word(opn_i_rng *rng);
double opn_i_rng_unit(opn_i_rng *rng); // uniform in [0, 1), 53 bits

// Uniform in [0, n), exactly; n >= 1.
uint32_t opn_i_rng_below(opn_i_rng *rng, uint32_t n);

// Shuffles the n items (Fisher-Yates).
void opn_i_rng_shuffle(opn_i_rng *rng, int32_t *item, int32_t n);

#endif // OPN_RANDOM_H
