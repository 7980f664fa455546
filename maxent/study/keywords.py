"""The options of studies as keywords: declared, explained and given their defaults here."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal, TypedDict, get_args

import numpy as np

from maxent.curves import Align
from maxent.data.options import ListOptions, TopicOptions
from maxent.options import Option, options_of
from maxent.problem import Count
from maxent.problem.reference import Reference
from maxent.problem.solution import Model
from maxent.study.bootstrap import Resample

MinRetrievedBy = Literal["grade", "threshold"]
BYS: tuple[MinRetrievedBy, ...] = get_args(MinRetrievedBy)


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
    model: Annotated[
        Model,
        Option(
            "ranks",
            '{"ranks", "lists"}',
            "What has a distribution: each rank by itself, as in the papers, or whole lists; see "
            ":func:`maxent.solve`.",
        ),
    ]
    reference: Annotated[
        Reference,
        Option(
            None,
            '{None, "log-uniform", "topics"} or table',
            "What is known of a list before anything else: nothing by default, as in the papers; odds of relevance "
            "of 1/n at rank n (``log-uniform``); the shares of grades in lists of other topics (``topics``, see "
            ":func:`maxent.rank_profile`); or a table of such shares; see :class:`maxent.Problem`.",
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
    min_retrieved_by: Annotated[
        MinRetrievedBy,
        Option(
            "grade",
            '{"grade", "threshold"}',
            "What ``min_retrieved`` counts: documents of each positive grade, or of each grade and higher, the "
            "relevant ones for each threshold. Then 5 highly relevant documents are 5 relevant ones, too.",
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


class PredictionBand(TypedDict, total=False):
    """How certain predictions are."""

    band: Annotated[
        float | None,
        Option(
            None,
            "float, optional",
            "Probability of a band around each prediction, such as 0.9: columns low and high. It is that of the "
            "values of 199 random lists, which takes some hundredths of a second for each list.",
        ),
    ]


class PredictionKeywords(
    CountOptions, PredictionBand, FilterOptions, TopicOptions, ListOptions, SolverOptions, total=False
):
    """Options of :func:`maxent.predict_measures`."""


class CalibrationKeywords(
    CountOptions, ThresholdOptions, FilterOptions, TopicOptions, ListOptions, SolverOptions, total=False
):
    """Options of :func:`maxent.calibration`."""


class BandOptions(TypedDict, total=False):
    """How certain inferred curves are."""

    band: Annotated[
        float | None,
        Option(
            0.9,
            "float, optional",
            "Probability of the bands around inferred curves; None: no bands. See :func:`maxent.inferred_curve`.",
        ),
    ]


class ListKeywords(CountOptions, CurveOptions, BandOptions, ListOptions, SolverOptions, total=False):
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


OPTIONS = options_of(StudyKeywords, BandOptions)
"""Every option of a study by its name: default, type in words, explanation."""
