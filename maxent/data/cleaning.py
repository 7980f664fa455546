"""The one check of rows from any source: ids become text, numbers become finite or whole.

A column is converted at once. Only where that fails, or gives numbers that do not count, its cells are looked at
one by one, and an error names the first that does not fit.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from pyarrow.compute import equal, replace_substring

from maxent.data.line_arrays import Columns, Ids
from maxent.data.numbers import EXACT, GRADE, SCORE, WHOLE, finite_number, integer, ties
from maxent.data.rows import Numbered, Rows, Texts, numbered, texts
from maxent.errors import InputError, quoted
from maxent.texts import many
from maxent.types import BoolArray, FloatArray, IntArray

_AN_ID = "text or an integer"
_AS_INTEGERS = ': .astype("Int64") makes integers of ids that became floats, as in a join'
_SHOWN = 10  # ratings that an error lists
MARK = "\ufeff"  # the byte order mark, which is part of no id


def clean_parts(
    parts: Iterable[Rows], value: str, *, fractions: bool = True, grade_of: Mapping[str, int] | None = None
) -> Iterator[Columns]:
    """Lines of the parts of a source; ``grade_of`` has the grade of each rating, by its `rating_text`."""
    parts = iter(parts)
    for part in parts:
        rows = part
        if value == "relevance" and "relevance" in part.cells:
            if grade_of is not None:
                rows = _graded(part, grade_of)
            elif counts := _text_ratings(part):
                raise _ungraded(part.title, sum(map(_text_ratings, parts), counts))
        yield clean(rows, value, fractions=fractions)


def clean(rows: Rows, value: str, *, fractions: bool = True) -> Columns:
    """Lines of a run or of judgments, whose ``value`` is score or relevance.

    A run may have ranks in place of scores, judgments of ids alone have grade 1, and those with a blank rating are
    not judged: their topics stay, without a line. Grades are whole unless ``fractions``.
    """
    unrated = _unrated(rows) if value == "relevance" else np.zeros(len(rows), np.bool_)
    blank = 0
    if unrated.any():
        topics, rows, blank = _rated(rows, unrated)
    else:
        topics = ids(rows, "query_id")
    return Columns(
        rows.title,
        rows.unit,
        rows.labels,
        topics,
        docs=ids(rows, "doc_id"),
        values=_values(rows, value, fractions),
        tags=ids(rows, "run_id") if "run_id" in rows.cells else None,
        ranks=numbers(rows, "rank") if "rank" in rows.cells else None,
        by_rank=value == "score" and value not in rows.cells,
        blank=blank,
        comments=rows.comments,
    )


def _unrated(rows: Rows) -> BoolArray:
    """Whether a row has no rating, (rows,); ids alone have one unless the document is blank."""
    return _is_missing(rows, "relevance") if "relevance" in rows.cells else _is_blank(rows, "doc_id")


def _rated(rows: Rows, unrated: BoolArray) -> tuple[Ids, Rows, int]:
    """Topics of the rated rows, with those of others among the names; these rows; the number of blank ratings.

    The rating of a topic without a document does not count as blank.
    """
    has_topic = ~unrated | ~_is_blank(rows, "query_id")  # a rated row without one is an error, which ``ids`` raises
    all_topics = ids(rows.take(np.flatnonzero(has_topic)), "query_id")
    topics = all_topics.only(~unrated[has_topic])
    is_topic_alone = has_topic & _is_blank(rows, "doc_id")
    is_blank_rating = unrated & ~is_topic_alone
    return topics, rows.take(np.flatnonzero(~unrated)), int(is_blank_rating.sum())


def _graded(rows: Rows, grade_of: Mapping[str, int]) -> Rows:
    """The same rows with grades in place of ratings; ratings of 0 and below may stay."""
    cells = rows.cells["relevance"]
    ratings = (cells if isinstance(cells, pd.Series) else texts(cells).to_pandas()).astype(object)
    grades = ratings.map(lambda cell: grade_of.get(rating_text(cell)), na_action="ignore")
    may_stay = numbers(rows, "relevance") <= 0
    known = grades.notna().to_numpy() | ratings.isna().to_numpy() | may_stay
    rows.require(known, "relevance", f"one of those that grades maps: {', '.join(grade_of)}")
    return replace(rows, cells={**rows.cells, "relevance": grades.where(grades.notna(), ratings)})


def rating_text(rating: object) -> str:
    """A rating in one form: a number in plain notation, anything else as text in lower case."""
    number = _number(rating)
    if np.isfinite(number):
        return str(int(number)) if number == int(number) else repr(float(number))
    return str(rating).strip().casefold()


def _text_ratings(rows: Rows) -> Counter[str]:
    """How often each rating occurs, if all are words; else nothing."""
    rated = np.flatnonzero(~_is_missing(rows, "relevance"))
    if not len(rated) or not _is_word(rows.cell("relevance", int(rated[0]))):
        return Counter()
    cells = rows.take(rated).cells["relevance"]
    counts = Counter(cells if isinstance(cells, pd.Series) else cells.to_pylist())
    return counts if all(map(_is_word, counts)) else Counter()


def _is_word(cell: object) -> bool:
    """Whether a cell is a text with a letter and no number, nor NaN."""
    if not isinstance(cell, str) or not any(map(str.isalpha, cell)):
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False


def _ungraded(title: str, counts: Counter[str]) -> InputError:
    """Error for ratings that are words: which there are, and how they become grades."""
    shown = ", ".join(f"{quoted(rating)} ({number})" for rating, number in counts.most_common(_SHOWN))
    more = f" and {many(len(counts) - _SHOWN, 'other')}" if len(counts) > _SHOWN else ""
    option = "--grades exact=2,partial=1,irrelevant=0, in Python grades={'exact': 2, 'partial': 1, 'irrelevant': 0}"
    return InputError(f"{title}: the ratings are {shown}{more}, expected numbers, or a grade for each ({option})")


def _values(rows: Rows, value: str, fractions: bool) -> npt.NDArray[Any]:
    """Scores or grades, (rows,)."""
    if value not in rows.cells and value == "score":
        return -whole_numbers(rows, "rank").astype(np.float64)
    if value not in rows.cells:
        return np.ones(len(rows), np.int64)
    if value == "score":
        return _scores(rows)
    return finite_numbers(rows, value) if fractions else whole_numbers(rows, value, GRADE)


def _is_missing(rows: Rows, column: str) -> BoolArray:
    """Whether a cell is missing, (rows,)."""
    cells = rows.cells[column]
    missing = cells.isna() if isinstance(cells, pd.Series) else cells.is_null().to_pandas()
    return np.asarray(missing.to_numpy(dtype=np.bool_))


def _is_blank(rows: Rows, column: str) -> BoolArray:
    """Whether a cell is missing or an empty text, (rows,)."""
    cells = rows.cells[column]
    if isinstance(cells, pd.Series):
        return np.asarray((cells.isna() | cells.isin([""])).to_numpy(dtype=np.bool_))
    return np.asarray(equal(texts(cells).fill_null(""), "").to_numpy(zero_copy_only=False))


def ids(rows: Rows, column: str) -> Ids:
    """Ids of a column; InputError unless they are integers, or text that has no NUL and that UTF-8 has."""
    cells = rows.cells[column]
    if isinstance(cells, pd.Series):
        numbered_ids = _numbered_ids(rows, column)
    else:
        if cells.null_count:
            rows.require(~_is_missing(rows, column), column, _AN_ID)
        numbered_ids = numbered(cells)
    if _occurs("\0", numbered_ids.dictionary):
        text = next(text for text in numbered_ids.dictionary.to_pylist() if "\0" in text)
        raise InputError(f"{rows.title}: id {text!r} with NUL, expected text without")
    if _occurs(MARK, numbered_ids.dictionary):
        numbered_ids = numbered(replace_substring(texts(numbered_ids), MARK, ""))
    return Ids(numbered_ids.dictionary, numbered_ids.indices.to_numpy())


def _numbered_ids(rows: Rows, column: str) -> Numbered:
    """Ids in cells of any type, as numbered texts."""
    cells = rows.cells[column].to_numpy(dtype=object)
    if pd.api.types.infer_dtype(cells, skipna=False) != "string":
        is_id = [isinstance(cell, str | Integral) and not isinstance(cell, bool) for cell in cells]
        rows.require(np.array(is_id), column, _AN_ID + (_AS_INTEGERS if _are_whole(rows.cells[column]) else ""))
        cells = [str(cell) for cell in cells]
    try:
        return numbered(cells)
    except UnicodeEncodeError as error:  # a lone surrogate, which JSON and Python can have
        raise InputError(f"{rows.title}: id {error.object!r}, expected text that UTF-8 has") from None


def _are_whole(cells: "pd.Series[Any]") -> bool:
    """Whether these are floats, all whole: ids that a missing one made floats, as in a join."""
    present = cells.dropna()
    return pd.api.types.is_float_dtype(cells) and bool(len(present)) and bool((present % 1 == 0).all())


def _occurs(part: str, ids_once: Texts) -> bool:
    """Whether an id has a part; all are searched at once, as their bytes lie one after the other."""
    data = ids_once.buffers()[2]
    return data is not None and part.encode() in data.to_pybytes()


def numbers(rows: Rows, column: str) -> FloatArray:
    """Numbers of a column, (rows,), NaN for what is no finite number."""
    cells = rows.cells[column]
    if not isinstance(cells, pd.Series):
        values = _numbers_in(texts(cells))
    elif pd.api.types.is_float_dtype(cells) or pd.api.types.is_integer_dtype(cells):
        values = cells.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = np.array([_number(cell) for cell in cells], dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def _numbers_in(cells: Texts) -> FloatArray:
    """Numbers in texts, NaN for anything else."""
    try:
        values: FloatArray = cells.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:  # one is no number, or is in a notation that only Python reads, such as `+1`
        values = np.array([_number(text) for text in cells.to_pylist()], dtype=np.float64)
    return values


def _number(cell: Any) -> float:
    """Number from a cell of any type, NaN for anything else."""
    if getattr(cell, "ndim", None) == 0:  # scalars of numpy and others
        cell = cell.item()
    try:
        if isinstance(cell, str | Decimal):
            return finite_number(str(cell))
        return float(cell) if isinstance(cell, Real) and not isinstance(cell, bool) else np.nan
    except (OverflowError, ValueError):
        return np.nan


def finite_numbers(rows: Rows, column: str, expected: str = "a finite number") -> FloatArray:
    """Numbers of a column, (rows,); InputError unless all are finite."""
    values = numbers(rows, column)
    rows.require(np.isfinite(values), column, expected)
    return values


def _scores(rows: Rows) -> FloatArray:
    """Scores, (rows,); InputError also for whole numbers that would tie with their neighbours."""
    values = finite_numbers(rows, "score")
    differs = np.abs(values) < EXACT
    for row in np.flatnonzero(~differs).tolist():  # of large scores the text says whether the float is exact
        differs[row] = not ties(str(rows.cell("score", row)))
    rows.require(differs, "score", SCORE)
    return values


def whole_numbers(rows: Rows, column: str, expected: str = WHOLE) -> IntArray:
    """Whole numbers of a column, (rows,); InputError unless all have at most 18 digits."""
    values = finite_numbers(rows, column, "an integer")
    # 1. those that floats have exactly
    is_whole = values == np.floor(values)
    is_exact = is_whole & (np.abs(values) < EXACT)
    whole = np.where(is_exact, values, 0).astype(np.int64)
    # 2. those of more digits than floats are sure to have: from their cells
    for row in np.flatnonzero(is_whole & ~is_exact).tolist():
        cell = rows.cell(column, row)
        try:
            whole[row] = integer(cell if isinstance(cell, str) else str(int(cell)))
        except ValueError:
            break  # an error: ``require`` names this row, or an earlier one
        is_exact[row] = True
    rows.require(is_exact, column, expected)
    return whole
