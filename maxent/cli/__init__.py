"""The command line: a command reads its arguments, calls one function and delivers the result."""

import argparse
import atexit
import gc
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

import maxent
from maxent.cli.commands import COMMANDS, KINDS, SPECIAL, Command
from maxent.cli.paths import check_paths
from maxent.cli.process import (
    Terminated,
    ended_by_signals,
    escape_output,
    give_up_output,
    in_words,
    open_missing_streams,
    prepare_libraries,
    signals_waiting,
)
from maxent.errors import MaxentError, WorkerError

SEE_HELP = " (see {} --help)"
SEVERAL = ("counts", "models", "references", "aligns")  # options whose errors name a single value
COMPARE = """\
Compare systems with measures, and measures with each other.  "maxent compare KIND --help" says what each prints."""
DESCRIPTION = """\
How informative is a retrieval effectiveness measure?  Given only a measure's value for a ranked list, the
maximum-entropy method finds the most random list with this value, and infers a precision-recall curve from it.
The closer this curve is to the actual one, the more informative is the measure.  maxent does this for graded
average precision GAP(g), AP, nDCG and their relatives, and helps to choose the threshold probabilities g."""

EPILOG = """\
measures are written NAME(parameter=value,...)@cutoff:
  AP  AP(rel=2)  GAP(g=0.5,0.5)  nDCG  nDCG(gain=exp2,discount=log2)@10  Q(beta=1)  P@10  RBP(p=0.8)  ...
"maxent measures" lists them all, "maxent measures NAME" explains one.  Names of trec_eval (ndcg_cut.10,20),
texts of ir_measures and names of ranx (ndcg@10) are read, too.

Start with:  maxent study --jobs 2 --out study (an embedded collection, some 5 seconds)
Then:        maxent study --qrels QRELS --runs RUN... --out study"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, by default with the arguments of the process, and return its exit code.

    The code is 0 on success, 1 if a condition such as ``--fail-under`` fails, and 2 if input cannot be used or
    output cannot be written. As with other programs, it is 130 if the command is interrupted, 143 if it is
    terminated, and 141 if the reader of the output has stopped (``maxent measures | head``).
    """
    open_missing_streams()
    if argv is None:
        gc.set_threshold(50_000, 20, 20)  # imports leave little garbage, and collecting it takes .2 s
        atexit.register(gc.freeze)  # memory is freed with the process; a last collection would take .15 s
    with ended_by_signals():
        return _main(sys.argv[1:] if argv is None else list(argv))


def _main(argv: list[str]) -> int:
    """Run a command; an error or a signal is reported in one line."""
    command = argv[0] if argv and argv[0] in COMMANDS else ""
    arguments = argparse.Namespace(out=None, flags={}, prog=f"maxent {command}".strip())
    try:
        prepare_libraries()
        try:
            with signals_waiting():
                arguments = command_parser(command).parse_args(argv)
            if "command" not in arguments:
                arguments.print_help()
                return 0
            check_paths(arguments)
            escape_output()
            code = _answer(arguments, argv)
        finally:
            sys.stdout.flush()  # here, because an error at exit could not be caught
    except BrokenPipeError:
        give_up_output()
        return 141
    except (MaxentError, MemoryError, OSError, ImportError) as error:
        if isinstance(error, OSError):
            give_up_output()  # it may be about the output; what is buffered would fail again at exit
        hint = _resume_hint(arguments) if isinstance(error, WorkerError) else ""
        print(f"{arguments.prog}: error: {in_words(error, arguments.flags)}{hint}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as error:
        print(f"{arguments.prog}: interrupted{_resume_hint(arguments)}", file=sys.stderr)
        return error.code if isinstance(error, Terminated) else 130
    return code


def _answer(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Call the function of a command and deliver its result."""
    with signals_waiting():
        from maxent.cli.cluster import connected
        from maxent.cli.deliver import call, deliver

        function = arguments.command.function

    with connected(getattr(arguments, "cluster", None)):
        result = call(function, arguments, arguments.partial)
    return deliver(result, arguments, argv)


def _resume_hint(arguments: argparse.Namespace) -> str:
    """Hint that repeating an interrupted command resumes it; empty if no topic is finished."""
    from maxent.studies.checkpoint import has_topics  # loads numpy

    partial = getattr(arguments, "partial", "")
    resumable = partial and arguments.out is not None and has_topics(Path(arguments.out, partial))
    return "; finished topics are kept, the same command goes on from there" if resumable else ""


def command_parser(command: str | None = None) -> argparse.ArgumentParser:
    """Parser that lists all commands and adds the arguments of ``command``, or of all (None, for shtab)."""
    parser = _Parser(prog="maxent", description=DESCRIPTION, epilog=EPILOG, formatter_class=_Help)
    parser.add_argument("--version", action="version", version=f"maxent {maxent.__version__}")
    commands = _commands(parser, "command")
    for name, listed in COMMANDS.items():
        is_wanted = command in (name, None)
        if name != "compare":
            _add_command(commands, name, listed, name if is_wanted else "", completes=command is None)
            continue
        compare = commands.add_parser(name, help=listed.summary, description=COMPARE, formatter_class=_Help)
        if is_wanted:
            kinds = _commands(compare, "kind")
            for kind, listed_kind in KINDS.items():
                _add_command(kinds, kind, listed_kind, f"compare-{kind}", completes=command is None)
    return parser


def _add_command(commands: Any, name: str, command: Command, key: str, *, completes: bool) -> None:
    """Add a command with the arguments whose settings are under ``key``; with an empty key only its summary."""
    parser = commands.add_parser(name, help=command.summary, formatter_class=_Help, add_help=False)
    if not key:
        return
    from maxent.cli.parser import add_arguments, completed

    add_arguments(parser, command, completed() if completes else {})
    flags = {action.dest: action.option_strings[-1] for action in parser._actions if action.option_strings}
    flags |= {name[:-1]: flags[name] for name in SEVERAL if name in flags}  # count, too, is --counts
    parser.set_defaults(
        command=command, flags=flags, partial=f"{key}.partial" if command.resumes else "", prog=parser.prog
    )


def _commands(parser: argparse.ArgumentParser, name: str) -> "argparse._SubParsersAction[argparse.ArgumentParser]":
    """Add subcommands, called ``name`` in help and errors; without a subcommand, the help is printed."""
    parser.set_defaults(print_help=parser.print_help)
    return parser.add_subparsers(title=f"{name}s", metavar=name)


class _Parser(argparse.ArgumentParser):
    """Parser whose errors are one line, which names the options, commands and values most like a wrong one."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read arguments; an error for an option that the parser does not have, whatever else is wrong."""
        flags = list(self._option_string_actions)
        if not self._subparsers:  # otherwise the options are those of a command
            for text in args or ():
                name = text.partition("=")[0]
                if text.startswith("--") and not any(flag.startswith(name) for flag in flags):
                    close = nearest(name, flags, at_least=0.8) or _commands_with(name) or nearest(name, flags)
                    self.error(f"no option {name}{close}")
        return super().parse_known_args(args, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is none of the choices of an option, or no command."""
        if action.choices is None or value in action.choices:
            return
        choices = list(map(str, action.choices))
        if isinstance(action, argparse._SubParsersAction):
            names = choices if self.prog.count(" ") else [*choices, *(f"compare {kind}" for kind in KINDS)]
            close = nearest(str(value), names) or f"; known: {', '.join(choices)}"
            self.error(f"no {action.metavar} {value!r}{close}")
        close = nearest(str(value), choices)
        raise argparse.ArgumentError(action, f"{value!r} is none of {', '.join(choices)}{close}")

    def error(self, message: str) -> NoReturn:
        """End with a line that says what is wrong, and how to see the help."""
        self.exit(2, f"{self.prog}: error: {message}{SEE_HELP.format(self.prog)}\n")


def nearest(text: str, known: Sequence[str], *, at_least: float = 0.6) -> str:
    """End of an error message: the known word that is most like a text, or ends with it; empty if there is none."""
    text = text.replace("--metric", "--measure")  # the other word of the field
    words = text.replace("-", " ").replace("_", " ")
    close = [name for name in known if name.endswith(f" {words}")] or get_close_matches(words, known, 1, at_least)
    close = close or get_close_matches(text, known, 1, at_least)
    return f"; did you mean {close[0]}?" if close else ""


def _commands_with(flag: str) -> str:
    """End of an error message: the commands that have an option which another lacks."""
    from maxent.cli.parser import flag_of
    from maxent.options import options_of

    commands = COMMANDS | {f"compare {kind}": command for kind, command in KINDS.items()}
    having = [
        name for name, command in commands.items() if flag in map(flag_of, options_of(*command.takes).values())
    ]
    return f"; it is an option of {', '.join(having)}" if having else ""


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help formatter that adds missing defaults to the texts of options, and a heading above special commands."""

    def _format_action(self, action: argparse.Action) -> str:
        text = super()._format_action(action)
        return f"\nmore questions:\n{text}" if action.dest == SPECIAL else text

    def _get_help_string(self, action: argparse.Action) -> str | None:
        text, default = action.help or "", action.default
        is_stated = "default" in text or default == argparse.SUPPRESS
        has_text = isinstance(default, int | float | str) and not isinstance(default, bool)
        return text if is_stated or not has_text else f"{text} (default: {default})"
