"""Ways to infer a curve from a value: maximum entropy in several readings, and what is learned from other topics.

Every way knows the same of a list: the value of a measure, and the numbers of documents of each grade that the list
and the topic have. What is learned comes from the lists of the topics of four folds, for those of the fifth.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import maxent as me
from maxent.stats.comparison import Comparison
from maxent.studies.compare_measures import readings
from maxent.studies.rank_profile import FOLDS
from maxent.studies.same_lists import ERRORS, LIST, common_lists
from maxent.types import FloatArray, IntArray


class Way(NamedTuple):
    """A reading in which curves are inferred by maximum entropy."""

    model: str
    reference: str | None
    align: str

    def __str__(self) -> str:
        return f"{self.model}, {REFERENCES[self.reference]}, {self.align}"


REFERENCES = {None: "uniform", "log-uniform": "1/n", "topics": "topics"}
NEAREST = 25  # lists
PLACES = np.linspace(0.05, 1, 20)  # of the learned curves' points, in relevant documents of the list
PARAMETERS = np.geomspace(
    0.01, 100, 200
)  # of the one-parameter curves, among which the best for a list is looked for


def power_curve(b: FloatArray, k: FloatArray, retrieved: int, base: int, depth: int) -> FloatArray:
    """Precision at the k-th relevant document, (b, k), where min(n, C (n/N)^b) of them are found by rank n."""
    with np.errstate(divide="ignore", over="ignore"):  # a rank may be too small for a number: precision is 1
        return np.asarray(np.minimum(1.0, k / (depth * (k / retrieved) ** (1 / b[:, None]))))


def exponential_curve(c: FloatArray, k: FloatArray, retrieved: int, base: int, depth: int) -> FloatArray:
    """Precision exp(-c u) at the k-th relevant document, (c, k), where recall is u."""
    return np.asarray(np.exp(-c[:, None] * k / base))


CURVES: Mapping[str, Callable[..., FloatArray]] = {"power curve": power_curve, "exponential": exponential_curve}
LEARNED = ("ridge", "nearest lists", *CURVES)


Named: TypeAlias = tuple[str, str]  # an inference and a measure


class Lists(NamedTuple):
    """Lists of a collection at a threshold."""

    keys: pd.MultiIndex  # (lists,), run and topic
    fold: IntArray  # (lists,)
    counts: FloatArray  # (lists, features)
    ranks: list[IntArray]  # of the relevant documents, (k,) each
    base: list[int]  # R_>=t of the topic
    depth: int


def errors(
    collection: me.data.Collection,
    measures: Sequence[me.measures.Measure],
    ways: Sequence[Way],
    *,
    learned: Sequence[str] = LEARNED,
    min_retrieved: int = 5,
    jobs: int = 1,
    checkpoint: Path | None = None,
) -> pd.DataFrame:
    """Error of every way to infer curves, on the lists that all of them solve for every measure.

    Columns inference, run_id, query_id, measure, threshold, status, rms.
    """
    tables = []
    for model, reference in dict.fromkeys((way.model, way.reference) for way in ways):
        aligns = [way.align for way in ways if (way.model, way.reference) == (model, reference)]
        given: dict[str, Any] = {"models": [model], "references": [reference], "aligns": aligns}
        table = readings(
            collection, measures, counts=["retrieved"], min_retrieved=min_retrieved, jobs=jobs,
            checkpoint=checkpoint, **given,
        )  # fmt: skip
        names = table["align"].map({align: str(Way(model, reference, align)) for align in aligns})
        tables.append(table.assign(inference=names))
    solved = common_lists(pd.concat(tables, ignore_index=True))
    columns = ["inference", *LIST, "measure", "threshold", "status", "rms"]
    values = solved[solved["inference"] == str(ways[0])]
    return pd.concat([solved[columns], *_learned(collection, values, learned)], ignore_index=True)


def _learned(collection: me.data.Collection, values: pd.DataFrame, learned: Sequence[str]) -> list[pd.DataFrame]:
    """Errors of the curves that are learned, for the lists and values of a study."""
    frames = []
    for threshold, rows in values.groupby("threshold") if learned else ():
        lists = lists_of(collection, rows[LIST].drop_duplicates(), int(str(threshold)))
        for name in learned:
            targets = targets_of(lists, name)
            for measure, own in rows.groupby("measure", sort=False):
                own = own.set_index(LIST).loc[lists.keys]
                value = own["value"].to_numpy()
                rms = curve_errors(lists, name, predicted(name, features(name, value, lists), targets, lists.fold))
                keys = lists.keys.to_frame(index=False)
                names = {"inference": name, "measure": measure, "threshold": threshold}
                frames.append(keys.assign(**names, status=own["status"].to_numpy(), rms=rms))
    return frames


def lists_of(collection: me.data.Collection, keys: pd.DataFrame, threshold: int) -> Lists:
    """Where the relevant documents of some lists are, and what is known of them beside values."""
    topics = [collection.topics.index(topic) for topic in keys["query_id"]]
    runs = [collection.runs.index(run) for run in keys["run_id"]]
    grades, relevant = collection.grades[topics, runs], collection.relevant[topics]
    found = np.stack([(grades == grade).sum(axis=1) for grade in range(1, collection.levels + 1)], axis=1)
    return Lists(
        keys=pd.MultiIndex.from_frame(keys[LIST]),
        fold=np.array(topics) % FOLDS,
        counts=np.log1p(np.concatenate([found, relevant], axis=1)),
        ranks=[np.flatnonzero(own >= threshold) + 1 for own in grades],
        base=relevant[:, threshold - 1 :].sum(axis=1).tolist(),
        depth=collection.depth,
    )


def features(name: str, value: FloatArray, lists: Lists) -> FloatArray:
    """What a curve is learned from: value, its square, and counts; distances have no use for the square."""
    known = [value] if name == "nearest lists" else [value, value**2]
    return np.column_stack((*known, lists.counts))


def targets_of(lists: Lists, name: str) -> FloatArray:
    """What is learned: precision at ``PLACES``, or the logarithm of the parameter that fits the list best."""
    if name not in CURVES:
        return np.stack([np.interp(PLACES, k / len(n), k / n) for k, n in _points(lists)])
    best = []
    for (k, n), base in zip(_points(lists), lists.base, strict=True):
        off = CURVES[name](PARAMETERS, k, len(n), base, lists.depth) - k / n
        best.append(PARAMETERS[(off**2).sum(axis=1).argmin()])
    return np.asarray(np.log(best))[:, None]


def predicted(name: str, known: FloatArray, targets: FloatArray, fold: IntArray) -> FloatArray:
    """Targets of the lists of each fold, learned from those of the others."""
    found = np.empty_like(targets)
    for own in np.unique(fold):
        here = fold == own
        if name == "nearest lists":
            learner = KNeighborsRegressor(n_neighbors=min(NEAREST, int((~here).sum())))
        else:
            learner = RidgeCV(alphas=np.logspace(-3, 3, 7))
        model = make_pipeline(StandardScaler(), learner).fit(known[~here], targets[~here])
        found[here] = np.reshape(model.predict(known[here]), (-1, targets.shape[1]))
    return np.asarray(found)


def curve_errors(lists: Lists, name: str, targets: FloatArray) -> FloatArray:
    """Root mean square errors (lists,) of learned curves at the relevant documents of the lists."""
    found = []
    for (k, n), base, own in zip(_points(lists), lists.base, targets, strict=True):
        if name in CURVES:
            precision = CURVES[name](np.exp(own), k, len(n), base, lists.depth)[0]
        else:
            precision = np.clip(np.interp(k / len(n), PLACES, own), 0, 1)
        found.append(np.sqrt(np.mean((precision - k / n) ** 2)))
    return np.array(found)


def _points(lists: Lists) -> list[tuple[FloatArray, IntArray]]:
    """Numbers k and ranks n_k of the relevant documents of each list."""
    return [(np.arange(1.0, len(ranks) + 1), ranks) for ranks in lists.ranks]


def compared(table: pd.DataFrame, replicates: int = 1000) -> dict[int, Comparison]:
    """Mean errors of each inference and measure: over the thresholds (0), and at each; samples are paired."""
    by = ["threshold", "inference", "measure"]
    over = Comparison.of(table, by, within=ERRORS, replicates=replicates, rng=0).average()
    return {0: over, **over.parts}


def differences(comparison: Comparison, pairs: Sequence[tuple[Named, Named]]) -> pd.DataFrame:
    """Mean error of the first of each pair, an inference and a measure, minus that of the second, paired."""
    first, second = zip(*pairs, strict=True)
    return comparison.differences(first, second).reset_index(drop=True)


def merged(qrels: pd.DataFrame, levels: int) -> pd.DataFrame:
    """Judgments in which grades above ``levels`` are this one."""
    return qrels.assign(relevance=qrels["relevance"].clip(upper=levels))


def ways(models: Sequence[str], references: Sequence[str | None], aligns: Sequence[str]) -> list[Way]:
    """Every combination."""
    return [Way(*names) for names in product(models, references, aligns)]
