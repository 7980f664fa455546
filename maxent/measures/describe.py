"""What ``help`` shows of a measure: its docstring with parameters and an example that runs, and its signature."""

import functools
import inspect
import operator
import re
import textwrap
from dataclasses import Field, fields
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from maxent.measures.parameters import Parameter, declared_parameter, parameters_of

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
    parameters, example = parameters_of(cls), getattr(cls, "example", None)
    if parameters and "\nParameters\n---" not in text:
        first_section = SECTION.search(text)
        end = first_section.start() if first_section else len(text)  # of the text before all sections
        entries = "\n".join(_entry(field, parameters[field.name]) for field in fields(cls))
        parts = (text[:end].rstrip(), _section("Parameters", entries), text[end:])
        text = "\n\n".join(part for part in parts if part)
    if example is not None and "\nExamples\n---" not in text:
        text = f"{text.rstrip()}\n\n{_section('Examples', _example_text(cls.__name__, example))}"
    return f"{text}\n"


def show_plain_types(cls: type[Any]) -> None:
    """Leave the declarations of parameters out of the signature of a measure, which shows their types alone."""
    signature = cls.__init__.__annotations__
    signature |= {name: _plain_type(annotation) for name, annotation in signature.items()}


def _plain_type(annotation: Any) -> Any:
    """Annotation of a field without the declaration: ``int | None``."""
    if declared_parameter(annotation) is None:
        return annotation
    if get_origin(annotation) is Annotated:
        return annotation.__origin__
    return functools.reduce(operator.or_, map(_plain_type, get_args(annotation)))


def _entry(field: "Field[Any]", parameter: Parameter) -> str:
    """Entry of a parameter: its type and meaning; a parameter of another package may have no meaning."""
    if not parameter.meaning:
        return f"{field.name} : {parameter.type}"
    heading, meaning = f"{field.name} : {parameter.type}", parameter.meaning.removesuffix(".")
    if field.default is None:
        heading += ", optional"
        meaning += f"; None for {parameter.without}"
    return f"{heading}\n{textwrap.indent(textwrap.fill(f'{meaning}.', WIDTH - 4), '    ')}"


def _example_text(name: str, example: Example) -> str:
    why = textwrap.fill(f"{LIST}: {example.why}.", WIDTH)
    call = f"me.{name}({example.parameters}).evaluate([2, 0, 1, 0], (2, 1))"
    return f"{why}\n\n>>> import maxent as me\n>>> round(float({call}), 4)\n{example.value}"


def _section(title: str, body: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{body}"
