"""Two sets of judgments have documents and topics in common. Do they give the same grades, and do measures rank the
systems alike with either of them?

Prints how many documents have which grades by the first (A) and the second file (B), and agreement and Cohen's
kappa, also weighted, of the documents that both judge, with 95 % bootstrap intervals over topics. With --runs: do
both rank the systems alike? Prints Kendall's tau-b and AP correlation between the systems' means (A being the
truth), and the run that loses the most ranks from A to B. With --choose-g: which g does each of them choose, and
how much worse is the choice of the other? Only the topics that both judge count. With --format tsv, csv or jsonl it
prints the rankings, or without --runs the agreement.

Files in --out: confusion.csv, agreement.csv, the figure confusion; with --runs means.csv (and ranks of each run),
rankings.csv; with --choose-g choices.csv.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.content import Fact, Panel, Sheet, Table, plotted
from maxent.data.inputs import as_qrels
from maxent.result import Result
from maxent.study_tables import one_row_each
from maxent.systems.compare_judgments import (
    RANKING,
    JudgmentComparison,
    changes,
    compare_judgments,
    confusion_matrix,
    shared_topics,
)
from maxent.systems.findings import judgments_finding, judgments_introduction
from maxent.texts import candidates_of, many
from maxent.words import JUDGMENTS

GRID = "GAP(g=...): one row for each g of the grid; with all of g at grade 1 it is AP"


def add(parser: argparse.ArgumentParser) -> None:
    files = parser.add_argument_group("input (as for the other commands)")
    both = {"nargs": 2, "metavar": ("A", "B"), "required": True, "help": "the two sets of judgments"}
    runs = {"help": "ranked lists; without them only grades are compared"}
    shared.add_options(files, qrels=both, runs=runs)
    shared.add_options(files, "topics", "depth", "allow_unjudged", "ignore_identical_ids")
    shared.add_options(
        files.add_mutually_exclusive_group(),
        grades={"help": "grade of each rating of B above 0, e.g. 1=0,2=1,3=2"},
        bins={"help": "real-valued ratings in B: the grade is the number of these it reaches"},
    )
    shared.add_measures(parser, f"{' '.join(RANKING)} GAP (over the grid)", default=[*RANKING, "GAP"])
    shared.add_options(parser, g_steps={"default": 5, "help": "points along an edge of the g grid"})
    parser.add_argument("--choose-g", action="store_true", help="let A and B choose g, which takes longer")
    shared.add_options(
        parser, "duplicates", "jobs", "seed", replicates={"default": 1000, "help": "bootstrap samples"}
    )


def run(arguments: argparse.Namespace) -> Result:
    names = arguments.qrels
    of_b = given.keywords(arguments, "grades", "bins", "duplicates")
    tables = as_qrels(names[0], duplicates=arguments.duplicates), as_qrels(names[1], **of_b)
    both = shared_topics(*tables)
    topics = given.topics(arguments.topics, pd.DataFrame({"query_id": both})) or both
    highest = [max(int(table.loc[table["query_id"].isin(topics), "relevance"].max()), 1) for table in tables]
    introduction = judgments_introduction(names, tables, len(topics), highest)
    head = given.announced(arguments, " and ".join(names), introduction)
    found = compare_judgments(
        tables[0],
        tables[1],
        runs=None if arguments.runs is None else list(map(given.named, arguments.runs)),
        measures=given.measures(arguments.measures, max(highest), arguments.g_steps),
        g=(),
        **(given.list_options(arguments) | {"topics": topics}),
        **given.keywords(arguments, "choose_g", "replicates", "rng"),
    )
    statistic = found.agreement.iloc[0]
    return Result(
        finding=judgments_finding(found),
        tables=_tables(found),
        figures=(_figure(found, names),),
        facts=(
            Fact("A", names[0], "the first set of judgments"),
            Fact("B", names[1], "the second set"),
            Fact("topics", str(statistic["topics"]), "topics that both judge"),
            Fact("documents", str(statistic["documents"]), "documents that both judge"),
        ),
        main="agreement" if arguments.runs is None else "rankings",
        **head,
    )


def _tables(found: JudgmentComparison) -> tuple[Table, ...]:
    """Grades and agreement; rankings and choices of g, which are empty unless they were asked for."""
    crossed = confusion_matrix(found.confusion).rename_axis(columns=None).reset_index(names="A \\ B")
    documents = many(int(found.agreement["documents"].iloc[0]), "document")
    runs = many(found.means["run_id"].nunique(), "run")
    chosen = ["judgments", "measure", "objective", "low", "high", "other", "other_objective"]
    choices = found.choices.assign(judgments=found.choices["judgments"].str.upper())
    return (
        Table(
            name="confusion", title="documents by their grades in A (rows) and B (columns)", frame=found.confusion,
            shown=crossed.rename(columns=str),
        ),
        Table(
            name="agreement", title=f"agreement of the {documents} that both judge", frame=found.agreement,
            shown=found.agreement[["statistic", "value", "low", "high"]], meanings=JUDGMENTS,
        ),
        Table(
            name="rankings", title=f"rankings of {runs} by each measure, with A and with B",
            frame=found.rankings, shown=one_row_each(changes(found.rankings)), meanings=JUDGMENTS,
            note=GRID if candidates_of(found.rankings["measure"]) else "",
        ),
        Table(
            name="means", title="Means of the runs", frame=found.means, places=("file", "page"), closed=True,
            meanings=JUDGMENTS,
        ),
        Table(
            name="choices", title="g of the smallest mean RMS error, in the default reading", frame=found.choices,
            shown=choices[[*chosen, "excess_low", "excess_high", "lists"]],
            meanings={"measure": "GAP with the g that the set chooses"},
        ),
    )  # fmt: skip


def _figure(found: JudgmentComparison, names: Sequence[str]) -> Sheet:
    """Documents by their grades."""
    first, second = (f"{letter}: {Path(name).name}" for letter, name in zip("AB", names, strict=True))
    size = len(confusion_matrix(found.confusion))
    panel = Panel(
        draw=plotted("plot_confusion", found.confusion, names=(first, second)),
        caption="Documents by their grades in A (rows) and in B (columns), as shares of the row.",
        size=(max(4.1, 0.5 * size), 1.6 + 0.5 * size),
        white=True,
    )
    return Sheet(name="confusion", panels=(panel,))
