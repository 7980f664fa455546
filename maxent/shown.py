"""Public objects in notebooks, and their methods that call functions of rooms above."""

from html import escape
from operator import attrgetter
from typing import Any

import pandas as pd

NOTHING = ("infeasible", "failed", "too_large")  # statuses without a distribution


class Shown:
    """Base class of objects that notebooks show as HTML."""

    def _repr_html_(self) -> str:
        return shown(self)


def shown(thing: Any) -> str:
    """HTML of an object: its repr, its table ``to_frame()``, and the figure of its ``plot`` if it has one."""
    table = thing.to_frame()
    with pd.option_context("display.max_colwidth", None):
        rows = table.to_html(index=False, border=0, max_rows=20)
    picture = ""
    if hasattr(thing, "plot") and len(table) and getattr(thing, "status", "") not in NOTHING:
        figure = public("plot.style.NotebookFigure")(figsize=(5.2, 3.7), layout="constrained")
        thing.plot(ax=figure.subplots())
        picture = figure.html()
    return f"<p><b>{escape(repr(thing))}</b></p>{rows}{picture}"


def public(name: str) -> Any:
    """Public object of ``maxent`` by name, for methods that call a function of a higher room."""
    import maxent

    return attrgetter(name)(maxent)
