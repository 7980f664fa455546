"""The options of a command: the parameters of its function, parsed from the function's file.

The function is not imported, because the help would then take half a second, mostly for pandas.
"""

import argparse
import ast
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import maxent
from maxent.cli.process import in_options
from maxent.options import SHARED

PACKAGE = Path(maxent.__file__).parent
REQUIRED = object()  # in place of a default


class Parameter(NamedTuple):
    """A parameter of a function as an option of its command: type in words, explanation and default."""

    kind: str
    text: str
    default: Any

    @property
    def choices(self) -> tuple[str, ...] | None:
        """The values that the type lists in braces; None for other types."""
        listed = re.fullmatch(r"(?:sequence of )?\{(.+)\}(?:, optional)?", self.kind)
        return tuple(map(str, ast.literal_eval(f"[{listed[1]}]"))) if listed else None


@cache
def statements(module: str) -> list[ast.stmt]:
    """Parsed statements of a module's file."""
    file = PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8")).body


def definition(module: str, name: str) -> tuple[str, Any]:
    """Syntax tree of the definition behind a name in a module, through its imports, and the defining module."""
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
    parameters = {
        name: Parameter(*texts.get(name, ("", "")), plain_value(module, value)) for name, value in defaults
    }
    if declared.kwarg is not None:
        parameters |= options_of(module, declared.kwarg.annotation.slice.id)
    return {
        name: parameter._replace(text=plain(parameter.text, parameters)) for name, parameter in parameters.items()
    }


def options_of(module: str, name: str) -> dict[str, Parameter]:
    """Options that a ``TypedDict`` declares, by name."""
    module, declared = definition(module, name)
    options: dict[str, Parameter] = {}
    for base in declared.bases:
        options |= {} if base.id == "TypedDict" else options_of(module, base.id)
    texts = entries(ast.get_docstring(declared) or "")
    fields: list[Any] = [node for node in declared.body if isinstance(node, ast.AnnAssign)]
    for field in fields:
        default = field.annotation.slice.elts[1].args[0]  # Annotated[..., Default(value, __doc__)]
        options[field.target.id] = Parameter(*texts[field.target.id], plain_value(module, default))
    return options


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
