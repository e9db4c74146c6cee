// npz_reader.h -- what the parts of the npz reader share; for load_npz.c and npz_*.c
// only.

#ifndef OPN_NPZ_READER_H
#define OPN_NPZ_READER_H

#include "arrays/npy_value.h"
#include "arrays/zip_archive.h"
#include "graph/graph_data.h"

// ---- npz_members.c: which members mean what ------------------------------------------

typedef enum opn_i_npz_part {
    OPN_NPZ_ADJACENCY,
    OPN_NPZ_EDGES,
    OPN_NPZ_WEIGHTS,
    OPN_NPZ_FEATURES,
    OPN_NPZ_LABELS,
    OPN_NPZ_NODE_NAMES,
    OPN_NPZ_CLASS_NAMES,
    OPN_NPZ_FEATURE_NAMES,
    OPN_NPZ_SPLIT,
    OPN_NPZ_TRAIN,
    OPN_NPZ_VALIDATION,
    OPN_NPZ_CALIBRATION,
    OPN_NPZ_TEST,
    OPN_N_NPZ_PARTS
} opn_i_npz_part;

enum {
    OPN_NPZ_SPARSE = 1, // NAMEdata, NAMEindices, NAMEindptr and NAMEshape; or NAMErow, …
    OPN_NPZ_BENCHMARK = 2, // of the gnn-benchmark collection: read without a note
    OPN_NPZ_BY_ROWS = 4,   // edges and splits are rows where the shape allows both
    OPN_NPZ_INDICES = 8    // a part of a split as node numbers, not as a mask
};

// One way to store a part of the graph.
typedef struct opn_i_npz_name {
    const char
            *name; // of the member; of a SPARSE matrix, the start of its members' names
    opn_i_npz_part part;
    unsigned flags; // OPN_NPZ_…
} opn_i_npz_name;

static inline bool opn_i_npz_is(const opn_i_npz_name *name, unsigned flag)
{
    return (name->flags & flag) != 0;
}

// Whether the part is a matrix by itself, as scipy.sparse.save_npz() writes it. Labels
// and features may then be in files beside it.
static inline bool opn_i_npz_is_lone(const opn_i_npz_name *name)
{
    return name != NULL && name->name[0] == 0;
}

typedef struct opn_i_npz_reader {
    opn_ctx *ctx;
    const char *path; // for messages
    bool has_folder;  // not standard input: there may be files beside it
    const opn_i_zip *zip;
    const opn_i_npz_name *found[OPN_N_NPZ_PARTS]; // NULL if it is not there
    opn_graph *graph;
} opn_i_npz_reader;

// What to run to have an archive that is understood; shown after a message.
#define OPN_NPZ_RECIPE                                                                \
    "\n  import numpy as np"                                                          \
    "\n  edge_index = np.array([[0, 1, 2], [1, 2, 0]])  # [2, E] node numbers from 0" \
    "\n  x = np.array([[0.5, 1], [0, 2], [1, 1]])       # [V, F] features"            \
    "\n  y = np.array(['red', 'blue', ''])              # [V] labels, '' for none"    \
    "\n  np.savez('graph.npz', edge_index=edge_index, x=x, y=y)"

// Finds each part of the graph.
// Errors: FORMAT (neither adjacency nor edges; the message lists the members), NOMEM.
OPN_NODISCARD opn_status opn_i_npz_find_parts(opn_i_npz_reader *reader);

// Notes the members that are not read.
OPN_NODISCARD opn_status opn_i_npz_note_unused(opn_i_npz_reader *reader);

// What the part was read from, as people call it: "adj_matrix", "adj".
const char *opn_i_npz_title(const opn_i_npz_name *name, char out[64]);

// The names by which a part is known, "labels, y, …", for messages.
const char *opn_i_npz_list_names(opn_i_npz_part part, char out[256]);

// ---- inputs: a member, or a file beside the archive ----------------------------------

typedef struct opn_i_npz_input {
    opn_i_npy_value value;
    opn_i_names lines;            // of a text file, one label each
    bool is_lines;                // the input is a text file
    bool is_none;                 // there is no such input
    char what[OPN_ZIP_WHAT_ROOM]; // its name in messages
} opn_i_npz_input;

void opn_i_npz_input_release(opn_ctx *ctx, opn_i_npz_input *input);

OPN_NODISCARD opn_status opn_i_npz_open(const opn_i_npz_reader *reader,
                                        const char *member,
                                        opn_i_npz_input *out);

// Fails unless the input is an array of numbers or text.
OPN_NODISCARD opn_status opn_i_npz_need_numbers(opn_ctx *ctx,
                                                const opn_i_npz_input *input);

// ---- npz_matrix.c --------------------------------------------------------------------

// The shape a matrix must have: n_nodes rows, or if is_square as many rows as columns.
// n_nodes also bounds the memory for matrices that are not stored by rows. It is
// OPN_NPZ_ANY_ROWS where nothing has told the number of nodes yet.
enum { OPN_NPZ_ANY_ROWS = -1 };
typedef struct opn_i_npz_rows {
    int64_t n_nodes;
    bool is_square;
} opn_i_npz_rows;

// The largest number of nodes to believe in where only that many entries or edges tell.
static inline int64_t opn_i_npz_most_nodes(int64_t n_entries)
{
    return 64 * n_entries + (1 << 16);
}

// Reads a matrix in any form, without values if all are 1 in a sparse one; `name` is one
// of the reader's names. `what` receives the name of its values in messages.
OPN_NODISCARD opn_status opn_i_npz_read_matrix(const opn_i_npz_reader *reader,
                                               const opn_i_npz_name *name,
                                               const opn_i_npz_rows *rows,
                                               char what[OPN_ZIP_WHAT_ROOM],
                                               opn_i_csr *out);

// The same of features.
OPN_NODISCARD opn_status opn_i_npz_read_features(const opn_i_npz_reader *reader,
                                                 const opn_i_npz_name *name,
                                                 const opn_i_npz_rows *rows,
                                                 char what[OPN_ZIP_WHAT_ROOM],
                                                 opn_i_features *out);

// The same of an input that is open already.
OPN_NODISCARD opn_status opn_i_npz_input_matrix(opn_ctx *ctx,
                                                const opn_i_npz_input *input,
                                                const opn_i_npz_rows *rows,
                                                opn_i_csr *out);
OPN_NODISCARD opn_status opn_i_npz_input_features(opn_ctx *ctx,
                                                  const opn_i_npz_input *input,
                                                  const opn_i_npz_rows *rows,
                                                  opn_i_features *out);

// ---- npz_topology.c ------------------------------------------------------------------

// Reads the adjacency matrix, or else the list of edges. n_nodes is the number of labels
// or of rows of the features, or OPN_NPZ_ANY_ROWS.
OPN_NODISCARD opn_status opn_i_npz_read_topology(opn_i_npz_reader *reader,
                                                 int64_t n_nodes);

// ---- npz_labels.c --------------------------------------------------------------------

// Number of nodes that the labels are for; OPN_NPZ_ANY_ROWS if there are none.
int64_t opn_i_npz_n_labels(const opn_i_npz_input *labels);

// Sets labels and classes; the graph has its topology, and class names if the file lists
// them.
OPN_NODISCARD opn_status opn_i_npz_read_labels(opn_i_npz_reader *reader,
                                               const opn_i_npz_input *labels);

// ---- npz_split.c ---------------------------------------------------------------------

// Sets the roles if the file has any; the graph has its labels.
OPN_NODISCARD opn_status opn_i_npz_read_split(opn_i_npz_reader *reader);

// Reads names, one for each item; none if the archive has no such part.
OPN_NODISCARD opn_status opn_i_npz_read_names(opn_i_npz_reader *reader,
                                              opn_i_npz_part part,
                                              opn_i_names *names);

// ---- npz_beside.c: labels and features beside a lone matrix --------------------------

// Labels of the archive, or else of a file beside it; out->is_none if there are none.
OPN_NODISCARD opn_status opn_i_npz_open_labels(opn_i_npz_reader *reader,
                                               opn_i_npz_input *out);

// Features from a file beside the archive; *found tells whether there is one.
OPN_NODISCARD opn_status opn_i_npz_read_features_beside(opn_i_npz_reader *reader,
                                                        bool *found);

#endif // OPN_NPZ_READER_H
