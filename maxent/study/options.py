"""The checked options of a study, and its reading in words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np

from maxent.checks import check_choice, whole_number
from maxent.curves import ALIGNS, Align, check_band
from maxent.data.collection import Collection, collect
from maxent.data.inputs import Qrels, Runs
from maxent.data.options import LISTS
from maxent.errors import MeasureError, ProblemError
from maxent.measures import Measure, nDCG
from maxent.options import options_of
from maxent.problem import COUNTS, Count
from maxent.problem.reference import Reference, kept_reference, log_odds
from maxent.problem.solution import Model
from maxent.solvers.solve import checked_solver
from maxent.study.keywords import BYS, OPTIONS, MinRetrievedBy, PredictionKeywords, StudyKeywords
from maxent.workers import workers

TOPICS = "topics"  # a reference that each study finds itself
UNIFORM = "uniform"  # what no reference is called
READINGS = {
    "retrieved": "the number of documents of each grade that the list retrieved is known",
    "total": "the list is taken to hold all relevant documents of the topic",
    "at_most": "the list is taken to hold at most the relevant documents of the topic",
    "lists": "whole lists have probabilities, ranks are not independent",
    "log-uniform": "before anything is known, the odds of relevance at rank n are 1/n",
    TOPICS: "before anything is known, grades are as frequent at each rank as in lists of topics of other folds",
    "table": "before anything is known, the odds of grades at each rank are those of a table",
    "recall": "curves are compared at equal recall",
    "rank": "curves are compared at equal rank",
    "expected": "expected precision is compared at each relevant document",
}
"""What each ``count``, ``model``, ``reference`` and ``align`` means, in words."""


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """Checked options of a study of informativeness, which has thresholds, or of predictions, which have targets.

    ``jobs``, ``progress`` and ``checkpoint`` do not change the result. They are left out of ``==`` and ``repr``, so
    that a checkpoint can be continued with other values of them.
    """

    measures: tuple[Measure, ...]
    thresholds: tuple[int, ...] = ()
    targets: tuple[Measure, ...] = ()
    count: Count = OPTIONS["count"].default
    model: Model = OPTIONS["model"].default
    reference: Any = OPTIONS["reference"].default  # as a problem keeps it, or TOPICS
    min_retrieved: int = OPTIONS["min_retrieved"].default
    min_retrieved_by: MinRetrievedBy = OPTIONS["min_retrieved_by"].default
    min_retrieved_total: int = OPTIONS["min_retrieved_total"].default
    align: Align = OPTIONS["align"].default
    solver: str = OPTIONS["solver"].default
    band: float | None = None  # around predictions
    jobs: int = field(default=OPTIONS["jobs"].default, compare=False, repr=False)
    progress: bool = field(default=OPTIONS["progress"].default, compare=False, repr=False)
    checkpoint: str | Path | None = field(default=None, compare=False, repr=False)

    depth: int | None = field(default=None, compare=False, repr=False)  # that of the collection, for findings

    @classmethod
    def of(cls, collection: Collection, options: Mapping[str, Any], **others: Any) -> Self:
        """Options of a study of a collection, by default with every positive grade as a threshold."""
        known = {each.name for each in fields(cls)} - set(others)
        given = {name: value for name, value in options.items() if name in known} | {"depth": collection.depth}
        if given.get("thresholds", ()) is None:
            given["thresholds"] = range(1, collection.levels + 1)
        return cls(**given, **others)

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
        check_choice("count", self.count, COUNTS, raises=ProblemError)
        check_choice("alignment", self.align, ALIGNS, raises=ProblemError)
        check_choice("min_retrieved_by", self.min_retrieved_by, BYS, raises=ProblemError)
        if isinstance(self.reference, str) and self.reference != TOPICS:
            log_odds(self.reference, 1, 1)  # an error if it is unknown
        object.__setattr__(self, "reference", kept_reference(self.reference))
        for name in ("min_retrieved", "min_retrieved_total"):
            few = whole_number(name, getattr(self, name), raises=ProblemError, least=0)
            object.__setattr__(self, name, few)
        if self.thresholds and max(self.min_retrieved, self.min_retrieved_total) < 1:
            raise ProblemError("min_retrieved or min_retrieved_total must be at least 1: a curve needs a point")
        if self.band is not None:
            check_band(self.band)
        workers(self.jobs)  # an error if it makes no sense
        if not (self.checkpoint is None or (isinstance(self.checkpoint, str | PathLike) and str(self.checkpoint))):
            raise ProblemError(f"checkpoint must be a path, got {self.checkpoint!r}")
        checked_solver(self.solver, self.model)

    @property
    def keywords(self) -> dict[str, Any]:
        """All but measures and depth, as keywords of :func:`maxent.informativeness` or of other studies."""
        return self.keywords_of(PredictionKeywords if self.targets else StudyKeywords)

    def keywords_of(self, declared: type) -> dict[str, Any]:
        """All but measures and depth that a TypedDict of keywords declares."""
        known = set(options_of(declared)) - {"depth"}
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name in known}

    @property
    def reading(self) -> dict[str, str]:
        """What findings hold for: ``count``, ``align`` if curves are compared, and what differs from the papers."""
        others = {} if self.model == "ranks" else {"model": str(self.model)}
        if self.reference is not None:
            others["reference"] = reference_name(self.reference)
        return {"count": self.count} | others | ({"align": self.align} if self.thresholds else {})

    @property
    def reading_text(self) -> str:
        """The reading as options: ``count=retrieved, align=recall``."""
        return ", ".join(f"{name}={value}" for name, value in self.reading.items())

    @property
    def legend(self) -> tuple[str, ...]:
        """What the reading is, in words."""
        return legend_of(self.reading)

    @property
    def scope(self) -> dict[str, str]:
        """Everything that findings hold for: the whole reading, the depth where it is known, and gains of nDCG."""
        scope = {"count": str(self.count), "model": str(self.model), "reference": reference_name(self.reference)}
        if self.thresholds:
            scope["align"] = str(self.align)
        if self.min_retrieved_by != "grade":
            scope["min_retrieved_by"] = self.min_retrieved_by
        if self.depth:
            scope["depth"] = str(self.depth)
        parts = [part for measure in self.measures for part in measure.parts]
        if gains := dict.fromkeys(_gain_text(part.gain) for part in parts if isinstance(part, nDCG)):
            scope["gain"] = " or ".join(gains)
        return scope


def _gain_text(gain: str | tuple[float, ...]) -> str:
    """A gain as in the text form of a measure."""
    return gain if isinstance(gain, str) else ",".join(f"{x:g}" for x in gain)


def reference_name(reference: Reference) -> str:
    """A reference in tables and sentences."""
    if reference is None:
        return UNIFORM
    return reference if isinstance(reference, str) else "table"


def legend_of(reading: Mapping[str, str]) -> tuple[str, ...]:
    """What a reading is, in words."""
    return tuple(f"{name}={value}: {READINGS[value]}" for name, value in reading.items())


def collected(runs: Runs | Collection, qrels: Qrels | None, options: Mapping[str, Any]) -> Collection:
    """The collection of a study with these options."""
    return collect(runs, qrels, **{name: options[name] for name in LISTS if name in options})


def check_collection(options: StudyOptions, collection: Collection) -> None:
    """Raise an error if the options do not fit the collection, before anything is solved."""
    for measure in options.measures:
        for part in measure.parts:
            known = part.form if options.model == "ranks" else part.expectation
            known(collection.relevant[0], collection.depth)
    if options.reference != TOPICS:
        log_odds(options.reference, collection.depth, collection.levels)
    if not all(1 <= t <= collection.levels for t in options.thresholds):
        raise ProblemError(f"thresholds must be grades within 1..{collection.levels}, got {options.thresholds}")
    uniform = np.full((collection.depth, collection.levels + 1), 1 / (collection.levels + 1))
    for target in options.targets:
        try:
            target.expected(uniform, collection.relevant[0])
        except MeasureError as error:
            raise MeasureError(f"target {target} has no expected value to predict: {error}") from None
