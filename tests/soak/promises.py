"""promises.py -- commands run under limits, each of which has to keep its promises, for limits.py.

Whatever happens to it, a command

- ends, and not by a signal;
- ends with the exit code that is documented for it;
- if it fails, says so in a line that begins with "opine:" and names the file or the option;
- writes what it was to write and nothing else, and nothing at all if it fails: files that were there are
  the same files still, and no other is new.
"""

import os
import resource
import shlex
import signal
import stat
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from scene import LEFT_OVER

MB = 1 << 20
CASES = {}  # claim, whether it takes long, and what looks into it, by name


def case(name, claim, is_long=False):
    def keep(function):
        CASES[name] = (claim, is_long, function)
        return function
    return keep


def at_most(megabytes):
    return {resource.RLIMIT_AS: megabytes * MB}


class LeftOut(Exception):
    """A case that this machine has not what it needs for."""


@dataclass
class Ended:
    code: int  # below 0: by a signal; None: did not end in time
    stdout: bytes
    stderr: str
    peak_mb: float  # of resident memory, at least that of the Python that started it
    seconds: float


def set_up(limits, closed, before):
    """In the child, before the command begins."""
    if before:
        before()
    for kind, value in limits.items():
        resource.setrlimit(kind, (value, value))
    for stream in closed:
        os.close(stream)


def run(command, folder, seconds, limits=None, closed=(), before=None, stdout=subprocess.PIPE, **more):
    """Runs a command. limits: values of RLIMIT_ constants; closed: standard streams by number. What it
    says comes through pipes, because a limit on files is one on files that hold messages too."""
    begun = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
        preexec_fn=lambda: set_up(limits or {}, closed, before), **more)
    is_late, said = threading.Event(), {}

    def stop():
        is_late.set()
        process.kill()

    def listen(name):
        stream = getattr(process, name)
        said[name] = stream.read() if stream else b""

    listeners = [threading.Thread(target=listen, args=(name,)) for name in ("stdout", "stderr")]
    timer = threading.Timer(seconds, stop)
    for thread in (timer, *listeners):
        thread.start()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)  # else it would be waited for again
    timer.cancel()
    for thread in listeners:
        thread.join()
    for stream in (process.stdout, process.stderr):
        if stream:
            stream.close()
    return Ended(None if is_late.is_set() else process.returncode, said["stdout"],
                 said["stderr"].decode(errors="replace"), usage.ru_maxrss / 1024,
                 time.monotonic() - begun)


def listing(folder):
    """What tells whether a file is the same and untouched, of each below a folder; of a pipe, whether it is
    there."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            info = os.lstat(os.path.join(at, name))
            found[os.path.relpath(os.path.join(at, name), folder)] = (
                info.st_ino, info.st_size, 0 if stat.S_ISFIFO(info.st_mode) else info.st_mtime_ns)
    return found


def is_left_over(name):
    return name.endswith(LEFT_OVER) or os.path.dirname(name).endswith(LEFT_OVER)


def is_within(name, writes):
    return any(name == written or name.startswith(written + "/") for written in writes)


def about_message(ended, says):
    if not any(line.startswith("opine: ") for line in ended.stderr.splitlines()):
        yield f"fails without a message: {shown(ended.stderr)!r}"
    for word in says:
        if word not in ended.stderr:
            yield f"does not say {word!r}: {shown(ended.stderr)!r}"


def about_files(ended, writes, keeps, touched):
    if ended.code != 0:
        left = [shown(name) for name in touched if not is_within(name, keeps)]
        if left:
            yield f"fails and leaves {left[:5]}"
        return
    other = [shown(name) for name in touched if not is_within(name, writes)]
    if other:
        yield f"also writes {other[:5]}"
    for name in writes:
        if not any(is_within(found, [name]) for found in touched):
            yield f"does not write {shown(name)}"


@dataclass
class Place:
    """A folder in which commands are run, and what they broke."""

    opine: str
    folder: Path
    seconds: float = 1200  # after which a command hangs, however busy the machine is
    most: int = 0  # values of a limit that are tried; 0: all
    broken: list = field(default_factory=list)
    n_run: int = 0
    n_refused: int = 0
    peak_mb: float = 0.0

    def expect(self, line, code=0, says=(), writes=(), keeps=(), **how):
        """Runs a command that has to end with `code`, or one of them.

        says    what its messages contain if it fails
        writes  files and folders that are new or replaced if it does not
        keeps   what may be left of a command that failed, because the next run goes on from it
        how     as run() takes it
        """
        words = shlex.split(line) if isinstance(line, str) else list(line)
        before = listing(self.folder)
        ended = run([self.opine, *words], self.folder, self.seconds, **how)
        after = listing(self.folder)
        self.n_run += 1
        self.peak_mb = max(self.peak_mb, ended.peak_mb)
        codes = code if isinstance(code, (tuple, list)) else (code,)
        says = (says,) if isinstance(says, str) else says
        touched = [name for name in {**before, **after} if before.get(name) != after.get(name)
                   and not is_left_over(name)]
        self.n_refused += ended.code != 0
        is_heard = 2 not in how.get("closed", ())
        for complaint in (*self.about_end(ended, codes),
                          *(about_message(ended, says) if ended.code and is_heard else ()),
                          *about_files(ended, writes, keeps, touched)):
            self.complain(f"opine {' '.join(map(shown, words))}: {complaint}")
        return ended

    def about_end(self, ended, codes):
        if ended.code is None:
            yield f"does not end within {self.seconds} s"
        elif ended.code < 0:
            yield f"ended by {signal.Signals(-ended.code).name}: {shown(ended.stderr)!r}"
        elif ended.code not in codes:
            yield f"exit code {ended.code}, expected {codes}: {shown(ended.stderr)!r}"

    def check(self, is_kept, complaint):
        """A promise that only the case can look into."""
        if not is_kept:
            self.complain(complaint)

    def complain(self, text):
        self.broken.append(text)


def shown(text, room=200):
    """Short enough for a message."""
    text = os.fsdecode(text) if isinstance(text, bytes) else str(text)
    return text if len(text) <= room else f"{text[:room // 2]}…{text[-room // 2:]}"
