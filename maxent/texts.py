"""Short texts for people: labels of measures, g and thresholds, numbers with nouns, and HTML of objects."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from operator import attrgetter, index
from typing import Any

import pandas as pd

READING = ["count", "model", "reference", "align", "depth"]  # columns of tables with several readings
MEAN = "mean over thresholds"  # what threshold 0 is
NOTHING = ("infeasible", "failed", "too_large")  # statuses without a distribution
PREDICTED = {
    "rms": "RMS error of the prediction",
    "mae": "mean absolute error of the prediction",
    "tau": "Kendall's tau within a topic",
    "tau_systems": "Kendall's tau of system means",
    "within": "Share of the lists within the band of the prediction",
}


class Shown:
    """Base class of objects that notebooks show as HTML."""

    def _repr_html_(self) -> str:
        return shown(self)


def shown(thing: Any) -> str:
    """HTML of an object: its repr, its table ``to_frame()``, and the figure of its ``plot`` if it has one."""
    table, drawn = thing.to_frame(), ""
    if hasattr(thing, "plot") and len(table) and getattr(thing, "status", "") not in NOTHING:
        figure = public("plot.style.NotebookFigure")(figsize=(5.2, 3.7), layout="constrained")
        thing.plot(ax=figure.subplots())
        drawn = figure.html()
    with pd.option_context("display.max_colwidth", None):
        rows = table.to_html(index=False, border=0, max_rows=20)
    return f"<p><b>{escape(repr(thing))}</b></p>{rows}{drawn}"


def public(name: str) -> Any:
    """Public object of ``maxent`` by name, for methods that call a function of a higher room."""
    import maxent

    return attrgetter(name)(maxent)


def many(number: int, word: str) -> str:
    """Number with its noun: ``1 run``, ``2 runs``."""
    return f"{number} {word}{'s' if number != 1 else ''}"


RANKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # that people read


def is_without_content(text: str) -> bool:
    """Whether a measure is a broken stick, which knows nothing but that earlier ranks count more."""
    return text.startswith("BrokenStick")


def percent(share: float) -> str:
    """Share in percent with one decimal, robust to rounding errors of the share."""
    return f"{round(share, 9):.1%}"


def measure_label(text: str) -> str:
    """Label of a measure for people: GAP(1, 0, ...) is AP, and long decimals are rounded to four digits."""
    if is_without_content(text):
        return "broken stick (no content)"
    text = re.sub(r"^GAP\(g=1(,0)*\)(?=@\d+$|$)", "AP", text)
    return re.sub(r"\d*\.\d{5,}", lambda number: f"{float(number[0]):.4g}", text)


def g_label(g: Sequence[float]) -> str:
    """Threshold probabilities as a tick label: ``.25, .75``."""
    return ", ".join(f"{x:.4g}".replace("0.", ".", 1) if 0 < x < 1 else f"{x:g}" for x in g)


def g_symbol(grade: int) -> str:
    """Symbol of a grade's threshold probability in figures: ``g₁`` in Unicode, so that no formula is parsed."""
    return "g" + "".join(chr(ord("₀") + int(digit)) for digit in str(grade))


def threshold_label(threshold: int, highest: int) -> str:
    """Description of the documents that are relevant at a threshold; ``highest`` is the highest threshold."""
    threshold, highest = index(threshold), index(highest)  # refuses arrays, which == compares by element
    if threshold == 1:
        return "all relevant documents (grade ≥ 1)"
    return f"only grade {'≥ ' if threshold < highest else ''}{threshold}"


def measure_names(texts: Iterable[object]) -> str:
    """Labels of measures, separated by commas."""
    return ", ".join(measure_label(str(text)) for text in texts)
