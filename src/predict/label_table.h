// label_table.h -- labels of nodes that predictions come without.

#ifndef OPN_LABEL_TABLE_H
#define OPN_LABEL_TABLE_H

#include "predict/prediction_file.h"

// Gives the nodes of `file` the labels of a table with the columns node, label and
// perhaps role, in any order and under other usual names, in the place of those it has;
// its roles only if the table has some. An empty label means unlabelled, an empty role
// pool. Nodes that `file` does not have are left out. `scores` is its name in messages.
// Errors: READ, FORMAT (no such columns, no node of `file`, a node twice, a role that
// does not exist or needs a label; the message names the line), NOMEM.
OPN_NODISCARD opn_status opn_i_label_table_read(opn_ctx *ctx,
                                                const char *path,
                                                const char *scores,
                                                opn_i_prediction_file *file);

#endif // OPN_LABEL_TABLE_H
