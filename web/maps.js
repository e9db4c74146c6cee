'use strict';
// Panels that show the same nodes in different colours and share what is in sight, what is
// hovered, pinned and selected.

const measureTitles = {vacuity: 'Vacuity', dissonance: 'Dissonance', aleatoric: 'Aleatoric',
                       epistemic: 'Epistemic', entropy: 'Entropy', fused: 'Fused vacuity',
                       margin: 'Margin', confidence: 'Confidence'};

// The lines to the neighbours of a hub hide what they lead to: only the rings are drawn then.
const mostLines = 40;

function whatTitle(what)
{
    const fixed = {class: 'Class', prediction: 'Prediction', kind: 'Correctness',
                   decision: 'Decision'};
    return fixed[what] || measureTitles[what] || what;
}

// For every node a number of the group that colours it; null for a measure.
function groupsOf(data, view, what)
{
    if (what === 'class')
        return data.arrays.label;
    if (what === 'prediction')
        return data.array(view, 'predicted');
    if (what === 'decision')
        return data.decided;
    return what === 'kind' ? data.kinds(view) : null;
}

function groupColour(what, group)
{
    if (what === 'decision')
        return colours.reason(reasonNames[group]);
    return what === 'kind' ? colours.kind[kindNames[group]] : colours.class(group);
}

function groupTitle(data, what, group)
{
    if (what === 'decision')
        return reasonTitles[reasonNames[group]];
    if (what === 'kind')
        return kindTitles[kindNames[group]];
    return group === noClass ? 'unlabelled' : text(data.className(group), 40);
}

// The packed colour of every node, and room for two more at the end (see Scatter.draw).
function nodeColours(data, view, what, range)
{
    if (what === 'decision')
        return decisionColours(data);
    return keptColours(data, view, what, range);
}

// Made anew at every step of the slider, which is faster than to keep them all.
function decisionColours(data)
{
    const made = new Uint32Array(data.nodes + 2);
    const table = reasonNames.map(name => packed(colours.reason(name)));
    for (let i = 0; i < data.nodes; i++)
        made[i] = table[data.decided[i]];
    return made;
}

function keptColours(data, view, what, [low, high])
{
    return data.kept(`${view}.${what} ${low} ${high} ${colours.theme} colours`, () => {
        const groups = groupsOf(data, view, what), made = new Uint32Array(data.nodes + 2);
        const table = new Map();
        for (let i = 0; groups && i < data.nodes; i++) {
            if (!table.has(groups[i]))
                table.set(groups[i], packed(groupColour(what, groups[i])));
            made[i] = table.get(groups[i]);
        }
        if (groups)
            return made;
        const values = data.measure(view, what);
        const steps = high > low ? 255 / (high - low) : 0, first = steps ? 0.5 : 128;
        const ramp = rampTable();
        for (let i = 0; i < data.nodes; i++)
            made[i] = ramp[(values[i] - low) * steps + first | 0];
        return made;
    });
}

// Round numbers within the range that keep clear of its ends, whose numbers are printed too.
function roundTicks(low, high)
{
    const width = high - low, rough = width / 4, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map(f => f * power).find(s => s >= rough);
    const ticks = [];
    for (let t = Math.ceil(low / step) * step; t < high; t += step)
        if (t - low > 0.2 * width && high - t > 0.2 * width)
            ticks.push(t);
    return ticks.map(t => [t, Number(t.toPrecision(6)).toString()]);
}

// The colour bar of a measure: its ends are the least and the greatest value, nothing is cut.
function makeScale(low, high)
{
    const ramp = element('div', {class: 'ramp'}), ticks = element('div', {class: 'ticks'});
    if (!(high > low))
        return element('div', {class: 'scale'}, `The same for every node: ${decimal(low)}`);
    ramp.style.background = `linear-gradient(to right, ${colours.stops.join(', ')})`;
    ticks.append(element('span', {class: 'low'}, decimal(low)));
    for (const [t, label] of roundTicks(low, high)) {
        const tick = element('span', null, label);
        tick.style.left = `${(t - low) / (high - low) * 100}%`;
        ticks.append(tick);
    }
    const end = element('span', {class: 'high'}, decimal(high));
    end.style.left = '100%';
    ticks.append(end);
    return element('div', {class: 'scale'}, ramp, ticks);
}

// One map: what colours it, the map itself, the key to its colours.
class Panel
{
    // follows: shows the model chosen for the page, until another is chosen for this panel.
    constructor(maps, what, view, follows)
    {
        Object.assign(this, {maps, data: maps.data, what, view, follows, hidden: true});
        this.whatSelect = element('select', {
            class: 'what', 'aria-label': 'Colour this map by',
            onchange: () => this.show(this.whatSelect.value, this.view)});
        this.viewSelect = element('select', {
            'aria-label': 'Model of this map', hidden: this.data.views.length < 2,
            onchange: () => {
                this.follows = false;
                this.show(this.what, Number(this.viewSelect.value));
            }});
        this.viewSelect.append(...this.data.views.map((_, v) =>
            element('option', {value: v}, plain(this.data.viewName(v), 60))));
        this.map = element('div', {class: 'map', tabindex: 0, role: 'application'});
        this.key = element('figcaption', {class: 'key'});
        this.figure = element('figure', {class: 'panel'},
            element('div', {class: 'tools'}, this.whatSelect, this.viewSelect),
            this.map, this.key);
        this.scatter = new Scatter(this.map);
        this.gestures = new Gestures(maps, this);
        this.show(what, view);
    }

    show(what, view)
    {
        const choices = ['class', 'prediction', 'kind', 'decision', ...this.data.views[view].measures];
        this.view = view;
        this.what = choices.includes(what) ? what : this.data.views[view].recommended;
        this.whatSelect.replaceChildren(...choices.map(c =>
            element('option', {value: c}, whatTitle(c))));
        this.whatSelect.value = this.what;
        this.viewSelect.value = view;
        const of = this.data.views.length > 1 ? `, model ${plain(this.data.viewName(view))}` : '';
        this.map.setAttribute('aria-label', `Map of the nodes coloured by ${
            whatTitle(this.what).toLowerCase()}${of}. Arrow keys move, plus and minus zoom, 0 ${
            ''}shows all, S selects what is visible, Escape clears.`);
        this.drawKey();
        this.maps.redraw();
    }

    drawKey()
    {
        const groups = groupsOf(this.data, this.view, this.what);
        this.entries = [];
        this.key.replaceChildren(groups ? this.legend(groups)
                                        : makeScale(...this.maps.rangeOf(this)));
    }

    // Tells in the legend what is highlighted; made anew it would lose the focus.
    markKey()
    {
        for (const [button, group] of this.entries)
            button.setAttribute('aria-pressed',
                String(this.maps.isHighlighted(this.what, this.view, group)));
    }

    legend(groups)
    {
        const counted = () => {
            const found = new Map();
            for (const g of groups)
                found.set(g, (found.get(g) || 0) + 1);
            return found;
        };
        const counts = this.what === 'decision' ? counted()
            : this.data.kept(`${this.view}.${this.what} counts`, counted);
        this.entries = [...counts].sort((a, b) => a[0] - b[0])
            .map(([g, n]) => [this.entry(g, n), g]);
        this.markKey();
        return element('div', {class: 'legend'}, this.entries.map(([button]) => button));
    }

    entry(group, n)
    {
        const {data, what, view} = this, swatch = element('span', {class: 'swatch'});
        swatch.style.background = groupColour(what, group);
        const isNew = what === 'class' && group !== noClass &&
            !data.views[view].known.includes(group);
        const name = groupTitle(data, what, group);
        const note = isNew ? ', not one of the classes the model was trained on' : '';
        return element('button', {
            type: 'button', class: isNew ? 'new' : null, title: counted(n, 'node') + note,
            onclick: () => this.maps.highlight(what, view, group)},
        swatch, element('span', null, name, what === 'decision' ? ` ${count(n)}` : ''));
    }
}

// Several models first show one measure side by side; then every way to look at the first.
function allPanels(data)
{
    const {views} = data, [first] = views, shared = commonMeasure(views) || first.recommended;
    const pair = views.length > 1 ? views.map((_, v) => [shared, v, false]) : [];
    const whats = ['class', 'prediction', 'kind', first.recommended, ...first.measures];
    const rest = whats.filter((w, k) => whats.indexOf(w) === k && !(pair.length && w === shared));
    return [...pair, ...rest.map(what => [what, 0, true])];
}

class Maps
{
    // wanted: what the panels show, as [what, view, follows]; else all there is.
    constructor(data, state, wanted)
    {
        Object.assign(this, {data, state, panels: [], selecting: false, marked: null, lit: null});
        this.showsDecisions = Boolean(wanted);
        // Where many nodes train, their rings would bury the others.
        this.rings = !wanted && data.views.every((_, v) => {
            const n = data.array(v, 'role').reduce((sum, r) => sum + Number(r === 0), 0);
            return 10 * n <= data.nodes;
        });
        this.common = true;
        Object.assign(this, {hovered: -1, scrolled: -1000, width: 0, height: 0, waiting: 0});
        this.layers = new Map();
        this.cameras = new Map();
        // The places of the first model that has some serve all panels at first: then panels of
        // two models differ in their colours only, and can be compared node by node.
        this.placed = data.views.map((_, v) => v).filter(v => data.array(v, 'x'));
        this.places = this.placed[0];
        this.card = new HoverCard(data);
        this.home = element('div', {class: 'panels'});
        for (const panel of wanted || allPanels(data))
            this.addPanel(...panel);
        this.watch();
    }

    addPanel(what, view, follows)
    {
        const panel = new Panel(this, what, view, follows);
        this.panels.push(panel);
        this.home.append(panel.figure);
    }

    watch()
    {
        const {state} = this;
        new ResizeObserver(() => this.resize(false)).observe(this.home);
        const sight = new IntersectionObserver(seen => {
            for (const s of seen)
                this.panels.find(p => p.map === s.target).hidden = !s.isIntersecting;
            this.redraw();
        }, {rootMargin: '100px'});
        this.panels.forEach(p => sight.observe(p.map));
        // Canvases out of sight are printed too.
        addEventListener('beforeprint', () => {
            this.panels.forEach(p => { p.hidden = false; });
            this.paint();
        });
        addEventListener('scroll', () => { this.scrolled = performance.now(); }, {passive: true});
        state.on('theme', () => {
            this.panels.forEach(p => p.drawKey());
            this.redraw();
        });
        state.on('pin', () => this.reveal());
        state.on('data', () => {
            this.layers.clear();
            this.panels.forEach(p => p.show(p.what, p.view));
        });
        state.on('select', () => this.light());
        state.on('decide', () => this.showDecision());
        state.on('view', () => {
            for (const p of this.panels.filter(panel => panel.follows))
                p.show(p.what, state.view);
        });
    }

    showDecision()
    {
        const shown = this.panels.filter(p => p.what === 'decision');
        shown.forEach(p => p.drawKey());
        if (this.showsDecisions)
            this.light();
        else if (shown.length)
            this.redraw();
    }

    // A node that was pinned from elsewhere comes into sight.
    reveal()
    {
        const {node} = this.state;
        for (const panel of node < 0 || !this.width ? [] : this.panels) {
            const camera = this.camera(panel), layer = this.layer(panel);
            const x = layer.x[node] / 65535, y = layer.y[node] / 65535;
            if (!camera.shows(x, y, this.width, this.height)) {
                Object.assign(camera, {x, y});
                this.stale = true;
            }
        }
        this.remark();
    }

    // The model whose places a panel shows.
    placeOf(panel)
    {
        if (this.places >= 0)
            return this.places;
        return this.data.array(panel.view, 'x') ? panel.view : this.placed[0];
    }

    camera(panel)
    {
        const of = this.placeOf(panel);
        if (!this.cameras.has(of))
            this.cameras.set(of, new Camera());
        return this.cameras.get(of);
    }

    // Models of one split have the same training nodes; the first of them stands for all.
    split(view)
    {
        return this.data.kept(`${view} split`, () => {
            const role = this.data.array(view, 'role');
            return this.data.views.findIndex((_, v) => {
                const other = this.data.array(v, 'role');
                return role.every((r, i) => (r === 0) === (other[i] === 0));
            });
        });
    }

    layer(panel)
    {
        const {data} = this, of = this.placeOf(panel), split = this.split(panel.view);
        const key = `${of} ${split}`;
        if (!this.layers.has(key))
            this.layers.set(key, new Layer(data.array(of, 'x'), data.array(of, 'y'),
                data.array(split, 'role').map(r => Number(this.rings && r === 0))));
        return this.layers.get(key);
    }

    // While a map moves, one pixel of the page is one of the map; a sharp picture follows at rest.
    resize(coarse)
    {
        const {map} = this.panels[0];
        if (!map.clientWidth || !map.clientHeight)
            return;
        this.coarse = coarse;
        this.ratio = coarse ? 1 : Math.min(window.devicePixelRatio || 1, 2);
        this.width = map.clientWidth;
        this.height = map.clientHeight;
        this.redraw();
    }

    moved()
    {
        clearTimeout(this.rest);
        if (!this.coarse && window.devicePixelRatio > 1)
            this.resize(true);
        this.rest = setTimeout(() => {
            if (this.coarse)
                this.resize(false);
        }, 150);
        this.hold();
        this.redraw();
    }

    // On a touch screen one finger scrolls the page over a map, unless the map can be moved.
    hold()
    {
        for (const p of this.panels)
            p.map.classList.toggle('held', this.selecting || !this.camera(p).fits);
    }

    zoom(panel, left, top, factor)
    {
        this.camera(panel).zoom(left, top, this.width, this.height, factor);
        this.moved();
    }

    pan(panel, dx, dy)
    {
        this.camera(panel).pan(dx, dy, this.width, this.height);
        this.moved();
    }

    reset()
    {
        this.cameras.forEach(c => c.reset());
        this.moved();
    }

    setPlaces(view)
    {
        this.places = view;
        this.redraw();
    }

    // The values at the ends of a panel's colours. At first they are those of all models, so that
    // a colour means the same in panels of two models; groups have none.
    rangeOf({view, what})
    {
        if (!this.data.views[view].measures.includes(what))
            return [0, 0];
        return this.common ? this.data.commonRange(what) : this.data.range(view, what);
    }

    setCommon(on)
    {
        this.common = on;
        this.panels.forEach(p => p.drawKey());
        this.redraw();
    }

    setRings(on)
    {
        this.rings = on;
        this.layers.clear();
        this.redraw();
    }

    setSelecting(on)
    {
        this.selecting = on;
        this.hold();
    }

    hover(node, panel, e)
    {
        if (node >= 0)
            this.card.show(panel, node, e.clientX, e.clientY);
        else
            this.card.hide();
        if (node === this.hovered)
            return;
        this.hovered = node;
        this.remark();
    }

    // Pins a node, or lets go of it when it is pinned already.
    pin(node)
    {
        if (node < 0)
            return;
        this.state.node = node === this.state.node ? -1 : node;
        this.state.emit('pin');
    }

    selectBox(panel, [left, top, w, h])
    {
        const layer = this.layer(panel), camera = this.camera(panel), found = [];
        for (let i = 0; i < layer.x.length; i++) {
            const [px, py] = layer.place(camera, i), x = px / layer.ratio, y = py / layer.ratio;
            if (x >= left && y >= top && x <= left + w && y <= top + h)
                found.push(i);
        }
        this.state.selected = found.length ? Uint32Array.from(found) : null;
        this.state.emit('select');
    }

    clear()
    {
        const {state} = this;
        this.marked = null;
        state.selected = null;
        state.emit('select');
        if (state.node >= 0) {
            state.node = -1;
            state.emit('pin');
        }
    }

    isHighlighted(what, view, group)
    {
        const m = this.marked;
        return Boolean(m) && m.what === what && m.group === group &&
            (what === 'class' || m.view === view);
    }

    highlight(what, view, group)
    {
        this.marked = this.isHighlighted(what, view, group) ? null : {what, view, group};
        this.light();
    }

    // What stands out: the selected nodes, of the class that is highlighted.
    light()
    {
        const {state, marked, data} = this;
        this.lit = null;
        if (this.showsDecisions)
            this.lit = data.decided.slice();
        if (state.selected || marked) {
            this.lit = new Uint8Array(data.nodes).fill(state.selected ? 0 : 1);
            if (state.selected)
                for (const i of state.selected)
                    this.lit[i] = 1;
            const groups = marked && groupsOf(data, marked.view, marked.what);
            for (let i = 0; groups && i < this.lit.length; i++)
                this.lit[i] &= Number(groups[i] === marked.group);
        }
        this.panels.forEach(p => p.markKey());
        this.redraw();
    }

    redraw()
    {
        this.stale = true;
        this.remark();
    }

    remark()
    {
        if (!this.waiting)
            this.waiting = requestAnimationFrame(() => this.paint());
    }

    paint()
    {
        cancelAnimationFrame(this.waiting);
        this.waiting = 0;
        if (!this.width)
            return;
        const shown = this.panels.filter(p => !p.hidden);
        if (this.stale)
            this.drawNodes(shown);
        this.stale = false;
        this.drawMarks(shown);
    }

    drawNodes(shown)
    {
        const w = Math.round(this.width * this.ratio), h = Math.round(this.height * this.ratio);
        const extra = ['--ring', '--dim'].map(name => packed(colours.style(name)));
        const drawn = new Set();
        for (const p of shown) {
            const layer = this.layer(p);
            if (!drawn.has(layer)) {
                layer.resize(w, h, this.ratio);
                layer.draw(this.camera(p), this.lit);
                drawn.add(layer);
            }
            p.scatter.resize(w, h, this.ratio);
            const table = nodeColours(this.data, p.view, p.what, this.rangeOf(p));
            table.set(extra, this.data.nodes);
            p.scatter.draw(layer, table);
        }
    }

    drawMarks(shown)
    {
        const {node} = this.state, ink = colours.style('--ink'), paper = colours.style('--paper');
        const neighbours = node < 0 ? [] : Array.from(this.data.neighbours(node));
        for (const panel of shown) {
            const {scatter, gestures} = panel, camera = this.camera(panel);
            const layer = this.layer(panel), place = i => layer.place(camera, i);
            scatter.clearMarks();
            if (node >= 0) {
                if (neighbours.length <= mostLines)
                    scatter.lines(place(node), neighbours.map(place), ink, paper);
                neighbours.forEach(i => scatter.ring(place(i), 4, 1, ink, paper));
                scatter.ring(place(node), 7, 2.5, ink, paper);
            }
            if (this.hovered >= 0 && this.hovered !== node)
                scatter.ring(place(this.hovered), 6, 1.5, ink, paper);
            if (gestures.box)
                scatter.box(gestures.box, ink);
        }
    }
}

// How many nodes are selected; the list of them is far below.
function mapStatus(state)
{
    const home = element('span', {class: 'note', role: 'status'});
    state.on('select', () => home.replaceChildren(state.selected
        ? element('a', {href: '#selection'}, `${counted(state.selected.length, 'node')} selected`)
        : ''));
    return home;
}

function mapTools(maps, state)
{
    const {data} = maps, button = (title, onclick) => element('button', {type: 'button', onclick},
        title);
    const select = button('Select by dragging', () => {
        maps.setSelecting(!maps.selecting);
        select.setAttribute('aria-pressed', String(maps.selecting));
    });
    select.setAttribute('aria-pressed', 'false');
    const rings = button('Rings around training nodes', () => {
        maps.setRings(!maps.rings);
        rings.setAttribute('aria-pressed', String(maps.rings));
    });
    rings.setAttribute('aria-pressed', String(maps.rings));
    const places = element('select', {onchange: () => maps.setPlaces(Number(places.value))},
        maps.placed.map(v => element('option', {value: v}, plain(data.viewName(v), 60))),
        element('option', {value: -1}, 'each model'));
    const scale = element('select', {onchange: () => maps.setCommon(scale.value === 'all')},
        element('option', {value: 'all'}, 'all models'),
        element('option', {value: 'own'}, 'each model'));
    return element('div', {class: 'tools'}, select, button('Show all', () => maps.reset()),
        button('Clear', () => maps.clear()), rings,
        maps.placed.length > 1 ? element('label', null, 'Layout from', places) : null,
        data.views.length > 1 ? element('label', null, 'Colour scale of', scale) : null,
        mapStatus(state));
}

function mapLead({of, dimensions, perplexity})
{
    const what = of === 'hidden layer' ? 'hidden representations' : plain(of);
    return element('p', {class: 'lead'}, `Nearby nodes have similar ${what}`,
        ` (t-SNE of ${counted(dimensions, 'dimension')}, perplexity ${perplexity}). `,
        element('span', {class: 'hint mouse'}, 'Scroll to zoom, drag to move, Shift-drag to ',
            'select, click a node to pin it.'),
        element('span', {class: 'hint touch'}, 'Pinch to zoom, touch a node to pin it.'));
}

// The section of the maps: panels, the node at the side, the selected nodes.
function drawMaps(data, state)
{
    const home = document.getElementById('maps'), placed = data.views.findIndex(v => v.embedding);
    const side = element('aside', {class: 'side', 'aria-label': 'Node'},
        makeSearch(data, state), makeNodePanel(data, state));
    const title = placed < 0 ? 'Nodes' : 'Maps';
    home.append(element('h2', null, title));
    document.querySelector('#nav a[href="#maps"]').textContent = title;
    if (placed < 0) {
        home.append(
            element('p', {class: 'lead'}, 'There is no map: it needs the hidden layer of a model, ',
                'which predictions alone do not have.'),
            element('div', {class: 'atlas bare'}, side));
    } else {
        const maps = new Maps(data, state);
        home.append(mapLead(data.views[placed].embedding), mapTools(maps, state),
            element('div', {class: 'atlas'}, maps.home, side));
        maps.resize(false);
    }
    home.append(makeSelection(data, state, placed < 0), makePinnedBar(data, state));
}
