"""Which threshold probabilities g do clicks speak for?

Threshold probabilities g estimated from clicks, if users click the documents that reach their threshold. FILE is a
CSV with the columns grade, impressions and clicks, or a log with grade and clicked (0 or 1). Every grade from 1
must be there, and grade 0 if its clicks, which are accidental, are known. With a column rank, documents are
examined by their rank, with probabilities that are given or estimated; with a column user, intervals are those of
other users. With --method shares, g is the share of each grade in the clicks on relevant documents; it depends on
how many documents of each grade users see. Prints, per grade, the click rate and g with its 95 % interval.

File in --out: clicks.csv.
"""

import argparse
from pathlib import Path

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.content import Table
from maxent.data.cells import numbers_of, read_cells
from maxent.data.lines import WHOLE, integer
from maxent.result import Result
from maxent.study.finding import Finding
from maxent.study.g_from_clicks import COLUMNS, METHODS, g_from_clicks
from maxent.texts import g_label

SUPPOSED = {
    "rates": "if users click what reaches their threshold",
    "shares": "shares of the clicks on relevant documents",
}
ALIKE = (
    "all documents are taken to be examined alike: where better ones stand higher, the g of low grades are too "
    "small; a column rank mends that"
)


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("clicks", metavar="FILE", help="CSV with columns grade, impressions, clicks")
    method = "from clicks per impression, or shares of the clicks on relevant documents"
    parser.add_argument("--method", choices=list(METHODS), default="rates", help=method)
    parser.add_argument("--examination", type=shared.numbers, metavar="X,...",
                        help="probabilities that rank 1, 2, ... is examined (default: estimated)")  # fmt: skip
    shared.add_options(parser, "seed")


def run(arguments: argparse.Namespace) -> Result:
    clicks = read_clicks(arguments.clicks)
    table = g_from_clicks(clicks, **given.keywords(arguments, "method", "examination", "rng"))
    cautions = (ALIKE,) if arguments.method == "rates" and "rank" not in clicks else ()
    sentence = f"from clicks: g = ({g_label(table['g'].tolist())})"
    meanings = {"g": "share of users whose threshold is the grade", "low": "bootstrap interval of g"}
    return Result(
        title=Path(arguments.clicks).name,
        finding=Finding(sentence, (SUPPOSED[arguments.method],), cautions),
        tables=(Table(name="clicks", title="Clicks", frame=table, meanings=meanings),),
        legend=(f"g: {meanings['g']}",),
    )


def read_clicks(path: str | Path) -> pd.DataFrame:
    """Table of a file; InputError if a number is none."""
    cells = read_cells(path)
    numbers = cells.columns.intersection([*COLUMNS, "clicked", "rank"])
    return cells.assign(**{name: numbers_of(path, cells[name], integer, WHOLE) for name in numbers})
