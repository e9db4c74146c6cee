// reproduction_table.c -- the paper's figures beside ours, as text and as Markdown.

#include "paper/result_page.h"
#include "paper/rivals.h"

#include "io/bytes.h"
#include "io/path.h"
#include "opinion/measure_table.h"
#include "paper/image_table.h"
#include "report/estimate_output.h"

#include <math.h>
#include <string.h>

static const char *const tables[] = {
        "main", "main-appendix", "ablation-main", "ablation-appendix", "dropedge",
        "gat",  "rule",          "beyond",        "encoders"};
static const char *const tasks[] = {"misclassification", "ood"};
enum { N_TABLES = sizeof(tables) / sizeof(tables[0]), N_TASKS = 2, N_ANSWERS = 5 };

const char *opn_i_verdict(const opn_comparison *difference)
{
    if (difference->n < 2) // one pair has no spread
        return "undecided";
    return difference->low > 0.0    ? "supported"
           : difference->high < 0.0 ? "not supported"
                                    : "undecided";
}

const char *opn_i_question(int number)
{
    static const char *const texts[N_ANSWERS] = {
            "dissonance finds misclassified nodes best (s-bgcn-t-k, against the best of "
            "its other measures)",
            "vacuity finds out-of-distribution nodes best (s-bgcn-t-k, against the best "
            "of its other measures)",
            "the GKDE prior helps vacuity find out-of-distribution nodes (s-bgcn-t-k "
            "against s-bgcn-t)",
            "margin finds more misclassified nodes than dissonance (s-bgcn-t-k; not of "
            "the paper)",
            "fused vacuity finds more out-of-distribution nodes than smoothed vacuity "
            "(s-bgcn-t-k, preset strong; not of the paper)"};
    return texts[number - 1];
}

void opn_reproduction_free(opn_reproduction *found)
{
    if (found == NULL)
        return;
    const opn_alloc alloc = found->alloc;
    opn_i_release(&alloc, found->row);
    opn_i_release(&alloc, found->answer);
    opn_i_release(&alloc, found->cost);
    opn_i_release(&alloc, found->rival);
    opn_i_release(&alloc, found->image_cell);
    opn_i_release(&alloc, found);
}

// ---- figures -------------------------------------------------------------------------

static void put_figure(opn_i_result_page *p, double paper, const opn_estimate *ours)
{
    opn_i_page_number(p, 5, 1, paper);
    opn_i_page_start_cell(p);
    opn_i_text_add_estimate(opn_i_page_line(p), ours, 1);
    opn_i_page_start_cell(p);
    if (isnan(paper) || ours->n == 0)
        opn_i_text_add(opn_i_page_line(p), "%5s", "");
    else
        opn_i_text_add_difference(opn_i_page_line(p), 5, ours->mean - paper);
}

static void put_row(opn_i_result_page *p, const opn_i_result_row *row)
{
    opn_i_page_text(p, 10, row->dataset);
    opn_i_page_text(p, 12, row->model);
    opn_i_page_text(p, 11, row->measure);
    opn_i_page_text(p, 13, row->setting);
    for (int k = 0; k < OPN_AUROC_AUPR; k++)
        put_figure(p, row->paper[k], &row->ours[k]);
    opn_i_page_end_row(p);
}

static void put_table_head(opn_i_result_page *p, const char *table, const char *task)
{
    const bool has_accuracy = strcmp(table, "gat") == 0; // and nothing else
    const char *first = has_accuracy ? "ours" : "AUROC, ours";
    const opn_i_result_column columns[] = {
            {"dataset", 10, false}, {"model", 12, false}, {"measure", 11, false},
            {"setting", 13, false}, {"paper", 5, true},   {first, 14, true},
            {"diff.", 5, true},     {"paper", 5, true},   {"AUPR, ours", 14, true},
            {"diff.", 5, true}};
    const bool is_ood = strcmp(task, "ood") == 0;
    opn_i_page_heading(p, "Table %s: %s", table,
                       has_accuracy ? "classification"
                       : is_ood     ? "out-of-distribution detection"
                                    : "misclassification detection");
    if (strcmp(table, "rule") == 0 || strcmp(table, "beyond") == 0 ||
        strcmp(table, "encoders") == 0)
        opn_i_file_writer_printf(p->file,
                                 "Not of the paper; its figure beside them is that of "
                                 "s-bgcn-t-k by %s.\n\n",
                                 is_ood ? "vacuity" : "dissonance");
    opn_i_page_columns(p, columns, sizeof(columns) / sizeof(columns[0]));
}

// The paper's main model by the measure that it recommends for the task, and what is to
// be better.
static bool is_headline(const opn_i_result_row *row)
{
    if (strcmp(row->table, "rule") == 0)
        return true;
    return strcmp(row->table, "main") == 0 && strcmp(row->model, "s-bgcn-t-k") == 0 &&
           strcmp(row->measure, opn_measure_name(opn_i_recommended_measure(row->task))) ==
                   0;
}

static void put_table(opn_i_result_page *p, const char *table, const char *task)
{
    bool has_head = false;
    for (int32_t r = 0; r < p->found->n_rows; r++) {
        const opn_i_result_row *row = &p->found->row[r];
        if (strcmp(row->table, table) != 0 || strcmp(row->task, task) != 0 ||
            (p->is_summary && !is_headline(row)))
            continue;
        if (!has_head)
            put_table_head(p, table, task);
        has_head = true;
        put_row(p, row);
    }
}

// ---- answers and costs ---------------------------------------------------------------

// A mean difference and its interval in 20 columns; one seed has no interval.
static void put_difference(opn_i_result_page *p, const opn_comparison *d)
{
    if (d->n == 0) {
        opn_i_text_add(opn_i_page_line(p), "%20s", "");
        return;
    }
    opn_i_text_add_difference(opn_i_page_line(p), 5, d->difference);
    if (d->n == 1) {
        opn_i_text_add(opn_i_page_line(p), "%15s", "");
        return;
    }
    opn_i_text_add(opn_i_page_line(p), " [");
    opn_i_text_add_difference(opn_i_page_line(p), 5, d->low);
    opn_i_text_add(opn_i_page_line(p), ", ");
    opn_i_text_add_difference(opn_i_page_line(p), 5, d->high);
    opn_i_text_add(opn_i_page_line(p), "]");
}

static void put_answer(opn_i_result_page *p, const opn_i_answer *answer)
{
    opn_i_page_text(p, 10, answer->dataset);
    opn_i_page_text(p, 13, opn_i_verdict(&answer->difference[0]));
    opn_i_page_text(p, 11, answer->rival);
    for (int k = 0; k < OPN_AUROC_AUPR; k++) {
        opn_i_page_start_cell(p);
        put_difference(p, &answer->difference[k]);
    }
    opn_i_page_number(p, 5, 3, answer->difference[0].p_value);
    opn_i_page_end_row(p);
}

static void put_answers(opn_i_result_page *p, int number)
{
    static const opn_i_result_column columns[] = {
            {"dataset", 10, false},     {"verdict", 13, false},    {"against", 11, false},
            {"AUROC [95 %]", 20, true}, {"AUPR [95 %]", 20, true}, {"p", 5, true}};
    bool has_head = false;
    for (int32_t a = 0; a < p->found->n_answers; a++) {
        if (p->found->answer[a].number != number)
            continue;
        if (!has_head) {
            opn_i_page_heading(p, "Answer A%d: %s", number, opn_i_question(number));
            opn_i_page_columns(p, columns, sizeof(columns) / sizeof(columns[0]));
        }
        has_head = true;
        put_answer(p, &p->found->answer[a]);
    }
}

static void put_costs(opn_i_result_page *p)
{
    static const opn_i_result_column columns[] = {
            {"dataset", 10, false}, {"task", 17, false}, {"model", 12, false},
            {"setting", 13, false}, {"seeds", 5, true},  {"pool", 6, true},
            {"positive", 8, true},  {"epochs", 6, true}, {"seconds", 7, true}};
    opn_i_page_heading(p, "Runs");
    opn_i_file_writer_printf(
            p->file,
            "Pool and share of positives of the scores; epochs of the model and "
            "seconds of one run on one\ncore, without loading, as means over the "
            "seeds. No seconds: the trained model was there from before.\n\n");
    opn_i_page_columns(p, columns, sizeof(columns) / sizeof(columns[0]));
    for (int32_t c = 0; c < p->found->n_costs; c++) {
        const opn_i_cost *cost = &p->found->cost[c];
        opn_i_page_text(p, 10, cost->dataset);
        opn_i_page_text(p, 17, cost->task);
        opn_i_page_text(p, 12, cost->model);
        opn_i_page_text(p, 13, cost->setting);
        opn_i_page_number(p, 5, 0, cost->n_seeds);
        opn_i_page_number(p, 6, 0, cost->n_pool);
        opn_i_page_number(p, 8, 1, cost->prevalence);
        opn_i_page_number(p, 6, 0, cost->n_epochs);
        opn_i_page_number(p, 7, 2, cost->seconds);
        opn_i_page_end_row(p);
    }
}

static void put_introduction(const opn_i_result_page *p)
{
    if (p->is_markdown)
        opn_i_file_writer_printf(
                p->file,
                "# Results\n\nWritten by `opine reproduce` (version %s), which keeps "
                "every single result in `cells.jsonl`\nof its folder; never edited by "
                "hand.\n\n",
                opn_version());
    if (p->found->n_rows > 0)
        opn_i_file_writer_printf(p->file,
                                 "Percent; ours as mean ± half of the 95 %% interval "
                                 "over seeds, or splits where they are drawn.\n");
    if (p->found->n_answers > 0)
        opn_i_file_writer_printf(
                p->file,
                "Answers: mean difference seed by seed with its bootstrap "
                "interval, p of Wilcoxon's test for AUROC;\nsupported means that "
                "the interval of AUROC is above 0.\n");
    if (p->is_summary)
        opn_i_file_writer_printf(
                p->file,
                "\nOf the paper's main table here is its own model by the measure it "
                "recommends for the task; other\nmodels, measures, tables and what the "
                "runs cost: [results.md](results.md).\n");
}

static opn_status save_page(opn_ctx *ctx, const opn_reproduction *found, const char *path)
{
    opn_status status = OPN_OK;
    opn_i_result_page p = {.found = found,
                           .is_markdown = opn_i_path_ends_in(path, ".md"),
                           .is_summary =
                                   strcmp(opn_i_base_name(path), "summary.md") == 0};
    OPN_TRY(opn_i_file_writer_open(ctx, path, &p.file));
    put_introduction(&p);
    for (int number = 1; number <= N_ANSWERS; number++)
        put_answers(&p, number);
    for (int t = 0; t < N_TABLES; t++)
        for (int k = 0; k < N_TASKS; k++)
            put_table(&p, tables[t], tasks[k]);
    opn_i_put_rivals(&p);
    if (found->n_image_seeds > 0)
        OPN_TRY(opn_i_image_table(ctx, found, p.is_markdown, p.is_summary, p.file));
    if (!p.is_summary && (found->n_costs > 0 || found->n_image_seeds == 0))
        put_costs(&p);
    status = opn_i_file_writer_commit(p.file);
    p.file = NULL;
cleanup:
    opn_i_file_writer_discard(p.file);
    return status;
}

opn_status
opn_reproduction_save(opn_ctx *ctx, const opn_reproduction *found, const char *path)
{
    OPN_REJECT_NULL(ctx, found, path);
    if (strcmp(path, "-.json") == 0)
        return opn_i_reproduction_export(ctx, found, "-", true);
    if (opn_i_path_ends_in(path, ".json"))
        return opn_i_reproduction_export(ctx, found, path, true);
    if (opn_i_path_ends_in(path, ".csv"))
        return opn_i_reproduction_export(ctx, found, path, false);
    return save_page(ctx, found, path);
}
