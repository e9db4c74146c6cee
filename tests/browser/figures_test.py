"""figures_test.py FILE.svg...: each figure opens as a picture of its own, draws something,
asks for nothing, and holds nothing that could act. Where poppler-utils and qpdf are installed,
they read the PDF beside it, if there is one."""

import base64
import shutil
import subprocess
import sys
import tempfile
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


MOST_BYTES = 300_000

# Pairs of texts that lie on each other. Numbers of classes stand where their nodes are, which
# may be one place.
OVERLAPS = """(() => {
    const texts = [...document.querySelectorAll('text')]
        .filter(text => !/^\\d{1,2}$/.test(text.textContent))
        .map(text => [text.textContent, text.getBoundingClientRect()]);
    const found = [];
    texts.forEach(([a, p], i) => texts.slice(0, i).forEach(([b, q]) => {
        if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
            Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 4)
            found.push(`${a} / ${b}`);
    }));
    return found;
})()"""


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    expect_equal(done.returncode, 0)
    return done.stdout + done.stderr


def check_pdf(checks, browser, file):
    if not file.exists():
        return
    with checks.claim(f"{file.name} is read by other programs") as claim:
        readers = [name for name in ("qpdf", "pdffonts", "pdftoppm") if shutil.which(name)]
        claim.note = ", ".join(readers) or "none is installed"
        if "qpdf" in readers:
            output_of("qpdf", "--check", str(file))
        if "pdffonts" in readers:
            fonts = output_of("pdffonts", str(file))
            expect("Helvetica-Bold" in fonts and "Symbol" in fonts, fonts)
        if "pdftoppm" in readers:
            with tempfile.TemporaryDirectory() as folder:
                said = output_of("pdftoppm", "-r", "96", "-png", "-singlefile", str(file),
                                 f"{folder}/page")
                expect_equal(said, "")
                picture = Path(folder, "page.png").read_bytes()
                read = colours_of(browser, base64.b64encode(picture).decode())
                expect(read["colours"] >= 16, f"only {read['colours']} colours")


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
    with checks.claim(f"{file.name} has no text on another"):
        expect_equal(tab.evaluate(OVERLAPS), [])
    with checks.claim(f"{file.name} is below {MOST_BYTES // 1000} kB") as size:
        size.note = f"{file.stat().st_size} bytes"
        expect(file.stat().st_size < MOST_BYTES, size.note)
    with checks.claim(f"{file.name} holds nothing that acts"):
        expect_equal(tab.ask("findActive"), [])
    with checks.claim(f"{file.name} asks for nothing and complains of nothing"):
        expect_equal(tab.seen(), {"complaints": [], "requests": []})


def check_figures(checks, browser, files):
    for file in files:
        tab = Tab(browser, width=1600, height=1200)
        check_figure(checks, browser, tab, Path(file))
        tab.close()
        check_pdf(checks, browser, Path(file).with_suffix(".pdf"))


if __name__ == "__main__":
    sys.exit(run(check_figures, sys.argv[1:]))
