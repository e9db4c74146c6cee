// report_verb.c -- opine report: shows the results of a run as a page.

#include "command.h"
#include "json_output.h"
#include "run_output.h"
#include "style.h"

#include <stdio.h>
#include <string.h>

static int print_path(const opine_app *app, const char *path)
{
    if (!opn_params_flag(app->params, "json")) {
        print_key("report");
        printf("%s\n", path);
        return EXIT_DONE;
    }
    json_t *document = json_object();
    put_json(document, "file", json_string(path));
    return print_json(document);
}

// Returns an exit code; on failure a message has been printed.
static int check_streams(const opine_app *app, const char *path)
{
    if (path[0] == 0)
        complain("report needs -o FILE.html");
    else if (strcmp(app->argument[0], "-") == 0)
        complain("report reads RUN from a file or a folder, not from standard input");
    else if (strcmp(path, "-") == 0 && opn_params_flag(app->params, "json"))
        complain("report: --json and -o - would both write to standard output");
    else
        return EXIT_DONE;
    return EXIT_USAGE;
}

int run_report(opine_app *app)
{
    opn_report *report = NULL;
    const char *path = opn_params_text(app->params, "output");
    if (check_streams(app, path) != EXIT_DONE)
        return EXIT_USAGE;
    const int checked = check_output_file(app, ".html .htm");
    if (checked != EXIT_DONE)
        return checked;
    if (!opn_report_is_supported()) // before doing work in vain
        return complain_status(app, opn_report_save(app->ctx, NULL, path));
    opn_status status = opn_report_load(app->ctx, app->argument[0],
                                        app->n_arguments > 1 ? app->argument[1] : NULL,
                                        app->params, &report);
    if (status == OPN_OK)
        status = opn_report_save(app->ctx, report, path);
    terminal_clear();
    int code = status == OPN_OK ? EXIT_DONE : complain_status(app, status);
    if (code == EXIT_DONE && strcmp(path, "-") != 0)
        code = print_path(app, path);
    opn_report_free(report);
    return code;
}
