// params.c -- values of the parameters.

#include "base/context.h"
#include "base/number.h"
#include "base/param_table.h"
#include "base/suggest.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct param_value {
    double number; // FLAG, INT, REAL
    char *text;    // as given; NULL while at the default
} param_value;

struct opn_params {
    opn_alloc alloc;
    param_value value[OPN_MAX_PARAMS];
};

static size_t index_of(const char *name)
{
    const opn_param *param = opn_param_find(name);
    assert(param != NULL); // a misspelt name in the source, not in the user's input
    return param == NULL ? 0 : (size_t)(param - opn_param_at(0));
}

static bool parse_flag(const char *text, double *out)
{
    *out = strcmp(text, "on") == 0;
    return *out != 0 || strcmp(text, "off") == 0;
}

static bool is_choice(const char *choices, const char *text, size_t n_text)
{
    while (*choices != 0) {
        const size_t n = strcspn(choices, "|");
        if (n == n_text && memcmp(choices, text, n) == 0)
            return true;
        choices += n + (choices[n] == '|');
    }
    return false;
}

// A text of n characters must be a choice. Who mistyped one reads its name; who has none
// in mind reads them all.
static opn_status
check_choice(opn_ctx *ctx, const opn_param *param, const char *text, size_t n)
{
    opn_status status = OPN_OK;
    char guess[OPN_SUGGESTION_ROOM];
    if (is_choice(param->choices, text, n))
        return OPN_OK;
    OPN_FAIL_IF(ctx, opn_i_suggest_choice(param->choices, text, n, guess),
                OPN_ERR_INVALID_ARG, "`%s`: there is no \"%.*s\"; did you mean %s?",
                param->name, (int)n, text, guess);
    OPN_FAIL_IF(ctx, true, OPN_ERR_INVALID_ARG, "`%s`: \"%.*s\" is not one of %s",
                param->name, (int)n, text, param->choices);
cleanup:
    return status;
}

// Each of the texts between commas must be a choice; no text at all is an empty list.
static opn_status check_list(opn_ctx *ctx, const opn_param *param, const char *text)
{
    opn_status status = OPN_OK;
    const char *at = text;
    while (*text != 0) {
        const size_t n = strcspn(at, ",");
        OPN_TRY(check_choice(ctx, param, at, n));
        if (at[n] == 0)
            break;
        at += n + 1;
    }
cleanup:
    return status;
}

static opn_status check_part(opn_ctx *ctx, const opn_param *param, const char *text)
{
    opn_status status = OPN_OK;
    int64_t i = 0;
    int64_t n = 0;
    enum { MOST_PARTS = 10000 };
    OPN_FAIL_IF(ctx, !opn_i_parse_part(text, &i, &n), OPN_ERR_INVALID_ARG,
                "`%s`: \"%s\" is not of the form I/N, such as 1/4", param->name, text);
    OPN_FAIL_IF(ctx, n < 1 || n > MOST_PARTS, OPN_ERR_INVALID_ARG,
                "`%s`: %s: the number of parts is outside [1, %d]", param->name, text,
                MOST_PARTS);
    OPN_FAIL_IF(ctx, i < 1 || i > n, OPN_ERR_INVALID_ARG,
                "`%s`: %s is none of the parts 1/%lld to %lld/%lld", param->name, text,
                (long long)n, (long long)n, (long long)n);
cleanup:
    return status;
}

static opn_status
check_value(opn_ctx *ctx, const opn_param *param, const char *text, double *number)
{
    opn_status status = OPN_OK;
    switch (param->kind) {
    case OPN_PARAM_FLAG:
        OPN_FAIL_IF(ctx, !parse_flag(text, number), OPN_ERR_INVALID_ARG,
                    "`%s`: \"%s\" is neither on nor off", param->name, text);
        break;
    case OPN_PARAM_INT:
    case OPN_PARAM_REAL:
        OPN_FAIL_IF(ctx, !opn_i_parse_real(text, strlen(text), number),
                    OPN_ERR_INVALID_ARG, "`%s`: \"%s\" is not a number", param->name,
                    text);
        OPN_FAIL_IF(ctx, param->kind == OPN_PARAM_INT && *number != floor(*number),
                    OPN_ERR_INVALID_ARG, "`%s`: %s is not a whole number", param->name,
                    text);
        OPN_FAIL_IF(ctx, *number < param->min || *number > param->max,
                    OPN_ERR_INVALID_ARG, "`%s`: %s is outside [%.16g, %.16g]",
                    param->name, text, param->min, param->max);
        break;
    case OPN_PARAM_CHOICE:
        OPN_TRY(check_choice(ctx, param, text, strlen(text)));
        break;
    case OPN_PARAM_CHOICES:
        OPN_TRY(check_list(ctx, param, text));
        break;
    case OPN_PARAM_PART:
        OPN_TRY(check_part(ctx, param, text));
        break;
    case OPN_PARAM_TEXT:
        break;
    }
cleanup:
    return status;
}

opn_status opn_params_create(opn_ctx *ctx, opn_params **out)
{
    OPN_REJECT_NULL(ctx, out);
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    OPN_TRY_NEW(ctx, params, 1);
    params->alloc = ctx->alloc;
    for (size_t i = 0; i < opn_param_count(); i++)
        OPN_TRY(check_value(ctx, opn_param_at(i), opn_param_at(i)->default_text,
                            &params->value[i].number));
    *out = params;
    params = NULL;
cleanup:
    opn_params_free(params);
    return status;
}

void opn_params_free(opn_params *params)
{
    if (params == NULL)
        return;
    const opn_alloc alloc = params->alloc;
    for (size_t i = 0; i < opn_param_count(); i++)
        opn_i_release(&alloc, params->value[i].text);
    opn_i_release(&alloc, params);
}

opn_status
opn_params_set(opn_ctx *ctx, opn_params *params, const char *name, const char *text)
{
    OPN_REJECT_NULL(ctx, params, name, text);
    opn_status status = OPN_OK;
    const opn_param *param = opn_param_find(name);
    char *copy = NULL;
    double number = 0.0;
    OPN_FAIL_IF(ctx, param == NULL, OPN_ERR_INVALID_ARG, "no parameter is called %s",
                name);
    OPN_TRY(check_value(ctx, param, text, &number));
    const size_t n_text = strlen(text);
    OPN_TRY_NEW(ctx, copy, n_text + 1);
    memcpy(copy, text, n_text);
    param_value *value = &params->value[param - opn_param_at(0)];
    opn_i_release(&params->alloc, value->text);
    *value = (param_value){number, copy};
cleanup:
    return status;
}

opn_status opn_params_copy(opn_ctx *ctx, const opn_params *params, opn_params **out)
{
    OPN_REJECT_NULL(ctx, params, out);
    opn_status status = OPN_OK;
    opn_params *copy = NULL;
    OPN_TRY(opn_params_create(ctx, &copy));
    for (size_t i = 0; i < opn_param_count(); i++)
        if (params->value[i].text != NULL)
            OPN_TRY(opn_params_set(ctx, copy, opn_param_at(i)->name,
                                   params->value[i].text));
    *out = copy;
    copy = NULL;
cleanup:
    opn_params_free(copy);
    return status;
}

int opn_params_given(const opn_params *params, const char *name)
{
    OPN_RETURN_IF_NULL(params, 0);
    OPN_RETURN_IF_NULL(name, 0);
    return params->value[index_of(name)].text != NULL;
}

double opn_params_real(const opn_params *params, const char *name)
{
    OPN_RETURN_IF_NULL(params, (double)NAN);
    OPN_RETURN_IF_NULL(name, (double)NAN);
    return params->value[index_of(name)].number;
}

int64_t opn_params_int(const opn_params *params, const char *name)
{
    OPN_RETURN_IF_NULL(params, 0);
    OPN_RETURN_IF_NULL(name, 0);
    return (int64_t)opn_params_real(params, name);
}

int opn_params_flag(const opn_params *params, const char *name)
{
    OPN_RETURN_IF_NULL(params, 0);
    OPN_RETURN_IF_NULL(name, 0);
    return opn_params_real(params, name) != 0.0;
}

const char *opn_params_text(const opn_params *params, const char *name)
{
    OPN_RETURN_IF_NULL(params, "");
    OPN_RETURN_IF_NULL(name, "");
    const size_t i = index_of(name);
    return params->value[i].text != NULL ? params->value[i].text
                                         : opn_param_at(i)->default_text;
}
