// sparse_layout.h -- the ways in which SciPy stores a sparse matrix.

#ifndef OPN_SPARSE_LAYOUT_H
#define OPN_SPARSE_LAYOUT_H

typedef enum opn_i_sparse_layout {
    OPN_SPARSE_ROWS,    // CSR: offsets of rows, and the column of each entry
    OPN_SPARSE_COLUMNS, // CSC: offsets of columns, and the row of each entry
    OPN_SPARSE_TRIPLES  // COO: row and column of each entry
} opn_i_sparse_layout;

#endif // OPN_SPARSE_LAYOUT_H
