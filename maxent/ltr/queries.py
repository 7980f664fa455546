"""Labels and group sizes of a data set as queries, and their forms as flat arrays for machine code."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.checks import whole_number
from maxent.errors import InputError, MeasureError, require_columns
from maxent.limits import GRADE, HIGHEST, too_large
from maxent.ltr.swaps import exchange_kernel
from maxent.measures.list_checks import check_grades
from maxent.measures.measure import Measure
from maxent.types import BoolArray, FloatArray, GradeCounts, IntArray

_OTHERS = ("query_id", "doc_id", "relevance")


class QueryEvaluator(NamedTuple):
    """A query's slice of the documents, their grades, and a function that evaluates grades in rank order."""

    documents: slice
    grades: IntArray
    evaluate: Callable[[IntArray], FloatArray]


class Queries(NamedTuple):
    """Documents of queries, one query after the other."""

    grades: IntArray  # (documents,): their labels
    offsets: IntArray  # (queries + 1,): first document of each query, and the number of documents
    relevant: IntArray  # (queries, levels): R_i, the documents of grade i among the labels of a query

    @property
    def sizes(self) -> IntArray:
        """Number of documents of each query."""
        return np.diff(self.offsets)

    @property
    def judged(self) -> BoolArray:
        """Which queries have a relevant document."""
        return np.asarray(self.relevant.any(axis=1))


class FormArrays(NamedTuple):
    """Forms of queries, one below the other, as arrays for machine code."""

    a: FloatArray  # (documents, levels + 1)
    d: FloatArray  # (documents,)
    K: FloatArray  # (queries, levels + 1, levels + 1): kernels
    B: FloatArray  # those of :func:`exchange_kernel`


def as_queries(labels: npt.ArrayLike | None, group: npt.ArrayLike | None, *, levels: int | None = None) -> Queries:
    """Queries of labels (documents,) and numbers of documents (queries,); ``levels`` is the highest grade."""
    if labels is None or group is None:
        raise InputError("the data set needs a label for each document, and group: the documents of each query")
    grades = _whole_numbers("label {:g} of document {}, expected a grade", labels, most=HIGHEST)
    sizes = _whole_numbers("group {:g} of query {}, expected a number", group, most=np.iinfo(np.int32).max)
    if not grades.size:
        raise InputError("the data set has no documents")
    if sizes.sum() != len(grades):
        raise InputError(f"the groups have {sizes.sum()} documents, but there are {len(grades)} labels")
    highest = int(grades.max())
    if reason := too_large("the highest label", highest, GRADE):
        raise InputError(reason)
    if levels is not None:
        levels = whole_number("levels", levels, raises=InputError, limit=GRADE)
        if levels < highest:
            raise InputError(f"levels={levels}, expected the highest grade, {highest} or more for these labels")
    # documents of each query and grade, (queries, levels + 1): each pair of these has a number
    width = (levels or max(highest, 1)) + 1
    query = np.repeat(np.arange(len(sizes)), sizes)
    counts = np.bincount(query * width + grades, minlength=len(sizes) * width).reshape(len(sizes), width)
    offsets = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
    return Queries(grades=grades, offsets=offsets, relevant=counts[:, 1:])


def _whole_numbers(says: str, values: npt.ArrayLike, *, most: int) -> IntArray:
    """Labels or groups as integers; ``says`` starts the error message, with fields for a value and its position."""
    numbers = np.asarray(values, dtype=np.float64)
    wrong = np.flatnonzero(~((numbers >= 0) & (numbers <= most) & (numbers == np.floor(numbers))))
    if wrong.size:
        raise InputError(f"{says.format(numbers[wrong[0]], wrong[0] + 1)} from 0 to {most}")
    return numbers.astype(np.int64)


def check_query(grades: npt.ArrayLike, relevant: GradeCounts) -> IntArray:
    """Grades of the documents of one query, (documents,), checked."""
    observed = check_grades(grades, len(relevant))
    if observed.ndim != 1:
        raise MeasureError(f"grades have shape {observed.shape}, expected one grade for each document")
    return observed.astype(np.int64)


def feature_names(table: pd.DataFrame) -> list[str]:
    """Names of the features of a table: all columns except query_id, doc_id and relevance, in their order."""
    return [name for name in table.columns if name not in _OTHERS]


def as_columns(table: pd.DataFrame) -> tuple[pd.DataFrame, npt.NDArray[Any], IntArray]:
    """Features, labels and group sizes of a table with the columns query_id, relevance and optionally doc_id."""
    require_columns(table, ("query_id", "relevance"), "documents")
    if table.empty:
        raise InputError("the table has no documents")
    query = table["query_id"]
    group = query.groupby(query, sort=False).size().to_numpy()  # documents of each query
    runs = (query != query.shift()).sum()  # of consecutive rows with the same query
    if runs > len(group):
        raise InputError("the documents of a query must stand together: sort the table by query_id")
    as_queries(table["relevance"], group)
    return table[feature_names(table)], table["relevance"].to_numpy(), group


def form_arrays(measure: Measure, queries: Queries) -> FormArrays:
    """Forms of a measure for all queries, stacked for machine code."""
    sizes = queries.sizes.tolist()
    forms = [measure.form(r, max(n, 1)) for r, n in zip(queries.relevant.tolist(), sizes, strict=True)]
    K = np.stack([form.K for form in forms])
    a = np.concatenate([form.a[:n] for form, n in zip(forms, sizes, strict=True)])
    d = np.concatenate([form.d[:n] for form, n in zip(forms, sizes, strict=True)])
    return FormArrays(a=a, d=d, K=K, B=exchange_kernel(K))


def evaluators(measure: Measure, queries: Queries) -> list[QueryEvaluator]:
    """Evaluators of the queries that have a relevant document."""
    query_evaluators = []
    for q in np.flatnonzero(queries.judged):
        documents = slice(int(queries.offsets[q]), int(queries.offsets[q + 1]))
        relevant = queries.relevant[q].tolist()
        evaluate: Callable[[IntArray], FloatArray] = partial(measure.values, relevant=relevant)
        if measure.is_form():  # its coefficients are computed once
            evaluate = measure.form(relevant, documents.stop - documents.start).evaluate
        query_evaluators.append(QueryEvaluator(documents, queries.grades[documents], evaluate))
    return query_evaluators


def mean_value(queries: Sequence[QueryEvaluator], scores: FloatArray) -> float:
    """Mean over queries ranked by ``scores`` (documents,), ties in the order of the data; NaN without queries."""
    values = [
        evaluate(grades[np.argsort(-scores[documents], kind="stable")]) for documents, grades, evaluate in queries
    ]
    return float(np.mean(values)) if values else math.nan
