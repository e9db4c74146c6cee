// comm_mpi.c -- ranks that MPI has started.
//
// MPI ends the program by itself when a call fails, so that no result is looked at.

#include "comm/comm.h"

#include <mpi.h>
#include <stdlib.h>

// Items of so many bytes: their number fits an int where that of the bytes may not.
static MPI_Datatype items_of(size_t n_bytes)
{
    MPI_Datatype type;
    MPI_Type_contiguous((int)n_bytes, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void gather(const opn_i_comm *comm,
                   size_t item_bytes,
                   const int32_t *n_items,
                   const void *own,
                   void *all)
{
    const int n = comm->n_ranks;
    int *count = malloc(2 * (size_t)n * sizeof(*count));
    if (count == NULL)
        comm->abort(comm, 1);
    int *at = count + n;
    for (int r = 0; r < n; r++) {
        count[r] = n_items[r];
        at[r] = r == 0 ? 0 : at[r - 1] + count[r - 1];
    }
    MPI_Datatype type = items_of(item_bytes);
    MPI_Allgatherv(own, count[comm->rank], type, all, count, at, type, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    free(count);
}

static void sum(const opn_i_comm *comm, int n, int64_t *number)
{
    (void)comm;
    MPI_Allreduce(MPI_IN_PLACE, number, n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static void max(const opn_i_comm *comm, int n, int64_t *number)
{
    (void)comm;
    MPI_Allreduce(MPI_IN_PLACE, number, n, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
}

static void share(const opn_i_comm *comm, void *data, size_t n_bytes)
{
    (void)comm;
    MPI_Bcast(data, (int)n_bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

// ---- halo ----------------------------------------------------------------------------

// The ranks that this one gets rows from and sends rows to, in the order of ranks.
typedef struct channel {
    MPI_Comm comm;
    MPI_Request request;
    MPI_Datatype type;
    int n_in, n_out;
    int *in_count, *in_at, *out_count, *out_at; // [n_ranks] each
} channel;

// Lists the ranks with rows; returns how many.
static int
list_partners(int n_ranks, const int32_t *n_rows, int *rank, int *count, int *at)
{
    int n = 0, next = 0;
    for (int r = 0; r < n_ranks; r++) {
        if (n_rows[r] == 0)
            continue;
        rank[n] = r;
        count[n] = n_rows[r];
        at[n++] = next;
        next += n_rows[r];
    }
    return n;
}

static void halo_open(opn_i_halo *halo)
{
    const size_t n = (size_t)halo->comm->n_ranks;
    channel *to = calloc(1, sizeof(*to));
    int *numbers = calloc(6 * n, sizeof(*numbers));
    if (to == NULL || numbers == NULL)
        halo->comm->abort(halo->comm, 1);
    to->in_count = numbers;
    to->in_at = numbers + n;
    to->out_count = numbers + 2 * n;
    to->out_at = numbers + 3 * n;
    int *source = numbers + 4 * n;
    int *target = numbers + 5 * n;
    to->n_in = list_partners((int)n, halo->n_from, source, to->in_count, to->in_at);
    to->n_out = list_partners((int)n, halo->n_to, target, to->out_count, to->out_at);
    // Pairs of ranks weigh as many rows as they exchange.
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, to->n_in, source, to->in_count,
                                   to->n_out, target, to->out_count, MPI_INFO_NULL, 0,
                                   &to->comm);
    halo->channel = to;
}

static void halo_close(opn_i_halo *halo)
{
    channel *to = halo->channel;
    MPI_Comm_free(&to->comm);
    free(to->in_count);
    free(to);
    halo->channel = NULL;
}

static void halo_start(opn_i_halo *halo, size_t row_bytes, unsigned char *into)
{
    channel *to = halo->channel;
    to->type = items_of(row_bytes);
    MPI_Ineighbor_alltoallv(halo->out, to->out_count, to->out_at, to->type, into,
                            to->in_count, to->in_at, to->type, to->comm, &to->request);
}

static void halo_wait(opn_i_halo *halo)
{
    channel *to = halo->channel;
    MPI_Wait(&to->request, MPI_STATUS_IGNORE);
    MPI_Type_free(&to->type);
}

// ---- all of them ---------------------------------------------------------------------

static void abort_all(const opn_i_comm *comm, int code)
{
    (void)comm;
    MPI_Abort(MPI_COMM_WORLD, code);
}

static void close_mpi(const opn_i_comm *comm)
{
    int is_done = 0;
    (void)comm;
    MPI_Finalized(&is_done);
    if (!is_done)
        MPI_Finalize();
}

const opn_i_comm *opn_i_comm_open(void)
{
    // Constant once set: MPI starts once in a program.
    static opn_i_comm comm = {.gather = gather,
                              .sum = sum,
                              .max = max,
                              .share = share,
                              .halo_open = halo_open,
                              .halo_close = halo_close,
                              .halo_start = halo_start,
                              .halo_wait = halo_wait,
                              .abort = abort_all,
                              .close = close_mpi};
    int is_begun = 0;
    int threads = 0;
    MPI_Initialized(&is_begun);
    if (!is_begun)
        MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &comm.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &comm.n_ranks);
    return &comm;
}
