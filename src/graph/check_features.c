// check_features.c -- warnings about the features of a user's own data.
//
// Features are examined one at a time, as lists of the nodes that have them. Zeros are
// not in these, so one with fewer entries than nodes also contains a zero.

#include "graph/check_parts.h"

#include <math.h>
#include <string.h>

enum {
    FEW_NODES = 20,    // with fewer nodes, distinct whole numbers may be chance
    FAR_SMALLER = 1000 // ratio from which rounding and weight decay hide a feature
};

// A feature separates a class from the others by chance in at most one of this many
// graphs.
static const double by_luck = 1e4;

// One kind of warning: how many features it applies to, and the first of them.
typedef struct finding {
    int32_t n;
    int32_t first;
} finding;

static void find_at(finding *found, int32_t k)
{
    found->first = found->n++ == 0 ? k : found->first;
}

// The labelled nodes of a class, and the range of a feature over them.
typedef struct span {
    int32_t k;
    int32_t n; // stored entries
    double low, high;
} span;

typedef struct survey {
    const opn_i_check *check;
    opn_i_csr columns; // [some of F,V] from feature `first` on
    int32_t first;
    uint8_t *seen;       // [2V] whole numbers a feature has taken
    double *reach;       // [F] largest absolute value
    bool *is_constant;   // [F]
    int32_t *class_size; // [K] labelled nodes
    bool *is_telling;    // [K] enough nodes in and outside the class to rule out chance
    span *spans;         // [K + 1] of the classes with an entry in the column
    int32_t *span_of;    // [K] index into `spans`, -1 for none
    int32_t n_classes;   // classes with a labelled node
    finding constant, small, ids, leaks;
    int32_t largest;      // feature with the largest reach
    int32_t leaked_class; // of the first leak
} survey;

static void release_survey(survey *s)
{
    const opn_alloc *alloc = &s->check->ctx->alloc;
    opn_i_csr_deinit(alloc, &s->columns);
    opn_i_release(alloc, s->seen);
    opn_i_release(alloc, s->reach);
    opn_i_release(alloc, s->is_constant);
    opn_i_release(alloc, s->class_size);
    opn_i_release(alloc, s->is_telling);
    opn_i_release(alloc, s->spans);
    opn_i_release(alloc, s->span_of);
}

static double value_of(const opn_i_csr *x, opn_off e)
{
    return x->value == NULL ? 1.0 : (double)x->value[e];
}

// ---- constant features and scale -----------------------------------------------------

static void look_at_range(survey *s, int32_t k)
{
    const opn_i_csr *x = &s->columns;
    const opn_off begin = x->row_ptr[k - s->first];
    const opn_off end = x->row_ptr[k - s->first + 1];
    const bool has_zero = end - begin < x->n_cols;
    double low = has_zero ? 0.0 : value_of(x, begin);
    double high = low;
    for (opn_off e = begin; e < end; e++) {
        const double value = value_of(x, e);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    s->reach[k] = -low > high ? -low : high;
    s->is_constant[k] = low == high;
    if (low == high)
        find_at(&s->constant, k);
    if (s->reach[k] > s->reach[s->largest])
        s->largest = k;
}

static void look_at_scales(survey *s)
{
    for (int32_t k = 0; k < s->check->graph->features.n_cols; k++)
        if (!s->is_constant[k] && FAR_SMALLER * s->reach[k] < s->reach[s->largest])
            find_at(&s->small, k);
}

// ---- ids -----------------------------------------------------------------------------

// Whether the values are distinct whole numbers that rise or fall with the node number,
// or that skip few numbers. Amounts and counts over as many nodes do neither.
static bool is_id(survey *s, int32_t k)
{
    const opn_i_csr *x = &s->columns;
    const opn_vid n = x->n_cols;
    const opn_off begin = x->row_ptr[k - s->first];
    const opn_off end = x->row_ptr[k - s->first + 1];
    opn_off e = begin;
    double low = 0.0;
    double before = 0.0;
    int n_rises = 0;
    int n_falls = 0;
    if (n < FEW_NODES || end - begin < n - 1)
        return false; // at least two zeros
    for (opn_vid i = 0; i < n; i++) {
        const bool is_stored = e < end && x->col_idx[e] == i;
        const double value = is_stored ? value_of(x, e++) : 0.0;
        if (value != floor(value))
            return false;
        n_rises += i > 0 && value > before;
        n_falls += i > 0 && value < before;
        low = i == 0 || value < low ? value : low;
        before = value;
    }
    if (n_rises == n - 1 || n_falls == n - 1)
        return true;
    memset(s->seen, 0, 2 * (size_t)n);
    e = begin;
    for (opn_vid i = 0; i < n; i++) {
        const bool is_stored = e < end && x->col_idx[e] == i;
        const double place = (is_stored ? value_of(x, e++) : 0.0) - low;
        if (place >= 2.0 * n || s->seen[(size_t)place])
            return false;
        s->seen[(size_t)place] = 1;
    }
    return true;
}

// ---- leaks ---------------------------------------------------------------------------

// Finds the classes that a feature could not separate from all others by chance: the
// probability that one of F features has the n_k nodes of one of K classes at one end is
// below 2 F K / C(n, n_k).
static void find_telling_classes(survey *s)
{
    const opn_graph *graph = s->check->graph;
    double n = 0.0;
    for (int32_t k = 0; k < graph->n_classes; k++) {
        s->n_classes += s->class_size[k] > 0;
        n += s->class_size[k];
    }
    const double needed = log(2.0 * by_luck * graph->features.n_cols * graph->n_classes);
    for (int32_t k = 0; k < graph->n_classes; k++) {
        double ways = 0.0; // ln C(n, n_k)
        for (int32_t i = 0; i < s->class_size[k]; i++)
            ways += log((n - i) / (i + 1.0));
        s->is_telling[k] = ways > needed;
    }
}

// The one class with labelled nodes that has no span yet; -1 if there are none or
// several.
static int32_t class_without_span(const survey *s, int32_t n_spans)
{
    if (n_spans != s->n_classes - 1)
        return -1;
    int32_t k = 0;
    while (s->class_size[k] == 0 || s->span_of[k] >= 0)
        k++;
    return k;
}

// Lists the classes that have entries in the column; the other classes, which have only
// zeros, share one span.
static int32_t find_spans(survey *s, int32_t k)
{
    const opn_i_csr *x = &s->columns;
    const int32_t at_k = k - s->first;
    int32_t n = 0;
    for (opn_off e = x->row_ptr[at_k]; e < x->row_ptr[at_k + 1]; e++) {
        const int32_t label = s->check->graph->label[x->col_idx[e]];
        const double value = value_of(x, e);
        if (label < 0)
            continue;
        if (s->span_of[label] < 0) {
            s->span_of[label] = n;
            s->spans[n++] = (span){label, 0, value, value};
        }
        span *at = &s->spans[s->span_of[label]];
        at->low = value < at->low ? value : at->low;
        at->high = value > at->high ? value : at->high;
        at->n++;
    }
    const int32_t without = class_without_span(s, n);
    for (int32_t a = 0; a < n; a++) {
        span *at = &s->spans[a];
        s->span_of[at->k] = -1;
        if (at->n < s->class_size[at->k]) {
            at->low = at->low > 0.0 ? 0.0 : at->low;
            at->high = at->high < 0.0 ? 0.0 : at->high;
        }
    }
    if (n < s->n_classes)
        s->spans[n++] = (span){.k = without};
    return n;
}

// The class whose values are all above (sign 1) or below (-1) those of the others, or -1.
static int32_t class_at_end(const span *spans, int32_t n, double sign)
{
    int32_t end = 0;
    for (int32_t a = 1; a < n; a++) {
        const double low = sign > 0 ? spans[a].low : -spans[a].high;
        const double best = sign > 0 ? spans[end].low : -spans[end].high;
        end = low > best ? a : end;
    }
    const double low = sign > 0 ? spans[end].low : -spans[end].high;
    for (int32_t a = 0; a < n; a++)
        if (a != end && (sign > 0 ? spans[a].high : -spans[a].low) >= low)
            return -1;
    return spans[end].k;
}

static void look_for_leak(survey *s, int32_t k)
{
    const int32_t n = find_spans(s, k);
    if (n < 2)
        return;
    const int32_t above = class_at_end(s->spans, n, 1.0);
    const int32_t below = class_at_end(s->spans, n, -1.0);
    const int32_t told = above >= 0 && s->is_telling[above] ? above : below;
    if (told < 0 || !s->is_telling[told])
        return;
    s->leaked_class = s->leaks.n == 0 ? told : s->leaked_class;
    find_at(&s->leaks, k);
}

// ---- all checks ----------------------------------------------------------------------

static opn_status start_survey(survey *s)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = s->check->ctx;
    const opn_graph *graph = s->check->graph;
    const opn_i_features *x = &graph->features;
    const size_t n_classes = (size_t)graph->n_classes;
    OPN_TRY_NEW(ctx, s->seen, 2 * (size_t)x->n_rows);
    OPN_TRY_NEW(ctx, s->reach, x->n_cols);
    OPN_TRY_NEW(ctx, s->is_constant, x->n_cols);
    OPN_TRY_NEW(ctx, s->class_size, n_classes);
    OPN_TRY_NEW(ctx, s->is_telling, n_classes);
    OPN_TRY_NEW(ctx, s->spans, n_classes + 1);
    OPN_TRY_NEW(ctx, s->span_of, n_classes);
    for (size_t k = 0; k < n_classes; k++)
        s->span_of[k] = -1;
    opn_graph_class_sizes(graph, s->class_size);
    find_telling_classes(s);
cleanup:
    return status;
}

static void warn_about_nodes(const opn_i_check *check)
{
    const opn_i_features *x = &check->graph->features;
    finding bare = {0};
    char name[OPN_SHOWN_NAME];
    for (opn_vid i = 0; i < x->n_rows; i++) {
        opn_i_feature_cursor at = opn_i_features_row(x, i);
        if (!opn_i_feature_next(&at))
            find_at(&bare, i);
    }
    if (bare.n > 0)
        opn_i_warn(check, "nodes-without-features", bare.n,
                   "nodes whose features are all 0: %d, for example %s; they are "
                   "classified by their neighbours alone",
                   (int)bare.n, opn_i_shown_node(check, bare.first, name));
}

static void warn_about_values(const survey *s)
{
    const opn_i_check *check = s->check;
    char name[OPN_SHOWN_NAME];
    char other[OPN_SHOWN_NAME];
    if (s->constant.n > 0)
        opn_i_warn(check, "constant-features", s->constant.n,
                   "constant features: %d, for example %s; they carry no information",
                   (int)s->constant.n,
                   opn_i_shown_feature(check, s->constant.first, name));
    if (s->small.n > 0)
        opn_i_warn(check, "unequal-scales", s->small.n,
                   "features more than %d times smaller than %s: %d, for example %s; "
                   "`normalise` standard puts all on one scale",
                   FAR_SMALLER, opn_i_shown_feature(check, s->largest, other),
                   (int)s->small.n, opn_i_shown_feature(check, s->small.first, name));
}

static void warn_about_meaning(const survey *s)
{
    const opn_i_check *check = s->check;
    char name[OPN_SHOWN_NAME];
    char other[OPN_SHOWN_NAME];
    if (s->ids.n > 0)
        opn_i_warn(check, "id-features", s->ids.n,
                   "features that look like an id: %d, for example %s; remove columns "
                   "that only number the nodes",
                   (int)s->ids.n, opn_i_shown_feature(check, s->ids.first, name));
    if (s->leaks.n > 0)
        opn_i_warn(check, "leaking-features", s->leaks.n,
                   "features that alone separate a class from all others: %d, for "
                   "example %s "
                   "and class %s; remove what is known only once the label is",
                   (int)s->leaks.n, opn_i_shown_feature(check, s->leaks.first, name),
                   opn_i_shown_class(check, s->leaked_class, other));
}

// Looks at the features [first, last).
static opn_status look_at_columns(survey *s, int32_t first, int32_t last)
{
    opn_status status = OPN_OK;
    opn_ctx *ctx = s->check->ctx;
    opn_i_csr_deinit(&ctx->alloc, &s->columns);
    OPN_TRY(opn_i_features_columns(ctx, &s->check->graph->features, first, last,
                                   &s->columns));
    s->first = first;
    for (int32_t k = first; k < last; k++) {
        look_at_range(s, k);
        if (is_id(s, k))
            find_at(&s->ids, k);
        look_for_leak(s, k);
    }
cleanup:
    return status;
}

opn_status opn_i_check_features(const opn_i_check *check, bool is_scaled)
{
    opn_status status = OPN_OK;
    survey s = {.check = check};
    const opn_i_features *x = &check->graph->features;
    if (x->n_cols == 0)
        return OPN_OK; // training reports this
    OPN_TRY(start_survey(&s));
    const int32_t n_step = opn_i_features_columns_at_once(x);
    for (int32_t k = 0; k < x->n_cols; k += n_step)
        OPN_TRY(look_at_columns(&s, k, x->n_cols - k < n_step ? x->n_cols : k + n_step));
    if (!is_scaled)
        look_at_scales(&s);
    warn_about_nodes(check);
    warn_about_values(&s);
    warn_about_meaning(&s);
cleanup:
    release_survey(&s);
    return status;
}
