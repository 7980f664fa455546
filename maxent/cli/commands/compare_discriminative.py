"""``maxent compare discriminative``: discriminative power of measures."""

import argparse

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.content import Fact, Figure, Panel, Table, plotted
from maxent.data.evaluate import evaluate
from maxent.measures import Q, nDCG
from maxent.measures.labels import measure_label
from maxent.result import Result
from maxent.study.finding import Finding
from maxent.systems.discrimination import METHODS, discriminative_power

DESCRIPTION = """\
How many pairs of systems does each measure tell apart?  Tests every pair and prints, per measure, the share of
significant pairs and the difference of means that is needed for significance.  All pairs and measures use the same
random samples.  Without --qrels and --runs it uses an embedded, simulated collection.

Files in --out: pairs.csv (measure, run_a, run_b, difference, asl: the achieved significance level), power.csv
(measure, power, difference_needed), discriminative.png and .svg (pairs by their level)."""
QUESTION = (
    "Every pair of systems is tested with every measure. Which measure tells the most pairs apart, and how large "
    "must a difference of means be for that?"
)
CAPTION = (
    "Achieved significance levels of all pairs of systems, in descending order: the nearer a curve is to the "
    "origin, the more pairs its measure tells apart."
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser, required=False)
    shared.add_seed(parser)
    parser.add_argument("--measures", nargs="+", metavar="M",
                        help="default: GAP, xGAP and eGAP with equal g, AP, nDCG, Q")  # fmt: skip
    parser.add_argument("--method", choices=METHODS, default="bootstrap",
                        help="paired studentised bootstrap (default) or randomised Tukey HSD")  # fmt: skip
    parser.add_argument("--alpha", type=float, default=0.05, metavar="A", help="significance level (default: 0.05)")
    parser.add_argument("--replicates", type=shared.positive, default=1000, metavar="B", help="default: 1000")


def run(arguments: argparse.Namespace) -> Result:
    """Carry out the command."""
    collection, name = given.collection(arguments)
    chosen = given.graded(arguments, collection.levels, (nDCG(), Q()))
    head = given.heading(arguments, collection, name, f"{arguments.method}, alpha={arguments.alpha:g}")
    found = discriminative_power(
        evaluate(collection, measures=chosen),
        method=arguments.method,
        alpha=arguments.alpha,
        replicates=arguments.replicates,
        rng=arguments.seed,
        progress=not arguments.quiet,
    )
    draw = plotted("plot_discrimination", found.pairs, alpha=arguments.alpha)
    return Result(
        question=QUESTION,
        finding=_finding(found.power),
        tables=(
            Table(
                name="power", title="Measures", frame=found.power,
                shown=found.power.sort_values("power", ascending=False, kind="stable"),
                meanings={"measure": "the measure that compares the systems"},
            ),
            Table(name="pairs", frame=found.pairs, places=("file",)),
            _disputed(found.pairs, arguments.alpha),
        ),
        figures=(Figure(name="discriminative", panels=(Panel(draw=draw, caption=CAPTION, size=(4.1, 3.6)),)),),
        facts=(
            Fact("method", arguments.method, "paired studentised bootstrap, or randomised Tukey test (hsd)"),
            Fact("alpha", f"{arguments.alpha:g}", "significance level"),
        ),
        **head,
    )  # fmt: skip


def _finding(power: pd.DataFrame) -> Finding:
    """The measures that tell the most pairs apart."""
    best = power.loc[power["power"] == power["power"].max(), "measure"]
    names = ", ".join(map(measure_label, best))
    return Finding(f"the most pairs told apart: {power['power'].max():.1%}", (f"by {names}",))


def _disputed(pairs: pd.DataFrame, alpha: float) -> Table:
    """Levels of all pairs, a column for each measure; the pairs on which the measures disagree come first."""
    wide = pairs.pivot(index=["run_a", "run_b"], columns="measure", values="asl")[list(pairs["measure"].unique())]
    apart = (wide < alpha).sum(axis=1)
    order = apart.clip(upper=wide.shape[1] - apart).sort_values(ascending=False, kind="stable").index
    meanings = {name: f"achieved significance level of the pair by {name}" for name in wide.columns}
    wide.insert(0, "told_apart", apart)
    return Table(
        name="disputed", title="Pairs of systems", frame=wide.loc[order].reset_index(), places=("page",),
        note="Achieved significance levels; the pairs on which the measures disagree come first.",
        meanings=meanings,
    )  # fmt: skip
