// terminal.c -- messages, the progress bar and signals.

#include "command.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { BAR_DELAY_MS = 400, BAR_PERIOD_MS = 100, MESSAGE_ROOM = 2048 };

static volatile sig_atomic_t is_interrupted;

static struct {
    bool is_quiet;
    bool is_verbose;
    bool is_shown;    // a bar is on the screen
    int64_t start_ms; // of the stage
    int64_t drawn_ms; // when the bar was last drawn
    char stage[64];
} terminal;

static void on_signal(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
}

void terminal_catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND; // a second Ctrl-C ends at once
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void terminal_set_quiet(bool quiet, bool verbose)
{
    terminal.is_quiet = quiet;
    terminal.is_verbose = verbose;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void terminal_clear(void)
{
    if (terminal.is_shown)
        fputs("\r\033[K", stderr);
    terminal.is_shown = false;
}

void complain(const char *fmt, ...)
{
    char text[MESSAGE_ROOM];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    terminal_clear();
    fprintf(stderr, "opine: %s\n", text);
}

void print_name(const char *name, int width)
{
    int n_columns = 0;
    for (; *name != 0; name++) {
        const unsigned char c = (unsigned char)*name;
        putchar(c < 0x20 || c == 0x7f ? '?' : c);
        n_columns += (c & 0xc0) != 0x80; // bytes inside a UTF-8 character take no column
    }
    printf("%*s", n_columns < width ? width - n_columns : 0, "");
}

int complain_status(const opine_app *app, opn_status status)
{
    complain("%s", opn_ctx_error(app->ctx));
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
    if (level == OPN_LOG_DETAIL && !terminal.is_verbose)
        return;
    complain("%s%s", level == OPN_LOG_WARNING ? "warning: " : "", message);
}

static int terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

// "12.3 MB" of bytes, "1234567 edges" of anything else.
static void format_amount(double amount, const char *unit, char *out, size_t room)
{
    if (strcmp(unit, "bytes") == 0)
        snprintf(out, room, "%.1f MB", amount / 1e6);
    else
        snprintf(out, room, "%.0f %s", amount, unit);
}

static void draw_bar(const opn_progress *progress, int64_t elapsed_ms)
{
    char done[64];
    char amount[64];
    char rate[72] = "";
    char left[32] = "";
    char bar[41] = "";
    const double seconds = (double)(elapsed_ms > 0 ? elapsed_ms : 1) / 1000.0;
    format_amount((double)progress->done, progress->unit, done, sizeof(done));
    if ((double)progress->done >= seconds) { // of what takes longer, the rate is 0
        format_amount((double)progress->done / seconds, progress->unit, amount,
                      sizeof(amount));
        snprintf(rate, sizeof(rate), ", %s/s", amount);
    }
    if (progress->total > 0 && progress->done > 0) {
        const double share = (double)progress->done / (double)progress->total;
        const double to_go = seconds * (1.0 - share) / share;
        const int n_filled = share < 1.0 ? (int)(share * 20.0) : 20;
        snprintf(bar, sizeof(bar), " [%.*s%*s] %3.0f%%", n_filled, "####################",
                 20 - n_filled, "", 100.0 * share);
        snprintf(left, sizeof(left), ", %d:%02d left", (int)to_go / 60, (int)to_go % 60);
    }
    char line[256];
    snprintf(line, sizeof(line), "%s%s %s%s%s", progress->stage, bar, done, rate, left);
    fprintf(stderr, "\r\033[K%.*s", terminal_width() - 1, line);
    fflush(stderr);
    terminal.is_shown = true;
}

static void on_progress(void *user, const opn_progress *progress)
{
    (void)user;
    if (terminal.is_quiet || !isatty(STDERR_FILENO))
        return;
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
    terminal.drawn_ms = now;
    draw_bar(progress, now - terminal.start_ms);
}

static int on_interrupted(void *user)
{
    (void)user;
    return is_interrupted;
}

opn_hooks terminal_hooks(void)
{
    // Without a log nobody asks for it, and what it would tell is not computed.
    return (opn_hooks){.log = terminal.is_quiet ? NULL : on_log,
                       .progress = on_progress,
                       .interrupted = on_interrupted};
}
