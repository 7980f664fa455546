"""``maxent predict``: values of measures predicted from one measure."""

import argparse

import numpy as np
import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import reporting
from maxent.cli.layout import best_sources
from maxent.cli.output import as_written, new_figure, results, write_figure, write_table
from maxent.cli.printing import Printer, add_format, introduction, reading_legend, reading_text
from maxent.measures.labels import PREDICTED, measure_label
from maxent.study.predict import default_predictors, predict_collection
from maxent.study.summary import prediction_matrix, summarize_predictions
from maxent.study.topics import discard_checkpoint

PARTIAL = "predict.partial"  # finished topics of an interrupted study; its key is added to the name
SHOWN = ("rms", "tau_systems")
DESCRIPTION = """\
What does the value of one measure say about others?  For every list and each of --measures, finds the most random
list with that measure's value; the prediction of a target is its expected value there.  Prints two matrices with a
row per known measure and a column per target: the RMS error over all lists, and Kendall's tau between the systems'
mean predicted and mean actual values.  Also prints how many lists were left out and why.  Without --qrels and
--runs it uses an embedded, simulated collection.

Files in --out: predictions.csv (a row per run, topic, measure and target: status, actual, predicted),
prediction_summary.csv (lists, rms with its 95 % bootstrap interval over topics, mae, tau: mean over topics of
Kendall's tau between systems, tau_systems), predictions.png and .svg (the two matrices).  An interrupted study
goes on when started again.

  maxent predict --measures AP nDCG --targets P@10 Rprec "RBP(p=0.95)" --out predict"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser, required=False)
    shared.add_problem(parser)
    shared.add_lists(parser)
    parser.add_argument(
        "--measures", nargs="+", metavar="M",
        help='known measures (default: GAP with equal g, AP, "nDCG(gain=exp2)", P@10, Rprec, RBP); plain GAP '
        "stands for the whole g grid",
    )  # fmt: skip
    parser.add_argument(
        "--targets", nargs="+", metavar="M", help="measures to predict (default: those of --measures)"
    )
    shared.add_out(parser, "the results (nothing is written without it)")
    shared.add_report(parser)
    add_format(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out the command."""
    printer = Printer.of(arguments)
    collection, name = shared.collection(arguments, by_name=True)
    known, targets = (
        default_predictors(collection.levels)
        if texts is None
        else shared.measures(texts, levels=collection.levels, g_steps=arguments.g_steps)
        for texts in (arguments.measures, arguments.targets or arguments.measures)
    )
    options = shared.options(arguments, PARTIAL, measures=known, targets=targets)
    reading = reading_text(options)
    printer.note(introduction(collection, name, reading))
    table = predict_collection(collection, options)
    printer.require_solved(table, collection, options)
    summary = summarize_predictions(table, rng=arguments.seed)
    if best := best_sources(summary):
        printer.answer(f"closest predictions, from another measure:\n{best}")
    if printer.tidy:
        printer.table(summary)
    else:
        for number, value in enumerate(SHOWN):
            if number:
                print()
            printer.title(f"{PREDICTED[value]}; known measure down, predicted one across")
            printer.table(_matrix(summary, value))
    printer.lists(table, collection, options)
    printer.legend(
        "RMS: root mean square of predicted minus actual value, over all lists",
        "tau: between the rankings of the systems by predicted and by actual means; 1: the same ranking",
        *reading_legend(options),
    )
    if arguments.out is not None:
        from maxent.plot.study import plot_predictions  # loads matplotlib

        with results(arguments.out, say=printer.aside) as out:
            write_table(table, out / "predictions.csv")
            write_table(summary, out / "prediction_summary.csv")
            rows, columns = len(known), len(targets)
            figure = new_figure(2 * (3 + 0.75 * columns), 2 + 0.5 * rows)
            for value, ax in zip(SHOWN, np.ravel(figure.subplots(1, len(SHOWN))), strict=True):
                plot_predictions(summary, value=value, ax=ax)
            figure.suptitle(as_written(f"{name}; {reading}"), fontsize=11)
            write_figure(figure, out / "predictions")
        discard_checkpoint(collection, options)
        printer.written(arguments.out)
    reporting.predictions(arguments, name, collection, table, summary)


def _matrix(summary: pd.DataFrame, value: str) -> pd.DataFrame:
    matrix = prediction_matrix(summary, value).rename(index=measure_label, columns=measure_label)
    return matrix.rename_axis(columns=None).reset_index(names=value)
