// cell_sample.c -- results of evaluations, drawn and compared.

#include "support/cell_sample.h"

#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

static double draw_number(uint64_t *random)
{
    static const double odd[] = {0.0,    -0.0,  100.0,  1.0 / 3.0, 2e-308,
                                 5e-324, 1e300, 1e-300, 0.1,       99.999999999999986};
    const uint32_t kind = below(random, 20);
    return kind < 10 ? odd[kind] : (double)below(random, 1u << 30) / 10737418.23;
}

opn_cell cell_draw(uint64_t *random)
{
    opn_cell cell = {
            .seed = below(random, 1000),
            .n_pool = 1000.0,
            .prevalence = draw_number(random),
            .n_epochs = 200.0,
            .seconds = {(double)NAN, 0.0, draw_number(random), draw_number(random)}};
    for (int c = 0; c < 64; c++)
        cell.split_hash[c] = "0123456789abcdef"[below(random, 16)];
    for (int q = 0; q < OPN_N_QUALITIES; q++)
        cell.quality[q] = draw_number(random);
    for (int m = 0; m < OPN_N_METRICS; m++)
        for (int32_t s = 0; s < OPN_N_SCORES; s++)
            cell.metric[m][s] = s % 3 == 0 ? (double)NAN : draw_number(random);
    return cell;
}

static bool is_same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
}

bool cell_is_same(const opn_cell *a, const opn_cell *b)
{
    bool same = a->seed == b->seed && strcmp(a->split_hash, b->split_hash) == 0 &&
                is_same_number(a->n_pool, b->n_pool) &&
                is_same_number(a->prevalence, b->prevalence) &&
                is_same_number(a->n_epochs, b->n_epochs) &&
                is_same_number(a->seconds.teacher, b->seconds.teacher) &&
                is_same_number(a->seconds.prior, b->seconds.prior) &&
                is_same_number(a->seconds.train, b->seconds.train) &&
                is_same_number(a->seconds.infer, b->seconds.infer);
    for (int q = 0; q < OPN_N_QUALITIES; q++)
        same = same && is_same_number(a->quality[q], b->quality[q]);
    for (int m = 0; m < OPN_N_METRICS; m++)
        for (int32_t s = 0; s < OPN_N_SCORES; s++)
            same = same && is_same_number(a->metric[m][s], b->metric[m][s]);
    return same;
}

static void expect_same_cell(const opn_cell *a, const opn_cell *b)
{
    assert_true(a->seed == b->seed);
    assert_string_equal(a->split_hash, b->split_hash);
    assert_true(a->n_pool == b->n_pool && a->prevalence == b->prevalence);
    assert_true(a->n_epochs == b->n_epochs);
    for (int q = 0; q < OPN_N_QUALITIES; q++)
        assert_true(support_is_same_figure(a->quality[q], b->quality[q]));
    for (int k = 0; k < OPN_N_METRICS; k++)
        for (int32_t s = 0; s < OPN_N_SCORES; s++)
            assert_true(support_is_same_figure(a->metric[k][s], b->metric[k][s]));
}

void cell_expect_same_evaluations(const opn_evaluation *a, const opn_evaluation *b)
{
    assert_int_equal(opn_evaluation_n_models(a), opn_evaluation_n_models(b));
    assert_int_equal(opn_evaluation_n_seeds(a), opn_evaluation_n_seeds(b));
    for (int32_t m = 0; m < opn_evaluation_n_models(a); m++)
        for (int32_t s = 0; s < opn_evaluation_n_seeds(a); s++)
            expect_same_cell(&opn_i_evaluation_cells(a, m)[s],
                             &opn_i_evaluation_cells(b, m)[s]);
}
