"""What do averages over topics, as papers and leaderboards print them, say about the lists behind them?

From averages over topics and the judgments alone, without any run, the most random system with these averages: its
averages of other measures, its mean precision-recall curve, and bands; or that no lists can have the averages
together, the nearest that can, and which one is odd: changed alone, it makes the row possible with the smallest
relative change. A number stands for all that are printed so: AP=.31 is .305 to .315. The lists are whole lists with
any number of documents, or as many as --counts, and the odds beforehand are 1/n unless --reference says otherwise.

Bands are for lists that are good or bad in all topics alike.  With AP, P@10 and R@1000 known, bands of 90 % had
90 to 99 % of other averages of real runs, without R@1000 63 to 84 %.  The default reference of 1/n is the safe one:
lists that are all alike beforehand are closer on two of three collections where AP and R@1000 are known, but far
off where only the first ranks and R@1000 are.

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
from maxent.data.inputs import as_qrels
from maxent.errors import InputError
from maxent.lists.averages import Averages, judged_topics
from maxent.result import Result
from maxent.solvers import solve
from maxent.study.finding import Finding, scope
from maxent.study.reading_words import reference_name
from maxent.study.topics import SOLVED
from maxent.systems.reported import TARGETS, completed, odd_ones, reported
from maxent.texts import many, measure_label

MODEL = "the intervals are those of the model: random lists, alike in all topics, and the rounding of the averages"
REAL = (
    "90 % intervals had 90 to 99 % of averages of real runs with AP, P@10, R@1000 known, 63 to 84 % without R@1000"
)
LAST = ["status", "rounding", "nearest"]
ENDS = {"low": "from", "high": "to"}  # of intervals, in tables that are shown
ODD = "the odd one is that with the smallest relative change; another may be the wrong one"


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
        parser, "topics", "depth",
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
        table = pd.read_csv(arguments.table, index_col=0, dtype=str)
        rows = reported(table, qrels, **options, **predicted, progress=arguments.progress)
        return Result(finding=_of_table(rows), tables=(_table(rows, 2),), **head)
    known = {name: value for name, _, value in (text.partition("=") for text in arguments.averages)}
    system = solve(Averages(qrels, known, run=arguments.counts, **options))
    rows = completed(system, **predicted)
    if system.status not in SOLVED:
        impossible = system.status == "infeasible"
        found = _impossible(rows, arguments.depth) if impossible else Finding(system.message)
        return Result(finding=found, tables=(_table(rows),), failures=(found.sentence,), **head)
    levels = system.levels(band=arguments.band).assign(curve=" & ".join(map(str, system.averages.measures)))
    caption = "Mean interpolated precision of all relevant documents at eleven levels of recall, and its band."
    panel = Panel(draw=plotted("plot_curves", levels), caption=caption)
    shown = levels.drop(columns="curve").rename(columns=ENDS)
    curve = Table(name="levels", title="Mean curve", frame=levels, shown=shown, places=("file", "page"))
    figures = (Sheet(name="levels", panels=(panel,)),)
    return Result(finding=_implied(rows, system.averages), tables=(_table(rows), curve), figures=figures, **head)


def _table(rows: pd.DataFrame, keys: int = 1) -> Table:
    meanings = {
        "value": "average over the topics: as it is given, or expected",
        "from": "of a predicted average: its interval; of an impossible row: what is possible beside the others",
        "rounding": "how far the rounding of the given averages can move it",
        "nearest": "of a row without a distribution: the same average in the nearest row that is possible",
    }
    shown = rows.rename(columns=ENDS)
    columns = [*shown.columns.drop(LAST), *LAST]
    shown = shown[columns].dropna(axis=1, how="all")
    return Table(name="reported", title="Averages", frame=rows, shown=shown, keys=keys, meanings=meanings)


def _implied(rows: pd.DataFrame, averages: Averages) -> Finding | None:
    """What the averages say of the first that is predicted."""
    predicted = rows[rows["status"] == "predicted"]
    if not len(predicted):
        return None
    order = predicted.sort_values("measure", key=lambda names: names != "nDCG@10", kind="stable")
    first, *others = (
        f"{measure_label(str(row.measure))} of {row.value:.3f}, {row.low:.3f} to {row.high:.3f}"
        for row in order.itertuples()
    )
    together = f"lists of {averages.depth:,} documents can have the averages together"
    reading = {"model": "lists", "reference": reference_name(averages.reference), "depth": averages.depth}
    known = {} if averages.retrieved is None else {"count": "retrieved"}
    support = (*others[:3], together, *scope(known | reading))
    return Finding(f"these averages imply {first}", support, (MODEL, REAL))


def _impossible(rows: pd.DataFrame, depth: int) -> Finding:
    """Which average is the odd one, and the nearest row that is possible."""
    first, *others = _odd(rows)
    nearest = ", ".join(f"{row.measure} {row.nearest:.4f}" for row in rows.itertuples())
    sentence = f"no lists of {depth:,} documents can have these averages together: {first}"
    return Finding(sentence, (*others, f"nearest possible row: {nearest}"), (ODD,))


def _odd(rows: pd.DataFrame) -> list[str]:
    """The odd average of an impossible row, and what each could be beside the others."""
    able = list(odd_ones(rows).itertuples())
    if not able:
        return ["no single average is the odd one, the others contradict each other, too"]
    odd = f"the odd one is {able[0].measure}, which would have to be {able[0].changed:.4f}"
    return [odd, *(f"beside the others, {row.measure} can be {row.low:.4f} to {row.high:.4f}" for row in able)]


def _of_table(rows: pd.DataFrame) -> Finding:
    """How many rows are possible, and the odd averages of the others."""
    impossible = rows[rows["status"] == "impossible"]
    names, number = impossible["run_id"].unique(), rows["run_id"].nunique()
    support = tuple(f"{name}: {_odd(impossible[impossible['run_id'] == name])[0]}" for name in names)
    failed = rows.loc[rows["status"] == "failed", "run_id"].unique()
    support += tuple(f"{name}: possible, but no distribution was found" for name in failed)
    cautions = (MODEL, REAL, *([ODD] if len(names) else []))
    return Finding(f"{number - len(names)} of {many(number, 'row')} can be averages of lists", support, cautions)
