"""Which two or three numbers describe a list best together?

Starts with the numbers of relevant documents alone, and adds measure after measure: each time the one with which
the curves inferred from all values together are closest to the actual ones, on a random half of the topics. Prints
the mean RMS error of each step on the other half with its 95 % bootstrap interval over topics, and the difference
to the step before. A step helps if the interval of its difference is below 0; what is added after the last such
step is not chosen. R@1000 is no candidate by default, as the counts of retrieved documents fix it. Three or more
measures that nearly repeat each other take up to a second for a list, or more.

Files in --out: measures.csv, and the figure measures.

  maxent choose-measures --candidates AP P@10 nDCG@10 R@100 --size 2 --out measures
"""

import argparse

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.results.content import Panel, Sheet, Table, plotted
from maxent.results.result import Result
from maxent.studies.choose_measures import NO_INTERVAL, choose_from_candidates
from maxent.studies.study_tables import facts
from maxent.studies.used import Lists, other_limit

CANDIDATES = ("AP", "nDCG@10", "nDCG(gain=exp2)", "P@10", "R@100", "RBP(p=0.8)", "GAP(g=even)")
NO_INTERVAL_MEANS = (
    f"{NO_INTERVAL}: fewer than two of the topics that judge have a list solved for every measure, so nothing says "
    "how certain a change is"
)


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=False)
    shared.add_options(parser, *shared.PROBLEM, *shared.LISTS, *shared.CURVES)
    parser.add_argument("--candidates", nargs="+", metavar="M", default=list(CANDIDATES),
                        help=f"default: {' '.join(CANDIDATES)}; plain GAP stands for the g grid")  # fmt: skip
    parser.add_argument("--size", type=shared.positive, default=2, metavar="N", help="number of measures to choose")


def run(arguments: argparse.Namespace) -> Result:
    collection, name = given.collection(arguments, by_name=True)
    candidates = given.measures(
        arguments.candidates, collection.levels, given.steps(arguments, arguments.candidates)
    )
    options = given.options(arguments, collection, measures=candidates)
    head = given.heading(arguments, collection, name, options.reading_text)
    choice = choose_from_candidates(collection, options, size=arguments.size, rng=arguments.rng)
    steps = choice.steps
    unknown = [NO_INTERVAL_MEANS] if NO_INTERVAL in set(steps["verdict"]) else []
    panel = Panel(plotted("plot_steps", steps), "Mean RMS error with one more measure after the other.")
    return Result(
        finding=choice.finding,
        tables=(Table(name="measures", title="Steps", frame=steps, shown=_shown(steps)),),
        figures=(Sheet("measures", (panel,)),),
        notes=(
            *Lists.of(choice.training).lines(" of the topics that choose"),
            *Lists.of(choice.held_out).lines(" of the topics that judge"),
            *other_limit(pd.concat([choice.training, choice.held_out]), collection, options),
        ),
        facts=facts(options),
        legend=(*unknown, *options.legend),
        **head,
    )


def _shown(steps: pd.DataFrame) -> pd.DataFrame:
    """A row for each step: what it adds, and the errors on both halves of the topics."""
    shown = steps.assign(added=steps["added"].where(steps["step"] > 0, "counts alone"))
    shown = shown.rename(columns=lambda name: name.replace("difference", "change"))
    names = ["step", "added", "rms_training", "rms", "rms_low", "rms_high", "change", "change_low", "change_high"]
    return shown[[*names, "verdict"]].rename(columns={"rms": "rms_test"})
