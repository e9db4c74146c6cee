// generate.c -- a degree-corrected contextual block model with bag-of-words features.
//
// Every node has a class, a community within the class, and a weight. Each community
// leans towards one other class with a probability of its own, on average 1 -
// `homophily`: that fraction of its edges goes there, the rest stays in its own class;
// both endpoints are drawn by weight. With probability `topic_overlap` a word of a node
// comes from the vocabulary that all classes share, else from the topic of its class or
// of the class its community leans towards. So the evidence of neighbours agrees even
// where it misleads, as in citation graphs; if every edge went astray independently, two
// steps of averaging would cancel it. Each edge and each node has a random sequence of
// its own, so the result does not depend on threads.

#include "graph/generate.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

// Weights are u^(-1/2), which gives degrees with a third-power tail as in many real
// networks, up to this cap, which keeps hubs from dominating small graphs.
static const double max_weight = 30.0;
// Nodes of a community, in mean degrees: enough that most edges are drawn only once.
static const double community_size = 10.0;
// Fraction of the edges inside a class that stay in the community.
static const double community_share = 0.95;
// Topics and the shared vocabulary follow Zipf's law from this rank on: otherwise the
// first few words alone would identify the classes.
static const double zipf_offset = 5.0;

enum {
    MAX_DRAWS = 16,         // attempts to draw a partner other than the node itself
    MAX_ROUNDS = 6,         // rounds of redrawing duplicate edges
    NODES_A_TICK = 1 << 14, // between progress reports
    EDGES_A_TICK = 1 << 16
};

typedef struct block_model {
    const opn_i_block_params *params;
    int32_t *label;           // [V] the class that generated the node, before label noise
    int32_t *by_class;        // [V] nodes sorted by class
    int32_t *class_start;     // [K + 1] where each class begins in by_class
    int32_t n_communities;    // C
    int32_t *community;       // [V] of each node
    int32_t *community_start; // [C + 1] where each begins in by_class
    int32_t *second;          // [C] the class it leans towards
    double *leaning;          // [C] with what probability
    double *mass;             // [V + 1] cumulative weights over by_class
    int32_t *guide;           // [V] position in mass of each V-th of the total
    double *word_mass;        // [F + 1] cumulative Zipf weights over ranks
    int32_t *word; // [K + 1, F] word of each rank: the topics, then the shared vocabulary
} block_model;

static void release_model(opn_ctx *ctx, block_model *model)
{
    opn_i_release(&ctx->alloc, model->label);
    opn_i_release(&ctx->alloc, model->by_class);
    opn_i_release(&ctx->alloc, model->class_start);
    opn_i_release(&ctx->alloc, model->community);
    opn_i_release(&ctx->alloc, model->community_start);
    opn_i_release(&ctx->alloc, model->second);
    opn_i_release(&ctx->alloc, model->leaning);
    opn_i_release(&ctx->alloc, model->mass);
    opn_i_release(&ctx->alloc, model->guide);
    opn_i_release(&ctx->alloc, model->word_mass);
    opn_i_release(&ctx->alloc, model->word);
}

// Index i of n with mass[i] <= x < mass[i + 1].
static int32_t locate(const double *mass, int32_t n, double x)
{
    int32_t first = 0;
    int32_t last = n;
    while (last - first > 1) {
        const int32_t middle = first + (last - first) / 2;
        if (mass[middle] <= x)
            first = middle;
        else
            last = middle;
    }
    return first;
}

static const char drawing_nodes[] = "drawing nodes"; // in messages

// ---- nodes ---------------------------------------------------------------------------

// Classes of unequal size: shares uniform in [1, 2), then normalised.
static opn_status draw_classes(opn_ctx *ctx, block_model *model)
{
    opn_status status = OPN_OK;
    const opn_i_block_params *p = model->params;
    double *share = NULL; // [K + 1] cumulative
    OPN_TRY_NEW(ctx, share, (size_t)p->n_classes + 1);
    opn_i_rng rng = opn_i_rng_start(p->seed, OPN_STREAM_GENERATE_TOPICS, 0);
    for (int32_t k = 0; k < p->n_classes; k++)
        share[k + 1] = share[k] + 1.0 + opn_i_rng_unit(&rng);
    OPN_TRY_NEW(ctx, model->label, p->n_nodes);
    rng = opn_i_rng_start(p->seed, OPN_STREAM_GENERATE_NODES, 0);
    for (int32_t i = 0; i < p->n_nodes; i++) {
        OPN_TRY_GO_ON(ctx, i, drawing_nodes);
        // The first K nodes have one class each, so that no class is empty.
        const double x = opn_i_rng_unit(&rng) * share[p->n_classes];
        model->label[i] = i < p->n_classes ? i : locate(share, p->n_classes, x);
    }
cleanup:
    opn_i_release(&ctx->alloc, share);
    return status;
}

// Sorts the nodes by class.
static opn_status order_nodes(opn_ctx *ctx, block_model *model)
{
    opn_status status = OPN_OK;
    const int32_t n = model->params->n_nodes;
    const int32_t n_classes = model->params->n_classes;
    int32_t *at = NULL; // [K] where the next node of each class goes
    OPN_TRY_NEW(ctx, at, n_classes);
    OPN_TRY_NEW(ctx, model->by_class, n);
    OPN_TRY_NEW(ctx, model->class_start, (size_t)n_classes + 1);
    for (int32_t i = 0; i < n; i++) {
        OPN_TRY_GO_ON(ctx, i, drawing_nodes);
        model->class_start[model->label[i] + 1]++;
    }
    for (int32_t k = 0; k < n_classes; k++) {
        model->class_start[k + 1] += model->class_start[k];
        at[k] = model->class_start[k];
    }
    for (int32_t i = 0; i < n; i++) {
        OPN_TRY_GO_ON(ctx, i, drawing_nodes);
        model->by_class[at[model->label[i]]++] = i;
    }
cleanup:
    opn_i_release(&ctx->alloc, at);
    return status;
}

static int32_t count_communities(const block_model *model, int32_t k)
{
    const double degree = fmax(model->params->mean_degree, 1.0);
    const int32_t n = model->class_start[k + 1] - model->class_start[k];
    return (int32_t)fmax(floor(n / (community_size * degree) + 0.5), 1.0);
}

// The leanings of the n communities of class k: most are near 0, some above 1/2. They are
// the means of u^(h / (1 - h)) over n equal parts of [0, 1], so their mean is 1 - h for
// every homophily h and no sample is harder than another.
static opn_status
set_leanings(opn_ctx *ctx, block_model *model, int32_t k, int32_t first, int32_t n)
{
    opn_status status = OPN_OK;
    const opn_i_block_params *p = model->params;
    const uint32_t n_others = (uint32_t)p->n_classes - 1;
    const double stray = 1.0 - p->homophily;
    opn_i_rng rng =
            opn_i_rng_start_at(p->seed, OPN_STREAM_GENERATE_NODES, 3, (uint64_t)k);
    double below = 0.0;
    for (int32_t c = 0; c < n; c++) {
        OPN_TRY_GO_ON(ctx, c, drawing_nodes);
        const double upto = stray > 0.0 ? pow((c + 1.0) / n, 1.0 / stray) : 0.0;
        model->leaning[first + c] = n * stray * (upto - below);
        below = upto;
        const int32_t by =
                n_others > 0 ? 1 + (int32_t)opn_i_rng_below(&rng, n_others) : 0;
        model->second[first + c] = (k + by) % p->n_classes;
    }
cleanup:
    return status;
}

static opn_status form_communities(opn_ctx *ctx, block_model *model)
{
    opn_status status = OPN_OK;
    const int32_t n_classes = model->params->n_classes;
    for (int32_t k = 0; k < n_classes; k++)
        model->n_communities += count_communities(model, k);
    OPN_TRY_NEW(ctx, model->community, model->params->n_nodes);
    OPN_TRY_NEW(ctx, model->community_start, (size_t)model->n_communities + 1);
    OPN_TRY_NEW(ctx, model->second, model->n_communities);
    OPN_TRY_NEW(ctx, model->leaning, model->n_communities);
    int32_t c = 0;
    for (int32_t k = 0; k < n_classes; k++) {
        const int32_t start = model->class_start[k];
        const int64_t n_nodes = model->class_start[k + 1] - start;
        const int32_t n = count_communities(model, k);
        OPN_TRY(set_leanings(ctx, model, k, c, n));
        for (int32_t part = 1; part <= n; part++, c++) {
            model->community_start[c + 1] = start + (int32_t)(n_nodes * part / n);
            for (int32_t at = model->community_start[c];
                 at < model->community_start[c + 1]; at++) {
                OPN_TRY_GO_ON(ctx, at, drawing_nodes);
                model->community[model->by_class[at]] = c;
            }
        }
    }
cleanup:
    return status;
}

static opn_status weigh_nodes(opn_ctx *ctx, block_model *model)
{
    opn_status status = OPN_OK;
    const int32_t n = model->params->n_nodes;
    OPN_TRY_NEW(ctx, model->mass, (size_t)n + 1);
    OPN_TRY_NEW(ctx, model->guide, n);
    opn_i_rng rng = opn_i_rng_start(model->params->seed, OPN_STREAM_GENERATE_NODES, 1);
    for (int32_t at = 0; at < n; at++) {
        OPN_TRY_GO_ON(ctx, at, drawing_nodes);
        const double weight = 1.0 / sqrt(1.0 - opn_i_rng_unit(&rng));
        model->mass[at + 1] =
                model->mass[at] + (weight < max_weight ? weight : max_weight);
    }
    int32_t at = 0;
    for (int32_t part = 0; part < n; part++) {
        OPN_TRY_GO_ON(ctx, part, drawing_nodes);
        while (at < n - 1 && model->mass[at + 1] <= model->mass[n] * part / n)
            at++;
        model->guide[part] = at;
    }
cleanup:
    return status;
}

// The node whose share of the total contains x. The guide table starts the search next to
// it: binary search over a million nodes is ten times as slow.
static int32_t node_at(const block_model *model, double x)
{
    const int32_t n = model->params->n_nodes;
    const double part = x / model->mass[n] * n;
    int32_t at = model->guide[part < n - 1 ? (int32_t)part : n - 1];
    while (at > 0 && model->mass[at] > x)
        at--;
    while (at < n - 1 && model->mass[at + 1] <= x)
        at++;
    return model->by_class[at];
}

// ---- edges ---------------------------------------------------------------------------

// Draws a node by weight from [first, last) of by_class.
static int32_t
draw_node(const block_model *model, opn_i_rng *rng, int32_t first, int32_t last)
{
    const double before = model->mass[first];
    return node_at(model, before + opn_i_rng_unit(rng) * (model->mass[last] - before));
}

// Draws edge e of a round. The first V edges of the first round start at node e, so that
// no node is isolated.
static void draw_edge(const block_model *model,
                      uint32_t round,
                      int64_t e,
                      int32_t *source,
                      int32_t *target)
{
    const opn_i_block_params *p = model->params;
    opn_i_rng rng =
            opn_i_rng_start_at(p->seed, OPN_STREAM_GENERATE_EDGES, round, (uint64_t)e);
    if (round == 0 && e < p->n_nodes)
        *source = (int32_t)e;
    else
        *source = draw_node(model, &rng, 0, p->n_nodes);
    const int32_t k = model->label[*source];
    const int32_t c = model->community[*source];
    const int32_t class_size = model->class_start[k + 1] - model->class_start[k];
    const bool wants_other = opn_i_rng_unit(&rng) < model->leaning[c];
    const bool wants_far = opn_i_rng_unit(&rng) >= community_share;
    const int32_t *range = model->community_start + c;
    if (class_size < p->n_nodes && (wants_other || class_size == 1))
        range = model->class_start + model->second[c];
    else if (wants_far)
        range = model->class_start + k;
    // A node that draws itself tries again; a heavy node in a tiny class may give up.
    for (int t = 0; t < MAX_DRAWS; t++) {
        *target = draw_node(model, &rng, range[0], range[1]);
        if (*target != *source)
            break;
    }
}

static opn_status draw_round(opn_ctx *ctx,
                             const block_model *model,
                             uint32_t round,
                             int64_t n,
                             int32_t *source,
                             int32_t *target)
{
    opn_status status = OPN_OK;
    for (int64_t first = 0; first < n; first += EDGES_A_TICK) {
        const int64_t last = n - first < EDGES_A_TICK ? n : first + EDGES_A_TICK;
        const int n_threads = opn_i_threads_for(ctx, last - first, 4096);
        (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(static) num_threads(n_threads)
        for (int64_t e = first; e < last; e++)
            draw_edge(model, round, e, &source[e], &target[e]);
        OPN_TRY(opn_i_progress(ctx, "drawing edges", last, n, "edges"));
    }
cleanup:
    return status;
}

// Draws until there are as many distinct edges as wanted, or nearly: each round replaces
// the edges that the last one lost to duplicates and self-loops.
static opn_status draw_edges(opn_ctx *ctx, const block_model *model, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const int32_t n_nodes = model->params->n_nodes;
    const double pairs = 0.5 * n_nodes * (n_nodes - 1.0);
    double wanted = floor(0.5 * n_nodes * model->params->mean_degree + 0.5);
    wanted = wanted < pairs ? wanted : pairs;
    const int64_t n_wanted = (int64_t)wanted;
    int64_t n_drawn = 0;
    int32_t *source = NULL;
    int32_t *target = NULL;
    size_t source_room = 0;
    size_t target_room = 0;
    opn_i_csr directed = {0};
    opn_i_csr merged = {0};
    OPN_TRY(opn_i_csr_init(ctx, n_nodes, n_nodes, 0, false, &merged));
    for (uint32_t round = 0; round < MAX_ROUNDS; round++) {
        const int64_t n_missing = n_wanted - opn_i_csr_n_entries(&merged) / 2;
        if (n_missing <= n_wanted / 1000)
            break;
        const size_t n_room = (size_t)(n_drawn + n_missing);
        OPN_TRY_RESERVE(ctx, source, source_room, (size_t)n_drawn, n_room);
        OPN_TRY_RESERVE(ctx, target, target_room, (size_t)n_drawn, n_room);
        OPN_TRY(draw_round(ctx, model, round, n_missing, source + n_drawn,
                           target + n_drawn));
        n_drawn += n_missing;
        OPN_TRY(opn_i_csr_from_triples(ctx, n_nodes, n_nodes, n_drawn, source, target,
                                       NULL, &directed));
        opn_i_csr_deinit(&ctx->alloc, &merged);
        OPN_TRY(opn_i_topology_undirect(ctx, &directed, &merged));
        opn_i_csr_deinit(&ctx->alloc, &directed);
    }
    *out = merged;
    merged = (opn_i_csr){0};
cleanup:
    opn_i_release(&ctx->alloc, source);
    opn_i_release(&ctx->alloc, target);
    opn_i_csr_deinit(&ctx->alloc, &directed);
    opn_i_csr_deinit(&ctx->alloc, &merged);
    return status;
}

// ---- words ---------------------------------------------------------------------------

static opn_status make_topics(opn_ctx *ctx, block_model *model)
{
    opn_status status = OPN_OK;
    const opn_i_block_params *p = model->params;
    size_t n_words;
    OPN_FAIL_IF(ctx,
                !opn_i_mul((size_t)p->n_classes + 1, (size_t)p->n_features, &n_words),
                OPN_ERR_OVERFLOW, "%d classes of %d words each are too many",
                p->n_classes, p->n_features);
    OPN_TRY_NEW(ctx, model->word_mass, (size_t)p->n_features + 1);
    OPN_TRY_NEW(ctx, model->word, n_words);
    for (int32_t r = 0; r < p->n_features; r++)
        model->word_mass[r + 1] = model->word_mass[r] + 1.0 / (r + zipf_offset);
    for (int32_t k = 0; k <= p->n_classes; k++) {
        int32_t *ranked = model->word + (size_t)k * (size_t)p->n_features;
        OPN_TRY(opn_i_go_on(ctx, "making topics"));
        for (int32_t r = 0; r < p->n_features; r++)
            ranked[r] = r;
        opn_i_rng rng =
                opn_i_rng_start(p->seed, OPN_STREAM_GENERATE_TOPICS, (uint32_t)k + 1);
        opn_i_rng_shuffle(&rng, ranked, p->n_features);
    }
cleanup:
    return status;
}

// How many words a node draws: about 0.5 to 1.5 times the mean. The fraction is rounded
// at random, so that small means are also met.
static int32_t count_words(const block_model *model, opn_i_rng *rng)
{
    const double wanted = model->params->mean_words * (0.5 + opn_i_rng_unit(rng));
    return (int32_t)floor(wanted + opn_i_rng_unit(rng));
}

static void draw_words(const block_model *model, int32_t i, int32_t n, int32_t *words)
{
    const opn_i_block_params *p = model->params;
    opn_i_rng rng =
            opn_i_rng_start_at(p->seed, OPN_STREAM_GENERATE_WORDS, 0, (uint64_t)i);
    (void)count_words(model, &rng); // skips the random numbers used for counting
    const int32_t c = model->community[i];
    // With low homophily only the words identify the classes, so they must not lean.
    const double leaning = fmin(model->leaning[c], p->homophily);
    for (int32_t w = 0; w < n; w++) {
        const bool shared = opn_i_rng_unit(&rng) < p->topic_overlap;
        const bool leans = opn_i_rng_unit(&rng) < leaning;
        const int32_t own = leans ? model->second[c] : model->label[i];
        const int32_t topic = shared ? p->n_classes : own;
        const double x = opn_i_rng_unit(&rng) * model->word_mass[p->n_features];
        const int32_t rank = locate(model->word_mass, p->n_features, x);
        words[w] = model->word[(size_t)topic * (size_t)p->n_features + (size_t)rank];
    }
}

static opn_status draw_features(opn_ctx *ctx, const block_model *model, opn_i_csr *out)
{
    opn_status status = OPN_OK;
    const opn_i_block_params *p = model->params;
    opn_i_csr x = {0};
    opn_off *row_ptr = NULL;
    OPN_TRY_NEW(ctx, row_ptr, (size_t)p->n_nodes + 1);
    for (int32_t i = 0; i < p->n_nodes; i++) {
        OPN_TRY_GO_ON(ctx, i, "counting words");
        opn_i_rng rng =
                opn_i_rng_start_at(p->seed, OPN_STREAM_GENERATE_WORDS, 0, (uint64_t)i);
        row_ptr[i + 1] = row_ptr[i] + count_words(model, &rng);
    }
    OPN_TRY(opn_i_csr_init(ctx, p->n_nodes, p->n_features, row_ptr[p->n_nodes], false,
                           &x));
    memcpy(x.row_ptr, row_ptr, ((size_t)p->n_nodes + 1) * sizeof(*row_ptr));
    for (int32_t first = 0; first < p->n_nodes; first += NODES_A_TICK) {
        const int32_t last =
                p->n_nodes - first < NODES_A_TICK ? p->n_nodes : first + NODES_A_TICK;
        const int n_threads = opn_i_threads_for(ctx, last - first, 256);
        (void)n_threads; // unused when built without OpenMP
#pragma omp parallel for schedule(static) num_threads(n_threads)
        for (int32_t i = first; i < last; i++)
            draw_words(model, i, (int32_t)(row_ptr[i + 1] - row_ptr[i]),
                       x.col_idx + row_ptr[i]);
        OPN_TRY(opn_i_progress(ctx, "drawing words", last, p->n_nodes, "nodes"));
    }
    OPN_TRY(opn_i_csr_tidy(ctx, &x));
    opn_i_release(&ctx->alloc, x.value); // a repeated word counts once
    x.value = NULL;
    *out = x;
    x = (opn_i_csr){0};
cleanup:
    opn_i_release(&ctx->alloc, row_ptr);
    opn_i_csr_deinit(&ctx->alloc, &x);
    return status;
}

// ---- the graph -----------------------------------------------------------------------

static opn_status
add_label_noise(opn_ctx *ctx, const opn_i_block_params *p, int32_t *label)
{
    opn_status status = OPN_OK;
    if (p->n_classes < 2)
        return OPN_OK;
    opn_i_rng rng = opn_i_rng_start(p->seed, OPN_STREAM_GENERATE_NODES, 2);
    for (int32_t i = 0; i < p->n_nodes; i++) {
        OPN_TRY_GO_ON(ctx, i, drawing_nodes);
        const bool changes = opn_i_rng_unit(&rng) < p->label_noise;
        const int32_t by = 1 + (int32_t)opn_i_rng_below(&rng, (uint32_t)p->n_classes - 1);
        if (changes)
            label[i] = (label[i] + by) % p->n_classes;
    }
cleanup:
    return status;
}

opn_status opn_i_generate(opn_ctx *ctx,
                          const char *name,
                          const opn_i_block_params *params,
                          opn_graph **out)
{
    opn_status status = OPN_OK;
    block_model model = {.params = params};
    opn_graph *graph = NULL;
    OPN_FAIL_IF(ctx, params->n_nodes < params->n_classes, OPN_ERR_INVALID_ARG,
                "%d nodes cannot fill %d classes", params->n_nodes, params->n_classes);
    OPN_TRY(opn_i_graph_new(ctx, name, &graph));
    graph->is_undirected = true;
    graph->n_classes = params->n_classes;
    OPN_TRY(draw_classes(ctx, &model));
    OPN_TRY(order_nodes(ctx, &model));
    OPN_TRY(form_communities(ctx, &model));
    OPN_TRY(weigh_nodes(ctx, &model));
    OPN_TRY(draw_edges(ctx, &model, &graph->topology));
    OPN_TRY(make_topics(ctx, &model));
    OPN_TRY(draw_features(ctx, &model, &graph->features.lists));
    graph->label = model.label;
    model.label = NULL;
    OPN_TRY(add_label_noise(ctx, params, graph->label));
    *out = graph;
    graph = NULL;
cleanup:
    release_model(ctx, &model);
    opn_graph_free(graph);
    return status;
}

opn_status opn_graph_generate(opn_ctx *ctx, const opn_params *params, opn_graph **out)
{
    OPN_REJECT_NULL(ctx, params, out);
    const opn_i_block_params block = {
            .n_nodes = (int32_t)opn_params_int(params, "nodes"),
            .n_classes = (int32_t)opn_params_int(params, "classes"),
            .n_features = (int32_t)opn_params_int(params, "features"),
            .mean_degree = opn_params_real(params, "mean_degree"),
            .homophily = opn_params_real(params, "homophily"),
            .mean_words = opn_params_real(params, "words"),
            .topic_overlap = opn_params_real(params, "topic_overlap"),
            .label_noise = opn_params_real(params, "label_noise"),
            .seed = (uint64_t)opn_params_int(params, "seed"),
    };
    return opn_i_generate(ctx, "generated", &block, out);
}
