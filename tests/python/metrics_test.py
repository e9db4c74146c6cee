"""Metrics of arrays, held against scikit-learn."""

import unittest

import numpy as np

from opine import OpineValueError, metrics
from support import needs


def draw(seed, n, levels):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.3
    scores = rng.normal(size=n) + positive
    return positive, np.round(scores * levels) / levels if levels else scores


class Detection(unittest.TestCase):
    @needs("sklearn")
    def test_values_are_those_of_scikit_learn_with_and_without_ties(self):
        from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve
        for seed, levels in enumerate([0, 0, 1, 2, 5, 20]):
            y, s = draw(seed, 500, levels)
            self.assertAlmostEqual(metrics.auroc(y, s), roc_auc_score(y, s), delta=1e-12)
            self.assertAlmostEqual(metrics.average_precision(y, s), average_precision_score(y, s),
                                   delta=1e-12)
            fpr, tpr, _ = roc_curve(y, s, drop_intermediate=False)
            self.assertAlmostEqual(metrics.fpr_at_tpr(y, s, 0.9), fpr[tpr >= 0.9].min(), delta=1e-12)

    def test_scores_that_collapse_in_float_are_told_apart(self):
        y = np.array([0, 1, 0, 1])
        s = 1.0 + np.array([0.0, 1e-12, 2e-12, 3e-12])
        self.assertEqual(metrics.auroc(y, s), 0.75)
        self.assertEqual(metrics.auroc(y, s.astype(np.float32)), 0.5)

    def test_risk_is_the_share_of_errors_among_the_surest(self):
        risk, area = metrics.risk_coverage([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
        np.testing.assert_allclose(risk, [0, 1 / 2, 1 / 3, 2 / 4])
        self.assertAlmostEqual(area, np.mean(risk), delta=1e-15)
        self.assertEqual(metrics.aurc([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]), area)

    def test_what_cannot_be_ranked_is_refused_in_words(self):
        with self.assertRaisesRegex(OpineValueError, "y_true has values other than 0 and 1"):
            metrics.auroc([0, 2], [1.0, 2.0])
        with self.assertRaisesRegex(OpineValueError, "score of node 1 is not a number"):
            metrics.auroc([0, 1], [1.0, np.nan])
        with self.assertRaisesRegex(OpineValueError, "3 of y_true and 2 of y_score"):
            metrics.auroc([0, 1, 1], [1.0, 2.0])
        with self.assertRaisesRegex(ValueError, "needs at least one"):
            metrics.auroc([], [])


class Probabilities(unittest.TestCase):
    @needs("sklearn")
    def test_values_are_those_of_scikit_learn(self):
        from sklearn.metrics import log_loss
        rng = np.random.default_rng(1)
        p = rng.dirichlet(np.ones(5), size=300)
        y = rng.integers(0, 5, size=300)
        self.assertAlmostEqual(metrics.nll(y, p), log_loss(y, p, labels=range(5)), delta=1e-12)
        wanted = np.mean(((p - np.eye(5)[y]) ** 2).sum(axis=1))
        self.assertAlmostEqual(metrics.brier(y, p), wanted, delta=1e-12)

    def test_the_calibration_error_is_that_of_equal_bins(self):
        rng = np.random.default_rng(2)
        p = rng.dirichlet(np.ones(3), size=400)
        y = rng.integers(0, 3, size=400)
        top = p.max(axis=1)
        right = p.argmax(axis=1) == y
        bins = np.ceil(top * 15).astype(int)
        wanted = sum(abs(right[bins == b].mean() - top[bins == b].mean()) * (bins == b).mean()
                     for b in np.unique(bins))
        self.assertAlmostEqual(metrics.calibration_error(y, p), wanted, delta=1e-12)

    @needs("torch")
    def test_tensors_are_arrays_too(self):
        import torch
        p = torch.softmax(torch.randn(20, 4, dtype=torch.float64, requires_grad=True), dim=1)
        y = torch.arange(20) % 4
        self.assertAlmostEqual(metrics.nll(y, p), torch.nn.functional.nll_loss(p.log(), y).item(),
                               delta=1e-12)


if __name__ == "__main__":
    unittest.main()
