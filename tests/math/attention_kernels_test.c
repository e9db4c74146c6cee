// attention_kernels_test.c -- the kernels of attention: the tables against each other,
// through a whole pass and back, and what must hold of every table.

#include "math/kernels.h"
#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 37, OUTPUTS = 19, MOST_ENTRIES = 600, LANES = 8, MOST_VECTORS = 17 };

// ---- patterns ------------------------------------------------------------------------

// Who looks at whom, by outputs and by inputs. Every third output is alone with itself;
// HUB looks at all, and all others look at it. Behind every row are entries that are not
// its own.
enum { HUB = 1, STILL = 5 };

typedef struct pattern {
    int32_t n_outputs;
    int32_t own[INPUTS];
    opn_off begin[INPUTS], end[INPUTS], transposed_begin[INPUTS], transposed_end[INPUTS];
    int32_t col[MOST_ENTRIES], transposed_col[MOST_ENTRIES];
    uint32_t transposed_entry[MOST_ENTRIES];
    size_t n_entries; // those of no row included
} pattern;

static bool is_neighbour(uint64_t *random, int32_t output, int32_t i, int32_t j)
{
    const bool is_drawn = below(random, 8) == 0;
    return i == j || (output % 3 != 0 && (i == HUB || j == HUB || is_drawn));
}

static void draw_pattern(uint64_t *random, bool is_part, pattern *p)
{
    *p = (pattern){.n_outputs = is_part ? OUTPUTS : INPUTS};
    size_t n = 0;
    for (int32_t i = 0; i < p->n_outputs; i++) {
        p->own[i] = is_part ? INPUTS - 2 - (7 * i + 35) % (INPUTS - 1) : i;
        p->begin[i] = (opn_off)n;
        for (int32_t j = 0; j < INPUTS; j++)
            if (is_neighbour(random, i, p->own[i], j))
                p->col[n++] = j;
        p->end[i] = (opn_off)n++;
        assert_true(n + INPUTS < MOST_ENTRIES);
    }
    p->n_entries = n;
    n = 0;
    for (int32_t j = 0; j < INPUTS; j++) {
        p->transposed_begin[j] = (opn_off)n;
        for (int32_t i = 0; i < p->n_outputs; i++)
            for (opn_off e = p->begin[i]; e < p->end[i]; e++)
                if (p->col[e] == j) {
                    p->transposed_col[n] = i;
                    p->transposed_entry[n++] = (uint32_t)e;
                }
        p->transposed_end[j] = (opn_off)n++;
    }
}

// ---- layers --------------------------------------------------------------------------

typedef struct shape {
    int32_t n_vectors;
    bool is_single, is_wider; // rows have more than the vectors in them
    int32_t n_used;           // heads, or units of the last vector if there is one head
} shape;

static const shape shapes[] = {
        {8, false, true, 8},  {8, false, true, 5},   {1, true, false, 7},
        {3, false, false, 8}, {2, true, false, 3},   {1, false, false, 8},
        {2, false, true, 8},  {4, false, true, 8},   {5, true, false, 8},
        {6, false, true, 8},  {7, false, false, 6},  {9, false, false, 8},
        {9, true, false, 4},  {17, false, false, 8}, {16, true, true, 8},
};

enum { N_SHAPES = sizeof(shapes) / sizeof(shapes[0]), N_KINDS = 16, MOST_ROOMS = 24 };

// What is dropped, by bits of a kind; the last adds a scale.
enum { DROPS_UNITS = 1, DROPS_ENTRIES = 2, DROPS_HIDDEN = 4, SCALES = 8 };

// A layer with its own numbers, each array in a block of exactly its size.
typedef struct trial {
    opn_k_attention layer;
    opn_real *room[MOST_ROOMS];
    size_t n_reals[MOST_ROOMS];
    int n_rooms;
    uint64_t keep_units[INPUTS * MOST_VECTORS / 8 + 1];
    uint64_t keep_hidden[INPUTS * MOST_VECTORS / 8 + 1];
    uint64_t keep_entries[MOST_ENTRIES / 8];
} trial;

static opn_real *new_room(trial *t, size_t n)
{
    opn_real *room = malloc(n * sizeof(*room));
    assert_non_null(room);
    assert_true(t->n_rooms < MOST_ROOMS);
    for (size_t k = 0; k < n; k++)
        room[k] = 77; // where nothing is ever written both tables leave it
    t->n_reals[t->n_rooms] = n;
    t->room[t->n_rooms++] = room;
    return room;
}

static void free_trial(trial *t)
{
    for (int r = 0; r < t->n_rooms; r++)
        free(t->room[r]);
}

static bool is_used(const shape *is, int32_t v, int32_t lane)
{
    return lane < is->n_used || (is->is_single && v + 1 < is->n_vectors);
}

// Numbers of a row [n_vectors,8], 0 where the layer has no head or unit.
static void draw_vectors(uint64_t *random, const shape *is, opn_real *row)
{
    draw_rows(random, 1, is->n_vectors * LANES, is->n_vectors * LANES, -1.0, 1.0, row);
    for (int32_t k = 0; k < is->n_vectors * LANES; k++)
        if (!is_used(is, k / LANES, k % LANES))
            row[k] = 0;
}

static opn_real *new_drawn_row(uint64_t *random, trial *t, const shape *is)
{
    opn_real *row = new_room(t, (size_t)(is->n_vectors * LANES));
    draw_vectors(random, is, row);
    return row;
}

static opn_k_wide new_wide(trial *t, const shape *is, int32_t n_rows)
{
    const size_t n = (size_t)(is->n_vectors * LANES);
    const size_t stride = is->is_wider ? n + 2 * LANES : n;
    return (opn_k_wide){new_room(t, stride * (size_t)n_rows), stride};
}

static opn_k_wide
new_drawn_wide(uint64_t *random, trial *t, const shape *is, int32_t n_rows)
{
    const opn_k_wide x = new_wide(t, is, n_rows);
    opn_real row[MOST_VECTORS * LANES];
    for (int32_t i = 0; i < n_rows; i++) {
        draw_vectors(random, is, row);
        for (int32_t v = 0; v < is->n_vectors; v++)
            memcpy(opn_k_vector(&x, i, v), row + v * LANES, LANES * sizeof(*row));
    }
    return x;
}

// c of the heads: 0 every second time, so that scores of STILL and HUB are 0 too.
static opn_real *new_drawn_c(uint64_t *random, trial *t, const shape *is, bool is_zero)
{
    const int32_t n = is->is_single ? 1 : LANES;
    opn_real *c = new_room(t, (size_t)n);
    draw_rows(random, 1, is->is_single || is->n_used == LANES ? n : is->n_used, n, -1.0,
              is_zero ? -1.0 : 1.0, c);
    for (int32_t k = 0; k < n && is_zero; k++)
        c[k] = 0;
    return c;
}

static const uint64_t *
draw_bits(uint64_t *random, bool drops, size_t n_bytes, uint64_t *bits)
{
    uint8_t *bytes = (uint8_t *)bits;
    for (size_t k = 0; k < n_bytes; k++)
        bytes[k] = (uint8_t)below(random, 256);
    return drops ? bits : NULL;
}

// The same for the same seed.
static void
init_trial(uint64_t seed, const pattern *p, const shape *is, int kind, trial *t)
{
    uint64_t random = seed;
    const int32_t n_outputs = p->n_outputs;
    const size_t of_inputs = INPUTS * LANES, of_outputs = (size_t)n_outputs * LANES;
    const size_t n_bytes = (size_t)(INPUTS * is->n_vectors);
    *t = (trial){.n_rooms = 0};
    opn_k_attention *layer = &t->layer;
    *layer = (opn_k_attention){
            .n_vectors = is->n_vectors,
            .is_single = is->is_single,
            .begin = p->begin,
            .end = p->end,
            .col = p->col,
            .transposed_begin = p->transposed_begin,
            .transposed_end = p->transposed_end,
            .transposed_col = p->transposed_col,
            .transposed_entry = p->transposed_entry,
            .own = n_outputs == INPUTS ? NULL : p->own,
            .unit_factor = (opn_real)((kind & DROPS_UNITS) != 0 ? 2.5 : 1.0),
            .entry_factor = (opn_real)((kind & DROPS_ENTRIES) != 0 ? 1.5 : 1.0),
            .hidden_factor = (opn_real)((kind & DROPS_HIDDEN) != 0 ? 1.75 : 1.0),
    };
    layer->keep_units =
            draw_bits(&random, (kind & DROPS_UNITS) != 0, n_bytes, t->keep_units);
    layer->keep_hidden =
            draw_bits(&random, (kind & DROPS_HIDDEN) != 0, n_bytes, t->keep_hidden);
    layer->keep_entries = draw_bits(&random, (kind & DROPS_ENTRIES) != 0, p->n_entries,
                                    t->keep_entries);
    layer->a_dst = new_drawn_row(&random, t, is);
    layer->a_src = new_drawn_row(&random, t, is);
    layer->b = new_drawn_row(&random, t, is);
    layer->c_dst = new_drawn_c(&random, t, is, seed % 2 == 0);
    layer->c_src = new_drawn_c(&random, t, is, seed % 2 == 0);
    layer->g = new_drawn_wide(&random, t, is, INPUTS);
    for (int32_t v = 0; v < is->n_vectors; v++) {
        memset(opn_k_vector(&layer->g, HUB, v), 0, LANES * sizeof(opn_real));
        memset(opn_k_vector(&layer->g, STILL, v), 0, LANES * sizeof(opn_real));
    }
    layer->dropped = new_wide(t, is, INPUTS);
    layer->o = new_wide(t, is, n_outputs);
    layer->hidden = new_wide(t, is, n_outputs);
    layer->d_o = new_drawn_wide(&random, t, is, n_outputs);
    layer->dst = new_room(t, of_inputs);
    layer->src = new_room(t, of_inputs);
    layer->top = new_room(t, of_outputs);
    layer->inverse = new_room(t, of_outputs);
    layer->o_d_o = new_room(t, of_outputs);
    layer->d_score = new_room(t, p->n_entries * LANES);
    layer->d_dst = new_room(t, of_inputs);
    layer->d_src = new_room(t, of_inputs);
    opn_real *scale = new_room(t, INPUTS);
    draw_rows(&random, 1, INPUTS, INPUTS, 0.5, 2.0, scale);
    layer->scale = (kind & SCALES) != 0 ? scale : NULL;
}

// ---- a pass and back -----------------------------------------------------------------

enum { SCORE, ATTEND, ACTIVATE, INACTIVATE, SETTLE, LOOK_BACK, UNSCORE, N_STEPS };

static bool is_by_inputs(int step)
{
    return step == SCORE || step == LOOK_BACK || step == UNSCORE;
}

// The kernel of a step over rows [first, last); `sums` is of those that have some.
static void run_rows(const opn_k_table *table,
                     int step,
                     const opn_k_attention *layer,
                     int32_t first,
                     int32_t last,
                     opn_real *sums)
{
    const opn_k_attention_table *kernels = table->attention;
    opn_k_attention_rows *const plain[N_STEPS] = {
            [SCORE] = kernels->score,         [ATTEND] = kernels->attend,
            [ACTIVATE] = kernels->activate,   [INACTIVATE] = kernels->inactivate,
            [LOOK_BACK] = kernels->look_back,
    };
    if (step == SETTLE)
        kernels->settle(layer, first, last, sums);
    else if (step == UNSCORE)
        kernels->unscore(layer, first, last, sums);
    else
        plain[step](layer, first, last);
}

// d_dst, which no kernel finds: sums of d_score over the rows of outputs.
static void add_up_d_dst(const pattern *p, opn_k_attention *layer)
{
    memset(layer->d_dst, 0, (size_t)(INPUTS * LANES) * sizeof(opn_real));
    for (int32_t i = 0; i < p->n_outputs; i++)
        for (opn_off e = p->begin[i]; e < p->end[i]; e++)
            for (int32_t l = 0; l < LANES; l++)
                layer->d_dst[p->own[i] * LANES + l] += layer->d_score[e * LANES + l];
}

// One step over all rows, cut in n_cuts + 1 parts; `sums` are those of all parts.
static void run_step(const opn_k_table *table,
                     int step,
                     const pattern *p,
                     int n_cuts,
                     trial *t,
                     opn_real sums[(2 * MOST_VECTORS + 2) * LANES])
{
    static const int32_t cuts[] = {0, 5, 5, 6};
    const size_t n_sums = opn_k_attention_n_sums(&t->layer) * LANES;
    const size_t n_written = step == UNSCORE  ? n_sums
                             : step == SETTLE ? (size_t)(t->layer.n_vectors * LANES)
                                              : 0;
    const int32_t n_rows = is_by_inputs(step) ? INPUTS : p->n_outputs;
    memset(sums, 0, n_sums * sizeof(*sums));
    if (step == UNSCORE)
        add_up_d_dst(p, &t->layer);
    for (int c = 0; c <= n_cuts; c++) {
        opn_real *part = malloc((n_written + 1) * sizeof(*part));
        assert_non_null(part);
        run_rows(table, step, &t->layer, c == 0 ? 0 : cuts[c],
                 c == n_cuts ? n_rows : cuts[c + 1], part);
        for (size_t k = 0; k < n_written; k++)
            sums[k] += part[k];
        free(part);
    }
}

static void expect_same_trial(const trial *got, const trial *want, double tolerance)
{
    for (int r = 0; r < want->n_rooms; r++)
        for (size_t k = 0; k < want->n_reals[r]; k++)
            expect_close((double)got->room[r][k], (double)want->room[r][k], tolerance,
                         1.0);
}

// What belongs to a head or a unit that is not there is 0.
static void expect_no_more_than_is_used(const shape *is, const opn_k_wide *x, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < is->n_vectors * LANES; k++)
            if (!is_used(is, k / LANES, k % LANES))
                assert_true(opn_k_vector(x, i, k / LANES)[k % LANES] == 0);
}

static void a_pass_and_back_is_that_of_the_reference_at_every_step(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    const opn_k_table *fast = table[n_tables - 1]; // avx512 has the attention of avx2
    if (n_tables == 1)
        skip();
    static pattern p;
    static trial got, want;
    uint64_t random = 1;
    for (int round = 0; round < N_SHAPES * N_KINDS * 2; round++) {
        const shape *is = &shapes[round / (N_KINDS * 2)];
        const int kind = round / 2 % N_KINDS;
        const uint64_t seed = (uint64_t)(round / 3);
        opn_real sums[2][(2 * MOST_VECTORS + 2) * LANES];
        draw_pattern(&random, round % 2 == 1, &p);
        init_trial(seed, &p, is, kind, &want);
        init_trial(seed, &p, is, kind, &got);
        for (int step = 0; step < N_STEPS; step++) {
            run_step(opn_k_table_ref(), step, &p, 0, &want, sums[0]);
            run_step(fast, step, &p, 0, &got, sums[1]);
            expect_same_trial(&got, &want, 2e-5);
            for (size_t k = 0; k < opn_k_attention_n_sums(&want.layer) * LANES; k++)
                expect_close((double)sums[1][k], (double)sums[0][k], 1e-5, 3.0);
        }
        // Over all rows c_dst and c_src have the same gradient, over some they have not.
        run_rows(opn_k_table_ref(), UNSCORE, &want.layer, 0, 5, sums[0]);
        run_rows(fast, UNSCORE, &got.layer, 0, 5, sums[1]);
        for (size_t k = 0; k < opn_k_attention_n_sums(&want.layer) * LANES; k++)
            expect_close((double)sums[1][k], (double)sums[0][k], 1e-5, 3.0);
        expect_no_more_than_is_used(is, &got.layer.o, p.n_outputs);
        expect_no_more_than_is_used(is, &got.layer.hidden, p.n_outputs);
        expect_no_more_than_is_used(is, &got.layer.dropped, INPUTS);
        free_trial(&got);
        free_trial(&want);
    }
}

// On one CPU a hash can only be compared with what another computed.
static void x86_and_arm_give_the_same_bits(void **state)
{
    (void)state;
    if (table_of_eights() == NULL)
        skip();
    static pattern p;
    static trial t;
    uint64_t random = 6, hash = 0;
    for (int round = 0; round < N_SHAPES * N_KINDS; round++) {
        const shape *is = &shapes[round / N_KINDS];
        opn_real sums[(2 * MOST_VECTORS + 2) * LANES];
        draw_pattern(&random, round % 2 == 1, &p);
        init_trial((uint64_t)round, &p, is, round % N_KINDS, &t);
        for (int step = 0; step < N_STEPS; step++) {
            run_step(table_of_eights(), step, &p, 0, &t, sums);
            hash = hash_reals(hash, opn_k_attention_n_sums(&t.layer) * LANES, sums);
        }
        for (int r = 0; r < t.n_rooms; r++)
            hash = hash_reals(hash, t.n_reals[r], t.room[r]);
        free_trial(&t);
    }
    assert_int_equal(hash, UINT64_C(0x28b498afd9f08f48));
}

static void any_cut_of_the_rows_gives_the_same_bits(void **state)
{
    (void)state;
    static pattern p;
    static trial whole, cut;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 2;
    for (int round = 0; round < N_SHAPES * n_tables * 4; round++) {
        const opn_k_table *kernels = table[round % n_tables];
        const shape *is = &shapes[round / (n_tables * 4)];
        const int parts = round / n_tables % 4;
        opn_real sums[2][(2 * MOST_VECTORS + 2) * LANES];
        draw_pattern(&random, parts % 2 == 1, &p);
        init_trial(7, &p, is, parts / 2 * (N_KINDS - 1), &whole);
        init_trial(7, &p, is, parts / 2 * (N_KINDS - 1), &cut);
        for (int step = 0; step < N_STEPS; step++) {
            run_step(kernels, step, &p, 0, &whole, sums[0]);
            run_step(kernels, step, &p, 3, &cut, sums[1]);
            for (int r = 0; r < whole.n_rooms; r++)
                assert_memory_equal(cut.room[r], whole.room[r],
                                    whole.n_reals[r] * sizeof(opn_real));
            for (size_t k = 0; k < opn_k_attention_n_sums(&whole.layer) * LANES; k++)
                expect_close((double)sums[1][k], (double)sums[0][k],
                             by_build(1e-5, 1e-13), 3.0);
        }
        free_trial(&whole);
        free_trial(&cut);
    }
}

static void what_a_node_looks_at_adds_up_to_one(void **state)
{
    (void)state;
    static pattern p;
    static trial t;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 3;
    for (int round = 0; round < N_SHAPES * n_tables * 2; round++) {
        const shape *is = &shapes[round / (n_tables * 2)];
        opn_real sums[(2 * MOST_VECTORS + 2) * LANES];
        draw_pattern(&random, round / n_tables % 2 == 1, &p);
        init_trial(5, &p, is, 0, &t);
        run_step(table[round % n_tables], SCORE, &p, 0, &t, sums);
        t.layer.dropped = t.layer.g; // after the scores, which were then all the same
        for (int32_t j = 0; j < INPUTS; j++)
            for (int32_t k = 0; k < is->n_vectors * LANES; k++)
                opn_k_vector(&t.layer.g, j, k / LANES)[k % LANES] = 1;
        run_step(table[round % n_tables], ATTEND, &p, 0, &t, sums);
        for (int32_t i = 0; i < p.n_outputs; i++)
            for (int32_t k = 0; k < is->n_vectors * LANES; k++)
                expect_close((double)opn_k_vector(&t.layer.o, i, k / LANES)[k % LANES],
                             1.0, by_build(1e-6, 1e-14), 1.0);
        free_trial(&t);
    }
}

// Rows that are prefetched.
static void far_rows_are_looked_at_as_near_ones_are(void **state)
{
    (void)state;
    static pattern p;
    static trial t;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 4;
    for (int round = 0; round < n_tables * 2; round++) {
        const shape *is = &shapes[0];
        opn_real sums[(2 * MOST_VECTORS + 2) * LANES];
        draw_pattern(&random, round / n_tables == 1, &p);
        init_trial(6, &p, is, DROPS_UNITS | DROPS_ENTRIES, &t);
        run_step(table[round % n_tables], SCORE, &p, 0, &t, sums);
        run_step(table[round % n_tables], ATTEND, &p, 0, &t, sums);
        const opn_k_wide want = t.layer.o;
        t.layer.is_far = true;
        t.layer.o = new_wide(&t, is, p.n_outputs);
        run_step(table[round % n_tables], ATTEND, &p, 0, &t, sums);
        assert_memory_equal(t.layer.o.at, want.at,
                            (size_t)p.n_outputs * want.stride * sizeof(opn_real));
        free_trial(&t);
    }
}

static void a_score_that_is_no_number_is_found_out(void **state)
{
    (void)state;
    static pattern p;
    static trial t;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 5;
    for (int round = 0; round < N_SHAPES * n_tables; round++) {
        const shape *is = &shapes[round / n_tables];
        opn_real sums[(2 * MOST_VECTORS + 2) * LANES];
        draw_pattern(&random, false, &p);
        init_trial(8, &p, is, 0, &t);
        run_step(table[round % n_tables], SCORE, &p, 0, &t, sums);
        for (int32_t l = 0; l < LANES; l++)
            t.layer.src[STILL * LANES + l] = (opn_real)NAN;
        run_step(table[round % n_tables], ATTEND, &p, 0, &t, sums);
        run_step(table[round % n_tables], ACTIVATE, &p, 0, &t, sums);
        for (int32_t k = 0; k < is->n_vectors * LANES; k++) {
            assert_true(isnan(opn_k_vector(&t.layer.hidden, HUB, k / LANES)[k % LANES]));
            assert_true(isfinite(opn_k_vector(&t.layer.hidden, 0, k / LANES)[k % LANES]));
        }
        free_trial(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(a_pass_and_back_is_that_of_the_reference_at_every_step),
            cmocka_unit_test(x86_and_arm_give_the_same_bits),
            cmocka_unit_test(any_cut_of_the_rows_gives_the_same_bits),
            cmocka_unit_test(what_a_node_looks_at_adds_up_to_one),
            cmocka_unit_test(far_rows_are_looked_at_as_near_ones_are),
            cmocka_unit_test(a_score_that_is_no_number_is_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
