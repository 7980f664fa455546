"""How much faster than general solvers? Ratios in one run, on real problems, at the same optimum.

Problems are lists of ``covid-round4`` (two positive grades) and ``clef2014`` (three) at depth 1000,
``count="retrieved"``, drawn at random; for four and five grades some documents of clef2014's lists go up a grade at
random. Each is solved by the structured Newton solver (the whole of ``me.solve``, warm, median of five) and by its
peers (their solve call alone); entropies must agree to 1e-6 of the entropy. SciPy's solvers get shorter lists.
Prints medians and ratios.
"""

import argparse
import dataclasses
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import peers
from tqdm import tqdm

import maxent as me
from maxent.solvers.back_end_problem import ReducedProblem

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


class Case(NamedTuple):
    """A row of the table: collection, measure, number of positive grades, peers, and the depth of the lists."""

    name: str
    folder: str
    measure: str
    levels: int
    peers: tuple[peers.Peer, ...]
    depth: int = 1000
    share: float = 1.0  # of the number of problems


GENERAL = (peers.cvxpy_ipopt, peers.casadi_ipopt)
CASES = (
    Case("E[GAP], 2 grades", "covid-round4", "GAP(g=0.5,0.5)", 2, GENERAL),
    Case("E[GAP], 3 grades", "clef2014", "GAP(g=0.3,0.3,0.4)", 3, GENERAL),
    Case("E[GAP], 4 grades", "clef2014", "GAP(g=0.3,0.2,0.2,0.3)", 4, GENERAL),
    Case("E[GAP], 5 grades", "clef2014", "GAP(g=0.2,0.2,0.2,0.2,0.2)", 5, GENERAL),
    Case("E[AP]", "covid-round4", "AP", 1, (peers.casadi_fatrop, peers.casadi_ipopt)),
    Case("E[nDCG]", "covid-round4", "nDCG(gain=exp2)", 2, (peers.cvxpy_clarabel, peers.numpy_dual_newton)),
    Case("E[GAP], depth 200", "covid-round4", "GAP(g=0.5,0.5)", 2, (peers.scipy_trust_constr,), 200, 0.2),
)


def draw(case: Case, number: int, rng: np.random.Generator, data: Path = DATA) -> list[me.Problem]:
    """Problems of random lists with at least five retrieved documents of each grade (two in shorter lists)."""
    folder = data / case.folder
    paths = sorted((folder / "runs").iterdir())
    chosen = [paths[k] for k in rng.choice(len(paths), 12, replace=False)]
    collection = me.collect({p.name: me.read_run(p) for p in chosen}, me.read_qrels(folder / "qrels.txt"))
    lists = [
        regraded(grades[: case.depth], relevant, case.levels, rng)
        for of_topic, relevant in zip(collection.grades, collection.relevant, strict=True)
        for grades in of_topic
    ]
    least = 5 if case.depth == 1000 else 2
    usable = [(g, r) for g, r in lists if np.bincount(g, minlength=len(r) + 1)[1:].min() >= least]
    measure = me.parse_measure(case.measure)
    return [me.Problem.of_list(measure, *usable[k]) for k in rng.choice(len(usable), number, replace=False)]


def regraded(
    grades: np.ndarray, relevant: np.ndarray, levels: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """A list with another number of positive grades: all as one, or the largest grades split at random."""
    if levels == 1:
        return np.minimum(grades, 1), np.array([relevant.sum()])
    grades, counts = grades.astype(np.int64), list(relevant)
    while len(counts) < levels:  # half of the documents of the largest grade become the next one
        largest = int(np.argmax(np.bincount(grades, minlength=len(counts) + 1)[1:])) + 1
        up = (grades == largest) & (rng.random(len(grades)) < 0.5)
        grades = np.where(grades > largest, grades + 1, grades)
        grades[up] += 1
        counts = [*counts[: largest - 1], counts[largest - 1] - up.sum(), up.sum(), *counts[largest:]]
    return grades, np.array(counts)


def newton(problem: me.Problem) -> tuple[float, float]:
    """Median seconds of five warm solves, and the entropy."""
    times = []
    for _ in range(5):
        fresh = dataclasses.replace(problem)
        start = time.perf_counter()
        solution = me.solve(fresh)
        times.append(time.perf_counter() - start)
    return float(np.median(times)), solution.entropy


def compare(number: int, *, rng: np.random.Generator, data: Path = DATA) -> pd.DataFrame:
    """A row per problem and peer: case, peer, newton_ms, peer_ms, ratio, difference of the entropies."""
    rows = []
    for case in CASES:
        problems = draw(case, max(1, round(case.share * number)), rng, data)
        newton(problems[0])  # compiled or read from the cache
        for problem in tqdm(problems, desc=case.name, disable=None):
            reduced = ReducedProblem.of(problem)
            seconds, entropy = newton(problem)
            for peer in case.peers:
                other, found = peer(reduced)
                difference = abs(found - entropy) / max(1.0, entropy)
                rows.append((case.name, peer.__name__, 1e3 * seconds, 1e3 * other, other / seconds, difference))
    return pd.DataFrame(rows, columns=["case", "peer", "newton_ms", "peer_ms", "ratio", "difference"])


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; 1 if some peer found another optimum."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=50, help="problems per case (default: 50)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(argv)
    table = compare(arguments.number, rng=np.random.default_rng(arguments.seed))
    summary = table.groupby(["case", "peer"], sort=False).agg(
        newton_ms=("newton_ms", "median"),
        peer_ms=("peer_ms", "median"),
        ratio=("ratio", "median"),
        worst_difference=("difference", "max"),
        agree=("difference", lambda d: f"{(d < 1e-6).sum()}/{len(d)}"),
    )
    print(summary.to_string(float_format=lambda x: f"{x:.3g}"))
    return int((table["difference"] >= 1e-6).any())


if __name__ == "__main__":
    sys.exit(main())
