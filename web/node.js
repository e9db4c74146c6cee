'use strict';
// One node in words and bars: the card under the pointer, the pinned node, the search, and the
// table of the nodes that were selected.

const mostRows = 200;

function swatchOf(colour)
{
    const swatch = element('span', {class: 'swatch'});
    swatch.style.background = colour;
    return swatch;
}

function classMark(data, k)
{
    return element('span', {class: 'mark'}, swatchOf(colours.class(k)),
        k === noClass ? 'none' : text(data.className(k), 40));
}

// Label, prediction and role.
function makeFacts(data, view, node)
{
    const kind = data.kind(view, node), label = data.label(node);
    const aside = note => [' ', element('span', {class: 'aside'}, note)];
    const fact = (name, ...value) =>
        [element('dt', null, name), element('dd', null, ...value)];
    return element('dl', {class: 'facts'},
        fact('Label', classMark(data, label),
            kind === 'ood' ? aside('out-of-distribution') : null),
        fact('Predicted', classMark(data, data.predicted(view, node)),
            kind === 'correct' || kind === 'wrong' ? aside(kind) : null),
        fact('Role', data.role(view, node)));
}

// A bar that is full at 1; `shown` is the number beside it where that is not its length.
function bar(name, value, colour, kind, shown)
{
    const fill = element('span', {class: 'fill'}), tiny = value > 0 && value < 0.0005;
    fill.style.width = `${Math.max(0, Math.min(1, value)) * 100}%`;
    if (colour)
        fill.style.background = colour;
    return element('div', {class: kind},
        element('span', {class: 'whole'}, name), element('span', {class: 'track'}, fill),
        element('span', {class: 'value'}, shown || (tiny ? '<0.001' : value.toFixed(3))));
}

// The opinion as bars: what is believed, and as the rest what is not known. Without alpha, the
// probabilities.
function makeOpinion(data, view, node, most)
{
    const {known} = data.views[view], opinion = data.opinion(view, node);
    const values = opinion ? opinion.beliefs : data.probability(view, node);
    if (!values)
        return null;
    const order = values.map((v, k) => [v, k]).sort((a, b) => b[0] - a[0]);
    const bars = order.slice(0, most).map(([v, k]) =>
        bar(text(data.className(known[k]), 40), v, colours.class(known[k])));
    if (order.length > most) {
        const rest = order.slice(most).reduce((sum, [v]) => sum + v, 0);
        bars.push(bar(`${order.length - most} more`, rest, colours.kind.unlabelled));
    }
    if (opinion)
        bars.push(bar('unassigned (vacuity)', opinion.vacuity, null, 'vacuous'));
    return element('div', {class: 'opinion'}, bars);
}

function makeMeasures(data, view, node)
{
    return element('dl', {class: 'facts measures'}, data.views[view].measures.map(name => [
        element('dt', null, measureTerm(name, whatTitle(name))),
        element('dd', null, decimal(data.measure(view, name)[node]))]));
}

// The column beside linked maps, where a card covers none of them; null where there is none.
function besideMaps({map})
{
    const side = map.closest('.atlas')?.querySelector('.side')?.getBoundingClientRect();
    return side && side.left > map.getBoundingClientRect().right ? side : null;
}

// Follows the pointer; never takes the focus and is not read out, since the panel at the side
// says the same of a pinned node.
class HoverCard
{
    constructor(data)
    {
        this.data = data;
        this.home = document.getElementById('card');
        this.shown = '';
    }

    show(panel, node, x, y)
    {
        const {view} = panel;
        const {data, home} = this, what = `${view} ${node}`;
        home.hidden = false;
        if (what !== this.shown) {
            this.shown = what;
            home.replaceChildren(element('h3', null, text(data.name(node), 60)),
                makeFacts(data, view, node), makeOpinion(data, view, node, 6) || '',
                makeMeasures(data, view, node));
            this.width = home.offsetWidth;
            this.height = home.offsetHeight;
        }
        const side = besideMaps(panel);
        if (side) {
            home.style.transform = `translate(${side.left}px, ${innerHeight - this.height - 12}px)`;
            return;
        }
        const fit = (at, size, room) => Math.max(8, at + 16 + size > room - 8 ? at - 16 - size
                                                                              : at + 16);
        const left = fit(x, this.width, document.documentElement.clientWidth);
        const top = Math.min(fit(y, this.height, innerHeight), innerHeight - this.height - 8);
        home.style.transform = `translate(${left}px, ${Math.max(8, top)}px)`;
    }

    hide() { this.home.hidden = true; }
}

function nodeLink(data, state, node, most = 60)
{
    return element('button', {type: 'button', class: 'link', onclick: () => {
        state.node = node;
        state.emit('pin');
    }}, text(data.name(node), most));
}

function fillNode(home, data, state)
{
    const {view, node} = state, part = (title, children) =>
        [element('h4', null, title), ...children.filter(Boolean)];
    const model = data.views.length > 1
        ? element('p', {class: 'note'}, 'As seen by ', text(data.viewName(view))) : null;
    home.replaceChildren(
        element('header', null, element('h3', {tabindex: -1}, text(data.name(node))),
            element('button', {type: 'button', onclick: () => {
                state.node = -1;
                state.emit('pin');
            }}, 'Unpin')),
        makeFacts(data, view, node), model || '', explainReason(data, state, node),
        makeOpinion(data, view, node, 20) || '', makeMeasures(data, view, node),
        ...state.server ? part('What if it had another label',
            [makeLabelForm(data, state, state.server, node)]) : [],
        ...part('Which classes conflict', explainConflict(data, view, node)),
        ...part('Its neighbourhood', [makeNeighbourhood(data, state, node)]),
        ...part('Which neighbours disagree', explainNeighbours(data, state, node)),
        ...data.views[view].prior
            ? part('Where the prior comes from', explainPrior(data, state, node)) : []);
}

function makeNodePanel(data, state)
{
    const home = element('div', {id: 'node', tabindex: -1});
    const said = element('p', {class: 'quiet', role: 'status'});
    const fill = () => {
        const focused = home.contains(document.activeElement);
        home.classList.toggle('full', state.node >= 0);
        said.textContent = state.node >= 0 ? `Pinned ${plain(data.name(state.node))}` : '';
        if (state.node >= 0)
            fillNode(home, data, state);
        else
            home.replaceChildren(element('p', {class: 'note'}, 'Pin a node, by clicking it on a map ',
                'or by its name, to see what the model predicts for it and why.'));
        // A new node is read from its start, and who came by keyboard stays here.
        if (home.parentElement)
            home.parentElement.scrollTop = 0;
        if (focused)
            (home.querySelector('h3') || home).focus({preventScroll: true});
    };
    state.on('pin', fill);
    state.on('view', fill);
    fill();
    return [home, said];
}

// On a narrow screen the pinned node stands below the maps, so that a tap moves nothing; this bar
// leads there.
function makePinnedBar(data, state)
{
    const name = element('span'), home = element('div', {class: 'pinned'}, name,
        element('a', {href: '#node'}, 'Details'),
        element('button', {type: 'button', onclick: () => {
            state.node = -1;
            state.emit('pin');
        }}, 'Unpin'));
    const fill = () => {
        home.classList.toggle('on', state.node >= 0);
        if (state.node >= 0)
            name.replaceChildren(text(data.name(state.node), 40), ' ',
                element('span', {class: 'note'}, ' ',
                    classMark(data, data.predicted(state.view, state.node))));
    };
    state.on('pin', fill);
    state.on('view', fill);
    return home;
}

// Nodes whose name holds the words, those that start with them first.
function findNodes(data, words, most)
{
    const wanted = words.trim().toLowerCase(), first = [], later = [];
    const names = data.kept('names', () =>
        Array.from({length: data.nodes}, (_, i) => data.name(i).toLowerCase()));
    for (let i = 0; wanted && i < names.length && first.length < most; i++) {
        const at = names[i].indexOf(wanted);
        if (at === 0)
            first.push(i);
        else if (at > 0 && later.length < most)
            later.push(i);
    }
    return [...first, ...later].slice(0, most);
}

function makeSearch(data, state)
{
    const matches = element('ul', {class: 'matches'}), status = element('p', {
        class: 'note', role: 'status'});
    let found = [];
    const pin = node => {
        input.value = '';
        list();
        state.node = node;
        state.emit('pin');
    };
    const list = () => {
        found = findNodes(data, input.value, 10);
        matches.hidden = !found.length;
        matches.replaceChildren(...found.map(i => element('li', null, element('button', {
            type: 'button', onclick: () => pin(i)}, text(data.name(i), 70)))));
        status.textContent = input.value.trim() && !found.length
            ? 'No node name contains this.' : '';
    };
    const input = element('input', {type: 'search', placeholder: 'Find a node by name',
        'aria-label': 'Find a node by name', autocomplete: 'off', spellcheck: 'false',
        oninput: list, onkeydown: e => {
            if (e.key === 'Enter' && found.length)
                pin(found[0]);
        }});
    matches.hidden = true;
    return element('div', {class: 'search', role: 'search'}, input, matches, status);
}

function copyButton(data, nodes)
{
    const button = element('button', {type: 'button', onclick: async () => {
        // One name a line, so no name may hold a line break.
        const lines = Array.from(nodes, i => data.name(i).replace(/[\r\n\u2028\u2029]+/g, ' '));
        button.textContent = await copyText(lines.join('\n')) ? 'Copied' : 'Could not copy';
        setTimeout(() => { button.textContent = 'Copy names'; }, 1500);
    }}, 'Copy names');
    return button;
}

function selectionTable(data, state, nodes)
{
    const {view} = state, {measures} = data.views[view];
    const head = (name, number) =>
        element('th', {scope: 'col', class: number ? 'number' : null}, name);
    const row = i => element('tr', null,
        element('td', null, nodeLink(data, state, i)),
        element('td', null, classMark(data, data.label(i))),
        element('td', null, classMark(data, data.predicted(view, i))),
        element('td', null, data.role(view, i)),
        measures.map(m => element('td', {class: 'number'}, decimal(data.measure(view, m)[i]))));
    return element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Nodes'},
        element('table', null,
            element('thead', null, element('tr', null, ['Name', 'Label', 'Predicted', 'Role']
                .map(n => head(n)), measures.map(m => head(whatTitle(m), true)))),
            element('tbody', null, Array.from(nodes.slice(0, mostRows), row))));
}

// How many of the nodes are of which class, and how many of those with a known label are right.
function selectionCounts(data, view, nodes)
{
    const byClass = new Map(), kinds = [0, 0, 0, 0], all = data.kinds(view);
    for (const i of nodes) {
        byClass.set(data.label(i), (byClass.get(data.label(i)) || 0) + 1);
        kinds[all[i]]++;
    }
    const scored = kinds[0] + kinds[1];
    return [
        element('p', {class: 'note'}, scored
            ? `Accuracy ${percent(100 * kinds[0] / scored)} of ${counted(scored, 'node')} `
            : 'No nodes of classes the model knows ',
        kinds[2] ? `· ${count(kinds[2])} out-of-distribution ` : '',
        kinds[3] ? `· ${count(kinds[3])} unlabelled` : ''),
        element('ul', {class: 'counts', 'aria-label': 'Classes'},
            [...byClass].sort((a, b) => b[1] - a[1]).map(([k, n]) => element('li', {class: 'mark'},
                swatchOf(colours.class(k)),
                k === noClass ? 'unlabelled' : text(data.className(k), 40), ` ${count(n)}`)))];
}

// Without a map nothing can be brushed; then the nodes of greatest uncertainty are listed.
function mostUncertain(data, view)
{
    const name = data.views[view].recommended, values = data.measure(view, name);
    return Uint32Array.from(values, (_, i) => i).sort((a, b) => values[b] - values[a])
        .slice(0, mostRows);
}

function makeSelection(data, state, always)
{
    const home = element('div', {id: 'selection', role: 'region', 'aria-label': 'Selected nodes'});
    const fill = () => {
        const chosen = state.selected, nodes = chosen || (always ? mostUncertain(data, state.view)
                                                                 : null);
        home.hidden = !nodes;
        if (!nodes)
            return;
        const many = counted(nodes.length, 'node'), {recommended} = data.views[state.view];
        const title = chosen ? `${many} selected` : `The ${many} with the highest ${recommended}`;
        home.replaceChildren(
            element('div', {class: 'tools'}, element('h3', null, element('span', {role: 'status'}, title)),
                copyButton(data, nodes),
                chosen ? element('button', {type: 'button', onclick: () => {
                    state.selected = null;
                    state.emit('select');
                }}, 'Clear selection') : null),
            ...selectionCounts(data, state.view, nodes),
            selectionTable(data, state, nodes),
            nodes.length > mostRows ? element('p', {class: 'note'},
                `The first ${mostRows} are listed; Copy names copies all.`) : '');
    };
    state.on('select', fill);
    state.on('view', fill);
    fill();
    return home;
}
