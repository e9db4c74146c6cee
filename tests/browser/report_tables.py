"""The tables of a report page: what they show, how they sort, and what they copy."""

import math
import re

from checks import expect, expect_equal

FIRST = "#tables .result:first-of-type"


def parse_csv(string):
    """Fields of CSV as RFC 4180 has it."""
    field = re.compile(r'("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|\Z)')
    rows, at = [[]], 0
    while at < len(string):
        found = field.match(string, at)
        expect(found, f"not CSV: {string[:200]}")
        at, value = found.end(), found[1]
        rows[-1].append(value[1:-1].replace('""', '"') if value.startswith('"') else value)
        if found[2] == "\r\n" and at < len(string):
            rows.append([])
    return rows


def plain_cell(cell):
    """A cell of LaTeX with the signs that were escaped put back."""
    cell = cell.strip().replace(r"\textless{}", "<").replace(r"\textgreater{}", ">")
    return re.sub(r"\\([&%$#_{}])", r"\1", cell)


def parse_latex(string):
    """The cells of a tabular."""
    whole = re.fullmatch(r"\\begin\{tabular\}\{[lr]+\}\n\\toprule\n(.*)"
                         r"\\bottomrule\n\\end\{tabular\}\n", string, re.DOTALL)
    expect(whole, f"not a tabular: {string[:200]}")
    bare = re.sub(r"\\[&%$#_{}]", "", string)
    expect(not re.search(r"[#%<>|~^]|[^\\]_", bare), f"a sign is not escaped: {bare[:400]}")
    head, rule, *lines = whole[1].rstrip().split("\n")
    expect_equal(rule, r"\midrule")
    for line in [head, *lines]:
        expect(line.endswith(r" \\"), f"a row does not end: {line}")
    return [[plain_cell(cell) for cell in re.split(r"(?<!\\)&", line[:-3])]
            for line in [head, *lines]]


def value_of(cell):
    return cell["mean"] if isinstance(cell, dict) else cell


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def column_to_sort(table):
    """A column of numbers that differ, so that sorting by it must move something."""
    for k in range(len(table["columns"])):
        values = [value_of(row[k]) for row in table["rows"]]
        numbers = all(value is None or is_number(value) for value in values)
        if numbers and len(set(values)) > 1:
            return k
    return None


def number_in(shown):
    """The number that a text starts with, or None."""
    found = re.match(r"\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", shown.replace("−", "-"), re.I)
    return float(found[0]) if found and math.isfinite(float(found[0])) else None


def sort_once(report, column):
    """Clicks a column: its direction, its numbers from top to bottom, and the rows."""
    head = f"{FIRST} thead th:nth-child({column + 1})"
    report.click(f"{head} button")
    direction = report.evaluate(f"document.querySelector('{head}').getAttribute('aria-sort')")
    shown = map(number_in, report.texts(f"{FIRST} tbody td:nth-child({column + 1})"))
    return direction, [v for v in shown if v is not None], report.texts(f"{FIRST} tbody tr")


def check_sorting(checks, report, table):
    with checks.claim("a click on a column sorts the table"):
        column = column_to_sort(table)
        expect(column is not None, "no column to sort by")
        before = report.texts(f"{FIRST} tbody tr")
        directions, values, rows = zip(*(sort_once(report, column) for _ in range(3)))
        expect_equal(list(directions), ["descending", "ascending", "none"])
        expect_equal(values[0], sorted(values[0], reverse=True))
        expect_equal(values[1], sorted(values[0]))
        expect(rows[0] != rows[1], "both directions show the same rows")
        expect_equal(rows[2], before)


def copied(report, button):
    """What is in the clipboard after a button was clicked."""
    report.evaluate("navigator.clipboard.writeText('nothing')")
    report.click(f"{FIRST} button", button)
    read = "navigator.clipboard.readText()"
    report.wait(lambda: report.evaluate(read) != "nothing", f"{button} copies")
    return report.evaluate(read)


def check_csv(checks, report, table, cells):
    with checks.claim("a table copies as CSV"):
        head, *rows = parse_csv(copied(report, "Copy as CSV"))
        expect_equal(len(rows), len(table["rows"]))
        expect(all(len(row) == len(head) for row in rows), "rows of different length")
        expect(not any(re.match("[=@]", field) for row in [head, *rows] for field in row),
               "a field is a formula")
        for k, name in enumerate(table["columns"]):
            expect(name in head, f"no column {name}")
            at = head.index(name)
            told = [re.sub(r"^'(?=[=+\-@])", "", row[at]) for row in rows]
            expect_equal(told, [row[k] for row in cells])


def check_latex(checks, report, table, cells):
    with checks.claim("a table copies as LaTeX"):
        head, *rows = parse_latex(copied(report, "Copy as LaTeX"))
        expect_equal(head, table["columns"])
        expect_equal([row[0] for row in rows], [row[0] for row in cells])
        expect(all(len(row) == len(head) for row in rows), "rows of different length")


def check_tables(checks, report, data):
    tables = data.about["tables"]
    if not tables:
        return
    report.show("#tables .result")
    with checks.claim("every table shows its rows"):
        shown = report.ask("countWithin", "#tables .result", "tbody tr")
        expect_equal(shown, [len(table["rows"]) for table in tables])
    check_sorting(checks, report, tables[0])
    check_csv(checks, report, tables[0], data.cells[0])
    check_latex(checks, report, tables[0], data.cells[0])
