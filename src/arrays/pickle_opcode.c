// pickle_opcode.c -- the pickle opcodes that build values.

#include "arrays/pickle_machine.h"

#include "io/byte_order.h"

#include <stdio.h>
#include <string.h>

// ---- control -------------------------------------------------------------------------

static opn_status drop(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    const opn_i_pickle_value *dropped = NULL;
    size_t n = 0;
    // A mark is popped like a value.
    if (opn_i_pickle_n_above_mark(m) == 0 && m->n_marks > 0)
        return opn_i_pickle_pop_to_mark(m, &dropped, &n);
    return opn_i_pickle_pop(m, 1, &dropped);
}

static opn_status drop_to_mark(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    const opn_i_pickle_value *dropped = NULL;
    size_t n = 0;
    return opn_i_pickle_pop_to_mark(m, &dropped, &n);
}

static opn_status duplicate(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    if (opn_i_pickle_n_above_mark(m) == 0)
        return opn_i_fail(m->ctx, OPN_ERR_FORMAT, "the stack is empty");
    return opn_i_pickle_push(m, m->stack[m->n_stack - 1]);
}

static opn_status mark(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    return opn_i_pickle_push_mark(m);
}

static opn_status stop(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    opn_status status = OPN_OK;
    const opn_i_pickle_value *root = NULL;
    OPN_TRY(opn_i_pickle_pop(m, 1, &root));
    OPN_FAIL_IF(m->ctx, m->n_unbuilt > 0, OPN_ERR_FORMAT,
                "%zu arrays or matrices were created but never filled", m->n_unbuilt);
    m->pickle->root = *root;
    m->stopped = true;
cleanup:
    return status;
}

static opn_status protocol(opn_i_pickle_machine *m, int arg)
{
    uint64_t version = 0;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_uint(m, arg, &version));
    OPN_FAIL_IF(m->ctx, version > 5, OPN_ERR_UNSUPPORTED,
                "protocol %d; protocols 0 to 5 are read", (int)version);
cleanup:
    return status;
}

// Frames only help when reading a stream; here all bytes are in memory.
static opn_status frame(opn_i_pickle_machine *m, int arg)
{
    const char *block = NULL;
    size_t n = 0;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_block(m, arg, &block, &n));
    m->at -= n;
cleanup:
    return status;
}

// ---- scalars -------------------------------------------------------------------------

static opn_status push_int(opn_i_pickle_machine *m, opn_i_pickle_kind kind, int64_t value)
{
    return opn_i_pickle_push(m, (opn_i_pickle_value){.kind = kind, .as.integer = value});
}

static opn_status push_none(opn_i_pickle_machine *m, int arg)
{
    return push_int(m, OPN_PICKLE_NONE, arg);
}

static opn_status push_bool(opn_i_pickle_machine *m, int arg)
{
    return push_int(m, OPN_PICKLE_BOOL, arg);
}

static opn_status push_uint(opn_i_pickle_machine *m, int arg)
{
    uint64_t value = 0;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_uint(m, arg, &value));
    OPN_TRY(push_int(m, OPN_PICKLE_INT, (int64_t)value));
cleanup:
    return status;
}

// An integer of n bytes in two's complement; 0 bytes are 0.
static int64_t sign_extended(uint64_t value, size_t n)
{
    if (n > 0 && n < 8 && (value >> (8 * n - 1) & 1) != 0)
        value |= UINT64_MAX << (8 * n);
    int64_t result;
    memcpy(&result, &value, sizeof(result));
    return result;
}

static opn_status push_signed(opn_i_pickle_machine *m, int arg)
{
    uint64_t value = 0;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_uint(m, arg, &value));
    OPN_TRY(push_int(m, OPN_PICKLE_INT, sign_extended(value, (size_t)arg)));
cleanup:
    return status;
}

static opn_status push_long(opn_i_pickle_machine *m, int arg)
{
    const char *block = NULL;
    size_t n = 0;
    uint64_t value = 0;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_block(m, arg, &block, &n));
    OPN_FAIL_IF(m->ctx, n > 8, OPN_ERR_OVERFLOW, "an integer of more than 64 bits");
    m->at -= n;
    OPN_TRY(opn_i_pickle_read_uint(m, (int)n, &value));
    OPN_TRY(push_int(m, OPN_PICKLE_INT, sign_extended(value, n)));
cleanup:
    return status;
}

static opn_status push_line_int(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    const size_t start = m->at;
    int64_t value = 0;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_int(m, &value));
    // Protocol 0 spells False 00 and True 01.
    const bool is_bool = m->at - start == 3 && m->data[start] == '0' && value <= 1;
    OPN_TRY(push_int(m, is_bool ? OPN_PICKLE_BOOL : OPN_PICKLE_INT, value));
cleanup:
    return status;
}

static opn_status push_line_long(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    const char *line = NULL;
    size_t n = 0;
    int64_t value = 0;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_line(m, &line, &n));
    if (n > 0 && line[n - 1] == 'L')
        n--;
    OPN_TRY(opn_i_pickle_parse_int(m->ctx, line, n, &value));
    OPN_TRY(push_int(m, OPN_PICKLE_INT, value));
cleanup:
    return status;
}

static opn_status push_line_real(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    const char *line = NULL;
    size_t n = 0;
    opn_i_pickle_value value = {.kind = OPN_PICKLE_REAL};
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_line(m, &line, &n));
    OPN_TRY(opn_i_pickle_parse_real(m->ctx, line, n, &value.as.real));
    OPN_TRY(opn_i_pickle_push(m, value));
cleanup:
    return status;
}

// The only number that pickle stores in big-endian order.
static opn_status push_real(opn_i_pickle_machine *m, int arg)
{
    uint64_t bits = 0;
    opn_i_pickle_value value = {.kind = OPN_PICKLE_REAL};
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_uint(m, arg, &bits));
    bits = opn_i_swap_64(bits);
    memcpy(&value.as.real, &bits, sizeof(bits));
    OPN_TRY(opn_i_pickle_push(m, value));
cleanup:
    return status;
}

// ---- texts ---------------------------------------------------------------------------

static opn_status
push_block(opn_i_pickle_machine *m, opn_i_pickle_kind kind, int n_length)
{
    const char *block = NULL;
    size_t n = 0;
    opn_i_pickle_value value;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_block(m, n_length, &block, &n));
    OPN_TRY(opn_i_pickle_new_text(m, kind, block, n, &value));
    OPN_TRY(opn_i_pickle_push(m, value));
cleanup:
    return status;
}

static opn_status push_bytes(opn_i_pickle_machine *m, int arg)
{
    return push_block(m, OPN_PICKLE_BYTES, arg);
}

static opn_status push_text(opn_i_pickle_machine *m, int arg)
{
    return push_block(m, OPN_PICKLE_TEXT, arg);
}

static opn_status push_line_bytes(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    const char *line = NULL;
    size_t n = 0;
    opn_i_pickle_value value;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_line(m, &line, &n));
    OPN_TRY(opn_i_pickle_unquote(m, line, n, &value));
    OPN_TRY(opn_i_pickle_push(m, value));
cleanup:
    return status;
}

static opn_status push_line_text(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    const char *line = NULL;
    size_t n = 0;
    opn_i_pickle_value value;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_line(m, &line, &n));
    OPN_TRY(opn_i_pickle_unescape(m, line, n, &value));
    OPN_TRY(opn_i_pickle_push(m, value));
cleanup:
    return status;
}

// ---- tuples, lists, dicts ------------------------------------------------------------

static opn_status push_list_of(opn_i_pickle_machine *m,
                               opn_i_pickle_kind kind,
                               const opn_i_pickle_value *item,
                               size_t n)
{
    opn_i_pickle_value value;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_new_list(m, kind, &value));
    OPN_TRY(opn_i_pickle_extend(m, value.as.list, item, n));
    OPN_TRY(opn_i_pickle_push(m, value));
cleanup:
    return status;
}

static opn_status push_empty(opn_i_pickle_machine *m, int arg)
{
    return push_list_of(m, (opn_i_pickle_kind)arg, NULL, 0);
}

static opn_status check_pairs(opn_i_pickle_machine *m, size_t n)
{
    if (n % 2 != 0)
        return opn_i_fail(m->ctx, OPN_ERR_FORMAT, "a key without a value");
    return OPN_OK;
}

static opn_status push_marked(opn_i_pickle_machine *m, int arg)
{
    const opn_i_pickle_kind kind = (opn_i_pickle_kind)arg;
    const opn_i_pickle_value *item = NULL;
    size_t n = 0;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_pop_to_mark(m, &item, &n));
    if (kind == OPN_PICKLE_DICT)
        OPN_TRY(check_pairs(m, n));
    OPN_TRY(push_list_of(m, kind, item, n));
cleanup:
    return status;
}

static opn_status push_tuple(opn_i_pickle_machine *m, int arg)
{
    const opn_i_pickle_value *item = NULL;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_pop(m, (size_t)arg, &item));
    OPN_TRY(push_list_of(m, OPN_PICKLE_TUPLE, item, (size_t)arg));
cleanup:
    return status;
}

// Adds arg values to a list, or to a dict if there are two.
static opn_status add(opn_i_pickle_machine *m, int arg)
{
    const opn_i_pickle_kind kind = arg == 2 ? OPN_PICKLE_DICT : OPN_PICKLE_LIST;
    const opn_i_pickle_value *item = NULL;
    opn_i_pickle_list *list = NULL;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_pop(m, (size_t)arg, &item));
    OPN_TRY(opn_i_pickle_top_list(m, kind, &list));
    OPN_TRY(opn_i_pickle_extend(m, list, item, (size_t)arg));
cleanup:
    return status;
}

static opn_status add_marked(opn_i_pickle_machine *m, int arg)
{
    const opn_i_pickle_kind kind = (opn_i_pickle_kind)arg;
    const opn_i_pickle_value *item = NULL;
    opn_i_pickle_list *list = NULL;
    size_t n = 0;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_pop_to_mark(m, &item, &n));
    if (kind == OPN_PICKLE_DICT)
        OPN_TRY(check_pairs(m, n));
    OPN_TRY(opn_i_pickle_top_list(m, kind, &list));
    OPN_TRY(opn_i_pickle_extend(m, list, item, n));
cleanup:
    return status;
}

// ---- memo ----------------------------------------------------------------------------

// Reads an index of arg bytes, or a line of digits if arg is 0.
static opn_status read_index(opn_i_pickle_machine *m, int arg, uint64_t *out)
{
    int64_t index = 0;
    opn_status status = OPN_OK;
    if (arg > 0)
        return opn_i_pickle_read_uint(m, arg, out);
    OPN_TRY(opn_i_pickle_read_int(m, &index));
    OPN_FAIL_IF(m->ctx, index < 0, OPN_ERR_FORMAT, "a negative memo index");
    *out = (uint64_t)index;
cleanup:
    return status;
}

static opn_status put(opn_i_pickle_machine *m, int arg)
{
    uint64_t index = 0;
    opn_status status = OPN_OK;
    OPN_TRY(read_index(m, arg, &index));
    OPN_TRY(opn_i_pickle_put(m, index));
cleanup:
    return status;
}

static opn_status get(opn_i_pickle_machine *m, int arg)
{
    uint64_t index = 0;
    opn_status status = OPN_OK;
    OPN_TRY(read_index(m, arg, &index));
    OPN_TRY(opn_i_pickle_get(m, index));
cleanup:
    return status;
}

static opn_status memoize(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    return opn_i_pickle_put(m, m->n_memo);
}

// ---- objects -------------------------------------------------------------------------

static opn_status push_global(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    opn_i_pickle_text module = {0};
    opn_i_pickle_text name = {0};
    opn_i_pickle_value value;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_read_line(m, &module.chars, &module.n));
    OPN_TRY(opn_i_pickle_read_line(m, &name.chars, &name.n));
    OPN_TRY(opn_i_pickle_find_global(m, &module, &name, &value));
    OPN_TRY(opn_i_pickle_push(m, value));
cleanup:
    return status;
}

static opn_status push_stack_global(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    const opn_i_pickle_value *names = NULL;
    opn_i_pickle_value value;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_pop(m, 2, &names));
    OPN_FAIL_IF(m->ctx,
                names[0].kind != OPN_PICKLE_TEXT || names[1].kind != OPN_PICKLE_TEXT,
                OPN_ERR_FORMAT, "a module and a name that are not both strings");
    OPN_TRY(opn_i_pickle_find_global(m, names[0].as.text, names[1].as.text, &value));
    OPN_TRY(opn_i_pickle_push(m, value));
cleanup:
    return status;
}

static opn_status reduce(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    const opn_i_pickle_value *call = NULL; // function, arguments
    opn_i_pickle_value value;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_pop(m, 2, &call));
    OPN_TRY(opn_i_pickle_call(m, &call[0], &call[1], &value));
    OPN_TRY(opn_i_pickle_push(m, value));
cleanup:
    return status;
}

static opn_status push_object(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    const opn_i_pickle_value *call = NULL; // class, arguments
    opn_i_pickle_value value;
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_pop(m, 2, &call));
    OPN_FAIL_IF(m->ctx, call[1].kind != OPN_PICKLE_TUPLE || call[1].as.list->n != 0,
                OPN_ERR_FORMAT, "an object made with arguments; expected none");
    OPN_TRY(opn_i_pickle_new_object(m, &call[0], &value));
    OPN_TRY(opn_i_pickle_push(m, value));
cleanup:
    return status;
}

static opn_status build(opn_i_pickle_machine *m, int arg)
{
    (void)arg;
    const opn_i_pickle_value *both = NULL; // object, its state
    opn_status status = OPN_OK;
    OPN_TRY(opn_i_pickle_pop(m, 2, &both));
    OPN_TRY(opn_i_pickle_build(m, &both[0], &both[1]));
    m->n_stack++; // the object stays
cleanup:
    return status;
}

// ---- the machine ---------------------------------------------------------------------

// An opcode without `run` is valid in pickles but rejected here: no array needs it.
typedef struct opcode {
    const char *name;
    opn_status (*run)(opn_i_pickle_machine *m, int arg);
    int arg; // usually the number of bytes that follow, or of values popped
} opcode;

static const opcode opcodes[256] = {
        ['('] = {"MARK", mark, 0},
        [')'] = {"EMPTY_TUPLE", push_empty, OPN_PICKLE_TUPLE},
        ['.'] = {"STOP", stop, 0},
        ['0'] = {"POP", drop, 0},
        ['1'] = {"POP_MARK", drop_to_mark, 0},
        ['2'] = {"DUP", duplicate, 0},
        ['B'] = {"BINBYTES", push_bytes, 4},
        ['C'] = {"SHORT_BINBYTES", push_bytes, 1},
        ['F'] = {"FLOAT", push_line_real, 0},
        ['G'] = {"BINFLOAT", push_real, 8},
        ['I'] = {"INT", push_line_int, 0},
        ['J'] = {"BININT", push_signed, 4},
        ['K'] = {"BININT1", push_uint, 1},
        ['L'] = {"LONG", push_line_long, 0},
        ['M'] = {"BININT2", push_uint, 2},
        ['N'] = {"NONE", push_none, 0},
        ['P'] = {"PERSID", NULL, 0},
        ['Q'] = {"BINPERSID", NULL, 0},
        ['R'] = {"REDUCE", reduce, 0},
        ['S'] = {"STRING", push_line_bytes, 0},
        ['T'] = {"BINSTRING", push_bytes, 4},
        ['U'] = {"SHORT_BINSTRING", push_bytes, 1},
        ['V'] = {"UNICODE", push_line_text, 0},
        ['X'] = {"BINUNICODE", push_text, 4},
        [']'] = {"EMPTY_LIST", push_empty, OPN_PICKLE_LIST},
        ['a'] = {"APPEND", add, 1},
        ['b'] = {"BUILD", build, 0},
        ['c'] = {"GLOBAL", push_global, 0},
        ['d'] = {"DICT", push_marked, OPN_PICKLE_DICT},
        ['e'] = {"APPENDS", add_marked, OPN_PICKLE_LIST},
        ['g'] = {"GET", get, 0},
        ['h'] = {"BINGET", get, 1},
        ['i'] = {"INST", NULL, 0},
        ['j'] = {"LONG_BINGET", get, 4},
        ['l'] = {"LIST", push_marked, OPN_PICKLE_LIST},
        ['o'] = {"OBJ", NULL, 0},
        ['p'] = {"PUT", put, 0},
        ['q'] = {"BINPUT", put, 1},
        ['r'] = {"LONG_BINPUT", put, 4},
        ['s'] = {"SETITEM", add, 2},
        ['t'] = {"TUPLE", push_marked, OPN_PICKLE_TUPLE},
        ['u'] = {"SETITEMS", add_marked, OPN_PICKLE_DICT},
        ['}'] = {"EMPTY_DICT", push_empty, OPN_PICKLE_DICT},
        [0x80] = {"PROTO", protocol, 1},
        [0x81] = {"NEWOBJ", push_object, 0},
        [0x82] = {"EXT1", NULL, 0},
        [0x83] = {"EXT2", NULL, 0},
        [0x84] = {"EXT4", NULL, 0},
        [0x85] = {"TUPLE1", push_tuple, 1},
        [0x86] = {"TUPLE2", push_tuple, 2},
        [0x87] = {"TUPLE3", push_tuple, 3},
        [0x88] = {"NEWTRUE", push_bool, 1},
        [0x89] = {"NEWFALSE", push_bool, 0},
        [0x8a] = {"LONG1", push_long, 1},
        [0x8b] = {"LONG4", push_long, 4},
        [0x8c] = {"SHORT_BINUNICODE", push_text, 1},
        [0x8d] = {"BINUNICODE8", push_text, 8},
        [0x8e] = {"BINBYTES8", push_bytes, 8},
        [0x8f] = {"EMPTY_SET", NULL, 0},
        [0x90] = {"ADDITEMS", NULL, 0},
        [0x91] = {"FROZENSET", NULL, 0},
        [0x92] = {"NEWOBJ_EX", NULL, 0},
        [0x93] = {"STACK_GLOBAL", push_stack_global, 0},
        [0x94] = {"MEMOIZE", memoize, 0},
        [0x95] = {"FRAME", frame, 8},
        [0x96] = {"BYTEARRAY8", push_bytes, 8},
        [0x97] = {"NEXT_BUFFER", NULL, 0},
        [0x98] = {"READONLY_BUFFER", NULL, 0},
};

static opn_status refuse(opn_i_pickle_machine *m, const opcode *op)
{
    if (op->name == NULL)
        return opn_i_fail(m->ctx, OPN_ERR_FORMAT, "pickle has no such opcode");
    return opn_i_fail(m->ctx, OPN_ERR_UNSUPPORTED,
                      "refused; no array, matrix, list or dict needs it");
}

opn_status opn_i_pickle_run(opn_i_pickle_machine *m)
{
    opn_status status = OPN_OK;
    char where[64];
    while (!m->stopped) {
        const size_t start = m->at;
        OPN_FAIL_IF(m->ctx, start == m->n_bytes, OPN_ERR_FORMAT,
                    "byte %zu: the file ends before its pickle does", start);
        const unsigned char byte = m->data[m->at++];
        const opcode *op = &opcodes[byte];
        status = op->run != NULL ? op->run(m, op->arg) : refuse(m, op);
        if (status != OPN_OK) {
            snprintf(where, sizeof(where), "byte %zu: opcode 0x%02x (%s)", start,
                     (unsigned)byte, op->name != NULL ? op->name : "unknown");
            return opn_i_fail_within(m->ctx, status, where);
        }
    }
cleanup:
    return status;
}
