// palette.h -- colours of all figures; the page has the same and others for its dark
// theme.

#ifndef OPN_PALETTE_H
#define OPN_PALETTE_H

#include <stdint.h>

enum {
    OPN_RAMP_STOPS = 9,
    OPN_GROUP_COLOURS = 28,
    OPN_MEASURE_COLOURS = 5,
    OPN_RIVAL_COLOURS = 2,
};

// Colours are 0xRRGGBB, for a white background.
typedef struct opn_i_palette_table {
    uint32_t ramp[OPN_RAMP_STOPS];         // low to high, evenly spaced
    uint32_t group[OPN_GROUP_COLOURS];     // for classes and lines
    uint32_t measure[OPN_MEASURE_COLOURS]; // the paper's, in the order of opn_measure
    uint32_t rival[OPN_RIVAL_COLOURS];     // other models' lines beside those of measures
    uint32_t none;                         // no class or no value
    uint32_t chance;                       // the line of random guessing
    uint32_t ink;                          // text, and the outline of large points
    uint32_t frame;                        // axes
    uint32_t panel;                        // boxes of illustrations
    uint32_t rule;                         // grid lines behind the data
} opn_i_palette_table;

extern const opn_i_palette_table opn_i_palette;

// The ramp at 0 … 1, interpolated linearly in sRGB. Values outside are clamped, and NaN
// gives `none`.
uint32_t opn_i_ramp_colour(double t);

// Colour of class k >= 0, wrapping around after the last; `none` if k < 0.
uint32_t opn_i_group_colour(int64_t k);

#endif // OPN_PALETTE_H
