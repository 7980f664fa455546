"""Tables as people read them: a row for each measure or run, intervals in one column."""

import numpy as np
import pandas as pd

from maxent.measures.labels import measure_label


def interval(low: pd.Series, high: pd.Series, places: int) -> pd.Series:
    """Two ends as one text, ``[0.1521, 0.1804]``; missing where an end is."""
    texts = [[f"{end:.{places}f}" for end in ends] for ends in (low, high)]
    widths = [max(map(len, ends), default=0) for ends in texts]
    whole = [f"[{a:>{widths[0]}}, {b:>{widths[1]}}]" for a, b in zip(*texts, strict=True)]
    return pd.Series(whole, index=low.index, dtype=object).where(low.notna() & high.notna())


def errors_by_threshold(summary: pd.DataFrame, places: int) -> pd.DataFrame:
    """A row for each measure of a study: its mean RMS with interval for each threshold.

    The numbers of lists are there where they differ: those of each threshold, if it makes a difference.
    """
    names = summary["measure"].unique()
    columns = [pd.Series(names, name="measure")]
    by_threshold = summary.groupby("measure")["lists"].nunique().max() > 1
    if summary["lists"].nunique() > 1 and not by_threshold:
        columns.append(summary.groupby("measure", sort=False)["lists"].first().reset_index(drop=True))
    for threshold, rows in summary.groupby("threshold"):
        own = rows.set_index("measure").loc[names].reset_index()
        if by_threshold:
            columns.append(own["lists"].rename(f"lists t={threshold}"))
        columns += [
            own["rms"].rename(f"RMS t={threshold}"),
            interval(own["rms_low"], own["rms_high"], places).rename("95 %"),
        ]
    return pd.concat(columns, axis=1)


def candidates(table: pd.DataFrame, places: int) -> pd.DataFrame:
    """A row for each candidate of a choice of g: its error, its excess over the best one, its share of samples."""
    columns = {
        "measure": table["measure"],
        "mean RMS": table["objective"],
        "95 %": interval(table["low"], table["high"], places),
        "excess (95 %)": interval(table["excess_low"], table["excess_high"], places),
        "best in": _percent(table["share_best"]),
    }
    errors = table.filter(regex=r"^rms_t\d+$")
    return pd.concat(
        [pd.DataFrame(columns), errors.rename(columns=lambda name: name.replace("rms_t", "RMS t="))], axis=1
    )


def chosen_steps(steps: pd.DataFrame, places: int) -> pd.DataFrame:
    """A row for each step of a choice of measures: what it adds, and the errors on both halves of the topics."""
    columns = {
        "step": steps["step"].astype(str),
        "added": steps["added"].map(measure_label).where(steps["step"] > 0, "counts alone"),
        "RMS training": steps["rms_training"],
        "RMS test": steps["rms"],
        "95 %": interval(steps["rms_low"], steps["rms_high"], places),
        "change": steps["difference"],
        "95 % ": interval(steps["difference_low"], steps["difference_high"], places),
        "verdict": steps["verdict"],
    }
    return pd.DataFrame(columns)


def ranking_changes(rankings: pd.DataFrame) -> pd.DataFrame:
    """A row for each measure: how alike two sets of judgments rank runs, and the run that loses the most ranks."""
    falls = [
        "-" if row["drop"] == 0 else f"{row['run_id']}: {row['rank_a']} to {row['rank_b']}"
        for row in rankings.to_dict("records")
    ]
    return rankings[["measure", "tau", "tau_ap"]].assign(**{"falls the most": falls})


def best_sources(summary: pd.DataFrame) -> str:
    """For each target the other measure whose value predicts it best, in words; empty where there is none."""
    others = summary[(summary["measure"] != summary["target"]) & summary["rms"].notna()]
    if others.empty:
        return ""
    best = others.loc[others.groupby("target", sort=False)["rms"].idxmin()].set_index("target", drop=False)
    best = best.loc[[target for target in summary["target"].unique() if target in best.index]]
    return "\n".join(
        f"  {measure_label(row['target'])} from {measure_label(row['measure'])}, RMS {row['rms']:.4f}"
        for row in best.to_dict("records")
    )


def _percent(shares: pd.Series) -> pd.Series:
    texts = [f"{share:.0%}" for share in shares]
    width = max(map(len, texts), default=0)
    return pd.Series([text.rjust(width) for text in texts], index=shares.index).where(np.isfinite(shares))
