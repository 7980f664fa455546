"""Arguments that several commands share, each declared once, and how their texts are read."""

import argparse
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from maxent.checks import LONGEST
from maxent.cli.process import in_options
from maxent.cli.table_files import TABLE_FILES
from maxent.console.formats import FORMATS
from maxent.data.evaluate import EMPTY
from maxent.data.lines import finite_number, integer
from maxent.errors import InputError
from maxent.measures import MEASURES
from maxent.problem.reference import Reference, read_reference
from maxent.solvers import BACKENDS
from maxent.study.options import OPTIONS
from maxent.study.reading_words import TOPICS, UNIFORM

V = TypeVar("V")
NAMES = " ".join(MEASURES)
COMPLETED: dict[str, dict[str, Any]] = {  # what shtab completes by
    "FILE": {"bash": "_shtab_compgen_files", "zsh": "_files", "tcsh": "f"},
    "M": {
        "bash": "_maxent_measures",
        "zsh": f"({NAMES})",
        "tcsh": f"({NAMES})",
        "preamble": {"bash": f'_maxent_measures() {{ compgen -W "{NAMES}" -- $1; }}'},
    },
}
G_STEPS = 9  # points along an edge of the grid of g
PROBLEM = ("count", "model", "reference", "solver")  # options of all that is solved
LISTS = ("g_steps", "min_retrieved", "min_retrieved_by", "min_retrieved_total", "jobs", "cluster", "seed")
CURVES = ("align", "thresholds")
STUDY = (*PROBLEM, *LISTS, *CURVES, "weights")
NO_RUNS = {"default": LONGEST, "help": "length of the lists, N"}  # the depth where there are no runs
FLAGS = {name: f"--{name.replace('_', '-')}" for name in OPTIONS}
RANKED = ("few", "quantile")  # which topics and runs rankings are of


def add_options(parser: argparse._ActionsContainer, *names: str, **changed: dict[str, Any]) -> None:
    """Add options by their names, some ``changed``; those of functions have the default and explanation there."""
    for name in (*names, *changed):
        known: dict[str, Any] = {"help": HELP.get(name)}
        if name in OPTIONS:
            option = OPTIONS[name]
            text = re.sub(r":\w+:`(.*?)`|``(.*?)``", r"\1\2", option.text)
            known = {"default": option.default, "help": in_options(text, FLAGS)}
            known |= {"choices": option.choices} if option.choices else {}
            known |= {"action": "store_true"} if option.default is False else {}
        settings = known | SETTINGS.get(name, {}) | changed.get(name, {})
        action = parser.add_argument(f"--{name.replace('_', '-')}", **settings)
        if settings.get("metavar") in COMPLETED:
            action.complete = COMPLETED[settings["metavar"]]  # type: ignore[attr-defined]


def add_files(parser: argparse.ArgumentParser, *, required: bool, topics: bool = True) -> None:
    """Add the arguments of runs and judgments; where they are not required there is an embedded collection."""
    files = parser.add_argument_group(
        "input (formats of TREC, tables with a header, JSON, Parquet; plain or compressed)",
        None if required else "Without --qrels and --runs an embedded, simulated collection is used.",
    )
    add_options(files, qrels={"required": required}, runs={"required": required})
    add_options(files, *(["topics"] if topics else []), "depth", "levels")
    scale = files.add_mutually_exclusive_group()
    add_options(scale, "grades", "bins")
    add_options(files, "duplicates", "allow_unjudged", "ignore_identical_ids")


def add_results(parser: argparse.ArgumentParser) -> None:
    """Add what every command has: --out, --report, --format, --places and --quiet."""
    add_options(parser, "out", "tables", "report")
    printed = parser.add_argument_group("what is printed")
    add_options(printed, "format", "places")
    printed.add_argument("-q", "--quiet", action="store_true", help="only the table: no notes, no progress bars")


def add_measures(parser: argparse.ArgumentParser, usual: str, default: Sequence[str] | None = None) -> None:
    """Add --measures; ``usual`` says what is used without it."""
    add_options(parser, measures={"default": default, "help": f"default: {usual}"})


def add_predicted(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add --measures and --targets; ``more`` says what else targets may be."""
    known = (
        'known measures (default: GAP with equal g, AP, "nDCG(gain=exp2)", P@10, Rprec, RBP); plain GAP stands for '
        "the whole g grid"
    )
    targets = f"measures to predict (default: those of --measures){more}"
    add_options(parser, measures={"help": known}, targets={"help": targets})


def reference(text: str) -> Reference:
    """A reference by name, or the table in a file such as ``maxent profile`` writes."""
    if text in ("log-uniform", TOPICS, UNIFORM):
        return None if text == UNIFORM else text
    try:
        return read_reference(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(
            f"uniform, log-uniform, topics or a table of rank and grades, but {error}"
        ) from None


def at_least(least: int, says: str) -> Callable[[str], int]:
    """Reader of whole numbers, which ``says`` what is wrong with smaller ones."""

    def read(text: str) -> int:
        number = integer(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} {says}")
        return number

    read.__name__ = "whole number"  # argparse says it of what is none
    return read


positive, natural = at_least(1, "is not a positive number"), at_least(0, "is negative")


def probability(text: str) -> float:
    """Number between 0 and 1."""
    number = numbers(text)[0]
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return number


def pairs(kind: Callable[[str], V], example: str) -> Callable[[str], dict[int, V]]:
    """Reader of pairs such as ``1=0,2=1``: whole numbers, each with a value of a kind."""

    def read(text: str) -> dict[int, V]:
        try:
            found = [(integer(key), kind(value)) for key, value in (pair.split("=") for pair in text.split(","))]
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not pairs such as {example}") from None
        if len(dict(found)) < len(found):
            raise argparse.ArgumentTypeError(f"{text!r} has one twice")
        return dict(found)

    return read


def numbers(text: str) -> tuple[float, ...]:
    """Comma-separated numbers."""
    try:
        return tuple(map(finite_number, text.split(",")))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a comma-separated list of numbers") from None


SETTINGS: dict[str, dict[str, Any]] = {
    "qrels": {"metavar": "FILE"},
    "runs": {"nargs": "+", "metavar": "FILE"},
    "topics": {"metavar": "LIST"},
    "grades": {"type": pairs(integer, "1=0,2=1,3=2"), "metavar": "R=G,..."},
    "bins": {"type": numbers, "metavar": "X,..."},
    "depth": {"type": positive, "metavar": "N"},
    "levels": {"type": positive, "metavar": "C"},
    "reference": {"type": reference, "metavar": "{uniform,log-uniform,topics,FILE}"},
    "solver": {"choices": ["auto", *BACKENDS]},
    "g_steps": {"type": at_least(2, "is too few: 2 or more"), "metavar": "N"},
    "min_retrieved": {"type": natural, "metavar": "N"},
    "min_retrieved_total": {"type": natural, "metavar": "N"},
    "jobs": {"type": positive, "metavar": "N"},
    "cluster": {"metavar": "ADDRESS"},
    "seed": {"dest": "rng", "type": natural, "default": 0, "metavar": "N"},
    "thresholds": {"nargs": "+", "type": positive, "metavar": "T"},
    "weights": {"type": pairs(finite_number, "1=1,2=3"), "metavar": "T=W,..."},
    "band": {"type": probability, "metavar": "P"},
    "measures": {"nargs": "+", "metavar": "M"},
    "targets": {"nargs": "*", "metavar": "M"},
    "out": {"metavar": "DIR"},
    "tables": {"choices": list(TABLE_FILES), "default": "csv"},
    "report": {"metavar": "FILE.html"},
    "format": {"choices": FORMATS, "default": "table"},
    "places": {"type": natural, "metavar": "N"},
    "alpha": {"type": float, "default": 0.05, "metavar": "A"},
    "replicates": {"type": positive, "metavar": "B"},
    "empty": {"choices": EMPTY, "default": "zero"},
    "few": {"type": float, "default": 10, "metavar": "F"},
    "quantile": {"type": float, "default": 0.25, "metavar": "Q"},
}
"""How the text of an option is read."""
HELP = {
    "qrels": "relevance judgments: topic, _, document, grade; irds:ID stands for those of ir_datasets, - for the "
    "standard input",
    "runs": "ranked lists: topic, _, document, rank (ignored), score, tag; a folder or quoted pattern stands for "
    "its files, NAME=FILE gives a run another name",
    "topics": "only these topics, e.g. 601-650 or 3,7,12 (default: all)",
    "grades": "grade of each rating above 0, e.g. 1=0,2=1,3=2",
    "bins": "for real-valued ratings: the grade is the number of these that a rating reaches, e.g. .25,.5,.75",
    "g_steps": f"points along an edge of the g grid, for which plain GAP stands (default: {G_STEPS})",
    "cluster": "solve on the workers of the Dask scheduler at this address, such as tcp://10.0.0.1:8786",
    "seed": "seed of all random numbers, those of the embedded collection included",
    "weights": "weights of the thresholds for the choice of g, e.g. 1=1,2=3; others weigh 0 (default: all alike)",
    "out": "folder for the files that the description names (nothing is written without it); figures as PNG, SVG "
    "and PDF",
    "tables": "format of the tables in --out",
    "report": "one HTML file with figures, tables that sort and filter, data and command, to be sent to somebody",
    "format": "of the table; with any but the default, table, nothing else is on standard output, and notes go to "
    "standard error; tsv, csv and jsonl have a row for each number",
    "places": "decimals (default: 4; all digits with --format jsonl)",
    "alpha": "significance level; intervals have level 1 - alpha",
    "empty": "topics without relevant documents count 0 (zero) or are left out (skip)",
    "few": "topics have few documents of grade k if R_1 >= F R_k > 0",
    "quantile": "only runs above this quantile of mean AP take part",
}
"""What is said of options that functions of the library have not."""
