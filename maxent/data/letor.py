"""Read data sets for learning to rank in the format of LETOR, which is SVMlight's with a query id on every line.

A line is ``relevance qid:query 1:value 2:value ... #docid = document``. Compression, line ends, blank lines and
lines of comment are treated as in :mod:`maxent.data.trec`; anything else that is unusual is an `InputError` that
names file and line. (scikit-learn's ``load_svmlight_file`` drops comments, and with them the document ids.)
"""

import os
import re
import sys
import textwrap

import numpy as np
import pandas as pd

from maxent.data.lines import convert, finite_number, integer, read_text, reject_duplicates
from maxent.errors import InputError
from maxent.types import FloatArray

_LAYOUT = "relevance qid:query 1:value 2:value ... #docid = document"
_NUMBER = re.compile(r"[1-9][0-9]{0,4}")  # the table is dense: one absurd number would fill the memory
_DOCUMENT = re.compile(r"docid\s*=\s*(\S+)")


def read_letor(path: str | os.PathLike[str], *, features: int | None = None) -> pd.DataFrame:
    r"""Read judged documents and their features.

    Parameters
    ----------
    path : str or path-like
        A LETOR file, plain or gzipped. Features that a line does not name are 0. If the comment of a line has no
        ``docid``, the number of the line is the document's id.
    features : int, optional
        Number of features; by default the highest number in the file. Give it if files that leave out zeros are to
        have the same columns.

    Returns
    -------
    DataFrame
        Columns ``query_id`` (str), ``doc_id`` (str), ``relevance`` (int64) and the features ``f1``, ``f2``, ...
        (float64), in the order of the file. The table can be used as qrels, and, with a feature renamed ``score``,
        as a run.

    Raises
    ------
    InputError
        If the file is not in this format, has more features than ``features``, a value is not a finite number, or
        a document comes twice in a query; the message names file, line and what was found.

    Examples
    --------
    >>> import maxent as me
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "train.txt"
    ...     size = file.write_text("2 qid:1 1:0.5 2:1 #docid = d1\n0 qid:1 2:0.25 #docid = d2\n")
    ...     me.read_letor(file)
      query_id doc_id  relevance   f1    f2
    0        1     d1          2  0.5  1.00
    1        1     d2          0  0.0  0.25
    """
    lines: list[int] = []
    grades, topics, docs = [], [], []
    rows: list[dict[int, float]] = []
    for line, text in enumerate(read_text(path).split("\n"), start=1):
        data, _, comment = text.partition("#")
        fields = data.split()
        if not fields:
            continue
        if len(fields) < 2 or not re.fullmatch(r"qid:.+", fields[1]):
            raise InputError(f"{path}:{line}: {_short(text)}, expected a line of the form '{_LAYOUT}'")
        document = _DOCUMENT.search(comment)
        lines.append(line)
        grades.append(fields[0])
        topics.append(sys.intern(fields[1].removeprefix("qid:")))
        docs.append(document[1] if document else str(line))
        rows.append(_features(f"{path}:{line}", fields[2:]))
    if not lines:
        raise InputError(f"{path}: empty, expected lines of the form '{_LAYOUT}'")
    reject_duplicates(path, lines, topics, docs)
    relevance = convert(path, lines, grades, integer, "relevance", "an integer")
    table = pd.DataFrame({"query_id": topics, "doc_id": docs, "relevance": relevance})
    values = _dense(path, lines, rows, features)
    names = [f"f{number}" for number in range(1, values.shape[1] + 1)]
    return pd.concat([table, pd.DataFrame(values, columns=names)], axis="columns")


def _features(where: str, fields: list[str]) -> dict[int, float]:
    """Values of one line, by number of the feature."""
    found: dict[int, float] = {}
    for field in fields:
        number, colon, value = field.partition(":")
        if not colon or not _NUMBER.fullmatch(number):
            raise InputError(f"{where}: feature {_short(field)}, expected number:value with a number 1..99999")
        if int(number) in found:
            raise InputError(f"{where}: feature {number} twice, expected once")
        try:
            found[int(number)] = finite_number(value)
        except ValueError:
            raise InputError(f"{where}: feature {number} is {_short(value)}, expected a finite number") from None
    return found


def _dense(
    path: str | os.PathLike[str], lines: list[int], rows: list[dict[int, float]], features: int | None
) -> FloatArray:
    """Values as an array, (rows, features); the number of features defaults to the highest number."""
    highest = [max(row, default=0) for row in rows]
    width = max(highest) if features is None else features
    for line, number in zip(lines, highest, strict=True):
        if number > width:
            raise InputError(f"{path}:{line}: feature {number}, expected at most {width} features")
    values = np.zeros((len(rows), width))
    for row, found in zip(values, rows, strict=True):
        row[[number - 1 for number in found]] = list(found.values())
    return values


def _short(text: str) -> str:
    return repr(textwrap.shorten(text, 80, placeholder="..."))
