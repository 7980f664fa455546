"""The options of a study as one object, and their checks."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from maxent.curves import ALIGNS, Align
from maxent.data.collection import Collection
from maxent.errors import MeasureError, ProblemError
from maxent.measures import Measure
from maxent.problem import COUNTS, Count
from maxent.solvers.solve import backend


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """Options of a study of informativeness, which has thresholds, or of predictions, which have targets.

    ``jobs``, ``progress`` and ``checkpoint`` do not change the result. They are left out of ``==`` and ``repr``, so
    that a checkpoint can be continued with other values of them.

    Attributes
    ----------
    measures : tuple of Measure
        Measures whose values are known.
    thresholds : tuple of int
        As for :func:`maxent.informativeness`; empty for predictions.
    targets : tuple of Measure
        As for :func:`maxent.predict_measures`; empty for a study of informativeness.
    count, min_retrieved, align, solver, jobs, progress, checkpoint
        As for :func:`maxent.informativeness`.

    Raises
    ------
    ProblemError
        If an option makes no sense; :func:`check_collection` compares options with a collection.
    """

    measures: tuple[Measure, ...]
    thresholds: tuple[int, ...] = ()
    targets: tuple[Measure, ...] = ()
    count: Count = "retrieved"
    min_retrieved: int = 5
    align: Align = "recall"
    solver: str = "auto"
    jobs: int = field(default=1, compare=False, repr=False)
    progress: bool = field(default=True, compare=False, repr=False)
    checkpoint: str | Path | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.measures:
            raise ProblemError("a study needs at least one measure")
        if not (self.thresholds or self.targets):
            raise ProblemError("a study needs at least one threshold, a prediction at least one target")
        if self.count not in COUNTS:
            raise ProblemError(f"unknown count {self.count!r}; known: {', '.join(COUNTS)}")
        if self.align not in ALIGNS:
            raise ProblemError(f"unknown alignment {self.align!r}; known: {', '.join(ALIGNS)}")
        if self.min_retrieved < 0:
            raise ProblemError(f"min_retrieved must be at least 0, got {self.min_retrieved}")
        if self.thresholds and self.min_retrieved < 1:
            raise ProblemError(
                f"min_retrieved must be at least 1 (a curve needs a point), got {self.min_retrieved}"
            )
        backend(self.solver)


def check_collection(options: StudyOptions, collection: Collection) -> None:
    """Raise an error if the options do not fit the collection, before anything is solved.

    Raises
    ------
    MeasureError
        If a measure does not fit the grades, or a target has no expected value under independent ranks.
    ProblemError
        If a threshold is not one of the positive grades.
    """
    for measure in options.measures:
        for part in measure.parts:
            part.form(collection.relevant[0], collection.depth)
    if not all(1 <= t <= collection.levels for t in options.thresholds):
        raise ProblemError(f"thresholds must be grades within 1..{collection.levels}, got {options.thresholds}")
    uniform = np.full((collection.depth, collection.levels + 1), 1 / (collection.levels + 1))
    for target in options.targets:
        try:
            target.expected(uniform, collection.relevant[0])
        except MeasureError as error:
            raise MeasureError(f"target {target} has no expected value to predict: {error}") from None
