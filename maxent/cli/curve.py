"""``maxent curve``: the actual curve of one list against the curves inferred from measures."""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli.output import as_written, new_figure, results, write_figure, write_table
from maxent.cli.printing import Printer, add_format, reading_legend
from maxent.errors import ProblemError, visible
from maxent.measures.labels import measure_label, threshold_label
from maxent.study.explain import Explanation, explain_list, explained_measures
from maxent.study.options import StudyOptions

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
    add_format(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out the command."""
    arguments.topics = arguments.topic
    collection, _ = shared.collection(arguments)
    texts, levels = arguments.measures, collection.levels
    options = StudyOptions(
        measures=explained_measures(levels) if texts is None else shared.measures(texts, levels=levels, g_steps=9),
        thresholds=tuple(range(1, levels + 1)),
        count=arguments.count,
        align=arguments.align,
        solver=arguments.solver,
    )
    printer, found = (
        Printer.of(arguments),
        explain_list(collection, options, run=arguments.run_name, topic=arguments.topic),
    )
    table = found.to_frame()
    printer.note(f"{visible(found.title)}\n{found.counts}\n")
    if closest := _closest(table):
        printer.answer(closest)
    printer.table(table if printer.tidy else table.drop(columns=["run_id", "query_id"]), keys=2)
    if found.messages:
        printer.note("\n".join(("", *found.messages)))
    printer.legend(
        "rms, mae: root mean square and mean absolute error of the inferred curve's precision at its points",
        "threshold: lowest grade that counts as relevant; entropy of the inferred distribution, in nats",
        *reading_legend(options),
    )
    if not found.solved:
        raise ProblemError("no value could be solved for this list (the reasons are above)")
    if arguments.out is not None:
        _write(found, arguments.out, printer)
        printer.written(arguments.out)


def _closest(table: pd.DataFrame) -> str:
    """The measure from which the closest curves are inferred, in words; empty unless several are solved."""
    means = table.groupby("measure", sort=False)["rms"].mean().dropna()
    if len(means) < 2:
        return ""
    best = str(means.idxmin())
    return f"closest curves: from {measure_label(best)}\n  RMS {means[best]:.4f}, mean over the thresholds"


def _write(found: Explanation, folder: Path, printer: Printer) -> None:
    from maxent.plot.curves import plot_curves, plot_profile  # loads matplotlib

    curves, profiles = found.curves, found.profiles
    with results(folder, say=printer.aside) as out:
        write_table(curves, out / "curves.csv")
        thresholds = sorted(curves["threshold"].unique())
        figure = new_figure(5 * len(thresholds), 4.2)
        panels = np.ravel(figure.subplots(1, len(thresholds), squeeze=False))
        for ax, threshold in zip(panels, thresholds, strict=True):
            plot_curves(curves[curves["threshold"] == threshold], ax=ax)
            ax.set_title(threshold_label(threshold, max(thresholds)), fontsize=10)
        figure.suptitle(as_written(found.title), fontsize=11)
        write_figure(figure, out / "curves")
        write_table(profiles, out / "profiles.csv")
        figure = new_figure(7, 4.5)
        plot_profile(profiles, ax=figure.subplots())
        write_figure(figure, out / "profiles")
