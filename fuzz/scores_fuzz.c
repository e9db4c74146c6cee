// scores_fuzz.c -- any bytes as the scores of another tool, and as a table of labels for
// them: all that opine decide does with its input.

#include "load_fuzz.h"
#include "mend_zip.h"
#include "opine/decide.h"
#include "opine/scores.h"
#include "predict/prediction_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What scores.h promises of all that is taken.
static void check_prediction(const opn_graph *graph,
                             const opn_split *split,
                             const opn_prediction *said)
{
    const size_t width = (size_t)said->n_classes;
    fuzz_check(said->n_nodes == opn_graph_n_nodes(graph) && said->n_nodes > 0);
    fuzz_check(said->n_classes >= 2 && said->n_classes <= opn_graph_n_classes(graph));
    fuzz_check(opn_split_n_known(split) == said->n_classes);
    for (int32_t i = 0; i < said->n_nodes; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < width; k++)
            sum += (double)said->probability[(size_t)i * width + k];
        fuzz_check(fabs(sum - 1.0) < 0.001 * (double)width + 1e-4);
        fuzz_check(said->predicted[i] >= 0 && said->predicted[i] < said->n_classes);
    }
}

static void decide(opn_ctx *ctx,
                   const opn_params *params,
                   const opn_graph *graph,
                   const opn_split *split,
                   opn_prediction *said)
{
    char path[FUZZ_PATH];
    opn_decisions *made = NULL;
    fuzz_path(path, "saved.npz");
    fuzz_check(opn_prediction_decide(ctx, NULL, graph, split, params, said, &made) ==
               OPN_OK);
    fuzz_check(opn_prediction_save(ctx, NULL, graph, split, said, path) == OPN_OK);
    opn_decisions_free(made);
}

static void read_scores(const char *path, const char *labels)
{
    opn_ctx *ctx = NULL;
    opn_params *params = NULL;
    opn_graph *graph = NULL;
    opn_split *split = NULL;
    opn_prediction *said = NULL;
    fuzz_check(opn_ctx_create(NULL, &ctx) == OPN_OK);
    fuzz_check(opn_params_create(ctx, &params) == OPN_OK);
    fuzz_check(opn_params_set(ctx, params, "coverage", "0.5") == OPN_OK);
    fuzz_check(opn_params_set(ctx, params, "ood_fdr", "0.5") == OPN_OK);
    if (labels != NULL)
        fuzz_check(opn_params_set(ctx, params, "labels", labels) == OPN_OK);
    const opn_status status = opn_scores_load(ctx, path, params, &graph, &split, &said);
    if (status == OPN_OK) {
        check_prediction(graph, split, said);
        decide(ctx, params, graph, split, said);
    } else {
        fuzz_check(fuzz_blames_input(status) || status == OPN_ERR_SHAPE);
        fuzz_check(graph == NULL && split == NULL && said == NULL);
    }
    opn_prediction_free(said);
    opn_split_free(split);
    opn_graph_free(graph);
    opn_params_free(params);
    opn_ctx_free(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"scores", "labels"};
    char path[FUZZ_PATH];
    char labels[FUZZ_PATH];
    fuzz_open_folder(names, 2);
    fuzz_path(path, names[0]);
    fuzz_path(labels, names[1]);
    const size_t end = fuzz_file_end(data, size, 0);
    const size_t start = end + strlen(fuzz_separator);
    uint8_t *mended = malloc(size + 1);
    fuzz_check(mended != NULL);
    if (size > 0)
        memcpy(mended, data, size);
    mend_checksums(mended, end);
    fuzz_write_file(names[0], mended, end);
    if (start <= size) {
        fuzz_write_file(names[1], data + start, size - start);
        read_scores(path, labels);
    } else {
        read_scores(path, NULL);
    }
    free(mended);
    return 0;
}
