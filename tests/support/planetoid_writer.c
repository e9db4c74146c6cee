// planetoid_writer.c -- a small graph in Planetoid's form, as Python 2 pickled it.

#include "support/planetoid_writer.h"
#include "support/cmocka_test.h"
#include "support/support.h"

#include <stdio.h>

enum { N_TRAIN = 3, N_ALL = 505, N_TEST = 4, N_NODES = 510, N_WORDS = 7 };

static void put_number(FILE *file, int32_t number)
{
    for (int shift = 0; shift < 32; shift += 8)
        fputc((int)((uint32_t)number >> shift & 0xff), file);
}

static void put_int(FILE *file, int32_t number)
{
    fputc('J', file);
    put_number(file, number);
}

// An int32 array [n_rows] or, with n_cols > 0, [n_rows,n_cols]; item(i) gives its items.
static void put_array(FILE *file, int32_t n_rows, int32_t n_cols, int32_t item(int32_t i))
{
    const int32_t n = n_cols > 0 ? n_rows * n_cols : n_rows;
    fputs("cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n", file);
    put_int(file, 0);
    fputs("\x85U\x01"
          "b\x87R(K\x01",
          file);
    put_int(file, n_rows);
    if (n_cols > 0)
        put_int(file, n_cols);
    fputs(n_cols > 0 ? "\x86" : "\x85", file);
    fputs("cnumpy\ndtype\nU\x02i4", file);
    put_int(file, 0);
    fputs("K\x01\x87R(K\x03U\x01<NNN", file);
    put_int(file, -1);
    put_int(file, -1);
    put_int(file, 0);
    fputs("tb\x89T", file);
    put_number(file, 4 * n);
    for (int32_t i = 0; i < n; i++)
        put_number(file, item(i));
    fputs("tb", file);
}

static int32_t one_hot(int32_t i)
{
    return i % 2 == i / 2 % 2; // [n,2]: classes 0 and 1 in turn
}

static int32_t value_of(int32_t i)
{
    return 1 + i % 2;
}

static int32_t column_of(int32_t i)
{
    return i % N_WORDS;
}

static int32_t itself(int32_t i)
{
    return i;
}

static FILE *create_file(const char *prefix, const char *suffix)
{
    char path[SUPPORT_PATH];
    const int n = snprintf(path, sizeof(path), "%s.%s", prefix, suffix);
    assert_in_range(n, 1, SUPPORT_PATH - 1);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    return file;
}

static FILE *create_pickle(const char *prefix, const char *suffix)
{
    FILE *file = create_file(prefix, suffix);
    fputs("\x80\x02", file);
    return file;
}

static void finish_pickle(FILE *file)
{
    fputc('.', file);
    assert_int_equal(fclose(file), 0);
}

static void write_labels(const char *prefix, const char *suffix, int32_t n_rows)
{
    FILE *file = create_pickle(prefix, suffix);
    put_array(file, n_rows, 2, one_hot);
    finish_pickle(file);
}

// One word a node.
static void write_words(const char *prefix, const char *suffix, int32_t n_rows)
{
    FILE *file = create_pickle(prefix, suffix);
    fputs("cscipy.sparse.csr\ncsr_matrix\n)\x81}(U\x06_shape", file);
    put_int(file, n_rows);
    put_int(file, N_WORDS);
    fputs("\x86U\x04"
          "data",
          file);
    put_array(file, n_rows, 0, value_of);
    fputs("U\x07indices", file);
    put_array(file, n_rows, 0, column_of);
    fputs("U\x06indptr", file);
    put_array(file, n_rows + 1, 0, itself);
    fputs("ub", file);
    finish_pickle(file);
}

void support_write_planetoid(const char *prefix)
{
    write_labels(prefix, "y", N_TRAIN);
    write_labels(prefix, "ally", N_ALL);
    write_labels(prefix, "ty", N_TEST);
    write_words(prefix, "allx", N_ALL);
    write_words(prefix, "tx", N_TEST);
    FILE *file = create_pickle(prefix, "graph");
    fputs("}(", file);
    for (int32_t i = 0; i < N_NODES; i++) {
        put_int(file, i);
        fputs("](", file);
        put_int(file, (i + 1) % N_NODES);
        put_int(file, (i + N_NODES - 1) % N_NODES);
        fputc('e', file);
    }
    fputc('u', file);
    finish_pickle(file);
    file = create_file(prefix, "test.index");
    fputs("508\n506\n505\n509\n", file);
    assert_int_equal(fclose(file), 0);
}
