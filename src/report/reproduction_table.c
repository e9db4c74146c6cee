// reproduction_table.c -- the paper's figures beside ours, as text and as Markdown.

#include "report/reproduction_data.h"

#include "io/bytes.h"
#include "io/file_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const tables[] = {"main",          "main-appendix",
                                     "ablation-main", "ablation-appendix",
                                     "dropedge",      "beyond"};
static const char *const tasks[] = {"misclassification", "ood"};
enum { N_TABLES = sizeof(tables) / sizeof(tables[0]), N_TASKS = 2, N_ANSWERS = 3 };

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
            "against s-bgcn-t)"};
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
    opn_i_release(&alloc, found);
}

// How a page looks: text for a terminal, or Markdown.
typedef struct page {
    opn_i_file_writer *file;
    const opn_reproduction *found;
    bool is_markdown;
} page;

static void put_gap(const page *p)
{
    opn_i_file_writer_printf(p->file, p->is_markdown ? " | " : "  ");
}

static void put_text(const page *p, int width, const char *text)
{
    opn_i_file_writer_printf(p->file, "%-*s", p->is_markdown ? 0 : width, text);
}

static void start_row(const page *p)
{
    opn_i_file_writer_printf(p->file, p->is_markdown ? "| " : "");
}

static void end_row(const page *p)
{
    opn_i_file_writer_printf(p->file, p->is_markdown ? " |\n" : "\n");
}

static void put_heading(const page *p, const char *text)
{
    opn_i_file_writer_printf(p->file, p->is_markdown ? "\n## %s\n\n" : "\n%s\n\n", text);
}

// ---- figures -------------------------------------------------------------------------

static void put_figure(const page *p, double paper, opn_estimate ours)
{
    if (isnan(paper))
        opn_i_file_writer_printf(p->file, "%5s", "");
    else
        opn_i_file_writer_printf(p->file, "%5.1f", paper);
    put_gap(p);
    if (ours.n == 0)
        opn_i_file_writer_printf(p->file, "%11s", "");
    else if (ours.n == 1)
        opn_i_file_writer_printf(p->file, "%5.1f%6s", ours.mean, "");
    else
        opn_i_file_writer_printf(p->file, "%5.1f ± %-3.1f", ours.mean,
                                 0.5 * (ours.high - ours.low));
    put_gap(p);
    if (isnan(paper) || ours.n == 0)
        opn_i_file_writer_printf(p->file, "%5s", "");
    else
        opn_i_file_writer_printf(p->file, "%+5.1f", ours.mean - paper);
}

static void put_row_heads(const page *p)
{
    static const struct {
        const char *text;
        int width;
    } heads[] = {{"dataset", 10},    {"model", 12}, {"measure", 11}, {"setting", 13},
                 {"AUROC paper", 5}, {"ours", 11},  {"diff.", 5},    {"AUPR paper", 5},
                 {"ours", 11},       {"diff.", 5}};
    start_row(p);
    for (size_t h = 0; h < sizeof(heads) / sizeof(heads[0]); h++) {
        const char *text = heads[h].text;
        if (!p->is_markdown && strstr(text, " paper") != NULL)
            text = h == 4 ? "AUROC" : "AUPR"; // where it is narrow
        if (h > 0)
            put_gap(p);
        put_text(p, heads[h].width, text);
    }
    end_row(p);
    if (p->is_markdown)
        opn_i_file_writer_printf(p->file, "|---|---|---|---|--:|--:|--:|--:|--:|--:|\n");
}

static void put_row(const page *p, const opn_i_result_row *row)
{
    start_row(p);
    put_text(p, 10, row->dataset);
    put_gap(p);
    put_text(p, 12, row->model);
    put_gap(p);
    put_text(p, 11, row->measure);
    put_gap(p);
    put_text(p, 13, row->setting);
    for (int k = 0; k < OPN_AUROC_AUPR; k++) {
        put_gap(p);
        put_figure(p, row->paper[k], row->ours[k]);
    }
    end_row(p);
}

static void put_table(const page *p, const char *table, const char *task)
{
    bool has_heading = false;
    for (int32_t r = 0; r < p->found->n_rows; r++) {
        const opn_i_result_row *row = &p->found->row[r];
        char heading[96];
        if (strcmp(row->table, table) != 0 || strcmp(row->task, task) != 0)
            continue;
        if (!has_heading) {
            snprintf(heading, sizeof(heading), "Table %s: %s", table,
                     strcmp(task, "ood") == 0 ? "out-of-distribution detection"
                                              : "misclassification detection");
            put_heading(p, heading);
            if (strcmp(table, "beyond") == 0)
                opn_i_file_writer_printf(
                        p->file,
                        "Not of the paper; its figure beside them is that of "
                        "s-bgcn-t-k by %s.\n\n",
                        strcmp(task, "ood") == 0 ? "vacuity" : "dissonance");
            put_row_heads(p);
            has_heading = true;
        }
        put_row(p, row);
    }
}

// ---- answers and costs ---------------------------------------------------------------

static void put_difference(const page *p, const opn_comparison *d)
{
    opn_i_file_writer_printf(p->file, "%+.1f [%.1f, %.1f]", d->difference, d->low,
                             d->high);
}

static void put_answer(const page *p, const opn_i_answer *answer)
{
    start_row(p);
    put_text(p, 10, answer->dataset);
    put_gap(p);
    put_text(p, 13, opn_i_verdict(&answer->difference[0]));
    put_gap(p);
    put_text(p, 11, answer->rival);
    for (int k = 0; k < OPN_AUROC_AUPR; k++) {
        put_gap(p);
        put_difference(p, &answer->difference[k]);
    }
    put_gap(p);
    opn_i_file_writer_printf(p->file, "%.3f", answer->difference[0].p_value);
    end_row(p);
}

static void put_answers(const page *p)
{
    for (int number = 1; number <= N_ANSWERS; number++) {
        bool has_heading = false;
        for (int32_t a = 0; a < p->found->n_answers; a++) {
            char heading[200];
            if (p->found->answer[a].number != number)
                continue;
            if (!has_heading) {
                snprintf(heading, sizeof(heading), "Answer A%d: %s", number,
                         opn_i_question(number));
                put_heading(p, heading);
                opn_i_file_writer_printf(
                        p->file,
                        p->is_markdown
                                ? "| dataset | verdict | against | AUROC difference [95 "
                                  "%%] | AUPR difference [95 %%] | p of Wilcoxon "
                                  "(AUROC) |\n|---|---|---|--:|--:|--:|\n"
                                : "dataset     verdict        against      AUROC "
                                  "difference [95 %%]  AUPR difference [95 %%]  p of "
                                  "Wilcoxon\n");
            }
            has_heading = true;
            put_answer(p, &p->found->answer[a]);
        }
    }
}

static void put_cost(const page *p, const opn_i_cost *cost)
{
    start_row(p);
    put_text(p, 10, cost->dataset);
    put_gap(p);
    put_text(p, 17, cost->task);
    put_gap(p);
    put_text(p, 12, cost->model);
    put_gap(p);
    put_text(p, 13, cost->setting);
    put_gap(p);
    opn_i_file_writer_printf(p->file, "%5d", (int)cost->n_seeds);
    put_gap(p);
    opn_i_file_writer_printf(p->file, "%6.0f", cost->n_pool);
    put_gap(p);
    opn_i_file_writer_printf(p->file, "%5.1f %%", cost->prevalence);
    put_gap(p);
    opn_i_file_writer_printf(p->file, "%6.0f", cost->n_epochs);
    put_gap(p);
    if (isnan(cost->seconds))
        opn_i_file_writer_printf(p->file, "%7s", "kept");
    else
        opn_i_file_writer_printf(p->file, "%7.2f", cost->seconds);
    end_row(p);
}

static void put_costs(const page *p)
{
    put_heading(p, "Runs");
    opn_i_file_writer_printf(
            p->file, "Pool and share of positives of the scores; epochs of the model and "
                     "seconds of one run on one core, without loading, as means over the "
                     "seeds. kept: the trained model was there from before.\n\n");
    opn_i_file_writer_printf(
            p->file,
            p->is_markdown
                    ? "| dataset | task | model | setting | seeds | pool | positive | "
                      "epochs | seconds |\n|---|---|---|---|--:|--:|--:|--:|--:|\n"
                    : "dataset     task               model         setting        seeds "
                      "   pool  positive  epochs  seconds\n");
    for (int32_t c = 0; c < p->found->n_costs; c++)
        put_cost(p, &p->found->cost[c]);
}

static void put_introduction(const page *p)
{
    if (p->is_markdown)
        opn_i_file_writer_printf(
                p->file,
                "# Results\n\nWritten by `opine reproduce -o RUN` (version %s), which "
                "keeps every single result in `RUN/cells.jsonl`; never edited by hand.\n",
                opn_version());
    opn_i_file_writer_printf(
            p->file,
            "%sPercent; ours as mean ± half of the 95 %% interval over seeds, or splits "
            "where they are drawn.\n",
            p->is_markdown ? "\n" : "");
}

static opn_status
save_page(opn_ctx *ctx, const opn_reproduction *found, const char *path, bool is_markdown)
{
    opn_status status = OPN_OK;
    page p = {.found = found, .is_markdown = is_markdown};
    OPN_TRY(opn_i_file_writer_open(ctx, path, &p.file));
    put_introduction(&p);
    put_answers(&p);
    for (int t = 0; t < N_TABLES; t++)
        for (int k = 0; k < N_TASKS; k++)
            put_table(&p, tables[t], tasks[k]);
    put_costs(&p);
    return opn_i_file_writer_commit(p.file);
cleanup:
    return status;
}

opn_status
opn_reproduction_save(opn_ctx *ctx, const opn_reproduction *found, const char *path)
{
    if (strcmp(path, "-.json") == 0)
        return opn_i_reproduction_export(ctx, found, "-", true);
    if (opn_i_path_ends_in(path, ".json"))
        return opn_i_reproduction_export(ctx, found, path, true);
    if (opn_i_path_ends_in(path, ".csv"))
        return opn_i_reproduction_export(ctx, found, path, false);
    return save_page(ctx, found, path, opn_i_path_ends_in(path, ".md"));
}
