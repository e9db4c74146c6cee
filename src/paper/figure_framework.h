// figure_framework.h -- how the parts of the method work together.

#ifndef OPN_FIGURE_FRAMEWORK_H
#define OPN_FIGURE_FRAMEWORK_H

#include "base/context.h"

// Writes the figure as SVG or PDF: graph, prior, teacher, student, opinion. Errors:
// WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_figure_framework(opn_ctx *ctx, const char *path);

#endif // OPN_FIGURE_FRAMEWORK_H
