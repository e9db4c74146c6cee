// graph_bytes_fuzz.c -- any bytes as a graph, which is described and written again.

#include "fuzz_target.h"
#include "opine/graph.h"

#include <string.h>

static void write_again(opn_ctx *ctx, const opn_graph *graph)
{
    opn_bytes *bytes = NULL;
    opn_graph *again = NULL;
    char hash[2][65];
    opn_graph_info info;
    fuzz_check(opn_graph_describe(ctx, graph, &info) == OPN_OK);
    fuzz_check(opn_graph_write(ctx, graph, &bytes) == OPN_OK);
    fuzz_check(opn_graph_read(ctx, opn_bytes_data(bytes), opn_bytes_size(bytes),
                              &again) == OPN_OK);
    fuzz_check(opn_graph_hash(ctx, graph, hash[0]) == OPN_OK);
    fuzz_check(opn_graph_hash(ctx, again, hash[1]) == OPN_OK);
    fuzz_check(strcmp(hash[0], hash[1]) == 0);
    opn_graph_free(again);
    opn_bytes_free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    opn_ctx *ctx = NULL;
    opn_graph *graph = NULL;
    if (opn_ctx_create(NULL, &ctx) != OPN_OK)
        return 0;
    if (opn_graph_read(ctx, data, size, &graph) == OPN_OK)
        write_again(ctx, graph);
    opn_graph_free(graph);
    opn_ctx_free(ctx);
    return 0;
}
