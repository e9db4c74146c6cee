"""Calibrated answers, sets of classes and decisions of a classifier."""

import csv
import os
import subprocess
import unittest

import numpy as np

import opine
from opine import NodeClassifier, OpineValueError, conformal, control
from support import demo, fitted, quiet


class Calibrated(unittest.TestCase):
    def test_confidence_is_the_calibrated_probability_of_the_predicted_class(self):
        clf = fitted()
        p = clf.calibrated_proba()
        np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-5)
        place = np.searchsorted(clf.classes_, clf.predict())
        np.testing.assert_array_equal(clf.confidence(), p[np.arange(2500), place])
        np.testing.assert_array_equal(clf.confidence([3, 1]), clf.confidence()[[3, 1]])

    def test_it_means_what_it_says_better_than_the_bare_probability(self):
        clf = fitted(epochs=100)
        labels = np.where(clf.roles_ == "test", demo().y_index, -1)
        bare = opine.calibration.measure(clf.predict_proba(), labels)
        made = opine.calibration.measure(clf.calibrated_proba(), labels)
        self.assertLess(made.ece, bare.ece / 2)
        self.assertLess(made.nll, bare.nll)

    def test_a_model_that_is_not_calibrated_says_so(self):
        clf = NodeClassifier("s-gcn", epochs=3, calibrate="none").fit(demo())
        with self.assertRaisesRegex(OpineValueError, "not calibrated"):
            clf.confidence()
        self.assertNotIn("confidence", clf.opinions(as_frame=False))


class Sets(unittest.TestCase):
    def test_sets_are_those_of_the_same_scores_by_hand(self):
        clf = fitted()
        p = clf.calibrated_proba()
        y_cal = np.where(clf.roles_ == "validation", demo().y_index, -1)
        for method in ("lac", "aps", "raps"):
            for by_class in (False, True):
                got = clf.predict_set(coverage=0.8, method=method, class_conditional=by_class)
                wanted = conformal.prediction_sets(p, None, y_cal, method=method, coverage=0.8,
                                                   class_conditional=by_class)
                # Scores of the model are floats, so that one at the threshold may fall otherwise.
                self.assertLess((got != wanted).mean(), 1e-3)
        self.assertEqual(clf.predict_set([4, 2], method="daps").shape, (2, 6))

    def test_sets_cover_test_nodes_as_promised(self):
        clf = fitted()
        test = np.where(clf.roles_ == "test", demo().y_index, -1)
        for coverage in (0.8, 0.95):
            report = conformal.coverage_report(clf.predict_set(coverage=coverage), test)
            # 500 calibration nodes and 1880 test nodes: a deviation of at most 0.02.
            self.assertGreater(report.coverage, coverage - 0.05)
        np.testing.assert_array_equal(clf.predict_set(), clf.predict_set(coverage=0.9))

    def test_parameters_of_the_constructor_hold(self):
        clf = NodeClassifier("s-gcn", epochs=20, coverage=0.6).fit(demo())
        np.testing.assert_array_equal(clf.predict_set(), clf.predict_set(coverage=0.6))
        self.assertLess(clf.predict_set().sum(), clf.predict_set(coverage=0.9).sum())


class Decisions(unittest.TestCase):
    def test_a_target_is_promised_by_what_labels_show(self):
        clf = fitted(epochs=100)
        found = clf.decide(target_accuracy=0.75, confidence=0.95)
        score = clf.opinion().dissonance
        right = clf.predict() == demo().y
        cal = clf.roles_ == "validation"
        asked = ~cal & (clf.roles_ != "train")
        wanted = control.target_accuracy(score[cal], right[cal], score[asked], target=0.75,
                                         confidence=0.95)
        self.assertEqual(found.control, wanted)
        self.assertTrue(wanted.is_shown)
        np.testing.assert_array_equal(found.accepted, score <= np.float32(wanted.threshold))
        self.assertEqual(set(found.decided_by[found.accepted]), {None})
        test = clf.roles_ == "test"
        self.assertGreater(right[test & found.accepted].mean(), 0.75)

    def test_what_labels_do_not_show_is_not_accepted_and_said(self):
        found = fitted(epochs=100).decide(target_accuracy=0.99)
        self.assertFalse(found.accepted.any())
        self.assertFalse(found.control.is_shown)
        self.assertIn("500 labels do not show an accuracy of 0.99", repr(found))

    def test_what_looks_best_promises_nothing(self):
        clf = fitted(epochs=100)
        found = clf.decide(target_accuracy=0.9, pick="best-looking")
        self.assertIsNone(found.control)
        self.assertTrue(0.1 < found.accepted.mean() < 1)
        test = clf.roles_ == "test"
        right = clf.predict() == demo().y
        self.assertGreater(right[test & found.accepted].mean(), right[test].mean())

    def test_thresholds_are_the_callers(self):
        clf = fitted()
        mine = clf.decide(abstain_above={"vacuity": 0.4})
        np.testing.assert_array_equal(mine.accepted, clf.opinion().vacuity <= np.float32(0.4))
        self.assertIsNone(mine.set)
        self.assertIsNone(mine.p_known)
        with self.assertRaisesRegex(OpineValueError, "needs target_accuracy"):
            clf.decide()

    def test_strangers_are_marked_at_a_false_discovery_rate(self):
        clf = fitted()
        found = clf.decide(ood_fdr=0.2)
        self.assertTrue(((found.p_known > 0) & (found.p_known <= 1)).all())
        self.assertEqual((found.decision == "unknown class").sum(),
                         found.summary["decisions"]["unknown class"])

    def test_decisions_are_those_of_the_command(self):
        clf = fitted()
        clf.save("m.safetensors")
        subprocess.run([os.environ["OPINE_COMMAND"], "predict", "m.safetensors", "demo", "-o",
                        "out.csv", "--coverage", "0.8", "--ood-fdr", "0.3", "-q"], check=True)
        with open("out.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        with quiet():
            found = clf.decide(ood_fdr=0.3)
        np.testing.assert_array_equal([row["decision"] for row in rows], found.decision)
        np.testing.assert_array_equal(np.array([row["p_known"] for row in rows], dtype=np.float32),
                                      found.p_known)
        sets = ["|".join(str(k) for k in np.flatnonzero(row)) for row in clf.predict_set(coverage=0.8)]
        np.testing.assert_array_equal([row["set"] for row in rows], sets)
        np.testing.assert_array_equal(
            np.array([row["confidence"] for row in rows], dtype=np.float32), clf.confidence())


def scored(n=600, n_classes=3, seed=0):
    """Probabilities that are right about four nodes of five, and labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    said = np.where(rng.random(n) < 0.8, y, rng.integers(n_classes, size=n))
    z = rng.normal(size=(n, n_classes)) + 3 * (said[:, None] == np.arange(n_classes))
    return np.exp(z) / np.exp(z).sum(axis=1, keepdims=True), y


class AnyonesScores(unittest.TestCase):
    def test_decisions_about_arrays_are_those_of_the_command_about_a_file(self):
        p, y = scored()
        np.savez("scores.npz", p=p, label=y)
        subprocess.run([os.environ["OPINE_COMMAND"], "decide", "scores.npz", "-o", "out.csv", "--coverage",
                        "0.8", "--target-accuracy", "0.7", "--ood-fdr", "0.3", "--seed", "4", "-q"],
                       check=True)
        with open("out.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        asked = dict(coverage=0.8, target_accuracy=0.7, ood_fdr=0.3, random_state=4)
        for found in (opine.decide(p, y, **asked), opine.decide("scores.npz", **asked)):
            np.testing.assert_array_equal([row["decision"] for row in rows], found.decision)
            np.testing.assert_array_equal([row["role"] for row in rows], found.role)
            np.testing.assert_array_equal(np.array([row["calibrated_1"] for row in rows], dtype=np.float32),
                                          found.calibrated[:, 1])
            sets = ["|".join(str(k) for k in np.flatnonzero(row)) for row in found.set]
            np.testing.assert_array_equal([row["set"] for row in rows], sets)
            np.testing.assert_array_equal(found.predicted, p.argmax(axis=1))

    def test_a_table_of_labels_goes_with_a_file(self):
        p, y = scored()
        np.savez("bare.npz", p=p)
        with open("labels.csv", "w", encoding="utf-8") as file:
            file.write("node,label\n" + "".join(f"{i},{k}\n" for i, k in enumerate(y)))
        found = opine.decide("bare.npz", "labels.csv", target_accuracy=0.7)
        np.testing.assert_array_equal(found.decision, opine.decide(p, y, target_accuracy=0.7).decision)

    def test_logits_alpha_and_samples_are_taken_for_what_they_are(self):
        p, y = scored()
        by_p = opine.decide(p, y)
        by_logits = opine.decide(logits=np.log(p), labels=y)
        np.testing.assert_allclose(by_logits.calibrated, by_p.calibrated, atol=1e-4)
        by_alpha = opine.decide(alpha=1 + 9 * p, labels=y, abstain_above={"vacuity": 0.3})
        np.testing.assert_array_equal(by_alpha.accepted, by_alpha.opinion.vacuity <= np.float32(0.3))
        several = opine.decide(np.stack([p, p[:, ::-1]]), y, calibrate="none")
        self.assertGreater(several.opinion.epistemic.mean(), 0.1)
        self.assertIsNone(several.calibrated)

    def test_labels_classes_and_roles_are_named_as_the_caller_does(self):
        p, y = scored()
        names = np.array(["red", "green", "blue"])
        role = np.where(np.arange(600) % 3 == 0, "calibration", "test")
        labels = names[y].astype(object)
        labels[1], labels[2] = "grey", None                 # of no known class, and unlabelled
        role[2] = "unlabelled"
        found = opine.decide(p, labels, classes=names, roles=role, coverage=0.8)
        self.assertEqual(found.classes.tolist(), ["red", "green", "blue"])
        np.testing.assert_array_equal(found.predicted, names[p.argmax(axis=1)])
        np.testing.assert_array_equal(found.role, role)
        role[1] = "calibration"
        with self.assertRaisesRegex(OpineValueError, '"grey", which is none of its 3 classes'):
            opine.decide(p, labels, classes=names, roles=role, coverage=0.8)

    def test_a_graph_gives_neighbours_and_labels(self):
        p, _ = scored(2500, 6)
        found = opine.decide(p, graph=demo(), coverage=0.9, set_score="daps")
        self.assertEqual(found.set.shape, (2500, 6))
        self.assertEqual(found.classes.tolist(), demo().classes.tolist())
        with self.assertRaisesRegex(OpineValueError, "name their graph"):
            opine.decide(p, np.zeros(2500), coverage=0.9, set_score="daps")

    def test_what_does_not_fit_is_refused(self):
        p, y = scored()
        for message, arguments in (
                ("either scores", dict()),
                ("either scores", dict(scores=p, logits=p)),
                ("5 labels for scores of 600 nodes", dict(scores=p, labels=y[:5])),
                ("role 'tset' is not one of", dict(scores=p, labels=y, roles=["tset"] * 600)),
                ("2 classes for scores of 3", dict(scores=p, labels=y, classes=["a", "b"])),
                ("goes with scores in arrays", dict(scores="f.npz", roles=y)),
                ("labels= is a ndarray", dict(scores="f.npz", labels=y)),
                ("node 0: the p of all classes sum to", dict(scores=2 * p / 3, labels=y)),
                ("are of 600 nodes, but", dict(scores=p, graph=demo()))):
            with self.subTest(message), self.assertRaisesRegex(OpineValueError, message):
                opine.decide(**arguments)


if __name__ == "__main__":
    unittest.main()
