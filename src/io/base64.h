// base64.h -- bytes as text, RFC 4648.

#ifndef OPN_BASE64_H
#define OPN_BASE64_H

#include <stddef.h>

// Writes 4 characters for every 3 bytes begun, the last padded with =; returns how many.
// There is no NUL at the end.
size_t opn_i_base64(const unsigned char *bytes, size_t n, char *text);

#endif // OPN_BASE64_H
