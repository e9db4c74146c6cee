// train_output.h -- what opine train says about its work and its model.

#ifndef OPINE_TRAIN_OUTPUT_H
#define OPINE_TRAIN_OUTPUT_H

#include "command.h"

// Says what is going to be trained, unless the user wants quiet.
void tell_work(const opine_app *app, const opn_graph *graph, const opn_split *split);

// Prints what training did, as text or as JSON. Returns an exit code.
int print_training(const opine_app *app, const opn_model *model, const char *path);

#endif // OPINE_TRAIN_OUTPUT_H
