"""Batches, growth and start-up of the structured Newton solver; ratios in one run, on real problems.

Prints six tables: ``solve_many`` against ``solve`` for single problems, in one thread and in two, and what two
independent processes gain on this machine; pairs of measures against the slower of the two; Newton iterations at
full depth and microseconds from the uniform distribution and from the coarse problem; time and memory by depth with
the fitted exponents; whole lists beside independent ranks; and what importing and a first solve in a new process
take, with machine code on disk and without.
"""

import argparse
import dataclasses
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
import solvers
from joblib import Parallel, delayed
from solvers import CASES

import maxent as me
from maxent.problem.arrays import Problems
from maxent.problem.reduced import Reduced, apart
from maxent.problem.solutions import Solutions
from maxent.solvers import solve_reduced
from maxent.studies.topics import SOLVED

REPEATS = 200  # of the lists: threads take a tenth of a second to find their processors
PAIRS = (
    *("AP & P@10", "P@10 & R@100", "nDCG@10 & R@1000", "nDCG & P@10", "nDCG@10 & AP", "AP & nDCG"),
    *("GAP(g=even) & P@10", "GAP(g=even) & nDCG"),
)
DEPTHS = (100, 300, 1000, 3000, 10_000, 30_000, 100_000)


def fastest(action: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def seconds(solve: Callable[[list[me.Problem]], object], problems: Sequence[me.Problem]) -> float:
    """Time to solve problems of which nothing is known yet."""
    fresh = [dataclasses.replace(problem) for problem in problems]
    start = time.perf_counter()
    solve(fresh)
    return time.perf_counter() - start


def one_by_one(problems: Sequence[me.Problem]) -> None:
    """What solve_many is compared with."""
    for problem in problems:
        me.solve(problem)


many = partial(me.solve_many, progress=False)
in_threads = partial(many, jobs=2)


def batches(number: int, rng: np.random.Generator) -> pd.DataFrame:
    """Microseconds a problem: solve one by one, solve_many in one thread and in two.

    ``processes`` is what two processes gain, each with all problems and one thread: what the machine has to give.
    """
    rows = []
    with Parallel(n_jobs=2) as pool:
        for case in (CASES[0], CASES[1], CASES[4], CASES[5]):
            lists = solvers.draw(case, number, rng)
            rows.append((case.name, *compare(lists, pool)))
    columns = [
        "case",
        "solve_us",
        "many_us",
        "two_threads_us",
        "together",
        "threads",
        "processes",
        "problems_per_second",
    ]
    return pd.DataFrame(rows, columns=columns)


def compare(lists: list[me.Problem], pool: Parallel) -> tuple[float, ...]:
    """Medians of times and ratios over seven rounds: what the machine gives changes from round to round."""
    problems, fewer = lists * REPEATS, lists * (REPEATS // 10)
    rounds = []
    for warm_up in (True, *[False] * 7):
        single, together, threads = (
            seconds(one_by_one, fewer) * 10,
            seconds(many, problems),
            seconds(in_threads, problems),
        )
        processes = max(pool([delayed(seconds)(many, problems) for _ in range(2)]))
        us = 1e6 / len(problems) * np.array([single, together, threads])
        if not warm_up:
            rounds.append((*us, single / together, together / threads, 2 * together / processes, 1e6 / us[2]))
    return tuple(np.median(rounds, axis=0))


def pairs() -> pd.DataFrame:
    """Pairs on every list of ``covid-round4``: how many times as long they take as the slower measure by itself.

    ``at_ends``: share of the lists on which a value is at an end of its interval; ``batch``: ``solve_many``;
    ``study``: ranking, evaluating, solving, curves and errors.
    """
    folder = solvers.DATA / "covid-round4"
    runs = {path.name: path for path in sorted((folder / "runs").iterdir())}
    collection = me.collect(runs, me.read_qrels(folder / "qrels.txt"), jobs=2, progress=False)
    texts = [[*pair.split(" & "), pair] for pair in PAIRS]
    used = {text for row in texts for text in row}
    found = {text: of_measure(me.parse_measure(text), collection) for text in used}
    rows = []
    for first, second, pair in texts:
        ratios = np.array(found[pair][1:]) / np.maximum(found[first][1:], found[second][1:])
        rows.append((pair, found[pair][0], *ratios))
    return pd.DataFrame(rows, columns=["pair", "at_ends", "batch", "study"])


def of_measure(measure: me.measures.Measure, collection: me.data.Collection) -> tuple[float, float, float]:
    """Share of the usable lists with values at ends, and seconds of a batch and of a study of them."""
    study = partial(me.informativeness, collection, measures=[measure], thresholds=[1], progress=False)
    solved = study()["status"].isin(SOLVED).to_numpy().reshape(len(collection.topics), -1)
    problems = [
        me.Problem.of_list(measure, collection.grades[k, run], collection.relevant[k])
        for k, run in np.argwhere(solved)
    ]
    at_ends = np.mean([solution.status == "boundary" for solution in many(problems)])
    return float(at_ends), min(seconds(many, problems) for _ in range(5)), fastest(study)


def starts(number: int, rng: np.random.Generator) -> pd.DataFrame:
    """Mean Newton iterations at depth 1000 and microseconds of a batch, by where they start."""
    lists = Problems.of(solvers.draw(CASES[0], number, rng))
    intervals = np.array([[problem.interval] for problem in lists])
    reduced = Reduced.of(lists, apart(lists[0].present), (0,), intervals)
    rows = []
    for name, coarse in (("uniform", False), ("coarse problem", True)):

        def attempt(coarse: bool = coarse) -> Solutions:
            return solve_reduced(reduced, coarse=coarse)

        found = attempt().iterations[attempt().statuses == "optimal"]
        rows.append((name, np.mean(found), len(found), 1e6 * fastest(attempt, 20) / number))
    return pd.DataFrame(rows, columns=["start", "iterations", "arrived", "us"])


def growth() -> tuple[pd.DataFrame, float, float]:
    """Milliseconds and peak megabytes of a solve by depth, and the exponents fitted to both."""
    rows = []
    for depth in DEPTHS:
        counts = (0.03 * depth, 0.01 * depth)
        problem = me.Problem(me.GAP(g=(0.5, 0.5)), value=0.3, relevant=counts, retrieved=counts, depth=depth)
        me.solve(problem)
        seconds = fastest(lambda problem=problem: me.solve(dataclasses.replace(problem)))
        tracemalloc.start()
        me.solve(dataclasses.replace(problem))
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        rows.append((depth, 1e3 * seconds, memory / 1e6))
    table = pd.DataFrame(rows, columns=["depth", "ms", "MB"])
    logs = np.log(table.to_numpy())
    return table, *(float(np.polyfit(logs[:, 0], logs[:, k], 1)[0]) for k in (1, 2))


def whole_lists(number: int, rng: np.random.Generator) -> pd.DataFrame:
    """Processor milliseconds a problem: independent ranks, whole lists, and with the ranks of documents."""

    def spent(action: Callable[[], object]) -> float:
        start = time.process_time()
        action()
        return 1e3 * (time.process_time() - start) / number

    rows = []
    for case in (CASES[0], CASES[1], CASES[4], CASES[5]):
        drawn = solvers.draw(case, number, rng)
        for reference in (None, "log-uniform"):
            problems = [dataclasses.replace(problem, reference=reference) for problem in drawn]
            for _ in range(2):  # the first one compiles
                fresh = [dataclasses.replace(problem) for problem in problems]
                ranks = spent(lambda fresh=fresh: many(fresh))
                fresh, found = [dataclasses.replace(problem) for problem in problems], []
                lists = spent(lambda fresh=fresh, found=found: found.extend(many(fresh, model="lists")))
                documents = spent(lambda found=found: [solution.ranks(threshold=1) for solution in found])
            passes = float(np.mean([solution.iterations for solution in found]))
            rows.append((case.name, reference or "uniform", ranks, lists, lists + documents, passes))
    columns = ["case", "reference", "ranks_ms", "lists_ms", "with_ranks_of_documents_ms", "passes"]
    return pd.DataFrame(rows, columns=columns)


def start_up() -> pd.DataFrame:
    """Seconds of new processes: Python alone, with the import, with a first solve; with nothing on disk."""
    solve = "import maxent as me; me.solve(me.Problem(me.GAP(g={0}), value=.35, relevant={1}, retrieved={1}))"
    programs = {
        "python": "",
        "import maxent": "import maxent",
        "first solve": solve.format((0.5, 0.5), (30, 10)),
        "over whole lists": solve.format((0.5, 0.5), (30, 10))[:-1] + ", model='lists')",
        "of six grades": solve.format((1 / 6,) * 6, (5,) * 6),
    }
    rows = []
    for name, code in programs.items():
        command = [sys.executable, "-c", code]
        with tempfile.TemporaryDirectory() as empty:
            start = time.perf_counter()
            subprocess.run(command, check=True, env={**os.environ, "XDG_CACHE_HOME": empty})
            first = time.perf_counter() - start
        rows.append((name, fastest(lambda command=command: subprocess.run(command, check=True), 3), first))
    return pd.DataFrame(rows, columns=["process", "seconds", "nothing on disk"])


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=50, help="lists per case (default: 50)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(argv)
    rng = np.random.default_rng(arguments.seed)

    def show(title: str, table: pd.DataFrame) -> None:
        print(f"\n{title}\n{table.to_string(index=False, float_format=lambda x: f'{x:.3g}')}")

    show("Batches (microseconds a problem)", batches(arguments.number, rng))
    show("Pairs (times as long as the slower of the two measures)", pairs())
    show("Newton iterations at full depth", starts(arguments.number, rng))
    table, time_exponent, memory_exponent = growth()
    show(f"Growth: time ~ depth^{time_exponent:.2f}, memory ~ depth^{memory_exponent:.2f}", table)
    show("Whole lists (processor milliseconds a problem)", whole_lists(arguments.number, rng))
    show("Start-up", start_up())
    return 0


if __name__ == "__main__":
    sys.exit(main())
