"""Beside the others: TorchCP, MAPIE and TorchUncertainty on the same arrays.

None of them is in Debian; `tools/bootstrap peers` installs them, and elsewhere each test is skipped
by name.
"""

import unittest

import numpy as np

from opine import calibration, conformal, metrics
from support import imports

COVERAGES = (0.7, 0.8, 0.9, 0.95)


def draw(seed, n=600, n_classes=5):
    """Probabilities whose classes are drawn by them."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(n_classes, 0.5), size=n)
    return p, np.array([rng.choice(n_classes, p=row) for row in p])


class ConformalSets(unittest.TestCase):
    def setUp(self):
        self.p, self.y = draw(1)
        self.n_cal = 250

    def ours(self, method, coverage, **options):
        return conformal.prediction_sets(self.p[self.n_cal:], self.p[:self.n_cal],
                                         self.y[:self.n_cal], method=method, coverage=coverage,
                                         **options)

    def torchcp_sets(self, predictor, coverage):
        """Sets of a predictor that is calibrated on the first rows, as an array."""
        import torch
        cal, rest = (torch.tensor(np.log(part)) for part in (self.p[:self.n_cal], self.p[self.n_cal:]))
        predictor.calculate_threshold(cal, torch.tensor(self.y[:self.n_cal]), 1 - coverage)
        return np.asarray(predictor.predict_with_logits(rest)).astype(bool)

    @imports("torchcp.classification.score")
    def test_lac_aps_and_raps_give_the_sets_of_torchcp(self):
        from torchcp.classification.predictor import SplitPredictor
        from torchcp.classification.score import APS, LAC, RAPS
        cases = [("lac", LAC(), {}), ("aps", APS(randomized=False), {"randomized": False}),
                 ("raps", RAPS(penalty=0.05, kreg=1, randomized=False),
                  {"randomized": False, "penalty": 0.05, "kreg": 1})]
        for method, score, options in cases:
            for coverage in COVERAGES:
                with self.subTest(method=method, coverage=coverage):
                    theirs = self.torchcp_sets(SplitPredictor(score), coverage)
                    np.testing.assert_array_equal(self.ours(method, coverage, **options), theirs)

    @imports("torchcp.classification.score")
    def test_sets_by_class_are_those_of_torchcp(self):
        from torchcp.classification.predictor import ClassConditionalPredictor
        from torchcp.classification.score import LAC
        for coverage in COVERAGES:
            theirs = self.torchcp_sets(ClassConditionalPredictor(LAC()), coverage)
            np.testing.assert_array_equal(self.ours("lac", coverage, class_conditional=True), theirs)

    # Sets of aps differ by design: MAPIE adds the class that crosses the threshold.
    @imports("mapie.classification")
    def test_lac_gives_the_sets_of_mapie(self):
        from mapie.classification import SplitConformalClassifier
        given = _Given(self.p)
        rows = np.arange(len(self.p))[:, None]
        for coverage in COVERAGES:
            mapie = SplitConformalClassifier(given, confidence_level=coverage, conformity_score="lac",
                                             prefit=True)
            mapie.conformalize(rows[:self.n_cal], self.y[:self.n_cal])
            _, theirs = mapie.predict_set(rows[self.n_cal:])
            np.testing.assert_array_equal(self.ours("lac", coverage), theirs[:, :, 0])


def _Given(p):  # noqa: N802 -- a class, once scikit-learn is there
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Given(ClassifierMixin, BaseEstimator):
        """A classifier of scikit-learn whose X are rows of p."""

        def fit(self, X, y):
            return self

        def __sklearn_is_fitted__(self):
            return True

        def predict_proba(self, X):
            return p[np.asarray(X)[:, 0]]

        def predict(self, X):
            return self.predict_proba(X).argmax(axis=1)

    made = Given()
    made.classes_ = np.arange(p.shape[1])
    return made


class Metrics(unittest.TestCase):
    """Those of TorchUncertainty add up in float32, hence the tolerances."""

    def setUp(self):
        self.p, self.y = draw(2, n=800)

    def value_of(self, metric, *arrays):
        import torch
        metric.update(*(torch.tensor(array) for array in arrays or (self.p, self.y)))
        return float(metric.compute())

    @imports("torch_uncertainty.metrics")
    def test_brier_and_nll_are_those_of_torch_uncertainty(self):
        from torch_uncertainty.metrics import BrierScore, CategoricalNLL
        self.assertAlmostEqual(metrics.brier(self.y, self.p), self.value_of(
            BrierScore(num_classes=5)), delta=1e-6)
        self.assertAlmostEqual(metrics.nll(self.y, self.p), self.value_of(
            CategoricalNLL()), delta=1e-6)

    @imports("torch_uncertainty.metrics")
    def test_calibration_errors_are_those_of_torch_uncertainty(self):
        from torch_uncertainty.metrics import AdaptiveCalibrationError, CalibrationError
        quality = calibration.measure(self.p, self.y, n_bins=10)
        self.assertAlmostEqual(quality.ece, self.value_of(
            CalibrationError(task="multiclass", num_classes=5, num_bins=10)), delta=1e-6)
        self.assertAlmostEqual(quality.adaptive_ece, self.value_of(
            AdaptiveCalibrationError(task="multiclass", num_classes=5, num_bins=10)), delta=1e-6)

    @imports("torch_uncertainty.metrics")
    def test_the_area_under_the_risk_is_that_of_torch_uncertainty(self):
        from torch_uncertainty.metrics import AURC
        wrong = self.p.argmax(axis=1) != self.y
        ours = metrics.aurc(wrong, 1 - self.p.max(axis=1))
        # Theirs is the trapezoidal rule over the same curve.
        risk, _ = metrics.risk_coverage(wrong, 1 - self.p.max(axis=1))
        inner = (risk.sum() - (risk[0] + risk[-1]) / 2) / (len(risk) - 1)
        self.assertAlmostEqual(ours, risk.mean(), delta=1e-12)
        self.assertAlmostEqual(inner, self.value_of(AURC()), delta=1e-6)

    @imports("torch_uncertainty.metrics")
    def test_false_positives_at_95_are_those_of_torch_uncertainty(self):
        from torch_uncertainty.metrics import FPR95
        rng = np.random.default_rng(3)
        strange = rng.random(800) < 0.3
        score = rng.normal(size=800) + 1.5 * strange
        self.assertAlmostEqual(metrics.fpr_at_tpr(strange, score), self.value_of(
            FPR95(pos_label=1), score, strange.astype(int)), delta=1e-6)


if __name__ == "__main__":
    unittest.main()
