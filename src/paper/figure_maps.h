// figure_maps.h -- figures with panels of points: classes, predictions, uncertainties.

#ifndef OPN_FIGURE_MAPS_H
#define OPN_FIGURE_MAPS_H

#include "base/names.h"

// All arrays are borrowed. Points are coloured by value, by group if there is no value,
// and grey if there is neither; no colour is drawn mostly on top of another.
typedef struct opn_i_map_panel {
    const char *title;       // or NULL
    const float *place;      // [n,2] in [0,1], y upwards; NaN points are skipped
    const uint8_t *is_large; // [n] training nodes: larger and on top; or NULL
    const int32_t *group; // [n] class of each point, grey outside [0, n_groups); or NULL
    const opn_i_names *group_names; // if NULL or too short, groups are shown by number
    int32_t n_groups;
    const float *value; // [n] light to dark over [low, high], grey if NaN; or NULL
    double low, high;   // if equal, all values get the middle colour
    // [n] points with an outline, 0 or 1; or NULL. Where there are values, the spread of
    // those of marked and of other points is drawn too, below the caption.
    const uint8_t *is_marked;
    const char *marked_name, *caption;
} opn_i_map_panel;

// Writes the panels, each of n_points, as SVG or PDF with a colour bar for each panel of
// values and one legend for all panels of groups. Errors: WRITE, NOMEM. Cost: O(panels *
// n).
OPN_NODISCARD opn_status opn_i_figure_maps(opn_ctx *ctx,
                                           const char *path,
                                           const char *title,
                                           int32_t n_points,
                                           int32_t n_panels,
                                           const opn_i_map_panel *panels,
                                           int32_t n_columns);

#endif // OPN_FIGURE_MAPS_H
