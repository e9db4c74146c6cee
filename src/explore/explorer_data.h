// explorer_data.h -- the implementation of opn_explorer: models, their graph and page,
// and what was changed since.

#ifndef OPN_EXPLORER_DATA_H
#define OPN_EXPLORER_DATA_H

#include "explore/http_server.h"
#include "explore/what_if.h"
#include "explore/worker.h"
#include "opine/explore.h"
#include "report/report_data.h"

#include <jansson.h>
#include <pthread.h>

// A model of the page.
typedef struct opn_i_explored {
    opn_model *model;
    opn_split *split; // of its training; NULL if that is not known: no what-if then
} opn_i_explored;

// Labels to train with instead, and what came of it.
typedef struct opn_i_what_if {
    int32_t view; // of the model that was trained like it
    opn_i_edit *edit;
    size_t n_edits;
    opn_model *model;
    char *text; // for the page, of n_text bytes
    size_t n_text;
} opn_i_what_if;

struct opn_explorer {
    opn_alloc alloc;
    opn_params *params;
    opn_report *report;     // only the worker changes it
    const opn_graph *graph; // the report's
    opn_i_names nodes;      // their names, for lookup
    opn_vid *node_of;       // [nodes.n] the node that has the name
    opn_i_gate gate;
    char address[OPN_HOST_ROOM + 64];
    opn_i_http_server *server;
    opn_i_worker *worker;
    // What the worker is to do; nobody else looks at it meanwhile.
    opn_i_what_if wanted;
    char wanted_model[32];
    int64_t wanted_seed;
    // Read by the server's thread and replaced by the worker, under the lock.
    pthread_mutex_t lock;
    opn_i_explored explored[OPN_MAX_VIEWS];
    int32_t n_explored;
    char *page; // [n_page]
    size_t n_page;
    opn_i_what_if done; // edit is NULL if there is none
};

void opn_i_what_if_deinit(const opn_alloc *alloc, opn_i_what_if *what_if);

// Answers any request that has passed the gate: the page and what it asks for, and the
// Open Inference Protocol. Never fails: what is wrong with a request is said in the
// answer, as {"error": …}.
void opn_i_explorer_answer(opn_ctx *ctx,
                           void *explorer,
                           const opn_i_request *request,
                           opn_i_answer *out);

// The work of the two tasks, for opn_i_worker_start(); `user` is the explorer.
OPN_NODISCARD opn_status opn_i_explorer_what_if(opn_ctx *ctx, void *user);
OPN_NODISCARD opn_status opn_i_explorer_train(opn_ctx *ctx, void *user);

// Parts of the answer, each about what its path names. The document is consumed.
void opn_i_answer_json(opn_i_answer *out, int code, json_t *document);
void opn_i_answer_error(opn_i_answer *out, int code, const char *fmt, ...)
        OPN_PRINTF(3, 4);
// The body as a JSON object, to be freed; NULL if it is none, and that has been answered.
json_t *opn_i_request_json(const opn_i_request *request, opn_i_answer *out);

void opn_i_answer_features(opn_ctx *ctx,
                           const opn_explorer *explorer,
                           const json_t *wanted,
                           opn_i_answer *out);
void opn_i_answer_inference(opn_ctx *ctx,
                            const opn_explorer *explorer,
                            const opn_i_request *request,
                            opn_i_answer *out);

#endif // OPN_EXPLORER_DATA_H
