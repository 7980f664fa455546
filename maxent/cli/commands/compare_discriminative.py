"""Every pair of systems is tested with every measure. Which measure tells the most pairs apart, and how large must
a difference of means be for that?

Tests every pair and prints, per measure, the share of significant pairs and the difference of means that is needed
for significance. All pairs and measures use the same random samples.

Files in --out: pairs.csv (measure, run_a, run_b, difference, asl: the achieved significance level), power.csv
(measure, power, difference_needed), the figure discriminative (pairs by their level).
"""

import argparse

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.data.evaluate import evaluate
from maxent.measures import Q, nDCG
from maxent.results.content import Panel, Sheet, Table, plotted
from maxent.results.result import Result
from maxent.results.words import SYSTEMS
from maxent.stats.pairs import BEST_BY
from maxent.systems.discrimination import METHODS, discriminative_power, top_power
from maxent.systems.findings import discrimination_finding

CAPTION = (
    "Achieved significance levels of all pairs of systems, in descending order: the nearer a curve is to the "
    "origin, the more pairs its measure tells apart."
)


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=False)
    shared.add_measures(parser, "GAP, xGAP and eGAP with equal g, AP, nDCG, Q")
    methods = "paired studentised bootstrap, or randomised Tukey test, hsd"
    parser.add_argument("--method", choices=METHODS, default="bootstrap", help=methods)
    shared.add_options(parser, "seed", "alpha", replicates={"default": 1000, "help": "samples"})
    inset = "best systems in the inset of the figure"
    parser.add_argument("--top", type=shared.positive, default=15, metavar="N", help=inset)
    best = "the best by each measure, its own, or by both of two measures"
    parser.add_argument("--by", choices=BEST_BY, default="each", help=best)


def run(arguments: argparse.Namespace) -> Result:
    collection, name = given.collection(arguments)
    chosen = given.graded(arguments, collection.levels, (nDCG(), Q()))
    head = given.heading(arguments, collection, name, f"{arguments.method}, alpha={arguments.alpha:g}")
    rule = given.keywords(arguments, "method", "alpha", "replicates")
    values = evaluate(collection, measures=chosen)
    found = discriminative_power(values, **rule, **given.keywords(arguments, "rng", "progress"))
    best = top_power(found.pairs, **given.keywords(arguments, "top", "alpha", "by"))
    by_both = "every measure" if arguments.by == "both" else "the measure"
    draw = plotted("plot_discrimination", found.pairs, **given.keywords(arguments, "alpha", "top", "by"))
    return Result(
        finding=discrimination_finding(found, **rule),
        tables=(
            Table(
                name="power", title="Measures", frame=found.power,
                shown=found.power.sort_values("power", ascending=False, kind="stable"),
                meanings=SYSTEMS,
            ),
            Table(
                name="best", title="Best systems", frame=best, places=("text", "page"), meanings=SYSTEMS,
                note=f"pairs of the systems that are among the best {arguments.top} by {by_both}",
            ),
            Table(name="pairs", frame=found.pairs, places=("file",)),
        ),
        figures=(Sheet("discriminative", (Panel(draw, CAPTION, size=(4.1, 3.6)),)),),
        facts=given.facts(arguments, "method", "alpha"),
        **head,
    )  # fmt: skip
