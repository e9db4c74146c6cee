'use strict';
// What only a served page can do: train again with other labels, train another model, find nodes
// by feature.

const mostMoved = 12;

// ---------------------------------------------------------------- labels

// The form below a pinned node: which label to try.
function makeLabelForm(data, state, server, node)
{
    const {view} = state, {known} = data.views[view], label = data.label(node);
    const select = element('select', {'aria-label': 'Label to try'},
        known.map(k => element('option', {value: k}, plain(data.className(k), 40))));
    const first = known.find(k => k !== label && k === data.predicted(view, node)) ??
        known.find(k => k !== label);
    select.value = first ?? known[0];
    const tryIt = element('button', {type: 'button', class: 'try',
        onclick: () => server.label(node, Number(select.value))}, 'Label it so');
    const remove = element('button', {type: 'button', hidden: label === noClass,
        onclick: () => server.label(node, null)}, 'Take its label away');
    for (const control of [select, tryIt, remove])
        control.disabled = server.isBusy;
    return element('div', {class: 'try-label'},
        element('div', {class: 'tools'}, select, tryIt, remove), whatIfProblem(data, view) ||
        element('p', {class: 'note'}, 'It trains with this label, and the model learns anew. Your files stay as ',
            'they are.'), movedHere(data, view, node));
}

// Why a model cannot be asked what-if; null if it can.
function whatIfProblem(data, view)
{
    if (data.about.live.what_if[view])
        return null;
    return element('p', {class: 'note'}, 'Not for this model: it was trained on another graph, or on ',
        'another split of it.');
}

// What a node's opinion was before.
function movedHere(data, view, node)
{
    const old = data.before(view);
    if (!old)
        return null;
    const name = data.views[view].measures.includes('vacuity') ? 'vacuity' : 'entropy';
    const arrow = (from, to) => [decimal(from), ' → ', decimal(to)];
    return element('p', {class: 'before'}, 'Before: ', classMark(data, old.predicted[node]),
        `, ${name} `, ...arrow(old[name][node], data.measure(view, name)[node]));
}

// ---------------------------------------------------------------- what moved

// How far a node's probabilities moved: half the sum of the differences, from 0 to 1.
function movements(data, view)
{
    return data.kept(`${view} movements`, () => {
        const old = data.before(view), k = data.views[view].known.length;
        const share = (all, i) => {
            const row = all.subarray(i * k, i * k + k), sum = row.reduce((s, v) => s + v, 0);
            return Array.from(row, v => v / sum);
        };
        const now = data.array(view, 'alpha') || data.array(view, 'p'), then = old.alpha || old.p;
        return Float32Array.from({length: data.nodes}, (_, i) => {
            const [p, q] = [share(now, i), share(then, i)];
            return p.reduce((s, v, c) => s + Math.abs(v - q[c]), 0) / 2;
        });
    });
}

function movedSummary(data, view)
{
    const old = data.before(view), predicted = data.array(view, 'predicted');
    const changed = predicted.reduce((n, k, i) => n + Number(k !== old.predicted[i]), 0);
    const {accuracy} = data.views[view].quality, was = old.view.quality.accuracy;
    const points = accuracy === null || was === null ? '' : ` Accuracy ${percent(was)} → ${percent(accuracy)} of ${
        basisTitles[data.views[view].basis]} nodes.`;
    return element('p', null, `${counted(changed, 'node')} of ${count(data.nodes)} ${
        changed === 1 ? 'is' : 'are'} predicted another class.${points}`);
}

// The nodes whose opinion moved most.
function movedTable(data, state)
{
    const {view} = state, moved = movements(data, view), old = data.before(view);
    const name = data.views[view].measures.includes('vacuity') ? 'vacuity' : 'entropy';
    const most = Array.from({length: data.nodes}, (_, i) => i)
        .sort((a, b) => moved[b] - moved[a] || a - b).slice(0, mostMoved);
    const head = (words, number) => element('th', {scope: 'col', class: number ? 'number' : null}, words);
    const change = (from, to) => element('td', {class: 'number'}, `${decimal(from)} → ${decimal(to)}`);
    return element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Nodes that moved most'},
        element('table', {class: 'moved'},
            element('caption', null, 'Opinions that moved most, by the probability that changed sides'),
            element('thead', null, element('tr', null, head('Node'), head('Before'), head('Now'),
                head('Moved by', true), head(whatTitle(name), true))),
            element('tbody', null, most.map(i => element('tr', null,
                element('td', null, nodeLink(data, state, i, 30)),
                element('td', null, classMark(data, old.predicted[i])),
                element('td', null, classMark(data, data.predicted(view, i))),
                element('td', {class: 'number'}, decimal(moved[i])),
                change(old[name][i], data.measure(view, name)[i]))))));
}

// ---------------------------------------------------------------- the labels that were tried

function editLine(data, state, {node, class: k})
{
    const was = data.base.label[node];
    return element('li', null, nodeLink(data, state, node, 40), ': ', classMark(data, was), ' → ',
        k === null ? 'no label' : classMark(data, k));
}

const roleWords = ['train', 'validation', 'test', 'pool', 'unlabelled', 'calibration'];

// The labels and roles as files, by which `opine train` makes the same model.
function saveLabels(data, view)
{
    const role = data.array(view, 'role'), nodes = Array.from({length: data.nodes}, (_, i) => i);
    const rows = (head, of) => [head, ...nodes.map(i => `${csvText(data.name(i))},${of(i)}`)]
        .map(line => `${line}\r\n`).join('');
    const label = i => data.label(i) === noClass ? '' : csvText(data.className(data.label(i)));
    saveFile('labels.csv', rows('node,label', label));
    saveFile('split.csv', rows('node,role', i => roleWords[role[i]]));
}

function fillEdits(home, data, state, server)
{
    const {edits} = server, button = (words, onclick, more) =>
        element('button', {type: 'button', onclick, disabled: server.isBusy, ...more}, words);
    if (!edits.length) {
        home.replaceChildren(element('p', {class: 'lead'}, 'Pin a node, choose a label for it, and see how ',
            'opinions move when the model is trained with it.'));
        return;
    }
    const shown = data.before(state.view);
    home.replaceChildren(element('ol', {class: 'edits', 'aria-label': 'Labels that are tried'},
        edits.map(e => editLine(data, state, e))),
    element('div', {class: 'tools'}, button('Undo the last', () => server.undo()),
        edits.length > 1 ? button('Undo all', () => server.try([])) : null,
        shown ? button('Save labels.csv and split.csv', () => saveLabels(data, state.view)) : null,
        element('a', {href: 'what-if/model', download: 'what-if.safetensors'}, 'Save the model')),
    ...shown ? [movedSummary(data, state.view), movedTable(data, state)]
        : [element('p', {class: 'note'}, 'Another model of the page was trained with these labels.')]);
}

// ---------------------------------------------------------------- tasks

// How far the running task has come, and what went wrong with the last.
function makeProgress(server)
{
    const bar = element('progress', {max: 1, 'aria-label': 'Training'}), words = element('span');
    const problem = element('p', {class: 'problem', role: 'status'});
    const running = element('div', {class: 'tools running'}, bar, words,
        element('button', {type: 'button', onclick: () => server.cancel()}, 'Cancel'));
    server.listen(() => {
        const {status, stage, done, total, seconds, warnings} = server.work;
        running.hidden = status !== 'running';
        if (total > 0)
            bar.value = done / total;
        else
            bar.removeAttribute('value');
        const part = total > 0 ? ` ${count(done)} of ${count(total)}` : '';
        words.textContent = status === 'running'
            ? `${stage || 'starting'}${part}, ${seconds.toFixed(1)} s` : '';
        const said = server.error || (status === 'cancelled' ? 'Cancelled.'
            : status === 'done' ? warnings : '');
        problem.hidden = !said;
        problem.textContent = plain(said, 600);
    });
    return [running, problem];
}

// ---------------------------------------------------------------- features

function makeFeatureSearch(data, state, server)
{
    const matches = element('ul', {class: 'matches'}), status = element('p', {class: 'note', role: 'status'});
    let asked = 0;
    const select = feature => server.attempt(async () => {
        const {nodes, total, name} = await server.ask('features', {feature});
        state.selected = nodes.length ? Uint32Array.from(nodes) : null;
        state.emit('select');
        matches.hidden = true;
        status.replaceChildren(...total ? [element('a', {href: '#selection'}, counted(total, 'node')),
            ' with ', text(name, 40), nodes.length < total ? `; the first ${count(nodes.length)}` : '',
            nodes.length < total ? ' are selected.' : total === 1 ? ' is selected.' : ' are selected.'] : [
            'No node has ', text(name, 40), '.']);
    });
    const list = () => server.attempt(async () => {
        const mine = ++asked, words = input.value.trim();
        const {features} = words ? await server.ask('features', {find: words}) : {features: []};
        if (mine !== asked) // the words have changed since
            return;
        matches.hidden = !features.length;
        matches.replaceChildren(...features.map(f => element('li', null, element('button', {
            type: 'button', onclick: () => select(f.feature)}, text(f.name, 50),
        element('span', {class: 'note'}, ` ${counted(f.nodes, 'node')}`)))));
        status.textContent = words && !features.length ? 'No feature has such a name.' : '';
    });
    const input = element('input', {type: 'search', placeholder: 'Feature', autocomplete: 'off',
        'aria-label': 'Find nodes by feature', spellcheck: 'false', oninput: list});
    matches.hidden = true;
    return element('div', {class: 'by-feature'}, element('h3', null, 'Find nodes by feature'),
        element('div', {class: 'search'}, input, matches), status);
}

// ---------------------------------------------------------------- models

function makeModelForm(data, server)
{
    const {models, max_models: most} = data.about.live, {source} = data.about.graph;
    const kind = element('select', {'aria-label': 'Model to train'},
        models.map(m => element('option', {value: m}, m)));
    const seed = element('input', {type: 'number', min: 0, step: 1, value: 0, class: 'seed'});
    const start = element('button', {type: 'button', class: 'train', onclick: () =>
        server.train(kind.value, Math.max(0, Math.floor(Number(seed.value) || 0)))}, 'Train');
    const command = makeCommand('train this model');
    const {task} = Object.fromEntries(data.views[0].parameters);
    const show = () => command.fill(['opine train', source ? shellWord(source) : 'DATA', '--model', kind.value,
        '--task', task, '--seed', seed.value || 0, '-o', `${kind.value}.safetensors`].join(' '));
    kind.value = models.includes('gcn') ? 'gcn' : models[0];
    kind.addEventListener('change', show);
    seed.addEventListener('input', show);
    show();
    const full = data.views.length >= most;
    server.listen(() => { start.disabled = full || server.isBusy; });
    return element('div', {class: 'another'}, element('h3', null, 'Train another model'),
        element('div', {class: 'tools'}, kind, element('label', null, 'Seed ', seed), start),
        element('p', {class: 'note'}, full ? `A page shows at most ${most} models.`
            : 'On the labels of the data, as this command does; then the page shows it beside the others.'),
        command.home);
}

// ---------------------------------------------------------------- the section

// The server of the page, or null for a file.
function drawLive(data, state)
{
    if (!data.about.live || !data.views.length)
        return null;
    const server = new Server(data, state), edits = element('div', {class: 'what-if'});
    const fill = () => fillEdits(edits, data, state, server);
    const badge = document.getElementById('tried');
    let wasBusy = false;
    state.on('view', fill);
    document.getElementById('live').append(element('h2', null, 'What if'),
        ...makeProgress(server), edits, element('div', {class: 'beside'},
            makeFeatureSearch(data, state, server), makeModelForm(data, server)));
    server.listen(() => {
        fill();
        badge.hidden = !server.edits.length && !server.isBusy;
        badge.textContent = server.isBusy ? 'Training…'
            : `What if: ${counted(server.edits.length, 'label')}`;
        if (state.node >= 0 && wasBusy !== server.isBusy) // its form can be used or not
            state.emit('pin');
        wasBusy = server.isBusy;
    });
    return server;
}
