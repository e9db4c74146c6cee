'use strict';
// Which answers to accept: a threshold on a measure, what it does, and the promise behind it.
//
// A threshold is chosen on some labels and judged by others (data.chooses, data.judges), so that
// what it does is not what it was chosen for.

const slowest = 1000; // positions of the slider

// Every measure counts as uncertainty here; confidence is turned round.
function scoresOf(data, view, measure)
{
    const values = data.measure(view, measure);
    return measure !== 'confidence' ? values
        : data.kept(`${view} doubt`, () => values.map(v => -v));
}

const shownThreshold = (measure, threshold) => measure === 'confidence' ? -threshold : threshold;

function sortedScores(data, view, measure, mask)
{
    return data.kept(`${view}.${measure} sorted ${mask ? 'chosen' : 'all'}`, () => {
        const scores = scoresOf(data, view, measure);
        return (mask ? scores.filter((_, i) => mask[i]) : Float32Array.from(scores)).sort();
    });
}

// How many values of a sorted list are at most this.
function countUpTo(sorted, most)
{
    let low = 0, high = sorted.length;
    while (low < high) {
        const middle = low + high >> 1;
        if (sorted[middle] <= most)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The measures that a threshold can be set on.
const decidable = view => [...view.measures, 'confidence'];

// For errors entropy, which conflict and a lack of evidence both raise, so that neither kind of
// node is overlooked; for unknown classes what is recommended.
function recommendedMeasure(view)
{
    return view.task === 'ood' ? view.recommended : 'entropy';
}

// What the labels show about the accuracies that can be promised by a measure; may be empty.
function promisesOf(data, view, measure)
{
    const {promises, measures} = data.views[view], list = promises.measures[measure];
    if (!list)
        return [];
    const first = measures.indexOf(measure) * promises.targets.length;
    return list.map((p, t) => ({...p, target: promises.targets[t],
                                threshold: data.array(view, 'thresholds')[first + t]}));
}

// The share of the labels that choose thresholds which the model gets right.
function chooserAccuracy(data, view)
{
    return data.kept(`${view} chooser accuracy`, () => {
        const chooses = data.chooses(view), kinds = data.kinds(view);
        const right = kinds.filter((k, i) => chooses[i] && k === 0).length;
        return right / Math.max(1, chooses.filter(Boolean).length);
    });
}

// The threshold to begin with. For classes that were not trained on there are no labels to show
// anything by: it then rejects 5 % of the nodes that are known. Otherwise it is the highest
// accuracy that is shown while at least half of the nodes are accepted, as long as it is more
// than accepting all would give; and if there is none it accepts the four fifths that the model
// is surest of.
function firstDecision(data, view, measure)
{
    const all = sortedScores(data, view, measure);
    const at = (sorted, share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
    const shown = promisesOf(data, view, measure).filter(p => p.shown &&
        p.target > chooserAccuracy(data, view) && 2 * countUpTo(all, p.threshold) >= all.length);
    if (data.views[view].task === 'ood')
        return {measure, threshold: at(sortedScores(data, view, measure, data.chooses(view)), 0.95),
                target: null, why: 'rejects 5 % of the labelled nodes of known classes'};
    if (shown.length) {
        const {threshold, target} = shown[shown.length - 1];
        return {measure, threshold, target, why: ''};
    }
    return {measure, threshold: at(all, 0.8), target: null,
            why: 'accepts the 80 % that the model is surest of'};
}

// Every node as a number of reasonNames.
function decideNodes(data, view, {measure, threshold})
{
    const scores = scoresOf(data, view, measure), reasons = data.reasons(view);
    const decided = new Uint8Array(data.nodes), most = Math.fround(threshold);
    for (let i = 0; i < decided.length; i++)
        decided[i] = scores[i] <= most ? 0 : reasons[i];
    return decided;
}

// What a decision does to the nodes of a mask: how many are accepted, right among these, and
// which share of the wrong and of the unknown ones it catches.
function consequences(data, view, decided, mask)
{
    const kinds = data.kinds(view), n = {all: 0, accepted: 0};
    const accepted = [0, 0, 0, 0], all = [0, 0, 0, 0];
    for (let i = 0; i < decided.length; i++) {
        if (!mask[i])
            continue;
        all[kinds[i]]++;
        n.all++;
        if (!decided[i]) {
            n.accepted++;
            accepted[kinds[i]]++;
        }
    }
    const caught = kind => proportion(all[kind] - accepted[kind], all[kind]);
    return {accepted: proportion(n.accepted, n.all), accuracy: proportion(accepted[0], n.accepted),
            wrong: caught(1), ood: caught(2), lost: proportion(all[0] - accepted[0], all[0])};
}

// How many nodes there are of each reason.
function countReasons(decided)
{
    const n = [0, 0, 0, 0];
    for (let i = 0; i < decided.length; i++)
        n[decided[i]]++;
    return n;
}

// ---------------------------------------------------------------- commands

// A word of a command line, quoted where a shell would take it apart.
function shellWord(word)
{
    return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function commandOf(data, view, verb, ...options)
{
    const {file} = data.views[view], {source} = data.about.graph;
    return ['opine', verb, file ? shellWord(file) : 'MODEL', source ? shellWord(source) : 'DATA',
            ...options].join(' ');
}

// Nine digits tell any two floats apart.
const digitsOf = value => String(Number(value.toPrecision(9)));

function decideCommand(data, view, {measure, threshold, target})
{
    if (measure === 'confidence')
        return commandOf(data, view, 'predict', '-o decisions.csv');
    return commandOf(data, view, 'predict', target !== null
        ? `--target-accuracy ${target} --decide-by ${measure}`
        : `--abstain-above ${measure}=${digitsOf(threshold)}`, '-o decisions.csv');
}

// A command with a button that copies it. fill() shows another one.
function makeCommand(label)
{
    const code = element('code', {tabindex: 0}), status = element('span', {class: 'quiet',
                                                                           role: 'status'});
    const button = element('button', {type: 'button', 'aria-label': `Copy the command: ${label}`,
        onclick: async () => {
            const done = await copyText(code.textContent);
            status.textContent = button.textContent = done ? 'Copied' : 'Could not copy';
            setTimeout(() => { button.textContent = 'Copy'; }, 1500);
        }}, 'Copy');
    return {home: element('div', {class: 'command'}, code, button, status),
            // Words are kept whole where they fit: a line break within an option would be copied.
            fill(command) { code.replaceChildren(...command.split(' ').flatMap((word, k) =>
                [k ? ' ' : '', element('span', null, word)])); }};
}

// Hands a file to the reader.
function saveFile(name, content)
{
    const address = URL.createObjectURL(new Blob([content], {type: 'text/csv'}));
    element('a', {href: address, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// The table of all decisions, those to distrust first and the least certain of them on top.
function decisionsCsv(data, view, decided, {measure})
{
    const scores = scoresOf(data, view, measure), values = data.measure(view, measure);
    const order = Array.from({length: data.nodes}, (_, i) => i)
        .sort((a, b) => scores[b] - scores[a] || a - b);
    const rows = order.map(i => [csvText(data.name(i)), data.role(view, i),
        csvText(data.className(data.predicted(view, i))), decided[i] ? 'abstain' : 'accept',
        decided[i] ? reasonTitles[reasonNames[decided[i]]] : '', digitsOf(values[i])]);
    return [['node', 'role', 'predicted', 'decision', 'reason', measure], ...rows]
        .map(row => row.join(',') + '\r\n').join('');
}

// ---------------------------------------------------------------- controls

// Sets the decision of the page and tells the others. isMoved: the reader chose it.
function setDecision(data, state, decision, isMoved = true)
{
    state.isMoved = isMoved;
    state.decision = decision;
    data.decided = decideNodes(data, state.view, decision);
    state.emit('decide');
}

function makeFigure(name, words)
{
    const value = element('dd'), note = element('dd', {class: 'note'});
    const title = element('dt', null, words || name);
    return {home: element('div', null, title, value, note), title,
            fill(p, of) {
                value.textContent = shareOf(p);
                note.textContent = p ? `${intervalOf(p)} · ${count(p.right)} of ${count(p.n)}` : of;
            }};
}

class DecisionControls
{
    constructor(data, state)
    {
        Object.assign(this, {data, state});
        this.measure = element('select', {'aria-label': 'Measure of the threshold', onchange: () =>
            setDecision(data, state, firstDecision(data, state.view, this.measure.value))});
        this.slider = element('input', {type: 'range', min: 0, max: slowest, step: 1,
            'aria-label': 'Share of nodes that are accepted', oninput: () => this.slide()});
        this.number = element('input', {type: 'number', step: 'any', class: 'threshold',
            'aria-label': 'Threshold', onchange: () => this.type()});
        this.promise = element('select', {'aria-label': 'Accuracy to promise', onchange: () =>
            this.choosePromise(this.promise.value)});
        this.says = element('p', {class: 'note', id: 'promise', role: 'status'});
        this.figures = {accepted: makeFigure('accepted'),
                        accuracy: makeFigure('right', 'right, of these'),
                        wrong: makeFigure('errors caught'),
                        ood: makeFigure('unknown classes caught')};
        this.home = this.make();
        state.on('decide', () => this.show());
        state.on('view', () => this.fill());
        this.fill();
    }

    make()
    {
        const label = (words, ...control) => element('label', null, words, control);
        return element('div', {class: 'decide'},
            element('div', {class: 'tools'}, label('Accept up to this ', this.measure),
                this.number, label('or promise ', this.promise)),
            element('div', {class: 'slide'}, element('span', null, 'none'), this.slider,
                element('span', null, 'all')),
            element('dl', {class: 'figures'}, Object.values(this.figures).map(f => f.home)),
            this.says);
    }

    // What depends on the model.
    fill()
    {
        const {data, state} = this, view = data.views[state.view];
        this.measure.replaceChildren(...decidable(view).map(m =>
            element('option', {value: m}, whatTitle(m).toLowerCase())));
        this.figures.ood.home.hidden = view.pool.ood === 0;
        // The map counts all nodes, training nodes among them, of which more are accepted.
        this.figures.accepted.title.textContent = `${basisTitles[view.basis]} nodes accepted`;
        const old = state.decision, measure = old && decidable(view).includes(old.measure)
            ? old.measure : recommendedMeasure(view);
        setDecision(data, state, firstDecision(data, state.view, measure),
                    measure !== recommendedMeasure(view));
    }

    slide()
    {
        const {data, state} = this, {measure} = state.decision;
        const all = sortedScores(data, state.view, measure);
        const n = Math.round(this.slider.value / slowest * all.length);
        // Below the least value nothing is accepted.
        const threshold = n > 0 ? all[n - 1] : all[0] - 1;
        setDecision(data, state, {measure, threshold, target: null, why: ''});
    }

    type()
    {
        const {data, state} = this, {measure} = state.decision, value = Number(this.number.value);
        if (this.number.value !== '' && Number.isFinite(value))
            setDecision(data, state, {measure, threshold: shownThreshold(measure, value),
                                      target: null, why: ''});
    }

    choosePromise(target)
    {
        const {data, state} = this, {measure} = state.decision;
        const found = promisesOf(data, state.view, measure).find(p => String(p.target) === target);
        if (found)
            setDecision(data, state, {measure, threshold: found.threshold, target: found.target,
                                      why: ''});
    }

    show()
    {
        const {data, state} = this, {measure, threshold} = state.decision;
        const all = sortedScores(data, state.view, measure);
        const share = countUpTo(all, Math.fround(threshold)) / all.length;
        this.measure.value = measure;
        this.number.value = Number(shownThreshold(measure, threshold).toPrecision(4));
        this.slider.value = Math.round(share * slowest);
        this.slider.setAttribute('aria-valuetext', `${percent(100 * share)} of the nodes`);
        this.showPromises();
        this.showFigures();
    }

    showPromises()
    {
        const {data, state} = this, {measure, target} = state.decision;
        const list = promisesOf(data, state.view, measure);
        this.promise.parentElement.hidden = !list.length || data.views[state.view].task === 'ood';
        this.promise.replaceChildren(element('option', {value: ''}, 'nothing'),
            ...list.map(p => element('option', {value: p.target, disabled: !p.shown},
                `${percent(100 * p.target, 0)} right` + (p.shown ? '' : p.needed
                    ? ` (needs about ${count(p.needed)} labels)` : ' (not in reach)'))));
        this.promise.value = target === null ? '' : String(target);
        this.says.replaceChildren(...this.words());
    }

    // What stands behind the threshold.
    words()
    {
        const {data, state} = this, {target, why} = state.decision;
        const {promises, basis} = data.views[state.view];
        const judged = basis === 'labelled' ? 'labelled nodes, some of which may have trained the model'
                                            : `${basisTitles[basis]} nodes`;
        const of = promises.validation ? 'validation' : 'calibration';
        const chosen = target !== null
            ? [term('promise', 'Promised'), ` with ${percent(100 * promises.confidence, 0)} `,
               `confidence: at least ${percent(100 * target, 0)} of what is accepted is right, `,
               `shown on ${counted(promises.nodes, `${of} node`)}. `]
            : ['Nothing is promised', why ? `: the threshold ${why}` : '', '. '];
        const same = basis === 'validation' && promises.validation > 0
            ? ' These also chose the threshold, so expect a little less.' : '';
        return [...chosen, `The figures are of ${judged}.${same}`];
    }

    showFigures()
    {
        const {data, state} = this, judges = data.judges(state.view);
        const c = consequences(data, state.view, data.decided, judges);
        const none = {wrong: 'no errors', ood: 'none there', accuracy: 'nothing is accepted',
                      accepted: 'no labels'};
        for (const [name, figure] of Object.entries(this.figures))
            figure.fill(c[name], none[name]);
    }
}
