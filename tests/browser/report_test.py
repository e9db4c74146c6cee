"""report_test.py PAGE.html... [--nodes N] [--hostile] [--images]: opens pages of `opine report` as a
reader would, and checks that they draw, answer, keep to themselves, and take names for text.

--nodes: the page must have so many at the least, so that its size and work mean something.
--hostile: names with markup must be among the data.
--images: the nodes must be images.
"""

import argparse
import re
import sys
from pathlib import Path

from checks import expect, expect_equal, run, shot_path
from report_access import check_access
from report_colours import check_colours
from report_decide import check_decide
from report_lists import check_lists
from report_maps import check_maps
from report_page import ReportData, ReportPage, shows
from report_policy import check_policy
from report_tables import check_tables

# Both promised for 35,000 nodes. Work is CPU time until the page is shown, in units of a fixed
# loop in the same process: demo and large take 2 to 3.5, also on a loaded machine, and a loop
# of 40,000 steps for each node makes it more than 7.
MOST_BYTES, MOST_WORK = 5e6, 6

NOTHING = {"complaints": [], "requests": []}


def check_opening(checks, browser, file):
    """The open page, or None when it does not open."""
    page = None
    with checks.claim(f"the file is smaller than {MOST_BYTES / 1e6:.0f} MB") as claim:
        size = file.stat().st_size
        expect(size < MOST_BYTES, f"{size} bytes")
        claim.note = f"{size} bytes"
    with checks.claim("the page becomes ready") as claim:
        page = ReportPage(browser, file.resolve().as_uri())
        claim.note = f"{page.ready_after / 1000:.2f} s"
    if page:
        with checks.claim(f"it is ready after {MOST_WORK} units of work") as claim:
            work = least_work(page, browser)
            expect(work < MOST_WORK, f"{work:.1f} units")
            claim.note = f"{work:.1f} units"
    return page


def least_work(page, browser):
    """The work of opening the page. Others on the same core can only add to it, so a page that
    seems slow is opened twice more."""
    least = page.processor_seconds() / page.seconds_of_unit()
    for _ in range(2):
        if least >= MOST_WORK:
            again = ReportPage(browser, page.own)
            least = min(least, again.processor_seconds() / again.seconds_of_unit())
            again.close()
    return least


# ---- what is drawn

# Sections with canvases, and what they must show at the least: colours, share in colour.
DRAWINGS = {
    "map": ("#maps .map canvas:first-child", 3, 0),
    "simplex": ("#simplex .simplex canvas", 20, 0),
    "curve": ("#curves .chart canvas", 20, 0.002),
    "training chart": ("#training .chart canvas", 20, 0.002),
}


def parts_of(data):
    """Which of the drawings a page must have."""
    views = data.about["views"]
    if not views:
        return []
    first = views[0]
    wanted = {
        "map": any(view.get("embedding") for view in views),
        "simplex": first.get("has_alpha") and len(first["known"]) > 2,
        "curve": True,
        "training chart": first.get("training"),
    }
    return [part for part in DRAWINGS if wanted[part]]


def expect_drawn(report, part, at):
    selector, colours, vivid = DRAWINGS[part]
    report.show(selector, at)
    read = report.ask("readColours", selector, at)
    which = f"of number {at + 1}"
    expect(read["colours"] >= colours, f"{read['colours']} colours {which}")
    expect(read["covered"] >= 0.01, f"{read['covered'] * 100:.2f} % {which} is covered")
    expect(read["vivid"] >= vivid, f"{read['vivid'] * 100:.2f} % {which} is coloured")


def check_drawings(checks, report, data):
    for part in parts_of(data):
        with checks.claim(f"every {part} is drawn") as claim:
            shown = report.ask("countOf", DRAWINGS[part][0])
            expect(shown > 0, "there is none")
            for at in range(shown):
                expect_drawn(report, part, at)
            claim.note = f"{shown} drawn"


def check_images(checks, report, data, wanted):
    """A browser that could not read an image gives it a width of 0."""
    found = data.about["views"][0].get("images") if data.about["views"] else None
    if not found and not wanted:
        return
    with checks.claim("the most and least certain images are shown, as they are") as claim:
        expect(found, "the page has no images")
        tiles = [*found["certain"], *found["uncertain"]]
        shown = report.evaluate("[...document.querySelectorAll('#images img')].map("
                                "i => [i.naturalWidth, i.naturalHeight, i.src])")
        expect_equal(shown, [[found["width"], found["height"], tile["png"]] for tile in tiles])
        expect(all(tile["png"].startswith("data:image/png;base64,") for tile in tiles), "no PNG")
        expect_equal(len({tile["node"] for tile in tiles}), len(tiles))
        report.show("#images")
        report.screenshot(shot_path(report.own, "images"))
        claim.note = f"{len(tiles)} images"


def check_theme(checks, report):
    charts = "#curves canvas, #training canvas, #simplex .simplex canvas"
    ground = "getComputedStyle(document.body).backgroundColor"
    with checks.claim("the theme changes the page and its charts, and back"):
        light, before = report.evaluate(ground), report.prints(charts)
        report.act(report.click, "#theme")
        report.shoot("dark")
        expect(report.evaluate(ground) != light, "the background stays")
        expect(all(now != then for now, then in zip(report.prints(charts), before)),
               "a chart stays as it was")
        report.act(report.click, "#theme")
        expect_equal(report.evaluate(ground), light)
        expect_equal(report.prints(charts), before, "the charts are not as before")


def check_models(checks, report, data):
    if len(data.about["views"]) < 2:
        return
    with checks.claim("another model draws other charts"):
        charts = "#curves .chart canvas"
        before = report.prints(charts)
        report.choose("#view", "1")
        expect(report.prints(charts) != before, "the charts stay as they were")
        report.choose("#view", "0")
        expect_equal(report.prints(charts), before)


def check_reliability(checks, report, data):
    views = data.about["views"]
    if not views or not views[0].get("calibrated_reliability"):
        return
    chart = "#curves .chart:has(canvas[aria-label^=Reliability])"
    with checks.claim("reliability is drawn before and after calibration") as claim:
        errors = [views[0][name]["ece"] for name in ("reliability", "calibrated_reliability")]
        values = [value.replace("\u00a0", " ") for value in report.texts(f"{chart} .value")]
        expect_equal(values, [f"{error:.1f} %" for error in errors])
        both = report.prints(f"{chart} canvas")
        entry = f"{chart} .lines li:last-child button"
        report.act(report.click, entry)
        expect(report.prints(f"{chart} canvas") != both, "there is no second curve to hide")
        report.act(report.click, entry)
        expect_equal(report.prints(f"{chart} canvas"), both)
        claim.note = ", then ".join(values)


# ---- names


def expect_found(report, name, words):
    matches = report.find(words)
    expect(any(shows(match, name) for match in matches), f'"{name}" finds {matches}')
    return matches


def check_search(checks, report, data):
    with checks.claim("a search finds a node and pins it"):
        name = data.name(data.nodes - 1)
        matches = expect_found(report, name, name)
        expect(shows(report.pin_first(), matches[0]), "another node is pinned")
        report.shoot("pinned")


def check_names(checks, report, data, hostile):
    names = [name for name in data.all_names() if re.search("[<>&\"'`]", name)][:20]
    with checks.claim("names with markup are shown as text") as claim:
        expect(names or not hostile, "no such name in this page")
        for name in names:
            expect_found(report, name, name[:30])
            report.pin_first()
        claim.note = f"{len(names)} names"
    with checks.claim("no name became an element or ran"):
        expect_equal(report.ask("findStrangers"), [])
        expect_equal(report.evaluate("typeof window.hacked"), "undefined")


# ---- the phone


def measure_widths(phone, data):
    """How wide the page is when it opens, with the matches of a search, and with a pin."""
    width = "Math.max(document.scrollingElement.scrollWidth, innerWidth)"
    phone.shoot("phone")
    widths = [phone.evaluate(width)]
    if data.nodes:
        phone.find(max(data.all_names(), key=len)[:60])
        widths.append(phone.evaluate(width))
        phone.pin_first()
        widths.append(phone.evaluate(width))
        phone.shoot("phone", "pinned")
    return widths


def check_phone(checks, browser, url, data):
    with checks.claim("nothing is wider than a phone"):
        phone = ReportPage(browser, url, width=390, height=844, phone=True)
        widths = measure_widths(phone, data)
        seen = phone.seen()
        phone.close()
        expect_equal(widths, [390] * len(widths))
        expect_equal(seen, NOTHING)


def check_report(checks, browser, file, options):
    nodes, hostile = options.nodes, options.hostile
    report = check_opening(checks, browser, file)
    if not report:
        return
    data = ReportData(report)
    with checks.claim(f"the page has {nodes} nodes or more") as claim:
        expect(data.nodes >= nodes, f"it has {data.nodes}")
        claim.note = f"{data.nodes} nodes, {len(data.about['views'])} models"
    report.shoot("light")
    if data.about["views"]:
        check_decide(checks, report, data, hostile)
        check_lists(checks, browser, report, data, hostile)
        check_colours(checks, report)
        again = ReportPage(browser, report.own)
        report.close()
        report = again
    check_drawings(checks, report, data)
    check_images(checks, report, data, options.images)
    if "map" in parts_of(data):
        check_maps(checks, report, data)
    check_theme(checks, report)
    check_models(checks, report, data)
    check_reliability(checks, report, data)
    check_tables(checks, report, data)
    if data.nodes:
        check_search(checks, report, data)
        check_names(checks, report, data, hostile)
    check_phone(checks, browser, report.own, data)
    check_access(checks, browser, report.own, data)
    check_policy(checks, browser, report.own)
    seen = report.seen()
    with checks.claim("the page asks for nothing"):
        expect_equal(seen["requests"], [])
    with checks.claim("the page complains of nothing"):
        expect_equal(seen["complaints"], [])
    report.close()


def check_reports(checks, browser, options):
    for page in options.pages:
        print(f"# {page}")
        check_report(checks, browser, Path(page), options)


def parse_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--nodes", type=int, default=0)
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--images", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(run(check_reports, parse_options()))
