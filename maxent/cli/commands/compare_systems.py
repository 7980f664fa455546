"""Systems are compared by the means of measures over the same topics. Which differences are larger than what chance
explains?

Prints, for every measure and run, the mean, its difference to that of the baseline with its interval, and the
p-value, corrected for the number of comparisons by the measure. Without --baseline all pairs of runs are tested,
"better" and "worse" count the runs that a run is significantly better or worse than, and the best run is compared
with the next. A topic that is missing from a run is an empty list.

Files in --out: systems.csv (a row for each measure, baseline and other run: means, difference with confidence
interval, p-values, effect size, numbers of topics), systems_wide.csv (a row for each run, in the columns of
PyTerrier's experiments), the figure systems (differences with intervals).

Exit code 1, with a line for each failure, if a condition fails:
  maxent compare systems ... --baseline bm25 --measures nDCG@10 --fail-if-worse 0.01 --fail-under nDCG@10=0.40
"""

import argparse
from collections.abc import Sequence

import pandas as pd

from maxent.cli import arguments as shared
from maxent.cli import given
from maxent.content import Panel, Sheet, Table, plotted
from maxent.errors import ProblemError
from maxent.measures import parse_measure
from maxent.result import Result
from maxent.study.corrections import CORRECTIONS
from maxent.systems.compare_judgments import RANKING
from maxent.systems.comparison import (
    against,
    by_run,
    compare_systems,
    differences,
    run_means,
    wide_comparison,
    won_and_lost,
)
from maxent.systems.findings import LIKE, comparison_finding, failures
from maxent.systems.paired_tests import TESTS
from maxent.texts import measure_label
from maxent.words import SYSTEMS

WON = {"better": "than how many runs it is significantly better", "worse": "or worse"}


def add(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser, required=False)
    shared.add_measures(parser, " ".join(RANKING), default=RANKING)
    parser.add_argument("--baseline", nargs="+", metavar="RUN",
                        help="runs that the others are compared with (default: all pairs of runs)")  # fmt: skip
    tests = "paired test over topics: t-test, randomisation, signed ranks, bootstrap"
    parser.add_argument("--test", choices=TESTS, default="t", help=tests)
    corrections = "of the p-values for the number of comparisons by a measure"
    parser.add_argument("--correction", choices=[*CORRECTIONS, "none"], default="holm", help=corrections)
    samples = {"default": 10_000, "help": "samples of permutation and bootstrap"}
    shared.add_options(parser, "seed", "alpha", "empty", replicates=samples)
    checks = parser.add_argument_group("conditions; exit code 1 if one fails")
    checks.add_argument("--fail-under", nargs="+", type=_bound, default=[], metavar="M=VALUE",
                        help="every run that is no baseline must have at least this mean")  # fmt: skip
    worse = "no other run may be significantly worse than a baseline, by more than E if it is given"
    checks.add_argument("--fail-if-worse", nargs="?", type=float, const=0.0, metavar="E", help=worse)


def run(arguments: argparse.Namespace) -> Result:
    if arguments.fail_if_worse is not None and arguments.baseline is None:
        raise ProblemError("--fail-if-worse needs a --baseline to be worse than")
    collection, name = given.collection(arguments)
    measures = given.measures(arguments.measures, collection.levels)
    if unknown := [measure for measure, _ in arguments.fail_under if measure not in map(str, measures)]:
        raise ProblemError(f"--fail-under {unknown[0]}: not among the measures {', '.join(map(str, measures))}")
    head = given.heading(arguments, collection, name, f"test={arguments.test}, correction={arguments.correction}")
    rule = given.keywords(arguments, "test", "correction", "alpha", "replicates")
    rule["correction"] = None if arguments.correction == "none" else arguments.correction
    options = given.keywords(arguments, "baseline", "empty", "rng", "progress")
    table = compare_systems(collection, measures=measures, **rule, **options)
    baselines = list(table["baseline"].unique()) if arguments.baseline is not None else []
    return Result(
        finding=comparison_finding(table, baselines=baselines, **rule),
        tables=_tables(table, baselines),
        figures=(_figure(table, baselines),),
        facts=given.facts(arguments, "test", "correction", "alpha", "empty"),
        notes=(given.topics_used(collection, arguments.empty),) if collection.without_relevant else (),
        failures=failures(table, baselines=baselines, **given.keywords(arguments, "fail_under", "fail_if_worse")),
        main="systems",
        **head,
    )


def _tables(table: pd.DataFrame, baselines: Sequence[str]) -> tuple[Table, ...]:
    """Tables for people, for each baseline and measure, or for all pairs; and all tests, the best runs first."""
    measures = [rows for _, rows in table.groupby("measure", sort=False)]
    if baselines:
        pairs = [(rows, baseline) for baseline in baselines for rows in measures]
        overviews = [_against(f"against{number}", *pair) for number, pair in enumerate(pairs)]
    else:
        counts = won_and_lost(table)
        best = [differences(rows, str(run_means(rows).iloc[:, 0].idxmax())).head(LIKE) for rows in measures]
        meanings = dict.fromkeys(counts["measure"], "mean over topics") | WON
        overviews = [
            Table(
                name="overview", title="Runs by their means", frame=counts, shown=by_run(counts),
                meanings=meanings, places=("text", "page"),
            ),
            Table(
                name="best", title="The best run by each measure against the next", frame=pd.concat(best),
                meanings=SYSTEMS, places=("text", "page"), keys=3,
            ),
        ]  # fmt: skip
    tests = pd.concat([rows.sort_values("mean", ascending=False, kind="stable") for rows in measures])
    return (
        *overviews,
        Table(
            name="systems", title="Tests", frame=table, shown=tests, meanings=SYSTEMS, places=("file", "page"),
            closed=True,
        ),
        Table(name="systems_wide", frame=wide_comparison(table), places=("file",)),
    )  # fmt: skip


def _against(name: str, rows: pd.DataFrame, baseline: str) -> Table:
    """A table for people: runs by one measure, below their baseline."""
    found = differences(rows, baseline)
    own = pd.DataFrame({"run_id": [baseline], "mean": against(rows, baseline)["mean_baseline"].iloc[:1]})
    title = f"{measure_label(found['measure'].iloc[0])}: runs against {baseline}"
    shown = pd.concat([own, found.drop(columns=["measure", "baseline"])])
    return Table(name=name, title=title, frame=shown, meanings=SYSTEMS, places=("text", "page"))


def _figure(table: pd.DataFrame, baselines: Sequence[str]) -> Sheet:
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


def _bound(text: str) -> tuple[str, float]:
    """Measure and value from ``nDCG@10=0.40``."""
    measure, _, value = text.rpartition("=")
    try:
        return str(parse_measure(measure)), float(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: write measure=value, e.g. nDCG@10=0.40 ({error})") from None
