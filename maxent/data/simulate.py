"""Simulated runs and relevance judgments that resemble those of a real test collection.

The model, from topics down to scores:

1. A topic has R_i = 1 + Poisson(scale * (a + b_i)) documents of grade i, with a ~ Gamma(shared) common to all
   grades and b_i ~ Gamma(shapes_i): negative-binomial counts, positively correlated. Or it has a few relevant
   documents with independent grades.
2. The quality of a system on a topic is q = s + t + u - hardness * log(R_1 / E[R_1]), with normal effects s of the
   system (variance 1), t of the topic and u of their interaction: systems differ, topics differ, and the order of
   systems differs between topics.
3. A document has a prominence, the same for all systems: normal with variance 1 around the mean of its grade, which
   is 0 for non-relevant documents.
4. A system finds a document with probability logistic(coverage_0 + coverage_1 * q) and then gives it the score
   prominence + exp(-noise * q) * normal. A better system finds more, ranks with less noise, and for both reasons
   agrees more with the others.
5. Documents that a system does not find fill the end of its list in random order.
6. The first ``pool`` documents of every system are judged, and so are all relevant documents.

The defaults of :class:`Model` were fitted to round 4 of TREC-COVID; ``analyses/embedded.py`` prints the quality of
the fit. :data:`TEN_DOCUMENTS` resembles the evaluation of a RAG retriever or of a shop. It is not fitted to data.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Literal

import numpy as np
import pandas as pd

from maxent.checks import check_choice
from maxent.errors import InputError, quoted
from maxent.limits import SIMULATED, too_large
from maxent.types import FloatArray, IntArray

NOT_FOUND = -100.0
"""Prominence of a document that a system does not find: low enough to rank below every document it finds."""


def _check_size(name: str, value: object) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or not 1 <= int(value) < 2**31:
        raise InputError(f"{name} must be a positive integer, got {quoted(value)}")


@dataclass(frozen=True)
class Model:
    """Parameters of the simulated collection; the defaults are the fitted ones.

    Parameters
    ----------
    documents : int
        Number of documents per topic that a system can return.
    shapes : (levels,) tuple
        Gamma shapes of the parts of R_i that are independent between grades.
    shared : float
        Gamma shape of the part that all R_i of a topic share; 0 makes the counts independent.
    scale : float
        Number of documents per unit of these gamma variables.
    prominence : (levels,) tuple
        Mean prominence of the documents of each positive grade. Non-relevant documents have mean 0; the standard
        deviation is 1 for all.
    topic, interaction : float
        Standard deviations of the effects on quality of the topic, and of the interaction of system and topic; the
        effects of the system have standard deviation 1.
    hardness : float
        Loss of quality per unit of log R_1: topics with many documents of grade 1 are harder.
    noise : float
        Decrease of the noise of a system's scores with its quality: by the factor exp(-noise) per unit.
    coverage : (2,) tuple
        Log-odds that a system of quality 0 finds a document, and their increase per unit of quality.
    pool : int
        Rank to which every run is judged.
    few : (2,) tuple, optional
        Fewest and most relevant documents of a topic. All numbers between them are equally frequent, and grades
        occur in proportion to ``shapes``. Default: the other parameters determine the number of each grade.
    sizes : (3,) tuple
        Default number of systems, number of topics, and depth of a collection.
    """

    documents: int = 10_000
    shapes: tuple[float, ...] = (1.05, 2.0)
    shared: float = 0.6
    scale: float = 30.0
    prominence: tuple[float, ...] = (2.3, 3.2)
    topic: float = 0.9
    interaction: float = 0.6
    hardness: float = 0.5
    noise: float = 0.35
    coverage: tuple[float, float] = (1.1, 1.1)
    pool: int = 25
    few: tuple[int, int] | None = None
    sizes: tuple[int, int, int] = (20, 30, 1000)

    def __post_init__(self) -> None:
        if len(self.shapes) != len(self.prominence) or not self.shapes:
            raise InputError(
                f"shapes and prominence need one number per positive grade, got {self.shapes} and {self.prominence}"
            )
        for name in ("documents", "pool"):
            _check_size(name, getattr(self, name))
        if min(*self.shapes, self.shared, self.scale) < 0:
            raise InputError("shapes, shared and scale must not be negative")
        if self.few is not None and not 1 <= self.few[0] <= self.few[1]:
            raise InputError(f"few must be two numbers, from 1 on and in order, got {self.few}")


CALIBRATED = Model()
TEN_DOCUMENTS = Model(
    documents=1000,
    shapes=(0.3, 0.3, 0.4),
    prominence=(2.8, 3.4, 4.0),
    hardness=0,
    noise=0.2,
    coverage=(1.5, 0.6),
    pool=10,
    few=(1, 3),
    sizes=(8, 300, 10),
)
"""Ten documents a query, one to three relevant ones, grades 0 to 3."""
ModelName = Literal["trec", "ten-documents"]
MODELS: Mapping[str, Model] = {"trec": CALIBRATED, "ten-documents": TEN_DOCUMENTS}


def simulate(
    *,
    systems: int | None = None,
    topics: int | None = None,
    depth: int | None = None,
    rng: np.random.Generator | int = 0,
    model: Model | ModelName = "trec",
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Simulate runs and relevance judgments of a test collection.

    Parameters
    ----------
    systems, topics, depth : int, optional
        Number of runs, of topics, and of documents that each run returns for each topic. Default: 20, 30 and 1000
        for ``trec``; 8, 300 and 10 for ``ten-documents``.
    rng : numpy.random.Generator or int
        Random generator or its seed. The same seed gives the same collection.
    model : {"trec", "ten-documents"} or Model
        A collection like those of TREC, with grades 0 to 2; lists of ten documents for queries with one to three
        relevant documents, with grades 0 to 3; or parameters of the simulation, see :mod:`maxent.data.simulate`.

    Returns
    -------
    runs : DataFrame, systems * topics * depth rows
        Columns query_id, doc_id, score, run_id; the documents of a list in rank order.
    qrels : DataFrame
        Columns query_id, doc_id, relevance; grades 0..levels. All relevant documents are judged.

    Raises
    ------
    InputError
        If a size is not a positive integer, the seed is not a non-negative integer, or the model has too few
        documents.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> runs.head(2).round(2)
      query_id   doc_id  score   run_id
    0        1  1-07885   6.50  system1
    1        1  1-09281   5.63  system1
    >>> len(runs), runs["run_id"].unique().tolist()
    (1200, ['system1', 'system2', 'system3'])
    >>> qrels["relevance"].value_counts().sort_index().to_dict()  # judged documents of each grade
    {0: 58, 1: 132, 2: 276}
    """
    # 1. sizes, by default those of the model
    if not isinstance(model, Model):
        check_choice("model", model, MODELS, raises=InputError)
        model = MODELS[model]
    sizes = zip((systems, topics, depth), model.sizes, strict=True)
    systems, topics, depth = (usual if size is None else size for size, usual in sizes)
    for name, size in (("systems", systems), ("topics", topics), ("depth", depth)):
        _check_size(name, size)
    if reason := too_large("the number of documents of all lists", systems * topics * depth, SIMULATED):
        raise InputError(reason)
    if depth > model.documents:
        raise InputError(f"depth {depth} exceeds the model's {model.documents} candidate documents per topic")
    # 2. relevant documents, and the quality of systems
    generator = _generator(rng)
    relevant = _relevant(model, topics, generator)
    quality = _quality(model, relevant, systems, generator)
    # 3. the lists of each topic, (systems, depth), and its judgments
    query_ids = np.array([str(t + 1) for t in range(topics)], dtype=object)
    digits = len(str(systems))
    run_ids = np.array([f"system{s + 1:0{digits}d}" for s in range(systems)], dtype=object)
    retrieved, scores, judged = [], [], []
    for query_id, counts, topic_quality in zip(query_ids, relevant, quality, strict=True):
        sorted_grades = np.repeat(np.arange(len(counts) + 1), _with_nonrelevant(model, counts))
        grades = generator.permutation(sorted_grades)  # so that a document's id says nothing about its grade
        order, scores_of_topic = _rank(model, grades, topic_quality, depth, generator)
        docs = np.array([f"{query_id}-{d:05d}" for d in range(model.documents)], dtype=object)
        pool = np.union1d(order[:, : model.pool], np.flatnonzero(grades))
        retrieved.append(docs[order].ravel())
        scores.append(scores_of_topic.ravel())
        judged.append(pd.DataFrame({"query_id": query_id, "doc_id": docs[pool], "relevance": grades[pool]}))
    # 4. tables
    runs = pd.DataFrame(
        {
            "query_id": np.repeat(query_ids, systems * depth),
            "doc_id": np.concatenate(retrieved),
            "score": np.concatenate(scores),
            "run_id": np.tile(np.repeat(run_ids, depth), topics),
        }
    )
    return runs, pd.concat(judged, ignore_index=True)


def _relevant(model: Model, topics: int, rng: np.random.Generator) -> IntArray:
    """R_i of each topic, (topics, levels)."""
    if model.few:
        number = rng.integers(*model.few, size=topics, endpoint=True)
        return rng.multinomial(number, np.array(model.shapes) / sum(model.shapes))
    shared = rng.gamma(model.shared, size=(topics, 1))
    separate = rng.gamma(model.shapes, size=(topics, len(model.shapes)))
    return 1 + rng.poisson(model.scale * (shared + separate))


def _quality(model: Model, relevant: IntArray, systems: int, rng: np.random.Generator) -> FloatArray:
    """Quality of each system on each topic, (topics, systems)."""
    topics = len(relevant)
    system = rng.standard_normal(systems)
    topic = model.topic * rng.standard_normal((topics, 1))
    interaction = model.interaction * rng.standard_normal((topics, systems))
    expected = 1 + model.scale * (model.shared + model.shapes[0])  # E[R_1], but for models with ``few``
    # with ``few``, R_1 may be 0; the model that has it has no hardness
    return system + topic + interaction - model.hardness * np.log(relevant[:, :1].clip(min=1) / expected)


def _with_nonrelevant(model: Model, relevant: IntArray) -> IntArray:
    """Number of candidate documents of each grade 0..levels, (levels + 1,)."""
    nonrelevant = model.documents - relevant.sum()
    if nonrelevant < 0:
        raise InputError(f"a topic has {relevant.sum()} relevant documents but {model.documents} candidates")
    return np.concatenate(([nonrelevant], relevant))


def _rank(
    model: Model, grades: IntArray, quality: FloatArray, depth: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Candidates of a topic in rank order, and their scores, (systems, depth)."""
    shape = (len(quality), len(grades))
    prominence = np.array((0.0, *model.prominence))[grades] + rng.standard_normal(len(grades))
    log_odds = model.coverage[0] + model.coverage[1] * quality
    retrieved = rng.random(shape) < 1 / (1 + np.exp(-log_odds[:, None]))
    noise = np.exp(-model.noise * quality)[:, None] * rng.standard_normal(shape)
    score = np.where(retrieved, prominence, NOT_FOUND) + noise
    # selecting the best `depth` before sorting is three times as fast as sorting all
    best = np.argpartition(-score, depth - 1, axis=1)[:, :depth]
    rank = np.argsort(-np.take_along_axis(score, best, axis=1), axis=1)
    order = np.take_along_axis(best, rank, axis=1)
    return order, np.take_along_axis(score, order, axis=1)


def _generator(rng: np.random.Generator | int) -> np.random.Generator:
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, bool) or not isinstance(rng, Integral) or rng < 0:
        raise InputError(f"rng must be a numpy Generator or a non-negative integer seed, got {quoted(rng)}")
    return np.random.default_rng(rng)
