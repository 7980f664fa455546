"""Tables as text: aligned for a terminal, for other programs, and for papers."""

import csv
import io
import json
from collections.abc import Callable, Collection, Sequence
from typing import Any

import pandas as pd

from maxent.cli.terminal import Rows, Screen, aligned
from maxent.data.spreadsheets import guarded
from maxent.errors import visible

PLACES = 4

_MARKDOWN = str.maketrans({"|": r"\|"})
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "≥": r"$\geq$"}
)


def format_table(
    table: pd.DataFrame,
    form: str = "table",
    *,
    places: int | None = None,
    screen: Screen | None = None,
    keys: int = 1,
    marked: Collection[int] = (),
) -> str:
    """Table as text, without a line feed at its end.

    Parameters
    ----------
    table : DataFrame
        Its index is not shown.
    form : str
        A name in ``FORMATS``. ``jsonl`` has an object per row.
    places : int, optional
        Decimals of fractions; default: 4, or all digits in ``jsonl``.
    screen, keys, marked
        Of the form ``table``, as for :func:`maxent.cli.terminal.aligned`.

    Notes
    -----
    Control characters in names are shown as escapes, which a terminal does not obey. In ``csv`` and ``tsv`` texts
    that a spreadsheet would take for formulas get an apostrophe.
    """
    if form == "jsonl":
        return "\n".join(map(json.dumps, json_records(table if places is None else table.round(places))))
    separated = form in ("csv", "tsv")
    if separated:
        table = guarded(table)
    places = PLACES if places is None else places
    columns = [_texts(column, places, "" if separated else "-") for _, column in table.items()]
    rows = [list(map(str, table.columns)), *(list(row) for row in zip(*columns, strict=True))]
    rows = [[visible(cell, keep="\n\t" if separated else "") for cell in row] for row in rows]
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes]
    if form == "table":
        return aligned(rows, numeric, screen=screen, keys=keys, marked=marked)
    return _WRITERS[form](rows, numeric)


def _texts(column: pd.Series, places: int, missing: str) -> list[str]:
    return [
        missing if pd.isna(value) else f"{value:.{places}f}" if isinstance(value, float) else str(value)
        for value in column
    ]


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


def _latex(rows: Rows, numeric: Sequence[bool]) -> str:
    head, *body = [" & ".join(cell.translate(_LATEX) for cell in row) + r" \\" for row in rows]
    begin = rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in numeric)}}}"
    return "\n".join((begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"))


_WRITERS: dict[str, Callable[[Rows, Sequence[bool]], str]] = {
    "tsv": _separated("\t"),
    "csv": _separated(","),
    "markdown": _markdown,
    "latex": _latex,  # needs the package booktabs
}
FORMATS = ("table", *_WRITERS, "jsonl")
TIDY = ("tsv", "csv", "jsonl")  # for programs: a row for each number, measures in text forms that parse
