"""Completion of measures' docstrings with their parameters and an example that runs."""

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
    """Value of a measure for the list with grades 2, 0, 1, 0, and the computation of this value."""

    value: float
    why: str
    parameters: str = ""


def complete_docstring(cls: type[Any]) -> str:
    """Docstring of a measure with the sections Parameters (before all others) and Examples (at the end).

    Sections that the docstring already has stay as they are.
    """
    text = inspect.cleandoc(cls.__doc__ or cls.__name__)
    parameters, example = fields(cls), getattr(cls, "example", None)
    if parameters and "\nParameters\n---" not in text:
        first = SECTION.search(text)
        at = first.start() if first else len(text)
        entries = _section("Parameters", "\n".join(map(_entry, parameters)))
        text = "\n\n".join(filter(None, (text[:at].rstrip(), entries, text[at:])))
    if example is not None and "\nExamples\n---" not in text:
        text = f"{text.rstrip()}\n\n{_section('Examples', _example_text(cls.__name__, example))}"
    return f"{text}\n"


def _entry(field: "Field[Any]") -> str:
    """Entry of a parameter: its type and meaning; a parameter of another package may have no meaning."""
    parameter = PARAMETERS.get(field.name)
    if parameter is None:
        return f"{field.name} : {getattr(field.type, '__name__', field.type)}"
    without, optional = (f"; None for {parameter.without}", ", optional") if field.default is None else ("", "")
    meaning = parameter.meaning.removesuffix(".") + f"{without}."
    return (
        f"{field.name} : {parameter.type}{optional}\n{textwrap.indent(textwrap.fill(meaning, WIDTH - 4), '    ')}"
    )


def _example_text(name: str, example: Example) -> str:
    why = textwrap.fill(f"{LIST}: {example.why}.", WIDTH)
    call = f"me.{name}({example.parameters}).evaluate([2, 0, 1, 0], (2, 1))"
    return f"{why}\n\n>>> import maxent as me\n>>> round(float({call}), 4)\n{example.value}"


def _section(title: str, body: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{body}"
