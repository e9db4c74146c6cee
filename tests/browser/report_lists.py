"""The lists, the comparison, the explanation of a node and the addresses of a report page."""

import json
import re
import shlex

from checks import expect, expect_equal
from command import run_opine
from report_decide import plain, saved_csv
from report_page import ReportPage, shows

ROWS = ".queue tbody tr"


def queue(report, words):
    report.act(report.click, ".queue .tools button", words)


def check_suggestions(checks, report, data):
    wanted = data.about["views"][0]["suggestions"]
    with checks.claim("the nodes to label next are listed in their order") as claim:
        queue(report, "Label these next")
        names = report.texts(f"{ROWS} th bdi")
        expect_equal(len(names), len(wanted))
        expect(all(shows(n, data.name(node)) for n, (node, _) in zip(names, wanted)), str(names))
        claim.note = f"{len(names)} nodes"
    if len(wanted) > 2:
        with checks.claim("a list sorts, filters and saves"):
            report.act(report.click, ".queue thead th:nth-child(2) button")
            report.act(report.click, ".queue thead th:nth-child(2) button")
            gains = [float(v) for v in report.texts(f"{ROWS} td:nth-child(2)")]
            expect_equal(gains, sorted(gains))
            rows = saved_csv(report, ".queue > div:last-child > button", "label.csv")
            expect_equal(len(rows), len(wanted))
            report.fill(".queue input", "no node is called so")
            expect_equal(report.ask("countOf", ROWS), 0)
            report.fill(".queue input", "")


def check_suspects(checks, report, data):
    with checks.claim("labels that the model contradicts are listed") as claim:
        queue(report, "Labels that look wrong")
        role = data.arrays["0.role"]
        wrong = [i for i in range(data.nodes) if data.kind(0, i) == "wrong" and role[i] != 0]
        found = re.match(r"[\d,]+", report.text(".queue [role=status]"))[0]
        expect_equal(int(found.replace(",", "")), len(wrong))
        claim.note = f"{found} labels"


def check_disagreements(checks, report, data):
    if len(data.about["views"]) < 2:
        return
    with checks.claim("nodes that two models disagree on are listed") as claim:
        queue(report, "Where two models disagree")
        one, other = data.arrays["0.predicted"], data.arrays["1.predicted"]
        n = sum(a != b for a, b in zip(one, other))
        expect_equal(report.ask("countOf", ROWS), min(n, 100))
        claim.note = f"{n} nodes"
    with checks.claim("two models are compared on the same nodes, and none is left out"):
        models = [v["model"] for v in data.about["views"]]
        told = report.texts("#compare .result:first-of-type tbody th")
        expect_equal(len(told), len(models))
        row = report.texts("#compare .result:nth-of-type(2) tbody tr:first-child > *")
        both = [i for i in data.judges(0) if i in set(data.judges(1))
                and data.kind(0, i) != "ood" and data.kind(1, i) != "ood"]
        only = [sum(data.kind(a, i) == "correct" != data.kind(b, i) for i in both)
                for a, b in ((0, 1), (1, 0))]
        expect_equal([int(v) for v in row[1:2] + row[3:5]], [len(both), *only])


def explained(data):
    """A node of uncertain class, and what `opine explain` says about it."""
    view, scores = data.about["views"][0], data.arrays["0.entropy"]
    node = sorted(range(data.nodes), key=lambda i: scores[i])[int(0.9 * data.nodes)]
    words = ["opine", "explain", view["file"], data.about["graph"]["source"], data.name(node)]
    return node, json.loads(run_opine(shlex.join([*words, "--json", "-q"])))


def expect_measures(text, told):
    for name, value in told["measures"].items():
        if value is not None and abs(value["value"]) >= 0.01:
            expect(f"{value['value']:.3f}" in text, f"{name} {value['value']} in {text}")


def expect_prior(text, told):
    prior = told.get("prior")
    if prior and prior["labelled"]:
        n = len(prior["labelled"])
        words = f"Evidence of {prior['evidence']:.4g} from {n:,} training node"
        expect(words in text, f'"{words}" in: {text}')


def expect_conflict(text, told):
    pairs = told["conflict"]["pairs"]
    if pairs and pairs[0]["dissonance"] > 0.02:
        expect(f"{100 * pairs[0]['share']:.1f} %" in text, f"{pairs[0]} in {text}")
        expect(("mainly" in text) == (pairs[0]["share"] > 0.5), f"mainly: {pairs[0]['share']}")


def check_explained(checks, report, data, hostile):
    if hostile or not data.about["views"][0]["file"] or "0.alpha" not in data.arrays:
        return
    with checks.claim("a node has the numbers of opine explain to the last digit"):
        node, told = explained(data)
        report.find(data.name(node))
        expect_equal(report.pin_first(), data.name(node))
        text = plain(report.text("#node"))
        expect_measures(text, told)
        beliefs = sorted((c["belief"] for c in told["classes"]), reverse=True)[:3]
        shown = report.texts("#node .opinion:first-of-type .value")[:3]
        expect_equal(shown, [f"{b:.3f}" if b >= 0.0005 else "<0.001" for b in beliefs])
        expect_prior(text, told)
        expect_conflict(text, told)
    with checks.claim("the neighbourhood of a node shows at most sixty nodes"):
        dots = report.ask("countOf", "#node .near circle")
        if data.about["graph"]["edges"]:
            expect(1 < dots <= 60, f"{dots} nodes")
        else:
            expect_equal(dots, 0)


def check_links(checks, browser, report, data):
    with checks.claim("an address restores node, measure and threshold from the file"):
        name, measure = data.name(data.nodes // 2), data.about["views"][0]["measures"][-1]
        values = sorted(data.arrays[f"0.{measure}"])
        threshold = f"{values[len(values) // 3]:.9g}"
        parts = report.evaluate(f"new URLSearchParams({{node: {json.dumps(name)}, measure: "
                                f"'{measure}', threshold: '{threshold}'}}).toString()")
        page = ReportPage(browser, f"{report.own.split('#')[0]}#{parts}")
        page.settle()
        title, chosen = page.text("#node h3 bdi"), page.evaluate(
            "document.querySelector('.decide select').value")
        address = page.evaluate("location.hash.slice(1)")
        page.act(page.ask, "slide", ".slide input", 500)
        moved = page.evaluate("location.hash.slice(1)")
        page.close()
        expect(shows(title, name), f'"{title}" is pinned')
        expect_equal(chosen, measure)
        expect("threshold=" in address and "node=" in address, address)
        expect(moved != address and f"measure={measure}" in moved, moved)


def check_lists(checks, browser, report, data, hostile):
    check_suggestions(checks, report, data)
    check_suspects(checks, report, data)
    check_disagreements(checks, report, data)
    check_explained(checks, report, data, hostile)
    check_links(checks, browser, report, data)
