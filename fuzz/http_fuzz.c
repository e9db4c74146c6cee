// http_fuzz.c -- any bytes as a request to the server of explore: a line with method and
// path, lines of headers, an empty line and the body, as MHD would hand them over.

#include "explorer_scene.h"
#include "support/mhd_stand_in.h"

// Known to the seeds, so that inputs get past the gate.
static const char token[] = "0123456789abcdef0123456789abcdef";
enum { PORT = 8080 };

// ---- the request ----------------------------------------------------------------------

// Ends the text at the first of the characters, and returns what follows; NULL if none is
// there.
static char *cut(char *text, const char *ends)
{
    char *at = text + strcspn(text, ends);
    if (*at == 0)
        return NULL;
    *at = 0;
    return at + 1;
}

// Divides the text, in place, which a NUL ends.
static void read_request(char *text,
                         size_t size,
                         stand_in_header header[STAND_IN_HEADERS],
                         stand_in_request *out)
{
    static const char nothing[] = "";
    char *next = cut(text, "\n");
    char *url = cut(text, " ");
    *out = (stand_in_request){
            .method = text, .url = url != NULL ? url : nothing, .header = header};
    while (next != NULL && *next != '\n' && out->n_headers < STAND_IN_HEADERS) {
        char *name = next;
        next = cut(name, "\n");
        char *value = cut(name, ":");
        while (value != NULL && *value == ' ')
            value++;
        header[out->n_headers++] =
                (stand_in_header){name, value != NULL ? value : nothing};
    }
    out->body = next != NULL && *next == '\n' ? next + 1 : nothing;
    out->n_body = out->body == nothing ? 0 : size - (size_t)(out->body - text);
}

// ---- the answer -----------------------------------------------------------------------

static bool has_token(const stand_in_request *request)
{
    bool has_it = strstr(request->url, token) != NULL;
    for (size_t h = 0; h < request->n_headers; h++)
        has_it = has_it || (strcasecmp(request->header[h].name, "Authorization") == 0 &&
                            strstr(request->header[h].value, token) != NULL);
    return has_it;
}

static bool is_refused_by_gate(unsigned code)
{
    return code == MHD_HTTP_UNAUTHORIZED || code == MHD_HTTP_FORBIDDEN;
}

// Every request is answered, as JSON or with a page or model; nobody learns anything
// without the token.
static void check_answer(const stand_in_request *request, const stand_in_answer *answer)
{
    fuzz_check(answer->is_answered);
    const struct MHD_Response *said = answer->response;
    const char *type = stand_in_answer_header(answer, "Content-Type");
    const char *kept = stand_in_answer_header(answer, "Cache-Control");
    fuzz_check(type != NULL && kept != NULL && strcmp(kept, "no-store") == 0);
    fuzz_check(has_token(request) || is_refused_by_gate(answer->code) ||
               strcmp(request->url, "/healthz") == 0);
    fuzz_check(answer->code != MHD_HTTP_INTERNAL_SERVER_ERROR);
    if (strcmp(type, "application/json") == 0) {
        json_t *document = json_loadb(said->body, said->n_body, 0, NULL);
        fuzz_check(json_is_object(document));
        fuzz_check((answer->code >= 400) == (json_object_get(document, "error") != NULL));
        json_decref(document);
    } else {
        fuzz_check(answer->code == 200 && said->n_body > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static opn_ctx *ctx;
    static opn_explorer *explorer; // made once; it goes away with the process
    if (ctx == NULL) {
        fuzz_check(opn_ctx_create(NULL, &ctx) == OPN_OK);
        explorer = scene_open(ctx);
        if (explorer != NULL) {
            fuzz_check(opn_explorer_serve(ctx, explorer, "") == OPN_OK);
            explorer->gate.port = PORT;
            memcpy(explorer->gate.token, token, sizeof(token));
        }
    }
    if (explorer == NULL)
        return 0;
    char *text = malloc(size + 1);
    fuzz_check(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = 0;
    stand_in_header header[STAND_IN_HEADERS];
    stand_in_request request;
    read_request(text, size, header, &request);
    stand_in_answer answer = stand_in_ask(&request);
    check_answer(&request, &answer);
    stand_in_answer_free(&answer);
    free(text);
    opn_i_worker_cancel(explorer->worker); // what was started, before the next input
    opn_i_worker_wait(explorer->worker);
    return 0;
}
