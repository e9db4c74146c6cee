// json_write.h -- building and writing JSON documents.

#ifndef OPN_JSON_WRITE_H
#define OPN_JSON_WRITE_H

#include "base/context.h"

#include <jansson.h>

// Jansson drops a member that it has no memory for, and says so to nobody who does not
// ask at every member. For those who do not ask, these two remember it, for this thread,
// until a text is made.
int opn_i_json_set(json_t *object, const char *name, json_t *value); // value is consumed
int opn_i_json_append(json_t *array, json_t *value);                 // likewise

// Whether a member was dropped since the last text was made; asking forgets it.
bool opn_i_json_is_short(void);

// The text of a document, to be freed by free(); NULL if memory is short now, or was when
// a member was to be added to this document or to another since the last text.
char *opn_i_json_text(const json_t *document, size_t flags);

// A text, with ? for each byte that is not UTF-8, such as a path may have; null for NULL.
json_t *opn_i_json_string(const char *text);

// A number; null for NaN and infinity, which JSON does not have.
json_t *opn_i_json_number(double number);

json_t *opn_i_json_numbers(int32_t n, const double *number);

// [low, high]
json_t *opn_i_json_interval(double low, double high);

// Writes a document, which is consumed, with n_digits digits per number; "-" is standard
// output. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_json_save(opn_ctx *ctx,
                                         const char *path,
                                         json_t *document,
                                         size_t n_digits);

#endif // OPN_JSON_WRITE_H
