"""Conformal sets and p-values, held against NumPy."""

import unittest

import numpy as np

from opine import Graph, OpineValueError, conformal


def draw(seed, n, n_classes=4):
    """Probabilities, and classes that are drawn by them."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(n_classes, 0.5), size=n)
    return p, np.array([rng.choice(n_classes, p=row) for row in p])


def sums_of_sorted(p, n_free=None, penalty=0.0):
    """APS without drawing, and with n_free RAPS."""
    scores = np.empty_like(p)
    for row, probabilities in enumerate(p):
        order = np.argsort(-probabilities, kind="stable")
        total = np.cumsum(probabilities[order])
        place = np.arange(1, len(order) + 1)
        scores[row, order] = total + penalty * np.maximum(place - (n_free or 0), 0)
    return scores


def quantile(scores, coverage):
    rank = int(np.ceil((len(scores) + 1) * coverage - 1e-9))
    return np.inf if rank > len(scores) else np.sort(scores)[rank - 1]


class Scores(unittest.TestCase):
    def setUp(self):
        self.p, self.y = draw(1, 60)

    def test_lac_aps_and_raps_are_their_formulas(self):
        np.testing.assert_allclose(conformal.scores(self.p, "lac"), 1 - self.p, atol=1e-15)
        np.testing.assert_allclose(conformal.scores(self.p, "aps", randomized=False),
                                   sums_of_sorted(self.p), atol=1e-12)
        np.testing.assert_allclose(
            conformal.scores(self.p, "raps", randomized=False, kreg=1, penalty=0.3),
            sums_of_sorted(self.p, 1, 0.3), atol=1e-12)

    def test_drawing_takes_one_share_of_the_own_probability_for_each_row(self):
        whole = conformal.scores(self.p, "aps", randomized=False)
        drawn = conformal.scores(self.p, "aps", random_state=5)
        share = 1 - (whole - drawn) / self.p
        sure = self.p > 1e-3  # of a tiny p the share is lost in the sum
        spread = [np.ptp(row[keep]) for row, keep in zip(share, sure)]
        self.assertLess(max(spread), 1e-9)
        self.assertTrue(((share[sure] >= -1e-9) & (share[sure] < 1)).all())
        self.assertGreater(len(np.unique(share[sure].round(6))), 50)
        np.testing.assert_array_equal(drawn, conformal.scores(self.p, "aps", random_state=5))
        self.assertFalse(np.array_equal(drawn, conformal.scores(self.p, "aps", random_state=6)))

    def test_daps_mixes_in_the_neighbours(self):
        rng = np.random.default_rng(2)
        a = np.triu(rng.random((60, 60)) < 0.05, 1)
        a[:, 7] = a[7] = False  # one node without neighbours, which keeps its scores
        a = a | a.T
        graph = Graph(np.array(a.nonzero()), n_nodes=60)
        own = sums_of_sorted(self.p)
        degree = a.sum(axis=1, keepdims=True)
        around = np.where(degree > 0, a @ own / np.maximum(degree, 1), own)
        got = conformal.scores(self.p, "daps", graph=graph, randomized=False, neigh_coef=0.3)
        np.testing.assert_allclose(got, 0.7 * own + 0.3 * around, atol=1e-6)
        self.assertEqual(degree[7, 0], 0)

    def test_what_cannot_be_scored_is_refused_in_words(self):
        graph = Graph([[0], [1]], n_nodes=2)
        for wrong, words in (({"method": "asp"}, "one of lac, aps, raps, daps"),
                             ({"method": "daps"}, "daps needs graph="),
                             ({"method": "daps", "graph": graph}, "60 nodes for a graph of 2"),
                             ({"method": "raps", "penalty": -1.0}, "penalty")):
            with self.subTest(wrong), self.assertRaisesRegex(OpineValueError, words):
                conformal.scores(self.p, **wrong)
        with self.assertRaisesRegex(OpineValueError, "2 dimensions are expected"):
            conformal.scores(self.p[0])


class Sets(unittest.TestCase):
    def test_sets_are_those_below_the_quantile_of_calibration(self):
        p, y = draw(3, 500)
        for method, scores in (("lac", 1 - p), ("aps", sums_of_sorted(p))):
            for coverage in (0.8, 0.9, 0.95):
                most = quantile(scores[np.arange(200), y[:200]], coverage)
                got = conformal.prediction_sets(p[200:], p[:200], y[:200], method=method,
                                                coverage=coverage, randomized=False)
                np.testing.assert_array_equal(got, scores[200:] <= most)

    def test_calibration_nodes_may_be_rows_of_the_same_array(self):
        p, y = draw(4, 300)
        cal = np.where(np.arange(300) < 100, y, -1)
        np.testing.assert_array_equal(conformal.prediction_sets(p, None, cal)[100:],
                                      conformal.prediction_sets(p[100:], p[:100], y[:100]))

    def test_each_class_is_covered_on_its_own(self):
        p, y = draw(5, 600)
        most = [quantile(1 - p[:400][y[:400] == k, k], 0.8) for k in range(4)]
        got = conformal.thresholds(1 - p[:400], y[:400], 0.8, class_conditional=True)
        np.testing.assert_allclose(got, most)
        sets = conformal.prediction_sets(p[400:], p[:400], y[:400], coverage=0.8,
                                         class_conditional=True)
        np.testing.assert_array_equal(sets, 1 - p[400:] <= np.array(most))

    def test_too_few_labels_give_every_class(self):
        p, y = draw(6, 20)
        self.assertEqual(conformal.thresholds(1 - p[:5], y[:5], 0.9)[0], np.inf)
        self.assertTrue(conformal.prediction_sets(p, p[:5], y[:5]).all())

    def test_every_method_keeps_its_coverage_over_draws(self):
        graph = Graph([[0], [1]], n_nodes=300)
        for method in ("lac", "aps", "raps", "daps"):
            covered = []
            for seed in range(60):
                p, y = draw(100 + seed, 300)
                cal = np.where(np.arange(300) < 100, y, -1)
                sets = conformal.prediction_sets(p, None, cal, method=method, coverage=0.8,
                                                 graph=graph, random_state=seed)
                covered.append(sets[np.arange(100, 300), y[100:]].mean())
            # The mean is 0.8 to 0.81; 60 draws of 100 and 200 nodes miss it by some 0.006.
            self.assertTrue(0.78 < np.mean(covered) < 0.83, (method, np.mean(covered)))

    def test_a_report_counts_what_is_covered(self):
        p, y = draw(7, 200)
        sets = conformal.prediction_sets(p, None, np.where(np.arange(200) < 100, y, -1))
        y[:50] = -1
        known = y >= 0
        size = sets.sum(axis=1)
        covered = sets[np.arange(200), y]
        report = conformal.coverage_report(sets, y)
        self.assertEqual((report.n, report.n_covered), (150, covered[known].sum()))
        self.assertEqual((report.n_empty, report.n_single),
                         ((size[known] == 0).sum(), (size[known] == 1).sum()))
        self.assertAlmostEqual(report.coverage, covered[known].mean(), delta=1e-15)
        self.assertAlmostEqual(report.mean_size, size[known].mean(), delta=1e-12)
        np.testing.assert_allclose(report.class_coverage, [covered[y == k].mean() for k in range(4)])

    def test_mistakes_are_named(self):
        p, y = draw(8, 30)
        for call, words in (
                (lambda: conformal.prediction_sets(p, p[:10], y), "y_cal has the shape \\(30,\\)"),
                (lambda: conformal.prediction_sets(p, p[:, :3], y), "p has 4 classes and p_cal 3"),
                (lambda: conformal.prediction_sets(p, p, y, coverage=1.5), "coverage"),
                (lambda: conformal.prediction_sets(p, p, y + 1), "label|class"),
                (lambda: conformal.coverage_report(p, y), "sets has values other than 0 and 1"),
                (lambda: conformal.members(p, [1.0]), "1 thresholds for 4 classes")):
            with self.subTest(words), self.assertRaisesRegex(OpineValueError, words):
                call()


class Belonging(unittest.TestCase):
    def test_p_values_count_the_stranger_calibration_nodes(self):
        rng = np.random.default_rng(9)
        cal, score = rng.normal(size=50).round(1), rng.normal(size=80).round(1)
        wanted = (1 + (cal >= score[:, None]).sum(axis=1)) / 51
        np.testing.assert_allclose(conformal.p_values(cal, score), wanted, rtol=1e-15)

    def test_discoveries_are_those_of_benjamini_and_hochberg(self):
        rng = np.random.default_rng(10)
        for level in (0.05, 0.2):
            p = np.concatenate([rng.random(60), rng.random(20) / 100])
            ranked = np.sort(p)
            below = ranked <= level * np.arange(1, 81) / 80
            most = ranked[below].max() if below.any() else 0
            got = conformal.benjamini_hochberg(p, level)
            np.testing.assert_array_equal(got.found, p <= most)
            self.assertEqual(got.threshold, most)
        nothing = conformal.benjamini_hochberg([0.5, 0.9], 0.1)
        self.assertEqual((nothing.found.any(), nothing.threshold), (False, 0))
        with self.assertRaisesRegex(OpineValueError, "p-value"):
            conformal.benjamini_hochberg([1.5])


if __name__ == "__main__":
    unittest.main()
