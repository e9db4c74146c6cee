'use strict';
// The opinion of a node as the density of its Dirichlet distribution over a triangle: corners are
// three classes, and a place says how the probability is shared among them.

const simplexCorners = ['Top', 'Left', 'Right'];
// What the reader chose, as classes of the graph, so that it holds for every model that knows them.
const simplexChoice = ['auto', 'auto', 'auto'];
const simplexRamps = {
    light: ['#ffffff', '#cfe1f2', '#7db8dc', '#2b7bba', '#0b3f80', '#061d42'],
    dark: ['#14171b', '#12365c', '#1f66a5', '#5aa3d6', '#b4dcf2', '#ffffff'],
};
// Shades run over the logarithm (to 10) of the density, as a multiple of that of a distribution
// that knows nothing. One scale for every panel: else no evidence would look as sure as much.
const densityLow = -1, densityHigh = 3;
const simplexPad = 11;
const simplexLive = {painters: [], observer: null, listening: false, redraw: null};

// ---------------------------------------------------------------- the density

// ln Γ(x) for x >= 1: Stirling's series, which is exact to 1e-12 from 10 on, reached by steps.
function logGamma(x)
{
    let shift = 0;
    for (; x < 10; x++)
        shift += Math.log(x);
    const square = 1 / (x * x);
    const series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / x;
    return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series - shift;
}

// The decimal logarithm of the density at (p, q, r), as a multiple of that of Dirichlet(1, 1, 1),
// which is 2 everywhere.
function logDensity(alpha)
{
    const [a, b, c] = alpha.map(v => v - 1);
    const norm = logGamma(a + b + c + 3) - logGamma(a + 1) - logGamma(b + 1) - logGamma(c + 1)
        - Math.LN2;
    return (p, q, r) => (norm + a * Math.log(p) + b * Math.log(q) + c * Math.log(r)) / Math.LN10;
}

// The greatest standard deviation of a share. From S = 1e7 on it is far below a pixel and the
// logarithms of Γ begin to lose their digits against each other: such a density is a point.
function spreadOf(alpha)
{
    const strength = alpha.reduce((sum, a) => sum + a, 0);
    const spread = a => Math.sqrt(a / strength * (1 - a / strength) / (strength + 1));
    return Math.max(...alpha.map(spread));
}

function densityRamp()
{
    const dark = document.documentElement.dataset.theme === 'dark';
    const stops = simplexRamps[dark ? 'dark' : 'light'], last = stops.length - 1;
    return Uint32Array.from({length: 256}, (_, i) => {
        const at = i / 255 * last, k = Math.min(Math.floor(at), last - 1);
        return packed(mixed(stops[k], stops[k + 1], at - k)) | 0xff000000;
    });
}

// ---------------------------------------------------------------- painting

// The triangle in pixels of the canvas, and the place in it of shares (top, left, right).
function triangleOf(canvas, ratio)
{
    const pad = simplexPad * ratio, side = canvas.width - 2 * pad, tall = side * Math.sqrt(3) / 2;
    const at = ([p, , r]) => [pad + side * (r + p / 2), pad + tall * (1 - p)];
    return {pad, side, tall, at};
}

// The density at every pixel of the triangle and two more on each side: the clip cuts through
// pixels, and contours look at neighbours. There the shares are held just above 0.
function densityOf(canvas, {pad, side, tall}, alpha)
{
    const {width, height} = canvas, density = logDensity(alpha), least = 0.25 / side;
    const level = new Float32Array(width * height);
    for (let y = 0; y < height; y++) {
        const p = 1 - (y + 0.5 - pad) / tall;
        const from = Math.max(0, Math.floor(pad + side * p / 2) - 2);
        const to = Math.min(width, Math.ceil(pad + side * (1 - p / 2)) + 2);
        for (let x = from; x < to; x++) {
            const r = (x + 0.5 - pad) / side - p / 2;
            level[y * width + x] = density(Math.max(p, least), Math.max(1 - p - r, least),
                                           Math.max(r, least));
        }
    }
    return level;
}

// How much of a contour (a whole power of ten) lies in a pixel: 1 on the line, 0 a pixel away.
// Where the density is all but flat, a contour would wander about without meaning: none there.
function contourShare(level, at, width)
{
    const here = level[at], nearest = Math.round(here);
    if (nearest < 0)
        return 0;
    const right = level[at + 1] - here, down = level[at + width] - here;
    const slope = Math.sqrt(right * right + down * down);
    return slope < 1e-3 ? 0 : Math.max(0, 1 - Math.abs(here - nearest) / slope);
}

function shadedImage(canvas, level)
{
    const {width, height} = canvas, sheet = element('canvas', {width, height});
    const c = sheet.getContext('2d'), image = c.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer), ramp = densityRamp();
    const ink = parseInt(colours.style('--ink').slice(1), 16);
    for (let i = 0; i < level.length; i++) {
        const t = (level[i] - densityLow) / (densityHigh - densityLow);
        pixels[i] = ramp[Math.round(255 * Math.min(1, Math.max(0, t)))];
        const share = i < level.length - width - 1 ? 0.3 * contourShare(level, i, width) : 0;
        for (let k = 0; share && k < 3; k++)
            image.data[4 * i + k] += share * ((ink >> 16 - 8 * k & 255) - image.data[4 * i + k]);
    }
    c.putImageData(image, 0, 0);
    return sheet;
}

function trace(c, corners)
{
    c.beginPath();
    corners.forEach(([x, y], k) => k ? c.lineTo(x, y) : c.moveTo(x, y));
    c.closePath();
}

// A cross that is open in the middle, so that it does not hide a narrow density; a point has its
// dot there.
function markMean(c, [x, y], ratio, isPoint)
{
    const paper = colours.style('--paper'), ink = colours.style('--ink');
    c.beginPath();
    for (const [dx, dy] of [[1, 0], [0, 1], [-1, 0], [0, -1]]) {
        c.moveTo(x + 4 * ratio * dx, y + 4 * ratio * dy);
        c.lineTo(x + 10 * ratio * dx, y + 10 * ratio * dy);
    }
    for (const [width, colour] of [[3.5, paper], [1.5, ink]]) {
        c.lineWidth = width * ratio;
        c.strokeStyle = colour;
        c.stroke();
    }
    if (isPoint) {
        c.beginPath();
        c.arc(x, y, 3 * ratio, 0, 2 * Math.PI);
        c.fillStyle = ink;
        c.fill();
    }
}

function paintSimplex(canvas, alpha)
{
    const ratio = window.devicePixelRatio || 1, c = canvas.getContext('2d');
    canvas.width = Math.max(60, Math.round(canvas.clientWidth * ratio));
    const pad = 2 * simplexPad * ratio;
    canvas.height = Math.round((canvas.width - pad) * Math.sqrt(3) / 2 + pad);
    const triangle = triangleOf(canvas, ratio), strength = alpha.reduce((sum, a) => sum + a, 0);
    const corners = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(triangle.at);
    const isPoint = spreadOf(alpha) * triangle.side < 0.8;
    trace(c, corners);
    if (!isPoint) {
        c.save();
        c.clip();
        c.drawImage(shadedImage(canvas, densityOf(canvas, triangle, alpha)), 0, 0);
        c.restore();
        trace(c, corners);
    }
    c.lineWidth = 1.25 * ratio;
    c.lineJoin = 'round';
    c.strokeStyle = colours.style('--soft');
    c.stroke();
    markMean(c, triangle.at(alpha.map(a => a / strength)), ratio, isPoint);
}

// ---------------------------------------------------------------- which nodes, which corners

function bestNode(values, allowed)
{
    let best = null;
    for (let i = 0; i < values.length; i++)
        if (allowed(i) && (best === null || values[i] > values[best]))
            best = i;
    return best;
}

// One node each of the kinds that the paper's first figure shows. Training nodes are left out:
// that a model is sure of what it was told says little.
function typicalNodes(data, view)
{
    const {measures} = data.views[view], found = [];
    const roles = data.array(view, 'role'), kinds = data.kinds(view);
    const add = (title, name, sign, allowed) => {
        if (!measures.includes(name))
            return;
        const values = data.measure(view, name).map(v => sign * v);
        const free = i => roles[i] !== 0 && !found.some(f => f.node === i);
        const node = bestNode(values, i => free(i) && allowed(i)) ?? bestNode(values, free);
        if (node !== null)
            found.push({title, node});
    };
    const hasOod = kinds.includes(kindNames.indexOf('ood'));
    add('Confident: lowest entropy', 'entropy', -1, i => kindNames[kinds[i]] === 'correct');
    add('Conflicting: highest dissonance', 'dissonance', 1, () => true);
    add(`${hasOod ? 'Out of distribution' : 'Little evidence'}: highest vacuity`,
        'vacuity', 1, i => !hasOod || kindNames[kinds[i]] === 'ood');
    return found;
}

// The model's classes at the corners: the chosen ones, and elsewhere those of the greatest alpha.
function cornersOf(alpha, known)
{
    const corners = simplexChoice.map(k => known.indexOf(Number(k)));
    const order = alpha.map((_, k) => k).sort((a, b) => alpha[b] - alpha[a]);
    const rest = order.filter(k => !corners.includes(k));
    return corners.map(k => k >= 0 ? k : rest.shift());
}

// ---------------------------------------------------------------- a panel

const alphaText = a => a < 1e5 ? a.toFixed(2) : a.toExponential(2);

function alphaTable(data, view, alpha, corners)
{
    const {known} = data.views[view], strength = alpha.reduce((sum, a) => sum + a, 0);
    const row = (name, a) => element('tr', {}, element('th', {scope: 'row'}, name),
        element('td', {class: 'number'}, alphaText(a)),
        element('td', {class: 'number'}, percent(100 * a / strength)));
    const shown = corners.map(k => row(text(data.className(known[k]), 40), alpha[k]));
    const others = alpha.filter((_, k) => !corners.includes(k));
    if (others.length)
        shown.push(row(others.length === 1 ? 'the other class' : `${others.length} other classes`,
                       others.reduce((sum, a) => sum + a, 0)));
    const head = ['class', 'α', 'mean'].map((name, k) =>
        element('th', {scope: 'col', class: k ? 'number' : null}, name));
    return element('table', {class: 'alphas'}, element('thead', {}, element('tr', {}, ...head)),
                   element('tbody', {}, ...shown));
}

function measureList(data, view, node)
{
    return element('dl', {class: 'values'}, ...data.views[view].measures.map(name =>
        element('div', {}, element('dt', {}, name),
                element('dd', {}, decimal(data.measure(view, name)[node])))));
}

function spokenSimplex(data, view, node, alpha, corners)
{
    const {known, measures} = data.views[view];
    const name = k => plain(data.className(known[k]), 40);
    const shares = corners.map(k => `${name(k)} ${alphaText(alpha[k])}`);
    const values = measures.map(name => `${name} ${decimal(data.measure(view, name)[node])}`);
    return `Density of node ${plain(data.name(node), 40)}: alpha ${shares.join(', ')}; ` +
        `${values.join(', ')}.`;
}

function addPanel(grid, data, view, {title, node})
{
    const alpha = data.alpha(view, node), {known} = data.views[view];
    const corners = cornersOf(alpha, known);
    const three = corners.map(k => alpha[k]);
    const spoken = spokenSimplex(data, view, node, alpha, corners);
    const canvas = element('canvas', {role: 'img', 'aria-label': spoken});
    const [top, left, right] = corners.map(k => text(data.className(known[k]), 40));
    const corner = (name, place) => element('span', {class: `corner ${place}`}, name);
    grid.append(element('figure', {class: 'simplex'},
        element('h3', {}, title), element('p', {class: 'which'}, text(data.name(node), 60), ' ',
                                          element('span', {}, kindTitles[data.kind(view, node)])),
        element('div', {class: 'triangle'}, corner(top, 'top'), canvas, corner(left, 'left'),
                corner(right, 'right')),
        element('div', {class: 'numbers'}, alphaTable(data, view, alpha, corners),
                measureList(data, view, node))));
    simplexLive.painters.push(() => paintSimplex(canvas, three));
}

function densityBar()
{
    const canvas = element('canvas', {width: 256, height: 1, 'aria-hidden': 'true'});
    const c = canvas.getContext('2d'), image = c.createImageData(256, 1);
    new Uint32Array(image.data.buffer).set(densityRamp());
    c.putImageData(image, 0, 0);
    const marks = ['0.1', '1', '10', '100', '1000'].map(v => element('span', {}, v));
    return element('div', {class: 'density'}, canvas,
        element('div', {class: 'marks', 'aria-hidden': 'true'}, ...marks),
        element('p', {}, 'Density relative to that without evidence, with contours at powers of ten and a ' +
                'cross at the mean. The triangle shows how the three classes divide their ' +
                'probability.'));
}

// ---------------------------------------------------------------- the section

function cornerControls(data, view, redraw)
{
    const names = data.views[view].known.map(k => [String(k), plain(data.className(k), 40)]);
    const choices = simplexCorners.map((corner, at) => {
        const chosen = names.some(([k]) => k === simplexChoice[at]) ? simplexChoice[at] : 'auto';
        return labelledSelect(corner, [['auto', 'largest α'], ...names], chosen, k => {
            // A class stands at one corner only: where it was before, the choice is given back.
            simplexChoice.forEach((other, i) => {
                if (i !== at && other === k && k !== 'auto') {
                    simplexChoice[i] = 'auto';
                    choices[i].querySelector('select').value = 'auto';
                }
            });
            simplexChoice[at] = k;
            redraw();
        });
    });
    return element('div', {class: 'tools'}, ...choices);
}

function fillPanels(box, data, state)
{
    const {view, node} = state, grid = element('div', {class: 'simplexes'});
    const pinned = Number.isInteger(node) && node >= 0;
    simplexLive.observer?.disconnect();
    simplexLive.painters = [];
    refill(box, () => {
        box.append(grid, densityBar());
        for (const one of pinned ? [{title: 'The pinned node', node}] : typicalNodes(data, view))
            addPanel(grid, data, view, one);
    });
    grid.classList.toggle('one', grid.childElementCount === 1);
    const paint = () => simplexLive.painters.forEach(painter => painter());
    paint();
    // Only a new width needs new pixels; the height follows from it.
    let width = grid.clientWidth;
    simplexLive.observer = new ResizeObserver(() => {
        if (grid.clientWidth !== width) {
            width = grid.clientWidth;
            paint();
        }
    });
    simplexLive.observer.observe(grid);
}

function missingSimplex(view)
{
    if (!view.has_alpha)
        return 'This model gives probabilities without evidence, so there is no density.';
    return view.known.length < 3
        ? 'The triangle needs three classes; this model knows fewer.' : null;
}

function drawSimplex(data, state)
{
    const section = document.getElementById('simplex'), view = data.views[state.view];
    if (!view)
        return;
    const box = element('div', {}), missing = missingSimplex(view);
    simplexLive.observer?.disconnect();
    simplexLive.redraw = missing ? null : () => fillPanels(box, data, state);
    refill(section, () => {
        section.append(element('h2', {}, 'Opinions on the simplex'));
        if (missing) {
            section.append(element('p', {}, missing));
            return;
        }
        section.append(element('p', {class: 'lead'},
            'Where the probabilities of three classes may lie, given the evidence about a node: a ' +
            'small spot in a corner means certainty, a spot between corners conflict, and an even ' +
            'shade a lack of evidence.'),
            cornerControls(data, state.view, () => simplexLive.redraw()), box);
        fillPanels(box, data, state);
    });
    if (!simplexLive.listening) {
        simplexLive.listening = true;
        state.on('pin', () => simplexLive.redraw?.());
    }
}
