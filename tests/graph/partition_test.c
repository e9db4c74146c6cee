// partition_test.c -- graphs cut into blocks.

#include "graph/partition.h"

#include "graph/graph_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"

#include <string.h>

static opn_ctx *ctx;

enum { BLOCKS = 8 };

static opn_graph *draw(void)
{
    return trial_draw(ctx,
                      "nodes=1200 classes=4 features=20 mean_degree=6 homophily=0.9");
}

// Asserts that every node is in one block.
static void expect_whole(const opn_i_partition *partition, int32_t n_nodes)
{
    uint8_t met[1200] = {0};
    assert_int_equal(partition->start[0], 0);
    assert_int_equal(partition->start[partition->n_blocks], n_nodes);
    for (int32_t b = 0; b < partition->n_blocks; b++)
        assert_true(partition->start[b] <= partition->start[b + 1]);
    for (int32_t r = 0; r < n_nodes; r++)
        assert_int_equal(met[partition->order[r]]++, 0);
}

static void every_node_is_in_one_block_of_about_the_same_weight(void **state)
{
    (void)state;
    opn_graph *graph = draw();
    const opn_i_csr *a = &graph->topology;
    opn_i_partition partition = {0};
    assert_int_equal(opn_i_partition_init(ctx, a, BLOCKS, &partition), OPN_OK);
    expect_whole(&partition, a->n_rows);
    const double mean =
            ((double)opn_i_csr_n_entries(a) + 12.0 * a->n_rows) / partition.n_blocks;
    for (int32_t b = 0; b < partition.n_blocks; b++) {
        double weight = 0.0;
        for (int32_t r = partition.start[b]; r < partition.start[b + 1]; r++) {
            const int32_t i = partition.order[r];
            weight += (double)(a->row_ptr[i + 1] - a->row_ptr[i]) + 12.0;
        }
        assert_true(weight > 0.9 * mean && weight < 1.1 * mean);
    }
    opn_i_partition_deinit(&ctx->alloc, &partition);
    opn_graph_free(graph);
}

// Chance would cut half of the edges between two ranks, and three quarters between four.
static void runs_of_blocks_share_few_edges(void **state)
{
    (void)state;
    opn_graph *graph = draw();
    opn_i_partition partition = {0};
    opn_i_cut two = {0}, four = {0}, one = {0};
    assert_int_equal(opn_i_partition_init(ctx, &graph->topology, BLOCKS, &partition),
                     OPN_OK);
    assert_int_equal(opn_i_partition_cut(ctx, &graph->topology, &partition, 1, &one),
                     OPN_OK);
    assert_int_equal(opn_i_partition_cut(ctx, &graph->topology, &partition, 2, &two),
                     OPN_OK);
    assert_int_equal(opn_i_partition_cut(ctx, &graph->topology, &partition, 4, &four),
                     OPN_OK);
    assert_true(one.edges == 0.0 && one.halo == 0.0);
    assert_true(two.edges > 0.0 && two.edges < 0.25 && two.edges < four.edges);
    assert_true(four.edges < 0.375 && two.halo < four.halo);
    opn_i_partition_deinit(&ctx->alloc, &partition);
    opn_graph_free(graph);
}

// A path of four, cut in two in the middle: one edge of three, and a row each way.
static void a_cut_counts_edges_and_rows(void **state)
{
    (void)state;
    static const opn_vid source[] = {0, 1, 2}, target[] = {1, 2, 3};
    int32_t order[] = {0, 1, 2, 3}, start[] = {0, 2, 4};
    const opn_i_partition partition = {.n_blocks = 2, .order = order, .start = start};
    opn_graph *graph = NULL;
    opn_i_cut cut = {0};
    assert_int_equal(opn_graph_create_edges(ctx, 4, 3, source, target, NULL, &graph),
                     OPN_OK);
    assert_int_equal(opn_i_partition_cut(ctx, &graph->topology, &partition, 2, &cut),
                     OPN_OK);
    assert_true(cut.edges > 0.333 && cut.edges < 0.334);
    assert_true(cut.halo == 0.5);
    opn_graph_free(graph);
}

// A star has no cut worth the name, and fewer nodes than blocks leave some empty.
static void few_nodes_leave_blocks_empty(void **state)
{
    (void)state;
    static const opn_vid source[] = {0, 0, 0, 0}, target[] = {1, 2, 3, 4};
    opn_graph *graph = NULL;
    opn_i_partition partition = {0};
    assert_int_equal(opn_graph_create_edges(ctx, 6, 4, source, target, NULL, &graph),
                     OPN_OK);
    assert_int_equal(opn_i_partition_init(ctx, &graph->topology, 16, &partition), OPN_OK);
    expect_whole(&partition, 6);
    opn_i_partition_deinit(&ctx->alloc, &partition);
    opn_graph_free(graph);
}

static void the_same_graph_is_cut_in_the_same_way(void **state)
{
    (void)state;
    opn_graph *graph = draw();
    opn_i_partition one = {0}, other = {0};
    assert_int_equal(opn_i_partition_init(ctx, &graph->topology, BLOCKS, &one), OPN_OK);
    assert_int_equal(opn_i_partition_init(ctx, &graph->topology, BLOCKS, &other), OPN_OK);
    assert_memory_equal(one.order, other.order, 1200 * sizeof(*one.order));
    assert_memory_equal(one.start, other.start, (BLOCKS + 1) * sizeof(*one.start));
    opn_i_partition_deinit(&ctx->alloc, &one);
    opn_i_partition_deinit(&ctx->alloc, &other);
    opn_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(every_node_is_in_one_block_of_about_the_same_weight),
            WITH_CTX(runs_of_blocks_share_few_edges),
            WITH_CTX(a_cut_counts_edges_and_rows),
            WITH_CTX(few_nodes_leave_blocks_empty),
            WITH_CTX(the_same_graph_is_cut_in_the_same_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
