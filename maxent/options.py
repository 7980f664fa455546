"""Options that several functions share: each declared, explained and given its default once.

A ``TypedDict`` has a field for each option, such as ``jobs: Annotated[int, Default(1, __doc__)]``, and an entry
in its docstring with type and explanation. A function takes them as ``**options: Unpack[...]``, which type checkers
understand. :func:`takes` adds them to the function's signature and docstring, so that ``help()``, editors and
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
    As for :func:`maxent.collect`: tables, paths, dictionaries, objects of other tools, or a `Collection` alone.""",
    "title": """\
title : str, optional
    Name of the collection; default: that of the file of the judgments.""",
    "rng": """\
rng : int
    Seed of all random numbers, those of the embedded collection included.""",
}
ERRORS = """\
Raises
------
InputError
    If a table cannot be used.
MeasureError
    If a measure is unknown, does not fit the grades, or cannot be known or predicted.
ProblemError
    If an option makes no sense, or no list can be used."""
"""What docstrings say alike: of runs and judgments, of some parameters, and of errors, unless they say more."""


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
    hints = {name: hint for each in declared for name, hint in get_type_hints(each, include_extras=True).items()}
    return {name: get_args(hint)[1].option(name) for name, hint in hints.items()}


def takes(declared: type) -> Callable[[F], F]:
    """Decorator that shows the options of a TypedDict as keywords and completes those that are given.

    The function gets every option.
    """

    def decorate(function: F) -> F:
        types, options = get_type_hints(declared), options_of(declared)
        own = inspect.signature(function)
        shown = [p for p in own.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        shown += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=types[name])
            for name, each in options.items()
        ]
        names, defaults = {each.name for each in shown}, {name: each.default for name, each in options.items()}

        @wraps(function)
        def complete(*arguments: Any, **given: Any) -> Any:
            for name in given:
                if name not in names:
                    raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}")
            return function(*arguments, **(defaults | given))

        complete.__signature__ = own.replace(parameters=shown)  # type: ignore[attr-defined]
        docstring = function.__doc__ or ""
        if "Parameters\n" in docstring:  # a sentence is enough within the package
            entries = SHARED | {name: option.entry for name, option in options.items()}
            usual = {"Raises": ERRORS} if "Examples\n" in docstring else {}
            complete.__doc__ = documented(docstring, entries, [each.name for each in shown], **usual)
        return cast(F, complete)

    return decorate


def documented(docstring: str, entries: Mapping[str, str], names: Iterable[str], **usual: str) -> str:
    """A docstring with ``entries`` for those of the parameters that it does not explain, and the usual sections."""
    text, *parts = re.split(r"\n\n(?=[A-Z]\w+\n---)", inspect.cleandoc(docstring))
    sections = usual | {part.partition("\n")[0]: part for part in parts}
    heading, *listed = re.split(r"\n(?=\w)", sections.get("Parameters", "Parameters\n----------"))
    entries = {**entries, **{re.split(r"\W", entry)[0]: entry for entry in listed}}
    sections["Parameters"] = "\n".join([heading, *(entries[name] for name in names if name in entries)])
    return "\n\n".join([text, *(sections[name] for name in sorted(sections, key=SECTIONS.index))])
