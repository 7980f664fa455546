"""Does every problem get a right answer? Random problems of all kinds, each solution confirmed independently.

Every problem must end as infeasible, or as optimal or boundary and accepted by its own certificate; ``confirm.py``,
which shares nothing with it, must confirm all three. There is no exception and no warning, and the time is like
that of others of its size.
Prints a table of measure by kind of value; what is wrong goes to stderr, or to a file, one problem a line.
"""

import argparse
import dataclasses
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from confirm import confirm
from random_problems import Labels, random_problem
from tqdm import tqdm

import maxent as me

SLOW = 50  # times the median of problems of the same size
ENOUGH = 10  # problems that make a median


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of one problem; ``wrong`` is empty if all is well, else the defect and its description."""

    problem: str
    measure: str
    kind: str
    grades: int
    depth: int
    status: str = ""
    wrong: str = ""
    reason: str = ""
    seconds: float = np.nan


def attempt(problem: me.Problem, labels: Labels) -> Outcome:
    """Solve and confirm one problem, warnings as errors."""
    outcome = Outcome(repr(problem), *labels, len(problem.merged_grades), problem.depth)
    try:
        solution, seconds = timed(problem)
    except Exception as error:  # reported with the problem that raised it
        return dataclasses.replace(outcome, wrong="raised", reason=f"{type(error).__name__}: {error}")
    outcome = dataclasses.replace(outcome, status=solution.status, seconds=seconds)
    if solution.status == "failed":
        return dataclasses.replace(outcome, wrong="failed", reason=solution.message)
    reason = confirm(solution)
    if solution.status != "infeasible" and not solution.certificate.accepted:
        reason = f"not accepted: {solution.certificate}; {reason}"
    return dataclasses.replace(outcome, wrong="unconfirmed" if reason else "", reason=reason)


def timed(problem: me.Problem) -> tuple[me.problem.Solution, float]:
    """Solution with its certificate, and the seconds they took."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        start = time.perf_counter()
        solution = me.solve(problem)
        assert solution.certificate is not None  # computed here, so that it is timed
        return solution, time.perf_counter() - start


def stress(number: int, seed: int = 0) -> pd.DataFrame:
    """Outcomes of that many problems, one a row; problem k depends on ``seed`` and k alone."""
    outcomes = []
    for k in tqdm(range(number), unit="problem", disable=None):
        try:
            problem, labels = random_problem(np.random.default_rng((seed, k)))
        except Exception as error:  # the ends of its interval could not be computed
            text = f"random_problem(np.random.default_rng(({seed}, {k})))"
            reason = f"{type(error).__name__}: {error}"
            outcomes.append(Outcome(text, "?", "?", 0, 0, wrong="raised", reason=reason))
            continue
        if k == 0:
            warm_up()
        outcomes.append(attempt(problem, labels))
    return with_ratios(pd.DataFrame(outcomes), seed)


def warm_up() -> None:
    """Compile the solver for every number of grades."""
    for levels in range(1, 7):
        g = tuple(np.full(levels, 1 / levels).tolist())
        counts = (2,) * levels
        for count in ("retrieved", "at_most"):
            me.solve(me.Problem(me.GAP(g=g), value=0.4, relevant=counts, retrieved=counts, depth=40, count=count))


def with_ratios(table: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Add each problem's time relative to the median of its size; what seems slow is timed again.

    Problems are of the same size if they have as many grades that the measure tells apart and depths within the
    same power of two; where these are few, the grades are forgotten. Times of trivial problems do not enter the
    median.
    """
    power = np.log2(table["depth"].clip(lower=1)).astype(int)
    solved = table["seconds"].where(table["status"] == "optimal")
    exact, depth_only = solved.groupby([power, table["grades"]]), solved.groupby(power)
    median = exact.transform("median").where(exact.transform("count") >= ENOUGH, depth_only.transform("median"))
    table["ratio"] = table["seconds"] / median
    for k in table.index[table["ratio"] > SLOW]:
        problem, _ = random_problem(np.random.default_rng((seed, k)))
        again = min(timed(dataclasses.replace(problem))[1] for _ in range(3))  # a shared machine has hiccups
        table.loc[k, "ratio"] = again / median[k]
        if table.loc[k, "ratio"] > SLOW and not table.loc[k, "wrong"]:
            table.loc[k, ["wrong", "reason"]] = "slow", f"{again:.3g} s, the median is {median[k]:.3g} s"
    return table


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Counts of measure by kind of value, and their totals."""
    columns = {
        "number": table["problem"].notna(),
        **{status: (table["status"] == status) & (table["wrong"] == "") for status in STATUSES},
        **{wrong: table["wrong"] == wrong for wrong in WRONG},
    }
    counts = pd.DataFrame(columns).groupby([table["measure"], table["kind"]]).sum()
    counts["slowest"] = table.groupby(["measure", "kind"])["ratio"].max()
    total = counts.sum()
    total["slowest"] = counts["slowest"].max()
    counts.loc[("total", ""), :] = total
    return counts.astype(dict.fromkeys(columns, int))


STATUSES = ("optimal", "boundary", "infeasible")
WRONG = ("failed", "unconfirmed", "raised", "slow")


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=100_000, help="of problems (default: 100000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="file for what is wrong (default: stderr)")
    arguments = parser.parse_args(argv)
    table = stress(arguments.number, arguments.seed)
    print(summary(table).to_string(float_format=lambda x: f"{x:.1f}"))
    wrong = table[table["wrong"] != ""]
    lines = "".join(f"{row.wrong}\t{row.kind}\t{row.problem}\t{row.reason}\n" for row in wrong.itertuples())
    if arguments.out:
        arguments.out.write_text(lines)
    else:
        sys.stderr.write(lines)
    return int(len(wrong) > 0)


if __name__ == "__main__":
    sys.exit(main())
