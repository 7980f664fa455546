"""Incomplete judgments: how rankings of systems change when fewer documents are judged.

The judgments of every topic and grade are reduced by stratified random sampling (xGAP paper 6, figures 1 and 2).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
import pandas as pd

from maxent.checks import whole_number
from maxent.data.collect import collect_documents
from maxent.data.collection import Collection
from maxent.data.embedded import collection_name, embedded_or
from maxent.data.inputs import Qrels, Runs
from maxent.data.values import empty_note
from maxent.errors import InputError, ProblemError, require_columns
from maxent.limits import REPETITIONS
from maxent.measures import RBP, Bpref, Measure, nDCG
from maxent.options import CollectOptions, ComparePoolsQuestion, Sources, part_of, takes
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
    graded_measures,
    ranked_runs,
    tau,
    tau_ap,
    topic_sets,
    topic_values,
)
from maxent.texts import many, measure_names
from maxent.types import IntArray

FEWEST_NONRELEVANT, FEWEST_RELEVANT = 10, 1  # smallest sample of a grade, if it has as many documents
RANKED_BY = Column("measure", "measure that ranks the systems", format="measure")
SHARE = Column("share", "share of the judgments kept", "judgments", "share")
TAU = Column("tau", "Kendall's tau-b between the rankings with all judgments and with the share", explained=True)
POOLS = Schema(
    TOPIC_SET, SHARE, Column("repetition", "number of the random sample of the judgments"), RANKED_BY, TAU, TAU_AP
)
"""Columns of the rankings with each random sample of the judgments."""
SUMMARY = Schema(
    TOPIC_SET,
    RANKED_BY,
    SHARE,
    TAU,
    Column("tau_{end}", "interval of 95 % of the repetitions", "95 %", explained=True),
    TAU_AP,
)
"""Columns of the means over the repetitions."""
OF_SHARE = Column("{k}%", "Kendall's tau-b between the rankings with all judgments and with this share of them")


@dataclass(frozen=True, eq=False)
class Pools:
    """A collection whose judgments can be reduced; the judged documents of a topic are numbered from 1."""

    full: Collection  # with all judgments
    numbers: IntArray  # (topics, runs, depth): of the document at each rank among the judged ones, 0 if it is none
    judged: IntArray  # (topics, most + 1): grade of each judged document by its number, -1 where there is none

    @classmethod
    @takes(CollectOptions)
    def of(cls, runs: Runs, qrels: Qrels, **options: Unpack[CollectOptions]) -> "Pools":
        """Pools of runs and judgments; the options are those of :func:`maxent.collect`."""
        full, retrieved = collect_documents(runs, qrels, options)
        if retrieved is None:
            raise InputError("a Collection has no document ids: give runs and qrels")
        judgments = retrieved.judged
        topics = judgments.keys.to_numpy() // len(judgments.docs)
        row_of_topic = np.full(len(judgments.topics), -1)
        row_of_topic[judgments.topics.get_indexer(pd.Index(full.topics))] = np.arange(len(full.topics))
        graded = (judgments.grades >= 0) & (row_of_topic[topics] >= 0)
        number = np.where(graded, pd.Series(graded).groupby(topics).cumsum(), 0)
        numbered = replace(judgments, grades=number)  # what is looked up is the number
        numbers = np.zeros(full.grades.shape, dtype=np.int32)
        row_of_list = row_of_topic[retrieved.topics]
        for k, documents in enumerate(retrieved.runs):
            lists, ranks = np.nonzero((documents.codes >= 0) & (row_of_list >= 0)[:, None])
            docs = judgments.match(documents._replace(codes=documents.codes[lists, ranks]))
            numbers[row_of_list[lists], k, ranks] = numbered.look_up(retrieved.topics[lists], docs).clip(min=0)
        judged = np.full((len(full.topics), number.max() + 1), -1)
        judged[row_of_topic[topics[graded]], number[graded]] = judgments.grades[graded]
        return cls(full, numbers, judged)

    def better(self, quantile: float) -> "Pools":
        """Pools of the runs that :func:`better_runs` keeps with all judgments."""
        full = better_runs(self.full, quantile)
        return Pools(full, self.numbers[:, np.isin(self.full.runs, full.runs)], self.judged)

    def shuffle(self, rng: np.random.Generator) -> IntArray:
        """Place from 0 of each judged document in a random order of its grade, (topics, most + 1)."""
        keys = rng.random(self.judged.shape)
        places = np.zeros(self.judged.shape, dtype=np.int64)
        for grade in range(self.full.levels + 1):
            has_grade = self.judged == grade
            order = np.where(has_grade, keys, np.inf).argsort(axis=1).argsort(axis=1)
            places[has_grade] = order[has_grade]
        return places

    def reduce(self, share: float, places: IntArray) -> Collection:
        """Collection in which only a share of the documents of each topic and grade is judged.

        Of n documents, the first max(minimum, round(share * n)) in the order of ``places`` (from :meth:`shuffle`)
        stay judged. Of two samples with the same places, the smaller is therefore part of the larger. The minimum
        is 1 for a relevant grade and 10 for grade 0.
        """
        counts = np.column_stack((self.full.judged_nonrelevant, self.full.relevant))
        fewest = np.array([FEWEST_NONRELEVANT, *[FEWEST_RELEVANT] * self.full.levels])
        limits = np.minimum(counts, np.maximum(fewest, np.round(share * counts).astype(np.int64)))
        allowed = np.take_along_axis(limits, self.judged.clip(min=0), axis=1)
        sampled = np.where(places < allowed, self.judged, -1).astype(np.int16)
        flat = self.numbers.reshape(len(sampled), -1)
        grades = np.take_along_axis(sampled, flat, axis=1).reshape(self.numbers.shape)
        return replace(
            self.full,
            grades=grades.clip(min=0),
            nonrelevant=grades == 0,
            relevant=limits[:, 1:],
            judged_nonrelevant=limits[:, 0],
        )


@answers
@takes(Sources, ComparePoolsQuestion)
def compare_pools(
    runs: Runs | None = None,
    qrels: Qrels | None = None,
    **options: Unpack[ComparePoolsQuestion],
) -> Result:
    """Does a measure still rank systems in the same order when only a part of the judgments is kept?

    Random shares of the judgments of every topic and grade are kept, from 100 % down to 5 %, but at least one
    relevant document of each grade and ten other documents. The result has Kendall's tau-b between the rankings
    with all judgments and with the share, as a mean over repetitions. Only runs above the first quartile of mean AP
    take part.

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.collect`, except a `Collection`, which has no document ids.

    Returns
    -------
    Result
        ``table``: means over the repetitions, one row per set of topics, measure and share (``pools_summary``).
        ``tables["pools"]``: one row per set of topics, share, repetition and measure, with tau and tau_ap
        (:func:`maxent.systems.tau_ap`, with the ranking by all judgments as the truth).

    Notes
    -----
    Files: pools.csv, pools_summary.csv (means over the repetitions, and the interval that holds 95 % of them), the
    figure pools.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=6, topics=8, depth=100)
    >>> result = me.compare_pools(runs, qrels, measures=["AP"], shares=(1, 0.5, 0.1), quantile=0, depth=100)
    >>> result.table[["measure", "share", "tau", "tau_low", "tau_high"]].round(2)
      measure  share   tau  tau_low  tau_high
    0      AP    1.0  1.00     1.00      1.00
    1      AP    0.5  0.96     0.87      1.00
    2      AP    0.1  0.56     0.23      0.84
    """
    measures, repetitions, few = options["measures"], options["repetitions"], options["few"]
    quantile = options["quantile"]
    if isinstance(runs, Collection):
        raise InputError("a Collection has no document ids: give runs and qrels")
    name = options["title"] or collection_name(runs, qrels)
    pools = Pools.of(*embedded_or(runs, qrels, options), **part_of(CollectOptions, options))
    levels = pools.full.levels
    chosen = graded_measures(levels, nDCG(), RBP(), Bpref()) if measures is None else expanded(measures, levels)
    head = heading(pools.full, runs, qrels, ranked_runs(few, quantile), title=name)
    better = pools.better(quantile)
    table = pools_table(
        better, chosen, options["shares"], repetitions, options["rng"], few=few, progress=options["progress"]
    )
    summary = summarize_pools(table)
    return Result(
        finding=_finding(summary),
        views=(
            Table(name="pools", frame=table, schema=POOLS, places=("file",)),
            Table(
                name="by-share",
                frame=summary,
                shown=pools_matrix(summary),
                keys=2,
                places=("text",),
                note="Kendall's tau-b by share of the judgments",
                schema=Schema(*SUMMARY, OF_SHARE),
            ),
            Table(
                name="pools_summary",
                title="Agreement by share of the judgments",
                frame=summary,
                schema=SUMMARY,
                places=("file", "page"),
            ),
        ),
        sheets=(Sheet("pools", tuple(_panel(table, topics) for topics in table["topics"].unique())),),
        facts=facts_of(ComparePoolsQuestion, options, "quantile", "few", "repetitions"),
        notes=empty_note(pools.full, "skip"),
        legend=(
            "tau-b between the rankings of the runs with all judgments and with the share; 1: the same ranking",
            f"mean over {many(repetitions, 'random sample')} of the judgments",
        ),
        **head,
    )


def pools_table(
    pools: Pools,
    measures: Sequence[Measure],
    shares: Sequence[float],
    repetitions: int,
    rng: np.random.Generator | int,
    *,
    few: float = 10.0,
    progress: bool = True,
) -> pd.DataFrame:
    """Agreement between rankings of systems by all judgments and by random shares of the judgments."""
    sets = topic_sets(pools.full, few)
    full = topic_values(pools.full, measures)
    rows = []
    for repetition, share, collection in reductions(pools, shares, repetitions, rng, progress=progress):
        values = topic_values(collection, measures)
        for name, part in sets.items():
            means = zip(full[:, part].mean(axis=1), values[:, part].mean(axis=1), strict=True)
            for measure, (truth, estimate) in zip(measures, means, strict=True):
                rows.append((name, share, repetition, str(measure), tau(truth, estimate), tau_ap(estimate, truth)))
    return pd.DataFrame(rows, columns=["topics", "share", "repetition", "measure", "tau", "tau_ap"])


def reductions(
    pools: Pools,
    shares: Sequence[float],
    repetitions: int,
    rng: np.random.Generator | int,
    *,
    progress: bool = True,
) -> Iterator[tuple[int, float, Collection]]:
    """Collections with reduced judgments, in all repetitions and shares: (repetition, share, collection)."""
    if not shares or not all(0 < share <= 1 for share in shares):
        raise ProblemError(f"shares must be in (0, 1], got {tuple(shares)}")
    repetitions = whole_number("repetitions", repetitions, raises=ProblemError, limit=REPETITIONS)
    generator = np.random.default_rng(rng)
    with progress_bar(total=repetitions * len(shares), desc="pools", unit="pool", shown=progress) as bar:
        for repetition in range(repetitions):
            places = pools.shuffle(generator)
            for share in shares:
                yield repetition, share, pools.reduce(share, places)
                bar.update()


def summarize_pools(table: pd.DataFrame) -> pd.DataFrame:
    """Mean agreement over the repetitions of a table of pools, and the central 95 % of the repetitions."""
    require_columns(table, ("topics", "measure", "share", "tau", "tau_ap"), "table of pools")
    groups = table.groupby(["topics", "measure", "share"], sort=False)
    means = groups[["tau", "tau_ap"]].mean()
    means.insert(1, "tau_low", groups["tau"].quantile(0.025))
    means.insert(2, "tau_high", groups["tau"].quantile(0.975))
    return means.reset_index()


def pools_matrix(summary: pd.DataFrame) -> pd.DataFrame:
    """Mean tau: a row for each set of topics and measure, a column for each share of the judgments."""
    keys = ["topics", "measure"]
    wide = summary.set_index([*keys, "share"])["tau"].unstack("share")
    wide = wide.loc[pd.MultiIndex.from_frame(summary[keys].drop_duplicates()), summary["share"].unique()]
    return wide.set_axis([f"{share:.0%}" for share in wide.columns], axis=1).reset_index()


def _finding(summary: pd.DataFrame) -> Finding:
    """Finding: the measure whose ranking by the fewest judgments agrees best with the full one, and its rivals."""
    topics = summary["topics"].iloc[0]
    rows = summary[summary["topics"] == topics]
    rows = rows[rows["share"] == rows["share"].min()].set_index("measure")
    if not rows["tau"].notna().any():
        return Finding("no ranking to compare")
    best = rows[rows["tau"] == rows["tau"].max()]
    sentence = f"the most robust with {rows['share'].iloc[0]:.0%} of the judgments: {measure_names(best.index)}"
    first = best.iloc[0]
    lines = [f"tau {first['tau']:.4f}, 95 % of the repetitions [{first['tau_low']:.4f}, {first['tau_high']:.4f}]"]
    rivals = rows[(rows["tau"] < first["tau"]) & (rows["tau_high"] >= first["tau_low"])]
    lines += [f"overlapping intervals: {measure_names(rivals.index)}"] if len(rivals) else []
    return Finding(sentence, (*lines, f"topics: {topics}"))


def _panel(table: pd.DataFrame, topics: str) -> Panel:
    caption = (
        f"Agreement with the ranking that has all judgments, topics: {topics}. The flatter and the closer to 1 a "
        "line is, the more robust is the measure."
    )
    return Panel(Drawing("plot_pools", table, topics=topics), caption)
