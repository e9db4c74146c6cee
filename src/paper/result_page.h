// result_page.h -- tables of results on a page: text for a terminal, or Markdown.

#ifndef OPN_RESULT_PAGE_H
#define OPN_RESULT_PAGE_H

#include "io/file_write.h"
#include "paper/reproduction_data.h"

// How a page looks.
typedef struct opn_i_result_page {
    opn_i_file_writer *file;
    const opn_reproduction *found;
    bool is_markdown;
    bool is_summary; // in Markdown: what tells most, with a link to the rest
} opn_i_result_page;

typedef struct opn_i_result_column {
    const char *name;
    int width;
    bool is_number;
} opn_i_result_column;

opn_i_text *opn_i_page_line(const opn_i_result_page *p);

void opn_i_page_heading(const opn_i_result_page *p, const char *fmt, ...)
        OPN_PRINTF(2, 3);
void opn_i_page_columns(const opn_i_result_page *p,
                        const opn_i_result_column *columns,
                        size_t n);

// Cells, one after the other; the first of a row begins the row.
void opn_i_page_start_cell(const opn_i_result_page *p);
void opn_i_page_text(const opn_i_result_page *p, int width, const char *text);
void opn_i_page_number(const opn_i_result_page *p,
                       int width,
                       int n_digits,
                       double number); // blank for NaN
void opn_i_page_end_row(const opn_i_result_page *p);

#endif // OPN_RESULT_PAGE_H
