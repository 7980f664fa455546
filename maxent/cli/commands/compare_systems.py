"""``maxent compare systems``: significance tests of runs against baselines, and conditions for automatic checks."""

import argparse
from collections.abc import Iterator
from typing import Any

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.content import Fact, Panel, Sheet, Table, plotted
from maxent.data.collection import Collection
from maxent.data.evaluate import EMPTY
from maxent.errors import ProblemError
from maxent.measures import parse_measure
from maxent.result import Result
from maxent.systems.compare_judgments import RANKING
from maxent.systems.comparison import against, compare_systems, run_means, wide_comparison, won_and_lost
from maxent.systems.findings import comparison_finding, failures
from maxent.systems.paired_tests import CORRECTIONS, TESTS
from maxent.texts import measure_label
from maxent.words import SYSTEMS

DESCRIPTION = """\
Which runs are better than a baseline?  Prints, for every run and measure, the mean, its difference to that of the
baseline, and a * where the difference is significant after correction for the number of comparisons by the measure.
Without --baseline all pairs of runs are tested, and "better" and "worse" count the runs that a run is significantly
better or worse than.  A topic that is missing from a run is an empty list.  Without --qrels and --runs it uses an
embedded, simulated collection.

Files in --out: systems.csv (a row for each measure, baseline and other run: means, difference with confidence
interval, p-values, effect size, numbers of topics), systems_wide.csv (a row for each run, in the columns of
PyTerrier's experiments), systems.png and .svg (differences with intervals).

Exit code 1, with a line for each failure, if a condition fails:
  maxent compare systems ... --baseline bm25 --measures nDCG@10 --fail-if-worse --fail-under nDCG@10=0.40"""
QUESTION = (
    "Systems are compared by the means of measures over the same topics. Which differences are larger than what "
    "chance explains?"
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser, required=False)
    shared.add_seed(parser)
    shared.add_measures(parser, " ".join(RANKING), default=RANKING)
    parser.add_argument("--baseline", nargs="+", metavar="RUN",
                        help="runs that the others are compared with (default: all pairs of runs)")  # fmt: skip
    parser.add_argument("--test", choices=TESTS, default="t",
                        help="paired t-test (default), randomisation, signed ranks, bootstrap")  # fmt: skip
    parser.add_argument("--correction", choices=[*CORRECTIONS, "none"], default="holm",
                        help="of the p-values of each measure (default: holm)")  # fmt: skip
    parser.add_argument("--alpha", type=float, default=0.05, metavar="A", help="significance level (default: 0.05)")
    parser.add_argument("--replicates", type=shared.positive, default=10_000, metavar="B",
                        help="of permutation and bootstrap (default: 10000)")  # fmt: skip
    parser.add_argument("--empty", choices=EMPTY, default="zero",
                        help="topics without relevant documents count 0 (default) or do not count")  # fmt: skip
    checks = parser.add_argument_group("conditions; exit code 1 if one fails")
    checks.add_argument("--fail-under", nargs="+", type=_bound, default=[], metavar="M=VALUE",
                        help="every run that is no baseline must have at least this mean")  # fmt: skip
    checks.add_argument("--fail-if-worse", action="store_true",
                        help="no other run may be significantly worse than a baseline")  # fmt: skip


def run(arguments: argparse.Namespace) -> Result:
    """Carry out the command."""
    if arguments.fail_if_worse and arguments.baseline is None:
        raise ProblemError("--fail-if-worse needs a --baseline to be worse than")
    collection, name = given.collection(arguments)
    measures = given.measures(arguments.measures, collection.levels)
    if unknown := [measure for measure, _ in arguments.fail_under if measure not in map(str, measures)]:
        raise ProblemError(f"--fail-under {unknown[0]}: not among the measures {', '.join(map(str, measures))}")
    head = given.heading(arguments, collection, name, f"test={arguments.test}, correction={arguments.correction}")
    rule: dict[str, Any] = {
        "test": arguments.test,
        "correction": None if arguments.correction == "none" else arguments.correction,
        "alpha": arguments.alpha,
        "replicates": arguments.replicates,
    }
    table = compare_systems(
        collection,
        measures=measures,
        baseline=arguments.baseline,
        **rule,
        empty=arguments.empty,
        rng=arguments.seed,
        progress=not arguments.quiet,
    )
    baselines = list(table["baseline"].unique()) if arguments.baseline is not None else []
    return Result(
        question=QUESTION,
        finding=comparison_finding(table, baselines=baselines, **rule),
        tables=tuple(_tables(table, baselines, given.printer(arguments).decimals)),
        figures=(_figure(table, baselines),),
        facts=(
            Fact("test", arguments.test, "paired test over topics"),
            Fact("correction", arguments.correction, "of the p-values for the number of comparisons by a measure"),
            Fact("alpha", f"{arguments.alpha:g}", "significance level; intervals have level 1 - alpha"),
            Fact(
                "empty", arguments.empty, "topics without relevant documents count 0 (zero) or do not count (skip)"
            ),
        ),
        notes=tuple(_notes(collection, arguments.empty)),
        failures=failures(
            table, baselines=baselines, fail_under=arguments.fail_under, fail_if_worse=arguments.fail_if_worse
        ),
        main="systems",
        **head,
    )


def _bound(text: str) -> tuple[str, float]:
    """Measure and value from ``nDCG@10=0.40``."""
    measure, _, value = text.rpartition("=")
    try:
        return str(parse_measure(measure)), float(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: write measure=value, e.g. nDCG@10=0.40 ({error})") from None


def _tables(table: pd.DataFrame, baselines: list[str], places: int) -> Iterator[Table]:
    """A table for people for each baseline, or one for all pairs; all tests, the best runs first."""
    for number, baseline in enumerate(baselines):
        title = f"Runs by their means, against {baseline}"
        shown = _compared(table, baseline, places)
        yield Table(name=f"overview{number}", title=title, frame=table, shown=shown, places=("text",))
    if not baselines:
        yield _overview(won_and_lost(table))
    order = {str(measure): k for k, measure in enumerate(table["measure"].unique())}
    tests = table.assign(order=table["measure"].map(order)).sort_values(
        ["order", "mean"], ascending=[True, False], kind="stable"
    )
    yield Table(
        name="systems", title="Tests", frame=table, shown=tests.drop(columns="order"), meanings=SYSTEMS,
        places=("file", "page"), closed=not baselines,
    )  # fmt: skip
    yield Table(name="systems_wide", frame=wide_comparison(table), places=("file",))


def _overview(counts: pd.DataFrame) -> Table:
    """Means of the runs, and after each the numbers of runs that they are significantly better and worse than."""
    measures = list(counts["measure"].unique())
    by_run = counts.set_index(["measure", "run_id"])
    order = by_run.loc[measures[0]].index
    shown = pd.concat([by_run.loc[m].loc[order].rename(columns={"mean": m}) for m in measures], axis=1)
    meanings = dict.fromkeys(measures, "mean over topics")
    meanings |= {"better": "than how many runs it is significantly better", "worse": "or worse"}
    return Table(
        name="overview", title="Runs by their means", frame=counts, shown=shown.reset_index(), meanings=meanings,
        places=("text", "page"),
    )  # fmt: skip


def _figure(table: pd.DataFrame, baselines: list[str]) -> Sheet:
    """A panel for each baseline and measure, or for each measure and its best run."""
    means = run_means(table)
    pairs = [(str(m), b) for b in baselines for m in means] or [(str(m), str(means[m].idxmax())) for m in means]
    panels = [
        Panel(
            draw=plotted("plot_comparison", table, measure=measure, baseline=baseline),
            caption=f"{measure_label(measure)}: differences to {baseline} with their intervals; in colour if "
            "significant.",
            size=(4.1, 1.3 + 0.17 * len(means)),
        )
        for measure, baseline in pairs
    ]
    return Sheet(name="systems", panels=tuple(panels), columns=means.shape[1])


def _compared(table: pd.DataFrame, baseline: str, places: int) -> pd.DataFrame:
    """Runs by their mean, the baseline first: means, and differences with a mark of significance."""
    own = against(table, baseline)
    order = own[own["measure"] == own["measure"].iloc[0]].sort_values("mean", ascending=False, kind="stable")
    names = [baseline, *order["run_id"]]
    columns = [pd.Series(names, name="run_id")]
    for measure, rows in own.groupby("measure", sort=False):
        rows = rows.set_index("run_id").loc[names[1:]]
        marks = ["*" if reject else " " for reject in rows["reject"]]
        texts = ["- ", *(f"{d:+.{places}f}{mark}" for d, mark in zip(rows["difference"], marks, strict=True))]
        means = [rows["mean_baseline"].iloc[0], *rows["mean"]]
        columns += [pd.Series(means, name=measure_label(str(measure))), pd.Series(texts, name="difference ")]
    return pd.concat(columns, axis=1)


def _notes(collection: Collection, empty: str) -> Iterator[str]:
    """Which topics count, and which runs have no documents for some of them."""
    if collection.without_relevant:
        rule = "count 0 (--empty skip leaves them out)" if empty == "zero" else "are left out"
        yield f"topics without relevant documents {rule}: {len(collection.without_relevant)}"
    for run, number in zip(collection.runs, collection.missing.sum(axis=0), strict=True):
        if number:
            yield f"run {run!r} has no documents for {number} of {len(collection.topics)} topics: empty lists"
