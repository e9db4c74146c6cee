// What the policy of a report page must stop: whatever gets into the page neither runs nor
// sends anything. A server on this machine counts what arrives.
import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {ReportPage} from './report_page.mjs';

// Runs in the page: tries every way in and out, and tells which ran and what was refused.
async function attack(address)
{
    const refused = new Set();
    document.addEventListener('securitypolicyviolation', event =>
        refused.add(event.effectiveDirective));
    const add = (tag, attributes) =>
        document.body.append(Object.assign(document.createElement(tag), attributes));
    add('script', {textContent: 'window.ranInline = 1'});
    add('script', {src: `${address}/script`});
    add('div', {innerHTML: '<b id="trap" onclick="window.ranHandler = 1">x</b>'});
    document.getElementById('trap').click();
    add('img', {src: `${address}/image`});
    add('iframe', {src: `${address}/frame`});
    navigator.sendBeacon(`${address}/beacon`);
    await fetch(`${address}/fetch`, {mode: 'no-cors'}).catch(() => {});
    // What a test evaluates may call eval itself; what a timer calls is bound by the policy.
    setTimeout(() => {
        try {
            (0, eval)('window.ranEval = 1');
        } catch {
            // Refused, as it should be.
        }
    });
    await new Promise(done => { setTimeout(done, 300); });
    const marks = ['ranInline', 'ranHandler', 'ranEval', 'ranFetched'];
    return {ran: marks.filter(name => window[name]), refused: [...refused].sort()};
}

async function withServer(use)
{
    const arrived = new Set();
    const server = createServer((request, response) => {
        arrived.add(request.url);
        const script = request.url === '/script';
        response.setHeader('Content-Type', script ? 'text/javascript' : 'text/html');
        response.end(script ? 'window.ranFetched = 1' : '<!doctype html><body>');
    });
    await new Promise(done => { server.listen(0, '127.0.0.1', done); });
    try {
        await use(`http://127.0.0.1:${server.address().port}`, arrived);
    } finally {
        server.closeAllConnections();
        server.close();
    }
}

const ways = ['/beacon', '/fetch', '/frame', '/image', '/script'];

export async function checkPolicy(checks, browser, url)
{
    await withServer(async (address, arrived) => {
        await checks.check('the attack on the policy works where there is no policy', async () => {
            const page = await browser.newPage();
            await page.goto(`${address}/`);
            const {ran} = await page.evaluate(attack, address);
            await page.close();
            assert.deepEqual(ran, ['ranInline', 'ranHandler', 'ranEval', 'ranFetched']);
            assert.deepEqual(ways.filter(way => !arrived.has(way)), []);
        });
        arrived.clear();
        await checks.check('the policy lets nothing run and nothing out', async () => {
            const report = await ReportPage.open(browser, url);
            const {ran, refused} = await report.page.evaluate(attack, address);
            await report.close();
            assert.deepEqual(ran, []);
            assert.deepEqual([...arrived], []);
            const needed = ['connect-src', 'frame-src', 'img-src', 'script-src',
                            'script-src-attr', 'script-src-elem'];
            assert.deepEqual(needed.filter(directive => !refused.includes(directive)), []);
        });
    });
}
