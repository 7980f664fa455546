"""LambdaRank in XGBoost for every measure that is a pairwise form, and evaluation by any measure.

    import xgboost
    import maxent as me
    from maxent.ltr.xgboost import Evaluation, LambdaObjective, dataset

    train, valid = (dataset(me.read_letor(path)) for path in ("training.txt", "validation.txt"))
    measure = me.GAP(g=(0.5, 0.5))
    params = {"disable_default_eval_metric": 1, "min_child_weight": 1e-3}
    own = {"obj": LambdaObjective(measure), "custom_metric": Evaluation(measure)}
    booster = xgboost.train(params, train, 100, evals=[(valid, "valid")], maximize=True, **own)

:mod:`maxent.ltr.objective` describes the gradients. They follow the conventions of LightGBM, which differ from
those of XGBoost's own ``rank:ndcg``. The Hessians are small, hence ``min_child_weight``.
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
    """Data set of judged documents and their features; as :func:`maxent.ltr.lightgbm.dataset`.

    Parameters
    ----------
    table : DataFrame
        As for :func:`maxent.ltr.lightgbm.dataset`.
    **options
        Options of ``xgboost.DMatrix``, such as ``weight``, one for each query.

    Returns
    -------
    xgboost.DMatrix

    Raises
    ------
    ImportError
        If XGBoost is not installed.
    InputError
        If a label is not a whole number, or the documents of a query are not in consecutive rows.
    """
    try:
        from xgboost import DMatrix
    except ModuleNotFoundError as error:
        raise ImportError("XGBoost is not installed: pip install xgboost") from error
    features, labels, group = as_columns(table)
    return DMatrix(features, labels, group=group, **options)


class Evaluation(objective.Evaluation):
    """Mean of a measure over queries, for ``xgboost.train(..., custom_metric=..., maximize=True)``.

    Parameters
    ----------
    measure, levels
        As for :class:`maxent.ltr.objective.Evaluation`.
    """

    def __call__(self, preds: npt.ArrayLike, eval_data: DataSet) -> tuple[str, float]:
        """Name of the measure and its mean."""
        return self.name, self.mean(preds, eval_data)
