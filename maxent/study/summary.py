"""What a study says in short: means with bootstrap intervals over topics, and the lists that were left out."""

import numpy as np
import pandas as pd

from maxent.errors import ProblemError
from maxent.study.topics import LEFT_OUT, SOLVED

TIES = 6  # decimals to rank by: a value is reproduced to about 1e-8, and what is tied should stay tied


def summarize(table: pd.DataFrame, *, replicates: int = 1000, rng: np.random.Generator | int = 0) -> pd.DataFrame:
    """Mean errors per measure and threshold, with 95 % bootstrap intervals over topics.

    Parameters
    ----------
    table : DataFrame
        From :func:`informativeness`.
    replicates : int
    rng : Generator or int

    Returns
    -------
    DataFrame
        Columns measure, threshold, lists, rms, mae, rms_low, rms_high; the measures in the order of the table.
        The interval is NaN where fewer than two topics have a list.
    """
    solved = table[table["status"].isin(SOLVED)]
    keys = ["measure", "threshold"]
    means = solved.groupby(keys, sort=False).agg(lists=("rms", "size"), rms=("rms", "mean"), mae=("mae", "mean"))
    all_keys = pd.MultiIndex.from_frame(table[keys].drop_duplicates())
    means = means.reindex(all_keys)
    means["lists"] = means["lists"].fillna(0).astype(int)
    boot = topic_bootstrap(solved, keys, replicates=replicates, rng=rng).reindex(columns=all_keys)
    means["rms_low"], means["rms_high"] = boot.quantile(0.025), boot.quantile(0.975)
    return means.reset_index()


def league(table: pd.DataFrame, *, replicates: int = 1000, rng: np.random.Generator | int = 0) -> pd.DataFrame:
    """Which measure is the most informative: mean errors, and paired differences to the best.

    Parameters
    ----------
    table : DataFrame
        From :func:`informativeness`. Only lists that are solved for every measure count: all are compared on the
        same lists.
    replicates : int
    rng : Generator or int

    Returns
    -------
    DataFrame
        For each threshold, and for threshold 0, the mean over all thresholds, the measures by increasing error:
        columns threshold, measure, lists, rms, rms_low, rms_high (95 % bootstrap interval over topics), difference
        to the first of the threshold, difference_low, difference_high (paired interval: of the same resampled
        topics), share_best (of the replicates in which the measure is the best; ties are shared).

    Raises
    ------
    ProblemError
        If no list is solved for every measure.
    """
    lists, measures = ["run_id", "query_id"], table["measure"].nunique()
    solved = table[table["status"].isin(SOLVED)]
    common = solved[solved.groupby([*lists, "threshold"])["measure"].transform("nunique") == measures]
    if common.empty:
        raise ProblemError("no list is solved for every measure: nothing to compare")
    number = len(common[lists].drop_duplicates())
    keys = ["threshold", "measure"]
    mean = common.groupby(keys, sort=False)["rms"].mean().unstack("threshold")
    boot = topic_bootstrap(common, keys, replicates=replicates, rng=rng)
    frames = []
    for threshold in (0, *mean.columns):
        own = mean.mean(axis=1) if threshold == 0 else mean[threshold]
        each = boot.T.groupby("measure").mean().T if threshold == 0 else boot[threshold]
        own = own.sort_values(kind="stable")
        each = each[own.index]
        frame = pd.DataFrame({"threshold": threshold, "lists": number, "rms": own})
        frame["rms_low"], frame["rms_high"] = each.quantile(0.025), each.quantile(0.975)
        paired = each.sub(each[own.index[0]], axis=0)
        frame["difference"] = own - own.iloc[0]
        frame["difference_low"], frame["difference_high"] = paired.quantile(0.025), paired.quantile(0.975)
        best = each.round(TIES).eq(each.round(TIES).min(axis=1), axis=0)
        frame["share_best"] = best.div(best.sum(axis=1), axis=0).mean()
        frames.append(frame.rename_axis("measure").reset_index())
    found = pd.concat(frames, ignore_index=True)
    return found[[*keys, *(name for name in found.columns if name not in keys)]]


def summarize_predictions(
    table: pd.DataFrame, *, replicates: int = 1000, rng: np.random.Generator | int = 0
) -> pd.DataFrame:
    """How well each measure predicts each target: errors over lists, agreement of the rankings of systems.

    Parameters
    ----------
    table : DataFrame
        From :func:`predict_measures`.
    replicates : int
    rng : Generator or int

    Returns
    -------
    DataFrame
        Columns measure, target, lists, rms and mae (of predicted minus actual, over all lists), rms_low, rms_high
        (95 % bootstrap interval over topics), and two Kendall tau-b of predicted against actual: ``tau``, the mean
        over topics of the tau between the systems of a topic, and ``tau_systems``, between the systems' means over
        their solved topics. Values that agree to six decimals are ties. NaN where there is nothing to rank.
    """
    keys = ["measure", "target"]
    solved = table[table["status"].isin(SOLVED)]
    error = solved["predicted"] - solved["actual"]
    solved = solved.assign(square=error**2, mae=error.abs())
    groups = solved.groupby(keys, sort=False)
    means = groups.agg(lists=("mae", "size"), rms=("square", "mean"), mae=("mae", "mean"))
    means["rms"] = np.sqrt(means["rms"])
    means = means.reindex(pd.MultiIndex.from_frame(table[keys].drop_duplicates()))
    means["lists"] = means["lists"].fillna(0).astype(int)
    boot = topic_bootstrap(solved, keys, value="square", replicates=replicates, rng=rng).reindex(
        columns=means.index
    )
    means["rms_low"], means["rms_high"] = np.sqrt(boot.quantile(0.025)), np.sqrt(boot.quantile(0.975))
    means["tau"] = _tau(solved, [*keys, "query_id"]).groupby(keys).mean()
    systems = solved.groupby([*keys, "run_id"], sort=False)[["actual", "predicted"]].mean().reset_index()
    means["tau_systems"] = _tau(systems, keys)
    return means.reset_index()


def prediction_matrix(summary: pd.DataFrame, value: str = "rms") -> pd.DataFrame:
    """Column ``value`` of :func:`summarize_predictions` as a matrix: known measures down, predicted ones across."""
    wide = summary.pivot(index="measure", columns="target", values=value)
    return wide.loc[summary["measure"].unique(), summary["target"].unique()]


def _tau(values: pd.DataFrame, keys: list[str]) -> pd.Series:
    """Kendall tau-b of the columns actual and predicted within each group; NaN where one of them is constant."""
    pairs = values[[*keys, "actual", "predicted"]].round({"actual": TIES, "predicted": TIES})
    pairs = pairs[pairs.groupby(keys)["actual"].transform("size") > 1]
    if pairs.empty:
        return pd.Series(index=pd.MultiIndex.from_arrays([[]] * len(keys), names=keys), dtype=float)
    return pairs.groupby(keys).corr(method="kendall").xs("actual", level=-1)["predicted"]


def topic_bootstrap(
    solved: pd.DataFrame,
    keys: list[str],
    *,
    value: str = "rms",
    topics: int | None = None,
    replicates: int,
    rng: np.random.Generator | int,
) -> pd.DataFrame:
    """Mean ``value`` of resampled topics: a row for each replicate, a column for each combination of ``keys``.

    A replicate has ``topics`` topics, by default as many as there are.

    All columns see the same resampled topics, so that differences between them are paired. NaN where fewer than two
    topics have a list.
    """
    if solved.empty:
        return pd.DataFrame(columns=pd.MultiIndex.from_arrays([[], []], names=keys), dtype=float)
    by_topic = solved.groupby(["query_id", *keys], sort=False)[value].agg(["sum", "size"]).unstack(keys)
    sums, sizes = by_topic["sum"].fillna(0.0), by_topic["size"].fillna(0.0)
    known = len(by_topic)
    generator = np.random.default_rng(rng)
    weights = generator.multinomial(topics or known, np.full(known, 1 / known), size=replicates)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (weights @ sums.to_numpy()) / (weights @ sizes.to_numpy())
    means[:, (sizes.to_numpy() > 0).sum(axis=0) < 2] = np.nan
    return pd.DataFrame(means, columns=sums.columns)


def left_out(table: pd.DataFrame) -> pd.DataFrame:
    """Number of lists by measure and status, solved ones included: columns measure, status, lists, reason."""
    lists = table.drop_duplicates(["run_id", "query_id", "measure"])
    counts = lists.groupby(["measure", "status"], sort=False).size().rename("lists").reset_index()
    return counts.assign(reason=counts["status"].map(LEFT_OUT).fillna(""))
