// path.h -- joining and splitting paths.

#ifndef OPN_PATH_H
#define OPN_PATH_H

#include "base/context.h"

// Last component of a path, for messages and as the name of a graph.
const char *opn_i_base_name(const char *path);

// Whether the text is an address, such as http://…, rather than a path.
bool opn_i_is_address(const char *text);

// `folder` "/" `file` `suffix`, or without folder and slash if folder is NULL. Freed by
// the caller.
OPN_NODISCARD opn_status opn_i_join_path(opn_ctx *ctx,
                                         const char *folder,
                                         const char *file,
                                         const char *suffix,
                                         char **out);

#endif // OPN_PATH_H
