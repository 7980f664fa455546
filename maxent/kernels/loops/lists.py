"""The recursion over lists as machine code; ``maxent.lists.recursion`` says what it computes.

A state is the number of documents of each group so far. States are in lexicographic order, so that a document of a
group leads the same number of places on from every state. After each rank only the states from ``low`` to ``high``,
its window, have weight. Windows are whole blocks of eight places; numbers outside them count as 0.

Arrays have a number for each state:

- ``behind`` and ``now``, the sums B(s) of the weights of all ways in which a list can go on from each state at the
  next rank and at this one,
- ``F`` and ``two`` going up the ranks, the same sums of weights times one gain and two gains,
- ``F`` going down, the sums of the weights of all ways that lead to each state,
- ``w``, the weights of the steps to a document of one group, and ``later``, sums from where they lead to,
- ``x``, the numbers that are added to, ``to`` and ``q``, results.
"""

import math
from typing import Annotated

from maxent.kernels.compiler.kinds import Flat
from maxent.kernels.compiler.layout import LANES
from maxent.kernels.loops.list_steps import (
    clear,
    copy,
    documents_in,
    draw_index,
    eight_gains,
    ends,
    gain_in_states,
    moments,
    peak,
    weights,
)
from maxent.kernels.loops.records import Steps, Weighing
from maxent.kernels.loops.vectors import at, greater, largest, load, spread, store, total
from maxent.types import FloatArray, IntArray

LEAST = 1e-20  # probability of states that are pruned
TOGETHER = 512  # states whose sums are computed one after the other, in memory that a processor has at hand
TINY = 2.2250738585072014e-308  # smaller numbers lose digits, or are 0


def _value(low, high, scale, x, w, later, to):
    """``to`` = scale x + w later; returns the largest."""
    most = spread(0.0)
    for k in range(low, high, LANES):
        moved = load(w, k) * load(later, k) + scale * load(x, k)
        store(moved, to, k)
        most = greater(moved, most)
    return largest(most)


def _first(low, high, scale, x, w, later, F, gain, to):
    """``to`` = scale x + w (F + gain later), with the sums F of gains where the steps lead."""
    for k in range(low, high, LANES):
        moved = eight_gains(gain, k) * load(later, k) + load(F, k)
        store(load(w, k) * moved + scale * load(x, k), to, k)


def _second(low, high, scale, x, w, later, F, gain, G, gain_q, two, to):
    """``to`` = scale x + w (two + gain G + gain_q (F + gain later)).

    F and G are the sums of the gains of measure v, whose gain here is ``gain``, and of measure q, where the steps
    lead.
    """
    for k in range(low, high, LANES):
        gains = eight_gains(gain, k)
        moved = gains * load(later, k) + load(F, k)
        moved = eight_gains(gain_q, k) * moved + (gains * load(G, k) + load(two, k))
        store(load(w, k) * moved + scale * load(x, k), to, k)


def _sum(t, weighing, n, low, high, scale, behind, to, now):
    """Sums ``now`` behind each state at rank n from the sums ``behind`` each state at the next rank.

        B_n(s) = scale B_{n+1}(s) + sum_i w_i(s) B_{n+1}(s + a document of group i)

    Returns the largest. The terms of the groups are added up in ``to``, and those of the last group give ``now``,
    which may therefore be the same array as ``behind``. States with more documents than ranks get 0, so that they
    do not count as the largest.
    """
    c, S, top = t.groups, t.states, 0.0
    x, factor = behind, scale  # what the term of a group is added to: first scale B_{n+1}(s)
    for i in range(c):
        target = now if i == c - 1 else to
        top = _value(low, high, factor, x, at(weighing.w, i * (S + LANES)), at(behind, t.strides[i]), target)
        x, factor = to, 1.0
    if n < t.documents:
        for s in range(low, min(high, t.last + 1)):
            if documents_in(t, s) > n:
                now[s] = 0.0
        top = peak(now, low, high)
    return top


def _gains(t, weighing, m, n, low, high, scale, behind, to):
    """Sums of weights times gains, and of weights times two gains, behind each state at rank n.

    They follow from the sums behind each state at the next rank, which they replace in memory. So the sums with two
    gains, which need those with one gain at the next rank, come first. With B, F and T for no gain, one and two,

        T_vq(s) <- scale T_vq(s) + sum_i w_i(s) (T_vq + g_vi F_q + g_qi (F_v + g_vi B)),
        F_v(s) <- scale F_v(s) + sum_i w_i(s) (F_v + g_vi B),

    where T, F and B in the sums are those after a document of group i, whose gain is g_vi. As in :func:`_sum`, the
    terms of the groups are added up in ``to``. Behind ``behind`` in memory are F (m, size) and T (m, m, size).

    1. T, with F for measure v and G for measure q. 2. F. Where a measure cannot gain anything its sums stay.
    """
    c, S = t.groups, t.states
    size = 2 * S + LANES
    first, second = at(behind, size), at(behind, (1 + m) * size)
    # 1.
    for v in range(m):
        F = at(first, v * size)
        for q in range(v + 1):
            if n >= min(t.counted[v], t.counted[q]):
                continue
            G, two = at(first, q * size), at(second, (v * m + q) * size)
            x, factor = two, scale
            for i in range(c):
                stride, w = t.strides[i], at(weighing.w, i * (S + LANES))
                gain, gain_q = gain_in_states(t, v, n, i), gain_in_states(t, q, n, i)
                later, F_later, G_later, two_later = (
                    at(behind, stride),
                    at(F, stride),
                    at(G, stride),
                    at(two, stride),
                )
                target = two if i == c - 1 else to
                _second(low, high, factor, x, w, later, F_later, gain, G_later, gain_q, two_later, target)
                x, factor = to, 1.0
    # 2.
    for v in range(m):
        if n >= t.counted[v]:
            continue
        F = at(first, v * size)
        x, factor = F, scale
        for i in range(c):
            stride, w = t.strides[i], at(weighing.w, i * (S + LANES))
            target = F if i == c - 1 else to
            _first(low, high, factor, x, w, at(behind, stride), at(F, stride), gain_in_states(t, v, n, i), target)
            x, factor = to, 1.0


def sums(
    t: Steps,
    weighing: Weighing,
    m: int,
    every: int,
    rank_sums: Annotated[FloatArray, Flat("rows, S")],
    work: Annotated[FloatArray, Flat("memory")],
    out: Annotated[FloatArray, Flat("1 + m + m * m")],
):
    """Sums behind each state of the weights of all ways in which a list can go on, from the last rank up.

    ``out`` gets log Z, and for the first m measures the means (m,) and covariances (m, m) of their values. Unless
    ``every`` is 0, ``rank_sums`` gets the sums after each ``every``-th rank and after the last.

    For each rank: 1. The weights of its steps. 2. The sums, divided by ``top``, the largest of the next rank; log Z
    is the sum of the logarithms of these. 3. States that only the window of the next rank has get 0. 4. A copy.
    """
    N, S, windows, log_z, top = t.ranks, t.states, t.windows, 0.0, 1.0
    size = 2 * S + LANES  # from the last state a step of weight 0 leads beyond
    to, behind = work, at(work, S + LANES)
    ends(t, 1.0, 0.0, behind)
    if every > 0:
        copy(behind, S, at(rank_sums, (N + every - 1) // every * S))
    for n in range(N - 1, -1, -1):
        low, high, scale = windows[2 * n], windows[2 * n + 1], 1.0 / top
        # 1.
        weights(t, weighing, n, scale, low, high)
        # 2.
        top = 0.0
        for begin in range(low, high, TOGETHER):
            end = min(begin + TOGETHER, high)
            _gains(t, weighing, m, n, begin, end, scale, behind, to)
            top = max(top, _sum(t, weighing, n, begin, end, scale, behind, to, behind))
        # 3.
        for number in range(1 + m + m * m):  # sums of no gain, one and two
            clear(at(behind, number * size), windows[2 * n + 2], min(low, windows[2 * n + 3]))
            clear(at(behind, number * size), max(high, windows[2 * n + 2]), windows[2 * n + 3])
        # 4.
        if every > 0 and n % every == 0:
            copy(behind, S, at(rank_sums, n // every * S))
        log_z += math.log(top)
        if not 0.0 < top < math.inf:
            break
    out[0] = log_z + math.log(behind[0] / top)
    moments(m, size, behind[0], at(behind, size), at(behind, (1 + m) * size), out)


def _stay(low, high, scale, x, behind, to):
    """``to`` = scale x; returns the sum of its products with what is ``behind``."""
    products = spread(0.0)
    for k in range(low, high, LANES):
        share = scale * load(x, k)
        store(share, to, k)
        products = share * load(behind, k) + products
    return total(products)


def _move(low, high, x, w, behind, to, q):
    """Add w x to ``to``; returns the sum of q = w x behind."""
    products = spread(0.0)
    for k in range(low, high, LANES):
        share = load(w, k) * load(x, k)
        store(load(to, k) + share, to, k)
        share = share * load(behind, k)
        store(share, q, k)
        products = products + share
    return total(products)


def _dot(low, high, x, y):
    products = spread(0.0)
    for k in range(low, high, LANES):
        products = load(x, k) * load(y, k) + products
    return total(products)


def _probabilities(low, high, share, F, behind):
    """Multiply the sums ``behind`` by ``share`` and forward weights F, which makes them probabilities of states."""
    for k in range(low, high, LANES):
        store(share * (load(F, k) * load(behind, k)), behind, k)


def _sums_behind(t, weighing, rank, every, rank_sums, block, to):
    """Sums (S,) behind the states after a rank.

    If ``rank_sums`` has only each ``every``-th rank, the ranks up to the next one that it has are computed again at
    the first rank of a ``block`` (every + 1, S), and later ranks of the block read them.
    """
    S, top = t.states, 1.0
    if every == 1:
        return at(rank_sums, (rank + 1) * S)
    if rank % every == 0:
        end = min(rank + every, t.ranks)
        copy(at(rank_sums, (rank // every + 1) * S), S, at(block, (end - rank) * S))
        for n in range(end - 1, rank, -1):
            low, high, now = t.windows[2 * n], t.windows[2 * n + 1], at(block, (n - rank) * S)
            weights(t, weighing, n, 1.0 / top, low, high)
            top = _sum(t, weighing, n, low, high, 1.0 / top, at(now, S), to, now)
            clear(now, 0, low)
            clear(now, high, S)
    return at(block, (rank % every + 1) * S)


def flow(
    t: Steps,
    weighing: Weighing,
    every: int,
    rank_sums: Annotated[FloatArray, Flat("rows, S")],
    block: Annotated[FloatArray, Flat("every + 1, S")],
    work: Annotated[FloatArray, Flat("memory")],
    p: Annotated[FloatArray, Flat("N, c + 1")],
    expected: Annotated[FloatArray, Flat("m + 1")],
):
    """Probability of each group at each rank, p (N, c + 1), rank after rank from the ``rank_sums`` of ``sums``.

    If ``rank_sums`` has every rank, it becomes the probability of every state. Otherwise the sums of a ``block`` of
    ranks are computed again. The first and last states with probabilities below ``LEAST`` are pruned. ``expected``
    (m + 1,) gets the measures' values and a bound on the probability that was lost, by pruning and because numbers
    fell below the range of a double.

    For each rank: 1. The sums B behind the states after it, and the weights of its steps. 2. Lists that go on with
    group 0 stay in their state: F_{n+1}(s) = F_n(s). 3. Lists that go on with group i add w_i(s) F_n(s) to F_{n+1}
    of the state that they lead to, and have the weight q(s) = w_i(s) F_n(s) B_{n+1} of that state. 4. Probabilities
    of groups, and values, are divided by the weight of all lists, ``mass``. 5. The probability of each state after
    the rank is F_{n+1}(s) B_{n+1}(s) / mass. 6. Pruning. 7. What was lost to the range.
    """
    N, c, S, m = t.ranks, t.groups, t.states, t.measures
    size, top, lost = 2 * S + 2 * LANES, 1.0, 0.0  # from the last state a step of weight 0 leads beyond
    q, F = work, at(work, S + LANES)
    to, gained = at(F, size), at(F, 2 * size)  # gained (m,): weights times gains at the rank
    F[0], low, high = 1.0, 0, LANES
    for n in range(N):
        window = at(t.windows, 2 * n + 2)  # after the rank
        # 1.
        behind, mass, row = _sums_behind(t, weighing, n, every, rank_sums, block, q), 0.0, at(p, n * (c + 1))
        weights(t, weighing, n, 1.0 / top, low, high)
        # 2.
        clear(gained, 0, m)
        row[c] = mass = _stay(low, high, 1.0 / top, F, behind, to)
        clear(to, high, high + t.strides[0] + LANES)
        # 3.
        for i in range(c):
            stride, w = t.strides[i], at(weighing.w, i * (S + LANES))
            weight = _move(low, high, F, w, at(behind, stride), at(to, stride), q)  # of lists with group i here
            row[i] = weight
            mass += weight
            for v in range(m):  # a_vn(i) weight + d_vn sum_s q(s) X_vi(s)
                d, X = t.d[v * N + n], at(t.X, (v * c + i) * S)
                gained[v] += t.a[(v * N + n) * c + i] * weight + (d * _dot(low, high, q, X) if d != 0.0 else 0.0)
        # 4.
        for i in range(c + 1):
            row[i] /= mass
        for v in range(m):
            expected[v] += gained[v] / mass
        # 5.
        F, to = to, F
        largest_behind = peak(behind, window[0], window[1])
        low, high = max(low, window[0]), min((high + t.strides[0] + LANES - 1) // LANES * LANES, window[1])
        clear(behind, window[0], low)
        clear(behind, high, window[1])
        _probabilities(low, high, 1.0 / mass, F, behind)
        # 6.
        while high > low and largest(load(behind, low)) < LEAST:
            lost += total(load(behind, low))
            store(0.0, behind, low)
            low += LANES
        while high > low and largest(load(behind, high - LANES)) < LEAST:
            high -= LANES
            lost += total(load(behind, high))
            store(0.0, behind, high)
        # 7.
        top = peak(F, low, high)
        lost += 2.0 * S * TINY * top * largest_behind / mass
    if every == 1:
        clear(rank_sums, 0, S)
        rank_sums[0] = 1.0
    expected[m] = lost


def draws(
    t: Steps,
    weighing: Weighing,
    every: int,
    rank_sums: Annotated[FloatArray, Flat("rows, S")],
    block: Annotated[FloatArray, Flat("every + 1, S")],
    work: Annotated[FloatArray, Flat("memory")],
    number: int,
    uniform: Annotated[FloatArray, Flat("number, N")],
    places: Annotated[IntArray, Flat("number")],
    groups: Annotated[IntArray, Flat("number, N")],
):
    """Groups (number, N) of the documents of random lists.

    They come from the ``rank_sums`` of ``sums`` and from uniform random numbers (number, N). ``places`` (number,)
    are the states that the lists are in. The probability of a step is proportional to its weight times the sum
    behind the state that it leads to.
    """
    N, c, S, to, e = t.ranks, t.groups, t.states, work, at(work, t.states + LANES)
    for n in range(N):
        behind = _sums_behind(t, weighing, n, every, rank_sums, block, to)
        weights(t, weighing, n, 1.0, t.windows[2 * n], t.windows[2 * n + 1])
        for sample in range(number):
            s = places[sample]
            e[c] = behind[s]
            for i in range(c):
                weight = weighing.w[i * (S + LANES) + s]
                e[i] = weight * behind[s + t.strides[i]] if weight > 0.0 else 0.0
            group = draw_index(e, c + 1, uniform[sample * N + n])
            groups[sample * N + n] = group
            places[sample] += t.strides[group] if group < c else 0


ENTRIES = (draws, sums, flow)
