// graph_tensors.h -- parts of a graph to and from the tensors of safetensors files.
//
// Tensors: row_ptr, col_idx and weight of the topology, the same of the features with x_
// before, label, role, and names as texts that a NUL ends each. Files may come from
// anywhere, so everything is checked; `what` names them in messages.

#ifndef OPN_GRAPH_TENSORS_H
#define OPN_GRAPH_TENSORS_H

#include "graph/graph_data.h"
#include "io/safetensors.h"

// The names of the tensors that make up a matrix.
typedef struct opn_i_matrix_names {
    const char *row_ptr, *col_idx, *value;
    const char *column; // what a column is, in messages
    bool is_weight;     // values are above 0
} opn_i_matrix_names;

extern const opn_i_matrix_names opn_i_topology_names, opn_i_feature_names;

// An array of n numbers.
OPN_NODISCARD opn_status opn_i_tensor_put(opn_i_safetensors_writer *writer,
                                          const char *name,
                                          opn_i_tensor_type type,
                                          int64_t n,
                                          const void *data);

// n values as floats; none where all are 1, which is a value of NULL. *packed, room for
// them where they are not floats already, is to be freed when the writer is done.
OPN_NODISCARD opn_status opn_i_tensor_put_values(opn_ctx *ctx,
                                                 opn_i_safetensors_writer *writer,
                                                 const char *name,
                                                 opn_off n,
                                                 const opn_real *value,
                                                 float **packed);

// A matrix, which stays as it is until the writer is done; *packed likewise.
OPN_NODISCARD opn_status opn_i_tensor_put_matrix(opn_ctx *ctx,
                                                 opn_i_safetensors_writer *writer,
                                                 const opn_i_matrix_names *names,
                                                 const opn_i_csr *csr,
                                                 float **packed);

// Labels, roles, notes and all names.
OPN_NODISCARD opn_status opn_i_tensor_put_nodes(opn_i_safetensors_writer *writer,
                                                const opn_graph *graph);

// The array of that name and type; NULL if there is none. Errors: FORMAT.
OPN_NODISCARD opn_status opn_i_tensor_find(opn_ctx *ctx,
                                           const char *what,
                                           const opn_i_safetensors *file,
                                           const char *name,
                                           opn_i_tensor_type type,
                                           const opn_i_tensor_view **out);

// The same of one that must be there, with n items. Errors: FORMAT.
OPN_NODISCARD opn_status opn_i_tensor_need(opn_ctx *ctx,
                                           const char *what,
                                           const opn_i_safetensors *file,
                                           const char *name,
                                           opn_i_tensor_type type,
                                           int64_t n,
                                           const opn_i_tensor_view **out);

// Errors: FORMAT (offsets or columns out of range, values that are not finite), NOMEM.
OPN_NODISCARD opn_status opn_i_tensor_get_matrix(opn_ctx *ctx,
                                                 const char *what,
                                                 const opn_i_safetensors *file,
                                                 const opn_i_matrix_names *names,
                                                 int64_t n_rows,
                                                 int64_t n_cols,
                                                 opn_i_csr *out);

// Labels, roles, notes and names, for a graph that has its topology and n_classes set.
OPN_NODISCARD opn_status opn_i_tensor_get_nodes(opn_ctx *ctx,
                                                const char *what,
                                                const opn_i_safetensors *file,
                                                int64_t n_nodes,
                                                int64_t n_features,
                                                opn_graph *graph);

#endif // OPN_GRAPH_TENSORS_H
