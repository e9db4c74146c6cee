"""Chromium without a screen, driven through its own debugging protocol.

Commands, answers and events are JSON between two pipes, which the browser has as descriptors
3 and 4. So a test needs no package but the browser and no port that may be taken, and the
browser ends by itself when the test is gone.
"""

import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

NAMES = ["chromium", "chromium-browser", "google-chrome"]

# Without a GPU and with one colour profile every machine draws alike; it has a mouse, which a
# machine without a screen often lacks. Windows that cover each other go on drawing. The rest
# keeps the browser from asking for anything of its own.
OPTIONS = [
    "--headless", "--remote-debugging-pipe", "--disable-gpu", "--force-color-profile=srgb",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,"
    "availablePointerTypes=4",
    "--hide-scrollbars", "--disable-dev-shm-usage", "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
    "--no-first-run", "--no-default-browser-check", "--no-proxy-server",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--disable-breakpad", "--password-store=basic",
]

START_SECONDS = 60
ANSWER_SECONDS = 120  # far more than any answer takes: a loaded machine is no failure


class NoBrowser(Exception):
    """There is no browser here that could open a page; says why."""


class Gone(Exception):
    """The browser ended, or does not answer any more."""


class Refused(Exception):
    """The browser knows no such command, or could not carry it out."""


def find():
    """The path of the browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def move_up(pipe):
    """The two ends of a pipe, clear of the numbers that the browser's ends shall have."""
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in pipe]
    for end in pipe:
        os.close(end)
    return moved


class Chromium:
    """A running browser. listeners: for a session the function that hears its events."""

    def __init__(self, path, options):
        self.listeners = {}
        self.last_id = 0
        self.received = bytearray()
        self.searched = 0  # so many bytes of them hold no end of a message
        self.folder = Path(tempfile.mkdtemp(prefix="opine-browser-"))
        self.start(path, options)

    def start(self, path, options):
        commands, self.commands = move_up(os.pipe())
        self.answers, answers = move_up(os.pipe())

        def place_pipes():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        # A home of its own: the user's may be read-only, and its settings are not ours.
        names = ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
        home = {name: str(self.folder) for name in names}
        locale = {"LC_ALL": "C.UTF-8", "LANGUAGE": "en"}
        with open(self.folder / "stderr", "wb") as stderr:
            self.process = subprocess.Popen(
                [path, *OPTIONS, f"--user-data-dir={self.folder / 'profile'}", *options],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
                env={**os.environ, **home, **locale}, close_fds=False, start_new_session=True,
                preexec_fn=place_pipes)
        os.close(commands)
        os.close(answers)

    def close(self):
        with contextlib.suppress(Gone, Refused):
            self.call("Browser.close", seconds=10)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        shutil.rmtree(self.folder, ignore_errors=True)

    def last_words(self):
        """What the browser said of its own accord, for those who look for the reason."""
        words = (self.folder / "stderr").read_text(errors="replace").strip()
        fatal = [line for line in words.splitlines() if "FATAL" in line or "sandbox" in line]
        return (fatal or words.splitlines() or ["it says nothing"])[-1]

    # ---- messages

    def send(self, method, session=None, **parameters):
        """Sends a command without waiting for its answer."""
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        rest = json.dumps(message).encode() + b"\0"
        while rest:
            try:
                rest = rest[os.write(self.commands, rest) :]
            except BrokenPipeError as error:
                raise Gone("the browser ended") from error
        return self.last_id

    def receive(self, end):
        """The next message, or None when there is none until the end."""
        while (at := self.received.find(b"\0", self.searched)) < 0:
            self.searched = len(self.received)
            left = max(0, end - time.monotonic())
            if not select.select([self.answers], [], [], left)[0]:
                return None
            if not (more := os.read(self.answers, 1 << 20)):
                raise Gone("the browser ended")
            self.received += more
        message = json.loads(self.received[:at])
        del self.received[: at + 1]
        self.searched = 0
        return message

    def hear(self, message):
        listener = self.listeners.get(message.get("sessionId"))
        if listener and "method" in message:
            listener(message["method"], message["params"])

    def call(self, method, session=None, seconds=ANSWER_SECONDS, **parameters):
        """Sends a command and returns its answer; events before it are heard meanwhile."""
        wanted, end = self.send(method, session, **parameters), time.monotonic() + seconds
        while message := self.receive(end):
            if message.get("id") != wanted:
                self.hear(message)
            elif "error" in message:
                raise Refused(f"{method}: {message['error'].get('message')}")
            else:
                return message["result"]
        raise Gone(f"no answer to {method} within {seconds} s")

    def listen(self, seconds):
        """Hears events for so long."""
        end = time.monotonic() + seconds
        while message := self.receive(end):
            self.hear(message)


def prove_usable(browser):
    """Opens a file: a browser may start and have neither processes for pages nor our files."""
    file = browser.folder / "start.html"
    file.write_text("<!doctype html><title>start</title>", encoding="utf-8")
    target = browser.call("Target.createTarget", seconds=START_SECONDS, url="about:blank")
    session = browser.call(
        "Target.attachToTarget", targetId=target["targetId"], flatten=True
    )["sessionId"]
    opened = browser.call("Page.navigate", session, START_SECONDS, url=file.as_uri())
    if opened.get("errorText"):
        raise Gone(f"it cannot open a file ({opened['errorText']})")
    browser.call("Target.closeTarget", targetId=target["targetId"])


def start():
    """A browser that can open pages; raises NoBrowser where there is none."""
    path = find()
    if not path:
        raise NoBrowser(f"none of {', '.join(NAMES)} is installed (tools/bootstrap browser)")
    # Chromium's sandbox refuses root, and needs user namespaces, which some systems forbid.
    tries = [["--no-sandbox"]] if os.geteuid() == 0 else [[], ["--no-sandbox"]]
    for options in tries:
        browser = Chromium(path, options)
        try:
            prove_usable(browser)
            return browser
        except Gone as error:
            reason = f"{error}: {browser.last_words()}"
            browser.close()
        except BaseException:
            browser.close()
            raise
    raise NoBrowser(f"{path} does not start here: {reason}")
