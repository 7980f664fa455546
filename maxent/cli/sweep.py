"""Commands over many lists: ``study`` and ``choose-g``."""

import argparse
import sys
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from maxent.cli import inputs
from maxent.cli.output import folder, print_collection, print_left_out, text_table, write_figure, write_table
from maxent.data.collection import Collection
from maxent.errors import InputError, ProblemError
from maxent.measures import GAP, Measure, g_grid
from maxent.plot.study import informativeness_figure, plot_choice
from maxent.plot.style import g_label, measure_label
from maxent.study.choose_g import GChoice, choose_from, choose_refined
from maxent.study.g_from_clicks import g_from_clicks
from maxent.study.informativeness import Setup, study_collection
from maxent.study.summary import summarize
from maxent.study.topics import SOLVED

PARTIAL = "study.partial.csv"  # finished topics of an interrupted study
STUDY = """\
Mean RMS error between each list's precision-recall curve and the curve that a measure's value alone implies.
Prints the means per measure and threshold with 95 % bootstrap intervals over topics, every list left out and
why, and the most informative g.  Without --qrels and --runs it studies an embedded, simulated collection.

Files in --out: informativeness.csv (a row per run, topic, measure and threshold), summary.csv (means),
choice.csv (candidate g), informativeness.png and .svg (with three positive grades a triangular map of g for each
threshold).  An interrupted study goes on when started again."""

CHOOSE = """\
The g for which GAP(g) is the most informative: smallest mean RMS error over the thresholds, with weights you may
set.  Prints every candidate with its 95 % bootstrap interval over topics, and how often it wins among resampled
topics; the last one, if better than the grid, lies between its points, found by a local optimisation.  Without
--qrels and --runs it uses the embedded collection.  Files in --out: choose-g.csv, .png and .svg.

With --clicks instead of a collection: the g of the users who made these clicks, if a user clicks what is at or
above the threshold.  Prints, per grade, the click rate and g with its 95 % interval; in --out: clicks.csv."""


def add_study(commands: inputs.Commands) -> None:
    """Register ``maxent study``."""
    parser = _add(commands, "study", "informativeness of measures on a collection", STUDY)
    parser.add_argument(
        "--measures", nargs="+", metavar="M",
        help='default: GAP AP "nDCG(gain=exp2)"; plain GAP stands for the whole g grid',
    )  # fmt: skip
    parser.add_argument("--thresholds", nargs="+", type=inputs.positive, metavar="T",
                        help="grades from which a document counts as relevant (default: each)")  # fmt: skip
    parser.set_defaults(run=run_study)


def add_choose_g(commands: inputs.Commands) -> None:
    """Register ``maxent choose-g``."""
    parser = _add(commands, "choose-g", "the most informative threshold probabilities g", CHOOSE)
    parser.add_argument("--no-refine", dest="refine", action="store_false",
                        help="only the points of the grid (default: refine the best one)")  # fmt: skip
    parser.add_argument("--clicks", type=Path, metavar="FILE",
                        help="CSV with columns grade, impressions, clicks: estimate g from these")  # fmt: skip
    parser.set_defaults(run=run_choose_g)


def _add(commands: inputs.Commands, name: str, summary: str, description: str) -> argparse.ArgumentParser:
    parser = inputs.add_command(commands, name, summary, description)
    inputs.add_files(parser, required=False)
    inputs.add_problem(parser)
    inputs.add_lists(parser)
    inputs.add_curves(parser)
    inputs.add_out(parser, "the results (nothing is written without it)")
    return parser


def run_study(arguments: argparse.Namespace) -> None:
    """Carry out ``maxent study``."""
    collection, name = inputs.collection(arguments)
    chosen = inputs.measures(arguments.measures, levels=collection.levels, g_steps=arguments.g_steps)
    thresholds = tuple(arguments.thresholds or range(1, collection.levels + 1))
    weights = inputs.weights(arguments.weights, thresholds)
    table = _table(arguments, collection, name, _setup(arguments, chosen, thresholds))
    summary = summarize(table, rng=arguments.seed)
    candidates = sum(isinstance(m, GAP) for m in chosen)
    solved = table["status"].isin(SOLVED).any()
    choice = choose_from(table, weights=weights, rng=arguments.seed) if candidates > 1 and solved else None
    print(text_table(summary.assign(measure=summary["measure"].map(measure_label))))
    print_left_out(table)
    if not solved:
        raise ProblemError("no list could be used: nothing to report (the reasons are above)")
    if choice is not None:
        print(_recommendation(choice))
    if arguments.out is not None:
        out = folder(arguments.out)
        for stale in ("choice.csv", "informativeness.png", "informativeness.svg"):
            (out / stale).unlink(missing_ok=True)  # of an earlier study that this one may not replace
        write_table(table, out / "informativeness.csv")
        write_table(summary, out / "summary.csv")
        if choice is not None:
            write_table(choice.table, out / "choice.csv")
        figure = informativeness_figure(summary, choice=None if choice is None else choice.table, title=name)
        write_figure(figure, out / "informativeness")
        (out / PARTIAL).unlink(missing_ok=True)
        print(f"\nwritten to {out}/", file=sys.stderr)


def run_choose_g(arguments: argparse.Namespace) -> None:
    """Carry out ``maxent choose-g``."""
    if arguments.clicks is not None:
        _run_clicks(arguments)
        return
    collection, name = inputs.collection(arguments)
    thresholds = tuple(range(1, collection.levels + 1))
    weights = inputs.weights(arguments.weights, thresholds)
    grid = tuple(GAP(g=g) for g in g_grid(levels=collection.levels, steps=arguments.g_steps))
    setup = _setup(arguments, grid, thresholds)
    table = _table(arguments, collection, name, setup)
    if not table["status"].isin(SOLVED).any():
        print_left_out(table)
        raise ProblemError("no list could be used: no g can be chosen (the reasons are above)")
    if arguments.refine:
        choice = choose_refined(table, collection, setup, weights=weights, rng=arguments.seed, jobs=arguments.jobs)
    else:
        choice = choose_from(table, weights=weights, rng=arguments.seed)
    shown = choice.table.drop(columns=choice.table.filter(regex="^g_").columns)
    print(text_table(shown.assign(measure=shown["measure"].map(measure_label))))
    print_left_out(table)
    print(_recommendation(choice))
    if arguments.out is not None:
        out = folder(arguments.out)
        write_table(choice.table, out / "choose-g.csv")
        figure = Figure(figsize=(6, 4.6), layout="constrained")
        plot_choice(choice.table, ax=figure.subplots())
        write_figure(figure, out / "choose-g")
        (out / PARTIAL).unlink(missing_ok=True)
        print(f"\nwritten to {out}/", file=sys.stderr)


def _run_clicks(arguments: argparse.Namespace) -> None:
    if arguments.qrels is not None or arguments.runs is not None:
        raise InputError("give either --clicks or a collection with --qrels and --runs")
    try:
        clicks = pd.read_csv(arguments.clicks, skipinitialspace=True)
    except (OSError, ValueError) as error:
        raise InputError(f"{arguments.clicks}: {error}") from None
    table = g_from_clicks(clicks, rng=arguments.seed)
    print(text_table(table))
    print(f"\nfrom clicks: g = ({g_label(table['g'].tolist())})")
    if arguments.out is not None:
        write_table(table, folder(arguments.out) / "clicks.csv")
        print(f"\nwritten to {arguments.out}/", file=sys.stderr)


def _setup(arguments: argparse.Namespace, measures: tuple[Measure, ...], thresholds: tuple[int, ...]) -> Setup:
    return Setup(
        measures=measures,
        thresholds=thresholds,
        count=arguments.count,
        min_retrieved=arguments.min_retrieved,
        align=arguments.align,
        solver=arguments.solver,
    )


def _table(arguments: argparse.Namespace, collection: Collection, name: str, setup: Setup) -> pd.DataFrame:
    print_collection(collection, name, f"count={setup.count}, align={setup.align}")
    checkpoint = None if arguments.out is None else arguments.out / PARTIAL
    return study_collection(collection, setup, jobs=arguments.jobs, checkpoint=checkpoint)


def _recommendation(choice: GChoice) -> str:
    row = choice.table.iloc[choice.table["objective"].to_numpy().argmin()]
    rivals = choice.table[(choice.table["excess_low"] <= 0) & (choice.table["measure"] != row["measure"])]
    text = f"\nmost informative: g = ({g_label(choice.g)}), mean RMS {row['objective']:.4f} over the thresholds"
    if row["low"] != row["low"]:
        return text + "\n(a single topic: no interval, and no telling how certain this is)"
    text += f", 95 % [{row['low']:.4f}, {row['high']:.4f}]; best in {row['share_best']:.0%} of resampled topic sets"
    if len(rivals):
        text += f"\nnot distinguishable from it (95 %): {', '.join(measure_label(m) for m in rivals['measure'])}"
    return text
