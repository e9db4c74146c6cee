// png.h -- small grey images as PNG, for a page that loads nothing.

#ifndef OPN_PNG_H
#define OPN_PNG_H

#include "base/context.h"

// "data:image/png;base64,…" of height x width grey pixels, row by row; freed by the
// caller. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_png_address(opn_ctx *ctx,
                                           int32_t height,
                                           int32_t width,
                                           const unsigned char *pixel,
                                           char **out);

#endif // OPN_PNG_H
