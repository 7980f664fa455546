"""Commands of a parser: which there are, said also where none is given."""

import argparse
from typing import NoReturn, TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_commands(parser: argparse.ArgumentParser, name: str) -> Commands:
    """Commands, called ``name`` in help and errors; argparse alone would not list them where none is given."""
    commands = parser.add_subparsers(dest=name, metavar=name)

    def run(arguments: argparse.Namespace) -> NoReturn:
        parser.error(f"no {name} given (choose from {', '.join(commands.choices)})")

    parser.set_defaults(run=run)  # a command has its own
    return commands
