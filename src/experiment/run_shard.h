// run_shard.h -- which runs of an experiment a process does, and the files that shards
// keep theirs in: FOLDER/cells.d/I-of-N.jsonl, each written by one process.

#ifndef OPN_RUN_SHARD_H
#define OPN_RUN_SHARD_H

#include "base/names.h"
#include "opine/evaluate.h"
#include "opine/params.h"

// A part of an experiment. What the parts are follows from the experiment alone, never
// from what is done already, so that every process comes to the same division.
typedef struct opn_i_shard {
    int32_t part, n_parts; // 1 <= part <= n_parts
    int64_t n_dealt;       // runs of all parts so far
    int64_t n_runs;        // of this part
    int64_t n_results;     // saved by this process
} opn_i_shard;

// The shard that the parameter names. Errors: INVALID_ARG (no folder, or no shard).
OPN_NODISCARD opn_status opn_i_shard_init(opn_ctx *ctx,
                                          const opn_params *params,
                                          const char *folder,
                                          opn_i_shard *out);

// What a shard does of n runs: first, first + step, ...; all of them without a shard.
typedef struct opn_i_share {
    int32_t first, step, n;
} opn_i_share;

// Deals the next n runs of an experiment in turn to its shards. `shard` may be NULL.
opn_i_share opn_i_shard_deal(opn_i_shard *shard, int32_t n);

opn_shard_summary opn_i_shard_summary(const opn_i_shard *shard);

// Refuses the parameter `shard` for what needs all runs, "makes no table". Errors:
// INVALID_ARG.
OPN_NODISCARD opn_status opn_i_shard_refuse(opn_ctx *ctx,
                                            const opn_params *params,
                                            const char *what);

// FOLDER/SHARDS/I-of-N.jsonl, to be freed.
OPN_NODISCARD opn_status opn_i_shard_path(opn_ctx *ctx,
                                          const char *folder,
                                          const char *shards,
                                          const opn_i_shard *shard,
                                          char **out);

// The paths of the files of all shards in FOLDER/SHARDS, in order of their names; none if
// there is no such folder. Errors: READ, NOMEM.
OPN_NODISCARD opn_status opn_i_shard_list(opn_ctx *ctx,
                                          const char *folder,
                                          const char *shards,
                                          opn_i_names *out);

#endif // OPN_RUN_SHARD_H
