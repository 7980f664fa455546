"""Arguments of a command: the options of its function, and options for printing and writing the result."""

import argparse
import re
from collections.abc import Collection, Mapping
from typing import Any

from maxent.cli.commands import Command
from maxent.cli.option_readers import READERS, Added, Mapped
from maxent.cli.process import in_options
from maxent.options import GROUPS, REQUIRED, ClusterOptions, Option, OutputOptions, Text, options_of

INPUT = "input (formats of TREC, tables with a header, JSON, Parquet; plain or compressed)"
EMBEDDED = "an embedded, simulated collection is used"
FILES = ("judgments", "runs", "topics", "length", "files")  # groups of options below the heading of input


def completed() -> dict[str, dict[str, Any]]:
    """Completions of arguments for shtab, by metavar and shell."""
    from maxent.measures import MEASURES

    names = " ".join(MEASURES)
    return {
        "FILE": {"bash": "_shtab_compgen_files", "zsh": "_files", "tcsh": "f"},
        "M": {
            "bash": "_maxent_measures",
            "zsh": f"({names})",
            "tcsh": f"({names})",
            "preamble": {"bash": f'_maxent_measures() {{ compgen -W "{names}" -- $1; }}'},
        },
    }


def add_arguments(
    parser: argparse.ArgumentParser, command: Command, completed: Mapping[str, Mapping[str, Any]]
) -> None:
    """Give a parser the arguments of a command; ``completed`` has the completions of shells by metavar."""
    options = options_of(*command.takes)
    names = list(options)
    parser.description = description(command, names)
    if "jobs" in options and "solver" in options:  # work that may go to other machines
        options |= options_of(ClusterOptions)
    options |= options_of(OutputOptions)
    groups = argument_groups(parser, options)
    for option in sorted(options.values(), key=lambda option: GROUPS.index(option.group)):
        if option.group == "library":
            continue
        action = add_argument(groups[option.group], option, names)
        if action.metavar in completed:
            action.complete = completed[action.metavar]


def description(command: Command, names: Collection[str]) -> str:
    """Help text before the arguments: summary and notes of the docstring, and the example."""
    sections = re.split(r"\n\n(?=\w[\w ]*\n-{3,})", command.docstring)
    notes = [section.split("\n", 2)[2] for section in sections if section.startswith("Notes\n")]
    examples = [f"  {command.example}"] if command.example else []
    return "\n\n".join(plain(text, names) for text in (sections[0], *notes, *examples))


def plain(text: str, names: Collection[str]) -> str:
    """Text without the markup of docstrings, with options in place of these parameters."""
    text = re.sub(r":\w+:`~?(?:maxent\.)?(.*?)`", r"\1", text).replace("``", "")
    return in_options(text, {name: f"--{name.replace('_', '-')}" for name in names})


def argument_groups(parser: argparse.ArgumentParser, options: Mapping[str, Option]) -> dict[str, Any]:
    """Headings of the help, by groups of options."""
    groups: dict[str, Any] = {"argument": parser}
    if "qrels" in options:
        sources = " and ".join(f"--{name}" for name in ("qrels", "runs") if name in options)
        embedded = None if options["qrels"].default is REQUIRED else f"Without {sources} {EMBEDDED}."
        files = parser.add_argument_group(INPUT, embedded)
        groups |= dict.fromkeys(FILES, files)
        if "grades" in options:
            groups["scale"] = files.add_mutually_exclusive_group()
    groups["options"] = groups["filter"] = parser.add_argument_group("options")
    groups["options"].add_argument("-h", "--help", action="help", help="show this help message and exit")
    if any(option.group == "conditions" for option in options.values()):
        groups["conditions"] = parser.add_argument_group("conditions; exit code 1 if one fails")
    groups["output"] = parser.add_argument_group("what is printed and written")
    last = parser.add_argument_group("how it is computed, and the format of files")
    return groups | dict.fromkeys(("work", "seed", "tables"), last)


def add_argument(group: Any, option: Option, names: Collection[str]) -> Any:
    """Add an option to a parser or an argument group; ``names`` are the parameters that its text may mention."""
    explanation = option.help or plain(option.meaning, names)
    if option.group == "argument":
        return group.add_argument(option.name, help=explanation, **text_settings(option.text))
    settings: dict[str, Any] = {"help": explanation, "dest": option.stands_for or option.name}
    if isinstance(option.default, bool):
        settings["action"] = "store_false" if option.default else "store_true"
    else:
        settings |= {"required": True} if option.default is REQUIRED else {"default": option.default}
        settings |= {"choices": option.choices} if option.choices else {}
        settings |= text_settings(option.text)
    flags = [flag_of(option)]
    if option.text.letter:
        flags.insert(0, f"-{option.text.letter}")
    return group.add_argument(*flags, **settings)


def flag_of(option: Option) -> str:
    """The flag of an option, such as ``--min-retrieved``, or ``--no-refine`` where the option is on by default."""
    name = (option.text.flag or option.name).replace("_", "-")
    return f"--no-{name}" if option.default is True else f"--{name}"


def text_settings(text: Text) -> dict[str, Any]:
    """How argparse reads a text."""
    settings: dict[str, Any] = {"nargs": text.nargs, "metavar": text.metavar}
    if text.reader != "text":
        settings["type"] = READERS[text.reader]
    if text.mapped:
        settings["action"] = Mapped
    elif text.nargs in ("+", "*"):
        settings["action"] = Added
    if text.bare is not None:
        settings["const"] = text.bare
    return settings
