"""Steps of lists, from a state of documents found to the next: their weights, and arrays of states."""

import math
from typing import Any, NamedTuple

from maxent.kernels.vectors import LANES, add, at, floats, greater, integers, largest, load, spread, store, times

NOTHING, SMALL = 1e-16, 1e-3  # exponents whose exponential is 1, and is as good as a few terms of its series


class Steps(NamedTuple):
    """What the weights of all steps are made of, see ``maxent.lists.steps.Steps``."""

    ranks: Any
    groups: Any
    measures: Any
    states: Any  # S, a multiple of 8: arrays are filled up
    last: Any  # number of the last state that a list can have
    documents: Any  # in that state
    longest: Any
    exact: Any
    sizes: Any  # (c,)
    strides: Any  # (c,)
    k: Any  # (c, S)
    curved: Any  # (m,)
    counted: Any  # (m,)
    odds: Any  # (N, c)
    a: Any  # (m, N, c)
    d: Any  # (m, N)
    K: Any  # (m, c, c)
    X: Any  # (m, c, S)


def steps_of(table):
    """The steps that a table of numbers and addresses stands for."""
    return Steps(
        table[0], table[1], table[2], table[3], table[4], table[5], table[6], table[7],
        integers(table[8]), integers(table[9]), integers(table[10]), integers(table[11]),
        integers(table[12]), floats(table[13]), floats(table[14]), floats(table[15]), floats(table[16]),
        floats(table[17]),
    )  # fmt: skip


def gain_of(t, v, n, i, s):
    """What measure v gains from a document of group i at rank n behind state s."""
    c = t.groups
    slope = t.d[v * t.ranks + n]
    return t.a[(v * t.ranks + n) * c + i] + slope * t.X[(v * c + i) * t.states + s]


def _powers(size, longest, factor, powers):
    """Powers of a factor, and 0 from number ``size`` on."""
    power = 1.0
    for k in range(LANES):
        powers[k] = power
        power *= factor
    far = spread(power)
    for k in range(LANES, longest, LANES):
        store(times(far, load(powers, k - LANES)), powers, k)
    for k in range(size, longest):
        powers[k] = 0.0


def _near_one(x):
    """Exponentials of eight numbers up to ``SMALL``, to the last digit: the first terms of their series."""
    found = add(x, spread(1 / 24), spread(1 / 6))
    found = add(x, found, spread(1 / 2))
    found = add(x, found, spread(1.0))
    return add(x, found, spread(1.0))


def weights(t, multipliers, n, scale, low, high, powers, w):
    """Weights w (c, S + 8) of the steps at rank n from the states between low and high, times a scale.

    Where a document does not fit, its weight is 0. Others are products of powers, and of exponentials for cascades.
    """
    c, m, N, S, size = t.groups, t.measures, t.ranks, t.states, t.sizes[t.groups - 1]
    for i in range(c):
        logarithm, own = t.odds[n * c + i], at(w, i * (S + LANES))
        for v in range(m):
            logarithm += multipliers[v] * t.a[(v * N + n) * c + i]
        base = scale * math.exp(logarithm)
        for j in range(c):
            logarithm = 0.0
            for v in range(m):
                logarithm += multipliers[v] * t.d[v * N + n] * t.K[(v * c + i) * c + j]
            factor = math.exp(logarithm) if logarithm != 0.0 else 1.0
            _powers(t.sizes[j] - (1 if i == j else 0), t.longest, factor, at(powers, j * t.longest))
        last = at(powers, (c - 1) * t.longest)
        for s in range(low - low % size, min(high, t.last + 1), size):
            constant = base
            for j in range(c - 1):
                constant *= powers[j * t.longest + t.k[j * S + s]]
            row = spread(constant)
            for k in range(0, size, LANES):  # what is beyond the row is that of the next
                store(times(row, load(last, k)), own, s + k)
        for v in range(m):
            slope = multipliers[v] * t.d[v * N + n]
            if t.curved[v] != 0 and slope != 0.0:
                X = at(t.X, (v * c + i) * S)
                slopes = spread(slope)
                for begin in range(low, high, LANES):
                    most = abs(slope) * largest(load(X, begin))
                    if most > SMALL:
                        for s in range(begin, begin + LANES):
                            own[s] *= math.exp(slope * X[s])
                    elif most > NOTHING:
                        store(times(load(own, begin), _near_one(times(slopes, load(X, begin)))), own, begin)


def ends(t, one, zero, behind):
    """What is behind the states after the last rank: ``one`` at the counts, or at all where they are only kept."""
    for s in range(t.last + 1):
        behind[s] = one if s == t.last or not t.exact else zero


def drawn(e, number, share):
    """Which of some weights ``e`` a share 0..1 of their sum falls on; the last if it falls on none."""
    total = 0.0
    for i in range(number):
        total += e[i]
    left, found = share * total, number - 1
    for i in range(number):
        if e[i] > 0.0 and left >= 0.0:
            found = i
            left -= e[i]
    return found


def clear(x, low, high):
    """Set a part of an array to 0."""
    for k in range(low, high):
        x[k] = 0.0


def copy(x, size, to):
    """Copy an array."""
    for k in range(0, size, LANES):
        store(load(x, k), to, k)


def peak(x, low, high):
    """The largest of some numbers, at least 0."""
    found = spread(0.0)
    for k in range(low, high, LANES):
        found = greater(load(x, k), found)
    return largest(found)
