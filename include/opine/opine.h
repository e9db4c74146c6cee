// opine.h -- everything libopine offers.
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
