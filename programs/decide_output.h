// decide_output.h -- what opine predict says about its decisions, beside the predictions.

#ifndef OPINE_DECIDE_OUTPUT_H
#define OPINE_DECIDE_OUTPUT_H

#include "command.h"

// Whether an option asks for decisions.
bool is_deciding(const opine_app *app);

// Says on stderr which threshold was picked, what coverage costs and how many nodes are
// accepted, unless -q.
void tell_decisions(const opine_app *app, const opn_decisions *decisions);

// Prints the beginning of a JSON document: all of its members when it is_whole, else up
// to a member "nodes" that the caller prints before "}". Exit code.
int print_decisions(const opine_app *app, const opn_decisions *decisions, bool is_whole);

#endif // OPINE_DECIDE_OUTPUT_H
