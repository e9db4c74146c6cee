// names.c -- a table of short strings in one block, with lookup by name.

#include "base/names.h"

#include <string.h>

void opn_i_names_deinit(const opn_alloc *alloc, opn_i_names *names)
{
    opn_i_release(alloc, names->text);
    opn_i_release(alloc, names->offset);
    opn_i_release(alloc, names->slot);
    *names = (opn_i_names){0};
}

opn_status
opn_i_names_add(opn_ctx *ctx, opn_i_names *names, const char *text, size_t n_chars)
{
    opn_status status = OPN_OK;
    OPN_FAIL_IF(ctx, names->n >= INT32_MAX, OPN_ERR_OVERFLOW, "more than %d names",
                INT32_MAX);
    OPN_FAIL_IF(ctx, n_chars >= PTRDIFF_MAX - names->n_text, OPN_ERR_OVERFLOW,
                "the names are too long in total");
    OPN_TRY_RESERVE(ctx, names->text, names->text_room, names->n_text,
                    names->n_text + n_chars + 1);
    OPN_TRY_RESERVE(ctx, names->offset, names->offset_room, (size_t)names->n,
                    (size_t)names->n + 1);
    memcpy(names->text + names->n_text, text, n_chars);
    names->text[names->n_text + n_chars] = 0;
    names->offset[names->n++] = names->n_text;
    names->n_text += n_chars + 1;
cleanup:
    return status;
}

const char *opn_i_names_at(const opn_i_names *names, int64_t i)
{
    return names->text + names->offset[i];
}

static size_t length_at(const opn_i_names *names, int64_t i)
{
    const size_t end = i + 1 < names->n ? names->offset[i + 1] : names->n_text;
    return end - names->offset[i] - 1;
}

// Hashes eight bytes per step with a strong finalizer, so that neither long names nor
// similar ones (user1, user2 …) make the table slow.
static uint64_t hash_of(const char *text, size_t n_chars)
{
    uint64_t hash = 0x9e3779b97f4a7c15u ^ n_chars;
    while (n_chars > 0) {
        uint64_t word = 0;
        const size_t n = n_chars < sizeof(word) ? n_chars : sizeof(word);
        memcpy(&word, text, n);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
        text += n;
        n_chars -= n;
    }
    hash *= 0xc4ceb9fe1a85ec53u;
    return hash ^ hash >> 33;
}

// Slot of the name, or the empty slot to insert it at.
static size_t find_slot(const opn_i_names *names, const char *text, size_t n_chars)
{
    size_t at = (size_t)hash_of(text, n_chars) & (names->n_slots - 1);
    for (;; at = (at + 1) & (names->n_slots - 1)) {
        const int32_t i = names->slot[at];
        if (i < 0)
            return at;
        if (length_at(names, i) == n_chars &&
            memcmp(opn_i_names_at(names, i), text, n_chars) == 0)
            return at;
    }
}

// Keeps the table at most half full.
static opn_status reserve_slot(opn_ctx *ctx, opn_i_names *names)
{
    opn_status status = OPN_OK;
    int32_t *slot = NULL;
    if (names->slot != NULL && (size_t)names->n * 2 < names->n_slots)
        return OPN_OK;
    size_t n_slots = names->n_slots == 0 ? 64 : names->n_slots * 2;
    while (n_slots <= 2 * (size_t)names->n) // names may have been added without lookup
        n_slots *= 2;
    OPN_TRY_NEW(ctx, slot, n_slots);
    memset(slot, 0xff, n_slots * sizeof(*slot)); // all -1
    opn_i_release(&ctx->alloc, names->slot);
    names->slot = slot;
    names->n_slots = n_slots;
    for (int64_t i = 0; i < names->n; i++)
        slot[find_slot(names, opn_i_names_at(names, i), length_at(names, i))] =
                (int32_t)i;
cleanup:
    return status;
}

opn_status opn_i_names_intern(
        opn_ctx *ctx, opn_i_names *names, const char *text, size_t n_chars, int32_t *out)
{
    opn_status status = OPN_OK;
    OPN_TRY(reserve_slot(ctx, names));
    const size_t at = find_slot(names, text, n_chars);
    if (names->slot[at] < 0) {
        OPN_TRY(opn_i_names_add(ctx, names, text, n_chars));
        names->slot[at] = (int32_t)(names->n - 1);
    }
    *out = names->slot[at];
cleanup:
    return status;
}

int32_t opn_i_names_find(const opn_i_names *names, const char *text, size_t n_chars)
{
    return names->slot == NULL ? -1 : names->slot[find_slot(names, text, n_chars)];
}

opn_status opn_i_names_index(opn_ctx *ctx, const opn_i_names *from, opn_i_names *to)
{
    opn_status status = OPN_OK;
    int32_t at = 0;
    for (int64_t i = 0; i < from->n; i++) {
        const char *name = opn_i_names_at(from, i);
        OPN_TRY(opn_i_names_intern(ctx, to, name, strlen(name), &at));
    }
cleanup:
    return status;
}

opn_status opn_i_names_copy(opn_ctx *ctx, const opn_i_names *from, opn_i_names *to)
{
    opn_status status = OPN_OK;
    opn_i_names copy = {0};
    for (int64_t i = 0; i < from->n; i++)
        OPN_TRY(opn_i_names_add(ctx, &copy, opn_i_names_at(from, i), length_at(from, i)));
    *to = copy;
    copy = (opn_i_names){0};
cleanup:
    opn_i_names_deinit(&ctx->alloc, &copy);
    return status;
}

bool opn_i_is_listed(const char *list, const char *name)
{
    const size_t n_name = strlen(name);
    if (list[0] == 0)
        return true;
    while (*list != 0) {
        const size_t n = strcspn(list, ",");
        if (n == n_name && memcmp(list, name, n) == 0)
            return true;
        list += n + (list[n] == ',');
    }
    return false;
}
