// measure.c -- runs a command several times and prints what each run took.
//
//   measure RUNS COMMAND [ARGUMENT...]     one line per run: seconds, peak memory in KiB
//
// A program of its own, because the peak that the system reports for a child is never
// below the size of the process that started it: from a script it would be the script's.

#define _DEFAULT_SOURCE // wait4()

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Becomes the command, with nothing to read and nowhere to write but stderr.
static _Noreturn void become(char *const *command)
{
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
        dup2(nothing, STDOUT_FILENO) >= 0)
        execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

static int run(char *const *command)
{
    const double start = now();
    const pid_t child = fork();
    if (child == 0)
        become(command);
    int outcome;
    struct rusage usage;
    if (child < 0 || wait4(child, &outcome, 0, &usage) < 0) {
        perror("measure");
        return 1;
    }
    const double seconds = now() - start;
    if (!WIFEXITED(outcome) || WEXITSTATUS(outcome) != 0) {
        fprintf(stderr, "measure: %s failed\n", command[0]);
        return 1;
    }
    printf("%.6f %ld\n", seconds, usage.ru_maxrss);
    return 0;
}

int main(int argc, char **argv)
{
    const long n_runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    if (n_runs < 1) {
        fprintf(stderr, "usage: measure RUNS COMMAND [ARGUMENT...]\n");
        return 2;
    }
    for (long r = 0; r < n_runs; r++)
        if (run(argv + 2) != 0)
            return 1;
    return 0;
}
