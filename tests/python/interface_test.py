"""The calls that the package was asked for, as they are written there, on a real graph."""

import os
import types
import unittest

import numpy as np

import opine
from opine import calibration, conformal, control, metrics, opinion  # noqa: F401 -- one of the calls
from support import demo, needs, quiet

NAMES = [f"person {i}" for i in range(2500)]


def named():
    """The embedded graph with names, strings for classes, and labels for a third of the nodes."""
    g = demo()
    y = np.array([f"team {k}" for k in g.y_index], dtype=object)
    y[np.arange(len(y)) % 3 > 0] = None
    names = ["ada", *NAMES[1:]]
    return opine.Graph(g.edge_index, g.x, y, names)


class AsWritten(unittest.TestCase):
    def setUp(self):
        self.quiet = quiet()
        self.quiet.__enter__()
        self.addCleanup(self.quiet.__exit__, None, None, None)

    def test_a_graph_is_made_in_each_of_the_ways(self):
        edge_index, x, y = demo().edge_index, demo().x, demo().y_index
        whole = opine.Graph(edge_index, x, y=None, names=None)
        self.assertEqual((whole.n_nodes, whole.n_classes), (2500, 0))
        for missing in (-1, None, np.nan):
            labels = np.array(y, dtype=object)
            labels[:7] = missing
            self.assertEqual(list(np.flatnonzero(opine.Graph(edge_index, x, labels).y_index < 0)), [*range(7)])

    @needs("scipy")
    def test_scipy_matrices_are_taken_for_both(self):
        from scipy import sparse
        A, X = demo().to_scipy()
        for kind in ("csr_array", "csc_array", "coo_array", "csr_matrix", "lil_matrix"):
            make = getattr(sparse, kind)
            g = opine.Graph.from_scipy(make(A), make(X))
            self.assertEqual(g.hash, opine.Graph(demo().edge_index, demo().x).hash)

    @needs("networkx")
    def test_networkx_is_taken(self):
        import networkx as nx
        G = nx.karate_club_graph()
        nx.set_node_attributes(G, dict(G.degree), "degree")
        g = opine.Graph.from_networkx(G, features=["degree"], label="club")
        self.assertEqual(list(g.x[:3, 0]), [16, 9, 10])

    def test_a_classifier_answers_all_that_it_is_asked(self):
        g = named()
        clf = opine.NodeClassifier(model="auto", random_state=0, n_jobs=1, epochs=40)
        self.assertIs(clf.fit(g), clf)
        self.assertEqual(clf.predict().shape, (2500,))
        self.assertEqual(clf.predict_proba().shape, (2500, 6))
        self.assertEqual(len(clf.opinions()), 2500 if _has("pandas") else len(clf.opinions(as_frame=False)))
        self.assertEqual(clf.decide(target_accuracy=.95).decision.shape, (2500,))
        self.assertEqual(clf.predict_set(coverage=.9).shape, (2500, 6))
        self.assertEqual(clf.explain("ada").name, "ada")
        self.assertEqual(len(clf.suggest(20)["node"]), 20)
        self.assertIn("expected", clf.suspects())
        clf.report("mine.html")
        clf.save("m.safetensors")
        self.assertEqual(opine.load("m.safetensors").model_id_, clf.model_id_)
        self.assertTrue(clf.history_ and os.path.getsize("mine.html") > 100000)
        self.assertEqual(list(clf.classes_), [f"team {k}" for k in range(6)])
        self.assertIn("<table", clf._repr_html_())

    def test_masks_of_something_like_pyg_are_used(self):
        y = demo().y_index.astype(np.int64)
        nodes = np.arange(2500)
        data = types.SimpleNamespace(x=demo().x, edge_index=demo().edge_index, y=y, num_nodes=2500,
                                     train_mask=nodes % 5 == 0, val_mask=nodes % 5 == 1)
        clf = opine.NodeClassifier("s-gcn", epochs=5).fit(data)
        np.testing.assert_array_equal(clf.roles_ == "train", data.train_mask)
        self.assertEqual(clf.predict(nodes % 5 == 2).shape, (500,))

    def test_anyones_arrays_are_taken(self):
        rng = np.random.default_rng(0)
        g, y = demo(), demo().y_index
        z = 2 * np.eye(6)[y] + rng.normal(size=(2500, 6))
        o = opinion.from_logits(z)
        wrong = o.predicted != y
        self.assertGreater(metrics.auroc(wrong, o.dissonance), 0.6)
        p = p_cal = o.probability
        y_cal = np.where(rng.random(2500) < 0.2, y, -1)
        sets = conformal.prediction_sets(p, p_cal, y_cal, method="daps", graph=g)
        self.assertGreater(conformal.coverage_report(sets, y).coverage, 0.85)
        opine.report(p=p, y=y, graph=g, path="mine.html")
        self.assertGreater(os.path.getsize("mine.html"), 100000)

    def test_research_starts_from_names(self):
        self.assertEqual(opine.datasets.load("demo").n_nodes, 2500)
        self.assertIn("results", opine.evaluate(opine.datasets.load("demo"), "s-gcn", seeds=2, epochs=3))
        self.assertIn("trials", opine.tune("demo", "s-gcn", trials=2, seeds=2, epochs=3))


def _has(module):
    try:
        __import__(module)
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    unittest.main()
