// run_output.h -- where the verbs that keep a run in a folder write.

#ifndef OPINE_RUN_OUTPUT_H
#define OPINE_RUN_OUTPUT_H

#include "command.h"

// The folder of -o; NULL when no run is kept.
const char *run_folder(const opine_app *app);

// Whether -o names a folder, which standard output is not. Else a message has been
// printed.
bool is_folder_name(const opine_app *app, const char *verb);

// FOLDER/NAME, to be freed; NULL when there is no memory.
char *path_in(const char *folder, const char *name);

// The name under which the library writes to standard output, as text or JSON.
const char *standard_output(const opine_app *app);

#endif // OPINE_RUN_OUTPUT_H
