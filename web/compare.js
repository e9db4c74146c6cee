'use strict';
// The models of the page in one table, and each against the first on the same nodes.

const taskTitles = {ood: 'out-of-distribution', misclassification: 'misclassification'};

// How well a measure finds what it should in the task of the model, as AUROC.
function aurocOf(view, measure)
{
    const task = view.detection && view.detection[view.task];
    return task && task.measures.find(m => m.measure === measure)?.auroc;
}

// The measure that all models have, so that none is left out of a comparison: the one
// recommended for the first if there is a choice.
function commonMeasure(views)
{
    const shared = views[0].measures.filter(m => views.every(v => v.measures.includes(m)));
    return shared.includes(views[0].recommended) ? views[0].recommended : shared[0] || null;
}

function modelsTable(data)
{
    const {views} = data, measure = commonMeasure(views);
    const own = views.some(v => v.recommended !== measure);
    const row = (view, v) => {
        const q = view.quality;
        return [data.viewName(v), taskTitles[view.task] || view.task, view.seed, q.accuracy, q.ece,
                q.calibrated_ece ?? null, q.brier, q.nll, aurocOf(view, measure) ?? null,
                ...own ? [aurocOf(view, view.recommended) ?? null, view.recommended] : []];
    };
    const basis = [...new Set(views.map(v => v.basis))].map(b => `${basisTitles[b]} nodes`);
    return {title: 'Models', note: `Of ${basis.join(' or ')}; accuracy, ECE and AUROC in percent.`,
            columns: ['model', 'task', 'seed', 'accuracy', 'ECE', 'ECE calibrated', 'Brier', 'NLL',
                      `AUROC by ${measure || 'a common measure'}`,
                      ...own ? ['AUROC', 'by the measure for it'] : []],
            rows: views.map(row)};
}

// Two models on the nodes that judge both: who is right where the other is not.
function duel(data, a, b)
{
    const kinds = [a, b].map(v => data.kinds(v)), judges = [a, b].map(v => data.judges(v));
    let n = 0, differ = 0;
    const only = [0, 0];
    for (let i = 0; i < data.nodes; i++) {
        if (!judges[0][i] || !judges[1][i] || kinds[0][i] > 1 || kinds[1][i] > 1)
            continue;
        n++;
        differ += Number(data.predicted(a, i) !== data.predicted(b, i));
        if (kinds[0][i] !== kinds[1][i])
            only[kinds[0][i] === 0 ? 0 : 1]++;
    }
    return {n, differ, only, p: mcnemar(...only)};
}

function duelsTable(data)
{
    const rows = data.views.slice(1).map((_, k) => {
        const {n, differ, only, p} = duel(data, 0, k + 1);
        return [data.viewName(k + 1), n, differ, only[0], only[1],
                n ? 100 * (only[0] - only[1]) / n : null, n ? p : null];
    });
    const first = data.viewName(0);
    return {title: `${first} against each other model, on the same nodes`,
            note: 'Nodes that only one of the two gets right, the difference of the accuracies in ' +
                'points, and the exact p of the McNemar test. Another seed or split may differ ' +
                'more than two models do: the table over seeds, where there is one, tells.',
            columns: ['model', 'nodes', 'different answers', 'only the first right',
                      'only this right', 'difference', 'p'], rows};
}

// Measures that some model lacks are named, so that nothing is missing without a word.
function missingMeasures(data)
{
    const all = [...new Set(data.views.flatMap(v => v.measures))];
    const lacks = data.views.map((v, k) => [k, all.filter(m => !v.measures.includes(m))])
        .filter(([, list]) => list.length);
    return lacks.map(([k, list]) => element('li', null, text(data.viewName(k)), ' has no ',
        list.map(m => whatTitle(m).toLowerCase()).join(', ')));
}

function drawCompare(data)
{
    const home = document.getElementById('compare'), {views} = data;
    home.replaceChildren();
    if (views.length < 2)
        return;
    const missing = missingMeasures(data);
    home.append(element('h2', null, 'Compare'), element('p', {class: 'lead'},
        'The maps below show the models side by side, by one measure on one scale. ',
        term('McNemar test'), ' · ', term('AUROC'), ' · ', term('ECE')));
    addTable(home, modelsTable(data), true);
    addTable(home, duelsTable(data), true);
    const left = data.about.manifest.find(([name]) => name === 'models');
    if (left)
        home.append(element('p', {class: 'note'}, `Shown are ${left[1]}; choose with --model.`));
    if (missing.length)
        home.append(element('p', null, 'What cannot be compared:'),
            element('ul', {class: 'plain'}, missing));
}
