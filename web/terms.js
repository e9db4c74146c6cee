'use strict';
// Words of the field, explained where they stand: under the pointer or the focus, and in the
// glossary at the end of the page, to which each of them leads.

const glossary = {
    'accuracy': 'The share of nodes whose predicted class is their label.',
    'majority class': 'Always answering the most common class, without looking at a node. A ' +
        'model that is not clearly better has learnt nothing.',
    'confidence': 'How likely the model says its answer is right. Calibrated where there are ' +
        'labels to calibrate it on: of answers given with 80 %, 80 % should be right.',
    'ECE': 'Expected calibration error: how far confidence and accuracy are apart, on average ' +
        'over bins of confidence. 0 is perfect; below 3 % confidence can be taken at its word.',
    'vacuity': 'Lack of evidence, from 0 (plenty) to 1 (none): nothing the model learnt from is ' +
        'like this node.',
    'dissonance': 'Conflict of evidence, from 0 to 1: there is evidence, and it speaks for ' +
        'several classes at once.',
    'aleatoric': 'Noise in the data themselves, which more data like these would not remove.',
    'epistemic': 'Uncertainty of the model about itself: how much its passes with dropout differ.',
    'entropy': 'The total uncertainty of the probabilities, from 0 (one class) to 1 (all alike).',
    'fused vacuity': 'Vacuity of student and teacher, smoothed over the graph: the lack of ' +
        'evidence around a node.',
    'margin': 'How close the second class comes to the first, around a node.',
    'conflicting evidence': 'The node has more dissonance than vacuity: the evidence speaks for ' +
        'several classes. Look at its neighbours.',
    'little evidence': 'The node has more vacuity than dissonance: nothing the model learnt from ' +
        'is like it. It may belong to none of the known classes.',
    'undecided': 'The model gives probabilities only, so conflict cannot be told from a lack of ' +
        'evidence.',
    'out-of-distribution': 'Of a class that the model was not trained on.',
    'threshold': 'The largest uncertainty at which an answer is accepted; above it the model ' +
        'abstains.',
    'promise': 'What the labels of nodes that did not train the model show about a threshold: ' +
        'it fails with at most the stated probability, however the nodes were drawn.',
    '95 % interval': 'The range that holds the true value in 95 of 100 repetitions (exact, ' +
        'Clopper and Pearson).',
    'test node': 'A node whose label was kept from the model until now. It judges the model.',
    'validation node': 'A node whose label chose when to stop, the model, or a threshold. It ' +
        'judges a model a little too kindly.',
    'AUROC': 'How well a measure ranks nodes: the chance that a node that should have more of it ' +
        'does. 50 % is chance, 100 % perfect.',
    'AUPR': 'The area under precision and recall; compare it with the prevalence, not with zero.',
    'prior': 'Evidence that labelled nodes nearby give a node: exp(−d² / 2σ²) of each, d hops ' +
        'away (GKDE).',
    'McNemar test': 'Compares two models on the same nodes by those that only one gets right. A ' +
        'p below 0.05 says that chance alone rarely does this.',
};

const termId = name => `term-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;

// The card that explains the word under the pointer or the focus.
const termCard = {home: null, timer: 0};

function showTerm(link, name)
{
    // Within a landmark, for those who go from one to the next.
    termCard.home ??= document.querySelector('main').appendChild(
        element('div', {id: 'tip', role: 'tooltip', hidden: true}));
    const {home} = termCard;
    home.textContent = glossary[name];
    home.hidden = false;
    link.setAttribute('aria-describedby', 'tip');
    const at = link.getBoundingClientRect(), wide = document.documentElement.clientWidth;
    const left = Math.max(8, Math.min(at.left, wide - home.offsetWidth - 8));
    const below = at.bottom + 6 + home.offsetHeight < innerHeight;
    home.style.transform =
        `translate(${left}px, ${below ? at.bottom + 6 : at.top - home.offsetHeight - 6}px)`;
}

function hideTerm(link)
{
    if (termCard.home)
        termCard.home.hidden = true;
    link.removeAttribute('aria-describedby');
}

// A word of the glossary, perhaps in another form: term('vacuity'), term('ECE', 'calibration').
function term(name, words)
{
    const link = element('a', {href: `#${termId(name)}`, class: 'term'}, words || name);
    const on = (events, fn) => events.forEach(e => link.addEventListener(e, () => fn(link, name)));
    on(['mouseenter', 'focus'], showTerm);
    on(['mouseleave', 'blur', 'click'], hideTerm);
    link.addEventListener('keydown', e => e.key === 'Escape' && hideTerm(link));
    return link;
}

// The term of a measure by its name in the data.
function measureTerm(name, words)
{
    const of = name === 'fused' ? 'fused vacuity' : name;
    return glossary[of] ? term(of, words) : words || name;
}

function drawGlossary()
{
    const home = document.getElementById('glossary');
    home.append(element('h2', null, 'Glossary'), element('dl', {class: 'glossary'},
        Object.entries(glossary).sort(([a], [b]) => a.localeCompare(b, 'en'))
            .map(([name, words]) => element('div', {id: termId(name)},
                element('dt', null, name), element('dd', null, words)))));
}
