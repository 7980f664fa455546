r"""Formulas as MathML, made while the site is built by docutils' own converter.

Every current browser sets MathML, and so a reader needs neither a script from the network nor a copy of MathJax
(some megabytes) with the site. Commands of LaTeX that the converter does not know are an error of the build.
"""

import re
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx

OTHER_NAMES = {r"\dots": r"\ldots", r"\gt": ">", r"\lt": "<", r"\Big": ""}
"""Commands that GitHub knows and docutils does not; brackets grow in MathML by themselves."""


def convert(text: str, *, block: bool) -> str:
    """MathML of a formula in LaTeX."""
    known = re.sub(r"\\[A-Za-z]+", lambda found: OTHER_NAMES.get(found[0], found[0]), text.strip())
    return str(tex2mathml(known, as_block=block))


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(convert(node.astext(), block=False))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{convert(node.astext(), block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Make ``html_math_renderer = "mathml"`` known."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
