"""LambdaRank in XGBoost for every measure that is a pairwise form, and evaluation by any measure.

:mod:`maxent.ltr.objective` describes the gradients. They follow the conventions of LightGBM, which differ from
those of XGBoost's own ``rank:ndcg``. The Hessians are small, hence ``min_child_weight=1e-3``.
"""

from typing import TYPE_CHECKING, Any

import numpy.typing as npt
import pandas as pd

from maxent.ltr import objective
from maxent.ltr.objective import DataSet
from maxent.ltr.objective import LambdaObjective as LambdaObjective
from maxent.ltr.queries import as_columns

if TYPE_CHECKING:
    from xgboost import DMatrix


def dataset(table: pd.DataFrame, **options: Any) -> "DMatrix":
    """Data set of judged documents and their features.

    Parameters
    ----------
    table : DataFrame
        As for :func:`maxent.ltr.lightgbm.dataset`, with the same errors.
    **options
        Options of ``xgboost.DMatrix``, such as ``weight``, one for each query.

    Returns
    -------
    xgboost.DMatrix
    """
    try:
        from xgboost import DMatrix
    except ModuleNotFoundError as error:
        raise ImportError("XGBoost is not installed: pip install xgboost") from error
    features, labels, group = as_columns(table)
    return DMatrix(features, labels, group=group, **options)


class Evaluation(objective.Evaluation):
    """Mean of a measure, for ``xgboost.train(..., custom_metric=..., maximize=True)``; see its base class."""

    def __call__(self, preds: npt.ArrayLike, eval_data: DataSet) -> tuple[str, float]:
        """Name of the measure and its mean."""
        return self.name, self.mean(preds, eval_data)
