// model_data.c -- kinds of model, making, freeing and reading them.

#include "model/model_data.h"

#include "base/random.h"
#include "io/path.h"
#include "io/utf8.h"

#include <string.h>

// The models that every encoder has. Evidence is exp(z) where nothing else is said.
#define FAMILY(of, name)                                                       \
    {.id = "" name, .encoder = (of), .head = &opn_i_softmax_head},             \
            {.id = "drop-" name,                                               \
             .encoder = (of),                                                  \
             .head = &opn_i_softmax_head,                                      \
             .is_sampled = true},                                              \
            {.id = "s-" name, .encoder = (of), .head = &opn_i_squared_head},   \
            {.id = "s-b" name,                                                 \
             .encoder = (of),                                                  \
             .head = &opn_i_squared_head,                                      \
             .is_sampled = true},                                              \
            {.id = "s-b" name "-t",                                            \
             .encoder = (of),                                                  \
             .head = &opn_i_squared_head,                                      \
             .has_teacher = true,                                              \
             .is_sampled = true},                                              \
    {                                                                          \
        .id = "s-b" name "-t-k", .encoder = (of), .head = &opn_i_squared_head, \
        .has_teacher = true, .has_prior = true, .is_sampled = true             \
    }

static const opn_i_model_kind kinds[] = {
        FAMILY(&opn_i_gcn_encoder, "gcn"),
        {.id = "dropedge-gcn",
         .encoder = &opn_i_gcn_encoder,
         .head = &opn_i_softmax_head,
         .is_sampled = true,
         .drops_edges = true},
        {.id = "edl-gcn",
         .encoder = &opn_i_gcn_encoder,
         .head = &opn_i_squared_head,
         .evidence = OPN_EVIDENCE_ELU},
        {.id = "dpn-gcn", .encoder = &opn_i_gcn_encoder, .head = &opn_i_dirichlet_head},
        FAMILY(&opn_i_gat_encoder, "gat"),
        FAMILY(&opn_i_sage_encoder, "sage"),
        FAMILY(&opn_i_mlp_encoder, "mlp"),
        FAMILY(&opn_i_links_encoder, "links"),
};

enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

// Not a model of its own, so it has no encoder; the candidates have all measures.
static const opn_i_model_kind auto_kind = {.id = "auto",
                                           .head = &opn_i_squared_head,
                                           .has_teacher = true,
                                           .has_prior = true,
                                           .is_sampled = true};

const opn_i_model_kind *opn_i_model_kind_find(const char *id)
{
    if (strcmp(auto_kind.id, id) == 0)
        return &auto_kind;
    for (size_t m = 0; m < N_KINDS; m++)
        if (strcmp(kinds[m].id, id) == 0)
            return &kinds[m];
    return NULL;
}

const opn_i_model_kind *opn_i_model_kind_trained_as(const opn_i_model_kind *kind)
{
    if (opn_i_model_kind_is_auto(kind))
        return kind;
    const opn_i_model_kind *other = kinds;
    while (other->encoder != kind->encoder || other->head != kind->head ||
           other->evidence != kind->evidence || other->has_teacher != kind->has_teacher ||
           other->has_prior != kind->has_prior || other->drops_edges != kind->drops_edges)
        other++; // ends at `kind` itself
    return other;
}

opn_status opn_i_model_new(opn_ctx *ctx, opn_model **out)
{
    opn_status status = OPN_OK;
    opn_model *model = NULL;
    OPN_TRY_NEW(ctx, model, 1);
    model->alloc = ctx->alloc;
    model->n_members = 1;
    model->may_be_isolated = true;
    *out = model;
cleanup:
    return status;
}

uint64_t opn_i_member_seed(uint64_t seed, int32_t member)
{
    if (member == 0)
        return seed;
    opn_i_rng rng = opn_i_rng_start(seed, OPN_STREAM_MEMBERS, (uint32_t)member);
    const uint64_t upper = opn_i_rng_below(&rng, 1u << 21);
    return upper << 32 | opn_i_rng_word(&rng); // as many bits as the parameter holds
}

bool opn_i_model_has_teacher(const opn_model *model)
{
    for (int32_t m = 0; m < model->n_members; m++)
        if (model->member[m].teacher == NULL)
            return false;
    return true;
}

void opn_i_model_see_as(opn_model *model, const opn_i_model_kind *kind)
{
    if (!opn_i_model_kind_is_auto(kind))
        model->kind = kind;
}

static bool is_utf8(const char *text)
{
    return opn_i_utf8_is_valid((const unsigned char *)text, strlen(text));
}

opn_status opn_i_model_set_source(opn_ctx *ctx, const char *source, opn_model *model)
{
    return opn_i_join_path(ctx, NULL, source, "", &model->source);
}

opn_status opn_i_model_keep_origin(opn_ctx *ctx, const opn_graph *graph, opn_model *model)
{
    opn_status status = OPN_OK;
    const char *source = opn_graph_source(graph);
    if (source[0] != 0 && is_utf8(source))
        OPN_TRY(opn_i_model_set_source(ctx, source, model));
    for (int64_t i = 0; i < opn_graph_note_count(graph); i++) {
        const char *note = opn_graph_note(graph, i);
        if (is_utf8(note))
            OPN_TRY(opn_i_names_add(ctx, &model->notes, note, strlen(note)));
    }
cleanup:
    return status;
}

opn_status opn_i_model_params(opn_ctx *ctx, const opn_model *model, opn_params **out)
{
    opn_status status = OPN_OK;
    opn_params *params = NULL;
    OPN_TRY(opn_params_create(ctx, &params));
    for (int64_t p = 0; p < model->param_names.n; p++) {
        const char *name = opn_i_names_at(&model->param_names, p);
        const char *value = opn_i_names_at(&model->param_values, p);
        // A default must not seem to have been given.
        if (opn_param_find(name) != NULL &&
            strcmp(opn_params_text(params, name), value) != 0)
            OPN_TRY(opn_params_set(ctx, params, name, value));
    }
    if (model->evidence != model->kind->evidence)
        OPN_TRY(opn_params_set(ctx, params, "evidence",
                               opn_i_evidence_name(model->evidence)));
    *out = params;
    params = NULL;
cleanup:
    opn_params_free(params);
    return status;
}

opn_status
opn_i_model_choose_evidence(opn_ctx *ctx, const opn_params *params, opn_model *model)
{
    opn_status status = OPN_OK;
    const opn_i_model_kind *kind = model->kind;
    const char *text = opn_params_text(params, "evidence");
    const bool is_given = opn_params_given(params, "evidence");
    model->evidence = kind->evidence;
    if (is_given)
        (void)opn_i_evidence_parse(text, &model->evidence); // of the table
    OPN_FAIL_IF(
            ctx,
            opn_i_evidence_is_signed(model->evidence) &&
                    (kind->has_prior || kind->has_teacher),
            OPN_ERR_INVALID_ARG,
            "`evidence` %s can be negative, which neither the prior nor the teacher of "
            "%s allows",
            opn_i_evidence_name(model->evidence), kind->id);
    OPN_FAIL_IF(ctx, !opn_i_head_has_evidence(kind->head) && is_given,
                OPN_ERR_INVALID_ARG, "`evidence` %s: %s has no evidence, only a softmax",
                text, kind->id);
    OPN_FAIL_IF(ctx,
                kind->head->evidence == OPN_HEAD_TAKES_EXP &&
                        model->evidence != OPN_EVIDENCE_EXP,
                OPN_ERR_INVALID_ARG, "%s supports `evidence` exp only", kind->id);
cleanup:
    return status;
}

opn_i_sizes opn_i_model_sizes(const opn_i_model_kind *kind, const opn_params *params)
{
    const bool has_heads = !opn_i_model_kind_is_auto(kind) && kind->encoder->has_heads;
    return (opn_i_sizes){
            .n_hidden = (int32_t)opn_params_int(params, "hidden"),
            .n_heads = has_heads ? (int32_t)opn_params_int(params, "heads") : 1,
            .n_out_heads = has_heads ? (int32_t)opn_params_int(params, "out_heads") : 1,
    };
}

opn_status opn_i_model_check_sizes(opn_ctx *ctx,
                                   const opn_i_model_kind *kind,
                                   const opn_i_sizes *sizes)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, sizes->n_hidden % sizes->n_heads != 0, OPN_ERR_INVALID_ARG,
                "`hidden` %d: %s has %d heads, which cannot share them evenly",
                sizes->n_hidden, kind->id, sizes->n_heads);
    OPN_FAIL_IF(ctx,
                sizes->n_heads > 1 && sizes->n_hidden / sizes->n_heads > OPN_MAX_VECTORS,
                OPN_ERR_INVALID_ARG,
                "`hidden` %d: each of the %d heads of %s would have %d units; at most %d "
                "are possible",
                sizes->n_hidden, sizes->n_heads, kind->id,
                sizes->n_hidden / sizes->n_heads, OPN_MAX_VECTORS);
    OPN_FAIL_IF(ctx, sizes->n_out_heads > 1 && sizes->n_classes > OPN_MAX_VECTORS,
                OPN_ERR_INVALID_ARG,
                "`out_heads` %d: the graph has %d classes; with more than %d, %s can "
                "have only one",
                sizes->n_out_heads, sizes->n_classes, OPN_MAX_VECTORS, kind->id);
cleanup:
    return status;
}

// Frees all but the model for other graphs.
static void release_model(opn_model *model)
{
    const opn_alloc alloc = model->alloc;
    for (int32_t m = 0; m < model->n_members; m++) {
        opn_i_release(&alloc, model->member[m].student);
        opn_i_release(&alloc, model->member[m].teacher);
    }
    opn_i_release(&alloc, model->mean);
    opn_i_release(&alloc, model->scale);
    opn_i_release(&alloc, model->centre);
    opn_i_release(&alloc, model->source);
    opn_i_names_deinit(&alloc, &model->notes);
    opn_i_names_deinit(&alloc, &model->param_names);
    opn_i_names_deinit(&alloc, &model->param_values);
    opn_i_names_deinit(&alloc, &model->class_names);
    opn_i_names_deinit(&alloc, &model->feature_names);
    opn_i_release(&alloc, model);
}

void opn_model_free(opn_model *model)
{
    if (model == NULL)
        return;
    if (model->elsewhere != NULL) // which has none of its own
        release_model(model->elsewhere);
    release_model(model);
}

const char *opn_model_id(const opn_model *model)
{
    OPN_RETURN_IF_NULL(model, "");
    return model->kind->id;
}

int32_t opn_model_n_members(const opn_model *model)
{
    OPN_RETURN_IF_NULL(model, 0);
    return model->n_members;
}

int32_t opn_model_n_classes(const opn_model *model)
{
    OPN_RETURN_IF_NULL(model, 0);
    return model->sizes.n_classes;
}

int32_t opn_model_n_hidden(const opn_model *model)
{
    OPN_RETURN_IF_NULL(model, 0);
    return model->sizes.n_hidden;
}

int32_t opn_model_n_features(const opn_model *model)
{
    OPN_RETURN_IF_NULL(model, 0);
    return model->sizes.n_features - model->n_node_features;
}

const char *opn_model_class_name(const opn_model *model, int32_t k)
{
    OPN_RETURN_IF_NULL(model, "");
    return opn_i_names_at(&model->class_names, k);
}

const char *opn_model_param(const opn_model *model, const char *name)
{
    OPN_RETURN_IF_NULL(model, "");
    OPN_RETURN_IF_NULL(name, "");
    for (int64_t p = 0; p < model->param_names.n; p++)
        if (strcmp(opn_i_names_at(&model->param_names, p), name) == 0)
            return opn_i_names_at(&model->param_values, p);
    return "";
}

const char *opn_model_data_hash(const opn_model *model)
{
    OPN_RETURN_IF_NULL(model, "");
    return model->data_hash;
}

const char *opn_model_source(const opn_model *model)
{
    OPN_RETURN_IF_NULL(model, "");
    return model->source != NULL ? model->source : "";
}

int64_t opn_model_note_count(const opn_model *model)
{
    OPN_RETURN_IF_NULL(model, 0);
    return model->notes.n;
}

const char *opn_model_note(const opn_model *model, int64_t i)
{
    OPN_RETURN_IF_NULL(model, "");
    return opn_i_names_at(&model->notes, i);
}

void opn_model_summary(const opn_model *model, opn_train_summary *summary)
{
    if (model == NULL)
        return;
    if (summary == NULL)
        return;
    *summary = model->summary;
}
