"""``maxent choose-measures``: the few measures that say the most together."""

import argparse
from dataclasses import replace

from maxent.cli import arguments as shared
from maxent.cli.layout import chosen_steps
from maxent.cli.output import as_written, new_figure, results, write_figure, write_table
from maxent.cli.printing import (
    INTERVAL,
    RMS,
    Printer,
    add_format,
    introduction,
    lists_in_common,
    reading_legend,
    scope,
)
from maxent.curves import ALIGNS
from maxent.measures.labels import measure_label
from maxent.study.choose_measures import HELPS, NO_INTERVAL, MeasureChoice, choose_from_candidates

CANDIDATES = ("AP", "nDCG@10", "nDCG(gain=exp2)", "P@10", "R@1000", "RBP(p=0.8)", "GAP(g=even)")
DESCRIPTION = """\
Which two or three numbers describe a list best?  Starts with the numbers of relevant documents alone, and adds
measure after measure: each time the one with which the curves inferred from all values together are closest to the
actual ones, on a random half of the topics.  Prints the mean RMS error of each step on the other half with its 95 %
bootstrap interval over topics, and the difference to the step before.  A step helps if the interval of its
difference is below 0; what is added after the last such step is not chosen.  Three or more measures that nearly
repeat each other take up to a second for a list, or more.  Without --qrels and --runs it uses an embedded,
simulated collection.

Files in --out: measures.csv, .png and .svg.

  maxent choose-measures --candidates AP P@10 nDCG@10 R@1000 --size 2 --out measures"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser, required=False)
    shared.add_problem(parser)
    shared.add_lists(parser)
    parser.add_argument("--align", choices=ALIGNS, default="recall",
                        help="compare curves at equal recall (default) or equal rank")  # fmt: skip
    parser.add_argument("--thresholds", nargs="+", type=shared.positive, metavar="T",
                        help="grades from which a document counts as relevant (default: each)")  # fmt: skip
    parser.add_argument("--candidates", nargs="+", metavar="M", default=list(CANDIDATES),
                        help=f"default: {' '.join(CANDIDATES)}; plain GAP stands for the g grid")  # fmt: skip
    parser.add_argument("--size", type=shared.positive, default=2, metavar="N",
                        help="number of measures to choose (default: 2)")  # fmt: skip
    shared.add_out(parser, "the results (nothing is written without it)")
    add_format(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out the command."""
    printer = Printer.of(arguments)
    collection, name = shared.collection(arguments, by_name=True)
    candidates = shared.measures(arguments.candidates, levels=collection.levels, g_steps=arguments.g_steps)
    thresholds = tuple(arguments.thresholds or range(1, collection.levels + 1))
    options = replace(shared.options(arguments, "", measures=candidates, thresholds=thresholds), checkpoint=None)
    reading = f"count={options.count}, align={options.align}"
    printer.note(introduction(collection, name, reading))
    choice = choose_from_candidates(collection, options, size=arguments.size, rng=arguments.seed)
    steps = choice.steps
    printer.answer(f"{outcome(choice)}\n{scope(reading)}")
    printer.table(steps if printer.tidy else chosen_steps(steps, printer.decimals))
    printer.note("\n" + lists_in_common(choice.training, "of the topics that choose"))
    printer.note(lists_in_common(choice.held_out, "of the topics that judge"))
    printer.legend(
        RMS,
        f"{INTERVAL}; change: to the step before",
        "training: half of the topics, which chooses; test: the other half, which judges",
        *reading_legend(options),
    )
    if arguments.out is not None:
        from maxent.plot.measures import plot_steps  # loads matplotlib

        with results(arguments.out, say=printer.aside) as out:
            write_table(steps, out / "measures.csv")
            figure = new_figure(6, 4)
            plot_steps(steps, ax=figure.subplots())
            figure.suptitle(as_written(f"{name}; {reading}"), fontsize=11)
            write_figure(figure, out / "measures")
        printer.written(arguments.out)


def outcome(choice: MeasureChoice) -> str:
    """The chosen measures in words, and the steps that are not certain to help."""
    last, steps = choice.chosen, choice.steps
    lines = ["chosen: none, as none certainly says more than the counts alone"]
    if last is not None:
        lists = f"on the {int(last['lists'])} lists of the topics that judge"
        lines = [f"chosen: {measure_label(last['measure'])}, mean RMS {last['rms']:.4f} {lists}"]
    for row in steps[(steps["step"] > 0) & (steps["verdict"] != HELPS)].to_dict("records"):
        left = "" if last is not None and row["step"] < last["step"] else ", so not chosen"
        change = f"{row['difference']:+.4f}, 95 % [{row['difference_low']:+.4f}, {row['difference_high']:+.4f}]"
        change = f"{row['difference']:+.4f}" if row["verdict"] == NO_INTERVAL else change
        lines.append(f"adding {measure_label(row['added'])}: {row['verdict']} ({change}){left}")
    return "\n".join(lines)
