'use strict';
// Puts the page together: the state that its parts share, the bar at the top, the summary.

// view: the model that is looked at; node: the pinned node or -1; selected: the brushed nodes.
// Events: 'view', 'pin', 'select', 'theme'; emit after setting the value.
function makeState()
{
    const heard = {};
    return {
        view: 0,
        node: -1,
        selected: null,
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

function drawFigures(graph)
{
    const figure = (name, value) =>
        element('div', null, element('dt', null, name), element('dd', null, value));
    return element('dl', {class: 'figures'},
        figure('nodes', count(graph.nodes)), figure('edges', count(graph.edges)),
        graph.features ? figure('features', count(graph.features)) : null,
        figure('classes', count(graph.classes.length)));
}

// How well a measure finds what it should in the task of the model, as AUROC.
function auroc(view)
{
    const task = view.detection && view.detection[view.task];
    const found = task && task.measures.find(m => m.measure === view.recommended);
    return found ? `${percent(found.auroc)} (${view.recommended})` : '–';
}

function drawModels(data)
{
    const columns = ['Accuracy', 'Brier', 'NLL', 'ECE', 'Detection, AUROC'];
    const taskTitles = {ood: 'out-of-distribution', misclassification: 'misclassification'};
    const row = view => {
        const q = view.quality, cells = [percent(q.accuracy), decimal(q.brier), decimal(q.nll),
                                         percent(q.ece), auroc(view)];
        return element('tr', null,
            element('th', {scope: 'row'}, text(view.model)),
            element('td', null, taskTitles[view.task] || text(view.task)),
            element('td', {class: 'number'}, String(view.seed)),
            cells.map(c => element('td', {class: 'number'}, c)));
    };
    return element('div', {class: 'scroll'}, element('table', null,
        element('thead', null, element('tr', null,
            element('th', {scope: 'col'}, 'Model'), element('th', {scope: 'col'}, 'Task'),
            element('th', {scope: 'col', class: 'number'}, 'Seed'),
            columns.map(c => element('th', {scope: 'col', class: 'number'}, c)))),
        element('tbody', null, data.views.map(row))));
}

function drawSummary(data)
{
    const {title, summary, graph} = data.about;
    document.title = `${plain(title)} – opine report`;
    const home = document.getElementById('summary');
    home.append(element('h1', null, text(title, 200)));
    home.append(...summary.map(s => element('p', null, text(s, 1000))));
    if (graph)
        home.append(drawFigures(graph));
    if (data.views.length)
        home.append(drawModels(data));
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
    drawSummary(data);
    makeModelChoice(data, state);
    if (data.views.length)
        drawMaps(data, state);
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
    drawCharts();
    state.on('theme', drawCharts);
    state.on('view', drawCharts);
    hideEmpty();
    // The first frame tells which maps are in sight, the second draws them.
    const next = fn => requestAnimationFrame(() => setTimeout(fn));
    next(() => next(() => {
        document.documentElement.dataset.ready = 'true';
        performance.mark('ready');
    }));
}

start();
