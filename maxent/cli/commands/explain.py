"""What do the values of measures say about one list?

Prints the errors of the precision-recall curves inferred from the values, per measure and threshold. Files in
--out: curves.csv, profiles.csv (the inferred distributions), the figures curves and profiles.
"""

import argparse

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.content import Fact, Panel, Sheet, Table, plotted
from maxent.errors import visible
from maxent.explanation import Explanation, explain
from maxent.result import Result
from maxent.study.finding import Finding
from maxent.texts import measure_label, threshold_label


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=True, topics=False)
    parser.add_argument("--run", dest="run_name", metavar="NAME", help="name of the run (default: the only one)")
    parser.add_argument("--topic", required=True, metavar="ID", help="topic of the list")
    shared.add_measures(parser, 'GAP with equal g, AP and "nDCG(gain=exp2)"')
    shared.add_options(parser, *shared.PROBLEM, "align", "band")


def run(arguments: argparse.Namespace) -> Result:
    arguments.topics = arguments.topic
    collection, _ = given.collection(arguments)
    texts = arguments.measures
    found = explain(
        collection,
        run=arguments.run_name,
        measures=None if texts is None else given.measures(texts, collection.levels),
        **given.keywords(arguments, "topic", "count", "model", "reference", "align", "band", "solver"),
    )
    head = given.announced(arguments, found.title, f"{visible(found.title)}\n{found.counts}\n")
    table = found.to_frame()
    solved = bool(found.solved)
    return Result(
        finding=_finding(table),
        tables=(
            Table(
                name="errors", title="Errors of the inferred curves", frame=table, places=("text", "page"), keys=2,
                shown=table.drop(columns=["run_id", "query_id"]),
                meanings={"rms": "root mean square error of the inferred curve's precision at its points"},
            ),
            *([Table(name="curves", frame=found.curves, places=("file",))] if solved else []),
            *([Table(name="profiles", frame=found.profiles, places=("file",))] if solved else []),
        ),
        figures=_figures(found) if solved else (),
        facts=(Fact("documents", found.counts),),
        notes=found.messages,
        legend=found.legend,
        collection=collection,
        errors="" if solved else "no value could be solved for this list (the reasons are above)",
        **head,
    )  # fmt: skip


def _finding(table: pd.DataFrame) -> Finding | None:
    """The measure from which the closest curves are inferred; None unless several are solved."""
    means = table.groupby("measure", sort=False)["rms"].mean().dropna()
    if len(means) < 2:
        return None
    best = str(means.idxmin())
    support = f"RMS {means[best]:.4f}, mean over the thresholds"
    return Finding(f"closest curves: from {measure_label(best)}", (support,))


def _figures(found: Explanation) -> tuple[Sheet, ...]:
    thresholds = sorted(found.curves["threshold"].unique())
    curves = [
        Panel(
            plotted("plot_curves", found.curves[found.curves["threshold"] == t]),
            f"Actual and inferred precision-recall curves: {threshold_label(t, max(thresholds))}.",
            size=(4.1, 3.9),
        )
        for t in thresholds
    ]
    profile = Panel(plotted("plot_profile", found.profiles), "Inferred probability of each grade at each rank.")
    return (Sheet("curves", tuple(curves)), Sheet("profiles", (profile,)))
