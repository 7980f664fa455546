"""Runs and judgments in any form: files, tables of any library, dictionaries, tuples."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, TypeGuard

import numpy as np
import pandas as pd

from maxent.checks import check_choice
from maxent.data.cleaning import clean_parts, rating_text
from maxent.data.line_arrays import Columns, Repeated, distinct_ranks, judgment_table, rated, run_table
from maxent.data.lines import PathLike
from maxent.data.readers import read_columns
from maxent.data.tables import IRDS, require_rows, rows_of
from maxent.data.trec import DUPLICATES, Duplicates
from maxent.errors import InputError, quoted
from maxent.options.choices import Grades
from maxent.types import FloatArray

Run: TypeAlias = object
"""A run in any form that :func:`as_run` accepts."""
Qrels: TypeAlias = object
"""Judgments in any form that :func:`as_qrels` accepts."""
Runs: TypeAlias = Run | Iterable[Run] | Mapping[str, Run]
"""A run, several, or several by their names."""


def read_run(path: PathLike, *, duplicates: Duplicates = "error") -> pd.DataFrame:
    r"""Read the run of one system.

    Parameters
    ----------
    path : str or path-like
        A TREC run file, plain or compressed, with the lines of one run. The second column and the rank are
        ignored: the scores determine the order. Tables with a header, JSON and Parquet are read as well, see
        :func:`maxent.data.as_run`; ``-`` is the standard input.
    duplicates : {"error", "first"}
        A document that occurs twice in a topic is an error, or only its first line counts.

    Returns
    -------
    DataFrame
        Columns ``query_id`` (str), ``doc_id`` (str), ``score`` (float64) and ``run_id`` (str), in the order
        of the file.

    Raises
    ------
    InputError
        If the file cannot be read as a run; the message names file, line and the text at fault.

    Examples
    --------
    >>> import maxent as me
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "run.txt"
    ...     size = file.write_text("601 Q0 d1 1 2.5 bm25\n601 Q0 d2 2 1.5 bm25\n")
    ...     me.read_run(file)
      query_id doc_id  score run_id
    0      601     d1    2.5   bm25
    1      601     d2    1.5   bm25
    """
    check_choice("duplicates", duplicates, DUPLICATES, raises=InputError)
    return run_table(read_columns(path, "score", repeated=duplicates))


def read_qrels(path: PathLike) -> pd.DataFrame:
    r"""Read relevance judgments (qrels).

    Parameters
    ----------
    path : str or path-like
        A TREC qrels file, plain or compressed. The second column is ignored. Tables with a header (such as
        BEIR's), JSON and Parquet are read as well, see :func:`maxent.data.as_qrels`; ``-`` is the standard input.

    Returns
    -------
    DataFrame
        Columns ``query_id`` (str), ``doc_id`` (str) and ``relevance`` (int64), in the order of the file.
        Negative judgments are kept; :func:`maxent.collect` counts them as grade 0. Equal judgments of a document
        become one row.

    Raises
    ------
    InputError
        If the file cannot be read as qrels; the message names file, line and the text at fault.

    Examples
    --------
    >>> import maxent as me
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "qrels.txt"
    ...     size = file.write_text("601 0 d1 0\n601 0 d2 2\n")
    ...     me.read_qrels(file)
      query_id doc_id  relevance
    0      601     d1          0
    1      601     d2          2
    """
    return judgment_table(rated(read_columns(path, "relevance", repeated="unequal")))


def as_run(run: Run, *, duplicates: Duplicates = "error") -> pd.DataFrame:
    """Convert a run in any form to a table.

    All functions that take runs accept the same forms; this function shows how they read a run.

    Parameters
    ----------
    run : DataFrame, path, mapping, iterable, or object of another library
        - a table of pandas, polars, pyarrow, DuckDB or any library with ``__arrow_c_stream__``. Its columns are
          query_id, doc_id, score and run_id, or have the names used by PyTerrier (``qid``, ``docno``), ranx
          (``q_id``), BEIR (``query-id``, ``corpus-id``), MS MARCO (``pid``), passage retrievers (``passage_id``,
          ``chunk_id``), Quepid (``query``, ``docid``, ``rating``), shops or recommenders (``userId``,
          ``product_id``, ``prediction``), in any case and with any blanks, hyphens or underscores. A rank or
          position may take the place of the score and becomes the score ``-rank``;
        - the path of a file: TREC, a table with a header, JSON, JSON lines or Parquet, plain or compressed, or
          MS MARCO's ``qid pid rank`` without a header;
        - ``{query: {document: score}}``, as in pytrec_eval, or ``{query: [document, ...]}`` in order of rank;
          rows with lists, ``{"query": ..., "ids": [...]}``; a response of Elasticsearch's ``_rank_eval``;
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
    grades: Grades | None = None,
    bins: Sequence[float] | None = None,
    duplicates: Duplicates = "error",
) -> pd.DataFrame:
    """Convert relevance judgments in any form to a table, and ratings on another scale to grades.

    All functions that take judgments accept the same forms.

    Parameters
    ----------
    qrels : DataFrame, path, mapping, iterable, or object of another library
        As for :func:`as_run`, with relevance in place of score (``label`` in PyTerrier, ``score`` in BEIR,
        ``rating`` in Quepid), a request of Elasticsearch's ``_rank_eval``, or OpenSearch's ``judgmentRatings``.
        Documents in lists and sets, in files of two columns ``qid pid``, and in tables of two columns of ids (with
        a warning) have grade 1. A row with a blank rating is not judged: it is skipped,
        and a warning counts such rows. Queries without a judged document count in all functions that take
        judgments, but have no row in the table; a warning names them.
    grades : mapping from int or str to int, optional
        Grade of each rating, such as ``{1: 0, 2: 1, 3: 2}`` or ``{"exact": 2, "partial": 1, "irrelevant": 0}``, in
        which case does not count. Ratings of 0 and below need no entry and stay.
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
    qrels: Qrels, *, grades: Grades | None, bins: Sequence[float] | None, duplicates: Duplicates
) -> Columns:
    """Lines of judgments whose ratings ``grades`` or ``bins``, if any, turn into grades."""
    if grades is not None and bins is not None:
        raise InputError("grades and bins are two ways to make grades of ratings: give one of them")
    grade_of = None if grades is None else _grade_of(grades)
    judgments = qrels_columns(qrels, fractions=bins is not None, grade_of=grade_of, duplicates=duplicates)
    if bins is not None:
        judgments = judgments._replace(values=np.searchsorted(_edges(bins), judgments.values, side="right"))
    return judgments


def _grade_of(grades: Grades) -> dict[str, int]:
    """Grade of each rating, by the text of the rating; InputError if two ratings are alike."""
    try:
        grade_of = {rating_text(rating): int(grade) for rating, grade in grades.items()}
    except (AttributeError, TypeError, ValueError):
        raise InputError(f"grades {quoted(grades)}: expected a mapping from ratings to grades") from None
    if len(grade_of) < len(grades):
        raise InputError(f"grades {quoted(grades)}: two ratings are alike but for case, expected each once")
    return grade_of


def _edges(bins: Sequence[float]) -> FloatArray:
    """Lower bounds of the grades 1, 2, ... as an array, (levels,); InputError unless they increase."""
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
    return _columns(title, run, "score", fractions=True, repeated=repeated)


def qrels_columns(
    qrels: Qrels,
    *,
    fractions: bool = False,
    grade_of: Mapping[str, int] | None = None,
    duplicates: Duplicates = "error",
) -> Columns:
    """Lines of judgments in any form, equal ones once; grades are whole unless ``fractions``."""
    check_choice("duplicates", duplicates, DUPLICATES, raises=InputError)
    repeated: Repeated = "first" if duplicates == "first" else "unequal"
    return rated(_columns("qrels", qrels, "relevance", fractions=fractions, grade_of=grade_of, repeated=repeated))


def _columns(
    title: str,
    source: Run | Qrels,
    value: Literal["score", "relevance"],
    *,
    fractions: bool,
    repeated: Repeated,
    grade_of: Mapping[str, int] | None = None,
) -> Columns:
    """Checked lines of a file, or of an object in memory that errors call ``title``."""
    if is_file(source):
        return read_columns(source, value, fractions=fractions, grade_of=grade_of, repeated=repeated)
    rows = require_rows(replace(rows_of(title, source, value), title=title))
    lines = next(clean_parts([rows], value, fractions=fractions, grade_of=grade_of))
    return distinct_ranks(lines.once(repeated))
