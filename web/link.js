'use strict';
// Addresses that lead back to what is shown: #node=NAME&measure=NAME&threshold=NUMBER&model=N.

function linkOf(data, state)
{
    const parts = new URLSearchParams(), {decision} = state;
    if (state.view > 0)
        parts.set('model', state.view);
    if (state.node >= 0)
        parts.set('node', data.name(state.node));
    if (decision && state.isMoved) {
        parts.set('measure', decision.measure);
        if (decision.target !== null)
            parts.set('promise', decision.target);
        else
            parts.set('threshold', digitsOf(shownThreshold(decision.measure, decision.threshold)));
    }
    return parts.toString();
}

// The state of an address, as far as this page has it.
function readLink(data)
{
    const parts = new URLSearchParams(location.hash.slice(1)), view = Number(parts.get('model'));
    const name = parts.get('node');
    return {view: Number.isInteger(view) && data.views[view] ? view : 0,
            node: name === null ? -1 : findNode(data, name), measure: parts.get('measure'),
            promise: parts.get('promise'), threshold: parts.get('threshold')};
}

function findNode(data, name)
{
    for (let i = 0; i < data.nodes; i++)
        if (data.name(i) === name)
            return i;
    return -1;
}

function followLink(data, state)
{
    const link = readLink(data);
    if (link.view !== state.view) {
        state.view = link.view;
        document.getElementById('view').value = link.view;
        state.emit('view');
    }
    const {measure} = link;
    if (measure && decidable(data.views[state.view]).includes(measure)) {
        const promise = promisesOf(data, state.view, measure)
            .find(p => p.shown && String(p.target) === link.promise);
        const value = Number(link.threshold);
        if (promise)
            setDecision(data, state, {measure, threshold: promise.threshold,
                                      target: promise.target, why: ''});
        else if (link.threshold && Number.isFinite(value))
            setDecision(data, state, {measure, threshold: shownThreshold(measure, value),
                                      target: null, why: ''});
    }
    if (link.node !== state.node) {
        state.node = link.node;
        state.emit('pin');
    }
}

// Keeps the address in step with what is shown. Links within the page are left alone: they hold
// no "=".
function keepLinks(data, state)
{
    const isOurs = () => location.hash.includes('=');
    const write = () => {
        const link = linkOf(data, state);
        if (link || isOurs())
            history.replaceState(null, '', `#${link}`);
    };
    if (isOurs())
        followLink(data, state);
    for (const event of ['pin', 'view', 'decide'])
        state.on(event, write);
    addEventListener('hashchange', () => isOurs() && followLink(data, state));
}
