"""The options of studies: each declared and explained once, checked together, and a reading in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypedDict, get_args

import numpy as np

from maxent.checks import check_band, check_choice, whole_number
from maxent.curves.error import ALIGNS, Align
from maxent.data.collection import Collection
from maxent.data.options import CollectOptions, ListOptions, ScaleOptions
from maxent.data.values import warn_of_grades
from maxent.errors import MeasureError, ProblemError
from maxent.measures import GAP, RBP, Measure, as_measures, g_grid
from maxent.options import Default, options_of
from maxent.problem import COUNTS, Count
from maxent.problem.reference import UNIFORM, Reference, hashable_reference, log_odds
from maxent.problem.solution import Model
from maxent.results.finding import text_of
from maxent.solvers.solve import checked_solver
from maxent.stats.bootstrap import Resample
from maxent.studies.reading_words import TOPICS, gains_of, legend_of, reference_name, worded
from maxent.workers import workers

MinRetrievedBy = Literal["grade", "threshold"]
ReadingName = Literal["standard", "papers"]
SHORT = 20  # depth of the longest lists that are short
EVERY_RANK: Align = "every-rank"
MEASURES = ("GAP", "AP", "nDCG(gain=exp2)")
SHORT_MEASURES = ("nDCG@10", "AP@10", "RR@10", "P@5", "P@10", "RBP(p=.8)", "RBP(p=.5)", "Success@5")
G_STEPS = 9  # points along an edge of the grid of g
BOTH: tuple[Count, ...] = ("retrieved", "at_most")  # what a value says beside the number found, and what alone
BYS: tuple[MinRetrievedBy, ...] = get_args(MinRetrievedBy)
READING_NAMES: tuple[ReadingName, ...] = get_args(ReadingName)


class CountOptions(TypedDict, total=False):
    """Constraints and assumptions besides the values.

    reading : {"standard", "papers"}
        Model, reference, alignment and filter together; each of these options, if given, changes itself alone.
        ``standard`` has independent ranks, the reference 1/n, expected curves and one retrieved document of each
        grade; up to depth 20 whole lists, the reference 1/n, precision at every rank and no filter. ``papers`` has
        independent ranks, the uniform reference, curves at equal recall and five documents of each grade.
    count : {"retrieved", "total", "at_most"}, optional
        Numbers of documents of each grade given to the model: those in the list (default), those in the topic, or
        the latter as upper limits; see :class:`maxent.Problem`.
    model : {"ranks", "lists"}, optional
        Distributions over independent ranks, as in the papers, or over whole lists; see :func:`maxent.solve`.
        Default: that of the reading.
    reference : {"uniform", "log-uniform", "topics"} or table, optional
        Distribution before the values are given: all lists equally likely (``uniform``); odds of relevance of 1/n
        at rank n (``log-uniform``); shares of grades in lists of other topics (``topics``, see
        :func:`maxent.studies.rank_profile`); or a table of such shares. See :class:`maxent.Problem`. Default: that
        of the reading.
    """

    reading: Annotated[ReadingName, Default("standard", __doc__)]
    count: Annotated[Count | None, Default(None, __doc__)]
    model: Annotated[Model | None, Default(None, __doc__)]
    reference: Annotated[Reference, Default(None, __doc__)]


class ThresholdOptions(TypedDict, total=False):
    """Thresholds of curves.

    thresholds : iterable of int, optional
        Thresholds of the curves: lowest grades that count as relevant; default: every positive grade.
    """

    thresholds: Annotated[Iterable[int] | None, Default(None, __doc__)]


class CurveOptions(TypedDict, total=False):
    """How curves are compared.

    align : {"recall", "rank", "expected", "every-rank"}, optional
        How two curves are compared: at equal recall, at equal rank, by expected precision at each relevant
        document, or by precision at every rank; see :func:`maxent.curve_error`. Default: that of the reading.
    """

    align: Annotated[Align | None, Default(None, __doc__)]


class SolverOptions(TypedDict, total=False):
    """How problems are solved.

    solver : {"auto", "newton", "scipy", "cvxpy"}
        Solver for independent ranks; see :func:`maxent.solve`.
    """

    solver: Annotated[str, Default("auto", __doc__)]


class FilterOptions(CollectOptions, SolverOptions, total=False):
    """Lists to exclude, and a file for finished topics.

    min_retrieved : int, optional
        Exclude lists with fewer retrieved documents in some positive grade of the collection; 0 excludes none.
        Default: that of the reading.
    min_retrieved_by : {"grade", "threshold"}
        What ``min_retrieved`` counts: documents of each grade, or documents of each grade and higher, so that
        highly relevant documents also count as relevant.
    min_retrieved_total : int
        Exclude lists with fewer relevant documents in all positive grades together. With ``min_retrieved=0`` a list
        counts for the thresholds that at least one of its documents reaches.
    checkpoint : path, optional
        File for finished topics, from which the same call continues after an interruption. A key of the study is
        added to its name (``part.ckpt`` becomes ``part-0123456789ab.ckpt``), so that studies never share a file.
    """

    min_retrieved: Annotated[int | None, Default(None, __doc__)]
    min_retrieved_by: Annotated[MinRetrievedBy, Default("grade", __doc__)]
    min_retrieved_total: Annotated[int, Default(0, __doc__)]
    checkpoint: Annotated[str | Path | None, Default(None, __doc__)]


class StudyKeywords(CountOptions, ThresholdOptions, CurveOptions, FilterOptions, total=False):
    """Options of :func:`maxent.informativeness`."""


class ReadingsKeywords(ThresholdOptions, FilterOptions, total=False):
    """Options of :func:`maxent.compare_measures`."""


class PredictionKeywords(CountOptions, FilterOptions, total=False):
    """Options of :func:`maxent.predict`.

    band : float, optional
        Probability of a band around each prediction, such as 0.9, in the columns low and high. The band is that of
        the values of 199 random lists, which takes a few hundredths of a second per list.
    """

    band: Annotated[float | None, Default(None, __doc__)]


class ListKeywords(CountOptions, CurveOptions, ListOptions, ScaleOptions, SolverOptions, total=False):
    """Options of :func:`maxent.explain`.

    band : float, optional
        Probability of the bands around inferred curves (see :func:`maxent.inferred_curve`); None: no bands. There
        are none where precision is compared at every rank.
    """

    band: Annotated[float | None, Default(0.9, __doc__)]


class BootstrapKeywords(TypedDict, total=False):
    """How intervals are computed.

    replicates : int
        Number of bootstrap samples.
    rng : Generator or int
        Random generator of the samples, or its seed.
    """

    replicates: Annotated[int, Default(1000, __doc__)]
    rng: Annotated[np.random.Generator | int, Default(0, __doc__)]


class ResampleKeywords(BootstrapKeywords, total=False):
    """How intervals over topics, or over topics and systems, are computed.

    resample : {"topics", "both"}
        Intervals that generalise to other topics, or to other topics and systems.
    """

    resample: Annotated[Resample, Default("topics", __doc__)]


class ChoiceKeywords(StudyKeywords, BootstrapKeywords, total=False):
    """Options of :func:`maxent.choose_g` and :func:`maxent.choose_measures`."""


OPTIONS = options_of(StudyKeywords, ListKeywords)
"""Every option of a study or a list by its name: default, type in words, explanation."""


def are_short(depth: int, reading: str) -> bool:
    """Whether a reading compares lists of this depth by precision at every rank; that of the papers never does."""
    return depth <= SHORT and reading == "standard"


def fitting(depth: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the named reading for lists of a depth, where ``options`` do not say otherwise.

    From the uniform reference of the papers, whatever weighs the whole list is the most informative, even a measure
    without content (:class:`maxent.BrokenStick`). From 1/n, with expected curves, GAP with equal g_k was ahead of
    it on three of three collections, and other measures were on some of them.

    Lists of ten documents have one or two relevant ones. At equal recall the last of them is compared with the
    count over the depth, whatever a measure says, and the expected precision at a single one is the constraint of
    AP and reciprocal rank itself. So whole lists are compared by their precision at every rank.
    """
    name = options.get("reading") or "standard"
    check_choice("reading", name, READING_NAMES, raises=ProblemError)
    short = are_short(depth, name)
    alone = options.get("solver", "auto") in ("auto", "newton")  # other back ends are for ranks
    usual: dict[str, Any] = {
        "reading": name,
        "count": "retrieved",
        "model": "lists" if short and alone else "ranks",
    }
    if name == "papers":
        usual |= {"reference": UNIFORM, "align": "recall", "min_retrieved": 5}
    else:
        usual |= {"reference": "log-uniform", "align": EVERY_RANK if short else "expected"}
        usual |= {"min_retrieved": 0 if short else 1}
    return {option: value for option, value in usual.items() if options.get(option) is None}


def is_standard(scope: Mapping[str, object]) -> bool:
    """Whether a scope, as of :class:`StudyOptions`, has model, reference and alignment of the standard reading."""
    usual = fitting(int(str(scope["depth"])), {})
    return all(scope[name] == usual[name] for name in ("model", "reference", "align"))


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """Checked options of a study of informativeness, which has thresholds, or of predictions, which have targets.

    ``jobs``, ``progress`` and ``checkpoint`` do not change the result. They are left out of ``==`` and ``repr``, so
    that a checkpoint can be continued with other values of them.
    """

    measures: tuple[Measure, ...]
    thresholds: tuple[int, ...] = ()
    targets: tuple[Measure, ...] = ()
    reading: ReadingName = OPTIONS["reading"].default
    count: Count = "retrieved"
    model: Model = "ranks"
    reference: Any = "log-uniform"  # as a problem keeps it, or TOPICS
    min_retrieved: int = 1
    min_retrieved_by: MinRetrievedBy = OPTIONS["min_retrieved_by"].default
    min_retrieved_total: int = OPTIONS["min_retrieved_total"].default
    align: Align = "expected"
    solver: str = OPTIONS["solver"].default
    band: float | None = None  # around predictions
    asked: str = ""  # of the lists beside all this: another question has another checkpoint
    jobs: int = field(default=OPTIONS["jobs"].default, compare=False, repr=False)
    progress: bool = field(default=OPTIONS["progress"].default, compare=False, repr=False)
    checkpoint: str | Path | None = field(default=None, compare=False, repr=False)
    depth: int | None = field(default=None, compare=False, repr=False)  # that of the collection, for findings
    cautions: tuple[str, ...] = field(default=(), compare=False, repr=False)  # about the collection, for findings

    @classmethod
    def of(cls, collection: Collection, options: Mapping[str, Any], **fixed: Any) -> Self:
        """Options of a study of a collection, by default with every positive grade as a threshold."""
        keywords = {name: value for name, value in options.items() if name in _FIELDS} | fixed
        keywords |= fitting(collection.depth, keywords)
        if keywords.get("thresholds", ()) is None:
            keywords["thresholds"] = range(1, collection.levels + 1)
        return cls(**keywords | {"depth": collection.depth, "cautions": collection.cautions})

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
        object.__setattr__(self, "reference", hashable_reference(self.reference))
        for name in ("min_retrieved", "min_retrieved_total"):
            few = whole_number(name, getattr(self, name), raises=ProblemError, least=0)
            object.__setattr__(self, name, few)
        if self.band is not None:
            check_band(self.band)
        workers(self.jobs)  # an error if it makes no sense
        if not (self.checkpoint is None or (isinstance(self.checkpoint, str | PathLike) and str(self.checkpoint))):
            raise ProblemError(f"checkpoint must be a path, got {self.checkpoint!r}")
        checked_solver(self.solver, self.model)

    @property
    def reading_parts(self) -> dict[str, str]:
        """The reading under which findings hold: its name, and the options that it stands for."""
        return worded(self.scope)

    @property
    def reading_text(self) -> str:
        """The reading as options: ``reading=standard, count=retrieved, ...``."""
        return text_of(self.reading_parts)

    @property
    def legend(self) -> tuple[str, ...]:
        """The reading in words, and the p of a plain RBP if there are others."""
        persistence = {str(m): m.p for m in self.measures if isinstance(m, RBP)}
        plain = [f"RBP: p={persistence['RBP']:g}"] if "RBP" in persistence and len(persistence) > 1 else []
        return (*plain, *legend_of(self.reading_parts))

    @property
    def scope(self) -> dict[str, str]:
        """Full scope of findings: the reading, the depth if it is set, and gains of nDCG."""
        scope = {"reading": str(self.reading), "count": str(self.count), "model": str(self.model)}
        scope["reference"] = reference_name(self.reference)
        if self.thresholds:
            scope["align"] = str(self.align)
        scope["min_retrieved"] = str(self.min_retrieved)
        if self.min_retrieved_by != "grade":
            scope["min_retrieved_by"] = self.min_retrieved_by
        if self.depth:
            scope["depth"] = str(self.depth)
        if gains := gains_of(self.measures):
            scope["gain"] = gains
        return scope


_FIELDS = {option.name for option in fields(StudyOptions)}


def usual_measures(depth: int, reading: str) -> tuple[str, ...]:
    """Default measures of a study: those of figure 2 of the GAP paper, or common ones for short lists."""
    return SHORT_MEASURES if are_short(depth, reading) else MEASURES


def expanded(
    measures: Sequence[Measure | str],
    levels: int,
    g_steps: int | None = None,
    *,
    beside: Sequence[Measure | str] = (),
) -> tuple[Measure, ...]:
    """Measures from texts, each once; plain ``GAP`` is the grid of g with ``g_steps``.

    ``g_steps`` is an error unless plain ``GAP`` is among the measures or among those ``beside`` them.
    """
    if g_steps is not None and "GAP" not in measures and "GAP" not in beside:
        raise ProblemError(f"g_steps={g_steps}: no measure is plain GAP, which stands for the g grid")
    grid = [GAP(g=g) for g in g_grid(levels=levels, steps=g_steps or G_STEPS)] if "GAP" in measures else []
    texts = [measures] if isinstance(measures, str) else list(measures)
    parts = (grid if text == "GAP" else as_measures([text]) for text in texts)
    return tuple(dict.fromkeys(chain.from_iterable(parts)))


def check_collection(options: StudyOptions, collection: Collection) -> None:
    """Raise an error if the options do not fit the collection, before anything is solved."""
    warn_of_grades(options.measures, collection.levels)
    for measure in options.measures:
        for part in measure.parts:
            build = part.form if options.model == "ranks" else part.expectation
            build(collection.relevant[0], collection.depth)
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
