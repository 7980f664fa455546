"""Read run files and relevance files (qrels) in the formats of TREC.

A run has six columns, ``query_id Q0 doc_id rank score run_id``, a qrels file has four,
``query_id iteration doc_id relevance``, separated by white space. Both may be compressed (gzip, bzip2, xz,
Zstandard, LZ4), start with a byte order mark, have the line ends of any system, contain blank lines and ``#``
comments, and list their topics in any order. Anything else that is unusual is an `InputError` that names the file
and the line: a silent guess here would become a wrong number in a study.
"""

import os
import sys
import textwrap
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from maxent.data import columns
from maxent.data.lines import (
    EXACT,
    convert,
    decode,
    finite_number,
    integer,
    read_bytes,
    reject_duplicates,
    scores_of,
)
from maxent.data.other_files import file_tag, other_file
from maxent.data.tables import first_of_each
from maxent.errors import InputError
from maxent.types import FloatArray, IntArray

_RUN_LAYOUT = "query_id Q0 doc_id rank score run_id"
_QRELS_LAYOUT = "query_id iteration doc_id relevance"

Duplicates: TypeAlias = Literal["error", "first"]
"""What becomes of a document that a topic of a run lists twice: an error, or its first line counts."""


def read_run(path: str | os.PathLike[str], *, duplicates: Duplicates = "error") -> pd.DataFrame:
    r"""Read the run of one system.

    Parameters
    ----------
    path : str or path-like
        A TREC run file, plain or compressed, with the lines of one run. The second column and the rank are
        ignored: the order follows from the scores. A table with a header, JSON and Parquet are read, too, see
        :func:`maxent.as_run`; ``-`` is the standard input.
    duplicates : {"error", "first"}
        What becomes of a document that a topic lists twice: an error, or its first line counts.

    Returns
    -------
    DataFrame
        Columns ``query_id`` (str), ``doc_id`` (str), ``score`` (float64) and ``run_id`` (str), in the order
        of the file.

    Raises
    ------
    InputError
        If the file cannot be read as a run; the message names file, line and what was found.

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
    data = read_bytes(path)
    found = scan_run(data)
    if found is None:
        return strict_run(path, data, duplicates=duplicates)
    topic_ids = np.array(columns.texts(found.topics[:, found.first]), dtype=object)[found.topic]
    table = {"query_id": topic_ids, "doc_id": columns.texts(found.docs), "score": found.scores}
    return pd.DataFrame(table | {"run_id": found.tag})


def strict_run(path: str | os.PathLike[str], data: bytes, *, duplicates: Duplicates = "error") -> pd.DataFrame:
    """As :func:`read_run`, from the content of a file that :func:`scan_run` leaves to the strict reader."""
    lines, table = run_lines(path, data, first=duplicates == "first")
    if lines is None:
        return table
    if duplicates == "error":
        reject_duplicates(path, lines, table["query_id"].tolist(), table["doc_id"].tolist())
    table = table.drop(columns="rank")
    return first_of_each(table).reset_index(drop=True) if duplicates == "first" else table


def run_lines(
    path: str | os.PathLike[str], data: bytes, *, first: bool = False
) -> tuple[list[int] | None, pd.DataFrame]:
    """Line numbers and lines of a run: query_id, doc_id, rank (text), score, run_id; documents may come twice.

    For formats other than TREC's, whose readers see to documents that come twice, the numbers are None and there is
    no rank.
    """
    other = other_file(path, data, "score", first=first)
    if other is not None:
        return None, _one_run(path, other)
    lines, fields = _read_columns(path, data, _RUN_LAYOUT)
    topics, _, docs, ranks, scores, run_ids = fields
    another = next((k for k, run_id in enumerate(run_ids) if run_id != run_ids[0]), None)
    if another is not None:
        raise InputError(
            f"{path}:{lines[another]}: run id {run_ids[another]!r}, expected {run_ids[0]!r} as in line {lines[0]}: "
            "a file holds one run"
        )
    values = scores_of(path, lines, scores)
    # one string object per topic, not one per line: a study holds millions of lines in memory
    table = {"query_id": list(map(sys.intern, topics)), "doc_id": docs, "rank": ranks, "score": values}
    return lines, pd.DataFrame(table | {"run_id": run_ids[0]})


def _one_run(path: str | os.PathLike[str], table: pd.DataFrame) -> pd.DataFrame:
    """Table of a file of another format, with the name of its only run."""
    tags = table["run_id"].astype(str).unique() if "run_id" in table else [file_tag(path)]
    if len(tags) > 1:
        raise InputError(f"{path}: run ids {tags[0]!r} and {tags[1]!r}, expected one: a file holds one run")
    return table.assign(run_id=tags[0])


def read_qrels(path: str | os.PathLike[str]) -> pd.DataFrame:
    r"""Read relevance judgments.

    Parameters
    ----------
    path : str or path-like
        A TREC qrels file, plain or compressed. The second column is ignored. A table with a header (BEIR's, say),
        JSON and Parquet are read, too, see :func:`maxent.as_qrels`; ``-`` is the standard input.

    Returns
    -------
    DataFrame
        Columns ``query_id`` (str), ``doc_id`` (str) and ``relevance`` (int64), in the order of the file.
        Negative judgments stay as they are; :func:`maxent.collect` counts them as grade 0.

    Raises
    ------
    InputError
        If the file cannot be read as qrels; the message names file, line and what was found.

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
    return read_ratings(path)


def read_ratings(path: str | os.PathLike[str], *, fractions: bool = False) -> pd.DataFrame:
    """As :func:`read_qrels`; with ``fractions``, relevance may be any finite number."""
    data = read_bytes(path)
    other = other_file(path, data, "relevance", fractions=fractions)
    if other is not None:
        return other
    lines, fields = _read_columns(path, data, _QRELS_LAYOUT)
    topics, _, docs, grades = fields
    reject_duplicates(path, lines, topics, docs)
    expected = "a finite number" if fractions else "an integer"
    relevance = convert(path, lines, grades, finite_number if fractions else integer, "relevance", expected)
    return pd.DataFrame({"query_id": list(map(sys.intern, topics)), "doc_id": docs, "relevance": relevance})


class RunFile(NamedTuple):
    """A well-formed run file as arrays; texts are words, see ``columns``.

    Attributes
    ----------
    tag : str
        Name of the run.
    topics, docs : (words, n) arrays
        Ids of the topic and of the document of each line.
    first : (topics,) array of int
        First line of each topic.
    topic : (n,) array of int
        Which of the topics each line belongs to.
    scores : (n,) array of float
    """

    tag: str
    topics: IntArray
    docs: IntArray
    first: IntArray
    topic: IntArray
    scores: FloatArray


def scan_run(data: bytes) -> RunFile | None:
    """Run from the content of a well-formed file; None for anything that the strict reader has to look at."""
    fields = columns.split(data, 6)
    if fields is None:
        return None
    scores, tags = columns.numbers(fields, 4), columns.words(fields, 5)
    if scores is None or (abs(scores) >= EXACT).any() or (tags != tags[:, :1]).any():
        return None
    topics, docs = columns.words(fields, 0), columns.words(fields, 2)
    start = np.flatnonzero(np.concatenate(([True], (topics[:, 1:] != topics[:, :-1]).any(axis=0))))
    first, which = columns.distinct(topics[:, start])
    topic = np.repeat(which, np.diff(np.append(start, len(scores))))
    if columns.any_twice(np.vstack((topic[None].astype(np.uint64), docs))):
        return None
    return RunFile(columns.texts(tags[:, :1])[0], topics, docs, start[first], topic, scores)


def _read_columns(path: str | os.PathLike[str], data: bytes, layout: str) -> tuple[list[int], list[list[str]]]:
    """Line numbers of the data lines, and their columns."""
    width = len(layout.split())
    lines: list[int] = []
    fields: list[str] = []  # flat: a list per line would keep the garbage collector busy
    for line, text in enumerate(decode(path, data).split("\n"), start=1):
        row = text.split()
        if not row or row[0].startswith("#"):
            continue
        if len(row) != width:
            shown = textwrap.shorten(text, 80, placeholder="...")
            other = {4: " (a qrels file?)", 6: " (a run file?)"}.get(len(row), "")
            found = f"{len(row)} columns ({shown!r})"
            raise InputError(f"{path}:{line}: {found}, expected the {width} of '{layout}'{other}")
        lines.append(line)
        fields += row
    if not lines:
        raise InputError(f"{path}: empty, expected lines of the form '{layout}'")
    return lines, [fields[column::width] for column in range(width)]
