"""Agreement between measures in their rankings of systems (xGAP paper 6, tables 2 and 3)."""

from collections.abc import Sequence
from typing import Unpack

import pandas as pd

from maxent.data.collection import Collection
from maxent.data.embedded import collected
from maxent.data.inputs import Qrels, Runs
from maxent.data.values import empty_note
from maxent.errors import ProblemError, require_columns
from maxent.measures import GAP, Measure, eGAP, g_grid, xGAP
from maxent.measures.graded import threshold_probabilities
from maxent.options import CompareAgreementQuestion, Sources, takes
from maxent.progress import progress_bar
from maxent.results.content import Drawing, Panel, Sheet, Table, facts_of
from maxent.results.finding import Finding
from maxent.results.question import answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.studies.holdings import heading
from maxent.studies.options import expanded
from maxent.systems.rankings import (
    TAU_AP,
    TOPIC_SET,
    better_runs,
    ranked_runs,
    tau,
    tau_ap,
    topic_sets,
    topic_values,
)
from maxent.texts import measure_label

FAMILY = (GAP, xGAP, eGAP)
AGREEMENT = Schema(
    TOPIC_SET,
    Column("g", "threshold probabilities: a user finds grade k and higher relevant with probability g_k"),
    Column("measure_a", "GAP, xGAP or eGAP, with the g of the row", "measure", "measure"),
    Column("measure_b", "measure whose ranking of the systems is compared", "compared with", "measure"),
    Column(
        "tau", "Kendall's tau-b between two rankings of the systems; 1: same order, -1: reversed", explained=True
    ),
    TAU_AP,
)
"""Columns of the agreement of two measures."""
MATRIX = Schema(
    *AGREEMENT, Column("{measure}", "Kendall's tau-b with the ranking by this measure, for each set of topics")
)
"""The same with a column for each other measure."""


@answers
@takes(Sources, CompareAgreementQuestion)
def compare_agreement(
    runs: Runs | Collection | None = None,
    qrels: Qrels | None = None,
    **options: Unpack[CompareAgreementQuestion],
) -> Result:
    """How well do GAP, xGAP and eGAP agree with other measures in ranking systems, and how does this depend on g?

    The printed table has the layout of the xGAP paper: a row for each g and each of the three measures, a column
    for each other measure, and in each cell Kendall's tau-b between the systems' means for each set of topics (all,
    and topics with few documents of a higher grade). Only runs above the first quartile of mean AP take part.

    Returns
    -------
    Result
        ``table``: one row per set of topics (``all``, ``few of grade 2``, ...; sets without topics are omitted), g
        and pair of measures: measure_a (``GAP``, ``xGAP`` or ``eGAP``), measure_b (``GAP`` with the same g, or one
        of ``measures``), tau and tau_ap (:func:`maxent.systems.tau_ap`, mean of both directions).

    Notes
    -----
    Files: agreement.csv, the figure agreement.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=6, topics=8, depth=100)
    >>> result = me.compare_agreement(runs, qrels, g=[(0.5, 0.5)], measures=["AP", "P@10"], quantile=0, depth=100)
    >>> result.table[result.table["measure_a"] == "xGAP"].round(2)
      topics        g measure_a measure_b   tau  tau_ap
    3    all  0.5,0.5      xGAP       GAP  1.00     1.0
    4    all  0.5,0.5      xGAP        AP  1.00     1.0
    5    all  0.5,0.5      xGAP      P@10  0.87     0.9
    """
    few, quantile = options["few"], options["quantile"]
    collection = collected(runs, qrels, options)
    chosen = expanded(options["measures"], collection.levels)
    head = heading(collection, runs, qrels, ranked_runs(few, quantile), title=options["title"])
    table = agreement_table(
        collection, chosen, options["g"], few=few, quantile=quantile, progress=options["progress"]
    )
    sets = list(table["topics"].unique())
    return Result(
        finding=_finding(table),
        views=(
            Table(
                name="agreement",
                note=f"Kendall's tau-b, topics: {' / '.join(sets)}",
                frame=table,
                keys=2,
                shown=agreement_matrix(table),
                schema=MATRIX,
                places=("file", "text"),
            ),
            Table(
                name="pairs",
                title="Agreement",
                frame=table,
                schema=AGREEMENT,
                places=("page",),
            ),
        ),
        sheets=(Sheet("agreement", tuple(_panel(table, topics) for topics in sets), columns=1),),
        facts=facts_of(CompareAgreementQuestion, options, "quantile", "few"),
        notes=empty_note(collection, "skip"),
        legend=(
            "tau-b between the rankings of the runs by two measures: 1 the same, -1 reversed",
            "down: a measure with its g, across: other measures",
        ),
        **head,
    )


def agreement_table(
    collection: Collection,
    measures: Sequence[Measure],
    g: Sequence[tuple[float, ...]] | None = None,
    *,
    few: float,
    quantile: float,
    progress: bool = True,
) -> pd.DataFrame:
    """Agreement of GAP, xGAP and eGAP with GAP and other measures, for every g and set of topics."""
    points = paper_grid(collection.levels) if g is None else g
    grid = [tuple(threshold_probabilities(GAP(g=point), collection.levels).tolist()) for point in points]
    if not grid:
        raise ProblemError("agreement needs at least one g")
    better = better_runs(collection, quantile)
    sets = topic_sets(better, few)
    fixed = topic_values(better, measures)
    rows = []
    for point in progress_bar(grid, desc="agreement", unit="g", shown=progress):
        family_values = topic_values(better, [family(g=point) for family in FAMILY])
        text = ",".join(f"{x:.4g}" for x in point)
        for name, part in sets.items():
            ours, other_means = family_values[:, part].mean(axis=1), fixed[:, part].mean(axis=1)
            for a, mean in zip(FAMILY, ours, strict=True):
                for b, other in zip(("GAP", *map(str, measures)), (ours[0], *other_means), strict=True):
                    both_ways = (tau_ap(mean, other) + tau_ap(other, mean)) / 2  # neither is the truth
                    rows.append((name, text, a.__name__, b, tau(mean, other), both_ways))
    table = pd.DataFrame(rows, columns=["topics", "g", "measure_a", "measure_b", "tau", "tau_ap"])
    return table.sort_values(
        "topics", key=lambda names: names.map(list(sets).index), kind="stable", ignore_index=True
    )


def paper_grid(levels: int) -> list[tuple[float, ...]]:
    """Grid of g of the xGAP paper (tables 2 and 3): in tenths for two grades, in fifths for more."""
    return g_grid(levels=levels, steps=11 if levels <= 2 else 6)


def agreement_matrix(table: pd.DataFrame, value: str = "tau", *, places: int = 2) -> pd.DataFrame:
    """Rows for g and measure_a, columns for measure_b as in the xGAP paper, cells for all sets: ``0.95/0.87``."""
    require_columns(table, ("topics", "g", "measure_a", "measure_b", value), "table of agreement")
    texts = table.assign(text=[f"{x:.{places}f}" for x in table[value]])
    wide = texts.pivot_table(
        index=["g", "measure_a"], columns="measure_b", values="text", aggfunc="/".join, sort=False
    )
    return wide[table["measure_b"].unique()].rename_axis(columns=None).reset_index()


def _finding(table: pd.DataFrame) -> Finding:
    """Finding: mean tau of each other measure with GAP, the largest first."""
    topics = table["topics"].iloc[0]
    rows = table[(table["topics"] == topics) & (table["measure_a"] == "GAP") & (table["measure_b"] != "GAP")]
    means = rows.groupby("measure_b", sort=False)["tau"].mean().dropna()
    if means.empty:
        return Finding("no ranking to compare")
    means = means.sort_values(ascending=False, kind="stable")
    names = ", ".join(f"{measure_label(str(name))} {tau:.2f}" for name, tau in means.items())
    of = f"Kendall's tau, mean over all g; topics: {topics}"
    return Finding(f"rankings most similar to that by GAP: {names}", (of,))


def _panel(table: pd.DataFrame, topics: str) -> Panel:
    columns, rows = 3 * table["measure_b"].nunique(), table["g"].nunique()
    return Panel(
        Drawing("plot_agreement", table, topics=topics),
        f"Kendall's tau-b between rankings of the systems, topics: {topics}.",
        size=(2.6 + 0.55 * columns, 2 + 0.3 * rows),
        white=True,
    )
