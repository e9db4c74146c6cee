'use strict';
// Exact intervals of proportions and the paired test of two models, as src/opinion has them.

// P(X >= k) of n draws with probability p <= k / n: terms fall from the first on.
function upperTail(n, k, p)
{
    const ways = logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
    let term = Math.exp(ways + k * Math.log(p) + (n - k) * Math.log1p(-p)), sum = 0;
    for (let i = k; i <= n && term > 1e-18 * sum; i++) {
        sum += term;
        term *= (n - i) / (i + 1) * (p / (1 - p));
    }
    return sum;
}

function proportionLow(right, n, tail)
{
    if (right === 0)
        return 0;
    if (right === n)
        return tail ** (1 / n);
    let low = 0, high = right / n;
    // Sixty halvings reach the last digit of a double.
    for (let step = 0; step < 60; step++) {
        const middle = (low + high) / 2;
        if (upperTail(n, right, middle) < tail)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// The 95 % interval of Clopper and Pearson of a share, null without draws.
function proportion(right, n)
{
    if (!n)
        return null;
    return {share: right / n, right, n, low: proportionLow(right, n, 0.025),
            high: 1 - proportionLow(n - right, n, 0.025)};
}

// The exact two-sided p of McNemar's test: a and b nodes that only one of two models gets right.
function mcnemar(a, b)
{
    const n = a + b, more = Math.max(a, b);
    return n === 0 || a === b ? 1 : Math.min(1, 2 * upperTail(n, more, 0.5));
}

// "81.5 %", and "78.9 to 83.9 %".
const shareOf = p => p ? percent(100 * p.share) : '–';
const intervalOf = p => p ? `${(100 * p.low).toFixed(1)} to ${percent(100 * p.high)}` : '';
