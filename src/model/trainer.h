// trainer.h -- the training loop of both teacher and student.

#ifndef OPN_TRAINER_H
#define OPN_TRAINER_H

#include "base/context.h"
#include "model/batch.h"
#include "model/optimiser.h"
#include "network/network.h"
#include "network/objective.h"
#include "network/unlabelled.h"

// Which validation metric must improve within the patience.
typedef enum opn_i_stop {
    OPN_STOP_LOSS = 0,
    OPN_STOP_ACCURACY = 1,
    OPN_STOP_BOTH = 2 // either, or equal its best; weights are kept if both do
} opn_i_stop;

typedef struct opn_i_train_options {
    const char *stage; // "teacher" or "model", for progress and the log
    int32_t n_epochs;
    int32_t patience; // epochs without improvement before stopping; 0: never stop early
    opn_i_stop stop;
    opn_i_optimiser_options optimiser;
    opn_i_rates rates;
    uint64_t seed;
    opn_i_stream stream_weights;
    opn_i_streams streams;
    const int32_t *validation; // class of each validation node, -1 for others; or NULL
    const opn_i_reach
            *validation_reach;    // of the nodes of `validation`; NULL: the network's
    int32_t report_every;         // epochs between log lines; 0: no lines
    opn_i_unlabelled *unlabelled; // term of the loss, borrowed; or NULL
    opn_i_batch *batch;           // that every epoch fills, borrowed; or NULL
    // Called with `user` before each epoch, when the state is consistent; or NULL.
    void (*keep)(void *user);
    void *user;
} opn_i_train_options;

// Weights, optimiser state, the best weights so far and perhaps averaged ones, all that a
// run needs to resume: n_blocks times n_weights numbers starting at `weights`, in that
// order.
enum { OPN_STATE_BLOCKS = 2 + OPN_OPTIMISER_BLOCKS };
typedef struct opn_i_train_state {
    size_t n_weights;
    size_t n_blocks; // OPN_STATE_BLOCKS, and one more with `average`
    opn_real *arena;
    opn_real *weights;
    opn_i_optimiser optimiser;
    opn_real *best;     // weights with the best validation result
    opn_real *average;  // of the weights, for mean-teacher; or NULL
    int32_t epoch;      // the next epoch to run
    bool is_done;       // training has ended, and the weights are final
    int32_t best_epoch; // the last epoch with an improvement
    double best_loss;   // the validation value that must decrease
    double best_accuracy;
    int64_t n_bounded; // logits that were bounded before exp()
} opn_i_train_state;

OPN_NODISCARD opn_status opn_i_train_state_init(opn_ctx *ctx,
                                                const opn_i_network *network,
                                                opn_i_train_state *out);

// The same with averaged weights.
OPN_NODISCARD opn_status opn_i_train_state_init_averaged(opn_ctx *ctx,
                                                         const opn_i_network *network,
                                                         opn_i_train_state *out);
void opn_i_train_state_deinit(const opn_alloc *alloc, opn_i_train_state *state);

// Trains from state->epoch on; at the end state->weights are the best ones if validation
// decides, else the last ones. Allocates nothing.
// Errors: NONFINITE (the message names epoch and tensor), INTERRUPTED (the state is
// between two epochs, and training can resume from it).
OPN_NODISCARD opn_status opn_i_train(opn_ctx *ctx,
                                     const opn_i_exec *exec,
                                     opn_i_network *network,
                                     const opn_i_objective *objective,
                                     const opn_i_train_options *options,
                                     opn_i_train_state *state,
                                     opn_real *d_weights);

// Errors: NONFINITE, if a logit of the current pass is not finite.
OPN_NODISCARD opn_status opn_i_check_logits(opn_ctx *ctx,
                                            const opn_i_network *network,
                                            int32_t epoch);

#endif // OPN_TRAINER_H
