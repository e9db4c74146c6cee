// param_table.h -- how many parameters there may be.

#ifndef OPN_PARAM_TABLE_H
#define OPN_PARAM_TABLE_H

#include "opine/params.h"

enum { OPN_MAX_PARAMS = 128 };

#endif // OPN_PARAM_TABLE_H
