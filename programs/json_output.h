// json_output.h -- prints JSON documents to standard output.

#ifndef OPINE_JSON_OUTPUT_H
#define OPINE_JSON_OUTPUT_H

#include <jansson.h>

// To be called before any other: print_json() then knows when memory was short.
void watch_json(void);

// Adds a member; a text that is not UTF-8 becomes null (Jansson would omit it).
void put_json(json_t *object, const char *key, json_t *value);

// A number, or null for NaN.
json_t *json_number(double number);

// Prints the document and frees it. Returns an exit code.
int print_json(json_t *document);

#endif // OPINE_JSON_OUTPUT_H
