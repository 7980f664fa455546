"""LambdaRank for every measure that is a pairwise form, and evaluation by any measure, for libraries of trees.

The gradient of a pair of documents with different grades is RankNet's times the absolute change of the measure when
the two are swapped (:mod:`maxent.ltr.swaps`), with the conventions of LightGBM's own ``lambdarank`` objective. It
always moves the document of the higher grade up, even if this lowers the measure, which happens in random lists for
about one pair in 200 for xGAP, gAP and Q, and for one in 16 for wAP.

R_i of a query are counted from its labels: judged documents outside the data set do not count.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from maxent.errors import InputError, MaxentError
from maxent.ltr.lambdas import Conventions, lambdas
from maxent.ltr.queries import Queries, as_queries, evaluators, form_arrays, mean_value
from maxent.ltr.swaps import parse_form
from maxent.measures.measure import Measure
from maxent.measures.parse import parse_measure
from maxent.types import FloatArray

T = TypeVar("T")
LATEST = 16  # data sets that stay prepared: training and validation of eight folds


class DataSet(Protocol):
    """The methods of a ``lightgbm.Dataset`` that are used."""

    def get_label(self) -> Any:
        """Grade of each document."""

    def get_group(self) -> Any:
        """Number of documents of each query."""

    def get_weight(self) -> Any:
        """Weight of each document; None or empty if all are equal."""


class LambdaObjective:
    """LambdaRank objective for a measure: ``lightgbm.train(params | {"objective": ...})``.

    ``lightgbm.LGBMRanker(objective=...)`` accepts it as well, and passes labels, scores, weights and groups in
    place of scores and a data set. It can be pickled, also in a fitted model.

    Parameters
    ----------
    measure : Measure or text
        Measure that is a pairwise form.
    levels : int, optional
        Highest grade; set it if the labels of a data set may lack that grade. Default: the highest label.
    sigmoid : float
        Slope of RankNet's logistic function.
    lambdarank_truncation_level : int, optional
        Use only pairs with at least one document at this rank or above in the current ranking; None: all pairs. The
        default, 30, is LightGBM's and suits measures with a cutoff near the top.
    lambdarank_norm : bool
        Divide the gradient of a pair by the distance of its scores plus 0.01, unless all scores of the query are
        equal, and multiply all gradients of a query by log2(1 + t)/t, where t is the sum over its pairs of the
        absolute gradients of both documents.

    Attributes
    ----------
    skipped : int
        Number of queries without a gradient in the data set of the last call: queries with a single document or
        without a relevant document.

    Raises
    ------
    MeasureError
        If the measure is not a pairwise form.
    MaxentError
        If another parameter is invalid; in calls, if labels, groups or grades are.
    """

    def __init__(
        self,
        measure: Measure | str,
        *,
        levels: int | None = None,
        sigmoid: float = 1.0,
        lambdarank_truncation_level: int | None = 30,
        lambdarank_norm: bool = True,
    ) -> None:
        measure = parse_form(measure)
        if not 0 < sigmoid < math.inf:
            raise MaxentError(f"sigmoid must be positive and finite, got {sigmoid}")
        if lambdarank_truncation_level is not None and lambdarank_truncation_level < 1:
            raise MaxentError(f"lambdarank_truncation_level must be 1 or more, got {lambdarank_truncation_level}")
        all_ranks = np.iinfo(np.int64).max  # the largest number that machine code takes
        truncation = min(lambdarank_truncation_level or all_ranks, all_ranks)
        self.skipped = 0
        self._conventions = Conventions(float(sigmoid), int(truncation), bool(lambdarank_norm))
        self._prepared = _Prepared(levels, partial(form_arrays, measure))

    def __call__(
        self, preds: Any, train_data: DataSet | npt.ArrayLike, weight: Any = None, group: Any = None
    ) -> tuple[FloatArray, FloatArray]:
        """Gradient and diagonal Hessian of the loss, (documents,) each."""
        passed = _arguments(preds, train_data, weight, group)
        queries, forms = self._prepared.of(passed.labels, passed.group)
        used = queries.judged & (queries.sizes > 1)
        self.skipped = int(np.sum(~used))
        scores = _checked_scores(passed.scores, len(queries.grades))
        gradient, hessian = lambdas(scores, queries, used, forms, self._conventions)
        if passed.weight is None or not len(passed.weight):
            return gradient, hessian
        weights = np.asarray(passed.weight)  # (documents,)
        return gradient * weights, hessian * weights

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # lightgbm.train copies its parameters: ``skipped`` would be set on the copy
        return self


class Evaluation:
    """Mean of a measure over the queries of a data set; each library has a subclass with its call.

    Parameters
    ----------
    measure : Measure or text
        Any measure that does not depend on which documents are judged, as Bpref, Judged and ``judged_only`` do.
        Documents with equal scores stay in the order of the data, as in LightGBM.
    levels : int, optional
        As for :class:`LambdaObjective`.

    Attributes
    ----------
    name : str
        Text form of the measure.
    skipped : int
        Number of queries without a relevant document in the data set of the last call. The mean excludes these
        queries; LightGBM's own metrics count them as 1.
    """

    def __init__(self, measure: Measure | str, *, levels: int | None = None) -> None:
        measure = parse_measure(measure)
        self.skipped = 0
        self.name = str(measure)
        self._prepared = _Prepared(levels, partial(evaluators, measure))

    def mean(self, preds: Any, eval_data: DataSet | npt.ArrayLike, weight: Any = None, group: Any = None) -> float:
        """Mean over the queries with a relevant document; NaN if there are none."""
        passed = _arguments(preds, eval_data, weight, group)
        queries, lists = self._prepared.of(passed.labels, passed.group)
        self.skipped = int(np.sum(~queries.judged))
        return mean_value(lists, _checked_scores(passed.scores, len(queries.grades)))


class _DataSetEntry(NamedTuple, Generic[T]):
    """A data set in the cache, with what was made of it."""

    labels: Any
    group: Any
    queries: Queries
    made: T


class _Prepared(Generic[T]):
    """Cache of the latest data sets' queries and of the results of ``make``, looked up by labels and groups."""

    def __init__(self, levels: int | None, make: Callable[[Queries], T]) -> None:
        self._levels, self._make = levels, make
        self._latest: tuple[_DataSetEntry[T], ...] = ()  # the latest first

    def of(self, labels: Any, group: Any) -> tuple[Queries, T]:
        """Queries of a data set, and what ``make`` makes of them."""
        for entry in self._latest:
            if np.array_equal(entry.labels, labels) and np.array_equal(entry.group, group):
                return entry.queries, entry.made
        queries = as_queries(labels, group, levels=self._levels)
        made = self._make(queries)
        entry = _DataSetEntry(np.array(labels), np.array(group), queries, made)
        self._latest = (entry, *self._latest[: LATEST - 1])
        return queries, made

    def __reduce__(self) -> tuple[Any, ...]:
        # a pickle is that of the parameters: forms are larger than data, and soon made again
        return _Prepared, (self._levels, self._make)


class _Arguments(NamedTuple):
    """What LightGBM passes to an objective."""

    scores: Any
    labels: Any
    group: Any
    weight: Any


def _arguments(preds: Any, data: Any, weight: Any, group: Any) -> _Arguments:
    """Arguments from scores and a data set or, of LightGBM's LGBMRanker, labels, scores, weights and groups."""
    if hasattr(data, "get_label"):
        return _Arguments(preds, data.get_label(), data.get_group(), data.get_weight())
    return _Arguments(scores=data, labels=preds, group=group, weight=weight)


def _checked_scores(preds: npt.ArrayLike, documents: int) -> FloatArray:
    """Scores in float64, (documents,)."""
    scores = np.ascontiguousarray(preds, dtype=np.float64)
    if np.shape(preds) != (documents,):
        raise InputError(f"scores have shape {np.shape(preds)}, expected one for each of {documents} documents")
    return scores
