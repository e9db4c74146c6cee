// training_key_test.c -- which parameters tell trainings, scores and models apart. The
// lists are written out: what is kept in run folders is found by these hashes, so a
// parameter must not enter or leave one by accident.

#include "experiment/evaluate_parts.h"
#include "support/cmocka_test.h"
#include "support/support.h"
#include "support/trial.h"
#include "train/training_key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OF_UNLABELLED                                                   \
    "unlabelled unlabelled_weight unlabelled_ramp vat_radius vat_step " \
    "mean_teacher_decay mean_teacher_noise pseudo_label_threshold batch "
#define OF_WEIGHTS                                                                              \
    "task ood_classes hidden heads out_heads evidence normalise members epochs teacher_epochs " \
    "patience stop_on learning_rate dropout drop_edge weight_decay teacher_ramp lambda1 "       \
    "sigma kernel_constant " OF_UNLABELLED
#define OF_SAMPLING \
    "samples sample_dropout sample_drop_edge average propagate teleport isolated calibrate "

typedef struct names {
    char text[1024];
} names;

static void add_name(names *list, const char *name)
{
    const size_t n = strlen(list->text);
    snprintf(list->text + n, sizeof(list->text) - n, "%s ", name);
}

// A value other than the default.
static void other_value(const opn_param *param, char text[64])
{
    const bool is_min = strtod(param->default_text, NULL) == param->min;
    switch (param->kind) {
    case OPN_PARAM_FLAG:
        snprintf(text, 64, "on");
        break;
    case OPN_PARAM_INT:
    case OPN_PARAM_REAL:
        snprintf(text, 64, "%.17g", is_min ? param->max : param->min);
        break;
    case OPN_PARAM_CHOICE:
    case OPN_PARAM_CHOICES:
        snprintf(text, 64, "%s", strrchr(param->choices, '|') + 1);
        break;
    case OPN_PARAM_TEXT:
        snprintf(text, 64, "other");
        break;
    case OPN_PARAM_PART:
        snprintf(text, 64, "1/2");
        break;
    }
    assert_string_not_equal(text, param->default_text);
}

typedef struct scene {
    opn_ctx *ctx;
    opn_graph *graph;
    opn_split *split;
} scene;

static scene new_scene(void)
{
    scene s = {.ctx = support_ctx(NULL)};
    opn_params *params = trial_params(s.ctx, "");
    s.graph = trial_groups(s.ctx);
    assert_int_equal(opn_split_from_params(s.ctx, s.graph, params, &s.split), OPN_OK);
    opn_params_free(params);
    return s;
}

static void free_scene(scene *s)
{
    opn_split_free(s->split);
    opn_graph_free(s->graph);
    opn_ctx_free(s->ctx);
}

typedef void key_fn(const scene *s, const opn_params *params, char key[OPN_SHA256_TEXT]);

static void
training_key(const scene *s, const opn_params *params, char key[OPN_SHA256_TEXT])
{
    assert_int_equal(opn_i_training_key(s->ctx, "data", s->split, params,
                                        opn_i_model_kind_find("s-gcn"), key),
                     OPN_OK);
}

static void cell_key(const scene *s, const opn_params *params, char key[OPN_SHA256_TEXT])
{
    assert_int_equal(opn_i_cell_key(s->ctx, "training", params, "s-gcn", key), OPN_OK);
}

// The parameters that change the key, in the order of the table.
static names find_changing(const scene *s, key_fn *key_of)
{
    names found = {""};
    char usual[OPN_SHA256_TEXT];
    opn_params *params = trial_params(s->ctx, "");
    key_of(s, params, usual);
    opn_params_free(params);
    for (size_t p = 0; p < opn_param_count(); p++) {
        const opn_param *param = opn_param_at(p);
        char text[64];
        char key[OPN_SHA256_TEXT];
        other_value(param, text);
        params = trial_params(s->ctx, "");
        assert_int_equal(opn_params_set(s->ctx, params, param->name, text), OPN_OK);
        key_of(s, params, key);
        if (strcmp(key, usual) != 0)
            add_name(&found, param->name);
        opn_params_free(params);
    }
    return found;
}

static void the_key_of_a_training_has_the_parameters_of_weights(void **state)
{
    (void)state;
    scene s = new_scene();
    const names found = find_changing(&s, training_key);
    assert_string_equal(found.text, OF_WEIGHTS "seed ");
    free_scene(&s);
}

static void the_key_of_a_score_has_those_of_sampling_and_the_protocol(void **state)
{
    (void)state;
    scene s = new_scene();
    const names found = find_changing(&s, cell_key);
    assert_string_equal(found.text, OF_SAMPLING "protocol shift ");
    free_scene(&s);
}

static void a_model_keeps_all_that_its_predictions_depend_on(void **state)
{
    (void)state;
    scene s = new_scene();
    names found = {""};
    opn_model *model = trial_train(s.ctx, s.graph, "model=gcn epochs=1");
    for (int64_t n = 0; n < model->param_names.n; n++)
        add_name(&found, opn_i_names_at(&model->param_names, n));
    assert_string_equal(
            found.text,
            "model task preset ood_classes hidden heads out_heads evidence "
            "normalise members epochs teacher_epochs patience stop_on learning_rate "
            "dropout drop_edge weight_decay teacher_ramp lambda1 sigma "
            "kernel_constant " OF_UNLABELLED OF_SAMPLING "label seed ");
    opn_model_free(model);
    free_scene(&s);
}

static void a_manifest_describes_the_parameters_of_its_results(void **state)
{
    (void)state;
    scene s = new_scene();
    names found = {""};
    opn_params *params = trial_params(s.ctx, "");
    json_t *object = opn_i_describe_params(params);
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(object, name, value) add_name(&found, name);
    assert_string_equal(
            found.text,
            "task preset ood_classes hidden heads out_heads evidence "
            "normalise members epochs teacher_epochs patience stop_on learning_rate "
            "dropout drop_edge weight_decay teacher_ramp lambda1 sigma "
            "kernel_constant " OF_UNLABELLED OF_SAMPLING "protocol shift label seed ");
    json_decref(object);
    opn_params_free(params);
    free_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_key_of_a_training_has_the_parameters_of_weights),
            cmocka_unit_test(the_key_of_a_score_has_those_of_sampling_and_the_protocol),
            cmocka_unit_test(a_model_keeps_all_that_its_predictions_depend_on),
            cmocka_unit_test(a_manifest_describes_the_parameters_of_its_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
