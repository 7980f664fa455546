"""Random maximum-entropy problems of every kind a user can state, ordinary and extreme.

Small problems dominate so that very many can be solved; depth reaches 5000 and there are up to six grades.
"""

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import maxent as me
from maxent.measures import DISCOUNTS, GAINS, MEASURES
from maxent.problem import COUNTS

KINDS = (
    "observed", "rounded", "inside", "low end", "high end", "below", "above", "near low", "near high", "perfect",
    "worst",
)  # fmt: skip
OF_A_LIST = ("observed", "rounded", "perfect", "worst")  # these values need whole documents


class Labels(NamedTuple):
    """Where a problem is counted: class of its measure, kind of its value."""

    measure: str
    kind: str


def random_problem(rng: np.random.Generator) -> tuple[me.Problem, Labels]:
    """One problem and its labels."""
    kind = str(rng.choice(KINDS))
    depth, levels = _depth(rng), int(rng.integers(1, 7))
    grades = _list(rng, depth, levels)
    retrieved = np.bincount(grades, minlength=levels + 1)[1:].astype(float)
    if kind not in OF_A_LIST and rng.random() < 0.4:
        retrieved = _fractional(rng, retrieved, depth)
    relevant = retrieved + rng.choice([0, 1, 3, 30]) * rng.random(levels).round(0 if kind in OF_A_LIST else 3)
    name = str(rng.choice(list(PARAMETERS)))
    problem = me.Problem(
        _measure(rng, name, levels, depth),
        value=0.5,
        relevant=tuple(relevant.tolist()),
        retrieved=tuple(retrieved.tolist()),
        depth=depth,
        count=COUNTS[rng.integers(3)],
    )
    if problem.overfull and kind not in OF_A_LIST:  # it has no ends
        return problem, Labels(name, "overfull")
    return dataclasses.replace(problem, value=_value(rng, problem, kind, grades)), Labels(name, kind)


# --- counts and lists ---


def _depth(rng: np.random.Generator) -> int:
    """1, 2 and 3 often, mostly below 60, at most 5000."""
    if rng.random() < 0.2:
        return int(rng.integers(1, 4))
    most = 60 if rng.random() < 0.8 else 5000
    return int(np.exp(rng.uniform(0, np.log(most + 1))))


def _list(rng: np.random.Generator, depth: int, levels: int) -> np.ndarray:
    """Grades (depth,): sorted, random or in between; some grades may not occur, or only relevant, or none."""
    share = rng.choice([0.0, 1.0, rng.random(), 0.1 * rng.random()], p=[0.05, 0.15, 0.4, 0.4])
    grade = rng.dirichlet(np.full(levels, rng.choice([0.2, 1.0, 5.0])))
    grades = np.where(rng.random(depth) < share, rng.choice(np.arange(1, levels + 1), depth, p=grade), 0)
    order = np.argsort(rng.normal(size=depth) - rng.choice([-5.0, -0.5, 0.0, 0.5, 5.0]) * grades)
    return grades[order]


def _fractional(rng: np.random.Generator, counts: np.ndarray, depth: int) -> np.ndarray:
    """Counts that are not whole numbers, sometimes of a list that has (almost) only relevant documents."""
    match rng.integers(4):
        case 0:  # moved between grades: the sum stays exactly what it was
            i, j = rng.integers(len(counts), size=2)
            moved = counts[i] * rng.integers(9) / 8
            counts[i] -= moved
            counts[j] += moved
            return counts
        case 1:  # the whole list, up to rounding or a little more
            counts = rng.dirichlet(np.ones(len(counts))) * depth * (1 - rng.choice([0, 1e-15, 1e-12, 1e-6]))
            return counts if counts.sum() <= depth else counts * (1 - 1e-14)
        case 2:  # tiny expected counts
            return counts * 10.0 ** -rng.uniform(0, 8)
        case _:
            return counts * rng.random(len(counts))


# --- measures ---


def _g(rng: np.random.Generator, levels: int, depth: int) -> dict[str, object]:
    """Threshold probabilities, some of them zero."""
    g = rng.dirichlet(np.full(levels, rng.choice([0.3, 1.0, 10.0])))
    used = rng.random(levels) < rng.choice([0.2, 0.7, 1.0])
    g = np.where(used, g, 0.0) if g[used].sum() > 0 else np.eye(levels)[rng.integers(levels)]
    return {"g": tuple((g / g.sum()).tolist())}


def _levels(rng: np.random.Generator, levels: int, depth: int) -> dict[str, object]:
    """Ratings that grades stand for: increasing, at distances of all sizes."""
    ratings = np.cumsum(rng.choice([1.0, 10 * rng.random(), 1e-3], levels))
    return {"levels": tuple(ratings.tolist())} if rng.random() < 0.7 else {}


def _rel(rng: np.random.Generator, levels: int, depth: int) -> dict[str, object]:
    return {"rel": int(rng.integers(1, levels + 1)) if rng.random() < 0.5 else 1}


def _p(rng: np.random.Generator, levels: int, depth: int) -> dict[str, object]:
    return {"p": float(rng.choice([0.8, rng.uniform(0.01, 0.99), 1e-3, 0.999]))}


def _gain(rng: np.random.Generator, levels: int, depth: int) -> dict[str, object]:
    """A name, or a table with equal entries and zeros."""
    table = (rng.choice([0, 1, 1, 2, 10 * rng.random()], levels) * rng.choice([1, 1e-3, 100])).tolist()
    return {"gain": tuple(table) if rng.random() < 0.4 else str(rng.choice(list(GAINS)))}


def _rel_or_gain(rng: np.random.Generator, levels: int, depth: int) -> dict[str, object]:
    return (_rel if rng.random() < 0.5 else _gain)(rng, levels, depth)


def _beta(rng: np.random.Generator, levels: int, depth: int) -> dict[str, object]:
    return {"beta": float(rng.choice([0, 1, 100, rng.uniform(0, 2), rng.uniform(0, 100)]))}


def _discount(rng: np.random.Generator, levels: int, depth: int) -> dict[str, object]:
    discount = str(rng.choice(DISCOUNTS))
    base = {"b": float(rng.choice([2, 10, rng.uniform(1.01, 20)]))} if discount == "jk" else {}
    return {"discount": discount, **base}


def _rank(rng: np.random.Generator, levels: int, depth: int) -> dict[str, object]:
    """A cutoff, sometimes beyond the list."""
    return {"cutoff": int(np.exp(rng.uniform(0, np.log(2 * depth))))}


def _cutoff(rng: np.random.Generator, levels: int, depth: int) -> dict[str, object]:
    return _rank(rng, levels, depth) if rng.random() < 0.4 else {}


def _size(rng: np.random.Generator, levels: int, depth: int) -> dict[str, object]:
    """Documents in the database: as many as ranks, a few or many more."""
    return {"size": depth + int(rng.choice([0, 1, depth, 10**6]))} if rng.random() < 0.6 else {}


PARAMETERS: dict[str, tuple[Callable[[np.random.Generator, int, int], dict[str, object]], ...]] = {
    "AP": (_rel, _cutoff),
    "GAP": (_g, _cutoff),
    "xGAP": (_g, _cutoff),
    "eGAP": (_g, _cutoff),
    "muAP": (_levels, _cutoff),
    "gAP": (_gain, _cutoff),
    "wAP": (_gain, _cutoff),
    "Q": (_gain, _beta, _cutoff),
    "nDCG": (_gain, _discount, _cutoff),
    "mnDCG": (_gain, _discount, _cutoff),
    "NDCNG": (_gain, _cutoff),
    "DCG": (_gain, _discount, _cutoff),
    "CG": (_gain, _cutoff),
    "SR": (_gain, _cutoff),
    "mSR": (_gain, _cutoff),
    "gP": (_gain, _cutoff),
    "gR": (_gain, _cutoff),
    "P": (_rank, _rel),
    "R": (_rank, _rel),
    "Rprec": (_rel,),
    "nRecall": (_rel, _size),
    "nPrecision": (_rel, _size),
    "RBP": (_p, _rel_or_gain, _cutoff),
    "BrokenStick": (_rel_or_gain,),
}
"""How the parameters of every measure are drawn, from a generator, the number of grades and the depth."""


def _measure(rng: np.random.Generator, name: str, levels: int, depth: int) -> me.measures.Measure:
    given = {k: v for draw in PARAMETERS[name] for k, v in draw(rng, levels, depth).items()}
    return MEASURES[name](**given)


# --- values ---


def _value(rng: np.random.Generator, problem: me.Problem, kind: str, grades: np.ndarray) -> float:
    """Value of the kind wanted; those of a list may well be unattainable for ``count="total"``."""
    if kind in OF_A_LIST:
        grades = {"perfect": -np.sort(-grades), "worst": np.sort(grades)}.get(kind, grades)
        value = float(problem.measure.evaluate(grades, problem.relevant))
        return float(f"{value:.4f}") if kind == "rounded" else value
    ends = problem.ends
    low, high = (end.listed for end in ends)  # between these every value is attained, beyond the ends none
    largest = max(abs(low), abs(high)) or 1.0
    match kind:
        case "inside":
            return low + (high - low) * rng.random()
        case "near low":
            return low + (high - low) * 10 ** -rng.uniform(1, 12)
        case "near high":
            return high - (high - low) * 10 ** -rng.uniform(1, 12)
        case "below":
            return ends[0].value - largest * 10 ** -rng.uniform(0, 9)
        case "above":
            return ends[1].value + largest * 10 ** -rng.uniform(0, 9)
    return low if kind == "low end" else high
