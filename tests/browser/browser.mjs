// What the tests in a browser share: the browser, named checks, the colours of pictures.
import {accessSync, constants} from 'node:fs';
import path from 'node:path';
import {chromium} from 'playwright-core';

function findChromium()
{
    const names = ['chromium', 'chromium-browser', 'google-chrome'];
    for (const name of names)
        for (const folder of (process.env.PATH ?? '').split(path.delimiter))
            try {
                const file = path.join(folder, name);
                accessSync(file, constants.X_OK);
                return file;
            } catch {
                // Not this one.
            }
    throw new Error(`none of ${names.join(', ')} is here; tools/bootstrap browser installs one`);
}

export function openBrowser()
{
    // Chromium's sandbox refuses to run for root. Without a GPU every machine draws alike.
    const args = ['--disable-gpu', '--force-color-profile=srgb', '--hide-scrollbars'];
    if (process.getuid?.() === 0)
        args.push('--no-sandbox');
    return chromium.launch({executablePath: findChromium(), args});
}

// Where a screenshot of a file goes: out/cora.html and "dark" make cora-dark.png.
export function shotPath(file, ...parts)
{
    const name = path.basename(file, path.extname(file));
    return path.join(process.env.SHOTS ?? '.', [name, ...parts].join('-') + '.png');
}

// One line; for two values that differ both of them, which the message of assert cuts.
function reasonOf(error)
{
    if (!error.generatedMessage || !('expected' in error))
        return String(error.message ?? error).split('\n').slice(0, 3).join(' / ');
    const show = value => (JSON.stringify(value) ?? String(value)).slice(0, 600);
    return `${show(error.actual)} where ${show(error.expected)} was expected`;
}

// Runs checks in order and prints a line for each; a failed one does not stop the others.
export class Checks
{
    constructor() { Object.assign(this, {done: 0, failed: 0}); }

    async check(name, claim)
    {
        this.done++;
        try {
            const note = await claim();
            console.log(`ok ${name}${note ? ` (${note})` : ''}`);
            return true;
        } catch (error) {
            this.failed++;
            console.log(`not ok ${name}: ${reasonOf(error)}`);
            return false;
        }
    }

    // The closing line, and the exit code of the whole test.
    end()
    {
        console.log(`${this.done - this.failed} of ${this.done} checks passed`);
        process.exitCode = this.failed || !this.done ? 1 : 0;
    }
}

// What a page complains of and asks for while it is open. That canvases are read often is our
// own doing.
export function watch(page, own)
{
    const seen = {complaints: [], requests: []};
    page.on('console', message => {
        if (['error', 'warning', 'assert'].includes(message.type()) &&
            !message.text().includes('willReadFrequently'))
            seen.complaints.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', error => seen.complaints.push(`thrown: ${error.message}`));
    page.on('request', request => {
        if (request.url() !== own && !request.url().startsWith('data:'))
            seen.requests.push(request.url());
    });
    return seen;
}

// How many colours a screenshot has, and which share of it is not of the commonest one. An
// empty page of the browser decodes the picture.
export async function coloursOf(browser, png)
{
    const page = await browser.newPage();
    try {
        return await page.evaluate(async source => {
            const picture = new Image();
            picture.src = source;
            await picture.decode();
            const canvas = document.createElement('canvas');
            canvas.width = picture.naturalWidth;
            canvas.height = picture.naturalHeight;
            const context = canvas.getContext('2d');
            context.drawImage(picture, 0, 0);
            const {data} = context.getImageData(0, 0, canvas.width, canvas.height);
            const counts = new Map();
            for (const pixel of new Uint32Array(data.buffer))
                counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
            const ground = Math.max(...counts.values());
            return {colours: counts.size - 1, covered: 1 - ground * 4 / data.length};
        }, `data:image/png;base64,${png.toString('base64')}`);
    } finally {
        await page.close();
    }
}
