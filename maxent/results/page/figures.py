"""Figures of :mod:`maxent.plot` as SVG elements of a page, in the colours of the page."""

import re
from collections.abc import Iterable
from io import StringIO
from typing import NamedTuple

from maxent.errors import visible
from maxent.plot.style import BLUE, COLOURS, GREY, PALE
from maxent.results.content import Panel, Sheet

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
HALF = 5.0  # inches of a figure that takes half of a large screen
LEAST = 4.75  # rem for each inch: narrower figures scroll, as their texts would be too small to read


class PageFigure(NamedTuple):
    """An SVG element, its caption, whether it is as wide as the page, and the rem below which it scrolls."""

    svg: str
    caption: str
    wide: bool
    least: float


def page_figures(figures: Iterable[Sheet]) -> list[PageFigure]:
    """Every panel as a figure of the page; all ids begin with its name, so that they are unique."""
    drawn = []
    for figure in figures:
        for number, panel in enumerate(figure.panels, 1):
            name = figure.name if len(figure.panels) == 1 else f"{figure.name}{number}"
            svg = inline(_drawn(panel), f"figure-{name}")
            drawn.append(PageFigure(svg, visible(panel.caption), panel.size[0] > HALF, LEAST * panel.size[0]))
    return drawn


def _drawn(panel: Panel) -> str:
    """A panel as an SVG document, in colours that are placeholders for those of the page."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    ink = {"text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK}
    ground = {"axes.facecolor": "#ffffff" if panel.white else PAPER, "figure.facecolor": "none"}
    with rc_context(ink | ground | {"svg.fonttype": "none", "svg.hashsalt": "maxent"}):  # type: ignore[arg-type]
        canvas = Figure(figsize=panel.size, layout="constrained")
        panel.draw(ax=canvas.subplots())
        buffer = StringIO()
        canvas.savefig(buffer, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return buffer.getvalue()


def inline(document: str, name: str) -> str:
    """Convert an SVG document of matplotlib to an element of a page, with prefixed ids and the page's colours."""
    svg = document[document.index("<svg") :]
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.S)
    head = re.match(r'<svg[^>]*?(viewBox="[^"]*")[^>]*>', svg)
    assert head is not None
    body = re.sub(r"<[^>]+>", lambda tag: _page_tag(tag[0], name), svg[head.end() :])  # texts stay as they are
    return re.sub(r"\s*\n\s*", "\n", f'<svg {head[1]} id="{name}" aria-hidden="true">{body}').strip()


def _page_tag(tag: str, name: str) -> str:
    """A tag with its ids prefixed and its colours taken from the page."""
    tag = re.sub(r'(\sid="|href="#|url\(#)', rf"\g<1>{name}-", tag)

    def with_page_colour(style: re.Match[str]) -> str:
        start, part, colour = style.groups()
        return f"{start}{_themed(colour, part)}"

    return re.sub(r"((fill|stroke): ?)(#[0-9a-f]{6})", with_page_colour, tag)


def _themed(colour: str, part: str) -> str:
    """Colour on the page; lines in colours of a map move half-way to its text colour, visible on any background."""
    if colour in THEME:
        return f"var(--{THEME[colour]})"
    if part == "fill" or colour == "#ffffff":
        return colour
    return f"color-mix(in srgb, {colour}, var(--ink) 45%)"
