// comm.h -- what processes that share a graph, the ranks, tell each other. A process
// alone is a rank too, and the only one.
//
// Every rank calls the same functions in the same order. None of them adds up numbers
// that are rounded: sums of those have an order, which is that of blocks.h.

#ifndef OPN_COMM_H
#define OPN_COMM_H

#include "base/context.h"

typedef struct opn_i_comm opn_i_comm;
typedef struct opn_i_halo opn_i_halo;

// More than this many ranks are refused: as many blocks as there can be.
enum { OPN_MAX_RANKS = 4096 };

struct opn_i_comm {
    int rank, n_ranks;
    // all = the items of rank 0, then those of rank 1 and so on; rank r has n_items[r].
    void (*gather)(const opn_i_comm *comm,
                   size_t item_bytes,
                   const int32_t *n_items,
                   const void *own,
                   void *all);
    // Each of n numbers becomes its sum, or its maximum, over the ranks.
    void (*sum)(const opn_i_comm *comm, int n, int64_t *number);
    void (*max)(const opn_i_comm *comm, int n, int64_t *number);
    // Everyone gets the bytes of rank 0.
    void (*share)(const opn_i_comm *comm, void *data, size_t n_bytes);
    // Sets up, frees and does the exchange of a halo; see below.
    void (*halo_open)(opn_i_halo *halo);
    void (*halo_close)(opn_i_halo *halo);
    void (*halo_start)(opn_i_halo *halo, size_t row_bytes, unsigned char *to);
    void (*halo_wait)(opn_i_halo *halo);
    // Ends all ranks; does not return.
    void (*abort)(const opn_i_comm *comm, int code);
    void (*close)(const opn_i_comm *comm);
};

// One process.
extern const opn_i_comm opn_i_comm_single;

// The ranks that MPI has started; NULL in a program without it. comm_mpi.c and
// comm_absent.c each have one.
const opn_i_comm *opn_i_comm_open(void);

// The ranks that ctx belongs to.
const opn_i_comm *opn_i_comm_of(const opn_ctx *ctx);

// The status of the others, where it is worse than this rank's own: every rank fails, or
// none does.
OPN_NODISCARD opn_status opn_i_comm_agree(opn_ctx *ctx, opn_status status);

// Whether all ranks have the same bytes.
bool opn_i_comm_is_same(const opn_ctx *ctx, const void *data, size_t n_bytes);

// opn_i_progress_noted(), but every rank stops, or none does: where several work
// together, nothing else stops them.
OPN_NODISCARD opn_status opn_i_comm_progress(opn_ctx *ctx, const opn_progress *now);

// ---- halo ----------------------------------------------------------------------------

// Rows that neighbours of other ranks' nodes have: which of the own ones go where, and
// how many come. Zero-initialise; owned by the holder.
struct opn_i_halo {
    const opn_i_comm *comm;
    int32_t n_own;       // rows of this rank; those of others stand behind them
    int32_t n_halo;      // rows of others, by rank
    int32_t n_sent;      // rows that go to others, one that goes to two counts twice
    int32_t *sent_row;   // [n_sent] own rows, by rank
    int32_t *n_to;       // [n_ranks]
    int32_t *n_from;     // [n_ranks]
    size_t room;         // bytes of a row in the buffers
    unsigned char *out;  // [n_sent, room]
    unsigned char *in;   // [n_halo, room]
    void *channel;       // of the ranks
    unsigned char *into; // of the exchange in flight, as are those below
    size_t row_bytes, stride_bytes;
    int64_t n_bytes; // that have come so far
    double seconds;  // that exchanges took so far, waiting for others included
};

// Rank r has the rows first[r] … first[r + 1] - 1 of all; this rank needs the n_needed
// rows `needed`, which are others' and in order. `room` is the most bytes of a row.
OPN_NODISCARD opn_status opn_i_halo_init(opn_ctx *ctx,
                                         const int32_t *first,
                                         int32_t n_needed,
                                         const int32_t *needed,
                                         size_t room,
                                         opn_i_halo *out);
void opn_i_halo_deinit(const opn_alloc *alloc, opn_i_halo *halo);

// Fetches the rows behind the own ones, of row_bytes each and stride_bytes apart. What is
// between start and wait must not touch them, nor change the own ones.
void opn_i_halo_start(opn_i_halo *halo,
                      void *rows,
                      size_t row_bytes,
                      size_t stride_bytes);
void opn_i_halo_wait(opn_i_halo *halo);

#endif // OPN_COMM_H
