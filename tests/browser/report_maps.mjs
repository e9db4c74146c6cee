// The maps of a report page: hovering, pinning, selecting, zooming, keys, colours.
import assert from 'node:assert/strict';

const map = '#maps .panel:first-child .map';
const dots = '#maps .map canvas:first-child';
const marks = '#maps .map canvas:last-child';

// A long name is shown cut, with a sign at its end.
export function shows(shown, name)
{
    return shown === name || (shown.endsWith('…') && name.startsWith(shown.slice(0, -1)));
}

// Which of the maps in sight have changed: [other maps changed, other maps].
function changedOthers(before, after)
{
    const pairs = after.map((now, k) => [now, before[k]]);
    const others = pairs.slice(1).filter(([now]) => now.inSight);
    return [others.filter(([now, then]) => now.print !== then.print).length, others.length];
}

async function assertAllOthersChange(report, selector, act)
{
    const before = await report.canvases(selector);
    await act();
    const [changed, others] = changedOthers(before, await report.canvases(selector));
    assert.ok(others > 0, 'no other map is in sight');
    assert.ok(changed === others, `only ${changed} of the ${others} other maps in sight changed`);
}

const isHidden = (report, selector) => report.page.evaluate(s => {
    const element = document.querySelector(s);
    return !element || element.hidden || element.getClientRects().length === 0;
}, selector);

// How far places of the screen are from being a linear function of places in the data.
function farthestFromLine(from, to)
{
    const mean = list => list.reduce((sum, v) => sum + v, 0) / list.length;
    const mx = mean(from), my = mean(to), spread = mean(from.map(x => (x - mx) ** 2));
    const slope = mean(from.map((x, i) => (x - mx) * (to[i] - my))) / spread;
    return Math.max(...from.map((x, i) => Math.abs(to[i] - my - slope * (x - mx))));
}

async function checkHovering(checks, report, data)
{
    const spots = await report.spots(`${map} canvas`, 9), found = [];
    await checks.check('hovering shows the card of the node that is there', async () => {
        assert.ok(spots.length, 'the map shows no node');
        for (const spot of spots) {
            await report.moveTo(spot);
            assert.ok(!await isHidden(report, '#card'), 'no card');
            const title = await report.text('#card h3');
            const nodes = data.ids.filter(i => shows(title, data.name(i)));
            assert.ok(nodes.length > 0, `the card names "${title}", which no node is called`);
            if (nodes.length === 1)
                found.push({node: nodes[0], ...spot});
        }
        assert.ok(found.length >= 5, `only ${found.length} nodes with a name of their own`);
        for (const axis of ['x', 'y']) {
            const places = found.map(f => data.arrays[`0.${axis}`][f.node]);
            const far = farthestFromLine(places, found.map(f => f[axis]));
            assert.ok(far < 9, `the card is of a node that lies ${far.toFixed(0)} pixels away`);
        }
    });
    await checks.check('the card goes when the pointer leaves', async () => {
        await report.moveTo(spots[0]);
        assert.ok(!await isHidden(report, '#card'), 'it did not come');
        await report.moveAway();
        assert.ok(await isHidden(report, '#card'), 'it stays');
    });
    await checks.check('hovering rings the node in the other maps', () =>
        assertAllOthersChange(report, marks, () => report.moveTo(spots[4])));
    return found;
}

// For every node those it shares an edge with; the data have each edge once.
function adjacencyOf({arrays: {starts, ends}, nodes})
{
    const lists = Array.from({length: nodes}, () => []);
    for (let i = 0; i < nodes; i++)
        for (let e = starts[i]; e < starts[i + 1]; e++) {
            lists[i].push(ends[e]);
            lists[ends[e]].push(i);
        }
    return lists;
}

// The prior's evidence for a node as the method defines it: of every training node d hops away
// exp(-d^2 / 2 sigma^2).
function evidenceFor(lists, role, sigma, node)
{
    const far = new Map([[node, 0]]);
    for (const [at, d] of far) // in the order of insertion, also while it grows
        for (const next of lists[at])
            if (!far.has(next))
                far.set(next, d + 1);
    return [...far].filter(([i]) => role[i] === 0)
        .reduce((sum, [, d]) => sum + Math.exp(-d * d / (2 * sigma * sigma)), 0);
}

async function checkPinning(checks, report, data, found)
{
    const {about, arrays} = data, [view] = about.views, lists = adjacencyOf(data);
    const predicted = arrays['0.predicted'];
    const others = i => lists[i].filter(j => predicted[j] !== predicted[i]);
    const {node, ...spot} = found.reduce((a, b) =>
        others(b.node).length > others(a.node).length ? b : a);
    await checks.check('a click pins the node and marks it in every map', async () => {
        await report.moveAway();
        await assertAllOthersChange(report, marks, async () => {
            await report.page.mouse.click(spot.x, spot.y);
            await report.moveAway();
        });
        const title = await report.text('#node h3');
        assert.ok(shows(title, data.name(node)), `"${title}" is pinned`);
    });
    await checks.check('the pinned node shows its values', async () => {
        const text = await report.text('#node');
        for (const measure of view.measures) {
            const value = arrays[`0.${measure}`][node] / 65535;
            if (value === 0 || value >= 0.0005) // smaller ones are written with an exponent
                assert.ok(text.includes(value.toFixed(3)), `${measure} is missing in: ${text}`);
        }
        const name = about.graph.classes[predicted[node]].slice(0, 30);
        assert.ok(text.includes(name), `the predicted class ${name} is missing in: ${text}`);
    });
    await checks.check('the pinned node tells which neighbours disagree', async () => {
        const told = others(node).length ? `${others(node).length} of ${lists[node].length} neighbour`
                                         : 'neighbour';
        assert.ok((await report.text('#node')).includes(told), `"${told}" is missing`);
        const listed = await report.texts('#node li bdi');
        const missing = others(node).slice(0, 8).map(data.name)
            .filter(name => !listed.some(l => shows(l, name)));
        assert.deepEqual(missing, []);
        return told;
    });
    if (view.prior)
        await checks.check('the pinned node tells where its prior comes from', async () => {
            const evidence = evidenceFor(lists, arrays['0.role'], view.prior.sigma, node);
            const [, told] = /Evidence of ([\d.]+) from/.exec(await report.text('#node')) ?? [];
            assert.ok(Math.abs(Number(told) - evidence) < 0.002,
                      `${told} where ${evidence.toFixed(3)} was expected`);
            return told;
        });
    await checks.check('the pinned node is drawn on the simplex', async () => {
        const which = await report.texts('#simplex .simplex .which bdi');
        assert.ok(which.some(name => shows(name, data.name(node))), `it shows ${which}`);
    });
    return node;
}

async function checkSelecting(checks, report)
{
    const box = await report.box(map), [, spot] = await report.spots(`${map} canvas`, 3);
    const reach = 0.1 * box.width;
    const brush = () => report.drag({x: spot.x - reach, y: spot.y - reach},
                                    {x: spot.x + reach, y: spot.y + reach}, 'Shift');
    // Most nodes are not selected and have one pale colour then, the same in all maps.
    await checks.check('dragging with shift selects, in every map', async () => {
        await assertAllOthersChange(report, dots, brush);
        const found = await report.commonest(dots);
        assert.equal(new Set(found.map(f => f.colour)).size, 1, 'the maps do not pale alike');
        assert.ok(found.every(f => f.share > 0.1), 'hardly a node is pale');
        return `${Math.round(found[0].share * 100)} % pale`;
    });
    await checks.check('the selected nodes are listed', async () => {
        assert.ok(!await isHidden(report, '#selection'), 'the list is hidden');
        const rows = await report.count('#selection tbody tr');
        assert.ok(rows > 0, 'no rows');
        const title = await report.text('#selection');
        const [counted] = /[\d,]+(?= nodes?\b)/.exec(title) ?? ['0'];
        assert.ok(Number(counted.replaceAll(',', '')) >= rows, `${rows} rows, ${counted} nodes`);
        return `${counted} nodes`;
    });
}

async function checkEscape(checks, report, before)
{
    await checks.check('Escape clears pin and selection', async () => {
        await report.page.focus(map);
        await report.page.keyboard.press('Escape');
        await report.settle();
        assert.ok(await isHidden(report, '#selection'), 'the selection is still listed');
        assert.deepEqual(await report.prints(`${dots}, ${marks}`), before);
    });
}

async function checkZooming(checks, report)
{
    const [spot] = await report.spots(`${map} canvas`, 1);
    const before = await report.prints(dots);
    await checks.check('the wheel zooms every map, "Show all" restores them exactly', async () => {
        await assertAllOthersChange(report, dots, async () => {
            await report.page.mouse.move(spot.x, spot.y);
            await report.page.waitForTimeout(300); // a page that just scrolled keeps the wheel
            for (let turn = 0; turn < 3; turn++)
                await report.page.mouse.wheel(0, -120);
            await report.settle();
        });
        await report.press('Show all', '#maps');
        await report.settle();
        assert.deepEqual(await report.prints(dots), before, 'the maps are not as before');
    });
    await checks.check('dragging moves a map that is zoomed', async () => {
        await report.page.focus(map);
        await report.page.keyboard.press('+');
        await report.settle();
        await assertAllOthersChange(report, dots, () =>
            report.drag(spot, {x: spot.x + 40, y: spot.y + 30}));
        await report.press('Show all', '#maps');
        await report.settle();
    });
}

async function checkKeys(checks, report)
{
    await checks.check('Tab reaches the map', async () => {
        await report.page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
        const isThere = () => report.page.evaluate(s =>
            document.activeElement === document.querySelector(s), map);
        for (let tab = 0; tab < 60; tab++) {
            await report.page.keyboard.press('Tab');
            if (await isThere())
                return;
        }
        assert.fail('not within 60 stops');
    });
    await checks.check('keys zoom and move the map, 0 shows all', async () => {
        await report.show(map);
        const before = await report.prints(dots);
        for (const key of ['+', 'ArrowLeft', 'ArrowUp', '-']) {
            await assertAllOthersChange(report, dots, async () => {
                await report.page.keyboard.press(key);
                await report.settle();
            }).catch(error => assert.fail(`${key}: ${error.message}`));
        }
        await report.page.keyboard.press('0');
        await report.settle();
        assert.deepEqual(await report.prints(dots), before, 'the maps are not as before');
    });
}

async function checkColouring(checks, report)
{
    const select = '#maps .panel:first-child select.what';
    await checks.check('every choice of colours draws another map', async () => {
        const choices = await report.page.evaluate(s =>
            [...document.querySelector(s).options].map(o => o.value), select);
        const first = await report.page.inputValue(select), seen = new Map();
        assert.ok(choices.length >= 4, `only ${choices}`);
        for (const choice of choices) {
            await report.page.selectOption(select, choice);
            await report.settle();
            const [print] = await report.prints(dots);
            assert.ok(!seen.has(print), `${choice} looks as ${seen.get(print)} does`);
            seen.set(print, choice);
        }
        await report.page.selectOption(select, first);
        await report.settle();
        return choices.join(', ');
    });
    await checks.check('a click on a class of the legend lets it stand out', async () => {
        const entry = '#maps .panel .legend button';
        const changes = async () => {
            await report.page.click(entry);
            await report.settle();
        };
        const before = await report.prints(dots);
        await assertAllOthersChange(report, dots, changes);
        await changes();
        assert.deepEqual(await report.prints(dots), before, 'a second click does not end it');
    });
}

export async function checkMaps(checks, report, data)
{
    await report.show(map);
    await report.moveAway();
    const before = await report.prints(`${dots}, ${marks}`);
    const found = await checkHovering(checks, report, data);
    if (!found.length)
        return;
    await checkPinning(checks, report, data, found);
    await report.show(map);
    await checkSelecting(checks, report);
    await checkEscape(checks, report, before);
    await report.show(map);
    await checkZooming(checks, report);
    await checkKeys(checks, report);
    await checkColouring(checks, report);
}
