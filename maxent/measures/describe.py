"""Docstrings of measures, completed: a section for each parameter, and an example that runs."""

import inspect
import re
import textwrap
from dataclasses import Field, fields
from typing import Any, NamedTuple

from maxent.measures.parameters import PARAMETERS

WIDTH = 112
SECTION = re.compile(r"^[A-Z]\w+( \w+)*\n-{3,}$", re.M)
LIST = "Grades 2, 0, 1, 0, in a topic with two documents of grade 1 and one of grade 2"


class Example(NamedTuple):
    """What a measure makes of the list with the grades 2, 0, 1, 0."""

    value: float
    why: str
    parameters: str = ""


def described(cls: type[Any]) -> str:
    """Docstring of a measure with Parameters (before its other sections) and Examples, where it has none itself."""
    text = inspect.cleandoc(cls.__doc__ or cls.__name__)
    own, example = fields(cls), getattr(cls, "example", None)
    if own and "\nParameters\n---" not in text:
        first = SECTION.search(text)
        at = first.start() if first else len(text)
        entries = _titled("Parameters", "\n".join(map(_entry, own)))
        text = "\n\n".join(filter(None, (text[:at].rstrip(), entries, text[at:])))
    if example is not None and "\nExamples\n---" not in text:
        text = f"{text.rstrip()}\n\n{_titled('Examples', _shown(cls.__name__, example))}"
    return f"{text}\n"


def _entry(field: "Field[Any]") -> str:
    """A parameter, its type and its meaning; one of another package is known by its type alone."""
    known = PARAMETERS.get(field.name)
    if known is None:
        return f"{field.name} : {getattr(field.type, '__name__', field.type)}"
    without, optional = (f"; None for {known.without}", ", optional") if field.default is None else ("", "")
    meaning = known.meaning.removesuffix(".") + f"{without}."
    return f"{field.name} : {known.type}{optional}\n{textwrap.indent(textwrap.fill(meaning, WIDTH - 4), '    ')}"


def _shown(name: str, example: Example) -> str:
    why = textwrap.fill(f"{LIST}: {example.why}.", WIDTH)
    call = f"me.{name}({example.parameters}).evaluate([2, 0, 1, 0], (2, 1))"
    return f"{why}\n\n>>> import maxent as me\n>>> round(float({call}), 4)\n{example.value}"


def _titled(title: str, body: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{body}"
