// zip_mutator.c -- changes members of a zip archive, of arrays header or items alone, and
// writes an archive around them that is right but for that.

#include "mend_zip.h"
#include "mutator.h"

enum { MOST_MEMBERS = 16, LOCAL = 30, ENTRY = 46, MORE = 32, STORED = 0, DEFLATED = 8 };

typedef struct member {
    uint8_t *name, *content; // to be freed
    size_t n_name, n_content;
} member;

static uint8_t *copy_bytes(const uint8_t *bytes, size_t n)
{
    uint8_t *copy = malloc(n + 1);
    if (copy != NULL && n > 0)
        memcpy(copy, bytes, n);
    return copy;
}

// ---- reading -------------------------------------------------------------------------

// The content of a packed member, as far as there is room; NULL if it cannot be unpacked.
static uint8_t *unpack(uint8_t *packed, size_t n_packed, size_t *n)
{
    uint8_t *content = malloc(MUTATOR_ROOM);
    z_stream stream = {0};
    if (content == NULL || inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        free(content);
        return NULL;
    }
    stream.next_in = packed;
    stream.avail_in = (uInt)n_packed;
    stream.next_out = content;
    stream.avail_out = MUTATOR_ROOM;
    (void)inflate(&stream, Z_FINISH);
    *n = MUTATOR_ROOM - stream.avail_out;
    (void)inflateEnd(&stream);
    return content;
}

// The member that an entry of the directory is about; false if it is not whole.
static bool read_member(uint8_t *data, size_t size, const uint8_t *entry, member *out)
{
    const size_t method = mend_get_number(entry + 10, 2);
    const size_t n_stored = mend_get_number(entry + 20, 4);
    const size_t n_name = mend_get_number(entry + 28, 2);
    const size_t local = mend_get_number(entry + 42, 4);
    if (size < LOCAL || local > size - LOCAL || memcmp(data + local, "PK\3\4", 4) != 0 ||
        n_name > (size_t)(data + size - entry) - ENTRY)
        return false;
    const size_t start = local + LOCAL + mend_get_number(data + local + 26, 2) +
                         mend_get_number(data + local + 28, 2);
    if (start > size || n_stored > size - start ||
        (method != STORED && method != DEFLATED))
        return false;
    *out = (member){.n_name = n_name, .n_content = n_stored};
    out->content = method == STORED ? copy_bytes(data + start, n_stored)
                                    : unpack(data + start, n_stored, &out->n_content);
    out->name = copy_bytes(entry + ENTRY, n_name);
    return out->content != NULL && out->name != NULL;
}

static size_t read_members(uint8_t *data, size_t size, member members[MOST_MEMBERS])
{
    size_t n = 0;
    for (size_t at = 0; at + ENTRY <= size && n < MOST_MEMBERS; at++) {
        if (memcmp(data + at, "PK\1\2", 4) != 0)
            continue;
        if (read_member(data, size, data + at, &members[n]))
            n++;
    }
    return n;
}

// ---- changing ------------------------------------------------------------------------

static void take_over(const mutant *from, uint8_t **bytes, size_t *n)
{
    uint8_t *copy = from->is_full ? NULL : copy_bytes(from->bytes, from->n);
    if (copy == NULL)
        return;
    free(*bytes);
    *bytes = copy;
    *n = from->n;
}

// The header of an array with its right length, or the items alone.
static void change_array(member *m, bool in_header, mutant *work)
{
    enum { MAGIC = 8, START = 10 };
    const size_t n_header = mend_get_number(m->content + MAGIC, 2);
    if (n_header > m->n_content - START) {
        mutant_put_changed(work, m->content, m->n_content, MORE);
        return;
    }
    const uint8_t *items = m->content + START + n_header;
    const size_t n_items = m->n_content - START - n_header;
    mutant_put(work, m->content, START);
    if (in_header)
        mutant_put_changed(work, m->content + START, n_header, MORE);
    else
        mutant_put(work, m->content + START, n_header);
    if (!work->is_full) {
        work->bytes[MAGIC] = (uint8_t)(work->n - START);
        work->bytes[MAGIC + 1] = (uint8_t)((work->n - START) >> 8);
    }
    if (in_header)
        mutant_put(work, items, n_items);
    else
        mutant_put_changed(work, items, n_items, MORE);
}

static void change_content(member *m, uint32_t *state)
{
    static mutant work;
    work.n = 0;
    work.is_full = false;
    if (m->n_content >= 10 && memcmp(m->content, "\x93NUMPY\1", 7) == 0)
        change_array(m, mutator_draw(state, 2) == 0, &work);
    else
        mutant_put_changed(&work, m->content, m->n_content, MORE);
    take_over(&work, &m->content, &m->n_content);
}

static void change_name(member *m)
{
    static mutant work;
    work.n = 0;
    work.is_full = false;
    mutant_put_changed(&work, m->name, m->n_name, MORE);
    take_over(&work, &m->name, &m->n_name);
}

// Returns how many members there are then.
static size_t change(member members[MOST_MEMBERS], size_t n, uint32_t *state)
{
    const size_t i = mutator_draw(state, n);
    const size_t j = mutator_draw(state, n);
    const member chosen = members[i];
    switch (mutator_draw(state, 8)) {
    case 0:
        change_name(&members[i]);
        break;
    case 1: // drop one
        free(chosen.name);
        free(chosen.content);
        members[i] = members[--n];
        break;
    case 2: // one more, with the content of another
        if (n < MOST_MEMBERS) {
            members[n] = (member){copy_bytes(chosen.name, chosen.n_name),
                                  copy_bytes(members[j].content, members[j].n_content),
                                  chosen.n_name, members[j].n_content};
            n += members[n].name != NULL && members[n].content != NULL;
        }
        break;
    case 3: // swap contents
        members[i].content = members[j].content;
        members[i].n_content = members[j].n_content;
        members[j].content = chosen.content;
        members[j].n_content = chosen.n_content;
        break;
    default:
        change_content(&members[i], state);
        break;
    }
    return n;
}

// ---- writing -------------------------------------------------------------------------

// What local header and directory have in common.
static void put_about(mutant *out, const member *m, size_t method, size_t n_stored)
{
    mutant_put_number(out, 20, 2); // the version that can read it
    mutant_put_number(out, 0, 2);
    mutant_put_number(out, method, 2);
    mutant_put_number(out, 0, 4);
    mutant_put_number(out, crc32(crc32(0, NULL, 0), m->content, (uInt)m->n_content), 4);
    mutant_put_number(out, n_stored, 4);
    mutant_put_number(out, m->n_content, 4);
    mutant_put_number(out, m->n_name, 2);
    mutant_put_number(out, 0, 2);
}

static size_t pack(const member *m, uint8_t *packed, size_t room)
{
    z_stream stream = {0};
    if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, -MAX_WBITS, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    stream.next_in = m->content;
    stream.avail_in = (uInt)m->n_content;
    stream.next_out = packed;
    stream.avail_out = (uInt)room;
    const bool is_packed = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    (void)deflateEnd(&stream);
    return is_packed ? room - stream.avail_out : 0;
}

static void put_archive(mutant *out, const member *members, size_t n, uint32_t *state)
{
    static mutant directory;
    static uint8_t packed[MUTATOR_ROOM];
    directory.n = 0;
    directory.is_full = false;
    for (size_t i = 0; i < n; i++) {
        const member *m = &members[i];
        const size_t start = out->n;
        const size_t n_packed =
                mutator_draw(state, 4) == 0 ? pack(m, packed, sizeof(packed)) : 0;
        const size_t method = n_packed > 0 ? DEFLATED : STORED;
        const size_t n_stored = n_packed > 0 ? n_packed : m->n_content;
        mutant_put(out, "PK\3\4", 4);
        put_about(out, m, method, n_stored);
        mutant_put(out, m->name, m->n_name);
        mutant_put(out, n_packed > 0 ? packed : m->content, n_stored);
        mutant_put(&directory, "PK\1\2\24", 6);
        put_about(&directory, m, method, n_stored);
        mutant_put_number(&directory, 0, 2 + 2 + 2);
        mutant_put_number(&directory, 0, 4);
        mutant_put_number(&directory, start, 4);
        mutant_put(&directory, m->name, m->n_name);
    }
    const size_t start = out->n;
    mutant_put(out, directory.bytes, directory.n);
    mutant_put(out, "PK\5\6\0\0\0\0", 8);
    mutant_put_number(out, n, 2);
    mutant_put_number(out, n, 2);
    mutant_put_number(out, directory.n, 4);
    mutant_put_number(out, start, 4);
    mutant_put_number(out, 0, 2);
    out->is_full = out->is_full || directory.is_full;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    static mutant out;
    member members[MOST_MEMBERS];
    uint32_t state = seed;
    out.n = 0;
    out.is_full = false;
    size_t n = mutator_draw(&state, 8) == 0 ? 0 : read_members(data, size, members);
    if (n > 0) {
        n = change(members, n, &state);
        put_archive(&out, members, n, &state);
    }
    for (size_t i = 0; i < n; i++) {
        free(members[i].name);
        free(members[i].content);
    }
    return mutator_finish(&out, data, size, max_size);
}
