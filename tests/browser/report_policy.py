"""What the policy of a report page must stop: whatever gets into the page neither runs nor
sends anything. A server on this machine counts what arrives."""

import contextlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from checks import Failed, expect_equal
from report_page import ReportPage
from tab import Tab

WAYS = ["/beacon", "/fetch", "/frame", "/image", "/script"]
ALL_RAN = ["ranInline", "ranHandler", "ranEval", "ranFetched"]
REFUSALS = [
    ["connect-src", "/beacon"],
    ["connect-src", "/fetch"],
    ["frame-src", "/frame"],
    ["img-src", "/image"],
    ["script-src", "eval"],
    ["script-src-attr", "inline"],
    ["script-src-elem", "/script"],
    ["script-src-elem", "inline"],
]


def is_among(refusal, refused):
    """Of a frame the browser names the server alone."""
    directive, way = refusal
    return any(d == directive and (w == way or not w) for d, w in refused)


class Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.arrived.add(self.path)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        script = self.path == "/script"
        body = b"window.ranFetched = 1" if script else b"<!doctype html><body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if script else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def server():
    """The address of a server, and the set of what it was asked for."""
    listener = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    listener.arrived = set()
    thread = threading.Thread(target=listener.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.server_port}", listener.arrived
    finally:
        listener.shutdown()
        listener.server_close()


def wait_for(tab, question, what):
    """Waits for what should come; what did not is told by the comparison that follows."""
    with contextlib.suppress(Failed):
        tab.wait(question, what, seconds=20)


def check_attack(checks, browser):
    with checks.claim("the attack on the policy works where there is no policy"):
        with server() as (address, arrived):
            tab = Tab(browser)
            tab.goto(f"{address}/")
            tab.ask("attack", address)
            wait_for(tab, lambda: tab.ask("whatRan") == ALL_RAN and arrived.issuperset(WAYS),
                     "the attack works")
            ran = tab.ask("whatRan")
            tab.close()
            expect_equal(ran, ALL_RAN)
            expect_equal([way for way in WAYS if way not in arrived], [])


def check_refusal(checks, browser, url):
    with checks.claim("the policy lets nothing run and nothing out"):
        with server() as (address, arrived):
            page = ReportPage(browser, url)
            page.ask("attack", address)
            wait_for(page, lambda: len(page.evaluate("refused")) >= len(REFUSALS), "refusals")
            ran, refused = page.ask("whatRan"), page.evaluate("refused")
            page.close()
            expect_equal(ran, [])
            expect_equal(sorted(arrived), [])
            expect_equal([r for r in REFUSALS if not is_among(r, refused)], [])


def check_policy(checks, browser, url):
    check_attack(checks, browser)
    check_refusal(checks, browser, url)
