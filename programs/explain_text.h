// explain_text.h -- prints an explanation for reading in a terminal.

#ifndef OPINE_EXPLAIN_TEXT_H
#define OPINE_EXPLAIN_TEXT_H

#include "command.h"

// What is being explained.
typedef struct explained {
    const opn_model *model;
    const opn_graph *graph;
    const opn_explanation *e;
} explained;

// Prints to standard output, in at most 80 columns.
void print_explanation(const explained *x);

#endif // OPINE_EXPLAIN_TEXT_H
