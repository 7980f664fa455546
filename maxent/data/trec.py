"""Read run files and relevance files (qrels) in the formats of TREC.

A run has six columns, ``query_id Q0 doc_id rank score run_id``, a qrels file has four,
``query_id iteration doc_id relevance``, separated by white space. Both may be compressed (gzip, bzip2, xz,
Zstandard, LZ4), start with a byte order mark, have the line ends of any system, contain blank lines and comments,
and list their topics in any order. A comment begins with ``#`` and does not have the columns of the format, or its
``#`` stands alone; ``#metoo 0 d1 1`` is a judgment. Anything else that is unusual is an `InputError` that names the
file and the line: a silent guess here would lead to a wrong number in a study.
"""

import io
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions, read_csv

from maxent.checks import check_choice
from maxent.data.line_arrays import (
    NUMBERED,
    POOL,
    Columns,
    Numbered,
    Piece,
    Repeated,
    joined,
    judgment_table,
    numbered,
    numbers_in,
    rated,
    run_table,
)
from maxent.data.lines import EXACT, PathLike, chunks, convert, finite_number, title_of, values_of, whole_lines
from maxent.data.other_files import other_file, tagged
from maxent.errors import InputError
from maxent.options.choices import Duplicates as Duplicates
from maxent.types import FloatArray, IntArray

DUPLICATES = get_args(Duplicates)

BLANK, NEWLINE, HASH = b" \n#"
_NONE = Piece(np.zeros(0, np.int32), numbered([]), numbered([]), np.zeros(0, np.int64), {})  # lines
_LAYOUTS = {  # by what says the order or the grade
    "score": "query_id Q0 doc_id rank score run_id",
    "rank": "query_id doc_id rank",
    "relevance": "query_id iteration doc_id relevance",
    "pair": "query_id doc_id",
}
_SHORT = {("score", 3): "rank", ("relevance", 2): "pair"}
_RANKS = "1, 2, ... in each query, or a header 'query_id doc_id score'"
_TYPES = {"score": pa.float64(), "rank": pa.float64()} | dict.fromkeys(
    ("query_id", "doc_id", "relevance", "run_id"), NUMBERED
)


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


def read_columns(
    path: PathLike,
    value: Literal["score", "relevance"],
    *,
    fractions: bool = False,
    repeated: Repeated = "error",
) -> Columns:
    """Lines of a file in any format: of a run, or of judgments, which are whole numbers unless ``fractions``."""
    title, data = title_of(path), chunks(path)
    start = next(data, b"")
    data = chain([start], data)
    other = other_file(path, start, data, value, fractions=fractions, repeated=repeated)
    if other is not None:
        return other
    lines = joined(title, ":", _pieces(title, data, value, fractions), repeated)
    if lines is None or not len(lines.lines):
        raise InputError(f"{title}: empty, expected lines of the form '{_LAYOUTS[value]}'")
    if value == "relevance" or lines.tag is not None:
        return lines
    once = lines.once("first")  # three columns
    places = -pd.Series(once.values)
    wrong = np.flatnonzero(places.groupby(once.topics.codes).rank("first") != places)
    if len(wrong):
        place = f"{title}:{once.lines[wrong[0]]}: 3 columns with rank {places[wrong[0]]:.10g}"
        raise InputError(f"{place}, expected {_RANKS}")
    return tagged(path, lines, value, "")


def _pieces(title: str, data: Iterable[bytes], value: str, fractions: bool) -> Iterator[Piece]:
    width = 0
    for first, piece in whole_lines(title, data):
        width = width or _width(piece, value)
        layout = _SHORT.get((value, width), value)
        rows = scan(first, piece, layout, fractions=fractions)
        rows = rows or _strict(title, first, piece, layout, fractions=fractions)
        if len(rows.lines) or rows.comments:
            yield rows


def _width(piece: bytes, value: str) -> int:
    """Number of columns of the lines of a piece: of the first that cannot be a comment; 0 if all are comments."""
    widths = [0]
    for row in (line.decode().split() for line in io.BytesIO(piece)):
        if row and not row[0].startswith("#"):
            return len(row)
        if row and not _is_comment(row, _SHORT.get((value, len(row)), value)):
            widths.append(len(row))
    return max(widths)


def _is_comment(row: Sequence[str], value: str) -> bool:
    """Whether a line begins with ``#`` and does not have the columns of a layout, or its ``#`` stands alone."""
    if not row[0].startswith("#"):
        return False
    names = _LAYOUTS[value].split()
    if row[0] == "#" or len(row) != len(names):
        return True
    return value in names and not _is_number(row[names.index(value)])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def scan(first: int, piece: bytes, value: str, *, fractions: bool) -> Piece | None:
    """Lines of a well-formed piece, with the values that the strict reader would read; None for other pieces."""
    text = np.frombuffer(piece, np.uint8)
    lines: IntArray = np.arange(first, first + np.count_nonzero(text == NEWLINE), dtype=np.int32)
    space, hashes, comments = text <= BLANK, 0, 0
    if space[0] or (space[1:] & space[:-1]).any() or b" " in piece or b"#" in piece:
        lines, piece, hashes, comments = _tidy(lines, text, value)
    if b"#" in piece and piece.startswith(b"#") + piece.count(b"\n#") > hashes:  # blanks before a comment, perhaps
        return None
    rows = _fields(lines, piece, value, fractions) if len(lines) else _NONE
    return None if rows is None else rows._replace(lines=lines, comments=comments)


def _fields(lines: IntArray, piece: bytes, value: str, fractions: bool) -> Piece | None:
    """Lines of a tidy piece, with tabs between fields; None if one is malformed."""
    if not piece.isascii():
        return None
    space = np.frombuffer(piece, np.uint8) <= BLANK
    layout = _LAYOUTS[value].split()
    wanted = [name for name in layout if name in ("query_id", "doc_id", value, "run_id", "rank")]
    table = _table(piece, layout, wanted, _TYPES)
    if table is None and value == "score":  # perhaps a rank is no number
        table = _table(piece, layout, wanted, _TYPES | {"rank": NUMBERED})
    if table is None:
        return None
    # some lines have nothing but blanks, or there are control characters, some of which separate fields for Python
    if len(table) < len(lines) or np.count_nonzero(space) > len(lines) * len(layout):
        return None
    columns = {name: table[name].chunk(0) for name in wanted}
    positions = _ranks(columns["rank"]) if "rank" in columns else None
    values: npt.NDArray[Any] | None = np.ones(len(table), np.int64)
    if value == "relevance":
        values = _grades(columns[value], fractions)
    elif value != "pair":
        values = columns[value].to_numpy() * (-1 if value == "rank" else 1)
    if values is None or not np.isfinite(values).all():
        return None
    if value != "score":
        return Piece(lines, columns["query_id"], columns["doc_id"], values, {}, positions)
    tags = columns["run_id"].dictionary.to_pylist()
    if len(tags) > 1 or (abs(values) >= EXACT).any():
        return None
    return Piece(lines, columns["query_id"], columns["doc_id"], values, {tags[0]: int(lines[0])}, positions)


def _tidy(lines: IntArray, text: npt.NDArray[np.uint8], value: str) -> tuple[IntArray, bytes, int, int]:
    """Lines that are neither empty nor comments, by their numbers, with a single tab between fields.

    The last two are the numbers of these lines that begin with ``#``, and of comments.
    """
    ends = np.flatnonzero(text == NEWLINE) + 1
    starts = np.concatenate(([0], ends[:-1]))
    has_fields = text[starts] != NEWLINE
    hashes = np.flatnonzero(text[starts] == HASH)
    rows = (text[starts[k] : ends[k]].tobytes().decode().split() for k in hashes)
    comments = hashes[np.fromiter((_is_comment(row, value) for row in rows), np.bool_, len(hashes))]
    has_fields[comments] = False
    piece = text[np.repeat(has_fields, np.diff(ends, prepend=0))].tobytes().replace(b" ", b"\t")
    while b"\t\t" in piece:
        piece = piece.replace(b"\t\t", b"\t")
    piece = piece.replace(b"\t\n", b"\n").replace(b"\n\t", b"\n").lstrip(b"\t")
    return lines[has_fields], piece, len(hashes) - len(comments), len(comments)


def _table(piece: bytes, layout: list[str], wanted: list[str], types: Mapping[str, Any]) -> Any:
    """Wanted columns of a piece whose fields tabs separate; None if its lines or numbers are malformed."""
    try:
        return read_csv(
            pa.BufferReader(piece),
            ReadOptions(use_threads=False, column_names=layout, block_size=len(piece) + 1),
            ParseOptions(delimiter="\t", quote_char=False),
            ConvertOptions(include_columns=wanted, column_types=types, check_utf8=False, null_values=[]),
            POOL,
        )
    except pa.ArrowInvalid:
        return None


def _ranks(column: Any) -> FloatArray:
    """Ranks in a column of numbers or numbered texts, NaN for those that are no numbers."""
    if not isinstance(column, pa.DictionaryArray):
        ranks: FloatArray = column.to_numpy()
        return ranks
    codes: IntArray = column.indices.to_numpy()
    return numbers_in(column.dictionary.to_pylist())[codes]


def _grades(texts: Numbered, fractions: bool) -> npt.NDArray[Any] | None:
    """Grades of numbered texts; None if one is no number."""
    names = texts.dictionary.to_pylist()
    try:
        distinct: npt.NDArray[Any] = values_of("", range(len(names)), names, "relevance", fractions)
    except InputError:
        return None
    codes: IntArray = texts.indices.to_numpy()
    return distinct[codes]


def _strict(title: str, first: int, piece: bytes, value: str, *, fractions: bool) -> Piece:
    """Lines of any piece, read one by one in Python; InputError names the first that is malformed."""
    names = _LAYOUTS[value].split()
    width = len(names)
    lines: list[int] = []
    comments = 0
    fields: list[str] = []  # flat: a list per line would keep the garbage collector busy
    for line, text in enumerate(piece.decode().split("\n"), start=first):
        row = text.split()
        if not row or _is_comment(row, value):
            comments += bool(row)
            continue
        if len(row) != width:
            shown = textwrap.shorten(text, 80, placeholder="...")
            other = {4: " (a qrels file?)", 6: " (a run file?)"}.get(len(row), "")
            columns = f"{len(row)} columns ({shown!r})"
            raise InputError(f"{title}:{line}: {columns}, expected the {width} of '{_LAYOUTS[value]}'{other}")
        lines.append(line)
        fields += row
    column = {name: fields[place::width] for place, name in enumerate(names)}
    keys = (np.array(lines, dtype=np.int32), numbered(column["query_id"]), numbered(column["doc_id"]))
    piece_of_ids = Piece(*keys, np.ones(len(lines), np.int64), {}, comments=comments)
    if value == "pair":
        return piece_of_ids
    if value == "rank":
        places = np.array(convert(title, lines, column["rank"], finite_number, "3 columns with rank", _RANKS))
        return piece_of_ids._replace(values=-places, ranks=places)
    parsed = piece_of_ids._replace(values=values_of(title, lines, column[value], value, fractions))
    if value == "relevance":
        return parsed
    tags = dict(zip(reversed(column["run_id"]), reversed(lines), strict=True))
    return parsed._replace(tags=tags, ranks=numbers_in(column["rank"]))
