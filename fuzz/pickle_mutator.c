// pickle_mutator.c -- changes a pickle instruction by instruction, or the argument of
// one, whose length is right then. Of several files in one input one is changed.

#include "load_fuzz.h"
#include "mutator.h"

enum { MOST_STEPS = 1024, MORE = 16, FRAME = 0x95, STOP = '.' };

// How the argument of an instruction is written.
typedef enum argument {
    BYTES_0 = 0,
    BYTES_1 = 1,
    BYTES_2 = 2,
    BYTES_4 = 4,
    BYTES_8 = 8,
    LINE = 16,
    TWO_LINES = 17,
    COUNT_1 = 32 + 1, // a length of so many bytes, then that many
    COUNT_4 = 32 + 4,
    COUNT_8 = 32 + 8
} argument;

static argument argument_of(uint8_t opcode)
{
    static const struct {
        const char *opcodes;
        argument of;
    } table[] = {
            {"hqK\x80\x82", BYTES_1}, {"M\x83", BYTES_2},   {"Jjr\x84", BYTES_4},
            {"G\x95", BYTES_8},       {"ILFSVgpP", LINE},   {"ci", TWO_LINES},
            {"UC\x8c\x8a", COUNT_1},  {"TBX\x8b", COUNT_4}, {"\x8d\x8e\x96", COUNT_8}};
    for (size_t t = 0; t < sizeof(table) / sizeof(table[0]); t++)
        if (opcode != 0 && strchr(table[t].opcodes, opcode) != NULL)
            return table[t].of;
    return BYTES_0;
}

typedef struct step {
    const uint8_t *at;
    size_t n;      // bytes in all
    size_t prefix; // of them, of opcode and length
} step;

// ---- reading -------------------------------------------------------------------------

static size_t line_end(const uint8_t *data, size_t size, size_t at)
{
    while (at < size && data[at] != '\n')
        at++;
    return at < size ? at + 1 : size;
}

// The instruction at the start of the data, which are not empty; cut off at their end.
static step read_step(const uint8_t *data, size_t size)
{
    const argument kind = argument_of(data[0]);
    step s = {data, 1 + (size_t)kind, 1};
    if (kind == LINE || kind == TWO_LINES) {
        s.n = line_end(data, size, 1);
        if (kind == TWO_LINES)
            s.n = line_end(data, size, s.n);
    } else if (kind >= COUNT_1) {
        size_t count = 0;
        s.prefix = 1 + (size_t)kind - 32;
        for (size_t i = 1; i < s.prefix && i < size; i++)
            count |= (size_t)data[i] << (8 * (i - 1));
        s.n = count < size ? s.prefix + count : size;
    }
    if (s.n > size)
        s.n = size;
    if (s.prefix > s.n)
        s.prefix = s.n;
    return s;
}

static size_t read_steps(const uint8_t *data, size_t size, step steps[MOST_STEPS])
{
    size_t n = 0;
    for (size_t at = 0; at < size && n < MOST_STEPS; at += steps[n++].n)
        steps[n] = read_step(data + at, size - at);
    return n;
}

// ---- changing and writing ------------------------------------------------------------

static void put_changed_step(mutant *out, const step *s)
{
    const argument kind = argument_of(s->at[0]);
    const size_t start = out->n;
    mutant_put(out, s->at, s->prefix);
    if (kind == BYTES_0) {
        if (!out->is_full) // the opcode is all there is
            (void)LLVMFuzzerMutate(out->bytes + start, 1, 1);
        return;
    }
    mutant_put_changed(out, s->at + s->prefix, s->n - s->prefix, kind >= LINE ? MORE : 0);
    if (out->is_full)
        return;
    const size_t n_argument = out->n - start - s->prefix;
    for (size_t i = 1; kind >= COUNT_1 && i < s->prefix; i++)
        out->bytes[start + i] = (uint8_t)(i > 4 ? 0 : n_argument >> (8 * (i - 1)));
    if (kind == LINE || kind == TWO_LINES)
        mutant_put(out, "\n", out->bytes[out->n - 1] == '\n' ? 0 : 1);
}

// A frame is as long as what follows.
static void mend_frame(mutant *out, size_t frame)
{
    const size_t n = out->n - frame - 9;
    for (size_t i = 0; i < 8; i++)
        out->bytes[frame + 1 + i] = (uint8_t)(n >> (8 * i));
}

static void put_pickle(mutant *out, const uint8_t *data, size_t size, uint32_t *state)
{
    static const char *const simple[] = {"N",    "K\5",  "(",    "t",    "]", "}",
                                         "e",    "s",    "u",    "a",    "R", "b",
                                         "0",    "2",    "\x85", "\x86", ")", "\x87",
                                         "\x88", "\x94", "h\1",  "q\1",  "l", "d"};
    enum { N_SIMPLE = sizeof(simple) / sizeof(simple[0]) };
    static step steps[MOST_STEPS];
    const size_t n = read_steps(data, size, steps);
    const size_t chosen = n > 0 ? mutator_draw(state, n) : 0;
    const size_t other = n > 0 ? mutator_draw(state, n) : 0;
    const uint32_t what = mutator_draw(state, 8);
    const size_t n_range = 1 + mutator_draw(state, 8);
    size_t frame = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        const step *s = &steps[what == 2 && i == chosen  ? other
                               : what == 2 && i == other ? chosen
                                                         : i];
        const size_t start = out->n;
        if (i == chosen && what == 3) {
            const char *more = simple[mutator_draw(state, N_SIMPLE)];
            mutant_put(out, more, strlen(more));
        }
        for (size_t j = other; i == chosen && what == 4 && j < n && j < other + n_range;
             j++)
            mutant_put(out, steps[j].at, steps[j].n); // some of another place
        if (i == chosen && what == 1)
            continue; // left out
        if (i == chosen && what >= 5)
            put_changed_step(out, s);
        else
            mutant_put(out, s->at, s->n);
        if (s->at[0] == FRAME && s->n == 9 && i != chosen)
            frame = start;
    }
    if (frame != SIZE_MAX && !out->is_full && out->n >= frame + 9)
        mend_frame(out, frame);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    static mutant out;
    const size_t n_separator = strlen(fuzz_separator);
    uint32_t state = seed;
    size_t n_files = 0;
    out.n = 0;
    out.is_full = false;
    if (size == 0 || mutator_draw(&state, 8) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (size_t start = 0; start <= size; n_files++)
        start = fuzz_file_end(data, size, start) + n_separator;
    const size_t chosen = mutator_draw(&state, n_files);
    for (size_t f = 0, start = 0; f < n_files; f++) {
        const size_t end = fuzz_file_end(data, size, start);
        if (f > 0)
            mutant_put(&out, fuzz_separator, n_separator);
        if (f == chosen)
            put_pickle(&out, data + start, end - start, &state);
        else
            mutant_put(&out, data + start, end - start);
        start = end + n_separator;
    }
    return mutator_finish(&out, data, size, max_size);
}
