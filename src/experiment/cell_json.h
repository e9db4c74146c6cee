// cell_json.h -- converts a cell to and from JSON.

#ifndef OPN_CELL_JSON_H
#define OPN_CELL_JSON_H

#include "experiment/evaluation_data.h"

#include <jansson.h>
#include <stdbool.h>

// Adds the figures of a cell to an object; false if out of memory.
bool opn_i_cell_to_json(const opn_cell *cell, json_t *object);

// The inverse; false if something is missing or of the wrong type.
bool opn_i_cell_from_json(const json_t *object, opn_cell *cell);

#endif // OPN_CELL_JSON_H
