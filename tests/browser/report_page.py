"""A report page under test: opened, waited for, read, and pointed at as a reader would."""

import base64
import struct

from checks import expect, shot_path
from tab import WAIT_SECONDS, Tab

# Runs in the page before its own scripts: notes when the page calls itself ready and has had
# a frame to show it, counted from the start of the navigation, and when it was scrolled last.
NOTE = """
    const observer = new MutationObserver(() => {
        if (document.documentElement.dataset.ready !== 'true')
            return;
        observer.disconnect();
        const note = () => { window.readyAfter = performance.now(); };
        requestAnimationFrame(() => setTimeout(note));
    });
    observer.observe(document, {subtree: true, attributeFilter: ['data-ready']});
    window.scrolledAt = 0;
    addEventListener('scroll', () => { window.scrolledAt = performance.now(); });
"""


class ReportPage(Tab):
    """ready_after: milliseconds until the page was shown."""

    def __init__(self, browser, url, **options):
        super().__init__(browser, **options)
        self.call("Page.addScriptToEvaluateOnNewDocument", source=f"(() => {{{NOTE}}})();")
        self.goto(url)
        self.ready_after = self.wait(lambda: self.evaluate("window.readyAfter"),
                                     'data-ready is "true"')

    def texts(self, selector):
        return self.ask("textsOf", selector)

    def text(self, selector):
        return " ".join(self.texts(selector))

    # ---- pixels

    def prints(self, selector):
        return [canvas["print"] for canvas in self.ask("printCanvases", selector)]

    def settle(self):
        expect(self.ask("waitForStillness", WAIT_SECONDS), "the page does not stop drawing")

    def show(self, selector, at=0):
        self.ask("show", selector, at)
        self.settle()

    def shoot(self, *parts):
        self.evaluate("scrollTo(0, 0)")
        self.settle()
        self.screenshot(shot_path(self.own, *parts))

    # ---- hands

    def move_to(self, spot):
        self.mouse("mouseMoved", **spot)
        self.settle()

    def move_away(self):
        self.move_to({"x": 2, "y": 500})

    def act(self, hand, *arguments):
        """Does what a reader does, and waits until it is drawn."""
        hand(*arguments)
        self.settle()

    def choose(self, selector, value):
        self.act(self.ask, "choose", selector, value)

    def wheel(self, spot, turns, step):
        # A page that has just been scrolled keeps the wheel to itself for 250 ms.
        self.mouse("mouseMoved", **spot)
        rests = "performance.now() - scrolledAt > 300"
        self.wait(lambda: self.evaluate(rests), "scrolling ends")
        for _ in range(turns):
            self.mouse("mouseWheel", **spot, deltaX=0, deltaY=step)
        self.settle()

    def find(self, words):
        """What the search answers."""
        self.fill("[role=search] input", words)
        answer = "[role=search] .matches button, [role=search] [role=status]:not(:empty)"
        self.wait(lambda: self.ask("countOf", answer), f'a search for "{words}" answers')
        return self.texts("[role=search] .matches button bdi")

    def pin_first(self):
        """Pins the first match of a search, and returns the name of what is pinned."""
        self.click("[role=search] .matches button")
        self.wait(lambda: not self.ask("countOf", "[role=search] .matches button"), "the search ends")
        self.settle()
        return self.text("#node h3 bdi")


class ReportData:
    """What a page was made from, read without its own scripts.

    arrays: by name; cells: for every table its rows as the page's language writes them.
    """

    def __init__(self, page):
        read = page.ask("readData")
        self.about, self.cells = read["about"], read["cells"]
        block, kinds = base64.b64decode(read["numbers"]), {"u8": "B", "u16": "H", "u32": "I", "f32": "f"}
        self.arrays = {}
        for array in self.about["arrays"]:
            layout = f"<{array['length']}{kinds[array['kind']]}"
            self.arrays[array["name"]] = struct.unpack_from(layout, block, array["offset"])
        graph = self.about["graph"] or {}
        self.nodes, self.names = graph.get("nodes", 0), graph.get("names")

    def kind(self, view, node):
        """What became of a node: "correct", "wrong", "ood", or None without a label."""
        label = self.arrays["label"][node]
        if label == 65535:
            return None
        if label not in self.about["views"][view]["known"]:
            return "ood"
        return "correct" if label == self.arrays[f"{view}.predicted"][node] else "wrong"

    def judges(self, view):
        """Nodes whose labels judge a model: of known classes, and those it should detect."""
        bits = self.arrays[f"{view}.judges"]
        return [i for i in range(self.nodes)
                if bits[i] & (1 if self.kind(view, i) == "ood" else 2)]

    def name(self, node):
        return (self.names[node] if self.names else "") or str(node)

    def all_names(self):
        return [self.name(node) for node in range(self.nodes)]


def shows(shown, name):
    """A long name is shown cut, with a sign at its end."""
    return shown == name or (shown.endswith("…") and name.startswith(shown[:-1]))
