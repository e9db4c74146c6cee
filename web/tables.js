'use strict';
// Tables that sort and copy: the results, and the parameters and the manifest of the run.

const isEstimate = cell => cell !== null && typeof cell === 'object';
const cellValue = cell => isEstimate(cell) ? cell.mean : cell;
const isMissing = cell => cellValue(cell) === null || cellValue(cell) === undefined;
const hasSpread = cell => isEstimate(cell) && cell.low !== null && cell.high !== null;
const halfWidth = cell => (cell.high - cell.low) / 2;

// ---------------------------------------------------------------- what a column holds

// One number of decimals for the whole column, so that its figures line up; enough of them that
// the widest interval does not read as ± 0.
function decimalsOf(cells)
{
    const values = cells.map(cellValue);
    if (cells.every(cell => !isEstimate(cell)) && values.every(Number.isInteger))
        return 0;
    const greatest = Math.max(...values.map(Math.abs));
    const spread = Math.max(0, ...cells.filter(hasSpread).map(halfWidth));
    let digits = greatest >= 10 ? 1 : greatest >= 1 ? 2 : 3;
    while (spread > 0 && spread < 10 ** -digits && digits < 6)
        digits++;
    return digits;
}

function columnsOf(spec)
{
    return spec.columns.map((name, k) => {
        const cells = spec.rows.map(row => row[k]).filter(cell => !isMissing(cell));
        const isNumber = cell => typeof cellValue(cell) === 'number';
        const numeric = cells.length > 0 && cells.every(isNumber);
        return {name, numeric, estimates: numeric && cells.some(hasSpread),
                digits: numeric ? decimalsOf(cells) : 0};
    });
}

// Rows in the order of a column; those without a value come last, whichever the direction.
function sortedRows(spec, columns, sorting)
{
    const {column, direction} = sorting;
    if (!direction)
        return spec.rows;
    const before = columns[column].numeric
        ? (a, b) => cellValue(a) - cellValue(b)
        : (a, b) => String(cellValue(a)).localeCompare(String(cellValue(b)), 'en', {numeric: true});
    return [...spec.rows].sort(({[column]: a}, {[column]: b}) =>
        isMissing(a) || isMissing(b) ? isMissing(a) - isMissing(b) : direction * before(a, b));
}

// ---------------------------------------------------------------- showing

function numberCell(cell, column)
{
    if (isMissing(cell))
        return element('td', {class: 'number'}, '–');
    const {digits, estimates} = column, mean = cellValue(cell).toFixed(digits).replace('-', '−');
    if (!estimates)
        return element('td', {class: 'number'}, mean);
    if (!hasSpread(cell))
        return element('td', {class: 'number'}, mean, element('span', {class: 'spread'}));
    const interval = `${cell.low.toFixed(digits + 1)} to ${cell.high.toFixed(digits + 1)}`;
    return element('td', {class: 'number', title: interval}, mean,
                   element('span', {class: 'spread'}, ` ± ${halfWidth(cell).toFixed(digits)}`));
}

function tableRow(row, columns)
{
    return element('tr', {}, ...columns.map((column, k) => {
        if (column.numeric)
            return numberCell(row[k], column);
        const shown = isMissing(row[k]) ? '–' : text(cellValue(row[k]), 400);
        return k ? element('td', {}, shown) : element('th', {scope: 'row'}, shown);
    }));
}

const sortNames = {'1': 'ascending', '-1': 'descending', '0': 'none'};

// A click sorts (numbers from the greatest), the next turns round, the third gives the order back.
function nextSorting(sorting, at, numeric)
{
    const first = numeric ? -1 : 1;
    if (sorting.column !== at || !sorting.direction)
        return {column: at, direction: first};
    return {column: at, direction: sorting.direction === first ? -first : 0};
}

function tableHead(columns, sort)
{
    return columns.map((column, k) => element('th',
        {scope: 'col', 'aria-sort': 'none', class: column.numeric ? 'number' : null},
        element('button', {type: 'button', class: 'sort', onclick: () => sort(k)},
                text(column.name), element('span', {class: 'arrow', 'aria-hidden': 'true'}))));
}

// Adds a table to `parent`: its title, the copying, the rows and the note.
function addTable(parent, spec, withLatex)
{
    const columns = columnsOf(spec), body = element('tbody', {});
    let sorting = {column: 0, direction: 0};
    const rows = () => sortedRows(spec, columns, sorting);
    const show = () => {
        head.forEach((th, k) => th.setAttribute('aria-sort',
            sortNames[k === sorting.column ? sorting.direction : 0]));
        body.replaceChildren(...rows().map(row => tableRow(row, columns)));
    };
    const head = tableHead(columns, k => {
        sorting = nextSorting(sorting, k, columns[k].numeric);
        show();
    });
    const table = element('table', {class: 'sheet'},
                          element('thead', {}, element('tr', {}, ...head)), body);
    // A box that scrolls must be within reach of the keyboard, and then needs a name.
    const box = element('div', {class: 'scroll', tabindex: '0', role: 'group',
                                'aria-label': plain(spec.title)}, table);
    const note = spec.note ? element('p', {class: 'note'}, text(spec.note, 2000)) : null;
    show();
    parent.append(element('div', {class: 'result'},
        element('div', {class: 'head'}, element('h3', {}, text(spec.title, 200)),
                copyButtons(columns, rows, withLatex)), box, note));
}

// ---------------------------------------------------------------- copying

// A text field that a spreadsheet would take for a formula gets an apostrophe before it.
function csvText(string)
{
    const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(string);
    const safe = !isNumber && /^\s*[=+\-@]/.test(string) ? `'${string}` : string;
    return `"${safe.replaceAll('"', '""')}"`;
}

function csvFields(cell, column)
{
    const field = value => value === null || value === undefined ? ''
        : typeof value === 'number' ? String(value) : csvText(String(value));
    if (!column.estimates)
        return [field(cellValue(cell))];
    const {low, high} = isEstimate(cell) ? cell : {low: null, high: null};
    return [field(cellValue(cell)), field(low), field(high)];
}

// An estimate takes three columns: its interval is data as well.
function csvOf(columns, rows)
{
    const names = columns.flatMap(({name, estimates}) =>
        estimates ? [name, `${name} low`, `${name} high`] : [name]);
    const lines = rows.map(row => columns.flatMap((column, k) => csvFields(row[k], column)));
    return [names.map(csvText), ...lines].map(line => line.join(',') + '\r\n').join('');
}

const latexSigns = {
    '\\': '\\textbackslash{}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}',
    '&': '\\&', '%': '\\%', '$': '\\$', '#': '\\#', '_': '\\_', '{': '\\{', '}': '\\}',
    '<': '\\textless{}', '>': '\\textgreater{}', '|': '\\textbar{}', '\u00a0': '~',
};

function latexText(string)
{
    return plain(string, Infinity).replace(/[\\~^&%$#_{}<>|\u00a0]/g, sign => latexSigns[sign]);
}

function latexCell(cell, column)
{
    if (isMissing(cell))
        return '--';
    if (!column.numeric)
        return latexText(cellValue(cell));
    const mean = cellValue(cell).toFixed(column.digits);
    const spread = hasSpread(cell) ? ` \\pm ${halfWidth(cell).toFixed(column.digits)}` : '';
    return `$${mean}${spread}$`;
}

// A tabular for the package booktabs.
function latexOf(columns, rows)
{
    const line = cells => `${cells.join(' & ')} \\\\`;
    return [`\\begin{tabular}{${columns.map(c => c.numeric ? 'r' : 'l').join('')}}`, '\\toprule',
            line(columns.map(c => latexText(c.name))), '\\midrule',
            ...rows.map(row => line(columns.map((c, k) => latexCell(row[k], c)))),
            '\\bottomrule', '\\end{tabular}', ''].join('\n');
}

// Some browsers give a page from a file no clipboard: there a hidden field is selected and copied.
function copyByField(string)
{
    const field = element('textarea', {class: 'away', readonly: true, 'aria-hidden': 'true'});
    const focused = document.activeElement;
    field.value = string;
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    focused?.focus({preventScroll: true});
    return done;
}

async function copyText(string)
{
    try {
        await navigator.clipboard.writeText(string);
        return true;
    } catch {
        return copyByField(string);
    }
}

function copyButtons(columns, rows, withLatex)
{
    const status = element('span', {role: 'status', class: 'note'});
    let timer = 0;
    const copy = async string => {
        clearTimeout(timer);
        status.textContent = await copyText(string) ? 'Copied' : 'The browser refused';
        timer = setTimeout(() => { status.textContent = ''; }, 3000);
    };
    const button = (name, make) =>
        element('button', {type: 'button', onclick: () => copy(make(columns, rows()))}, name);
    return element('div', {class: 'tools'}, status, button('Copy as CSV', csvOf),
                   withLatex && button('Copy as LaTeX', latexOf));
}

// ---------------------------------------------------------------- the sections

function drawTables(data)
{
    const section = document.getElementById('tables'), {tables} = data.about;
    if (!tables.length)
        return;
    section.replaceChildren(element('h2', {}, 'Tables'), element('p', {class: 'lead'},
        'Click a column head to sort by it. Estimates are the mean ± half the width of its 95 % ' +
        'interval.'));
    for (const table of tables)
        addTable(section, table, true);
}

function drawRun(data)
{
    const section = document.getElementById('run'), {manifest} = data.about;
    const views = data.views.filter(view => view.parameters.length);
    if (!views.length && !manifest.length)
        return;
    const grid = element('div', {class: 'runs'});
    const add = (title, rows) =>
        addTable(grid, {title, note: '', columns: ['name', 'value'], rows}, false);
    section.replaceChildren(element('h2', {}, 'Run'), element('p', {class: 'lead'},
        'What is needed to reproduce this report.'), grid);
    for (const view of views)
        add(`Parameters of ${data.viewName(data.views.indexOf(view))}`, view.parameters);
    if (manifest.length)
        add('Manifest', manifest);
}
