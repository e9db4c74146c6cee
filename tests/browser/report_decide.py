"""The first screen of a report page: the verdict, the threshold and what it does, in numbers
that are computed here from the data alone, and in pixels."""

import csv
import io
import math
import struct
import tempfile
from pathlib import Path

from checks import expect, expect_equal
from command import file_of
from report_page import shows

SLIDER = ".slide input"
MAP = ".picture .map canvas:first-child"
# Of the unit of work, which takes about a quarter of a second: a tenth of a second.
MOST_REPAINT = 0.4


def as_float(value):
    """Rounded as the program rounds thresholds."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def tail(n, k, p):
    """P(X >= k) of n draws with probability p."""
    logs = (math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1)
            + i * math.log(p) + (n - i) * math.log1p(-p) for i in range(k, n + 1))
    return math.fsum(math.exp(l) for l in logs)


def interval(right, n):
    """Of Clopper and Pearson, in percent."""
    def low(k):
        if k == 0:
            return 0.0
        a, b = 0.0, k / n
        for _ in range(40):
            middle = (a + b) / 2
            a, b = (middle, b) if tail(n, k, middle) < 0.025 else (a, middle)
        return a
    return 100 * low(right), 100 * (1 - low(n - right))


def plain(text):
    return text.replace("\u00a0", " ")


def number(text):
    return int(text.replace(",", ""))


# ---- what a threshold does


def scores_of(data, measure):
    return data.arrays[f"0.{measure}"]


def accepted_title(data):
    return f"{data.about['views'][0]['basis']} nodes accepted"


def figures_at(data, measure, threshold):
    """What the page must say: accepted, right of these, errors and unknown classes caught,
    each as (hits, of)."""
    scores, judges, most = scores_of(data, measure), data.judges(0), as_float(threshold)
    kinds = {i: data.kind(0, i) for i in judges}
    accepted = [i for i in judges if scores[i] <= most]

    def caught(kind):
        nodes = [i for i in judges if kinds[i] == kind]
        return sum(scores[i] > most for i in nodes), len(nodes)

    return {accepted_title(data): (len(accepted), len(judges)),
            "right, of these": (sum(kinds[i] == "correct" for i in accepted), len(accepted)),
            "errors caught": caught("wrong"), "unknown classes caught": caught("ood")}


def shown_figures(report):
    """By name: percent, low, high, hits, of."""
    found = {}
    for name, value, note in report.ask("readFigures", ".decide .figures"):
        low, _, high, _, _, hits, _, of = plain(note).split(" ") if "·" in note else [None] * 8
        if hits:
            found[name] = (float(plain(value).split()[0]), float(low), float(high),
                           number(hits), number(of))
    return found


def expect_figures(report, data):
    measure, threshold = report.evaluate(
        "[document.querySelector('.decide select').value, window.decisionOfPage().threshold]")
    want = figures_at(data, measure, threshold)
    for name, (percent, low, high, hits, of) in shown_figures(report).items():
        expect_equal((hits, of), want[name], name)
        expect_equal(f"{percent:.1f}", f"{100 * hits / of:.1f}", name)
        exact = interval(hits, of)
        expect(abs(low - exact[0]) < 0.06 and abs(high - exact[1]) < 0.06,
               f"{name}: {low} to {high} where {exact} was expected")
    return want


def expose(report):
    """Lets the test read the decision with all its digits; the page shows four."""
    report.ask("exposeDecision")


# ---- claims


def check_verdict(checks, report, data):
    with checks.claim("the first screen says how good the model is, in words and figures"):
        report.evaluate("scrollTo(0, 0)")
        judges = [i for i in data.judges(0) if data.kind(0, i) != "ood"]
        text = plain(report.text(".verdict"))
        if judges:
            right = sum(data.kind(0, i) == "correct" for i in judges)
            low, high = interval(right, len(judges))
            labels = [data.arrays["label"][i] for i in judges]
            most = max(labels.count(k) for k in set(labels))
            for words in (f"{100 * right / len(judges):.1f} % right of {len(judges):,}",
                          f"{low:.1f} to {high:.1f} %", f"{100 * most / len(judges):.1f} % right."):
                expect(words in text, f'"{words}" is missing in: {text}')
        seen = report.ask("whatIsInSight", ".verdict dt, .to-distrust h2, .to-distrust tbody tr, "
                          ".next h2, .picture .map, .slide input")
        expect_equal(seen["outside"], [], "beyond the first screen")
    with checks.claim("confidence is judged with its direction"):
        expect(any(w in text for w in ("confident", "cautious", "trusted", "uneven", "judged")),
               text)


def check_distrust(checks, report, data):
    expose(report)
    with checks.claim("the nodes to distrust are counted by reason, and listed") as claim:
        decision = report.evaluate("window.decisionOfPage()")
        scores, most = scores_of(data, decision["measure"]), as_float(decision["threshold"])
        rejected = [i for i in range(data.nodes) if scores[i] > most]
        title = report.text(".to-distrust h2")
        if rejected:
            expect_equal(title, f"Distrust {len(rejected):,} of {data.nodes:,} nodes")
        role = data.arrays["0.role"]
        order = sorted((i for i in rejected if role[i] != 0), key=lambda i: -scores[i])
        listed = report.texts(".distrust tbody td:first-child")
        expect_equal(len(listed), min(6, len(order)))
        graph, predicted = data.about["graph"], data.arrays["0.predicted"]
        guesses = report.texts(".distrust tbody td:nth-child(3)")
        for name, guess in zip(listed, guesses):
            said = [graph["classes"][predicted[i]] for i in order if shows(name, data.name(i))]
            expect(any(guess.startswith(("perhaps " + k[:20], k[:20])) for k in said),
                   f"{name} is said to be {guess}, and predicted {said}")
        if "0.vacuity" in data.arrays and "0.dissonance" in data.arrays:
            conflict = sum(data.arrays["0.dissonance"][i] > data.arrays["0.vacuity"][i]
                           for i in rejected)
            legend = report.text(".picture .legend")
            expect(not conflict or f"conflicting evidence {conflict:,}" in legend, legend)
        claim.note = title


def check_slider(checks, report, data):
    with checks.claim("the slider shows what a threshold does, with exact intervals"):
        expose(report)
        for position in (1000, 700, 350, 20):
            report.act(report.ask, "slide", SLIDER, position)
            want = expect_figures(report, data)
        accepted, of = want[accepted_title(data)]
        expect(accepted < of, "all are accepted at 2 %")
    with checks.claim("nodes repaint as the slider moves"):
        looks = []
        for position in (200, 500, 800):
            report.act(report.ask, "slide", SLIDER, position)
            looks.append(report.prints(MAP)[0])
        expect_equal(len(set(looks)), 3, "pictures")
    with checks.claim("every measure and confidence can be decided by"):
        select = ".decide select"
        for measure in [*data.about["views"][0]["measures"], "confidence"]:
            report.choose(select, measure)
            expect(plain(report.text(".decide .figures dd")).count("%") >= 3, measure)
        report.choose(select, data.about["views"][0]["measures"][0])


def check_repaint(checks, report, data):
    if data.nodes < 35000:
        return
    with checks.claim("35,000 nodes repaint in a tenth of a second") as claim:
        unit = min(report.ask("timeOf", "exert") for _ in range(2))
        least = min(report.ask("timeOfSlide", SLIDER, position) for position in
                    range(100, 1000, 75))
        expect(least < MOST_REPAINT * unit, f"{least:.0f} ms, a unit {unit:.0f}")
        claim.note = f"{least:.0f} ms, a unit {unit:.0f} ms"


def saved_csv(report, button, name):
    """The rows of a file that the page hands out."""
    with tempfile.TemporaryDirectory(prefix="opine-page-") as folder:
        report.save_to(folder)
        report.click(button)
        file = Path(folder) / name
        report.wait(lambda: file.exists() and file.stat().st_size > 0, f"{name} is saved")
        return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))


def expect_same_decisions(report, data):
    """The command that the page shows decides about every node as the page does."""
    rows = saved_csv(report, ".picture > .tools button", "decisions.csv")
    expect_equal(len(rows), data.nodes)
    mine = {row["node"]: row["decision"] for row in rows}
    command = report.texts(".next .command code")[0]
    theirs = csv.DictReader(io.StringIO(file_of(command)))
    other = [row["node"] for row in theirs
             if row["decision"].split()[0] != mine[row["node"].lstrip("'")]][:5]
    expect_equal(other, [], f"nodes that {command} decides otherwise")
    return command


def check_commands(checks, report, data, hostile):
    view = data.about["views"][0]
    if hostile or not view["file"]:
        return
    with checks.claim("the threshold as a command decides as the page does") as claim:
        report.choose(".decide select", "entropy")
        report.act(report.ask, "slide", SLIDER, 640)
        claim.note = expect_same_decisions(report, data)
        expect("--abstain-above entropy=" in claim.note, claim.note)
    shown = [view["promises"]["targets"][t] for t, p in
             enumerate(view["promises"]["measures"].get("entropy", [])) if p["shown"]]
    if shown and view["task"] != "ood":
        with checks.claim("a promise is that of the command") as claim:
            report.choose(".decide label:last-of-type select", str(shown[-1]))
            claim.note = expect_same_decisions(report, data)
            expect(f"--target-accuracy {shown[-1]} --decide-by entropy" in claim.note, claim.note)
            expect("Promised" in report.text("#promise"), report.text("#promise"))


def check_basis(checks, report, data):
    basis = data.about["views"][0]["basis"]
    if basis != "validation":
        return
    with checks.claim("without test nodes the page is whole, and says that validation judges"):
        expect("validation nodes" in report.text(".verdict"), report.text(".verdict"))
        expect("validation nodes" in report.text("#promise"), report.text("#promise"))
        expect(report.ask("countOf", "#curves .chart canvas") >= 4, "charts are missing")


def check_terms(checks, report):
    with checks.claim("a word of the field is explained under the pointer and in the glossary"):
        report.evaluate("scrollTo(0, 0)")
        spot = report.ask("findTarget", ".verdict .term", None)
        report.move_to(spot)
        expect(len(report.text("#tip")) > 30 and not report.ask("isHidden", "#tip"), "no words")
        report.move_away()
        expect(report.ask("isHidden", "#tip"), "they stay")
        missing = report.evaluate("[...document.querySelectorAll('.term')].filter(a => !document."
                                  "getElementById(a.hash.slice(1))).map(a => a.textContent)")
        expect_equal(missing, [])


def check_decide(checks, report, data, hostile):
    check_verdict(checks, report, data)
    check_distrust(checks, report, data)
    check_terms(checks, report)
    check_basis(checks, report, data)
    check_slider(checks, report, data)
    check_repaint(checks, report, data)
    check_commands(checks, report, data, hostile)
