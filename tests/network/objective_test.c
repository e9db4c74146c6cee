// objective_test.c -- heads and losses: golden values, golden gradients, differences,
// logits far out.

#include "support/cmocka_test.h"
#include "support/sample_network.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opn_ctx *ctx;

enum { EPOCH_WHOLE = 1000 }; // lambda2 is 1

static const opn_i_evidence_kind evidences[] = {OPN_EVIDENCE_EXP, OPN_EVIDENCE_RELU,
                                                OPN_EVIDENCE_SOFTPLUS, OPN_EVIDENCE_ELU};

// Room for d_z of a network.
static opn_real *new_rows(const opn_i_objective *objective)
{
    opn_real *rows = calloc((size_t)objective->n_nodes * (size_t)objective->width + 1,
                            sizeof(*rows));
    assert_non_null(rows);
    return rows;
}

static void set_logits(const network *net, const double *z)
{
    for (int32_t i = 0; i < net->gcn.n_nodes; i++)
        for (int32_t k = 0; k < net->gcn.sizes.n_classes; k++)
            net->gcn.z[i * net->gcn.class_width + k] =
                    (opn_real)z[i * net->gcn.sizes.n_classes + k];
}

// ---- one term at a time --------------------------------------------------------------

static int32_t nobody[GOLDEN_V]; // targets without a training node

static int set_nobody(void **state)
{
    (void)state;
    for (int32_t i = 0; i < GOLDEN_V; i++)
        nobody[i] = -1;
    return 0;
}

static opn_i_objective only_supervised(const network *net, int term)
{
    opn_i_objective objective = network_objective(net, GOLDEN_OBJECTIVE_S_GCN);
    if (term == GOLDEN_TERM_CROSS_ENTROPY)
        objective.head = &opn_i_softmax_head;
    else if (term == GOLDEN_TERM_DPN)
        objective.head = &opn_i_dirichlet_head;
    else
        objective.evidence = evidences[term - GOLDEN_TERM_SQUARED_EXP];
    return objective;
}

static opn_i_objective only_prior(const network *net, opn_i_evidence_kind evidence)
{
    opn_i_objective objective = network_objective(net, GOLDEN_OBJECTIVE_S_BGCN_T_K);
    objective.evidence = evidence;
    objective.target = nobody;
    objective.log_teacher = NULL;
    objective.lambda1 = 1.0;
    return objective;
}

static opn_i_objective only_teacher(const network *net, opn_i_evidence_kind evidence)
{
    opn_i_objective objective = network_objective(net, GOLDEN_OBJECTIVE_S_BGCN_T);
    objective.evidence = evidence;
    objective.target = nobody;
    return objective;
}

static opn_i_objective only(const network *net, int term)
{
    return term == GOLDEN_TERM_KL        ? only_prior(net, OPN_EVIDENCE_EXP)
           : term == GOLDEN_TERM_TEACHER ? only_teacher(net, OPN_EVIDENCE_EXP)
                                         : only_supervised(net, term);
}

static void expect_term(const network *net,
                        const opn_i_objective *objective,
                        double value,
                        const double *d_z)
{
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    opn_real *got = new_rows(objective);
    for (int t = 0; t < n_tables; t++) {
        const opn_i_exec exec = {.kernels = table[t], .n_threads = 1};
        int64_t n_bounded = 0;
        opn_i_objective_gradient(&exec, objective, EPOCH_WHOLE, net->gcn.z, got,
                                 &n_bounded);
        expect_rows(GOLDEN_V, GOLDEN_K, objective->width, got, d_z, by_build(1e-5, 1e-12),
                    0.05);
        assert_int_equal(n_bounded, 0);
    }
    const opn_i_loss_terms terms =
            opn_i_objective_terms(objective, EPOCH_WHOLE, net->gcn.z);
    expect_close((objective->target == nobody ? 0.0 : terms.supervised) + terms.prior +
                         terms.teacher,
                 value, by_build(2e-6, 1e-12), 1.0);
    free(got);
}

static void each_term_has_the_golden_value_and_gradient(void **state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        const golden_case *golden = &golden_cases[c];
        network net;
        network_init_golden(ctx, golden, &net);
        set_logits(&net, golden->z);
        for (int term = 0; term < GOLDEN_TERM_WEIGHT_DECAY; term++) {
            const opn_i_objective objective = only(&net, term);
            expect_term(&net, &objective, golden->term[term], golden->term_d_z[term]);
        }
        network_deinit(&net);
    }
}

static void prior_and_teacher_are_golden_with_other_evidence_too(void **state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        const golden_case *golden = &golden_cases[c];
        network net;
        network_init_golden(ctx, golden, &net);
        set_logits(&net, golden->z);
        const opn_i_objective objective[] = {
                only_prior(&net, OPN_EVIDENCE_RELU),
                only_prior(&net, OPN_EVIDENCE_SOFTPLUS),
        };
        for (int o = 0; o < 2; o++)
            expect_term(&net, &objective[o], golden->other[GOLDEN_OTHER_KL_RELU + o],
                        golden->other_d_z[GOLDEN_OTHER_KL_RELU + o]);
        const opn_i_objective teacher = only_teacher(&net, OPN_EVIDENCE_ELU);
        expect_term(&net, &teacher, golden->other[GOLDEN_OTHER_TEACHER_ELU],
                    golden->other_d_z[GOLDEN_OTHER_TEACHER_ELU]);
        network_deinit(&net);
    }
}

// The whole loss of each model at the golden epoch, without the decay of weights.
static void the_terms_of_each_model_add_up_to_the_golden_loss(void **state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        const golden_case *golden = &golden_cases[c];
        network net;
        network_init_golden(ctx, golden, &net);
        set_logits(&net, golden->z);
        for (int m = 0; m < GOLDEN_N_OBJECTIVES; m++) {
            const opn_i_objective objective = network_objective(&net, m);
            const opn_i_loss_terms terms =
                    opn_i_objective_terms(&objective, GOLDEN_EPOCH, net.gcn.z);
            expect_close(terms.supervised + terms.prior + terms.teacher +
                                 golden->term[GOLDEN_TERM_WEIGHT_DECAY],
                         golden->objective[m], by_build(2e-6, 1e-12), 1.0);
            assert_true(terms.decay == 0.0);
            assert_true((terms.prior != 0.0) == (objective.prior != NULL));
            assert_true((terms.teacher != 0.0) == (objective.log_teacher != NULL));
        }
        network_deinit(&net);
    }
}

static void validation_has_the_golden_supervised_term(void **state)
{
    (void)state;
    for (int c = 0; c < 2; c++) {
        const golden_case *golden = &golden_cases[c];
        network net;
        network_init_golden(ctx, golden, &net);
        set_logits(&net, golden->z_eval);
        int n_right = 0;
        for (int l = 0; l < GOLDEN_N_VALID; l++) {
            const double *z = golden->z_eval + GOLDEN_K * golden_validation[l];
            const int best = z[0] > z[1] ? (z[0] > z[2] ? 0 : 2) : (z[1] > z[2] ? 1 : 2);
            n_right += best == golden_label[golden_validation[l]];
        }
        for (int kind = 0; kind < 5; kind++) {
            opn_i_objective objective = only_supervised(&net, kind);
            // Terms that must not decide when to stop.
            objective.prior = net.prior;
            objective.prior_sum = net.prior_sum;
            objective.log_teacher = net.log_teacher;
            double accuracy = -1.0;
            expect_close(opn_i_objective_supervised(&objective, objective.n_nodes,
                                                    net.validation, net.gcn.z, &accuracy),
                         golden->valid_eval[kind], by_build(2e-6, 1e-12), 1.0);
            expect_close(accuracy, (double)n_right / GOLDEN_N_VALID, 1e-15, 1.0);
        }
        double accuracy = -1.0;
        const opn_i_objective objective = only_supervised(&net, 0);
        assert_true(opn_i_objective_supervised(&objective, objective.n_nodes, nobody,
                                               net.gcn.z, &accuracy) == 0.0);
        assert_true(accuracy == 0.0);
        network_deinit(&net);
    }
}

// ---- differences ---------------------------------------------------------------------

static double loss_at(const opn_i_objective *objective,
                      int32_t epoch,
                      const opn_real *z,
                      bool has_train)
{
    const opn_i_loss_terms terms = opn_i_objective_terms(objective, epoch, z);
    return (has_train ? terms.supervised : 0.0) + terms.prior + terms.teacher;
}

// d_z against central differences of the value, logit by logit.
static void
expect_differences(const opn_i_exec *exec, const opn_i_objective *objective, opn_real *z)
{
    const double h = by_build(0x1p-8, 1e-5);
    const int32_t epoch = 57;
    const bool has_train = objective->target != nobody;
    opn_real *d_z = new_rows(objective);
    int64_t n_bounded = 0;
    opn_i_objective_gradient(exec, objective, epoch, z, d_z, &n_bounded);
    for (int32_t i = 0; i < objective->n_nodes; i++) {
        for (int32_t k = 0; k < objective->n_classes; k++) {
            const int32_t at = i * objective->width + k;
            const opn_real old = z[at];
            z[at] = (opn_real)((double)old + h);
            const double up_at = (double)z[at];
            const double up = loss_at(objective, epoch, z, has_train);
            z[at] = (opn_real)((double)old - h);
            const double down_at = (double)z[at];
            const double down = loss_at(objective, epoch, z, has_train);
            z[at] = old;
            // What rounding leaves of a difference grows with the loss.
            expect_close((double)d_z[at], (up - down) / (up_at - down_at),
                         by_build(2e-3, 1e-8), fmax(0.1, 0.1 * fabs(up)));
        }
    }
    free(d_z);
}

static void gradients_are_the_differences_of_every_loss_with_every_evidence(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    network net;
    network_init_golden(ctx, &golden_cases[1], &net);
    set_logits(&net, golden_cases[1].z); // none is within 0.01 of a kink
    for (int t = 0; t < n_tables; t++) {
        const opn_i_exec exec = {.kernels = table[t], .n_threads = 1};
        for (int m = 0; m < GOLDEN_N_OBJECTIVES; m++) {
            const opn_i_objective objective = network_objective(&net, m);
            expect_differences(&exec, &objective, net.gcn.z);
        }
        for (int e = 0; e < 3; e++) { // with a prior, evidence is never below 0
            opn_i_objective objective =
                    network_objective(&net, GOLDEN_OBJECTIVE_S_BGCN_T_K);
            objective.evidence = evidences[e];
            expect_differences(&exec, &objective, net.gcn.z);
        }
        const opn_i_objective teacher = only_teacher(&net, OPN_EVIDENCE_ELU);
        expect_differences(&exec, &teacher, net.gcn.z);
    }
    network_deinit(&net);
}

// ---- many and few classes ------------------------------------------------------------

static void gradients_are_right_for_two_classes_and_for_three_hundred(void **state)
{
    (void)state;
    static const int32_t n_classes[] = {1, 2, 7, 8, 9, 63, 64, 65, 300};
    enum { NODES = 3, WIDEST = 304 };
    static opn_real z[NODES * WIDEST], prior[NODES * WIDEST], log_teacher[NODES * WIDEST];
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    uint64_t random = 5;
    for (size_t n = 0; n < sizeof(n_classes) / sizeof(n_classes[0]); n++) {
        const int32_t width = opn_i_width(n_classes[n]);
        const int32_t target[NODES] = {n_classes[n] - 1, -1, 0};
        opn_real prior_sum[NODES] = {0};
        draw_rows(&random, NODES, n_classes[n], width, -4.0, 4.0, z);
        draw_rows(&random, NODES, n_classes[n], width, 1.0, 3.0, prior);
        draw_rows(&random, NODES, n_classes[n], width, -8.0, -0.5, log_teacher);
        for (int32_t i = 0; i < NODES; i++)
            for (int32_t k = 0; k < n_classes[n]; k++)
                prior_sum[i] += prior[i * width + k];
        const opn_i_objective objective = {.head = &opn_i_squared_head,
                                           .n_nodes = NODES,
                                           .n_classes = n_classes[n],
                                           .width = width,
                                           .target = target,
                                           .n_train = 2,
                                           .prior = prior,
                                           .prior_sum = prior_sum,
                                           .lambda1 = 0.3,
                                           .log_teacher = log_teacher,
                                           .teacher_epochs = 100.0};
        for (int t = 0; t < n_tables; t++) {
            const opn_i_exec exec = {.kernels = table[t], .n_threads = 1};
            expect_differences(&exec, &objective, z);
        }
    }
}

// ---- logits far out ------------------------------------------------------------------

// Nodes with z = (a, b, 0) for all a and b of a grid.
typedef struct far_out {
    int32_t n_nodes;
    opn_real z[GOLDEN_GRID * GOLDEN_GRID * OPN_LANES];
    opn_real prior[GOLDEN_GRID * GOLDEN_GRID * OPN_LANES];
    opn_real prior_sum[GOLDEN_GRID * GOLDEN_GRID];
    opn_real log_teacher[GOLDEN_GRID * GOLDEN_GRID * OPN_LANES];
    int32_t target[GOLDEN_GRID * GOLDEN_GRID];
} far_out;

static far_out grid;

static opn_i_objective far_objective(int32_t n_a_side, int32_t step, int32_t target)
{
    memset(&grid, 0, sizeof(grid));
    grid.n_nodes = n_a_side * n_a_side;
    for (int32_t i = 0; i < grid.n_nodes; i++) {
        opn_real *z = grid.z + OPN_LANES * i;
        z[0] = (opn_real)(-30 + step * (i / n_a_side));
        z[1] = (opn_real)(-30 + step * (i % n_a_side));
        grid.target[i] = target;
        for (int32_t k = 0; k < 3; k++) {
            grid.prior[OPN_LANES * i + k] = (opn_real)golden_grid_alpha_hat[k];
            grid.prior_sum[i] += (opn_real)golden_grid_alpha_hat[k];
            grid.log_teacher[OPN_LANES * i + k] = (opn_real)golden_coarse_log_teacher[k];
        }
    }
    return (opn_i_objective){.head = &opn_i_squared_head,
                             .n_nodes = grid.n_nodes,
                             .n_classes = 3,
                             .width = OPN_LANES,
                             .target = grid.target,
                             .n_train = 1,
                             .lambda1 = grid.n_nodes,
                             .teacher_epochs = 1.0};
}

static void expect_far(const opn_i_objective *objective,
                       const double *want,
                       double scale,
                       double floor)
{
    static opn_real got[GOLDEN_GRID * GOLDEN_GRID * OPN_LANES];
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    double scaled[GOLDEN_GRID * GOLDEN_GRID * 3];
    for (int32_t j = 0; j < 3 * grid.n_nodes; j++)
        scaled[j] = want[j] * scale;
    for (int t = 0; t < n_tables; t++) {
        const opn_i_exec exec = {.kernels = table[t], .n_threads = 1};
        int64_t n_bounded = 0;
        opn_i_objective_gradient(&exec, objective, EPOCH_WHOLE, grid.z, got, &n_bounded);
        expect_rows(grid.n_nodes, 3, OPN_LANES, got, scaled, by_build(4e-6, 1e-12),
                    floor * scale);
        assert_int_equal(n_bounded, 0);
    }
}

static void the_prior_s_gradient_is_exact_for_logits_from_minus_30_to_45(void **state)
{
    (void)state;
    opn_i_objective objective = far_objective(GOLDEN_GRID, 5, -1);
    objective.prior = grid.prior;
    objective.prior_sum = grid.prior_sum;
    expect_far(&objective, golden_grid_kl_d_z, 1.0, 1e-3);
}

static void the_prior_s_value_is_exact_for_logits_from_minus_30_to_45(void **state)
{
    (void)state;
    for (int32_t i = 0; i < GOLDEN_COARSE * GOLDEN_COARSE; i++) {
        opn_i_objective objective = far_objective(GOLDEN_COARSE, 15, -1);
        objective.n_nodes = 1;
        objective.lambda1 = 1.0;
        objective.prior = grid.prior + OPN_LANES * i;
        objective.prior_sum = grid.prior_sum + i;
        expect_close(opn_i_objective_terms(&objective, 0, grid.z + OPN_LANES * i).prior,
                     golden_coarse_kl[i], by_build(2e-6, 1e-12), 1.0);
    }
}

static void cross_entropy_is_exact_for_logits_from_minus_30_to_45(void **state)
{
    (void)state;
    opn_i_objective objective = far_objective(GOLDEN_COARSE, 15, 0);
    objective.head = &opn_i_softmax_head;
    expect_far(&objective, golden_coarse_cross_entropy_d_z, 1.0, 1.0);
}

static void the_squared_loss_is_exact_for_logits_from_minus_30_to_45(void **state)
{
    (void)state;
    const opn_i_objective objective = far_objective(GOLDEN_COARSE, 15, 0);
    expect_far(&objective, golden_coarse_squared_d_z, 1.0, 1.0);
}

static void the_teacher_s_gradient_is_exact_for_logits_from_minus_30_to_45(void **state)
{
    (void)state;
    opn_i_objective objective = far_objective(GOLDEN_COARSE, 15, -1);
    objective.log_teacher = grid.log_teacher;
    expect_far(&objective, golden_coarse_teacher_d_z, 1.0 / (3.0 * grid.n_nodes), 10.0);
}

static void logits_beyond_the_bound_are_counted_and_harmless(void **state)
{
    (void)state;
    const opn_k_table *table[MOST_TABLES];
    const int n_tables = all_tables(table);
    opn_i_objective objective = far_objective(2, 100, 0); // logits -30 and 70
    objective.prior = grid.prior;
    objective.prior_sum = grid.prior_sum;
    objective.log_teacher = grid.log_teacher;
    grid.z[OPN_LANES + 5] = 1000; // no class
    for (int t = 0; t < n_tables; t++) {
        const opn_i_exec exec = {.kernels = table[t], .n_threads = 1};
        static opn_real d_z[4 * OPN_LANES];
        int64_t n_bounded = 100;
        opn_i_objective_gradient(&exec, &objective, 1, grid.z, d_z, &n_bounded);
        assert_int_equal(n_bounded, 104); // adds to what was there
        for (int j = 0; j < 4 * OPN_LANES; j++)
            assert_true(isfinite(d_z[j]) && (j % OPN_LANES < 3 || d_z[j] == 0));
    }
    assert_true(isfinite(opn_i_objective_terms(&objective, 1, grid.z).prior));
}

// ---- ramp and heads ------------------------------------------------------------------

static void the_teacher_comes_in_slowly_and_stays(void **state)
{
    (void)state;
    network net;
    network_init_golden(ctx, &golden_cases[0], &net);
    set_logits(&net, golden_cases[0].z);
    const opn_i_objective objective = only_teacher(&net, OPN_EVIDENCE_EXP);
    const double whole = golden_cases[0].term[GOLDEN_TERM_TEACHER];
    static const int32_t epoch[] = {0, 1, 50, 199, 200, 201, 100000};
    static const double lambda[] = {0.0, 0.005, 0.25, 0.995, 1.0, 1.0, 1.0};
    opn_real *d_z = new_rows(&objective);
    for (size_t e = 0; e < sizeof(epoch) / sizeof(epoch[0]); e++) {
        double want[GOLDEN_V * GOLDEN_K];
        int64_t n_bounded = 0;
        for (int j = 0; j < GOLDEN_V * GOLDEN_K; j++)
            want[j] = lambda[e] * golden_cases[0].term_d_z[GOLDEN_TERM_TEACHER][j];
        expect_close(opn_i_objective_terms(&objective, epoch[e], net.gcn.z).teacher,
                     lambda[e] * whole, by_build(1e-5, 1e-12), 1e-3);
        opn_i_objective_gradient(&net.exec, &objective, epoch[e], net.gcn.z, d_z,
                                 &n_bounded);
        expect_rows(GOLDEN_V, GOLDEN_K, objective.width, d_z, want, by_build(1e-5, 1e-12),
                    0.01);
    }
    free(d_z);
    network_deinit(&net);
}

static void evidence_is_golden_as_inference_sees_it(void **state)
{
    (void)state;
    opn_real z[GOLDEN_N_EVIDENCE], alpha[GOLDEN_N_EVIDENCE];
    for (int n = 0; n < GOLDEN_N_EVIDENCE; n++)
        z[n] = (opn_real)golden_evidence_z[n];
    for (int e = 0; e < 4; e++) {
        const double *want = golden_evidence + GOLDEN_N_EVIDENCE * (e == 3 ? 4 : e);
        opn_i_alpha_row(evidences[e], GOLDEN_N_EVIDENCE, z, alpha);
        for (int n = 0; n < GOLDEN_N_EVIDENCE; n++)
            expect_close((double)alpha[n], want[n] + 1.0, by_build(2e-7, 1e-14), 1.0);
    }
}

static void softmax_is_right_wherever_the_logits_lie(void **state)
{
    (void)state;
    static const double offsets[] = {0.0, -900.0, 900.0};
    for (int o = 0; o < 3; o++) {
        const double base[] = {0.5, -2.0, 3.25, 3.0};
        opn_real z[4], p[4], log_p[4];
        double sum = 0.0;
        for (int k = 0; k < 4; k++) {
            z[k] = (opn_real)(base[k] + offsets[o]);
            sum += exp(base[k]);
        }
        opn_i_softmax_row(4, z, p);
        opn_i_log_softmax_row(4, z, log_p);
        for (int k = 0; k < 4; k++) {
            expect_close((double)p[k], exp(base[k]) / sum, by_build(5e-7, 1e-12), 0.0);
            expect_close((double)log_p[k], base[k] - log(sum), by_build(5e-7, 1e-12),
                         0.0);
        }
    }
    const opn_real far[] = {300, -300};
    opn_real log_p[2];
    opn_i_log_softmax_row(2, far, log_p); // p itself would be 0
    expect_close((double)log_p[1], -600.0, 1e-7, 1.0);
    opn_i_softmax_row(2, far, log_p); // in place of another row
    assert_true(log_p[0] == 1 && log_p[1] >= 0);
}

// ---- threads -------------------------------------------------------------------------

static void gradients_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t random = 1;
    network net;
    network_init_drawn(ctx, &network_for_threads, 3, &net);
    opn_i_network_forward(&net.exec, &net.gcn, net.weights);
    for (int m = 0; m < GOLDEN_N_OBJECTIVES; m++) {
        const opn_i_objective objective = network_objective(&net, m);
        const size_t n_bytes =
                (size_t)objective.n_nodes * (size_t)objective.width * sizeof(opn_real);
        opn_real *first = new_rows(&objective);
        opn_real *other = new_rows(&objective);
        for (int t = 0; t < N_THREAD_COUNTS; t++) {
            const opn_i_exec exec = {.kernels = net.exec.kernels,
                                     .n_threads = thread_counts[t]};
            int64_t n_bounded = 0;
            draw_rows(&random, objective.n_nodes, objective.n_classes, objective.width,
                      -1.0, 1.0, other); // nothing of it may be left
            opn_i_objective_gradient(&exec, &objective, 57, net.gcn.z,
                                     t == 0 ? first : other, &n_bounded);
            if (t > 0)
                assert_memory_equal(first, other, n_bytes);
        }
        free(first);
        free(other);
    }
    network_deinit(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            WITH_CTX(each_term_has_the_golden_value_and_gradient),
            WITH_CTX(prior_and_teacher_are_golden_with_other_evidence_too),
            WITH_CTX(the_terms_of_each_model_add_up_to_the_golden_loss),
            WITH_CTX(validation_has_the_golden_supervised_term),
            WITH_CTX(gradients_are_the_differences_of_every_loss_with_every_evidence),
            WITH_CTX(gradients_are_right_for_two_classes_and_for_three_hundred),
            WITH_CTX(the_prior_s_gradient_is_exact_for_logits_from_minus_30_to_45),
            WITH_CTX(the_prior_s_value_is_exact_for_logits_from_minus_30_to_45),
            WITH_CTX(cross_entropy_is_exact_for_logits_from_minus_30_to_45),
            WITH_CTX(the_squared_loss_is_exact_for_logits_from_minus_30_to_45),
            WITH_CTX(the_teacher_s_gradient_is_exact_for_logits_from_minus_30_to_45),
            WITH_CTX(logits_beyond_the_bound_are_counted_and_harmless),
            WITH_CTX(the_teacher_comes_in_slowly_and_stays),
            WITH_CTX(evidence_is_golden_as_inference_sees_it),
            WITH_CTX(softmax_is_right_wherever_the_logits_lie),
            WITH_CTX(gradients_have_the_same_bits_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, set_nobody, NULL);
}
