// json_output.c -- prints JSON documents to standard output.

#include "json_output.h"

#include "command.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// Jansson drops a member that it has no memory for, and says so to nobody who does not
// ask.
static atomic_bool is_short;

// Given up when memory is short: Jansson may crash while it reads a document without any.
static _Atomic(void *) reserve;

static void *allocate(size_t n)
{
    void *memory = malloc(n);
    if (memory == NULL) {
        free(atomic_exchange(&reserve, NULL));
        memory = malloc(n);
    }
    if (memory == NULL)
        atomic_store(&is_short, true);
    return memory;
}

void watch_json(void)
{
    enum { RESERVED = 1 << 16 };
    atomic_store(&reserve, malloc(RESERVED));
    json_set_alloc_funcs(allocate, free);
}

void put_json(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value != NULL ? value : json_null());
}

json_t *json_number(double number)
{
    return isnan(number) ? json_null() : json_real(number);
}

int print_json(json_t *document)
{
    const bool is_whole = !atomic_load(&is_short);
    const bool is_printed =
            is_whole &&
            json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0;
    json_decref(document);
    putchar('\n');
    if (!is_whole)
        complain("out of memory for the result as JSON");
    else if (!is_printed)
        complain("the result cannot be written as JSON");
    return is_printed ? EXIT_DONE : EXIT_FAILED;
}
