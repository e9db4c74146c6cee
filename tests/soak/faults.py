#!/usr/bin/env python3
"""faults.py -- every allocation and every call on files of every verb fails once.

    tests/soak/faults.py OPINE [--most N] [--json FILE] [--jobs N] [CASE...]

Each case below is a command on small data. Call number 1, 2, 3, … of each kind (fault_shim.c lists
them) fails until the command makes no such call any more; with --most N only the first N/2 and N/2
others, spread evenly, do. Then either

- the command fails: exit code 1 or above, a message that begins with "opine:", and files are as they
  were before, none is new; or
- what failed was not needed: exit code 0, and stdout and files are those of a run without a fault, or
  a message says what they lack.

The server of explore is asked one thing of each kind and then stopped: each answer is the right one or
a status of 500 with a message, or the connection is closed.

Printed is a table in Markdown: how many calls failed, and how the command ended. Exit code 1 if a
promise was broken.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from scene import LEFT_OVER, TINY, prepare
from timeless import contents, without_times
from visitor import serve

HERE = Path(__file__).resolve().parent
KINDS = ("alloc", "open", "read", "write", "sync", "name", "thread")
SECONDS = 60  # after which a command hangs

# Names of cases, and the command of each. {old} is a file that is there before and is to be replaced.
CASES = {
    "info": "data info g.npz",
    "info of a folder": "data info folder --json",
    "generate": "data generate --nodes 50 --classes 2 --features 8 -o {old}.npz",
    "convert": "data convert folder -o {old}.npz",
    "convert to a folder": "data convert g.npz -o new",
    "read GraphML": "data info g.graphml",
    "shard": "data shard g.npz --blocks 4 -o new.shards",
    "read shards": "data info g.shards",
    "train": f"train g.npz --model s-bgcn-t-k {TINY} -o {{old}}.safetensors",
    "train on a folder": f"train folder --model s-sage {TINY} -o {{old}}.safetensors",
    "train with a checkpoint": f"train g.npz --model gcn --checkpoint-every 0.000001 {TINY}"
                               " -o {old}.safetensors",
    "predict": "predict m.safetensors g.npz --threads 1 -o {old}.csv",
    "predict as JSON": "predict m.safetensors g.npz --threads 1 --samples 2 -o {old}.json",
    "predict as npz": "predict m.safetensors g.npz --threads 1 --samples 2 -o {old}.npz",
    "explain": "explain m.safetensors g.npz 3 --threads 1 --json",
    "decide": "decide p.csv --target-accuracy 0.8 -o {old}.csv",
    "suggest": "suggest few.safetensors few -n 3 --threads 1 -o {old}.csv",
    "report": "report m.safetensors g.npz --threads 1 -o {old}.html",
    "explore": "explore m.safetensors g.npz --threads 1",
    "evaluate": f"evaluate demo --model gcn --seeds 1 --samples 2 {TINY} --json",
    "evaluate into a folder": f"evaluate demo --model gcn --seeds 2 --samples 2 {TINY} --json -o run",
    "version": "version -v",
    "help": "help train",
}

# What may be left behind by a command that failed half way, because the next run goes on from it.
RESUMED = {"evaluate into a folder": "run"}


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("opine")
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    return parser.parse_intermixed_args()


def run(opine, words, folder, **more):
    if words[0] == "explore":
        return serve([opine, *words], SECONDS, cwd=folder, **more)
    return subprocess.run([opine, *words], cwd=folder, capture_output=True, timeout=SECONDS,
                          check=False, stdin=subprocess.DEVNULL, **more)


def changed(before, after):
    return {name: after.get(name) for name in {**before, **after}
            if before.get(name) != after.get(name) and name != "run/evaluation.txt"}  # has times


class Case:
    def __init__(self, opine, shim, base, name):
        self.opine, self.shim, self.base, self.name = opine, shim, base, name
        self.words = shlex.split(CASES[name].format(old="old")) + ["-q"] * (name != "version")
        self.before = contents(base)
        self.wanted = {}  # by folder, because what is printed may name it

    def try_fault(self, kind, number):
        """How the command ends when this call fails, and what this broke."""
        place = Path(tempfile.gettempdir()) / f"opine-faults-{os.getpid()}-{threading.get_ident()}"
        if place not in self.wanted:
            self.wanted[place] = self.run_in(place, "none", 0)
            if self.wanted[place]["code"] != 0:
                sys.exit(f"{self.name}: fails without a fault, exit code "
                         f"{self.wanted[place]['code']}: {self.wanted[place]['stderr']}")
        ended = self.run_in(place, kind, number)
        return {**ended, "complaint": self.complaint(ended, self.wanted[place])}

    def run_in(self, place, kind, number):
        folder, mark = place / "work", place / "mark"
        shutil.copytree(self.base, folder)
        try:
            done = run(self.opine, self.words, folder, env={
                **os.environ, "LD_PRELOAD": str(self.shim), "OPINE_FAULT": f"{kind}:{number}",
                "OPINE_FAULT_MARK": str(mark), "HOME": str(place)})
            return {"hit": mark.exists(),
                    "mark": mark.read_text() if mark.exists() else "", "code": done.returncode, "stdout": without_times(done.stdout),
                    "stderr": done.stderr.decode(errors="replace"),
                    "files": changed(self.before, contents(folder))}
        except subprocess.TimeoutExpired:
            return {"hit": True, "mark": "", "code": None, "stdout": b"", "stderr": "", "files": {}}
        finally:
            shutil.rmtree(place)

    def complaint(self, ended, wanted):
        """Which promise was broken, or None."""
        if ended["code"] is None:
            return "hangs"
        if ended["code"] < 0 or ended["code"] >= 128:
            return f"ended by signal {abs(ended['code'])}"
        if ended["code"] == 0 and "opine: " not in ended["stderr"]:
            if ended["stdout"] != wanted["stdout"]:
                return f"prints {ended['stdout']!r} for {wanted['stdout']!r} and says nothing"
            if self.needed(ended["files"]) != self.needed(wanted["files"]):
                return f"writes something else and says nothing: {sorted(ended['files'])}"
            return None
        if ended["code"] == 0:
            is_empty = wanted["stdout"] and not ended["stdout"]
            return f"exit code 0, but prints nothing: {ended['stderr']!r}" if is_empty else None
        if "opine: " not in ended["stderr"]:
            return f"exit code {ended['code']} without a message: {ended['stderr']!r}"
        left = [name for name, data in ended["files"].items()
                if data != wanted["files"].get(name) and not self.may_stay(name)]
        return f"leaves {left}" if left else None

    def needed(self, files):
        return {name: data for name, data in files.items() if not name.endswith(LEFT_OVER)}

    def may_stay(self, name):
        resumed = RESUMED.get(self.name)
        return name.endswith(LEFT_OVER) or (resumed is not None and name.startswith(resumed))


def numbers(n_calls, most):
    """Which calls of so many are to fail."""
    if not most or n_calls <= most:
        return range(1, n_calls + 1)
    half = most // 2
    return [*range(1, half + 1),
            *(half + 1 + i * (n_calls - half - 1) // half for i in range(half))]


def count_calls(case, kind):
    """The number of calls of a kind that a run makes, as the shim counts them."""
    return int(case.try_fault(kind, 0)["mark"])


def try_case(case, options, pool, broken):
    tried, ends = 0, collections.Counter()
    for kind in KINDS:
        chosen = numbers(count_calls(case, kind), options.most)
        for number, ended in zip(chosen, pool.map(lambda n, k=kind: case.try_fault(k, n), chosen)):
            complaint = ended["complaint"]
            tried += ended["hit"]
            ends["survived" if ended["code"] == 0 else "refused"] += 1
            if complaint:
                broken.append(f"{case.name}: {kind}:{number}: {complaint}")
                print(broken[-1], file=sys.stderr, flush=True)
    return tried, ends


def main():
    options = arguments()
    opine, broken, totals = str(Path(options.opine).resolve()), [], collections.Counter()
    with tempfile.TemporaryDirectory() as place, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        shim, base = Path(place) / "fault_shim.so", Path(place) / "base"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", shim, HERE / "fault_shim.c", "-ldl"],
                       check=True)
        base.mkdir()
        prepare(opine, base)
        print("| Command | Calls that failed | Refused | Not needed | Promises broken |")
        print("|---|---|---|---|---|")
        for name in options.cases or CASES:
            n_before = len(broken)
            tried, ends = try_case(Case(opine, shim, base, name), options, pool, broken)
            totals.update(tried=tried, **ends)
            print(f"| {name} | {tried} | {ends['refused']} | {ends['survived']} | "
                  f"{len(broken) - n_before} |", flush=True)
    print(f"| all | {totals['tried']} | {totals['refused']} | {totals['survived']} | "
          f"{len(broken)} |")
    if options.json:
        options.json.write_text(json.dumps({"tried": totals["tried"], "broken": broken}, indent=1))
    return 1 if broken else 0


sys.exit(main())
