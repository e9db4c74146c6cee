// page.h -- the page of a report: its parts as the build made them from web/.

#ifndef OPN_PAGE_H
#define OPN_PAGE_H

#include "report/report_data.h"

#include <stddef.h>

// One part of the page. The frame has the markers @POLICY@, @STYLE@, @LICENCE@, @DATA@,
// @LIBRARY@ and @SCRIPT@, where the others go.
typedef struct opn_i_page_part {
    const char *name; // "FRAME", "STYLE", …
    const unsigned char *bytes;
    size_t n;
} opn_i_page_part;

// Made by cmake/page.cmake; without the charting library there is none.
extern const opn_i_page_part opn_i_page_parts[];
extern const int opn_i_n_page_parts;

// The text of the page: names, curves, tables, and which arrays there are. *block is the
// numbers of all nodes, to be freed. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_page_data(opn_ctx *ctx,
                                         const opn_report *report,
                                         json_t **about,
                                         unsigned char **block,
                                         size_t *n_block);

#endif // OPN_PAGE_H
