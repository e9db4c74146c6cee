// model_measures.h -- which measures each kind of model has.

#ifndef OPN_MODEL_MEASURES_H
#define OPN_MODEL_MEASURES_H

#include "model/model_data.h"
#include "opinion/measure_table.h"

bool opn_i_kind_measures(const opn_i_model_kind *kind, int m);

#endif // OPN_MODEL_MEASURES_H
