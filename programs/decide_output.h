// decide_output.h -- prints and saves the decisions of opine predict and decide.

#ifndef OPINE_DECIDE_OUTPUT_H
#define OPINE_DECIDE_OUTPUT_H

#include "command.h"

// Whether an option asks for decisions.
bool is_deciding(const opine_app *app);

// Prints to stderr which threshold was picked, what coverage costs and how many nodes are
// accepted, unless -q.
void tell_decisions(const opine_app *app, const opn_decisions *decisions);

// Saves predictions where -o says, or prints them. --json always prints a document; if
// the nodes go to a file, they are null in it. `model` and `split` may be NULL. Returns
// an exit code; on failure a message has been printed.
int save_prediction(opine_app *app,
                    const opn_model *model,
                    const opn_graph *graph,
                    const opn_split *split,
                    const opn_prediction *prediction);

#endif // OPINE_DECIDE_OUTPUT_H
