"""``maxent study``: informativeness of measures on a collection."""

import argparse
import re

from maxent.cli import arguments as shared
from maxent.cli import reporting
from maxent.cli.layout import errors_by_threshold
from maxent.cli.output import as_written, results, write_figure, write_table
from maxent.cli.printing import (
    INTERVAL,
    RMS,
    THRESHOLD,
    Printer,
    add_format,
    best_measure,
    introduction,
    reading_legend,
    reading_text,
    recommendation,
)
from maxent.measures.labels import CANDIDATE
from maxent.study.choose_g import choose_from
from maxent.study.informativeness import study_collection
from maxent.study.summary import summarize
from maxent.study.topics import discard_checkpoint

PARTIAL = "study.partial"  # finished topics of an interrupted study; its key is added to the name
CHOICE = "choice.csv"  # not written by a study with fewer than two candidates
DESCRIPTION = """\
Mean RMS error between the precision-recall curves of lists and the curves inferred from a measure's value alone.
Prints the most informative g, the means per measure and threshold with 95 % bootstrap intervals over topics, and
how many lists were left out and why.  Without --qrels and --runs it studies an embedded, simulated collection.

Files in --out: informativeness.csv (a row per run, topic, measure and threshold), summary.csv (means),
choice.csv (candidate g), informativeness.png and .svg (with three positive grades a triangular map of g for each
threshold).  Rows are by topic in the order of the judgments, by run name, by measure, by threshold: neither the
order of the files nor --jobs changes a byte.  An interrupted study goes on when started again.

"maxent measures" lists the measures and how they are written.

  maxent study --qrels qrels.txt --runs runs --measures GAP AP "nDCG(gain=exp2)@10" --out study"""


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
    thresholds = shared.thresholds(arguments, collection.levels)
    weights = shared.weights(arguments.weights, thresholds)
    options = shared.options(arguments, PARTIAL, measures=chosen, thresholds=thresholds)
    reading = reading_text(options)
    printer.note(introduction(collection, name, reading))
    table = study_collection(collection, options)
    printer.require_solved(table, collection, options)
    summary = summarize(table, rng=arguments.seed)
    candidates = sum(bool(re.fullmatch(CANDIDATE, str(m))) for m in chosen)
    choice = choose_from(table, weights=weights, rng=arguments.seed) if candidates > 1 else None
    best = best_measure(summary, reading)
    if choice is not None:
        best = recommendation(choice, reading, among="of the grid (choose-g looks between its points)")
    if best:
        printer.answer(best)
    if printer.tidy:
        printer.table(summary)
    else:
        marked = [] if choice is None else [list(map(str, chosen)).index(str(choice.measure))]
        printer.table(errors_by_threshold(summary, printer.decimals), marked=marked)
    printer.lists(table, collection, options)
    printer.legend(RMS, f"{THRESHOLD}; {INTERVAL}", *reading_legend(options))
    if arguments.out is not None:
        from maxent.plot.study import informativeness_figure  # loads matplotlib

        with results(arguments.out, stale=[CHOICE], say=printer.aside) as out:
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
