// gkde_search.c -- breadth-first search from up to 512 labelled nodes at once.

#include "graph/gkde_search.h"

#include <string.h>

enum { WORDS = OPN_GKDE_WORDS };
enum { NODES_A_CHUNK = 1024 }; // a multiple of 64: a chunk owns its words of a map
enum { PUSHED_SHARE = 10 };    // of the edges; a frontier with fewer of them is pushed
enum { AHEAD = 16 };           // entries that a set is fetched ahead of its use

typedef opn_i_bit_set bit_set;
typedef opn_i_class_bits class_bits;
typedef opn_i_gkde_search search;

// ---- sets ----------------------------------------------------------------------------

static bool is_empty(const bit_set *set)
{
    uint64_t any = 0;
    for (int w = 0; w < WORDS; w++)
        any |= set->word[w];
    return any == 0;
}

static void add_bits(const bit_set *from, bit_set *to)
{
    for (int w = 0; w < WORDS / 2; w++)
        to->pair[w] |= from->pair[w];
}

static bool has_bit(const uint64_t *map, int32_t i)
{
    return map[(uint32_t)i / 64] >> ((uint32_t)i % 64) & 1;
}

static void set_bit(uint64_t *map, int32_t i)
{
    map[(uint32_t)i / 64] |= UINT64_C(1) << ((uint32_t)i % 64);
}

// Counts of the bits in each byte. Not all CPUs that the library is built for have an
// instruction that counts, and this becomes vectors.
static uint64_t count_by_bytes(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    return (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
}

static int count_bits(const bit_set *set, const class_bits *class)
{
    uint64_t sum = 0; // at most 64 in a byte
    if (class->last - class->first == WORDS)
        for (int w = 0; w < WORDS; w++)
            sum += count_by_bytes(set->word[w] & class->bits.word[w]);
    else
        for (int w = class->first; w < class->last; w++)
            sum += count_by_bytes(set->word[w] & class->bits.word[w]);
    sum = (sum & UINT64_C(0x00ff00ff00ff00ff)) +
          (sum >> 8 & UINT64_C(0x00ff00ff00ff00ff));
    return (int)(sum * UINT64_C(0x0001000100010001) >> 48);
}

// ---- one batch -----------------------------------------------------------------------

// Notes that labelled nodes have reached node i for the first time, after d hops.
static void settle(const search *s, int32_t i, const bit_set *reached, int32_t d)
{
    const size_t n_nodes = (size_t)s->topology->n_rows;
    const int64_t weight = s->weights->weight[d];
    if (has_bit(s->is_met, i))
        add_bits(reached, &s->seen[i]);
    else
        s->seen[i] = *reached;
    for (int c = 0; c < s->n_present; c++) {
        const int64_t n = count_bits(reached, &s->classes[c]);
        s->sum[(size_t)s->classes[c].column * n_nodes + (size_t)i] += n * weight;
    }
}

static bit_set find_missing(const search *s, int32_t i)
{
    bit_set missing = s->all;
    if (has_bit(s->is_met, i))
        for (int w = 0; w < WORDS / 2; w++)
            missing.pair[w] &= ~s->seen[i].pair[w];
    return missing;
}

// One step for nodes [first, last): finds the labelled nodes that reach them for the
// first time, through any neighbour. Returns whether there are any.
static bool pull_nodes(const search *s, int32_t d, int32_t first, int32_t last)
{
    const opn_i_csr *a = s->topology;
    const opn_off n_ahead = opn_i_csr_n_entries(a) - AHEAD;
    bool is_going_on = false;
    for (int32_t start = first; start < last; start += 64) {
        const int32_t end = last - start < 64 ? last : start + 64;
        uint64_t found = 0;
        for (int32_t i = start; i < end; i++) {
            const bit_set missing = find_missing(s, i);
            bit_set reached = {{0}};
            if (is_empty(&missing))
                continue;
            for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
                if (e < n_ahead)
                    __builtin_prefetch(&s->frontier[a->col_idx[e + AHEAD]]);
                if (has_bit(s->in_frontier, a->col_idx[e]))
                    add_bits(&s->frontier[a->col_idx[e]], &reached);
            }
            for (int w = 0; w < WORDS / 2; w++)
                reached.pair[w] &= missing.pair[w];
            if (is_empty(&reached))
                continue;
            settle(s, i, &reached, d);
            s->next[i] = reached;
            found |= UINT64_C(1) << (i - start);
        }
        s->in_next[start / 64] = found;
        s->is_met[start / 64] |= found;
        is_going_on |= found != 0;
    }
    return is_going_on;
}

// The same step by pushing from the frontier, for when it has few edges.
static bool push_nodes(const search *s, int32_t d)
{
    const opn_i_csr *a = s->topology;
    const size_t n_words = opn_i_map_words(a->n_rows);
    bool is_going_on = false;
    memset(s->in_next, 0, n_words * sizeof(*s->in_next));
    for (size_t m = 0; m < n_words; m++) {
        for (uint64_t left = s->in_frontier[m]; left != 0; left &= left - 1) {
            const int32_t i = (int32_t)(64 * m) + __builtin_ctzll(left);
            for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
                const int32_t j = a->col_idx[e];
                if (has_bit(s->in_next, j))
                    add_bits(&s->frontier[i], &s->next[j]);
                else
                    s->next[j] = s->frontier[i];
                set_bit(s->in_next, j);
            }
        }
    }
    for (size_t m = 0; m < n_words; m++) {
        for (uint64_t left = s->in_next[m]; left != 0; left &= left - 1) {
            const int32_t i = (int32_t)(64 * m) + __builtin_ctzll(left);
            const bit_set missing = find_missing(s, i);
            for (int w = 0; w < WORDS; w++)
                s->next[i].word[w] &= missing.word[w];
            if (is_empty(&s->next[i]))
                s->in_next[m] &= ~(left & -left);
            else
                settle(s, i, &s->next[i], d);
        }
        s->is_met[m] |= s->in_next[m];
        is_going_on |= s->in_next[m] != 0;
    }
    return is_going_on;
}

static bool is_small(const search *s)
{
    const opn_i_csr *a = s->topology;
    const opn_off n_most = opn_i_csr_n_entries(a) / PUSHED_SHARE;
    opn_off n = 0;
    for (size_t m = 0; m < opn_i_map_words(a->n_rows) && n < n_most; m++)
        for (uint64_t left = s->in_frontier[m]; left != 0; left &= left - 1) {
            const int32_t i = (int32_t)(64 * m) + __builtin_ctzll(left);
            n += a->row_ptr[i + 1] - a->row_ptr[i];
        }
    return n < n_most;
}

bool opn_i_gkde_search_step(opn_i_gkde_search *s, int32_t d, int n_threads)
{
    const int32_t n_nodes = s->topology->n_rows;
    int is_going_on = 0;
    (void)n_threads; // unused when built without OpenMP
    if (!s->only_pulls && is_small(s)) {
        is_going_on = push_nodes(s, d);
    } else {
#pragma omp parallel for schedule(dynamic) num_threads(n_threads) if (n_threads > 1) \
        reduction(|                                                                  \
                  : is_going_on)
        for (int32_t first = 0; first < n_nodes; first += NODES_A_CHUNK) {
            const int32_t last =
                    n_nodes - first < NODES_A_CHUNK ? n_nodes : first + NODES_A_CHUNK;
            is_going_on |= pull_nodes(s, d, first, last);
        }
    }
    bit_set *const sets = s->frontier;
    s->frontier = s->next;
    s->next = sets;
    uint64_t *const map = s->in_frontier;
    s->in_frontier = s->in_next;
    s->in_next = map;
    return is_going_on != 0;
}

void opn_i_gkde_search_start(opn_i_gkde_search *s,
                             int n,
                             const int32_t *node,
                             const int32_t *label)
{
    const size_t n_bytes = opn_i_map_words(s->topology->n_rows) * sizeof(uint64_t);
    memset(s->in_frontier, 0, n_bytes);
    memset(s->is_met, 0, n_bytes);
    s->all = (bit_set){{0}};
    s->n_present = 0;
    for (int b = 0; b < n; b++) {
        const uint64_t bit = UINT64_C(1) << (b % 64);
        if (b == 0 || label[b] != label[b - 1])
            s->classes[s->n_present++] =
                    (class_bits){.column = label[b] % OPN_GKDE_CLASSES, .first = b / 64};
        class_bits *class = &s->classes[s->n_present - 1];
        class->bits.word[b / 64] |= bit;
        class->last = b / 64 + 1;
        s->all.word[b / 64] |= bit;
        s->frontier[node[b]] = (bit_set){{0}};
        s->frontier[node[b]].word[b / 64] = bit;
        settle(s, node[b], &s->frontier[node[b]], 0);
        set_bit(s->in_frontier, node[b]);
        set_bit(s->is_met, node[b]);
    }
}

void opn_i_gkde_search_tidy(opn_i_gkde_search *s)
{
    for (int32_t i = 0; i < s->topology->n_rows; i++)
        if (!has_bit(s->in_frontier, i))
            s->frontier[i] = (bit_set){{0}};
}

bool opn_i_gkde_search_mark(opn_i_gkde_search *s)
{
    bool has_any = false;
    memset(s->in_frontier, 0,
           opn_i_map_words(s->topology->n_rows) * sizeof(*s->in_frontier));
    for (int32_t i = 0; i < s->topology->n_rows; i++)
        if (!is_empty(&s->frontier[i])) {
            set_bit(s->in_frontier, i);
            has_any = true;
        }
    return has_any;
}
