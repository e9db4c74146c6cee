// palette.c -- colours of all figures.

#include "report/palette.h"

#include <math.h>

// The ramp has lightness (CIE L*) 30, 44, 58, 72, 84, 72, 58, 44, 30. It rises to the
// middle and falls after it under red-green colour blindness too, where the halves are
// still blue and brown; the middle is dark enough to be seen on white.
//
// Groups: the Okabe-Ito colours, the strongest on white first; then, one by one, the
// colour furthest from all previous ones, in CIELAB and under both simulated colour
// blindnesses, from a grid over lightness 28 … 78.
const opn_i_palette_table opn_i_palette = {
        .ramp = {0x00429d, 0x006ac5, 0x3b91d4, 0x8cb5d7, 0xced2d5, 0xdba588, 0xd66e4a,
                 0xbf352c, 0x8b1622},
        .group = {0x0072b2, 0xe69f00, 0x009e73, 0xd55e00, 0x56b4e9, 0xcc79a7, 0xf0e442,
                  0x000000, 0x6c311d, 0x2132a9, 0x731a6d, 0x28dc78, 0x724f61, 0x857afe,
                  0x916b38, 0x53d2e0, 0xe89150, 0x8fcf9f, 0x4c5f44, 0x8f4501, 0x0d57b0,
                  0x9acbc0, 0xfe416e, 0x8c7fdf, 0xb9478b, 0x9fd13b, 0x1b4a42, 0x39378c},
        .none = 0x9a9a9a,
        .chance = 0x808080,
        .ink = 0x222222,
        .frame = 0x666666,
        .rule = 0xe6e6e6,
};

// Interpolates byte `shift` between two stops.
static uint32_t between(uint32_t a, uint32_t b, double part, unsigned shift)
{
    const double low = a >> shift & 0xff;
    const double high = b >> shift & 0xff;
    return (uint32_t)(low + part * (high - low) + 0.5) << shift;
}

uint32_t opn_i_ramp_colour(double t)
{
    if (isnan(t))
        return opn_i_palette.none;
    const double at = fmin(fmax(t, 0), 1) * (OPN_RAMP_STOPS - 1);
    const int k = at < OPN_RAMP_STOPS - 2 ? (int)at : OPN_RAMP_STOPS - 2;
    const uint32_t a = opn_i_palette.ramp[k];
    const uint32_t b = opn_i_palette.ramp[k + 1];
    return between(a, b, at - k, 16) | between(a, b, at - k, 8) |
           between(a, b, at - k, 0);
}

uint32_t opn_i_group_colour(int64_t k)
{
    return k < 0 ? opn_i_palette.none : opn_i_palette.group[k % OPN_GROUP_COLOURS];
}
