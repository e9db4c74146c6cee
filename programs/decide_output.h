// decide_output.h -- prints the decisions of opine predict.

#ifndef OPINE_DECIDE_OUTPUT_H
#define OPINE_DECIDE_OUTPUT_H

#include "command.h"

// Whether an option asks for decisions.
bool is_deciding(const opine_app *app);

// Prints to stderr which threshold was picked, what coverage costs and how many nodes are
// accepted, unless -q.
void tell_decisions(const opine_app *app, const opn_decisions *decisions);

// Prints the JSON document of predictions that went to a file: its members are those of a
// document with the nodes, which are null here. Returns an exit code.
int print_decisions(const opn_prediction *prediction);

#endif // OPINE_DECIDE_OUTPUT_H
