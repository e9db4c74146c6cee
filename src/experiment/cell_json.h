// cell_json.h -- a cell as JSON, and back.

#ifndef OPN_CELL_JSON_H
#define OPN_CELL_JSON_H

#include "experiment/evaluation_data.h"

#include <jansson.h>
#include <stdbool.h>

// Adds the figures of a cell to an object; false when there is no memory for all of them.
bool opn_i_cell_to_json(const opn_cell *cell, json_t *object);

// The other way round; false when something is missing or of the wrong kind.
bool opn_i_cell_from_json(const json_t *object, opn_cell *cell);

#endif // OPN_CELL_JSON_H
