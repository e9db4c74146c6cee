"""What a command sees when a test starts it: nothing of the settings of whoever runs the test.

Importing this module lets no signal stay ignored or blocked, as nohup, a shell in the background
or a service would leave them, and sets the usual umask; children inherit both.
"""

import os
import signal
import tempfile

# What a program built here may need to start at all.
KEPT = {"PATH", "LD_LIBRARY_PATH"}
KEPT_PREFIXES = ("ASAN_", "LSAN_", "TSAN_", "UBSAN_")
HOME = tempfile.TemporaryDirectory(prefix="opine_home.")

signal.pthread_sigmask(signal.SIG_SETMASK, [])
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP, signal.SIGCONT):
    signal.signal(number, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a child does not inherit
os.umask(0o022)


def environment(**more):
    """The environment of a command on a terminal, with what a test adds to it."""
    kept = {k: v for k, v in os.environ.items() if k in KEPT or k.startswith(KEPT_PREFIXES)}
    return kept | {"HOME": HOME.name, "TERM": "xterm", "LC_ALL": "C.UTF-8"} | more
