"""What an iteration of Newton's method costs: its passes over the ranks, for one problem and eight side by side.

Microseconds a problem, the least of many runs, for E[GAP] with one to six positive grades, at a solution. What the
calls cost from Python, as measured on a list of one rank, is taken off.
"""

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np
import pandas as pd
from tqdm import tqdm

import maxent as me
from maxent.kernels.workspace import Workspace
from maxent.problem.certificate import relative_multipliers
from maxent.problem.reduced import single_batch

PASSES = {  # in the order in which they need each other
    "exponentials": ("softmax",),
    "value, gradient, residuals": ("gradient_down", "residuals"),
    "factorisation": ("forward",),
    "backward": ("backward",),
    "step": ("fastest_growth", "step_length", "move"),
    "border": ("border",),
}
LANES = 8


def loaded(levels: int, depth: int, lanes: int) -> Workspace:
    """The same solved problem in every lane."""
    counts = tuple(float(depth // (8 * (k + 1))) for k in range(levels))
    measure = me.GAP(g=tuple(np.full(levels, 1 / levels).tolist()))
    problem = me.Problem(measure, value=0.4, relevant=counts, retrieved=counts, depth=depth)
    solution, batch = me.solve(problem), single_batch(problem)
    (own,) = batch.topics
    work = Workspace(batch.depth, batch.c, batch.m, lanes)
    fields = {
        "a": own.a,
        "d": own.d,
        "K": own.K,
        "counts": batch.counts[0],
        "theta": np.log(solution.p[:, 1:] / solution.p[:, :1]),
        "multipliers": relative_multipliers(problem, solution.multipliers),
        "value": batch.value[0],
        "fresh": 1.0,
        "scaling": 1.0,
        "size": 1.0,
    }
    for name, values in fields.items():
        work[name][:] = np.asarray(values)[..., None]
    return work


def microseconds(work: Workspace, runs: int) -> dict[str, float]:
    """Least time of each of the passes, a problem."""
    least = dict.fromkeys(PASSES, np.inf)
    for _ in range(runs):
        for label, names in PASSES.items():
            start = time.perf_counter()
            work.run(*names)
            least[label] = min(least[label], 1e6 * (time.perf_counter() - start) / work.lanes)
    return least


def single_rank(levels: int, lanes: int) -> Workspace:
    """Hardly anything to do."""
    work = Workspace(1, levels, 1, lanes)
    work.whole[:] = work["size"][:] = work["theta"][:] = 1.0
    return work


def kernels(depth: int, runs: int) -> pd.DataFrame:
    """Microseconds of every pass, a column for each number of grades and of problems side by side."""
    cases = [(levels, lanes) for levels in range(1, 7) for lanes in (1, LANES)]
    all_ranks, one_rank = {}, {}
    for levels, lanes in tqdm(cases, disable=None):
        all_ranks[levels, lanes] = microseconds(loaded(levels, depth, lanes), runs)
        one_rank[levels, lanes] = microseconds(single_rank(levels, lanes), runs)
    found = pd.DataFrame(all_ranks) - pd.DataFrame(one_rank)
    found.loc["together"] = found.sum()
    return found.rename_axis(columns=["grades", "side by side"])


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=300)
    arguments = parser.parse_args(argv)
    print(kernels(arguments.depth, arguments.runs).to_string(float_format=lambda x: f"{x:.1f}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
