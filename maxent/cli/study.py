"""``maxent study``: informativeness of measures on a collection."""

import argparse
import re

from maxent.cli import arguments as shared
from maxent.cli import reporting
from maxent.cli.output import as_written, results, write_figure, write_table
from maxent.cli.printing import Printer, add_format, introduction, lists_used, recommendation
from maxent.measures.labels import CANDIDATE
from maxent.study.choose_g import choose_from
from maxent.study.informativeness import study_collection
from maxent.study.summary import summarize
from maxent.study.topics import discard_checkpoint

PARTIAL = "study.partial"  # finished topics of an interrupted study; its key is added to the name
CHOICE = "choice.csv"  # not written by a study with fewer than two candidates
DESCRIPTION = """\
Mean RMS error between the precision-recall curves of lists and the curves inferred from a measure's value alone.
Prints the means per measure and threshold with 95 % bootstrap intervals over topics, how many lists were left out
and why, and the most informative g.  Without --qrels and --runs it studies an embedded, simulated collection.

Files in --out: informativeness.csv (a row per run, topic, measure and threshold), summary.csv (means),
choice.csv (candidate g), informativeness.png and .svg (with three positive grades a triangular map of g for each
threshold).  Rows are by topic in the order of the judgments, by run name, by measure, by threshold: neither the
order of the files nor --jobs changes a byte.  An interrupted study goes on when started again."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_study(parser)
    parser.add_argument(
        "--measures", nargs="+", metavar="M",
        help='default: GAP AP "nDCG(gain=exp2)"; plain GAP stands for the whole g grid',
    )  # fmt: skip
    add_format(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out the command."""
    printer = Printer.of(arguments)
    collection, name = shared.collection(arguments, by_name=True)
    chosen = shared.measures(arguments.measures, levels=collection.levels, g_steps=arguments.g_steps)
    thresholds = tuple(arguments.thresholds or range(1, collection.levels + 1))
    weights = shared.weights(arguments.weights, thresholds)
    options = shared.options(arguments, PARTIAL, measures=chosen, thresholds=thresholds)
    reading = f"count={options.count}, align={options.align}"
    printer.note(introduction(collection, name, reading))
    table = study_collection(collection, options)
    printer.require_solved(table, collection, options)
    summary = summarize(table, rng=arguments.seed)
    candidates = sum(bool(re.fullmatch(CANDIDATE, str(m))) for m in chosen)
    choice = choose_from(table, weights=weights, rng=arguments.seed) if candidates > 1 else None
    printer.table(summary if printer.tidy else summary.drop(columns=["mae_low", "mae_high"]))
    printer.note(lists_used(table))
    if choice is not None:
        printer.note(recommendation(choice, reading, among="of the grid (choose-g looks between its points)"))
    if arguments.out is not None:
        from maxent.plot.study import informativeness_figure  # loads matplotlib

        with results(arguments.out, stale=[CHOICE]) as out:
            write_table(table, out / "informativeness.csv")
            write_table(summary, out / "summary.csv")
            if choice is not None:
                write_table(choice.table, out / CHOICE)
            table_of_g = None if choice is None else choice.table
            figure = informativeness_figure(summary, choice=table_of_g, title=as_written(f"{name}; {reading}"))
            write_figure(figure, out / "informativeness")
        discard_checkpoint(collection, options)
        printer.written(arguments.out)
    reporting.study(arguments, name, collection, options, table, choice)
