"""Read data sets for learning to rank in the format of LETOR, which is SVMlight's with a query id on every line.

A line is ``relevance qid:query 1:value 2:value ... #docid = document``. Compression, line ends, blank lines and
comment lines are treated as in :mod:`maxent.data.trec`; anything else that is unusual is an `InputError` that
names file and line. (scikit-learn's ``load_svmlight_file`` drops comments, and with them the document ids.)
"""

import re
import textwrap
from typing import NamedTuple

import numpy as np
import pandas as pd

from maxent.checks import whole_number
from maxent.data.cleaning import clean
from maxent.data.line_arrays import Columns, joined
from maxent.data.lines import PathLike, chunks, title_of, whole_lines
from maxent.data.numbers import finite_number
from maxent.data.rows import LINE, Rows, texts
from maxent.errors import InputError
from maxent.limits import TABLE, too_large
from maxent.types import FloatArray, IntArray

_LAYOUT = "relevance qid:query 1:value 2:value ... #docid = document"
_NUMBER = re.compile(r"[1-9][0-9]{0,4}")  # the table is dense: one absurd number would fill the memory
_DOCUMENT = re.compile(r"docid\s*=\s*(\S+)")


def read_letor(path: PathLike, *, features: int | None = None) -> pd.DataFrame:
    r"""Read judged documents and their features from a LETOR file.

    Parameters
    ----------
    path : str or path-like
        A LETOR file, plain or gzipped. Features that are absent from a line are 0. If the comment of a line has no
        ``docid``, the document's id is the number of the line.
    features : int, optional
        Number of features; default: the highest number in the file. Set it to get the same columns from several
        files that omit zeros.

    Returns
    -------
    DataFrame
        Columns ``query_id`` (str), ``doc_id`` (str), ``relevance`` (int64) and the features ``f1``, ``f2``, ...
        (float64), in the order of the file. The table can be used as qrels, and, with a feature renamed ``score``,
        as a run.

    Raises
    ------
    InputError
        If the file is not in this format or has more features than ``features``, a value is not a finite number,
        or a document occurs twice in a query; the message names file, line and the text at fault.

    Examples
    --------
    >>> import maxent as me
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "train.txt"
    ...     size = file.write_text("2 qid:1 1:0.5 2:1 #docid = d1\n0 qid:1 2:0.25 #docid = d2\n")
    ...     me.data.read_letor(file)
      query_id doc_id  relevance   f1    f2
    0        1     d1          2  0.5  1.00
    1        1     d2          0  0.0  0.25
    """
    if features is not None:
        features = whole_number("features", features, raises=InputError, least=0)
    title = title_of(path)
    parts: list[Columns] = []
    values: list[_Values] = []
    for first_line, text in whole_lines(title, chunks(path)):
        rows, values_of_rows = _rows(title, first_line, text.decode())
        if len(rows):
            parts.append(clean(rows, "relevance", fractions=False))
            values.append(values_of_rows)
    if not parts:
        raise InputError(f"{title}: empty, expected lines of the form '{_LAYOUT}'")
    judged = joined(parts, "error")[0]
    array = _dense(title, judged.lines, values, features)
    names = [f"f{number}" for number in range(1, array.shape[1] + 1)]
    return pd.concat([judged.frame("relevance"), pd.DataFrame(array, columns=names)], axis="columns")


class _Values(NamedTuple):
    """Feature values that some lines have, one line after the other."""

    lengths: IntArray  # (lines,) how many values each line has
    features: IntArray  # (values,) number of the feature of each, from 1 on
    values: FloatArray  # (values,)


def _rows(title: str, first_line: int, text: str) -> tuple[Rows, _Values]:
    """Judgments and feature values in the lines of a text."""
    lines, grades, topics, docs, lengths = [], [], [], [], []
    numbers: list[int] = []
    values: list[float] = []
    for line, text_of_line in enumerate(text.split("\n"), start=first_line):
        data, _, comment = text_of_line.partition("#")
        fields = data.split()
        if not fields:
            continue
        if len(fields) < 2 or not re.fullmatch(r"qid:.+", fields[1]):
            raise InputError(f"{title}:{line}: {_short(text_of_line)}, expected a line of the form '{_LAYOUT}'")
        document = _DOCUMENT.search(comment)
        lines.append(line)
        grades.append(fields[0])
        topics.append(fields[1].removeprefix("qid:"))
        docs.append(document[1] if document else str(line))
        features = _features(f"{title}:{line}", fields[2:])
        lengths.append(len(features))
        numbers += features
        values += features.values()
    columns = {"query_id": topics, "doc_id": docs, "relevance": grades}
    rows = Rows(title, LINE, np.array(lines), {name: texts(column) for name, column in columns.items()})
    return rows, _Values(np.array(lengths), np.array(numbers, dtype=np.int32), np.array(values))


def _features(where: str, fields: list[str]) -> dict[int, float]:
    """Values of one line, by number of the feature."""
    values: dict[int, float] = {}
    for field in fields:
        number, colon, value = field.partition(":")
        if not colon or not _NUMBER.fullmatch(number):
            raise InputError(f"{where}: feature {_short(field)}, expected number:value with a number 1..99999")
        if int(number) in values:
            raise InputError(f"{where}: feature {number} twice, expected once")
        try:
            values[int(number)] = finite_number(value)
        except ValueError:
            raise InputError(f"{where}: feature {number} is {_short(value)}, expected a finite number") from None
    return values


def _dense(title: str, lines: IntArray, parts: list[_Values], features: int | None) -> FloatArray:
    """Values as an array, (lines, features); the number of features defaults to the highest number."""
    highest = max(int(part.features.max(initial=0)) for part in parts)
    width = highest if features is None else features
    if reason := too_large(f"{title}: the size of its table", 8 * len(lines) * width, TABLE):
        raise InputError(reason)
    values = np.zeros((len(lines), width))
    start = 0
    for part in parts:
        end = start + len(part.lengths)
        rows = np.repeat(np.arange(start, end), part.lengths)  # the line of each value
        beyond = part.features > width
        if beyond.any():
            place = int(np.argmax(beyond))
            where = f"{title}:{lines[rows[place]]}: feature {part.features[place]}"
            raise InputError(f"{where}, expected at most {width} features")
        values[rows, part.features - 1] = part.values
        start = end
    return values


def _short(text: str) -> str:
    return repr(textwrap.shorten(text, 80, placeholder="..."))
