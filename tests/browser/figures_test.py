"""figures_test.py FILE.svg...: each figure opens as a picture of its own, draws something,
asks for nothing, and holds nothing that could act."""

import sys
from pathlib import Path

from checks import expect, expect_equal, run, shot_path
from tab import Tab, colours_of


def check_drawing(checks, browser, tab, name):
    with checks.claim(f"{name} draws something") as claim:
        picture = tab.screenshot(shot_path(tab.own), clip=tab.ask("boxOf", "svg"))
        read = colours_of(browser, picture)
        covered = f"{read['covered'] * 100:.2f} %"
        expect(read["colours"] >= 16, f"only {read['colours']} colours")
        expect(read["covered"] > 0.005, f"only {covered} is not background")
        claim.note = f"{read['colours']} colours, {covered} covered"


def check_figure(checks, browser, tab, file):
    with checks.claim(f"{file.name} is well-formed SVG") as opened:
        expect(file.exists(), "no such file")
        tab.goto(file.resolve().as_uri())
        expect_equal(tab.evaluate("document.documentElement.localName"), "svg")
        expect_equal(tab.ask("countOf", "parsererror"), 0)
    if not opened.held:
        return
    check_drawing(checks, browser, tab, file.name)
    with checks.claim(f"{file.name} cuts no text off"):
        expect_equal(tab.ask("findCutTexts"), [])
    with checks.claim(f"{file.name} holds nothing that acts"):
        expect_equal(tab.ask("findActive"), [])
    with checks.claim(f"{file.name} asks for nothing and complains of nothing"):
        expect_equal(tab.seen(), {"complaints": [], "requests": []})


def check_figures(checks, browser, files):
    for file in files:
        tab = Tab(browser, width=1600, height=1200)
        check_figure(checks, browser, tab, Path(file))
        tab.close()


if __name__ == "__main__":
    sys.exit(run(check_figures, sys.argv[1:]))
