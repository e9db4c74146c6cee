"""The classifier as an estimator: what users of scikit-learn take for granted."""

import copy
import os
import pickle
import subprocess
import sys
import unittest
import warnings

import numpy as np

import opine
from opine import NodeClassifier, OpineValueError
from support import demo, fitted, needs, quiet


class Parameters(unittest.TestCase):
    def test_help_describes_every_parameter(self):
        for name in NodeClassifier().get_params():
            self.assertRegex(NodeClassifier.__doc__, rf"(?m)^{name}  ")

    def test_scalars_and_lists_of_numpy_are_values(self):
        with quiet():
            clf = NodeClassifier("s-gcn", epochs=np.int64(3), learning_rate=np.float64(0.02),
                                 dropout=np.float32(0.25), kernel_constant=np.bool_(True),
                                 random_state=np.int32(4)).fit(demo())
        told = clf.params_
        self.assertEqual([told[name] for name in ("epochs", "learning_rate", "dropout", "kernel_constant", "seed")],
                         ["3", "0.02", "0.25", "on", "4"])

    def test_thresholds_may_be_quantiles_of_numpy(self):
        clf = fitted()
        most = np.quantile(clf.opinion().vacuity.astype(np.float64), 0.5)
        wanted = clf.decide(abstain_above={"vacuity": float(most)}).accepted
        np.testing.assert_array_equal(clf.decide(abstain_above={"vacuity": most}).accepted, wanted)
        self.assertTrue(wanted.any() and not wanted.all())

    def test_thresholds_may_be_those_of_the_constructor(self):
        with quiet():
            clf = NodeClassifier("s-gcn", epochs=3, abstain_above={"entropy": 0.5}).fit(demo())
        accepted = clf.decide().accepted
        self.assertTrue((clf.opinion().entropy[accepted] <= 0.5).all())

    def test_an_attribute_that_is_set_is_the_parameter(self):
        clf = NodeClassifier("s-gcn", epochs=2)
        clf.hidden = 24
        self.assertEqual((clf.hidden, clf.get_params()["hidden"]), (24, 24))
        with quiet():
            self.assertEqual(clf.fit(demo()).params_["hidden"], "24")

    def test_n_jobs_counts_as_in_scikit_learn(self):
        for n_jobs in (None, 1, -1, -2, -100):
            with quiet():
                clf = NodeClassifier("s-gcn", epochs=2, n_jobs=n_jobs).fit(demo())
            self.assertEqual(clf.predict().shape, (2500,))
        from opine._library import Context, lib
        self.assertEqual(lib.opn_ctx_threads(Context(None).ptr), 1)
        self.assertEqual(lib.opn_ctx_threads(Context(-100).ptr), 1)

    def test_random_states_of_all_kinds(self):
        with quiet():
            one, other = (NodeClassifier("s-gcn", epochs=2, random_state=np.random.RandomState(3)).fit(demo())
                          for _ in range(2))
            NodeClassifier("s-gcn", epochs=2, random_state=None).fit(demo())
        np.testing.assert_array_equal(one.predict_proba(), other.predict_proba())

    def test_copies_share_a_graph_that_never_changes(self):
        clf = NodeClassifier("gat", graph=demo(), hidden=24)
        self.assertIs(copy.deepcopy(clf).graph, demo())
        self.assertIs(copy.copy(demo()), demo())
        self.assertIsNot(pickle.loads(pickle.dumps(demo())), demo())

    def test_a_copy_of_a_fitted_one_answers_the_same(self):
        again = copy.deepcopy(fitted())
        np.testing.assert_array_equal(again.predict_proba(), fitted().predict_proba())


class Nodes(unittest.TestCase):
    def test_a_mask_chooses_nodes(self):
        clf = fitted()
        mask = np.arange(2500) % 7 == 0
        np.testing.assert_array_equal(clf.predict(mask), clf.predict()[mask])
        np.testing.assert_array_equal(clf.predict_set(mask), clf.predict_set()[mask])
        self.assertEqual(clf.score(mask, demo().y[mask]), np.mean(clf.predict()[mask] == demo().y[mask]))
        with self.assertRaisesRegex(OpineValueError, "a mask of 3 nodes for a graph of 2500"):
            clf.predict([True, False, True])

    def test_a_mask_chooses_what_is_trained_on(self):
        mask = np.arange(2500) % 7 == 0
        with quiet():
            clf = NodeClassifier("s-gcn", graph=demo(), epochs=2).fit(mask)
        self.assertEqual(set(clf.roles_[~mask]), {"unlabelled"})
        self.assertNotIn("unlabelled", clf.roles_[mask])

    def test_a_score_without_labels_is_refused(self):
        with quiet():
            clf = NodeClassifier("s-gcn", graph=demo(), epochs=2).fit(range(200))
        with self.assertRaisesRegex(OpineValueError, "give score\\(\\) theirs"):
            clf.score(range(300, 400))
        self.assertTrue(0 <= clf.score(range(300, 400), demo().y[300:400]) <= 1)

    @needs("torch")
    def test_a_mask_may_be_a_tensor(self):
        import torch
        mask = torch.arange(2500) % 7 == 0
        self.assertEqual(len(fitted().predict(mask)), int(mask.sum()))


class Errors(unittest.TestCase):
    def test_every_error_of_the_data_is_of_one_of_three_kinds(self):
        bases = (ValueError, OSError, MemoryError)
        for name in ("OpineValueError", "OpineOSError", "OpineMemoryError", "OpineNotFittedError"):
            self.assertTrue(issubclass(getattr(opine, name), bases))
            self.assertTrue(issubclass(getattr(opine, name), opine.OpineError))

    def test_formats_that_hold_code_are_refused_by_name(self):
        for name, content in (("model.pt", b"PK\x03\x04"), ("data.pth", b"\x80\x02"),
                              ("graph.pkl", pickle.dumps({"x": print})),
                              ("graph.pickle", pickle.dumps([1, 2]))):
            with open(name, "wb") as file:
                file.write(content)
            with self.assertRaisesRegex(ValueError, name):
                opine.Graph.load(name)

    def test_an_array_of_objects_in_npz_is_never_executed(self):
        class Bomb:
            def __reduce__(self):
                return open, ("executed", "w")

        np.savez("bomb.npz", edge_index=np.zeros((2, 0), dtype=int), x=np.array([Bomb()], dtype=object))
        with self.assertRaises(ValueError):
            with quiet():
                opine.Graph.load("bomb.npz")
        self.assertFalse(os.path.exists("executed"))

    def test_errors_survive_the_way_from_another_process(self):
        for error in (opine.OpineValueError("wrong"), opine.OpineOSError("gone"), opine.OpineError("odd")):
            error.status = 5
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again)), (type(error), str(error)))

    def test_labels_that_are_strangers_are_named_plainly(self):
        with self.assertRaisesRegex(OpineValueError, "label 'z' is not one of the classes \\['a', 'b'\\]"):
            demo().relabelled(["z"] * 2500, classes=["a", "b"])

    def test_warnings_point_at_the_line_of_the_caller(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            NodeClassifier("s-gcn", graph=demo(), epochs=2).fit(range(300))
            opine.evaluate(demo(), "s-gcn", seeds=2, epochs=2)
        ours = [w for w in caught if issubclass(w.category, opine.OpineWarning)]
        self.assertTrue(ours)
        self.assertEqual({w.filename for w in ours}, {__file__})

    def test_what_was_made_before_a_hook_raised_is_freed(self):
        import gc
        import weakref
        from opine._library import Context, lib
        x = np.random.default_rng(0).random((2000, 50), dtype=np.float32) + 1
        alive = weakref.ref(x)
        g = opine.Graph([[0], [1]], x)
        ctx = Context()
        ctx.hooks.exception = KeyboardInterrupt()
        with self.assertRaises(KeyboardInterrupt):
            ctx.make("graph", lib.opn_graph_copy, g._handle)
        del x, g
        gc.collect()
        self.assertIsNone(alive())


@needs("sklearn")
class Tools(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(5)
        self.ids = rng.permutation(demo().n_nodes)[:240]
        self.y = demo().y_index[self.ids]
        self.clf = NodeClassifier("s-gcn", graph=demo(), epochs=10)
        self.quiet = quiet()
        self.quiet.__enter__()
        self.addCleanup(self.quiet.__exit__, None, None, None)

    def test_a_grid_may_be_of_numpy(self):
        from sklearn.model_selection import GridSearchCV
        grid = {"learning_rate": np.logspace(-2, -1, 2), "hidden": np.array([4, 8])}
        found = GridSearchCV(self.clf, grid, cv=2, error_score="raise").fit(self.ids, self.y)
        self.assertIn(found.best_params_["hidden"], (4, 8))

    def test_other_scores_of_scikit_learn_work(self):
        from sklearn.model_selection import cross_validate
        found = cross_validate(self.clf, self.ids[:, None], self.y, cv=2, error_score="raise",
                               scoring=["accuracy", "neg_log_loss", "roc_auc_ovr", "f1_macro"])
        self.assertTrue(all(np.isfinite(values).all() for values in found.values()))

    def test_a_fitted_one_passes_for_one(self):
        from sklearn.exceptions import NotFittedError
        from sklearn.utils.validation import check_is_fitted
        with self.assertRaises(NotFittedError):
            check_is_fitted(self.clf)
        check_is_fitted(self.clf.fit(self.ids, self.y))

    def test_pipelines_votes_and_stacks_hold_it(self):
        from sklearn.ensemble import VotingClassifier
        from sklearn.pipeline import make_pipeline
        self.assertEqual(make_pipeline(self.clf).fit(self.ids, self.y).predict(self.ids[:3]).shape, (3,))
        votes = VotingClassifier([("a", self.clf), ("b", NodeClassifier("gcn", graph=demo(), epochs=10))],
                                 voting="soft")
        self.assertEqual(votes.fit(self.ids, self.y).predict_proba(self.ids[:3]).shape, (3, 6))

    def test_a_process_that_was_forked_searches_too(self):
        """As with joblib's backend "multiprocessing", after a training with two threads here."""
        script = (
            "import warnings; warnings.simplefilter('ignore')\n"
            "import joblib, numpy as np, opine\n"
            "from sklearn.model_selection import cross_val_score\n"
            "g = opine.datasets.load('demo')\n"
            "clf = opine.NodeClassifier('s-gcn', graph=g, epochs=5, n_jobs=2)\n"
            "clf.fit(range(200))\n"
            "ids = np.arange(240)\n"
            "with joblib.parallel_backend('multiprocessing', n_jobs=2):\n"
            "    found = cross_val_score(clf, ids, g.y_index[ids], cv=2, error_score='raise')\n"
            "print(found.shape)\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120,
                              check=False)
        self.assertEqual(done.stdout.strip(), "(2,)", done.stderr)


if __name__ == "__main__":
    unittest.main()
