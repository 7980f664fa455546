"""LambdaRank in LightGBM for every measure that is a pairwise form, and evaluation by any measure.

    import lightgbm
    from maxent.ltr.lightgbm import dataset, evaluation, lambda_objective

    train, valid = (dataset(me.read_letor(path)) for path in ("training.txt", "validation.txt"))
    measure = me.GAP(g=(0.5, 0.5))
    params = {"objective": lambda_objective(measure), "metric": "None"}
    booster = lightgbm.train(params, train, valid_sets=[valid], feval=evaluation(measure))

The gradient of a pair of documents with different grades is RankNet's times the absolute change of the measure when
the two are swapped (:mod:`maxent.ltr.swaps`), with the conventions of LightGBM's own ``lambdarank`` objective. The
document of the higher grade is always the one that moves up, also where the measure would fall: xGAP, gAP and Q do
for about one pair in 200 of random lists, wAP for one in 16.

``nDCG(gain=exp2)`` gives LightGBM's own gradients for queries with no more relevant documents than the truncation
level; for others LightGBM cuts the ideal list off there, a factor of the whole query.

R_i of a query are its labels; what was judged but is not in the data set is not known here. The first call after
installing compiles for about ten seconds; the machine code is kept on disk.
"""

import math
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.errors import InputError, MaxentError
from maxent.ltr.queries import Forms, Queries, as_forms, as_queries
from maxent.ltr.swaps import require_form
from maxent.measures.form import FloatArray, IntArray
from maxent.measures.measure import Measure

if TYPE_CHECKING:
    from lightgbm import Dataset

T = TypeVar("T")
Lists = list[tuple[slice, IntArray, Callable[[IntArray], FloatArray]]]
"""Documents of a query, their grades, and what evaluates a list of them."""


def dataset(table: pd.DataFrame, **options: Any) -> "Dataset":
    """Data set of judged documents and their features.

    It checks what ``lightgbm.Dataset`` itself would pass over: LightGBM makes a label that is nan 0.

    Parameters
    ----------
    table : DataFrame
        As of :func:`maxent.read_letor`: columns ``query_id``, ``relevance``, perhaps ``doc_id``; all others are
        features. The documents of a query stand together.
    **options
        Of ``lightgbm.Dataset``, such as ``reference``.

    Raises
    ------
    ImportError
        If LightGBM is not installed.
    InputError
        If a label is not a whole number, or the documents of a query do not stand together.
    """
    _require_lightgbm()
    from lightgbm import Dataset

    queries = table["query_id"].to_numpy()
    first = np.flatnonzero(np.concatenate(([True], queries[1:] != queries[:-1])))
    if len(set(queries[first])) < len(first):
        raise InputError("the documents of a query must stand together: sort the table by query_id")
    group = np.diff(np.append(first, len(queries)))
    as_queries(table["relevance"], group)
    features = table.drop(columns=["query_id", "doc_id", "relevance"], errors="ignore")
    return Dataset(features, table["relevance"].to_numpy(), group=group, **options)


def lambda_objective(
    measure: Measure,
    *,
    levels: int | None = None,
    sigmoid: float = 1.0,
    lambdarank_truncation_level: int | None = 30,
    lambdarank_norm: bool = True,
) -> "Objective":
    """Objective for ``lightgbm.train(params | {"objective": objective}, ...)``.

    Parameters
    ----------
    measure : Measure
        A pairwise form.
    levels : int, optional
        Highest grade, where the labels of the data may lack it; the highest label by default.
    sigmoid : float
        Slope of RankNet's logistic function.
    lambdarank_truncation_level : int, optional
        Pairs with at least one document above this rank, as ranked now; None: all pairs. LightGBM's default of 30
        suits a cutoff near the top.
    lambdarank_norm : bool
        Divide by the distance of the scores plus 0.01, and scale the gradients of a query by log2(1 + t)/t, where
        t is the sum of their absolute values.

    Returns
    -------
    Objective

    Raises
    ------
    ImportError
        If LightGBM is not installed.
    MeasureError
        If the measure is no pairwise form.
    MaxentError
        If another parameter makes no sense.
    """
    _require_lightgbm()
    require_form(measure)
    if not 0 < sigmoid < math.inf:
        raise MaxentError(f"sigmoid must be positive and finite, got {sigmoid}")
    if lambdarank_truncation_level is not None and lambdarank_truncation_level < 1:
        raise MaxentError(f"lambdarank_truncation_level must be 1 or more, got {lambdarank_truncation_level}")
    truncation = lambdarank_truncation_level or np.iinfo(np.int64).max
    return Objective(measure, levels, (float(sigmoid), int(truncation), bool(lambdarank_norm)))


def evaluation(measure: Measure, *, levels: int | None = None) -> "Evaluation":
    """Mean of a measure over queries, for ``lightgbm.train(..., feval=...)``.

    Parameters
    ----------
    measure : Measure
        Any measure but Bpref. Ties stay in the order of the data, as in LightGBM.
    levels : int, optional
        Highest grade, where the data may lack it; the highest label by default.

    Returns
    -------
    Evaluation

    Raises
    ------
    ImportError
        If LightGBM is not installed.
    """
    _require_lightgbm()
    return Evaluation(measure, levels)


class Objective:
    """What :func:`lambda_objective` makes.

    Attributes
    ----------
    skipped : int
        Queries of the data set used last that have one document, or no relevant one: their gradients are 0.
    """

    def __init__(self, measure: Measure, levels: int | None, conventions: tuple[float, int, bool]) -> None:
        self.skipped = 0
        self._conventions = conventions
        self._prepared = _Prepared(partial(_forms, measure, levels))

    def __call__(self, preds: npt.ArrayLike, train_data: "Dataset") -> tuple[FloatArray, FloatArray]:
        """Gradient and diagonal hessian of the loss, (documents,) each.

        Raises
        ------
        InputError
            If a label is not a whole number, or the data set has no groups.
        MeasureError
            If the measure does not fit the grades.
        """
        from maxent.ltr.lambdas import lambdas  # compiles, or loads machine code

        queries, used, forms = self._prepared.of(train_data)
        self.skipped = int(np.sum(~used))
        scores = np.ascontiguousarray(preds, dtype=np.float64)
        arrays = (forms.a, forms.d, forms.K, forms.B)
        gradient, hessian = lambdas(scores, queries.grades, queries.starts, used, *arrays, *self._conventions)
        weight = train_data.get_weight()
        if weight is None:
            return gradient, hessian
        return gradient * np.asarray(weight), hessian * np.asarray(weight)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # lightgbm.train copies its parameters: the caller would never see what was skipped
        return self


class Evaluation:
    """What :func:`evaluation` makes.

    Attributes
    ----------
    skipped : int
        Queries without a relevant document in the data set used last; the mean is over the others (LightGBM's own
        metrics count them as 1).
    """

    def __init__(self, measure: Measure, levels: int | None) -> None:
        self.skipped = 0
        self._name = str(measure)
        self._prepared = _Prepared(partial(_evaluators, measure, levels))

    def __call__(self, preds: npt.ArrayLike, eval_data: "Dataset") -> tuple[str, float, bool]:
        """Name, mean and True, as more is better; nan if no query has a relevant document.

        Raises
        ------
        InputError
            If a label is not a whole number, or the data set has no groups.
        MeasureError
            If the measure does not fit the grades.
        """
        skipped, lists = self._prepared.of(eval_data)
        self.skipped = skipped
        scores = -np.asarray(preds, dtype=np.float64)
        values = [
            evaluate(grades[np.argsort(scores[documents], kind="stable")]) for documents, grades, evaluate in lists
        ]
        return self._name, float(np.mean(values)) if values else math.nan, True


class _Prepared(Generic[T]):
    """What is made of a data set once, and again if its labels or groups were replaced."""

    def __init__(self, make: Callable[[Any, Any], T]) -> None:
        self._make = make
        self._known: WeakKeyDictionary[Dataset, tuple[object, object, T]] = WeakKeyDictionary()

    def of(self, data: "Dataset") -> T:
        labels, group = data.get_label(), data.get_group()
        known = self._known.get(data)
        if known is None or known[0] is not labels or known[1] is not group:
            known = self._known[data] = (labels, group, self._make(labels, group))
        return known[2]


def _forms(
    measure: Measure, levels: int | None, labels: Any, group: Any
) -> tuple[Queries, npt.NDArray[np.bool_], Forms]:
    """Queries, which of them are used, forms."""
    queries = as_queries(labels, group, levels=levels)
    return queries, queries.judged & (queries.sizes > 1), as_forms(measure, queries)


def _evaluators(measure: Measure, levels: int | None, labels: Any, group: Any) -> tuple[int, Lists]:
    """Number of queries without a relevant document, and the others."""
    queries = as_queries(labels, group, levels=levels)
    lists: Lists = []
    for q in np.flatnonzero(queries.judged):
        documents = slice(int(queries.starts[q]), int(queries.starts[q + 1]))
        relevant = queries.relevant[q].tolist()
        evaluate: Callable[[IntArray], FloatArray] = (
            measure.form(relevant, documents.stop - documents.start).evaluate
            if measure.is_form()
            else partial(measure.evaluate, relevant=relevant)
        )
        lists.append((documents, queries.grades[documents], evaluate))
    return int(np.sum(~queries.judged)), lists


def _require_lightgbm() -> None:
    if find_spec("lightgbm") is None:
        raise ImportError("LightGBM is not installed: pip install maxent[ltr]")
