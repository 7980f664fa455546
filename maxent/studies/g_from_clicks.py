"""Threshold probabilities from clicks (GAP paper 2.2, remark); docs/choosing_g.md describes both methods.

With ``rates``, the click rate of grade i at rank n is e_n a_i, where e_n is the probability that a document at
rank n is examined. G_i = (a_i - a_0) / (a_c - a_0) does not depend on the scale of a. Where e is not given, e and a
equate the expected and observed clicks of every grade and of every rank,

    a_i = clicks_i / sum_n e_n impressions_in,        e_n = clicks_n / sum_i a_i impressions_in,

iterated until convergence. If clicks are rare, these are the likelihood equations of the position-based model
(Craswell et al., WSDM 2008); otherwise they are still unbiased estimating equations.
"""

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple, Unpack

import numpy as np
import pandas as pd

from maxent.checks import check_choice
from maxent.data.cells import numbers_of, read_cells
from maxent.data.cleaning import whole_numbers
from maxent.data.numbers import EXACT, WHOLE, integer
from maxent.data.rows import ROW, Rows
from maxent.errors import InputError, ProblemError, require_columns
from maxent.limits import GRADE, too_large
from maxent.options import ClicksInput, ClicksQuestion, takes
from maxent.options.choices import ClickModel
from maxent.results.content import Table
from maxent.results.finding import Finding
from maxent.results.question import answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.studies.columns import GRADE as OF_GRADE
from maxent.studies.columns import INTERVAL
from maxent.texts import g_label
from maxent.types import FloatArray, IntArray

METHODS: tuple[ClickModel, ...] = ("rates", "shares")
COLUMNS = ("grade", "impressions", "clicks")
STILL = 1e-9  # largest change of the examination probabilities at convergence
MOST = 10_000  # iterations at most
TAIL = (1 - 0.95) / 2  # on each side of an interval
SUPPOSED = {
    "rates": "assuming that users click the documents that reach their threshold",
    "shares": "shares of the clicks on relevant documents",
}
ALIKE = (
    "assuming that users examine all documents equally: if better documents rank higher, the g of low grades are "
    "too small; a column rank corrects this"
)
G = Column("g", "share of users whose threshold is the grade")
CLICKS = Schema(
    OF_GRADE,
    Column("impressions", "documents of the grade that users saw"),
    Column("clicks", "clicks on these documents"),
    Column("rate", "clicks per impression", explained=True),
    G,
    INTERVAL._replace(meaning="{heading} bootstrap interval of g"),
)
"""Columns of the clicks on each grade."""


@answers
@takes(ClicksInput, ClicksQuestion)
def g_from_clicks(
    clicks: pd.DataFrame | str | Path,
    **options: Unpack[ClicksQuestion],
) -> Result:
    """Which threshold probabilities g follow from clicks?

    Estimates g under the assumption that users click documents that reach their threshold, and shows the click rate
    and g of each grade, with a 95 % interval. A row has the impressions and clicks of a grade (rows of the same
    grade are summed) or, in a log, the grade of an impression and whether it was clicked. Every grade from 1 to the
    highest is required. Grade 0 is optional: its clicks are accidental; without it, no click counts as accidental.

    With a column ``rank``, the probability that a document is examined depends on its rank, and is given or
    estimated; without it, all documents have the same probability. With a column ``user``, intervals generalise to
    other users; without it, clicks count as independent, and intervals are too narrow if users click several
    documents. docs/choosing_g.md describes both methods.

    Returns
    -------
    Result
        ``table``: one row per positive grade: grade, impressions, clicks, rate (observed), g, low and high (its
        95 % interval). Answer: ``g``.

    Raises
    ------
    InputError
        If a column or a grade is missing, a count is not a whole number, or a grade has more clicks than
        impressions.
    ProblemError
        If no grade is clicked more often than grade 0, with ``shares`` no relevant document is clicked, or an
        option makes no sense.

    Notes
    -----
    File: clicks.csv.

    Examples
    --------
    The click rate rises as much from grade 0 to 1 as from 1 to 2: both thresholds are equally likely.

    >>> import maxent as me
    >>> import pandas as pd
    >>> clicks = pd.DataFrame({"grade": [0, 1, 2], "impressions": [1000, 500, 200], "clicks": [50, 100, 70]})
    >>> me.g_from_clicks(clicks).table[["grade", "rate", "g", "low", "high"]].round(2)
       grade  rate    g   low  high
    0      1  0.20  0.5  0.36  0.69
    1      2  0.35  0.5  0.31  0.64

    Of the 170 clicks on relevant documents, 100 are on grade 1.

    >>> [round(x, 3) for x in me.g_from_clicks(clicks, method="shares").g]
    [0.588, 0.412]
    """
    method = options["method"]
    name = "clicks" if isinstance(clicks, pd.DataFrame) else Path(clicks).name
    rows = clicks if isinstance(clicks, pd.DataFrame) else read_clicks(clicks)
    table = clicks_table(rows, method=method, examination=options["examination"], rng=options["rng"])
    g = tuple(table["g"].tolist())
    cautions = (ALIKE,) if method == "rates" and "rank" not in rows else ()
    return Result(
        title=options["title"] or name,
        finding=Finding(f"from clicks: g = ({g_label(g)})", (SUPPOSED[method],), cautions),
        answers={"g": g},
        views=(Table(name="clicks", title="Clicks", frame=table, schema=CLICKS),),
        legend=(f"{G.name}: {G.meaning}",),
    )


def read_clicks(path: str | PathLike[str]) -> pd.DataFrame:
    """Table of clicks in a file; InputError if a count, grade or rank is not a whole number."""
    cells = read_cells(path)
    numbers = cells.columns.intersection([*COLUMNS, "clicked", "rank"])
    return cells.assign(**{name: numbers_of(path, cells[name], integer, WHOLE) for name in numbers})


def clicks_table(
    clicks: pd.DataFrame,
    *,
    method: ClickModel = "rates",
    examination: Sequence[float] | None = None,
    replicates: int = 1000,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Threshold probabilities g with 95 % intervals, estimated from clicks on documents of each grade."""
    check_choice("method", method, METHODS, raises=ProblemError)
    log, generator = _check_log(clicks), np.random.default_rng(rng)
    # 1. g, and samples of it: of the users, or else of the clicks
    counts, examined = _Seen.of(log), _examination_of_ranks(log, examination)
    resampled = _draw_users(log, replicates, generator) if "user" in log else None
    if method == "rates":
        g, samples = _estimate_from_rates(counts, resampled, examined, replicates, generator)
    else:
        g, samples = _estimate_from_shares(counts, resampled, replicates, generator)
    # 2. intervals, from the samples in which g is defined
    is_defined = ~np.isnan(samples).any(axis=1)
    low, high = np.nanquantile(samples[is_defined], [TAIL, 1 - TAIL], axis=0)
    # 3. the table of the positive grades
    by_grade = log.groupby("grade")[list(COLUMNS[1:])].sum().astype(np.int64).reset_index()
    table = by_grade[by_grade["grade"] > 0]
    rate = (table["clicks"] / table["impressions"]).to_numpy()
    return table.assign(rate=rate, g=g, low=low, high=high).reset_index(drop=True)


class _Seen(NamedTuple):
    """Impressions and clicks by grade and rank; samples of them have an axis before these two."""

    grades: IntArray  # (grades,)
    shown: FloatArray | IntArray  # (..., grades, ranks)
    clicked: FloatArray | IntArray

    @classmethod
    def of(cls, log: pd.DataFrame, weights: Iterable[IntArray] | None = None) -> "_Seen":
        """Sums over the rows of a log; each array of ``weights`` of rows gives one sample."""
        grades, row = np.unique(log["grade"], return_inverse=True)
        ranks, column = np.unique(log["rank"], return_inverse=True)
        shape = (len(grades), len(ranks))
        cell = np.ravel_multi_index((row, column), shape)  # (rows,) of numbers of a grade and rank
        impressions, clicks = (log[name].to_numpy(np.float64) for name in ("impressions", "clicks"))

        def sums(weight: IntArray | float) -> FloatArray:
            """Impressions and clicks of weighted rows, (2, grades, ranks)."""
            totals = [
                np.bincount(cell, weights=weight * numbers, minlength=len(grades) * len(ranks))
                for numbers in (impressions, clicks)
            ]
            return np.reshape(totals, (2, *shape))

        if weights is None:
            return cls(grades, *sums(1.0))
        shown, clicked = np.stack([sums(weight) for weight in weights], axis=1)  # (samples, grades, ranks) each
        return cls(grades, shown, clicked)


def _estimate_from_rates(
    counts: _Seen,
    resampled: _Seen | None,
    examination: FloatArray | None,
    replicates: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Return g (c,) and samples of it (replicates, c), from click rates.

    ``resampled`` has samples of the users. Without them, clicks are drawn independently, with the probability that
    a document is examined and clicked. ``examination`` (ranks,) is estimated if it is None.
    """
    # 1. g of the observed clicks
    if examination is None:
        _check_shared(counts)
    examined = _estimate_examination(counts) if examination is None else examination
    rates = _fit_rates(counts, examined)
    g = _steps(rates, counts.grades)
    if np.isnan(g).any():
        raise ProblemError(
            "no grade is clicked more often than the lowest level of clicks: nothing to learn about g"
        )
    # 2. samples of the clicks
    if resampled is None:
        probabilities = np.minimum(rates[:, None] * examined, 1.0)  # (grades, ranks)
        clicked = rng.binomial(
            counts.shown.astype(np.int64), probabilities, size=(replicates, *probabilities.shape)
        )
        resampled = counts._replace(clicked=clicked)
    # 3. g of each sample
    examined = _estimate_examination(resampled) if examination is None else examination
    return g, _steps(_fit_rates(resampled, examined), counts.grades)


def _estimate_from_shares(
    counts: _Seen, resampled: _Seen | None, replicates: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return g (c,) and samples of it (replicates, c), from the clicks on relevant documents.

    Without samples of the users, ``resampled``, all these clicks are drawn again, with probabilities g.
    """
    clicked = counts.clicked[counts.grades > 0].sum(axis=-1)
    total = int(clicked.sum())
    if total == 0:
        raise ProblemError("no relevant document is clicked: nothing to learn about g")
    g = clicked / total
    if resampled is None:
        return g, rng.multinomial(total, g, size=replicates) / total
    resampled_clicks = resampled.clicked[:, counts.grades > 0].sum(axis=-1)  # (replicates, c)
    with np.errstate(invalid="ignore"):  # a sample of users may have no such click
        return g, resampled_clicks / resampled_clicks.sum(axis=-1, keepdims=True)


def _draw_users(log: pd.DataFrame, replicates: int, rng: np.random.Generator) -> _Seen:
    """Impressions and clicks of bootstrap samples of the users."""
    rows = log.groupby(["user", "grade", "rank"], dropna=False)[list(COLUMNS[1:])].sum().reset_index()
    user, users = pd.factorize(rows["user"], use_na_sentinel=False)
    shares = np.full(len(users), 1 / len(users))
    return _Seen.of(rows, (rng.multinomial(len(users), shares)[user] for _ in range(replicates)))


def _examination_of_ranks(log: pd.DataFrame, examination: Sequence[float] | None) -> FloatArray | None:
    """Probabilities of examination at the ranks of a log, (ranks,); None if they are to be estimated."""
    ranks = np.unique(log["rank"])
    if examination is None:
        return np.ones(1) if len(ranks) == 1 else None
    probabilities = np.asarray(examination, dtype=np.float64)
    if not (probabilities.ndim == 1 and np.isfinite(probabilities).all() and (probabilities > 0).all()):
        raise ProblemError(f"examination must be positive numbers for ranks 1, 2, ..., got {examination!r}")
    if ranks[0] < 1:
        raise ProblemError("examination needs a column rank")
    if ranks[-1] > len(probabilities):
        raise ProblemError(f"examination has {len(probabilities)} ranks, the clicks {ranks[-1]}")
    return np.asarray(probabilities[ranks - 1])


def _estimate_examination(seen: _Seen) -> FloatArray:
    """Probability of examination at each rank, divided by the largest, (..., ranks)."""
    clicks = seen.clicked.sum(axis=-2)  # (..., ranks)
    examined = np.ones(clicks.shape)
    for _ in range(MOST):
        # a_i = clicks_i / sum_n e_n impressions_in
        rates = _rates(seen, examined).clicks_per_impression
        # e_n = clicks_n / sum_i a_i impressions_in, up to a scale
        expected = (rates[..., None] * seen.shown).sum(axis=-2)
        updated = np.divide(clicks, expected, out=np.ones(clicks.shape), where=expected > 0)
        updated /= updated.max(axis=-1, keepdims=True)
        if np.abs(updated - examined).max() < STILL:
            return np.asarray(updated)
        examined = updated
    raise ProblemError(f"the examination of ranks is not found in {MOST} steps: give examination")


def _check_shared(seen: _Seen) -> None:
    """Raise ProblemError if the clicked grades and ranks fall into parts that share no impression."""
    from scipy.sparse.csgraph import connected_components

    clicked_grades, clicked_ranks = seen.clicked.sum(axis=1) > 0, seen.clicked.sum(axis=0) > 0
    shared = seen.shown[np.ix_(clicked_grades, clicked_ranks)] > 0
    grades, ranks = shared.shape
    # nodes are grades and ranks; an edge joins a grade and a rank with impressions
    graph = np.block([[np.zeros((grades, grades)), shared], [shared.T, np.zeros((ranks, ranks))]])
    number_of_parts, _ = connected_components(graph)
    if number_of_parts > 1:
        raise ProblemError("grades share no ranks: grade and examination are indistinguishable, give examination")


class _Rates(NamedTuple):
    """Click rates of each grade, (..., grades)."""

    clicks_per_impression: FloatArray  # of the examined ones
    impressions: FloatArray  # expected number of those that are examined


def _rates(seen: _Seen, examined: FloatArray) -> _Rates:
    """Click rates of each grade, for probabilities of examination (..., ranks)."""
    impressions = (seen.shown * examined[..., None, :]).sum(axis=-1)
    clicked = seen.clicked.sum(axis=-1)
    rates: FloatArray = np.divide(clicked, impressions, out=np.zeros(clicked.shape), where=impressions > 0)
    return _Rates(rates, impressions)


def _fit_rates(seen: _Seen, examined: FloatArray) -> FloatArray:
    """Rates that do not decrease with the grade, (..., grades)."""
    from scipy.optimize import isotonic_regression  # loaded late: a quarter of maxent's import time

    rates, impressions = _rates(seen, examined)
    impressions = np.broadcast_to(impressions.clip(min=1e-9), rates.shape)  # a sample may lack a grade
    grades = rates.shape[-1]
    samples = zip(rates.reshape(-1, grades), impressions.reshape(-1, grades), strict=True)
    fits = [isotonic_regression(sample_rates, weights=weights).x for sample_rates, weights in samples]
    return np.array(fits).reshape(rates.shape)


def _steps(rates: FloatArray, grades: IntArray) -> FloatArray:
    """Threshold probabilities g_1..g_c, (..., c); NaN if all rates are equal. Without grade 0 its rate is 0."""
    # g_i = (a_i - a_(i-1)) / (a_c - a_0)
    steps = np.diff(rates, axis=-1) if grades[0] == 0 else np.diff(rates, axis=-1, prepend=0.0)
    total = steps.sum(axis=-1, keepdims=True)
    g: FloatArray = np.divide(steps, total, out=np.full(steps.shape, np.nan), where=total > 0)
    return g


def _check_log(clicks: pd.DataFrame) -> pd.DataFrame:
    """Checked rows of a log: grade, rank (0 without ranks), impressions, clicks, and user if present."""
    # 1. columns of whole numbers
    if isinstance(clicks, pd.DataFrame) and "clicked" in clicks:
        if not clicks["clicked"].isin([0, 1]).all():
            raise InputError("clicks: clicked must be 0 or 1")
        clicks = clicks.assign(impressions=1, clicks=clicks["clicked"].astype(np.int64))
    require_columns(clicks, COLUMNS, "clicks")
    least_values = {"rank": 1, **dict.fromkeys(COLUMNS, 0)}
    for name, least in least_values.items():
        if name in clicks:
            rows = Rows("clicks", ROW, clicks.index.to_numpy(), {name: clicks[name]})
            numbers = whole_numbers(rows, name)
            rows.require(numbers >= least, name, f"{least} or more")
            clicks = clicks.assign(**{name: numbers})
    clicks = clicks if "rank" in clicks else clicks.assign(rank=0)
    # 2. sums for each grade; first in floating point, as sums of whole numbers could overflow
    totals = clicks.astype(dict.fromkeys(COLUMNS, np.float64)).groupby("grade")[list(COLUMNS[1:])].sum()
    if (totals > EXACT).any(axis=None):
        raise InputError(f"clicks: more than 2^53 impressions or clicks of a grade, expected at most {EXACT}")
    counts = clicks.groupby("grade")[list(COLUMNS[1:])].sum().astype(np.int64)
    # 3. grades 1 (or 0) to the highest, each with impressions and at most as many clicks
    levels = int(counts.index.max()) if len(counts) else 0
    if reason := too_large("the highest grade", levels, GRADE):
        raise InputError(f"clicks: {reason}")
    grades = list(counts.index)
    without_gap = grades in (list(range(levels + 1)), list(range(1, levels + 1)))
    if levels < 1 or not without_gap:
        raise InputError(f"clicks: grades {grades}, expected 1 (or 0) up to the highest without a gap")
    wrong = counts[(counts["clicks"] > counts["impressions"]) | (counts["impressions"] == 0)]
    if len(wrong):
        grade, row = wrong.index[0], wrong.iloc[0]
        raise InputError(f"clicks: grade {grade} has {row['clicks']} clicks of {row['impressions']} impressions")
    return clicks
