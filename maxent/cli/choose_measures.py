"""``maxent choose-measures``: the few measures that say the most together."""

import argparse
from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli.layout import chosen_steps
from maxent.cli.output import as_written, new_figure, results, write_figure, write_table
from maxent.cli.printing import (
    INTERVAL,
    RMS,
    Printer,
    add_format,
    introduction,
    reading_legend,
    reading_text,
    scope,
)
from maxent.measures.labels import measure_label
from maxent.study.choose_measures import HELPS, NO_INTERVAL, MeasureChoice, choose_from_candidates
from maxent.study.topics import LEFT_OUT, SOLVED
from maxent.texts import many

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

NONE_RETRIEVED = "no relevant document retrieved"  # what is too few where that holds for some thresholds only
NO_INTERVAL_MEANS = (
    f"{NO_INTERVAL}: fewer than two of the topics that judge have a list solved for every measure, so nothing says "
    "how certain a change is"
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser, required=False)
    shared.add_problem(parser)
    shared.add_lists(parser)
    shared.add_curves(parser)
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
    thresholds = shared.thresholds(arguments, collection.levels)
    options = replace(shared.options(arguments, "", measures=candidates, thresholds=thresholds), checkpoint=None)
    reading = reading_text(options)
    printer.note(introduction(collection, name, reading))
    choice = choose_from_candidates(collection, options, size=arguments.size, rng=arguments.seed)
    steps = choice.steps
    printer.answer(f"{outcome(choice)}\n{scope(reading)}")
    printer.table(steps if printer.tidy else chosen_steps(steps, printer.decimals))
    printer.note("\n" + lists_in_common(choice.training, "of the topics that choose"))
    printer.note(lists_in_common(choice.held_out, "of the topics that judge"))
    printer.limits(pd.concat([choice.training, choice.held_out]), collection, options)
    unknown = [NO_INTERVAL_MEANS] if NO_INTERVAL in set(steps["verdict"]) else []
    printer.legend(
        RMS,
        f"{INTERVAL}; change: to the step before",
        "training: half of the topics, which chooses; test: the other half, which judges",
        *unknown,
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
    if NO_INTERVAL in set(steps["verdict"]):
        lines = [f"chosen: none, as there is no interval: {_too_few_topics(choice.held_out)}"]
    elif last is not None:
        lists = f"on the {int(last['lists'])} lists of the topics that judge"
        lines = [f"chosen: {measure_label(last['measure'])}, mean RMS {last['rms']:.4f} {lists}"]
    for row in steps[(steps["step"] > 0) & (steps["verdict"] != HELPS)].to_dict("records"):
        left = "" if last is not None and row["step"] < last["step"] else ", so not chosen"
        change = f"{row['difference']:+.4f}, 95 % [{row['difference_low']:+.4f}, {row['difference_high']:+.4f}]"
        change = f"{row['difference']:+.4f}" if row["verdict"] == NO_INTERVAL else change
        lines.append(f"adding {measure_label(row['added'])}: {row['verdict']} ({change}){left}")
    return "\n".join(lines)


def _too_few_topics(held_out: pd.DataFrame) -> str:
    """How many topics could judge, and how many would have to."""
    solved = _solved_for_all(held_out)
    usable, topics = _topics(solved), held_out["query_id"].nunique()
    has = f"only {usable} has a list solved for every measure, at least 2 are needed"
    return f"of the topics that judge ({topics}), {has}"


def lists_in_common(table: pd.DataFrame, of: str) -> str:
    """How many lists are solved for every measure, how many were left out, and why; ``of`` says whose lists."""
    solved = _solved_for_all(table)
    topics = many(_topics(solved), "topic")
    lines = [f"{many(len(solved), 'list')} {of}; {solved.sum()} solved for every measure, of {topics}"]
    return "\n".join([*lines, *_reasons(table)])


def _solved_for_all(table: pd.DataFrame) -> pd.Series:
    """Whether a list is solved for every measure and threshold, by run and topic."""
    return table["status"].isin(SOLVED).groupby([table["run_id"], table["query_id"]]).all()


def _topics(solved: pd.Series) -> int:
    """Number of topics with a solved list."""
    return int(solved[solved].index.get_level_values("query_id").nunique())


def _reasons(table: pd.DataFrame) -> Iterator[str]:
    """A line for each reason; a list counts once, by its first reason and the thresholds for which that holds."""
    keys, order = ["run_id", "query_id"], {status: k for k, status in enumerate(LEFT_OUT)}
    rest = table[~table["status"].isin(SOLVED)]
    rank = rest["status"].map(order)
    rest = rest[rank == rank.groupby([rest[key] for key in keys]).transform("min")]
    rest = rest.join(rest.groupby(keys)["threshold"].agg(_texts).rename("at"), on=keys)
    for (status, at), rows in rest.drop_duplicates([*keys, "measure"]).groupby(["status", "at"], sort=False):
        lists, number = len(rows.drop_duplicates(keys)), rows.groupby("measure", sort=False).size()
        some = len(number) < table["measure"].nunique() or (number < lists).any()
        detail = f", by measure: {', '.join(f'{m} {n}' for m, n in number.items())}" if some else ""
        part = "" if at == _texts(table["threshold"]) else f" at t={at}"
        reason = NONE_RETRIEVED if part and status == "too_few" else LEFT_OUT[str(status)]
        yield f"  left out: {lists} ({status}{part}: {reason}){detail}"


def _texts(thresholds: pd.Series) -> str:
    return ",".join(map(str, sorted(set(thresholds))))
