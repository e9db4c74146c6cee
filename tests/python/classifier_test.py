"""The classifier: the same as the command, and at home among scikit-learn's tools."""

import contextlib
import csv
import io
import os
import pickle
import subprocess
import sys
import types
import unittest
import warnings
from unittest import mock

import numpy as np

import opine
from opine import NodeClassifier, OpineValueError
from support import demo, fitted, needs, quiet


class Training(unittest.TestCase):
    def test_it_says_the_same_bits_as_the_command(self):
        command = os.environ["OPINE_COMMAND"]
        subprocess.run([command, "train", "demo", "-o", "m.safetensors", "--model", "s-bgcn-t-k",
                        "--epochs", "20", "--seed", "3", "-q"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([command, "predict", "m.safetensors", "demo", "-o", "out.csv", "-q"], check=True)
        clf = NodeClassifier("s-bgcn-t-k", epochs=20, random_state=3).fit(demo())
        clf.save("mine.safetensors")
        with open("m.safetensors", "rb") as a, open("mine.safetensors", "rb") as b:
            self.assertEqual(a.read(), b.read())
        with open("out.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        said = clf.opinion()
        for name in ("vacuity", "dissonance", "aleatoric", "epistemic", "entropy"):
            np.testing.assert_array_equal(np.array([row[name] for row in rows], dtype=np.float32),
                                          said.measures[name])
        p = np.array([[row[f"p_{k}"] for k in range(6)] for row in rows], dtype=np.float32)
        np.testing.assert_array_equal(p, clf.predict_proba())
        self.assertEqual([row["role"] for row in rows], list(clf.roles_))

    def test_results_do_not_depend_on_threads(self):
        one = fitted()
        two = NodeClassifier("s-bgcn-t-k", epochs=20, teacher_epochs=20, samples=10,
                             n_jobs=2).fit(demo())
        np.testing.assert_array_equal(one.predict_proba(), two.predict_proba())

    def test_history_has_every_epoch_of_both_stages(self):
        history = fitted().history_
        self.assertEqual([row["epoch"] for row in history], [*range(1, 21)] * 2)
        self.assertEqual({row["stage"] for row in history}, {"teacher", "model"})
        self.assertTrue(all(np.isfinite(row["labels"]) for row in history))

    def test_auto_says_what_it_compared(self):
        rng = np.random.default_rng(0)
        ids = rng.permutation(demo().n_nodes)[:200]
        with quiet():
            clf = NodeClassifier(graph=demo(), epochs=10).fit(ids)
        self.assertIn("logistic regression", [c["name"] for c in clf.candidates_])
        self.assertEqual(sum(c["is_chosen"] for c in clf.candidates_), 1)
        self.assertEqual([row["epoch"] for row in clf.history_ if row["stage"] == "model"],
                         [*range(1, 11)])

    @needs("networkx")
    def test_the_karate_club_is_told_apart_by_its_own_names(self):
        import networkx as nx
        graph = nx.karate_club_graph()
        labels = {i: graph.nodes[i]["club"] for i in graph}
        for i in graph:
            if i % 3:
                del graph.nodes[i]["club"]
        with quiet():
            clf = NodeClassifier(random_state=1).fit(opine.Graph.from_networkx(graph, label="club"))
        self.assertEqual(list(clf.classes_), ["Mr. Hi", "Officer"])
        predicted = clf.predict()
        self.assertGreater(np.mean([predicted[i] == labels[i] for i in graph]), 0.85)

    def test_masks_of_a_graph_are_used(self):
        g = demo()
        y = g.y_index
        train = np.arange(g.n_nodes) % 10 == 0
        val = np.arange(g.n_nodes) % 10 == 1
        masked = opine.Graph(g.edge_index, g.to_scipy()[1] if _has_scipy() else g.x, y,
                             train_mask=train, val_mask=val, test_mask=~train & ~val)
        with quiet():
            clf = NodeClassifier("s-gcn", epochs=5).fit(masked)
        np.testing.assert_array_equal(clf.roles_ == "train", train)
        np.testing.assert_array_equal(clf.roles_ == "validation", val)


def _has_scipy():
    try:
        import scipy.sparse  # noqa: F401
    except ImportError:
        return False
    return True


class Answers(unittest.TestCase):
    def test_nodes_can_be_asked_by_number_and_by_name(self):
        clf = fitted()
        np.testing.assert_array_equal(clf.predict([5, 3]), clf.predict()[[5, 3]])
        np.testing.assert_array_equal(clf.predict_proba([[7]]), clf.predict_proba()[[7]])
        with self.assertRaisesRegex(OpineValueError, "outside \\[0, 2500\\)"):
            clf.predict([2500])

    def test_opinions_are_a_table(self):
        table = fitted().opinions(as_frame=False)
        self.assertEqual(list(table)[:4], ["node", "role", "label", "p_0"])
        self.assertTrue(all(len(column) == 2500 for column in table.values()))
        if _has_pandas():
            frame = fitted().opinions([1, 2])
            self.assertEqual(frame.shape[0], 2)
            self.assertEqual(list(frame.columns), list(table))

    def test_an_explanation_has_a_sentence_and_figures(self):
        why = fitted().explain(7)
        self.assertIn("node 7", str(why).lower())
        self.assertAlmostEqual(sum(why.probability.values()), 1, places=5)
        self.assertIn("vacuity", why.measures)
        with self.assertRaisesRegex(OpineValueError, "no node 'ada'"):
            fitted().explain("ada")

    def test_a_model_survives_its_file_and_pickle(self):
        clf = fitted()
        clf.save("m.safetensors")
        loaded = opine.load("m.safetensors", demo())
        pickled = pickle.loads(pickle.dumps(clf))
        for again in (loaded, pickled):
            np.testing.assert_array_equal(again.predict_proba(), clf.predict_proba())
            np.testing.assert_array_equal(again.roles_, clf.roles_)
            np.testing.assert_array_equal(again.classes_, clf.classes_)
        self.assertEqual(repr(pickled.history_), repr(clf.history_))
        with self.assertRaisesRegex(OpineValueError, "or predict\\(graph\\)"):
            opine.load("m.safetensors").predict()
        self.assertEqual(len(opine.load("m.safetensors").predict(demo())), 2500)

    def test_other_samples_of_a_graph_with_the_same_features(self):
        clf = fitted()
        g = demo()
        half = opine.Graph(g.edge_index[:, g.edge_index.max(axis=0) < 1000], g.x[:1000])
        self.assertEqual(clf.predict(half).shape, (1000,))

    def test_a_report_is_a_page(self):
        fitted().report("mine.html", title="mine")
        with open("mine.html", encoding="utf-8") as file:
            page = file.read()
        self.assertTrue('"mine"' in page and page.endswith("</html>\n"))
        opine.report(path="other.html", p=fitted().predict_proba(), graph=demo())
        self.assertGreater(os.path.getsize("other.html"), 100000)

    def test_a_report_about_a_file_takes_a_graph_too(self):
        fitted().save("m.safetensors")
        g = demo()
        half = opine.Graph(g.edge_index, g.x, g.y, name="mine")
        for graph in ("demo", g, half):
            with quiet():
                self.assertEqual(opine.report("m.safetensors", "r.html", graph=graph).name, "r.html")
        few = np.array([f"class {k % 5}" for k in range(2500)])
        named = opine.Graph(g.edge_index, g.x, [f"class {k}" for k in g.y_index])
        p = fitted().predict_proba()
        for samples in (p, np.stack([p, p])):  # of six classes, one of which these labels lack
            opine.report(p=samples, y=few, graph=named, path="few.html")
        with open("few.html", encoding="utf-8") as file:
            self.assertIn('"class 5"', file.read())
        with self.assertRaisesRegex(OpineValueError, "probabilities of 6 classes, and labels of 5"):
            opine.report(p=p, y=few, graph=opine.Graph(g.edge_index, g.x))
        with self.assertRaisesRegex(OpineValueError, "needs a run, or a graph"):
            opine.report(p=fitted().predict_proba())

    def test_the_score_is_that_of_the_nodes_that_are_given(self):
        clf = fitted()
        g = demo()
        right = clf.predict() == g.y
        self.assertEqual(clf.score(), right[clf.roles_ == "test"].mean())
        nodes = np.flatnonzero(clf.roles_ == "test")[:40]
        self.assertEqual(clf.score(nodes), right[nodes].mean())
        self.assertEqual(clf.score(nodes, g.y[nodes]), right[nodes].mean())
        bare = opine.Graph(g.edge_index, g.x, g.y)
        self.assertEqual(clf.score(bare), right.mean())

    def test_a_notebook_shows_a_summary(self):
        self.assertIn("s-bgcn-t-k", fitted()._repr_html_())
        self.assertIn("NodeClassifier(hidden=3)", NodeClassifier(hidden=3)._repr_html_())
        g = opine.Graph(demo().edge_index, demo().x, [f"<b>{i % 30}" for i in range(2500)])
        with quiet():
            page = NodeClassifier("s-gcn", epochs=2).fit(g)._repr_html_()
        self.assertIn("(30 in all)", page)
        self.assertNotIn("<b>", page)


def _has_pandas():
    try:
        import pandas  # noqa: F401
    except ImportError:
        return False
    return True


class Labelling(unittest.TestCase):
    """Suggestions and suspects are those of the command."""

    def setUp(self):
        with quiet():
            self.clf = NodeClassifier("s-gcn", epochs=20).fit(demo())
        self.clf.save("m.safetensors")

    def rows_of(self, *command):
        subprocess.run([os.environ["OPINE_COMMAND"], *command, "-q"], check=True)
        with open("out.csv", newline="") as file:
            return list(csv.DictReader(file))

    def check(self, table, rows):
        self.assertEqual(list(table), list(rows[0]))
        self.assertEqual(list(map(str, table["node"])), [row["node"] for row in rows])
        for name, column in table.items():
            if name in ("label", "expected", "predicted"):
                self.assertEqual(list(map(str, column)), [row[name] for row in rows])
            elif name != "node":
                np.testing.assert_allclose(column, [float(row[name] or "nan") for row in rows],
                                           rtol=1e-5)

    def test_suggestions_are_those_of_the_command(self):
        rows = self.rows_of("suggest", "m.safetensors", "demo", "-n", "7", "-o", "out.csv")
        self.assertEqual(len(rows), 7)
        self.check(self.clf.suggest(7, as_frame=False), rows)
        with self.assertRaises(OpineValueError):
            self.clf.suggest(0)

    def test_suspects_are_those_of_the_command(self):
        rows = self.rows_of("suspects", "m.safetensors", "demo", "-o", "out.csv")
        self.assertGreater(len(rows), 5)
        self.check(self.clf.suspects(as_frame=False), rows)

    @needs("pandas")
    def test_both_are_frames(self):
        self.assertEqual(self.clf.suggest(3).shape, (3, 6))


class Progress(unittest.TestCase):
    def test_progress_goes_through_tqdm_where_it_is_installed(self):
        shown = []

        class tqdm:  # noqa: N801 -- as it is called
            def __init__(self, total, desc, unit, leave):
                shown.append([desc, total, 0, "open"])
                self.n = 0

            def set_postfix_str(self, note, refresh):
                pass

            def update(self, n):
                shown[-1][2] = self.n + n

            def close(self):
                shown[-1][3] = "closed"

        fake = types.ModuleType("tqdm.auto")
        fake.tqdm = tqdm
        with mock.patch.dict(sys.modules, {"tqdm": types.ModuleType("tqdm"), "tqdm.auto": fake}), quiet():
            NodeClassifier("s-bgcn-t-k", epochs=7, teacher_epochs=5, verbose=1).fit(demo())
        self.assertIn(["teacher", 5, 5, "closed"], shown)
        self.assertIn(["model", 7, 7, "closed"], shown)
        self.assertEqual({row[3] for row in shown}, {"closed"})

    def test_progress_is_lines_without_tqdm(self):
        said = io.StringIO()
        with mock.patch.dict(sys.modules, {"tqdm": None, "tqdm.auto": None}), quiet(), \
                contextlib.redirect_stdout(said):
            NodeClassifier("s-gcn", epochs=3, verbose=1).fit(demo())
        self.assertIn("model …", said.getvalue())


class Mistakes(unittest.TestCase):
    def test_unknown_parameters_are_refused_with_a_guess(self):
        with self.assertRaisesRegex(TypeError, "did you mean 'hidden'"):
            NodeClassifier(hiden=3)

    def test_values_are_checked_by_the_table(self):
        with self.assertRaisesRegex(ValueError, "hidden"):
            NodeClassifier(hidden=0).fit(demo())
        with self.assertRaisesRegex(ValueError, "no model|not one of|gnc"):
            NodeClassifier("gnc").fit(demo())

    def test_what_is_no_graph_is_refused(self):
        with self.assertRaisesRegex(OpineValueError, "it takes a Graph"):
            NodeClassifier().fit(np.ones((3, 3)), [0, 1, 0])
        with self.assertRaisesRegex(OpineValueError, "needs a graph"):
            NodeClassifier().fit()
        for error in (opine.OpineNotFittedError, AttributeError, ValueError):
            with self.assertRaisesRegex(error, "not fitted"):
                NodeClassifier().predict()
        with self.assertRaisesRegex(AttributeError, "classes_ is there after fit"):
            NodeClassifier().classes_
        with self.assertRaisesRegex(ValueError, "did you mean 'hidden'"):
            NodeClassifier().set_params(hiden=3)

    def test_warnings_of_the_library_are_warnings_here(self):
        with self.assertWarnsRegex(opine.OpineWarning, "raise `epochs`"):
            NodeClassifier("s-gcn", graph=demo(), epochs=2).fit(range(300))
        with warnings.catch_warnings():
            warnings.simplefilter("error", opine.OpineWarning)
            with self.assertRaises(opine.OpineWarning):
                NodeClassifier("s-gcn", graph=demo(), epochs=2).fit(range(300))


@needs("sklearn")
class Tools(unittest.TestCase):
    """The four tools of scikit-learn, also in other processes."""

    def setUp(self):
        rng = np.random.default_rng(5)
        self.ids = rng.permutation(demo().n_nodes)[:240]
        self.y = np.array([f"class {k}" for k in demo().y_index[self.ids]])
        self.clf = NodeClassifier("s-gcn", graph=demo(), epochs=30)
        self.quiet = quiet()
        self.quiet.__enter__()
        self.addCleanup(self.quiet.__exit__, None, None, None)

    def test_clone_keeps_every_parameter(self):
        from sklearn.base import clone, is_classifier
        again = clone(NodeClassifier("gat", graph=demo(), hidden=24))
        self.assertEqual((again.model, again.hidden, again.graph is demo()), ("gat", 24, True))
        self.assertTrue(is_classifier(again))
        self.assertEqual(again.set_params(hidden=8, n_jobs=2).get_params()["hidden"], 8)

    def test_cross_val_score_in_one_process_and_two(self):
        from sklearn.model_selection import cross_val_score
        alone = cross_val_score(self.clf, self.ids, self.y, cv=3)
        self.assertGreater(alone.mean(), 0.6)
        np.testing.assert_array_equal(cross_val_score(self.clf, self.ids, self.y, cv=3, n_jobs=2), alone)

    def test_cross_val_predict_in_one_process_and_two(self):
        from sklearn.model_selection import cross_val_predict
        alone, two = (cross_val_predict(self.clf, self.ids, self.y, cv=3, method="predict_proba",
                                        n_jobs=n_jobs) for n_jobs in (1, 2))
        self.assertEqual(alone.shape, (240, 6))
        np.testing.assert_allclose(alone.sum(axis=1), 1, atol=1e-5)
        np.testing.assert_array_equal(two, alone)

    def test_grid_search_in_one_process_and_two(self):
        from sklearn.model_selection import GridSearchCV
        alone, two = (GridSearchCV(self.clf, {"hidden": [4, 16]}, cv=2, n_jobs=n_jobs).fit(
            self.ids, self.y) for n_jobs in (1, 2))
        np.testing.assert_array_equal(two.cv_results_["mean_test_score"],
                                      alone.cv_results_["mean_test_score"])
        self.assertEqual(two.best_params_, alone.best_params_)
        self.assertIn(two.predict(self.ids[:1])[0], self.y)

    def test_calibrated_classifier_in_one_process_and_two(self):
        from sklearn.calibration import CalibratedClassifierCV
        alone, two = (CalibratedClassifierCV(self.clf, cv=2, n_jobs=n_jobs).fit(self.ids, self.y)
                      for n_jobs in (1, 2))
        self.assertEqual(list(alone.classes_), sorted(set(self.y)))
        self.assertEqual(alone.predict_proba(self.ids).shape, (240, 6))
        np.testing.assert_array_equal(two.predict_proba(self.ids), alone.predict_proba(self.ids))

    def test_joblib_writes_and_reads_a_classifier(self):
        import joblib
        self.clf.fit(self.ids, self.y)
        joblib.dump(self.clf, "clf.joblib")
        np.testing.assert_array_equal(joblib.load("clf.joblib").predict_proba(),
                                      self.clf.predict_proba())


class Research(unittest.TestCase):
    def test_evaluate_returns_the_document_and_shows_the_table(self):
        found = opine.evaluate(demo(), ["gcn", "s-gcn"], seeds=2, epochs=10)
        self.assertEqual([row["model"] for row in found["results"]], ["gcn", "s-gcn"])
        self.assertIn("AUROC", str(found))

    def test_tune_returns_its_trials(self):
        found = opine.tune(demo(), "s-gcn", trials=2, seeds=2, epochs=5)
        self.assertIn("trials", found)


if __name__ == "__main__":
    unittest.main()
