"""The options of a study as one object, and their checks."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np

from maxent.curves import ALIGNS, Align
from maxent.data.collection import Collection
from maxent.errors import MeasureError, ProblemError
from maxent.limits import whole_number
from maxent.measures import Measure
from maxent.problem import COUNTS, Count
from maxent.solvers.solve import backend
from maxent.workers import workers

READINGS = {
    "retrieved": "the number of documents of each grade that the list retrieved is known",
    "total": "the list is taken to hold all relevant documents of the topic",
    "at_most": "the list is taken to hold at most the relevant documents of the topic",
    "recall": "curves are compared at equal recall",
    "rank": "curves are compared at equal rank",
}
"""What each ``count`` and ``align`` means, in words."""


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
    count, min_retrieved, min_retrieved_total, align, solver, jobs, progress, checkpoint
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
    min_retrieved_total: int = 0
    align: Align = "recall"
    solver: str = "auto"
    jobs: int = field(default=1, compare=False, repr=False)
    progress: bool = field(default=True, compare=False, repr=False)
    checkpoint: str | Path | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.measures:
            raise ProblemError("a study needs at least one measure")
        if not isinstance(self.thresholds, Iterable):
            raise ProblemError(f"thresholds must be a list, got {self.thresholds!r}")
        thresholds = tuple(whole_number("a threshold", t, raises=ProblemError) for t in self.thresholds)
        object.__setattr__(self, "thresholds", thresholds)
        if not (self.thresholds or self.targets):
            raise ProblemError("a study needs at least one threshold, a prediction at least one target")
        for name in ("measures", "thresholds", "targets"):
            listed = getattr(self, name)
            if len(set(listed)) < len(listed):
                raise ProblemError(f"{name} has {next(x for x in listed if listed.count(x) > 1)} twice")
        if self.count not in COUNTS:
            raise ProblemError(f"unknown count {self.count!r}; known: {', '.join(COUNTS)}")
        if self.align not in ALIGNS:
            raise ProblemError(f"unknown alignment {self.align!r}; known: {', '.join(ALIGNS)}")
        for name in ("min_retrieved", "min_retrieved_total"):
            few = whole_number(name, getattr(self, name), raises=ProblemError, least=0)
            object.__setattr__(self, name, few)
        if self.thresholds and max(self.min_retrieved, self.min_retrieved_total) < 1:
            raise ProblemError("min_retrieved or min_retrieved_total must be at least 1: a curve needs a point")
        workers(self.jobs)  # an error if it makes no sense
        if not (self.checkpoint is None or (isinstance(self.checkpoint, str | PathLike) and str(self.checkpoint))):
            raise ProblemError(f"checkpoint must be a path, got {self.checkpoint!r}")
        backend(self.solver)

    @property
    def reading(self) -> dict[str, str]:
        """What findings hold for: ``count`` and, as predictions compare no curves, for other studies ``align``."""
        return {"count": self.count} | ({"align": self.align} if self.thresholds else {})


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
