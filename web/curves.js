'use strict';
// The charts: detection curves, risk, calibration, histograms and training. Each is a set of lines
// over linear axes (bars are outlines of lines), so one factory, addChart, serves them all.

const chartDashes = [[], [9, 4], [2, 3], [10, 3, 2, 3], [5, 2], [14, 4, 2, 4], [1, 2],
                     [6, 2, 2, 2, 2, 2]];
const measurePhrases = {
    vacuity: 'vacuity, the lack of evidence,',
    dissonance: 'dissonance, the conflict between classes,',
    aleatoric: 'aleatoric uncertainty, the noise in the data,',
    epistemic: 'epistemic uncertainty, the uncertainty of the model itself,',
    entropy: 'entropy, the total uncertainty of the prediction,',
    fused: 'fused vacuity, the lack of evidence around a node,',
    margin: 'margin, how close another class comes around a node,',
};
const chartOrder = Object.keys(measurePhrases);
const chartTasks = {
    misclassification: {title: 'Misclassification detection', what: 'certain'},
    ood: {title: 'Out-of-distribution detection', what: 'uncertain'},
};
const chartKinds = ['correct', 'wrong', 'ood'];
const lossTerms = {loss: 'total', labels: 'labels', prior: 'prior', teacher: 'teacher',
                   decay: 'weight decay', unlabelled: 'unlabelled'};

// Of models and terms of the loss, which are no classes: told apart by dashes first.
const seriesColours = ['#30363e', '#8c6d3f', '#7d8590', '#5b4636', '#b0925a', '#58616c'];

// What the reader chose: it outlives a redraw.
const curveChoice = {compare: false, measure: null, shown: 'all', logarithmic: false};
const hiddenLines = new Set();
const liveCharts = {curves: [], training: []};

const shareText = share => percent(share * 100);
const tickText = share => `${Number((share * 100).toFixed(1))} %`;
const pointsOf = (x, y) => x.map((at, i) => ({x: at, y: y[i]}));

function luminance(colour)
{
    const part = s => {
        const v = (parseInt(colour.slice(1), 16) >> s & 255) / 255;
        return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0);
}

// The colour, moved towards the ink until a thin line of it stands out from the paper of the
// theme: WCAG asks 3 to 1 of graphics, and on black thin lines need more. Some hues of the maps
// are made for dots, not for lines.
function lineColour(colour)
{
    const paper = luminance(colours.style('--paper')), ink = paper > 0.5 ? '#000000' : '#ffffff';
    const enough = paper > 0.5 ? 3.2 : 5.5;
    for (let share = 0; share < 1; share += 0.05) {
        const tried = mixed(colour, ink, share), light = luminance(tried);
        const contrast = (Math.max(light, paper) + 0.05) / (Math.min(light, paper) + 0.05);
        if (contrast >= enough)
            return tried;
    }
    return ink;
}

function measureStyle(name)
{
    return {colour: lineColour(colours.measure[name] || colours.kind.unlabelled),
            dash: chartDashes[chartOrder.indexOf(name)] || []};
}

function seriesStyle(k)
{
    return {colour: lineColour(seriesColours[k % seriesColours.length]),
            dash: chartDashes[k % chartDashes.length]};
}

// ---------------------------------------------------------------- the factory

// Empties `box` and fills it anew. The height is held meanwhile: charts measure the page while
// they are made, and a page that is short for a moment would scroll away under the reader.
function refill(box, fill)
{
    box.style.minHeight = `${box.offsetHeight}px`;
    box.replaceChildren();
    fill(box);
    box.style.minHeight = '';
}

function endCharts(list)
{
    for (const chart of list.splice(0))
        chart.destroy();
}

function lineSwatch(line)
{
    const space = 'http://www.w3.org/2000/svg';
    const make = (tag, attributes) => {
        const node = document.createElementNS(space, tag);
        for (const [name, value] of Object.entries(attributes))
            node.setAttribute(name, value);
        return node;
    };
    const svg = make('svg', {width: 28, height: 12, viewBox: '0 0 28 12', 'aria-hidden': 'true'});
    if (line.dots) {
        svg.append(make('circle', {cx: 14, cy: 6, r: 4, fill: line.colour}));
        return svg;
    }
    if (line.fill)
        svg.append(make('rect', {width: 28, height: 12, fill: line.colour, 'fill-opacity': 0.2}));
    const y = line.fill ? 1 : 6;
    svg.append(make('line', {x1: 0, x2: 28, y1: y, y2: y, stroke: line.colour,
                             'stroke-width': line.width || 2,
                             'stroke-dasharray': line.dash.join(' ')}));
    return svg;
}

function legendEntry(chart, spec, k)
{
    const line = spec.lines[k];
    const parts = [lineSwatch(line), text(line.label)];
    if (line.value)
        parts.push(element('span', {class: 'value'}, line.value));
    if (line.reference)
        return element('li', {}, element('span', {class: 'entry'}, ...parts));
    const pressed = String(chart.isDatasetVisible(k));
    const button = element('button', {type: 'button', class: 'entry', 'aria-pressed': pressed},
                           ...parts);
    button.addEventListener('click', () => {
        const show = !chart.isDatasetVisible(k), key = `${spec.key}/${line.label}`;
        chart.setDatasetVisibility(k, show);
        chart.update();
        button.setAttribute('aria-pressed', show);
        if (show)
            hiddenLines.delete(key);
        else
            hiddenLines.add(key);
    });
    return element('li', {}, button);
}

function chartSet(spec, line)
{
    return {
        label: plain(line.label, 40), data: line.points, yAxisID: line.axis || 'y',
        borderColor: line.colour, borderDash: line.dash, borderWidth: line.width || 2,
        backgroundColor: line.dots ? line.colour : line.colour + '2e',
        fill: line.fill ? 'origin' : false, clip: 5, showLine: !line.dots, pointHitRadius: 0,
        pointRadius: line.dots ? 3.5 : 0, pointHoverRadius: line.reference || line.fill ? 0 : 4,
        pointBackgroundColor: line.colour, borderJoinStyle: 'round',
        hidden: hiddenLines.has(`${spec.key}/${line.label}`),
    };
}

function chartAxis(axis, look)
{
    return {
        type: axis.type || 'linear', min: axis.min, max: axis.max, position: axis.position,
        title: {display: true, text: axis.title, color: look.soft},
        border: {color: look.line},
        grid: {color: look.line, drawOnChartArea: !axis.second, drawTicks: false},
        ticks: {color: look.soft, maxTicksLimit: axis.ticks || 6, maxRotation: 0, padding: 6,
                includeBounds: false, callback: axis.format},
    };
}

function chartTooltip(spec, look)
{
    const line = item => spec.lines[item.datasetIndex];
    return {
        backgroundColor: look.paper, borderColor: look.soft, borderWidth: 1, titleColor: look.ink,
        bodyColor: look.ink, padding: 8, boxWidth: 8, boxHeight: 8, boxPadding: 4, caretSize: 0,
        usePointStyle: true,
        filter: item => !line(item).reference && spec.tip(line(item), item.raw) !== null,
        callbacks: {
            title: items => items.length && spec.tipTitle ? spec.tipTitle(items[0].raw) : '',
            label: item => `${plain(line(item).label, 40)}: ${spec.tip(line(item), item.raw)}`,
            labelColor: item => ({borderColor: line(item).colour,
                                  backgroundColor: line(item).colour}),
        },
    };
}

// Adds a figure with its legend and caption to `parent`. spec: key (names it among the hidden
// lines), title, spoken (the label for those who do not see it), caption, the axes x and y, lines,
// tip(line, point); perhaps heading (its tag), of (whose it is), a second axis, tipTitle(point),
// together (all lines have the same places on x), tall.
function addChart(parent, list, spec)
{
    const look = {ink: colours.style('--ink'), soft: colours.style('--soft'),
                  line: colours.style('--line'), paper: colours.style('--paper')};
    const canvas = element('canvas', {role: 'img',
                                      'aria-label': plain(`${spec.title}. ${spec.spoken}`, 800)});
    const legend = element('ul', {class: 'lines'});
    const heading = element(spec.heading || 'h4', {}, spec.title, spec.of && [', ', text(spec.of)]);
    parent.append(element('figure', {class: 'chart'}, heading, legend,
                          element('div', {class: spec.tall ? 'plot tall' : 'plot'}, canvas),
                          element('figcaption', {}, spec.caption.replaceAll(' %', '\u00a0%'))));
    const scales = {x: chartAxis(spec.x, look), y: chartAxis(spec.y, look)};
    if (spec.second)
        scales.second = chartAxis({...spec.second, position: 'right', second: true}, look);
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    const chart = new Chart(canvas, {
        type: 'line', data: {datasets: spec.lines.map(line => chartSet(spec, line))},
        options: {
            animation: false, parsing: false, maintainAspectRatio: false, scales,
            layout: {padding: {top: 6, right: spec.second ? 0 : 8}},
            interaction: spec.together ? {mode: 'index', intersect: false}
                                       : {mode: 'nearest', axis: 'xy', intersect: false},
            plugins: {legend: {display: false}, tooltip: chartTooltip(spec, look)},
        },
    });
    legend.append(...spec.lines.map((line, k) => line.quiet ? '' : legendEntry(chart, spec, k)));
    list.push(chart);
}

const shareAxis = title => ({title, min: 0, max: 1, format: tickText});

function referenceLine(label, value, points)
{
    return {label, value, points, reference: true, width: 1.5, dash: [4, 4],
            colour: colours.style('--soft')};
}

// Level lines, one per different level; the legend names them once.
function levelLines(label, levels)
{
    const rounded = levels.map(v => Math.round(v * 1e4) / 1e4).sort((a, b) => a - b);
    const different = [...new Set(rounded)];
    const value = different.map(v => shareText(v)).join(' and ');
    return different.map((y, k) => ({
        ...referenceLine(label, different.length > 3 ? '' : value, [{x: 0, y}, {x: 1, y}]),
        quiet: k > 0}));
}

// "81.2 %", or the range where the models differ.
function rangeText(levels)
{
    const low = shareText(Math.min(...levels)), high = shareText(Math.max(...levels));
    return low === high ? low : `${low} to ${high}`;
}

const spokenLines = lines =>
    lines.filter(l => l.value).map(l => `${l.label} ${l.value}`).join(', ');

// ---------------------------------------------------------------- detection and risk

// The entries of one kind that the charts compare: of every measure of the view, or of the
// chosen measure in every view that has it. entriesOf(view) gives a list with `measure`, or null.
function comparedLines(data, state, entriesOf)
{
    const {views} = data.about;
    if (!curveChoice.compare) {
        return (entriesOf(views[state.view]) || []).map(entry => ({
            entry, label: entry.measure, view: views[state.view],
            ...measureStyle(entry.measure)}));
    }
    const lines = views.map((view, n) => ({
        entry: (entriesOf(view) || []).find(e => e.measure === curveChoice.measure),
        label: data.viewName(n), view, ...seriesStyle(n)}));
    return lines.filter(line => line.entry);
}

const curveTip = (x, y) => (line, point) =>
    `${y} ${shareText(point.y)}, ${x} ${shareText(point.x)}`;

function addRoc(parent, list, task, found)
{
    const lines = found.map(l => ({...l, points: pointsOf(l.entry.roc.x, l.entry.roc.y),
                                   value: percent(l.entry.auroc)}));
    const {positives} = found[0].view.detection[task];
    addChart(parent, list, {
        key: `${task}/roc`, title: 'ROC (AUROC)', tall: true,
        spoken: `AUROC for ${chartTasks[task].title.toLowerCase()}: ${spokenLines(lines)}.`,
        caption: `Each point is one threshold: the share of ${positives} nodes that count as ` +
            `${chartTasks[task].what} (vertical) against the share of the other nodes that do ` +
            '(horizontal). The closer to the upper left corner the better; the diagonal is chance.',
        x: shareAxis('false positive rate'), y: shareAxis('true positive rate'),
        lines: [...lines, referenceLine('chance', '50.0 %', [{x: 0, y: 0}, {x: 1, y: 1}])],
        tip: curveTip('false positive rate', 'true positive rate'),
    });
}

// The precision axis begins a little below what is drawn: where most nodes are positive, all
// lines lie in the uppermost tenth.
function precisionAxis(lines, levels)
{
    const lowest = Math.min(...levels, ...lines.flatMap(l => l.entry.pr.y));
    const low = Math.floor(lowest * 10 - 0.1) / 10;
    return {...shareAxis('precision'), min: low > 0.3 ? low : 0};
}

function addPrecision(parent, list, task, found)
{
    const lines = found.map(l => ({...l, points: pointsOf(l.entry.pr.x, l.entry.pr.y),
                                   value: percent(l.entry.aupr)}));
    const levels = found.map(l => l.view.detection[task].prevalence / 100);
    const {positives} = found[0].view.detection[task];
    addChart(parent, list, {
        key: `${task}/pr`, title: 'Precision and recall (AUPR)', tall: true,
        spoken: `AUPR for ${chartTasks[task].title.toLowerCase()}: ${spokenLines(lines)}; ` +
            `chance is ${rangeText(levels)}.`,
        caption: `The share of nodes counted as ${chartTasks[task].what} that are ${positives} ` +
            '(precision) against the share of all such nodes that are found (recall). Chance is ' +
            `the prevalence, ${rangeText(levels)}: compare a line with that level, not with zero.`,
        x: shareAxis('recall'), y: precisionAxis(lines, levels),
        lines: [...lines, ...levelLines('chance', levels)], tip: curveTip('recall', 'precision'),
    });
}

function addRisk(parent, list, data, state)
{
    const found = comparedLines(data, state, view => view.risk);
    if (!found.length)
        return;
    const lines = found.map(l => ({...l, points: pointsOf(l.entry.coverage, l.entry.risk),
                                   value: percent(l.entry.aurc)}));
    // With every node answered the order no longer matters: the last risk is the overall error.
    const levels = found.map(l => l.entry.risk[l.entry.risk.length - 1]);
    const top = Math.max(...found.flatMap(l => l.entry.risk));
    addChart(parent, list, {
        key: 'risk', title: 'Risk and coverage (AURC)',
        spoken: `Area under the curve: ${spokenLines(lines)}; a random order stays at ` +
            `${rangeText(levels)}.`,
        caption: 'The error rate (risk) when only the most certain share of the nodes (coverage) is ' +
            'accepted. The lower the better; a random order stays at the overall error rate, ' +
            `${rangeText(levels)}.`,
        x: shareAxis('coverage'),
        y: {...shareAxis('risk'), max: Math.min(1, Math.ceil(top * 20 + 0.2) / 20)},
        lines: [...lines, ...levelLines('random order', levels)], tip: curveTip('coverage', 'risk'),
    });
}

function addDetection(parent, list, data, state)
{
    for (const task of Object.keys(chartTasks)) {
        if (!data.views[state.view].detection?.[task])
            continue;
        const found = comparedLines(data, state, view => view.detection?.[task]?.measures);
        parent.append(element('h3', {}, chartTasks[task].title));
        if (!found.length) {
            parent.append(element('p', {}, 'There are no curves for this measure.'));
            continue;
        }
        const grid = element('div', {class: 'charts'});
        parent.append(grid);
        addRoc(grid, list, task, found);
        addPrecision(grid, list, task, found);
    }
}

// ---------------------------------------------------------------- bins

// The outline of bars: four points per bin, so that point i belongs to bin i / 4 in every line.
function barOutline(edges, heights, tip)
{
    return heights.flatMap((y, i) => {
        const [a, b] = [edges[i], edges[i + 1]], bin = {bin: i, tip: tip(i)};
        return [{x: a, y: 0, ...bin}, {x: a, y, ...bin}, {x: b, y, ...bin}, {x: b, y: 0, ...bin}];
    });
}

// As above, without the sides between neighbours, which would hide overlapping groups.
function stepOutline(edges, heights, tip)
{
    const points = barOutline(edges, heights, tip), last = points.length - 1;
    points.forEach((point, at) => {
        if (at % 4 === 0 && at > 0 || at % 4 === 3 && at < last)
            point.y = heights[point.bin];
    });
    return points;
}

const equalEdges = (low, high, n) =>
    Array.from({length: n + 1}, (_, i) => low + (high - low) * i / n);

// Three lines over the bins of confidence: accuracy, mean confidence and share of the nodes. An
// empty bin has no accuracy, which is not an accuracy of 0: nothing is drawn there.
function reliabilityLines({ece, confidence, accuracy, nodes}, edges)
{
    const all = nodes.reduce((a, b) => a + b, 0) || 1;
    const bars = barOutline(edges, accuracy, i => nodes[i] ? shareText(accuracy[i]) : null);
    const dots = bars.map(({x, bin}, at) => ({
        x: nodes[bin] ? confidence[bin] : x, y: nodes[bin] && at % 4 === 1 ? accuracy[bin] : null,
        bin, tip: nodes[bin] ? shareText(confidence[bin]) : null}));
    for (const point of bars)
        point.y = nodes[point.bin] ? point.y : null;
    const counts = stepOutline(edges, nodes.map(n => n / all),
                               i => `${shareText(nodes[i] / all)} (${counted(nodes[i], 'node')})`);
    return [
        {label: 'mean confidence', points: dots, dots: true, dash: [],
         colour: colours.style('--ink')},
        {label: 'accuracy', points: bars, fill: true, width: 1.5, dash: [], value: percent(ece),
         colour: lineColour(seriesColours[1])},
        {label: 'share of nodes', points: counts, fill: true, width: 1, dash: [2, 2],
         colour: colours.style('--soft')},
        referenceLine('perfectly calibrated', '', bars.map(({x, bin}) => ({x, y: x, bin}))),
    ];
}

// The accuracy by calibrated confidence, without a fill that would hide what it is compared with.
function calibratedLine({ece, accuracy, nodes}, edges)
{
    const points = barOutline(edges, accuracy, i => nodes[i]
        ? `${shareText(accuracy[i])} (${counted(nodes[i], 'node')})` : null);
    for (const point of points)
        point.y = nodes[point.bin] ? point.y : null;
    return {label: 'accuracy, calibrated', points, width: 2, dash: [], value: percent(ece),
            colour: lineColour(seriesColours[0])};
}

function addReliability(parent, list, before, after, of)
{
    const {ece, nodes} = before;
    const edges = equalEdges(0, 1, nodes.length), all = nodes.reduce((a, b) => a + b, 0);
    const calibrated = after ? `, and ${percent(after.ece)} after calibration` : '';
    addChart(parent, list, {
        key: 'reliability', title: 'Reliability (ECE)', of, together: true,
        spoken: `Expected calibration error ${percent(ece)} over ${counted(all, 'node')}` +
            `${calibrated}.`,
        caption: 'Nodes binned by the confidence of their prediction, with a dot at the mean of each ' +
            'bin. On the diagonal, predictions of 80 % confidence are correct 80 % of the time; below ' +
            `it the model is overconfident. The expected calibration error is ${percent(ece)}` +
            `${calibrated}.`,
        x: shareAxis('confidence'), y: shareAxis('accuracy, share of nodes'),
        lines: [...reliabilityLines(before, edges), ...(after ? [calibratedLine(after, edges)] : [])],
        tipTitle: ({bin}) => `confidence ${shareText(edges[bin])} to ${shareText(edges[bin + 1])}`,
        tip: (line, point) => point.tip,
    });
}

function histogramLines(histogram, edges)
{
    const kinds = chartKinds.filter(kind => histogram[kind]?.some(n => n > 0));
    return kinds.map(kind => {
        const counts = histogram[kind], all = counts.reduce((a, b) => a + b, 0);
        return {
            label: kindTitles[kind], value: counted(all, 'node'), fill: true, width: 1.5,
            colour: lineColour(colours.kind[kind]), dash: chartDashes[chartKinds.indexOf(kind)],
            points: stepOutline(edges, counts.map(n => n / all), i =>
                `${shareText(counts[i] / all)} (${counted(counts[i], 'node')})`)};
    });
}

// Where most of a group lies, for those who do not see the chart: the bin of its median.
function medianBin(points)
{
    let sum = 0;
    for (const {bin, y} of points.filter((_, at) => at % 4 === 1)) {
        sum += y;
        if (sum >= 0.5)
            return bin;
    }
    return 0;
}

function addHistogram(parent, list, histogram)
{
    const {measure, low, high} = histogram;
    const edges = equalEdges(low, high, histogram.correct.length);
    const lines = histogramLines(histogram, edges), digits = high - low < 0.2 ? 3 : 2;
    const range = bin => `${edges[bin].toFixed(digits)} to ${edges[bin + 1].toFixed(digits)}`;
    const medians = lines.map(l => `${l.label} ${range(medianBin(l.points))}`);
    addChart(parent, list, {
        key: 'histogram', title: measure, together: true,
        spoken: `Median of ${medians.join(', ')}.`,
        caption: `The distribution of ${measurePhrases[measure] || measure} in each group of nodes. ` +
            'The less the groups overlap, the better the measure separates them.',
        x: {title: measure, min: low, max: high, format: v => String(Number(v.toFixed(4)))},
        y: {title: 'share of the group', min: 0, format: tickText, ticks: 5}, lines,
        tipTitle: ({bin}) => `${measure} ${range(bin)}`, tip: (line, point) => point.tip,
    });
}

// ---------------------------------------------------------------- the section of curves

function labelledSelect(label, options, chosen, changed)
{
    const select = element('select', {});
    for (const [value, name] of options)
        select.append(element('option', {value}, name));
    select.value = chosen;
    select.addEventListener('change', () => changed(select.value));
    return element('label', {class: 'choice'}, element('span', {}, label), select);
}

function labelledCheck(label, checked, changed)
{
    const box = element('input', {type: 'checkbox'});
    box.checked = checked;
    box.addEventListener('change', () => changed(box.checked));
    return element('label', {class: 'choice'}, box, label);
}

function fillDetection(box, data, state)
{
    const list = liveCharts.curves, view = data.views[state.view];
    // Beside charts that compare the models, those of one model must say whose they are.
    const of = curveChoice.compare ? data.viewName(state.view) : null;
    endCharts(list);
    refill(box, () => {
        const grid = element('div', {class: 'charts'});
        addDetection(box, list, data, state);
        const heading = element('h3', {}, 'Selective prediction and calibration');
        box.append(heading, grid);
        addRisk(grid, list, data, state);
        if (view.reliability)
            addReliability(grid, list, view.reliability, view.calibrated_reliability, of);
        heading.hidden = grid.childElementCount === 0;
        if (view.histograms?.length)
            fillHistograms(box, view.histograms, of);
    });
}

// The histograms have a list of their own: their choice does not redraw the other charts.
const histogramCharts = [];

function fillHistograms(box, histograms, of)
{
    const names = histograms.map(h => h.measure), grid = element('div', {class: 'charts'});
    const chosen = () => names.includes(curveChoice.shown) ? curveChoice.shown : 'all';
    const fill = () => {
        const shown = histograms.filter(h => chosen() === 'all' || h.measure === chosen());
        endCharts(histogramCharts);
        grid.className = chosen() === 'all' ? 'charts small' : 'charts';
        refill(grid, () => shown.forEach(h => addHistogram(grid, histogramCharts, h)));
    };
    const select = labelledSelect('Measure', [['all', 'all'], ...names.map(n => [n, n])], chosen(),
                                  name => { curveChoice.shown = name; fill(); });
    box.append(element('h3', {}, 'Distribution of the measures', of && [', ', text(of)]),
               element('div', {class: 'tools'}, select), grid);
    fill();
}

function curveControls(data, redraw)
{
    const {views} = data.about, named = new Set(views.flatMap(v => v.measures));
    const known = chartOrder.filter(name => named.has(name));
    const measures = [...new Set([...known, ...named])].map(name => [name, name]);
    const select = labelledSelect('by', measures, curveChoice.measure, name => {
        curveChoice.measure = name;
        redraw();
    });
    select.hidden = !curveChoice.compare;
    const check = labelledCheck('Compare models', curveChoice.compare, on => {
        curveChoice.compare = on;
        select.hidden = !on;
        redraw();
    });
    return element('div', {class: 'tools'}, check, select);
}

function drawCurves(data, state)
{
    const section = document.getElementById('curves'), {views} = data.about;
    endCharts(liveCharts.curves);
    endCharts(histogramCharts);
    if (!views.length)
        return;
    curveChoice.measure ??= views[state.view].recommended;
    refill(section, () => {
        const box = element('div', {});
        section.append(element('h2', {}, 'Detection'));
        if (views.length > 1)
            section.append(curveControls(data, () => fillDetection(box, data, state)));
        section.append(box);
        fillDetection(box, data, state);
    });
}

// ---------------------------------------------------------------- training

function trainingLines(stage)
{
    const terms = Object.keys(lossTerms).filter(term => stage[term]);
    const lines = terms.map(term => ({
        label: lossTerms[term], points: pointsOf(stage.epoch, stage[term]),
        ...seriesStyle(Object.keys(lossTerms).indexOf(term))}));
    Object.assign(lines[0], {width: 2.5, colour: colours.style('--ink')});
    if (stage.accuracy) {
        lines.push({label: 'validation accuracy', axis: 'second', ...seriesStyle(6),
                    points: pointsOf(stage.epoch, stage.accuracy)});
    }
    return lines;
}

const numberText = value => value === 0 ? '0' : Math.abs(value) < 0.001 || Math.abs(value) >= 1e5
    ? value.toExponential(2) : String(Number(value.toPrecision(4)));

function lossAxis()
{
    if (!curveChoice.logarithmic)
        return {title: 'loss', format: numberText};
    const power = v => Number.isInteger(Math.round(Math.log10(v) * 1e6) / 1e6);
    return {title: 'loss (logarithmic)', type: 'logarithmic', ticks: 40,
            format: v => power(v) ? numberText(v) : null};
}

function addStage(parent, stage)
{
    const lines = trainingLines(stage), last = list => list[list.length - 1];
    const [first, end] = [stage.epoch[0], last(stage.epoch)];
    const accuracy = stage.accuracy
        ? `, validation accuracy ${percent(last(stage.accuracy))}` : '';
    addChart(parent, liveCharts.training, {
        key: `training/${stage.stage}`, heading: 'h3', together: true,
        title: stage.stage === 'teacher' ? 'Teacher' : 'Model',
        spoken: `Epochs ${first} to ${end}: total loss from ${numberText(stage.loss[0])} to ` +
            `${numberText(last(stage.loss))}${accuracy} at the end.`,
        caption: 'The total loss and its terms by epoch (left axis)' +
            (stage.accuracy ? ', and the accuracy on the validation nodes (right axis).'
                            : '.'),
        x: {title: 'epoch', min: first, max: end}, y: lossAxis(),
        second: stage.accuracy && {title: 'accuracy', min: 0, max: 100, format: v => `${v} %`},
        lines, tipTitle: point => `epoch ${point.x}`,
        tip: (line, {y}) => y === null ? null : line.axis ? percent(y) : numberText(y),
    });
}

function drawTraining(data, state)
{
    const section = document.getElementById('training'), view = data.about.views[state.view];
    endCharts(liveCharts.training);
    if (!view)
        return;
    const grid = element('div', {class: 'charts'});
    const fill = () => {
        endCharts(liveCharts.training);
        refill(grid, () => view.training.forEach(stage => addStage(grid, stage)));
    };
    refill(section, () => {
        section.append(element('h2', {}, 'Training'));
        if (view.training?.length) {
            const check = labelledCheck('Logarithmic loss', curveChoice.logarithmic,
                                        on => { curveChoice.logarithmic = on; fill(); });
            section.append(element('div', {class: 'tools'}, check), grid);
            fill();
        } else {
            section.append(element('p', {}, 'The training history was not recorded.'));
        }
        if (view.training_note)
            section.append(element('p', {class: 'note'}, text(view.training_note)));
    });
}
