// encoder_claims.c -- what must hold of a network whatever its encoder.

#include "support/encoder_claims.h"
#include "golden/gat_golden.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- gradients -----------------------------------------------------------------------

opn_i_objective encoder_objective(const network *net, int which)
{
    opn_i_objective objective = network_objective(
            net, which == 0 ? GOLDEN_OBJECTIVE_GCN : GOLDEN_OBJECTIVE_S_BGCN_T_K);
    objective.teacher_epochs = GOLDEN_GAT_RAMP;
    return objective;
}

double encoder_decay(int which)
{
    return which == 0 ? 0.0 : golden_weight_decay;
}

void encoder_gradient(network *net,
                      const opn_i_objective *objective,
                      int32_t epoch,
                      opn_i_rates rates,
                      double decay)
{
    int64_t n_bounded = 0;
    opn_i_network_forward_drawn(&net->exec, &net->gcn, net->weights, rates, true);
    opn_i_objective_gradient(&net->exec, objective, epoch, net->gcn.z, net->gcn.d_z,
                             &n_bounded);
    memset(net->d_weights, 0xff, net->gcn.n_weights * sizeof(*net->d_weights));
    opn_i_network_backward(&net->exec, &net->gcn, net->weights, net->d_weights);
    for (size_t j = 0; j < net->gcn.n_decayed; j++)
        net->d_weights[j] += (opn_real)decay * net->weights[j];
}

double encoder_loss(const network *net,
                    const opn_i_objective *objective,
                    int32_t epoch,
                    double decay)
{
    const opn_i_loss_terms terms = opn_i_objective_terms(objective, epoch, net->gcn.z);
    double norm = 0.0;
    for (size_t j = 0; j < net->gcn.n_decayed; j++)
        norm += (double)net->weights[j] * (double)net->weights[j];
    return terms.supervised + terms.prior + terms.teacher + 0.5 * decay * norm;
}

// Four points, since dropout raises what it keeps, and with it the third derivative. A
// step in double is so short that no kink is within it.
static void expect_difference(network *net,
                              const opn_i_objective *objective,
                              opn_i_rates rates,
                              double decay,
                              opn_real *weight,
                              double got)
{
    static const int step[] = {1, -1, 2, -2};
    static const double factor[] = {8.0, -8.0, -1.0, 1.0};
    const double h = by_build(0x1p-9, 1e-6);
    const opn_real old = *weight;
    double difference = 0.0;
    for (int s = 0; s < 4; s++) {
        *weight = (opn_real)((double)old + step[s] * h);
        opn_i_network_forward_drawn(&net->exec, &net->gcn, net->weights, rates, false);
        difference += factor[s] * encoder_loss(net, objective, GOLDEN_GAT_EPOCH, decay) /
                      (12.0 * h);
    }
    *weight = old;
    // In single precision steps are so long that a unit may become active within them.
    expect_close(got, difference, by_build(1e-1, 1e-7), by_build(0.2, 0.1));
}

void claim_differences(network *net, opn_i_rates rates)
{
    const opn_i_network *gcn = &net->gcn;
    opn_real *slope = calloc(gcn->n_weights, sizeof(*slope));
    assert_non_null(slope);
    for (int c = 0; c < N_GOLDEN_OBJECTIVES; c++) {
        const opn_i_objective objective = encoder_objective(net, c);
        encoder_gradient(net, &objective, GOLDEN_GAT_EPOCH, rates, encoder_decay(c));
        memcpy(slope, net->d_weights, gcn->n_weights * sizeof(*slope));
        for (int m = 0; m < gcn->n_matrices; m++) {
            const opn_i_weight *w = &gcn->weight[m];
            for (int32_t j = 0; j < w->n_rows * w->n_cols; j++) {
                opn_real *d = slope + opn_i_weight_place(w, j / w->n_cols, j % w->n_cols);
                expect_difference(net, &objective, rates, encoder_decay(c),
                                  net->weights + (d - slope), (double)*d);
                *d = 0;
            }
        }
        for (size_t j = 0; j < gcn->n_weights; j++)
            assert_true(slope[j] == 0); // what is left of it is padding
    }
    free(slope);
}

void claim_adam(
        network *net, int32_t epoch, opn_i_rates rates, int n_steps, const double *loss)
{
    const opn_i_objective objective = encoder_objective(net, 1);
    const double decay = encoder_decay(1);
    const size_t n = net->gcn.n_weights;
    opn_real *moments = calloc(2 * n, sizeof(*moments));
    assert_non_null(moments);
    for (int t = 1; t <= n_steps; t++) {
        const double root = sqrt(1.0 - pow(0.999, t));
        encoder_gradient(net, &objective, epoch, rates, decay);
        expect_close(encoder_loss(net, &objective, epoch, decay), loss[t - 1],
                     by_build(1e-5, 1e-12), 1.0);
        net->exec.kernels->adam(n, (opn_real)(0.01 * root / (1.0 - pow(0.9, t))),
                                (opn_real)(1e-8 * root), 0, net->weights, moments,
                                moments + n, net->d_weights);
    }
    free(moments);
}

// ---- invariants ----------------------------------------------------------------------

void claim_permutation(network *net)
{
    const opn_i_network *gcn = &net->gcn;
    const int32_t width = gcn->class_width;
    int32_t *to = calloc((size_t)gcn->n_nodes, sizeof(*to));
    uint64_t random = 2;
    assert_non_null(to);
    opn_i_network_forward(&net->exec, &net->gcn, net->weights);
    for (int round = 0; round < 5; round++) {
        network other;
        for (int32_t i = 0; i < gcn->n_nodes; i++) { // Fisher-Yates from inside out
            const int32_t j = (int32_t)below(&random, (uint32_t)i + 1);
            to[i] = to[j];
            to[j] = i;
        }
        network_init_permuted(net, to, &other);
        opn_i_network_forward(&net->exec, &other.gcn, net->weights);
        for (int32_t i = 0; i < gcn->n_nodes; i++)
            for (int32_t k = 0; k < width; k++)
                expect_close((double)other.gcn.z[to[i] * width + k],
                             (double)gcn->z[i * width + k], by_build(2e-6, 1e-14), 1.0);
        network_deinit(&other);
    }
    free(to);
}

// A copy of the logits and of the gradient, to be freed.
typedef struct results {
    size_t n_z, n_weights;
    opn_real *z, *d_weights;
} results;

static opn_real *copy_of(const opn_real *x, size_t n)
{
    opn_real *copy = malloc((n + 1) * sizeof(*copy));
    assert_non_null(copy);
    memcpy(copy, x, n * sizeof(*copy));
    return copy;
}

static results run_both_ways(network *net, opn_i_rates rates)
{
    const opn_i_network *gcn = &net->gcn;
    const size_t n_z = (size_t)gcn->n_nodes * (size_t)gcn->class_width;
    uint64_t random = 7;
    draw_rows(&random, gcn->n_nodes, gcn->sizes.n_classes, gcn->class_width, -1.0, 1.0,
              gcn->d_z);
    opn_i_network_draw(&net->exec, &net->gcn, 9, &student_streams, 1, rates);
    opn_i_network_forward_drawn(&net->exec, &net->gcn, net->weights, rates, true);
    opn_i_network_backward(&net->exec, &net->gcn, net->weights, net->d_weights);
    return (results){n_z, gcn->n_weights, copy_of(gcn->z, n_z),
                     copy_of(net->d_weights, gcn->n_weights)};
}

static void free_results(results *some)
{
    free(some->z);
    free(some->d_weights);
}

void claim_bits(network *net, opn_i_rates rates)
{
    results first = {0};
    for (int t = 0; t < N_THREAD_COUNTS; t++) {
        net->exec.n_threads = thread_counts[t];
        results other = run_both_ways(net, rates);
        if (t == 0) {
            first = other;
            continue;
        }
        assert_memory_equal(other.z, first.z, first.n_z * sizeof(*first.z));
        assert_memory_equal(other.d_weights, first.d_weights,
                            first.n_weights * sizeof(*first.d_weights));
        free_results(&other);
    }
    free_results(&first);
}

void claim_tables(network *net)
{
    const opn_i_rates rates = {0.4, 0.3};
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    net->exec.kernels = table[0];
    results plain = run_both_ways(net, rates);
    net->exec.kernels = table[n_tables - 1];
    results fast = run_both_ways(net, rates);
    for (size_t j = 0; j < plain.n_z; j++)
        expect_close((double)fast.z[j], (double)plain.z[j], by_build(2e-6, 1e-14), 1.0);
    for (size_t j = 0; j < plain.n_weights; j++)
        expect_close((double)fast.d_weights[j], (double)plain.d_weights[j],
                     by_build(1e-5, 1e-13), 1.0);
    free_results(&plain);
    free_results(&fast);
}

// ---- memory --------------------------------------------------------------------------

// A network on the graph of another, of which the fail_at-th allocation fails; 0: none.
static opn_status
try_init(const network *net, const network_kind *kind, long fail_at, meter *m)
{
    opn_ctx *other = support_ctx(m);
    const meter before = *m;
    opn_i_network made = {0};
    opn_i_feature_matrix features = net->features;
    const opn_i_sizes sizes = {0, net->gcn.sizes.n_hidden, net->gcn.sizes.n_classes,
                               kind->n_heads, kind->n_out_heads};
    m->fail_at = fail_at > 0 ? m->n_requests + fail_at : 0;
    const opn_status status = opn_i_network_init(other, kind->encoder, &sizes,
                                                 &net->gcn.reach, NULL, &features, &made);
    assert_true((status == OPN_OK) == (made.layers != NULL));
    opn_i_network_deinit(&other->alloc, &made);
    support_ctx_free(other, m);
    m->n_requests -= before.n_requests;
    m->n_bytes -= before.n_bytes;
    return status;
}

size_t encoder_bytes(const network *net, const network_kind *kind)
{
    meter m = {0};
    assert_int_equal(try_init(net, kind, 0, &m), OPN_OK);
    return m.n_bytes;
}

void claim_memory(network *net)
{
    const network_kind kind = network_kind_of(net);
    const meter *of_net = net->ctx->alloc.user;
    const long n_before = of_net->n_requests;
    meter m = {0};
    results some = run_both_ways(net, (opn_i_rates){0.5, 0.2});
    free_results(&some);
    assert_int_equal(of_net->n_requests, n_before);
    assert_int_equal(try_init(net, &kind, 0, &m), OPN_OK);
    const long n_requests = m.n_requests;
    for (long n = 1; n <= n_requests; n++) {
        m = (meter){0};
        assert_int_equal(try_init(net, &kind, n, &m), OPN_ERR_NOMEM);
    }
}
