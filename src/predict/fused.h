// fused.h -- measures of a node's surroundings that teacher and student make together.

#ifndef OPN_FUSED_H
#define OPN_FUSED_H

#include "base/context.h"
#include "opine/graph.h"

// One rule for all graphs, fixed before it was measured; docs/method.md has its formulas.
// Nodes without neighbours keep what they have (`keeps`), or their neighbours count as
// knowing nothing.

// ln V~_T + 3 ln V~_S of the teacher's and the student's vacuity [V], each diffused.
// Errors: SHAPE (the graph is directed), NOMEM, INTERRUPTED.
OPN_NODISCARD opn_status opn_i_fused(opn_ctx *ctx,
                                     const opn_graph *graph,
                                     bool keeps,
                                     const float *teacher,
                                     const float *student,
                                     float *fused);

// max over j != y of p~_j, less p~_y: p~ [V,K] is the mean of what teacher and student
// give the classes, diffused, y the predicted class. Errors: as above.
OPN_NODISCARD opn_status opn_i_margin(opn_ctx *ctx,
                                      const opn_graph *graph,
                                      bool keeps,
                                      int32_t n_classes,
                                      const float *teacher,
                                      const float *student,
                                      const int32_t *predicted,
                                      float *margin);

// The mean of what teacher and student give the classes [V,K], diffused by 10 steps with
// teleport 0.3: the second opinion of a calibrated pool. Errors: as above.
OPN_NODISCARD opn_status opn_i_around(opn_ctx *ctx,
                                      const opn_graph *graph,
                                      bool keeps,
                                      int32_t n_classes,
                                      const float *teacher,
                                      const float *student,
                                      float *around);

#endif // OPN_FUSED_H
