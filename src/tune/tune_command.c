// tune_command.c -- turns a setting into a command line to copy.

#include "tune/tune_command.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

// Adds a blank and the word, quoted if a shell would interpret it.
static void add_word(opn_i_text *line, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_./,:=+@%-";
    opn_i_text_put(line, " ", line->n > 0);
    if (word[0] != 0 && word[strspn(word, plain)] == 0) {
        opn_i_text_put(line, word, strlen(word));
        return;
    }
    opn_i_text_put(line, "'", 1);
    for (; *word != 0; word++) {
        if (*word == '\'')
            opn_i_text_put(line, "'\\''", 4);
        else
            opn_i_text_put(line, word, 1);
    }
    opn_i_text_put(line, "'", 1);
}

static void
add_option(opn_i_text *line, const opn_param *param, const opn_params *options)
{
    const bool is_flag = param->kind == OPN_PARAM_FLAG;
    char name[72];
    snprintf(name, sizeof(name), "--%s%s", param->name,
             is_flag && !opn_params_flag(options, param->name) ? "=off" : "");
    for (char *c = name; *c != 0; c++)
        *c = *c == '_' ? '-' : *c;
    add_word(line, name);
    if (!is_flag)
        add_word(line, opn_params_text(options, param->name));
}

// Whether the parameter affects training or says where the data are.
static bool is_passed_on(const opn_param *param)
{
    return param->affects & (OPN_AFFECTS_PREDICTION | OPN_AFFECTS_SOURCE);
}

static opn_status pass_on(opn_ctx *ctx, const opn_params *given, opn_params *options)
{
    opn_status status = OPN_OK;
    for (size_t p = 0; p < opn_param_count(); p++) {
        const opn_param *param = opn_param_at(p);
        if (is_passed_on(param) && opn_params_given(given, param->name))
            OPN_TRY(opn_params_set(ctx, options, param->name,
                                   opn_params_text(given, param->name)));
    }
    OPN_TRY(opn_params_set(ctx, options, "task", opn_params_text(given, "task")));
    OPN_TRY(opn_params_set(ctx, options, "model", opn_params_text(given, "model")));
cleanup:
    return status;
}

// Adds the options needed for training to use exactly `params`. An option may change what
// the preset sets for another, so repeat until nothing changes.
static opn_status find_options(opn_ctx *ctx,
                               const opn_graph *graph,
                               const opn_params *params,
                               opn_params *options)
{
    opn_status status = OPN_OK;
    opn_params *replay = NULL;
    bool is_same = false;
    while (!is_same) {
        is_same = true;
        OPN_TRY(opn_params_copy(ctx, options, &replay));
        OPN_TRY(opn_params_use_preset(ctx, graph, replay));
        for (size_t p = 0; p < opn_param_count(); p++) {
            const opn_param *param = opn_param_at(p);
            const char *wanted = opn_params_text(params, param->name);
            if (!is_passed_on(param) ||
                strcmp(opn_params_text(replay, param->name), wanted) == 0)
                continue;
            OPN_TRY(opn_params_set(ctx, options, param->name, wanted));
            is_same = false;
        }
        opn_params_free(replay);
        replay = NULL;
    }
cleanup:
    opn_params_free(replay);
    return status;
}

static void
add_call(opn_i_text *line, const char *verb, const char *data, const opn_params *options)
{
    add_word(line, "opine");
    add_word(line, verb);
    add_word(line, data);
    for (size_t p = 0; p < opn_param_count(); p++)
        if (opn_params_given(options, opn_param_at(p)->name))
            add_option(line, opn_param_at(p), options);
}

opn_status opn_i_tune_command(opn_ctx *ctx,
                              const opn_graph *graph,
                              const char *data,
                              const opn_params *given,
                              const opn_params *params,
                              char **out)
{
    opn_status status = OPN_OK;
    opn_params *options = NULL;
    opn_i_text line = {.ctx = ctx};
    OPN_TRY(opn_params_create(ctx, &options));
    OPN_TRY(pass_on(ctx, given, options));
    OPN_TRY(find_options(ctx, graph, params, options));
    add_call(&line, "train", data, options);
    add_word(&line, "-o");
    add_word(&line, "m.safetensors");
    status = opn_i_text_take(&line, out);
cleanup:
    opn_i_text_free(&line);
    opn_params_free(options);
    return status;
}

opn_status opn_i_tune_more_command(opn_ctx *ctx,
                                   const char *data,
                                   const opn_params *given,
                                   int32_t n_seeds,
                                   const char *folder,
                                   char **out)
{
    opn_status status = OPN_OK;
    opn_params *options = NULL;
    opn_i_text line = {.ctx = ctx};
    char number[12];
    OPN_TRY(opn_params_create(ctx, &options));
    for (size_t p = 0; p < opn_param_count(); p++) {
        const opn_param *param = opn_param_at(p);
        if ((is_passed_on(param) || strcmp(param->name, "trials") == 0) &&
            opn_params_given(given, param->name))
            OPN_TRY(opn_params_set(ctx, options, param->name,
                                   opn_params_text(given, param->name)));
    }
    snprintf(number, sizeof(number), "%d", (int)n_seeds);
    OPN_TRY(opn_params_set(ctx, options, "seeds", number));
    add_call(&line, "tune", data, options);
    if (folder != NULL) {
        add_word(&line, "-o");
        add_word(&line, folder);
    }
    status = opn_i_text_take(&line, out);
cleanup:
    opn_i_text_free(&line);
    opn_params_free(options);
    return status;
}
