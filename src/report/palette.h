// palette.h -- the colours of every figure; the page has its own, for both themes.

#ifndef OPN_PALETTE_H
#define OPN_PALETTE_H

#include <stdint.h>

enum {
    OPN_RAMP_STOPS = 9,
    OPN_GROUP_COLOURS = 28,
};

// Colours are 0xRRGGBB, for a white background.
typedef struct opn_i_palette_table {
    uint32_t ramp[OPN_RAMP_STOPS];     // low to high, evenly spaced
    uint32_t group[OPN_GROUP_COLOURS]; // of classes and of lines
    uint32_t none;                     // what has no class or no value
    uint32_t chance;                   // the line of a guess
    uint32_t ink;                      // text, and the rim of large points
    uint32_t frame;                    // axes
    uint32_t rule;                     // lines behind the data
} opn_i_palette_table;

extern const opn_i_palette_table opn_i_palette;

// The ramp at 0 … 1, straight from stop to stop in sRGB; what lies beyond is drawn as its
// end, and NaN as `none`.
uint32_t opn_i_ramp_colour(double t);

// Class k >= 0, again from the first after the last; `none` below 0.
uint32_t opn_i_group_colour(int64_t k);

#endif // OPN_PALETTE_H
