"""Tidy tables as matrices, for heat maps and people."""

import pandas as pd

from maxent.errors import require_columns

NOT_JUDGED = "not judged"


def confusion_matrix(confusion: pd.DataFrame) -> pd.DataFrame:
    """Numbers of documents: grades of a as rows, grades of b as columns, ``not judged`` last."""
    labels = confusion[["grade_a", "grade_b"]].astype(object).map(lambda x: NOT_JUDGED if pd.isna(x) else str(x))
    matrix = labels.assign(documents=confusion["documents"]).pivot(
        index="grade_a", columns="grade_b", values="documents"
    )
    order = list(dict.fromkeys(labels["grade_a"]))
    return matrix.loc[order, order].fillna(0).astype(int)


def prediction_matrix(summary: pd.DataFrame, value: str = "rms") -> pd.DataFrame:
    """One column of a summary of predictions as a matrix: a row per given measure, a column per target."""
    require_columns(summary, ("measure", "target", value), "summary of predictions")
    wide = summary.pivot(index="measure", columns="target", values=value)
    return wide.loc[summary["measure"].unique(), summary["target"].unique()]
