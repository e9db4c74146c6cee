// base64.h -- bytes as text of the usual 64 characters.

#ifndef OPN_BASE64_H
#define OPN_BASE64_H

#include "io/file_write.h"

// Appends the text of n bytes, padded with '='.
void opn_i_base64_put(opn_i_file_writer *file, const unsigned char *bytes, size_t n);

#endif // OPN_BASE64_H
