"""Tables as text: aligned for a terminal, for other programs, and for papers."""

import csv
import io
import json
import re
from collections.abc import Callable, Collection, Sequence
from html import escape
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from maxent.console.terminal import Rows, Screen, aligned
from maxent.data.spreadsheets import guarded
from maxent.errors import visible
from maxent.texts import measure_label
from maxent.words import MEASURE_COLUMNS, P_VALUE_COLUMNS, SHARE_COLUMNS, Column, columns

PLACES = 4

_MARKDOWN = str.maketrans({"|": r"\|"})
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "≥": r"$\geq$"}
)
_PLAIN = re.compile(r"(-?)(\d+)(?:\.|(?=$))(\d*)")
_MINUS = re.compile(r"-(?=\d)")


def format_table(
    table: pd.DataFrame,
    form: str = "table",
    *,
    places: int | None = None,
    screen: Screen | None = None,
    keys: int = 1,
    marked: Collection[int] = (),
    caption: str = "",
) -> str:
    """Table as text, without a line feed at its end; for people with the headings of :mod:`maxent.words`.

    ``places`` are decimals (default: 4, all digits in ``jsonl``); ``screen``, ``keys`` and ``marked`` are those of
    ``aligned``; LaTeX has the caption. Control characters in names are shown as escapes, which a terminal does not
    obey. In ``csv`` and ``tsv`` texts that a spreadsheet would take for formulas get an apostrophe.
    """
    if form == "jsonl":
        return "\n".join(map(json.dumps, json_records(table if places is None else table.round(places))))
    places = PLACES if places is None else places
    if form in TIDY:
        table = guarded(table)
        cells = [["" if pd.isna(x) else _number(x, places) for x in column] for _, column in table.items()]
        head, keep = list(map(str, table.columns)), "\n\t"
    else:
        found = columns(table)
        cells = [_texts(column, places) for column in found]
        head, keep = [column.word.heading for column in found], ""
    rows = [head, *(list(row) for row in zip(*cells, strict=True))]
    rows = [[visible(cell, keep=keep) for cell in row] for row in rows]
    if form in TIDY:
        return _WRITERS[form](rows, [])
    numeric = [all(isinstance(x, Number) and not isinstance(x, bool) for x in column.values) for column in found]
    if form == "table":
        return aligned(rows, numeric, screen=screen, keys=keys, marked=marked)
    if form == "latex":
        return _latex(rows, numeric, marked, caption)
    return _WRITERS[form](rows, numeric)


def _number(value: Any, places: int) -> str:
    return f"{value:.{places}f}" if isinstance(value, float) else str(value)


def _texts(column: Column, places: int) -> list[str]:
    """Cells of a column for people, a dash for what is missing."""
    if any(isinstance(value, tuple) for value in column.values):
        return _intervals(column.values, places)
    texts = []
    for value in column.values:
        if pd.isna(value):
            texts.append("-")
        elif column.key in SHARE_COLUMNS:
            texts.append(f"{value:.1%}")
        elif column.key in P_VALUE_COLUMNS and 0 < value < 0.5 * 10.0**-places:
            texts.append(f"{value:.1e}")
        elif isinstance(value, bool | np.bool_):
            texts.append("yes" if value else "no")
        elif column.key in MEASURE_COLUMNS:
            texts.append(measure_label(str(value)))
        else:
            texts.append(_number(value, places))
    return texts


def _intervals(pairs: Sequence[tuple[float, float]], places: int) -> list[str]:
    """Both ends of intervals in one text, ``[0.1521, 0.1804]``."""
    texts = [[f"{end:.{places}f}" for end in ends] for ends in zip(*pairs, strict=True)]
    widths = [max(map(len, ends), default=0) for ends in texts]
    whole = zip(*texts, pairs, strict=True)
    return ["-" if pd.isna(pair[0]) else f"[{a:>{widths[0]}}, {b:>{widths[1]}}]" for a, b, pair in whole]


def json_records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a table as JSON has them: numbers of Python, and None for what is missing."""
    values = table.astype(object).where(table.notna(), None)
    return [{str(name): value for name, value in row.items()} for row in values.to_dict("records")]


def _separated(delimiter: str) -> Callable[[Rows, Sequence[bool]], str]:
    def write(rows: Rows, _: Sequence[bool]) -> str:
        text = io.StringIO()
        csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
        return text.getvalue().removesuffix("\n")

    return write


def _markdown(rows: Rows, numeric: Sequence[bool]) -> str:
    head, *body = [f"| {' | '.join(cell.translate(_MARKDOWN) for cell in row)} |" for row in rows]
    return "\n".join((head, f"|{'|'.join('---:' if right else '---' for right in numeric)}|", *body))


def _latex(rows: Rows, numeric: Sequence[bool], marked: Collection[int], caption: str) -> str:
    """Numbers under each other by their points, marked rows in bold; it needs booktabs and siunitx."""
    table = [
        _latex_column([cell.translate(_LATEX) for cell in column], right)
        for column, right in zip(zip(*rows, strict=True), numeric, strict=True)
    ]
    lines = [list(line) for line in zip(*(cells for _, cells in table), strict=True)]
    for k in marked:
        lines[k + 1] = [rf"\bfseries {cell}" for cell in lines[k + 1]]
    head, *body = [" & ".join(line) + r" \\" for line in lines]
    return "\n".join(
        (
            r"% \usepackage{booktabs} \usepackage[detect-weight]{siunitx}",
            r"\begin{table}",
            r"\centering",
            *([rf"\caption{{{caption.translate(_LATEX)}}}"] if caption else []),
            rf"\begin{{tabular}}{{{''.join(kind for kind, _ in table)}}}",
            *(r"\toprule", head, r"\midrule", *body, r"\bottomrule"),
            r"\end{tabular}",
            r"\end{table}",
        )
    )


def _latex_column(cells: Sequence[str], right: bool) -> tuple[str, list[str]]:
    """Kind of a column and its cells; in one of plain numbers siunitx sees to points and minus signs."""
    head, *body = cells
    found = [_PLAIN.fullmatch(cell) for cell in body if cell != "-"]
    numbers = [number for number in found if number]
    if right and numbers and len(numbers) == len(found):
        sign, whole, places = (max(numbers, key=lambda number: len(number[k]))[k] for k in (1, 2, 3))
        kind = f"S[table-format={sign}{len(whole)}.{len(places)}]"
        return kind, [f"{{{head}}}", *("{--}" if cell == "-" else cell for cell in body)]
    interval = all(cell.startswith("[") or cell == "-" for cell in body)
    signed = [_MINUS.sub("$-$", cell.replace("[ ", "[")) if right or interval else cell for cell in body]
    return "r" if right else "l", [head, *signed]


_WRITERS: dict[str, Callable[[Rows, Sequence[bool]], str]] = {
    "tsv": _separated("\t"),
    "csv": _separated(","),
    "markdown": _markdown,
}
FORMATS = ("table", *_WRITERS, "latex", "jsonl")
TIDY = ("tsv", "csv", "jsonl")  # for programs: a row for each number, measures in text forms that parse


def html_table(table: pd.DataFrame) -> str:
    """Table for people as HTML; all texts are escaped."""
    found = columns(table)
    head = "".join(
        f'<th title="{escape(column.word.meaning)}">{escape(column.word.heading)}</th>' for column in found
    )
    rows = zip(*(_texts(column, PLACES) for column in found), strict=True)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
