// input_shift.h -- passes on features that are shifted, and which way to shift them.
//
// A network sees a shift R [V,F] of its features only as R W0 [V,H]. So R is not formed:
//
//   R = C S W0^T with C diagonal,  R W0 = C S G,  |r_i| = c_i sqrt(s_i G s_i^T)
//
// where G = W0^T W0 [H,H] and S [V,H] is random or the gradient of a loss in X W0. That
// takes V H^2 steps instead of V F H and no array of V F numbers. Of the gradient D of
// X W0 on the way back, W0 receives X^T D + R^T D, and R^T D = W0 (C S)^T D.

#ifndef OPN_INPUT_SHIFT_H
#define OPN_INPUT_SHIFT_H

#include "base/context.h"
#include "math/exec.h"

// What passes do with it while network->shift is set.
typedef enum opn_i_shift_use {
    OPN_SHIFT_RECORDS = 0, // keep X W0, with what is dropped, for the passes that follow
    OPN_SHIFT_ADDS = 1,    // compute X W0, and add R W0
    OPN_SHIFT_REPLAYS = 2, // add R W0 to the X W0 that was kept
    OPN_SHIFT_POINTS = 3   // the same; the way back ends at S, the gradient of X W0
} opn_i_shift_use;

typedef struct opn_i_input_shift {
    opn_i_shift_use use;
    int32_t n_nodes, n_features, width; // V F, columns of W0 in memory
    const opn_real *w0;                 // of opn_i_input_shift_measure()
    opn_real *arena;                    // with all that follows
    opn_real *product;                  // [V,H] X W0 of a recorded pass
    opn_real *shift;                    // [V,H] R W0
    opn_real *slope;                    // [V,H] S, or C S once it is scaled
    opn_real *gram;                     // [H,H] G
    opn_real *root;                     // [H,H] U with U^T U = G
    opn_real *mixed;                    // [H,H] (C S)^T D
    opn_real *added;                    // [F,H] W0 (C S)^T D
    opn_real *partial;                  // sums over blocks of rows
} opn_i_input_shift;

OPN_NODISCARD opn_status opn_i_input_shift_init(opn_ctx *ctx,
                                                int32_t n_nodes,
                                                int32_t n_features,
                                                int32_t width,
                                                opn_i_input_shift *out);
void opn_i_input_shift_deinit(const opn_alloc *alloc, opn_i_input_shift *shift);

// Prepares for weights w0, borrowed. Cost: O(F H^2).
void opn_i_input_shift_measure(const opn_i_exec *exec,
                               opn_i_input_shift *shift,
                               const opn_real *w0);

// S of random signs, one for each element.
void opn_i_input_shift_draw(const opn_i_exec *exec,
                            opn_i_input_shift *shift,
                            uint64_t seed,
                            opn_i_stream stream,
                            uint32_t step);

// Rows of that length in the direction of S W0^T; 0 where that has none.
void opn_i_input_shift_point(const opn_i_exec *exec,
                             opn_i_input_shift *shift,
                             double length);

// R of normal numbers with that standard deviation. R W0 has the covariance G in its
// rows, and is drawn with it. Cost: O((V + H) H^2). Has no way back.
void opn_i_input_shift_noise(const opn_i_exec *exec,
                             opn_i_input_shift *shift,
                             uint64_t seed,
                             opn_i_stream stream,
                             uint32_t step,
                             double deviation);

// ---- for the network -----------------------------------------------------------------

// The X W0 that a pass goes on with: `product`, if it records, or p, with R W0 added.
opn_real *opn_i_input_shift_forward(const opn_i_exec *exec,
                                    opn_i_input_shift *shift,
                                    opn_real *product,
                                    opn_real *p);

// S from the gradient of X W0, whose rows were multiplied by scale.
void opn_i_input_shift_keep(const opn_i_exec *exec,
                            opn_i_input_shift *shift,
                            const opn_real *scale,
                            const opn_real *d_p);

// d_w0 += R^T D, likewise.
void opn_i_input_shift_back(const opn_i_exec *exec,
                            opn_i_input_shift *shift,
                            const opn_real *scale,
                            const opn_real *d_p,
                            opn_real *d_w0);

#endif // OPN_INPUT_SHIFT_H
