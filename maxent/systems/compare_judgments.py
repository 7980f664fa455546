"""Two sets of judgments of one collection: how well they agree, and whether they rank systems alike.

Kappa is Cohen's, with the observed shares of the grades (Educational and Psychological Measurement 20, 1960), and
weighted by the distance of the grades or its square (Psychological Bulletin 70, 1968).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
import pandas as pd

from maxent.checks import whole_number
from maxent.data.collection import Collection
from maxent.data.evaluate import evaluate
from maxent.data.inputs import Qrels, Runs, as_qrels
from maxent.data.options import CollectOptions
from maxent.errors import InputError, ProblemError
from maxent.measures import GAP, Measure, as_measures, g_grid
from maxent.options import takes
from maxent.results.question import collected
from maxent.studies.compare import interval
from maxent.studies.options import BootstrapKeywords
from maxent.systems.rankings import DECIMALS, tau, tau_ap
from maxent.texts import many
from maxent.types import IntArray

RANKING = ("AP", "nDCG@10", "P@10")
KAPPAS = {"kappa": 0, "linear_kappa": 1, "quadratic_kappa": 2}  # powers of the distance of two grades


@dataclass(frozen=True, eq=False)
class JudgmentComparison:
    """Agreement of two sets of judgments, a and b.

    Attributes
    ----------
    confusion : DataFrame
        One row per pair of grades: grade_a, grade_b, documents. A grade is missing where only the other set judges
        the documents.
    agreement : DataFrame
        One row per statistic of the documents that both judge: statistic (``agreement``, the share with equal
        grades, ``kappa``, ``linear_kappa``, ``quadratic_kappa``), value, low, high (95 % interval), documents,
        topics.
    means : DataFrame
        One row per measure and run: measure, run_id, mean_a, mean_b, rank_a, rank_b.
    rankings : DataFrame
        One row per measure: measure, tau (Kendall's tau-b between the systems' means), tau_ap
        (:func:`maxent.systems.tau_ap`, a being the truth), drop (most ranks that a run loses from a to b), run_id,
        rank_a, rank_b (that run and its ranks; missing where no run loses any).
    """

    confusion: pd.DataFrame
    agreement: pd.DataFrame
    means: pd.DataFrame
    rankings: pd.DataFrame

    def __repr__(self) -> str:
        shown = ", ".join(f"{row['statistic']} {row['value']:.2f}" for row in self.agreement.to_dict("records"))
        documents = many(int(self.agreement["documents"].iloc[0]), "document")
        return f"JudgmentComparison({documents}: {shown})"

    def _repr_html_(self) -> str:
        shown = (table for table in (self.agreement, self.rankings) if len(table))
        return "".join(table.to_html(index=False, float_format="{:.4f}".format, na_rep="-") for table in shown)


class JudgmentKeywords(CollectOptions, BootstrapKeywords, total=False):
    """Options of :func:`maxent.compare_judgments`."""


@takes(JudgmentKeywords)
def compare_judgments(
    qrels_a: Qrels,
    qrels_b: Qrels,
    *,
    runs: Runs | None = None,
    measures: Sequence[Measure | str] = RANKING,
    g: Sequence[tuple[float, ...]] | None = None,
    grades_a: Mapping[int, int] | None = None,
    grades_b: Mapping[int, int] | None = None,
    **options: Unpack[JudgmentKeywords],
) -> JudgmentComparison:
    """Agreement of two sets of judgments in grades and, with runs, in how they rank systems.

    Parameters
    ----------
    qrels_a, qrels_b
        Judgments in any form that :func:`maxent.data.as_qrels` understands.
    runs : optional
        As for :func:`maxent.collect`; without runs only grades are compared.
    measures : sequence of Measure or text
        Measures that rank the systems. A topic without relevant documents counts 0.
    g : sequence of (levels,) tuples, optional
        GAP with these g ranks the systems, too; default: :func:`maxent.g_grid` with five steps.
    grades_a, grades_b : mapping from int to int, optional
        Grades of the ratings of one set, as for :func:`maxent.data.as_qrels`, to bring both to one scale.

    Returns
    -------
    JudgmentComparison
        Tables that nothing was asked for have no rows. Kappa is NaN where all documents have one and the same
        grade, an interval where there is only one topic.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=6, topics=8, depth=100)
    >>> strict = qrels.assign(relevance=qrels["relevance"].where(qrels.index % 3 > 0, 0))
    >>> found = me.compare_judgments(qrels, strict, runs=runs, measures=["AP", "P@10"], g=[(0.5, 0.5)], depth=100)
    >>> found.agreement[["statistic", "value", "low", "high"]].round(2)
             statistic  value   low  high
    0        agreement   0.77  0.73  0.82
    1            kappa   0.65  0.60  0.71
    2     linear_kappa   0.63  0.56  0.70
    3  quadratic_kappa   0.61  0.53  0.69
    """
    replicates = whole_number("replicates", options["replicates"], raises=ProblemError)
    chosen = as_measures(measures)
    pairs, duplicates = ((qrels_a, grades_a), (qrels_b, grades_b)), options["duplicates"]
    a, b = whole = [as_qrels(qrels, grades=grades, duplicates=duplicates) for qrels, grades in pairs]
    shared = shared_topics(a, b, options["topics"])
    tables = [table[table["query_id"].isin(shared)] for table in whole]
    tables = [table.assign(relevance=table["relevance"].clip(lower=0)) for table in tables]
    highest = [int(table["relevance"].max()) for table in tables]
    options["levels"] = levels = max(options["levels"] or 1, *highest)
    cells = _cells(tables, shared, levels)
    generator = np.random.default_rng(options["rng"])
    means = pd.DataFrame(columns=["measure", "run_id", "mean_a", "mean_b", "rank_a", "rank_b"])
    if runs is not None:
        runs = list(runs) if isinstance(runs, Iterator) else runs  # they are collected twice
        collections = [collected(runs, table, {**options, "topics": None}) for table in tables]
        grid = g_grid(levels=levels, steps=5) if g is None else g
        means = _means(collections, tuple(dict.fromkeys((*chosen, *(GAP(g=point) for point in grid)))))
    return JudgmentComparison(
        confusion=_confusion(cells.sum(axis=0)),
        agreement=_agreement(cells[:, :-1, :-1], replicates, generator),
        means=means,
        rankings=_rankings(means),
    )


def shared_topics(a: pd.DataFrame, b: pd.DataFrame, topics: Iterable[str] | None = None) -> list[str]:
    """Topics that both tables of judgments have, in the order of the first; of these the chosen ones."""
    known = set(b["query_id"])
    shared = [topic for topic in dict.fromkeys(a["query_id"]) if topic in known]
    if not shared:
        first = f"{a['query_id'].iloc[0]!r} and {b['query_id'].iloc[0]!r}"
        raise InputError(f"qrels_a and qrels_b have no topic in common; their first ones are {first}")
    wanted = set(shared) if topics is None else set(map(str, topics))
    if unknown := wanted.difference(shared):
        raise InputError(f"topics: {min(unknown)!r} is not a topic of both qrels")
    return [topic for topic in shared if topic in wanted]


def changes(rankings: pd.DataFrame) -> pd.DataFrame:
    """A row for each measure: how alike both sets rank runs, and the run that loses the most ranks."""
    falls = [
        "-" if row["drop"] == 0 else f"{row['run_id']}: {row['rank_a']} to {row['rank_b']}"
        for row in rankings.to_dict("records")
    ]
    return rankings[["measure", "tau", "tau_ap"]].assign(falls=falls)


def _cells(tables: Sequence[pd.DataFrame], topics: Sequence[str], levels: int) -> IntArray:
    """Documents by topic and grades, (topics, levels + 2, levels + 2); the last grade stands for no judgment."""
    a, b = tables
    both = a.merge(b, on=["query_id", "doc_id"], how="outer", suffixes=("_a", "_b"))
    codes = both[["relevance_a", "relevance_b"]].fillna(levels + 1).to_numpy(dtype=np.int64).T
    cells = np.zeros((len(topics), levels + 2, levels + 2), dtype=np.int64)
    np.add.at(cells, (pd.Index(topics).get_indexer(pd.Index(both["query_id"])), *codes), 1)
    if not cells[:, :-1, :-1].any():
        raise InputError("no document is judged by both: are these judgments of one collection?")
    return cells


def _confusion(cells: IntArray) -> pd.DataFrame:
    grades = pd.array([*range(len(cells) - 1), None], dtype="Int64")
    places = np.indices(cells.shape).reshape(2, -1)[:, :-1]  # all but those that neither judges
    return pd.DataFrame(
        {"grade_a": grades[places[0]], "grade_b": grades[places[1]], "documents": cells.ravel()[:-1]}
    )


def _agreement(cells: IntArray, replicates: int, rng: np.random.Generator) -> pd.DataFrame:
    """Agreement and kappas of the documents that both judge; ``cells`` has the shape (topics, grades, grades)."""
    topics = len(cells)
    counts = rng.multinomial(topics, np.full(topics, 1 / topics), size=replicates)
    sampled = np.tensordot(counts, cells, axes=1)
    total, names = cells.sum(axis=0), ("agreement", *KAPPAS)
    samples = pd.DataFrame({name: [_statistic(table, name) for table in sampled] for name in names})
    ends = interval(samples, "value", topics, within=(-1, 1))
    return pd.DataFrame({
        "statistic": names, "value": [_statistic(total, name) for name in names],
        "low": ends["value_low"].to_numpy(), "high": ends["value_high"].to_numpy(),
        "documents": int(total.sum()), "topics": topics,
    })  # fmt: skip


def _statistic(table: IntArray, name: str) -> float:
    """Agreement or a kappa of a square table; NaN without documents or, for kappa, if all have the same grade."""
    total, grades = table.sum(), np.arange(len(table))
    if name == "agreement":
        return float(np.trace(table) / total) if total else np.nan
    apart = grades[:, None] != grades
    weights = apart * np.abs(grades[:, None] - grades) ** KAPPAS[name]
    expected = (weights * np.outer(table.sum(axis=1), table.sum(axis=0))).sum()  # by chance, times the total
    return float(1 - total * (weights * table).sum() / expected) if expected else np.nan


def _means(collections: Sequence[Collection], measures: Sequence[Measure]) -> pd.DataFrame:
    """Means and ranks of the runs by each measure, with the judgments of a and of b."""
    first = collections[0]
    if len(first.runs) < 2:
        raise InputError(f"{len(first.runs)} run, expected at least two to rank")
    keys = pd.MultiIndex.from_product([map(str, measures), first.runs], names=["measure", "run_id"])
    means = pd.DataFrame(index=keys)
    for end, collection in zip("ab", collections, strict=True):
        values = evaluate(collection, measures=measures, empty="zero")
        means[f"mean_{end}"] = values.groupby(["measure", "run_id"])["value"].mean()
    ranks = means.round(DECIMALS).groupby("measure", sort=False).rank(ascending=False, method="min").astype(int)
    return means.join(ranks.set_axis(["rank_a", "rank_b"], axis=1)).reset_index()


def _rankings(means: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for measure, own in means.groupby("measure", sort=False):
        a, b = own["mean_a"].to_numpy(), own["mean_b"].to_numpy()
        fallen = (own["rank_b"] - own["rank_a"]).to_numpy()
        worst = own.iloc[fallen.argmax()]
        last = (worst["run_id"], worst["rank_a"], worst["rank_b"]) if fallen.max() else (None, None, None)
        rows.append((measure, tau(a, b), tau_ap(b, a), fallen.max(), *last))
    table = pd.DataFrame(rows, columns=["measure", "tau", "tau_ap", "drop", "run_id", "rank_a", "rank_b"])
    return table.astype({"rank_a": "Int64", "rank_b": "Int64"})
