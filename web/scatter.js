'use strict';
// A map of nodes: discs written into the pixels of a canvas, and beside every pixel the node it
// shows, so that hovering is one look-up. No GPU is asked for: every browser draws the same, and
// without one this is faster than WebGL.

// Room around the picture, so that a disc at its edge needs no clipping; no disc is larger.
const margin = 24;
// Marks a pixel of the ring around a training node.
const ringBit = 1 << 30;
const fitScale = 0.94;

// What part of a map is in sight: its middle (0..1) and how much larger it is than the panel.
class Camera
{
    constructor() { this.reset(); }

    reset()
    {
        this.x = this.y = 0.5;
        this.scale = fitScale;
    }

    get fits() { return this.scale <= fitScale; }

    // Keeps what lies under (left, top) of a panel w wide and h high where it is.
    zoom(left, top, w, h, factor)
    {
        const side = Math.min(w, h);
        const scale = Math.min(200, Math.max(fitScale, this.scale * factor));
        this.x += (left - w / 2) / side * (1 / this.scale - 1 / scale);
        this.y += (top - h / 2) / side * (1 / this.scale - 1 / scale);
        this.scale = scale;
        this.keepNear();
    }

    // Whether a place of the map is in sight.
    shows(x, y, w, h)
    {
        const side = Math.min(w, h) * this.scale;
        return Math.abs(x - this.x) * side < w / 2 && Math.abs(y - this.y) * side < h / 2;
    }

    pan(dx, dy, w, h)
    {
        const side = Math.min(w, h) * this.scale;
        this.x -= dx / side;
        this.y -= dy / side;
        this.keepNear();
    }

    // A map that was pushed out of sight is hard to find again.
    keepNear()
    {
        this.x = Math.min(1, Math.max(0, this.x));
        this.y = Math.min(1, Math.max(0, this.y));
    }
}

// Offsets of the pixels of a disc with a ring of a given width around it; those that are covered
// in part (0..255) apart from the others.
function disc(radius, ring, stride)
{
    const inner = [], rim = [], cover = [], around = [], reach = Math.ceil(radius + ring) + 1;
    for (let y = -reach; y <= reach; y++)
        for (let x = -reach; x <= reach; x++) {
            const far = Math.hypot(x, y), at = y * stride + x;
            const part = Math.min(1, Math.max(0, radius + ring + 0.5 - far));
            if (part <= 0.05)
                continue;
            if (ring && far > radius + 0.25)
                around.push(at);
            if (part > 0.95) {
                inner.push(at);
            } else {
                rim.push(at);
                cover.push(part * 255);
            }
        }
    return {inner: Int32Array.from(inner), rim: Int32Array.from(rim),
            cover: Uint8Array.from(cover), around: Int32Array.from(around)};
}

// Which node every pixel shows and how much of it: found once for all panels that share places,
// size and training nodes; a panel then only looks up its colours.
class Layer
{
    constructor(x, y, train)
    {
        Object.assign(this, {x, y, train, w: 0, h: 0, ratio: 1});
        this.radius = Math.min(2.6, Math.max(1.2, 115 / Math.sqrt(x.length)));
    }

    resize(w, h, ratio)
    {
        if (w === this.w && h === this.h && ratio === this.ratio)
            return;
        Object.assign(this, {w, h, ratio, stride: w + 2 * margin});
        this.nodes = new Int32Array(this.stride * (h + 2 * margin));
        this.cover = new Uint8Array(this.nodes.length);
        this.spots = new Uint32Array(w * h);
        this.colour = new Uint32Array(w * h);
        this.alpha = new Uint32Array(w * h);
    }

    // The place of a node in pixels.
    place(camera, node)
    {
        const size = Math.min(this.w, this.h) * camera.scale;
        return [this.w / 2 + (this.x[node] / 65535 - camera.x) * size,
                this.h / 2 + (this.y[node] / 65535 - camera.y) * size];
    }

    stamp(node, at, shape)
    {
        const {nodes, cover} = this, {inner, rim} = shape;
        for (let k = 0; k < inner.length; k++) {
            nodes[at + inner[k]] = node;
            cover[at + inner[k]] = 255;
        }
        for (let k = 0; k < rim.length; k++) {
            const pixel = at + rim[k], part = shape.cover[k];
            if (part > cover[pixel] || part > 127)
                nodes[pixel] = node;
            if (part > cover[pixel])
                cover[pixel] = part;
        }
        for (let k = 0; k < shape.around.length; k++)
            if (nodes[at + shape.around[k]] === node)
                nodes[at + shape.around[k]] = node | ringBit;
    }

    // Stamps the nodes for which wanted(node) holds.
    pass(camera, shape, wanted)
    {
        const {x, y, w, h, stride} = this, size = Math.min(w, h) * camera.scale;
        const left = w / 2 - camera.x * size, top = h / 2 - camera.y * size, step = size / 65535;
        for (let i = 0; i < x.length; i++) {
            const px = left + x[i] * step, py = top + y[i] * step;
            if (px >= 0 && py >= 0 && px < w && py < h && wanted(i))
                this.stamp(i, ((py | 0) + margin) * stride + (px | 0) + margin, shape);
        }
    }

    // `lit` marks the nodes that stand out, or is null when all do; they are drawn over the
    // others, and training nodes over all, since they are few and everything else follows them.
    draw(camera, lit)
    {
        const {train, ratio, stride} = this;
        const radius = Math.min(5, this.radius * Math.sqrt(camera.scale / fitScale)) * ratio;
        const small = disc(radius, 0, stride);
        // The colour takes most of the disc, the ring the rest.
        const large = disc(radius * 1.2 + 0.75 * ratio, 0.75 * ratio, stride);
        this.nodes.fill(-1);
        this.cover.fill(0);
        if (lit) {
            this.pass(camera, small, i => !lit[i]);
            this.pass(camera, small, i => lit[i] && !train[i]);
            this.pass(camera, large, i => lit[i] && train[i]);
        } else {
            this.pass(camera, small, i => !train[i]);
            this.pass(camera, large, i => train[i]);
        }
        this.list(lit);
    }

    // Lists the covered pixels: where each is, its place in a table of colours, and its alpha as
    // the top byte. The many panels then need not look at empty pixels nor decide anything.
    list(lit)
    {
        const {nodes, cover, spots, colour, alpha, w, h} = this, ring = this.x.length;
        let n = 0;
        for (let row = 0; row < h; row++) {
            const from = (row + margin) * this.stride + margin;
            for (let column = 0; column < w; column++) {
                const node = nodes[from + column];
                if (node < 0)
                    continue;
                const i = node & ~ringBit;
                spots[n] = row * w + column;
                colour[n] = lit && !lit[i] ? ring + 1 : node & ringBit ? ring : i;
                alpha[n++] = cover[from + column] << 24;
            }
        }
        this.covered = n;
    }

    // The node nearest to a place of the panel (in CSS pixels), -1 if none is within reach.
    at(left, top)
    {
        const px = left * this.ratio | 0, py = top * this.ratio | 0, reach = 6 * this.ratio;
        let best = -1, bestSquare = reach * reach + 1;
        for (let v = Math.max(0, py - reach); v <= Math.min(this.h - 1, py + reach); v++)
            for (let u = Math.max(0, px - reach); u <= Math.min(this.w - 1, px + reach); u++) {
                const node = this.nodes[(v + margin) * this.stride + u + margin];
                const square = (u - px) ** 2 + (v - py) ** 2;
                if (node >= 0 && square < bestSquare) {
                    best = node & ~ringBit;
                    bestSquare = square;
                }
            }
        return best;
    }
}

// The canvases of one panel: the nodes, and over them what changes with the pointer.
class Scatter
{
    constructor(home)
    {
        this.home = home;
        this.base = home.appendChild(document.createElement('canvas'));
        this.over = home.appendChild(document.createElement('canvas'));
        this.context = this.base.getContext('2d');
        this.marks = this.over.getContext('2d');
    }

    resize(w, h, ratio)
    {
        this.ratio = ratio;
        if (this.w === w && this.h === h)
            return;
        Object.assign(this, {w, h});
        this.base.width = this.over.width = w;
        this.base.height = this.over.height = h;
        this.image = new ImageData(w, h);
        this.pixels = new Uint32Array(this.image.data.buffer);
    }

    // table: the colours of the nodes without alpha, then that of rings and that of nodes which
    // do not stand out.
    draw(layer, table)
    {
        const {pixels} = this, {spots, colour, alpha, covered} = layer;
        pixels.fill(0);
        for (let k = 0; k < covered; k++)
            pixels[spots[k]] = table[colour[k]] | alpha[k];
        this.context.putImageData(this.image, 0, 0);
    }

    clearMarks() { this.marks.clearRect(0, 0, this.w, this.h); }

    // Strokes the path with a rim of the paper's colour: seen on any crowd of nodes.
    outlined(width, ink, paper)
    {
        const c = this.marks;
        c.strokeStyle = paper;
        c.globalAlpha = 0.75;
        c.lineWidth = (width + 2) * this.ratio;
        c.stroke();
        c.strokeStyle = ink;
        c.globalAlpha = 1;
        c.lineWidth = width * this.ratio;
        c.stroke();
    }

    ring([x, y], radius, width, ink, paper)
    {
        this.marks.beginPath();
        this.marks.arc(x, y, radius * this.ratio, 0, 2 * Math.PI);
        this.outlined(width, ink, paper);
    }

    lines(from, ends, ink, paper)
    {
        const c = this.marks;
        c.beginPath();
        for (const end of ends) {
            c.moveTo(...from);
            c.lineTo(...end);
        }
        this.outlined(1, ink, paper);
    }

    box(corners, ink)
    {
        const c = this.marks, [left, top, w, h] = corners.map(v => v * this.ratio);
        c.setLineDash([4 * this.ratio, 3 * this.ratio]);
        c.strokeStyle = ink;
        c.lineWidth = this.ratio;
        c.strokeRect(left, top, w, h);
        c.setLineDash([]);
    }
}

// What pointer, wheel and keys do on one panel.
class Gestures
{
    constructor(maps, panel)
    {
        Object.assign(this, {maps, panel, fingers: new Map(), from: null, box: null, far: 0});
        const {map} = panel, on = (name, fn, how) => map.addEventListener(name, fn, how);
        on('wheel', e => this.wheel(e), {passive: false});
        on('pointerdown', e => this.down(e));
        on('pointermove', e => this.move(e));
        on('pointerup', e => this.up(e, true));
        on('pointercancel', e => this.up(e, false));
        on('pointerleave', () => maps.hover(-1));
        on('dblclick', e => maps.zoom(panel, ...this.spot(e), e.shiftKey ? 0.5 : 2));
        on('keydown', e => this.key(e));
    }

    spot(e)
    {
        const r = this.panel.map.getBoundingClientRect();
        return [e.clientX - r.left, e.clientY - r.top];
    }

    // A page that is being scrolled goes on scrolling when a map comes under the pointer, and a
    // map that is whole in sight leaves the wheel to the page when it cannot become smaller.
    wheel(e)
    {
        const {maps} = this, now = performance.now();
        const step = Math.max(-200, Math.min(200, e.deltaMode ? 16 * e.deltaY : e.deltaY));
        const scrolls = now - maps.scrolled < 250 || step > 0 && maps.camera(this.panel).fits;
        if (scrolls && !e.ctrlKey) {
            maps.scrolled = now;
            return;
        }
        e.preventDefault();
        maps.zoom(this.panel, ...this.spot(e), Math.exp(-0.002 * step));
    }

    down(e)
    {
        if (e.button > 0)
            return;
        this.panel.map.setPointerCapture(e.pointerId);
        this.fingers.set(e.pointerId, this.spot(e));
        this.far = 0;
        this.from = this.fingers.size === 1 && (this.maps.selecting || e.shiftKey) ? this.spot(e)
                                                                                   : null;
    }

    move(e)
    {
        const {maps, panel} = this, before = this.fingers.get(e.pointerId), now = this.spot(e);
        if (!before) {
            if (e.pointerType !== 'touch')
                maps.hover(maps.layer(panel).at(...now), panel, e);
            return;
        }
        this.far += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
        // A finger or hand is never quite still: a click may wander by a few pixels.
        if (this.far < 5)
            return;
        this.fingers.set(e.pointerId, now);
        maps.hover(-1);
        if (this.from)
            this.brush(now);
        else if (this.fingers.size === 2)
            this.pinch(e.pointerId, before, now);
        else
            maps.pan(panel, now[0] - before[0], now[1] - before[1]);
    }

    brush([x, y])
    {
        const [ax, ay] = this.from;
        this.box = [Math.min(ax, x), Math.min(ay, y), Math.abs(x - ax), Math.abs(y - ay)];
        this.maps.remark();
    }

    pinch(id, before, now)
    {
        const other = [...this.fingers].find(([finger]) => finger !== id)[1];
        const far = p => Math.max(1, Math.hypot(p[0] - other[0], p[1] - other[1]));
        this.maps.pan(this.panel, (now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
        this.maps.zoom(this.panel, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2,
            far(now) / far(before));
    }

    up(e, done)
    {
        const {maps, panel} = this, known = this.fingers.delete(e.pointerId), {box} = this;
        this.from = this.box = null;
        if (!done || !known)
            maps.remark();
        else if (box)
            maps.selectBox(panel, box);
        else if (this.far < 5)
            maps.pin(maps.layer(panel).at(...this.spot(e)));
    }

    key(e)
    {
        const {maps, panel} = this, w = maps.width, h = maps.height, step = 0.15 * Math.min(w, h);
        const does = {
            ArrowLeft: () => maps.pan(panel, step, 0), ArrowRight: () => maps.pan(panel, -step, 0),
            ArrowUp: () => maps.pan(panel, 0, step), ArrowDown: () => maps.pan(panel, 0, -step),
            '+': () => maps.zoom(panel, w / 2, h / 2, 1.4),
            '=': () => maps.zoom(panel, w / 2, h / 2, 1.4),
            '-': () => maps.zoom(panel, w / 2, h / 2, 1 / 1.4),
            0: () => maps.reset(), s: () => maps.selectBox(panel, [0, 0, w, h]),
            Escape: () => maps.clear(),
        }[e.key];
        if (!does || e.ctrlKey || e.metaKey || e.altKey)
            return;
        e.preventDefault();
        does();
    }
}
