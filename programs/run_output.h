// run_output.h -- where verbs write: a run folder, or a file.

#ifndef OPINE_RUN_OUTPUT_H
#define OPINE_RUN_OUTPUT_H

#include "command.h"

// The folder given by -o; NULL if the run is not saved.
const char *run_folder(const opine_app *app);

// Whether a name that is to be a folder ends like a file, ".csv"; never an existing one.
bool looks_like_a_file(const char *path);

// Whether -o names a folder rather than standard output or a file. If not, a message has
// been printed.
bool is_folder_name(const opine_app *app, const char *verb);

// Checks before any work that the file of -o can be written: it must not be a folder or
// one of the input files, and must not end like another kind of file than one of the
// `suffixes`, ".csv .json"; without any suffix it is fine. Returns an exit code; on
// failure a message has been printed.
int check_output_file(const opine_app *app, const char *suffixes);

// Whether the verb is to do a part of its runs only.
bool is_shard(const opine_app *app);

// Prints what a shard has done. Returns an exit code.
int print_shard(const opine_app *app, const opn_shard_summary *done);

// FOLDER/NAME, to be freed; NULL if out of memory.
char *path_in(const char *folder, const char *name);

// The name that makes the library write to standard output, as text or JSON.
const char *standard_output(const opine_app *app);

#endif // OPINE_RUN_OUTPUT_H
