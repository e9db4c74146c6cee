// folder_ranges.c -- files that number the same nodes differently: one from 0, another
// from 1.

#include "tables/class_order.h"
#include "tables/folder_reader.h"

// The numbers of the nodes that a file lists.
typedef struct range {
    int64_t low, high;
    int64_t n;      // distinct
    bool is_number; // of all
} range;

static const range no_range = {INT64_MAX, -1, 0, true};

static void widen(range *r, const char *name)
{
    const int64_t number = opn_i_plain_number(name);
    r->is_number = r->is_number && number >= 0;
    r->low = number < r->low ? number : r->low;
    r->high = number > r->high ? number : r->high;
    r->n++;
}

static range range_of(const opn_i_folder *folder, uint8_t flag)
{
    range r = no_range;
    for (int64_t i = 0; i < folder->nodes.n; i++)
        if ((folder->listed[i] & flag) != 0)
            widen(&r, opn_i_names_at(&folder->nodes, i));
    return r;
}

// Whether both are gapless and one is the other, moved by one. The ends of a file that
// lists no node are no numbers to compute with.
static bool are_shifted(const range *a, const range *b)
{
    if (!a->is_number || !b->is_number || a->n < 2 || b->n < 1)
        return false;
    const int64_t shift = a->low - b->low;
    return a->n == a->high - a->low + 1 && (shift == 1 || shift == -1) &&
           a->high - b->high == shift;
}

static opn_status note_shift(const opn_i_folder *folder,
                             const range *labels,
                             const range *others,
                             const char *file,
                             const char *what)
{
    if (!are_shifted(labels, others))
        return OPN_OK;
    const bool is_lower = labels->low < others->low;
    return opn_i_graph_note(
            folder->ctx, folder->graph,
            "%s numbers the nodes from %lld to %lld, but %s from %lld to %lld: these are "
            "taken as %lld nodes, of which %lld has no %s and %lld no label; number them "
            "alike if they are the same",
            folder->label_file, (long long)labels->low, (long long)labels->high, file,
            (long long)others->low, (long long)others->high, (long long)labels->n + 1,
            (long long)(is_lower ? labels->low : labels->high), what,
            (long long)(is_lower ? others->high : others->low));
}

// Nodes that are known by their labels alone.
static opn_status note_lacking(const opn_i_folder *folder)
{
    int64_t n = 0;
    int64_t first = -1;
    for (int64_t i = folder->nodes.n - 1; i >= 0; i--)
        if ((folder->listed[i] & (OPN_IN_LABELS | OPN_IN_FEATURES)) == OPN_IN_LABELS) {
            n++;
            first = i;
        }
    if (n == 0 || folder->has_sparse_features)
        return OPN_OK;
    return opn_i_graph_note(folder->ctx, folder->graph,
                            "%s lacks %lld of the nodes in %s, for example \"%s\"; their "
                            "features are taken as 0",
                            folder->feature_file, (long long)n, folder->label_file,
                            opn_i_names_at(&folder->nodes, first));
}

opn_status opn_i_folder_note_first_node(const opn_i_folder *folder)
{
    int32_t first = INT32_MAX;
    for (size_t e = 0; e < folder->n_edges; e++) {
        first = folder->source[e] < first ? folder->source[e] : first;
        first = folder->target[e] < first ? folder->target[e] : first;
    }
    if (!folder->has_places || first != 1)
        return OPN_OK;
    return opn_i_graph_note(
            folder->ctx, folder->graph,
            "%s joins node 0 to none; subtract 1 from its nodes if it "
            "numbers them from 1, for rows without names are numbered from "
            "0",
            folder->edge_file);
}

opn_status opn_i_folder_note_ranges(opn_i_folder *folder)
{
    const range labels = range_of(folder, OPN_IN_LABELS);
    if (folder->feature_file[0] != 0) {
        const range features = range_of(folder, OPN_IN_FEATURES);
        if (!are_shifted(&labels, &features))
            return note_lacking(folder);
        folder->has_places = false; // the same cause needs no second note
        return note_shift(folder, &labels, &features, folder->feature_file, "features");
    }
    range edges = no_range;
    for (int64_t i = 0; i < folder->edge_nodes.n; i++)
        widen(&edges, opn_i_names_at(&folder->edge_nodes, i));
    return note_shift(folder, &labels, &edges, folder->edge_file, "edge");
}
