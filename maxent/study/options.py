"""What a study does with every list of a collection, in one value that all its functions pass on."""

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
    """Options of a study; :func:`maxent.informativeness` and :func:`maxent.predict_measures` explain them.

    A study of informativeness has ``thresholds``, a prediction has ``targets``. The last three say how the work is
    done, not what comes out: they belong to neither its equality nor its ``repr``.

    Raises
    ------
    ProblemError
        If an option makes no sense; ``check_collection`` compares them with a collection.
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
    """Raise for options that do not fit the collection: at once, not after minutes of solving.

    Raises
    ------
    MeasureError
        If a measure does not fit the grades, or a target has no expected value under independent ranks.
    ProblemError
        If a threshold is not one of the positive grades.
    """
    for measure in options.measures:
        measure.form(collection.relevant[0], collection.depth)
    if not all(1 <= t <= collection.levels for t in options.thresholds):
        raise ProblemError(f"thresholds must be grades within 1..{collection.levels}, got {options.thresholds}")
    uniform = np.full((collection.depth, collection.levels + 1), 1 / (collection.levels + 1))
    for target in options.targets:
        try:
            target.expected(uniform, collection.relevant[0])
        except MeasureError as error:
            raise MeasureError(f"target {target} has no expected value to predict: {error}") from None
