// explorer_fuzz.c -- any bytes as the body of a request to a served page; the first
// chooses the address.

#include "explorer_scene.h"

static const char *const paths[] = {"/what-if", "/models", "/features", "/cancel",
                                    "/v2/models/opine/infer"};
enum { N_PATHS = sizeof(paths) / sizeof(paths[0]) };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static opn_ctx *ctx;
    static opn_explorer *explorer; // made once; it goes away with the process
    if (ctx == NULL) {
        fuzz_check(opn_ctx_create(NULL, &ctx) == OPN_OK);
        explorer = scene_open(ctx);
    }
    if (size == 0 || explorer == NULL) // NULL: there is none in this build
        return 0;
    const opn_i_request request = {"POST", paths[data[0] % N_PATHS],
                                   (const char *)data + 1, size - 1};
    opn_i_answer answer = {.code = 200, .type = "application/json", .body = {.ctx = ctx}};
    opn_i_explorer_answer(ctx, explorer, &request, &answer);
    json_t *document = json_loadb(opn_i_text_chars(&answer.body), answer.body.n, 0, NULL);
    fuzz_check(json_is_object(document));
    fuzz_check((answer.code >= 400) == (json_object_get(document, "error") != NULL));
    json_decref(document);
    opn_i_text_free(&answer.body);
    opn_i_worker_cancel(explorer->worker); // what was started, before the next input
    opn_i_worker_wait(explorer->worker);
    return 0;
}
