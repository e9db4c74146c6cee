// diffuse_test.c -- values diffused over the graph, against dense oracles.

#include "base/context.h"
#include "golden/diffusion_golden.h"
#include "opine/opine.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

enum { MOST_NODES = 40, MOST_EDGES = 4 * MOST_NODES };

// A graph as a matrix [V,V], and its values.
typedef struct scene {
    int n;
    double weight[MOST_NODES][MOST_NODES]; // 0 where there is no edge
    float value[MOST_NODES];
    opn_graph *graph;
} scene;

static void draw_values(scene *at, uint64_t *random)
{
    for (int i = 0; i < at->n; i++)
        at->value[i] = (float)below(random, 2001) / 100.0f - 10.0f;
}

// About two edges per node; multiples of 7 stay isolated.
static scene draw_scene(int n, bool is_weighted, uint64_t *random)
{
    scene at = {.n = n};
    opn_vid source[MOST_EDGES];
    opn_vid target[MOST_EDGES];
    float weight[MOST_EDGES];
    int n_edges = 0;
    for (int e = 0; e < 2 * n; e++) {
        const int i = (int)below(random, (uint32_t)n);
        const int j = (int)below(random, (uint32_t)n);
        if (i == j || i % 7 == 0 || j % 7 == 0 || at.weight[i][j] > 0.0)
            continue;
        source[n_edges] = i;
        target[n_edges] = j;
        weight[n_edges] = is_weighted ? (float)(1 + below(random, 40)) / 8.0f : 1.0f;
        at.weight[i][j] = at.weight[j][i] = (double)weight[n_edges++];
    }
    assert_int_equal(opn_graph_create_edges(ctx, n, n_edges, source, target,
                                            is_weighted ? weight : NULL, &at.graph),
                     OPN_OK);
    draw_values(&at, random);
    return at;
}

// u <- u/2 + D^-1 A u / 2, element by element; an isolated node keeps its value.
static void smooth_densely(const scene *at, int n_steps, double *u)
{
    for (int i = 0; i < at->n; i++)
        u[i] = (double)at->value[i];
    for (int step = 0; step < n_steps; step++) {
        double next[MOST_NODES];
        for (int i = 0; i < at->n; i++) {
            double sum = 0.0;
            double degree = 0.0;
            for (int j = 0; j < at->n; j++) {
                sum += at->weight[i][j] * u[j];
                degree += at->weight[i][j];
            }
            next[i] = u[i] / 2.0 + (degree > 0.0 ? sum / degree : u[i]) / 2.0;
        }
        memcpy(u, next, sizeof(next));
    }
}

static void diffuse(const scene *at, opn_diffusion how, float *value)
{
    memcpy(value, at->value, sizeof(at->value));
    assert_int_equal(opn_graph_diffuse(ctx, at->graph, &how, 1, value), OPN_OK);
}

static opn_diffusion half_steps(int n_steps)
{
    return (opn_diffusion){
            .n_steps = n_steps, .teleport = 0.5, .missing = (double)NAN, .is_lazy = 1};
}

static void diffuse_by_halves(const scene *at, int n_steps, float *value)
{
    diffuse(at, half_steps(n_steps), value);
}

// ---- what a step does ----------------------------------------------------------------

static void
a_lazy_step_is_half_the_node_and_half_the_weighted_mean_around_it(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 8, 17, MOST_NODES};
    static const int steps[] = {1, 2, 5, 50};
    uint64_t random = 1;
    for (int c = 0; c < 2 * 6 * 4; c++) {
        scene at = draw_scene(sizes[c / 8], c % 2 == 0, &random);
        const int n_steps = steps[c / 2 % 4];
        double want[MOST_NODES];
        float got[MOST_NODES];
        smooth_densely(&at, n_steps, want);
        diffuse_by_halves(&at, n_steps, got);
        for (int i = 0; i < at.n; i++)
            if (fabs((double)got[i] - want[i]) > 1e-6 * fmax(1.0, fabs(want[i])))
                fail_msg("node %d of %d, %d steps: %g, should be %g", i, at.n, n_steps,
                         (double)got[i], want[i]);
        opn_graph_free(at.graph);
    }
}

static void two_calls_of_one_step_are_nearly_one_call_of_two(void **state)
{
    (void)state;
    uint64_t random = 2;
    scene at = draw_scene(MOST_NODES, true, &random);
    float both[MOST_NODES];
    float twice[MOST_NODES];
    diffuse_by_halves(&at, 2, both);
    diffuse_by_halves(&at, 1, twice);
    const opn_diffusion one = half_steps(1);
    assert_int_equal(opn_graph_diffuse(ctx, at.graph, &one, 1, twice), OPN_OK);
    for (int i = 0; i < at.n; i++)
        assert_float_equal(twice[i], both[i], 2e-6f); // rounded to float in between
    opn_graph_free(at.graph);
}

// ---- what it keeps -------------------------------------------------------------------

static void an_isolated_node_keeps_its_value(void **state)
{
    (void)state;
    uint64_t random = 3;
    scene at = draw_scene(MOST_NODES, true, &random);
    float got[MOST_NODES];
    diffuse_by_halves(&at, 9, got);
    for (int i = 0; i < at.n; i += 7)
        assert_true(got[i] == at.value[i]);
    opn_graph_free(at.graph);
}

static void no_steps_change_no_bit(void **state)
{
    (void)state;
    uint64_t random = 4;
    scene at = draw_scene(MOST_NODES, true, &random);
    float got[MOST_NODES];
    at.value[0] = -0.0f;
    at.value[1] = 1e-45f;
    at.value[2] = 3.4e38f;
    diffuse_by_halves(&at, 0, got);
    assert_memory_equal(got, at.value, sizeof(got));
    opn_graph_free(at.graph);
}

static void a_constant_stays_what_it_is(void **state)
{
    (void)state;
    static const float constants[] = {0.0f, 1.0f, -0.3f, 1e-30f, 1e30f};
    uint64_t random = 5;
    for (int c = 0; c < 5; c++) {
        scene at = draw_scene(MOST_NODES, c % 2 == 0, &random);
        float got[MOST_NODES];
        for (int i = 0; i < at.n; i++)
            at.value[i] = constants[c];
        diffuse_by_halves(&at, 20, got);
        for (int i = 0; i < at.n; i++)
            assert_true(got[i] == constants[c]);
        opn_graph_free(at.graph);
    }
}

static void values_stay_between_the_least_and_the_most(void **state)
{
    (void)state;
    uint64_t random = 6;
    scene at = draw_scene(MOST_NODES, true, &random);
    float got[MOST_NODES];
    float least = INFINITY;
    float most = -INFINITY;
    for (int i = 0; i < at.n; i++) {
        least = fminf(least, at.value[i]);
        most = fmaxf(most, at.value[i]);
    }
    for (int n_steps = 1; n_steps < 30; n_steps += 4) {
        diffuse_by_halves(&at, n_steps, got);
        for (int i = 0; i < at.n; i++)
            assert_true(got[i] >= least && got[i] <= most);
    }
    opn_graph_free(at.graph);
}

// Where all nodes have the same degree, what one node loses another gains.
static void a_regular_graph_keeps_the_mean(void **state)
{
    (void)state;
    enum { N = 24, REACH = 3 };
    uint64_t random = 7;
    scene at = {.n = N};
    opn_vid source[N * REACH];
    opn_vid target[N * REACH];
    float got[MOST_NODES];
    double before = 0.0;
    double after = 0.0;
    for (int e = 0; e < N * REACH; e++) {
        source[e] = e % N;
        target[e] = (e % N + 1 + e / N) % N; // the next three of a ring
    }
    assert_int_equal(opn_graph_create_edges(ctx, N, (opn_off)N * REACH, source, target,
                                            NULL, &at.graph),
                     OPN_OK);
    draw_values(&at, &random);
    diffuse_by_halves(&at, 11, got);
    for (int i = 0; i < N; i++) {
        before += (double)at.value[i];
        after += (double)got[i];
    }
    assert_true(fabs(before - after) < 1e-4);
    opn_graph_free(at.graph);
}

// ---- failures ------------------------------------------------------------------------

static void a_directed_graph_is_refused(void **state)
{
    (void)state;
    char folder[SUPPORT_PATH];
    char path[SUPPORT_PATH];
    opn_graph *directed = NULL;
    float value[] = {1.0f, 2.0f};
    support_temp_folder(folder);
    support_write_text(support_path(path, folder, "features.csv"), "node,u\na,1\nb,2\n");
    support_write_text(support_path(path, folder, "edges.csv"), "from,to\na,b\n");
    assert_int_equal(opn_graph_load(ctx, folder, NULL, &directed), OPN_OK);
    assert_int_equal(
            opn_graph_diffuse(ctx, directed, &(opn_diffusion){.n_steps = 1}, 1, value),
            OPN_ERR_SHAPE);
    support_expect_error(ctx, "directed");
    assert_true(value[0] == 1.0f && value[1] == 2.0f);
    opn_graph_free(directed);
    support_remove_folder(folder);
}

static void an_interruption_leaves_the_values(void **state)
{
    (void)state;
    const opn_diffusion how = half_steps(5);
    uint64_t random = 8;
    scene at = draw_scene(MOST_NODES, true, &random);
    for (long k = 1; k <= 5; k++) {
        listener heard = {.interrupt_at = k};
        float got[MOST_NODES];
        memcpy(got, at.value, sizeof(got));
        support_listen(ctx, &heard);
        assert_int_equal(opn_graph_diffuse(ctx, at.graph, &how, 1, got),
                         OPN_ERR_INTERRUPTED);
        assert_int_equal(opn_ctx_set_hooks(ctx, NULL), OPN_OK);
        assert_memory_equal(got, at.value, sizeof(got));
    }
    opn_graph_free(at.graph);
}

static void every_allocation_failure_leaves_the_values(void **state)
{
    (void)state;
    const opn_diffusion how = half_steps(2);
    uint64_t random = 9;
    scene at = draw_scene(MOST_NODES, true, &random);
    opn_status status = OPN_ERR_NOMEM;
    long fail_at = 1;
    for (; status != OPN_OK; fail_at++) {
        meter m = {0};
        opn_ctx *own = support_ctx(&m);
        float got[MOST_NODES];
        memcpy(got, at.value, sizeof(got));
        m.n_requests = 0;
        m.fail_at = fail_at;
        status = opn_graph_diffuse(own, at.graph, &how, 1, got);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        if (status != OPN_OK)
            assert_memory_equal(got, at.value, sizeof(got));
        support_ctx_free(own, &m);
    }
    assert_int_equal(fail_at, 5); // three that fail, one that does not
    opn_graph_free(at.graph);
}

// ---- conventions ---------------------------------------------------------------------

static void diffusion_is_that_of_numpy(void **state)
{
    (void)state;
    const struct {
        opn_diffusion how;
        const float *want;
    } cases[] = {
            {{.n_steps = 10, .teleport = 0.1, .missing = (double)NAN}, golden_kept},
            {{.n_steps = 10, .teleport = 0.1, .missing = 1.0}, golden_filled},
            {{.n_steps = 2, .teleport = 0.5, .is_lazy = 1}, golden_lazy},
    };
    opn_graph *graph = NULL;
    assert_int_equal(opn_graph_create_edges(ctx, GOLDEN_NODES, GOLDEN_EDGES,
                                            golden_source, golden_target, golden_weight,
                                            &graph),
                     OPN_OK);
    for (size_t c = 0; c < 3; c++) {
        float got[GOLDEN_NODES];
        memcpy(got, golden_value, sizeof(got));
        assert_int_equal(opn_graph_diffuse(ctx, graph, &cases[c].how, 1, got), OPN_OK);
        for (int i = 0; i < GOLDEN_NODES; i++)
            assert_float_equal(got[i], cases[c].want[i], 1e-6f);
    }
    opn_graph_free(graph);
}

static void diffusion_keeps_a_constant_and_what_a_teleport_of_1_keeps(void **state)
{
    (void)state;
    uint64_t random = 11;
    scene at = draw_scene(MOST_NODES, true, &random);
    float got[MOST_NODES];
    diffuse(&at, (opn_diffusion){.n_steps = 9, .teleport = 1.0, .missing = 5.0}, got);
    assert_memory_equal(got, at.value, sizeof(got));
    diffuse(&at, (opn_diffusion){.n_steps = 0, .teleport = 0.1, .missing = 5.0}, got);
    assert_memory_equal(got, at.value, sizeof(got));
    for (int i = 0; i < at.n; i++)
        at.value[i] = 0.3f;
    diffuse(&at, (opn_diffusion){.n_steps = 30, .teleport = 0.1, .missing = (double)NAN},
            got);
    assert_memory_equal(got, at.value, sizeof(got));
    opn_graph_free(at.graph);
}

static void isolated_nodes_keep_their_value_or_see_the_missing_one(void **state)
{
    (void)state;
    uint64_t random = 12;
    scene at = draw_scene(MOST_NODES, false, &random);
    float kept[MOST_NODES];
    float filled[MOST_NODES];
    float halved[MOST_NODES];
    diffuse(&at, (opn_diffusion){.n_steps = 4, .teleport = 0.25, .missing = (double)NAN},
            kept);
    diffuse(&at, (opn_diffusion){.n_steps = 4, .teleport = 0.25, .missing = 16.0},
            filled);
    diffuse(&at, (opn_diffusion){.n_steps = 2, .teleport = 0.5, .is_lazy = 1}, halved);
    for (int i = 0; i < at.n; i += 7) {
        assert_true(kept[i] == at.value[i]);
        assert_float_equal(filled[i], 0.25f * at.value[i] + 12.0f, 1e-6f);
        assert_float_equal(halved[i], 0.25f * at.value[i], 1e-6f); // as GNNSafe has it
    }
    // Nodes with neighbours see nothing of it.
    for (int i = 0; i < at.n; i++) {
        double degree = 0.0;
        for (int j = 0; j < at.n; j++)
            degree += at.weight[i][j];
        assert_int_equal(kept[i] == filled[i], degree > 0.0);
    }
    opn_graph_free(at.graph);
}

static void columns_are_diffused_each_on_its_own(void **state)
{
    (void)state;
    enum { COLUMNS = 3 };
    const opn_diffusion how = {.n_steps = 5, .teleport = 0.3, .missing = 1.0};
    uint64_t random = 13;
    scene at = draw_scene(MOST_NODES, true, &random);
    float together[MOST_NODES * COLUMNS];
    float alone[COLUMNS][MOST_NODES];
    for (int i = 0; i < at.n; i++)
        for (int k = 0; k < COLUMNS; k++)
            alone[k][i] = together[i * COLUMNS + k] =
                    at.value[i] * (float)(k + 1) - (float)k;
    assert_int_equal(opn_graph_diffuse(ctx, at.graph, &how, COLUMNS, together), OPN_OK);
    for (int k = 0; k < COLUMNS; k++) {
        assert_int_equal(opn_graph_diffuse(ctx, at.graph, &how, 1, alone[k]), OPN_OK);
        for (int i = 0; i < at.n; i++)
            assert_true(together[i * COLUMNS + k] == alone[k][i]);
    }
    opn_graph_free(at.graph);
}

static void diffused_bits_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    enum { N = 20000 }; // enough for four threads
    const opn_diffusion how = {.n_steps = 6, .teleport = 0.1, .missing = 1.0};
    opn_vid *source = malloc(2 * sizeof(*source) * N);
    opn_vid *target = malloc(2 * sizeof(*target) * N);
    float *value[2] = {malloc(N * sizeof(float)), malloc(N * sizeof(float))};
    opn_graph *graph = NULL;
    uint64_t random = 14;
    assert_true(source != NULL && target != NULL && value[0] != NULL && value[1] != NULL);
    for (int e = 0; e < 2 * N; e++) {
        source[e] = (opn_vid)below(&random, N);
        target[e] = (opn_vid)(((uint32_t)source[e] + 1 + below(&random, N - 1)) % N);
    }
    assert_int_equal(
            opn_graph_create_edges(ctx, N, (opn_off)2 * N, source, target, NULL, &graph),
            OPN_OK);
    for (int n_threads = 1; n_threads <= 4; n_threads++) {
        uint64_t again = 15;
        float *now = value[n_threads > 1];
        for (int i = 0; i < N; i++)
            now[i] = (float)below(&again, 1000) / 1000.0f;
        assert_int_equal(opn_ctx_set_threads(ctx, n_threads), OPN_OK);
        assert_int_equal(opn_graph_diffuse(ctx, graph, &how, 1, now), OPN_OK);
        assert_memory_equal(now, value[0], N * sizeof(float));
    }
    opn_graph_free(graph);
    free(source);
    free(target);
    free(value[0]);
    free(value[1]);
}

static void diffusion_that_cannot_be_is_refused(void **state)
{
    (void)state;
    const struct {
        opn_diffusion how;
        const char *reason;
    } cases[] = {{{.n_steps = -1, .teleport = 0.1}, "-1 steps"},
                 {{.n_steps = 1, .teleport = 1.5}, "a teleport of 1.5"},
                 {{.n_steps = 1, .teleport = (double)NAN}, "a teleport of"},
                 {{.n_steps = 1, .missing = (double)INFINITY}, "infinite"}};
    uint64_t random = 16;
    scene at = draw_scene(MOST_NODES, true, &random);
    float got[MOST_NODES];
    memcpy(got, at.value, sizeof(got));
    for (size_t c = 0; c < 4; c++) {
        assert_int_equal(opn_graph_diffuse(ctx, at.graph, &cases[c].how, 1, got),
                         OPN_ERR_INVALID_ARG);
        support_expect_error(ctx, cases[c].reason);
    }
    assert_memory_equal(got, at.value, sizeof(got));
    opn_graph_free(at.graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(a_lazy_step_is_half_the_node_and_half_the_weighted_mean_around_it),
            WITH_CTX(two_calls_of_one_step_are_nearly_one_call_of_two),
            WITH_CTX(an_isolated_node_keeps_its_value),
            WITH_CTX(no_steps_change_no_bit),
            WITH_CTX(a_constant_stays_what_it_is),
            WITH_CTX(values_stay_between_the_least_and_the_most),
            WITH_CTX(a_regular_graph_keeps_the_mean),
            WITH_CTX(a_directed_graph_is_refused),
            WITH_CTX(an_interruption_leaves_the_values),
            WITH_CTX(every_allocation_failure_leaves_the_values),
            WITH_CTX(diffusion_is_that_of_numpy),
            WITH_CTX(diffusion_keeps_a_constant_and_what_a_teleport_of_1_keeps),
            WITH_CTX(isolated_nodes_keep_their_value_or_see_the_missing_one),
            WITH_CTX(columns_are_diffused_each_on_its_own),
            WITH_CTX(diffused_bits_do_not_depend_on_the_threads),
            WITH_CTX(diffusion_that_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
