"""``maxent study``: informativeness of measures on a collection."""

import argparse
import re
import sys

from maxent.cli import arguments as shared
from maxent.cli.output import (
    folder,
    no_lists,
    print_collection,
    print_left_out,
    recommendation,
    text_table,
    write_figure,
    write_table,
)
from maxent.measures.labels import CANDIDATE, measure_label
from maxent.study.choose_g import choose_from
from maxent.study.informativeness import study_collection
from maxent.study.summary import summarize
from maxent.study.topics import SOLVED

PARTIAL = "study.partial.csv"  # finished topics of an interrupted study
DESCRIPTION = """\
Mean RMS error between the precision-recall curves of lists and the curves inferred from a measure's value alone.
Prints the means per measure and threshold with 95 % bootstrap intervals over topics, how many lists were left out
and why, and the most informative g.  Without --qrels and --runs it studies an embedded, simulated collection.

Files in --out: informativeness.csv (a row per run, topic, measure and threshold), summary.csv (means),
choice.csv (candidate g), informativeness.png and .svg (with three positive grades a triangular map of g for each
threshold).  An interrupted study goes on when started again."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_study(parser)
    parser.add_argument(
        "--measures", nargs="+", metavar="M",
        help='default: GAP AP "nDCG(gain=exp2)"; plain GAP stands for the whole g grid',
    )  # fmt: skip
    parser.add_argument("--thresholds", nargs="+", type=shared.positive, metavar="T",
                        help="grades from which a document counts as relevant (default: each)")  # fmt: skip
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out the command."""
    collection, name = shared.collection(arguments)
    chosen = shared.measures(arguments.measures, levels=collection.levels, g_steps=arguments.g_steps)
    thresholds = tuple(arguments.thresholds or range(1, collection.levels + 1))
    weights = shared.weights(arguments.weights, thresholds)
    options = shared.options(arguments, PARTIAL, measures=chosen, thresholds=thresholds)
    reading = f"count={options.count}, align={options.align}"
    print_collection(collection, name, reading)
    table = study_collection(collection, options)
    summary = summarize(table, rng=arguments.seed)
    candidates = sum(bool(re.fullmatch(CANDIDATE, str(m))) for m in chosen)
    solved = table["status"].isin(SOLVED).any()
    choice = choose_from(table, weights=weights, rng=arguments.seed) if candidates > 1 and solved else None
    if not solved:
        raise no_lists(table, collection)
    shown = summary.drop(columns=["mae_low", "mae_high"])
    print(text_table(shown.assign(measure=shown["measure"].map(measure_label))))
    print_left_out(table)
    if choice is not None:
        print(recommendation(choice, reading, among="of the grid (choose-g looks between its points)"))
    if arguments.out is not None:
        from maxent.plot.study import informativeness_figure  # loads matplotlib

        out = folder(arguments.out)
        for stale in ("choice.csv", "informativeness.png", "informativeness.svg"):
            (out / stale).unlink(missing_ok=True)  # left by an earlier study; this one may not write them
        write_table(table, out / "informativeness.csv")
        write_table(summary, out / "summary.csv")
        if choice is not None:
            write_table(choice.table, out / "choice.csv")
        table_of_g = None if choice is None else choice.table
        figure = informativeness_figure(summary, choice=table_of_g, title=f"{name}; {reading}")
        write_figure(figure, out / "informativeness")
        (out / PARTIAL).unlink(missing_ok=True)
        print(f"\nwritten to {out}/", file=sys.stderr)
