// reproduce_rows.h -- adds the results of one evaluation to the tables.

#ifndef OPN_REPRODUCE_ROWS_H
#define OPN_REPRODUCE_ROWS_H

#include "experiment/evaluation_data.h"
#include "paper/reproduction_data.h"

#include <stdbool.h>

// What was measured; all strings are static.
typedef struct opn_i_measured {
    const char *dataset, *task, *setting;
    const opn_evaluation *evaluation;
} opn_i_measured;

// Adds a row for each AUROC and accuracy in a table of the paper for this dataset, this
// task and one of these models; `measure` names the only measure wanted, or is NULL.
OPN_NODISCARD opn_status opn_i_add_table_rows(opn_ctx *ctx,
                                              const opn_i_measured *measured,
                                              const char *table,
                                              const char *measure,
                                              opn_reproduction *found);

// A row of our own tables, which the paper does not have.
typedef struct opn_i_own_row {
    const char *table, *task, *model, *measure;
} opn_i_own_row;

size_t opn_i_own_row_count(void);
const opn_i_own_row *opn_i_own_row_at(size_t n);

// Adds the rows of one of our own tables, next to the paper's best cell.
OPN_NODISCARD opn_status opn_i_add_own_rows(opn_ctx *ctx,
                                            const opn_i_measured *measured,
                                            const char *table,
                                            opn_reproduction *found);

// Whether a figure of the paper belongs to that task. Accuracy alone, which the paper
// calls classification, comes from the misclassification runs.
bool opn_i_is_figure_of(const opn_figure *figure, const char *task);

// Checks whether the paper's answers to its three questions hold here.
OPN_NODISCARD opn_status opn_i_add_answers(opn_ctx *ctx,
                                           const opn_i_measured *measured,
                                           opn_reproduction *found);

// Checks whether margin, for misclassification, or fused vacuity, for ood, is better than
// what it is to replace; adds nothing if the library does not have it.
OPN_NODISCARD opn_status opn_i_add_rule_answer(opn_ctx *ctx,
                                               const opn_i_measured *measured,
                                               opn_reproduction *found);

OPN_NODISCARD opn_status opn_i_add_costs(opn_ctx *ctx,
                                         const opn_i_measured *measured,
                                         opn_reproduction *found);

#endif // OPN_REPRODUCE_ROWS_H
