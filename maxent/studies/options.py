"""The options of a study, checked together, and its reading in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, Self, get_args

import numpy as np

from maxent.checks import check_band, check_choice, whole_number
from maxent.curves.error import ALIGNS
from maxent.data.collection import Collection
from maxent.data.values import warn_of_grades
from maxent.errors import MeasureError, ProblemError
from maxent.limits import LONGEST
from maxent.measures import GAP, RBP, Measure, as_measures, g_grid
from maxent.options import G_STEPS, Align, Count, MinRetrievedBy, Model, ReadingName, StudyKeywords, options_of
from maxent.problem import COUNTS
from maxent.problem.reference import UNIFORM, hashable_reference, log_odds
from maxent.results.finding import text_of
from maxent.solvers.solve import checked_solver
from maxent.studies.reading_words import TOPICS, gains_of, legend_of, reference_name, worded
from maxent.workers import workers

SHORT = 20  # depth of the longest lists that are short
EVERY_RANK: Align = "every-rank"
MEASURES = ("GAP", "AP", "nDCG(gain=exp2)")
SHORT_MEASURES = ("nDCG@10", "AP@10", "RR@10", "P@5", "P@10", "RBP(p=.8)", "RBP(p=.5)", "Success@5")
BOTH: tuple[Count, ...] = ("retrieved", "at_most")  # what a value says beside the number found, and what alone
BYS: tuple[MinRetrievedBy, ...] = get_args(MinRetrievedBy)
READING_NAMES: tuple[ReadingName, ...] = get_args(ReadingName)


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
    over_lists = short and options.get("solver", "auto") in ("auto", "newton")  # other back ends are for ranks
    usual: dict[str, Any] = {
        "reading": name,
        "count": "retrieved",
        "model": "lists" if over_lists else "ranks",
    }
    if name == "papers":
        usual |= {"reference": UNIFORM, "align": "recall", "min_retrieved": 5}
    elif short:
        usual |= {"reference": "log-uniform", "align": EVERY_RANK, "min_retrieved": 0}
    else:
        usual |= {"reference": "log-uniform", "align": "expected", "min_retrieved": 1}
    return {option: value for option, value in usual.items() if options.get(option) is None}


def is_standard(scope: Mapping[str, object]) -> bool:
    """Whether a scope, as of :class:`StudyOptions`, has model, reference and alignment of the standard reading."""
    usual = fitting(int(str(scope["depth"])), {})
    return all(scope[name] == usual[name] for name in ("model", "reference", "align"))


OPTIONS = options_of(StudyKeywords)
LONG = fitting(LONGEST, {})  # the standard reading of long lists


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
    count: Count = LONG["count"]
    model: Model = LONG["model"]
    reference: Any = LONG["reference"]  # as a problem keeps it, or TOPICS
    min_retrieved: int = LONG["min_retrieved"]
    min_retrieved_by: MinRetrievedBy = OPTIONS["min_retrieved_by"].default
    min_retrieved_total: int = OPTIONS["min_retrieved_total"].default
    align: Align = LONG["align"]
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
        """Options of a study of a collection, from those of a question, and ``fixed`` ones.

        Other options are ignored. ``thresholds=None`` stands for every positive grade; a question about predictions
        has no thresholds.
        """
        keywords = {name: value for name, value in options.items() if name in _FIELDS} | fixed
        keywords |= fitting(collection.depth, keywords)
        if "thresholds" in keywords and keywords["thresholds"] is None:
            keywords["thresholds"] = range(1, collection.levels + 1)
        return cls(**keywords | {"depth": collection.depth, "cautions": collection.cautions})

    def __post_init__(self) -> None:
        # 1. what is studied: measures, and thresholds or targets, each once
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
        # 2. the reading
        check_choice("count", self.count, COUNTS, raises=ProblemError)
        check_choice("alignment", self.align, ALIGNS, raises=ProblemError)
        check_choice("min_retrieved_by", self.min_retrieved_by, BYS, raises=ProblemError)
        if isinstance(self.reference, str) and self.reference != TOPICS:
            log_odds(self.reference, 1, 1)  # an error if it is unknown
        object.__setattr__(self, "reference", hashable_reference(self.reference))
        for name in ("min_retrieved", "min_retrieved_total"):
            fewest = whole_number(name, getattr(self, name), raises=ProblemError, least=0)
            object.__setattr__(self, name, fewest)
        # 3. how it is computed and shown
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
    of_texts = (grid if text == "GAP" else as_measures([text]) for text in texts)
    return tuple(dict.fromkeys(chain.from_iterable(of_texts)))


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
