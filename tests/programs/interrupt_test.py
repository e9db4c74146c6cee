#!/usr/bin/env python3
"""Signals at any moment: no half-written file, nothing left over, and the same bits after.

  tests/programs/interrupt_test.py PROGRAM [SEED]

Starts the command over and over and sends it a signal at a random moment of its time. What it
writes is then either as it was before or as it is without any signal; the same command run
again finishes with the same bits. After SIGKILL, which cannot be caught, a temporary file may
stay, under a name that tells what it is, and is in nobody's way.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from clean_start import environment

PROGRAM = os.path.abspath(sys.argv[1])
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 2020
SECONDS = 60  # only a hang takes that long
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
TEMPORARY = re.compile(r".+\.\d+-\d+\.tmp$")
TRAIN = ["train", "demo", "-o", "m.safetensors", "--model", "s-bgcn-t", "--hidden", "4",
         "--threads", "1", "--epochs", "400", "--checkpoint-every", "0.02"]


def contents(path):
    """Bytes of a file, of the files of a folder by name, or None."""
    if path.is_dir():
        return {p.name: p.read_bytes() for p in path.iterdir()}
    return path.read_bytes() if path.exists() else None


def start(arguments, folder):
    return subprocess.Popen([PROGRAM, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=environment())


def finish(process):
    stdout, stderr = process.communicate(timeout=SECONDS)
    return process.returncode, stdout.decode(), stderr.decode()


class Interrupt(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(SEED)
        self.root = Path(tempfile.mkdtemp(prefix="opine_interrupt."))
        self.addCleanup(shutil.rmtree, self.root)

    def run_whole(self, arguments, folder):
        code, stdout, stderr = finish(start(arguments, folder))
        self.assertEqual(code, 0, stderr)
        return stdout, stderr

    def strike(self, arguments, folder, seconds, number, awaited=None):
        """Runs the command and sends it a signal, once the file `awaited` is there if it has a
        name; what is allowed to be there is checked."""
        sent = SIGNALS[number % len(SIGNALS)]
        process = start(arguments, folder)
        while awaited and process.poll() is None and not (folder / awaited).exists():
            time.sleep(0.001)
        time.sleep(self.random.uniform(0.0, seconds / (5 if awaited else 1)))
        process.send_signal(sent)
        code, _, stderr = finish(process)
        # Before the command handles signals, they do what they do to any program.
        self.assertIn(code, (0, -signal.SIGKILL) if sent == signal.SIGKILL else (0, 130, -sent),
                      stderr)
        left = [str(p) for p in folder.rglob("*.tmp")]
        if sent != signal.SIGKILL:
            self.assertEqual(left, [])
        for name in left:
            self.assertRegex(name, TEMPORARY)
        return code

    def repeat(self, arguments, output, n, *, inputs=(), before=None, extras=(),
               awaited=None):
        """Strikes n times, most of them once the file `awaited` is there; `before` is what the
        output holds at first, `extras` what else may be there. Returns what the commands that
        went on have logged."""
        whole = self.root / "whole"
        whole.mkdir()
        for path in inputs:
            shutil.copy(path, whole)
        self.run_whole(arguments, whole)
        begun = time.monotonic()
        wanted = contents(whole / output)
        logs = []
        again = [*arguments, "--resume"] if arguments[0] == "train" else arguments
        if (whole / output).is_dir():
            shutil.rmtree(whole / output)
        self.run_whole(arguments, whole)
        self.assertEqual(contents(whole / output), wanted)
        seconds = time.monotonic() - begun
        n_stopped = 0
        for number in range(n):
            folder = self.root / str(number)
            folder.mkdir()
            for path in inputs:
                shutil.copy(path, folder)
            if before is not None:
                (folder / output).write_bytes(before)
            code = self.strike(arguments, folder, seconds, number,
                               awaited if number >= len(SIGNALS) else None)
            n_stopped += code != 0
            self.assertIn(contents(folder / output), (before, wanted))
            known = {output, *extras, *(path.name for path in inputs)}
            names = {p.name for p in folder.iterdir() if not TEMPORARY.match(p.name)}
            self.assertLessEqual(names, known)
            if not (folder / output).is_dir():
                logs.append(self.run_whole(again, folder)[1])
            self.assertEqual(contents(folder / output), wanted)
            names = {p.name for p in folder.iterdir() if not TEMPORARY.match(p.name)}
            self.assertLessEqual(names, known - set(extras))
            shutil.rmtree(folder)
        self.assertGreater(n_stopped, 0)
        shutil.rmtree(whole)
        return logs

    def trained(self, data):
        self.run_whole(["train", data, "-o", "model", "--model", "s-bgcn", "--epochs", "5"],
                       self.root)
        return self.root / "model"

    def test_training_goes_on_with_the_same_bits(self):
        logs = self.repeat(TRAIN, "m.safetensors", 8, before=b"an older model",
                           extras=["m.safetensors.checkpoint", "m.safetensors.checkpoint.lock"],
                           awaited="m.safetensors.checkpoint")
        n_resumed = sum("resuming from m.safetensors.checkpoint" in log for log in logs)
        self.assertGreater(n_resumed, 2)
        killed = logs[SIGNALS.index(signal.SIGKILL) :: len(SIGNALS)]
        self.assertTrue(any("resuming from" in log for log in killed))

    def test_predictions_are_whole_or_not_there(self):
        model = self.trained("demo")
        for name, before in (("p.csv", None), ("p.npz", b"older"), ("p.json", None)):
            with self.subTest(name=name):
                self.repeat(["predict", "model", "demo", "-o", name, "--samples", "200"], name,
                            4, inputs=[model], before=before)

    def test_graphs_are_whole_or_not_there(self):
        drawn = ["data", "generate", "--nodes", "20000", "--seed", "3"]
        for arguments, name in ((["data", "convert", "demo"], "g"), (drawn, "g.npz")):
            with self.subTest(name=name):
                self.repeat([*arguments, "-o", name], name, 8)

    def test_a_page_is_whole_or_not_there(self):
        graph = self.root / "g.npz"
        self.run_whole(["data", "generate", "--nodes", "300", "-o", graph], self.root)
        model = self.trained(graph)
        arguments = ["report", "model", "g.npz", "-o", "page.html"]
        code, _, stderr = finish(start(arguments, self.root))
        if "built without" in stderr:
            self.skipTest(stderr)
        self.assertEqual(code, 0, stderr)
        self.repeat(arguments, "page.html", 4, inputs=[model, graph], before=b"older")

    def test_an_evaluation_goes_on_with_the_same_figures(self):
        arguments = ["evaluate", "demo", "--model", "gcn,s-gcn", "--seeds", "3", "--epochs",
                     "60", "-o", "run", "--json"]
        begun = time.monotonic()
        wanted = self.figures(self.run_whole(arguments, self.root)[0])
        seconds = time.monotonic() - begun
        for number in range(4):
            folder = self.root / str(number)
            folder.mkdir()
            self.strike(arguments, folder, seconds, number)
            self.assertEqual(self.figures(self.run_whole(arguments, folder)[0]), wanted)
            rows = (folder / "run/cells.jsonl").read_text().splitlines()
            self.assertEqual(len({json.loads(row)["key"] for row in rows}), len(rows))

    def figures(self, text):
        document = json.loads(text)
        document.pop("peak_rss_mb")
        for result in document["results"]:
            result.pop("seconds")
        return document


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
