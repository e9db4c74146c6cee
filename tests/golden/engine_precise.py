"""What engine_golden.py needs in high precision: losses, grids of logits, opinions.

A module, not a script: run by itself it does nothing. All in mpmath, with as many digits
as mpmath.mp.dps says, and checked against SciPy and NumPy on the way.
"""

import mpmath
import numpy as np
import scipy.special
from mpmath import mpf

K = 3  # classes of the small graph and of sampled opinions


# ---- losses and special functions ----


def mp_kl(alpha, alpha_hat):
    s, s_hat = mpmath.fsum(alpha), mpmath.fsum(alpha_hat)
    total = mpmath.loggamma(s) - mpmath.loggamma(s_hat)
    for a, b in zip(alpha, alpha_hat):
        total += mpmath.loggamma(b) - mpmath.loggamma(a)
        total += (a - b) * (mpmath.psi(0, a) - mpmath.psi(0, s))
    return total


def mp_kl_gradient(z, alpha_hat):
    """To z, with evidence exp(z)."""
    alpha = [mpmath.exp(x) + 1 for x in z]
    s, s_hat = mpmath.fsum(alpha), mpmath.fsum(alpha_hat)
    joint = (s - s_hat) * mpmath.psi(1, s)
    return [(a - 1) * ((a - b) * mpmath.psi(1, a) - joint)
            for a, b in zip(alpha, alpha_hat)]


def mp_squared(z, label):
    alpha = [mpmath.exp(x) + 1 for x in z]
    s = mpmath.fsum(alpha)
    p = [a / s for a in alpha]
    return mpmath.fsum((int(k == label) - p[k]) ** 2 + p[k] * (1 - p[k]) / (s + 1)
                       for k in range(len(z)))


def mp_teacher(z, log_hat):
    """Sum, not mean, over the classes."""
    alpha = [mpmath.exp(x) + 1 for x in z]
    s = mpmath.fsum(alpha)
    return mpmath.fsum(a / s * (mpmath.log(a / s) - b) for a, b in zip(alpha, log_hat))


def mp_cross_entropy(z, label):
    return mpmath.log(mpmath.fsum(mpmath.exp(x) for x in z)) - z[label]


def mp_derivative(f, z):
    """By central differences; the step's error is far below a double's last bit."""
    h, result = mpf(10) ** -45, []
    for k in range(len(z)):
        at = [[x + sign * h * (k == l) for l, x in enumerate(z)] for sign in (1, -1)]
        result.append((f(at[0]) - f(at[1])) / (2 * h))
    return result


def float_rounded(values):
    return np.array(values, dtype=np.float32).astype(float)


def special_functions():
    x = np.concatenate([
        [1, 1 + 2.0 ** -20, 1.001, 1.01, 1.05], np.arange(1.1, 2.05, 0.1), [1.4616321],
        np.arange(2.25, 4.1, 0.25), np.arange(4.5, 10.1, 0.5), np.arange(11, 20.5, 1),
        [25, 33.3, 51.1, 100, 333, 1000, 1e4, 123456, 1e6, 1e7, 1e9, 1e12, 1e15, 1e18,
         1e20]])
    x, x_hat = np.sort(float_rounded(x)), float_rounded([1, 1.5, 3, 51.1])
    half = [[(mpf(a) - mpf(b)) * mpmath.psi(1, mpf(a)) - 1 for a in x] for b in x_hat]
    functions = [[mpmath.psi(0, mpf(a)) for a in x], [mpmath.psi(1, mpf(a)) for a in x],
                 [mpmath.loggamma(mpf(a)) for a in x]]
    for ours, theirs in zip(functions, (scipy.special.digamma(x),
                                        scipy.special.polygamma(1, x),
                                        scipy.special.gammaln(x))):
        ours = np.array(ours, dtype=float)
        assert np.allclose(ours, theirs, rtol=1e-13, atol=1e-13)
    return x, x_hat, functions, half


def wide_grids():
    """Gradients to z = (a, b, 0) for a, b over [-30, 45], past what float64 could do."""
    alpha_hat = float_rounded([1.2, 3, 1])
    prior = [mpf(a) for a in alpha_hat]
    log_hat = float_rounded(np.log([0.7, 1e-6, 0.299999]))
    fine, coarse = range(-30, 46, 5), range(-30, 46, 15)
    kl, kl_value, others = [], [], []
    for a in fine:
        for b in fine:
            z = [mpf(a), mpf(b), mpf(0)]
            kl += mp_kl_gradient(z, prior)
            if a in coarse and b in coarse:
                kl_value.append(mp_kl([mpmath.exp(x) + 1 for x in z], prior))
    check = mp_derivative(lambda z: mp_kl([mpmath.exp(x) + 1 for x in z], prior),
                          [mpf(45), mpf(-30), mpf(0)])
    at = 3 * (len(fine) * fine.index(45) + fine.index(-30))
    assert all(abs(x / y - 1) < 1e-20 for x, y in zip(check, kl[at : at + 3]))
    for f in (lambda z: mp_cross_entropy(z, 0), lambda z: mp_squared(z, 0),
              lambda z: mp_teacher(z, [mpf(x) for x in log_hat])):
        others.append([g for a in coarse for b in coarse
                       for g in mp_derivative(f, [mpf(a), mpf(b), mpf(0)])])
    return alpha_hat, log_hat, kl, kl_value, others


# ---- opinions ----

ALPHAS = [[1, 1], [51, 1], [11, 9], [1, 1, 1], [1.5, 1, 1], [40, 40, 1], [5, 2, 3.5],
          [1000001, 1000001, 1000001], [2.0 ** 60, 7, 3], [1, 1, 1, 1, 1],
          [101, 1.0625, 1.0078125, 1, 2], [12, 9.5, 31, 4.25, 16]]


def entropy(p):
    return -mpmath.fsum(x * mpmath.log(x) for x in p if x > 0)


def dissonance(alpha):
    """The paper's equation term by term; 0 where fewer than two beliefs are positive."""
    s = mpmath.fsum(alpha)
    belief = [(a - 1) / s for a in alpha if a > 1]
    if len(belief) < 2:
        return mpf(0)
    total = mpf(0)
    for i, b in enumerate(belief):
        rest = belief[:i] + belief[i + 1 :]
        balanced = mpmath.fsum(c * (1 - abs(c - b) / (c + b)) for c in rest)
        total += b * balanced / mpmath.fsum(rest)
    return total


def measures(alpha):
    """Vacuity, dissonance, aleatoric, epistemic and entropy of one Dirichlet."""
    alpha = [mpf(a) for a in alpha]
    s, log_k = mpmath.fsum(alpha), mpmath.log(len(alpha))
    total = entropy([a / s for a in alpha])
    expected = mpmath.fsum(a / s * (mpmath.psi(0, s + 1) - mpmath.psi(0, a + 1))
                           for a in alpha)
    return [len(alpha) / s, dissonance(alpha), expected / log_k,
            (total - expected) / log_k, total / log_k]


def check_opinions():
    rows = [measures(alpha) for alpha in ALPHAS]
    for alpha, row in zip(ALPHAS, rows):
        assert max(abs(x - y) for x, y in zip(row, measures(alpha[::-1]))) < 1e-40
        assert all(abs(x - mpf(0.5)) < mpf(0.5) + mpf(10) ** -40 for x in row)
    assert abs(dissonance([mpf(10) ** 30 + 1] * 4) - 1) < 1e-25  # the paper's example
    vacuity, conflict, aleatoric, epistemic, total = measures([1, 1, 1])  # theorem 1.2a
    assert vacuity == 1 and abs(total - 1) < 1e-40
    assert total > aleatoric > epistemic > conflict == 0
    random, alpha = np.random.RandomState(1), [5, 2, 3.5]
    p = random.dirichlet(alpha, 200000)
    sampled = -(p * np.log(p)).sum(1).mean() / np.log(3)
    assert abs(sampled - float(measures(alpha)[2])) < 2e-3
    return rows


SAMPLES = [  # [M,3,K]: agreeing samples, disagreeing ones, one strong outlier
    [[2, -1, 0.5], [6, -3, -3], [1.5, -1, -2]],
    [[2.25, -0.875, 0.25], [-3, 6, -3], [1.75, -0.5, -2.25]],
    [[1.75, -1.125, 0.75], [-3, -3, 6], [1.25, -0.75, -1]],
    [[2.5, -1.5, 0.125], [5, 4.5, -2], [0, 3.5, -3]],
]


def sampled_opinions():
    """What M = 4 passes give, by evidence (two ways to average) and by softmax."""
    names = ["alpha", "p_alpha", "predicted", "vacuity", "dissonance", "alpha_logits",
             "p_logits", "predicted_logits", "vacuity_logits", "dissonance_logits",
             "p_mean", "entropy", "aleatoric", "epistemic", "softmax_p_mean",
             "softmax_entropy", "softmax_aleatoric", "softmax_epistemic"]
    out = {name: [] for name in names}
    log_k = mpmath.log(K)

    def mean(rows):
        return [mpmath.fsum(column) / len(rows) for column in zip(*rows)]

    def put_mixture(prefix, rows):
        p_mean = mean(rows)
        total, expected = entropy(p_mean), mpmath.fsum(map(entropy, rows)) / len(rows)
        out[prefix + "p_mean"] += p_mean
        out[prefix + "entropy"].append(total / log_k)
        out[prefix + "aleatoric"].append(expected / log_k)
        out[prefix + "epistemic"].append((total - expected) / log_k)

    for i in range(3):
        z = [[mpf(x) for x in sample[i]] for sample in SAMPLES]
        e = [[mpmath.exp(x) for x in row] for row in z]
        alphas = [[x + 1 for x in row] for row in e]
        for suffix, alpha in (("", mean(alphas)),
                              ("_logits", [mpmath.exp(x) + 1 for x in mean(z)])):
            p = [a / mpmath.fsum(alpha) for a in alpha]
            out["alpha" + suffix] += alpha
            out["p" + (suffix or "_alpha")] += p
            out["predicted" + suffix].append(p.index(max(p)))
            out["vacuity" + suffix].append(K / mpmath.fsum(alpha))
            out["dissonance" + suffix].append(dissonance(alpha))
        put_mixture("", [[a / mpmath.fsum(row) for a in row] for row in alphas])
        put_mixture("softmax_", [[x / mpmath.fsum(row) for x in row] for row in e])
    assert out["predicted"] != out["predicted_logits"]
    return out
