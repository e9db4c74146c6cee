"""One tab of the browser: opened, watched, asked, pointed at and typed into."""

import base64
import json
import time
from pathlib import Path

import chromium
from checks import Failed, expect

WAIT_SECONDS = 60  # bounds a wait for what comes at once on an idle machine

PROBES = "\n".join((Path(__file__).parent / name).read_text(encoding="utf-8")
                   for name in ("probes.js", "access.js"))

# What the protocol wants to know of a key: its place on the keyboard, its number, its text.
KEYS = {
    "Tab": ("Tab", 9, ""),
    "Shift": ("ShiftLeft", 16, ""),
    "Escape": ("Escape", 27, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "Backspace": ("Backspace", 8, ""),
    "+": ("NumpadAdd", 107, "+"),
    "-": ("Minus", 189, "-"),
    "0": ("Digit0", 48, "0"),
    "s": ("KeyS", 83, "s"),
}

SHIFT = 8  # the bit of the shift key among the modifiers of an event


def words_of(details):
    """What an exception in the page says."""
    return details.get("exception", {}).get("description", details["text"])


class Tab:
    """A tab with storage and permissions of its own.

    complaints: errors and warnings that the page caused; requests: addresses that it asked
    for, its own and data: left out.
    """

    def __init__(self, browser, width=1280, height=1000, phone=False):
        self.browser, self.phone, self.own = browser, phone, None
        self.complaints, self.requests, self.loads = [], [], 0
        context = browser.call("Target.createBrowserContext", disposeOnDetach=True)
        self.context = context["browserContextId"]
        target = browser.call(
            "Target.createTarget", url="about:blank", browserContextId=self.context
        )
        self.session = browser.call(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True
        )["sessionId"]
        browser.listeners[self.session] = self.hear
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False,
                  flatten=True)
        self.emulate(width, height)

    def emulate(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=2 if self.phone else 1, mobile=self.phone)
        if self.phone:
            self.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=1)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        # Without the focus a page may not use the clipboard.
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.browser.call("Browser.grantPermissions", browserContextId=self.context,
                          permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])

    def close(self):
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)
        del self.browser.listeners[self.session]

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    # ---- what the page does unasked

    def hear(self, event, about):
        hears = {
            "Runtime.consoleAPICalled": self.hear_console,
            "Runtime.exceptionThrown": self.hear_exception,
            "Log.entryAdded": self.hear_log,
            "Network.requestWillBeSent": lambda a: self.hear_request(a["request"]["url"]),
            "Target.attachedToTarget": lambda a: self.hear_request(a["targetInfo"]["url"]),
            "Page.javascriptDialogOpening": self.hear_dialog,
            "Page.loadEventFired": self.hear_load,
            "Inspector.targetCrashed": self.hear_crash,
        }
        if event in hears:
            hears[event](about)

    def complain(self, kind, words):
        # It is this test that reads canvases often.
        if "willReadFrequently" not in words:
            self.complaints.append(f"{kind}: {words}")

    def hear_console(self, about):
        if about["type"] in ("error", "warning", "assert"):
            said = [str(a.get("value", a.get("description", ""))) for a in about["args"]]
            self.complain(about["type"], " ".join(said))

    def hear_exception(self, about):
        self.complain("thrown", words_of(about["exceptionDetails"]))

    def hear_log(self, about):
        if about["entry"]["level"] in ("error", "warning"):
            self.complain(about["entry"]["level"], about["entry"]["text"])

    def hear_request(self, url):
        if url != self.own and not url.startswith("data:"):
            self.requests.append(url)

    def hear_dialog(self, about):
        self.complain("dialog", about["message"])
        self.browser.send("Page.handleJavaScriptDialog", self.session, accept=False)

    def hear_load(self, _):
        self.loads += 1

    def hear_crash(self, _):
        raise chromium.Gone("the page crashed")

    def seen(self):
        """What the page complained of and asked for, after the time to do so."""
        self.ask("waitForFrames", 2)
        return {"complaints": self.complaints, "requests": self.requests}

    # ---- questions

    def evaluate(self, expression):
        """The value of an expression in the page; of a promise, what it comes to."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise Failed(words_of(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def ask(self, probe, *arguments):
        """What a function of probes.js returns."""
        function = f"(() => {{{PROBES}\nreturn {probe};}})()"
        return self.evaluate(f"{function}(...{json.dumps(arguments)})")

    def wait(self, question, what, seconds=WAIT_SECONDS):
        """Asks until the answer is true, and returns it."""
        end = time.monotonic() + seconds
        while not (answer := question()):
            expect(time.monotonic() < end, f"{what}: not within {seconds} s")
            self.browser.listen(0.05)
        return answer

    def goto(self, url):
        self.own = url
        opened = self.call("Page.navigate", url=url)
        expect(not opened.get("errorText"), f"{url}: {opened.get('errorText')}")
        loaded = "document.readyState === 'complete'"
        self.wait(lambda: self.evaluate(loaded), f"{url} is loaded")

    def reload(self):
        """Loads the page anew; a question asked while the old page goes would fail."""
        before = self.loads
        self.call("Page.reload")
        self.wait(lambda: self.loads > before, "it is loaded anew")

    def save_to(self, folder):
        """Files that the page hands out go to this folder."""
        self.browser.call("Browser.setDownloadBehavior", behavior="allow",
                          browserContextId=self.context, downloadPath=str(folder))

    def processor_seconds(self):
        """What the page has computed so far, if it is the busiest that is open.

        The browser is asked: in its sandbox a page's process cannot read its own clock.
        """
        processes = self.browser.call("SystemInfo.getProcessInfo")["processInfo"]
        return max(p["cpuTime"] for p in processes if p["type"] == "renderer")

    def seconds_of_unit(self):
        """What a fixed loop computes in this process, to judge other figures by."""
        before = self.processor_seconds()
        self.ask("exert")
        return self.processor_seconds() - before

    def screenshot(self, path, clip=None):
        options = {"clip": {**clip, "scale": 1}} if clip else {}
        answer = self.call("Page.captureScreenshot", format="png", **options)
        path.write_bytes(base64.b64decode(answer["data"]))
        return answer["data"]

    # ---- hands

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click_at(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", buttons=0, clickCount=1)

    def tap_at(self, x, y):
        finger = {"x": x, "y": y}
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[finger])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def click(self, selector, words=None):
        """Clicks, or taps, the first element of a selector, with these words when given."""
        place = self.wait(lambda: self.ask("findTarget", selector, words),
                          f"{selector} {words or ''} can be clicked")
        act = self.tap_at if self.phone else self.click_at
        act(place["x"], place["y"])

    def drag(self, start, end, shift=False):
        modifiers, steps = SHIFT if shift else 0, 6
        self.mouse("mouseMoved", **start)
        if shift:
            self.key("Shift", "keyDown", modifiers)
        self.mouse("mousePressed", **start, button="left", buttons=1, clickCount=1,
                   modifiers=modifiers)
        for step in range(1, steps + 1):
            at = {a: start[a] + (end[a] - start[a]) * step / steps for a in "xy"}
            self.mouse("mouseMoved", **at, button="left", buttons=1, modifiers=modifiers)
        self.mouse("mouseReleased", **end, button="left", buttons=0, clickCount=1,
                   modifiers=modifiers)
        if shift:
            self.key("Shift", "keyUp")

    def key(self, name, kind, modifiers=0):
        code, number, text = KEYS[name]
        more = {"text": text} if text and kind == "keyDown" else {}
        self.call("Input.dispatchKeyEvent", type=kind, key=name, code=code,
                  modifiers=modifiers, windowsVirtualKeyCode=number, **more)

    def press(self, name):
        self.key(name, "keyDown")
        self.key(name, "keyUp")

    def fill(self, selector, words):
        """Types words in the place of what a field holds."""
        self.ask("selectField", selector)
        self.press("Backspace")
        self.call("Input.insertText", text=words)


def colours_of(browser, png):
    """How many colours a screenshot (base64) has, and which share is not of the commonest."""
    tab = Tab(browser)
    try:
        return tab.ask("readPicture", f"data:image/png;base64,{png}")
    finally:
        tab.close()
