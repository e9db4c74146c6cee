// shard_manifest.h -- what manifest.json says of a folder of shards.

#ifndef OPN_SHARD_MANIFEST_H
#define OPN_SHARD_MANIFEST_H

#include "graph/partition.h"
#include "io/sha256.h"

// The names of its files.
#define OPN_SHARD_MANIFEST "manifest.json"
#define OPN_SHARD_NODES    "nodes.safetensors"
enum { OPN_SHARD_NAME = 32 };
const char *opn_i_shard_name(int32_t b, char name[OPN_SHARD_NAME]);

typedef struct opn_i_shard_block {
    int32_t first_row, n_rows; // in the order of all blocks
    int64_t first_entry, n_entries;
    int64_t first_feature_entry, n_feature_entries;
    char sha256[OPN_SHA256_TEXT]; // of its file
} opn_i_shard_block;

enum { OPN_SHARD_CUTS = 6 };

// Zero-initialise; owned by the holder.
typedef struct opn_i_shard_manifest {
    int32_t n_nodes, n_features, n_classes;
    int64_t n_entries, n_feature_entries;
    int32_t n_blocks;
    opn_i_shard_block *block;           // [n_blocks]
    char nodes_sha256[OPN_SHA256_TEXT]; // of the file of all nodes
    char hash[OPN_SHA256_TEXT];         // of the graph
    bool has_isolated, has_negative;    // as in shards.h
    char suits[16];
    opn_i_cut cut[OPN_SHARD_CUTS]; // for 2, 4, … ranks; only written
    int n_cuts;
} opn_i_shard_manifest;

void opn_i_shard_manifest_deinit(const opn_alloc *alloc, opn_i_shard_manifest *manifest);

OPN_NODISCARD opn_status opn_i_shard_manifest_save(opn_ctx *ctx,
                                                   const opn_i_shard_manifest *manifest,
                                                   const char *folder);

// Errors: READ, FORMAT (not a manifest of shards; numbers that do not add up), NOMEM.
OPN_NODISCARD opn_status opn_i_shard_manifest_load(opn_ctx *ctx,
                                                   const char *folder,
                                                   opn_i_shard_manifest *out);

#endif // OPN_SHARD_MANIFEST_H
