"""Named checks with a line for each, what they expect, and where screenshots go."""

import json
import os
import sys
from pathlib import Path
from urllib.parse import unquote, urlparse

import chromium

SKIPPED = 77


class Failed(AssertionError):
    """A page is not as it should be; says how."""


def expect(holds, why):
    if not holds:
        raise Failed(why)


def expect_equal(actual, expected, what=""):
    """Says both values, cut to a length that can be read."""
    if actual != expected:
        shown = [json.dumps(value, default=str)[:600] for value in (actual, expected)]
        raise Failed(f"{what}{': ' if what else ''}{shown[0]} where {shown[1]} was expected")


class Claim:
    """One check, as a context: what is raised in it fails this check, not those after it."""

    def __init__(self, checks, name):
        self.checks, self.name, self.note, self.held = checks, name, "", False

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is not None and not isinstance(error, Exception):
            return False
        self.held = error is None
        self.checks.done += 1
        self.checks.failed += not self.held
        if self.held:
            print(f"ok {self.name}{f' ({self.note})' if self.note else ''}")
        else:
            known = isinstance(error, (Failed, chromium.Gone, chromium.Refused))
            why = str(error) if known else f"{kind.__name__}: {error}"
            print(f"not ok {self.name}: {' / '.join(why.splitlines()[:3])}")
        return True


class Checks:
    def __init__(self):
        self.done = self.failed = 0

    def claim(self, name):
        return Claim(self, name)

    def end(self):
        """The closing line, and the exit code of the whole test."""
        print(f"{self.done - self.failed} of {self.done} checks passed")
        return 1 if self.failed or not self.done else 0


def run(test, *arguments):
    """Runs test(checks, browser, ...) and returns the exit code; skips where no browser is."""
    # A page may hold characters that the terminal cannot show.
    sys.stdout.reconfigure(errors="backslashreplace", line_buffering=True)
    try:
        browser = chromium.start()
    except chromium.NoBrowser as error:
        print(f"skipped: {error}")
        return SKIPPED
    checks = Checks()
    try:
        test(checks, browser, *arguments)
    finally:
        browser.close()
    return checks.end()


def shot_path(url, *parts):
    """Where a screenshot of a file goes: out/cora.html and "dark" make cora-dark.png."""
    name = Path(unquote(urlparse(url).path)).stem
    return Path(os.environ.get("SHOTS", ".")) / ("-".join([name, *parts]) + ".png")
