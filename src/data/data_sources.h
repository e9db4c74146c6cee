// data_sources.h -- the files of a dataset, and where they come from.

#ifndef OPN_DATA_SOURCES_H
#define OPN_DATA_SOURCES_H

#include "fetch/http_get.h"
#include "opine/graph.h"

typedef struct opn_i_data_file {
    const char *path; // relative to a data folder or a mirror, "planetoid/ind.cora.x"
    int64_t n_bytes;
    const char *sha256; // 64 hexadecimal digits
} opn_i_data_file;

typedef struct opn_i_data_source {
    const char *dataset;
    const char *origin; // address of the folder where the authors host the files
    const opn_i_data_file *file;
    const opn_i_data_file *repacked; // [n_files] or NULL: the same packed by another
                                     // gzip, as some mirrors have them
    size_t n_files;
} opn_i_data_source;

// Where a dataset comes from; NULL for one that is embedded or unknown.
const opn_i_data_source *opn_i_data_source_of(const char *dataset);

// Does what opn_data_fetch() does, from any source. `folder` is created if needed;
// `mirror` is an address or a folder, or NULL for the origin.
OPN_NODISCARD opn_status opn_i_data_fetch(opn_ctx *ctx,
                                          const opn_i_data_source *source,
                                          const char *folder,
                                          const char *mirror,
                                          const opn_i_http_limits *limits,
                                          opn_fetch_info *info);

#endif // OPN_DATA_SOURCES_H
