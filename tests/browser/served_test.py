"""served_test.py: opens the page of `opine explore` as a reader would, labels a node, sees its
opinion move, and undoes it; cancels a training, trains another model, and finds nodes by
feature. Names of the data are text there too."""

import contextlib
import csv
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from checks import expect, expect_equal, run, shot_path
from command import run_opine
from report_access import check_access, check_state
from report_page import ReportData, ReportPage
from report_policy import check_refusal

SECONDS = 120


@contextlib.contextmanager
def served(folder, data="demo", epochs=60):
    """The address of a running `opine explore`, and its process."""
    run_opine(f"opine train {shlex.quote(data)} --model s-bgcn-t-k --epochs {epochs} --threads 1 "
              "-o m.safetensors -q", folder)
    process = subprocess.Popen(
        [os.environ["OPINE"], "explore", "m.safetensors", data, "--threads", "1", "-q"],
        cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().split()[-1], process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=SECONDS)


def badge(page):
    return page.evaluate("document.getElementById('tried').hidden ? '' : "
                         "document.getElementById('tried').textContent")


def await_badge(page, words):
    page.wait(lambda: badge(page) == words, f'"{words}" where "{badge(page)}" is', SECONDS)
    page.settle()


def measures(page):
    return page.texts("#node .measures dd")


def state_of(page):
    """What a what-if changes: numbers of the pinned node, the verdict, and the maps."""
    page.evaluate("scrollTo(0, 0)")
    page.settle()
    return {"node": measures(page), "facts": page.texts("#node .facts:first-of-type dd"),
            "verdict": page.text(".verdict"), "maps": page.prints("#summary canvas")}


def check_file(checks, browser, folder):
    run_opine("opine report m.safetensors demo --threads 1 -o file.html -q", folder)
    with checks.claim("a file has none of the controls"):
        page = ReportPage(browser, (Path(folder) / "file.html").as_uri())
        page.find("7")
        page.pin_first()
        expect_equal(page.ask("countOf", "#live *"), 0)
        expect_equal(page.ask("countOf", ".try-label"), 0)
        expect(page.evaluate("document.getElementById('live').hidden"), "the section is there")
        page.close()


def check_labelling(checks, page, data):
    node = next(i for i in range(data.nodes) if data.arrays["0.role"][i] == 2)
    page.find(data.name(node))
    expect_equal(page.pin_first(), data.name(node))
    before = state_of(page)
    other = next(k for k in data.about["views"][0]["known"] if k != data.arrays["label"][node])
    name = data.about["graph"]["classes"][other]
    with checks.claim("a label that is tried moves the opinion of its node and the map"):
        page.choose(".try-label select", str(other))
        page.click(".try-label .try")
        await_badge(page, "What if: 1 label")
        after = state_of(page)
        expect(all(before[part] != after[part] for part in ("node", "facts", "maps")), str(after))
        expect(after["facts"][0].startswith(name), f"label {after['facts']}")
        expect_equal(after["facts"][2], "training")
        expect("Before:" in page.text(".before"), page.text(".before"))
        page.show("#live")
        page.screenshot(shot_path("served", "what-if"))
    with checks.claim("it says which opinions moved most, and its own is among them"):
        expect("predicted another class" in page.text(".what-if"), page.text(".what-if"))
        expect(data.name(node) in page.texts(".moved tbody bdi"), page.text(".moved"))
    check_state(checks, page, "with a what-if")
    with checks.claim("a page that is loaded anew shows the same"):
        page.reload()
        page.wait(lambda: page.evaluate("window.readyAfter"), "it is ready")
        await_badge(page, "What if: 1 label")
        expect_equal(state_of(page), after)
    with checks.claim("a second label is undone alone, and then the first"):
        page.click(".try-label button", "Take its label away")
        page.wait(lambda: "no label" in page.text(".edits"), "it has no label", SECONDS)
        await_badge(page, "What if: 1 label")
        page.find(data.name(node + 1))
        page.pin_first()
        page.click(".try-label .try")
        await_badge(page, "What if: 2 labels")
        page.act(page.click, ".what-if button", "Undo the last")
        await_badge(page, "What if: 1 label")
        page.act(page.click, ".what-if button", "Undo the last")
        await_badge(page, "")
        page.find(data.name(node))
        page.pin_first()
        expect_equal(state_of(page), before)


def check_features(checks, page):
    with checks.claim("nodes are found by feature, and selected"):
        page.fill(".by-feature input", "1")
        page.wait(lambda: page.ask("countOf", ".by-feature .matches button"), "features match")
        told = page.text(".by-feature .matches li:first-child .note").split()[0]
        page.act(page.click, ".by-feature .matches button")
        page.wait(lambda: "selected" in page.text(".by-feature [role=status]"), "it says so")
        expect(page.text(".by-feature [role=status]").startswith(told), told)
        expect_equal(page.text("#selection h3").split()[0], told)
    check_state(checks, page, "with nodes that were found by feature")
    with checks.claim("a feature that is not there is said to be missing"):
        page.fill(".by-feature input", "no such feature")
        page.wait(lambda: "No feature" in page.text(".by-feature [role=status]"), "none matches")


def check_cancel(checks, page):
    with checks.claim("a training shows its progress"):
        page.choose(".another select", "s-bgat-t-k")
        page.click(".another .train")
        page.wait(lambda: page.ask("countOf", ".running:not([hidden]) progress[value]"),
                  "there is progress", SECONDS)
        expect("of" in page.text(".running span"), page.text(".running"))
        expect(page.evaluate("document.querySelector('.another .train').disabled"),
               "another could be started")
    check_state(checks, page, "while a model is trained")
    with checks.claim("a training is cancelled"):
        page.click(".running button", "Cancel")
        page.wait(lambda: page.text(".problem") == "Cancelled.", "it is cancelled", SECONDS)
        expect(not page.evaluate("document.querySelector('.another .train').disabled"),
               "nothing can be started")


def check_training(checks, page):
    with checks.claim("another model is trained and shown beside the first"):
        page.choose(".another select", "gcn")
        page.click(".another .train")
        page.wait(lambda: page.evaluate("document.getElementById('view')?.options.length === 2 "
                                        "&& document.documentElement.dataset.ready === 'true'"),
                  "there are two models", SECONDS)
        page.settle()
        expect_equal(page.evaluate("document.getElementById('view').value"), "1")
        expect("gcn" in page.text("#compare"), page.text("#compare")[:200])
    check_state(checks, page, "with two models that are compared")


def check_phone(checks, browser, address):
    with checks.claim("nothing is wider than a phone"):
        phone = ReportPage(browser, f"{address}#node=7", width=390, height=844, phone=True)
        width = "Math.max(document.scrollingElement.scrollWidth, innerWidth)"
        expect_equal(phone.evaluate(width), 390)
        phone.show("#live")
        phone.screenshot(shot_path("served", "phone"))
        phone.close()


def check_end(checks, page, process):
    with checks.claim("a page whose server has ended says so"):
        process.send_signal(signal.SIGINT)
        expect_equal(process.wait(timeout=SECONDS), 130)
        page.fill(".by-feature input", "1")
        page.wait(lambda: "has ended" in page.text(".problem"), "it says so")
    check_state(checks, page, "when its server has ended")


ATTACK = "<img src=x onerror=window.hacked=1>"


def write_hostile(folder):
    """Sixty nodes in a folder whose name, nodes, classes and features are markup."""
    os.mkdir(folder)
    features = [ATTACK, "</script><script>window.hacked=1</script>", "<!--<script>", "a\u2028b"]
    nodes = [f"{ATTACK}{i}" for i in range(60)]
    tables = {
        "edges": [["source", "target"], *([nodes[i], nodes[(i + 2) % 60]] for i in range(60))],
        "features": [["node", "feature", "value"],
                     *([node, feature, 1 + (i * k) % 3] for i, node in enumerate(nodes)
                       for k, feature in enumerate(features))],
        "labels": [["node", "label"], *([node, f"<b>{i % 2}</b>"] for i, node in enumerate(nodes))],
    }
    for name, rows in tables.items():
        with open(f"{folder}/{name}.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)


def check_hostile(checks, browser):
    with tempfile.TemporaryDirectory(prefix="opine-served-") as folder:
        write_hostile(f"{folder}/{ATTACK}")
        with served(folder, ATTACK, epochs=5) as (address, _):
            page = ReportPage(browser, address, width=1440)
            with checks.claim("names of folder, nodes, classes and features are text"):
                expect_equal(ReportData(page).about["title"], ATTACK)
                page.find(ATTACK)
                page.pin_first()
                page.fill(".by-feature input", "<img")
                page.wait(lambda: page.ask("countOf", ".by-feature .matches button"), "a match")
                expect(page.text(".by-feature .matches button").startswith(ATTACK[:20]), "markup")
                page.act(page.click, ".by-feature .matches button")
                page.wait(lambda: "selected" in page.text(".by-feature [role=status]"), "selected")
                expect_equal(page.ask("findStrangers"), [])
                expect_equal(page.evaluate("typeof window.hacked"), "undefined")
                expect_equal(page.seen()["complaints"], [])
            page.close()


def check_served(checks, browser):
    check_hostile(checks, browser)
    with tempfile.TemporaryDirectory(prefix="opine-served-") as folder:
        with served(folder) as (address, process):
            check_file(checks, browser, folder)
            page = ReportPage(browser, address, width=1440)
            data = ReportData(page)
            page.screenshot(shot_path("served", "light"))
            check_labelling(checks, page, data)
            check_features(checks, page)
            check_cancel(checks, page)
            check_training(checks, page)
            check_phone(checks, browser, address)
            check_access(checks, browser, address, data)
            check_refusal(checks, browser, address)
            seen = page.seen()
            with checks.claim("the page asks nobody but its server, and complains of nothing"):
                strange = [url for url in seen["requests"] if not url.startswith(address)]
                expect_equal((strange, seen["complaints"]), ([], []))
            check_end(checks, page, process)
            page.close()


if __name__ == "__main__":
    sys.exit(run(check_served))
