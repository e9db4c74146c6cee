// reproduce_rows.h -- what one evaluation adds to the tables beside the paper's.

#ifndef OPN_REPRODUCE_ROWS_H
#define OPN_REPRODUCE_ROWS_H

#include "experiment/evaluation_data.h"
#include "paper/reproduction_data.h"

#include <stdbool.h>

// What has been measured; the texts are static.
typedef struct opn_i_measured {
    const char *dataset, *task, *setting;
    const opn_evaluation *evaluation;
} opn_i_measured;

// A row for each AUROC and each accuracy that a table of the paper has for this dataset,
// task and one of these models; `measure` names the only measure wanted, or is NULL.
OPN_NODISCARD opn_status opn_i_add_table_rows(opn_ctx *ctx,
                                              const opn_i_measured *measured,
                                              const char *table,
                                              const char *measure,
                                              opn_reproduction *found);

// A row that the paper has not, of a table of ours.
typedef struct opn_i_own_row {
    const char *table, *task, *model, *measure;
} opn_i_own_row;

size_t opn_i_own_row_count(void);
const opn_i_own_row *opn_i_own_row_at(size_t n);

// The rows of a table of ours, beside the paper's best cell.
OPN_NODISCARD opn_status opn_i_add_own_rows(opn_ctx *ctx,
                                            const opn_i_measured *measured,
                                            const char *table,
                                            opn_reproduction *found);

// Whether a figure of the paper is of that task. Accuracy alone, which it calls
// classification, comes of the runs that find misclassified nodes.
bool opn_i_is_figure_of(const opn_figure *figure, const char *task);

// Whether the paper's answers to its three questions hold here.
OPN_NODISCARD opn_status opn_i_add_answers(opn_ctx *ctx,
                                           const opn_i_measured *measured,
                                           opn_reproduction *found);

OPN_NODISCARD opn_status opn_i_add_costs(opn_ctx *ctx,
                                         const opn_i_measured *measured,
                                         opn_reproduction *found);

#endif // OPN_REPRODUCE_ROWS_H
