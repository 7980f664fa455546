"""Options that several functions share: each declared, explained and given its default once.

A ``TypedDict`` has a field for each option, such as ``jobs: Annotated[int, Default(1, __doc__)]``, and an entry
in its docstring with type and explanation. A function takes them as ``**options: Unpack[...]``, which type checkers
understand. :func:`takes` adds them to the function's signature and docstring, so that ``help()``, editors and
documentation show them.
"""

import inspect
import re
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from textwrap import fill, indent
from typing import Any, Literal, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

F = TypeVar("F", bound=Callable[..., Any])
WIDTH = 112  # of an explanation in a docstring
LISTS = """\
runs, qrels
    As for :func:`maxent.collect`: tables, paths, dictionaries, objects of other tools, or a `Collection` alone."""
SHARED = {
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
    """Default, type and explanation of an option, and the texts that are its choices."""

    default: Any
    kind: str
    text: str
    choices: tuple[str, ...] = ()

    def entry(self, name: str) -> str:
        """The option in the section Parameters of a docstring."""
        return f"{name} : {self.kind}\n{indent(fill(self.text, WIDTH), '    ')}"


class Default(NamedTuple):
    """Default of an option, and the docstring of the class that declares it."""

    value: Any
    docstring: str | None

    def option(self, name: str) -> Option:
        """The option with its entry in the docstring."""
        entry = re.search(rf"^ +{name} : (.+)\n((?: {{8,}}.+\n)+)", self.docstring or "", re.M)
        kind, text = entry.groups() if entry else ("", "")  # none where Python strips docstrings
        return Option(self.value, kind, " ".join(text.split()))


def options_of(*declared: type) -> dict[str, Option]:
    """The options that TypedDicts declare, by name."""
    hints = {name: hint for each in declared for name, hint in get_type_hints(each, include_extras=True).items()}
    found = {}
    for name, (kind, usual) in ((name, get_args(hint)[:2]) for name, hint in hints.items()):
        found[name] = usual.option(name)._replace(choices=get_args(kind) if get_origin(kind) is Literal else ())
    return found


def takes(declared: type, **usual: Any) -> Callable[[F], F]:
    """Decorator that shows the options of a TypedDict as keywords and completes those that are given.

    The function gets every option; ``usual`` are defaults of its own.
    """

    def decorate(function: F) -> F:
        types, options = get_type_hints(declared), options_of(declared)
        options |= {name: options[name]._replace(default=default) for name, default in usual.items()}
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
        complete.__doc__ = function.__doc__ and with_entries(function.__doc__, options, own.parameters)
        return cast(F, complete)

    return decorate


def with_entries(docstring: str, options: Mapping[str, Option], parameters: Collection[str]) -> str:
    """A docstring with entries of the options, and of ``parameters`` that are explained alike everywhere."""
    sections = re.split(r"\n\n(?=[A-Z]\w+\n---)", inspect.cleandoc(docstring))
    names = [section.partition("\n")[0] for section in sections]
    if "Parameters" not in names:  # a sentence is enough within the package
        return docstring
    place = names.index("Parameters")
    heading, rule, *own = sections[place].split("\n")
    if "qrels" in parameters and not (own and own[0].startswith(("runs", "qrels"))):
        own.insert(0, LISTS)
    explained = {line.partition(" : ")[0] for line in own} | set(options)
    own += [entry for name, entry in SHARED.items() if name in parameters and name not in explained]
    sections[place] = "\n".join([heading, rule, *own, *(each.entry(name) for name, each in options.items())])
    if "Raises" not in names and "Examples" in names:
        sections.insert(names.index("Examples"), ERRORS)
    return "\n\n".join(sections)
