// hop.c -- one hop over the edges.

#include "network/hop.h"

opn_i_hop opn_i_hop_with(const opn_i_hop *hop, opn_k_sparse symmetric)
{
    opn_i_hop other = *hop;
    other.rows = other.transposed = symmetric;
    return other;
}

// ---- products ------------------------------------------------------------------------

// Fetches the rows that other ranks have.
static void fetch_rows(const opn_i_hop *hop, opn_i_dense x)
{
    if (hop->halo == NULL)
        return;
    opn_i_halo_start(hop->halo, x.data, (size_t)x.width * sizeof(*x.data),
                     (size_t)x.stride * sizeof(*x.data));
    opn_i_halo_wait(hop->halo);
}

void opn_i_hop_product(const opn_i_exec *exec,
                       const opn_i_hop *hop,
                       opn_i_dense x,
                       opn_i_dense y,
                       const opn_k_finish *finish)
{
    fetch_rows(hop, x);
    opn_i_spmm(exec, &hop->rows, hop->n_rows, opn_i_as_const(x), y, finish);
}

void opn_i_hop_product_transposed(const opn_i_exec *exec,
                                  const opn_i_hop *hop,
                                  const opn_real *scale,
                                  opn_i_dense x,
                                  opn_i_dense y)
{
    opn_k_sparse back = hop->transposed;
    back.scale = scale;
    fetch_rows(hop, x);
    opn_i_spmm(exec, &back, hop->halo == NULL ? hop->n_cols : hop->n_rows,
               opn_i_as_const(x), y, NULL);
}

void opn_i_hop_attend(const opn_i_exec *exec,
                      const opn_i_hop *hop,
                      opn_k_attention *layer)
{
    layer->begin = hop->rows.begin;
    layer->end = hop->rows.end;
    layer->col = hop->rows.col;
    layer->own = hop->own;
    opn_i_attention_rows(exec, layer, exec->kernels->attention->attend, hop->n_rows,
                         opn_i_hop_n_entries(hop));
}

void opn_i_hop_attend_back(const opn_i_exec *exec,
                           const opn_i_hop *hop,
                           opn_k_attention *layer)
{
    layer->transposed_begin = hop->transposed.begin;
    layer->transposed_end = hop->transposed.end;
    layer->transposed_col = hop->transposed.col;
    layer->transposed_entry = hop->entry;
    opn_i_attention_rows(exec, layer, exec->kernels->attention->look_back, hop->n_cols,
                         opn_i_hop_n_entries(hop));
}

// ---- making --------------------------------------------------------------------------

void opn_i_hop_store_deinit(const opn_alloc *alloc, opn_i_hop_store *store)
{
    opn_i_csr_deinit(alloc, &store->rows);
    opn_i_csr_deinit(alloc, &store->transposed);
    opn_i_release(alloc, store->own);
    opn_i_release(alloc, store->entry);
    opn_i_halo_deinit(alloc, &store->halo);
    *store = (opn_i_hop_store){0};
}

opn_status opn_i_hop_store_transpose(opn_ctx *ctx,
                                     bool is_symmetric,
                                     bool needs_entries,
                                     opn_i_hop_store *store)
{
    opn_status status = OPN_OK;
    if (!is_symmetric)
        OPN_TRY(opn_i_csr_transpose(ctx, &store->rows, &store->transposed));
    if (needs_entries)
        OPN_TRY(opn_i_csr_transposed_entries(
                ctx, &store->rows, is_symmetric ? &store->rows : &store->transposed,
                &store->entry));
cleanup:
    return status;
}

opn_i_hop opn_i_hop_view(opn_i_hop_store *store)
{
    const bool has_transposed = store->transposed.row_ptr != NULL;
    return (opn_i_hop){
            .n_rows = store->rows.n_rows,
            .n_cols = store->rows.n_cols,
            .rows = opn_i_csr_view(&store->rows),
            .own = store->own,
            .transposed =
                    opn_i_csr_view(has_transposed ? &store->transposed : &store->rows),
            .entry = store->entry,
            .halo = store->halo.comm == NULL ? NULL : &store->halo,
    };
}
