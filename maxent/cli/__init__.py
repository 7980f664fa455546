"""The command line: one module for each command, and ``arguments`` and ``output``, which the commands share."""

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version

from maxent.cli import choose_g, compare, curve, evaluate, g_from_clicks, measures, predict, solve, study
from maxent.errors import MaxentError

COMMANDS = (study, choose_g, g_from_clicks, predict, compare, evaluate, solve, curve, measures)
DESCRIPTION = """\
How informative is a retrieval effectiveness measure?  Given only a measure's value for a ranked list, the
maximum-entropy method finds the most random list with this value, and infers a precision-recall curve from it.
The closer this curve is to the actual one, the more informative is the measure.  maxent does this for graded
average precision GAP(g), AP, nDCG and their relatives, and helps to choose the threshold probabilities g."""

EPILOG = """\
measures are written NAME(parameter=value,...)@cutoff:
  AP  AP(rel=2)  GAP(g=0.5,0.5)  nDCG  nDCG(gain=exp2,discount=log2)@10  Q(beta=1)  P@10  RBP(p=0.8)  ...
"maxent measures" lists them all, "maxent measures NAME" explains one.

Start with:  maxent study --jobs 2 --out study (an embedded collection, some 10 seconds)
Then:        maxent study --qrels QRELS --runs RUN... --out study"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments after the program's name; default: those of the process.

    Returns
    -------
    int
        0 on success, 2 for input that cannot be used, 130 when interrupted.
    """
    arguments = _parser().parse_args(argv)
    try:
        arguments.run(arguments)
    except MaxentError as error:
        print(f"maxent {arguments.command}: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        kept = arguments.command in ("study", "choose-g", "predict") and arguments.out is not None
        hint = "; finished topics are kept, the same command goes on from there" if kept else ""
        print(f"maxent {arguments.command}: interrupted{hint}", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="maxent",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"maxent {version('maxent')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for module in COMMANDS:
        module.add(commands)
    return parser
