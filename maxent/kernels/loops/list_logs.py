"""The recursion over lists with logarithms of weights, for weights beyond the range of doubles.

It is not the recursion of ``lists`` with another kind of number:

- Gains may be negative, and then their sums have no logarithm. So each state has the mean gain of what follows it,
  divided by its own weight at its own rank; ``lists`` has sums, divided once, at the first rank.
- Down the ranks, ``lists`` multiplies the weights F of what leads to a state and B of what follows it. Here neither
  has a double. Instead the probability of a state is passed on by the probabilities w B(after) / B(before) of the
  steps from it, which are differences of logarithms.
- A step takes an exponential in place of a product, and a state a division and a logarithm. So it takes two to
  nine times as long as ``lists``, where weights are products of tables, eight states are visited at once, and those
  outside a window not at all.

Steps that are ruled out have the logarithm of 0. ``best`` takes the largest weight in place of the sum, for eight
states at once.
"""

import math
from typing import Annotated

from maxent.kernels.compiler.kinds import Flat
from maxent.kernels.compiler.layout import LANES
from maxent.kernels.loops.list_steps import (
    clear,
    draw_index,
    eight_gains,
    ends,
    gain_in_states,
    gain_of,
    moments,
)
from maxent.kernels.loops.records import Steps, Weighing
from maxent.kernels.loops.vectors import at, choose, greater, load, store
from maxent.types import FloatArray, IntArray


def _exponents(t, weighing, n, behind, s, e):
    """Write log w_i(s) + log B(s + a document of group i) of each step at rank n to ``e`` (c + 1,), group 0 last.

    ``behind`` has log B for the states at the next rank. Returns the largest.
    """
    c, m, S = t.groups, t.measures, t.states
    most = -math.inf
    for i in range(c + 1):
        value = -math.inf
        if not weighing.some or (weighing.allowed[n * S + s] >> i) & 1 != 0:
            if i == c:
                value = behind[s]
            elif t.k[i * S + s] + 1 < t.sizes[i]:
                value = behind[s + t.strides[i]] + t.odds[n * c + i]
                for v in range(m):
                    if weighing.multipliers[v] != 0.0:
                        value += weighing.multipliers[v] * gain_of(t, v, n, i, s)
        e[i] = value
        most = max(most, value)
    return most


def log_sums(
    t: Steps,
    weighing: Weighing,
    m: int,
    every: int,
    rank_sums: Annotated[FloatArray, Flat("N + 1, S")],
    work: Annotated[FloatArray, Flat("memory")],
    out: Annotated[FloatArray, Flat("1 + m + m * m")],
):
    """As ``lists.sums``, with logarithms and no windows.

    ``rank_sums`` gets the logarithms after every rank if ``every`` is not 0. For each rank and state: 1. The
    logarithms of what each step leads to, and their sum log B. 2. States that no list leads through. 3. The mean of
    two gains, and 4. that of one gain g_v, over the steps i with probabilities e_i / mass:

        T_vq(s) = sum_i e_i (T_vq + g_vi F_q + g_qi (F_v + g_vi)) / mass,    F_v(s) = sum_i e_i (F_v + g_vi) / mass

    with the means on the right taken after the step.
    """
    N, c, S = t.ranks, t.groups, t.states
    e, behind = work, at(rank_sums if every else work, N * S if every else c + 1)
    first = at(work, c + 1 + S)
    second = at(first, m * S)
    ends(t, 0.0, -math.inf, behind)
    for n in range(N - 1, -1, -1):
        now = at(rank_sums, n * S) if every else behind
        for s in range(t.last + 1):
            # 1.
            top, mass = _exponents(t, weighing, n, behind, s, e), 0.0
            # 2.
            if top == -math.inf:
                now[s] = top
                for v in range(m):
                    first[v * S + s] = 0.0
                    for q in range(v + 1):
                        second[(v * m + q) * S + s] = 0.0
                continue
            for i in range(c + 1):
                e[i] = math.exp(e[i] - top)
                mass += e[i]
            now[s] = top + math.log(mass)
            # 3.
            for v in range(m - 1, -1, -1):
                for q in range(v, -1, -1):
                    moment = e[c] * second[(v * m + q) * S + s]
                    for i in range(c):
                        if e[i] > 0.0:
                            after = s + t.strides[i]  # the state that the step leads to
                            gain_v, gain_q = gain_of(t, v, n, i, s), gain_of(t, q, n, i, s)
                            two = second[(v * m + q) * S + after] + gain_v * first[q * S + after]
                            moment += e[i] * (two + gain_q * (first[v * S + after] + gain_v))
                    second[(v * m + q) * S + s] = moment / mass
            # 4.
            for v in range(m):
                moment = e[c] * first[v * S + s]
                for i in range(c):
                    if e[i] > 0.0:
                        moment += e[i] * (first[v * S + s + t.strides[i]] + gain_of(t, v, n, i, s))
                first[v * S + s] = moment / mass
        behind = now
    out[0] = behind[0]
    moments(m, S, 1.0, first, second, out)


def log_flow(
    t: Steps,
    weighing: Weighing,
    rank_sums: Annotated[FloatArray, Flat("N + 1, S")],
    work: Annotated[FloatArray, Flat("memory")],
    p: Annotated[FloatArray, Flat("N, c + 1")],
    expected: Annotated[FloatArray, Flat("m + 1")],
):
    """As ``lists.flow``, from the logarithms ``rank_sums`` of ``log_sums``; nothing is pruned.

    The probability F(s) of a state is passed on by those of its steps:

        F(s + a document of i) <- F(s + a document of i) + F(s) exp(log w_i(s) + log B(s + ...) - log B(s))
    """
    N, c, S, m = t.ranks, t.groups, t.states, t.measures
    e, gained = work, at(work, c + 1)  # gained (m,): probabilities times gains at the rank
    F, to, scale = at(gained, m), at(gained, m + S), 1.0  # scale: 1 over the sum of F, which rounding moves off 1
    F[0] = 1.0
    for n in range(N):
        behind, now, row, mass = at(rank_sums, (n + 1) * S), at(rank_sums, n * S), at(p, n * (c + 1)), 0.0
        clear(gained, 0, m)
        for s in range(t.last + 1):
            if F[s] > 0.0:
                _exponents(t, weighing, n, behind, s, e)
                for i in range(c + 1):
                    share = scale * F[s] * math.exp(e[i] - now[s])
                    if share > 0.0:
                        to[s + (t.strides[i] if i < c else 0)] += share
                        row[i] += share
                        mass += share
                        for v in range(m if i < c else 0):
                            gained[v] += share * gain_of(t, v, n, i, s)
            now[s] = scale * F[s]
        for i in range(c + 1):
            row[i] /= mass
        for v in range(m):
            expected[v] += gained[v] / mass
        F, to, scale = to, F, 1.0 / mass
        clear(to, 0, S)
    for s in range(t.last + 1):
        rank_sums[N * S + s] = scale * F[s]


def draw(
    t: Steps,
    weighing: Weighing,
    rank_sums: Annotated[FloatArray, Flat("N + 1, S")],
    number: int,
    uniform: Annotated[FloatArray, Flat("number, N")],
    e: Annotated[FloatArray, Flat("c + 1")],
    groups: Annotated[IntArray, Flat("number, N")],
):
    """Groups (number, N) of the documents of random lists.

    They come from the logarithms ``rank_sums`` of ``log_sums`` and from uniform random numbers (number, N).
    """
    N, c, S = t.ranks, t.groups, t.states
    for sample in range(number):
        s = 0
        for n in range(N):
            top = _exponents(t, weighing, n, at(rank_sums, (n + 1) * S), s, e)
            for i in range(c + 1):
                e[i] = math.exp(e[i] - top)
            group = draw_index(e, c + 1, uniform[sample * N + n])
            groups[sample * N + n] = group
            s += t.strides[group] if group < c else 0


def best(
    t: Steps,
    weighing: Weighing,
    work: Annotated[FloatArray, Flat("memory")],
    out: Annotated[FloatArray, Flat("m")],
):
    """Values (m,) of the measures for the list with the largest sum of multipliers times values.

    From the last rank up, each state gets the largest log weight of the ways in which a list can go on, and the
    ``values`` (m, size) of the measures on that way:

        B_n(s) = max(B_{n+1}(s), max_i (B_{n+1}(s + a document of i) + sum_v lambda_v g_vi(s))).

    ``fits`` (c, S) is 0 where a document fits, else -inf; ``best_values`` (m, LANES) are of the states at work.
    """
    N, c, S, m = t.ranks, t.groups, t.states, t.measures
    size = 2 * S + LANES  # from the last state a step that does not fit leads beyond
    behind, values, fits = work, at(work, size), at(work, (1 + m) * size)
    best_values = at(fits, c * S)
    ends(t, 0.0, -math.inf, behind)
    for i in range(c):
        for s in range(S):
            fits[i * S + s] = 0.0 if s <= t.last and t.k[i * S + s] + 1 < t.sizes[i] else -math.inf
    for n in range(N - 1, -1, -1):
        for k in range(0, S, LANES):  # states ahead are not yet those of this rank
            most = load(behind, k)
            for v in range(m):
                store(load(at(values, v * size), k), best_values, v * LANES)
            for i in range(c):
                ahead = k + t.strides[i]
                value = load(behind, ahead) + load(at(fits, i * S), k)
                for v in range(m):
                    if n < t.counted[v]:
                        value = weighing.multipliers[v] * eight_gains(gain_in_states(t, v, n, i), k) + value
                for v in range(m):
                    if n < t.counted[v]:
                        gained = load(at(values, v * size), ahead) + eight_gains(gain_in_states(t, v, n, i), k)
                        store(choose(value, most, gained, load(best_values, v * LANES)), best_values, v * LANES)
                most = greater(value, most)
            store(most, behind, k)
            for v in range(m):
                store(load(best_values, v * LANES), at(values, v * size), k)
    for v in range(m):
        out[v] = values[v * size]


ENTRIES = (best, log_sums, log_flow, draw)
