"""Options that several functions share, each with a single declaration, explanation and default.

A ``TypedDict`` has a field for each option, such as ``jobs: Annotated[int, Default(1, __doc__)]``, and an entry in
its docstring with type and explanation. A function takes them as ``**options: Unpack[...]``, which type checkers
understand. :func:`takes` adds them to the function's signature and docstring, so that ``help()``, editors and the
documentation show them.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from textwrap import dedent
from typing import Any, NamedTuple, TypeVar, cast, get_args, get_type_hints

F = TypeVar("F", bound=Callable[..., Any])
SECTIONS = ("Parameters", "Returns", "Raises", "Notes", "References", "Examples")
SHARED = {
    "runs": """\
runs, qrels
    As for :func:`maxent.collect`: tables, paths, dictionaries, objects of other tools, or only a `Collection`.""",
    "title": """\
title : str, optional
    Name of the collection; default: the name of the judgments file.""",
    "rng": """\
rng : int
    Seed of all random numbers, including those of the embedded collection.""",
}
ERRORS = """\
Raises
------
InputError
    If a table cannot be used.
MeasureError
    If a measure is unknown, does not fit the grades, or cannot be given or predicted.
ProblemError
    If an option has an invalid value, or no list can be used."""
"""Default section on errors and, in ``SHARED``, default entries of parameters, for docstrings without their own."""


class Option(NamedTuple):
    """Default of an option, and its entry in the section Parameters of a docstring."""

    default: Any
    entry: str


class Default(NamedTuple):
    """Default of an option, and the docstring of the class that declares it."""

    value: Any
    docstring: str | None

    def option(self, name: str) -> Option:
        """The option with its entry in the docstring."""
        entry = re.search(rf"^ +{name} : .+(?:\n {{8,}}.+)+", self.docstring or "", re.M)
        return Option(self.value, dedent(entry[0]) if entry else "")  # none where Python strips docstrings


def options_of(*declared: type) -> dict[str, Option]:
    """The options that TypedDicts declare, by name."""
    hints: dict[str, Any] = {}
    for typed_dict in declared:
        hints |= get_type_hints(typed_dict, include_extras=True)
    return {name: get_args(hint)[1].option(name) for name, hint in hints.items()}


def takes(declared: type) -> Callable[[F], F]:
    """Decorator that shows the options of a TypedDict as keywords and fills in the defaults.

    The function receives every option.
    """

    def decorate(function: F) -> F:
        types, options = get_type_hints(declared), options_of(declared)
        signature = inspect.signature(function)
        shown = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        shown += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=types[name])
            for name, option in options.items()
        ]
        names = {parameter.name for parameter in shown}
        defaults = {name: option.default for name, option in options.items()}

        @wraps(function)
        def complete(*arguments: Any, **keywords: Any) -> Any:
            for name in keywords:
                if name not in names:
                    raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}")
            return function(*arguments, **(defaults | keywords))

        complete.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
        docstring = function.__doc__ or ""
        if "Parameters\n" in docstring:  # a sentence is enough within the package
            entries = SHARED | {name: option.entry for name, option in options.items()}
            usual = {"Raises": ERRORS} if "Examples\n" in docstring else {}
            complete.__doc__ = fill_sections(docstring, entries, [parameter.name for parameter in shown], **usual)
        return cast(F, complete)

    return decorate


def fill_sections(docstring: str, entries: Mapping[str, str], names: Iterable[str], **usual: str) -> str:
    """Add ``entries`` for parameters that a docstring does not explain, and sections that it lacks.

    ``names`` are all parameters in order; ``usual`` has the text of sections by heading.
    """
    text, *parts = re.split(r"\n\n(?=[A-Z]\w+\n---)", inspect.cleandoc(docstring))
    sections = usual | {part.partition("\n")[0]: part for part in parts}
    heading, *listed = re.split(r"\n(?=\w)", sections.get("Parameters", "Parameters\n----------"))
    entries = {**entries, **{re.split(r"\W", entry)[0]: entry for entry in listed}}
    sections["Parameters"] = "\n".join([heading, *(entries[name] for name in names if name in entries)])
    return "\n\n".join([text, *(sections[name] for name in sorted(sections, key=SECTIONS.index))])
