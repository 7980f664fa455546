"""Slow twins of the fast code, written as loops straight from the papers."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Lists = Sequence[int]
Gain = str | tuple[float, ...]


def ap(grades: Lists, relevant: Sequence[float], rel: int = 1) -> float:
    """GAP paper 3.1.1 and Kishida eq. 5."""
    total = sum(relevant[rel - 1 :])
    if total == 0:
        return 0.0
    value = 0.0
    for n in range(1, len(grades) + 1):
        if grades[n - 1] >= rel:
            value += sum(g >= rel for g in grades[:n]) / n
    return value / total


def gap(grades: Lists, relevant: Sequence[float], g: Sequence[float]) -> float:
    """GAP paper 2.2, with the contribution function delta spelled out."""
    norm = sum(relevant[i] * sum(g[: i + 1]) for i in range(len(relevant)))
    if norm == 0:
        return 0.0
    value = 0.0
    for n in range(1, len(grades) + 1):
        inner = 0.0
        for m in range(1, n + 1):
            inner += sum(g[j - 1] for j in range(1, min(grades[m - 1], grades[n - 1]) + 1))
        value += inner / n
    return value / norm


def xgap(grades: Lists, relevant: Sequence[float], g: Sequence[float]) -> float:
    """xGAP paper eq. 5."""
    base = [sum(relevant[k:]) for k in range(len(relevant))]
    value = 0.0
    for n, pivot in enumerate(grades, start=1):
        regarded = sum(g[:pivot])
        if regarded > 0:
            chosen = sum(g[k] / base[k] for k in range(pivot) if base[k] > 0)
            value += chosen / regarded * sum(sum(g[: min(pivot, other)]) for other in grades[:n]) / n
    return value


def egap(grades: Lists, relevant: Sequence[float], g: Sequence[float]) -> float:
    """xGAP paper eq. 6: the mean of AP over the thresholds that some document reaches."""
    return sum(g[k - 1] * ap(grades, relevant, k) for k in range(1, len(relevant) + 1))


def mu_ap(grades: Lists, relevant: Sequence[float], levels: Sequence[float] | None) -> float:
    """The muAP paper's eq. 4 over the levels in use."""
    ratings = levels or range(1, len(relevant) + 1)
    value, total, below = 0.0, 0.0, 0.0
    for grade, (rating, count) in enumerate(zip(ratings, relevant, strict=True), start=1):
        if count > 0:
            value += ap(grades, relevant, grade) * (rating - below)
            total += rating - below
            below = rating
    return value / total if total else 0.0


def _gain(gain: Gain, grade: int) -> float:
    if grade == 0:
        return 0.0
    if isinstance(gain, tuple):
        return gain[grade - 1]
    return {"linear": float(grade), "exp2": 2.0**grade - 1, "exp": math.exp(grade) - 1}[gain]


def _discount(discount: str, b: float, n: int) -> float:
    if discount == "log2":
        return 1 / math.log2(n + 1)
    if discount == "inverse":
        return 1 / n
    return 1.0 if n < b else 1 / math.log(n, b)


def cumulated_gain(grades: Lists, relevant: Sequence[float], gain: Gain, cutoff: int | None) -> float:
    """Kishida eq. 29."""
    return sum(_gain(gain, grade) for grade in grades[:cutoff])


def dcg(
    grades: Lists,
    relevant: Sequence[float],
    gain: Gain,
    discount: str,
    b: float,
    cutoff: int | None,
) -> float:
    """Kishida eq. 30 and GAP paper figure 1."""
    value = 0.0
    for n, grade in enumerate(grades[:cutoff], start=1):
        value += _gain(gain, grade) * _discount(discount, b, n)
    return value


def ndcg(
    grades: Lists,
    relevant: Sequence[int],
    gain: Gain,
    discount: str,
    b: float,
    cutoff: int | None,
) -> float:
    """DCG over that of all judged documents in the best order."""
    everything = [grade for grade, count in enumerate(relevant, start=1) for _ in range(int(count))]
    everything.sort(key=lambda grade: -_gain(gain, grade))
    ideal = dcg(everything, relevant, gain, discount, b, cutoff)
    return dcg(grades, relevant, gain, discount, b, cutoff) / ideal if ideal > 0 else 0.0


def precision_at(grades: Lists, relevant: Sequence[float], cutoff: int, rel: int = 1) -> float:
    """Kishida eq. 2."""
    return sum(g >= rel for g in grades[:cutoff]) / cutoff


def r_precision(grades: Lists, relevant: Sequence[float], rel: int = 1) -> float:
    """Kishida eq. 6."""
    total = int(sum(relevant[rel - 1 :]))
    return sum(g >= rel for g in grades[:total]) / total if total else 0.0


def _ideal(relevant: Sequence[int], gain: Gain) -> list[float]:
    """Kishida's y: the gains of all judged documents in the best order."""
    return sorted((_gain(gain, i + 1) for i in range(len(relevant)) for _ in range(int(relevant[i]))), reverse=True)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def generalised_ap(grades: Lists, relevant: Sequence[int], gain: Gain) -> float:
    """Kishida eqs. 41-42."""

    def total(x: Sequence[float]) -> float:
        return sum(sum(x[: i + 1]) / (i + 1) for i in range(len(x)) if x[i] > 0)

    return _ratio(total([_gain(gain, i) for i in grades]), total(_ideal(relevant, gain)))


def weighted_ap(grades: Lists, relevant: Sequence[int], gain: Gain) -> float:
    """Kishida eq. 34."""
    x, y = [_gain(gain, i) for i in grades], _ideal(relevant, gain)
    r = sum(v > 0 for v in y)
    return _ratio(sum(_ratio(sum(x[: i + 1]), sum(y[: i + 1])) for i in range(len(x)) if x[i] > 0), r)


def q_measure(grades: Lists, relevant: Sequence[int], beta: float, gain: Gain) -> float:
    """Kishida eq. 35, with Sakai's beta."""
    x, y = [_gain(gain, i) for i in grades], _ideal(relevant, gain)
    value = 0.0
    for i in range(1, len(x) + 1):
        if x[i - 1] > 0:
            value += sum(beta * v + 1 for v in x[:i] if v > 0) / (i + beta * sum(y[:i]))
    return _ratio(value, sum(v > 0 for v in y))


def ndcng(grades: Lists, relevant: Sequence[int], gain: Gain, cutoff: int | None) -> float:
    """The muAP paper's eq. 5."""
    most = max((_gain(gain, i + 1) for i, count in enumerate(relevant) if count), default=0.0)
    if most == 0:
        return 0.0
    table = tuple(2 ** min(_gain(gain, i + 1) / most, 1.0) - 1 for i in range(len(relevant)))
    return ndcg(grades, relevant, table, "log2", 2, cutoff)


def mean_ndcg(
    grades: Lists, relevant: Sequence[int], gain: Gain, discount: str, b: float, cutoff: int | None
) -> float:
    """Kishida eq. 32."""
    n = cutoff or len(grades)
    return sum(ndcg(grades, relevant, gain, discount, b, i) for i in range(1, n + 1)) / n


def sliding_ratio(
    grades: Lists, relevant: Sequence[int], gain: Gain, cutoff: int | None, modified: bool = False
) -> float:
    """Kishida eq. 26, and eq. 27 where modified."""
    n = cutoff or len(grades)
    sums = [0.0, 0.0]
    for which, values in enumerate(([_gain(gain, i) for i in grades], _ideal(relevant, gain))):
        for k, value in enumerate(values[:n], start=1):
            sums[which] += value / k if modified else value
    return _ratio(*sums)


def generalised_precision(grades: Lists, relevant: Sequence[int], gain: Gain, cutoff: int | None) -> float:
    """Kishida 4.1.4, g_P."""
    most = max(_gain(gain, i + 1) for i in range(len(relevant)))
    return sum(_ratio(_gain(gain, i), most) for i in grades[:cutoff]) / (cutoff or len(grades))


def generalised_recall(grades: Lists, relevant: Sequence[int], gain: Gain, cutoff: int | None) -> float:
    """Kishida 4.1.4, g_R."""
    return _ratio(sum(_gain(gain, i) for i in grades[:cutoff]), sum(_ideal(relevant, gain)))


def normalised(grades: Lists, relevant: Sequence[int], rel: int, size: int | None, log: bool) -> float:
    """Kishida eqs. 7 and 8, a document not found at the mean of the last R ranks."""
    n, r = size or len(grades), sum(relevant[rel - 1 :])
    place = math.log if log else float
    found = [place(i) for i, grade in enumerate(grades, start=1) if grade >= rel]
    if r == 0 or r >= n:
        return _ratio(len(found), r)
    worst = sum(place(i) for i in range(n - r + 1, n + 1)) / r
    spent = sum(found) + (r - len(found)) * worst - sum(place(i) for i in range(1, r + 1))
    return 1 - spent / (math.log(math.comb(n, r)) if log else r * (n - r))


def err(grades: Lists, relevant: Sequence[int], gain: Gain, top: int | None, cutoff: int | None) -> float:
    """Chapelle et al., algorithm 2: p is the probability that the user comes so far."""
    scale = range(1, (top or len(relevant)) + 1) if isinstance(gain, str) else range(1, len(gain) + 1)
    most = max(_gain(gain, i) for i in scale)
    p, value = 1.0, 0.0
    for r, grade in enumerate(grades[:cutoff], start=1):
        stop = _gain(gain, grade) / (most + 1)
        value += p * stop / r
        p *= 1 - stop
    return value


def nerr(grades: Lists, relevant: Sequence[int], gain: Gain, top: int | None, cutoff: int | None) -> float:
    """ERR over that of the best order of all judged documents."""
    best = [i + 1 for i in range(len(relevant)) for _ in range(relevant[i])]
    best.sort(key=lambda i: -_gain(gain, i))
    return _ratio(err(grades, relevant, gain, top, cutoff), err(best, relevant, gain, top, cutoff))


def reciprocal_rank(grades: Lists, relevant: Sequence[float], rel: int, cutoff: int | None) -> float:
    """One over the rank of the first relevant document."""
    return next((1 / n for n, grade in enumerate(grades[:cutoff], start=1) if grade >= rel), 0.0)


def half_life(grades: Lists, relevant: Sequence[float], gain: Gain) -> float:
    """Median for grouped data: lower limit of the median class, and its part that is needed."""
    x = [_gain(gain, i) for i in grades]
    half, before = sum(x) / 2, 0.0
    for n, value in enumerate(x):
        if value > 0 and before + value >= half - 1e-9:
            return n + (half - before) / value
        before += value
    return math.inf


def average_distance(grades: Lists, relevant: Sequence[int], gain: Gain, size: int | None) -> float:
    """Kishida eq. 38, over the list and the relevant documents that it misses."""
    most = max(_gain(gain, i + 1) for i in range(len(relevant)))
    pairs = [(1 - n / len(grades), _ratio(_gain(gain, grade), most)) for n, grade in enumerate(grades)]
    for i, count in enumerate(relevant, start=1):
        pairs += [(0.0, _ratio(_gain(gain, i), most))] * max(count - list(grades).count(i), 0)
    return 1 - sum(abs(s - x) for s, x in pairs) / (size or len(pairs))


def bpref(grades: Lists, relevant: Sequence[int], rel: int, judged: Sequence[bool], total: int) -> float:
    """trec_eval's bpref; ``judged`` says of the documents of grade 0 whether they are judged."""
    r, n = sum(relevant[rel - 1 :]), total + sum(relevant[: rel - 1])
    value, preceding = 0.0, 0
    for grade, known in zip(grades, judged, strict=True):
        if grade >= rel:
            value += 1 - min(preceding, r) / min(r, n) if preceding else 1
        elif grade > 0 or known:
            preceding += 1
    return _ratio(value, r)


def rbp(grades: Lists, relevant: Sequence[float], p: float, rel: int = 1, gain: Gain | None = None) -> float:
    """Rank-biased precision as a running product, of relevance or of shares of the largest gain."""
    value, patience = 0.0, 1.0
    most = 1.0 if gain is None else max(_gain(gain, i + 1) for i in range(len(relevant)))
    for grade in grades:
        worth = float(grade >= rel) if gain is None else _ratio(_gain(gain, grade), most)
        value += (1 - p) * patience * worth
        patience *= p
    return value


def broken_stick(grades: Lists, relevant: Sequence[float], rel: int = 1, gain: Gain | None = None) -> float:
    """Mean precision, or mean share of the largest gain, over the cutoffs 1 to the length of the list."""
    most = 1.0 if gain is None else max(_gain(gain, i + 1) for i in range(len(relevant)))
    worth = [float(grade >= rel) if gain is None else _ratio(_gain(gain, grade), most) for grade in grades]
    return sum(sum(worth[:k]) / k for k in range(1, len(grades) + 1)) / len(grades)


def recall_at(grades: Lists, relevant: Sequence[float], cutoff: int, rel: int = 1) -> float:
    """Share of the relevant documents that are among the first."""
    return _ratio(sum(g >= rel for g in grades[:cutoff]), sum(relevant[rel - 1 :]))


def success_at(grades: Lists, cutoff: int, rel: int = 1) -> float:
    """Whether one of the first documents is relevant."""
    return float(any(g >= rel for g in grades[:cutoff]))


def found_at_most(relevant: Sequence[float], gain: Gain, cutoff: int | None) -> float:
    """R over min(cutoff, R), by which NTCIREVAL's normaliser at a cutoff differs."""
    r = sum(count for i, count in enumerate(relevant, start=1) if _gain(gain, i) > 0)
    return _ratio(r, r if cutoff is None else min(r, cutoff))


def all_lists(depth: int, levels: int) -> NDArray[np.int64]:
    """Every list of grades, shape ((levels + 1) ** depth, depth)."""
    return np.array(list(itertools.product(range(levels + 1), repeat=depth)), dtype=np.int64)


def probabilities(lists: NDArray[np.int64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability of each list under independent ranks."""
    found = np.ones(len(lists))
    for k, grades in enumerate(lists):
        for n, grade in enumerate(grades):
            found[k] *= p[n, grade]
    return found


def precision_where_present(
    lists: NDArray[np.int64], chances: Sequence[float], documents: int, threshold: int = 1
) -> list[float]:
    """E[k / n_k] over the lists that have k relevant documents; k / N if no list has."""
    found = []
    for k in range(1, documents + 1):
        total = exists = 0.0
        for grades, chance in zip(lists, chances, strict=True):
            ranks = [n for n, grade in enumerate(grades, start=1) if grade >= threshold]
            if len(ranks) >= k:
                total += chance * k / ranks[k - 1]
                exists += chance
        found.append(total / exists if exists > 0 else k / lists.shape[1])
    return found


def curve_error(
    hits: Sequence[float], base: float, ranks: Sequence[int], align: str, same: float = 1e-9
) -> tuple[float, float]:
    """RMS and mean absolute error, from the probability of a relevant document at every rank (GAP paper 4.1).

    ``ranks`` are those of a list's relevant documents. Recalls that differ by less than ``same`` are equal.
    """
    count, squares, absolutes = [sum(hits[:n]) for n in range(len(hits) + 1)], 0.0, 0.0
    if align == "every-rank":
        every_rank = range(1, len(count))
        off = [(count[n] - sum(rank <= n for rank in ranks)) / n for n in every_rank]
        return math.sqrt(sum(x**2 for x in off) / len(off)), sum(map(abs, off)) / len(off)
    for k, rank in enumerate(ranks, start=1):
        if align == "rank":
            inferred = count[rank] / rank
        elif align == "expected":
            every = all_lists(len(hits), 1)
            chances = probabilities(every, np.column_stack((1 - np.array(hits), hits)))
            inferred = precision_where_present(every, chances.tolist(), k)[-1]
        else:
            reaching = [n for n in range(1, len(count)) if count[n] / base >= k / base - same]
            right = reaching[0] if reaching else len(hits)
            inferred, left = count[right] / right, right - 1
            if left and count[right] > count[left]:
                share = min(max((k - count[left]) / (count[right] - count[left]), 0.0), 1.0)
                inferred = (1 - share) * count[left] / left + share * count[right] / right
        squares += (inferred - k / rank) ** 2
        absolutes += abs(inferred - k / rank)
    return math.sqrt(squares / len(ranks)), absolutes / len(ranks)
