"""Processes and threads: fork, signals, the interpreter lock, memory."""

import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import opine
from support import demo, quiet


def train(n_jobs=2, epochs=5):
    with quiet():
        return opine.NodeClassifier("s-bgcn-t-k", epochs=epochs, teacher_epochs=epochs, samples=5,
                                    n_jobs=n_jobs).fit(demo()).predict_proba()


def train_in_child(queue):
    queue.put(train())


class Processes(unittest.TestCase):
    def test_a_forked_child_trains_after_its_parent_has(self):
        wanted = train()
        fork = multiprocessing.get_context("fork")
        queue = fork.Queue()
        child = fork.Process(target=train_in_child, args=(queue,))
        child.start()
        got = queue.get(timeout=120)
        child.join(30)
        self.assertEqual(child.exitcode, 0)
        np.testing.assert_array_equal(got, wanted)

    def test_threads_train_side_by_side(self):
        wanted = train(n_jobs=1)
        results = [None] * 4

        def work(slot):
            results[slot] = opine.NodeClassifier(
                "s-bgcn-t-k", epochs=5, teacher_epochs=5, samples=5).fit(demo()).predict_proba()

        threads = [threading.Thread(target=work, args=(slot,)) for slot in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for got in results:
            np.testing.assert_array_equal(got, wanted)

    def test_the_interpreter_runs_on_while_a_model_is_trained(self):
        counted = 0
        thread = threading.Thread(target=train, kwargs={"n_jobs": 1, "epochs": 400})
        thread.start()
        while thread.is_alive():
            counted += 1
            time.sleep(0.001)
        self.assertGreater(counted, 20)


# Works for ever, and says how long after a signal it is back: in CPU time, as other programs may be
# busy.
INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import opine
stamp = []
def alarm():
    while time.process_time() < begun + 0.5:
        time.sleep(0.01)
    stamp.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)
{setup}
begun = time.process_time()
threading.Thread(target=alarm, daemon=True).start()
try:
    {work}
except KeyboardInterrupt:
    print(time.process_time() - stamp[0])
else:
    print("not interrupted")
"""

WORK = {
    "training": ('g = opine.datasets.load("demo")',
                 'opine.NodeClassifier("s-bgcn-t-k", epochs=1000000).fit(g)'),
    "comparing": ('g = opine.datasets.load("demo")',
                  'opine.NodeClassifier(graph=g, epochs=1000000, patience=1000000).fit(range(2500))'),
    "evaluating": ('g = opine.datasets.load("demo")',
                   'opine.evaluate(g, "s-gcn", seeds=2, epochs=1000000)'),
    "loading": ('draw().save("folder")', 'while True: opine.Graph.load("folder")'),
    "making a graph": ("", "while True: draw()"),
    "labelling everything, and so the prior": (
        'g = draw()', 'while True: opine.NodeClassifier("s-bgcn-t-k", epochs=1, teacher_epochs=1).fit(g)'),
    "an epoch of seconds": (
        'g = draw()',
        'opine.NodeClassifier("s-bgcn-t-k", hidden=1024, epochs=2).fit(g)'),
}

DRAW = """
def draw(n=60000):
    rng = np.random.default_rng(0)
    return opine.Graph(rng.integers(0, n, size=(2, 5 * n)), rng.random((n, 30), dtype=np.float32),
                       rng.integers(0, 4, size=n))
"""


class Interruption(unittest.TestCase):
    def test_ctrl_c_ends_every_long_call_within_a_fifth_of_a_second(self):
        for name, (setup, work) in WORK.items():
            with self.subTest(name):
                script = INTERRUPTED.format(setup=DRAW + setup, work=work)
                done = subprocess.run([sys.executable, "-c", script],
                                      capture_output=True, text=True, timeout=120, check=True,
                                      preexec_fn=lambda: signal.signal(signal.SIGINT,
                                                                       signal.default_int_handler))
                self.assertLess(float(done.stdout), 0.2, done.stderr)

    def test_a_classifier_that_was_interrupted_stays_as_it_was(self):
        clf = opine.NodeClassifier("s-gcn", epochs=3)
        with quiet():
            clf.fit(demo())
        before = clf.predict_proba()
        clf.set_params(epochs=1000000)

        def interrupt():
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGINT)

        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            threading.Thread(target=interrupt).start()
            with self.assertRaises(KeyboardInterrupt):
                clf.fit(demo())
        finally:
            signal.signal(signal.SIGINT, handler)
        np.testing.assert_array_equal(clf.predict_proba(), before)


class Memory(unittest.TestCase):
    def test_two_hundred_fits_take_no_more_memory_than_a_few(self):
        rng = np.random.default_rng(0)
        g = opine.Graph(rng.integers(0, 300, size=(2, 900)), rng.random((300, 40), dtype=np.float32),
                        rng.integers(0, 3, size=300))

        def fit(times):
            with quiet():
                for _ in range(times):
                    clf = opine.NodeClassifier("s-bgcn-t-k", epochs=2, teacher_epochs=2, samples=2).fit(g)
                    clf.opinions(as_frame=False)
            return resident()

        warm = fit(20)
        self.assertLess(fit(200) - warm, 3e6)

    def test_features_are_not_copied_on_their_way_to_the_library(self):
        # The library keeps 8 bytes for each of these entries; a copy on the way would be
        # another 4, at the peak.
        n, f = 20000, 500
        script = (
            "import numpy as np, opine, resource\n"
            f"x = np.ones(({n}, {f}), dtype=np.float32); x += np.arange({f}, dtype=np.float32)\n"
            "e = np.array([[0], [1]])\n"
            "opine.Graph([[0], [1]], [[1.0], [2.0]])\n"
            "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "g = opine.Graph(e, x)\n"
            "print(1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))\n")
        grown = int(subprocess.run([sys.executable, "-c", script], check=True, capture_output=True,
                                   text=True).stdout)
        self.assertLess(grown, 8 * n * f * 1.1)


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


class Start(unittest.TestCase):
    def test_importing_opine_imports_neither_numpy_nor_anything_else_large(self):
        code = ("import sys, opine; print([m for m in ('numpy', 'scipy', 'pandas', 'sklearn', 'torch', "
                "'networkx') if m in sys.modules])")
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), "[]")


if __name__ == "__main__":
    unittest.main()
