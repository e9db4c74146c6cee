// protocol.c -- what the parameters protocol and shift stand for.

#include "graph/protocol.h"

#include <string.h>

static const opn_i_protocol protocols[] = {
        {"paper", OPN_SPLIT_USUAL, 50, false},
        {"full", OPN_SPLIT_USUAL, 0, false},
        {"reference", OPN_SPLIT_REFERENCE, 10, false},
        {"gnnsafe", OPN_SPLIT_GNNSAFE, 0, true},
        {"gpn", OPN_SPLIT_GPN, 0, true},
};

// The classes that the other papers hold out. GNNSafe: those below `threshold` are
// scored, the threshold itself is what their second method is exposed to, those above are
// known; -1 where they do not say. GPN: the last n_left_out.
static const struct {
    const char *dataset;
    int32_t threshold, n_left_out;
} held_out[] = {
        {"cora", 3, 3},  {"citeseer", -1, 2},  {"pubmed", -1, 1},
        {"photo", 4, 3}, {"computers", -1, 5}, {"physics", -1, 2},
};

static bool is_text(const opn_params *params, const char *name, const char *value)
{
    return strcmp(opn_params_text(params, name), value) == 0;
}

const opn_i_protocol *opn_i_protocol_of(const opn_params *params)
{
    enum { N = sizeof(protocols) / sizeof(protocols[0]) };
    size_t p = 0;
    while (p < N - 1 && !is_text(params, "protocol", protocols[p].name))
        p++;
    return &protocols[p];
}

bool opn_i_protocol_shifts(const opn_params *params, opn_shift *shift)
{
    if (is_text(params, "shift", "structure"))
        *shift = OPN_SHIFT_STRUCTURE;
    else if (is_text(params, "shift", "feature"))
        *shift = OPN_SHIFT_FEATURE;
    else
        return false;
    return true;
}

opn_status opn_i_protocol_check(opn_ctx *ctx, const opn_params *params)
{
    opn_status status = OPN_OK;
    opn_shift shift;
    const bool is_gnnsafe = is_text(params, "protocol", "gnnsafe");
    const bool has_shift = !is_text(params, "shift", "none");
    OPN_FAIL_IF(ctx, is_gnnsafe && !has_shift, OPN_ERR_INVALID_ARG,
                "`protocol` gnnsafe needs a `shift`: structure, feature or label");
    OPN_FAIL_IF(ctx, has_shift && !is_gnnsafe, OPN_ERR_INVALID_ARG,
                "`shift` %s is for `protocol` gnnsafe, not for %s",
                opn_params_text(params, "shift"), opn_params_text(params, "protocol"));
    OPN_FAIL_IF(ctx,
                is_gnnsafe && opn_params_given(params, "task") &&
                        !is_text(params, "task", "ood"),
                OPN_ERR_INVALID_ARG,
                "`protocol` gnnsafe is for `task` ood, not for %s; `protocol` gpn has "
                "both",
                opn_params_text(params, "task"));
    OPN_FAIL_IF(ctx,
                opn_i_protocol_shifts(params, &shift) &&
                        opn_params_text(params, "ood_classes")[0] != 0,
                OPN_ERR_INVALID_ARG,
                "`ood_classes`: `shift` %s holds no class out; `shift` label does",
                opn_params_text(params, "shift"));
cleanup:
    return status;
}

uint32_t opn_i_protocol_steps(const opn_i_protocol *protocol, const opn_graph *graph)
{
    uint32_t steps = graph->usual_steps;
    if (!protocol->is_rival)
        return steps;
    steps &= ~(uint32_t)OPN_STEP_LARGEST_COMPONENT;
    if (protocol->rule == OPN_SPLIT_GPN && graph->dataset != NULL &&
        strcmp(graph->dataset->name, "pubmed") == 0)
        steps |= OPN_STEP_BINARY_FEATURES;
    return steps;
}

// Lists the classes [first, last); their number.
static int32_t list_classes(int32_t first, int32_t last, int32_t *classes)
{
    int32_t n = 0;
    for (int32_t k = first; k < last; k++)
        classes[n++] = k;
    return n;
}

int32_t opn_i_protocol_classes(const opn_params *params,
                               const opn_graph *graph,
                               int32_t *classes,
                               int32_t *ignored)
{
    const opn_split_rule rule = opn_i_protocol_of(params)->rule;
    const opn_dataset *dataset = graph->dataset;
    const int32_t n = graph->n_classes;
    opn_shift shift;
    *ignored = -1;
    if (dataset == NULL || opn_i_protocol_shifts(params, &shift))
        return 0;
    for (size_t h = 0; h < sizeof(held_out) / sizeof(held_out[0]); h++) {
        if (strcmp(held_out[h].dataset, dataset->name) != 0)
            continue;
        if (rule == OPN_SPLIT_GPN)
            return list_classes(n - held_out[h].n_left_out, n, classes);
        if (rule == OPN_SPLIT_GNNSAFE && held_out[h].threshold >= 0) {
            *ignored = held_out[h].threshold;
            return list_classes(0, held_out[h].threshold + 1, classes);
        }
    }
    return list_classes(dataset->n_known, n, classes);
}
