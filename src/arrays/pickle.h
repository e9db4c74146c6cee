// pickle.h -- reads the contents of NumPy, SciPy and Planetoid pickles, and executes
// nothing.

#ifndef OPN_PICKLE_H
#define OPN_PICKLE_H

#include "arrays/ndarray.h"
#include "arrays/sparse_layout.h"

typedef enum opn_i_pickle_kind {
    OPN_PICKLE_UNSET = 0, // never in a result
    OPN_PICKLE_NONE,
    OPN_PICKLE_BOOL, // 0 or 1 in as.integer
    OPN_PICKLE_INT,
    OPN_PICKLE_REAL,
    OPN_PICKLE_TEXT,  // Python's unicode: UTF-8 as in the file, not validated
    OPN_PICKLE_BYTES, // Python 3's bytes and Python 2's str, both in as.text
    OPN_PICKLE_TUPLE, // tuples, lists and dicts are all in as.list
    OPN_PICKLE_LIST,
    OPN_PICKLE_DICT,
    OPN_PICKLE_NDARRAY,
    OPN_PICKLE_SPARSE,
    OPN_PICKLE_GLOBAL, // name of a known class; internal
    OPN_PICKLE_DTYPE   // type of an array not yet built; internal
} opn_i_pickle_kind;

typedef struct opn_i_pickle_text {
    const char *chars; // not NUL-terminated
    size_t n;
} opn_i_pickle_text;

typedef struct opn_i_pickle_list opn_i_pickle_list;
typedef struct opn_i_pickle_sparse opn_i_pickle_sparse;
typedef struct opn_i_pickle_dtype opn_i_pickle_dtype;

// 16 bytes, because a large graph has millions of them.
typedef struct opn_i_pickle_value {
    opn_i_pickle_kind kind;
    union {
        int64_t integer;
        double real;
        opn_i_pickle_text *text;
        opn_i_pickle_list *list;
        opn_i_ndarray *array;
        opn_i_pickle_sparse *sparse;
        opn_i_pickle_dtype *dtype;
    } as;
} opn_i_pickle_value;

// A dict holds key, value, key, value, … in file order, so its n is even. A key that the
// file sets twice appears twice; Python never writes such a file.
struct opn_i_pickle_list {
    opn_i_pickle_value *item;
    size_t n;
    size_t room;
};

// A SciPy matrix. Checked: shape is not negative, all three arrays have one dimension,
// indices and data have equal length, indptr has one item more than there are rows
// (columns). The values of indptr and indices are not checked.
struct opn_i_pickle_sparse {
    opn_i_sparse_layout layout;
    int64_t shape[2];
    const opn_i_ndarray *indptr;  // of TRIPLES: the row of each entry, as many as indices
    const opn_i_ndarray *indices; // of TRIPLES: the column of each entry
    const opn_i_ndarray *data;
};

typedef struct opn_i_pickle opn_i_pickle;

// Reads the pickle (protocols 0 to 5, of Python 2 or 3) at the start of `data`; bytes
// after it are ignored, as in Python. `name` is the file's, for messages. `data` is
// borrowed: texts and arrays of the result point into it.
//
// Supported: None, bool, 64-bit int, float, str, bytes, tuple, list, dict, defaultdict,
// OrderedDict (both as dict), NumPy arrays and scalars (as plain numbers and text),
// SciPy's CSR, CSC and COO matrices. Every array and matrix in the result is complete.
// Any other class or function is rejected by name, so that nothing is ever executed.
//
// Values that the file refers to twice are shared, not copied, and a list may contain
// itself: walk to a fixed depth, not until a leaf. Without sharing the lengths of all
// lists add up to less than n_bytes; a caller that sums lengths stops there.
//
// Errors: FORMAT (not a pickle, truncated, inconsistent), UNSUPPORTED (rejected class,
// opcode, protocol or array type), OVERFLOW (int beyond 64 bits), NOMEM.
// Cost: O(n_bytes) time and memory, about 16 bytes per value.
OPN_NODISCARD opn_status opn_i_pickle_load(opn_ctx *ctx,
                                           const char *name,
                                           const unsigned char *data,
                                           size_t n_bytes,
                                           opn_i_pickle **out);

void opn_i_pickle_free(opn_i_pickle *pickle); // accepts NULL

const opn_i_pickle_value *opn_i_pickle_root(const opn_i_pickle *pickle);

// The items, in C order, of an array of Python objects, whose kind is 'O'; NULL for any
// other value. An item may be of any kind, and may be the array itself.
const opn_i_pickle_list *opn_i_pickle_objects(const opn_i_pickle_value *value);

// Description for messages, for example "a list". Never NULL.
const char *opn_i_pickle_kind_name(opn_i_pickle_kind kind);

#endif // OPN_PICKLE_H
