"""Arguments that several commands share, each declared once, and the parsers of their texts."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from maxent.data.numbers import finite_number, integer
from maxent.errors import InputError

if TYPE_CHECKING:
    from maxent.problem.reference import Reference

V = TypeVar("V")


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


def add_results(group: Any) -> None:
    """Add the options, common to all commands, for printing and writing the result."""
    for name in ("out", "style", "report", "format", "places"):
        group.add_argument(f"--{name}", help=HELP[name], **SETTINGS[name])
    group.add_argument("--text", action="store_true", help=HELP["text"])
    group.add_argument("-q", "--quiet", action="store_true", help="only the table: no notes, no progress bars")


def reference(text: str) -> "Reference":
    """A reference by name, or the table in a file such as ``maxent check`` writes."""
    from maxent.problem.reference import UNIFORM, read_reference  # loads pandas
    from maxent.studies.reading_words import TOPICS

    if text in (UNIFORM, "log-uniform", TOPICS):
        return text
    try:
        return read_reference(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(
            f"uniform, log-uniform, topics or a table of rank and grades, but {error}"
        ) from None


def at_least(least: int, says: str) -> Callable[[str], int]:
    """Parser of whole numbers of at least ``least``; ``says`` ends the error message for smaller ones."""

    def read(text: str) -> int:
        number = integer(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} {says}")
        return number

    read.__name__ = "whole number"  # argparse uses it in error messages
    return read


positive, natural = at_least(1, "is not a positive number"), at_least(0, "is negative")


def probability(text: str) -> float | None:
    """Number between 0 and 1, or ``None``."""
    if text == "None":
        return None
    number = numbers(text)[0]
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return number


def pairs(kind: Callable[[str], V], example: str) -> Callable[[str], dict[int, V]]:
    """Parser of pairs such as ``1=0,2=1``; ``kind`` parses the values, errors show ``example``."""

    def read(text: str) -> dict[int, V]:
        try:
            entries = [(integer(key), kind(value)) for key, value in (pair.split("=") for pair in text.split(","))]
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not pairs such as {example}") from None
        if len(dict(entries)) < len(entries):
            raise argparse.ArgumentTypeError(f"{text!r} has one twice")
        return dict(entries)

    return read


def numbers(text: str) -> tuple[float, ...]:
    """Comma-separated numbers."""
    try:
        return tuple(map(finite_number, text.split(",")))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a comma-separated list of numbers") from None


def bound(text: str) -> tuple[str, float]:
    """Measure and value from ``nDCG@10=0.40``."""
    from maxent.measures import parse_measure

    measure, _, value = text.rpartition("=")
    try:
        return str(parse_measure(measure)), finite_number(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: write measure=value, e.g. nDCG@10=0.40 ({error})") from None


def measure_and_value(text: str) -> tuple[str, str]:
    """Measure and value, as text, from ``AP=.31`` (to its decimals) or ``AP=.305:.315`` (bounds)."""
    measure, _, value = text.rpartition("=")
    return bound(f"{measure}=0" if ":" in value else text)[0], value


def average(text: str) -> tuple[str, str]:
    """Measure and printed number from ``AP=.31``."""
    measure, equals, value = text.rpartition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r}: write measure=value, e.g. AP=.31")
    return measure, value


class Mapped(argparse.Action):
    """Action that stores pairs as a mapping, or the path of a table in their place."""

    def __call__(
        self, parser: object, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Store the pairs or the path; an error if a key or the option is repeated."""
        pairs = values if isinstance(values, str) else dict(values)
        if len(pairs) < len(values):
            names = [name for name, _ in values]
            twice = next(name for name in names if names.count(name) > 1)
            raise argparse.ArgumentError(self, f"{twice} is given twice")
        if pairs and getattr(namespace, self.dest) is not None:
            raise argparse.ArgumentError(self, f"{self.dest} are given twice")
        if pairs:
            setattr(namespace, self.dest, pairs)


SETTINGS: dict[str, dict[str, Any]] = {
    "baseline": {"nargs": "+", "metavar": "RUN"},
    "fail_under": {"nargs": "+", "type": bound, "action": Mapped, "metavar": "M=VALUE"},
    "fail_if_worse": {"nargs": "?", "type": float, "const": 0.0, "metavar": "E"},
    "qrels": {"metavar": "FILE"},
    "runs": {"nargs": "+", "metavar": "FILE"},
    "topics": {"metavar": "LIST"},
    "grades": {"type": pairs(integer, "1=0,2=1,3=2"), "metavar": "R=G,..."},
    "bins": {"type": numbers, "metavar": "X,..."},
    "depth": {"type": positive, "metavar": "N"},
    "levels": {"type": positive, "metavar": "C"},
    "reference": {"type": reference, "metavar": "{uniform,log-uniform,topics,FILE}"},
    "compare-measures.counts": {"nargs": "+"},
    "models": {"nargs": "+"},
    "references": {"nargs": "+", "type": reference, "metavar": "{uniform,log-uniform,topics,FILE}"},
    "aligns": {"nargs": "+"},
    "depths": {"nargs": "+", "type": positive, "metavar": "N"},
    "labels": {"metavar": "FILE"},
    "clicks": {"metavar": "FILE"},
    "examination": {"type": numbers, "metavar": "X,..."},
    "explain.values": {"nargs": "*", "type": measure_and_value, "action": Mapped, "metavar": "MEASURE=VALUE"},
    "relevant": {"type": numbers, "metavar": "R1,R2,..."},
    "retrieved": {"type": numbers, "metavar": "C1,C2,..."},
    "run": {"metavar": "NAME"},
    "topic": {"metavar": "ID"},
    "g_steps": {"type": at_least(2, "is too few: 2 or more"), "metavar": "N"},
    "min_retrieved": {"type": natural, "metavar": "N"},
    "min_retrieved_total": {"type": natural, "metavar": "N"},
    "jobs": {"type": positive, "metavar": "N"},
    "cluster": {"metavar": "ADDRESS"},
    "rng": {"type": natural, "metavar": "N"},
    "thresholds": {"nargs": "+", "type": positive, "metavar": "T"},
    "weights": {"type": pairs(finite_number, "1=1,2=3"), "metavar": "T=W,..."},
    "band": {"type": probability, "metavar": "P"},
    "measures": {"nargs": "+", "metavar": "M"},
    "targets": {"nargs": "*", "metavar": "M"},
    "out": {"metavar": "DIR"},
    "tables": {"choices": ("csv", "parquet"), "default": "csv"},
    "report": {"metavar": "FILE.html"},
    "style": {"choices": ("screen", "paper"), "default": "screen"},
    "format": {"choices": ("table", "tsv", "csv", "markdown", "latex", "jsonl"), "default": "table"},
    "places": {"type": natural, "metavar": "N"},
    "alpha": {"type": float, "metavar": "A"},
    "replicates": {"type": positive, "metavar": "B"},
    "few": {"type": float, "metavar": "F"},
    "quantile": {"type": float, "metavar": "Q"},
    "g": {"type": numbers, "nargs": "+", "metavar": "G1,G2,..."},
    "choose-g.candidates": {"type": numbers, "nargs": "+", "metavar": "G1,G2,..."},
    "choose-measures.candidates": {"nargs": "+", "metavar": "M"},
    "compare-judgments.qrels": {"nargs": "+", "help": "two or more sets of judgments: A, B, ..."},
    "compare-judgments.runs": {"help": "ranked lists; without runs, only the grades are compared"},
    "compare-judgments.grades": {"help": "grade of each rating of B above 0, such as 1=0,2=1,3=2"},
    "compare-judgments.bins": {"help": "lower bounds of the grades 1, 2, ... for real-valued ratings in B"},
    "measures.name": {"nargs": "?", "metavar": "NAME"},
    "evaluate.wide": {"help": "print one column per measure with --format tsv, csv or jsonl"},
    "reported.averages": {
        "nargs": "*",
        "type": average,
        "action": Mapped,
        "metavar": "MEASURE=VALUE",
        "help": "averages of one system, such as AP=.31",
    },
    "reported.table": {
        "action": Mapped,
        "metavar": "FILE",
        "help": "CSV with one row per system instead: names in the first column, averages in columns named after "
        "measures",
    },
    "reported.counts": {"metavar": "RUN"},
    "reported.reference": {"metavar": "{log-uniform,uniform,FILE}"},
    "size": {"type": positive, "metavar": "N"},
    "shares": {"nargs": "+", "type": float, "metavar": "S"},
    "repetitions": {"type": positive, "metavar": "N"},
    "top": {"type": positive, "metavar": "N"},
}
"""How the text of an option is read."""
ALSO = {"reported.averages": "table"}
"""Options that give a parameter in another way."""
HELP = {
    "qrels": "relevance judgments: topic, _, document, grade; irds:ID reads those of ir_datasets, - the standard "
    "input",
    "runs": "ranked lists: topic, _, document, rank (ignored), score, tag; files, folders, or a quoted pattern; "
    "NAME=FILE renames a run",
    "topics": "topics to use, such as 601-650 or 3,7,12 (default: all)",
    "grades": "grade of each rating above 0, such as 1=0,2=1,3=2",
    "bins": "lower bounds of the grades 1, 2, ... for real-valued ratings, such as .25,.5,.75",
    "refine": "do not refine the best candidate by local optimisation, which takes as long as 5 to 15 candidates",
    "weights": "weights of the thresholds, such as 1=1,2=3; others have weight 0 (default: all equal)",
    "cluster": "solve on the workers of the Dask scheduler at this address, such as tcp://10.0.0.1:8786",
    "out": "folder for the files named above, the meanings of their columns, and figures (PNG, SVG, PDF)",
    "tables": "format of the tables in --out",
    "report": "write one HTML file with figures, tables that can be sorted and filtered, the data and the command",
    "style": "style of the figures in --out: for a screen, or for a column of a paper (3.33 inches, 8 points, no "
    "title, SVG and PDF)",
    "text": "print LaTeX for a paper instead: methods, reading, finding, versions, tables and references",
    "format": "format of the printed tables; with any but table, notes go to standard error; tsv, csv and jsonl "
    "have one row per number",
    "places": "number of decimals (default: 4; all digits with --format jsonl)",
}
"""Help of options that are texts of another form than the function takes, or that the function does not have."""
