"""How much faster than general solvers? Ratios in one run, on real problems, at the same optimum.

Problems are lists of ``covid-round4`` (three grades) and ``clef2014`` (four) at depth 1000, ``count="retrieved"``,
drawn at random. Each is solved by the structured Newton solver (warm, median of five) and by its peers (their solve
call alone); entropies must agree to 1e-6 of the entropy. Prints a table of medians and ratios.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import peers
from tqdm import tqdm

import maxent as me
from maxent.solvers.interior import Interior
from maxent.solvers.newton import solve_newton

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
CASES: tuple[tuple[str, str, str, tuple[peers.Peer, ...]], ...] = (
    ("E[GAP], 2 grades", "covid-round4", "GAP(g=0.5,0.5)", (peers.cvxpy_ipopt, peers.casadi_ipopt)),
    ("E[GAP], 3 grades", "clef2014", "GAP(g=0.3,0.3,0.4)", (peers.cvxpy_ipopt, peers.casadi_ipopt)),
    ("E[AP]", "covid-round4", "AP", (peers.casadi_fatrop, peers.casadi_ipopt)),
    ("E[nDCG]", "covid-round4", "nDCG(gain=exp2)", (peers.cvxpy_clarabel, peers.numpy_dual_newton)),
)


def draw(folder: Path, measure: me.Measure, number: int, rng: np.random.Generator) -> list[me.Problem]:
    """Problems of random lists with at least five retrieved documents of each grade."""
    paths = sorted((folder / "runs").iterdir())
    chosen = [paths[k] for k in rng.choice(len(paths), 12, replace=False)]
    collection = me.collect({p.name: me.read_run(p) for p in chosen}, me.read_qrels(folder / "qrels.txt"))
    if str(measure) == "AP":  # a binary measure sees one grade
        lists = [
            (np.minimum(g, 1), [r.sum()])
            for gs, r in zip(collection.grades, collection.relevant, strict=True)
            for g in gs
        ]
    else:
        lists = [(g, r) for gs, r in zip(collection.grades, collection.relevant, strict=True) for g in gs]
    usable = [(g, r) for g, r in lists if np.bincount(g, minlength=len(r) + 1)[1:].min() >= 5]
    return [me.Problem.of_list(measure, *usable[k]) for k in rng.choice(len(usable), number, replace=False)]


def newton(inner: Interior) -> tuple[float, float]:
    """Median seconds of five warm solves, and the entropy."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        candidate = solve_newton(inner)
        times.append(time.perf_counter() - start)
    return float(np.median(times)), peers.entropy(candidate.p[:, 1:])


def compare(number: int, *, rng: np.random.Generator, data: Path = DATA) -> pd.DataFrame:
    """A row per problem and peer: case, peer, newton_ms, peer_ms, ratio, difference of the entropies."""
    rows = []
    for case, folder, text, others in CASES:
        problems = draw(data / folder, me.parse_measure(text), number, rng)
        newton(Interior(problems[0]))  # compiled or read from the cache
        for problem in tqdm(problems, desc=case, disable=None):
            inner = Interior(problem)
            seconds, entropy = newton(inner)
            for peer in others:
                other, found = peer(inner)
                difference = abs(found - entropy) / max(1.0, entropy)
                rows.append((case, peer.__name__, 1e3 * seconds, 1e3 * other, other / seconds, difference))
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
