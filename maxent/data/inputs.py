"""Runs and judgments in any form: files, tables of any library, dictionaries, tuples."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import pandas as pd
import pyarrow as pa

from maxent.checks import check_choice
from maxent.data.line_arrays import Columns, Repeated, judgment_table, rated, run_table
from maxent.data.tables import clean, is_row, objects_table, renamed
from maxent.data.trec import DUPLICATES, Duplicates, read_columns
from maxent.errors import InputError, missing_package, quoted
from maxent.types import FloatArray, IntArray

Run: TypeAlias = object
"""A run in any form that :func:`as_run` accepts."""
Qrels: TypeAlias = object
"""Judgments in any form that :func:`as_qrels` accepts."""
Runs: TypeAlias = Run | Iterable[Run] | Mapping[str, Run]
"""A run, several, or several by their names."""
IRDS = "irds:"  # in front of the id of a data set of ir_datasets


def as_run(run: Run, *, duplicates: Duplicates = "error") -> pd.DataFrame:
    """Convert a run in any form to a table.

    All functions that take runs accept the same forms; this function shows how they read a run.

    Parameters
    ----------
    run : DataFrame, path, mapping, iterable, or object of another library
        - a table of pandas, polars, pyarrow, DuckDB or any library with ``__arrow_c_stream__``. Its columns are
          query_id, doc_id, score and run_id, or have the names used by PyTerrier (``qid``, ``docno``), ranx
          (``q_id``), BEIR (``query-id``, ``corpus-id``), MS MARCO (``pid``), passage retrievers (``passage_id``,
          ``chunk_id``) or Quepid (``query``, ``docid``, ``rating``). A rank may take the place of the score and
          becomes the score ``-rank``;
        - the path of a file: TREC, a table with a header, JSON, JSON lines or Parquet, plain or compressed, or
          MS MARCO's ``qid pid rank`` without a header;
        - ``{query: {document: score}}``, as in pytrec_eval, or ``{query: [document, ...]}`` in order of rank;
        - tuples with the fields query_id, doc_id and score, as in ir_measures and ir_datasets; dictionaries with
          these keys; a ``Dataset`` of Hugging Face;
        - a ``Run`` of ranx; ``"irds:ID"`` for the scored documents of a data set of ir_datasets.
    duplicates : {"error", "first"}
        A document that occurs twice in a topic is an error, or only its first line counts.

    Returns
    -------
    DataFrame
        Columns query_id (str), doc_id (str), score (float64), and run_id (str) if the run has a name.

    Raises
    ------
    InputError
        If the run cannot be read; the message names table, row and value.

    Examples
    --------
    >>> import maxent as me
    >>> me.data.as_run({"q1": {"d1": 0.5, "d2": 0.25}})
      query_id doc_id  score
    0       q1     d1   0.50
    1       q1     d2   0.25
    """
    check_choice("duplicates", duplicates, DUPLICATES, raises=InputError)
    return run_table(run_columns("run", run, repeated=duplicates))


def as_qrels(
    qrels: Qrels,
    *,
    grades: Mapping[int, int] | None = None,
    bins: Sequence[float] | None = None,
    duplicates: Duplicates = "error",
) -> pd.DataFrame:
    """Convert relevance judgments in any form to a table, and ratings on another scale to grades.

    All functions that take judgments accept the same forms.

    Parameters
    ----------
    qrels : DataFrame, path, mapping, iterable, or object of another library
        As for :func:`as_run`, with relevance in place of score (``label`` in PyTerrier, ``score`` in BEIR,
        ``rating`` in Quepid). Documents in lists and sets, in files of two columns ``qid pid``, and in tables of
        two columns of ids (with a warning) have grade 1. A row with a blank rating is not judged: it is skipped,
        and a warning counts such rows. Queries without a judged document count in all functions that take
        judgments, but have no row in the table; a warning names them.
    grades : mapping from int to int, optional
        Grade of each rating, such as ``{1: 0, 2: 1, 3: 2}``. Ratings of 0 and below need no entry and stay.
    bins : sequence of float, optional
        Lower bounds of the grades 1, 2, ... for real-valued ratings, increasing: the grade is the number of bounds
        that a rating reaches.
    duplicates : {"error", "first"}
        A document that occurs twice in a topic with different ratings is an error, or only its first line counts.
        Equal judgments are no error.

    Returns
    -------
    DataFrame
        Columns query_id (str), doc_id (str) and relevance (int64).

    Raises
    ------
    InputError
        If the judgments cannot be read, or a rating has no grade; the message names table, row and value.

    Examples
    --------
    >>> import maxent as me
    >>> me.data.as_qrels({"q1": {"d1": 0.9, "d2": 0.3, "d3": 0.1}}, bins=[0.25, 0.75])
      query_id doc_id  relevance
    0       q1     d1          2
    1       q1     d2          1
    2       q1     d3          0
    """
    return judgment_table(graded_columns(qrels, grades=grades, bins=bins, duplicates=duplicates))


def graded_columns(
    qrels: Qrels, *, grades: Mapping[int, int] | None, bins: Sequence[float] | None, duplicates: Duplicates
) -> Columns:
    """Lines of judgments whose ratings ``grades`` or ``bins``, if any, turn into grades."""
    if grades is not None and bins is not None:
        raise InputError("grades and bins are two ways to make grades of ratings: give one of them")
    judgments = qrels_columns(qrels, fractions=bins is not None, duplicates=duplicates)
    if bins is not None:
        judgments = judgments._replace(values=np.searchsorted(_edges(bins), judgments.values, side="right"))
    if grades is not None:
        judgments = judgments._replace(values=_map_ratings(judgments, grades))
    return judgments


def _edges(bins: Sequence[float]) -> FloatArray:
    try:
        edges = np.asarray(bins, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        edges = np.zeros(0)
    if edges.ndim != 1 or not edges.size or not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
        raise InputError(f"bins {quoted(bins)}: expected increasing finite numbers, one for each positive grade")
    return edges


def is_file(source: Run | Qrels) -> TypeGuard[str | os.PathLike[str]]:
    """Whether this is the path of a file."""
    return isinstance(source, str | os.PathLike) and not str(source).startswith(IRDS)


def run_columns(title: str, run: Run, *, repeated: Repeated = "error") -> Columns:
    """Lines of a run in any form; ``title`` names it in errors unless it is a file."""
    if is_file(run):
        return read_columns(run, "score", repeated=repeated)
    return clean(title, table_of(title, run, "score"), "score", repeated=repeated)


def qrels_columns(qrels: Qrels, *, fractions: bool = False, duplicates: Duplicates = "error") -> Columns:
    """Lines of judgments in any form, equal ones once; grades are whole unless ``fractions``."""
    check_choice("duplicates", duplicates, DUPLICATES, raises=InputError)
    repeated: Repeated = "first" if duplicates == "first" else "unequal"
    if is_file(qrels):
        return rated(read_columns(qrels, "relevance", fractions=fractions, repeated=repeated))
    table = table_of("qrels", qrels, "relevance")
    return rated(clean("qrels", table, "relevance", fractions=fractions, repeated=repeated))


def table_of(title: str, source: Run | Qrels, value: str) -> pd.DataFrame:
    """Unchecked table of an object in memory: query_id, doc_id, ``value``, and run_id if it has one."""
    if isinstance(source, str | os.PathLike):
        source = _load_ir_datasets(str(source), value)
    elif hasattr(source, "docs_iter") or hasattr(source, "qrels_iter") or hasattr(source, "scoreddocs_iter"):
        source = _data_set_rows(f"{title}: {quoted(source)}", source, value)
    elif hasattr(source, "to_dataframe") and type(source).__module__.startswith("ranx"):
        source = source.to_dataframe()
    elif hasattr(source, "collect") and type(source).__module__.startswith("polars"):
        source = source.collect()  # a LazyFrame
    if type(source).__module__.startswith("polars") and hasattr(source, "get_columns"):
        # old versions of pyarrow do not convert categories of polars
        source = pd.DataFrame({column.name: column.to_numpy() for column in source.get_columns()})
    if isinstance(source, pd.DataFrame):
        return renamed(title, source, value)
    if hasattr(source, "__arrow_c_stream__"):
        return renamed(title, _arrow_table(title, source), value)
    if hasattr(source, "to_pandas"):  # a Dataset of Hugging Face
        return renamed(title, source.to_pandas(), value)
    if isinstance(source, Iterator):
        source = list(source)
    if isinstance(source, Mapping) or is_rows(source):
        return renamed(title, objects_table(title, source, value), value)
    raise InputError(
        f"{title}: {type(source).__name__} {quoted(source)}, expected a table, a path, "
        f"{{query: {{document: {value}}}}}, or tuples or dictionaries with query_id, doc_id and {value}"
    )


def is_rows(source: object) -> TypeGuard[Sequence[Any]]:
    """Whether this is a list of named tuples or dictionaries, each a line of a run or of judgments."""
    first = source[0] if isinstance(source, Sequence) and len(source) else None
    return hasattr(first, "_fields") or is_row(first)


def _arrow_table(title: str, source: Any) -> pd.DataFrame:
    try:
        table: pd.DataFrame = pa.table(source).to_pandas()
    except (pa.ArrowException, TypeError) as error:
        raise InputError(f"{title}: {type(source).__name__} {quoted(source)}, expected a table ({error})") from None
    return table


def _load_ir_datasets(name: str, value: str) -> list[Any]:
    try:
        import ir_datasets
    except ModuleNotFoundError as error:
        raise missing_package(name, error) from error
    try:
        data = ir_datasets.load(name.removeprefix(IRDS))
    except KeyError:
        raise InputError(f"{name}: ir_datasets has no data set of this name") from None
    return _data_set_rows(name, data, value)


def _data_set_rows(title: str, data: Any, value: str) -> list[Any]:
    """Scored documents or judgments of a data set of ir_datasets."""
    if value == "score" and not data.has_scoreddocs():
        raise InputError(f"{title}: the data set has no scored documents")
    if value == "relevance" and not data.has_qrels():
        raise InputError(f"{title}: the data set has no judgments")
    try:
        return list(data.scoreddocs_iter() if value == "score" else data.qrels_iter())
    except Exception as error:  # a download that fails, above all
        raise InputError(f"{title}: cannot be read: {error}") from error


def _map_ratings(judgments: Columns, grades: Mapping[int, int]) -> IntArray:
    try:
        grade_of = {int(rating): int(grade) for rating, grade in grades.items()}
    except (AttributeError, TypeError, ValueError):
        raise InputError(f"grades {quoted(grades)}: expected a mapping from ratings to grades") from None
    other = ~np.isin(judgments.values, list(grade_of)) & (judgments.values > 0)
    if other.any():
        row = int(np.argmax(other))
        place = f"{judgments.title}{judgments.unit}{judgments.lines[row]}: relevance {judgments.values[row]}"
        raise InputError(f"{place}, expected one of those that grades maps: {', '.join(map(str, grade_of))}")
    return np.array([grade_of.get(rating, rating) for rating in judgments.values.tolist()], dtype=np.int64)
