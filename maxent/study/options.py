"""The options of studies: declared, explained and given their defaults here, and checked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypedDict

import numpy as np

from maxent.curves import ALIGNS, Align
from maxent.data.collection import Collection, collect
from maxent.data.inputs import Qrels, Runs
from maxent.data.options import LISTS, ListOptions, TopicOptions
from maxent.errors import MeasureError, ProblemError
from maxent.limits import whole_number
from maxent.measures import Measure
from maxent.options import Option, options_of
from maxent.problem import COUNTS, Count
from maxent.problem.checks import check_choice
from maxent.solvers.solve import backend
from maxent.study.bootstrap import Resample
from maxent.workers import workers

REFERENCES = ("log-uniform",)
READINGS = {
    "retrieved": "the number of documents of each grade that the list retrieved is known",
    "total": "the list is taken to hold all relevant documents of the topic",
    "at_most": "the list is taken to hold at most the relevant documents of the topic",
    "log-uniform": "before anything is known, the odds of relevance at rank n are 1/n",
    "recall": "curves are compared at equal recall",
    "rank": "curves are compared at equal rank",
    "expected": "expected precision is compared at each relevant document",
}
"""What each ``count``, ``reference`` and ``align`` means, in words."""


class CountOptions(TypedDict, total=False):
    """What is known beside values."""

    count: Annotated[
        Count,
        Option(
            "retrieved",
            '{"retrieved", "total", "at_most"}',
            "Known numbers of documents of each grade: those that the list retrieved, all of the topic, or at most "
            "those; see :class:`maxent.Problem`.",
        ),
    ]
    reference: Annotated[
        Literal["log-uniform"] | None,
        Option(
            None,
            '{None, "log-uniform"}',
            "What is known of a list before anything else: nothing by default, as in the papers, or odds of "
            "relevance of 1/n at rank n; see :class:`maxent.Problem`.",
        ),
    ]


class ThresholdOptions(TypedDict, total=False):
    """Which curves there are."""

    thresholds: Annotated[
        Iterable[int] | None,
        Option(
            None,
            "iterable of int, optional",
            "Thresholds of the curves, the lowest grades that count as relevant; default: every positive grade.",
        ),
    ]


class CurveOptions(TypedDict, total=False):
    """How curves are compared."""

    align: Annotated[
        Align,
        Option(
            "recall",
            '{"recall", "rank", "expected"}',
            "How two curves are compared, at equal recall, at equal rank, or by the expected precision at each "
            "relevant document; see :func:`maxent.curve_error`.",
        ),
    ]


class FilterOptions(TypedDict, total=False):
    """Which lists count, and where finished topics are kept."""

    min_retrieved: Annotated[
        int,
        Option(
            5,
            "int",
            "Lists with fewer retrieved documents in some positive grade of the collection are left out; for "
            "predictions, 0 keeps all.",
        ),
    ]
    min_retrieved_total: Annotated[
        int,
        Option(
            0,
            "int",
            "Lists with fewer retrieved documents in all positive grades together are left out. With "
            "``min_retrieved=0``, for topics with few relevant documents, a list counts for the thresholds that "
            "one of its documents reaches.",
        ),
    ]
    checkpoint: Annotated[
        str | Path | None,
        Option(
            None,
            "path, optional",
            "File of finished topics, with which an interrupted study continues where it stopped. The key of the "
            "study is added to its name (``part.ckpt`` becomes ``part-0123456789ab.ckpt``), so studies never share "
            "a file.",
        ),
    ]


class SolverOptions(TypedDict, total=False):
    """How problems are solved."""

    solver: Annotated[str, Option("auto", "str", "As for :func:`maxent.solve`.")]


class StudyKeywords(
    CountOptions,
    ThresholdOptions,
    CurveOptions,
    FilterOptions,
    TopicOptions,
    ListOptions,
    SolverOptions,
    total=False,
):
    """Options of :func:`maxent.informativeness`."""


class ReadingsKeywords(ThresholdOptions, FilterOptions, TopicOptions, ListOptions, SolverOptions, total=False):
    """Options of :func:`maxent.readings`."""


class PredictionKeywords(CountOptions, FilterOptions, TopicOptions, ListOptions, SolverOptions, total=False):
    """Options of :func:`maxent.predict_measures`."""


class ListKeywords(CountOptions, CurveOptions, ListOptions, SolverOptions, total=False):
    """Options of :func:`maxent.explain`."""


class BootstrapKeywords(TypedDict, total=False):
    """How intervals are found."""

    replicates: Annotated[int, Option(1000, "int", "Number of bootstrap samples.")]
    rng: Annotated[np.random.Generator | int, Option(0, "Generator or int", "What draws the samples, or its seed.")]


class ResampleKeywords(BootstrapKeywords, total=False):
    """How intervals over topics, or also over systems, are found."""

    resample: Annotated[
        Resample,
        Option(
            "topics",
            '{"topics", "both"}',
            "Intervals for other topics and these systems, or for other topics and other systems.",
        ),
    ]


class ChoiceKeywords(StudyKeywords, BootstrapKeywords, total=False):
    """Options of :func:`maxent.choose_g` and :func:`maxent.choose_measures`."""


OPTIONS = options_of(StudyKeywords)
"""Every option of a study by its name: default, type in words, explanation."""


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
    reference: Literal["log-uniform"] | None = OPTIONS["reference"].default
    min_retrieved: int = OPTIONS["min_retrieved"].default
    min_retrieved_total: int = OPTIONS["min_retrieved_total"].default
    align: Align = OPTIONS["align"].default
    solver: str = OPTIONS["solver"].default
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
        if self.count not in COUNTS:
            raise ProblemError(f"unknown count {self.count!r}; known: {', '.join(COUNTS)}")
        if self.reference is not None:
            check_choice("reference", self.reference, REFERENCES)
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
    def keywords(self) -> dict[str, Any]:
        """All but measures and depth, as keywords of :func:`maxent.informativeness` or of other studies."""
        known = options_of(PredictionKeywords if self.targets else StudyKeywords)
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name in set(known) - {"depth"}}

    @property
    def reading(self) -> dict[str, str]:
        """What findings hold for: ``count``, a ``reference``, and ``align`` unless no curves are compared."""
        reference = {"reference": self.reference} if self.reference else {}
        return {"count": self.count} | reference | ({"align": self.align} if self.thresholds else {})

    @property
    def reading_text(self) -> str:
        """The reading as options: ``count=retrieved, align=recall``."""
        return ", ".join(f"{name}={value}" for name, value in self.reading.items())

    @property
    def legend(self) -> tuple[str, ...]:
        """What the reading is, in words."""
        return tuple(f"{name}={value}: {READINGS[value]}" for name, value in self.reading.items())

    @property
    def scope(self) -> dict[str, str]:
        """The reading, and the depth of the lists where it is known."""
        return self.reading | ({"depth": str(self.depth)} if self.depth else {})


def collected(runs: Runs | Collection, qrels: Qrels | None, options: Mapping[str, Any]) -> Collection:
    """The collection of a study with these options."""
    return collect(runs, qrels, **{name: options[name] for name in LISTS if name in options})


def check_collection(options: StudyOptions, collection: Collection) -> None:
    """Raise an error if the options do not fit the collection, before anything is solved."""
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
