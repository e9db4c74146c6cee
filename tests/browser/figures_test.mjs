// figures_test.mjs FILE.svg...: each figure opens as a picture of its own, draws something,
// asks for nothing, and holds nothing that could act.
import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {Checks, coloursOf, openBrowser, shotPath, watch} from './browser.mjs';

const files = process.argv.slice(2);
const checks = new Checks();
const browser = await openBrowser();

// Elements that run, embed or fetch, attributes that run, and addresses outside the file.
function findActive()
{
    const active = ['script', 'foreignobject', 'iframe', 'object', 'embed', 'audio', 'video',
        'animate', 'set', 'handler', 'a'];
    const found = [], outside = /@import|url\((?!["']?(#|data:))/i;
    for (const element of document.querySelectorAll('*')) {
        if (active.includes(element.localName.toLowerCase()))
            found.push(`<${element.localName}>`);
        for (const {localName, value} of element.attributes) {
            const leads = localName === 'href' && !/^(#|data:image\/)/.test(value);
            if (/^on/i.test(localName) || leads)
                found.push(`${localName}="${value.slice(0, 40)}"`);
        }
        if (element.localName === 'style' && outside.test(element.textContent))
            found.push('an address in <style>');
    }
    return found;
}

// Texts that reach over the edge of the picture, where a document would cut them off.
function findCutTexts()
{
    const frame = document.documentElement.getBoundingClientRect();
    return [...document.querySelectorAll('text')].filter(text => {
        const box = text.getBoundingClientRect();
        return box.left < frame.left - 1 || box.top < frame.top - 1 ||
            box.right > frame.right + 1 || box.bottom > frame.bottom + 1;
    }).map(text => text.textContent.slice(0, 40));
}

async function checkFigure(file)
{
    const name = path.basename(file), url = pathToFileURL(path.resolve(file)).href;
    if (!existsSync(file)) {
        await checks.check(`${name} is there`, () => assert.fail('no such file'));
        return;
    }
    const page = await browser.newPage({viewport: {width: 1600, height: 1200}});
    const seen = watch(page, url);
    const opened = await checks.check(`${name} is well-formed SVG`, async () => {
        await page.goto(url);
        const root = await page.evaluate(() => document.documentElement.localName);
        assert.equal(root, 'svg');
        assert.equal(await page.locator('parsererror').count(), 0);
    });
    if (!opened)
        return;
    await checks.check(`${name} draws something`, async () => {
        const clip = await page.evaluate(() =>
            document.documentElement.getBoundingClientRect().toJSON());
        const picture = await page.screenshot({path: shotPath(name), clip});
        const {colours, covered} = await coloursOf(browser, picture);
        assert.ok(colours >= 16, `only ${colours} colours`);
        assert.ok(covered > 0.005, `only ${(covered * 100).toFixed(2)} % is not background`);
        return `${colours} colours, ${(covered * 100).toFixed(1)} % covered`;
    });
    await checks.check(`${name} cuts no text off`, async () =>
        assert.deepEqual(await page.evaluate(findCutTexts), []));
    await checks.check(`${name} holds nothing that acts`, async () =>
        assert.deepEqual(await page.evaluate(findActive), []));
    await checks.check(`${name} asks for nothing and complains of nothing`, () =>
        assert.deepEqual(seen, {complaints: [], requests: []}));
    await page.close();
}

for (const file of files)
    await checkFigure(file);
await browser.close();
checks.end();
