"""``maxent compare judgments``: two sets of judgments of one collection."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.content import Fact, Panel, Sheet, Table, plotted
from maxent.data.inputs import as_qrels
from maxent.errors import visible
from maxent.result import Result
from maxent.study_tables import one_row_each
from maxent.systems.compare_judgments import (
    RANKING,
    JudgmentComparison,
    compare_judgments,
    confusion_matrix,
    shared_topics,
)
from maxent.systems.findings import judgments_finding
from maxent.texts import candidates_of, many
from maxent.words import JUDGMENTS

DESCRIPTION = """\
How well do two sets of judgments agree, human and automatic ones, say?  Prints how many documents have which grades
by the first (A) and the second file (B), and agreement and Cohen's kappa, also weighted, of the documents that both
judge, with 95 % bootstrap intervals over topics.  With --runs: do both rank the systems alike?  Prints Kendall's
tau-b and AP correlation between the systems' means (A being the truth), and the run that loses the most ranks from
A to B.  With --choose-g: which g does each of them choose, and how much worse is the choice of the other?  Only the
topics that both judge count.  With --format tsv, csv or jsonl it prints the rankings, or without --runs the
agreement.

Files in --out: confusion.csv, agreement.csv, confusion.png and .svg; with --runs means.csv (and ranks of each run),
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
    shared.add_option(files, "depth", type=shared.positive, metavar="N")
    scale = files.add_mutually_exclusive_group()
    scale.add_argument("--grades", type=shared.grades, metavar="R=G,...",
                       help="grade of each rating of B above 0, e.g. 1=0,2=1,3=2")  # fmt: skip
    scale.add_argument("--bins", type=shared.numbers, metavar="X,...",
                       help="real-valued ratings in B: the grade is the number of these it reaches")  # fmt: skip
    shared.add_measures(parser, f"{' '.join(RANKING)} GAP (over the grid)", default=[*RANKING, "GAP"])
    parser.add_argument("--g-steps", type=shared.two_or_more, default=5, metavar="N",
                        help="points along an edge of the g grid (default: 5)")  # fmt: skip
    parser.add_argument("--choose-g", action="store_true", help="let A and B choose g, which takes longer")
    shared.add_option(parser, "jobs", type=shared.positive, metavar="N")
    parser.add_argument("--replicates", type=shared.positive, default=1000, metavar="B", help="default: 1000")
    shared.add_seed(parser)


def run(arguments: argparse.Namespace) -> Result:
    """Carry out the command."""
    first = as_qrels(arguments.qrels[0])
    second = as_qrels(arguments.qrels[1], grades=arguments.grades, bins=arguments.bins)
    topics = shared_topics(first, second)
    chosen = given.topics(arguments.topics, pd.DataFrame({"query_id": topics}))
    own = [table[table["query_id"].isin(chosen or topics)] for table in (first, second)]
    highest = [max(int(table["relevance"].max()), 1) for table in own]
    introduction = _introduction(arguments.qrels, (first, second), len(chosen or topics), highest)
    given.printer(arguments).note(introduction)
    found = compare_judgments(
        first,
        second,
        runs=None if arguments.runs is None else [given.named(text) for text in arguments.runs],
        measures=given.measures(arguments.measures, max(highest), arguments.g_steps),
        g=(),
        choose_g=arguments.choose_g,
        depth=arguments.depth,
        topics=chosen,
        jobs=arguments.jobs,
        replicates=arguments.replicates,
        rng=arguments.seed,
        progress=not arguments.quiet,
    )
    both = found.agreement.iloc[0]
    return Result(
        kind="maxent compare judgments",
        title=" and ".join(arguments.qrels),
        question=QUESTION,
        introduction=introduction,
        finding=judgments_finding(found),
        tables=tuple(_tables(found)),
        figures=(_figure(found, arguments.qrels),),
        facts=(
            Fact("A", arguments.qrels[0], "the first set of judgments"),
            Fact("B", arguments.qrels[1], "the second set"),
            Fact("topics", str(both["topics"]), "topics that both judge"),
            Fact("documents", str(both["documents"]), "documents that both judge"),
        ),
        main="agreement" if arguments.runs is None else "rankings",
        absent=("means", "rankings", "choices"),
    )


def _introduction(names: Sequence[str], tables: Sequence[pd.DataFrame], topics: int, highest: Sequence[int]) -> str:
    """What is compared, to be printed before the work starts."""
    lines = [
        f"{letter}: {visible(name)}, {many(table['query_id'].nunique(), 'topic')}, grades 0 to {grade}"
        for letter, name, table, grade in zip("AB", names, tables, highest, strict=True)
    ]
    lines.append(f"topics that both judge, and that count: {topics}")
    if highest[0] != highest[1]:
        lines.append(
            "the highest grades differ: if these are two scales, take the coarser one as A and bring B to it"
        )
        lines.append("with --grades; until then agreement and kappa compare unlike grades")
    return "\n".join((*lines, ""))


def _tables(found: JudgmentComparison) -> Iterator[Table]:
    """All tables that have rows."""
    crossed = confusion_matrix(found.confusion).rename_axis(columns=None).reset_index(names="A \\ B")
    documents = many(int(found.agreement["documents"].iloc[0]), "document")
    yield Table(
        name="confusion", title="documents by their grades in A (rows) and B (columns)", frame=found.confusion,
        shown=crossed.rename(columns=str),
    )  # fmt: skip
    yield Table(
        name="agreement", title=f"agreement of the {documents} that both judge", frame=found.agreement,
        shown=found.agreement[["statistic", "value", "low", "high"]], meanings=JUDGMENTS,
    )  # fmt: skip
    if len(found.rankings):
        runs = many(found.means["run_id"].nunique(), "run")
        lines = ("GAP(g=...): one row for each g of the grid; with all of g at grade 1 it is AP",)
        grid = bool(candidates_of(found.rankings["measure"]))
        yield Table(
            name="rankings", title=f"rankings of {runs} by each measure, with A and with B", frame=found.rankings,
            shown=one_row_each(_changes(found.rankings)), meanings=JUDGMENTS, note=lines[0] if grid else "",
        )  # fmt: skip
        yield Table(
            name="means", title="Means of the runs", frame=found.means, places=("file", "page"), closed=True,
            meanings=JUDGMENTS,
        )  # fmt: skip
    if len(found.choices):
        choices = found.choices
        shown = choices.assign(judgments=choices["judgments"].str.upper())
        names = ["judgments", "measure", "objective", "low", "high", "other", "other_objective"]
        yield Table(
            name="choices", title="most informative g, by mean RMS error", frame=choices,
            shown=shown[[*names, "excess_low", "excess_high", "lists"]],
            meanings={"measure": "GAP with the g that the set chooses"},
        )  # fmt: skip


def _changes(rankings: pd.DataFrame) -> pd.DataFrame:
    """A row for each measure: how alike both sets rank runs, and the run that loses the most ranks."""
    falls = [
        "-" if row["drop"] == 0 else f"{row['run_id']}: {row['rank_a']} to {row['rank_b']}"
        for row in rankings.to_dict("records")
    ]
    return rankings[["measure", "tau", "tau_ap"]].assign(falls=falls)


def _figure(found: JudgmentComparison, names: Sequence[str]) -> Sheet:
    first, second = (f"{letter}: {Path(name).name}" for letter, name in zip("AB", names, strict=True))
    size = len(confusion_matrix(found.confusion))
    panel = Panel(
        draw=plotted("plot_confusion", found.confusion, names=(first, second)),
        caption="Documents by their grades in A (rows) and in B (columns), as shares of the row.",
        size=(max(4.1, 0.5 * size), 1.6 + 0.5 * size),
        white=True,
    )
    return Sheet(name="confusion", panels=(panel,))
