// tuning_scene.c -- a graph to tune on, searches of it, and the settings they draw.

#include "support/tuning_scene.h"

#include "support/cmocka_test.h"
#include "support/trial.h"
#include "tune/tune_space.h"

void tuning_roles(uint8_t role[TUNING_NODES])
{
    for (int i = 0; i < TUNING_NODES; i++)
        role[i] = i % 5 == 0   ? OPN_ROLE_TRAIN
                  : i % 5 == 1 ? OPN_ROLE_VALIDATION
                  : i % 5 == 2 ? OPN_ROLE_POOL
                               : OPN_ROLE_TEST;
}

opn_graph *tuning_graph(opn_ctx *ctx)
{
    uint8_t role[TUNING_NODES];
    opn_graph *graph = trial_draw(ctx, "nodes=120 classes=4 features=20 homophily=0.7");
    tuning_roles(role);
    assert_int_equal(opn_graph_set_roles(ctx, graph, role), OPN_OK);
    return graph;
}

opn_tuning *tuning_run(opn_ctx *ctx, const opn_graph *graph, const char *with)
{
    opn_params *params = trial_paper_params(ctx, with);
    opn_tuning *found = NULL;
    if (opn_tune(ctx, graph, params, "my data", NULL, &found) != OPN_OK)
        fail_msg("%s: %s", with, opn_ctx_error(ctx));
    opn_params_free(params);
    return found;
}

void tuning_draw(opn_ctx *ctx,
                 const opn_graph *graph,
                 const char *with,
                 int32_t n,
                 opn_params **out)
{
    opn_params *given = trial_paper_params(ctx, with);
    opn_params *usual = trial_paper_params(ctx, with);
    const opn_i_model_kind *kind = opn_i_model_kind_find(opn_params_text(given, "model"));
    const opn_i_space space = {given, usual, kind, true};
    assert_int_equal(opn_params_use_preset(ctx, graph, usual), OPN_OK);
    for (int32_t t = 0; t < n; t++)
        assert_int_equal(opn_i_space_draw(ctx, &space, t, &out[t]), OPN_OK);
    opn_params_free(given);
    opn_params_free(usual);
}

void tuning_free_drawn(int n, opn_params **trial)
{
    for (int t = 0; t < n; t++)
        opn_params_free(trial[t]);
}
