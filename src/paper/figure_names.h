// figure_names.h -- names of datasets, models and classes as figures show them.

#ifndef OPN_FIGURE_NAMES_H
#define OPN_FIGURE_NAMES_H

#include "base/names.h"

// "Amazon Photo" for "photo"; other names as they are.
const char *opn_i_figure_dataset(const char *name);

enum { OPN_MODEL_ROOM = 32 };

// "Drop-GCN" for "drop-gcn".
void opn_i_figure_model(const char *id, char name[OPN_MODEL_ROOM]);

// Names of the classes. The files of Cora and Citeseer number them only; no two classes
// of either have the same size, so that sizes tell which is which. Where they do not
// match, the names are those of the data. To be freed by the caller. Errors: NOMEM.
//
// own  names in the data
// label  [n] class of each node, -1 for none
OPN_NODISCARD opn_status opn_i_figure_classes(opn_ctx *ctx,
                                              const char *dataset,
                                              const opn_i_names *own,
                                              int32_t n,
                                              const int32_t *label,
                                              opn_i_names *out);

#endif // OPN_FIGURE_NAMES_H
