"""Processes and threads: fork, signals, the interpreter lock, memory."""

import gc
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import unittest
import weakref

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
def work():  # a loop right inside of the try misses signals that come as it jumps back
    {work}
begun = time.process_time()
threading.Thread(target=alarm, daemon=True).start()
try:
    work()
except KeyboardInterrupt:
    print(time.process_time() - stamp[0])
else:
    print("not interrupted")
"""

TRAINED = ('clf = opine.NodeClassifier("s-bgcn-t-k", epochs=2, teacher_epochs=2, samples=5); '
           'clf.fit(draw(20000))')
ROWS = ('p = np.random.default_rng(0).dirichlet(np.ones(12), size=600000); '
        'y = np.random.default_rng(0).integers(0, 12, size=600000)')

WORK = {
    "training": ('g = opine.datasets.load("demo")',
                 'opine.NodeClassifier("s-bgcn-t-k", epochs=1000000).fit(g)'),
    "comparing": ('g = opine.datasets.load("demo")',
                  'opine.NodeClassifier(graph=g, epochs=1000000, patience=1000000).fit(range(2500))'),
    "evaluating": ('g = opine.datasets.load("demo")',
                   'opine.evaluate(g, "s-gcn", seeds=2, epochs=1000000)'),
    "loading": ('draw().save("folder")', 'while True: opine.Graph.load("folder")'),
    "making a graph": ("", "while True: draw()"),
    "pickling": ('import pickle; g = draw(400000)', 'while True: pickle.loads(pickle.dumps(g))'),
    "deciding about scores": (
        'p = np.random.default_rng(0).dirichlet(np.ones(8), size=400000); y = p.argmax(1)',
        'while True: opine.decide(p, y, coverage=0.9)'),
    "labelling everything, and so the prior": (
        'g = draw()', 'while True: opine.NodeClassifier("s-bgcn-t-k", epochs=1, teacher_epochs=1).fit(g)'),
    "tuning": ('g = opine.datasets.load("demo")',
               'opine.tune(g, "s-gcn", trials=1000, seeds=2, epochs=1000000)'),
    "predicting with many samples": (
        'clf = opine.NodeClassifier("s-bgcn-t-k", epochs=1, teacher_epochs=1, samples=1000000, calibrate="none"); '
        'clf.fit(opine.datasets.load("demo"))', 'clf.predict()'),
    "reporting": (TRAINED, 'while True: clf.report("r.html")'),
    "reporting about anyone's": (
        'g = draw(20000); p = np.random.default_rng(0).dirichlet(np.ones(4), size=20000)',
        'while True: opine.report(p=p, y=g.y, graph=g, path="r.html")'),
    "looking for suspects": (TRAINED, 'while True: clf.suspects()'),
    "suggesting": (TRAINED, 'while True: clf.suggest(20)'),
    "explaining": (TRAINED, 'while True: clf.explain(7)'),
    "deciding": (TRAINED, 'while True: clf.decide(abstain_above={"entropy": 0.5}); clf.predict_set()'),
    "pickling a classifier": (TRAINED, 'while True: __import__("pickle").loads(__import__("pickle").dumps(clf))'),
    "saving": ('g = draw(400000)', 'while True: g.save("g.npz")'),
    "saving a folder": ('g = draw(); n = iter(range(10**9))', 'while True: g.save("f%d" % next(n))'),
    "describing and hashing": ('g = draw(400000)', 'while True: g.info; g.hash'),
    "loading a list of edges": (
        'np.savetxt("g.txt", np.random.default_rng(0).integers(0, 10**5, size=(600000, 2)), fmt="%d")',
        'while True: opine.Graph.load("g.txt")'),
    "loading GraphML": ('write_graphml("g.graphml", 200000)', 'while True: opine.Graph.load("g.graphml")'),
    "loading npz": ('draw(400000).save("g.npz")', 'while True: opine.Graph.load("g.npz")'),
    "ranking": ('s = np.random.default_rng(0).random(6000000); y = s > 0.5',
                'while True: opine.metrics.auroc(y, s); opine.metrics.aurc(y, s)'),
    "measuring probabilities": (ROWS, 'while True: opine.calibration.measure(p, y)'),
    "calibrating": (ROWS, 'while True: opine.calibration.temperature(p, y).apply(p)'),
    "making sets": (ROWS, 'while True: opine.conformal.prediction_sets(p, None, y, method="aps")'),
    "p-values": (ROWS, 'while True: opine.conformal.benjamini_hochberg(opine.conformal.p_values(p[:, 0], p[:, 1]))'),
    "opinions of many classes": ('a = 1 + np.random.default_rng(0).random((100000, 60))',
                                 'while True: opine.opinion.from_alpha(a)'),
    "an epoch of seconds": (
        'g = draw()',
        'opine.NodeClassifier("s-bgcn-t-k", hidden=1024, epochs=2).fit(g)'),
}

DRAW = """
def draw(n=60000):
    rng = np.random.default_rng(0)
    return opine.Graph(rng.integers(0, n, size=(2, 5 * n)), rng.random((n, 30), dtype=np.float32),
                       rng.integers(-1, 4, size=n))

def write_graphml(path, n):
    with open(path, "w") as file:
        file.write('<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">')
        file.writelines('<node id="n%d"/>' % i for i in range(n))
        file.writelines('<edge source="n%d" target="n%d"/>' % (i, i * i % n) for i in range(n))
        file.write("</graph></graphml>")
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

    def test_dense_features_cost_a_graph_nothing_and_training_one_copy(self):
        # 64 MB of them; few units and edges, so that nothing else counts.
        n, f = 16000, 1000
        script = (
            "import numpy as np, opine, resource, warnings\n"
            "warnings.simplefilter('ignore')\n"
            "def peak(): return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "def fit(g): opine.NodeClassifier('gcn', hidden=4, epochs=2).fit(g).predict()\n"
            "rng = np.random.default_rng(0)\n"
            "fit(opine.Graph([[0, 1, 2], [1, 2, 3]], rng.random((40, 3)), np.arange(40) % 2))\n"
            f"x = rng.random(({n}, {f}), dtype=np.float32)\n"
            f"e, y = rng.integers(0, {n}, (2, 2000)), np.where(np.arange({n}) % 40, -1, np.arange({n}) % 3)\n"
            "before = peak()\n"
            "g = opine.Graph(e, x, y)\n"
            "made = peak()\n"
            "fit(g)\n"
            f"print((made - before) / x.size, (peak() - before) / x.size)\n")
        done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
        of_graph, of_fit = map(float, done.stdout.split())
        self.assertLess(of_graph, 1.0)  # bytes of an entry
        self.assertLess(of_fit, 6.0)

    def test_an_array_lives_as_long_as_a_graph_refers_to_it(self):
        x = np.random.default_rng(0).random((2000, 50), dtype=np.float32) + 1
        alive = weakref.ref(x)
        wanted = x.copy()
        g = opine.Graph([[0], [1]], x, y=np.arange(2000) % 2)
        other = g.relabelled(np.arange(2000) % 3)
        del x, g
        gc.collect()
        self.assertIsNotNone(alive())
        np.testing.assert_array_equal(other.x, wanted)
        del other
        gc.collect()
        self.assertIsNone(alive())

    def test_an_array_of_zeros_or_of_what_is_wrong_is_not_kept(self):
        sparse = np.zeros((2000, 50), dtype=np.float32)
        wrong = np.full((2000, 50), np.nan, dtype=np.float32)
        alive = weakref.ref(sparse), weakref.ref(wrong)
        g = opine.Graph([[0], [1]], sparse)
        with self.assertRaises(opine.OpineValueError):
            opine.Graph([[0], [1]], wrong)
        del sparse, wrong
        gc.collect()
        self.assertEqual([ref() for ref in alive], [None, None])
        self.assertEqual(g.n_features, 50)

    def test_a_graph_that_is_left_at_the_end_is_freed_without_a_word(self):
        script = ("import numpy as np, opine\n"
                  "g = opine.Graph([[0], [1]], np.ones((2000, 50), dtype=np.float32) * 2)\n"
                  "opine.keep = [g, g.relabelled(np.arange(2000) % 2)]\n")
        done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")


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
