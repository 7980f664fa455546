"""What a study says in short: means with bootstrap intervals over topics, and the lists that were left out."""

import numpy as np
import pandas as pd

from maxent.study import LEFT_OUT, SOLVED


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


def topic_bootstrap(
    solved: pd.DataFrame, keys: list[str], *, replicates: int, rng: np.random.Generator | int
) -> pd.DataFrame:
    """Mean RMS of resampled topics: a row for each replicate, a column for each combination of ``keys``.

    All columns see the same resampled topics, so that differences between them are paired. NaN where fewer than two
    topics have a list.
    """
    if solved.empty:
        return pd.DataFrame(columns=pd.MultiIndex.from_arrays([[], []], names=keys), dtype=float)
    by_topic = solved.groupby(["query_id", *keys], sort=False)["rms"].agg(["sum", "size"]).unstack(keys)
    sums, sizes = by_topic["sum"].fillna(0.0), by_topic["size"].fillna(0.0)
    topics = len(by_topic)
    generator = np.random.default_rng(rng)
    weights = generator.multinomial(topics, np.full(topics, 1 / topics), size=replicates)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (weights @ sums.to_numpy()) / (weights @ sizes.to_numpy())
    means[:, (sizes.to_numpy() > 0).sum(axis=0) < 2] = np.nan
    return pd.DataFrame(means, columns=sums.columns)


def left_out(table: pd.DataFrame) -> pd.DataFrame:
    """Number of lists by measure and status, solved ones included: columns measure, status, lists, reason."""
    lists = table.drop_duplicates(["run_id", "query_id", "measure"])
    counts = lists.groupby(["measure", "status"], sort=False).size().rename("lists").reset_index()
    return counts.assign(reason=counts["status"].map(LEFT_OUT).fillna(""))
