"""Steps of lists from one state, the number of documents of each group so far, to the next: their weights."""

import math
from typing import Any, NamedTuple

from maxent.kernels.compiler.layout import LANES
from maxent.kernels.loops.vectors import at, greater, largest, load, spread, store

SMALL = 1e-3  # exponents whose exponential is as good as a few terms of its series


class Gain(NamedTuple):
    """Gain of a measure from a document of a group at a rank: constant + slope X(s) after state s."""

    constant: Any
    slope: Any
    X: Any  # (S,)


def gain_in_states(t, v, n, i):
    """Gain of measure v from a document of group i at rank n."""
    c = t.groups
    return Gain(t.a[(v * t.ranks + n) * c + i], t.d[v * t.ranks + n], at(t.X, (v * c + i) * t.states))


def eight_gains(gain, k):
    """The gain after each of the eight states from k on."""
    return gain.slope * load(gain.X, k) + gain.constant


def gain_of(t, v, n, i, s):
    """Gain a_vn(i) + d_vn X_vi(s) of measure v from a document of group i at rank n, after state s."""
    c = t.groups
    return t.a[(v * t.ranks + n) * c + i] + t.d[v * t.ranks + n] * t.X[(v * c + i) * t.states + s]


def _powers(size, longest, factor, powers):
    """Write factor**k to ``powers`` for k < size, and 0 up to ``longest``."""
    power = 1.0
    for k in range(LANES):
        powers[k] = power
        power *= factor
    for k in range(LANES, longest, LANES):
        store(power * load(powers, k - LANES), powers, k)
    for k in range(size, longest):
        powers[k] = 0.0


def _small_exponentials(x):
    """Exponentials of eight numbers up to ``SMALL``, to the last digit: the first terms of their series."""
    return x * (x * (x * (x * (1 / 24) + 1 / 6) + 1 / 2) + 1.0) + 1.0


def weights(t, weighing, n, scale, low, high):
    """Write the weights of the steps at rank n from the states low..high - 1, times a scale, to ``weighing.w``.

    The states are whole blocks of ``LANES``, perhaps with padding behind the last one. ``t.odds`` has logarithms.

    The weight of a document of group i after state s = (k_1..k_c) is

        w_i(s) = scale odds_n(i) exp(sum_v lambda_v a_vn(i)) prod_j exp(sum_v lambda_v d_vn K_v(i, j))^k_j

    for pairwise forms, and 0 where the document does not fit. For each group: 1. The first three factors. 2. A
    table of powers for each group j. 3. Their product in each state, row by row: the states of a row differ in the
    documents of the last group only. 4. The factors exp(lambda_v d_vn X_vi(s)) of cascades.
    """
    c, m, N, S, size = t.groups, t.measures, t.ranks, t.states, t.sizes[t.groups - 1]  # size: states of a row
    for i in range(c):
        # 1.
        log_base, w = t.odds[n * c + i], at(weighing.w, i * (S + LANES))
        for v in range(m):
            log_base += weighing.multipliers[v] * t.a[(v * N + n) * c + i]
        base = scale * math.exp(log_base)
        # 2.
        for j in range(c):
            log_factor = 0.0
            for v in range(m):
                log_factor += weighing.multipliers[v] * t.d[v * N + n] * t.K[(v * c + i) * c + j]
            factor = math.exp(log_factor) if log_factor != 0.0 else 1.0
            room = t.sizes[j] - (1 if i == j else 0)  # with all documents of group i, no other one of it fits
            _powers(room, t.longest, factor, at(weighing.powers, j * t.longest))
        # 3.
        powers_of_last = at(weighing.powers, (c - 1) * t.longest)
        for s in range(low - low % size, min(high, t.last + 1), size):
            of_row = base
            for j in range(c - 1):
                of_row *= weighing.powers[j * t.longest + t.k[j * S + s]]
            for k in range(0, size, LANES):  # the next row overwrites what is beyond this one
                store(of_row * load(powers_of_last, k), w, s + k)
        # 4.
        for v in range(m):
            slope = weighing.multipliers[v] * t.d[v * N + n]
            if t.curved[v] != 0 and slope != 0.0:
                X = at(t.X, (v * c + i) * S)
                for begin in range(low, high, LANES):
                    largest_exponent = abs(slope) * largest(load(X, begin))
                    if largest_exponent > SMALL:
                        for s in range(begin, begin + LANES):
                            w[s] *= math.exp(slope * X[s])
                    else:
                        store(load(w, begin) * _small_exponentials(slope * load(X, begin)), w, begin)


def documents_in(t, s):
    """Number of documents in a state."""
    number = 0
    for j in range(t.groups):
        number += t.k[j * t.states + s]
    return number


def ends(t, one, zero, behind):
    """Write ``one`` to the states in which a list may end, and ``zero`` to the others.

    Lists end at the counts, or, where these are upper bounds, in every state that the ranks can hold.
    """
    for s in range(t.last + 1):
        behind[s] = one if documents_in(t, s) <= t.ranks and (s == t.last or not t.exact) else zero


def moments(m, size, one, first, second, out):
    """Write means and covariances of gains over lists to ``out`` (1 + m + m * m,), behind its first number.

    In state 0, at the beginning of ``first`` (m, size) and ``second`` (m, m, size), are the sums of weights times
    one and two gains over all lists; ``one`` is the sum of the weights.
    """
    for v in range(m):
        out[1 + v] = first[v * size] / one
        for q in range(v + 1):
            cov = second[(v * m + q) * size] / one - out[1 + v] * out[1 + q]
            out[1 + m + v * m + q] = out[1 + m + q * m + v] = cov


def draw_index(e, number, share):
    """Index of the weight in ``e`` at which cumulated weights reach a share 0..1 of their sum; else the last."""
    total = 0.0
    for i in range(number):
        total += e[i]
    left, index = share * total, number - 1
    for i in range(number):
        if e[i] > 0.0 and left >= 0.0:
            index = i
            left -= e[i]
    return index


def clear(x, low, high):
    """Set x[low:high] to 0."""
    for k in range(low, high):
        x[k] = 0.0


def copy(x, size, to):
    """Copy the first ``size`` numbers of x, in whole vectors."""
    for k in range(0, size, LANES):
        store(load(x, k), to, k)


def peak(x, low, high):
    """The largest of x[low:high], at least 0, in whole vectors: numbers from high to the next eight count, too."""
    maxima = spread(0.0)
    for k in range(low, high, LANES):
        maxima = greater(load(x, k), maxima)
    return largest(maxima)
