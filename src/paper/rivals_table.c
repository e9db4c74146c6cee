// rivals_table.c -- the tables of the protocols of other papers, as text and Markdown.

#include "paper/rivals.h"

#include "report/estimate_output.h"

#include <stdio.h>
#include <string.h>

// Whether two rows are of one table.
static bool is_same_task(const opn_i_rival_row *a, const opn_i_rival_row *b)
{
    return strcmp(a->protocol, b->protocol) == 0 && strcmp(a->shift, b->shift) == 0;
}

static void put_head(const opn_i_result_page *p, const opn_i_rival_row *row)
{
    static const opn_i_result_column columns[] = {
            {"dataset", 10, false}, {"method", 12, false},  {"score", 19, false},
            {"AUROC", 14, true},    {"AUPR", 14, true},     {"AUPR ID", 14, true},
            {"FPR95 ID", 14, true}, {"accuracy", 14, true},
    };
    const bool has_shift = strcmp(row->shift, "none") != 0;
    opn_i_page_heading(p, "Table rivals: protocol %s%s%s", row->protocol,
                       has_shift ? ", shift " : "", has_shift ? row->shift : "");
    opn_i_page_columns(p, columns, sizeof(columns) / sizeof(columns[0]));
}

static void put_row(const opn_i_result_page *p, const opn_i_rival_row *row)
{
    char score[32];
    opn_i_page_text(p, 10, row->dataset);
    opn_i_page_text(p, 12, row->method);
    snprintf(score, sizeof(score), "%s%s%s", row->score,
             row->isolated[0] != 0 ? ", " : "", row->isolated);
    opn_i_page_text(p, 19, score);
    for (int f = 0; f < OPN_N_RIVAL_FIGURES; f++) {
        opn_i_page_start_cell(p);
        opn_i_text_add_estimate(opn_i_page_line(p), &row->figure[f], 1);
    }
    opn_i_page_end_row(p);
}

// Whether the tables have a row of that method, as published.
static bool is_shown(const opn_reproduction *found, const char *method)
{
    for (int32_t r = 0; r < found->n_rivals; r++)
        if (strcmp(found->rival[r].method, method) == 0)
            return true;
    return false;
}

// A line for each published method that is in a table.
static void put_sources(const opn_i_result_page *p)
{
    opn_i_file_writer_printf(
            p->file,
            "\nOurs: preset strong, the same on every graph; split, shift and "
            "initialisation drawn anew for each seed.\ngnnsafe is the energy of gcn as "
            "GNNSafe propagates it; keep and uncertain say what nodes without neighbours "
            "count as.\nPublished, as their authors state:\n\n");
    for (size_t f = 0; f < opn_i_rival_figure_count(); f++) {
        const opn_i_rival_figure *figure = opn_i_rival_figure_at(f);
        bool is_first = true;
        for (size_t other = 0; other < f; other++)
            is_first = is_first &&
                       strcmp(opn_i_rival_figure_at(other)->method, figure->method) != 0;
        if (is_first && is_shown(p->found, figure->method))
            opn_i_file_writer_printf(p->file, "- %s: %s; %s.\n", figure->method,
                                     figure->source, figure->difference);
    }
}

void opn_i_put_rivals(const opn_i_result_page *p)
{
    const opn_i_rival_row *row = p->found->rival;
    const int32_t n = p->found->n_rivals;
    for (int32_t r = 0; r < n; r++) {
        bool is_first = true;
        for (int32_t before = 0; before < r; before++)
            is_first = is_first && !is_same_task(&row[before], &row[r]);
        if (!is_first)
            continue;
        put_head(p, &row[r]);
        for (int32_t other = r; other < n; other++)
            if (is_same_task(&row[other], &row[r]))
                put_row(p, &row[other]);
    }
    if (n > 0)
        put_sources(p);
}
