// pickle_global.c -- the classes and functions that a pickle may refer to.

#include "arrays/pickle_machine.h"

#include <string.h>

// How a name may be used other than being called by REDUCE.
typedef enum role {
    ROLE_FUNCTION,
    ROLE_FACTORY, // only in a defaultdict; never called
    ROLE_OBJECT,
    ROLE_NDARRAY,
    ROLE_CSR,
    ROLE_CSC,
    ROLE_COO
} role;

typedef opn_status
call(opn_i_pickle_machine *m, const opn_i_pickle_list *args, opn_i_pickle_value *out);

typedef struct known_global {
    const char *module;
    const char *name;
    role role;
    call *call; // NULL if REDUCE is not allowed
} known_global;

static call make_array, make_bytes, make_default_dict, make_ordered_dict, make_object,
        encode;

// Names from all releases of Python, NumPy and SciPy that moved them.
static const known_global known_globals[] = {
        {"numpy", "dtype", ROLE_FUNCTION, opn_i_pickle_dtype_of},
        {"numpy", "ndarray", ROLE_NDARRAY, NULL},
        {"numpy.core.multiarray", "_reconstruct", ROLE_FUNCTION, make_array},
        {"numpy._core.multiarray", "_reconstruct", ROLE_FUNCTION, make_array},
        {"numpy.core.multiarray", "scalar", ROLE_FUNCTION, opn_i_pickle_scalar},
        {"numpy._core.multiarray", "scalar", ROLE_FUNCTION, opn_i_pickle_scalar},
        {"numpy.core.numeric", "_frombuffer", ROLE_FUNCTION, opn_i_pickle_from_buffer},
        {"numpy._core.numeric", "_frombuffer", ROLE_FUNCTION, opn_i_pickle_from_buffer},
        {"scipy.sparse.csr", "csr_matrix", ROLE_CSR, NULL},
        {"scipy.sparse._csr", "csr_matrix", ROLE_CSR, NULL},
        {"scipy.sparse._csr", "csr_array", ROLE_CSR, NULL},
        {"scipy.sparse._arrays", "csr_array", ROLE_CSR, NULL},
        {"scipy.sparse", "csr_matrix", ROLE_CSR, NULL},
        {"scipy.sparse", "csr_array", ROLE_CSR, NULL},
        {"scipy.sparse.csc", "csc_matrix", ROLE_CSC, NULL},
        {"scipy.sparse._csc", "csc_matrix", ROLE_CSC, NULL},
        {"scipy.sparse._csc", "csc_array", ROLE_CSC, NULL},
        {"scipy.sparse._arrays", "csc_array", ROLE_CSC, NULL},
        {"scipy.sparse", "csc_matrix", ROLE_CSC, NULL},
        {"scipy.sparse", "csc_array", ROLE_CSC, NULL},
        {"scipy.sparse.coo", "coo_matrix", ROLE_COO, NULL},
        {"scipy.sparse._coo", "coo_matrix", ROLE_COO, NULL},
        {"scipy.sparse._coo", "coo_array", ROLE_COO, NULL},
        {"scipy.sparse._arrays", "coo_array", ROLE_COO, NULL},
        {"scipy.sparse", "coo_matrix", ROLE_COO, NULL},
        {"scipy.sparse", "coo_array", ROLE_COO, NULL},
        {"collections", "defaultdict", ROLE_FUNCTION, make_default_dict},
        {"collections", "OrderedDict", ROLE_FUNCTION, make_ordered_dict},
        {"_codecs", "encode", ROLE_FUNCTION, encode},
        {"copy_reg", "_reconstructor", ROLE_FUNCTION, make_object},
        {"copyreg", "_reconstructor", ROLE_FUNCTION, make_object},
        {"__builtin__", "object", ROLE_OBJECT, NULL},
        {"builtins", "object", ROLE_OBJECT, NULL},
        {"__builtin__", "bytes", ROLE_FUNCTION, make_bytes},
        {"builtins", "bytes", ROLE_FUNCTION, make_bytes},
        {"__builtin__", "list", ROLE_FACTORY, NULL},
        {"builtins", "list", ROLE_FACTORY, NULL},
        {"__builtin__", "dict", ROLE_FACTORY, NULL},
        {"builtins", "dict", ROLE_FACTORY, NULL},
        {"__builtin__", "set", ROLE_FACTORY, NULL},
        {"builtins", "set", ROLE_FACTORY, NULL},
        {"__builtin__", "int", ROLE_FACTORY, NULL},
        {"builtins", "int", ROLE_FACTORY, NULL},
        {"__builtin__", "float", ROLE_FACTORY, NULL},
        {"builtins", "float", ROLE_FACTORY, NULL},
};

enum { N_KNOWN = sizeof(known_globals) / sizeof(known_globals[0]) };

static bool spells(const opn_i_pickle_text *text, const char *word)
{
    return text->n == strlen(word) && memcmp(text->chars, word, text->n) == 0;
}

bool opn_i_pickle_is_text(const opn_i_pickle_value *value)
{
    return value->kind == OPN_PICKLE_TEXT || value->kind == OPN_PICKLE_BYTES;
}

bool opn_i_pickle_equals(const opn_i_pickle_value *value, const char *word)
{
    return opn_i_pickle_is_text(value) && spells(value->as.text, word);
}

opn_status opn_i_pickle_find_global(opn_i_pickle_machine *m,
                                    const opn_i_pickle_text *module,
                                    const opn_i_pickle_text *name,
                                    opn_i_pickle_value *out)
{
    for (int i = 0; i < N_KNOWN; i++) {
        if (spells(name, known_globals[i].name) &&
            spells(module, known_globals[i].module)) {
            out->kind = OPN_PICKLE_GLOBAL;
            out->as.integer = i;
            return OPN_OK;
        }
    }
    char module_text[80];
    char name_text[80];
    opn_i_pickle_printable(module->chars, module->n, module_text, sizeof(module_text));
    opn_i_pickle_printable(name->chars, name->n, name_text, sizeof(name_text));
    return opn_i_fail(m->ctx, OPN_ERR_UNSUPPORTED,
                      "%s.%s is refused; only NumPy arrays and SciPy's CSR, CSC and COO "
                      "matrices are read",
                      module_text, name_text);
}

// NULL if the value is not a name.
static const known_global *global_of(const opn_i_pickle_value *value)
{
    return value->kind == OPN_PICKLE_GLOBAL ? &known_globals[value->as.integer] : NULL;
}

static bool has_role(const opn_i_pickle_value *value, role wanted)
{
    const known_global *global = global_of(value);
    return global != NULL && global->role == wanted;
}

opn_status opn_i_pickle_call(opn_i_pickle_machine *m,
                             const opn_i_pickle_value *function,
                             const opn_i_pickle_value *args,
                             opn_i_pickle_value *out)
{
    opn_status status = OPN_OK;
    const known_global *global = global_of(function);
    OPN_FAIL_IF(m->ctx, global == NULL, OPN_ERR_FORMAT, "calls %s; expected a function",
                opn_i_pickle_kind_name(function->kind));
    OPN_FAIL_IF(m->ctx, global->call == NULL, OPN_ERR_UNSUPPORTED,
                "a call of %s.%s is refused", global->module, global->name);
    OPN_FAIL_IF(m->ctx, args->kind != OPN_PICKLE_TUPLE, OPN_ERR_FORMAT,
                "%s.%s gets %s; expected a tuple of arguments", global->module,
                global->name, opn_i_pickle_kind_name(args->kind));
    status = global->call(m, args->as.list, out);
    if (status != OPN_OK)
        status = opn_i_fail_within(m->ctx, status, global->name);
cleanup:
    return status;
}

opn_status opn_i_pickle_new_object(opn_i_pickle_machine *m,
                                   const opn_i_pickle_value *class_,
                                   opn_i_pickle_value *out)
{
    if (has_role(class_, ROLE_CSR))
        return opn_i_pickle_new_sparse(m, OPN_SPARSE_ROWS, out);
    if (has_role(class_, ROLE_CSC))
        return opn_i_pickle_new_sparse(m, OPN_SPARSE_COLUMNS, out);
    if (has_role(class_, ROLE_COO))
        return opn_i_pickle_new_sparse(m, OPN_SPARSE_TRIPLES, out);
    return opn_i_fail(m->ctx, OPN_ERR_UNSUPPORTED,
                      "an object that is neither csr_matrix, csc_matrix nor coo_matrix");
}

static opn_status fail_arguments(opn_i_pickle_machine *m, const char *right)
{
    return opn_i_fail(m->ctx, OPN_ERR_FORMAT, "wrong arguments; expected %s", right);
}

// numpy.core.multiarray._reconstruct(ndarray, (0,), b'b')
static opn_status make_array(opn_i_pickle_machine *m,
                             const opn_i_pickle_list *args,
                             opn_i_pickle_value *out)
{
    if (args->n != 3 || !has_role(&args->item[0], ROLE_NDARRAY))
        return fail_arguments(m, "numpy.ndarray, (0,) and 'b'");
    return opn_i_pickle_new_array(m, out);
}

// bytes(): before protocol 3, Python 3 has no other way to write b''.
static opn_status make_bytes(opn_i_pickle_machine *m,
                             const opn_i_pickle_list *args,
                             opn_i_pickle_value *out)
{
    if (args->n != 0)
        return fail_arguments(m, "none");
    return opn_i_pickle_new_text(m, OPN_PICKLE_BYTES, "", 0, out);
}

// collections.defaultdict(list); the factory matters only to programs that add keys.
static opn_status make_default_dict(opn_i_pickle_machine *m,
                                    const opn_i_pickle_list *args,
                                    opn_i_pickle_value *out)
{
    const bool fits =
            args->n == 0 || (args->n == 1 && (args->item[0].kind == OPN_PICKLE_NONE ||
                                              has_role(&args->item[0], ROLE_FACTORY)));
    if (!fits)
        return fail_arguments(m, "a built-in class such as list");
    return opn_i_pickle_new_list(m, OPN_PICKLE_DICT, out);
}

// collections.OrderedDict(), with a list of pairs if written by Python 2.
static opn_status make_ordered_dict(opn_i_pickle_machine *m,
                                    const opn_i_pickle_list *args,
                                    opn_i_pickle_value *out)
{
    opn_status status = OPN_OK;
    if (args->n > 1 || (args->n == 1 && args->item[0].kind != OPN_PICKLE_LIST))
        return fail_arguments(m, "a list of pairs");
    OPN_TRY(opn_i_pickle_new_list(m, OPN_PICKLE_DICT, out));
    const opn_i_pickle_list *pairs = args->n == 1 ? args->item[0].as.list : NULL;
    if (pairs == NULL)
        return OPN_OK;
    OPN_TRY(opn_i_pickle_spend(m, 4 * pairs->n)); // a pair takes at least 5 bytes
    for (size_t i = 0; i < pairs->n; i++) {
        const opn_i_pickle_value *pair = &pairs->item[i];
        const bool fits =
                (pair->kind == OPN_PICKLE_LIST || pair->kind == OPN_PICKLE_TUPLE) &&
                pair->as.list->n == 2;
        if (!fits)
            return fail_arguments(m, "a list of pairs");
        OPN_TRY(opn_i_pickle_extend(m, out->as.list, pair->as.list->item, 2));
    }
cleanup:
    return status;
}

// copyreg._reconstructor(csr_matrix, object, None): NEWOBJ in protocols 0 and 1
static opn_status make_object(opn_i_pickle_machine *m,
                              const opn_i_pickle_list *args,
                              opn_i_pickle_value *out)
{
    if (args->n != 3 || !has_role(&args->item[1], ROLE_OBJECT) ||
        args->item[2].kind != OPN_PICKLE_NONE)
        return fail_arguments(m, "a class, object and None");
    return opn_i_pickle_new_object(m, &args->item[0], out);
}

// _codecs.encode('…', 'latin1'): bytes of Python 3 in protocols 0 to 2
static opn_status
encode(opn_i_pickle_machine *m, const opn_i_pickle_list *args, opn_i_pickle_value *out)
{
    if (args->n != 2 || args->item[0].kind != OPN_PICKLE_TEXT ||
        !opn_i_pickle_equals(&args->item[1], "latin1"))
        return fail_arguments(m, "a string and 'latin1'");
    return opn_i_pickle_encode(m, args->item[0].as.text, out);
}
