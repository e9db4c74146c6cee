// opine.h -- everything libopine offers.
//
// A program usually calls, in this order, opn_ctx_create(), opn_params_create(),
// opn_graph_load_prepared(), opn_params_use_preset(), opn_split_from_params(),
// opn_model_train() or opn_model_load(), and opn_model_predict(), and reads what it wants
// by opn_prediction_measure() and its neighbours. Who has predictions of another tool
// begins with opn_scores_create(), or with the functions of measure.h, calibrate.h,
// conformal.h and control.h, which take arrays and need no graph.
//
// What can fail returns an opn_status, and opn_ctx_error() then says in a sentence what
// is wrong. Comments name statuses without their `OPN_ERR_`. Results are the last
// arguments and are written only on success. Arguments are borrowed for the call unless a
// comment says otherwise; what a function creates is freed by the one whose name ends in
// `_free`, and what a getter returns lives as long as the object it was asked of. A
// context is for one thread at a time; graphs, splits, models and predictions are not
// changed by those who read them, and may be read by several threads, each with a context
// of its own.
//
// The shape of an array stands behind its name, last index fastest: p [V,K]. V is the
// number of nodes, E of edges, F of features, K of classes, H of hidden units.
//
// What a program may rely on. Versions are MAJOR.MINOR.PATCH. While MAJOR is 0 every
// MINOR version may change what is declared here, and a program is compiled anew for it;
// a PATCH version changes neither names nor layouts. From 1.0 on only MAJOR may. The name
// of the shared library (libopine.so.0.2) and the CMake package say the same, so that a
// program never meets a library it was not built for.
//
// Objects are handles, read by functions, and no layout depends on how many measures,
// scores or parameters there are. Structs that the library owns and gives pointers to,
// like opn_explanation and opn_decisions, grow at their end only; opn_hooks, which
// callers fill and which may grow, begins with its size. Enumerators keep their values,
// and new ones are appended.

#ifndef OPINE_OPINE_H
#define OPINE_OPINE_H

#include "base.h"
#include "build_info.h"
#include "calibrate.h"
#include "check.h"
#include "conformal.h"
#include "control.h"
#include "decide.h"
#include "embed.h"
#include "evaluate.h"
#include "explain.h"
#include "explore.h"
#include "graph.h"
#include "input.h"
#include "labels.h"
#include "measure.h"
#include "metrics.h"
#include "model.h"
#include "numbers.h"
#include "params.h"
#include "prediction.h"
#include "report.h"
#include "scores.h"
#include "split.h"
#include "tune.h"

#endif // OPINE_OPINE_H
