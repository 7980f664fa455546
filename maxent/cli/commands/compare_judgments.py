"""``maxent compare judgments``: two sets of judgments of one collection."""

import argparse

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.cli.compared import judgments_figure, judgments_tables
from maxent.content import Fact
from maxent.data.inputs import as_qrels
from maxent.result import Result
from maxent.systems.compare_judgments import RANKING, compare_judgments, shared_topics
from maxent.systems.findings import judgments_finding, judgments_introduction

DESCRIPTION = """\
How well do two sets of judgments agree, human and automatic ones, say?  Prints how many documents have which grades
by the first (A) and the second file (B), and agreement and Cohen's kappa, also weighted, of the documents that both
judge, with 95 % bootstrap intervals over topics.  With --runs: do both rank the systems alike?  Prints Kendall's
tau-b and AP correlation between the systems' means (A being the truth), and the run that loses the most ranks from
A to B.  With --choose-g: which g does each of them choose, and how much worse is the choice of the other?  Only the
topics that both judge count.  With --format tsv, csv or jsonl it prints the rankings, or without --runs the
agreement.

Files in --out: confusion.csv, agreement.csv, the figure confusion; with --runs means.csv (and ranks of each run),
rankings.csv; with --choose-g choices.csv."""
QUESTION = (
    "Two sets of judgments have documents and topics in common. Do they give the same grades, and do measures rank "
    "the systems alike with either of them?"
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    files = parser.add_argument_group("input (as for the other commands)")
    files.add_argument("--qrels", nargs=2, metavar=("A", "B"), required=True, help="the two sets of judgments")
    files.add_argument(
        "--runs", nargs="+", metavar="FILE", help="ranked lists; without them only grades are compared"
    )
    files.add_argument("--topics", metavar="LIST", help="only these topics, e.g. 601-650 or 3,7,12 (default: all)")
    shared.add_options(files, "depth")
    scale = files.add_mutually_exclusive_group()
    scale.add_argument("--grades", type=shared.grades, metavar="R=G,...",
                       help="grade of each rating of B above 0, e.g. 1=0,2=1,3=2")  # fmt: skip
    scale.add_argument("--bins", type=shared.numbers, metavar="X,...",
                       help="real-valued ratings in B: the grade is the number of these it reaches")  # fmt: skip
    shared.add_measures(parser, f"{' '.join(RANKING)} GAP (over the grid)", default=[*RANKING, "GAP"])
    grid = "points along an edge of the g grid"
    parser.add_argument("--g-steps", type=shared.two_or_more, default=5, metavar="N", help=grid)
    parser.add_argument("--choose-g", action="store_true", help="let A and B choose g, which takes longer")
    shared.add_options(parser, "jobs")
    parser.add_argument("--replicates", type=shared.positive, default=1000, metavar="B", help="bootstrap samples")
    shared.add_seed(parser)


def run(arguments: argparse.Namespace) -> Result:
    """Carry out the command."""
    names = arguments.qrels
    tables = as_qrels(names[0]), as_qrels(names[1], grades=arguments.grades, bins=arguments.bins)
    both = shared_topics(*tables)
    topics = given.topics(arguments.topics, pd.DataFrame({"query_id": both})) or both
    highest = [max(int(table.loc[table["query_id"].isin(topics), "relevance"].max()), 1) for table in tables]
    introduction = judgments_introduction(names, tables, len(topics), highest)
    head = given.announced(arguments, " and ".join(names), introduction)
    found = compare_judgments(
        *tables,
        runs=None if arguments.runs is None else list(map(given.named, arguments.runs)),
        measures=given.measures(arguments.measures, max(highest), arguments.g_steps),
        g=(),
        topics=topics,
        **given.keywords(arguments, "choose_g", "depth", "jobs", "replicates", "rng", "progress"),
    )
    statistic = found.agreement.iloc[0]
    return Result(
        question=QUESTION,
        finding=judgments_finding(found),
        tables=judgments_tables(found),
        figures=(judgments_figure(found, names),),
        facts=(
            Fact("A", names[0], "the first set of judgments"),
            Fact("B", names[1], "the second set"),
            Fact("topics", str(statistic["topics"]), "topics that both judge"),
            Fact("documents", str(statistic["documents"]), "documents that both judge"),
        ),
        main="agreement" if arguments.runs is None else "rankings",
        absent=("means", "rankings", "choices"),
        **head,
    )
