// comm_single.c -- one process: there is nobody to talk to.

#include "comm/comm.h"

#include <string.h>

static void gather(const opn_i_comm *comm,
                   size_t item_bytes,
                   const int32_t *n_items,
                   const void *own,
                   void *all)
{
    (void)comm;
    memcpy(all, own, (size_t)n_items[0] * item_bytes);
}

// NOLINTNEXTLINE(readability-non-const-parameter): as the table has it
static void reduce(const opn_i_comm *comm, int n, int64_t *number)
{
    (void)comm, (void)n, (void)number; // its own sum and maximum
}

static void share(const opn_i_comm *comm, void *data, size_t n_bytes)
{
    (void)comm, (void)data, (void)n_bytes;
}

static void halo_nothing(opn_i_halo *halo)
{
    (void)halo;
}

// NOLINTNEXTLINE(readability-non-const-parameter): likewise
static void halo_start(opn_i_halo *halo, size_t row_bytes, unsigned char *to)
{
    (void)halo, (void)row_bytes, (void)to;
}

static void abort_none(const opn_i_comm *comm, int code)
{
    (void)comm, (void)code; // the caller ends by itself
}

static void close_none(const opn_i_comm *comm)
{
    (void)comm;
}

const opn_i_comm opn_i_comm_single = {
        .rank = 0,
        .n_ranks = 1,
        .gather = gather,
        .sum = reduce,
        .max = reduce,
        .share = share,
        .halo_open = halo_nothing,
        .halo_close = halo_nothing,
        .halo_start = halo_start,
        .halo_wait = halo_nothing,
        .abort = abort_none,
        .close = close_none,
};
