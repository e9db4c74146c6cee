// pickle_machine.c -- input, stack and memo of the pickle machine.

#include "arrays/pickle_machine.h"

#include <string.h>

enum { FIRST_ROOM = 64 };

// ---- input ---------------------------------------------------------------------------

opn_status opn_i_pickle_read_uint(opn_i_pickle_machine *m, int n, uint64_t *out)
{
    if (m->n_bytes - m->at < (size_t)n)
        return opn_i_fail(m->ctx, OPN_ERR_FORMAT, "the file is truncated here");
    uint64_t value = 0;
    for (int i = 0; i < n; i++)
        value |= (uint64_t)m->data[m->at + (size_t)i] << (8 * i);
    m->at += (size_t)n;
    *out = value;
    return OPN_OK;
}

opn_status opn_i_pickle_read_block(opn_i_pickle_machine *m,
                                   int n_length,
                                   const char **block,
                                   size_t *n)
{
    uint64_t length = 0;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_uint(m, n_length, &length));
    OPN_FAIL_IF(m->ctx, length > m->n_bytes - m->at, OPN_ERR_FORMAT,
                "%llu bytes are announced, %zu are left; the file is truncated",
                (unsigned long long)length, m->n_bytes - m->at);
    *block = (const char *)m->data + m->at;
    *n = (size_t)length;
    m->at += (size_t)length;
cleanup:
    return status;
}

opn_status opn_i_pickle_read_line(opn_i_pickle_machine *m, const char **line, size_t *n)
{
    const unsigned char *start = m->data + m->at;
    const size_t n_left = m->n_bytes - m->at;
    const unsigned char *end = n_left > 0 ? memchr(start, '\n', n_left) : NULL;
    if (end == NULL)
        return opn_i_fail(m->ctx, OPN_ERR_FORMAT, "the file is truncated here");
    *line = (const char *)start;
    *n = (size_t)(end - start);
    m->at += *n + 1;
    return OPN_OK;
}

opn_status opn_i_pickle_read_int(opn_i_pickle_machine *m, int64_t *out)
{
    const char *line = NULL;
    size_t n = 0;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_line(m, &line, &n));
    OPN_TRY(opn_i_pickle_parse_int(m->ctx, line, n, out));
cleanup:
    return status;
}

// ---- stack ---------------------------------------------------------------------------

// Grows *items to hold at least `needed`.
static opn_status
reserve(opn_ctx *ctx, void **items, size_t *room, size_t needed, size_t size)
{
    size_t new_room = *room < FIRST_ROOM ? FIRST_ROOM : 2 * *room;
    if (new_room < needed)
        new_room = needed;
    void *grown = opn_i_resize(&ctx->alloc, *items, *room, new_room, size);
    if (grown == NULL)
        return opn_i_fail_nomem(ctx, new_room, size);
    *items = grown;
    *room = new_room;
    return OPN_OK;
}

opn_status opn_i_pickle_push(opn_i_pickle_machine *m, opn_i_pickle_value value)
{
    if (m->n_stack == m->stack_room) {
        void *grown = m->stack;
        const opn_status status = reserve(m->ctx, &grown, &m->stack_room, m->n_stack + 1,
                                          sizeof(*m->stack));
        if (status != OPN_OK)
            return status;
        m->stack = grown;
    }
    m->stack[m->n_stack++] = value;
    return OPN_OK;
}

size_t opn_i_pickle_n_above_mark(const opn_i_pickle_machine *m)
{
    return m->n_stack - (m->n_marks > 0 ? m->mark[m->n_marks - 1] : 0);
}

opn_status
opn_i_pickle_pop(opn_i_pickle_machine *m, size_t n, const opn_i_pickle_value **values)
{
    if (opn_i_pickle_n_above_mark(m) < n)
        return opn_i_fail(m->ctx, OPN_ERR_FORMAT,
                          "needs %zu values, but %zu are on the stack", n,
                          opn_i_pickle_n_above_mark(m));
    m->n_stack -= n;
    *values = m->stack + m->n_stack;
    return OPN_OK;
}

opn_status opn_i_pickle_pop_to_mark(opn_i_pickle_machine *m,
                                    const opn_i_pickle_value **values,
                                    size_t *n)
{
    if (m->n_marks == 0)
        return opn_i_fail(m->ctx, OPN_ERR_FORMAT, "there is no mark on the stack");
    *n = opn_i_pickle_n_above_mark(m);
    m->n_marks--;
    m->n_stack -= *n;
    *values = m->stack + m->n_stack;
    return OPN_OK;
}

opn_status opn_i_pickle_top_list(opn_i_pickle_machine *m,
                                 opn_i_pickle_kind kind,
                                 opn_i_pickle_list **out)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(m->ctx, opn_i_pickle_n_above_mark(m) == 0, OPN_ERR_FORMAT,
                "the stack is empty");
    const opn_i_pickle_value *top = &m->stack[m->n_stack - 1];
    OPN_FAIL_IF(m->ctx, top->kind != kind, OPN_ERR_FORMAT, "adds to %s; expected %s",
                opn_i_pickle_kind_name(top->kind), opn_i_pickle_kind_name(kind));
    *out = top->as.list;
cleanup:
    return status;
}

opn_status opn_i_pickle_push_mark(opn_i_pickle_machine *m)
{
    opn_status status = OPN_OK;
    if (m->n_marks == m->mark_room) {
        void *grown = m->mark;
        OPN_TRY(reserve(m->ctx, &grown, &m->mark_room, m->n_marks + 1, sizeof(*m->mark)));
        m->mark = grown;
    }
    m->mark[m->n_marks++] = m->n_stack;
cleanup:
    return status;
}

// ---- memo ----------------------------------------------------------------------------

opn_status opn_i_pickle_put(opn_i_pickle_machine *m, uint64_t index)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(m->ctx, opn_i_pickle_n_above_mark(m) == 0, OPN_ERR_FORMAT,
                "the stack is empty");
    // Python numbers its puts in sequence, and each earlier one took at least one byte.
    OPN_FAIL_IF(m->ctx, index > m->at, OPN_ERR_FORMAT,
                "memo index %llu, more than the bytes before it can have filled",
                (unsigned long long)index);
    if (index >= m->memo_room) {
        const size_t old_room = m->memo_room;
        void *grown = m->memo;
        OPN_TRY(reserve(m->ctx, &grown, &m->memo_room, (size_t)index + 1,
                        sizeof(*m->memo)));
        m->memo = grown;
        memset(m->memo + old_room, 0, (m->memo_room - old_room) * sizeof(*m->memo));
    }
    m->n_memo += m->memo[index].kind == OPN_PICKLE_UNSET;
    m->memo[index] = m->stack[m->n_stack - 1];
cleanup:
    return status;
}

opn_status opn_i_pickle_get(opn_i_pickle_machine *m, uint64_t index)
{
    if (index >= m->memo_room || m->memo[index].kind == OPN_PICKLE_UNSET)
        return opn_i_fail(m->ctx, OPN_ERR_FORMAT, "memo index %llu was never put",
                          (unsigned long long)index);
    return opn_i_pickle_push(m, m->memo[index]);
}
