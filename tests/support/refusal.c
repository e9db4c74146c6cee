// refusal.c -- what every loader owes a user whose data are bad.

#include "support/refusal.h"
#include "data/npz_reader.h"
#include "graph/graph_data.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

// ---- refusals ------------------------------------------------------------------------

// A CSV field of one byte is 24 bytes in memory, and blocks grow by half; beside that,
// every block begins with room for 64 items.
enum { MAX_FACTOR = 48, MAX_START = 16384 };

// A meter that gives no block larger than `limit`: what a test asks for by mistake must
// not bring the machine down.
typedef struct purse {
    opn_alloc from;
    size_t limit;
    size_t refused; // the first size that was too large, or 0
} purse;

static void *purse_alloc(void *user, size_t n_bytes)
{
    purse *p = user;
    if (n_bytes <= p->limit)
        return p->from.alloc(p->from.user, n_bytes);
    if (p->refused == 0)
        p->refused = n_bytes;
    return NULL;
}

static void purse_release(void *user, void *ptr)
{
    const purse *p = user;
    p->from.release(p->from.user, ptr);
}

static bool blames_input(opn_status status)
{
    return status == OPN_ERR_READ || status == OPN_ERR_FORMAT ||
           status == OPN_ERR_UNSUPPORTED || status == OPN_ERR_OVERFLOW ||
           status == OPN_ERR_SHAPE;
}

// A recipe of ours may follow.
static bool is_one_line(const char *message)
{
    const char *recipe = strstr(message, OPN_NPZ_RECIPE);
    const size_t n = strlen(message);
    const size_t n_first = recipe != NULL ? (size_t)(recipe - message) : n;
    for (size_t i = 0; i < n_first; i++)
        if ((unsigned char)message[i] < 0x20 || message[i] == 0x7f)
            return false;
    return n > 0 && n < 1023; // at 1023 it was cut
}

static bool complain(const char *what, const char *fault, const char *message)
{
    print_error("%s: %s: \"%s\"\n", what, fault, message);
    return false;
}

bool load_is_sound(const char *what,
                   const char *data,
                   size_t n_bytes,
                   opn_status *status,
                   char message[1024])
{
    meter m = {0};
    purse p = {meter_hooks(&m), MAX_FACTOR * n_bytes + MAX_START, 0};
    const opn_alloc hooks = {purse_alloc, purse_release, &p};
    opn_ctx *ctx = NULL;
    assert_int_equal(opn_ctx_create(&hooks, &ctx), OPN_OK);
    int untouched;
    opn_graph *const before = (opn_graph *)(void *)&untouched;
    opn_graph *graph = before;
    char error[1024];
    *status = opn_graph_load(ctx, data, NULL, &graph);
    snprintf(error, sizeof(error), "%s", *status == OPN_OK ? "" : opn_ctx_error(ctx));
    if (*status == OPN_OK)
        opn_graph_free(graph);
    opn_ctx_free(ctx);
    if (message != NULL)
        memcpy(message, error, sizeof(error));

    bool is_sound = true;
    if (m.n_live != 0)
        is_sound = complain(what, "leaks", error);
    if (p.refused != 0) {
        print_error("%s: asks for %zu bytes when %zu were given\n", what, p.refused,
                    n_bytes);
        return false;
    }
    if (*status == OPN_OK)
        return is_sound;
    if (!blames_input(*status))
        is_sound = complain(what, opn_status_name(*status), error);
    if (graph != before)
        is_sound = complain(what, "touches the output", error);
    if (!is_one_line(error))
        is_sound = complain(what, "is not one line", error);
    if (strncmp(error, data, strlen(data)) != 0)
        is_sound = complain(what, "does not name the file", error);
    return is_sound;
}

bool load_is_refused(const char *what,
                     const char *data,
                     size_t n_bytes,
                     const char *part,
                     const char *hint)
{
    opn_status status;
    char message[1024];
    bool is_right = load_is_sound(what, data, n_bytes, &status, message);
    if (status == OPN_OK)
        return complain(what, "is taken", message);
    if (strstr(message, part) == NULL)
        is_right = complain(what, part, message);
    if (hint != NULL && strstr(message, hint) == NULL)
        is_right = complain(what, hint, message);
    return is_right;
}

// ---- graphs in words -----------------------------------------------------------------

enum { TEXT_ROOM = 2048 };

static void OPN_PRINTF(2, 3) append(char *text, const char *format, ...)
{
    const size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, TEXT_ROOM - n, format, args);
    va_end(args);
}

static void append_value(char *text, const opn_i_csr *csr, opn_off e)
{
    if (csr->value != NULL && csr->value[e] != 1)
        append(text, "=%g", (double)csr->value[e]);
    append(text, " ");
}

// Takes the blank behind the last item away; an empty part has none.
static void end_part(char *text, const char *end)
{
    const size_t n = strlen(text);
    if (n > 1 && text[n - 1] == ' ' && text[n - 2] != ';')
        text[n - 1] = 0;
    append(text, "%s", end);
}

static void append_matrix(char *text, const opn_graph *graph, bool is_topology)
{
    const opn_i_csr *csr = is_topology ? &graph->topology : &graph->features.lists;
    char one[12];
    char other[12];
    for (opn_vid i = 0; i < csr->n_rows; i++) {
        for (opn_off e = csr->row_ptr[i]; e < csr->row_ptr[i + 1]; e++) {
            const int32_t k = csr->col_idx[e];
            append(text, "%s%c%s", opn_graph_node_name(graph, i, one),
                   is_topology ? '>' : '.',
                   is_topology ? opn_graph_node_name(graph, k, other)
                               : opn_graph_feature_name(graph, k, other));
            append_value(text, csr, e);
        }
    }
    end_part(text, "; ");
}

void expect_load_survives_failing_memory(const char *data)
{
    opn_status status = OPN_ERR_NOMEM;
    for (long fail_at = 2; status != OPN_OK; fail_at++) { // the first is the context
        meter m = {.fail_at = fail_at};
        opn_ctx *ctx = support_ctx(&m);
        opn_graph *graph = NULL;
        status = opn_graph_load(ctx, data, NULL, &graph);
        assert_true(status == OPN_OK || status == OPN_ERR_NOMEM);
        assert_true((status == OPN_OK) == (graph != NULL));
        opn_graph_free(graph);
        support_ctx_free(ctx, &m);
    }
}

const char *graph_text(const opn_graph *graph, char text[2048])
{
    char number[12];
    const int32_t *label = opn_graph_labels(graph);
    text[0] = 0;
    for (opn_vid i = 0; i < opn_graph_n_nodes(graph); i++) {
        append(text, "%s:", opn_graph_node_name(graph, i, number));
        append(text, "%s ",
               label[i] < 0 ? "" : opn_graph_class_name(graph, label[i], number));
    }
    end_part(text, "; ");
    append_matrix(text, graph, true);
    append_matrix(text, graph, false);
    for (int32_t k = 0; k < opn_graph_n_classes(graph); k++)
        append(text, "%s ", opn_graph_class_name(graph, k, number));
    end_part(text, "; ");
    for (int32_t k = 0; k < opn_graph_n_features(graph); k++)
        append(text, "%s ", opn_graph_feature_name(graph, k, number));
    end_part(text, "");
    return text;
}
