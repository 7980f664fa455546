"""Arguments that several commands share."""

import argparse
import re
from collections.abc import Sequence
from typing import Any, get_args

import pandas as pd

from maxent.console.formats import FORMATS
from maxent.curves import ALIGNS
from maxent.data.evaluate import EMPTY
from maxent.data.lines import integer
from maxent.data.trec import Duplicates
from maxent.problem import COUNTS
from maxent.problem.reference import Reference
from maxent.problem.solution import MODELS
from maxent.solvers import BACKENDS
from maxent.study.options import BYS, OPTIONS
from maxent.study.reading_words import TOPICS

G_STEPS = 9  # points along an edge of the grid of g
PROBLEM = ("count", "model", "reference", "solver")  # options of all that is solved
CURVES = ("align", "thresholds")


def add_options(parser: argparse._ActionsContainer, *names: str) -> None:
    """Add options of studies with their defaults and explanations, those that functions of the library have."""
    for name in names:
        option = OPTIONS[name]
        text = re.sub(r":\w+:`(.*?)`|``(.*?)``", r"\1\2", option.text).replace("min_retrieved=", "--min-retrieved ")
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, default=option.default, help=text, **SETTINGS[name])


def add_files(parser: argparse.ArgumentParser, *, required: bool, topics: bool = True) -> None:
    """Add --qrels, --runs, --topics, --depth, and how ratings become grades."""
    files = parser.add_argument_group(
        "input (formats of TREC, tables with a header, JSON, Parquet; plain or compressed)",
        None if required else "Without --qrels and --runs an embedded, simulated collection is used.",
    )
    files.add_argument(
        "--qrels", metavar="FILE", required=required,
        help="relevance judgments: topic, _, document, grade; irds:ID stands for those of ir_datasets, - for the "
        "standard input",
    )  # fmt: skip
    files.add_argument(
        "--runs", metavar="FILE", nargs="+", required=required,
        help="ranked lists: topic, _, document, rank (ignored), score, tag; a folder or quoted pattern stands for "
        "its files, NAME=FILE gives a run another name",
    )  # fmt: skip
    if topics:
        files.add_argument(
            "--topics", metavar="LIST", help="only these topics, e.g. 601-650 or 3,7,12 (default: all)"
        )
    add_options(files, "depth", "levels")
    scale = files.add_mutually_exclusive_group()
    scale.add_argument(
        "--grades", type=grades, metavar="R=G,...", help="grade of each rating above 0, e.g. 1=0,2=1,3=2"
    )
    scale.add_argument(
        "--bins", type=numbers, metavar="X,...",
        help="for real-valued ratings: the grade is the number of these that a rating reaches, e.g. .25,.5,.75",
    )  # fmt: skip
    add_options(files, "duplicates")


def reference(text: str) -> Reference:
    """A reference by name, or the table in a file such as ``maxent profile`` writes."""
    if text in ("log-uniform", TOPICS):
        return text
    try:
        return tuple(map(tuple, pd.read_csv(text, index_col="rank").to_numpy().tolist()))
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(
            f"log-uniform, topics or a table of rank and grades, but {text}: {error}"
        ) from None


def add_lists(parser: argparse.ArgumentParser) -> None:
    """Add --g-steps, --min-retrieved, --jobs, --cluster and --seed."""
    grid = f"points along an edge of the g grid, for which plain GAP stands (default: {G_STEPS})"
    parser.add_argument("--g-steps", type=two_or_more, metavar="N", help=grid)
    add_options(parser, "min_retrieved", "min_retrieved_by", "min_retrieved_total", "jobs")
    parser.add_argument(
        "--cluster", metavar="ADDRESS",
        help="solve on the workers of the Dask scheduler at this address, such as tcp://10.0.0.1:8786",
    )  # fmt: skip
    add_seed(parser)


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add --seed."""
    text = "seed of all random numbers, those of the embedded collection included"
    parser.add_argument("--seed", dest="rng", type=natural, default=0, metavar="N", help=text)


def add_study(parser: argparse.ArgumentParser) -> None:
    """Add all arguments of a study; without files it uses the embedded collection."""
    add_files(parser, required=False)
    add_options(parser, *PROBLEM)
    add_lists(parser)
    add_options(parser, *CURVES)
    parser.add_argument(
        "--weights", metavar="T=W,...",
        help="weights of the thresholds for the choice of g, e.g. 1=1,2=3; others weigh 0 (default: all alike)",
    )  # fmt: skip


def add_results(parser: argparse.ArgumentParser) -> None:
    """Add what every command has: --out, --report, --format, --places and --quiet."""
    parser.add_argument(
        "--out", metavar="DIR",
        help="folder for the files that the description names (nothing is written without it); figures as PNG, SVG "
        "and PDF",
    )  # fmt: skip
    parser.add_argument("--tables", choices=("csv", "parquet"), default="csv", help="format of the tables in --out")
    parser.add_argument(
        "--report", metavar="FILE.html",
        help="one HTML file with figures, tables that sort and filter, data and command, to be sent to somebody",
    )  # fmt: skip
    printed = parser.add_argument_group("what is printed")
    printed.add_argument(
        "--format", choices=FORMATS, default="table",
        help="of the table; with any but the default, table, nothing else is on standard output, and notes go to "
        "standard error; tsv, csv and jsonl have a row for each number",
    )  # fmt: skip
    printed.add_argument(
        "--places", type=natural, metavar="N", help="decimals (default: 4; all digits with --format jsonl)"
    )
    printed.add_argument("-q", "--quiet", action="store_true", help="only the table: no notes, no progress bars")


def add_measures(parser: argparse.ArgumentParser, usual: str, default: Sequence[str] | None = None) -> None:
    """Add --measures; ``usual`` says what is used without it."""
    parser.add_argument("--measures", nargs="+", metavar="M", default=default, help=f"default: {usual}")


def add_predicted(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add --measures and --targets; ``more`` says what else targets may be."""
    parser.add_argument(
        "--measures", nargs="+", metavar="M",
        help='known measures (default: GAP with equal g, AP, "nDCG(gain=exp2)", P@10, Rprec, RBP); plain GAP '
        "stands for the whole g grid",
    )  # fmt: skip
    parser.add_argument(
        "--targets", nargs="*", metavar="M", help=f"measures to predict (default: those of --measures){more}"
    )


def add_test(parser: argparse.ArgumentParser, replicates: int, of: str) -> None:
    """Add --alpha and --replicates."""
    level = "significance level; intervals have level 1 - alpha"
    parser.add_argument("--alpha", type=float, default=0.05, metavar="A", help=level)
    parser.add_argument("--replicates", type=positive, default=replicates, metavar="B", help=of)


def add_empty(parser: argparse.ArgumentParser) -> None:
    """Add --empty."""
    empty = "topics without relevant documents count 0 (zero) or are left out (skip)"
    parser.add_argument("--empty", choices=EMPTY, default="zero", help=empty)


def add_ranked(parser: argparse.ArgumentParser) -> None:
    """Add --few and --quantile."""
    few = "topics have few documents of grade k if R_1 >= F R_k > 0"
    parser.add_argument("--few", type=float, default=10, metavar="F", help=few)
    above = "only runs above this quantile of mean AP take part"
    parser.add_argument("--quantile", type=float, default=0.25, metavar="Q", help=above)


def positive(text: str) -> int:
    """Whole number, 1 or more."""
    return _at_least(1, text, "is not a positive number")


def probability(text: str) -> float:
    """Number between 0 and 1."""
    number = numbers(text)[0]
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return number


def two_or_more(text: str) -> int:
    """Whole number, 2 or more."""
    return _at_least(2, text, "is too few: 2 or more")


def natural(text: str) -> int:
    """Whole number, 0 or more."""
    return _at_least(0, text, "is negative")


def _at_least(least: int, text: str, says: str) -> int:
    number = integer(text)
    if number < least:
        raise argparse.ArgumentTypeError(f"{number} {says}")
    return number


def grades(text: str) -> dict[int, int]:
    """Grades of ratings from ``1=0,2=1,3=2``."""
    try:
        return {integer(rating): integer(grade) for rating, grade in (pair.split("=") for pair in text.split(","))}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not rating=grade pairs such as 1=0,2=1,3=2") from None


def numbers(text: str) -> tuple[float, ...]:
    """Comma-separated numbers."""
    try:
        return tuple(float(t) for t in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a comma-separated list of numbers") from None


SETTINGS: dict[str, dict[str, Any]] = {
    "depth": {"type": positive, "metavar": "N"},
    "levels": {"type": positive, "metavar": "C"},
    "duplicates": {"choices": get_args(Duplicates)},
    "count": {"choices": COUNTS},
    "model": {"choices": MODELS},
    "reference": {"type": reference, "metavar": "{log-uniform,topics,FILE}"},
    "solver": {"choices": ["auto", *BACKENDS]},
    "min_retrieved": {"type": natural, "metavar": "N"},
    "min_retrieved_by": {"choices": BYS},
    "min_retrieved_total": {"type": natural, "metavar": "N"},
    "jobs": {"type": positive, "metavar": "N"},
    "align": {"choices": ALIGNS},
    "thresholds": {"nargs": "+", "type": positive, "metavar": "T"},
    "band": {"type": probability, "metavar": "P"},
}
"""How the text of an option is read."""
