// image_tiles.h -- the images that a model is most and least certain of.

#ifndef OPN_IMAGE_TILES_H
#define OPN_IMAGE_TILES_H

#include "graph/graph_data.h"
#include "report/view.h"

#include <jansson.h>

// {"measure", "of", "width", "height", "certain": [{"node", "png"}], "uncertain": […]}:
// test nodes by the recommended measure, or those outside of training if none tests.
// JSON null where nodes are no images, or too large ones to show. Errors: NOMEM.
OPN_NODISCARD opn_status opn_i_image_tiles(opn_ctx *ctx,
                                           const opn_graph *graph,
                                           const opn_i_view *view,
                                           json_t **out);

#endif // OPN_IMAGE_TILES_H
