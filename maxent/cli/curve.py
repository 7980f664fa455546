"""``maxent curve``: the actual curve of one list against the curves inferred from measures."""

import argparse
import sys
from collections.abc import Sequence

import numpy as np
import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli.output import folder, new_figure, text_table, write_figure, write_table
from maxent.curves import actual_curve, curve_error, inferred_curve, profile
from maxent.errors import InputError, ProblemError
from maxent.measures import Measure, parse_measure
from maxent.measures.labels import measure_label, threshold_label
from maxent.problem import Problem, Solution
from maxent.solvers import solve
from maxent.study.topics import SOLVED

DESCRIPTION = """\
The precision-recall curve of one list, and the curves inferred from the values of measures.  Prints the errors of
these per measure and threshold.  Files in --out: curves.csv, curves.png and .svg, and the inferred distributions:
profiles.csv, profiles.png and .svg."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser, required=True, topics=False)
    parser.add_argument("--run", dest="run_name", metavar="NAME", help="name of the run (default: the only one)")
    parser.add_argument("--topic", required=True, metavar="ID", help="topic of the list")
    parser.add_argument(
        "--measures", nargs="+", metavar="M", help='default: GAP with equal g, AP and "nDCG(gain=exp2)"'
    )
    shared.add_problem(parser)
    parser.add_argument("--align", choices=("recall", "rank"), default="recall", help="default: recall")
    shared.add_out(parser, "curves and profiles")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out the command."""
    arguments.topics = arguments.topic
    collection, _ = shared.collection(arguments)
    if len(collection.topics) != 1:
        raise InputError(f"--topic {arguments.topic} stands for {len(collection.topics)} topics, not one")
    name = _choose_run(arguments.run_name, collection.runs)
    grades, relevant = collection.grades[0, collection.runs.index(name)], collection.relevant[0]
    levels = collection.levels
    even = ",".join(f"{1 / levels:.17g}" for _ in range(levels))
    texts = arguments.measures or [f"GAP(g={even})", "AP", "nDCG(gain=exp2)"]
    solutions = [_solve_list(parse_measure(t), grades, relevant, arguments) for t in texts]
    thresholds = [t for t in range(1, levels + 1) if (grades >= t).any()]
    if not thresholds:
        raise InputError(f"run {name!r} retrieves no relevant document for topic {arguments.topic}")
    if not any(solution.status in SOLVED for solution in solutions):
        raise ProblemError("no value could be solved for this list (the reasons are above)")
    reading = f"count={arguments.count}, align={arguments.align}"
    print(f"run {name}, topic {arguments.topic}: {np.bincount(grades, minlength=levels + 1)[1:].tolist()} of "
          f"{relevant.tolist()} documents of grades 1..{levels} retrieved; {reading}\n")  # fmt: skip
    print(text_table(_errors(solutions, grades, relevant, thresholds, arguments.align)))
    if arguments.out is not None:
        curves = pd.concat(_curves(solutions, grades, relevant, t) for t in thresholds)
        _write_curves(curves, solutions, thresholds, arguments, f"run {name}, topic {arguments.topic}; {reading}")


def _choose_run(name: str | None, names: Sequence[str]) -> str:
    if name is None and len(names) == 1:
        return names[0]
    if name is None or name not in names:
        wrong = "several runs given" if name is None else f"no run is called {name!r}"
        raise InputError(f"{wrong}: choose one with --run: {', '.join(names)}")
    return name


def _solve_list(
    measure: Measure, grades: np.ndarray, relevant: np.ndarray, arguments: argparse.Namespace
) -> Solution:
    problem = Problem.of_list(measure, grades, relevant, count=arguments.count)
    solution = solve(problem, solver=arguments.solver)
    if solution.status not in SOLVED:
        print(f"{measure}: {solution.status}. {solution.message}", file=sys.stderr)
    return solution


def _curves(
    solutions: Sequence[Solution], grades: np.ndarray, relevant: np.ndarray, threshold: int
) -> pd.DataFrame:
    frames = [actual_curve(grades, relevant, threshold=threshold).to_frame().assign(curve="actual")]
    for solution in solutions:
        if solution.status in SOLVED:
            frame = inferred_curve(solution, threshold=threshold).to_frame()
            frames.append(frame.assign(curve=str(solution.problem.measure)))
    return pd.concat(frames).assign(threshold=threshold)[["threshold", "curve", "rank", "recall", "precision"]]


def _errors(
    solutions: Sequence[Solution], grades: np.ndarray, relevant: np.ndarray, thresholds: Sequence[int], align: str
) -> pd.DataFrame:
    rows = []
    for solution in solutions:
        for threshold in thresholds:
            if solution.status in SOLVED:
                actual = actual_curve(grades, relevant, threshold=threshold)
                inferred = inferred_curve(solution, threshold=threshold)
                error = curve_error(actual, inferred, align="rank" if align == "rank" else "recall")
                problem = solution.problem
                measure, value = measure_label(str(problem.measure)), np.nan if problem.is_joint else problem.value
                rows.append((measure, value, threshold, *error))
    return pd.DataFrame(rows, columns=["measure", "value", "threshold", "rms", "mae", "points"])


def _write_curves(
    curves: pd.DataFrame,
    solutions: Sequence[Solution],
    thresholds: Sequence[int],
    arguments: argparse.Namespace,
    title: str,
) -> None:
    from maxent.plot.study import plot_curves, plot_profile  # loads matplotlib

    out = folder(arguments.out)
    write_table(curves, out / "curves.csv")
    figure = new_figure(5 * len(thresholds), 4.2)
    panels = np.ravel(figure.subplots(1, len(thresholds), squeeze=False))
    for ax, threshold in zip(panels, thresholds, strict=True):
        plot_curves(curves[curves["threshold"] == threshold], ax=ax)
        ax.set_title(threshold_label(threshold, max(thresholds)), fontsize=10)
    figure.suptitle(title, fontsize=11)
    write_figure(figure, out / "curves")
    solved = [profile(s) for s in solutions if s.status in SOLVED]
    if solved:
        profiles = pd.concat(solved)
        write_table(profiles, out / "profiles.csv")
        figure = new_figure(7, 4.5)
        plot_profile(profiles, ax=figure.subplots())
        write_figure(figure, out / "profiles")
