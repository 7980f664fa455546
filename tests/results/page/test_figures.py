"""Figures on a page: ids of their own, colours of the page, texts as they are."""

import re

from matplotlib.axes import Axes

from maxent.plot.style import BLUE
from maxent.results import Panel, Sheet
from maxent.results.page import PageFigure, page_figures

TEXT = 'a <b> & " id="x" fill: #000000 url(#y)'


def drawn(*, ax: Axes) -> None:
    ax.plot([0, 1], [0, 1], color=BLUE, marker="o", label=TEXT)
    ax.plot([1, 0], [0, 1], color="#482475")
    ax.legend()


def figures(*names: str) -> list[PageFigure]:
    return page_figures(Sheet(name=name, panels=(Panel(draw=drawn, caption=""),)) for name in names)


def tags(svg: str) -> str:
    return " ".join(re.findall(r"<[^>]+>", svg))


def test_figures_do_not_share_ids() -> None:
    first, second = (tags(figure.svg) for figure in figures("one", "two"))
    own = [set(re.findall(r'\sid="([^"]+)"', svg)) for svg in (first, second)]
    assert own[0]
    assert not own[0] & own[1]
    for svg, ids in zip((first, second), own, strict=True):
        wanted = re.findall(r'href="#([^"]+)"', svg) + re.findall(r"url\(#([^)]+)\)", svg)
        assert wanted
        assert {*wanted} <= ids


def test_figures_take_the_colours_of_the_page_and_leave_texts_alone() -> None:
    (svg, *_), *_ = figures("one")
    assert "stroke: var(--blue)" in svg
    assert "fill: var(--ink)" in svg
    assert BLUE not in svg
    assert "stroke: color-mix(in srgb, #482475, var(--ink) 45%)" in svg
    assert TEXT.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in svg
    assert not re.search(r"<(style|metadata|script|!)", svg)
