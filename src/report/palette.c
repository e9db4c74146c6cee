// palette.c -- colours of all figures.

#include "report/palette.h"

#include <math.h>

// The ramp is a piece of viridis whose lightness (CIE L*) falls from 86, which is still
// seen on white, to 24, with neighbouring stops equally far apart in CIELAB: equal steps
// of a measure look equal, and the order is told by lightness alone.
//
// Groups: the Okabe-Ito colours with a darker yellow and a slate for black; then, one by
// one, the colour furthest from all previous ones, in CIELAB and under both simulated
// colour blindnesses, from a grid over lightness 28 … 78.
//
// The ramp, the first eight groups and the measures are those of the page's light theme.
const opn_i_palette_table opn_i_palette = {
        .ramp = {0xd2e229, 0x98d73d, 0x64ca5e, 0x36b878, 0x21a088, 0x25858e, 0x31698e,
                 0x3d4c89, 0x482677},
        .group = {0x0072b2, 0xe69f00, 0x009e73, 0xd55e00, 0xcc79a7, 0x56b4e9, 0xe8dc3a,
                  0x6b7480, 0x6c311d, 0x2132a9, 0x731a6d, 0x28dc78, 0x724f61, 0x857afe,
                  0x916b38, 0x53d2e0, 0xe89150, 0x8fcf9f, 0x4c5f44, 0x8f4501, 0x0d57b0,
                  0x9acbc0, 0xfe416e, 0x8c7fdf, 0xb9478b, 0x9fd13b, 0x1b4a42, 0x39378c},
        .measure = {0x4878fc, 0xc00ca8, 0x306c3c, 0x609cfc, 0x9cb460},
        .rival = {0x605454, 0x222222},
        .none = 0x9a9a9a,
        .chance = 0x808080,
        .ink = 0x222222,
        .frame = 0x666666,
        .panel = 0xf4f5f7,
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
