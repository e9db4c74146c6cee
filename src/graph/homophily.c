// homophily.c -- how often edges join nodes of the same class.

#include "graph/homophily.h"

#include <math.h>

// Homophily beyond what the classes' degrees would give by chance, Platonov et al. 2022:
// (h - sum_k p_k^2) / (1 - sum_k p_k^2), where p_k = D_k / 2E is the share of class k in
// the ends of the edges. With a single class the denominator is 0.
static double adjust_homophily(double homophily, const int64_t *n_ends, int32_t n_classes)
{
    int64_t n_all = 0;
    int32_t n_present = 0;
    double by_chance = 0;
    for (int32_t k = 0; k < n_classes; k++) {
        n_all += n_ends[k];
        n_present += n_ends[k] > 0;
    }
    if (n_present < 2)
        return (double)NAN;
    for (int32_t k = 0; k < n_classes; k++) {
        const double share = (double)n_ends[k] / (double)n_all;
        by_chance += share * share;
    }
    return (homophily - by_chance) / (1 - by_chance);
}

// Undirected edges are stored twice, which no ratio here depends on.
opn_status opn_i_homophily(opn_ctx *ctx,
                           const opn_graph *graph,
                           const int32_t *label,
                           opn_i_homophily_info *out)
{
    opn_status status = OPN_OK;
    const opn_i_csr *a = &graph->topology;
    int64_t *n_ends = NULL; // [K] of the edges between labelled nodes
    int64_t n_scored = 0;
    int64_t n_alike = 0;
    OPN_TRY_NEW(ctx, n_ends, graph->n_classes);
    for (opn_vid i = 0; i < a->n_rows; i++) {
        for (opn_off e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
            const opn_vid j = a->col_idx[e];
            if (i == j || label[i] < 0 || label[j] < 0)
                continue;
            n_scored++;
            n_alike += label[i] == label[j];
            n_ends[label[i]]++;
            n_ends[label[j]]++;
        }
    }
    out->n_edges = graph->is_undirected ? n_scored / 2 : n_scored;
    out->share = n_scored > 0 ? (double)n_alike / (double)n_scored : (double)NAN;
    out->adjusted = adjust_homophily(out->share, n_ends, graph->n_classes);
cleanup:
    opn_i_release(&ctx->alloc, n_ends);
    return status;
}
