"""What an analysis found, in words."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from maxent.measures.labels import g_label, measure_label
from maxent.study.choose_g import GChoice
from maxent.study.options import StudyOptions


@dataclass(frozen=True)
class Finding:
    """A sentence, what supports it, and what to be careful about; the same wherever it is shown."""

    sentence: str
    support: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join((self.sentence, *self.support, *self.cautions))


def study_finding(
    table: pd.DataFrame,
    options: StudyOptions,
    choice: GChoice | None = None,
    weights: Mapping[int, float] | None = None,
    rng: np.random.Generator | int = 0,
) -> Finding:
    """The best measure."""
    means = table.groupby("measure")["rms"].mean()
    return Finding(f"smallest error: {measure_label(str(means.idxmin()))}")


def choice_finding(choice: GChoice, options: StudyOptions) -> Finding:
    """The chosen g."""
    return Finding(f"most informative: g = ({g_label(choice.g)})")
