'use strict';
// The surroundings of a node: two hops and at most sixty nodes, what is left out as a count.

const nearMost = {all: 60, first: 24};
const nearSize = {side: 320, first: 82, second: 142};

// How much a neighbour weighs in the average that a graph convolution takes at a node:
// 1 / sqrt((d_i + 1) (d_j + 1)), d the degrees.
function edgeWeight(data, i, j)
{
    return 1 / Math.sqrt((data.neighbours(i).length + 1) * (data.neighbours(j).length + 1));
}

// The nodes to draw: neighbours, those that train and those that weigh most first, then the
// neighbours of these. left: for every node how many of its neighbours are not drawn.
function nearNodes(data, view, node)
{
    const role = data.array(view, 'role'), seen = new Set([node]), first = [], second = [];
    const order = (i, list) => Array.from(list, j => [j, Number(role[j] === 0), edgeWeight(data, i, j)])
        .sort((a, b) => b[1] - a[1] || b[2] - a[2] || a[0] - b[0]).map(([j]) => j);
    for (const j of order(node, data.neighbours(node)).slice(0, nearMost.first)) {
        seen.add(j);
        first.push(j);
    }
    first.sort((a, b) => data.predicted(view, a) - data.predicted(view, b) || a - b);
    const direct = new Set(data.neighbours(node));
    const each = Math.max(1, Math.floor((nearMost.all - 1 - first.length) / (first.length || 1)));
    for (const i of first) {
        const others = order(i, data.neighbours(i)).filter(j => !seen.has(j) && !direct.has(j));
        for (const j of others.slice(0, Math.min(each, nearMost.all - seen.size))) {
            seen.add(j);
            second.push([j, i]);
        }
    }
    return {first, second, hidden: direct.size - first.length};
}

function svgElement(tag, attributes, ...children)
{
    const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes))
        made.setAttribute(name, value);
    made.append(...children);
    return made;
}

// Places: neighbours on a circle, theirs on an outer one, each in the sector of who leads there.
function nearPlaces(node, {first, second})
{
    const middle = nearSize.side / 2, place = new Map([[node, [middle, middle]]]);
    const at = (angle, radius) => [middle + radius * Math.cos(angle), middle + radius * Math.sin(angle)];
    const step = 2 * Math.PI / Math.max(1, first.length);
    first.forEach((j, k) => {
        place.set(j, at(k * step - Math.PI / 2, nearSize.first));
        const own = second.filter(([, i]) => i === j);
        own.forEach(([l], m) => place.set(l, at(k * step - Math.PI / 2 +
            step * ((m + 0.5) / own.length - 0.5), nearSize.second)));
    });
    return place;
}

function nearDot(data, state, i, [x, y], hops, weight)
{
    const {view} = state, trains = data.array(view, 'role')[i] === 0;
    const about = `${plain(data.name(i))}: predicted ${plain(data.className(data.predicted(view, i)), 30)}, ` +
        `${counted(hops, 'hop')}${trains ? `, labelled ${plain(data.className(data.label(i)), 30)}` : ''}` +
        (weight ? `, weight ${weight.toFixed(3)}` : '');
    const dot = svgElement('circle', {cx: x, cy: y, r: hops ? trains ? 6 : 4.5 : 9,
        fill: colours.class(data.predicted(view, i)), class: trains ? 'trains' : 'dot'},
    svgElement('title', {}, about));
    dot.addEventListener('click', () => {
        state.node = i;
        state.emit('pin');
    });
    return dot;
}

function nearLines(data, node, {first, second}, place)
{
    const line = (i, j) => {
        const [[x1, y1], [x2, y2]] = [place.get(i), place.get(j)], weight = edgeWeight(data, i, j);
        return svgElement('line', {x1, y1, x2, y2, class: 'edge',
                                   'stroke-width': Math.max(0.5, Math.min(6, 12 * weight))});
    };
    return [...second.map(([j, i]) => line(i, j)), ...first.map(j => line(node, j))];
}

function makeNeighbourhood(data, state, node)
{
    const near = nearNodes(data, state.view, node), place = nearPlaces(node, near);
    if (!near.first.length)
        return element('p', null, 'It has no neighbours.');
    const role = data.array(state.view, 'role');
    const trains = [...place.keys()].filter(i => i !== node && role[i] === 0).length;
    const rest = near.hidden ? ` Of ${counted(data.neighbours(node).length, 'neighbour')} ${
        count(near.hidden)} more are not drawn.` : '';
    const {side} = nearSize, svg = svgElement('svg', {viewBox: `0 0 ${side} ${side}`, class: 'near',
        role: 'img', 'aria-label': `${counted(near.first.length, 'neighbour')} and ${
            near.second.length} of theirs, ${trains} of them labelled.${rest}`},
    ...nearLines(data, node, near, place),
    ...near.second.map(([j, i]) => nearDot(data, state, j, place.get(j), 2, edgeWeight(data, i, j))),
    ...near.first.map(j => nearDot(data, state, j, place.get(j), 1, edgeWeight(data, node, j))),
    nearDot(data, state, node, place.get(node), 0, 0));
    return element('div', null, svg, element('p', {class: 'note'},
        'Colours are predicted classes, a dark rim marks labelled nodes that trained the model, ',
        `and thick edges weigh most in the average that a graph convolution takes.${rest}`));
}
