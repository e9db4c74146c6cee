// pickle.c -- loading a pickle, and the storage of its values.

#include "arrays/pickle_machine.h"

#include <string.h>

enum { FIRST_CHUNK = 1024, LARGEST_CHUNK = 1 << 20, FIRST_STACK = 64 };

// Enough for integers, doubles and pointers, which is all that results contain.
enum { ALIGNMENT = 8 };

// The memory to allocate from follows the header.
struct opn_i_pickle_chunk {
    opn_i_pickle_chunk *next;
    size_t n_used;
    size_t n_bytes;
};

static opn_i_pickle_chunk *new_chunk(const opn_alloc *alloc, size_t n_bytes)
{
    size_t n_all;
    if (!opn_i_add(n_bytes, sizeof(opn_i_pickle_chunk), &n_all))
        return NULL;
    opn_i_pickle_chunk *chunk = opn_i_calloc(alloc, n_all, 1);
    if (chunk != NULL)
        chunk->n_bytes = n_bytes;
    return chunk;
}

static void *take_from(opn_i_pickle_chunk *chunk, size_t n_bytes)
{
    void *ptr = (unsigned char *)(chunk + 1) + chunk->n_used;
    chunk->n_used += n_bytes;
    return ptr;
}

void *opn_i_pickle_take(opn_i_pickle *pickle, size_t n, size_t size)
{
    size_t n_bytes;
    if (!opn_i_mul(n, size, &n_bytes) || !opn_i_add(n_bytes, ALIGNMENT - 1, &n_bytes))
        return NULL;
    n_bytes -= n_bytes % ALIGNMENT;

    opn_i_pickle_chunk *head = pickle->chunk;
    if (head != NULL && n_bytes <= head->n_bytes - head->n_used)
        return take_from(head, n_bytes);

    size_t room = head == NULL ? FIRST_CHUNK : 2 * head->n_bytes;
    if (room > LARGEST_CHUNK)
        room = LARGEST_CHUNK;
    // A large block gets its own chunk after the head, whose free space stays usable.
    const bool alone = head != NULL && n_bytes > room / 2;
    opn_i_pickle_chunk *chunk =
            new_chunk(&pickle->alloc, alone || n_bytes > room ? n_bytes : room);
    if (chunk == NULL)
        return NULL;
    if (alone) {
        chunk->next = head->next;
        head->next = chunk;
    } else {
        chunk->next = head;
        pickle->chunk = chunk;
    }
    return take_from(chunk, n_bytes);
}

opn_status opn_i_pickle_new_text(opn_i_pickle_machine *m,
                                 opn_i_pickle_kind kind,
                                 const char *chars,
                                 size_t n,
                                 opn_i_pickle_value *out)
{
    opn_i_pickle_text *text = opn_i_pickle_take(m->pickle, 1, sizeof(*text));
    if (text == NULL)
        return opn_i_fail_nomem(m->ctx, 1, sizeof(*text));
    text->chars = chars;
    text->n = n;
    out->kind = kind;
    out->as.text = text;
    return OPN_OK;
}

opn_status opn_i_pickle_new_list(opn_i_pickle_machine *m,
                                 opn_i_pickle_kind kind,
                                 opn_i_pickle_value *out)
{
    opn_i_pickle_list *list = opn_i_pickle_take(m->pickle, 1, sizeof(*list));
    if (list == NULL)
        return opn_i_fail_nomem(m->ctx, 1, sizeof(*list));
    out->kind = kind;
    out->as.list = list;
    return OPN_OK;
}

opn_status opn_i_pickle_extend(opn_i_pickle_machine *m,
                               opn_i_pickle_list *list,
                               const opn_i_pickle_value *item,
                               size_t n)
{
    if (n == 0)
        return OPN_OK;
    if (n > list->room - list->n) {
        // The first items are usually the only ones, so they get no room to grow.
        const size_t room = list->n + (n > list->n ? n : list->n);
        opn_i_pickle_value *grown =
                opn_i_pickle_take(m->pickle, room, sizeof(*list->item));
        if (grown == NULL)
            return opn_i_fail_nomem(m->ctx, room, sizeof(*list->item));
        if (list->n > 0)
            memcpy(grown, list->item, list->n * sizeof(*grown));
        list->item = grown;
        list->room = room;
    }
    memcpy(list->item + list->n, item, n * sizeof(*item));
    list->n += n;
    return OPN_OK;
}

opn_status opn_i_pickle_spend(opn_i_pickle_machine *m, size_t n)
{
    if (n > m->n_spare)
        return opn_i_fail(m->ctx, OPN_ERR_FORMAT,
                          "one value is used over and over, which no Python program "
                          "does");
    m->n_spare -= n;
    return OPN_OK;
}

opn_status opn_i_pickle_load(opn_ctx *ctx,
                             const char *name,
                             const unsigned char *data,
                             size_t n_bytes,
                             opn_i_pickle **out)
{
    opn_status status = OPN_OK;
    opn_i_pickle *pickle = NULL;
    opn_i_pickle_machine machine = {
            .ctx = ctx, .data = data, .n_bytes = n_bytes, .n_spare = n_bytes};

    OPN_TRY_NEW(ctx, pickle, 1);
    pickle->alloc = ctx->alloc;
    machine.pickle = pickle;
    OPN_TRY_NEW(ctx, machine.stack, FIRST_STACK); // even an empty stack has an address
    machine.stack_room = FIRST_STACK;
    OPN_TRY(opn_i_pickle_run(&machine));

    *out = pickle;
    pickle = NULL; // ownership moved; cleanup frees nothing
cleanup:
    if (status != OPN_OK)
        status = opn_i_fail_within(ctx, status, name);
    opn_i_release(&ctx->alloc, machine.stack);
    opn_i_release(&ctx->alloc, machine.mark);
    opn_i_release(&ctx->alloc, machine.memo);
    opn_i_pickle_free(pickle);
    return status;
}

void opn_i_pickle_free(opn_i_pickle *pickle)
{
    if (pickle == NULL)
        return;
    const opn_alloc hooks = pickle->alloc;
    opn_i_pickle_chunk *chunk = pickle->chunk;
    while (chunk != NULL) {
        opn_i_pickle_chunk *next = chunk->next;
        opn_i_release(&hooks, chunk);
        chunk = next;
    }
    opn_i_release(&hooks, pickle);
}

const opn_i_pickle_value *opn_i_pickle_root(const opn_i_pickle *pickle)
{
    return &pickle->root;
}

const opn_i_pickle_list *opn_i_pickle_objects(const opn_i_pickle_value *value)
{
    if (value->kind != OPN_PICKLE_NDARRAY)
        return NULL;
    return opn_i_pickle_array_of(value->as.array)->objects;
}

const char *opn_i_pickle_kind_name(opn_i_pickle_kind kind)
{
    switch (kind) {
    case OPN_PICKLE_UNSET:
        return "nothing";
    case OPN_PICKLE_NONE:
        return "None";
    case OPN_PICKLE_BOOL:
        return "a bool";
    case OPN_PICKLE_INT:
        return "an int";
    case OPN_PICKLE_REAL:
        return "a float";
    case OPN_PICKLE_TEXT:
        return "a string";
    case OPN_PICKLE_BYTES:
        return "a byte string";
    case OPN_PICKLE_TUPLE:
        return "a tuple";
    case OPN_PICKLE_LIST:
        return "a list";
    case OPN_PICKLE_DICT:
        return "a dict";
    case OPN_PICKLE_NDARRAY:
        return "an array";
    case OPN_PICKLE_SPARSE:
        return "a sparse matrix";
    case OPN_PICKLE_GLOBAL:
        return "a class or function";
    case OPN_PICKLE_DTYPE:
        return "an array type";
    }
    return "an unknown value";
}
