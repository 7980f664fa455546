"""Summaries of studies: means with bootstrap intervals over topics, league tables, lists that were left out."""

import numpy as np
import pandas as pd

from maxent.errors import ProblemError
from maxent.limits import whole_number
from maxent.study.topics import LEFT_OUT, SOLVED

TIES = 6  # decimals that rankings use: solutions reproduce a value to about 1e-8, and ties must stay ties


def summarize(table: pd.DataFrame, *, replicates: int = 1000, rng: np.random.Generator | int = 0) -> pd.DataFrame:
    """Mean errors per measure and threshold, with 95 % bootstrap intervals over topics.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.informativeness`.
    replicates, rng
        Number of bootstrap samples of the topics, and the generator or seed that draws them.

    Returns
    -------
    DataFrame
        Columns measure, threshold, lists (solved), topics (of these lists), rms and mae (means over the lists),
        rms_low, rms_high; the measures in the order of the table. The interval is NaN where fewer than two topics
        have a solved list.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.informativeness(runs, qrels, measures=["AP", "P@10"], min_retrieved=1, depth=100)
    >>> me.summarize(table).round(2)
      measure  threshold  lists  topics   rms   mae  rms_low  rms_high
    0      AP          1     12       4  0.05  0.04     0.04      0.07
    1      AP          2     12       4  0.19  0.17     0.10      0.29
    2    P@10          1     12       4  0.16  0.13     0.15      0.17
    3    P@10          2     12       4  0.27  0.25     0.19      0.36
    """
    solved = table[table["status"].isin(SOLVED)]
    keys = ["measure", "threshold"]
    means = solved.groupby(keys, sort=False).agg(
        lists=("rms", "size"), topics=("query_id", "nunique"), rms=("rms", "mean"), mae=("mae", "mean")
    )
    all_keys = pd.MultiIndex.from_frame(table[keys].drop_duplicates())
    means = means.reindex(all_keys)
    means[["lists", "topics"]] = means[["lists", "topics"]].fillna(0).astype(int)
    boot = topic_bootstrap(solved, keys, replicates=replicates, rng=rng).reindex(columns=all_keys)
    means["rms_low"], means["rms_high"] = boot.quantile(0.025), boot.quantile(0.975)
    return means.reset_index()


def league(table: pd.DataFrame, *, replicates: int = 1000, rng: np.random.Generator | int = 0) -> pd.DataFrame:
    """League table: mean errors of the measures, the most informative first, and their differences to the best.

    All measures are compared on the same lists: those that are solved for every measure.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.informativeness`.
    replicates, rng
        Number of bootstrap samples of the topics, and the generator or seed that draws them.

    Returns
    -------
    DataFrame
        The measures by increasing error, first for the mean over all thresholds (threshold 0), then for each
        threshold. Columns threshold, measure, lists, topics, rms, rms_low, rms_high (95 % bootstrap interval over
        topics), difference (of rms to the best measure), difference_low, difference_high (its interval, paired:
        both errors are of the same replicate), share_best (share of the replicates in which the measure is the
        best; ties are divided).

    Raises
    ------
    ProblemError
        If no list is solved for every measure.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.informativeness(runs, qrels, measures=["AP", "nDCG", "P@10"], min_retrieved=1, depth=100)
    >>> places = me.league(table).query("threshold == 0")
    >>> places[["measure", "lists", "rms", "difference", "share_best"]].round(2)
      measure  lists   rms  difference  share_best
    0    nDCG     12  0.06        0.00        0.99
    1      AP     12  0.12        0.05        0.01
    2    P@10     12  0.22        0.15        0.00
    """
    lists, measures = ["run_id", "query_id"], table["measure"].nunique()
    solved = table[table["status"].isin(SOLVED)]
    common = solved[solved.groupby([*lists, "threshold"])["measure"].transform("nunique") == measures]
    if common.empty:
        raise ProblemError("no list is solved for every measure: nothing to compare")
    number, topics = len(common[lists].drop_duplicates()), common["query_id"].nunique()
    keys = ["threshold", "measure"]
    mean = common.groupby(keys, sort=False)["rms"].mean().unstack("threshold")
    boot = topic_bootstrap(common, keys, replicates=replicates, rng=rng)
    frames = []
    for threshold in (0, *mean.columns):
        own = mean.mean(axis=1) if threshold == 0 else mean[threshold]
        each = boot.T.groupby("measure").mean().T if threshold == 0 else boot[threshold]
        own = own.sort_values(kind="stable")
        each = each[own.index]
        frame = pd.DataFrame({"threshold": threshold, "lists": number, "topics": topics, "rms": own})
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
    """Errors of predictions per measure and target, and how well they rank the systems.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.predict_measures`.
    replicates, rng
        Number of bootstrap samples of the topics, and the generator or seed that draws them.

    Returns
    -------
    DataFrame
        Columns measure, target, lists (solved), topics (of these lists), rms and mae (of predicted minus actual,
        over the lists), rms_low, rms_high (95 % bootstrap interval over topics), and Kendall's tau-b between
        predicted and actual values: ``tau`` ranks the systems topic by topic and is the mean over topics,
        ``tau_systems`` ranks the systems by their means over solved lists. Values equal to six decimals are ties; a
        tau is NaN where there is nothing to rank.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.predict_measures(
    ...     runs, qrels, measures=["AP", "nDCG"], targets=["P@10", "Rprec"], min_retrieved=1, depth=100
    ... )
    >>> me.summarize_predictions(table)[["measure", "target", "lists", "rms", "tau", "tau_systems"]].round(2)
      measure target  lists   rms   tau  tau_systems
    0      AP   P@10     12  0.06  0.66          1.0
    1      AP  Rprec     12  0.02  0.95          1.0
    2    nDCG   P@10     12  0.04  0.66          1.0
    3    nDCG  Rprec     12  0.02  0.95          1.0
    """
    keys = ["measure", "target"]
    solved = table[table["status"].isin(SOLVED)]
    error = solved["predicted"] - solved["actual"]
    solved = solved.assign(square=error**2, mae=error.abs())
    groups = solved.groupby(keys, sort=False)
    means = groups.agg(
        lists=("mae", "size"), topics=("query_id", "nunique"), rms=("square", "mean"), mae=("mae", "mean")
    )
    means["rms"] = np.sqrt(means["rms"])
    means = means.reindex(pd.MultiIndex.from_frame(table[keys].drop_duplicates()))
    means[["lists", "topics"]] = means[["lists", "topics"]].fillna(0).astype(int)
    boot = topic_bootstrap(solved, keys, value="square", replicates=replicates, rng=rng).reindex(
        columns=means.index
    )
    means["rms_low"], means["rms_high"] = np.sqrt(boot.quantile(0.025)), np.sqrt(boot.quantile(0.975))
    means["tau"] = _tau(solved, [*keys, "query_id"]).groupby(keys).mean()
    systems = solved.groupby([*keys, "run_id"], sort=False)[["actual", "predicted"]].mean().reset_index()
    means["tau_systems"] = _tau(systems, keys)
    return means.reset_index()


def prediction_matrix(summary: pd.DataFrame, value: str = "rms") -> pd.DataFrame:
    """Matrix of one column of a summary of predictions: a row per known measure, a column per target.

    Parameters
    ----------
    summary : DataFrame
        From :func:`maxent.summarize_predictions`.
    value : {"rms", "mae", "tau", "tau_systems"}
        The column to show.
    """
    wide = summary.pivot(index="measure", columns="target", values=value)
    return wide.loc[summary["measure"].unique(), summary["target"].unique()]


def _tau(values: pd.DataFrame, keys: list[str]) -> pd.Series:
    """Kendall's tau-b of the columns actual and predicted within each group; NaN where one of them is constant."""
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
    """Bootstrap means over the lists of resampled topics.

    All columns of the result use the same resampled topics, so that differences between them are paired.

    Parameters
    ----------
    solved : DataFrame
        Rows of solved lists: columns query_id, ``keys`` and ``value``.
    keys : list of str
        Columns whose combinations are averaged separately.
    value : str
        Column to average.
    topics : int, optional
        Number of topics of a replicate; default: as many as there are.
    replicates, rng
        Number of samples, and the generator or seed that draws them.

    Returns
    -------
    DataFrame
        A row for each replicate, a column for each combination of ``keys``; NaN where fewer than two topics have a
        list.
    """
    replicates = whole_number("replicates", replicates, raises=ProblemError)
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
    """Number of lists by measure and status, with the reason why lists are left out.

    Parameters
    ----------
    table : DataFrame
        From :func:`maxent.informativeness` or :func:`maxent.predict_measures`.

    Returns
    -------
    DataFrame
        Columns measure, status, lists, reason (empty for the solved lists, ``optimal`` and ``boundary``).

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> table = me.informativeness(runs, qrels, measures=["AP"], depth=100)
    >>> print(me.left_out(table).query("reason != ''").to_string(index=False))
    measure  status  lists                                                              reason
         AP too_few      1 fewer retrieved documents than min_retrieved or min_retrieved_total
    """
    lists = table.drop_duplicates(["run_id", "query_id", "measure"])
    counts = lists.groupby(["measure", "status"], sort=False).size().rename("lists").reset_index()
    return counts.assign(reason=counts["status"].map(LEFT_OUT).fillna(""))
