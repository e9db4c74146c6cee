// json_write.h -- building and writing JSON documents.

#ifndef OPN_JSON_WRITE_H
#define OPN_JSON_WRITE_H

#include "base/context.h"

#include <jansson.h>

// A number; null for NaN and infinity, which JSON does not have.
json_t *opn_i_json_number(double number);

json_t *opn_i_json_numbers(int32_t n, const double *number);

// [low, high]
json_t *opn_i_json_interval(double low, double high);

// Writes a document, which is consumed, with n_digits digits per number; "-" is standard
// output. Errors: WRITE, NOMEM. Jansson silently drops a member it has no memory for; a
// writer that needs the whole document must read it back.
OPN_NODISCARD opn_status opn_i_json_save(opn_ctx *ctx,
                                         const char *path,
                                         json_t *document,
                                         size_t n_digits);

#endif // OPN_JSON_WRITE_H
