'use strict';
// One node in words and bars: the card under the pointer, the pinned node with the reasons for
// its uncertainty, the search, and the table of the nodes that were selected.

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

function bar(name, value, colour, kind)
{
    const fill = element('span', {class: 'fill'}), tiny = value > 0 && value < 0.0005;
    fill.style.width = `${Math.max(0, Math.min(1, value)) * 100}%`;
    if (colour)
        fill.style.background = colour;
    return element('div', {class: kind},
        element('span', {class: 'whole'}, name), element('span', {class: 'track'}, fill),
        element('span', {class: 'value'}, tiny ? '<0.001' : value.toFixed(3)));
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
        element('dt', null, whatTitle(name)),
        element('dd', null, decimal(data.measure(view, name)[node]))]));
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

    show(view, node, x, y)
    {
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
        const fit = (at, size, room) => Math.max(8, at + 16 + size > room - 8 ? at - 16 - size
                                                                              : at + 16);
        const left = fit(x, this.width, document.documentElement.clientWidth);
        const top = Math.min(fit(y, this.height, innerHeight), innerHeight - this.height - 8);
        home.style.transform = `translate(${left}px, ${Math.max(8, top)}px)`;
    }

    hide() { this.home.hidden = true; }
}

// What every pair of classes adds to the dissonance of an opinion:
// Diss = sum_k b_k sum_{j!=k} b_j Bal(b_j, b_k) / sum_{j!=k} b_j,
// Bal(b_j, b_k) = 1 - |b_j - b_k| / (b_j + b_k).
function conflicts(beliefs)
{
    const all = beliefs.reduce((sum, b) => sum + b, 0), pairs = [];
    for (let k = 0; k < beliefs.length; k++)
        for (let j = k + 1; j < beliefs.length; j++) {
            const a = beliefs[k], b = beliefs[j];
            if (a <= 0 || b <= 0)
                continue;
            const balance = 1 - Math.abs(a - b) / (a + b);
            pairs.push({k, j, part: a * b * balance * (1 / (all - a) + 1 / (all - b))});
        }
    return pairs.sort((p, q) => q.part - p.part);
}

// The prior's evidence for a node: exp(-d^2 / 2 sigma^2) of every training node d hops away.
function priorEvidence(data, view, node)
{
    const {sigma} = data.views[view].prior, role = data.array(view, 'role');
    // Beyond this many hops a training node gives less than a billionth.
    const most = Math.ceil(sigma * Math.sqrt(2 * Math.log(1e9)));
    const far = data.hops(node, most), sources = [];
    for (let i = 0; i < far.length; i++)
        if (role[i] === 0 && far[i] >= 0)
            sources.push({node: i, far: far[i], weight: Math.exp(-((far[i] / sigma) ** 2) / 2)});
    return sources.sort((a, b) => b.weight - a.weight || a.node - b.node);
}

function nodeLink(data, state, node, most = 60)
{
    return element('button', {type: 'button', class: 'link', onclick: () => {
        state.node = node;
        state.emit('pin');
    }}, text(data.name(node), most));
}

function share(part, all) { return percent(all > 0 ? 100 * part / all : 0, 0); }

function explainConflict(data, view, node)
{
    const {known} = data.views[view], opinion = data.opinion(view, node);
    const name = k => text(data.className(known[k]), 40);
    if (!opinion)
        return explainProbability(data, view, node);
    const pairs = conflicts(opinion.beliefs), all = pairs.reduce((sum, p) => sum + p.part, 0);
    const parts = [];
    if (opinion.vacuity > 0.5)
        parts.push(element('p', null, `There is little evidence: ${share(opinion.vacuity, 1)} of `,
            'the belief is unassigned.'));
    if (all < 0.02 || !pairs.length)
        parts.push(element('p', null, 'There is hardly any conflict between classes ',
            `(dissonance ${decimal(all)}).`));
    else {
        const [{k, j, part}] = pairs;
        parts.push(element('p', null, 'The evidence conflicts mainly between ', name(k), ' and ',
            name(j), `: they account for ${share(part, all)} of the dissonance of ${
                decimal(all)}.`));
        const more = pairs.slice(0, 4).filter(p => p.part > 0.02 * all);
        if (more.length > 1)
            parts.push(element('ul', null, more.map(p => element('li', null,
                element('span', null, name(p.k), ' – ', name(p.j)),
                element('span', null, decimal(p.part))))));
    }
    return parts;
}

function explainProbability(data, view, node)
{
    const {known} = data.views[view], p = data.probability(view, node);
    const [[a, k], [b, j]] = [...p.map((v, c) => [v, c]), [0, 0]].sort((x, y) => y[0] - x[0]);
    return [element('p', null, text(data.className(known[k]), 40), ' leads ',
        text(data.className(known[j]), 40), ` by ${decimal(a)} to ${decimal(b)}. This model gives `,
        'probabilities only, so conflict cannot be told from a lack of evidence.')];
}

function explainNeighbours(data, state, node)
{
    const own = data.predicted(state.view, node), all = Array.from(data.neighbours(node));
    const others = all.filter(i => data.predicted(state.view, i) !== own), most = 10;
    if (!all.length)
        return [element('p', null, 'It has no neighbours.')];
    if (!others.length)
        return [element('p', null, all.length === 1
            ? 'Its only neighbour is predicted the same class.'
            : `${all.length === 2 ? 'Both of its' : `All of its ${count(all.length)}`} ` +
              'neighbours are predicted the same class.')];
    return [element('p', null, `${count(others.length)} of ${counted(all.length, 'neighbour')} ${
            others.length === 1 ? 'is' : 'are'} predicted another class:`),
        element('ul', null, others.slice(0, most).map(i => element('li', null,
            nodeLink(data, state, i),
            element('span', null, classMark(data, data.predicted(state.view, i)))))),
        others.length > most
            ? element('p', {class: 'note'}, `and ${count(others.length - most)} more`) : null];
}

function explainPrior(data, state, node)
{
    const sources = priorEvidence(data, state.view, node), byClass = new Map();
    const all = sources.reduce((sum, s) => sum + s.weight, 0);
    for (const s of sources)
        byClass.set(data.label(s.node), (byClass.get(data.label(s.node)) || 0) + s.weight);
    if (!sources.length)
        return [element('p', null, 'No training node is close enough to contribute evidence, so ',
            'the prior is empty here.')];
    const totals = [...byClass].sort((a, b) => b[1] - a[1]);
    return [element('p', null, `Evidence of ${decimal(all)} from ${
            counted(sources.length, 'training node')}, by class:`),
        element('div', {class: 'opinion'}, totals.map(([k, w]) =>
            bar(text(data.className(k), 40), w / all, colours.class(k)))),
        element('p', null, 'Largest contributions:'),
        element('ul', null, sources.slice(0, 8).map(s => element('li', null,
            element('span', {class: 'mark'}, swatchOf(colours.class(data.label(s.node))),
                nodeLink(data, state, s.node, 48)),
            element('span', null, `${counted(s.far, 'hop')}, ${share(s.weight, all)}`))))];
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
        makeFacts(data, view, node), model || '', makeOpinion(data, view, node, 20) || '',
        makeMeasures(data, view, node),
        ...part('Which classes conflict', explainConflict(data, view, node)),
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

// On a narrow screen the pinned node stands above the maps; this bar leads there.
function makePinnedBar(data, state)
{
    const name = element('span'), home = element('div', {class: 'pinned'}, name,
        element('a', {href: '#node'}, 'Details'),
        element('button', {type: 'button', onclick: () => {
            state.node = -1;
            state.emit('pin');
        }}, 'Unpin'));
    state.on('pin', () => {
        home.classList.toggle('on', state.node >= 0);
        if (state.node >= 0)
            name.replaceChildren(text(data.name(state.node), 40), ' ',
                element('span', {class: 'note'}, ' ',
                    classMark(data, data.predicted(state.view, state.node))));
    });
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
            element('div', {class: 'tools'}, element('h3', {role: 'status'}, title),
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
