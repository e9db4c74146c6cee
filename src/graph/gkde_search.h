// gkde_search.h -- breadth-first search from up to 512 labelled nodes at once, one bit
// each, which sums their evidence.

#ifndef OPN_GKDE_SEARCH_H
#define OPN_GKDE_SEARCH_H

#include "math/csr.h"

// A set is a cache line, which a random access fetches anyway.
enum { OPN_GKDE_WORDS = 8, OPN_GKDE_BATCH = 64 * OPN_GKDE_WORDS };

// Classes whose sums are computed together: more would need more memory than the sets.
enum { OPN_GKDE_CLASSES = 16 };

typedef uint64_t opn_i_word_pair __attribute__((vector_size(16)));

// One bit for each labelled node of a batch. The pairs are a vector on every CPU that the
// library is built for; compilers would keep the words in eight registers of 64 bits.
typedef union opn_i_bit_set {
    uint64_t word[OPN_GKDE_WORDS];
    opn_i_word_pair pair[OPN_GKDE_WORDS / 2];
} opn_i_bit_set;

// Labelled nodes of one class within a batch: bits of the words [first, last).
typedef struct opn_i_class_bits {
    int32_t column; // of the sums
    int first, last;
    opn_i_bit_set bits;
} opn_i_class_bits;

// Evidence of one labelled node at each distance, as an integer.
typedef struct opn_i_hop_weights {
    int64_t *weight; // [radius] g(d) 2^shift, rounded
    int32_t radius;
    int shift;
} opn_i_hop_weights;

// One batch at a time; the arrays belong to the caller. Sets are only valid where the map
// beside them has a bit, so that a batch or a step begins by clearing V bits and no sets.
typedef struct opn_i_gkde_search {
    const opn_i_csr *topology;
    const opn_i_hop_weights *weights;
    bool only_pulls;         // some rows of the topology are elsewhere
    opn_i_bit_set *frontier; // [V] labelled nodes that reached the node in the last step
    opn_i_bit_set *next;     // [V]
    opn_i_bit_set *seen;     // [V] labelled nodes that have reached it so far
    uint64_t *in_frontier;   // [opn_i_map_words(V)] one bit per node
    uint64_t *in_next;
    uint64_t *is_met;
    int64_t *sum; // [columns,V] weights of all that was reached, in every batch so far
    opn_i_class_bits classes[OPN_GKDE_CLASSES]; // [n_present] in the batch
    int n_present;
    opn_i_bit_set all; // all bits of the batch
} opn_i_gkde_search;

static inline size_t opn_i_map_words(int32_t n_nodes)
{
    return (size_t)n_nodes / 64 + 1;
}

// Starts a batch of n labelled nodes, sorted by label. Label k counts for column k modulo
// OPN_GKDE_CLASSES of the sums; no two labels of a batch may share one.
void opn_i_gkde_search_start(opn_i_gkde_search *search,
                             int n,
                             const int32_t *node,
                             const int32_t *label);

// Adds the evidence of what is d hops away, after all steps before it. Returns whether
// there was any. Cost: O(edges of the frontier) while these are few, else O(V + E).
bool opn_i_gkde_search_step(opn_i_gkde_search *search, int32_t d, int n_threads);

// Makes sets of the frontier valid for all nodes, and marks those that are not empty, for
// sets that come from elsewhere in between. The second returns whether there are any.
void opn_i_gkde_search_tidy(opn_i_gkde_search *search);
bool opn_i_gkde_search_mark(opn_i_gkde_search *search);

#endif // OPN_GKDE_SEARCH_H
