"""``maxent g-from-clicks``: threshold probabilities g estimated from clicks."""

import argparse
from io import StringIO
from pathlib import Path

import pandas as pd

from maxent.cli import arguments as shared
from maxent.content import Table
from maxent.data.lines import read_text
from maxent.errors import InputError
from maxent.result import Result
from maxent.study.finding import Finding
from maxent.study.g_from_clicks import METHODS, g_from_clicks
from maxent.texts import g_label

SUPPOSED = {
    "rates": "if users click what reaches their threshold",
    "shares": "shares of the clicks on relevant documents",
}
DESCRIPTION = """\
Threshold probabilities g estimated from clicks, if users click the documents that reach their threshold.  FILE is
a CSV with the columns grade, impressions and clicks: a row for each grade from 1, and for grade 0 if its clicks,
which are accidental, are known.  With --method shares, g is the share of each grade in the clicks on relevant
documents; it depends on how many documents of each grade users see.  Prints, per grade, the click rate and g with
its 95 % interval.  File in --out: clicks.csv."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("clicks", metavar="FILE", help="CSV with columns grade, impressions, clicks")
    method = "from clicks per impression, or shares of the clicks on relevant documents"
    parser.add_argument("--method", choices=list(METHODS), default="rates", help=method)
    shared.add_seed(parser)


def run(arguments: argparse.Namespace) -> Result:
    """Carry out the command."""
    table = g_from_clicks(read_clicks(arguments.clicks), method=arguments.method, rng=arguments.rng)
    meanings = {"g": "share of users whose threshold is the grade", "low": "bootstrap interval of g"}
    return Result(
        kind="maxent g-from-clicks",
        title=Path(arguments.clicks).name,
        question="Which threshold probabilities g do clicks speak for?",
        finding=Finding(f"from clicks: g = ({g_label(table['g'].tolist())})", (SUPPOSED[arguments.method],)),
        tables=(Table(name="clicks", title="Clicks", frame=table, meanings=meanings),),
        legend=(f"g: {meanings['g']}",),
    )


def read_clicks(path: str | Path) -> pd.DataFrame:
    """Table of a CSV file; InputError if it is none."""
    text = read_text(path)
    try:
        return pd.read_csv(StringIO(text), skipinitialspace=True)
    except ValueError as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from None
