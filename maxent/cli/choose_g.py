"""``maxent choose-g``: the most informative threshold probabilities g."""

import argparse
import sys

from maxent.cli import arguments as shared
from maxent.cli.output import (
    folder,
    new_figure,
    no_lists,
    print_collection,
    print_left_out,
    recommendation,
    text_table,
    write_figure,
    write_table,
)
from maxent.measures import GAP, g_grid
from maxent.measures.labels import measure_label
from maxent.study.choose_g import choose_from, choose_refined
from maxent.study.informativeness import study_collection
from maxent.study.topics import SOLVED

PARTIAL = "study.partial.csv"  # finished topics of an interrupted study
DESCRIPTION = """\
The g for which GAP(g) is the most informative: smallest mean RMS error over the thresholds, which --weights may
weight.  Prints every candidate with its 95 % bootstrap interval over topics, and how often it is the best in
bootstrap samples of the topics.  A local optimisation then looks for a better g between the points of the grid; if
it finds one, that is the last candidate.  Without --qrels and --runs it uses an embedded, simulated collection.

Files in --out: choose-g.csv, .png and .svg.  An interrupted study goes on when started again."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_study(parser)
    parser.add_argument("--no-refine", dest="refine", action="store_false",
                        help="only the points of the grid (default: refine the best one)")  # fmt: skip
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out the command."""
    collection, name = shared.collection(arguments)
    thresholds = tuple(range(1, collection.levels + 1))
    weights = shared.weights(arguments.weights, thresholds)
    grid = tuple(GAP(g=g) for g in g_grid(levels=collection.levels, steps=arguments.g_steps))
    options = shared.options(arguments, PARTIAL, measures=grid, thresholds=thresholds)
    reading = f"count={options.count}, align={options.align}"
    print_collection(collection, name, reading)
    table = study_collection(collection, options)
    if not table["status"].isin(SOLVED).any():
        raise no_lists(table, collection)
    if arguments.refine:
        choice = choose_refined(table, collection, options, weights=weights, rng=arguments.seed)
    else:
        choice = choose_from(table, weights=weights, rng=arguments.seed)
    shown = choice.table.drop(columns=choice.table.filter(regex="^g_").columns)
    print(text_table(shown.assign(measure=shown["measure"].map(measure_label))))
    print_left_out(table)
    print(recommendation(choice, reading))
    if arguments.out is not None:
        from maxent.plot.study import plot_choice  # loads matplotlib

        out = folder(arguments.out)
        write_table(choice.table, out / "choose-g.csv")
        figure = new_figure(6, 4.6)
        plot_choice(choice.table, ax=figure.subplots())
        figure.suptitle(f"{name}; {reading}", fontsize=11)
        write_figure(figure, out / "choose-g")
        (out / PARTIAL).unlink(missing_ok=True)
        print(f"\nwritten to {out}/", file=sys.stderr)
