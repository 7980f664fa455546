"""``maxent choose-g``: the most informative threshold probabilities g."""

import argparse

from maxent.cli import arguments as shared
from maxent.cli import reporting
from maxent.cli.layout import candidates
from maxent.cli.output import as_written, new_figure, results, write_figure, write_table
from maxent.cli.printing import (
    INTERVAL,
    RMS,
    THRESHOLD,
    Printer,
    add_format,
    introduction,
    reading_legend,
    reading_text,
    recommendation,
)
from maxent.measures import GAP, g_grid
from maxent.study.choose_g import choose_from, choose_refined
from maxent.study.informativeness import study_collection
from maxent.study.topics import discard_checkpoint

PARTIAL = "choose-g.partial"  # finished topics of an interrupted study; its key is added to the name
DESCRIPTION = """\
The g for which GAP(g) is the most informative: smallest mean RMS error over the thresholds, which --weights may
weight.  Prints every candidate with its 95 % bootstrap interval over topics, and how often it is the best in
bootstrap samples of the topics.  A local optimisation then looks for a better g between the points of the grid; if
it finds one, that is the last candidate.  Without --qrels and --runs it uses an embedded, simulated collection.

Files in --out: choose-g.csv, .png and .svg.  An interrupted study goes on when started again.

"maxent measures" lists the measures and how they are written; "maxent measures GAP" explains g.

  maxent choose-g --qrels qrels.txt --runs runs --weights 1=1,2=3 --out choose-g"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_study(parser)
    parser.add_argument("--no-refine", dest="refine", action="store_false",
                        help="only the points of the grid (default: refine the best one)")  # fmt: skip
    add_format(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out the command."""
    printer = Printer.of(arguments)
    collection, name = shared.collection(arguments, by_name=True)
    thresholds = shared.thresholds(arguments, collection.levels)
    weights = shared.weights(arguments.weights, thresholds)
    grid = tuple(GAP(g=g) for g in g_grid(levels=collection.levels, steps=arguments.g_steps))
    options = shared.options(arguments, PARTIAL, measures=grid, thresholds=thresholds)
    reading = reading_text(options)
    printer.note(introduction(collection, name, reading))
    table = study_collection(collection, options)
    printer.require_solved(table, collection, options)
    if arguments.refine:
        choice = choose_refined(table, collection, options, weights=weights, rng=arguments.seed)
    else:
        choice = choose_from(table, weights=weights, rng=arguments.seed)
    printer.answer(recommendation(choice, reading))
    best = int(choice.table["objective"].to_numpy().argmin())
    printer.table(choice.table if printer.tidy else candidates(choice.table, printer.decimals), marked=[best])
    printer.lists(table, collection, options)
    printer.legend(
        RMS,
        f"{THRESHOLD}; {INTERVAL}",
        "excess: mean RMS minus that of the best, 0 within the interval: not distinguishable; best in: share of "
        "resampled topic sets",
        *reading_legend(options),
    )
    if arguments.out is not None:
        from maxent.plot.study import plot_choice  # loads matplotlib

        with results(arguments.out, say=printer.aside) as out:
            write_table(choice.table, out / "choose-g.csv")
            figure = new_figure(6, 4.6)
            plot_choice(choice.table, ax=figure.subplots())
            figure.suptitle(as_written(f"{name}; {reading}"), fontsize=11)
            write_figure(figure, out / "choose-g")
        discard_checkpoint(collection, options)
        printer.written(arguments.out)
    reporting.study(arguments, name, collection, options, table, choice)
