"""Commands for values and single lists: ``evaluate``, ``solve``, ``curve``."""

import argparse
import sys
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from maxent.cli import inputs
from maxent.cli.output import folder, text_table, write_figure, write_table
from maxent.curves import actual_curve, curve_error, inferred_curve, profile
from maxent.data.collection import collect
from maxent.data.evaluate import evaluate_collection
from maxent.errors import InputError
from maxent.measures import Measure, parse_measure
from maxent.plot.study import plot_curves, plot_profile
from maxent.plot.style import measure_label, threshold_label
from maxent.problem import Problem, Solution
from maxent.solvers import solve
from maxent.study.topics import SOLVED

EVALUATE = """\
Values of measures for every run: means over topics, or every topic with --per-topic.  Ties are broken by document
id and a topic missing from a run scores 0, as in trec_eval.  File in --out: values.csv (every run and topic)."""

SOLVE = """\
The most random probability-at-rank distribution for a measure's value.  Prints the status, the entropy in nats, the
multiplier of the value (minus the change of entropy per unit of the measure) and the certificate: what a check that
does not trust the solver found.  Files in --out: p.csv (rank, grade, p), profile.png and .svg."""

CURVE = """\
One list explained: its precision-recall curve, and the curve that each measure's value implies.  Prints the errors
per measure and threshold.  Files in --out: curves.csv, profiles.csv, curves.png and .svg, profiles.png and .svg."""


def add_evaluate(commands: inputs.Commands) -> None:
    """Register ``maxent evaluate``."""
    parser = inputs.add_command(commands, "evaluate", "values of measures for runs", EVALUATE)
    inputs.add_files(parser, required=True)
    parser.add_argument(
        "--measures", nargs="+", metavar="M", default=["AP", "nDCG", "P@10", "Rprec"],
        help="default: AP nDCG P@10 Rprec",
    )  # fmt: skip
    parser.add_argument("--per-topic", action="store_true", help="print every topic, not the means")
    parser.add_argument(
        "--float32", action="store_true", help="compare scores in single precision as trec_eval <= 9 does"
    )
    inputs.add_out(parser, "values.csv")
    parser.set_defaults(run=run_evaluate)


def add_solve(commands: inputs.Commands) -> None:
    """Register ``maxent solve``."""
    parser = inputs.add_command(commands, "solve", "the maximum-entropy distribution for one value", SOLVE)
    parser.add_argument("--measure", required=True, metavar="M", help="e.g. GAP(g=0.5,0.5)")
    parser.add_argument("--value", required=True, type=float, metavar="V", help="value of the measure")
    parser.add_argument(
        "--relevant", required=True, type=inputs.numbers, metavar="R1,R2,...", help="judged documents of each grade"
    )
    parser.add_argument(
        "--retrieved", type=inputs.numbers, metavar="C1,C2,...", help="those in the list (default: all of them)"
    )
    parser.add_argument("--depth", type=inputs.positive, default=1000, metavar="N", help="default: 1000")
    inputs.add_problem(parser)
    inputs.add_out(parser, "p.csv and the profile")
    parser.set_defaults(run=run_solve)


def add_curve(commands: inputs.Commands) -> None:
    """Register ``maxent curve``."""
    parser = inputs.add_command(commands, "curve", "actual against inferred curves of one list", CURVE)
    inputs.add_files(parser, required=True, topics=False)
    parser.add_argument("--run", dest="run_name", metavar="NAME", help="name of the run (default: the only one)")
    parser.add_argument("--topic", required=True, metavar="ID", help="topic of the list")
    parser.add_argument(
        "--measures", nargs="+", metavar="M", help='default: GAP with even g, AP and "nDCG(gain=exp2)"'
    )
    inputs.add_problem(parser)
    parser.add_argument("--align", choices=("recall", "rank"), default="recall", help="default: recall")
    inputs.add_out(parser, "curves and profiles")
    parser.set_defaults(run=run_curve)


def run_evaluate(arguments: argparse.Namespace) -> None:
    """Carry out ``maxent evaluate``."""
    measures = [parse_measure(text) for text in arguments.measures]
    runs, qrels = inputs.read_files(arguments.qrels, arguments.runs)
    selected = inputs.topics(arguments.topics, qrels)
    collection = collect(runs, qrels, depth=arguments.depth, topics=selected, float32=arguments.float32)
    values = evaluate_collection(collection, measures)
    rows = ["run_id", "query_id"] if arguments.per_topic else ["run_id"]
    wide = values.pivot_table(index=rows, columns="measure", values="value", sort=False)
    print(text_table(wide[[str(m) for m in measures]].reset_index()))
    if arguments.out is not None:
        write_table(values, folder(arguments.out) / "values.csv")


def run_solve(arguments: argparse.Namespace) -> None:
    """Carry out ``maxent solve``."""
    problem = Problem(
        parse_measure(arguments.measure),
        value=arguments.value,
        relevant=arguments.relevant,
        retrieved=arguments.retrieved or arguments.relevant,
        depth=arguments.depth,
        count=arguments.count,
    )
    solution = solve(problem, solver=arguments.solver)
    print(_report(solution))
    if arguments.out is not None and solution.status in SOLVED:
        out = folder(arguments.out)
        table = profile(solution)
        write_table(table, out / "p.csv")
        figure = Figure(figsize=(6, 4), layout="constrained")
        plot_profile(table, ax=figure.subplots())
        write_figure(figure, out / "profile")


def _report(solution: Solution) -> str:
    certificate = solution.certificate
    lines = [
        f"status        {solution.status}{f': {solution.message}' if solution.message else ''}",
        f"solver        {solution.solver}, {solution.iterations} iterations",
    ]
    if solution.status in SOLVED:
        lines += [
            f"entropy       {abs(solution.entropy):.10f} nats",
            f"multiplier    {solution.multipliers.value:.10g} nats per unit of {solution.problem.measure}",
        ]
        lines += [f"{name:<22}{value}" for name, value in zip(certificate._fields, certificate, strict=True)]
    return "\n".join(lines)


def run_curve(arguments: argparse.Namespace) -> None:
    """Carry out ``maxent curve``."""
    runs, qrels = inputs.read_files(arguments.qrels, arguments.runs)
    name = _choose_run(arguments.run_name, list(runs))
    topic = inputs.topics(arguments.topic, qrels)
    collection = collect({name: runs[name]}, qrels, depth=arguments.depth, topics=topic)
    if len(collection.topics) != 1:
        raise InputError(f"--topic {arguments.topic} stands for {len(collection.topics)} topics, not one")
    grades, relevant = collection.grades[0, 0], collection.relevant[0]
    levels = collection.levels
    even = ",".join(f"{1 / levels:.17g}" for _ in range(levels))
    texts = arguments.measures or [f"GAP(g={even})", "AP", "nDCG(gain=exp2)"]
    solutions = [_solve_list(parse_measure(t), grades, relevant, arguments) for t in texts]
    thresholds = [t for t in range(1, levels + 1) if (grades >= t).any()]
    if not thresholds:
        raise InputError(f"run {name!r} retrieves no relevant document for topic {arguments.topic}")
    print(f"run {name}, topic {arguments.topic}: {np.bincount(grades, minlength=levels + 1)[1:].tolist()} of "
          f"{relevant.tolist()} documents of grades 1..{levels} retrieved\n")  # fmt: skip
    print(text_table(_errors(solutions, grades, relevant, thresholds, arguments.align)))
    if arguments.out is not None:
        curves = pd.concat(_curves(solutions, grades, relevant, t) for t in thresholds)
        _write_curves(curves, solutions, thresholds, arguments, f"run {name}, topic {arguments.topic}")


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
                measure, value = measure_label(str(solution.problem.measure)), solution.problem.value
                rows.append((measure, value, threshold, *error))
    return pd.DataFrame(rows, columns=["measure", "value", "threshold", "rms", "mae", "points"])


def _write_curves(
    curves: pd.DataFrame,
    solutions: Sequence[Solution],
    thresholds: Sequence[int],
    arguments: argparse.Namespace,
    title: str,
) -> None:
    out = folder(arguments.out)
    write_table(curves, out / "curves.csv")
    figure = Figure(figsize=(5 * len(thresholds), 4.2), layout="constrained")
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
        figure = Figure(figsize=(7, 4.5), layout="constrained")
        plot_profile(profiles, ax=figure.subplots())
        write_figure(figure, out / "profiles")
