// pickle_machine.h -- the stack machine behind pickle.h; for src/io/pickle*.c only.

#ifndef OPN_PICKLE_MACHINE_H
#define OPN_PICKLE_MACHINE_H

#include "arrays/pickle.h"

typedef struct opn_i_pickle_chunk opn_i_pickle_chunk;

// All parts of a result are in its chunks, so freeing does not follow references.
struct opn_i_pickle {
    opn_alloc alloc; // copied, so the result may outlive the context
    opn_i_pickle_chunk *chunk;
    opn_i_pickle_value root;
};

enum { OPN_PICKLE_MAX_TYPE = 15 };

struct opn_i_pickle_dtype {
    char type[OPN_PICKLE_MAX_TYPE + 1]; // byte order, then NumPy's name
};

// Every array of a pickle is one of these.
typedef struct opn_i_pickle_array {
    opn_i_ndarray array;        // first, so that a pointer to it points here
    opn_i_pickle_list *objects; // its items if its kind is 'O', else NULL
} opn_i_pickle_array;

static inline opn_i_pickle_array *opn_i_pickle_array_of(opn_i_ndarray *array)
{
    return (opn_i_pickle_array *)(void *)array;
}

typedef struct opn_i_pickle_machine {
    opn_ctx *ctx;
    opn_i_pickle *pickle;
    const unsigned char *data; // [n_bytes]
    size_t n_bytes;
    size_t at; // next byte to read
    opn_i_pickle_value *stack;
    size_t n_stack;
    size_t stack_room;
    size_t *mark; // stack heights
    size_t n_marks;
    size_t mark_room;
    opn_i_pickle_value *memo; // [memo_room], UNSET if empty
    size_t n_memo;            // entries that are set
    size_t memo_room;
    size_t n_unbuilt; // arrays and matrices created but not filled
    size_t n_spare;   // work still allowed on shared values, see opn_i_pickle_spend()
    bool stopped;
} opn_i_pickle_machine;

// ---- pickle.c: storage ---------------------------------------------------------------

// n zeroed items of size bytes that live as long as the pickle; NULL if out of memory.
void *opn_i_pickle_take(opn_i_pickle *pickle, size_t n, size_t size);

OPN_NODISCARD opn_status opn_i_pickle_new_text(opn_i_pickle_machine *m,
                                               opn_i_pickle_kind kind,
                                               const char *chars,
                                               size_t n,
                                               opn_i_pickle_value *out);
OPN_NODISCARD opn_status opn_i_pickle_new_list(opn_i_pickle_machine *m,
                                               opn_i_pickle_kind kind,
                                               opn_i_pickle_value *out);

// Appends n items; amortised O(n).
OPN_NODISCARD opn_status opn_i_pickle_extend(opn_i_pickle_machine *m,
                                             opn_i_pickle_list *list,
                                             const opn_i_pickle_value *item,
                                             size_t n);

// Charges n units of work on a value that the memo may return any number of times. Python
// writes a new value each time such work is needed, so no honest file needs more units
// than it has bytes, and a hostile one cannot get quadratic time out of five bytes.
OPN_NODISCARD opn_status opn_i_pickle_spend(opn_i_pickle_machine *m, size_t n);

// ---- pickle_machine.c: input, stack, memo --------------------------------------------

// n <= 8 bytes, little-endian.
OPN_NODISCARD opn_status opn_i_pickle_read_uint(opn_i_pickle_machine *m,
                                                int n,
                                                uint64_t *out);
// A block of bytes preceded by its length, which takes n_length bytes.
OPN_NODISCARD opn_status opn_i_pickle_read_block(opn_i_pickle_machine *m,
                                                 int n_length,
                                                 const char **block,
                                                 size_t *n);
// Reads up to the next line feed, which is consumed too.
OPN_NODISCARD opn_status opn_i_pickle_read_line(opn_i_pickle_machine *m,
                                                const char **line,
                                                size_t *n);
OPN_NODISCARD opn_status opn_i_pickle_read_int(opn_i_pickle_machine *m, int64_t *out);

OPN_NODISCARD opn_status opn_i_pickle_push(opn_i_pickle_machine *m,
                                           opn_i_pickle_value value);
OPN_NODISCARD opn_status opn_i_pickle_push_mark(opn_i_pickle_machine *m);

// Number of values above the last mark; no opcode reaches below it.
size_t opn_i_pickle_n_above_mark(const opn_i_pickle_machine *m);

// Pops n values; they stay readable at *values until the next push.
OPN_NODISCARD opn_status opn_i_pickle_pop(opn_i_pickle_machine *m,
                                          size_t n,
                                          const opn_i_pickle_value **values);
// Pops all values above the last mark, and the mark.
OPN_NODISCARD opn_status opn_i_pickle_pop_to_mark(opn_i_pickle_machine *m,
                                                  const opn_i_pickle_value **values,
                                                  size_t *n);
// The list or dict on top of the stack, which stays there; fails for any other kind.
OPN_NODISCARD opn_status opn_i_pickle_top_list(opn_i_pickle_machine *m,
                                               opn_i_pickle_kind kind,
                                               opn_i_pickle_list **out);

// Stores the top of the stack in the memo; pushes a value from the memo.
OPN_NODISCARD opn_status opn_i_pickle_put(opn_i_pickle_machine *m, uint64_t index);
OPN_NODISCARD opn_status opn_i_pickle_get(opn_i_pickle_machine *m, uint64_t index);

// ---- pickle_opcode.c -----------------------------------------------------------------

// Runs the opcodes up to STOP and sets the root. Messages name the byte and the opcode.
OPN_NODISCARD opn_status opn_i_pickle_run(opn_i_pickle_machine *m);

// ---- pickle_text.c: numbers and strings ----------------------------------------------

// Parses the decimal digits of an INT or LONG line.
OPN_NODISCARD opn_status opn_i_pickle_parse_int(opn_ctx *ctx,
                                                const char *line,
                                                size_t n,
                                                int64_t *out);
// Parses the float of a FLOAT line, as written by Python's repr().
OPN_NODISCARD opn_status opn_i_pickle_parse_real(opn_ctx *ctx,
                                                 const char *line,
                                                 size_t n,
                                                 double *out);
// Decodes Python 2's quoted repr() of a str.
OPN_NODISCARD opn_status opn_i_pickle_unquote(opn_i_pickle_machine *m,
                                              const char *line,
                                              size_t n,
                                              opn_i_pickle_value *out);
// Decodes Python's raw-unicode-escape: Latin-1 with \uxxxx and \Uxxxxxxxx.
OPN_NODISCARD opn_status opn_i_pickle_unescape(opn_i_pickle_machine *m,
                                               const char *line,
                                               size_t n,
                                               opn_i_pickle_value *out);
// Converts UTF-8 to Latin-1, the way Python 3 stores bytes in protocols 0 to 2.
OPN_NODISCARD opn_status opn_i_pickle_encode(opn_i_pickle_machine *m,
                                             const opn_i_pickle_text *text,
                                             opn_i_pickle_value *out);

// Copies n chars for a message, truncated to n_out - 1 and without control characters.
void opn_i_pickle_printable(const char *chars, size_t n, char *out, size_t n_out);

// ---- pickle_global.c: known classes and functions ------------------------------------

// Finds a known class or function by name; fails for any other.
OPN_NODISCARD opn_status opn_i_pickle_find_global(opn_i_pickle_machine *m,
                                                  const opn_i_pickle_text *module,
                                                  const opn_i_pickle_text *name,
                                                  opn_i_pickle_value *out);
// Implements REDUCE: function(*args).
OPN_NODISCARD opn_status opn_i_pickle_call(opn_i_pickle_machine *m,
                                           const opn_i_pickle_value *function,
                                           const opn_i_pickle_value *args,
                                           opn_i_pickle_value *out);
// Implements NEWOBJ: an object of a SciPy class, to be filled by BUILD.
OPN_NODISCARD opn_status opn_i_pickle_new_object(opn_i_pickle_machine *m,
                                                 const opn_i_pickle_value *class_,
                                                 opn_i_pickle_value *out);

// ---- pickle_numpy.c: arrays and matrices ---------------------------------------------

// Implements BUILD: sets the state of a dtype, an array or a matrix.
OPN_NODISCARD opn_status opn_i_pickle_build(opn_i_pickle_machine *m,
                                            const opn_i_pickle_value *object,
                                            const opn_i_pickle_value *state);

OPN_NODISCARD opn_status opn_i_pickle_new_sparse(opn_i_pickle_machine *m,
                                                 opn_i_sparse_layout layout,
                                                 opn_i_pickle_value *out);
OPN_NODISCARD opn_status opn_i_pickle_new_array(opn_i_pickle_machine *m,
                                                opn_i_pickle_value *out);

// numpy.dtype(name, …), numpy._frombuffer(bytes, dtype, shape, order) and
// numpy.scalar(dtype, bytes).
OPN_NODISCARD opn_status opn_i_pickle_dtype_of(opn_i_pickle_machine *m,
                                               const opn_i_pickle_list *args,
                                               opn_i_pickle_value *out);
OPN_NODISCARD opn_status opn_i_pickle_from_buffer(opn_i_pickle_machine *m,
                                                  const opn_i_pickle_list *args,
                                                  opn_i_pickle_value *out);
OPN_NODISCARD opn_status opn_i_pickle_scalar(opn_i_pickle_machine *m,
                                             const opn_i_pickle_list *args,
                                             opn_i_pickle_value *out);

bool opn_i_pickle_is_text(const opn_i_pickle_value *value); // TEXT or BYTES

// Whether the TEXT or BYTES value equals `word`.
bool opn_i_pickle_equals(const opn_i_pickle_value *value, const char *word);

#endif // OPN_PICKLE_MACHINE_H
