"""Is system B better than system A? Which systems are better than a baseline?"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import product
from typing import Unpack

import numpy as np
import pandas as pd

from maxent.checks import check_choice, finite_number
from maxent.data.collection import Collection
from maxent.data.embedded import collected, embedded_or
from maxent.data.inputs import Qrels, Runs
from maxent.data.values import EMPTY, Empty, empty_note, unjudged_note, values_by_topic
from maxent.errors import InputError, ProblemError, quoted
from maxent.judgments.estimates import check_unjudged, drawn_values, model_of
from maxent.judgments.pools import pools_of
from maxent.measures import Measure, parse_measure
from maxent.options import CollectOptions, CompareSystemsQuestion, Sources, Test, part_of, takes
from maxent.options.choices import Baseline
from maxent.progress import progress_bar
from maxent.results.content import Drawing, Panel, Sheet, Table, facts_of
from maxent.results.finding import Finding
from maxent.results.question import answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.stats.corrections import CORRECTIONS, corrected
from maxent.stats.paired_tests import (
    TESTS,
    check_level,
    imputed_test,
    paired_test,
    samples_needed,
    topic_samples,
    value_tables,
)
from maxent.stats.pairs import against, by_run, differences, run_means, won_and_lost
from maxent.studies.columns import RUN
from maxent.studies.holdings import heading
from maxent.studies.options import expanded
from maxent.systems.rankings import COMPARED_BY
from maxent.texts import many, measure_label
from maxent.types import FloatArray, IntArray

MEASURES = ("AP", "nDCG@10", "P@10")
NAMES = {
    "t": "paired t-test",
    "permutation": "randomisation test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "bootstrap": "paired bootstrap test",
}
LIKE = 5  # runs that a line names
BASELINE = Column("baseline", "run with which the others are compared", format="name")
MEAN = Column("mean", "mean of the run over topics")
TESTED = Schema(
    COMPARED_BY,
    BASELINE,
    RUN,
    Column("mean_baseline", "mean of the baseline over topics", "its mean"),
    MEAN,
    Column("difference", "mean of the run minus that of the baseline", attached=True),
    Column(
        "{end}",
        "interval of the difference at level 1 - alpha, not corrected for the number of comparisons",
        "95 %",
        explained=True,
        attached=True,
    ),
    Column("p_value", "p-value of the paired test", "p", "p-value"),
    Column(
        "p_value_corrected",
        "p-value, corrected for the number of comparisons with this measure",
        "p corrected",
        "p-value",
    ),
    Column("reject", "whether the corrected p-value is at most alpha", "significant"),
    Column("effect_size", "mean difference divided by its standard deviation over topics", "effect"),
    Column("topics", "number of topics"),
    Column("better", "topics in which the run is better", attached=True),
    Column("worse", "topics in which the run is worse", attached=True),
    Column("equal", "topics in which both have the same value"),
    Column("missing", "topics with relevant documents for which at least one of the two runs has no list"),
)
"""Columns of the tests of a run against a baseline."""
OVERVIEW = Schema(
    COMPARED_BY,
    RUN,
    MEAN,
    Column("better", "runs that it is significantly better than", attached=True),
    Column("worse", "runs that it is significantly worse than", attached=True),
    Column("{measure}", "mean over topics"),
)
"""Columns of the means of the runs, with a column for each measure."""


@answers
@takes(Sources, CompareSystemsQuestion)
def compare_systems(
    runs: Runs | Collection | None = None,
    qrels: Qrels | None = None,
    **options: Unpack[CompareSystemsQuestion],
) -> Result:
    """Which systems differ significantly in their means over the same topics?

    For every measure and run, the result has the mean, its difference from the mean of the baseline with a
    confidence interval, and the p-value, corrected for the number of comparisons by this measure. Without a
    baseline, all pairs of runs are tested: "better" and "worse" count the runs that a run is significantly better
    or worse than, and the best run is compared with the next ones. A topic that is missing from a run counts as an
    empty list. docs/comparing_systems.md describes tests, intervals, effect size and degenerate cases.

    Returns
    -------
    Result
        ``table``: one row per measure, baseline and other run, with means, difference, interval, p-values, effect
        size and numbers of topics.

    Notes
    -----
    Files: systems.csv (one row per measure, baseline and other run) and the figure systems (differences with
    intervals). If a condition fails, the command prints a line for each failure and ends with code 1.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=4, topics=10, depth=100)
    >>> table = me.compare_systems(runs, qrels, measures=["AP", "P@10"], baseline="system1", depth=100).table
    >>> table[["measure", "run_id", "difference", "low", "high", "p_value_corrected", "reject"]].head(3).round(2)
      measure   run_id  difference   low  high  p_value_corrected  reject
    0      AP  system2        0.02 -0.05  0.10               0.69   False
    1      AP  system3       -0.07 -0.14 -0.01               0.10   False
    2      AP  system4       -0.03 -0.08  0.03               0.69   False
    """
    baseline, test, correction = options["baseline"], options["test"], options["correction"]
    alpha, replicates, empty = options["alpha"], options["replicates"], options["empty"]
    unjudged, labels, fail_if_worse = options["unjudged"], options["labels"], options["fail_if_worse"]
    rng = options["rng"]
    corrections = None if correction == "none" else correction
    _check_rule(test=test, correction=corrections, alpha=alpha, replicates=replicates, empty=empty)
    if fail_if_worse is not None and baseline is None:
        raise ProblemError("fail_if_worse needs a baseline to be worse than")
    check_unjudged(unjudged, labels, ("zero", "model"))
    if unjudged == "model" and test != "t":
        raise ProblemError(f'test {test}: with unjudged="model" there is the t-test')
    draws = None
    if unjudged == "zero":
        collection = collected(runs, qrels, options)
    else:
        reading = part_of(CollectOptions, options)
        pools = pools_of(*embedded_or(runs, qrels, options), reading, labels=labels)
        collection = pools.collection
    chosen = expanded(options["measures"], collection.levels)
    if unjudged == "model" and (model := model_of(pools, rng)) is not None:
        if model.withheld:
            raise InputError(f'unjudged="model": {model.withheld}')
        jobs, progress = options["jobs"], options["progress"]
        draws = drawn_values(pools, model, chosen, empty=empty, jobs=jobs, progress=progress)
    bounds = _bounds(options["fail_under"] or {}, chosen)
    rules = f"test={test}, correction={correction}" + ", unjudged=model" * (unjudged == "model")
    head = heading(collection, runs, qrels, rules, title=options["title"])
    table = systems_table(
        collection,
        measures=chosen,
        baseline=baseline,
        test=test,
        correction=corrections,
        alpha=alpha,
        replicates=replicates,
        empty=empty,
        rng=rng,
        progress=options["progress"],
        draws=draws,
    )
    baselines = [] if baseline is None else list(table["baseline"].unique())
    return Result(
        finding=comparison_finding(
            table, baselines=baselines, test=test, correction=corrections, alpha=alpha, replicates=replicates
        ),
        views=_views(table, baselines, _tested(alpha)),
        sheets=(_sheet(table, baselines),),
        facts=facts_of(CompareSystemsQuestion, options, "test", "correction", "alpha", "empty", "unjudged"),
        notes=(*empty_note(collection, empty), *unjudged_note(collection)),
        failures=failures(table, baselines=baselines, fail_under=bounds, fail_if_worse=fail_if_worse),
        main="systems",
        **head,
    )


def _check_rule(*, test: str, correction: str | None, alpha: float, replicates: int, empty: str) -> None:
    """Raise an error, before the work, if an option of the tests is invalid."""
    check_choice("test", test, TESTS, raises=ProblemError)
    if correction is not None:
        check_choice("correction", correction, CORRECTIONS, raises=ProblemError)
    check_level(alpha, replicates)
    check_choice("empty", empty, EMPTY, raises=InputError)


def _bounds(fail_under: Mapping[str, float], measures: Sequence[Measure]) -> dict[str, float]:
    """Required means by text form; an error unless all measures are among the compared ones."""
    if not isinstance(fail_under, Mapping):
        raise ProblemError(f"fail_under must be a mapping from measures to means, got {quoted(fail_under)}")
    bounds = {
        str(parse_measure(measure)): finite_number(f"fail_under {measure}", least)
        for measure, least in fail_under.items()
    }
    for measure in bounds:
        if measure not in map(str, measures):
            raise ProblemError(f"fail_under {measure}: not among the measures {', '.join(map(str, measures))}")
    return bounds


def systems_table(
    collection: Collection,
    *,
    measures: Sequence[Measure],
    baseline: Baseline | None = None,
    test: Test = "t",
    correction: str | None = "holm",
    alpha: float = 0.05,
    replicates: int = 10_000,
    empty: Empty = "zero",
    rng: np.random.Generator | int = 0,
    progress: bool = True,
    draws: FloatArray | None = None,
) -> pd.DataFrame:
    """Main table of :func:`maxent.compare_systems`, for a collection or for drawn values (imputation).

    The shape of drawn values is (measures, topics, runs, draws).
    """
    names = np.array(collection.runs, dtype=object)
    first, second = _pairs(collection.runs, baseline)
    values = value_tables(values_by_topic(collection, measures=measures, empty=empty))
    missing = (collection.missing[:, first] | collection.missing[:, second]).sum(axis=0)
    counts, seed = topic_samples(len(values[0][1]), replicates, rng)
    tables = []
    bar = progress_bar(values, desc="comparing", unit="measure", shown=progress)
    for k, (measure, frame) in enumerate(bar):
        scores = np.asfortranarray(frame, dtype=np.float64)  # topics side by side in memory: sums round alike
        scores = scores if draws is None else draws[k].mean(axis=-1)
        keys = {"measure": measure, "baseline": names[first], "run_id": names[second]}
        means = {"mean_baseline": scores.mean(axis=0)[first], "mean": scores.mean(axis=0)[second]}
        if draws is None:
            tests = paired_test(scores, first, second, test=test, alpha=alpha, counts=counts, seed=seed)
        else:
            tests = imputed_test(draws[k], first, second, alpha=alpha)
        tests.insert(4, "p_value_corrected", corrected(tests["p_value"], correction))
        tests.insert(5, "reject", tests["p_value_corrected"] <= alpha)
        tables.append(pd.DataFrame(keys | means).join(tests).assign(missing=missing))
    return pd.concat(tables, ignore_index=True)


def _pairs(runs: Sequence[str], baseline: Baseline | None) -> tuple[IntArray, IntArray]:
    """Positions of the baseline and the run of each pair, without repeated pairs."""
    if baseline is None:
        return np.triu_indices(len(runs), 1)
    named = [baseline] if isinstance(baseline, str | int | np.integer) else list(baseline)
    chosen = list(dict.fromkeys(_position(runs, name) for name in named))
    if not chosen:
        raise InputError("no baseline in the list; leave baseline out to compare all pairs of runs")
    pairs = [(b, r) for k, b in enumerate(chosen) for r in range(len(runs)) if r not in chosen[: k + 1]]
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return first, second


def _position(runs: Sequence[str], baseline: object) -> int:
    """Position of a run that is given by name or position."""
    if isinstance(baseline, int | np.integer) and not isinstance(baseline, bool) and 0 <= baseline < len(runs):
        return int(baseline)
    if baseline in runs:
        return runs.index(str(baseline))
    near = get_close_matches(str(baseline), runs, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"expected one of {', '.join(runs)}"
    raise InputError(f"baseline {baseline!r} is no run; {hint}")


def _tested(alpha: float) -> Schema:
    """Columns of the tests at a level: the heading of the interval follows from it."""
    heading = f"{100 * (1 - alpha):g} %"
    return Schema(*(column._replace(heading=heading) if column.name == "{end}" else column for column in TESTED))


def _views(table: pd.DataFrame, baselines: Sequence[str], schema: Schema) -> tuple[Table, ...]:
    """Tables for people, for each baseline and measure, or for all pairs; and all tests, the best runs first."""
    by_measure = [rows for _, rows in table.groupby("measure", sort=False)]
    if baselines:
        overviews = [
            _against_baseline(f"against{number}", rows, baseline, schema)
            for number, (baseline, rows) in enumerate(product(baselines, by_measure))
        ]
    else:
        counts = won_and_lost(table)
        best = [differences(rows, str(run_means(rows).iloc[:, 0].idxmax())).head(LIKE) for rows in by_measure]
        overviews = [
            Table(
                name="overview",
                title="Runs by their means",
                frame=counts,
                shown=by_run(counts),
                schema=OVERVIEW,
                places=("text", "page"),
            ),
            Table(
                name="best",
                title="The best run by each measure against the next",
                frame=pd.concat(best),
                schema=schema,
                places=("text", "page"),
                keys=3,
            ),
        ]
    tests = pd.concat([rows.sort_values("mean", ascending=False, kind="stable") for rows in by_measure])
    return (
        *overviews,
        Table(
            name="systems",
            title="Tests",
            frame=table,
            shown=tests,
            schema=schema,
            places=("file", "page"),
            closed=True,
        ),
    )


def _against_baseline(name: str, rows: pd.DataFrame, baseline: str, schema: Schema) -> Table:
    """A table for people: runs by one measure, below their baseline."""
    compared = differences(rows, baseline)
    first = pd.DataFrame({"run_id": [baseline], "mean": against(rows, baseline)["mean_baseline"].iloc[:1]})
    title = f"{measure_label(compared['measure'].iloc[0])}: runs against {baseline}"
    shown = pd.concat([first, compared.drop(columns=["measure", "baseline"])])
    return Table(name=name, title=title, frame=shown, schema=schema, places=("text", "page"))


def _sheet(table: pd.DataFrame, baselines: Sequence[str]) -> Sheet:
    """A panel for each baseline and measure, or for each measure and its best run."""
    means = run_means(table)
    pairs = [(str(m), b) for b in baselines for m in means] or [(str(m), str(means[m].idxmax())) for m in means]
    panels = [
        Panel(
            draw=Drawing("plot_comparison", table, measure=measure, baseline=baseline),
            caption=f"{measure_label(measure)}: differences to {baseline} with their intervals; in colour if "
            "significant.",
            size=(4.1, 1.3 + 0.17 * len(means)),
        )
        for measure, baseline in pairs
    ]
    return Sheet(name="systems", panels=tuple(panels), columns=means.shape[1])


def comparison_finding(
    table: pd.DataFrame,
    *,
    baselines: Sequence[str] = (),
    test: str = "t",
    correction: str | None = "holm",
    alpha: float = 0.05,
    replicates: int = 10_000,
) -> Finding:
    """Finding: by each measure, the runs significantly better than the baselines, or than all other runs."""
    lines = []
    best: dict[str, str] = {}
    for measure, rows in table.groupby("measure", sort=False):
        name = measure_label(str(measure))
        best[name] = str(run_means(rows).iloc[:, 0].idxmax())
        lines += [_against(rows, name, baseline) for baseline in baselines] or [
            _best_of_all(rows, name, best[name])
        ]
    family, topics = int(table.groupby("measure").size().max()), int(table["topics"].max())
    corrected = "" if correction is None else f"{correction} correction of "
    rule = f"significant: {NAMES[test]}, p <= {alpha:g}, {corrected}{many(family, 'comparison')} by each measure"
    few = samples_needed(family, topics, test=test, correction=correction, alpha=alpha, replicates=replicates)
    alone = next(iter(best.values())) if len(best) == 1 and not baselines else None
    return Finding(lines[0], (*lines[1:], rule), few, best=alone, topics=topics)


def _against(rows: pd.DataFrame, name: str, baseline: str) -> str:
    pairs = against(rows, baseline)
    up, down = (int((pairs["reject"] & (pairs["difference"] * sign > 0)).sum()) for sign in (1, -1))
    return f"by {name}, {up} of {many(len(pairs), 'run')} significantly better than {baseline}, {down} worse"


def _best_of_all(rows: pd.DataFrame, name: str, best: str) -> str:
    pairs = against(rows, best)
    like = pairs.loc[~pairs["reject"]].sort_values("difference", ascending=False, kind="stable")["run_id"]
    tail = "significantly better than every other"
    if len(like):
        more = f" and {len(like) - LIKE} more" if len(like) > LIKE else ""
        tail = f"not significantly better than {', '.join(like.head(LIKE))}{more}"
    return f"by {name}, {best} has the highest mean, {tail}"


def failures(
    table: pd.DataFrame,
    *,
    baselines: Sequence[str] = (),
    fail_under: Mapping[str, float],
    fail_if_worse: float | None = None,
) -> tuple[str, ...]:
    """Failed conditions: a mean below ``fail_under``, or a run worse than a baseline (``fail_if_worse``)."""
    means = run_means(table)
    failed = [
        f"run {run!r}: {measure} is {mean:.6g}, under {least:g}"
        for measure, least in fail_under.items()
        for run, mean in means[measure].items()
        if run not in baselines and not mean >= least
    ]
    if fail_if_worse is not None:
        columns = ["run_id", "measure", "mean", "mean_baseline", "baseline", "p_value_corrected"]
        worse = table[table["reject"] & (table["difference"] < -fail_if_worse) & ~table["run_id"].isin(baselines)]
        failed += [
            f"run {run!r}: {measure} is {mean:.6g}, significantly worse than the {other:.6g} of {baseline!r} "
            f"(corrected p-value {p:.2g})"
            for run, measure, mean, other, baseline, p in worse[columns].itertuples(index=False)
        ]
    return tuple(failed)
