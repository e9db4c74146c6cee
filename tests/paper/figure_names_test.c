// figure_names_test.c -- names of datasets, models and classes as figures show them.

#include "paper/figure_names.h"
#include "support/cmocka_test.h"
#include "support/support.h"

static void models_have_the_names_of_the_paper(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"s-bgcn-t-k", "S-BGCN-T-K"},
                                           {"gcn", "GCN"},
                                           {"drop-gcn", "Drop-GCN"},
                                           {"dropedge-gcn", "Dropedge-GCN"},
                                           {"", ""}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        char name[OPN_MODEL_ROOM];
        opn_i_figure_model(cases[c][0], name);
        assert_string_equal(name, cases[c][1]);
    }
    assert_string_equal(opn_i_figure_dataset("photo"), "Amazon Photo");
    assert_string_equal(opn_i_figure_dataset("mine"), "mine");
}

enum { N_CLASSES = 6, N_NODES = 3327 };

// Labels with so many nodes of each class; the rest have none.
static void make_labels(const int32_t size[N_CLASSES], int32_t label[N_NODES])
{
    int32_t n = 0;
    for (int32_t k = 0; k < N_CLASSES; k++)
        for (int32_t i = 0; i < size[k]; i++)
            label[n++] = k;
    while (n < N_NODES)
        label[n++] = -1;
}

static void check_names(const int32_t size[N_CLASSES],
                        const char *dataset,
                        const char *const want[N_CLASSES])
{
    static int32_t label[N_NODES];
    meter m = {0};
    opn_ctx *ctx = support_ctx(&m);
    opn_i_names own = {0};
    opn_i_names names = {0};
    make_labels(size, label);
    for (int k = 0; k < N_CLASSES; k++)
        assert_int_equal(opn_i_names_add(ctx, &own, &"012345"[k], 1), OPN_OK);
    assert_int_equal(opn_i_figure_classes(ctx, dataset, &own, N_NODES, label, &names),
                     OPN_OK);
    assert_int_equal(names.n, N_CLASSES);
    for (int k = 0; k < N_CLASSES; k++)
        assert_string_equal(opn_i_names_at(&names, k), want[k]);
    opn_i_names_deinit(&ctx->alloc, &own);
    opn_i_names_deinit(&ctx->alloc, &names);
    support_ctx_free(ctx, &m);
}

static const int32_t citeseer[N_CLASSES] = {249, 590, 668, 701, 596, 508};
static const char *const numbers[N_CLASSES] = {"0", "1", "2", "3", "4", "5"};

static void classes_of_citeseer_are_known_by_their_sizes(void **state)
{
    (void)state;
    static const char *const want[N_CLASSES] = {"artificial intelligence",
                                                "machine learning",
                                                "information retrieval",
                                                "databases",
                                                "agents",
                                                "human-computer interaction"};
    check_names(citeseer, "citeseer", want);
}

static void classes_of_other_sizes_keep_their_names(void **state)
{
    (void)state;
    static const int32_t other[N_CLASSES] = {250, 590, 668, 701, 596, 508};
    check_names(other, "citeseer", numbers);
    check_names(citeseer, "mine", numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(models_have_the_names_of_the_paper),
            cmocka_unit_test(classes_of_citeseer_are_known_by_their_sizes),
            cmocka_unit_test(classes_of_other_sizes_keep_their_names),
    };
    return cmocka_run_group_tests_name("figure_names", tests, NULL, NULL);
}
