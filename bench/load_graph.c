// load_graph.c -- times opn_graph_load() alone, without starting a process.
//
//   load_graph RUNS DATA     one line per run: CPU seconds
//
// A first load, which is not counted, brings the files into memory. The one thread then
// never waits, and other programs hardly disturb its CPU time.

#include "opine/opine.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    const long n_runs = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
    if (n_runs < 1) {
        fprintf(stderr, "usage: load_graph RUNS DATA\n");
        return 2;
    }
    opn_ctx *ctx = NULL;
    opn_status status = opn_ctx_create(NULL, &ctx);
    for (long r = 0; r <= n_runs && status == OPN_OK; r++) {
        opn_graph *graph = NULL;
        const double start = now();
        status = opn_graph_load(ctx, argv[2], NULL, &graph);
        const double seconds = now() - start;
        opn_graph_free(graph);
        if (status == OPN_OK && r > 0)
            printf("%.6f\n", seconds);
    }
    if (status != OPN_OK)
        fprintf(stderr, "load_graph: %s\n",
                ctx != NULL ? opn_ctx_error(ctx) : opn_status_name(status));
    opn_ctx_free(ctx);
    return status == OPN_OK ? 0 : 1;
}
