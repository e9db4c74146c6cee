"""Opinions from arrays of any model."""

import unittest

import numpy as np

from opine import OpineValueError, opinion
from support import needs


def entropy(p):
    return -(p * np.log(np.where(p > 0, p, 1))).sum(axis=-1) / np.log(p.shape[-1])


class FromArrays(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(3)

    def test_beliefs_and_vacuity_make_a_whole(self):
        z = self.rng.normal(size=(40, 5))
        o = opinion.from_logits(z)
        np.testing.assert_allclose(o.alpha, np.exp(z) + 1, rtol=1e-13)
        np.testing.assert_allclose(o.belief.sum(axis=1) + o.vacuity, 1, rtol=1e-13)
        np.testing.assert_allclose(o.probability, o.alpha / o.alpha.sum(axis=1, keepdims=True))
        np.testing.assert_allclose(o.entropy, entropy(o.probability), rtol=1e-12)
        np.testing.assert_allclose(o.aleatoric + o.epistemic, o.entropy, atol=1e-12)

    def test_samples_of_probabilities_split_their_entropy(self):
        p = self.rng.dirichlet(np.ones(4), size=(7, 30))
        o = opinion.from_probabilities(p)
        np.testing.assert_allclose(o.probability, p.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(o.aleatoric, entropy(p).mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(o.entropy, entropy(p.mean(axis=0)), rtol=1e-12)
        np.testing.assert_allclose(o.epistemic, o.entropy - o.aleatoric, atol=1e-12)
        self.assertIsNone(o.alpha)
        self.assertIsNone(o.vacuity)

    def test_a_softmax_has_an_entropy_and_no_more(self):
        z = self.rng.normal(size=(10, 3))
        o = opinion.from_logits(z, "softmax")
        e = np.exp(z)
        np.testing.assert_allclose(o.probability, e / e.sum(axis=1, keepdims=True), rtol=1e-13)
        self.assertIsNone(o.epistemic)
        self.assertEqual(len(o), 10)

    def test_no_nodes_are_no_error(self):
        self.assertEqual(opinion.from_alpha(np.ones((0, 3))).vacuity.shape, (0,))

    def test_bad_input_is_named(self):
        with self.assertRaisesRegex(OpineValueError, "alpha of node 1 and class 0 is 0.5"):
            opinion.from_alpha([[1, 1], [0.5, 1]])
        with self.assertRaisesRegex(OpineValueError, "evidence 'log'"):
            opinion.from_logits([[1, 1]], "log")
        with self.assertRaisesRegex(OpineValueError, "shape"):
            opinion.from_alpha([1.0, 1.0])

    @needs("torch")
    def test_tensors_go_through_dlpack(self):
        import torch
        z = torch.randn(6, 3, requires_grad=True)
        np.testing.assert_array_equal(opinion.from_logits(z).alpha,
                                      opinion.from_logits(z.detach().numpy()).alpha)

    @needs("torch")
    def test_tensors_of_bfloat16_are_numbers_too(self):
        import torch
        z = torch.tensor([[0.0, 1.5], [2.0, -1.0]])
        np.testing.assert_array_equal(opinion.from_logits(z.bfloat16()).alpha, opinion.from_logits(z).alpha)

    def test_whatever_has_dlpack_is_taken(self):
        class Tensor:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **more):
                return self.array.__dlpack__(**more)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        alpha = np.array([[2.0, 1.0]])
        self.assertEqual(opinion.from_alpha(Tensor(alpha)).vacuity[0], 2 / 3)


if __name__ == "__main__":
    unittest.main()
