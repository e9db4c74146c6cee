// comm.c -- what ranks do in the same way whatever carries their words.

#include "comm/comm.h"

#include "base/clock.h"

#include <string.h>

const opn_i_comm *opn_i_comm_of(const opn_ctx *ctx)
{
    return ctx->comm == NULL ? &opn_i_comm_single : ctx->comm;
}

// ---- the border ----------------------------------------------------------------------

opn_status opn_ctx_join_ranks(opn_ctx *ctx, int *rank, int *n_ranks)
{
    OPN_REJECT_NULL(ctx, rank, n_ranks);
    ctx->comm = opn_i_comm_open();
    const opn_i_comm *comm = opn_i_comm_of(ctx);
    ctx->is_bound = comm->n_ranks > 1;
    *rank = comm->rank;
    *n_ranks = comm->n_ranks;
    return OPN_OK;
}

// Some launchers drop what a rank has just said when it, or another, ends in failure. The
// first rank speaks for all, so it goes first, once the launcher had time to listen.
static void let_first_speak(const opn_i_comm *comm)
{
    const struct timespec first = {.tv_nsec = 200000000}, others = {.tv_sec = 1};
    (void)nanosleep(comm->rank == 0 ? &first : &others, NULL);
}

void opn_ctx_leave_ranks(opn_ctx *ctx, int code)
{
    if (ctx == NULL)
        return;
    const opn_i_comm *comm = opn_i_comm_of(ctx);
    const bool has_failed = code != 0 && comm->n_ranks > 1;
    if (has_failed)
        let_first_speak(comm);
    // Others may wait for this one, unless they have failed with it.
    if (has_failed && !ctx->fails_alike)
        comm->abort(comm, code);
    else
        comm->close(comm);
    ctx->comm = NULL;
    ctx->is_bound = false;
}

// ---- agreement -----------------------------------------------------------------------

opn_status opn_i_comm_agree(opn_ctx *ctx, opn_status status)
{
    const opn_i_comm *comm = opn_i_comm_of(ctx);
    int64_t worst = status;
    if (comm->n_ranks == 1)
        return status;
    comm->max(comm, 1, &worst);
    ctx->fails_alike = worst != OPN_OK;
    if (status != OPN_OK || worst == OPN_OK)
        return status;
    return opn_i_fail(ctx, (opn_status)worst, "%s, on another rank",
                      opn_status_name((opn_status)worst));
}

bool opn_i_comm_is_same(const opn_ctx *ctx, const void *data, size_t n_bytes)
{
    const opn_i_comm *comm = opn_i_comm_of(ctx);
    const unsigned char *bytes = data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325); // FNV-1a
    for (size_t i = 0; i < n_bytes; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    // The largest and the smallest of all are this one.
    const int64_t own[2] = {(int64_t)(hash >> 1), -(int64_t)(hash >> 1)};
    int64_t most[2] = {own[0], own[1]};
    comm->max(comm, 2, most);
    return most[0] == own[0] && most[1] == own[1];
}

opn_status opn_i_comm_progress(opn_ctx *ctx, const opn_progress *now)
{
    const bool is_bound = ctx->is_bound;
    ctx->is_bound = false;
    const opn_status status = opn_i_progress_noted(ctx, now);
    ctx->is_bound = is_bound;
    return opn_i_comm_agree(ctx, status);
}

// ---- halo ----------------------------------------------------------------------------

void opn_i_halo_deinit(const opn_alloc *alloc, opn_i_halo *halo)
{
    if (halo->comm != NULL && halo->channel != NULL)
        halo->comm->halo_close(halo);
    opn_i_release(alloc, halo->sent_row);
    opn_i_release(alloc, halo->n_to);
    opn_i_release(alloc, halo->n_from);
    opn_i_release(alloc, halo->out);
    opn_i_release(alloc, halo->in);
    *halo = (opn_i_halo){0};
}

// Everyone hears what all need, and picks out what is its own.
static opn_status
find_sent(opn_ctx *ctx, const int32_t *first, const int32_t *needed, opn_i_halo *halo)
{
    opn_status status = OPN_OK;
    const opn_i_comm *comm = halo->comm;
    const int n = comm->n_ranks;
    const int32_t own = first[comm->rank], end = first[comm->rank + 1];
    int32_t *count = NULL;
    int32_t *ones = NULL;
    int32_t *all = NULL;
    size_t n_all = 0;
    OPN_TRY_NEW(ctx, count, n);
    OPN_TRY_NEW(ctx, ones, n);
    for (int r = 0; r < n; r++)
        ones[r] = 1;
    comm->gather(comm, sizeof(*count), ones, &halo->n_halo, count);
    for (int r = 0; r < n; r++)
        n_all += (size_t)count[r];
    OPN_TRY_NEW(ctx, all, n_all);
    comm->gather(comm, sizeof(*all), count, needed, all);
    OPN_TRY_NEW(ctx, halo->sent_row, n_all);
    for (int r = 0, at = 0; r < n; at += count[r++])
        for (int32_t j = at; j < at + count[r]; j++)
            if (all[j] >= own && all[j] < end) {
                halo->sent_row[halo->n_sent++] = all[j] - own;
                halo->n_to[r]++;
            }
cleanup:
    opn_i_release(&ctx->alloc, count);
    opn_i_release(&ctx->alloc, ones);
    opn_i_release(&ctx->alloc, all);
    return status;
}

opn_status opn_i_halo_init(opn_ctx *ctx,
                           const int32_t *first,
                           int32_t n_needed,
                           const int32_t *needed,
                           size_t room,
                           opn_i_halo *out)
{
    opn_status status = OPN_OK;
    const opn_i_comm *comm = opn_i_comm_of(ctx);
    opn_i_halo halo = {.comm = comm,
                       .n_own = first[comm->rank + 1] - first[comm->rank],
                       .n_halo = n_needed,
                       .room = room};
    OPN_TRY_NEW(ctx, halo.n_to, comm->n_ranks);
    OPN_TRY_NEW(ctx, halo.n_from, comm->n_ranks);
    for (int32_t j = 0, r = 0; j < n_needed; j++) {
        while (needed[j] >= first[r + 1])
            r++;
        halo.n_from[r]++;
    }
    OPN_TRY(find_sent(ctx, first, needed, &halo));
    OPN_TRY_NEW(ctx, halo.out, (size_t)halo.n_sent * room);
    OPN_TRY_NEW(ctx, halo.in, (size_t)halo.n_halo * room);
    comm->halo_open(&halo);
    *out = halo;
    halo = (opn_i_halo){0};
cleanup:
    opn_i_halo_deinit(&ctx->alloc, &halo);
    return status;
}

void opn_i_halo_start(opn_i_halo *halo, void *rows, size_t row_bytes, size_t stride_bytes)
{
    const unsigned char *from = rows;
    halo->seconds -= opn_i_clock();
    halo->into = (unsigned char *)rows + (size_t)halo->n_own * stride_bytes;
    halo->row_bytes = row_bytes;
    halo->stride_bytes = stride_bytes;
    for (int32_t j = 0; j < halo->n_sent; j++)
        memcpy(halo->out + (size_t)j * row_bytes,
               from + (size_t)halo->sent_row[j] * stride_bytes, row_bytes);
    halo->comm->halo_start(halo, row_bytes,
                           row_bytes == stride_bytes ? halo->into : halo->in);
    halo->seconds += opn_i_clock();
}

void opn_i_halo_wait(opn_i_halo *halo)
{
    const bool is_in_place = halo->row_bytes == halo->stride_bytes;
    halo->seconds -= opn_i_clock();
    halo->comm->halo_wait(halo);
    halo->n_bytes += (int64_t)halo->row_bytes * halo->n_halo;
    for (int32_t j = 0; j < halo->n_halo && !is_in_place; j++)
        memcpy(halo->into + (size_t)j * halo->stride_bytes,
               halo->in + (size_t)j * halo->row_bytes, halo->row_bytes);
    halo->seconds += opn_i_clock();
}
