'use strict';
// Colours that stay apart for colour-blind readers, on white and on black.

// Okabe and Ito's colours; their black is a slate that both themes show, and their yellow is a
// little darker so that a dot of it is seen on white.
const okabeIto = ['#0072b2', '#e69f00', '#009e73', '#d55e00', '#cc79a7', '#56b4e9', '#e8dc3a',
                  '#6b7480'];

function mixed(colour, other, share)
{
    const part = (c, s) => parseInt(c.slice(1), 16) >> s & 255;
    const channel = s => Math.round(part(colour, s) * (1 - share) + part(other, s) * share);
    return '#' + [16, 8, 0].map(s => channel(s).toString(16).padStart(2, '0')).join('');
}

// From blue over a light grey to red. Lightness only rises up to the middle and only falls after
// it, and the halves lie on opposite sides of blue and yellow: also as deuteranopia, protanopia
// and tritanopia see it, so that every reader can tell the order.
const rampStops = ['#2a4ea6', '#4f80c6', '#8eb0da', '#c6c4c4', '#e39c7c', '#cb5a43', '#a01c2d'];

// The bytes red, green, blue of a colour as one little-endian number, as canvases keep them; the
// byte of alpha is left to who draws.
function packed(colour)
{
    const rgb = parseInt(colour.slice(1), 16);
    return (rgb & 255) << 16 | rgb & 0xff00 | rgb >> 16;
}

const colours = {
    // Beyond eight classes the same hues come darker, then lighter; beyond twenty they repeat.
    okabe: [...okabeIto, ...okabeIto.slice(0, 6).map(c => mixed(c, '#000000', 0.42)),
            ...okabeIto.slice(0, 6).map(c => mixed(c, '#ffffff', 0.5))],
    measure: {vacuity: '#0072b2', dissonance: '#d55e00', aleatoric: '#009e73',
              epistemic: '#cc79a7', entropy: '#e69f00', fused: '#56b4e9', margin: '#6b7480'},
    kind: {correct: '#56b4e9', wrong: '#d55e00', ood: '#8a4fbf', unlabelled: '#9aa3ad'},
    stops: rampStops,

    class(k) { return k === noClass ? colours.kind.unlabelled : colours.okabe[k % 20]; },

    // The colour of t in 0..1.
    ramp(t)
    {
        const at = Math.min(1, Math.max(0, t)) * (rampStops.length - 1);
        const k = Math.min(Math.floor(at), rampStops.length - 2);
        return mixed(rampStops[k], rampStops[k + 1], at - k);
    },

    // The value of a variable of the style sheet, which the theme sets.
    style(name)
    {
        return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    },
};

const rampTable = Uint32Array.from({length: 256}, (_, i) => packed(colours.ramp(i / 255)));
