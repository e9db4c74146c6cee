'use strict';
// The first screen: how good the model is, whether its confidence can be trusted, which nodes to
// distrust and why, and what to do next.

// Below this expected calibration error confidence can be taken at its word; it is about what
// chance gives a calibrated model on a thousand nodes.
const smallError = 3;
const mostListed = 6;

// "1,000 test nodes", as a term.
function judgedNodes(data, view, n)
{
    const {basis} = data.views[view], nodes = n === 1 ? 'node' : 'nodes';
    if (basis === 'labelled')
        return `${count(n)} labelled ${nodes}, some of which may have trained it`;
    return [`${count(n)} `, term(`${basis} node`, `${basis} ${nodes}`)];
}

// How many of the nodes that judge a model are right, and of the most common class.
function judge(data, view)
{
    return data.kept(`${view} verdict`, () => {
        const kinds = data.kinds(view), judges = data.judges(view), classes = new Map();
        let right = 0, n = 0;
        for (let i = 0; i < data.nodes; i++) {
            if (!judges[i] || kinds[i] > 1)
                continue;
            n++;
            right += Number(kinds[i] === 0);
            classes.set(data.label(i), (classes.get(data.label(i)) || 0) + 1);
        }
        const [common, most] = [...classes].sort((a, b) => b[1] - a[1])[0] || [noClass, 0];
        return {accuracy: proportion(right, n), common, most, n};
    });
}

function qualityVerdict(data, view)
{
    const {accuracy, common, most, n} = judge(data, view);
    if (!accuracy)
        return {title: 'Nothing is known about its accuracy', tone: 'unsure', words: [
            'No node has a label that could judge it. Label some of the nodes below.']};
    const base = most / n, better = accuracy.low > base + 0.02;
    const title = accuracy.low > 0.9 ? 'Very accurate' : better && accuracy.low > base +
        (1 - base) / 2 ? 'Good, far better than guessing' : better ? 'Better than guessing'
        : 'Hardly better than guessing';
    return {title, tone: better ? 'good' : 'bad', words: [
        element('strong', null, `${shareOf(accuracy)} right`), ' of ', judgedNodes(data, view, n),
        ' (', term('95 % interval'), ` ${intervalOf(accuracy)}). Always answering “`,
        text(data.className(common), 30), '”, the ', term('majority class', 'most common class'),
        `, would be ${percent(100 * base)} right.`]};
}

// Mean confidence and accuracy from the bins of a reliability diagram.
function meansOf({confidence, accuracy, nodes})
{
    const sum = (list, n) => list.reduce((s, v, b) => s + (nodes[b] ? v * nodes[b] : 0), 0) / n;
    const n = nodes.reduce((a, b) => a + b, 0);
    return {confidence: 100 * sum(confidence, n), accuracy: 100 * sum(accuracy, n)};
}

function confidenceVerdict(data, view)
{
    const {reliability, calibrated_reliability: after} = data.views[view];
    if (!reliability)
        return {title: 'Its confidence cannot be judged', tone: 'unsure', words: [
            'That takes labels which did not train it.']};
    const {confidence, accuracy} = meansOf(reliability), gap = confidence - accuracy;
    const {ece} = reliability, off = [term('ECE'), ` ${percent(ece)}`];
    const says = [`On average it is ${percent(confidence, 0)} sure and ${percent(accuracy, 0)} right`];
    const fixed = after && after.ece < ece - 0.5 ? [' The calibrated ', term('confidence'),
        ` is off by ${percent(after.ece)}: use that.`] : after ? [' Calibration does not help it: ',
        `then it is off by ${percent(after.ece)}.`] : [];
    if (ece < smallError)
        return {title: 'Its confidence can be trusted', tone: 'good',
                words: [...says, ', off by ', ...off, ' over all bins.']};
    const title = Math.abs(gap) < smallError ? 'Its confidence is uneven'
        : gap > 0 ? 'Overconfident: right less often than it says'
        : 'Too cautious: right more often than it says';
    return {title, tone: gap > smallError ? 'bad' : 'unsure',
            words: [...says, ' (', ...off, ').', ...fixed]};
}

// The least certain of the nodes that are not accepted and did not train: of the others the
// label is known. One pass, since a slider waits for it.
function distrustedMost(data, state, most)
{
    const scores = scoresOf(data, state.view, state.decision.measure), found = [];
    const role = data.array(state.view, 'role');
    for (let i = 0; i < data.nodes; i++) {
        if (!data.decided[i] || role[i] === 0 ||
            found.length === most && scores[i] <= scores[found[most - 1]])
            continue;
        let at = found.length;
        while (at > 0 && scores[found[at - 1]] < scores[i])
            at--;
        found.splice(at, 0, i);
        found.length = Math.min(found.length, most);
    }
    return found;
}

// What the model would say of a node that is to be distrusted.
function guessOf(data, view, node, reason)
{
    const {known} = data.views[view], name = k => text(data.className(known[k]), 24);
    const p = data.probability(view, node).map((v, k) => [v, k]).sort((a, b) => b[0] - a[0]);
    return reasonNames[reason] === 'evidence' || p.length < 2 ? ['perhaps ', name(p[0][1])]
        : [name(p[0][1]), ' or ', name(p[1][1])];
}

function distrustTable(data, state, nodes)
{
    const {view, decision} = state, values = data.measure(view, decision.measure);
    const head = (words, number) =>
        element('th', {scope: 'col', class: number ? 'number' : null}, words);
    return element('table', {class: 'distrust'},
        element('caption', null, `The ${nodes.length} to distrust most, of those that did not train it`),
        element('thead', null, element('tr', null, head('Node'), head('Why'), head('Its class'),
            head(whatTitle(decision.measure), true))),
        element('tbody', null, nodes.map(i => element('tr', null,
            element('td', null, nodeLink(data, state, i, 30)),
            element('td', {class: 'mark'}, swatchOf(colours.reason(reasonNames[data.decided[i]])),
                reasonTitles[reasonNames[data.decided[i]]]),
            element('td', null, guessOf(data, view, i, data.decided[i])),
            element('td', {class: 'number'}, decimal(values[i]))))));
}

// What a reason means, for those who meet it first; the glossary says it at length.
const reasonMeanings = {conflict: 'it speaks for several classes',
                        evidence: 'the model learnt from nothing like them',
                        undecided: 'no class stands out'};

function reasonCounts(data)
{
    const n = countReasons(data.decided);
    return reasonNames.slice(1).filter((_, r) => n[r + 1] > 0).flatMap((name, k) => [
        k ? ', ' : '', element('span', {class: 'mark'}, swatchOf(colours.reason(name)),
            `${count(n[reasonNames.indexOf(name)])} for `, term(reasonTitles[name])),
        ` (${reasonMeanings[name]})`]);
}

// How often the nodes that are distrusted are in fact wrong, where labels tell.
function distrustRight(data, state)
{
    const kinds = data.kinds(state.view), judges = data.judges(state.view);
    let n = [0, 0], wrong = [0, 0];
    for (let i = 0; i < data.nodes; i++)
        if (judges[i]) {
            n[Number(data.decided[i] > 0)]++;
            wrong[Number(data.decided[i] > 0)] += Number(kinds[i] !== 0);
        }
    return n[0] && n[1] ? [` Where labels tell, ${percent(100 * wrong[1] / n[1], 0)} of them are `,
        `wrong${data.views[state.view].pool.ood ? ' or of an unknown class' : ''}, and ${
            percent(100 * wrong[0] / n[0], 0)} of the others.`] : [];
}

function verdictItem({title, tone, words})
{
    return [element('dt', {class: tone}, title), element('dd', null, words)];
}

// The part that follows the threshold.
function fillDistrust(home, data, state)
{
    const nodes = distrustedMost(data, state, mostListed);
    const n = data.nodes - countReasons(data.decided)[0];
    const title = n ? `Distrust ${count(n)} of ${counted(data.nodes, 'node')}`
                    : 'No node to distrust at this threshold';
    home.replaceChildren(element('h2', null, title),
        element('p', null, reasonCounts(data), n ? '.' : '', distrustRight(data, state)),
        nodes.length ? element('div', {class: 'scroll', tabindex: 0, role: 'group',
            'aria-label': 'Nodes to distrust'}, distrustTable(data, state, nodes)) : '');
}

const countedClasses = n => n === 1 ? '1 class' : `${count(n)} classes`;

function fillVerdict(home, data, state)
{
    const view = data.views[state.view], held = view.task === 'ood'
        ? [`It was trained without ${countedClasses(data.about.graph.classes.length -
            view.known.length)}; nodes of those are `, term('out-of-distribution'), '. ']
        : [];
    const quality = qualityVerdict(data, state.view);
    quality.words = [...held, ...quality.words];
    home.replaceChildren(element('dl', {class: 'verdict'},
        verdictItem(quality), verdictItem(confidenceVerdict(data, state.view))));
}

function drawTitle(home, data, state)
{
    const {title, graph} = data.about, model = element('span');
    const name = () => model.replaceChildren(...data.views.length
        ? [text(data.viewName(state.view)), ' · '] : []);
    state.on('view', name);
    name();
    document.title = `${plain(title)} – opine report`;
    home.append(element('h1', null, text(title, 200)));
    if (graph)
        home.append(element('p', {class: 'note'}, model, [counted(graph.nodes, 'node'),
            counted(graph.edges, 'edge'), graph.features && counted(graph.features, 'feature'),
            countedClasses(graph.classes.length)].filter(Boolean).join(' · ')));
}

// What to do next: apply the threshold, and label what would help most.
function makeNext(data, state)
{
    const apply = makeCommand('apply the threshold'), label = makeCommand('labels');
    const note = element('p', {class: 'note'}), then = element('p');
    state.on('decide', () => {
        const {decision, view} = state;
        apply.fill(decideCommand(data, view, decision));
        const {file} = data.views[view], {source} = data.about.graph;
        const missing = [!file && 'MODEL is a file that opine train writes', !source &&
            'DATA the graph'].filter(Boolean).join(', ');
        note.textContent = (decision.measure === 'confidence'
            ? `Then accept the rows with a confidence of ${decimal(-decision.threshold)} or more. `
            : '') + (missing && `${missing}.`);
        const suggested = data.views[view].suggestions.length;
        then.replaceChildren(...suggested ? ['List the ', element('a', {href: '#queue'},
            counted(suggested, 'node')), ' worth labelling next:']
            : ['Find ', element('a', {href: '#queue'}, 'labels that look wrong'), ':']);
        label.fill(suggested ? commandOf(data, view, 'suggest', '-n 20 -o next.csv')
                             : commandOf(data, view, 'suspects', '-o suspects.csv'));
    });
    return element('div', {class: 'next'}, element('h2', null, 'What to do next'),
        element('p', null, 'Decide about every node:'), apply.home, note, then, label.home);
}

function drawVerdict(data, state)
{
    const home = document.getElementById('summary');
    const left = element('div', {class: 'words'}), verdict = element('div');
    const distrust = element('div', {class: 'to-distrust'});
    drawTitle(left, data, state);
    home.append(left);
    if (!data.views.length)
        return;
    left.append(verdict, distrust, makeNext(data, state));
    const fill = () => fillVerdict(verdict, data, state);
    state.on('view', fill);
    state.on('theme', fill);
    state.on('decide', () => fillDistrust(distrust, data, state));
    fill();
    home.classList.add('screen');
    home.append(makeDecision(data, state));
}

// The map of the decisions with its controls, or the controls alone where there is no map.
function makeDecision(data, state)
{
    const placed = data.views.some(v => v.embedding);
    // Before the map, which shows what they decide.
    const controls = new DecisionControls(data, state);
    const maps = placed ? new Maps(data, state, [['decision', 0, true]]) : null;
    const save = element('button', {type: 'button', onclick: () => saveFile('decisions.csv',
        decisionsCsv(data, state.view, data.decided, state.decision))}, 'Save all as CSV');
    const home = element('div', {class: 'picture'}, maps && element('h2', null,
        'Every node, by what the threshold decides'), maps && maps.home, controls.home,
        element('div', {class: 'tools'}, save));
    if (maps)
        requestAnimationFrame(() => maps.resize(false));
    return home;
}
