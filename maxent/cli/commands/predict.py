"""The value of one measure is known for a list, and the most random list with this value is taken in its place. How
close are the values of other measures there to the actual ones, and do they rank the systems alike?

For every list and each of --measures, finds the most random list with that measure's value; the prediction of a
target is its expected value there. Prints two matrices with a row per known measure and a column per target: the
RMS error over all lists, and Kendall's tau between the systems' mean predicted and mean actual values. Also prints
how many lists were left out and why.

Files in --out: predictions.csv (a row per run, topic, measure and target: status, actual, predicted, with --band
low and high), prediction_summary.csv (lists, rms with its 95 % bootstrap interval over topics, mae, tau: mean over
topics of Kendall's tau between systems, tau_systems), the figure predictions (the two matrices). An interrupted
study goes on when started again.

  maxent predict --measures AP nDCG --targets P@10 Rprec "RBP(p=0.95)" --out predict
"""

import argparse

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.content import Panel, Sheet, Table, plotted
from maxent.result import Result
from maxent.study.finding import predictions_finding
from maxent.study.predict import prediction_table
from maxent.study.summary import prediction_matrix, summarize_predictions
from maxent.study.used import list_notes, require_solved
from maxent.study_tables import facts
from maxent.texts import PREDICTED, measure_label
from maxent.words import PREDICTIONS

SHOWN = {"rms": "Lower is better.", "tau_systems": "1: the systems are ranked alike."}


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=False)
    shared.add_options(parser, *shared.PROBLEM, *shared.LISTS)
    shared.add_predicted(parser)
    band = (
        "probability of a band around each prediction, such as .9: columns low and high, from 199 random lists each"
    )
    shared.add_options(parser, band={"default": None, "help": band})


def run(arguments: argparse.Namespace) -> Result:
    collection, name = given.collection(arguments, by_name=True)
    known, targets = given.predicted(arguments, collection.levels)
    options = given.options(arguments, collection, measures=known, targets=targets)
    head = given.heading(arguments, collection, name, options.reading_text)
    table = prediction_table(collection, options)
    require_solved(table, collection, options)
    summary = summarize_predictions(table, rng=arguments.rng)
    return Result(
        finding=predictions_finding(summary, options.cautions),
        tables=(
            *(_matrix(summary, value) for value in SHOWN),
            Table(name="predictions", frame=table, places=("file",)),
            Table(
                name="prediction_summary", title="Predictions", frame=summary, meanings=PREDICTIONS,
                places=("file", "page"),
            ),
        ),
        figures=(Sheet("predictions", tuple(_panel(summary, value) for value in SHOWN)),),
        facts=facts(options),
        notes=list_notes(table, collection, options),
        legend=(f"RMS: {PREDICTIONS['rms']}", *options.legend),
        **head,
    )  # fmt: skip


def _matrix(summary: pd.DataFrame, value: str) -> Table:
    matrix = prediction_matrix(summary, value).rename(index=measure_label, columns=measure_label)
    shown = matrix.rename_axis(columns=None).reset_index(names="known")
    title = f"{PREDICTED[value]}; known measure down, predicted one across"
    return Table(name=value, title=title, frame=summary, shown=shown, places=("text",))


def _panel(summary: pd.DataFrame, value: str) -> Panel:
    rows, columns = summary["measure"].nunique(), summary["target"].nunique()
    caption = f"{PREDICTED[value]}; known measures down, predicted ones across. {SHOWN[value]}"
    size = (4.1 if columns <= 8 else 2.6 + 0.62 * columns, 1.8 + 0.42 * rows)  # a phone shows eight columns whole
    return Panel(plotted("plot_predictions", summary, value=value), caption, size=size, white=True)
