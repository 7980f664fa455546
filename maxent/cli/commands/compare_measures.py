"""Which of two measures says more about a list, and does that depend on how curves are inferred?

Compares every pair of measures in every reading: counts, independent ranks or whole lists, a uniform reference or
1/n, curves at equal recall or expected ones, depths. Prints for each pair whether the verdict stands, stands for
threshold 1, depends on some readings, or is open, and the rule for that. Intervals are paired, over topics, and
corrected for the number of pairs. Lists in which the counts alone fix one of its two measures are left out of a
pair.

Files in --out: verdicts.csv (a row for each pair), differences.csv (a row for each pair, reading and threshold; 0:
the mean over the thresholds), the figure verdicts.

  maxent compare measures --qrels qrels.txt --runs runs --measures AP "nDCG(gain=exp2)" --depths 100 1000
"""

import argparse
from dataclasses import replace

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.content import Panel, Sheet, Table, plotted
from maxent.curves import Align
from maxent.errors import ProblemError
from maxent.measures import AP, GAP, P, nDCG
from maxent.problem import COUNTS
from maxent.problem.reference import Reference
from maxent.problem.solution import MODELS
from maxent.result import Result
from maxent.study.bootstrap import RESAMPLES
from maxent.study.readings import readings
from maxent.study.verdicts import verdicts
from maxent.words import VERDICTS

REFERENCES: tuple[Reference, ...] = (None, "log-uniform")
FILTER = ("min_retrieved", "min_retrieved_by", "min_retrieved_total")
READ: tuple[Align, ...] = ("recall", "expected")
CAPTION = "Mean RMS errors over the thresholds: left of 0 the first measure of a pair has the smaller one."


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=False)
    shared.add_measures(parser, "AP, GAP with equal g, nDCG(gain=exp2), nDCG, P@10")
    reading = parser.add_argument_group("readings")
    reading.add_argument("--counts", nargs="+", choices=COUNTS, default=["retrieved"], help="default: retrieved")
    models = "lists take much longer than ranks (default: ranks)"
    reading.add_argument("--models", nargs="+", choices=MODELS, default=["ranks"], help=models)
    depths = "lengths of the lists (default: --depth and a tenth of it, below 100 a half)"
    reading.add_argument("--depths", nargs="+", type=shared.positive, metavar="N", help=depths)
    intervals = "intervals for other topics and these systems, or for both others (default: topics)"
    parser.add_argument("--resample", choices=RESAMPLES, default="topics", help=intervals)
    shared.add_options(parser, *FILTER, "jobs", "seed")


def run(arguments: argparse.Namespace) -> Result:
    arguments.depth = max(arguments.depths or [], default=arguments.depth)
    collection, name = given.collection(arguments, by_name=True)
    even = (1 / collection.levels,) * collection.levels
    usual = (AP(), GAP(g=even), nDCG(gain="exp2"), nDCG(), P(cutoff=10))
    texts = arguments.measures
    chosen = usual if texts is None else given.measures(texts, collection.levels)
    if min(len(chosen), len(collection.topics)) < 2:
        raise ProblemError("a comparison needs at least two measures and two topics")
    part = collection.depth // (10 if collection.depth >= 100 else 2)
    depths = arguments.depths or sorted({max(1, part), collection.depth})
    at = " and ".join(map(str, depths))
    head = given.heading(arguments, collection, name, f"every pair of measures, in every reading, to depth {at}")
    table = readings(
        collection, measures=chosen, references=REFERENCES, aligns=READ, depths=depths,
        **given.keywords(arguments, "counts", "models", *FILTER, "jobs", "progress", "depth"),
    )  # fmt: skip
    found = verdicts(table, resample=arguments.resample, rng=arguments.rng)
    draw = plotted("plot_verdicts", found.differences)
    size = (7.5, 1.2 + 0.09 * (found.differences["threshold"] == 0).sum())
    return Result(
        finding=replace(found.finding, cautions=(*found.finding.cautions, *collection.cautions)),
        tables=(
            Table(name="verdicts", title="Verdicts", frame=found.table, keys=2, meanings=VERDICTS),
            Table(
                name="differences", title="Differences", frame=found.differences, places=("file", "page"),
                meanings=VERDICTS, closed=True,
            ),
        ),
        figures=(Sheet("verdicts", (Panel(draw, f"{CAPTION} Lists to depth {at}.", size=size),)),),
        main="verdicts",
        **head,
    )  # fmt: skip
