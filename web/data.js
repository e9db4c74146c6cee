'use strict';
// The data of the page: text as JSON, numbers as little-endian arrays in base64, and the few
// ways in which text from outside may reach the page.

const arrayKinds = {u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array};
const noClass = 65535;
const kindNames = ['correct', 'wrong', 'ood', 'unlabelled'];
const kindTitles = {correct: 'correct', wrong: 'wrong', ood: 'out-of-distribution',
                    unlabelled: 'unlabelled'};
// Why a prediction is not to be relied on, by number; 0 is one that is accepted.
const reasonNames = ['accepted', 'conflict', 'evidence', 'undecided'];
const reasonTitles = {accepted: 'accepted', conflict: 'conflicting evidence',
                      evidence: 'little evidence', undecided: 'undecided'};
// Whose labels judge a model.
const basisTitles = {test: 'test', validation: 'validation', labelled: 'labelled'};
const roleTitles = ['training', 'validation', 'test', 'pool', 'unlabelled',
    'calibration'];

function bytesOf(base64)
{
    if (Uint8Array.fromBase64)
        return Uint8Array.fromBase64(base64);
    const letters = atob(base64);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++)
        bytes[i] = letters.charCodeAt(i);
    return bytes;
}

// What is known of the graph and of the models; "view" is the number of a model of the page,
// "node" that of a node. Nothing is unpacked before it is asked for: a page of 35,000 nodes
// must open at once.
class ReportData
{
    constructor(about, arrays)
    {
        this.about = about;
        this.arrays = arrays;
        this.views = about.views;
        this.nodes = about.graph ? about.graph.nodes : 0;
        this.cache = new Map();
        this.base = null; // of a view that is replaced
    }

    kept(key, make)
    {
        if (!this.cache.has(key))
            this.cache.set(key, make());
        return this.cache.get(key);
    }

    // Shows another state of a model and of the labels, by what a page would hold of it alone; its
    // places on the map stay.
    replaceView(view, about, arrays)
    {
        this.restoreView();
        const own = Object.entries(this.arrays).filter(([name]) => name.startsWith(`${view}.`));
        this.base = {at: view, view: this.views[view], label: this.arrays.label,
                     arrays: Object.fromEntries(own.map(([name, a]) => [name.slice(`${view}.`.length), a]))};
        const {embedding, file} = this.base.view;
        this.views[view] = {...about.views[0], embedding, file};
        this.arrays.label = arrays.label;
        for (const [name] of own)
            if (!/\.[xy]$/.test(name))
                delete this.arrays[name];
        for (const [name, a] of Object.entries(arrays))
            if (name.startsWith('0.'))
                this.arrays[`${view}.${name.slice(2)}`] = a;
        this.cache.clear();
    }

    // Goes back to what the page came with.
    restoreView()
    {
        if (!this.base)
            return;
        const {at, view, label, arrays} = this.base;
        this.views[at] = view;
        this.arrays.label = label;
        for (const [name, a] of Object.entries(arrays))
            this.arrays[`${at}.${name}`] = a;
        this.base = null;
        this.cache.clear();
    }

    // What a model that was replaced said before, or null.
    before(view)
    {
        return this.base && this.base.at === view ? {...this.base.arrays, view: this.base.view} : null;
    }

    array(view, name) { return this.arrays[`${view}.${name}`]; }

    // The row of a node in an array with a column for each class that the model knows, or null.
    row(view, name, node)
    {
        const all = this.array(view, name), k = this.views[view].known.length;
        return all ? Array.from(all.subarray(node * k, (node + 1) * k)) : null;
    }

    // The Dirichlet parameters of a node, one for each class that the model knows, or null.
    alpha(view, node) { return this.row(view, 'alpha', node); }

    // The probability of each class that the model knows.
    probability(view, node)
    {
        const alpha = this.alpha(view, node);
        if (!alpha)
            return this.row(view, 'p', node);
        const strength = alpha.reduce((sum, a) => sum + a, 0);
        return alpha.map(a => a / strength);
    }

    // Beliefs and vacuity (they add up to 1) of a node's opinion, or null without alpha. A
    // Dirichlet prior network has alpha too, but it does not stand for belief.
    opinion(view, node)
    {
        const alpha = this.alpha(view, node), vacuity = this.measure(view, 'vacuity');
        if (!alpha || !vacuity)
            return null;
        const strength = alpha.reduce((sum, a) => sum + a, 0);
        return {beliefs: alpha.map(a => (a - 1) / strength), vacuity: vacuity[node]};
    }

    // How sure the model is of the class it predicts, for every node: calibrated where it can be.
    confidence(view)
    {
        return this.array(view, 'confidence') || this.kept(`${view} confidence`, () =>
            Float32Array.from({length: this.nodes}, (_, i) =>
                Math.max(...this.probability(view, i))));
    }

    measure(view, name)
    {
        return name === 'confidence' ? this.confidence(view) : this.array(view, name);
    }

    // Whether a node's label judges the model: of a class it knows, those that the accuracy is
    // of; of others, those that it should detect.
    judges(view)
    {
        return this.kept(`${view} judges`, () => {
            const kinds = this.kinds(view);
            return this.array(view, 'judges').map((bits, i) =>
                kinds[i] === 2 ? bits & 1 : bits >> 1);
        });
    }

    // Whether a node's label may choose a threshold: it neither trained the model nor judges it,
    // unless there are no other labels.
    chooses(view)
    {
        return this.kept(`${view} chooses`, () => {
            const {promises, basis} = this.views[view], role = this.array(view, 'role');
            const kinds = this.kinds(view), known = i => kinds[i] < 2;
            if (basis === 'labelled' || !this.hasChoosers(view))
                return this.judges(view);
            return role.map((r, i) => Number(known(i) &&
                (r === 5 || r === 1 && (promises.validation > 0 || !promises.nodes))));
        });
    }

    hasChoosers(view)
    {
        const kinds = this.kinds(view);
        return this.array(view, 'role').some((r, i) => (r === 1 || r === 5) && kinds[i] < 2);
    }

    // Why a node is to be distrusted, if it is, as a number of reasonNames.
    reasons(view)
    {
        return this.kept(`${view} reasons`, () => {
            const [vacuity, dissonance] = ['vacuity', 'dissonance']
                .map(name => this.array(view, name));
            return Uint8Array.from({length: this.nodes}, (_, i) =>
                !vacuity || !dissonance ? 3 : dissonance[i] > vacuity[i] ? 1 : 2);
        });
    }

    // The least and the greatest value of a measure.
    range(view, name)
    {
        return this.kept(`${view}.${name} range`, () => {
            let low = Infinity, high = -Infinity;
            for (const v of this.measure(view, name)) {
                if (v < low)
                    low = v;
                if (v > high)
                    high = v;
            }
            return low <= high ? [low, high] : [0, 0];
        });
    }

    // The same over all models that have the measure.
    commonRange(name)
    {
        const ranges = this.views.map((v, i) => v.measures.includes(name) && this.range(i, name))
            .filter(Boolean);
        return [Math.min(...ranges.map(r => r[0])), Math.max(...ranges.map(r => r[1]))];
    }

    // For every node a place in kindNames.
    kinds(view)
    {
        return this.kept(`${view} kinds`, () => {
            const predicted = this.array(view, 'predicted'), {label} = this.arrays;
            const known = new Set(this.views[view].known), kinds = new Uint8Array(this.nodes);
            for (let i = 0; i < this.nodes; i++) {
                if (label[i] === noClass)
                    kinds[i] = 3;
                else
                    kinds[i] = known.has(label[i]) ? Number(label[i] !== predicted[i]) : 2;
            }
            return kinds;
        });
    }

    kind(view, node) { return kindNames[this.kinds(view)[node]]; }
    label(node) { return this.arrays.label[node]; }
    predicted(view, node) { return this.array(view, 'predicted')[node]; }
    role(view, node) { return roleTitles[this.array(view, 'role')[node]]; }

    name(node)
    {
        const names = this.about.graph.names;
        return names && names[node] || String(node);
    }

    className(k)
    {
        return k === noClass ? 'none' : this.about.graph.classes[k] || `class ${k}`;
    }

    // The model's name, with task and seed only where they tell the models of the page apart.
    viewName(view)
    {
        const {model, task, seed} = this.views[view];
        const differs = key => this.views.some(v => v[key] !== this.views[0][key]);
        const parts = [model];
        if (differs('task'))
            parts.push(task === 'ood' ? 'out-of-distribution' : task);
        if (differs('seed'))
            parts.push(`seed ${seed}`);
        return parts.join(', ');
    }

    // The edges of the file are there once; walking needs both directions.
    adjacency()
    {
        return this.kept('adjacency', () => {
            const {starts, ends} = this.arrays, from = new Uint32Array(this.nodes + 2);
            for (let i = 0; i < this.nodes; i++) {
                from[i + 2] += starts[i + 1] - starts[i];
                for (let e = starts[i]; e < starts[i + 1]; e++)
                    from[ends[e] + 2]++;
            }
            for (let i = 2; i < from.length; i++)
                from[i] += from[i - 1];
            // from[i + 1] runs from the start of node i to its end while its row is filled.
            const to = new Uint32Array(2 * ends.length);
            for (let i = 0; i < this.nodes; i++)
                for (let e = starts[i]; e < starts[i + 1]; e++) {
                    to[from[i + 1]++] = ends[e];
                    to[from[ends[e] + 1]++] = i;
                }
            return {from, to};
        });
    }

    neighbours(node)
    {
        const {from, to} = this.adjacency();
        return to.subarray(from[node], from[node + 1]);
    }

    // Hops from a node to every other, at most `most`; -1 where it is farther or out of reach.
    hops(node, most)
    {
        const {from, to} = this.adjacency(), far = new Int32Array(this.nodes).fill(-1);
        const queue = new Uint32Array(this.nodes);
        far[queue[0] = node] = 0;
        for (let head = 0, tail = 1; head < tail; head++) {
            const at = queue[head];
            if (far[at] >= most)
                break;
            for (let e = from[at]; e < from[at + 1]; e++)
                if (far[to[e]] < 0) {
                    far[to[e]] = far[at] + 1;
                    queue[tail++] = to[e];
                }
        }
        return far;
    }
}

// The arrays by name.
function arraysOf(about, numbers)
{
    const {buffer} = bytesOf(numbers), arrays = {};
    for (const {name, kind, offset, length} of about.arrays)
        arrays[name] = new arrayKinds[kind](buffer, offset, length);
    return arrays;
}

function load()
{
    const about = JSON.parse(document.getElementById('about').textContent);
    const numbers = document.getElementById('numbers').textContent.trim();
    return new ReportData(about, arraysOf(about, numbers));
}

function cut(string, most)
{
    const letters = Array.from(string);
    return letters.length > most ? letters.slice(0, most - 1).join('') + '…' : string;
}

// Text from outside as an element: isolated, so that its direction moves nothing around it.
function text(string, most = 80)
{
    const whole = String(string), shown = cut(whole, most), bdi = document.createElement('bdi');
    bdi.textContent = shown;
    if (shown !== whole)
        bdi.title = whole;
    return bdi;
}

// Text from outside for a canvas or an attribute, where <bdi> does not exist: without control
// characters and without those that turn the direction of what follows.
function plain(string, most = 80)
{
    const turning = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
    return cut(String(string).replace(turning, ' '), most);
}

// element('a', {href: '#x', class: 'y', onclick: f}, child, 'text', …): children that are null
// or false are left out; a function is a listener, true an attribute without a value.
function element(tag, attributes, ...children)
{
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        if (typeof value === 'function')
            made.addEventListener(name.replace(/^on/, ''), value);
        else if (value !== null && value !== undefined && value !== false)
            made.setAttribute(name, value === true ? '' : value);
    }
    made.append(...children.flat(Infinity)
        .filter(c => c !== null && c !== undefined && c !== false));
    return made;
}

const grouped = new Intl.NumberFormat('en');

// A whole number with its thousands apart.
function count(n) { return grouped.format(n); }

// "1 node", "2,708 nodes".
function counted(n, noun) { return `${count(n)} ${noun}${n === 1 ? '' : 's'}`; }

// A measure or a fraction: three decimals, four for small ones. The page keeps measures to
// 1 / 65535, so that more would pretend.
function decimal(v)
{
    if (v === null || v === undefined || !Number.isFinite(v))
        return '–';
    if (v > 0 && v < 0.00005)
        return '<0.0001';
    return v !== 0 && Math.abs(v) < 0.01 ? v.toFixed(4) : v.toFixed(3);
}

function percent(v, digits = 1)
{
    return v === null || v === undefined || !Number.isFinite(v) ? '–' : `${v.toFixed(digits)}\u00a0%`;
}
