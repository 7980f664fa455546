"""Arguments of a command: the options of its function, and options for printing and writing the result."""

import argparse
import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any

from maxent.cli.commands import Command
from maxent.cli.option_texts import ALSO, HELP, SETTINGS, add_results
from maxent.cli.signatures import REQUIRED, Parameter, definition, parameters_of, plain

HIDDEN = ("title", "progress", "checkpoint")  # parameters that are no options of commands
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


def description(command: Command, names: Iterable[str]) -> str:
    """Help text before the arguments: summary and notes of the docstring, and the example."""
    _, function = definition(*command.target.split(":"))
    sections = re.split(r"\n\n(?=\w[\w ]*\n-{3,})", ast.get_docstring(function) or "")
    notes = [section.split("\n", 2)[2] for section in sections if section.startswith("Notes\n")]
    examples = [f"  {command.example}"] if command.example else []
    return "\n\n".join(plain(text, names) for text in (sections[0], *notes, *examples))


def add_arguments(
    parser: argparse.ArgumentParser, command: Command, name: str, completed: Mapping[str, Mapping[str, Any]]
) -> None:
    """Give a parser the arguments of a command; ``completed`` has the completions of shells by metavar."""
    parameters = parameters_of(command.target)
    parser.description = description(command, parameters)
    parameters = {key: value for key, value in parameters.items() if key not in HIDDEN}
    if "runs" in parameters and parameters["runs"].default is REQUIRED:  # files, never a Collection with judgments
        parameters["qrels"] = parameters["qrels"]._replace(default=REQUIRED)
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


def add_argument(group: Any, name: str, parameter: Parameter, overrides: dict[str, Any]) -> Any:
    """Add an option to a parser or an argument group; ``overrides`` has settings for this command alone."""
    flag = name.replace("_", "-")
    settings: dict[str, Any] = {"help": HELP.get(name, parameter.text)}
    if isinstance(parameter.default, bool):
        flag = f"no-{flag}" if parameter.default else flag
        settings |= {"dest": name, "action": "store_false" if parameter.default else "store_true"}
        return group.add_argument(f"--{flag}", **settings | overrides)
    if name in POSITIONAL:
        return group.add_argument(name, **settings | SETTINGS.get(name, {}) | overrides)
    required = parameter.default is REQUIRED
    settings |= {"required": True} if required else {"default": parameter.default}
    settings |= {"choices": parameter.choices} if parameter.choices else {}
    settings |= {"type": float} if parameter.kind == "float" else {}
    option = "seed" if name == "rng" else flag
    return group.add_argument(f"--{option}", dest=name, **settings | SETTINGS.get(name, {}) | overrides)
