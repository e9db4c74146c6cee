// report_verb.c -- opine report: what a run has found, as a page.

#include "command.h"

#include <stdio.h>
#include <string.h>

int run_report(opine_app *app)
{
    opn_report *report = NULL;
    const char *path = opn_params_text(app->params, "output");
    if (path[0] == 0) {
        complain("report needs -o FILE.html");
        return EXIT_USAGE;
    }
    if (!opn_report_is_supported()) // before work that would be for nothing
        return complain_status(app, opn_report_save(app->ctx, NULL, path));
    opn_status status = opn_report_load(app->ctx, app->argument[0],
                                        app->n_arguments > 1 ? app->argument[1] : NULL,
                                        app->params, &report);
    if (status == OPN_OK)
        status = opn_report_save(app->ctx, report, path);
    terminal_clear();
    const int code = status == OPN_OK ? EXIT_DONE : complain_status(app, status);
    if (code == EXIT_DONE && strcmp(path, "-") != 0)
        printf("report       %s\n", path);
    opn_report_free(report);
    return code;
}
