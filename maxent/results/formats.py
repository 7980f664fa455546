"""Tables as text: aligned for a terminal, for other programs, and for papers."""

import json
import re
from collections.abc import Collection, Sequence
from html import escape
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from maxent.data.spreadsheets import guarded
from maxent.errors import visible
from maxent.results.schema import UNNAMED, Schema, ShownColumn
from maxent.results.terminal import Rows, Screen, aligned
from maxent.texts import measure_label, percent

PLACES = 4

_MARKDOWN = str.maketrans({"|": r"\|", "<": "&lt;"})  # no name becomes a tag
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "≥": r"$\geq$"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "≤": r"$\leq$"}  # in all encodings of fonts
)
_MINUS = re.compile(r"-(?=\d)")
_SIGN = re.compile(r"(?<![^ \[(])-(?=\d)")  # in running text, where 1-4 is a range
_SMALL = r"\centering\footnotesize\setlength{\tabcolsep}{4pt}"
_COLUMN = 240  # points of a column of a paper


def format_table(
    table: pd.DataFrame,
    form: str = "table",
    *,
    schema: Schema = UNNAMED,
    places: int | None = None,
    screen: Screen | None = None,
    keys: int = 1,
    marked: Collection[int] = (),
    caption: str = "",
    label: str = "",
) -> str:
    """Table as text, without a line feed at its end; default ``places``: 4, and all digits in ``jsonl``."""
    # 1. for programs: the columns of the table
    if form == "jsonl":
        return "\n".join(map(json.dumps, json_records(table if places is None else table.round(places))))
    places = PLACES if places is None else places
    if form in TIDY:
        texts = guarded(table).map(lambda value: visible(value, keep="\n\t") if isinstance(value, str) else value)
        return texts.to_csv(
            sep="\t" if form == "tsv" else ",", index=False, float_format=f"%.{places}f", lineterminator="\n"
        ).removesuffix("\n")
    # 2. for people: those of the schema, as texts
    shown = schema.shown(table)
    heads = [column.heading for column in shown]
    cells_by_column = [_texts(column, places) for column in shown]
    rows = [heads, *zip(*cells_by_column, strict=True)]
    rows = [[visible(cell, keep="") for cell in row] for row in rows]
    numeric = [all(map(_is_numeric, column.values)) for column in shown]
    if form == "table":
        attached = [k for k, column in enumerate(shown) if column.attached]
        return aligned(rows, numeric, screen=screen, keys=keys, marked=marked, attached=attached)
    return _markdown(rows, numeric) if form == "markdown" else _latex(rows, numeric, marked, caption, label)


def _is_numeric(value: object) -> bool:
    """Whether a value, missing ones included, belongs in a column of numbers."""
    return value is pd.NA or (isinstance(value, Number) and not isinstance(value, bool))


def _number(value: Any, places: int) -> str:
    return f"{value:.{places}f}" if isinstance(value, float) else str(value)


def _texts(column: ShownColumn, places: int) -> list[str]:
    """Cells of a column for people, a dash for a missing value."""
    if any(isinstance(value, tuple) for value in column.values):
        return _intervals(column.values, places)
    texts = []
    for value in column.values:
        if pd.isna(value):
            texts.append("-")
        elif column.format == "share":
            texts.append(percent(value))
        elif column.format == "p-value" and 0 < value < 0.5 * 10.0**-places:
            texts.append(f"{value:.1e}")
        elif isinstance(value, bool | np.bool_):
            texts.append("yes" if value else "no")
        elif column.format == "measure":
            texts.append(measure_label(str(value)))
        else:
            texts.append(_number(value, places))
    return texts


def _intervals(pairs: Sequence[tuple[float, float]], places: int) -> list[str]:
    """Both ends of intervals in one text, ``[0.1521, 0.1804]``."""
    lows = [f"{low:.{places}f}" for low, _ in pairs]
    highs = [f"{high:.{places}f}" for _, high in pairs]
    width_low, width_high = max(map(len, lows)), max(map(len, highs))
    texts = []
    for (low, _), low_text, high_text in zip(pairs, lows, highs, strict=True):
        interval = f"[{low_text:>{width_low}}, {high_text:>{width_high}}]"
        texts.append("-" if pd.isna(low) else interval)
    return texts


def json_records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a table for JSON: Python's numbers, and None for missing values."""
    values = table.astype(object).where(table.notna(), None)
    return [{str(name): value for name, value in row.items()} for row in values.to_dict("records")]


def _markdown(rows: Rows, numeric: Sequence[bool]) -> str:
    head, *body = [f"| {' | '.join(cell.translate(_MARKDOWN) for cell in row)} |" for row in rows]
    return "\n".join((head, f"|{'|'.join('---:' if right else '---' for right in numeric)}|", *body))


def _latex(rows: Rows, numeric: Sequence[bool], marked: Collection[int], caption: str, label: str) -> str:
    """Table for LaTeX (booktabs): numbers flush right, marked rows bold, over both columns if one is too narrow."""
    head, *body = [
        [_latex_cell(cell, is_number) for cell, is_number in zip(row, numeric, strict=True)] for row in rows
    ]
    width = sum(8 + 4 * max(map(len, cells)) for cells in zip(*rows, strict=True))  # a digit of 8 points has 4
    cells = pd.DataFrame(body, columns=range(len(head)))
    bold = pd.DataFrame([["textbf:--rwrap" if k in marked else ""] * len(head) for k in range(len(body))])
    style = cells.style.hide(axis="index").relabel_index(head, axis="columns").apply(lambda _: bold, axis=None)
    text = style.to_latex(
        column_format="".join("r" if right else "l" for right in numeric),
        position_float="centering",
        hrules=True,
        caption=latex(caption) or None,
        label=label or None,
        environment="table*" if width > _COLUMN else None,
    )
    return "% \\usepackage{booktabs}\n" + text.replace(r"\centering", _SMALL, 1).removesuffix("\n")


def latex(text: str) -> str:
    """Running text for LaTeX, with true minus signs, and the hyphens of options."""
    return _SIGN.sub("$-$", visible(text, keep="\n").replace("<=", "≤").translate(_LATEX)).replace("--", "-{}-")


def _latex_cell(text: str, is_number: bool) -> str:
    """Cell for LaTeX; a hyphen is a minus sign in numbers and intervals only."""
    if text == "-":
        return "--"
    cell = text.translate(_LATEX)
    return _MINUS.sub("$-$", cell) if is_number or text.startswith("[") else cell


FORMATS = ("table", "tsv", "csv", "markdown", "latex", "jsonl")
TIDY = ("tsv", "csv", "jsonl")  # for programs: a row for each number, measures in text forms that parse


def html_table(table: pd.DataFrame, schema: Schema) -> str:
    """Table for people as HTML; all texts are escaped."""
    shown = schema.shown(table)
    head = "".join(f'<th title="{escape(column.meaning)}">{escape(column.heading)}</th>' for column in shown)
    rows = zip(*(_texts(column, PLACES) for column in shown), strict=True)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
