// opine.h -- everything libopine offers.

#ifndef OPINE_OPINE_H
#define OPINE_OPINE_H

#include "base.h"
#include "build_info.h"
#include "check.h"
#include "decide.h"
#include "embed.h"
#include "evaluate.h"
#include "explain.h"
#include "graph.h"
#include "metrics.h"
#include "model.h"
#include "params.h"
#include "prediction.h"
#include "report.h"
#include "split.h"
#include "tune.h"

#endif // OPINE_OPINE_H
