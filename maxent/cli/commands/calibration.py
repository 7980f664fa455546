"""The value of a measure is known for a list, and gives the ranks of relevant documents and the values of other
measures distributions. Are the actual ones within their bands as often as the bands say?

For every list and each of --measures, finds the most random list with that measure's value, and looks where the
actual ranks of the relevant documents and the actual values of --targets are in its distribution. Prints the share
within the central bands of 50, 80 and 90 %, mean over lists, and the information that the value gives, in nats.

Files in --out: calibration.csv (a row per run, topic, measure and target), calibration_summary.csv (means with 95 %
bootstrap intervals over topics), the figure calibration (probability integral transforms of the ranks). An
interrupted study goes on when started again.

  maxent calibration --measures AP nDCG --targets P@10 --model lists --reference log-uniform --out calibration
"""

import argparse
from collections.abc import Mapping

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.content import Panel, Sheet, Table, plotted
from maxent.result import Result
from maxent.study.calibration import WITHIN, calibration_table, ranks_name, summarize_calibration
from maxent.study.finding import Finding, scope
from maxent.study.options import StudyOptions
from maxent.study.reading_words import legend_of, text_of
from maxent.study.used import list_notes, require_solved
from maxent.study_tables import facts
from maxent.texts import measure_label
from maxent.words import CALIBRATION


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=False)
    shared.add_options(parser, *shared.PROBLEM, *shared.LISTS, "thresholds")
    shared.add_predicted(parser, more="; --targets without any: the ranks alone")


def run(arguments: argparse.Namespace) -> Result:
    collection, name = given.collection(arguments, by_name=True)
    known, targets = given.predicted(arguments, collection.levels)
    options = given.options(arguments, collection, measures=known, targets=targets)
    reading = {name: value for name, value in options.reading.items() if name != "align"}
    head = given.heading(arguments, collection, name, text_of(reading))
    table = calibration_table(collection, options)
    require_solved(table, collection, options)
    summary = summarize_calibration(table, rng=arguments.rng)
    shown = [name for name in map(str, summary) if not name.startswith(("pit_", "topics", "information_counts"))]
    return Result(
        finding=_finding(summary, reading, options),
        tables=(
            Table(name="calibration", frame=table, places=("file",)),
            Table(
                name="calibration_summary", title="Shares within bands", frame=summary, shown=summary[shown],
                meanings=CALIBRATION, keys=2,
            ),
        ),
        figures=(Sheet(name="calibration", panels=tuple(_panel(summary, t) for t in options.thresholds)),),
        facts=tuple(fact for fact in facts(options) if fact.name in {*reading, "min-retrieved"}),
        notes=list_notes(table, collection, options),
        legend=legend_of(reading),
        main="calibration_summary",
        **head,
    )  # fmt: skip


def _finding(summary: pd.DataFrame, reading: Mapping[str, object], options: StudyOptions) -> Finding:
    """Shares of the ranks within the widest band, for each known measure."""
    rows = summary[summary["target"] == ranks_name(options.thresholds[0])]
    shares = ", ".join(f"{measure_label(row['measure'])} {row[WITHIN[-1]]:.2f}" for row in rows.to_dict("records"))
    sentence = f"ranks (t={options.thresholds[0]}) within their 90 % bands: {shares}"
    return Finding(sentence, scope({**reading, "depth": options.depth}), options.cautions)


def _panel(summary: pd.DataFrame, threshold: int) -> Panel:
    target = ranks_name(threshold)
    caption = (
        f"Probability integral transforms of ranks of documents of grade {threshold} or higher. 1: there as often "
        "as expected; high at both ends: bands are too narrow; high on the left: documents are further up."
    )
    return Panel(draw=plotted("plot_calibration", summary, target=target), caption=caption)
