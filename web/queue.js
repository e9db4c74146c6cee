'use strict';
// Lists of nodes to look at: what to label next, labels that look wrong, and where two models
// disagree. They sort, filter and save like the tables.

const queueRows = 100;

// Nodes to label next, as `opine suggest` lists them.
function suggestedNodes(data, view)
{
    const reasons = data.reasons(view), measures = ['vacuity', 'dissonance', 'entropy']
        .filter(m => data.measure(view, m));
    return {columns: ['node', 'gain', 'predicted', 'why', ...measures],
            nodes: data.views[view].suggestions.map(([node]) => node),
            rows: data.views[view].suggestions.map(([node, gain]) => [data.name(node), gain,
                data.className(data.predicted(view, node)), reasonTitles[reasonNames[reasons[node]]],
                ...measures.map(m => data.measure(view, m)[node])])};
}

// Labels that the model contradicts, of nodes that it did not learn from.
function suspectNodes(data, view)
{
    const kinds = data.kinds(view), role = data.array(view, 'role'), found = [];
    const {known, basis} = data.views[view], own = k => known.indexOf(k);
    for (let i = 0; i < data.nodes; i++)
        if (kinds[i] === 1 && (role[i] !== 0 || basis === 'labelled')) {
            const p = data.probability(view, i), label = data.label(i);
            const expected = data.predicted(view, i);
            found.push([i, label, expected, p[own(label)], p[own(expected)]]);
        }
    found.sort((a, b) => b[4] - b[3] - (a[4] - a[3]) || a[0] - b[0]);
    return {columns: ['node', 'label', 'expected', 'p label', 'p expected', 'role'],
            nodes: found.map(([i]) => i),
            rows: found.map(([i, label, expected, pLabel, pExpected]) => [data.name(i),
                data.className(label), data.className(expected), pLabel, pExpected,
                data.role(view, i)])};
}

// Nodes of which two models say different things, those that both are surest of first.
function disagreements(data, a, b)
{
    const one = data.confidence(a), other = data.confidence(b), found = [];
    for (let i = 0; i < data.nodes; i++)
        if (data.predicted(a, i) !== data.predicted(b, i))
            found.push(i);
    found.sort((i, j) => Math.min(one[j], other[j]) - Math.min(one[i], other[i]) || i - j);
    return {columns: ['node', `says ${data.viewName(a)}`, 'confidence',
                      `says ${data.viewName(b)}`, 'its confidence', 'label'],
            nodes: found, rows: found.map(i => [data.name(i), data.className(data.predicted(a, i)),
                one[i], data.className(data.predicted(b, i)), other[i],
                data.className(data.label(i))])};
}

const queueKinds = {
    label: {title: 'Label these next', words: 'Nodes with little or conflicting evidence among ' +
        'many such: a label there settles most.'},
    suspects: {title: 'Labels that look wrong', words: 'Labels that the model contradicts, of ' +
        'nodes it did not learn from, the surest contradiction first. `opine suspects` judges ' +
        'those it learnt from as well.'},
    disagree: {title: 'Where two models disagree', words: 'The two models predict different ' +
        'classes; where both are sure, one of them is wrong for a reason.'},
};

function queueTable(data, state, list, words)
{
    const wanted = words.trim().toLowerCase(), columns = columnsOf(list);
    const rows = list.rows.map((row, k) => ({row, node: list.nodes[k]})).filter(({row}) =>
        !wanted || row.some(cell => typeof cell === 'string' && cell.toLowerCase().includes(wanted)));
    return {columns, rows};
}

// The list as a table: a click on a column sorts it, on a node pins it.
class Queue
{
    constructor(data, state)
    {
        const {views} = data;
        Object.assign(this, {data, state, other: 1, sorting: {column: 0, direction: 0},
                             kind: views[state.view].suggestions.length ? 'label' : 'suspects'});
        this.tabs = Object.keys(queueKinds).filter(k => k !== 'disagree' || views.length > 1)
            .map(k => element('button', {type: 'button', 'data-kind': k, onclick: () => {
                this.kind = k;
                this.sorting = {column: 0, direction: 0};
                this.show();
            }}, queueKinds[k].title));
        this.against = element('select', {'aria-label': 'The other model', onchange: () => {
            this.other = Number(this.against.value);
            this.show();
        }}, views.map((_, v) => element('option', {value: v}, plain(data.viewName(v), 60))));
        this.filter = element('input', {type: 'search', placeholder: 'Filter by name or class',
            'aria-label': 'Filter the list', oninput: () => this.show()});
        this.box = element('div');
        this.home = element('div', {class: 'queue'},
            element('div', {class: 'tools'}, this.tabs, this.against, this.filter), this.box);
        state.on('view', () => this.show());
        this.show();
    }

    list()
    {
        const {data, state} = this, key = `${state.view} ${this.kind} ${this.other} queue`;
        return data.kept(key, () => this.kind === 'label' ? suggestedNodes(data, state.view)
            : this.kind === 'suspects' ? suspectNodes(data, state.view)
            : disagreements(data, state.view, this.other));
    }

    chooseOther()
    {
        const {state, data} = this;
        if (this.other === state.view || this.other >= data.views.length)
            this.other = state.view === 0 ? 1 : 0;
        [...this.against.options].forEach(o => { o.disabled = Number(o.value) === state.view; });
        this.against.value = this.other;
        this.against.hidden = this.kind !== 'disagree';
    }

    show()
    {
        this.chooseOther();
        for (const tab of this.tabs)
            tab.setAttribute('aria-pressed', String(tab.dataset.kind === this.kind));
        const list = this.list(), {columns, rows} = queueTable(this.data, this.state, list,
            this.filter.value);
        const {column, direction} = this.sorting;
        const sorted = direction ? sortedRows({rows: rows.map(r => Object.assign([...r.row],
            {node: r.node}))}, columns, this.sorting) : rows.map(r => Object.assign([...r.row],
            {node: r.node}));
        const head = tableHead(columns, k => {
            this.sorting = nextSorting(this.sorting, k, columns[k].numeric);
            this.show();
        });
        head.forEach((th, k) => th.setAttribute('aria-sort', sortNames[k === column ? direction : 0]));
        this.fill(list, columns, sorted, head);
    }

    fill(list, columns, rows, head)
    {
        const {data, state} = this, {title, words} = queueKinds[this.kind];
        const line = row => element('tr', null, columns.map((c, k) => k === 0
            ? element('th', {scope: 'row'}, nodeLink(data, state, row.node))
            : c.numeric ? numberCell(row[k], c) : element('td', null, text(String(row[k]), 60))));
        const save = element('button', {type: 'button', onclick: () => saveFile(`${this.kind}.csv`,
            csvOf(columns, rows))}, 'Save as CSV');
        const more = rows.length > queueRows
            ? ` The first ${queueRows} are shown; the file has all.` : '';
        const command = this.kind === 'suspects' && data.views[state.view].file
            ? makeCommand('judge every label') : null;
        if (command)
            command.fill(commandOf(data, state.view, 'suspects', '-o suspects.csv'));
        this.box.replaceChildren(element('p', {class: 'note', role: 'status'},
            `${counted(rows.length, 'node')} of ${count(list.rows.length)}. ${words}${more}`),
            command ? command.home : '',
            list.rows.length ? element('div', {class: 'scroll', tabindex: 0, role: 'group',
                'aria-label': title}, element('table', {class: 'sheet'},
                element('thead', null, element('tr', null, head)),
                element('tbody', null, rows.slice(0, queueRows).map(line)))) : '', save);
    }
}

function drawQueue(data, state)
{
    if (!data.views.length)
        return;
    const home = document.getElementById('queue');
    home.append(element('h2', null, 'Look at these'), new Queue(data, state).home);
}
