'use strict';
// Colours that stay apart for colour-blind readers, on white and on black. One colour has one
// meaning on the whole page: those of classes are used for nothing else.

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

// From little, which is close to the paper, to much. Both are pieces of viridis whose lightness
// (CIE L*) runs from 86 to 24 and from 30 to 90, resampled so that neighbouring stops are
// equally far apart in CIELAB: equal steps of a measure look equal, and the order is told by
// lightness alone.
const rampStops = {
    light: ['#d2e229', '#98d73d', '#64ca5e', '#36b878', '#21a088', '#25858e', '#31698e',
            '#3d4c89', '#482677'],
    dark: ['#413e83', '#365d8c', '#2a798e', '#21958b', '#2dae7f', '#52c368', '#83d34b',
           '#badf2b', '#f6e626'],
};

// What became of a prediction. The dark theme lightens what would sink into its paper.
const kindColours = {
    light: {correct: '#b4ccb4', wrong: '#a80024', ood: '#5424fc', unlabelled: '#9aa3ad'},
    dark: {correct: '#4e5472', wrong: '#ff5a72', ood: '#8f73ff', unlabelled: '#9aa3ad'},
};

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
    // Chosen one by one as the colour of a range of hues that is farthest from all others here
    // and from the classes', in CIELAB and as deuteranopia and protanopia see it.
    measure: {vacuity: '#4878fc', dissonance: '#c00ca8', aleatoric: '#306c3c',
              epistemic: '#609cfc', entropy: '#9cb460', fused: '#0c48d8', margin: '#605454',
              confidence: '#605454'},

    get theme() { return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light'; },
    get stops() { return rampStops[colours.theme]; },
    get kind() { return kindColours[colours.theme]; },

    class(k) { return k === noClass ? colours.kind.unlabelled : colours.okabe[k % 20]; },

    // Why a prediction is not accepted has the colour of the measure that tells it.
    reason(name)
    {
        const of = {conflict: 'dissonance', evidence: 'vacuity', undecided: 'entropy'};
        return of[name] ? colours.measure[of[name]] : colours.style('--dim');
    },

    // The colour of t in 0..1.
    ramp(t)
    {
        const {stops} = colours, at = Math.min(1, Math.max(0, t)) * (stops.length - 1);
        const k = Math.min(Math.floor(at), stops.length - 2);
        return mixed(stops[k], stops[k + 1], at - k);
    },

    // The value of a variable of the style sheet, which the theme sets.
    style(name)
    {
        return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    },
};

function rampTable()
{
    return Uint32Array.from({length: 256}, (_, i) => packed(colours.ramp(i / 255)));
}
