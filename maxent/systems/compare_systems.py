"""Is system B better than system A? Which systems are better than a baseline?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import product
from typing import NamedTuple, Self, Unpack

import numpy as np
import pandas as pd

from maxent.checks import check_choice, finite_number
from maxent.data.collection import Collection
from maxent.data.inputs import Qrels, Runs
from maxent.data.topic_columns import WHOLE, topic_categories, topic_weights
from maxent.data.values import EMPTY
from maxent.errors import InputError, ProblemError, quoted
from maxent.judgments.estimates import check_unjudged
from maxent.measures import parse_measure
from maxent.options import CompareSystemsQuestion, Sources, Test, takes
from maxent.options.choices import Baseline, Correction
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
    lone_level,
    paired_test,
    samples_needed,
    topic_samples,
)
from maxent.stats.pairs import against, by_run, differences, run_means, won_and_lost
from maxent.stats.topic_weights import topics_for_power, weights_note
from maxent.studies.columns import RUN
from maxent.systems.rankings import COMPARED_BY
from maxent.systems.scores import Scores, scores_given, scores_of_runs
from maxent.texts import many, measure_label
from maxent.types import FloatArray, IntArray

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
    Column("category", "topics that are compared: all, or those of a category"),
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
    Column("sd", "standard deviation of the differences over topics"),
    Column("topics", "number of topics"),
    Column(
        "topics_needed",
        "smallest number of topics with which a t-test shows the difference with the power asked for, if the "
        "standard deviation is the one observed; at level alpha, divided by the number of comparisons with Holm",
        "topics needed",
    ),
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
        size and numbers of topics; with ``by`` one for each category, too.

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
    _check_rule(options)
    scores = scores_of_runs(runs, qrels, options) if options["values"] is None else scores_given(runs, options)
    topics = list(map(str, scores.tables[0][1].index))
    weights = None if options["weights"] is None else topic_weights(options["weights"], topics, qrels)
    categories = None if options["by"] is None else topic_categories(options["by"], topics, qrels)
    bounds = _bounds(options["fail_under"] or {}, [measure for measure, _ in scores.tables])
    rule = Rule.of(options)
    groups = _topics_by_category(categories, len(topics))
    table = systems_table(
        scores, rule, groups, baseline=options["baseline"], weights=weights, progress=options["progress"]
    )
    whole = table[table["category"] == WHOLE].drop(columns="category")
    table = whole if categories is None else table
    baselines = [] if options["baseline"] is None else list(whole["baseline"].unique())
    finding = comparison_finding(whole, rule, baselines=baselines, groups=len(groups))
    return Result(
        finding=replace(finding, cautions=(*scores.cautions, *finding.cautions)),
        views=_views(table, whole, baselines, _tested(rule.alpha)),
        sheets=(_sheet(whole, baselines),),
        facts=facts_of(CompareSystemsQuestion, options, "test", "correction", "alpha", "empty", "unjudged"),
        notes=(
            *scores.notes,
            *(() if weights is None else (weights_note(weights),)),
            *_omitted(categories or (), groups),
        ),
        failures=failures(whole, baselines=baselines, fail_under=bounds, fail_if_worse=options["fail_if_worse"]),
        main="systems",
        **scores.heading,
    )


def _check_rule(options: CompareSystemsQuestion) -> None:
    """Raise an error, before the work, if an option is invalid, or does not go with another one."""
    test, weights, difference = options["test"], options["weights"], options["difference"]
    check_choice("test", test, TESTS, raises=ProblemError)
    if options["correction"] not in (None, "none"):
        check_choice("correction", options["correction"], CORRECTIONS, raises=ProblemError)
    check_level(options["alpha"], options["replicates"])
    check_level(options["power"], 1, name="power")
    if difference is not None and finite_number("difference", difference) <= 0:
        raise ProblemError(f"difference must be above 0, got {quoted(difference)}")
    check_choice("empty", options["empty"], EMPTY, raises=InputError)
    if options["fail_if_worse"] is not None and options["baseline"] is None:
        raise ProblemError("fail_if_worse needs a baseline to be worse than")
    check_unjudged(options["unjudged"], options["labels"], ("zero", "model"))
    if options["unjudged"] == "model" and test != "t":
        raise ProblemError(f'test {test}: with unjudged="model" there is the t-test')
    if weights is not None and (test == "wilcoxon" or options["unjudged"] == "model"):
        what = "test wilcoxon ranks topics, which" if test == "wilcoxon" else 'unjudged="model"'
        raise ProblemError(f"{what} has no weights; leave weights out")


def _bounds(fail_under: Mapping[str, float], measures: Sequence[str]) -> dict[str, float]:
    """Required means by text form; an error unless all measures are among the compared ones."""
    if not isinstance(fail_under, Mapping):
        raise ProblemError(f"fail_under must be a mapping from measures to means, got {quoted(fail_under)}")
    bounds = {
        str(parse_measure(measure)): finite_number(f"fail_under {measure}", least)
        for measure, least in fail_under.items()
    }
    for measure in bounds:
        if measure not in measures:
            raise ProblemError(f"fail_under {measure}: not among the measures {', '.join(measures)}")
    return bounds


class Rule(NamedTuple):
    """How pairs of runs are compared."""

    test: Test = "t"
    correction: Correction | None = "holm"
    alpha: float = 0.05
    replicates: int = 10_000
    rng: int = 0
    power: float = 0.8
    difference: float | None = None

    @classmethod
    def of(cls, options: CompareSystemsQuestion) -> Self:
        """The rule that options ask for."""
        correction = None if options["correction"] == "none" else options["correction"]
        return cls(**{**{name: options[name] for name in cls._fields}, "correction": correction})  # type: ignore[literal-required]


USUAL = Rule()


def systems_table(
    scores: Scores,
    rule: Rule,
    groups: Mapping[str, IntArray],
    *,
    baseline: Baseline | None,
    weights: FloatArray | None,
    progress: bool,
) -> pd.DataFrame:
    """Main table of :func:`maxent.compare_systems`, with the column category.

    ``groups`` has the positions of all topics, and of those of each category. The p-values of a measure are
    corrected for all groups together. ``weights`` (topics,) are those of the topics.
    """
    names = scores.tables[0][1].columns.to_numpy(dtype=object)
    first, second = _pairs(list(names), baseline)
    samples = {name: topic_samples(len(topics), rule.replicates, rule.rng) for name, topics in groups.items()}
    tables = []
    for measure in progress_bar(range(len(scores.tables)), desc="comparing", unit="measure", shown=progress):
        parts = []
        for category, topics in groups.items():
            shares = None if weights is None else _weights_within(weights[topics], category)
            tests = _tests(scores, measure, topics, first, second, rule, samples[category], shares)
            keys = {"measure": scores.tables[measure][0], "category": category}
            keys |= {"baseline": names[first], "run_id": names[second]}
            parts.append(pd.DataFrame(keys).join(tests))
        tests_of_measure = pd.concat(parts, ignore_index=True)
        p_values = corrected(tests_of_measure["p_value"], rule.correction)
        place = list(tests_of_measure.columns).index("p_value")
        tests_of_measure.insert(place + 1, "p_value_corrected", p_values)
        tests_of_measure.insert(place + 2, "reject", p_values <= rule.alpha)
        tests_of_measure["topics_needed"] = _topics_for_power(tests_of_measure, rule)
        tables.append(tests_of_measure)
    return pd.concat(tables, ignore_index=True)


def _tests(
    scores: Scores,
    measure: int,
    topics: IntArray,
    first: IntArray,
    second: IntArray,
    rule: Rule,
    samples: tuple[FloatArray, int],
    weights: FloatArray | None,
) -> pd.DataFrame:
    """A row for each pair of runs (pairs,), over some of the topics and by one measure, before any correction."""
    if scores.draws is None:
        table = scores.tables[measure][1].iloc[topics]
        values = np.asfortranarray(table, dtype=np.float64)  # topics side by side in memory: sums round alike
        counts, seed = samples
        tests = paired_test(
            values,
            first,
            second,
            test=rule.test,
            alpha=rule.alpha,
            counts=counts,
            seed=seed,
            weights=weights,
        )
    else:
        values = scores.draws[measure][topics].mean(axis=-1)
        tests = imputed_test(scores.draws[measure][topics], first, second, alpha=rule.alpha)
    means = np.average(values, axis=0, weights=weights)
    missing = scores.missing[topics]
    compared = pd.DataFrame({"mean_baseline": means[first], "mean": means[second]})
    number = (missing[:, first] | missing[:, second]).sum(axis=0)
    return compared.join(tests).assign(missing=number)


def _topics_for_power(tests: pd.DataFrame, rule: Rule) -> "pd.Series[int]":
    """Number of topics (pairs,) that each of the tests of a measure needs, with the level of a lone comparison."""
    size = tests["difference"].abs() if rule.difference is None else pd.Series(rule.difference, index=tests.index)
    effect = (size / tests["sd"]).fillna(0.0)  # 0 / 0: no difference
    level = lone_level(len(tests), rule.correction, rule.alpha)
    needed = topics_for_power(effect.to_numpy(), power=rule.power, alpha=level)
    return pd.Series(np.where(np.isfinite(needed), needed, np.nan), index=tests.index).astype("Int64")


def _topics_by_category(categories: Sequence[str] | None, topics: int) -> dict[str, IntArray]:
    """Positions of all topics, and of those of each category that has two or more."""
    groups: dict[str, IntArray] = {WHOLE: np.arange(topics)}
    if categories is None:
        return groups
    for name in sorted(set(categories)):
        members = np.flatnonzero(np.array(categories) == name)
        if len(members) > 1:
            groups[name] = members
    return groups


def _omitted(categories: Sequence[str], groups: Mapping[str, IntArray]) -> tuple[str, ...]:
    """Note on the categories that have a single topic."""
    single = [name for name in dict.fromkeys(categories) if name not in groups]
    return (f"categories with a single topic, which are not tested: {', '.join(single)}",) if single else ()


def _weights_within(weights: FloatArray, category: str) -> FloatArray:
    """Weights of the topics of a category; an error if all are 0."""
    if not weights.any():
        raise InputError(f"weights: 0 for every topic of the category {category!r}")
    return weights


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


def _views(table: pd.DataFrame, whole: pd.DataFrame, baselines: Sequence[str], schema: Schema) -> tuple[Table, ...]:
    """Tables for people, for each baseline and measure, or for all pairs; and all tests, the best runs first.

    ``whole`` has the rows of the table that are about all topics.
    """
    by_measure = [rows for _, rows in whole.groupby("measure", sort=False)]
    if baselines:
        overviews = [
            _against_baseline(f"against{number}", rows, baseline, schema)
            for number, (baseline, rows) in enumerate(product(baselines, by_measure))
        ]
    else:
        counts = won_and_lost(whole)
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
    order = [
        rows.sort_values("mean", ascending=False, kind="stable") for _, rows in table.groupby("measure", sort=False)
    ]
    tests = pd.concat(order)
    return (
        *overviews,
        *((_by_category(table, schema),) if "category" in table else ()),
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


def _by_category(table: pd.DataFrame, schema: Schema) -> Table:
    """A table for people: each pair of runs, in all topics and in those of each category."""
    columns = ["measure", "baseline", "run_id", "category", "topics", "mean", "difference", "low", "high"]
    pairs = table.sort_values(["measure", "baseline", "run_id"], kind="stable")
    return Table(
        name="categories",
        title="Runs by category of the topics",
        frame=pairs[[*columns, "p_value_corrected"]],
        schema=schema,
        places=("text", "page"),
        keys=3,
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
    table: pd.DataFrame, rule: Rule = USUAL, *, baselines: Sequence[str] = (), groups: int = 1
) -> Finding:
    """Finding: by each measure, the runs significantly better than the baselines, or than all other runs.

    ``table`` is about all topics; ``groups`` is the number of sets of topics whose tests are corrected together.
    """
    family = groups * int(table.groupby("measure").size().max())
    lines, needed = [], []
    best: dict[str, str] = {}
    for measure, rows in table.groupby("measure", sort=False):
        name = measure_label(str(measure))
        best[name] = str(run_means(rows).iloc[:, 0].idxmax())
        lines += [_against(rows, name, baseline) for baseline in baselines] or [
            _best_of_all(rows, name, best[name])
        ]
        needed += [
            line for base in baselines or [best[name]] for line in _topics_needed(rows, name, base, rule, family)
        ]
    topics = int(table["topics"].max())
    corrected = "" if rule.correction is None else f"{rule.correction} correction of "
    significant = (
        f"{NAMES[rule.test]}, p <= {rule.alpha:g}, {corrected}{many(family, 'comparison')} by each measure"
    )
    few = samples_needed(
        family,
        topics,
        test=rule.test,
        correction=rule.correction,
        alpha=rule.alpha,
        replicates=rule.replicates,
    )
    alone = next(iter(best.values())) if len(best) == 1 and not baselines else None
    return Finding(lines[0], (*lines[1:], f"significant: {significant}", *needed), few, best=alone, topics=topics)


def _topics_needed(rows: pd.DataFrame, name: str, baseline: str, rule: Rule, family: int) -> list[str]:
    """Line on the number of topics that a difference needs: the one asked for, or the largest insignificant one."""
    pairs = against(rows, baseline)
    level = lone_level(family, rule.correction, rule.alpha)
    power = f"for power {rule.power:g} (t-test, level {level:.2g}{', corrected' if level < rule.alpha else ''})"
    if rule.difference is not None:
        least, most = (f"{end:,}" for end in (pairs["topics_needed"].min(), pairs["topics_needed"].max()))
        number = least if least == most else f"{least} to {most}"
        return [f"by {name}, a difference of {rule.difference:g} from {baseline} needs {number} topics {power}"]
    open_pairs = pairs[~pairs["reject"] & pairs["topics_needed"].notna()]
    if open_pairs.empty:
        return []
    pair = open_pairs.iloc[int(open_pairs["difference"].abs().argmax())]
    return [
        f"by {name}, {pair['run_id']} - {baseline} is {pair['difference']:+.4f}, not significant: "
        f"a difference of this size needs {pair['topics_needed']:,} topics {power}"
    ]


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
