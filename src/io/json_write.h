// json_write.h -- JSON documents, made and written.

#ifndef OPN_JSON_WRITE_H
#define OPN_JSON_WRITE_H

#include "base/context.h"

#include <jansson.h>

// Jansson answers NULL when it has no memory, takes NULL for a value, and fails to write
// what is missing one: memory is checked for once, when a document is written.

// A number; null for NaN and infinity, which JSON does not have.
json_t *opn_i_json_number(double number);

// [low, high]
json_t *opn_i_json_interval(double low, double high);

// Writes a document, which is consumed, with n_digits digits of each number; "-" is
// standard output. Errors: WRITE, NOMEM.
OPN_NODISCARD opn_status opn_i_json_save(opn_ctx *ctx,
                                         const char *path,
                                         json_t *document,
                                         size_t n_digits);

#endif // OPN_JSON_WRITE_H
