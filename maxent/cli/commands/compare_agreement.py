"""GAP, xGAP and eGAP rank the systems, and so do other measures. How well do the rankings agree, and how does that
depend on g?

Prints Kendall's tau-b between the systems' means in the layout of the xGAP paper: rows for g and one of the three,
columns for the other measures, a number for each set of topics (all, and those with few documents of a higher
grade). Only runs above the first quartile of mean AP take part.

Files in --out: agreement.csv (topics, g, measure_a, measure_b, tau, tau_ap: AP correlation), and the figure
agreement.
"""

import argparse

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.results.content import Panel, Sheet, Table, plotted
from maxent.results.result import Result
from maxent.systems.agreement import BASELINES, agreement, agreement_matrix
from maxent.systems.findings import agreement_finding


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=False)
    shared.add_measures(parser, "AP nDCG RBP Bpref, each compared with GAP, xGAP and eGAP")
    shared.add_options(parser, "seed", *shared.RANKED)


def run(arguments: argparse.Namespace) -> Result:
    collection, name = given.collection(arguments)
    texts = arguments.measures
    head = given.heading(arguments, collection, name, given.ranked_runs(arguments))
    table = agreement(
        collection,
        measures=BASELINES if texts is None else given.measures(texts, collection.levels),
        **given.keywords(arguments, "few", "quantile", "progress"),
    )
    sets = list(table["topics"].unique())
    places = 2 if arguments.places is None else arguments.places
    return Result(
        finding=agreement_finding(table),
        tables=(
            Table(
                name="agreement", note=f"Kendall's tau-b, topics: {' / '.join(sets)}", frame=table, keys=2,
                shown=agreement_matrix(table, places=places), places=("file", "text"),
            ),
            Table(
                name="pairs", title="Agreement", frame=table, meanings={"topics": "the set of topics"},
                places=("page",),
            ),
        ),
        figures=(Sheet("agreement", tuple(_panel(table, topics) for topics in sets), columns=1),),
        facts=given.facts(arguments, "quantile", "few"),
        legend=(
            "tau-b between the rankings of the runs by two measures: 1 the same, -1 reversed",
            "down: a measure with its g, across: other measures",
        ),
        **head,
    )  # fmt: skip


def _panel(table: pd.DataFrame, topics: str) -> Panel:
    columns, rows = 3 * table["measure_b"].nunique(), table["g"].nunique()
    return Panel(
        plotted("plot_agreement", table, topics=topics),
        f"Kendall's tau-b between rankings of the systems, topics: {topics}.",
        size=(2.6 + 0.55 * columns, 2 + 0.3 * rows),
        white=True,
    )
