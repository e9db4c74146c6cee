// input.h -- what a file or folder is, for messages about one that stands in the wrong
// place.

#ifndef OPINE_INPUT_H
#define OPINE_INPUT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// What opn_input_recognise() tells apart.
typedef enum opn_input {
    OPN_INPUT_UNKNOWN = 0, // missing, not readable, or nothing that opine writes or reads
    OPN_INPUT_GRAPH = 1,   // an .npz archive, edges or their folder, GraphML, a dataset
    OPN_INPUT_MODEL = 2,   // a safetensors file
    OPN_INPUT_CHECKPOINT = 3,  // of a training that was interrupted
    OPN_INPUT_PREDICTIONS = 4, // as opn_prediction_save() writes them
    OPN_INPUT_RUN = 5,         // the folder of an evaluation or a search
    OPN_INPUT_PAGE = 6,        // HTML
    OPN_INPUT_OTHER = 7        // a file of another kind
} opn_input;

// Guesses by how it begins, in a glance: that it can be read is not said.
OPN_API opn_input opn_input_recognise(const char *path);

#ifdef __cplusplus
}
#endif

#endif // OPINE_INPUT_H
