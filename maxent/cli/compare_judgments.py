"""``maxent compare judgments``: two sets of judgments of one collection."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import reporting
from maxent.cli.commands import Commands
from maxent.cli.layout import interval, ranking_changes
from maxent.cli.output import new_figure, results, write_figure, write_table
from maxent.cli.printing import INTERVAL, Printer, add_format
from maxent.data.inputs import as_qrels
from maxent.errors import visible
from maxent.measures.labels import CANDIDATE, measure_label
from maxent.systems.compare_judgments import (
    MEASURES,
    JudgmentComparison,
    compare_judgments,
    confusion_matrix,
    shared_topics,
)
from maxent.texts import many

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


def add(kinds: Commands) -> None:
    """Add the command."""
    parser = shared.add_command(kinds, "judgments", "two sets of judgments of one collection", DESCRIPTION)
    files = parser.add_argument_group("input (as for the other commands)")
    files.add_argument("--qrels", nargs=2, metavar=("A", "B"), required=True, help="the two sets of judgments")
    files.add_argument(
        "--runs", nargs="+", metavar="FILE", help="ranked lists; without them only grades are compared"
    )
    files.add_argument("--topics", metavar="LIST", help="only these topics, e.g. 601-650 or 3,7,12 (default: all)")
    files.add_argument("--depth", type=shared.positive, default=1000, metavar="N", help="default: 1000")
    scale = files.add_mutually_exclusive_group()
    scale.add_argument("--grades", type=shared.grades, metavar="R=G,...",
                       help="grade of each rating of B above 0, e.g. 1=0,2=1,3=2")  # fmt: skip
    scale.add_argument("--bins", type=shared.numbers, metavar="X,...",
                       help="real-valued ratings in B: the grade is the number of these it reaches")  # fmt: skip
    parser.add_argument("--measures", nargs="+", metavar="M", default=[*MEASURES, "GAP"],
                        help=f"default: {' '.join(MEASURES)} GAP (over the grid)")  # fmt: skip
    parser.add_argument("--g-steps", type=shared.two_or_more, default=5, metavar="N",
                        help="points along an edge of the g grid (default: 5)")  # fmt: skip
    parser.add_argument("--choose-g", action="store_true", help="let A and B choose g, which takes longer")
    parser.add_argument("--jobs", type=shared.positive, default=1, metavar="N", help="threads (default: 1)")
    parser.add_argument("--replicates", type=shared.positive, default=1000, metavar="B", help="default: 1000")
    shared.add_seed(parser)
    shared.add_out(parser, "the results (nothing is written without it)")
    shared.add_report(parser)
    add_format(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Carry out the command."""
    printer = Printer.of(arguments)
    first = as_qrels(arguments.qrels[0])
    second = as_qrels(arguments.qrels[1], grades=arguments.grades, bins=arguments.bins)
    topics = shared_topics(first, second)
    chosen = shared.topics(arguments.topics, pd.DataFrame({"query_id": topics}))
    own = [table[table["query_id"].isin(chosen or topics)] for table in (first, second)]
    highest = [max(int(table["relevance"].max()), 1) for table in own]
    printer.note(_introduction(arguments.qrels, (first, second), len(chosen or topics), highest))
    found = compare_judgments(
        first,
        second,
        runs=None if arguments.runs is None else [shared.named(text) for text in arguments.runs],
        measures=shared.measures(arguments.measures, levels=max(highest), g_steps=arguments.g_steps),
        g=(),
        choose_g=arguments.choose_g,
        depth=arguments.depth,
        topics=chosen,
        jobs=arguments.jobs,
        replicates=arguments.replicates,
        rng=arguments.seed,
        progress=not printer.quiet,
    )
    if printer.tidy:
        printer.table(found.agreement if arguments.runs is None else found.rankings)
    else:
        _print(found, printer)
    if arguments.out is not None:
        _write(found, arguments)
        printer.written(arguments.out)
    reporting.judgments(arguments, found)


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


def _print(found: JudgmentComparison, printer: Printer) -> None:
    """Print all tables that have rows, each under a title."""
    printer.answer(_finding(found))
    printer.title("documents by their grades in A (rows) and B (columns)")
    printer.table(confusion_matrix(found.confusion).rename_axis(columns=None).reset_index(names="A \\ B"))
    documents = many(int(found.agreement["documents"].iloc[0]), "document")
    printer.title(f"\nagreement of the {documents} that both judge")
    ends = interval(found.agreement["low"], found.agreement["high"], printer.decimals)
    printer.table(found.agreement[["statistic", "value"]].assign(**{"95 %": ends}))
    if len(found.rankings):
        printer.title(
            f"\nrankings of {many(found.means['run_id'].nunique(), 'run')} by each measure, with A and with B"
        )
        printer.table(ranking_changes(found.rankings))
    if len(found.choices):
        printer.title("\nmost informative g, by mean RMS error")
        printer.table(_choices(found.choices, printer.decimals))
    printer.legend(*_legend(found))


def _finding(found: JudgmentComparison) -> str:
    """How well the two agree, in words."""
    values = found.agreement.set_index("statistic")
    share, kappa = values.loc["agreement"], values.loc["quadratic_kappa"]
    lines = [f"the same grade for {share['value']:.1%} of the documents"]
    if kappa["value"] == kappa["value"]:
        ends = f", 95 % [{kappa['low']:.4f}, {kappa['high']:.4f}]" if kappa["low"] == kappa["low"] else ""
        lines.append(f"  quadratically weighted kappa {kappa['value']:.4f}{ends}")
    if found.rankings["tau"].notna().any():
        worst = found.rankings.sort_values("tau", kind="stable").iloc[0]
        lines.append(
            f"  rankings of the runs: least alike by {measure_label(worst['measure'])}, tau {worst['tau']:.4f}"
        )
    return "\n".join(lines)


def _choices(choices: pd.DataFrame, places: int) -> pd.DataFrame:
    """The choice of each set, and how the choice of the other fares."""
    columns = {
        "judgments": choices["judgments"].str.upper(),
        "choice": choices["measure"].map(measure_label),
        "mean RMS": choices["objective"],
        "95 %": interval(choices["low"], choices["high"], places),
        "choice of the other": choices["other"].map(measure_label),
        "its mean RMS": choices["other_objective"],
        "excess (95 %)": interval(choices["excess_low"], choices["excess_high"], places),
        "lists": choices["lists"],
    }
    return pd.DataFrame(columns)


def _legend(found: JudgmentComparison) -> list[str]:
    lines = [
        "kappa: agreement beyond chance (1: perfect), linear and quadratic by the distance of the grades",
        INTERVAL,
    ]
    if len(found.rankings):
        lines.append(
            "tau, tau_ap: agreement of the two rankings (1: the same); tau_ap counts the top more",
        )
        lines.append("falls the most: the run that loses the most ranks from A to B; -: no run loses any")
        if found.rankings["measure"].str.fullmatch(CANDIDATE).any():
            lines.append("GAP(g=...): one row for each g of the grid; with all of g at grade 1 it is AP")
    if len(found.choices):
        lines.append(
            "RMS: error of the curves inferred from GAP, see study; excess: of the choice of the other set"
        )
    return lines


def _write(found: JudgmentComparison, arguments: argparse.Namespace) -> None:
    from maxent.plot.systems import plot_confusion  # loads matplotlib

    tables = {name: getattr(found, name) for name in ("confusion", "agreement", "means", "rankings", "choices")}
    stale = [f"{name}.csv" for name, table in tables.items() if table.empty]  # none of an earlier comparison stays
    size = len(confusion_matrix(found.confusion))
    first, second = (Path(name).name for name in arguments.qrels)
    with results(arguments.out, stale=stale, say=Printer.of(arguments).aside) as out:
        for name, table in tables.items():
            if len(table):
                write_table(table, out / f"{name}.csv")
        figure = new_figure(2.6 + 0.9 * size, 2 + 0.6 * size)
        plot_confusion(found.confusion, names=(f"A: {first}", f"B: {second}"), ax=figure.subplots())
        write_figure(figure, out / "confusion")
