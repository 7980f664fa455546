"""What an option is, and how functions take options.

A ``TypedDict`` has a field for each option, such as ``jobs: Annotated[int, Option(1, __doc__, POSITIVE, "work")]``,
and an entry in its docstring with type and explanation. A function takes them as ``**options: Unpack[...]``, which
type checkers understand. :func:`takes` adds them to the function's signature and docstring, so that ``help()``,
editors and the documentation show them; a command makes its arguments of them. Quoted types are those of
:mod:`maxent.options.slow_types`, which are slow to import.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import wraps
from importlib import import_module
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

from maxent.options.docstrings import entries_of, fill_sections

F = TypeVar("F", bound=Callable[..., Any])
D = TypeVar("D")  # a TypedDict
Reader = Literal[
    "text",
    "measure",
    "named",
    "positive",
    "natural",
    "steps",
    "number",
    "numbers",
    "probability",
    "grades",
    "weights",
    "reference",
    "bound",
    "value",
    "average",
]
"""What a command reads a text as: see ``READERS`` of the command line."""
Group = Literal[
    "judgments",
    "runs",
    "topics",
    "length",
    "scale",
    "files",
    "argument",
    "options",
    "filter",
    "conditions",
    "work",
    "seed",
    "output",
    "tables",
    "library",
]
"""Where a help lists an option, in this order. ``argument``: it has no flag; ``library``: no command has it."""
GROUPS: tuple[Group, ...] = get_args(Group)
REQUIRED = object()  # in place of a default
ERRORS = """\
Raises
------
InputError
    If a table cannot be used.
MeasureError
    If a measure is unknown, does not fit the grades, or cannot be given or predicted.
ProblemError
    If an option has an invalid value, or no list can be used."""
"""Section on errors of docstrings that have none."""


class Text(NamedTuple):
    """How a command reads an option: what a text is read as, its name in the help, and how many texts there are."""

    reader: Reader = "text"
    metavar: str | None = None
    nargs: Literal["?", "*", "+"] | None = None
    mapped: bool = False  # whether the texts are pairs of a mapping
    bare: float | None = None  # the value of the flag without a text
    flag: str = ""  # where it is not the name
    letter: str = ""  # a short flag


AS_IT_IS = Text()


@dataclass(frozen=True)
class Option:
    """An option: its default, the docstring with its entry, how a command reads it, and where a help lists it."""

    default: Any
    docstring: str | None = field(repr=False)
    text: Text = AS_IT_IS
    group: Group = "options"
    _: KW_ONLY
    help: str = ""  # its explanation on the command line, if texts have another form than values
    stands_for: str = ""  # the parameter that a command gives by it
    readings: Mapping[str, str] = field(default_factory=dict)  # what values mean, in readings and reports
    fact: str = ""  # what it means, in reports; {name} is the reading of another option's value
    in_result: bool = True  # whether a result depends on it
    choices: tuple[str, ...] = ()  # where the type does not have them
    name: str = ""

    @property
    def entry(self) -> str:
        """The entry in the section Parameters of a docstring; empty where Python strips docstrings."""
        return entries_of(self.docstring).get(self.name, "")

    @property
    def kind(self) -> str:
        """The type in words."""
        return self.entry.partition("\n")[0].partition(" : ")[2]

    @property
    def meaning(self) -> str:
        """The explanation, in a line."""
        return " ".join(self.entry.partition("\n")[2].split())


def options_of(*declared: type) -> dict[str, Option]:
    """The options that TypedDicts declare, by name."""
    options = {}
    for typed_dict in declared:
        for name, annotation in typed_dict.__annotations__.items():
            option = annotation.__metadata__[0]
            choices = option.choices or words_of(annotation.__origin__)
            options[name] = replace(option, name=name, choices=choices)
    return options


def words_of(kind: Any) -> tuple[str, ...]:
    """The words that a type allows: those of a ``Literal``, of a sequence of them, or of either in a union."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(chain.from_iterable(map(words_of, get_args(kind))))


def takes(*declared: type) -> Callable[[F], F]:
    """Decorator that shows the options of TypedDicts as keywords and fills in the defaults.

    The function receives every option. What it has as a parameter, such as ``runs``, is only explained.
    """

    def decorate(function: F) -> F:
        # 1. parameters: those of the function, then the options that it takes as **options
        options = options_of(*declared)
        signature = inspect.signature(function)
        parameters = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        defaults = {name: options[name].default for name in options if name not in signature.parameters}
        types = types_of(*declared)
        parameters += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=types[name])
            for name, default in defaults.items()
        ]
        names = [parameter.name for parameter in parameters]

        # 2. the function with all options
        @wraps(function)
        def complete(*arguments: Any, **keywords: Any) -> Any:
            for name in keywords:
                if name not in names:
                    raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}")
            return function(*arguments, **(defaults | keywords))

        # 3. what help shows; a sentence is enough for a function of the package's own
        complete.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        docstring = function.__doc__ or ""
        if "Returns\n" in docstring:
            entries = {name: option.entry for name, option in options.items() if option.entry}
            usual = {"Raises": ERRORS} if "Examples\n" in docstring else {}
            complete.__doc__ = fill_sections(docstring, entries, names, **usual)
        return cast(F, complete)

    return decorate


def part_of(declared: type[D], options: Mapping[str, Any]) -> D:
    """Those of the options that a TypedDict declares."""
    return cast(D, {name: options[name] for name in options_of(declared)})


def types_of(*declared: type) -> dict[str, Any]:
    """The types of the options that TypedDicts declare, by name."""
    slow_types = vars(import_module("maxent.options.slow_types"))
    types: dict[str, Any] = {}
    for typed_dict in declared:
        types |= get_type_hints(typed_dict, localns=slow_types)
    return types
