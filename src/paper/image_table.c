// image_table.c -- the paper's table of images beside ours, as text, CSV and JSON.

#include "paper/image_table.h"

#include "io/json_write.h"
#include "opine/measure.h"
#include "paper/image_runs.h"
#include "report/estimate_output.h"

#include <math.h>
#include <string.h>

// Mean epistemic uncertainty in the paper's appendix, of MNIST and of FashionMNIST.
static const double paper_epistemic[OPN_IMAGE_TERMS][2] = {
        {0.140, 0.249}, {0.116, 0.049}, {0.105, 0.076}, {0.041, 0.020}};

// ---- cells over the seeds ------------------------------------------------------------

enum { MOST_SEEDS = 1000 }; // of the parameter

typedef enum image_figure {
    FIGURE_ACCURACY = 0,
    FIGURE_INSIDE = 1,
    FIGURE_OUTSIDE = 2,
    FIGURE_AUROC = 3
} image_figure;
enum { N_FIGURES = 4 };

static const char *const figure_names[N_FIGURES] = {"accuracy", "mean-in", "mean-out",
                                                    "auroc"};

static void values_of(const opn_reproduction *found,
                      int model,
                      int term,
                      image_figure figure,
                      int32_t measure,
                      double value[MOST_SEEDS])
{
    for (int32_t s = 0; s < found->n_image_seeds; s++) {
        const opn_i_image_cell *cell =
                &found->image_cell[(s * OPN_IMAGE_MODELS + model) * OPN_IMAGE_TERMS +
                                   term];
        value[s] = figure == FIGURE_ACCURACY  ? cell->accuracy
                   : figure == FIGURE_INSIDE  ? cell->inside[measure]
                   : figure == FIGURE_OUTSIDE ? cell->outside[measure]
                                              : cell->auroc[measure];
    }
}

static opn_estimate estimate_of(const opn_reproduction *found,
                                int model,
                                int term,
                                image_figure figure,
                                int32_t measure)
{
    double value[MOST_SEEDS];
    opn_estimate estimate;
    values_of(found, model, term, figure, measure, value);
    opn_estimate_mean(found->n_image_seeds, value, &estimate);
    return estimate;
}

static double paper_of(int model, int term, image_figure figure, int32_t measure)
{
    const bool is_there = model == 0 && measure == OPN_MEASURE_EPISTEMIC &&
                          (figure == FIGURE_INSIDE || figure == FIGURE_OUTSIDE);
    return is_there ? paper_epistemic[term][figure == FIGURE_OUTSIDE] : (double)NAN;
}

// Whether the model is less sure outside, as the paper finds without unlabelled images,
// and surer with them: by the interval of the difference, paired by seed.
static opn_status verdict_of(opn_ctx *ctx,
                             const opn_reproduction *found,
                             int model,
                             int term,
                             const char **out)
{
    opn_status status = OPN_OK;
    double inside[MOST_SEEDS];
    double outside[MOST_SEEDS];
    opn_comparison above;
    values_of(found, model, term, FIGURE_INSIDE, OPN_MEASURE_EPISTEMIC, inside);
    values_of(found, model, term, FIGURE_OUTSIDE, OPN_MEASURE_EPISTEMIC, outside);
    if (term == 0)
        OPN_TRY(opn_compare(ctx, found->n_image_seeds, outside, inside, 1, &above));
    else
        OPN_TRY(opn_compare(ctx, found->n_image_seeds, inside, outside, 1, &above));
    *out = opn_i_verdict(&above);
cleanup:
    return status;
}

enum { PAPER_WIDTH = 10 };

// ---- text ----------------------------------------------------------------------------

typedef struct image_page {
    opn_i_file_writer *file;
    bool is_markdown;
} image_page;

static opn_i_text *start_cell(const image_page *p)
{
    opn_i_text *line = opn_i_file_writer_line(p->file);
    opn_i_text_add(line, "%s",
                   line->n == 0 ? (p->is_markdown ? "| " : "")
                                : (p->is_markdown ? " | " : "  "));
    return line;
}

static void put_text(const image_page *p, int width, const char *text)
{
    opn_i_text_add(start_cell(p), "%-*s", p->is_markdown ? 0 : width, text);
}

static void put_number(const image_page *p, int width, double number)
{
    opn_i_text *line = start_cell(p);
    if (isnan(number))
        opn_i_text_add(line, "%*s", width, "");
    else
        opn_i_text_add(line, "%*.3f", width, number);
}

static void put_estimate(const image_page *p, const opn_estimate *estimate, int n_digits)
{
    opn_i_text_add_estimate(start_cell(p), estimate, n_digits);
}

static void end_row(const image_page *p)
{
    opn_i_text_add(opn_i_file_writer_line(p->file), "%s", p->is_markdown ? " |" : "");
    opn_i_file_writer_end_line(p->file);
}

static void
put_head(const image_page *p, const char *const *names, const int *widths, int n)
{
    for (int c = 0; c < n; c++)
        put_text(p, widths[c], names[c]);
    end_row(p);
    for (int c = 0; c < n && p->is_markdown; c++)
        opn_i_file_writer_printf(p->file, "%s", c < 2 ? "|---" : "|--:");
    if (p->is_markdown)
        opn_i_file_writer_printf(p->file, "|\n");
}

static void put_settings(const image_page *p, const opn_reproduction *found)
{
    opn_i_file_writer_printf(
            p->file,
            "Mean uncertainty of unlabelled images, entropies in nats: in, like the 50 "
            "labelled ones (MNIST), and\nout (FashionMNIST), which the paper gives for "
            "epistemic alone; half of the images that take part in\ntraining are out. "
            "AUROC of telling them apart, and accuracy on MNIST's test images, in "
            "percent; over\n%d seed%s. As in the paper: without unlabelled images the "
            "model is less sure outside, with them surer.\nEvery run:",
            found->n_image_seeds, found->n_image_seeds == 1 ? "" : "s");
    for (size_t n = 0; n < opn_i_image_setting_count(); n++)
        opn_i_file_writer_printf(p->file, " %s %s%s", opn_i_image_setting_at(n)->name,
                                 opn_i_image_setting_at(n)->value,
                                 n + 1 < opn_i_image_setting_count() ? "," : "");
    opn_i_file_writer_printf(p->file, "; all else at its default.\n\n");
}

static void put_measure_row(const image_page *p,
                            const opn_reproduction *found,
                            int model,
                            int term,
                            int32_t measure)
{
    for (int f = FIGURE_INSIDE; f <= FIGURE_AUROC; f++) {
        const opn_estimate ours =
                estimate_of(found, model, term, (image_figure)f, measure);
        if (f != FIGURE_AUROC)
            put_number(p, PAPER_WIDTH, paper_of(model, term, (image_figure)f, measure));
        put_estimate(p, &ours, f == FIGURE_AUROC ? 1 : 3);
    }
}

static opn_status
put_paper_table(opn_ctx *ctx, const image_page *p, const opn_reproduction *found)
{
    static const char *const names[] = {"model", "unlabelled", "paper, in",
                                        "ours",  "paper, out", "ours",
                                        "AUROC", "accuracy",   "as in the paper"};
    static const int widths[] = {9, 13, PAPER_WIDTH, 14, PAPER_WIDTH, 14, 14, 14, 13};
    opn_status status = OPN_OK;
    put_head(p, names, widths, 9);
    for (int m = 0; m < OPN_IMAGE_MODELS; m++) {
        for (int t = 0; t < OPN_IMAGE_TERMS; t++) {
            const opn_estimate accuracy = estimate_of(found, m, t, FIGURE_ACCURACY, 0);
            const char *verdict = "";
            OPN_TRY(verdict_of(ctx, found, m, t, &verdict));
            put_text(p, widths[0], opn_i_image_models[m]);
            put_text(p, widths[1], opn_i_image_titles[t]);
            put_measure_row(p, found, m, t, OPN_MEASURE_EPISTEMIC);
            put_estimate(p, &accuracy, 1);
            put_text(p, widths[8], verdict);
            end_row(p);
        }
    }
cleanup:
    return status;
}

static void put_other_measures(const image_page *p, const opn_reproduction *found)
{
    static const char *const names[] = {"model", "unlabelled", "measure",
                                        "in",    "out",        "AUROC"};
    static const int widths[] = {9, 13, 11, 14, 14, 14};
    opn_i_file_writer_printf(p->file, "\nThe other measures:\n\n");
    put_head(p, names, widths, 6);
    for (int m = 0; m < OPN_IMAGE_MODELS; m++) {
        for (int32_t k = 0; k < OPN_IMAGE_MEASURES; k++) {
            for (int t = 0; t < OPN_IMAGE_TERMS; t++) {
                if (k == OPN_MEASURE_EPISTEMIC ||
                    estimate_of(found, m, t, FIGURE_INSIDE, k).n == 0)
                    continue;
                put_text(p, widths[0], opn_i_image_models[m]);
                put_text(p, widths[1], opn_i_image_titles[t]);
                put_text(p, widths[2], opn_measure_name((opn_measure)k));
                for (int f = FIGURE_INSIDE; f <= FIGURE_AUROC; f++) {
                    const opn_estimate ours =
                            estimate_of(found, m, t, (image_figure)f, k);
                    put_estimate(p, &ours, f == FIGURE_AUROC ? 1 : 3);
                }
                end_row(p);
            }
        }
    }
}

opn_status opn_i_image_table(opn_ctx *ctx,
                             const opn_reproduction *found,
                             bool is_markdown,
                             bool is_summary,
                             opn_i_file_writer *file)
{
    opn_status status = OPN_OK;
    const image_page p = {file, is_markdown};
    opn_i_file_writer_printf(file, "\n%sTable images: epistemic uncertainty%s",
                             is_markdown ? "## " : "", "\n\n");
    put_settings(&p, found);
    OPN_TRY(put_paper_table(ctx, &p, found));
    if (!is_summary)
        put_other_measures(&p, found);
cleanup:
    return status;
}

// ---- CSV and JSON --------------------------------------------------------------------

// One figure of a run, or of all measures; what each row of both forms has.
typedef struct image_row {
    const char *model, *term, *figure, *measure;
    double paper;
    opn_estimate ours;
} image_row;

typedef void use_row(void *user, const image_row *row);

static void each_row(const opn_reproduction *found, use_row *use, void *user)
{
    for (int m = 0; m < OPN_IMAGE_MODELS; m++) {
        for (int t = 0; t < OPN_IMAGE_TERMS; t++) {
            for (int j = 0; j < 1 + 3 * OPN_IMAGE_MEASURES; j++) {
                const image_figure f = (image_figure)(j == 0 ? 0 : 1 + (j - 1) % 3);
                const int32_t k = j == 0 ? 0 : (j - 1) / 3;
                const image_row row = {
                        .model = opn_i_image_models[m],
                        .term = opn_i_image_terms[t],
                        .figure = figure_names[f],
                        .measure = j == 0 ? "" : opn_measure_name((opn_measure)k),
                        .paper = paper_of(m, t, f, k),
                        .ours = estimate_of(found, m, t, f, k)};
                if (row.ours.n > 0)
                    use(user, &row);
            }
        }
    }
}

static void put_csv_number(opn_i_file_writer *file, double number)
{
    if (isnan(number))
        opn_i_file_writer_put(file, ",", 1);
    else
        opn_i_file_writer_printf(file, ",%.6g", number);
}

static void put_csv_row(void *user, const image_row *row)
{
    opn_i_file_writer *file = user;
    const double numbers[] = {row->paper,    row->ours.mean, row->ours.mean - row->paper,
                              row->ours.low, row->ours.high, row->ours.std};
    opn_i_file_writer_printf(file, "images,ood,mnist,%s,%s,%s,%s", row->model, row->term,
                             row->figure, row->measure);
    for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++)
        put_csv_number(file, numbers[n]);
    opn_i_file_writer_printf(file, ",%d\n", (int)row->ours.n);
}

void opn_i_image_csv(const opn_reproduction *found, opn_i_file_writer *file)
{
    if (found->n_image_seeds > 0)
        each_row(found, put_csv_row, file);
}

static void add_json_row(void *user, const image_row *row)
{
    json_t *object = json_object();
    opn_i_json_set(object, "table", opn_i_json_string("images"));
    opn_i_json_set(object, "model", opn_i_json_string(row->model));
    opn_i_json_set(object, "unlabelled", opn_i_json_string(row->term));
    opn_i_json_set(object, "metric", opn_i_json_string(row->figure));
    opn_i_json_set(object, "measure", opn_i_json_string(row->measure));
    opn_i_json_set(object, "paper", opn_i_json_number(row->paper));
    opn_i_json_set(object, "mean", opn_i_json_number(row->ours.mean));
    opn_i_json_set(object, "ci95", opn_i_json_interval(row->ours.low, row->ours.high));
    opn_i_json_set(object, "std", opn_i_json_number(row->ours.std));
    opn_i_json_set(object, "seeds", json_integer(row->ours.n));
    opn_i_json_append(user, object);
}

json_t *opn_i_image_json(const opn_reproduction *found)
{
    json_t *rows = json_array();
    if (found->n_image_seeds > 0)
        each_row(found, add_json_row, rows);
    return rows;
}
