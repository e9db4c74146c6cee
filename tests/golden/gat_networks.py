"""The attention and GraphSAGE encoders of gat_golden.py, in PyTorch and float64.

A module, not a script: run by itself it does nothing.

An attention layer, as the GAT authors' TensorFlow code has it, head h alone first. x_i is
a row of the input, keep() is 1/(1 - p) or 0 for an entry that dropout strikes out, each
call with a mask of its own, and N(i) the neighbours of i and i itself:

    g_i = W' (x_i keep(features))                                      projected
    s_ij = a_dst' g_i + c_dst + a_src' g_j + c_src                     for j in N(i)
    w_ij = exp(l_ij) / sum over N(i) of exp(l_ij), l_ij = LeakyReLU(s_ij), slope 0.2
    o_i = f(sum over N(i) of w_ij keep(attention) (g_j keep(features)) + b)

So the scores see g before its dropout, the coefficients do not add up to 1 after theirs,
and the bias is added after the sum, inside the activation f. The mask of g belongs to
node j and is the same for all i. Each head strikes out entries of x by a mask of its own;
in the cases where `has_shared_mask` they are equal. c_dst and c_src are in the authors'
code and not in their paper: 0 in the cases without `has_score_bias`. The slope of
LeakyReLU at 0 counts as 0.2; only gradients of c_dst and c_src can tell.

The first layer concatenates its heads, f = ELU with ELU(x) = exp(x) - 1 for x < 0; the
second averages them, b included, f is the identity, and its result is z. The decay
counts every parameter, biases too: decay/2 |theta|^2.

GraphSAGE with means, N(i) without i, a mean over nobody being 0, one mask for both
products, and no ReLU on the logits, because evidence exp(z) must be able to fall below 1:

    h = ReLU(x W_self + mean_N(x) W_neigh + b),  z = the same of h without ReLU,
    with x and h both times keep(features)
"""

from dataclasses import dataclass, field

import numpy as np
import torch
from torch.nn.functional import elu, leaky_relu

from engine_golden import EDGES, FEATURES, K, LAMBDA1, N_ENTRIES, V, WEIGHT_DECAY, F

EPOCH, RAMP, N_STEPS = 17, 50, 5
LAMBDA2 = min(1.0, EPOCH / RAMP)
OBJECTIVES = {
    "cross_entropy": {"cross_entropy": 1.0},
    "s_t_k": {"squared_exp": 1.0, "kl": LAMBDA1, "teacher": LAMBDA2, "decay": 1.0},
}

IS_NEIGHBOUR = np.eye(V, dtype=bool)
for i, j in EDGES:
    IS_NEIGHBOUR[i, j] = IS_NEIGHBOUR[j, i] = True
ROW, COL = np.nonzero(IS_NEIGHBOUR)  # sorted by row, then column
OFF_EDGE = torch.tensor(~IS_NEIGHBOUR)
ENTRY_ROW = [i for i, row in enumerate(FEATURES) for _ in row]
ENTRY_COL = [k for row in FEATURES for k in row]


# ---- networks ----


class Random:
    """Numbers on a grid, so that they are exact in float32."""

    def __init__(self, seed):
        self.state = np.random.RandomState(seed)

    def weights(self, scale, *shape):
        values = self.state.uniform(-scale, scale, shape)
        return torch.tensor(np.round(values * 1024) / 1024)

    def mask(self, rate, *shape):
        return (self.state.uniform(size=shape) >= rate) * 1


@dataclass
class Layer:
    """Sizes, parameters by name, and masks by name with 1 = kept."""

    n_in: int
    n_heads: int
    n_units: int
    params: dict = field(default_factory=dict)
    masks: dict = field(default_factory=dict)


class Network:
    """What both encoders share: the objective, its gradients and a few steps of Adam."""

    def __init__(self, x_value, rate, engine_case):
        self.x_value, self.rate, self.engine_case = x_value, rate, engine_case

    def parameters(self):
        return [p for layer in self.layers for p in layer.params.values()]

    def entries(self, mask):
        """X [V,F] with its entries dropped."""
        x = torch.zeros(V, F, dtype=torch.float64)
        x[ENTRY_ROW, ENTRY_COL] = torch.tensor(self.x_value * mask)
        return x

    def loss(self, factors, z):
        total = 0
        for name, factor in factors.items():
            if name == "decay":
                term = WEIGHT_DECAY / 2 * sum((p ** 2).sum() for p in self.parameters())
            else:
                term = self.engine_case.term(name, z, None)
            total = total + factor * term
        return total

    def gradients(self, factors):
        """The loss, and its gradients to z and to each layer's parameters by name."""
        for p in self.parameters():
            p.requires_grad_()
        z = self.forward(True)["z"]
        loss = self.loss(factors, z)
        grads = torch.autograd.grad(loss, [z] + self.parameters())
        for p in self.parameters():
            p.requires_grad_(False)
        at = iter(grads[1:])
        return loss.item(), grads[0], [{name: next(at) for name in layer.params}
                                       for layer in self.layers]

    def adam_losses(self, rate):
        """Of s_t_k before each step; the parameters are put back. Score biases that are
        0 stay so, as if there were none."""
        before = [p.clone() for p in self.parameters()]
        optimiser = torch.optim.Adam(self.parameters(), lr=rate)
        losses = []
        for _ in range(N_STEPS):
            loss, _, grads = self.gradients(OBJECTIVES["s_t_k"])
            for layer, d_layer in zip(self.layers, grads):
                for name, p in layer.params.items():
                    p.grad = d_layer[name] if self.is_smooth_in(name) else None
            optimiser.step()
            losses.append(loss)
        for p, old in zip(self.parameters(), before):
            p.grad = None
            p.copy_(old)
        return losses


@dataclass
class GatSizes:
    n_heads: int
    n_units: int
    n_out_heads: int
    rate: float
    attention_rate: float
    has_shared_mask: bool
    has_score_bias: bool
    scale: float  # of the weights

    @property
    def title(self):
        return (f"{self.n_heads} heads of {self.n_units} units, then {self.n_out_heads} "
                f"of {K}; dropout {self.rate:g}, attention {self.attention_rate:g}")


class Gat(Network):
    def __init__(self, sizes, seed, x_value, engine_case):
        super().__init__(x_value, sizes.rate, engine_case)
        self.sizes, random = sizes, Random(seed)
        n_hidden = sizes.n_heads * sizes.n_units
        self.layers = [
            self.make_layer(random, F, sizes.n_heads, sizes.n_units, 1.5, (N_ENTRIES,)),
            self.make_layer(random, n_hidden, sizes.n_out_heads, K, sizes.scale,
                            (V, n_hidden))]

    def make_layer(self, random, n_in, n_heads, n_units, scale, in_shape):
        sizes = self.sizes
        score_scale = 0.5 if sizes.has_score_bias else 0.0
        params = {
            "w": random.weights(scale, n_in, n_heads * n_units),
            "a_dst": random.weights(1.0, n_heads, n_units),
            "a_src": random.weights(1.0, n_heads, n_units),
            "c_dst": random.weights(score_scale, n_heads),
            "c_src": random.weights(score_scale, n_heads),
            "b": random.weights(0.5, n_heads * n_units)}
        in_mask = random.mask(sizes.rate, n_heads, *in_shape)
        if sizes.has_shared_mask:
            in_mask[:] = in_mask[0]
        masks = {
            "in_mask": in_mask,
            "projected_mask": random.mask(sizes.rate, V, n_heads * n_units),
            "attention_mask": random.mask(sizes.attention_rate, len(ROW), n_heads)}
        return Layer(n_in, n_heads, n_units, params, masks)

    def keep(self, layer, name, is_training):
        """1/(1 - p) for kept entries, 0 for others; all 1 without dropout."""
        mask = layer.masks[name]
        if not is_training:
            return np.ones(mask.shape)
        rate = self.sizes.attention_rate if name == "attention_mask" else self.sizes.rate
        return mask / (1 - rate)

    def head(self, layer, h, x, is_training):
        """Projected features, scores, coefficients before and after dropout, sum + b."""
        units, p = slice(h * layer.n_units, (h + 1) * layer.n_units), layer.params
        keep_projected = torch.tensor(self.keep(layer, "projected_mask", is_training))
        keep_attention = torch.zeros(V, V, dtype=torch.float64)
        keep_attention[ROW, COL] = torch.tensor(
            self.keep(layer, "attention_mask", is_training)[:, h])
        g = x @ p["w"][:, units]
        score = ((g @ p["a_dst"][h] + p["c_dst"][h])[:, None]
                 + (g @ p["a_src"][h] + p["c_src"][h])[None, :])
        w = leaky_relu(score, 0.2).masked_fill(OFF_EDGE, -torch.inf).softmax(1)
        kept = w * keep_attention
        out = kept @ (g * keep_projected[:, units]) + p["b"][units]
        return g, score[ROW, COL], w[ROW, COL], kept[ROW, COL], out

    def heads(self, layer, inputs, is_training):
        every = [self.head(layer, h, x, is_training) for h, x in enumerate(inputs)]
        g, score, w, kept, out = zip(*every)
        per_edge = {"score": score, "attention": w, "dropped": kept}
        state = {name: torch.stack(values, 1) for name, values in per_edge.items()}
        return {"projected": torch.cat(g, 1), **state}, out

    def forward(self, is_training):
        first, second = self.layers
        keep = self.keep(first, "in_mask", is_training)
        state, out = self.heads(first, [self.entries(mask) for mask in keep], is_training)
        hidden = elu(torch.cat(out, 1))
        keep = torch.tensor(self.keep(second, "in_mask", is_training))
        state2, out = self.heads(second, [hidden * mask for mask in keep], is_training)
        return {"states": [state, state2], "hidden": hidden,
                "z": torch.stack(out).mean(0)}

    def nearest_kink(self):
        scores = [state["score"].abs() for is_training in (True, False)
                  for state in self.forward(is_training)["states"]]
        return min(s[s > 1e-12].min().item() for s in scores)

    def is_smooth_in(self, name):
        """Rows without features have scores of 0, at the kink, without score biases."""
        return self.sizes.has_score_bias or name not in ("c_dst", "c_src")


class Sage(Network):
    def __init__(self, n_units, rate, seed, x_value, engine_case):
        super().__init__(x_value, rate, engine_case)
        random = Random(seed)
        self.n_units = n_units
        self.layers = [self.make_layer(random, F, n_units, 1.5, (N_ENTRIES,)),
                       self.make_layer(random, n_units, K, 1.0, (V, n_units))]
        near = torch.tensor(IS_NEIGHBOUR * 1.0) - torch.eye(V)
        self.mean = near / near.sum(1, keepdim=True).clamp(min=1)

    def make_layer(self, random, n_in, n_units, scale, in_shape):
        params = {"w_self": random.weights(scale, n_in, n_units),
                  "w_neigh": random.weights(scale, n_in, n_units),
                  "b": random.weights(0.5, n_units)}
        masks = {"in_mask": random.mask(self.rate, *in_shape)}
        return Layer(n_in, 1, n_units, params, masks)

    def keep(self, layer, is_training):
        mask = layer.masks["in_mask"]
        return mask / (1 - self.rate) if is_training else np.ones(mask.shape)

    def forward(self, is_training):
        def product(layer, x):
            p = layer.params
            return x @ p["w_self"] + self.mean @ x @ p["w_neigh"] + p["b"]

        first, second = self.layers
        pre = product(first, self.entries(self.keep(first, is_training)))
        hidden = torch.relu(pre)
        z = product(second, hidden * torch.tensor(self.keep(second, is_training)))
        return {"pre": pre, "hidden": hidden, "z": z}

    def nearest_kink(self):
        return min(self.forward(is_training)["pre"].abs().min().item()
                   for is_training in (True, False))

    def is_smooth_in(self, _):
        return True
