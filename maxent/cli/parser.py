"""Arguments of a command, from the signature and the docstring of its function."""

import argparse
import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from maxent.cli.arguments import ALSO, COMPLETED, HELP, SETTINGS, add_results
from maxent.cli.commands import Command
from maxent.cli.process import in_options

HIDDEN = ("title", "progress", "checkpoint")  # parameters that a command does not have
POSITIONAL = ("clicks", "name", "values", "averages")
FILES = (
    *("qrels", "runs", "topics", "depth", "levels", "grades", "bins", "duplicates", "allow_unjudged"),
    *("ignore_identical_ids", "float32"),
)
FILTER = ("min_retrieved", "min_retrieved_by", "min_retrieved_total")
CONDITIONS = ("fail_under", "fail_if_worse")
LAST = ("jobs", "solver", "cluster", "rng")
INPUT = "input (formats of TREC, tables with a header, JSON, Parquet; plain or compressed)"
EMBEDDED = "an embedded, simulated collection is used"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function as an option of its command."""

    name: str
    kind: Any
    default: Any
    text: str

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is inspect.Parameter.empty

    @property
    def choices(self) -> tuple[Any, ...] | None:
        """The texts among which there is a choice."""
        kinds = get_args(self.kind) if get_origin(self.kind) in (Union, UnionType) else (self.kind,)
        literal = [kind for kind in kinds if kind is not NoneType]
        return get_args(literal[0]) if len(literal) == 1 and get_origin(literal[0]) is Literal else None


def parameters_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    """Parameters that are options, by name."""
    kinds = get_type_hints(inspect.unwrap(function))
    texts = entries(inspect.getdoc(function) or "")
    parameters = inspect.signature(function).parameters.values()
    names = [p.name for p in parameters]
    return {
        p.name: Parameter(p.name, kinds.get(p.name, p.annotation), p.default, plain(texts.get(p.name, ""), names))
        for p in parameters
        if p.name not in HIDDEN
    }


def entries(docstring: str) -> dict[str, str]:
    """Explanations of the parameters in a docstring, by name, as plain text."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=\n\n\w[\w ]*\n-{3,}|\Z)", docstring, re.M | re.S)
    parts = re.split(r"\n(?=\w)", section[1]) if section else []
    texts = {}
    for part in parts:
        head, _, body = part.partition("\n")
        for name in head.partition(" : ")[0].split(", "):
            texts[name] = " ".join(body.split())
    return texts


def plain(text: str, names: Iterable[str]) -> str:
    """Text without the markup of docstrings, with options in place of these parameters."""
    text = re.sub(r":\w+:`~?(?:maxent\.)?(.*?)`", r"\1", text).replace("``", "")
    return in_options(text, {name: f"--{name.replace('_', '-')}" for name in names})


def description(function: Callable[..., Any], example: str) -> str:
    """What the help of a command says before its arguments: the docstring but for parameters, and the example."""
    sections = re.split(r"\n\n(?=\w[\w ]*\n-{3,})", inspect.getdoc(function) or "")
    notes = [section.split("\n", 2)[2] for section in sections if section.startswith("Notes\n")]
    shown = [*(["  " + example] if example else [])]
    names = inspect.signature(function).parameters
    return "\n\n".join(plain(text, names) for text in (sections[0], *notes, *shown))


def add_arguments(parser: argparse.ArgumentParser, command: Command, name: str) -> None:
    """Give a parser the arguments of a command."""
    function = command.function
    parameters = parameters_of(function)
    parser.description = description(function, command.example)
    groups: dict[str, Any] = {}
    if "qrels" in parameters:
        sources = " and ".join(f"--{key}" for key in ("qrels", "runs") if key in parameters)
        embedded = None if parameters["qrels"].required else f"Without {sources} {EMBEDDED}."
        files = parser.add_argument_group(INPUT, embedded)
        scale = files.add_mutually_exclusive_group() if "grades" in parameters else files
        groups = dict.fromkeys(FILES, files) | dict.fromkeys(("grades", "bins"), scale)
    options = parser.add_argument_group("options")
    options.add_argument("-h", "--help", action="help", help="show this help message and exit")
    if any(key in parameters for key in CONDITIONS):
        conditions = parser.add_argument_group("conditions; exit code 1 if one fails")
        groups |= dict.fromkeys(CONDITIONS, conditions)
    output = parser.add_argument_group("what is printed and written")
    last = parser.add_argument_group("how it is computed, and the format of files")
    groups |= dict.fromkeys(LAST, last) | dict.fromkeys(POSITIONAL, parser)
    if "jobs" in parameters and "solver" in parameters:
        parameters["cluster"] = Parameter("cluster", str, None, HELP["cluster"])
    middle = [key for key in parameters if key not in (*FILES, *FILTER, *LAST, *CONDITIONS)]
    for key in (*FILES, *middle, *FILTER, *CONDITIONS, *LAST):
        if key in parameters:
            group = groups.get(key, options)
            add_argument(group, parameters[key], SETTINGS.get(f"{name}.{key}", {}))
        if flag := ALSO.get(f"{name}.{key}"):
            options.add_argument(f"--{flag}", dest=key, **SETTINGS[f"{name}.{flag}"])
    add_results(output)
    last.add_argument("--tables", help=HELP["tables"], **SETTINGS["tables"])


def add_argument(group: Any, parameter: Parameter, own: dict[str, Any]) -> None:
    """Add an option to a parser or a group of arguments; ``own`` are the command's settings of it."""
    name, flag = parameter.name, parameter.name.replace("_", "-")
    settings: dict[str, Any] = {"help": HELP.get(name, parameter.text)}
    if isinstance(parameter.default, bool):
        flag = f"no-{flag}" if parameter.default else flag
        settings |= {"dest": name, "action": "store_false" if parameter.default else "store_true"}
        group.add_argument(f"--{flag}", **settings | own)
        return
    if name in POSITIONAL:
        action = group.add_argument(name, **settings | SETTINGS.get(name, {}) | own)
    else:
        settings |= {"default": parameter.default} if not parameter.required else {"required": True}
        settings |= {"choices": parameter.choices} if parameter.choices else {}
        settings |= {"type": parameter.kind} if parameter.kind in (int, float) else {}
        option = "seed" if name == "rng" else flag
        action = group.add_argument(f"--{option}", dest=name, **settings | SETTINGS.get(name, {}) | own)
    if action.metavar in COMPLETED:
        action.complete = COMPLETED[action.metavar]
