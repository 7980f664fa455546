"""LambdaRank in LightGBM for every measure that is a pairwise form, and evaluation by any measure.

:mod:`maxent.ltr.objective` describes the gradients. For ``nDCG(gain=exp2)`` they equal LightGBM's own if a query
has at most as many relevant documents as the truncation level. For other queries, LightGBM cuts the ideal list at
that level, which multiplies all gradients of the query by one factor.
"""

from typing import TYPE_CHECKING, Any

import numpy.typing as npt
import pandas as pd

from maxent.errors import InputError, missing_package
from maxent.ltr import objective
from maxent.ltr.objective import DataSet
from maxent.ltr.objective import LambdaObjective as LambdaObjective
from maxent.ltr.queries import as_columns

if TYPE_CHECKING:
    from lightgbm import Dataset


def dataset(table: pd.DataFrame, **options: Any) -> "Dataset":
    """Create a data set of judged documents and their features, with checks that ``lightgbm.Dataset`` lacks.

    LightGBM, for example, replaces a label that is NaN by 0.

    Parameters
    ----------
    table : DataFrame
        Table such as :func:`maxent.data.read_letor` returns: columns ``query_id``, ``relevance``, optionally
        ``doc_id``; all other columns are features. The documents of a query are in consecutive rows.
    **options
        Options of ``lightgbm.Dataset``, such as ``reference``.

    Returns
    -------
    lightgbm.Dataset

    Raises
    ------
    MaxentError
        If LightGBM is not installed.
    InputError
        If a label is not a whole number, or the documents of a query are not in consecutive rows.
    """
    try:
        from lightgbm import Dataset
    except ModuleNotFoundError as error:
        raise missing_package("a Dataset", error) from error
    features, labels, group = as_columns(table)
    return Dataset(features, labels, group=group, **options)


class Evaluation(objective.Evaluation):
    """Mean of a measure over queries, for ``lightgbm.train(..., feval=...)``; see the base class.

    ``lightgbm.LGBMRanker().fit(..., eval_metric=...)`` accepts it as well.
    """

    def __call__(
        self, preds: Any, eval_data: DataSet | npt.ArrayLike, weight: Any = None, group: Any = None
    ) -> tuple[str, float, bool]:
        """Name of the measure, its mean, and True: higher is better."""
        _check_names(eval_data)
        return self.name, self.mean(preds, eval_data, weight, group), True


def _check_names(data: Any) -> None:
    """InputError if the features have other names than in training: LightGBM compares only their number."""
    reference = getattr(data, "reference", None)
    if reference is None:
        return
    names = zip(data.get_feature_name(), reference.get_feature_name(), strict=True)
    for number, (name, expected) in enumerate(names, start=1):
        if name != expected:
            raise InputError(f"feature {number} is {expected} in training, but {name} in other data")
