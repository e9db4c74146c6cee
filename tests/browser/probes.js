'use strict';
// What tests ask of a page, by name: each function runs in the page and returns plain values.

// ---- canvases

function pixelsOf(canvas)
{
    if (!canvas.width || !canvas.height)
        return new Uint8ClampedArray(0);
    return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
}

function countColours(data)
{
    const counts = new Map();
    for (const pixel of new Uint32Array(data.buffer))
        counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    return counts;
}

// A number that changes with any pixel; 0 where there is none.
function printOf(data)
{
    let print = data.length ? 2166136261 : 0;
    for (const pixel of new Uint32Array(data.buffer)) {
        print = Math.imul(print ^ pixel, 16777619);
        print ^= print >>> 15;
    }
    return print;
}

function isInSight(canvas)
{
    const box = canvas.getBoundingClientRect();
    return box.height > 0 && box.bottom > 0 && box.top < innerHeight;
}

function printCanvases(selector)
{
    return [...document.querySelectorAll(selector)].map(canvas =>
        ({print: printOf(pixelsOf(canvas)), inSight: isInSight(canvas)}));
}

// For every canvas of a selector that is in sight: the commonest colour that is drawn, and its
// share of what is drawn.
function commonestColours(selector)
{
    return [...document.querySelectorAll(selector)].filter(isInSight).map(canvas => {
        const drawn = new Uint32Array(pixelsOf(canvas).buffer)
            .filter(pixel => pixel >>> 24 === 255);
        const [[colour, count]] = [...countColours(drawn)].sort((p, q) => q[1] - p[1]);
        return {colour, share: count / drawn.length};
    });
}

// How many colours there are besides the commonest, and which share of the pixels they cover.
function readCover(data)
{
    const counts = countColours(data), ground = Math.max(...counts.values());
    return {colours: counts.size - 1, covered: 1 - 4 * ground / data.length};
}

// The same of one canvas, and which share is no shade of grey, as axes and their numbers are.
function readColours(selector, at)
{
    const data = pixelsOf(document.querySelectorAll(selector)[at]);
    if (!data.length)
        return {colours: 0, covered: 0, vivid: 0};
    let vivid = 0;
    for (let k = 0; k < data.length; k += 4) {
        const rgb = [data[k], data[k + 1], data[k + 2]];
        vivid += data[k + 3] > 40 && Math.max(...rgb) - Math.min(...rgb) > 60 ? 1 : 0;
    }
    return {...readCover(data), vivid: 4 * vivid / data.length};
}

async function readPicture(source)
{
    const picture = new Image();
    picture.src = source;
    await picture.decode();
    const canvas = document.createElement('canvas');
    canvas.width = picture.naturalWidth;
    canvas.height = picture.naturalHeight;
    canvas.getContext('2d').drawImage(picture, 0, 0);
    return readCover(pixelsOf(canvas));
}

async function waitForFrames(n)
{
    for (let k = 0; k < n; k++)
        await new Promise(done => { requestAnimationFrame(done); });
}

// Waits until what is in sight looks the same three frames later: it is drawn then.
async function waitForStillness(mostSeconds)
{
    const look = () => [...document.querySelectorAll('canvas')].filter(isInSight)
        .map(canvas => printOf(pixelsOf(canvas))).join();
    let before = null;
    for (const end = performance.now() + mostSeconds * 1000; performance.now() < end;) {
        await waitForFrames(3);
        const now = look();
        if (now === before)
            return true;
        before = now;
    }
    return false;
}

// Places of the screen where a map shows a node, spread over it.
function findSpots(selector, wanted)
{
    const canvas = document.querySelector(selector), box = canvas.getBoundingClientRect();
    const data = pixelsOf(canvas), covered = [];
    for (let at = 3; at < data.length; at += 4)
        if (data[at] === 255)
            covered.push(at >> 2);
    return Array.from({length: covered.length ? wanted : 0}, (_, k) => {
        const pixel = covered[Math.floor((k + 0.5) * covered.length / wanted)];
        const column = pixel % canvas.width + 0.5;
        const row = Math.floor(pixel / canvas.width) + 0.5;
        return {x: box.left + column * box.width / canvas.width,
                y: box.top + row * box.height / canvas.height};
    });
}

// ---- elements

function countOf(selector) { return document.querySelectorAll(selector).length; }

function countWithin(selector, inner)
{
    return [...document.querySelectorAll(selector)].map(e => e.querySelectorAll(inner).length);
}

function textsOf(selector)
{
    return [...document.querySelectorAll(selector)].map(e => e.textContent);
}

function isHidden(selector)
{
    const element = document.querySelector(selector);
    return !element || element.hidden || element.getClientRects().length === 0;
}

function boxOf(selector)
{
    const {x, y, width, height} = document.querySelector(selector).getBoundingClientRect();
    return {x, y, width, height};
}

function show(selector, at)
{
    document.querySelectorAll(selector)[at].scrollIntoView({block: 'center'});
}

// The middle of the first element, with these words when given, once it can be hit: in sight,
// at rest, enabled, and covered by nothing. null before.
async function findTarget(selector, words)
{
    const target = [...document.querySelectorAll(selector)].find(e =>
        e.getClientRects().length && (words === null || e.textContent.trim() === words));
    if (!target || target.disabled)
        return null;
    target.scrollIntoViewIfNeeded();
    const box = target.getBoundingClientRect();
    await waitForFrames(2);
    const now = target.getBoundingClientRect();
    const x = now.left + now.width / 2, y = now.top + now.height / 2;
    const rests = box.left === now.left && box.top === now.top;
    return rests && target.contains(document.elementFromPoint(x, y)) ? {x, y} : null;
}

function focus(selector) { document.querySelector(selector).focus(); }

function selectField(selector)
{
    const field = document.querySelector(selector);
    field.focus();
    field.select();
}

function optionsOf(selector)
{
    return [...document.querySelector(selector).options].map(option => option.value);
}

function choose(selector, value)
{
    const select = document.querySelector(selector);
    select.value = value;
    for (const event of ['input', 'change'])
        select.dispatchEvent(new Event(event, {bubbles: true}));
}

// ---- a report page

// What the page was made from. cells: every value of its tables as JavaScript writes it.
function readData()
{
    const about = JSON.parse(document.getElementById('about').textContent);
    const valueOf = cell => cell !== null && typeof cell === 'object' ? cell.mean : cell;
    const written = cell => String(valueOf(cell) ?? '');
    const cells = about.tables.map(table => table.rows.map(row => row.map(written)));
    return {about, cells, numbers: document.getElementById('numbers').textContent.trim()};
}

// A unit of work, by which that of a page can be judged on any machine.
function exert()
{
    let sum = 0;
    for (let k = 0; k < 2e8; k++)
        sum = Math.imul(sum ^ k, 16777619);
    return sum;
}

// Elements and attributes that only a name taken for markup could have brought.
function findStrangers()
{
    const strangers = 'img:not(#images img), iframe, object, embed, video, audio, form, base, b, i, bdi *, ' +
        'main script, main style, [onerror], [onload], [onclick], a[href]:not([href^="#"])';
    return [...document.querySelectorAll(strangers)].map(e => e.outerHTML.slice(0, 80));
}

// ---- a figure

// Elements that run, embed or fetch, attributes that run, and addresses outside the file.
function findActive()
{
    const active = ['script', 'foreignobject', 'iframe', 'object', 'embed', 'audio', 'video',
        'animate', 'set', 'handler', 'a'];
    const found = [], outside = /@import|url\((?!["']?(#|data:))/i;
    for (const element of document.querySelectorAll('*')) {
        if (active.includes(element.localName.toLowerCase()))
            found.push(`<${element.localName}>`);
        for (const {localName, value} of element.attributes) {
            const leads = localName === 'href' && !/^(#|data:image\/)/.test(value);
            if (/^on/i.test(localName) || leads)
                found.push(`${localName}="${value.slice(0, 40)}"`);
        }
        if (element.localName === 'style' && outside.test(element.textContent))
            found.push('an address in <style>');
    }
    return found;
}

// Texts that reach over the edge of the picture, where a document would cut them off.
function findCutTexts()
{
    const frame = document.documentElement.getBoundingClientRect();
    return [...document.querySelectorAll('text')].filter(text => {
        const box = text.getBoundingClientRect();
        return box.left < frame.left - 1 || box.top < frame.top - 1 ||
            box.right > frame.right + 1 || box.bottom > frame.bottom + 1;
    }).map(text => text.textContent.slice(0, 40));
}

// ---- the policy

// Tries every way in and out of a page. What is refused is noted in window.refused.
function attack(address)
{
    window.refused = [];
    document.addEventListener('securitypolicyviolation', ({effectiveDirective, blockedURI}) =>
        window.refused.push([effectiveDirective, blockedURI.replace(address, '')]));
    const add = (tag, attributes) =>
        document.body.append(Object.assign(document.createElement(tag), attributes));
    add('script', {textContent: 'window.ranInline = 1'});
    add('script', {src: `${address}/script`});
    add('div', {innerHTML: '<b id="trap" onclick="window.ranHandler = 1">x</b>'});
    document.getElementById('trap').click();
    add('img', {src: `${address}/image`});
    add('iframe', {src: `${address}/frame`});
    navigator.sendBeacon(`${address}/beacon`);
    fetch(`${address}/fetch`, {mode: 'no-cors'}).catch(() => {});
    // What a test evaluates may call eval itself; what a timer calls is bound by the policy.
    setTimeout(() => {
        try {
            (0, eval)('window.ranEval = 1');
        } catch {
            // Refused, as it should be.
        }
    });
}

function whatRan()
{
    return ['ranInline', 'ranHandler', 'ranEval', 'ranFetched'].filter(name => window[name]);
}

// ---- the first screen

// Names, values and notes of a list of figures.
function readFigures(selector)
{
    return [...document.querySelector(selector).children].filter(e => !e.hidden)
        .map(e => [...e.children].map(c => c.textContent));
}

function slide(selector, position)
{
    const slider = document.querySelector(selector);
    slider.value = position;
    slider.dispatchEvent(new Event('input', {bubbles: true}));
}

// What the page has decided, with all digits, from the command that it shows.
function exposeDecision()
{
    window.decisionOfPage = () => {
        const measure = document.querySelector('.decide select').value;
        const words = document.querySelector('.next .command code').textContent;
        const given = words.match(/--abstain-above \w+=([-\d.e+]+)/);
        const [view, promise] = [JSON.parse(document.getElementById('about').textContent).views[0],
                                 words.match(/--target-accuracy ([\d.]+)/)];
        if (given)
            return {measure, threshold: Number(given[1])};
        const {arrays} = JSON.parse(document.getElementById('about').textContent);
        const at = arrays.find(a => a.name === '0.thresholds');
        const {targets} = view.promises, k = view.measures.indexOf(measure) * targets.length +
            targets.indexOf(Number(promise[1]));
        const bytes = Uint8Array.from(atob(document.getElementById('numbers').textContent.trim()),
            c => c.charCodeAt(0));
        return {measure, threshold: new DataView(bytes.buffer).getFloat32(at.offset + 4 * k, true)};
    };
}

async function timeOf(name)
{
    const start = performance.now();
    await {exert}[name]();
    return performance.now() - start;
}

// Milliseconds from a step of the slider until its picture is painted.
async function timeOfSlide(selector, position)
{
    await waitForFrames(2);
    const start = performance.now();
    slide(selector, position);
    await new Promise(done => { requestAnimationFrame(() => setTimeout(done)); });
    return performance.now() - start;
}

// Which elements are not wholly within the window.
function whatIsInSight(selector)
{
    const outside = [...document.querySelectorAll(selector)].filter(e => {
        const box = e.getBoundingClientRect();
        return box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth;
    });
    return {outside: outside.map(e => e.textContent.slice(0, 40) || e.className)};
}
