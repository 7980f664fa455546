"""Arguments of a command, from the signature and the docstring of its function, as they stand in its file.

The function is not imported for them: help would take half a second, most of it for pandas.
"""

import argparse
import ast
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import maxent
from maxent.cli.arguments import ALSO, HELP, SETTINGS, add_results
from maxent.cli.commands import Command
from maxent.cli.process import in_options
from maxent.options import SHARED

PACKAGE = Path(maxent.__file__).parent
REQUIRED = object()  # in place of a default

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


class Parameter(NamedTuple):
    """A parameter of a function as an option of its command: type in words, explanation and default."""

    kind: str
    text: str
    default: Any

    @property
    def choices(self) -> tuple[str, ...] | None:
        """The texts among which there is a choice."""
        listed = re.fullmatch(r"(?:sequence of )?\{(.+)\}(?:, optional)?", self.kind)
        return tuple(map(str, ast.literal_eval(f"[{listed[1]}]"))) if listed else None


@cache
def statements(module: str) -> list[ast.stmt]:
    """The statements in the file of a module."""
    file = PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8")).body


def definition(module: str, name: str) -> tuple[str, Any]:
    """What a module calls by a name, as syntax, and the module that defines it."""
    for node in statements(module):
        if getattr(node, "name", "") == name:  # a function or a class
            return module, node
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return module, node.value
        if isinstance(node, ast.ImportFrom) and name in (alias.asname or alias.name for alias in node.names):
            return definition(str(node.module), name)
    raise LookupError(f"{module} has no {name}")


def parameters_of(target: str) -> dict[str, Parameter]:
    """Parameters of a function, ``module:name``, by name."""
    module, function = definition(*target.split(":"))
    declared = function.args
    names = [argument.arg for argument in (*declared.args, *declared.kwonlyargs)]
    required = [None] * (len(declared.args) - len(declared.defaults))
    defaults = zip(names, (*required, *declared.defaults, *declared.kw_defaults), strict=True)
    texts = entries("\n".join(SHARED.values())) | entries(ast.get_docstring(function) or "")
    found = {name: Parameter(*texts.get(name, ("", "")), plain_value(module, value)) for name, value in defaults}
    if declared.kwarg is not None:
        found |= options_of(module, declared.kwarg.annotation.slice.id)
    return {name: each._replace(text=plain(each.text, found)) for name, each in found.items()}


def options_of(module: str, name: str) -> dict[str, Parameter]:
    """Options that a ``TypedDict`` declares, by name."""
    module, declared = definition(module, name)
    found: dict[str, Parameter] = {}
    for base in declared.bases:
        found |= {} if base.id == "TypedDict" else options_of(module, base.id)
    texts = entries(ast.get_docstring(declared) or "")
    for field in (node for node in declared.body if isinstance(node, ast.AnnAssign)):
        default = field.annotation.slice.elts[1].args[0]  # Annotated[..., Default(value, __doc__)]
        found[field.target.id] = Parameter(*texts[field.target.id], plain_value(module, default))
    return found


def plain_value(module: str, expression: ast.expr | None) -> Any:
    """Value of a default, or of the constant that it names; SUPPRESS if only the function can compute it."""
    if expression is None:
        return REQUIRED
    if isinstance(expression, ast.Name):
        module, expression = definition(module, expression.id)
    try:
        return ast.literal_eval(expression)
    except ValueError:
        return argparse.SUPPRESS


def entries(docstring: str) -> dict[str, tuple[str, str]]:
    """Type and explanation of each parameter in a docstring."""
    listed = re.findall(r"^(\w[\w, ]*) : (.+)((?:\n+ {4}.+)+)", docstring, re.M)
    return {name: (kind, " ".join(text.split())) for names, kind, text in listed for name in names.split(", ")}


def plain(text: str, names: Iterable[str]) -> str:
    """Text without the markup of docstrings, with options in place of these parameters."""
    text = re.sub(r":\w+:`~?(?:maxent\.)?(.*?)`", r"\1", text).replace("``", "")
    return in_options(text, {name: f"--{name.replace('_', '-')}" for name in names})


def description(command: Command, names: Iterable[str]) -> str:
    """What the help of a command says before its arguments: the docstring but for parameters, and the example."""
    _, function = definition(*command.target.split(":"))
    sections = re.split(r"\n\n(?=\w[\w ]*\n-{3,})", ast.get_docstring(function) or "")
    notes = [section.split("\n", 2)[2] for section in sections if section.startswith("Notes\n")]
    examples = [f"  {command.example}"] if command.example else []
    return "\n\n".join(plain(text, names) for text in (sections[0], *notes, *examples))


def add_arguments(
    parser: argparse.ArgumentParser, command: Command, name: str, completed: Mapping[str, Mapping[str, Any]]
) -> None:
    """Give a parser the arguments of a command; ``completed`` is how shells complete what they stand for."""
    parameters = parameters_of(command.target)
    parser.description = description(command, parameters)
    parameters = {key: value for key, value in parameters.items() if key not in HIDDEN}
    groups: dict[str, Any] = {}
    if "qrels" in parameters:
        sources = " and ".join(f"--{key}" for key in ("qrels", "runs") if key in parameters)
        embedded = None if parameters["qrels"].default is REQUIRED else f"Without {sources} {EMBEDDED}."
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
        parameters["cluster"] = Parameter("str", HELP["cluster"], None)
    middle = [key for key in parameters if key not in (*FILES, *FILTER, *LAST, *CONDITIONS)]
    for key in (*FILES, *middle, *FILTER, *CONDITIONS, *LAST):
        if key in parameters:
            group = groups.get(key, options)
            action = add_argument(group, key, parameters[key], SETTINGS.get(f"{name}.{key}", {}))
            if action.metavar in completed:
                action.complete = completed[action.metavar]
        if flag := ALSO.get(f"{name}.{key}"):
            options.add_argument(f"--{flag}", dest=key, **SETTINGS[f"{name}.{flag}"])
    add_results(output)
    last.add_argument("--tables", help=HELP["tables"], **SETTINGS["tables"])


def add_argument(group: Any, name: str, parameter: Parameter, own: dict[str, Any]) -> Any:
    """Add an option to a parser or a group of arguments; ``own`` are the command's settings of it."""
    flag = name.replace("_", "-")
    settings: dict[str, Any] = {"help": HELP.get(name, parameter.text)}
    if isinstance(parameter.default, bool):
        flag = f"no-{flag}" if parameter.default else flag
        settings |= {"dest": name, "action": "store_false" if parameter.default else "store_true"}
        return group.add_argument(f"--{flag}", **settings | own)
    if name in POSITIONAL:
        return group.add_argument(name, **settings | SETTINGS.get(name, {}) | own)
    required = parameter.default is REQUIRED
    settings |= {"required": True} if required else {"default": parameter.default}
    settings |= {"choices": parameter.choices} if parameter.choices else {}
    settings |= {"type": float} if parameter.kind == "float" else {}
    option = "seed" if name == "rng" else flag
    return group.add_argument(f"--{option}", dest=name, **settings | SETTINGS.get(name, {}) | own)
