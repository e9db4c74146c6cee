// The tables of a report page: what they show, how they sort, and what they copy.
import assert from 'node:assert/strict';

const valueOf = cell => cell !== null && typeof cell === 'object' ? cell.mean : cell;

// Fields of CSV as RFC 4180 has it.
function parseCsv(string)
{
    const rows = [[]];
    const fields = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|$)/y;
    while (fields.lastIndex < string.length) {
        const found = fields.exec(string);
        assert.ok(found, `not CSV: ${string.slice(0, 200)}`);
        const quoted = found[1].startsWith('"');
        rows.at(-1).push(quoted ? found[1].slice(1, -1).replaceAll('""', '"') : found[1]);
        if (found[2] === '\r\n' && fields.lastIndex < string.length)
            rows.push([]);
    }
    return rows;
}

// The cells of a tabular, with the signs that were escaped put back.
function parseLatex(string)
{
    const head = /^\\begin\{tabular\}\{[lr]+\}\n\\toprule\n/;
    const foot = /\\bottomrule\n\\end\{tabular\}\n$/;
    assert.match(string, head);
    assert.match(string, foot);
    const bare = string.replace(/\\[&%$#_{}]/g, '');
    assert.ok(!/[#%<>|~^]|[^\\]_/.test(bare), `a sign is not escaped: ${bare.slice(0, 400)}`);
    const plain = cell => cell.trim().replace(/\\textless\{\}/g, '<')
        .replace(/\\textgreater\{\}/g, '>').replace(/\\([&%$#_{}])/g, '$1');
    const lines = string.replace(head, '').replace(foot, '').trimEnd().split('\n');
    assert.equal(lines.splice(1, 1)[0], '\\midrule');
    return lines.map(line => {
        assert.match(line, / \\\\$/);
        return line.slice(0, -3).split(/(?<!\\)&/).map(plain);
    });
}

// A column of numbers that differ, so that sorting by it must move something.
function columnToSort(table)
{
    return table.columns.findIndex((_, k) => {
        const values = table.rows.map(row => valueOf(row[k]));
        const numbers = values.every(v => typeof v === 'number' || v === null);
        return numbers && new Set(values).size > 1;
    });
}

const first = '#tables .result:first-of-type';

async function checkSorting(report, table)
{
    const column = columnToSort(table);
    assert.ok(column >= 0, 'no column to sort by');
    const head = `${first} thead th:nth-child(${column + 1})`;
    const rows = () => report.texts(`${first} tbody tr`);
    const before = await rows(), orders = {};
    for (const click of ['first', 'second', 'third']) {
        await report.page.click(`${head} button`);
        const direction = await report.page.getAttribute(head, 'aria-sort');
        const shown = await report.texts(`${first} tbody td:nth-child(${column + 1})`);
        const values = shown.map(t => parseFloat(t.replace('−', '-'))).filter(Number.isFinite);
        orders[click] = {direction, values, rows: await rows()};
    }
    const sorted = [...orders.first.values].sort((a, b) => a - b);
    assert.deepEqual(Object.values(orders).map(o => o.direction),
                     ['descending', 'ascending', 'none']);
    assert.deepEqual(orders.first.values, [...sorted].reverse());
    assert.deepEqual(orders.second.values, sorted);
    assert.notDeepEqual(orders.first.rows, orders.second.rows);
    assert.deepEqual(orders.third.rows, before);
}

async function copied(report, button)
{
    await report.page.evaluate(() => navigator.clipboard.writeText('nothing'));
    await report.press(button, first);
    await report.page.waitForTimeout(150);
    return report.page.evaluate(() => navigator.clipboard.readText());
}

export async function checkTables(checks, report, {about})
{
    const [table] = about.tables;
    if (!table)
        return;
    await report.show('#tables .result');
    await checks.check('every table shows its rows', async () => {
        const shown = await report.page.evaluate(() =>
            [...document.querySelectorAll('#tables .result')]
                .map(result => result.querySelectorAll('tbody tr').length));
        assert.deepEqual(shown, about.tables.map(t => t.rows.length));
    });
    await checks.check('a click on a column sorts the table', () => checkSorting(report, table));
    await checks.check('a table copies as CSV', async () => {
        const rows = parseCsv(await copied(report, 'Copy as CSV'));
        assert.equal(rows.length, table.rows.length + 1);
        assert.ok(rows.every(row => row.length === rows[0].length), 'rows of different length');
        assert.ok(rows.flat().every(field => !/^[=@]/.test(field)), 'a field is a formula');
        table.columns.forEach((name, k) => {
            const at = rows[0].indexOf(name);
            assert.ok(at >= 0, `no column ${name}`);
            const told = rows.slice(1).map(row => row[at].replace(/^'(?=[=+\-@])/, ''));
            assert.deepEqual(told, table.rows.map(row => String(valueOf(row[k]) ?? '')));
        });
    });
    await checks.check('a table copies as LaTeX', async () => {
        const rows = parseLatex(await copied(report, 'Copy as LaTeX'));
        assert.deepEqual(rows[0], table.columns);
        assert.deepEqual(rows.slice(1).map(row => row[0]),
                         table.rows.map(row => String(valueOf(row[0]))));
        assert.ok(rows.every(row => row.length === rows[0].length), 'rows of different length');
    });
}
