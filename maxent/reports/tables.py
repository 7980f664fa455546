"""Tables of a report: how numbers are written, and what each column means."""

import re
from typing import Any

import numpy as np
import pandas as pd

from maxent.errors import visible
from maxent.measures.labels import measure_label
from maxent.reports.content import Cell, Column, Table

SPACE = "\N{NO-BREAK SPACE}"
ROUNDING = 1e-12  # numbers closer to 0 are rounding errors
MOST = 1000  # rows of a table; the files of --out have all
LEGENDS = {
    "run_id": ("run", "a system: its name in the run file"),
    "query_id": ("topic", "a query with its judgments"),
    "run_a": ("run a", "one run of the pair"),
    "run_b": ("run b", "the other run of the pair"),
    "run": ("run", "a system: its name in the run file"),
    "measure": ("measure", "the measure whose value is known, in its text form"),
    "target": ("predicted", "the measure that is predicted from the known one"),
    "measure_a": ("measure", "GAP, xGAP or eGAP with the g of the row"),
    "measure_b": ("compared with", "the measure whose ranking of the systems is compared"),
    "g": ("g", "threshold probabilities: the share of users whose threshold is grade 1, 2, ..."),
    "threshold": ("threshold", "lowest grade that counts as relevant on the precision-recall curve"),
    "status": ("status", "what became of the lists"),
    "reason": ("reason", "why lists are left out"),
    "lists": ("lists", "what a run returns for a topic is a list: how many the numbers are means of"),
    "topics": ("topics", "how many topics the lists are of"),
    "rms": ("RMS", "root mean square difference of precision between inferred and actual curve, mean over lists; "
            "lower is more informative"),
    "rms_low": ("RMS from", "lower end of the 95 % bootstrap interval of the mean RMS over topics"),
    "rms_high": ("RMS to", "upper end of the 95 % bootstrap interval of the mean RMS over topics"),
    "mae": ("MAE", "mean absolute difference, mean over lists"),
    "mae_low": ("MAE from", "lower end of the 95 % bootstrap interval of the MAE over topics"),
    "mae_high": ("MAE to", "upper end of the 95 % bootstrap interval of the MAE over topics"),
    "objective": ("mean RMS", "RMS averaged over the thresholds, with their weights; smallest for the chosen g"),
    "low": ("from", "lower end of the 95 % interval"),
    "high": ("to", "upper end of the 95 % interval"),
    "excess_low": ("excess from", "lower end of the 95 % interval of the difference to the chosen g; 0 or less: "
                   "not distinguishable from it"),
    "excess_high": ("excess to", "upper end of the 95 % interval of the difference to the chosen g"),
    "share_best": ("best in", "share of the resampled topic sets in which this g has the smallest mean RMS"),
    "tau": ("tau", "Kendall's tau-b between two rankings of the systems; 1: the same ranking"),
    "tau_ap": ("tau AP", "AP correlation: like tau, but the top of the ranking counts more"),
    "tau_low": ("tau from", "lower end of the interval of 95 % of the repetitions"),
    "tau_high": ("tau to", "upper end of the interval of 95 % of the repetitions"),
    "tau_systems": ("tau of means", "Kendall's tau-b between predicted and actual means of the systems"),
    "share": ("judgments", "share of the judgments that is kept"),
    "power": ("power", "share of the pairs of systems that the measure tells apart"),
    "difference_needed": ("needed", "difference of two means that is needed for significance"),
    "baseline": ("baseline", "the run that the other is compared with"),
    "mean_baseline": ("its mean", "mean of the baseline over topics"),
    "mean": ("mean", "mean of the run over topics"),
    "difference": ("difference", "mean of the run minus that of the baseline"),
    "p_value": ("p", "p-value of the paired test"),
    "p_value_corrected": ("p corrected", "p-value corrected for the number of comparisons by the measure"),
    "reject": ("significant", "whether the corrected p-value is at most the level"),
    "effect_size": ("effect", "mean difference over its standard deviation over topics"),
    "better": ("better", "in how many topics, or than how many runs"),
    "worse": ("worse", "in how many topics, or than how many runs"),
    "equal": ("equal", "topics in which both have the same value"),
    "missing": ("missing", "topics for which a run returned nothing: an empty list"),
    "told_apart": ("told apart by", "number of measures by which the difference of the pair is significant"),
    "used": ("used", "lists behind the numbers of this report"),
    "nonrelevant": ("grade 0", "judged documents that are not relevant"),
}  # fmt: skip
"""Heading and meaning of a column by its name in the files of ``--out``."""
SHARES = ("share_best", "share", "power")
TEXTS = ("run_id", "query_id", "run_a", "run_b", "run", "baseline")


def table_of(
    frame: pd.DataFrame,
    name: str,
    title: str,
    *,
    note: str = "",
    closed: bool = False,
    meanings: dict[str, str] | None = None,
) -> Table:
    """Table of a report; of more than ``MOST`` rows the first.

    Parameters
    ----------
    frame : DataFrame
        Its columns have names of ``LEGENDS``, or ``rms_t1``, ``grade_1`` and the like; others stand for themselves.
    name, title, note, closed
        As for :class:`Table`.
    meanings : dict, optional
        Meanings of columns that differ from those of ``LEGENDS``.
    """
    if len(frame) > MOST:
        note = f"{note} The first {MOST} of {len(frame)} rows; the files that --out writes have all.".strip()
    columns, cells = [], []
    for position, key in enumerate(map(str, frame.columns)):
        heading, meaning = _legend(key)
        own = [cell_of(key, value) for value in frame.iloc[:MOST, position].tolist()]
        columns.append(Column(heading, (meanings or {}).get(key, meaning), all(cell.number for cell in own)))
        cells.append(own)
    rows = tuple(zip(*cells, strict=True))
    return Table(id=name, title=title, columns=tuple(columns), rows=rows, note=note, closed=closed)


def _legend(key: str) -> tuple[str, str]:
    if found := re.fullmatch(r"rms_t(\d+)", key):
        return f"RMS, t = {found[1]}", f"mean RMS for threshold {found[1]}, on the lists of the choice"
    if found := re.fullmatch(r"grade_(\d+)", key):
        return f"grade {found[1]}", f"judged documents of grade {found[1]}"
    return LEGENDS.get(key, (key.strip(), ""))


def cell_of(key: str, value: Any) -> Cell:
    """A value as text: four decimals, thousands apart, shares as percentages."""
    if isinstance(value, bool | np.bool_):
        return Cell("yes" if value else "no", float(value), False)
    if isinstance(value, str) or key in TEXTS:
        text = visible(str(value))
        return Cell(measure_label(text) if key not in TEXTS else text, text, False)
    number = float(value)
    if not np.isfinite(number):
        return Cell("–", None, True)
    return Cell(number_text(value, share=key in SHARES), number, True)


def number_text(value: float, *, share: bool = False) -> str:
    """A number as text, with a true minus sign."""
    if share:
        text = f"{value:.1%}".replace(".0%", "%").replace("%", f"{SPACE}%")
    elif isinstance(value, int | np.integer):
        text = f"{value:,}".replace(",", SPACE)
    elif ROUNDING < abs(value) < 5e-5:
        text = f"{value:.1e}"
    else:
        text = f"{value if abs(value) > ROUNDING else 0:.4f}"
    return text.replace("-", "−")
