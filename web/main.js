'use strict';
// Puts the page together: the state that its parts share, and the bar at the top.

// view: the model that is looked at; node: the pinned node or -1; selected: the brushed nodes;
// decision: {measure, threshold, target, why}, and isMoved when the reader has set it.
// server: of the page, or null for a file; it shows other data, after which it emits 'data'.
// Events: 'view', 'pin', 'select', 'decide', 'theme', 'data'; emit after setting the value.
function makeState()
{
    const heard = {};
    return {
        view: 0,
        node: -1,
        selected: null,
        decision: null,
        isMoved: false,
        server: null,
        theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
        on(event, fn) { (heard[event] = heard[event] || []).push(fn); },
        emit(event) { (heard[event] || []).forEach(fn => fn()); },
    };
}

function setTheme(state, theme)
{
    state.theme = theme;
    document.documentElement.dataset.theme = theme;
    document.getElementById('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
    state.emit('theme');
}

function listenTheme(state)
{
    const other = () => state.theme === 'dark' ? 'light' : 'dark';
    document.getElementById('theme').addEventListener('click', () => setTheme(state, other()));
    // Paper is white: what canvases hold must be drawn for it.
    let before = null;
    addEventListener('beforeprint', () => {
        before = state.theme;
        setTheme(state, 'light');
    });
    addEventListener('afterprint', () => before && setTheme(state, before));
}

function makeModelChoice(data, state)
{
    const select = document.getElementById('view');
    document.getElementById('model').hidden = data.views.length < 2;
    select.append(...data.views.map((_, v) =>
        element('option', {value: v}, plain(data.viewName(v), 60))));
    select.addEventListener('change', () => {
        state.view = Number(select.value);
        state.emit('view');
    });
}

// A section without content is not shown, nor is the way to it.
function hideEmpty()
{
    for (const link of document.querySelectorAll('#nav a')) {
        const section = document.querySelector(link.getAttribute('href'));
        section.hidden = link.hidden = section.childElementCount === 0;
    }
}

function start()
{
    const data = load(), state = makeState();
    setTheme(state, state.theme);
    // Before the maps, which draw themselves for the printer in the theme that this sets.
    listenTheme(state);
    drawVerdict(data, state);
    makeModelChoice(data, state);
    state.server = drawLive(data, state);
    if (data.views.length) {
        drawCompare(data);
        state.on('data', () => drawCompare(data));
        drawQueue(data, state);
        drawMaps(data, state);
    }
    drawTables(data);
    drawRun(data);
    const drawCharts = () => {
        if (!data.views.length)
            return;
        drawImages(data, state);
        drawSimplex(data, state);
        drawCurves(data, state);
        drawTraining(data, state);
    };
    drawGlossary();
    drawCharts();
    state.on('theme', drawCharts);
    state.on('view', drawCharts);
    hideEmpty();
    if (data.views.length) {
        state.emit('decide');
        keepLinks(data, state);
    }
    if (state.server)
        state.server.resume();
    // The first frame tells which maps are in sight, the second draws them.
    const next = fn => requestAnimationFrame(() => setTimeout(fn));
    next(() => next(() => {
        document.documentElement.dataset.ready = 'true';
        performance.mark('ready');
    }));
}

start();
