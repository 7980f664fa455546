"""Only a part of the judgments is kept. Does a measure still rank the systems as it does with all of them?

Keeps a random share of the judgments of every topic and grade (at least one relevant document of each grade and ten
others), from all of them down to 5 %, and prints Kendall's tau-b between the rankings with all judgments and with
the share, the mean over repetitions. Only runs above the first quartile of mean AP take part.

Files in --out: pools.csv (topics, share, repetition, measure, tau, tau_ap), pools_summary.csv (means, and the
interval of 95 % of the repetitions), the figure pools.
"""

import argparse

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.measures import RBP, Bpref, nDCG
from maxent.results.content import Panel, Sheet, Table, plotted
from maxent.results.result import Result
from maxent.results.words import POOLS
from maxent.systems.findings import pools_finding
from maxent.systems.pools import SHARES, Pools, pool_reduction, pools_matrix, summarize_pools
from maxent.texts import many


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=False)
    shared.add_measures(parser, "GAP, xGAP and eGAP with equal g, AP, nDCG, RBP, Bpref")
    parser.add_argument("--shares", nargs="+", type=float, default=list(SHARES), metavar="S",
                        help="shares of the judgments to keep (default: 1 0.9 ... 0.1 0.05)")  # fmt: skip
    each = "random samples of each share"
    parser.add_argument("--repetitions", type=shared.positive, default=10, metavar="N", help=each)
    shared.add_options(parser, "seed", *shared.RANKED)


def run(arguments: argparse.Namespace) -> Result:
    runs, qrels, name = given.tables(arguments)
    pools = Pools.of(runs, qrels, **given.collect_options(arguments, qrels))
    chosen = given.graded(arguments, pools.full.levels, (nDCG(), RBP(), Bpref()))
    head = given.heading(arguments, pools.full, name, given.ranked_runs(arguments))
    options = given.keywords(arguments, "shares", "repetitions", "few", "quantile", "rng", "progress")
    table = pool_reduction(pools, measures=chosen, **options)
    summary = summarize_pools(table)
    return Result(
        finding=pools_finding(summary),
        tables=(
            Table(name="pools", frame=table, places=("file",)),
            Table(
                name="by-share", frame=summary, shown=pools_matrix(summary), keys=2, places=("text",),
                note="Kendall's tau-b by share of the judgments",
            ),
            Table(
                name="pools_summary", title="Agreement by share of the judgments", frame=summary,
                meanings=POOLS, places=("file", "page"),
            ),
        ),
        figures=(Sheet("pools", tuple(_panel(table, topics) for topics in table["topics"].unique())),),
        facts=given.facts(arguments, "quantile", "few", "repetitions"),
        legend=(
            "tau-b between the rankings of the runs with all judgments and with the share; 1: the same ranking",
            f"mean over {many(arguments.repetitions, 'random sample')} of the judgments",
        ),
        **head,
    )  # fmt: skip


def _panel(table: pd.DataFrame, topics: str) -> Panel:
    caption = (
        f"Agreement with the ranking that has all judgments, topics: {topics}. The flatter and the closer to 1 a "
        "line is, the more robust is the measure."
    )
    return Panel(plotted("plot_pools", table, topics=topics), caption)
