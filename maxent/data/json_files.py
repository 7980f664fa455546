"""JSON files: ``{query: {document: number}}``, as in ranx and pytrec_eval, or a dictionary for each row.

The dictionaries stand in an array, or each on a line of its own (JSON lines).
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from maxent.data.lines import checked_text, whole_lines
from maxent.data.nested import is_of_engine, unrolled
from maxent.data.rows import LINE, Rows
from maxent.data.tables import is_row, names_of, objects_rows, picked_rows, require_cells, require_rows
from maxent.errors import InputError
from maxent.limits import JSON, too_large


def json_rows(title: str, data: Iterable[bytes], value: str) -> Iterator[Rows]:
    """Rows of a JSON file, which is in memory as a whole."""
    text = bytearray()
    for part in data:
        text += part
        if reason := too_large(f"{title}: its size as JSON", len(text), JSON):
            raise InputError(reason)
    yield require_rows(objects_rows(title, _parsed(title, bytes(text)), value))


def begins_with_row(start: bytes) -> bool:
    """Whether the first line is a dictionary of cells, as in JSON lines."""
    first = re.split(rb"[\r\n]", start.lstrip(b"\xef\xbb\xbf \t\r\n"), maxsplit=1)[0]
    try:
        parsed = json.loads(first)
        return is_row(parsed) and not is_of_engine(parsed)
    except (ValueError, RecursionError):  # the error comes when the file is read
        return False


def json_line_rows(title: str, data: Iterable[bytes], value: str) -> Iterator[Rows]:
    """Rows of JSON lines, parsed twice: the keys of all lines say which columns count, and only these are kept."""
    pieces = list(whole_lines(title, data))
    checked_rows = (row for first_line, text in pieces for row in _checked_rows(title, first_line, text))
    names = names_of(title, unrolled(title, checked_rows, value), value)
    for first_line, text in pieces:
        rows = ((line, json.loads(content)) for line, content in _numbered_lines(first_line, text))
        picked = picked_rows(title, LINE, unrolled(title, rows, value), names)
        if len(picked):
            yield picked


def _numbered_lines(first_line: int, text: bytes) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, each with its number."""
    for line, content in enumerate(text.split(b"\n"), first_line):
        if content.strip():
            yield line, content


def _checked_rows(title: str, first_line: int, text: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Dictionaries of cells in the numbered lines of a text; InputError for a line that has none."""
    for line, content in _numbered_lines(first_line, text):
        row = _parsed(title, content, line)
        if not is_row(row):
            require_cells(title, LINE, np.array([line]), [row])
        yield line, row


def _parsed(title: str, text: bytes, line: int | None = None) -> Any:
    """Value of a JSON text, a whole file or a line; InputError if it is not JSON or repeats a key."""
    place = title if line is None else f"{title}:{line}"

    def without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
        cells = dict(pairs)
        if len(cells) < len(pairs):  # json would not notice
            counts = Counter(key for key, _ in pairs)
            twice = next(key for key, number in counts.items() if number > 1)
            raise InputError(f"{place}: {twice!r} twice in one object, expected once")
        return cells

    try:
        return json.loads(checked_text(title, line or 1, text), object_pairs_hook=without_repetition)
    except InputError:
        raise
    except json.JSONDecodeError as error:
        raise InputError(f"{title}:{line or error.lineno}: not JSON ({error.msg})") from None
    except RecursionError:
        raise InputError(f"{place}: nested too deeply, expected {{query: {{document: number}}}}") from None
    except ValueError:  # of int
        raise InputError(
            f"{place}: a number of too many digits, expected at most {sys.get_int_max_str_digits()}"
        ) from None
