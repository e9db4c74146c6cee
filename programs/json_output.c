// json_output.c -- prints JSON documents to standard output.

#include "json_output.h"

#include "command.h"

#include <math.h>
#include <stdio.h>

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
    const bool is_printed =
            json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0;
    json_decref(document);
    putchar('\n');
    if (!is_printed)
        complain("the result cannot be written as JSON");
    return is_printed ? EXIT_DONE : EXIT_FAILED;
}
