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


if __name__ == "__main__":
    unittest.main()
