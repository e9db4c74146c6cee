// run_output.h -- where verbs write: the folder of a run, or a file.

#ifndef OPINE_RUN_OUTPUT_H
#define OPINE_RUN_OUTPUT_H

#include "command.h"

// The folder of -o; NULL when no run is kept.
const char *run_folder(const opine_app *app);

// Whether -o names a folder, which standard output is not. Else a message has been
// printed.
bool is_folder_name(const opine_app *app, const char *verb);

// Whether the file of -o can be written, before work that would be lost: it is not a
// folder, and none of the files that are read. Else a message has been printed. Exit
// code.
int check_output_file(const opine_app *app);

// FOLDER/NAME, to be freed; NULL when there is no memory.
char *path_in(const char *folder, const char *name);

// The name under which the library writes to standard output, as text or JSON.
const char *standard_output(const opine_app *app);

#endif // OPINE_RUN_OUTPUT_H
