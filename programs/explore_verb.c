// explore_verb.c -- opine explore: serves the report of a model until Ctrl-C.

#include "command.h"
#include "json_output.h"
#include "style.h"

#include <stdio.h>
#include <string.h>

// Prints the address at once, since whoever reads it waits for it.
static int print_address(const opine_app *app, const char *address)
{
    int code = EXIT_DONE;
    if (opn_params_flag(app->params, "json")) {
        json_t *document = json_object();
        put_json(document, "address", json_string(address));
        code = print_json(document);
    } else {
        print_key("address");
        printf("%s\n", address);
    }
    if (fflush(stdout) == 0)
        return code;
    complain("standard output cannot be written");
    return EXIT_FAILED;
}

int run_explore(opine_app *app)
{
    opn_explorer *explorer = NULL;
    const char *data = app->n_arguments > 1 ? app->argument[1] : NULL;
    if (strcmp(app->argument[0], "-") == 0) {
        complain("explore reads MODEL from a file, not from standard input");
        return EXIT_USAGE;
    }
    opn_status status =
            opn_explorer_load(app->ctx, app->argument[0], data, app->params, &explorer);
    if (status == OPN_OK)
        status = opn_explorer_serve(app->ctx, explorer,
                                    opn_params_text(app->params, "listen"));
    terminal_clear();
    int code = status == OPN_OK ? print_address(app, opn_explorer_address(explorer))
                                : complain_status(app, status);
    if (status == OPN_OK && code == EXIT_DONE) {
        if (!opn_params_flag(app->params, "quiet"))
            complain("open this address in a browser; Ctrl-C ends it");
        code = complain_status(app, opn_explorer_wait(app->ctx, explorer));
    }
    opn_explorer_free(explorer);
    return code;
}
