// image_table.h -- the paper's table of images beside ours.

#ifndef OPN_IMAGE_TABLE_H
#define OPN_IMAGE_TABLE_H

#include "io/file_write.h"
#include "paper/reproduction_data.h"

#include <jansson.h>

// Writes the paper's table and, unless is_summary, that of all models and measures.
OPN_NODISCARD opn_status opn_i_image_table(opn_ctx *ctx,
                                           const opn_reproduction *found,
                                           bool is_markdown,
                                           bool is_summary,
                                           opn_i_file_writer *file);

// A row of CSV for each mean, AUROC and accuracy, in the columns of the other tables.
void opn_i_image_csv(const opn_reproduction *found, opn_i_file_writer *file);

// The same as a JSON array.
json_t *opn_i_image_json(const opn_reproduction *found);

#endif // OPN_IMAGE_TABLE_H
