"""Figures of :mod:`maxent.plot` as SVG elements that stand in a page and take its colours."""

import re
from collections.abc import Callable
from io import StringIO
from typing import Literal

from maxent.plot.style import BLUE, COLOURS, GREY, PALE
from maxent.reports.content import Figure

INK, PAPER, RULE = "#101113", "#fdfcfb", "#cccccc"  # stand for colours of the page
THEME = {
    INK: "ink",
    "#000000": "ink",
    PAPER: "card",
    RULE: "rule",
    BLUE: "blue",
    **dict(zip(COLOURS, ("vermilion", "green", "pink", "amber", "teal", "purple", "brown"), strict=True)),
    GREY: "soft",
    PALE: "soft",
    "#333333": "soft",
}
"""Custom property of the page for each colour of a figure: those of matplotlib's defaults and of ``plot.style``."""
LEAST = 5.0  # rem for each inch: narrower figures scroll, as their texts would be too small to read


def figure(
    name: str,
    draw: Callable[..., object],
    *,
    size: tuple[float, float],
    caption: str,
    white: bool = False,
    layout: Literal["half", "wide", "beside"] = "half",
) -> Figure:
    """One axes as a figure of the page.

    Parameters
    ----------
    name : str
        Prefix of all ids, so that figures of a page do not take each other's parts.
    draw : function with a parameter ``ax``
        Draws the figure.
    size : pair of float
        Inches.
    caption : str
        What the figure shows; also read aloud in its place.
    white : bool
        Whether the ground stays white, as heat maps need it for their numbers.
    layout
        As for :class:`maxent.reports.content.Figure`.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    ink = {"text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK}
    ground = {"axes.facecolor": "#ffffff" if white else PAPER, "figure.facecolor": "none"}
    with rc_context(ink | ground | {"svg.fonttype": "none", "svg.hashsalt": "maxent"}):  # type: ignore[arg-type]
        canvas = Canvas(figsize=size, layout="constrained")
        draw(ax=canvas.subplots())
        buffer = StringIO()
        canvas.savefig(buffer, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return Figure(inline(buffer.getvalue(), name), caption, layout, LEAST * size[0])


def inline(document: str, name: str) -> str:
    """An SVG document of matplotlib as an element of a page: ids of its own, colours of the page."""
    svg = document[document.index("<svg") :]
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.S)
    head = re.match(r'<svg[^>]*?(viewBox="[^"]*")[^>]*>', svg)
    assert head is not None
    body = re.sub(r"<[^>]+>", lambda tag: _own(tag[0], name), svg[head.end() :])  # texts stay as they are
    return re.sub(r"\s*\n\s*", "\n", f'<svg {head[1]} id="{name}" aria-hidden="true">{body}').strip()


def _own(tag: str, name: str) -> str:
    """A tag with its ids prefixed and its colours taken from the page."""
    tag = re.sub(r'(\sid="|href="#|url\(#)', rf"\g<1>{name}-", tag)
    return re.sub(r"((?:fill|stroke): ?)(#[0-9a-f]{6})", lambda found: found[1] + _themed(found[2]), tag)


def _themed(colour: str) -> str:
    return f"var(--{THEME[colour]})" if colour in THEME else colour
