'use strict';
// Why a node is uncertain, with the numbers of `opine explain`.

// What every pair of classes adds to the dissonance of an opinion, with evidence e = alpha - 1:
// Bal(a, b) (a / S b / (sum e - a) + b / S a / (sum e - b)), Bal(a, b) = 2 min(a, b) / (a + b).
// The others are summed for each class: a difference would lose the digits of small evidence.
function conflicts(alpha)
{
    const evidence = alpha.map(a => a - 1), pairs = [];
    const others = evidence.map((_, k) => evidence.reduce((sum, e, j) => j === k ? sum : sum + e, 0));
    for (let j = 0; j < alpha.length; j++)
        for (let k = j + 1; k < alpha.length; k++) {
            const a = evidence[j], b = evidence[k];
            if (!(a > 0) || !(b > 0))
                continue;
            const strength = alpha.length + others[j] + a, balance = 2 * Math.min(a, b) / (a + b);
            const part = balance * (a / strength * (b / others[j]) + b / strength * (a / others[k]));
            pairs.push(a < b ? {k, j, part} : {k: j, j: k, part});
        }
    return pairs.sort((p, q) => q.part - p.part);
}

// Training nodes that give the node evidence, by the kernel and within the radius of training.
function priorEvidence(data, view, node)
{
    const {sigma, constant, radius} = data.views[view].prior, role = data.array(view, 'role');
    const scale = constant ? 1 / (sigma * Math.sqrt(2 * Math.PI)) : 1;
    const far = data.hops(node, radius - 1), kinds = data.kinds(view), sources = [];
    for (let i = 0; i < far.length; i++)
        if (role[i] === 0 && far[i] >= 0 && kinds[i] < 2)
            sources.push({node: i, far: far[i],
                          weight: scale * Math.exp(-0.5 * far[i] * far[i] / (sigma * sigma))});
    return sources.sort((a, b) => a.far - b.far || a.node - b.node);
}

// Four significant digits, as the command prints amounts: "6.326", "1.778e+09".
function amount(v)
{
    if (v === 0)
        return '0';
    const power = Math.floor(Math.log10(Math.abs(v)));
    if (power >= -4 && power < 4)
        return String(Number(v.toPrecision(4)));
    const [digits, exponent] = v.toExponential(3).split('e');
    return `${Number(digits)}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}

function share(part, all, digits = 0) { return percent(all > 0 ? 100 * part / all : 0, digits); }

// What stands out in an opinion: as in opn_explain().
function reasonOf(data, view, node)
{
    const opinion = data.opinion(view, node), dissonance = data.measure(view, 'dissonance');
    const own = data.views[view].known.indexOf(data.predicted(view, node));
    if (!opinion || !dissonance)
        return data.measure(view, 'entropy')[node] > data.probability(view, node)[own]
            ? 'undecided' : 'sure';
    const belief = Math.fround(opinion.beliefs[own]);
    if (opinion.vacuity > belief && opinion.vacuity >= dissonance[node])
        return 'evidence';
    return dissonance[node] > belief ? 'conflict' : 'sure';
}

// The decision about the node and what stands out, in one sentence.
function explainReason(data, state, node)
{
    const decided = data.decided[node], reason = reasonOf(data, state.view, node);
    const stands = {sure: 'one class stands out', undecided: 'no class stands out',
                    conflict: 'the evidence conflicts', evidence: 'there is little evidence'};
    return element('p', {class: 'mark reason'},
        swatchOf(colours.reason(reasonNames[decided])),
        element('strong', null, decided ? 'Distrust it' : 'Accepted'), decided
            ? [': ', term(reasonTitles[reasonNames[decided]])] : '', '. ',
        `Of its opinion: ${stands[reason]}.`);
}

function explainConflict(data, view, node)
{
    const {known} = data.views[view], opinion = data.opinion(view, node);
    const name = k => text(data.className(known[k]), 40);
    if (!opinion || !data.measure(view, 'dissonance'))
        return explainProbability(data, view, node);
    const pairs = conflicts(data.alpha(view, node)), parts = [];
    const all = pairs.reduce((sum, p) => sum + p.part, 0);
    if (opinion.vacuity > 0.5)
        parts.push(element('p', null, `There is little evidence: ${share(opinion.vacuity, 1)} of `,
            'the belief is unassigned.'));
    if (all < 0.02 || !pairs.length)
        parts.push(element('p', null, 'There is hardly any conflict between classes ',
            `(dissonance ${decimal(all)}).`));
    else {
        const [{k, j, part}] = pairs;
        // "Mainly" means more than half.
        const words = 2 * part > all ? ['The evidence conflicts mainly between ', name(k), ' and ',
            name(j), ': they account for ']
            : ['The evidence is spread over several classes; the largest conflict, between ',
               name(k), ' and ', name(j), ', accounts for '];
        parts.push(element('p', null, ...words,
            `${share(part, all, 1)} of the dissonance of ${decimal(all)}.`));
        const more = pairs.slice(0, 4).filter(p => p.part > 0.02 * all);
        if (more.length > 1)
            parts.push(element('ul', null, more.map(p => element('li', null,
                element('span', null, name(p.k), ' – ', name(p.j)),
                element('span', null, p.part.toFixed(4))))));
    }
    return parts;
}

function explainProbability(data, view, node)
{
    const {known} = data.views[view], p = data.probability(view, node);
    const [[a, k], [b, j]] = [...p.map((v, c) => [v, c]), [0, 0]].sort((x, y) => y[0] - x[0]);
    return [element('p', null, text(data.className(known[k]), 40), ' leads ',
        text(data.className(known[j]), 40), ` by ${decimal(a)} to ${decimal(b)}. This model gives `,
        'probabilities only, so conflict cannot be told from a lack of evidence.')];
}

// Neighbours of another predicted class, the surest of them first.
function disagreeing(data, view, node)
{
    const own = data.predicted(view, node), sure = i => Math.max(...data.probability(view, i));
    return Array.from(data.neighbours(node)).filter(i => data.predicted(view, i) !== own)
        .map(i => [Math.fround(sure(i)), i]).sort((a, b) => b[0] - a[0] || a[1] - b[1])
        .map(([, i]) => i);
}

function explainNeighbours(data, state, node)
{
    const all = data.neighbours(node).length, others = disagreeing(data, state.view, node);
    const most = 10;
    if (!all)
        return [element('p', null, 'It has no neighbours.')];
    if (!others.length)
        return [element('p', null, all === 1
            ? 'Its only neighbour is predicted the same class.'
            : `${all === 2 ? 'Both of its' : `All of its ${count(all)}`} ` +
              'neighbours are predicted the same class.')];
    return [element('p', null, `${count(others.length)} of ${counted(all, 'neighbour')} ${
            others.length === 1 ? 'is' : 'are'} predicted another class:`),
        element('ul', null, others.slice(0, most).map(i => element('li', null,
            nodeLink(data, state, i),
            element('span', null, classMark(data, data.predicted(state.view, i)))))),
        others.length > most
            ? element('p', {class: 'note'}, `and ${count(others.length - most)} more`) : null];
}

// The bars show the evidence itself: next to none must not look like much.
function explainPrior(data, state, node)
{
    const sources = priorEvidence(data, state.view, node), byClass = new Map();
    const all = sources.reduce((sum, s) => sum + s.weight, 0), full = Math.max(1, all);
    for (const s of sources)
        byClass.set(data.label(s.node), (byClass.get(data.label(s.node)) || 0) + s.weight);
    if (!sources.length)
        return [element('p', null, 'No training node is close enough to contribute evidence, so ',
            'the ', term('prior'), ' is empty here.')];
    const totals = [...byClass].sort((a, b) => b[1] - a[1]), little = all < 0.1
        ? ' That is next to nothing.' : '';
    return [element('p', null, `Evidence of ${amount(all)} from ${
            counted(sources.length, 'training node')}, by class:${little}`),
        element('div', {class: 'opinion'}, totals.map(([k, w]) =>
            bar(text(data.className(k), 40), w / full, colours.class(k), null, amount(w)))),
        element('p', null, 'Nearest contributions:'),
        element('ul', null, sources.slice(0, 8).map(s => element('li', null,
            element('span', {class: 'mark'}, swatchOf(colours.class(data.label(s.node))),
                nodeLink(data, state, s.node, 48)),
            element('span', null, `${counted(s.far, 'hop')}, ${share(s.weight, all, 1)}`)))),
        sources.length > 8
            ? element('p', {class: 'note'}, `and ${count(sources.length - 8)} more`) : null];
}
