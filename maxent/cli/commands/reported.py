"""What do averages over topics, as papers and leaderboards print them, say about the lists behind them?

From averages over topics and the judgments alone, without any run, the most random system with these averages: its
averages of other measures, its mean precision-recall curve, and bands; or that no lists can have the averages
together, the nearest that can, and which one is odd: changed alone, it makes the row possible with the smallest
relative change. A number stands for all that are printed so: AP=.31 is .305 to .315. The lists are whole lists with
any number of documents, or as many as --counts, and the odds beforehand are 1/n unless --reference says otherwise.

Bands are for lists that are good or bad in all topics alike.  On runs of three collections, bands of 90 % had 94 to
100 % of the averages that the given ones reach.  AP reaches the first 20 ranks and R-precision, P@k and nDCG@k the
first k; AP beside R@1000 reaches the rest of the list.  What is not reached has no band.  The default reference of
1/n is the safe one: lists that are all alike beforehand are closer on two of three collections where AP and R@1000
are known, but far off where only the first ranks and R@1000 are.

Files in --out: reported.csv, for a single row also levels.csv (mean interpolated precision at eleven levels of
recall), and the figure levels.

  maxent reported --qrels qrels.txt AP=.31 P@10=.75 R@1000=.67
  maxent reported --qrels qrels.txt AP=.31 --counts run.txt --reference uniform
  maxent reported --qrels qrels.txt --table leaderboard.csv
"""

import argparse

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.content import Panel, Sheet, Table, plotted
from maxent.data.cells import numbers_of, read_cells
from maxent.data.inputs import as_qrels
from maxent.data.lines import finite_number, title_of
from maxent.errors import InputError
from maxent.lists.averages import Averages, judged_topics
from maxent.measures import nDCG
from maxent.result import Result
from maxent.solvers import solve
from maxent.study.topics import SOLVED
from maxent.systems.reported import TARGETS, completed, measure_columns, reported, row_finding, table_finding
from maxent.texts import many
from maxent.words import REPORTED

ENDS = {"low": "from", "high": "to"}  # of intervals that no bootstrap gave
MISSING = ("", "-", "NA", "NaN", "nan")  # cells without an average
LAST = ["status", "rounding", "nearest"]  # columns of the table that is shown


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("averages", nargs="*", metavar="MEASURE=VALUE", help="averages of a system, e.g. AP=.31")
    beside = parser.add_mutually_exclusive_group()
    beside.add_argument(
        "--table", metavar="FILE",
        help="CSV with a row for each system in place of averages: names in the first column, averages in those "
        "that are named like measures",
    )  # fmt: skip
    beside.add_argument(
        "--counts", metavar="RUN", help="the system's run: its documents of each grade in each topic are known, too"
    )
    shared.add_options(
        parser, "topics", depth=shared.NO_RUNS,
        qrels={"required": True},
        targets={"default": list(TARGETS), "help": "averages to predict (default: the usual)"},
        reference={
            "default": "log-uniform", "metavar": "{log-uniform,uniform,FILE}",
            "help": "odds of relevance beforehand: 1/n (default), all alike, or a rank profile of other runs",
        },
        band={"help": "probability of intervals (default: 0.9)"},
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> Result:
    if bool(arguments.averages) == bool(arguments.table):
        raise InputError("give averages such as AP=.31, or --table with a row for each system")
    qrels = as_qrels(arguments.qrels)
    options = {**given.keywords(arguments, "depth", "reference"), "topics": given.topics(arguments.topics, qrels)}
    topics = many(len(judged_topics(qrels, options["topics"])[0]), "topic")
    title = arguments.table or ", ".join(arguments.averages)
    text = f"{title}: averages over {topics}, depth {arguments.depth}\n"
    head = given.announced(arguments, title, text) | {"facts": given.facts(arguments, "depth", "band")}
    predicted = given.keywords(arguments, "targets", "band")
    if arguments.table:
        rows = reported(_averages(arguments.table), qrels, **options, **predicted, progress=arguments.progress)
        return Result(finding=table_finding(rows), tables=(_table(rows, 2),), **head)
    known = {name: value for name, _, value in (text.partition("=") for text in arguments.averages)}
    if len(known) < len(arguments.averages):
        raise InputError(f"an average is given twice: {', '.join(arguments.averages)}")
    system = solve(Averages(qrels, known, run=arguments.counts, **options))
    rows = completed(system, **predicted)
    finding = row_finding(system, rows)
    if system.status not in SOLVED:
        return Result(finding=finding, tables=(_table(rows),), failures=(finding.sentence,), **head)
    levels = system.levels(band=arguments.band).assign(curve=" & ".join(map(str, system.averages.measures)))
    caption = "Mean interpolated precision of all relevant documents at eleven levels of recall, and its band."
    if not system.averages.reaches(nDCG()):
        caption += " The averages do not say how many documents the lists have: high levels of recall are a guess."
    figure = Sheet(name="levels", panels=(Panel(draw=plotted("plot_curves", levels), caption=caption),))
    shown = levels.drop(columns="curve").rename(columns=ENDS)
    curve = Table(name="levels", title="Mean curve", frame=levels, shown=shown, places=("file", "page"))
    return Result(finding=finding, tables=(_table(rows), curve), figures=(figure,), **head)


def _averages(path: str) -> pd.DataFrame:
    """Printed averages in a file by the names of systems; InputError names a cell that is no number."""
    cells = read_cells(path)
    cells = cells.mask(cells.isin(MISSING))
    names = cells.pop(cells.columns[0])
    for column in measure_columns(cells.columns):
        numbers_of(path, cells[column].dropna(), finite_number, "a finite number")
    for line, name in names[names.duplicated()].items():
        raise InputError(f"{title_of(path)}:{line}: {name!r} twice, expected one row for a system")
    return cells.set_index(names)


def _table(rows: pd.DataFrame, keys: int = 1) -> Table:
    shown = rows.rename(columns=ENDS)
    shown = shown[[*shown.columns.drop(LAST), *LAST]].dropna(axis=1, how="all")
    return Table(name="reported", title="Averages", frame=rows, shown=shown, keys=keys, meanings=REPORTED)
