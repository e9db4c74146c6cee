// train_output.c -- what opine train says about its work and its model.

#include "train_output.h"

#include "json_output.h"
#include "style.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Logs the parameters that differ from the defaults, to record how the model was made.
static void tell_parameters(const opine_app *app)
{
    char line[1024] = "";
    size_t n = 0;
    for (size_t i = 0; i < opn_param_count(); i++) {
        const opn_param *param = opn_param_at(i);
        const char *value = opn_params_text(app->params, param->name);
        char name[64];
        if (!(param->affects & OPN_AFFECTS_PREDICTION) ||
            strcmp(value, param->default_text) == 0 || strcmp(value, "paper") == 0)
            continue;
        const bool is_flag = param->kind == OPN_PARAM_FLAG;
        const int n_put = snprintf(line + n, sizeof(line) - n, " --%s%s%s",
                                   option_name(param, name), is_flag ? "" : " ",
                                   is_flag ? "" : value);
        n += n_put > 0 && (size_t)n_put < sizeof(line) - n ? (size_t)n_put : 0;
    }
    complain("parameters:%s", line[0] != 0 ? line : " all at their defaults");
}

void tell_work(const opine_app *app, const opn_graph *graph, const opn_split *split)
{
    if (opn_params_flag(app->params, "quiet"))
        return;
    char calibration[40] = "";
    if (opn_split_count(split, OPN_ROLE_CALIBRATION) > 0)
        snprintf(calibration, sizeof(calibration), "%d calibration, ",
                 (int)opn_split_count(split, OPN_ROLE_CALIBRATION));
    complain("training %s on %s with seed %s: %d nodes, %d training, %d validation, "
             "%s%d class%s",
             opn_params_text(app->params, "model"), opn_graph_name(graph),
             opn_params_text(app->params, "seed"), (int)opn_graph_n_nodes(graph),
             (int)opn_split_count(split, OPN_ROLE_TRAIN),
             (int)opn_split_count(split, OPN_ROLE_VALIDATION), calibration,
             (int)opn_split_n_known(split), opn_split_n_known(split) == 1 ? "" : "es");
    tell_parameters(app);
}

// ---- the choice ----------------------------------------------------------------------

// The best of the models that were not chosen; false if there is none.
static bool find_runner_up(const opn_model *model, opn_candidate *out)
{
    bool has_one = false;
    for (int32_t c = 0; c < opn_model_candidate_count(model); c++) {
        opn_candidate one;
        opn_model_candidate(model, c, &one);
        if (one.is_chosen || one.is_baseline ||
            (has_one && one.accuracy <= out->accuracy))
            continue;
        *out = one;
        has_one = true;
    }
    return has_one;
}

// Says by how much the chosen model is better.
static void print_margin(const opn_candidate *chosen, const opn_candidate *other)
{
    const double points = 100.0 * (chosen->accuracy - other->accuracy);
    const double error = 100.0 * chosen->error;
    print_key("chosen");
    if (points > error)
        printf("by accuracy, %.1f points above %s (standard error %.1f)\n", points,
               other->name, error);
    else
        printf("by NLL, as accuracies are within one standard error (%.1f points)\n",
               error);
}

static void print_candidates(const opn_model *model)
{
    opn_candidate chosen = {.name = ""};
    opn_candidate other = {.name = ""};
    const int32_t n = opn_model_candidate_count(model);
    const bool had_choice = find_runner_up(model, &other);
    if (n == 0)
        return;
    printf("\n%s%-21s %9s %8s%s\n", style(STYLE_HEADING), "on validation nodes",
           "accuracy", "NLL", style(STYLE_PLAIN));
    for (int32_t c = 0; c < n; c++) {
        opn_candidate one;
        opn_model_candidate(model, c, &one);
        chosen = one.is_chosen ? one : chosen;
        printf("%-21s %7.1f %%", one.name, 100.0 * one.accuracy);
        if (isfinite(one.nll))
            printf(one.nll < 1e4 ? " %8.3f" : " %8.2e", one.nll);
        printf("%s\n", one.is_chosen && had_choice ? "  chosen" : "");
    }
    if (had_choice && chosen.n_validation > 0)
        print_margin(&chosen, &other);
}

// With few validation nodes, others take their turn when models are compared.
static void print_turns(const opn_model *model, int32_t n_validation)
{
    opn_candidate first = {.n_validation = n_validation};
    if (opn_model_candidate_count(model) > 0)
        opn_model_candidate(model, 0, &first);
    if (first.n_validation > n_validation)
        printf("; %d took turns in the comparison", (int)first.n_validation);
    putchar('\n');
}

// ---- the training --------------------------------------------------------------------

// How well the calibrated probabilities fit the nodes they were fitted on.
static void print_calibration(const opn_calibrator *c)
{
    if (c->kind == OPN_CALIBRATION_NONE)
        return;
    print_key("calibration");
    printf("%s on %d nodes, NLL %.3f before and %.3f after\n",
           opn_calibration_name(c->kind), (int)c->n, c->nll_before, c->nll_after);
}

static int print_summary_as_text(const opn_model *model, const char *path)
{
    opn_train_summary s;
    opn_model_summary(model, &s);
    print_key("model");
    printf("%s\n", opn_model_id(model));
    if (opn_model_n_members(model) > 1) {
        print_key("members");
        printf("%d\n", (int)opn_model_n_members(model));
    }
    print_key("file");
    printf("%s\n", path);
    print_key("epochs");
    printf("%d", (int)s.epochs);
    if (s.teacher_epochs > 0)
        printf(", after %d for the teacher", (int)s.teacher_epochs);
    putchar('\n');
    print_key("nodes");
    printf("%d training, %d validation", (int)s.n_train, (int)s.n_validation);
    print_turns(model, s.n_validation);
    if (s.n_validation > 0) {
        print_key("accuracy");
        printf("%.1f %% of the validation nodes\n", 100.0 * s.validation_accuracy);
    }
    print_calibration(opn_model_calibrator(model));
    if (s.n_bounded_logits > 0) {
        print_key("bounded");
        printf("%lld %s too large for exp\n", (long long)s.n_bounded_logits,
               s.n_bounded_logits == 1 ? "logit was" : "logits were");
    }
    print_candidates(model);
    return EXIT_DONE;
}

static json_t *json_candidates(const opn_model *model)
{
    json_t *list = json_array();
    for (int32_t c = 0; c < opn_model_candidate_count(model); c++) {
        opn_candidate one;
        json_t *object = json_object();
        opn_model_candidate(model, c, &one);
        put_json(object, "name", json_string(one.name));
        put_json(object, "chosen", json_boolean(one.is_chosen));
        put_json(object, "baseline", json_boolean(one.is_baseline));
        put_json(object, "validation_nodes", json_integer(one.n_validation));
        put_json(object, "accuracy", json_number(one.accuracy));
        put_json(object, "nll", json_number(one.nll));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_calibration(const opn_calibrator *c)
{
    if (c->kind == OPN_CALIBRATION_NONE)
        return json_null();
    json_t *object = json_object();
    put_json(object, "kind", json_string(opn_calibration_name(c->kind)));
    put_json(object, "nodes", json_integer(c->n));
    put_json(object, "nll_before", json_number(c->nll_before));
    put_json(object, "nll_after", json_number(c->nll_after));
    return object;
}

static int print_summary_as_json(const opn_model *model, const char *path)
{
    opn_train_summary s;
    opn_model_summary(model, &s);
    json_t *document = json_object();
    put_json(document, "model", json_string(opn_model_id(model)));
    put_json(document, "members", json_integer(opn_model_n_members(model)));
    put_json(document, "file", json_string(path));
    put_json(document, "epochs", json_integer(s.epochs));
    put_json(document, "teacher_epochs", json_integer(s.teacher_epochs));
    put_json(document, "training_nodes", json_integer(s.n_train));
    put_json(document, "validation_nodes", json_integer(s.n_validation));
    put_json(document, "validation_accuracy", json_number(s.validation_accuracy));
    put_json(document, "validation_nll", json_number(s.validation_nll));
    put_json(document, "calibration", json_calibration(opn_model_calibrator(model)));
    put_json(document, "bounded_logits", json_integer(s.n_bounded_logits));
    put_json(document, "data_hash", json_string(opn_model_data_hash(model)));
    put_json(document, "candidates", json_candidates(model));
    return print_json(document);
}

int print_training(const opine_app *app, const opn_model *model, const char *path)
{
    return opn_params_flag(app->params, "json") ? print_summary_as_json(model, path)
                                                : print_summary_as_text(model, path);
}
