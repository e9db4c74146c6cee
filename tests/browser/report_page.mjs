// A report page under test: opened, waited for, read, and pointed at as a reader would.
import assert from 'node:assert/strict';
import {shotPath, watch} from './browser.mjs';

// Runs in the page before its own scripts: notes when the page calls itself ready and has had
// a frame to show it, counted from the start of the navigation.
function noteReady()
{
    const observer = new MutationObserver(() => {
        if (document.documentElement.dataset.ready !== 'true')
            return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => { window.readyAfter = performance.now(); }));
    });
    observer.observe(document, {subtree: true, attributeFilter: ['data-ready']});
}

// For every canvas of a selector: a number that changes with any pixel (0 where there is
// none), and whether the canvas is in sight.
function printCanvases(selector)
{
    return [...document.querySelectorAll(selector)].map(canvas => {
        const box = canvas.getBoundingClientRect();
        let print = 0;
        if (canvas.width && canvas.height) {
            const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            print = 2166136261;
            for (const pixel of new Uint32Array(data.buffer)) {
                print = Math.imul(print ^ pixel, 16777619);
                print ^= print >>> 15;
            }
        }
        return {print, inSight: box.height > 0 && box.bottom > 0 && box.top < innerHeight};
    });
}

// For every canvas of a selector that is in sight: the commonest colour that is drawn, and its
// share of what is drawn.
function commonestColours(selector)
{
    return [...document.querySelectorAll(selector)].flatMap(canvas => {
        const box = canvas.getBoundingClientRect(), {width, height} = canvas, counts = new Map();
        if (!width || !height || box.bottom < 0 || box.top > innerHeight)
            return [];
        const {data} = canvas.getContext('2d').getImageData(0, 0, width, height);
        const drawn = new Uint32Array(data.buffer).filter(pixel => pixel >>> 24 === 255);
        for (const pixel of drawn)
            counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
        const [[colour, count]] = [...counts].sort((p, q) => q[1] - p[1]);
        return [{colour, share: count / drawn.length}];
    });
}

// How many colours one canvas shows besides the commonest, which share of it they cover, and
// which share those cover that are no shade of grey: axes and their numbers are grey.
function readColours([selector, at])
{
    const canvas = document.querySelectorAll(selector)[at], counts = new Map();
    if (!canvas.width || !canvas.height)
        return {colours: 0, covered: 0, vivid: 0};
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    for (const pixel of new Uint32Array(data.buffer))
        counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    const ground = Math.max(...counts.values());
    let vivid = 0;
    for (let at = 0; at < data.length; at += 4) {
        const rgb = [data[at], data[at + 1], data[at + 2]];
        vivid += data[at + 3] > 40 && Math.max(...rgb) - Math.min(...rgb) > 60 ? 1 : 0;
    }
    return {colours: counts.size - 1, covered: 1 - 4 * ground / data.length,
            vivid: 4 * vivid / data.length};
}

// Waits until what is in sight looks the same three frames later: it is drawn then.
async function waitForStillness(mostSeconds)
{
    const frames = n => new Promise(done => {
        requestAnimationFrame(() => n > 1 ? frames(n - 1).then(done) : done());
    });
    const look = () => {
        let print = 2166136261;
        for (const canvas of document.querySelectorAll('canvas')) {
            const box = canvas.getBoundingClientRect();
            if (!canvas.width || !canvas.height || box.bottom < 0 || box.top > innerHeight)
                continue;
            const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            for (const pixel of new Uint32Array(data.buffer))
                print = Math.imul(print ^ pixel, 16777619);
        }
        return print;
    };
    let before = null;
    for (const end = performance.now() + mostSeconds * 1000; performance.now() < end;) {
        await frames(3);
        const now = look();
        if (now === before)
            return true;
        before = now;
    }
    return false;
}

// Places of the screen where a map shows a node, spread over it.
function findSpots([selector, wanted])
{
    const canvas = document.querySelector(selector), box = canvas.getBoundingClientRect();
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const covered = [];
    for (let at = 3; at < data.length; at += 4)
        if (data[at] === 255)
            covered.push(at >> 2);
    return Array.from({length: covered.length ? wanted : 0}, (_, k) => {
        const pixel = covered[Math.floor((k + 0.5) * covered.length / wanted)];
        const column = pixel % canvas.width + 0.5, row = Math.floor(pixel / canvas.width) + 0.5;
        return {x: box.left + column * box.width / canvas.width,
                y: box.top + row * box.height / canvas.height};
    });
}

export class ReportPage
{
    constructor(page, url) { Object.assign(this, {page, url, seen: watch(page, url)}); }

    static async open(browser, url, options = {})
    {
        const context = await browser.newContext({
            viewport: {width: 1280, height: 1000}, reducedMotion: 'reduce', colorScheme: 'light',
            permissions: ['clipboard-read', 'clipboard-write'], ...options});
        const report = new ReportPage(await context.newPage(), url);
        await report.page.addInitScript(noteReady);
        await report.page.goto(url);
        const isReady = () => window.readyAfter !== undefined;
        await report.page.waitForFunction(isReady, null, {timeout: 20000})
            .catch(() => assert.fail('data-ready was not "true" within 20 s'));
        report.readyAfter = await report.page.evaluate(() => window.readyAfter);
        return report;
    }

    // What the page's own process has computed so far.
    async processorSeconds()
    {
        const session = await this.page.context().newCDPSession(this.page);
        await session.send('Performance.enable');
        const {metrics} = await session.send('Performance.getMetrics');
        await session.detach();
        return metrics.find(metric => metric.name === 'ProcessTime').value;
    }

    close() { return this.page.context().close(); }

    count(selector)
    {
        return this.page.evaluate(s => document.querySelectorAll(s).length, selector);
    }

    texts(selector)
    {
        return this.page.evaluate(s =>
            [...document.querySelectorAll(s)].map(e => e.textContent), selector);
    }

    async text(selector) { return (await this.texts(selector)).join(' '); }

    press(name, within = '')
    {
        return this.page.click(`${within} button:text-is("${name}")`, {timeout: 3000});
    }

    // ---- pixels

    canvases(selector) { return this.page.evaluate(printCanvases, selector); }

    commonest(selector) { return this.page.evaluate(commonestColours, selector); }

    colours(selector, at) { return this.page.evaluate(readColours, [selector, at]); }

    async prints(selector) { return (await this.canvases(selector)).map(c => c.print); }

    async settle()
    {
        const still = await this.page.evaluate(waitForStillness, 5);
        assert.ok(still, 'the page does not stop drawing');
    }

    async show(selector, at = 0)
    {
        await this.page.evaluate(([s, k]) =>
            document.querySelectorAll(s)[k].scrollIntoView({block: 'center'}), [selector, at]);
        await this.settle();
    }

    async shoot(...parts)
    {
        await this.page.evaluate(() => scrollTo(0, 0));
        await this.settle();
        await this.page.screenshot({path: shotPath(this.url, ...parts)});
    }

    spots(selector, wanted) { return this.page.evaluate(findSpots, [selector, wanted]); }

    // ---- the pointer

    async moveTo({x, y})
    {
        await this.page.mouse.move(x, y);
        await this.settle();
    }

    async moveAway() { await this.moveTo({x: 2, y: 500}); }

    async drag(from, to, key)
    {
        const {keyboard, mouse} = this.page;
        await mouse.move(from.x, from.y);
        if (key)
            await keyboard.down(key);
        await mouse.down();
        await mouse.move(to.x, to.y, {steps: 6});
        await mouse.up();
        if (key)
            await keyboard.up(key);
        await this.settle();
    }

    box(selector)
    {
        return this.page.evaluate(s =>
            document.querySelector(s).getBoundingClientRect().toJSON(), selector);
    }
}

// What the page was made from, read without its own scripts.
export async function readData(report)
{
    const [about, base64] = await report.page.evaluate(() => [
        JSON.parse(document.getElementById('about').textContent),
        document.getElementById('numbers').textContent.trim()]);
    const block = Buffer.from(base64, 'base64'), sizes = {u8: 1, u16: 2, u32: 4};
    const arrays = {};
    for (const {name, kind, offset, length} of about.arrays)
        arrays[name] = Array.from({length}, (_, i) =>
            block.readUIntLE(offset + i * sizes[kind], sizes[kind]));
    const nodes = about.graph?.nodes ?? 0, names = about.graph?.names;
    return {about, arrays, nodes, ids: Array.from({length: nodes}, (_, i) => i),
            name: node => names?.[node] || String(node)};
}
