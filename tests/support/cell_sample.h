// cell_sample.h -- results of evaluations, drawn and compared.

#ifndef OPN_TEST_CELL_SAMPLE_H
#define OPN_TEST_CELL_SAMPLE_H

#include "experiment/evaluation_data.h"

#include <stdbool.h>

// A cell of odd numbers; every third score is missing, as for a model that lacks it.
opn_cell cell_draw(uint64_t *random);

// Whether two cells are equal to the bit.
bool cell_is_same(const opn_cell *a, const opn_cell *b);

// Asserts that two evaluations are equal in everything but the times.
void cell_expect_same_evaluations(const opn_evaluation *a, const opn_evaluation *b);

#endif // OPN_TEST_CELL_SAMPLE_H
