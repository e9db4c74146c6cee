"""Calibrated probabilities and thresholds that keep an accuracy, held against NumPy."""

import unittest
from math import comb

import numpy as np

from opine import OpineValueError, calibration, control, metrics


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def draw(seed, n=800, n_classes=4):
    """Two opinions that are too sure, and classes."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, n_classes))
    y = np.array([rng.choice(n_classes, p=row) for row in softmax(1.5 * z)])
    return softmax(4 * z), softmax(2 * z + rng.normal(size=z.shape)), y


def slope(made, log_p, y):
    """Derivative of the mean -ln of the label by the exponent of p. One more label is
    spread evenly over nodes and classes."""
    n, n_classes = made.shape
    label = (n * np.eye(n_classes)[y] + 1 / n_classes) / (n + 1)
    return np.mean(((made - label) * log_p).sum(axis=1))


class Calibration(unittest.TestCase):
    def test_a_temperature_has_the_least_loss(self):
        p, _, y = draw(1)
        found = calibration.temperature(p, y)
        made = softmax(found.a * np.log(p))
        self.assertLess(abs(slope(made, np.log(p), y)), 1e-6)
        self.assertGreater(found.temperature, 1.5)
        np.testing.assert_allclose(found.apply(p), made, atol=1e-12)
        self.assertEqual((found.kind, found.n, found.b), ("temperature", 800, 0))
        self.assertAlmostEqual(found.nll_before, metrics.nll(y, p), delta=1e-9)
        self.assertAlmostEqual(found.nll_after, metrics.nll(y, made), delta=1e-9)

    def test_a_pool_has_the_least_loss_in_both_exponents(self):
        p, q, y = draw(2)
        found = calibration.pool(p, q, y)
        made = softmax(found.a * np.log(p) + found.b * np.log(q))
        self.assertLess(abs(slope(made, np.log(p), y)), 1e-6)
        self.assertTrue(found.b == 0.01 or abs(slope(made, np.log(q), y)) < 1e-6, found)
        np.testing.assert_allclose(found.apply(p, q), made, atol=1e-12)

    def test_nodes_without_a_label_are_left_out(self):
        p, _, y = draw(3)
        some = np.where(np.arange(800) < 300, y, -1)
        alone = calibration.temperature(p[:300], y[:300])
        self.assertAlmostEqual(calibration.temperature(p, some).a, alone.a, delta=1e-12)
        self.assertEqual(calibration.temperature(p, some).n, 300)

    def test_its_quality_is_that_of_the_metrics(self):
        p, _, y = draw(4)
        got = calibration.measure(p, y, n_bins=10)
        self.assertEqual(got.n, 800)
        self.assertAlmostEqual(got.accuracy, (p.argmax(axis=1) == y).mean(), delta=1e-15)
        self.assertAlmostEqual(got.nll, metrics.nll(y, p), delta=1e-12)
        self.assertAlmostEqual(got.brier, metrics.brier(y, p), delta=1e-12)
        self.assertAlmostEqual(got.ece, metrics.calibration_error(y, p, 10), delta=1e-12)
        top = np.sort(p.max(axis=1))
        right = (p.argmax(axis=1) == y)[np.argsort(p.max(axis=1))]
        wanted = np.mean([abs(a.mean() - b.mean()) for a, b in
                          zip(np.split(top, 10), np.split(right, 10))])
        self.assertAlmostEqual(got.adaptive_ece, wanted, delta=1e-12)

    def test_mistakes_are_named(self):
        p, q, y = draw(5)
        for call, words in (
                (lambda: calibration.temperature(p[:10], y[:10]), "10"),
                (lambda: calibration.temperature(p, y[:9]), "y has the shape \\(9,\\)"),
                (lambda: calibration.pool(p, q[:, :2], y), "p has the shape .* and q"),
                (lambda: calibration.temperature(p, y).apply(p, q), "takes p alone"),
                (lambda: calibration.pool(p, q, y).apply(p), "takes p and q"),
                (lambda: calibration.temperature(-p, y), "probability|negative")):
            with self.subTest(words), self.assertRaisesRegex(OpineValueError, words):
                call()


def tail(n, k, chance):
    """Probability of k or more right ones of n."""
    return sum(comb(n, i) * chance**i * (1 - chance)**(n - i) for i in range(k, n + 1))


class Control(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(6)
        self.score = rng.random(1500)
        self.right = rng.random(1500) > 0.4 * self.score

    def test_what_is_accepted_shows_the_target(self):
        cal, asked = self.score[:600], self.score[600:]
        got = control.target_accuracy(cal, self.right[:600], asked, target=0.85, confidence=0.95)
        accepted = cal <= got.threshold
        n, k = int(accepted.sum()), int(self.right[:600][accepted].sum())
        self.assertTrue(got.is_shown)
        self.assertEqual((got.n, got.n_accepted, got.n_right), (600, n, k))
        self.assertEqual((got.target, got.confidence), (0.85, 0.95))
        self.assertIn(got.threshold, asked)
        self.assertLessEqual(tail(n, k, 0.85), 0.05)
        self.assertGreaterEqual(got.low, 0.85)
        self.assertGreater(self.right[600:][asked <= got.threshold].mean(), 0.85)

    def test_the_promise_is_kept_over_draws(self):
        broken = 0
        for seed in range(300):
            rng = np.random.default_rng(seed)
            cal = rng.random(200)
            got = control.target_accuracy(cal, rng.random(200) > 0.4 * cal, rng.random(200),
                                          target=0.85, confidence=0.9)
            # Up to a score of t a share of 1 - 0.2 t is right.
            broken += got.is_shown and 1 - 0.2 * got.threshold < 0.85
        self.assertLess(broken, 45)  # 30 are allowed on average, with a deviation of 5

    def test_where_nothing_is_shown_nothing_is_accepted(self):
        few = control.target_accuracy(self.score[:20], self.right[:20], target=0.9)
        self.assertEqual((few.is_shown, few.threshold, few.n_accepted), (False, -np.inf, 0))
        self.assertTrue(np.isnan(few.low))
        hopeless = control.target_accuracy(self.score, self.score < 0, target=0.9)
        self.assertEqual((hopeless.is_shown, hopeless.n_needed), (False, 0))

    def test_mistakes_are_named(self):
        for call, words in (
                (lambda: control.target_accuracy([0.1], [2]), "right has values other than 0 and 1"),
                (lambda: control.target_accuracy([0.1, 0.2], [1]), "1 of right and 2 of score"),
                (lambda: control.target_accuracy([0.1], [1], target=2.0), "target"),
                (lambda: control.target_accuracy([np.nan], [1]), "not a number|NaN")):
            with self.subTest(words), self.assertRaisesRegex(OpineValueError, words):
                call()


if __name__ == "__main__":
    unittest.main()
