"""Whether a report page can be used by everyone, in every state: the rules of axe-core that
pages break most, written out, since it is not in Debian."""

from checks import expect_equal
from report_page import ReportPage

RULES = ["smallTargets", "unreachableScrolling", "wrongRoles", "nameless", "faintText",
         "repeatedIds", "skippedHeadings"]


def breaches(page):
    page.evaluate("scrollTo(0, 0)")  # or the bar would lie over what is below it
    page.settle()
    return {rule: found[:4] for rule in RULES if (found := page.ask(rule))}


def states(page, data):
    """Every state of the page, by name."""
    yield "as it opens"
    if data.nodes:
        page.find(data.name(0)[:30])
        yield "with matches of a search"
        page.pin_first()
        yield "with a pinned node"
        if not page.phone:
            page.ask("focus", "#maps .map")
            page.act(page.press, "s")
            yield "with selected nodes"
    page.act(page.click, "#theme")
    yield "in the dark"


def check_page(checks, page, data, where):
    for state in states(page, data):
        with checks.claim(f"no rule of access is broken {state}, {where}"):
            expect_equal(breaches(page), {})


def check_access(checks, browser, url, data):
    for where, size in (("on a desk", {"width": 1280, "height": 1000}),
                        ("on a phone", {"width": 390, "height": 844, "phone": True})):
        page = ReportPage(browser, url, **size)
        page.settle()
        check_page(checks, page, data, where)
        page.close()
