#!/usr/bin/python3
"""long_run.py -- a training of 10^5 epochs, and a server that is asked and edited for ten minutes.

    tests/soak/long_run.py OPINE [--epochs N] [--minutes N] [epochs] [explore]

epochs: models of every encoder are trained on a small graph, some of them such that gradients vanish. The
resident memory, sampled from /proc after each tenth of the epochs, must not grow by more than 1 MB from
the first tenth to the last; weights and predictions must be finite. Told, and not judged, are the CPU time
of an epoch in the first and the last tenth, and how many weights are denormal at the end.

explore: clients ask for all that the page asks for, and one of them labels nodes, trains other models and
cancels. Resident memory, sampled each half second, must be flat: the most of the last third may exceed the
most of the second by no more than 5 MB. No answer may be anything but what is documented. Only 127.0.0.1 is
talked to, by as many clients as --clients says, each one request at a time.

Printed are tables in Markdown; exit code 1 if a promise was broken.
"""

import argparse
import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlparse

import numpy as np

from visitor import NODES, ask

SECONDS = 300  # after which an answer is missing
MB = 1 << 20
EPOCHS_MB, EXPLORE_MB = 1, 5  # that memory may grow by
# The last three come to losses that are 0 but for rounding, where nothing pulls weights back.
TRAININGS = {
    "gcn": "--model gcn", "s-bgcn-t-k": "--model s-bgcn-t-k", "s-bgat-t-k": "--model s-bgat-t-k",
    "s-bsage-t-k": "--model s-bsage-t-k", "s-bmlp-t-k": "--model s-bmlp-t-k",
    "s-blinks-t-k": "--model s-blinks-t-k",
    "gcn, nothing dropped, no decay": "--model gcn --dropout 0 --weight-decay 0",
    "gcn, the same, steps of 1": "--model gcn --dropout 0 --weight-decay 0 --learning-rate 1",
    "gcn, decay of 1": "--model gcn --dropout 0 --weight-decay 1",
}


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("opine")
    parser.add_argument("--epochs", type=int, default=100000)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("parts", nargs="*", choices=("epochs", "explore", []), metavar="PART")
    return parser.parse_intermixed_args()


def resident_mb(pid):
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MB


def cpu_seconds(pid):
    """Of all threads, in nanoseconds where the kernel tells, else in its ticks."""
    try:
        return 1e-9 * sum(int(path.read_text(encoding="ascii").split()[0])
                          for path in Path(f"/proc/{pid}/task").glob("*/schedstat"))
    except FileNotFoundError:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def floats_of(path):
    """All weights of a model file."""
    data = path.read_bytes()
    n = int.from_bytes(data[:8], "little")
    return np.concatenate([
        np.frombuffer(data[8 + n + t["data_offsets"][0]:8 + n + t["data_offsets"][1]], "<f4")
        for name, t in json.loads(data[8:8 + n]).items()
        if name != "__metadata__" and t["dtype"] == "F32"])


# ---- epochs ----


def make(opine, folder, *words):
    subprocess.run([opine, *words, "--threads", "1", "-q"], cwd=folder, check=True, timeout=SECONDS,
                   stdout=subprocess.DEVNULL)


def tenths(opine, folder, words):
    """Trains; after each tenth of the epochs of the model, not of its teacher, CPU time and memory."""
    process = subprocess.Popen([opine, "train", "g.npz", *words, "--threads", "1", "-o",
                                "m.safetensors"], cwd=folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    found, said = [], ""
    for line in process.stderr:
        said = line if "epoch" not in line else said
        if re.search(r"(?<!teacher): epoch \d+:", line):
            found.append((cpu_seconds(process.pid), resident_mb(process.pid)))
    if process.wait() != 0 or len(found) != 10:
        raise ValueError(f"exit code {process.returncode} after {len(found)} tenths: {said}")
    return found


def try_training(opine, folder, name, epochs, broken):
    words = [*TRAININGS[name].split(), "--epochs", str(epochs), "--teacher-epochs", "100",
             "--patience", "0"]
    found = tenths(opine, folder, words)
    make(opine, folder, "predict", "m.safetensors", "g.npz", "-o", "p.npz")
    weights = floats_of(folder / "m.safetensors")
    with np.load(folder / "p.npz") as file:
        p = file["p"]
    grown = found[-1][1] - found[0][1]
    if grown > EPOCHS_MB:
        broken.append(f"{name}: {grown:.1f} MB more after the last tenth than after the first")
    if not (np.isfinite(weights).all() and np.isfinite(p).all()):
        broken.append(f"{name}: weights or probabilities are not finite")
    tiny = np.count_nonzero((weights != 0) & (np.abs(weights) < np.finfo(np.float32).tiny))
    # The first tenth ends where the first line is, so the second is the first that two lines enclose.
    first, last = found[1][0] - found[0][0], found[-1][0] - found[-2][0]
    scale = 1e6 / (epochs / 10)
    return (f"| {name} | {epochs} | {found[0][1]:.1f} | {grown:+.2f} | {first * scale:.1f} | "
            f"{last * scale:.1f} | {last / max(first, 1e-9):.2f} | {tiny} of {weights.size} |")


def try_epochs(opine, folder, epochs, broken):
    make(opine, folder, "data", "generate", "--nodes", "60", "--classes", "3", "--features", "40",
         "--homophily", "1", "--topic-overlap", "0", "-o", "g.npz")
    print("| Training | Epochs | Memory, MB | Growth, MB | CPU time of an epoch, µs: second tenth | "
          "last tenth | Ratio | Denormal weights |\n|---|--:|--:|--:|--:|--:|--:|--:|")
    for name in TRAININGS:
        try:
            print(try_training(opine, folder, name, epochs, broken), flush=True)
        except (ValueError, subprocess.SubprocessError) as error:
            broken.append(f"{name}: {error}")


# ---- explore ----


class Load:
    """Clients of one server, and what was odd about its answers."""

    def __init__(self, process, address, seconds):
        self.process, self.address = process, address
        self.end = time.monotonic() + seconds
        self.lock, self.answers, self.odd = threading.Lock(), collections.Counter(), []
        self.trained = collections.Counter()

    def goes_on(self):
        return time.monotonic() < self.end and len(self.odd) < 20 and self.process.poll() is None

    def ask(self, method, path, body=None, wanted=(200,)):
        status, said = ask(self.address, method, path, body, SECONDS)
        with self.lock:
            self.answers[status] += 1
            if status not in wanted:
                self.odd.append(f"{method} {path} {body}: {status} {said[:200]!r}")
        return status, said

    def read(self, draw):
        """What a page or a program asks for."""
        while self.goes_on():
            what = draw.randrange(8)
            if what == 0:
                self.ask("GET", "/")
            elif what == 1:
                self.ask("GET", "/models/0")
            elif what == 2:
                self.ask("GET", "/what-if", wanted=(200, 404))
            elif what == 3:
                self.ask("POST", "/features", {"find": str(draw.randrange(40))})
            elif what == 4:
                self.ask("POST", "/features", {"feature": draw.randrange(40)})
            elif what == 5:
                self.ask("POST", "/v2/models/opine/infer", NODES)
            elif what == 6:
                self.ask("GET", "/nowhere", wanted=(404,))
            else:
                self.ask("GET", "/state")

    def edit(self, draw):
        """What a user changes: one label or several, another model, nothing after all."""
        while self.goes_on():
            nodes = draw.sample(range(300), draw.choice([0, 1, 1, 5]))
            labels = [{"node": i, "class": draw.choice([0, 1, 2, None])} for i in nodes]
            self.ask("POST", "/what-if", {"model": 0, "labels": labels}, (200, 202))
            if draw.random() < 0.2:
                self.ask("POST", "/cancel", "")
            self.await_work()
            self.ask("GET", "/what-if/model", wanted=(200, 404))

    def await_work(self):
        while self.goes_on():
            _, said = self.ask("GET", "/state")
            work = json.loads(said)["work"]
            if work["status"] != "running":
                with self.lock:
                    self.trained[work["status"]] += 1
                    if work["status"] == "failed":
                        self.odd.append(f"a what-if failed: {work['error']}")
                return
            time.sleep(0.02)

    def run(self, n_clients):
        """Samples of resident memory while all clients are at it."""
        threads = [threading.Thread(target=self.read, args=(random.Random(c),))
                   for c in range(n_clients - 1)]
        threads.append(threading.Thread(target=self.edit, args=(random.Random(-1),)))
        for thread in threads:
            thread.start()
        samples = []
        while self.goes_on() or len(samples) < 3:
            samples.append(resident_mb(self.process.pid))
            time.sleep(0.5)
        for thread in threads:
            thread.join()
        return samples


def try_explore(opine, folder, options, broken):
    make(opine, folder, "data", "generate", "--nodes", "300", "--classes", "3", "--features", "40",
         "-o", "own.npz")
    make(opine, folder, "train", "own.npz", "--model", "s-bgcn-t-k", "--epochs", "40", "-o",
         "own.safetensors")
    process = subprocess.Popen([opine, "explore", "own.safetensors", "own.npz", "--threads", "1"],
                               cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               stdin=subprocess.DEVNULL)
    try:
        address = urlparse(process.stdout.readline().split()[-1])
        load = Load(process, address, 60 * options.minutes)
        samples = load.run(options.clients)
        if process.poll() is not None:
            broken.append(f"the server ended by itself: {process.returncode}")
        cpu = cpu_seconds(process.pid)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
        process.wait()
    if process.returncode != 130:
        broken.append(f"the server ended with {process.returncode}: {stderr[-300:]}")
    broken += load.odd
    third = len(samples) // 3
    middle, last = max(samples[third:2 * third]), max(samples[2 * third:])
    if last - middle > EXPLORE_MB:
        broken.append(f"explore: {last - middle:.1f} MB more in the last third than in the second")
    print("\n| Minutes | Clients | Requests | Trainings done, cancelled | CPU time, s | "
          "Memory, MB: first third | second | last | Odd answers |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    print(f"| {options.minutes:g} | {options.clients} | {sum(load.answers.values())} | "
          f"{load.trained['done']}, {load.trained['cancelled']} | {cpu:.0f} | "
          f"{max(samples[:third]):.1f} | {middle:.1f} | {last:.1f} | {len(load.odd)} |", flush=True)


def main():
    options = arguments()
    opine, broken = str(Path(options.opine).resolve()), []
    parts = options.parts or ("epochs", "explore")
    with tempfile.TemporaryDirectory() as folder:
        if "epochs" in parts:
            try_epochs(opine, Path(folder), options.epochs, broken)
        if "explore" in parts:
            try_explore(opine, Path(folder), options, broken)
    for complaint in broken:
        print(complaint, file=sys.stderr)
    return 1 if broken else 0


sys.exit(main())
