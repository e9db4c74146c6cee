#!/usr/bin/env python3
"""fetch_server -- files over HTTP on the loopback, sent well or badly on demand.

  tests/support/fetch_server.py LOG

Listens on two ports of 127.0.0.1 that the system chooses, the second with TLS and the certificate
beside this file, prints their numbers, and serves until its standard input ends. A request for /BEHAVIOUR/…/N.bin is for N bytes of a fixed pattern
(tests/support/fetch_scene.c has the same; any other name has 5000), sent as BEHAVIOUR says: a method of
Behaviours below. Each request is a line of LOG before it is answered: behaviour, N, and the
Range asked for or "-".
"""

import os
import re
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Signs itself, for 127.0.0.1, from 2000 to 9999; made by openssl ecparam, req and ca -selfsign.
CERTIFICATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fetch_certificate.pem")

STALL_SECONDS = 60  # longer than any test waits


def pattern(n):
    return bytes((i * 2654435761 & 0xFFFFFFFF) >> 13 & 0xFF for i in range(n))


class Behaviours(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    # ---- parts of answers

    def begin(self, answer, n_bytes=None, **headers):
        """The head of an answer; without n_bytes it ends with the connection."""
        self.send_response(answer)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if n_bytes is not None:
            self.send_header("Content-Length", str(n_bytes))
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()

    def send(self, data):
        self.wfile.write(data)
        self.wfile.flush()

    def redirect(self, target):
        self.begin(302, 0, Location=target)

    def first_byte(self):
        """Of the Range asked for; None without one."""
        match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        return int(match.group(1)) if match else None

    # ---- what a server should do

    def whole(self, data):
        first = self.first_byte()
        if first is None:
            self.begin(200, len(data))
            self.send(data)
        elif first >= len(data):
            self.begin(416, 0, Content_Range=f"bytes */{len(data)}")
        else:
            last = len(data) - 1
            self.begin(206, len(data) - first,
                       content_RANGE=f"bytes {first}-{last}/{len(data)}")
            self.send(data[first:])

    def moved(self, data):
        self.redirect(self.path.replace("/moved/", "/whole/"))

    def upgrade(self, data):
        self.redirect(f"https://127.0.0.1:{self.server.ports[1]}"
                      + self.path.replace("/upgrade/", "/whole/"))

    def unannounced(self, data):
        """Does not say how much there is."""
        self.begin(200)
        self.send(data)

    # ---- what servers do all the same

    def rangeless(self, data):
        self.begin(200, len(data))
        self.send(data)

    def unsatisfied(self, data):
        """Refuses every Range."""
        if self.first_byte() is not None:
            self.begin(416, 0)
        else:
            self.rangeless(data)

    def shifted(self, data):
        """Sends another Range than was asked for."""
        first = self.first_byte()
        if first is None:
            self.rangeless(data)
            return
        self.begin(206, len(data) - first + 1,
                   Content_Range=f"bytes {first - 1}-{len(data) - 1}/{len(data)}")
        self.send(data[first - 1:])

    def missing(self, data):
        page = b"<h1>no such file</h1>"
        self.begin(404, len(page))
        self.send(page)

    def forbidden(self, data):
        self.begin(403, 0)

    def nothing(self, data):
        self.begin(204)

    def partial(self, data):
        """Says that this is a part, but not which."""
        self.begin(206, len(data))
        self.send(data)

    def truncated(self, data):
        """Half of what is left, and goodbye."""
        first = self.first_byte() or 0
        if first > 0:
            self.begin(206, len(data) - first,
                       Content_Range=f"bytes {first}-{len(data) - 1}/{len(data)}")
        else:
            self.begin(200, len(data))
        self.send(data[first:(first + len(data)) // 2])
        self.close_connection = True

    def unannounced_half(self, data):
        self.begin(200)
        self.send(data[:len(data) // 2])

    def corrupted(self, data):
        broken = bytearray(data)
        broken[-1] ^= 1
        self.whole(bytes(broken))

    def shorter(self, data):
        self.whole(data[:-1])

    def longer(self, data):
        self.whole(data + b"!")

    def endless(self, data):
        self.begin(200)
        while True:
            self.send(data)

    def stalled(self, data):
        self.begin(200, len(data))
        self.send(data[:1000])
        time.sleep(STALL_SECONDS)

    def silent(self, data):
        time.sleep(STALL_SECONDS)

    def loop(self, data):
        self.redirect(self.path)

    def local(self, data):
        """Points to a file of the reader's own machine, which would be the right one."""
        self.redirect("file://" + os.path.dirname(sys.argv[1]) + "/local.bin")

    def downgrade(self, data):
        """Points to the right file, but where anyone can read and change it on its way."""
        self.redirect(f"http://127.0.0.1:{self.server.ports[0]}"
                      + self.path.replace("/downgrade/", "/whole/"))

    def detour(self, data):
        """The same after a step that is as it should be."""
        self.redirect(self.path.replace("/detour/", "/downgrade/"))

    # ---- requests

    def do_GET(self):
        _, behaviour, *_, name = self.path.split("/")
        stem = name.split(".")[0]
        n = int(stem) if stem.isdigit() else 5000
        with open(sys.argv[1], "a", encoding="utf-8") as log:
            log.write(f"{behaviour} {n} {self.headers.get('Range', '-')}\n")
        if "//" in self.path:
            behaviour = "missing"  # to some servers that is another path
        getattr(self, behaviour)(pattern(n))

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *args):
        # A reader that hangs up, or trusts nobody, is what the tests are about.
        if not isinstance(sys.exc_info()[1], (ConnectionError, ssl.SSLError)):
            super().handle_error(*args)


def main():
    servers = [Server(("127.0.0.1", 0), Behaviours) for _ in range(2)]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    # The handshake is left to the thread of the connection.
    servers[1].socket = context.wrap_socket(servers[1].socket, server_side=True,
                                            do_handshake_on_connect=False)
    for server in servers:
        server.ports = [other.server_port for other in servers]
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(*servers[0].ports, flush=True)
    sys.stdin.read()
    os._exit(0)  # without waiting for those who stall


if __name__ == "__main__":
    main()
