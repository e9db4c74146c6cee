// evaluation_table.c -- results of several models as text and JSON.

#include "experiment/evaluation_data.h"
#include "graph/protocol.h"
#include "io/bytes.h"
#include "io/file_write.h"
#include "io/json_write.h"
#include "opinion/measure_table.h"
#include "report/estimate_output.h"
#include "report/text_wrap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static bool is_ood(const opn_evaluation *evaluation)
{
    return strcmp(opn_i_evaluation_scored(evaluation), "ood") == 0;
}

// The score the paper recommends for the task, or entropy unless both models have it.
static int32_t main_score(const opn_evaluation *evaluation, int32_t m, int32_t other)
{
    const int32_t score =
            (int32_t)opn_i_recommended_measure(opn_i_evaluation_scored(evaluation));
    const int32_t both[] = {m, other};
    for (int b = 0; b < 2; b++)
        if (isnan(opn_i_evaluation_cells(evaluation, both[b])
                          ->metric[OPN_METRIC_AUROC][score]))
            return OPN_MEASURE_ENTROPY;
    return score;
}

// Model m against model 0, paired by seed, on accuracy and on AUROC of a shared score.
typedef struct duel {
    int32_t score;
    opn_comparison accuracy, auroc;
} duel;

static opn_status
compare(opn_ctx *ctx, const opn_evaluation *evaluation, int32_t m, duel *out)
{
    opn_status status = OPN_OK;
    double value[4][OPN_MAX_SEEDS];
    const opn_cell *a = opn_i_evaluation_cells(evaluation, 0);
    const opn_cell *b = opn_i_evaluation_cells(evaluation, m);
    out->score = main_score(evaluation, 0, m);
    for (int32_t s = 0; s < evaluation->n_seeds; s++) {
        value[0][s] = a[s].quality[OPN_QUALITY_ACCURACY];
        value[1][s] = b[s].quality[OPN_QUALITY_ACCURACY];
        value[2][s] = a[s].metric[OPN_METRIC_AUROC][out->score];
        value[3][s] = b[s].metric[OPN_METRIC_AUROC][out->score];
    }
    OPN_TRY(opn_compare(ctx, evaluation->n_seeds, value[0], value[1], 0, &out->accuracy));
    OPN_TRY(opn_compare(ctx, evaluation->n_seeds, value[2], value[3], 0, &out->auroc));
cleanup:
    return status;
}

// ---- text ----------------------------------------------------------------------------

// A column of the table of scores: a metric, or the accuracy that goes with it.
typedef struct score_column {
    const char *head;
    int metric; // -1: accuracy
} score_column;
enum { N_SCORE_COLUMNS = 5 };

// Under the protocols of other papers the known nodes are positive as well, as in those,
// and accuracy stands beside every figure.
static const score_column *score_columns(const opn_evaluation *evaluation)
{
    static const score_column usual[N_SCORE_COLUMNS] = {
            {"AUROC", OPN_METRIC_AUROC},
            {"AUPR", OPN_METRIC_AUPR},
            {"AUPR err", OPN_METRIC_AUPR_ERRORS},
            {"FPR95", OPN_METRIC_FPR95},
            {"AURC", OPN_METRIC_AURC}};
    static const score_column rival[N_SCORE_COLUMNS] = {
            {"AUROC", OPN_METRIC_AUROC},
            {"AUPR", OPN_METRIC_AUPR},
            {"AUPR ID", OPN_METRIC_AUPR_ERRORS},
            {"FPR95 ID", OPN_METRIC_FPR95_ERRORS},
            {"accuracy", -1}};
    const bool is_rival = opn_i_protocol_of(evaluation->params)->is_rival;
    return is_rival && is_ood(evaluation) ? rival : usual;
}

static void put_scores(opn_i_file_writer *file, const opn_evaluation *evaluation)
{
    const score_column *column = score_columns(evaluation);
    opn_i_text *line = opn_i_file_writer_line(file);
    opn_i_text_add(line, "%-14s", "score");
    for (int k = 0; k < N_SCORE_COLUMNS; k++)
        opn_i_text_add(line, "   %-*s", OPN_SHORT_WIDTH - 1, column[k].head);
    opn_i_file_writer_end_line(file);
    for (int32_t m = 0; m < opn_evaluation_n_models(evaluation); m++) {
        opn_i_text_add(line, "%s", opn_evaluation_model(evaluation, m));
        opn_i_file_writer_end_line(file);
        for (int32_t s = 0; s < OPN_N_SCORES; s++) {
            if (opn_evaluation_metric(evaluation, m, OPN_METRIC_AURC, s).n == 0)
                continue;
            opn_i_text_add(line, "  %-12s", opn_score_name(s));
            for (int k = 0; k < N_SCORE_COLUMNS; k++) {
                const opn_metric metric = (opn_metric)column[k].metric;
                const opn_estimate e =
                        column[k].metric < 0
                                ? opn_evaluation_quality(evaluation, m,
                                                         OPN_QUALITY_ACCURACY)
                                : opn_evaluation_metric(evaluation, m, metric, s);
                opn_i_text_add(line, "  ");
                opn_i_text_add_short(line, &e, 1);
            }
            opn_i_file_writer_end_line(file);
        }
    }
}

static void put_qualities(opn_i_file_writer *file, const opn_evaluation *evaluation)
{
    enum { N_HEADS = OPN_QUALITY_ECE + 1 };
    static const char *const heads[N_HEADS] = {"accuracy", "Brier", "NLL", "ECE"};
    static const int digits[N_HEADS] = {1, 3, 3, 1};
    opn_i_text *line = opn_i_file_writer_line(file);
    opn_i_file_writer_end_line(file);
    opn_i_text_add(line, "%-12s", "model");
    for (int q = 0; q < N_HEADS; q++)
        opn_i_text_add(line, "  %-*s",
                       (digits[q] == 1 ? OPN_SHORT_WIDTH : OPN_SHORT_WIDTH_3) - 1,
                       heads[q]);
    opn_i_text_add(line, "%7s%8s", "epochs", "seconds");
    opn_i_file_writer_end_line(file);
    for (int32_t m = 0; m < opn_evaluation_n_models(evaluation); m++) {
        const opn_i_means mean = opn_i_evaluation_means(evaluation, m);
        opn_i_text_add(line, "%-12s", opn_evaluation_model(evaluation, m));
        for (int q = 0; q < N_HEADS; q++) {
            const opn_estimate e = opn_evaluation_quality(evaluation, m, (opn_quality)q);
            opn_i_text_add(line, " ");
            opn_i_text_add_short(line, &e, digits[q]);
        }
        opn_i_text_add(line, "%7.0f", mean.n_epochs);
        if (isnan(mean.total_seconds))
            opn_i_text_add(line, "%8s", "kept");
        else
            opn_i_text_add(line, "%8.*f", mean.total_seconds < 1000.0 ? 2 : 0,
                           mean.total_seconds);
        opn_i_file_writer_end_line(file);
    }
}

// One row of the figures that start at a quality: those of p, or of what is calibrated.
static void put_calibration(opn_i_file_writer *file,
                            const opn_evaluation *evaluation,
                            int32_t m,
                            int first)
{
    static const int digits[] = {3, 3, 1, 1};
    const bool is_before = first == OPN_QUALITY_BRIER;
    opn_i_text *line = opn_i_file_writer_line(file);
    opn_i_text_add(line, "%-12s  %-6s",
                   is_before ? opn_evaluation_model(evaluation, m) : "",
                   is_before ? "before" : "after");
    for (int q = 0; q < 4; q++) {
        const opn_estimate e =
                opn_evaluation_quality(evaluation, m, (opn_quality)(first + q));
        opn_i_text_add(line, "  ");
        opn_i_text_add_short(line, &e, digits[q]);
    }
    opn_i_file_writer_end_line(file);
}

// What calibration does to the probabilities of each model that could be calibrated.
static void put_calibrations(opn_i_file_writer *file, const opn_evaluation *evaluation)
{
    bool is_headed = false;
    for (int32_t m = 0; m < opn_evaluation_n_models(evaluation); m++) {
        if (opn_evaluation_quality(evaluation, m, OPN_QUALITY_CALIBRATED_ECE).n == 0)
            continue;
        if (!is_headed)
            opn_i_file_writer_printf(file, "\n%-20s   %-12s   %-12s   %-10s   %s\n",
                                     "calibration", "Brier", "NLL", "ECE",
                                     "adaptive ECE");
        is_headed = true;
        put_calibration(file, evaluation, m, OPN_QUALITY_BRIER);
        put_calibration(file, evaluation, m, OPN_QUALITY_CALIBRATED_BRIER);
    }
}

// What auto chose over the seeds, in a line of its own.
static void put_chosen(opn_i_file_writer *file, const opn_evaluation *evaluation)
{
    opn_i_chosen chosen[OPN_MAX_CANDIDATES];
    opn_i_text *line = opn_i_file_writer_line(file);
    for (int32_t m = 0; m < opn_evaluation_n_models(evaluation); m++) {
        const int n = opn_i_evaluation_chosen(evaluation, m, chosen);
        for (int c = 0; c < n; c++) {
            opn_i_text_add(line, "%s %s", c == 0 ? "\nauto chose" : ",", chosen[c].model);
            if (chosen[c].n == 1)
                opn_i_text_add(line, " once");
            else
                opn_i_text_add(line, " %d times", (int)chosen[c].n);
        }
        if (n > 0)
            opn_i_file_writer_end_line(file);
    }
}

// Writes nothing if no seed has both figures.
static void put_comparison(opn_i_file_writer *file,
                           const char *model,
                           const char *what,
                           const opn_comparison *c)
{
    opn_i_text *line = opn_i_file_writer_line(file);
    if (c->n == 0)
        return;
    opn_i_text_add(line, "%-12s  %-17s %+6.1f  [%.1f, %.1f]  p %.3f", model, what,
                   c->difference, c->low, c->high, c->p_value);
    opn_i_file_writer_end_line(file);
}

static opn_status
put_duels(opn_ctx *ctx, opn_i_file_writer *file, const opn_evaluation *evaluation)
{
    opn_status status = OPN_OK;
    char what[32];
    if (opn_evaluation_n_models(evaluation) < 2 || evaluation->n_seeds < 2)
        return OPN_OK;
    opn_i_file_writer_printf(
            file,
            "\n%s minus each other model, over the seeds: mean difference,\n"
            "[95 %% interval], p of the Wilcoxon signed-rank test\n",
            opn_evaluation_model(evaluation, 0));
    for (int32_t m = 1; m < opn_evaluation_n_models(evaluation); m++) {
        duel d;
        OPN_TRY(compare(ctx, evaluation, m, &d));
        put_comparison(file, opn_evaluation_model(evaluation, m), "accuracy",
                       &d.accuracy);
        snprintf(what, sizeof(what), "AUROC, %s", opn_score_name(d.score));
        put_comparison(file, d.accuracy.n > 0 ? "" : opn_evaluation_model(evaluation, m),
                       what, &d.auroc);
    }
cleanup:
    return status;
}

static void put_title(opn_i_file_writer *file, const opn_evaluation *evaluation)
{
    const opn_i_means first = opn_i_evaluation_means(evaluation, 0);
    opn_i_wrapper title = {.file = file};
    opn_i_text *line = opn_i_file_writer_line(file);
    opn_i_text_add(line, ", %s, protocol %s", opn_params_text(evaluation->params, "task"),
                   opn_params_text(evaluation->params, "protocol"));
    if (opn_i_protocol_of(evaluation->params)->rule == OPN_SPLIT_GNNSAFE)
        opn_i_text_add(line, ", shift %s", opn_params_text(evaluation->params, "shift"));
    opn_i_text_add(line, ", preset %s: %d seed%s, ",
                   opn_params_text(evaluation->params, "preset"),
                   (int)evaluation->n_seeds, evaluation->n_seeds == 1 ? "" : "s");
    opn_i_text_add(line, "pool of %.0f nodes, %.1f %% of them %s", first.n_pool,
                   first.prevalence,
                   is_ood(evaluation) ? "out of distribution"
                                      : "classified correctly by the first model");
    opn_i_wrap(&title, evaluation->dataset);
    opn_i_wrap_line(&title);
    opn_i_wrap_end(&title);
    opn_i_wrap_end(&title);
}

static opn_status
save_text(opn_ctx *ctx, const opn_evaluation *evaluation, const char *path)
{
    opn_status status = OPN_OK;
    opn_i_file_writer *file = NULL;
    OPN_TRY(opn_i_file_writer_open(ctx, path, &file));
    put_title(file, evaluation);
    put_scores(file, evaluation);
    put_qualities(file, evaluation);
    put_calibrations(file, evaluation);
    put_chosen(file, evaluation);
    OPN_TRY(put_duels(ctx, file, evaluation));
    status = opn_i_file_writer_commit(file);
    file = NULL;
cleanup:
    opn_i_file_writer_discard(file);
    return status;
}

// ---- JSON ----------------------------------------------------------------------------

static json_t *json_seconds(const opn_i_means *mean)
{
    json_t *object = json_object();
    opn_i_json_set(object, "teacher", opn_i_json_number(mean->seconds.teacher));
    opn_i_json_set(object, "prior", opn_i_json_number(mean->seconds.prior));
    opn_i_json_set(object, "train", opn_i_json_number(mean->seconds.train));
    opn_i_json_set(object, "infer", opn_i_json_number(mean->seconds.infer));
    opn_i_json_set(object, "total", opn_i_json_number(mean->total_seconds));
    return object;
}

// How often auto chose which model.
static json_t *json_chosen(const opn_evaluation *evaluation, int32_t m)
{
    opn_i_chosen chosen[OPN_MAX_CANDIDATES];
    const int n = opn_i_evaluation_chosen(evaluation, m, chosen);
    json_t *object = json_object();
    for (int c = 0; c < n; c++)
        opn_i_json_set(object, chosen[c].model, json_integer(chosen[c].n));
    return object;
}

static json_t *json_model(const opn_evaluation *evaluation, int32_t m)
{
    json_t *object = json_object();
    json_t *epochs = json_object();
    const opn_i_means mean = opn_i_evaluation_means(evaluation, m);
    opn_i_json_set(object, "model",
                   opn_i_json_string(opn_evaluation_model(evaluation, m)));
    opn_i_json_set(object, "seeds", json_integer(evaluation->n_seeds));
    if (strcmp(opn_evaluation_model(evaluation, m), "auto") == 0)
        opn_i_json_set(object, "chosen", json_chosen(evaluation, m));
    opn_i_json_set(object, "prevalence", opn_i_json_number(mean.prevalence));
    for (int q = 0; q < OPN_N_QUALITIES; q++) {
        const opn_estimate e = opn_evaluation_quality(evaluation, m, (opn_quality)q);
        opn_i_json_set(object, opn_quality_name((opn_quality)q), opn_i_json_estimate(&e));
    }
    for (int k = 0; k < OPN_N_METRICS; k++) {
        json_t *scores = json_object();
        for (int32_t s = 0; s < OPN_N_SCORES; s++) {
            const opn_estimate e = opn_evaluation_metric(evaluation, m, (opn_metric)k, s);
            if (e.n > 0)
                opn_i_json_set(scores, opn_score_name(s), opn_i_json_estimate(&e));
        }
        opn_i_json_set(object, opn_metric_name((opn_metric)k), scores);
    }
    opn_i_json_set(epochs, "mean", opn_i_json_number(mean.n_epochs));
    opn_i_json_set(object, "epochs", epochs);
    opn_i_json_set(object, "seconds", json_seconds(&mean));
    return object;
}

static opn_status json_duels(opn_ctx *ctx, const opn_evaluation *evaluation, json_t *list)
{
    opn_status status = OPN_OK;
    for (int32_t m = 1; m < opn_evaluation_n_models(evaluation); m++) {
        duel d;
        OPN_TRY(compare(ctx, evaluation, m, &d));
        json_t *object = json_object();
        opn_i_json_set(object, "model",
                       opn_i_json_string(opn_evaluation_model(evaluation, 0)));
        opn_i_json_set(object, "against",
                       opn_i_json_string(opn_evaluation_model(evaluation, m)));
        opn_i_json_set(object, "score", opn_i_json_string(opn_score_name(d.score)));
        opn_i_json_set(object, "accuracy", opn_i_json_comparison(&d.accuracy));
        opn_i_json_set(object, "auroc", opn_i_json_comparison(&d.auroc));
        opn_i_json_append(list, object);
    }
cleanup:
    return status;
}

static json_t *json_head(const opn_evaluation *evaluation)
{
    json_t *document = json_object();
    const opn_i_means first = opn_i_evaluation_means(evaluation, 0);
    json_t *pool = json_object();
    opn_i_json_set(document, "dataset", opn_i_json_string(evaluation->dataset));
    opn_i_json_set(document, "task",
                   opn_i_json_string(opn_params_text(evaluation->params, "task")));
    opn_i_json_set(document, "scored",
                   opn_i_json_string(opn_i_evaluation_scored(evaluation)));
    opn_i_json_set(document, "protocol",
                   opn_i_json_string(opn_params_text(evaluation->params, "protocol")));
    opn_i_json_set(document, "shift",
                   opn_i_json_string(opn_params_text(evaluation->params, "shift")));
    opn_i_json_set(document, "preset",
                   opn_i_json_string(opn_params_text(evaluation->params, "preset")));
    opn_i_json_set(document, "version", opn_i_json_string(opn_version()));
    opn_i_json_set(document, "data_hash", opn_i_json_string(evaluation->data_hash));
    opn_i_json_set(document, "threads", json_integer(evaluation->n_threads));
    opn_i_json_set(pool, "nodes", json_integer(llround(first.n_pool)));
    opn_i_json_set(pool, "prevalence", opn_i_json_number(first.prevalence));
    opn_i_json_set(document, "pool", pool);
    return document;
}

static double peak_megabytes(void)
{
    struct rusage usage;
#ifdef __APPLE__
    const double unit = 1.0; // ru_maxrss is in bytes there
#else
    const double unit = 1024.0;
#endif
    const int failed = getrusage(RUSAGE_SELF, &usage);
    return failed ? 0.0 : (double)usage.ru_maxrss * unit / (1024.0 * 1024.0);
}

static opn_status
save_json(opn_ctx *ctx, const opn_evaluation *evaluation, const char *path)
{
    opn_status status = OPN_OK;
    json_t *document = json_head(evaluation);
    json_t *results = json_array();
    json_t *duels = json_array();
    for (int32_t m = 0; m < opn_evaluation_n_models(evaluation); m++)
        opn_i_json_append(results, json_model(evaluation, m));
    opn_i_json_set(document, "results", results);
    opn_i_json_set(document, "comparisons", duels);
    OPN_TRY(json_duels(ctx, evaluation, duels));
    opn_i_json_set(document, "peak_rss_mb", opn_i_json_number(peak_megabytes()));
    status = opn_i_json_save(ctx, path, document, 9);
    document = NULL;
cleanup:
    json_decref(document);
    return status;
}

opn_status
opn_evaluation_save(opn_ctx *ctx, const opn_evaluation *evaluation, const char *path)
{
    OPN_REJECT_NULL(ctx, evaluation, path);
    if (strcmp(path, "-.json") == 0)
        return save_json(ctx, evaluation, "-");
    if (opn_i_path_ends_in(path, ".json"))
        return save_json(ctx, evaluation, path);
    return save_text(ctx, evaluation, path);
}
