'use strict';
// The server of the page, where there is one (`opine explore`): questions, tasks that take long,
// and the what-if that is shown.

const lookEvery = 150; // milliseconds

class Server
{
    // edits: the labels that the shown model was trained with instead, as {node, class}, class
    // null for none, in the order of trying; work: the last long task, as the server tells it.
    constructor(data, state)
    {
        Object.assign(this, {data, state, edits: [], work: {status: 'none'}, error: '',
                             base: location.pathname.replace(/\/?$/, '/'), heard: []});
    }

    // Calls fn now and whenever something changes.
    listen(fn)
    {
        this.heard.push(fn);
        fn();
    }

    tell() { this.heard.forEach(fn => fn()); }

    // The answer to a request; throws what the server says is wrong with it.
    async ask(path, body)
    {
        const how = body === undefined ? {} : {method: 'POST', body: JSON.stringify(body)};
        const answer = await fetch(this.base + path, {...how, cache: 'no-store'}).catch(() => {
            throw new Error('opine explore has ended: start it again, and open its new address.');
        });
        const document = await answer.json();
        if (!answer.ok)
            throw new Error(document.error);
        return document;
    }

    // Does something, and shows what goes wrong with it.
    async attempt(act)
    {
        this.error = '';
        try {
            await act();
        } catch (error) {
            this.error = error.message;
        }
        this.tell();
    }

    get isBusy() { return this.work.status === 'running'; }

    // Looks until the task has ended.
    async follow()
    {
        let told = await this.ask('state');
        for (; (this.work = told.work).status === 'running'; told = await this.ask('state')) {
            this.tell();
            await new Promise(done => { setTimeout(done, lookEvery); });
        }
        if (this.work.status === 'failed')
            this.error = this.work.error;
        return told;
    }

    // Shows the what-if that the server has, or what the page came with.
    async showWhatIf({what_if: shown})
    {
        const {data, state} = this;
        if (shown) {
            const {about, numbers} = await this.ask('what-if');
            data.replaceView(shown.model, about, arraysOf(about, numbers));
        } else {
            data.restoreView();
        }
        this.edits = shown ? shown.labels : [];
        showData(data, state);
    }

    // What the server is doing already: another window, or this one before it was loaded anew.
    resume()
    {
        return this.attempt(async () => {
            const told = await this.follow();
            if (told.what_if)
                await this.showWhatIf(told);
        });
    }

    // Trains the model again with these labels; none of them goes back.
    try(edits)
    {
        return this.attempt(async () => {
            await this.ask('what-if', {model: this.state.view, labels: edits});
            const told = await this.follow();
            if (this.work.status === 'done' || !edits.length)
                await this.showWhatIf(told);
        });
    }

    // Labels one node, or takes its label away.
    label(node, k)
    {
        return this.try([...this.edits.filter(e => e.node !== node), {node, class: k}]);
    }

    undo() { return this.try(this.edits.slice(0, -1)); }
    cancel() { return this.attempt(() => this.ask('cancel', {})); }

    // Trains another model; the page is loaded anew with it.
    train(model, seed)
    {
        return this.attempt(async () => {
            await this.ask('models', {model, seed});
            const told = await this.follow();
            if (this.work.status !== 'done')
                return;
            history.replaceState(null, '', `#model=${told.models - 1}`);
            location.reload();
        });
    }
}

// Draws everything that depends on the data anew, but keeps a threshold that the reader has set.
function showData(data, state)
{
    const {decision, isMoved} = state;
    state.emit('data');
    state.emit('view');
    if (isMoved && decidable(data.views[state.view]).includes(decision.measure))
        setDecision(data, state, {...decision, target: null, why: ''});
}
