"""A choice among measures, evaluated on topics that it did not use."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from maxent.checks import whole_number
from maxent.errors import ProblemError, require_columns
from maxent.limits import REPETITIONS
from maxent.measures import Measure
from maxent.stats.intervals import ROUNDING
from maxent.studies.same_lists import STUDY, common_lists, measures_in, threshold_shares
from maxent.types import FloatArray


def held_out(
    table: pd.DataFrame,
    *,
    candidates: Sequence[Measure | str] | None = None,
    references: Sequence[Measure | str] = ("AP",),
    weights: Mapping[int, float] | None = None,
    splits: int = 1000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Evaluate a choice among measures on topics that were not used to make it.

    Each split divides the topics at random into two halves. The candidate with the smallest error on the first half
    is chosen, and evaluated on the second. All measures are compared on the lists that are solved for every one.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.informativeness`.
    candidates : sequence of Measure or text, optional
        Measures to choose from; default: all measures of the table.
    references : sequence of Measure or text
        Measures of the table to compare the choice with.
    weights : mapping from threshold to weight, optional
        As for :func:`maxent.choose_g`.
    splits, rng
        Number of splits, and the random generator that draws them or its seed.

    Returns
    -------
    DataFrame
        One row per reference, after a row for the candidate that is the best on the second half; the difference to
        that candidate is the regret. Columns: reference (``best`` in the first row), choice (the most frequent
        one), share (of the splits that choose it), rms (mean error of the choices on the second half), difference
        (of rms to the reference), low and high (range of 95 % of the splits; splits overlap, so it is no confidence
        interval), share_better (share of the splits in which the choice has a smaller error than the reference),
        in_sample (the difference if all topics are used for both choice and evaluation).

    Raises
    ------
    ProblemError
        If a measure is not in the table, no list is solved for every measure, fewer than two topics have such a
        list, or the weights or splits make no sense.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=6, depth=100)
    >>> measures = ["AP", "GAP(g=0.5,0.5)", "nDCG", "P@10"]
    >>> table = me.informativeness(runs, qrels, measures=measures, min_retrieved=1, depth=100)
    >>> found = me.studies.held_out(table, candidates=measures[:2], references=["AP", "P@10"], splits=100)
    >>> found[["reference", "choice", "share", "difference", "share_better"]].round(2)
      reference          choice  share  difference  share_better
    0      best  GAP(g=0.5,0.5)    1.0        0.00           0.0
    1        AP  GAP(g=0.5,0.5)    1.0       -0.01           1.0
    2      P@10  GAP(g=0.5,0.5)    1.0       -0.03           1.0
    """
    require_columns(table, STUDY, "table of a study")
    candidate_names = (
        list(dict.fromkeys(table["measure"])) if candidates is None else measures_in(table, candidates)
    )
    reference_names = measures_in(table, references)
    measures = list(dict.fromkeys([*candidate_names, *reference_names]))
    sums, sizes = _sums_by_topic(table, measures, weights)
    # 1. mean errors on the first and the second half of each split, (splits, measures), and of all topics
    generator = np.random.default_rng(rng)
    splits = whole_number("splits", splits, raises=ProblemError, limit=REPETITIONS)
    in_first = np.array([generator.permutation(len(sums)) < len(sums) // 2 for _ in range(splits)])
    in_whole = np.ones((1, len(sums)), dtype=bool)
    first, second, whole = (
        is_drawn @ sums / (is_drawn @ sizes)[:, None] for is_drawn in (in_first, ~in_first, in_whole)
    )
    # 2. the best candidate of the first half, and its error on the second, (splits,)
    columns = np.array([measures.index(name) for name in candidate_names])
    chosen = first[:, columns].argmin(axis=1)
    chosen_errors = second[range(splits), columns[chosen]]
    in_sample_error = whole[0, columns].min()
    # 3. how often each candidate is chosen
    times_chosen = np.bincount(chosen, minlength=len(columns))
    choice, share = candidate_names[times_chosen.argmax()], times_chosen.max() / splits
    # 4. differences to the best candidate of the second half, and to each reference
    errors_of = {"best": (second[:, columns].min(axis=1), in_sample_error)}
    for name in reference_names:
        column = measures.index(name)
        errors_of[name] = second[:, column], whole[0, column]
    rows = []
    for name, (errors, whole_error) in errors_of.items():
        difference = chosen_errors - errors
        low, high = np.quantile(difference, (0.025, 0.975))
        rows.append(
            {
                "reference": name,
                "choice": choice,
                "share": share,
                "rms": chosen_errors.mean(),
                "difference": difference.mean(),
                "low": low,
                "high": high,
                "share_better": (difference < -ROUNDING).mean(),
                "in_sample": in_sample_error - whole_error,
            }
        )
    return pd.DataFrame(rows)


def _sums_by_topic(
    table: pd.DataFrame, measures: list[str], weights: Mapping[int, float] | None
) -> tuple[FloatArray, FloatArray]:
    """Sums of the weighted errors over the lists of each topic, (topics, measures); numbers of lists, (topics,)."""
    shares = threshold_shares(weights, sorted(set(table["threshold"])))
    rows = table[table["measure"].isin(measures) & table["threshold"].isin(shares.index)]
    common = common_lists(rows)
    if common["query_id"].nunique() < 2:
        raise ProblemError("fewer than two topics have a list solved for every measure: nothing can be held out")
    weighted = common.assign(rms=common["rms"] * common["threshold"].map(shares))
    sums = weighted.groupby(["query_id", "measure"])["rms"].sum().unstack("measure")[measures]
    sizes = common.groupby("query_id")["run_id"].nunique()
    return np.asarray(sums, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
