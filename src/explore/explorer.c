// explorer.c -- loads what is explored, serves it, and does the long tasks.

#include "experiment/report_run.h"
#include "explore/explorer_data.h"
#include "io/json_write.h"
#include "report/page.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void opn_i_what_if_deinit(const opn_alloc *alloc, opn_i_what_if *what_if)
{
    opn_i_release(alloc, what_if->edit);
    opn_model_free(what_if->model);
    opn_i_release(alloc, what_if->text);
    *what_if = (opn_i_what_if){0};
}

void opn_explorer_free(opn_explorer *explorer)
{
    if (explorer == NULL)
        return;
    const opn_alloc alloc = explorer->alloc;
    opn_i_http_server_stop(explorer->server); // before what it answers from
    opn_i_worker_free(explorer->worker);
    for (int32_t v = 0; v < explorer->n_explored; v++) {
        opn_split_free(explorer->explored[v].split);
        opn_model_free(explorer->explored[v].model);
    }
    opn_i_what_if_deinit(&alloc, &explorer->wanted);
    opn_i_what_if_deinit(&alloc, &explorer->done);
    opn_i_names_deinit(&alloc, &explorer->nodes);
    opn_i_release(&alloc, explorer->node_of);
    opn_i_release(&alloc, explorer->page);
    opn_report_free(explorer->report);
    opn_params_free(explorer->params);
    (void)pthread_mutex_destroy(&explorer->lock);
    opn_i_release(&alloc, explorer);
}

// ---- the page ------------------------------------------------------------------------

// What the page may ask for: the models that it can train, and of which of its own it can
// ask what-if.
static opn_status describe_live(opn_ctx *ctx, const opn_explorer *x, json_t **out)
{
    opn_status status = OPN_OK;
    const opn_param *models = opn_param_find("model");
    json_t *live = json_object();
    json_t *kinds = json_array();
    json_t *what_if = json_array();
    opn_i_json_set(live, "models", kinds);
    opn_i_json_set(live, "what_if", what_if);
    for (const char *at = models->choices; *at != 0;) {
        const size_t n = strcspn(at, "|");
        opn_i_json_append(kinds, json_stringn(at, n));
        at += n + (at[n] == '|');
    }
    for (int32_t v = 0; v < x->n_explored; v++)
        opn_i_json_append(what_if, json_boolean(x->explored[v].split != NULL));
    opn_i_json_set(live, "max_models", json_integer(OPN_MAX_VIEWS));
    OPN_FAIL_IF(ctx, opn_i_json_is_short(), OPN_ERR_NOMEM, "out of memory for the page");
    *out = json_incref(live);
cleanup:
    json_decref(live);
    return status;
}

// Makes the page anew.
static opn_status draw_page(opn_ctx *ctx, opn_explorer *x)
{
    opn_status status = OPN_OK;
    opn_i_text text = {.ctx = ctx};
    char *page = NULL;
    json_decref(x->report->live);
    x->report->live = NULL;
    OPN_TRY(describe_live(ctx, x, &x->report->live));
    OPN_TRY(opn_i_report_text(ctx, x->report, &text));
    const size_t n = text.n;
    OPN_TRY(opn_i_text_take(&text, &page));
    (void)pthread_mutex_lock(&x->lock);
    char *old = x->page;
    x->page = page;
    x->n_page = n;
    (void)pthread_mutex_unlock(&x->lock);
    opn_i_release(&ctx->alloc, old);
cleanup:
    opn_i_text_free(&text);
    return status;
}

// Adds a model, which is taken over on success, to the page and to what is explored.
static opn_status show_model(opn_ctx *ctx, opn_explorer *x, opn_model *model)
{
    opn_status status = OPN_OK;
    const opn_model *here = NULL;
    opn_split *split = NULL;
    OPN_TRY(opn_model_for_graph(ctx, model, x->graph, &here));
    OPN_TRY(opn_model_split(ctx, here, x->graph, &split));
    OPN_TRY(opn_report_add_model(ctx, x->report, model, x->params));
    (void)pthread_mutex_lock(&x->lock);
    x->explored[x->n_explored++] = (opn_i_explored){model, split};
    (void)pthread_mutex_unlock(&x->lock);
    split = NULL;
cleanup:
    opn_split_free(split);
    return status;
}

// ---- loading -------------------------------------------------------------------------

static opn_status index_nodes(opn_ctx *ctx, opn_explorer *x)
{
    opn_status status = OPN_OK;
    char number[12];
    OPN_TRY_NEW(ctx, x->node_of, opn_graph_n_nodes(x->graph));
    for (opn_vid i = 0; i < opn_graph_n_nodes(x->graph); i++) {
        const char *name = opn_graph_node_name(x->graph, i, number);
        const int64_t n = x->nodes.n;
        int32_t at = 0;
        OPN_TRY(opn_i_names_intern(ctx, &x->nodes, name, strlen(name), &at));
        if (at == n) // of nodes with the same name the first has it
            x->node_of[at] = i;
    }
cleanup:
    return status;
}

static opn_status
load_parts(opn_ctx *ctx, const char *path, const char *data, opn_explorer *x)
{
    opn_status status = OPN_OK;
    opn_model *model = NULL;
    opn_graph *graph = NULL;
    OPN_TRY(opn_model_load(ctx, path, &model));
    OPN_TRY(opn_i_report_graph(ctx, path, model, data, x->params, &graph));
    OPN_TRY(opn_i_report_new(ctx, opn_graph_name(graph), graph, &x->report));
    x->report->own_graph = graph;
    x->graph = graph;
    graph = NULL;
    OPN_TRY(opn_i_report_tell_source(ctx, x->report,
                                     data != NULL ? data : opn_model_source(model)));
    OPN_TRY(show_model(ctx, x, model));
    model = NULL;
    OPN_TRY(opn_i_report_tell_file(ctx, x->report, path));
    OPN_TRY(index_nodes(ctx, x));
    OPN_TRY(draw_page(ctx, x));
cleanup:
    opn_graph_free(graph);
    opn_model_free(model);
    return status;
}

opn_status opn_explorer_load(opn_ctx *ctx,
                             const char *model,
                             const char *data,
                             const opn_params *params,
                             opn_explorer **out)
{
    OPN_REJECT_NULL(ctx, model, params, out);
    opn_status status = OPN_OK;
    opn_explorer *x = NULL;
    opn_i_text nothing = {.ctx = ctx};
    if (!opn_report_is_supported()) // before doing work in vain
        return opn_i_report_text(ctx, NULL, &nothing);
    OPN_TRY(opn_i_http_server_check(ctx));
    OPN_TRY_NEW(ctx, x, 1);
    x->alloc = ctx->alloc;
    (void)pthread_mutex_init(&x->lock, NULL);
    OPN_TRY(opn_params_copy(ctx, params, &x->params));
    OPN_TRY(opn_i_worker_create(ctx, opn_ctx_threads(ctx), &x->worker));
    OPN_TRY(load_parts(ctx, model, data, x));
    *out = x;
    x = NULL;
cleanup:
    opn_explorer_free(x);
    return status;
}

// ---- long tasks ----------------------------------------------------------------------

opn_status opn_i_explorer_what_if(opn_ctx *ctx, void *user)
{
    opn_status status = OPN_OK;
    opn_explorer *x = user;
    opn_i_what_if *wanted = &x->wanted;
    const opn_i_explored *of = &x->explored[wanted->view];
    opn_graph *edited = NULL;
    opn_i_text text = {.ctx = ctx};
    OPN_TRY(opn_i_edit_graph(ctx, of->model, x->graph, of->split, wanted->edit,
                             wanted->n_edits, &edited));
    OPN_TRY(opn_i_train_alike(ctx, of->model, x->graph, of->split, edited,
                              &wanted->model));
    OPN_TRY(opn_i_view_text(ctx, wanted->model, edited, x->params, &text));
    wanted->n_text = text.n;
    OPN_TRY(opn_i_text_take(&text, &wanted->text));
    (void)pthread_mutex_lock(&x->lock);
    opn_i_what_if old = x->done;
    x->done = *wanted;
    (void)pthread_mutex_unlock(&x->lock);
    *wanted = (opn_i_what_if){0};
    opn_i_what_if_deinit(&ctx->alloc, &old);
cleanup:
    opn_i_text_free(&text);
    opn_graph_free(edited);
    return status;
}

// Trains as `opine train` does, for the task of the first model. Errors: those of
// opn_model_train().
static opn_status train_model(opn_ctx *ctx, const opn_explorer *x, opn_model **out)
{
    opn_status status = OPN_OK;
    const opn_model *first = x->explored[0].model;
    opn_params *params = NULL;
    opn_split *split = NULL;
    opn_model *model = NULL;
    char seed[24];
    snprintf(seed, sizeof(seed), "%lld", (long long)x->wanted_seed);
    OPN_TRY(opn_params_create(ctx, &params));
    OPN_TRY(opn_params_set(ctx, params, "model", x->wanted_model));
    OPN_TRY(opn_params_set(ctx, params, "seed", seed));
    OPN_TRY(opn_params_set(ctx, params, "task", opn_model_param(first, "task")));
    OPN_TRY(opn_params_set(ctx, params, "ood_classes",
                           opn_model_param(first, "ood_classes")));
    OPN_TRY(opn_params_set(ctx, params, "label",
                           opn_params_given(x->params, "label")
                                   ? opn_params_text(x->params, "label")
                                   : opn_model_param(first, "label")));
    OPN_TRY(opn_params_check_models(ctx, params, false));
    OPN_TRY(opn_params_use_preset(ctx, x->graph, params));
    OPN_TRY(opn_split_from_params(ctx, x->graph, params, &split));
    OPN_TRY(opn_model_train(ctx, x->graph, split, params, NULL, &model));
    if (strcmp(opn_params_text(params, "preset"), "auto") == 0)
        OPN_TRY(opn_model_review(ctx, x->graph, split, params, model));
    OPN_TRY(opn_model_calibrate(ctx, x->graph, split, params, model));
    *out = model;
    model = NULL;
cleanup:
    opn_model_free(model);
    opn_split_free(split);
    opn_params_free(params);
    return status;
}

opn_status opn_i_explorer_train(opn_ctx *ctx, void *user)
{
    opn_status status = OPN_OK;
    opn_explorer *x = user;
    opn_model *model = NULL;
    OPN_TRY(train_model(ctx, x, &model));
    OPN_TRY(show_model(ctx, x, model));
    model = NULL;
    OPN_TRY(draw_page(ctx, x));
cleanup:
    opn_model_free(model);
    return status;
}

// ---- serving -------------------------------------------------------------------------

opn_status opn_explorer_serve(opn_ctx *ctx, opn_explorer *explorer, const char *listen)
{
    OPN_REJECT_NULL(ctx, explorer, listen);
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, explorer->server != NULL, OPN_ERR_INVALID_ARG,
                "it is served already");
    OPN_TRY(opn_i_gate_init(ctx, listen, &explorer->gate));
    OPN_TRY(opn_i_http_server_start(ctx, &explorer->gate, opn_i_explorer_answer, explorer,
                                    &explorer->server));
    if (opn_i_gate_is_public(&explorer->gate))
        opn_i_log(ctx, OPN_LOG_WARNING,
                  "other machines can reach %s:%d: whoever learns the address reads the "
                  "graph, and nothing on the way is encrypted",
                  explorer->gate.host, explorer->gate.port);
    OPN_FAIL_IF(ctx,
                !opn_i_gate_address(&explorer->gate, explorer->address,
                                    sizeof(explorer->address)),
                OPN_ERR_INTERNAL, "the address is too long");
cleanup:
    return status;
}

const char *opn_explorer_address(const opn_explorer *explorer)
{
    OPN_RETURN_IF_NULL(explorer, "");
    return explorer->address;
}

opn_status opn_explorer_wait(opn_ctx *ctx, opn_explorer *explorer)
{
    OPN_REJECT_NULL(ctx, explorer);
    opn_status status = OPN_OK;
    const struct timespec look = {.tv_nsec = 50000000};
    OPN_FAIL_IF(ctx, explorer->server == NULL, OPN_ERR_INVALID_ARG, "it is not served");
    while (status == OPN_OK) {
        (void)nanosleep(&look, NULL);
        opn_i_http_server_sweep(explorer->server);
        status = opn_i_go_on(ctx, "serving the page");
    }
    opn_i_worker_cancel(explorer->worker);
    opn_i_http_server_stop(explorer->server);
    explorer->server = NULL;
    opn_i_worker_wait(explorer->worker);
cleanup:
    return status;
}
