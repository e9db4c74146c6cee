// rivals.h -- our measures beside those of other papers, under their protocols.

#ifndef OPN_RIVALS_H
#define OPN_RIVALS_H

#include "experiment/run_folder.h"
#include "paper/reproduction_data.h"
#include "paper/result_page.h"

// A figure of another paper, in percent; all texts are static.
typedef struct opn_i_rival_figure {
    const char *protocol, *shift, *dataset, *method, *metric;
    double value;
    const char *source;     // the paper
    const char *difference; // what is not as here
} opn_i_rival_figure;

size_t opn_i_rival_figure_count(void);
const opn_i_rival_figure *opn_i_rival_figure_at(size_t i); // i < the count

// Evaluates a dataset under every protocol and shift of other papers, and adds a row for
// each of our scores and each published method. `folder` may be NULL. Errors: those of
// opn_evaluate() and opn_graph_load_prepared().
OPN_NODISCARD opn_status opn_i_add_rivals(opn_ctx *ctx,
                                          const opn_params *params,
                                          const char *dataset,
                                          opn_i_run_folder *folder,
                                          opn_reproduction *found);

// What a figure of a row is called: "auroc", …, "accuracy".
const char *opn_i_rival_figure_name(int f);

// Writes the tables of all rows, one for each protocol and shift, and where the published
// figures are from.
void opn_i_put_rivals(const opn_i_result_page *p);

#endif // OPN_RIVALS_H
