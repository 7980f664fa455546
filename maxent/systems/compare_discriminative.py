"""Discriminative power: the share of pairs of systems that differ significantly (GAP paper 4.2, figure 3).

``bootstrap`` is Sakai's paired test (see ``paired_tests``); the difference needed by a measure is the largest over
its pairs. ``hsd`` is the randomised Tukey test (honestly significant difference), which shuffles the values of the
systems within every topic. The level of a pair is (1 + hits) / (1 + replicates), where hits are the replicates in
which the largest difference between two means is at least the difference of the pair. If all shuffles are used, the
share of hits is the exact level. The difference needed is the critical value of the largest difference.
"""

from math import factorial
from typing import NamedTuple, Unpack, get_args

import numpy as np
import pandas as pd

from maxent.checks import check_choice
from maxent.data.collection import Collection
from maxent.data.embedded import collected
from maxent.data.inputs import Qrels, Runs
from maxent.data.values import empty_note, values_by_topic
from maxent.errors import ProblemError
from maxent.measures import Q, nDCG
from maxent.options import CompareDiscriminativeQuestion, Sources, takes
from maxent.options.choices import PairTest
from maxent.progress import progress_bar
from maxent.results.content import Drawing, Panel, Sheet, Table, facts_of
from maxent.results.finding import Finding
from maxent.results.question import answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.stats.paired_tests import (
    TIE,
    check_level,
    hits_needed,
    paired_bootstrap,
    samples_needed,
    topic_samples,
    value_tables,
)
from maxent.stats.pairs import top_pairs
from maxent.studies.holdings import heading
from maxent.studies.options import expanded
from maxent.systems.rankings import COMPARED_BY, graded_measures
from maxent.texts import many, measure_names, percent
from maxent.types import FloatArray

METHODS: tuple[PairTest, ...] = get_args(PairTest)
CAPTION = (
    "Achieved significance levels of all pairs of systems, in descending order: the nearer a curve is to the "
    "origin, the more pairs differ significantly by its measure."
)
SHARE = Column("power", "share of the pairs of systems that differ significantly", format="share", explained=True)
POWER = Schema(
    COMPARED_BY,
    SHARE,
    Column(
        "difference_needed",
        "estimated difference of two means that is needed for significance",
        "needed",
        explained=True,
    ),
)
"""Columns of the power of each measure."""
BEST = Schema(
    COMPARED_BY,
    Column("runs", "number of the best systems"),
    Column("pairs", "pairs of these systems"),
    SHARE,
)
"""Columns of the power of each measure among the best systems."""
PAIRS = Schema(
    COMPARED_BY,
    Column("run_a", "first run of the pair", "run a", "name"),
    Column("run_b", "second run of the pair", "run b", "name"),
    Column("difference", "mean of run a minus that of run b"),
    Column("asl", "achieved significance level of the pair", "ASL", "p-value"),
)
"""Columns of the pairs of systems."""


class Discrimination(NamedTuple):
    """How well measures discriminate between systems.

    Attributes
    ----------
    pairs : DataFrame
        One row per measure and pair of runs: measure, run_a, run_b, difference (mean of run_a minus mean of run_b),
        asl (achieved significance level).
    power : DataFrame
        One row per measure: measure, power (share of pairs whose asl is below alpha), difference_needed (difference
        of two means needed for significance).
    """

    pairs: pd.DataFrame
    power: pd.DataFrame


@answers
@takes(Sources, CompareDiscriminativeQuestion)
def compare_discriminative(
    runs: Runs | Collection | None = None,
    qrels: Qrels | None = None,
    **options: Unpack[CompareDiscriminativeQuestion],
) -> Result:
    """By which measure do the most pairs of systems differ significantly?

    Every pair of systems is tested by every measure. For each measure, the result has the share of significant
    pairs and the difference of means needed for significance. All pairs and measures use the same random samples.

    Returns
    -------
    Result
        ``table``: the power of each measure. Other ``tables``: ``pairs``, ``best`` (power among the best systems).
        Two systems with equal values in all topics have level 1. No level is below 1 / (replicates + 1). If
        alpha is not above this, no pair is significant, and the difference needed is infinite.

    Notes
    -----
    Files: pairs.csv, power.csv, the figure discriminative (pairs by their significance level).

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=6, topics=8, depth=100)
    >>> result = me.compare_discriminative(runs, qrels, measures=["AP", "P@10"], depth=100)
    >>> result.table.round(2)
      measure  power  difference_needed
    0      AP   0.53               0.08
    1    P@10   0.47               0.26
    """
    measures, method, alpha = options["measures"], options["method"], options["alpha"]
    top, by, empty = options["top"], options["by"], options["empty"]
    collection = collected(runs, qrels, options)
    levels = collection.levels
    chosen = graded_measures(levels, nDCG(), Q()) if measures is None else expanded(measures, levels)
    head = heading(collection, runs, qrels, f"{method}, alpha={alpha:g}", title=options["title"])
    values = values_by_topic(collection, measures=chosen, empty=empty)
    rule = {"method": method, "alpha": alpha, "replicates": options["replicates"]}
    tested = discriminative_power(values, **rule, rng=options["rng"], progress=options["progress"])  # type: ignore[arg-type]
    pairs, power = tested
    best = top_power(pairs, top, alpha=alpha, by=by)
    draw = Drawing("plot_discrimination", pairs, alpha=alpha, top=top, by=by)
    by_both = "every measure" if by == "both" else "the measure"
    return Result(
        finding=_finding(tested, **rule),  # type: ignore[arg-type]
        views=(
            Table(
                name="power",
                title="Measures",
                frame=power,
                schema=POWER,
                shown=power.sort_values("power", ascending=False, kind="stable"),
            ),
            Table(
                name="best",
                title="Best systems",
                frame=best,
                schema=BEST,
                places=("text", "page"),
                note=f"pairs of the systems that are among the best {top} by {by_both}",
            ),
            Table(name="pairs", frame=pairs, schema=PAIRS, places=("file",)),
        ),
        sheets=(Sheet("discriminative", (Panel(draw, CAPTION, size=(4.1, 3.6)),)),),
        facts=facts_of(CompareDiscriminativeQuestion, options, "method", "alpha"),
        notes=empty_note(collection, empty),
        **head,
    )


def discriminative_power(
    values: pd.DataFrame,
    *,
    method: PairTest = "bootstrap",
    alpha: float = 0.05,
    replicates: int = 1000,
    rng: np.random.Generator | int = 0,
    progress: bool = True,
) -> Discrimination:
    """Significance level of every pair of systems by every measure, and the share of significant pairs.

    The two tests are described at the top of this module. All pairs and measures use the same replicates.

    Parameters
    ----------
    values : DataFrame
        ``tables["values"]`` of :func:`maxent.evaluate`, or the values of one measure, which is then called
        ``value``: a row for each topic and a column for each system.
    method, alpha, replicates
        As for :func:`maxent.compare_discriminative`.
    rng : Generator or int
        Generator or seed of the samples.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Discrimination
        ``pairs`` and ``power``.

    Raises
    ------
    InputError
        If the table has fewer than two systems or topics, or a value is not a finite number.
    ProblemError
        If an option is invalid.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=6, topics=8, depth=100)
    >>> values = me.evaluate(runs, qrels, measures=["AP", "P@10"], depth=100).tables["values"]
    >>> me.systems.discriminative_power(values).power.round(2)
      measure  power  difference_needed
    0      AP   0.53               0.08
    1    P@10   0.47               0.26
    """
    check_choice("method", method, METHODS, raises=ProblemError)
    check_level(alpha, replicates)
    tables = value_tables(values)
    counts, seed = topic_samples(len(tables[0][1]), replicates, rng)
    pairs, power = [], []
    for name, table in progress_bar(tables, desc=method, unit="measure", shown=progress):
        scores = table.to_numpy(dtype=np.float64)
        first, second = np.triu_indices(scores.shape[1], 1)
        if method == "bootstrap":
            asl, _, needed = paired_bootstrap(scores, first, second, counts, alpha)
        else:
            asl, needed = _hsd(scores, replicates, alpha, np.random.default_rng(seed))
        means, names = scores.mean(axis=0), table.columns.to_numpy()
        runs_of = {"measure": name, "run_a": names[first], "run_b": names[second]}
        pairs.append(pd.DataFrame({**runs_of, "difference": means[first] - means[second], "asl": asl}))
        power.append((name, float((asl < alpha).mean()), needed))
    columns = ["measure", "power", "difference_needed"]
    return Discrimination(pd.concat(pairs, ignore_index=True), pd.DataFrame(power, columns=columns))


def top_power(pairs: pd.DataFrame, top: int, *, alpha: float = 0.05, by: str = "each") -> pd.DataFrame:
    """Share of the significant pairs of :func:`top_pairs`: measure, runs, pairs, power (NaN without pairs)."""
    best_pairs = top_pairs(pairs, top, by=by)
    rows = []
    for measure in pairs["measure"].unique():
        measure_pairs = best_pairs[best_pairs["measure"] == measure]
        runs = len({*measure_pairs["run_a"], *measure_pairs["run_b"]})
        rows.append((measure, runs, len(measure_pairs), (measure_pairs["asl"] < alpha).mean()))
    return pd.DataFrame(rows, columns=["measure", "runs", "pairs", "power"])


def _hsd(scores: FloatArray, replicates: int, alpha: float, rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Level of every pair by the randomised Tukey test, and the difference needed."""
    from scipy.stats import permutation_test  # loaded late: half of maxent's import time

    test = permutation_test(
        tuple(scores.T),
        _largest,
        permutation_type="samples",
        n_resamples=replicates,
        batch=100,
        vectorized=True,
        alternative="greater",
        rng=rng,
    )
    largest = np.sort(test.null_distribution)
    means = scores.mean(axis=0)
    first, second = np.triu_indices(scores.shape[1], 1)
    difference = np.abs(means[first] - means[second])
    hits = len(largest) - np.searchsorted(largest, difference * (1 - TIE) - TIE * np.abs(scores).max())
    observed = 0 if factorial(scores.shape[1]) ** len(scores) <= replicates else 1  # it is among all shuffles
    enough = hits_needed(alpha, len(largest), observed)
    return (hits + observed) / (len(largest) + observed), float(largest[-enough]) if enough else np.inf


def _largest(*systems: FloatArray, axis: int) -> FloatArray:
    """Largest difference between the means of two systems, the statistic of Tukey's test."""
    means = [values.mean(axis=axis) for values in systems]
    return np.asarray(np.max(means, axis=0) - np.min(means, axis=0))


def _finding(
    discrimination: Discrimination, *, method: str = "bootstrap", alpha: float = 0.05, replicates: int = 1000
) -> Finding:
    """Finding: the measures by which the most pairs of systems differ significantly."""
    shares = discrimination.power.set_index("measure")["power"]
    most, fewest = shares.max(), shares.min()
    strongest, weakest = (measure_names(shares[shares == share].index) for share in (most, fewest))
    pairs = many(len(discrimination.pairs) // len(shares), "pair")
    sentence = f"largest share of pairs that differ significantly: {percent(most)} of {pairs}, by {strongest}"
    lines = [f"the fewest: {percent(fewest)}, by {weakest}"] if fewest < most else []
    cautions = ["no interval is given for the differences between measures"] if len(shares) > 1 else []
    if method == "hsd":
        lines.append("levels are corrected for all pairs of a measure at once")
    else:
        lines.append("levels are not corrected for the number of pairs or measures")
        cautions += samples_needed(1, 2, test=method, correction=None, alpha=alpha, replicates=replicates)
    return Finding(sentence, tuple(lines), tuple(cautions))
