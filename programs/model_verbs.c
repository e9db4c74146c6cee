// model_verbs.c -- opine train and opine predict.

#include "command.h"
#include "decide_output.h"
#include "json_output.h"
#include "run_output.h"
#include "style.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- train ---------------------------------------------------------------------------

// Logs the parameters that differ from the defaults, to record how the model was made.
static void tell_parameters(const opine_app *app)
{
    char line[1024] = "";
    size_t n = 0;
    for (size_t i = 0; i < opn_param_count(); i++) {
        const opn_param *param = opn_param_at(i);
        const char *value = opn_params_text(app->params, param->name);
        char name[64];
        if (!(param->affects & OPN_AFFECTS_PREDICTION) || param->kind == OPN_PARAM_FLAG ||
            strcmp(value, param->default_text) == 0)
            continue;
        const int n_put = snprintf(line + n, sizeof(line) - n, " --%s %s",
                                   option_name(param, name), value);
        n += n_put > 0 && (size_t)n_put < sizeof(line) - n ? (size_t)n_put : 0;
    }
    complain("parameters:%s", line[0] != 0 ? line : " all at their defaults");
}

static void
tell_work(const opine_app *app, const opn_graph *graph, const opn_split *split)
{
    if (opn_params_flag(app->params, "quiet"))
        return;
    complain("training %s on %s with seed %s: %d nodes, %d training, %d validation, "
             "%d classes",
             opn_params_text(app->params, "model"), opn_graph_name(graph),
             opn_params_text(app->params, "seed"), (int)opn_graph_n_nodes(graph),
             (int)opn_split_count(split, OPN_ROLE_TRAIN),
             (int)opn_split_count(split, OPN_ROLE_VALIDATION),
             (int)opn_split_n_known(split));
    tell_parameters(app);
}

static int print_summary_as_text(const opn_model *model, const char *path)
{
    opn_train_summary s;
    opn_model_summary(model, &s);
    print_key("model");
    printf("%s\n", opn_model_id(model));
    print_key("file");
    printf("%s\n", path);
    print_key("epochs");
    printf("%d", (int)s.epochs);
    if (s.teacher_epochs > 0)
        printf(", after %d for the teacher", (int)s.teacher_epochs);
    putchar('\n');
    print_key("nodes");
    printf("%d training, %d validation\n", (int)s.n_train, (int)s.n_validation);
    if (s.n_validation > 0) {
        print_key("accuracy");
        printf("%.1f %% of the validation nodes\n", 100.0 * s.validation_accuracy);
    }
    if (s.n_bounded_logits > 0) {
        print_key("bounded");
        printf("%lld logits were too large for exp\n", (long long)s.n_bounded_logits);
    }
    return EXIT_DONE;
}

static int print_summary_as_json(const opn_model *model, const char *path)
{
    opn_train_summary s;
    opn_model_summary(model, &s);
    json_t *document = json_object();
    put_json(document, "model", json_string(opn_model_id(model)));
    put_json(document, "file", json_string(path));
    put_json(document, "epochs", json_integer(s.epochs));
    put_json(document, "teacher_epochs", json_integer(s.teacher_epochs));
    put_json(document, "training_nodes", json_integer(s.n_train));
    put_json(document, "validation_nodes", json_integer(s.n_validation));
    put_json(document, "validation_accuracy", json_number(s.validation_accuracy));
    put_json(document, "bounded_logits", json_integer(s.n_bounded_logits));
    put_json(document, "data_hash", json_string(opn_model_data_hash(model)));
    return print_json(document);
}

// Trains with a checkpoint next to the model file.
static opn_status train(opine_app *app,
                        const opn_graph *graph,
                        const opn_split *split,
                        const char *path,
                        opn_model **out)
{
    const size_t room = strlen(path) + sizeof(".checkpoint");
    char *checkpoint = malloc(room);
    if (checkpoint == NULL)
        return out_of_memory(app);
    snprintf(checkpoint, room, "%s.checkpoint", path);
    if (!opn_params_flag(app->params, "resume"))
        (void)unlink(checkpoint);
    else if (access(checkpoint, F_OK) != 0 && !opn_params_flag(app->params, "quiet"))
        complain("there is no %s to resume from; training starts from "
                 "scratch",
                 checkpoint);
    const opn_status status =
            opn_model_train(app->ctx, graph, split, app->params, checkpoint, out);
    free(checkpoint);
    return status;
}

// Checks, before training, that a model can be written there.
static int check_output(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = strdup(slash == NULL ? "." : path);
    if (folder == NULL) {
        complain("%s", opn_status_name(OPN_ERR_NOMEM));
        return EXIT_FAILED;
    }
    if (slash != NULL)
        folder[slash == path ? 1 : slash - path] = 0;
    const bool is_writable = access(folder, W_OK | X_OK) == 0;
    if (!is_writable)
        complain("%s: cannot be written: %s", path, strerror(errno));
    free(folder);
    return is_writable ? EXIT_DONE : EXIT_FAILED;
}

int run_train(opine_app *app)
{
    opn_graph *graph = NULL;
    opn_split *split = NULL;
    opn_model *model = NULL;
    const char *path = opn_params_text(app->params, "output");
    if (path[0] == 0) {
        complain("train needs -o FILE: where to write the model, m.safetensors for "
                 "example");
        return EXIT_USAGE;
    }
    if (strcmp(path, "-") == 0) {
        complain("train writes the model to a file, not to standard output");
        return EXIT_USAGE;
    }
    const int checked = check_output_file(app, ".safetensors");
    if (checked != EXIT_DONE)
        return checked;
    if (check_output(path) != EXIT_DONE)
        return EXIT_FAILED;
    opn_status status = opn_params_check_models(app->ctx, app->params, false);
    if (status == OPN_OK)
        status = load_checked(app, app->argument[0], &graph);
    if (status == OPN_OK)
        status = opn_params_use_preset(app->ctx, graph, app->params);
    if (status == OPN_OK)
        status = opn_split_from_params(app->ctx, graph, app->params, &split);
    if (status == OPN_OK) {
        tell_work(app, graph, split);
        status = train(app, graph, split, path, &model);
    }
    if (status == OPN_OK)
        status = opn_model_save(app->ctx, model, path);
    terminal_clear();
    const int code = status != OPN_OK ? complain_status(app, status)
                     : opn_params_flag(app->params, "json")
                             ? print_summary_as_json(model, path)
                             : print_summary_as_text(model, path);
    opn_model_free(model);
    opn_split_free(split);
    opn_graph_free(graph);
    return code;
}

// ---- predict -------------------------------------------------------------------------

// Where predictions go: a file, or standard output as CSV or JSON.
static const char *prediction_path(const opine_app *app)
{
    const char *path = opn_params_text(app->params, "output");
    if (path[0] != 0 && strcmp(path, "-") != 0)
        return path;
    return standard_output(app);
}

// Saves the predictions. --json always prints a document; if the nodes go to a file, they
// are null in it. Returns an exit code; on failure a message has been printed.
static int save_prediction(opine_app *app,
                           const opn_model *model,
                           const opn_graph *graph,
                           const opn_split *split,
                           const opn_prediction *prediction)
{
    const char *path = prediction_path(app);
    const opn_status status =
            opn_prediction_save(app->ctx, model, graph, split, prediction, path);
    if (status != OPN_OK)
        return complain_status(app, status);
    const bool is_file = strcmp(path, "-") != 0 && strcmp(path, "-.json") != 0;
    return is_file && opn_params_flag(app->params, "json") ? print_decisions(prediction)
                                                           : EXIT_DONE;
}

// Returns an exit code; on failure a message has been printed.
static int predict(opine_app *app, const opn_model *model, const opn_graph *graph)
{
    opn_prediction *prediction = NULL;
    opn_decisions *decisions = NULL;
    opn_split *split = NULL;
    const bool decides = is_deciding(app);
    opn_status status = opn_model_split(app->ctx, model, graph, &split);
    if (status == OPN_OK && decides)
        status = opn_decide_check(app->ctx, model, graph, split, app->params);
    if (status == OPN_OK)
        status = opn_model_predict(app->ctx, model, graph, app->params, 0, &prediction);
    if (status == OPN_OK && decides)
        status = opn_prediction_decide(app->ctx, model, graph, split, app->params,
                                       prediction, &decisions);
    terminal_clear();
    if (status == OPN_OK && decides)
        tell_decisions(app, decisions);
    const int code = status != OPN_OK
                             ? complain_status(app, status)
                             : save_prediction(app, model, graph, split, prediction);
    opn_decisions_free(decisions);
    opn_prediction_free(prediction);
    opn_split_free(split);
    return code;
}

int run_predict(opine_app *app)
{
    opn_model *model = NULL;
    opn_graph *graph = NULL;
    if (strcmp(app->argument[0], "-") == 0 && strcmp(app->argument[1], "-") == 0) {
        complain("predict reads MODEL or DATA from standard input, not both");
        return EXIT_USAGE;
    }
    const int checked = check_output_file(app, ".csv .json .npz");
    if (checked != EXIT_DONE)
        return checked;
    opn_status status = opn_model_load(app->ctx, app->argument[0], &model);
    if (status == OPN_OK)
        status = opn_graph_load_prepared(app->ctx, app->argument[1], app->params, &graph);
    const int code =
            status == OPN_OK ? predict(app, model, graph) : complain_status(app, status);
    opn_graph_free(graph);
    opn_model_free(model);
    return code;
}
