"""What the report of two sets of judgments says."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from maxent.reports.content import Answer, Content, Provenance, Table
from maxent.reports.figures import figure
from maxent.reports.tables import number_text, table_of
from maxent.systems.compare_judgments import JudgmentComparison, confusion_matrix

KAPPA = "quadratic_kappa"
MEANINGS = {
    "statistic": "agreement: share of documents with the same grade; kappa: agreement beyond chance, weighted by "
    "the distance of the grades (linear) or its square",
    "value": "1: perfect agreement",
    "documents": "documents that both judge",
    "tau": "Kendall's tau-b between the rankings of the runs with A and with B; 1: the same ranking",
    "tau_ap": "AP correlation of B's ranking with A's: like tau, but the top counts more",
    "measure": "the measure that ranks the runs",
    "drop": "most ranks that a run loses from A to B",
    "run_id": "the run that loses them",
    "rank_a": "rank of the run with A",
    "rank_b": "rank of the run with B",
    "mean_a": "mean of the run over the topics with A",
    "mean_b": "mean of the run over the topics with B",
}
CHOICES = {
    "measure": "GAP with the g that the set chooses",
    "objective": "its mean RMS error with these judgments",
    "other": "the choice of the other set",
    "other_objective": "its mean RMS error with these judgments",
    "excess_low": "lower end of the 95 % interval of the difference",
    "excess_high": "upper end of the 95 % interval of the difference",
}


def judgments_content(
    title: tuple[str, str], found: JudgmentComparison, made: Provenance, *, names: Sequence[str]
) -> Content:
    """Report of two sets of judgments, A and B: grades, and if there are runs how they rank them.

    Parameters
    ----------
    title : tuple of str
        The command, and what is compared.
    found : JudgmentComparison
        The comparison.
    made : Provenance
        Where the numbers come from.
    names : pair of str
        Names of the two sets.
    """
    from maxent.plot.systems import plot_confusion  # loads matplotlib

    matrix = confusion_matrix(found.confusion)
    first, second = (f"{letter}: {Path(name).name}" for letter, name in zip("AB", names, strict=True))
    shown = figure(
        "confusion",
        partial(plot_confusion, found.confusion, names=(first, second)),
        size=(2.6 + 0.9 * len(matrix), 2 + 0.6 * len(matrix)),
        caption="Documents by their grades in A (rows) and in B (columns), as shares of the row.",
        white=True,
    )
    both = found.agreement.iloc[0]
    return Content(
        kind=title[0],
        title=title[1],
        question="Two sets of judgments have documents and topics in common. Do they give the same grades, and "
        "do measures rank the systems alike with either of them?",
        facts=(
            ("A", names[0], "the first set of judgments"),
            ("B", names[1], "the second set"),
            ("topics", number_text(int(both["topics"])), "topics that both judge"),
            ("documents", number_text(int(both["documents"])), "documents that both judge"),
            ("runs", number_text(found.means["run_id"].nunique()), "systems that are ranked"),
        ),
        provenance=made,
        answer=_answer(found),
        figures=(shown,),
        tables=tuple(_tables(found, matrix)),
    )


def _answer(found: JudgmentComparison) -> Answer:
    values = found.agreement.set_index("statistic")
    kappa = _with_ends(*values.loc[KAPPA, ["value", "low", "high"]].astype(float))
    numbers = [("quadratic kappa", kappa, "agreement beyond chance; 1: perfect")]
    tau = found.rankings["tau"].astype(float).dropna()
    if len(tau):
        ends = f"{number_text(tau.min())} to {number_text(tau.max())}"
        numbers.append(("tau of the rankings", ends, "Kendall's tau-b, from the least to the most alike measure"))
    share = number_text(float(values["value"]["agreement"]), share=True)
    return Answer(label="Documents with the same grade", value=share, numbers=tuple(numbers))


def _with_ends(value: float, low: float, high: float) -> str:
    if not np.isfinite(value):
        return "–"
    ends = f" ({number_text(low)} to {number_text(high)})" if np.isfinite(low) else ""
    return f"{number_text(value)}{ends}"


def _tables(found: JudgmentComparison, matrix: pd.DataFrame) -> list[Table]:
    crossed = matrix.rename_axis(columns=None).rename(columns=lambda name: f"B: {name}").reset_index(names="A")
    meanings = {str(name): "documents with this grade in B, by their grade in A" for name in crossed.columns[1:]}
    tables = [
        table_of(crossed, "grades", "Documents by their grades", meanings={"A": "grade in A"} | meanings),
        table_of(found.agreement, "agreement", "Agreement of the documents that both judge", meanings=MEANINGS),
    ]
    if len(found.rankings):
        ranks = {name: _missing_as_nan(found.rankings[name]) for name in ("rank_a", "rank_b")}
        rankings = found.rankings.assign(run_id=found.rankings["run_id"].fillna("–"), **ranks)
        tables += [
            table_of(rankings, "rankings", "Rankings of the runs", meanings=MEANINGS),
            table_of(found.means, "means", "Means of the runs", meanings=MEANINGS, closed=True),
        ]
    if len(found.choices):
        choices = found.choices.drop(columns=found.choices.filter(regex="^g_").columns)
        choices = choices.assign(judgments=choices["judgments"].str.upper())
        tables.append(table_of(choices, "choices", "The most informative g of each set", meanings=CHOICES))
    return tables


def _missing_as_nan(ranks: pd.Series) -> pd.Series:
    whole = ranks.astype(object)
    return whole.where(whole.notna(), np.nan)
