#!/usr/bin/env python3
"""kills.py -- commands that are killed at random moments, and run again.

    tests/soak/kills.py OPINE [--kills N] [--seed N] [CASE...]

Each command below is killed with SIGKILL N times, each time after another part of the time that it
takes. What it was to write must then be as it was before, or whole; for a folder of results, which
grows, each file must be. The same command, with --resume for a training, must then come to what a run
that nobody killed came to: the same bytes of all files, but for the seconds that runs took and for
files NAME.PID-N.tmp, which nobody can remove in time. Printed is a table in Markdown; exit code 1 if a
promise was broken. Cases that need the published graphs
($OPINE_DATA, or ../shared/data) are left out by name where these are missing.
"""

import argparse
import functools
import http.server
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from timeless import contents, lines_sorted

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 300

# A command, and what it is run again with. OLD is there before, and is to be replaced.
CASES = {
    "train": ("train g.npz --model s-bgcn-t-k --epochs 300 --patience 0 --checkpoint-every 0.02"
              " -o OLD.safetensors", "--resume"),
    "train auto": ("train g.npz --epochs 40 --checkpoint-every 0.02 -o OLD.safetensors", "--resume"),
    "evaluate": ("evaluate demo --model gcn,s-gcn --seeds 3 --samples 5 --epochs 30 -o run", ""),
    "tune": ("tune demo --model gcn --trials 6 --seeds 2 --epochs 20 -o run", ""),
    "reproduce": ("reproduce --table rule --dataset cora --seeds 1 -o run", ""),
    "convert": ("data convert g.npz -o OLD.npz", ""),
    "convert to a folder": ("data convert g.npz -o new", ""),
    "shard": ("data shard g.npz --blocks 8 -o new.shards", ""),
    "fetch": ("data fetch cora --data-dir data", ""),
    "report": ("report m.safetensors g.npz -o OLD.html", ""),
    "explore": ("explore m.safetensors g.npz", ""),
}
OF_GRAPHS = ("reproduce", "fetch")
# What helps the next run, and what SIGKILL leaves of a file that was being written.
HELPERS = re.compile(r"\.(checkpoint|lock|tmp)(/|$)")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("opine")
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    return parser.parse_intermixed_args()


def data_folder():
    found = Path(os.environ.get("OPINE_DATA") or ROOT.parent / "shared" / "data")
    return found if (found / "planetoid").is_dir() else None


def serve(folder):
    """A mirror of the data folder on this machine, as slow as a network; its address."""
    class Slow(http.server.SimpleHTTPRequestHandler):
        def copyfile(self, source, outputfile):
            while part := source.read(1 << 16):
                time.sleep(0.01)
                outputfile.write(part)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Slow, directory=str(folder)))
    server.handle_error = lambda *_: None  # a killed client
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def results(folder):
    """What a command is to write: not what only helps the next run, nor tables with times."""
    return {name: data for name, data in contents(folder).items()
            if not HELPERS.search(name) and not name.endswith((".txt", ".md"))}


class Case:
    def __init__(self, opine, base, name, environment):
        self.opine, self.base, self.name, self.environment = opine, base, name, environment
        line, self.again = CASES[name]
        self.words = [*shlex.split(line.replace("OLD", "old")), "--threads", "1", "-q"]
        if name == "fetch":
            self.words += ["--mirror", environment["OPINE_DATA_MIRROR"]]
        with self.folder() as folder:
            begun = time.monotonic()
            if name != "explore":
                self.finish(folder, "")
            self.seconds = 1.0 if name == "explore" else time.monotonic() - begun
            self.wanted = results(folder)
        self.before = results(base)

    def folder(self):
        return Folder(self.base)

    def finish(self, folder, more):
        done = subprocess.run([self.opine, *self.words, *more.split()], cwd=folder, timeout=SECONDS,
                              capture_output=True, text=True, env=self.environment, check=False)
        if done.returncode != 0:
            raise Broken(f"ended with {done.returncode}: {done.stderr.strip()}")

    def kill_after(self, seconds):
        """None if it ended before, else what it broke, or ''."""
        with self.folder() as folder:
            going = subprocess.Popen([self.opine, *self.words], cwd=folder, env=self.environment,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(seconds)
            is_over = going.poll() is not None
            going.send_signal(signal.SIGKILL)
            going.wait()
            if is_over:
                return None
            try:
                self.look(folder)
                if self.name != "explore":
                    self.finish(folder, self.again)
                    self.compare(folder)
            except Broken as broken:
                return f"killed after {seconds:.3f} s: {broken}"
            return ""

    def look(self, folder):
        """What was there before is there still, or replaced by what is whole."""
        after = results(folder)
        for name, data in self.before.items():
            if after.get(name) not in (data, self.wanted.get(name)):
                raise Broken(f"{name} is neither as it was nor whole")

    def compare(self, folder):
        after, wanted = lines_sorted(results(folder)), lines_sorted(self.wanted)
        if after != wanted:
            names = [n for n in {**after, **wanted} if after.get(n) != wanted.get(n)]
            raise Broken(f"run again, these differ: {sorted(names)}")


class Broken(Exception):
    pass


class Folder:
    """A copy of a folder, always of the same name, because results may hold it."""

    def __init__(self, base):
        self.base, self.path = base, base.parent / "work"

    def __enter__(self):
        shutil.copytree(self.base, self.path)
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path)


def prepare(opine, folder):
    for line in ("data generate --nodes 2000 --classes 4 --features 100 -o g.npz",
                 "train g.npz --model s-bgcn-t-k --epochs 5 --threads 1 -o m.safetensors"):
        subprocess.run([opine, *line.split(), "-q"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
    for ending in ("npz", "safetensors", "html"):
        (folder / f"old.{ending}").write_bytes(b"as it was\n")


def main():
    options = arguments()
    opine, data, broken = str(Path(options.opine).resolve()), data_folder(), []
    random.seed(options.seed)
    with tempfile.TemporaryDirectory() as place:
        base = Path(place) / "base"
        base.mkdir()
        environment = {**os.environ, "HOME": place, "no_proxy": "*"}
        if data:
            environment.update(OPINE_DATA=str(data), OPINE_DATA_MIRROR=serve(data))
        prepare(opine, base)
        print("| Command | Seconds | Killed | Over before | Promises broken |\n|---|---|---|---|---|")
        for name in options.cases or CASES:
            if name in OF_GRAPHS and not data:
                print(f"| {name} | left out: needs the published graphs | | | |")
                continue
            case = Case(opine, base, name, environment)
            ends = [case.kill_after(random.uniform(0, case.seconds)) for _ in range(options.kills)]
            bad = [end for end in ends if end]
            for end in bad:
                print(f"{name}: {end}", file=sys.stderr)
            broken += bad
            print(f"| {name} | {case.seconds:.2f} | {sum(e is not None for e in ends)} | "
                  f"{ends.count(None)} | {len(bad)} |", flush=True)
    return 1 if broken else 0


sys.exit(main())
