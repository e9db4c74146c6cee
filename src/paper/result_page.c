// result_page.c -- tables of results on a page.

#include "paper/result_page.h"

#include <math.h>
#include <stdarg.h>

opn_i_text *opn_i_page_line(const opn_i_result_page *p)
{
    return opn_i_file_writer_line(p->file);
}

// ---- cells of a table ----------------------------------------------------------------

void opn_i_page_start_cell(const opn_i_result_page *p)
{
    if (opn_i_page_line(p)->n == 0)
        opn_i_text_add(opn_i_page_line(p), "%s", p->is_markdown ? "| " : "");
    else
        opn_i_text_add(opn_i_page_line(p), "%s", p->is_markdown ? " | " : "  ");
}

void opn_i_page_text(const opn_i_result_page *p, int width, const char *text)
{
    opn_i_page_start_cell(p);
    opn_i_text_add(opn_i_page_line(p), "%-*s", p->is_markdown ? 0 : width, text);
}

void opn_i_page_number(const opn_i_result_page *p, int width, int n_digits, double number)
{
    opn_i_page_start_cell(p);
    if (isnan(number))
        opn_i_text_add(opn_i_page_line(p), "%*s", width, "");
    else
        opn_i_text_add(opn_i_page_line(p), "%*.*f", width, n_digits, number);
}

void opn_i_page_end_row(const opn_i_result_page *p)
{
    opn_i_text_add(opn_i_page_line(p), "%s", p->is_markdown ? " |" : "");
    opn_i_file_writer_end_line(p->file);
}

void opn_i_page_heading(const opn_i_result_page *p, const char *fmt, ...)
{
    va_list args;
    opn_i_text_add(opn_i_page_line(p), "\n%s", p->is_markdown ? "## " : "");
    va_start(args, fmt);
    opn_i_text_add_list(opn_i_page_line(p), fmt, args);
    va_end(args);
    opn_i_text_add(opn_i_page_line(p), "\n");
    opn_i_file_writer_end_line(p->file);
}

void opn_i_page_columns(const opn_i_result_page *p,
                        const opn_i_result_column *columns,
                        size_t n)
{
    for (size_t c = 0; c < n; c++)
        opn_i_page_text(p, columns[c].width, columns[c].name);
    opn_i_page_end_row(p);
    if (!p->is_markdown)
        return;
    for (size_t c = 0; c < n; c++)
        opn_i_text_add(opn_i_page_line(p), "%s", columns[c].is_number ? "|--:" : "|---");
    opn_i_text_add(opn_i_page_line(p), "|");
    opn_i_file_writer_end_line(p->file);
}
