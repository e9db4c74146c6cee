// terminal.c -- messages, the progress bar and signals.

#include "command.h"
#include "progress_bar.h"
#include "terminal_text.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_DELAY_MS = 400, BAR_PERIOD_MS = 100, MESSAGE_ROOM = 2048 };

static const char clear_line[] = "\r\033[K";

static volatile sig_atomic_t is_interrupted;
static volatile sig_atomic_t is_shown; // a bar is on the screen

static struct {
    bool is_verbose;
    bool is_quiet;
    bool has_bar;      // stderr is a terminal that can erase a line
    bool has_utf8;     // it can show non-ASCII characters
    int64_t start_ms;  // of the stage
    int64_t drawn_ms;  // when the bar was last drawn; 0 if never
    int64_t paced_ms;  // start of the period over which the pace is measured,
    int64_t paced_at;  // and what was done by then
    char stage[64];    // currently shown
    char runs[64];     // current stage that is counted in runs, "" if there is none
    char runs_of[128]; // its note
    int64_t n_runs, n_runs_done;
} terminal;

// The first signal requests a stop, which finishes or undoes what was started. The second
// one terminates at once.
static void on_signal(int number)
{
    if (!is_interrupted) {
        is_interrupted = 1;
        return;
    }
    if (is_shown)
        (void)!write(STDERR_FILENO, clear_line, sizeof(clear_line) - 1);
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

// A signal that is ignored already stays so: nohup does that to SIGHUP, and a shell to
// SIGINT for what it runs in the background.
static void catch_signal(int number)
{
    struct sigaction before;
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

// SIGPIPE is left alone: when the reader goes away, the command ends silently. Without
// SIGXFSZ a write beyond the limit for files fails like one to a full disk.
void terminal_catch_signals(void)
{
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGHUP);
    (void)signal(SIGXFSZ, SIG_IGN);
}

void terminal_set_quiet(bool quiet, bool verbose)
{
    const char *term = getenv("TERM");
    terminal.is_quiet = quiet;
    terminal.is_verbose = verbose;
    terminal.has_bar = !quiet && term != NULL && term[0] != 0 &&
                       strcmp(term, "dumb") != 0 && isatty(STDERR_FILENO);
    terminal.has_utf8 = terminal.has_bar && is_utf8_locale();
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void terminal_clear(void)
{
    if (is_shown)
        fputs(clear_line, stderr);
    is_shown = 0;
}

// What is too long for a message loses its middle, as in the library: it begins with what
// it is about, and ends in what is wrong with that.
static void cut_middle(const char *all, size_t n, char text[MESSAGE_ROOM])
{
    enum { HALF = MESSAGE_ROOM / 2 - 4 };
    snprintf(text, MESSAGE_ROOM, "%.*s ... %s", HALF, all, all + n - HALF);
}

void complain(const char *fmt, ...)
{
    char text[MESSAGE_ROOM];
    char *all = NULL;
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (n >= MESSAGE_ROOM)
        all = malloc((size_t)n + 1);
    if (all != NULL) {
        va_start(args, fmt);
        vsnprintf(all, (size_t)n + 1, fmt, args);
        va_end(args);
        cut_middle(all, (size_t)n, text);
        free(all);
    }
    clean_text(text);
    terminal_clear();
    fprintf(stderr, "opine: %s\n", text);
}

opn_status out_of_memory(opine_app *app)
{
    app->is_out_of_memory = true;
    return OPN_ERR_NOMEM;
}

// Prints a message of the library, in which only lines of its own follow the first.
static void complain_lines(char *message)
{
    char *rest = strchr(message, '\n');
    if (rest != NULL)
        *rest++ = 0;
    complain("%s", message);
    for (char *line = rest; line != NULL; line = rest) {
        rest = strchr(line, '\n');
        if (rest != NULL)
            *rest++ = 0;
        clean_text(line);
        fprintf(stderr, "%s\n", line);
    }
}

int complain_status(const opine_app *app, opn_status status)
{
    const char *message = opn_ctx_error(app->ctx);
    const bool has_message = !app->is_out_of_memory && message[0] != 0;
    char text[MESSAGE_ROOM];
    spell_options(has_message ? message : opn_status_name(status), text, sizeof(text));
    const char *dataset = status == OPN_ERR_READ ? dataset_to_fetch(app, text) : NULL;
    if (dataset != NULL)
        complain("%s: opine data fetch %s", text, dataset);
    else if (!complain_of_argument(app, text))
        complain_lines(text);
    switch (status) {
    case OPN_OK:
        return EXIT_DONE;
    case OPN_ERR_INVALID_ARG:
        return EXIT_USAGE;
    case OPN_ERR_SHAPE:
    case OPN_ERR_OVERFLOW:
    case OPN_ERR_FORMAT:
    case OPN_ERR_READ:
    case OPN_ERR_UNSUPPORTED:
        return EXIT_INPUT;
    case OPN_ERR_INTERRUPTED:
        return EXIT_INTERRUPTED;
    case OPN_ERR_NOMEM:
    case OPN_ERR_WRITE:
    case OPN_ERR_NONFINITE:
    case OPN_ERR_INTERNAL:
        break;
    }
    return EXIT_FAILED;
}

// ---- hooks ---------------------------------------------------------------------------

static void on_log(void *user, opn_log_level level, const char *message)
{
    (void)user;
    char text[MESSAGE_ROOM];
    const bool is_extra =
            level == OPN_LOG_DETAIL || (level == OPN_LOG_STEP && terminal.has_bar);
    if (is_extra && !terminal.is_verbose)
        return;
    spell_options(message, text, sizeof(text));
    complain("%s%s", level == OPN_LOG_WARNING ? "warning: " : "", text);
}

static void draw_bar(const opn_progress *progress, int64_t now)
{
    char text[BAR_ROOM];
    bar_pace pace = {-1.0, -1.0};
    const int64_t n_done = progress->done - terminal.paced_at;
    const double seconds = (double)(now - terminal.paced_ms) / 1000.0;
    if (n_done > 0 && seconds > 0.0) {
        pace.a_second = (double)n_done / seconds;
        if (progress->total > 0)
            pace.seconds_left =
                    (double)(progress->total - progress->done) / pace.a_second;
    }
    // Queried each time, because the window may be resized. The last column stays free,
    // because some terminals wrap when it is written.
    bar_format(progress, &pace, terminal_columns(STDERR_FILENO) - 1, terminal.has_utf8,
               text);
    fprintf(stderr, "%s%s", clear_line, text);
    is_shown = 1;
}

static void show(const opn_progress *progress)
{
    const int64_t now = now_ms();
    if (strncmp(terminal.stage, progress->stage, sizeof(terminal.stage) - 1) != 0) {
        terminal_clear();
        snprintf(terminal.stage, sizeof(terminal.stage), "%s", progress->stage);
        terminal.start_ms = now;
        terminal.drawn_ms = 0;
    }
    if (progress->total > 0 && progress->done >= progress->total) {
        terminal_clear();
        terminal.stage[0] = 0;
        return;
    }
    if (now - terminal.start_ms < BAR_DELAY_MS || now - terminal.drawn_ms < BAR_PERIOD_MS)
        return;
    // The pace excludes work that was loaded from a checkpoint or a run folder.
    if (terminal.drawn_ms == 0) {
        terminal.paced_ms = now;
        terminal.paced_at = progress->done;
    }
    terminal.drawn_ms = now;
    draw_bar(progress, now);
}

static void note_runs(const opn_progress *progress)
{
    const bool goes_on = progress->done < progress->total;
    snprintf(terminal.runs, sizeof(terminal.runs), "%s", goes_on ? progress->stage : "");
    snprintf(terminal.runs_of, sizeof(terminal.runs_of), "%s",
             progress->note != NULL ? progress->note : "");
    terminal.n_runs = progress->total;
    terminal.n_runs_done = progress->done;
}

// Shows a stage of a run as a note to the progress of all runs.
static void show_within_runs(const opn_progress *progress)
{
    char note[256];
    int n = snprintf(note, sizeof(note), "%s%s%s", terminal.runs_of,
                     terminal.runs_of[0] != 0 ? ", " : "", progress->stage);
    if (progress->total > 0 && n > 0 && (size_t)n < sizeof(note))
        snprintf(note + n, sizeof(note) - (size_t)n, " %lld/%lld",
                 (long long)progress->done, (long long)progress->total);
    const opn_progress of_all = {.stage = terminal.runs,
                                 .done = terminal.n_runs_done,
                                 .total = terminal.n_runs,
                                 .unit = "runs",
                                 .note = note};
    show(&of_all);
}

static void on_progress(void *user, const opn_progress *progress)
{
    (void)user;
    if (!terminal.has_bar)
        return;
    const bool is_runs = strcmp(progress->unit, "runs") == 0;
    if (is_runs)
        note_runs(progress);
    if (!is_runs && terminal.runs[0] != 0)
        show_within_runs(progress);
    else
        show(progress);
}

static int on_interrupted(void *user)
{
    (void)user;
    return is_interrupted;
}

opn_hooks terminal_hooks(void)
{
    // Without a log hook the library does not compute messages.
    return (opn_hooks){.size = sizeof(opn_hooks),
                       .log = terminal.is_quiet ? NULL : on_log,
                       .progress = on_progress,
                       .interrupted = on_interrupted};
}
