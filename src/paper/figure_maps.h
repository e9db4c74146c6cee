// figure_maps.h -- panels of points in the plane: classes, predictions, uncertainties.

#ifndef OPN_FIGURE_MAPS_H
#define OPN_FIGURE_MAPS_H

#include "base/names.h"

// All arrays are borrowed. Points are coloured by value, by group where there is no
// value, and grey where there is neither; those of one colour lie above those of another
// no more often than below.
typedef struct opn_i_map_panel {
    const char *title;       // or NULL
    const float *place;      // [n,2] in [0,1], y upwards; a point at NaN is left out
    const uint8_t *is_large; // [n] training nodes: larger and on top; or NULL
    const int32_t *group; // [n] class of each point, outside [0, n_groups) grey; or NULL
    const opn_i_names *group_names; // NULL or too short: groups go by their numbers
    int32_t n_groups;
    const float *value; // [n] blue to red over [low, high], NaN grey; or NULL
    double low, high;   // equal: all values are drawn as the middle
} opn_i_map_panel;

// Writes an SVG of the panels, each of n_points, with a bar for each that shows values
// and one legend for all that show groups. Errors: WRITE, NOMEM. Cost: O(panels * n).
OPN_NODISCARD opn_status opn_i_figure_maps(opn_ctx *ctx,
                                           const char *path,
                                           const char *title,
                                           int32_t n_points,
                                           int32_t n_panels,
                                           const opn_i_map_panel *panels,
                                           int32_t n_columns);

#endif // OPN_FIGURE_MAPS_H
