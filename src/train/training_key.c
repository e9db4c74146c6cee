// training_key.c -- identifies a training.

#include "train/training_key.h"

#include "base/number.h"

#include <stdio.h>
#include <string.h>

opn_status
opn_i_split_hash(opn_ctx *ctx, const opn_split *split, char hash[OPN_SHA256_TEXT])
{
    opn_status status = OPN_OK;
    opn_i_sha256 *sha = NULL;
    OPN_TRY(opn_i_sha256_start(ctx, &sha));
    opn_i_sha256_add(sha, opn_split_roles(split), (size_t)opn_split_n_nodes(split));
    opn_i_sha256_add(sha, opn_split_known(split),
                     (size_t)opn_split_n_classes(split) * sizeof(int32_t));
    status = opn_i_sha256_finish(sha, hash);
cleanup:
    return status;
}

const char *
opn_i_param_key(const opn_params *params, const opn_param *param, char number[24])
{
    if (param->kind != OPN_PARAM_INT && param->kind != OPN_PARAM_REAL)
        return opn_params_text(params, param->name);
    const double value = param->kind == OPN_PARAM_INT
                                 ? (double)opn_params_int(params, param->name)
                                 : opn_params_real(params, param->name);
    snprintf(number, 24, "%016llx", (unsigned long long)opn_i_real_to_bits(value));
    return number;
}

static void add_text(opn_i_sha256 *sha, const char *text)
{
    opn_i_sha256_add(sha, text, strlen(text) + 1);
}

// Increase with every change to the arithmetic that changes bits; saved models are then
// trained again.
static const char arithmetic[] = "2";

opn_status opn_i_training_key(opn_ctx *ctx,
                              const char *data_hash,
                              const opn_split *split,
                              const opn_params *params,
                              const opn_i_model_kind *kind,
                              char key[OPN_SHA256_TEXT])
{
    opn_status status = OPN_OK;
    opn_i_sha256 *sha = NULL;
    char split_hash[OPN_SHA256_TEXT];
    OPN_TRY(opn_i_split_hash(ctx, split, split_hash));
    OPN_TRY(opn_i_sha256_start(ctx, &sha));
    add_text(sha, opn_version());
    add_text(sha, arithmetic);
    add_text(sha, data_hash);
    add_text(sha, split_hash);
    add_text(sha, opn_i_model_kind_trained_as(kind)->id);
    // A preset counts through the parameters it sets, a model through how it is trained.
    for (size_t p = 0; p < opn_param_count(); p++) {
        const opn_param *param = opn_param_at(p);
        if (!(param->affects & OPN_AFFECTS_WEIGHTS))
            continue;
        add_text(sha, param->name);
        char number[24];
        add_text(sha, opn_i_param_key(params, param, number));
    }
    status = opn_i_sha256_finish(sha, key);
cleanup:
    return status;
}
