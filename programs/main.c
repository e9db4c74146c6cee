// main.c -- finds the verb, reads its options and runs it.

#include "command.h"
#include "json_output.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_at_work; // a verb is running

// OpenMP calls exit() if it is refused a thread that it counts on, with a message that
// names no option.
static void tell_of_sudden_end(void)
{
    if (is_at_work)
        complain("ended because a thread could not be started: limits on memory or "
                 "processes refuse it; --threads 1 needs none");
}

static int run_verb(opine_app *app, const opine_verb *verb, int n, char **words)
{
    const int code = options_parse(app, verb, n, words);
    if (code != EXIT_DONE)
        return code;
    if (opn_params_flag(app->params, "help")) {
        help_verb(verb);
        return EXIT_DONE;
    }
    if (!is_launched_well(app, verb))
        return EXIT_USAGE;
    if (app->rank > 0 && // the first speaks for all
        opn_params_set(app->ctx, app->params, "quiet", "on") != OPN_OK)
        return EXIT_FAILED;
    terminal_set_quiet(opn_params_flag(app->params, "quiet"),
                       opn_params_flag(app->params, "verbose") && app->rank == 0);
    const opn_hooks hooks = terminal_hooks();
    opn_status status = opn_ctx_set_hooks(app->ctx, &hooks);
    if (status == OPN_OK)
        status = opn_ctx_set_threads(app->ctx,
                                     (int)opn_params_int(app->params, "threads"));
    if (status != OPN_OK)
        return complain_status(app, status);
    app->verb = verb;
    is_at_work = atexit(tell_of_sudden_end) == 0;
    const int ended = verb->run(app);
    is_at_work = false;
    return ended;
}

// Output that could not be written is a failure, whatever the verb returned.
static int close_output(int code)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE) {
        complain("standard output cannot be written");
        return EXIT_FAILED;
    }
    return code;
}

// Fills closed standard streams, so that no file is opened in their place and gets
// messages written into it. The replacement is not writable.
static void hold_streams(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)open("/dev/null", O_RDONLY);
}

int main(int argc, char **argv)
{
    opine_app app = {0};
    int n_used = 0;
    int code = EXIT_DONE;
    hold_streams();
    watch_json();
    const opine_verb *verb =
            command_find(argc > 0 ? argc - 1 : 0, argv + 1, &n_used, &code);
    if (verb == NULL)
        return close_output(code);
    terminal_catch_signals();
    if (opn_ctx_create(NULL, &app.ctx) != OPN_OK) {
        complain("out of memory");
        return EXIT_FAILED;
    }
    opn_status status = opn_ctx_join_ranks(app.ctx, &app.rank, &app.n_ranks);
    if (status == OPN_OK)
        status = opn_params_create(app.ctx, &app.params);
    if (app.rank > 0 && freopen("/dev/null", "w", stdout) == NULL) // the first prints
        return EXIT_FAILED;
    code = status != OPN_OK ? complain_status(&app, status)
                            : run_verb(&app, verb, argc - 1 - n_used, argv + 1 + n_used);
    terminal_clear();
    code = close_output(code);
    opn_params_free(app.params);
    opn_ctx_leave_ranks(app.ctx, code);
    opn_ctx_free(app.ctx);
    return code;
}
