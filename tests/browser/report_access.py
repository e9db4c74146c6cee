"""Whether a report page can be used by everyone, in every state: by axe-core where OPINE_AXE names
its axe.min.js, and everywhere by the rules of it that pages break most, written out, since it is
not in Debian."""

import json
import os
from pathlib import Path

from checks import expect_equal
from report_page import ReportPage

RULES = ["smallTargets", "unreachableScrolling", "wrongRoles", "nameless", "faintText",
         "repeatedIds", "skippedHeadings", "outsideLandmarks"]

AXE = os.environ.get("OPINE_AXE")
AXE_SOURCE = Path(AXE).read_text(encoding="utf-8") if AXE else None

# All rules that are on by default, which are those of WCAG 2.0 and 2.1 and of good practice, and
# the one of WCAG 2.2, which is not.
AXE_OPTIONS = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}

AXE_RUN = """axe.run(document, %s).then(({violations}) => Object.fromEntries(violations.map(
    ({id, nodes}) => [id, nodes.slice(0, 4).map(({target, any, all, none}) =>
        `${target.join(' ')}: ${[...any, ...all, ...none].map(c => c.message)[0] || ''}`)])))"""


def violations(page):
    """What axe-core finds, by rule; nothing where it is not there."""
    if AXE_SOURCE is None:
        return {}
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(f"{AXE_SOURCE}\n;0")
    return page.evaluate(AXE_RUN % json.dumps(AXE_OPTIONS))


def breaches(page):
    page.evaluate("scrollTo(0, 0)")  # or the bar would lie over what is below it
    page.settle()
    return {rule: found[:4] for rule in RULES if (found := page.ask(rule))} | violations(page)


def check_state(checks, page, state):
    """Checks the page as it stands now; state: words for that."""
    with checks.claim(f"no rule of access is broken {state}"):
        expect_equal(breaches(page), {})


# ---- states


def search_states(page, data):
    page.find("no such node, whatever their names")
    yield "with a search that finds nothing"
    page.find(data.name(0)[:30])
    yield "with matches of a search"
    page.pin_first()
    yield "with a pinned node"
    if not page.phone:
        page.ask("focus", "#maps .map")
        page.act(page.press, "s")
        yield "with selected nodes"


def threshold_states(page):
    slider = ".decide input[type=range]"
    for position, what in ((0, "no node"), (1000, "every node"), (700, "some nodes")):
        page.act(page.ask, "slide", slider, position)
        yield f"with {what} accepted"


def states(page, data):
    """Every state of the page, by name."""
    yield "as it opens"
    if data.nodes:
        yield from search_states(page, data)
    if data.about["views"]:
        yield from threshold_states(page)
    page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    yield "with all details open"
    for theme in ("in the dark", "in the light"):
        page.act(page.click, "#theme")
        yield theme
        if data.about["views"]:
            page.ask("focus", ".term")
            yield f"{theme} with a word explained"


def check_access(checks, browser, url, data):
    if AXE_SOURCE is None:
        print("skipped axe-core: OPINE_AXE does not name its axe.min.js")
    for where, size in (("on a desk", {"width": 1280, "height": 1000}),
                        ("on a phone", {"width": 390, "height": 844, "phone": True})):
        page = ReportPage(browser, url, **size)
        page.settle()
        for state in states(page, data):
            check_state(checks, page, f"{state}, {where}")
        page.close()
