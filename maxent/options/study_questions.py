"""Options of the questions about lists."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, TypedDict

from maxent.options.choices import Align, ClickModel, Count, Kind, Model
from maxent.options.option import REQUIRED, Option, Text
from maxent.options.shared import (
    POSITIVE,
    REFERENCE,
    SEED,
    BootstrapKeywords,
    CountOptions,
    CurveOptions,
    FilterOptions,
    ListOptions,
    NamedOptions,
    ResampleOptions,
    ScaleOptions,
    SolverOptions,
    StudyKeywords,
    ThresholdOptions,
    TitleOptions,
)

if TYPE_CHECKING:
    from maxent.options.slow_types import Measures, Reference

G_STEPS = 9  # points along an edge of the grid of g
MEASURES = Text("measure", "M", "+")
STEPS = Text("steps", "N")
WEIGHTS = Text("weights", "T=W,...")
WEIGHTS_IN_WORDS = "weights of the thresholds, such as 1=1,2=3; others have weight 0 (default: all equal)"


class _Study(TypedDict, total=False):
    """What is studied.

    measures : sequence of Measure or text, optional
        Measures to compare; plain ``GAP`` is the whole grid of g. For several values at once, use a
        :class:`maxent.Joint`, such as ``AP & P@10``. Default: GAP, AP and nDCG(gain=exp2); up to depth 20 nDCG@10,
        AP@10, RR@10, P@5, P@10, RBP with p = .8 and .5, and Success@5.
    g_steps : int, optional
        Points along an edge of the grid of g (default: 9).
    weights : mapping from threshold to weight, optional
        Weights of the thresholds in the choice of g; others have weight 0; default: all equal.
    """

    measures: Annotated["Measures | None", Option(None, __doc__, MEASURES)]
    g_steps: Annotated[int | None, Option(None, __doc__, STEPS)]
    weights: Annotated[
        Mapping[int, float] | None,
        Option(
            None,
            __doc__,
            WEIGHTS,
            help=WEIGHTS_IN_WORDS,
            fact="how much the error for each threshold counts in the choice of g",
        ),
    ]


class StudyQuestion(_Study, NamedOptions, StudyKeywords, total=False):
    """Options of :func:`maxent.study`."""


class ValuesInput(TypedDict, total=False):
    """The values that :func:`maxent.explain` is about.

    values : mapping from Measure or text to a value, optional
        Measures and their values or bounds (AP=.305:.315), all given together, instead of a list. A text is rounded
        to its decimals: AP=.31 is any value from .305 to .315, AP=.31:.31 exactly .31, and AP=1 exactly 1.
    """

    values: Annotated[object, Option(None, __doc__, Text("value", "MEASURE=VALUE", "*", mapped=True), "argument")]


class _Explain(TypedDict, total=False):
    """What is explained.

    relevant : sequence of float, optional
        With ``values``: numbers of judged documents of each grade in the topic.
    retrieved : sequence of float, optional
        With ``values``: numbers of these documents in the list; default: all of them.
    run : str, optional
        Name of the run; default: the only one, or the first of the embedded collection.
    topic : str, optional
        Topic of the list; default: the only one, or the first of the embedded collection.
    measures : sequence of Measure or text, optional
        Measures whose values are given to the model, each on its own. Default: GAP with equal g_k, AP and
        ``nDCG(gain=exp2)``; up to depth 20 nDCG@10, AP@10 and RR@10.
    title : str, optional
        Title of figures and reports; default: the names of collection, run and topic, or the values.
    rng : int
        Seed of the embedded collection.
    """

    relevant: Annotated[Sequence[float] | float | None, Option(None, __doc__, Text("numbers", "R1,R2,..."))]
    retrieved: Annotated[Sequence[float] | float | None, Option(None, __doc__, Text("numbers", "C1,C2,..."))]
    run: Annotated[str | None, Option(None, __doc__, Text(metavar="NAME"))]
    topic: Annotated[str | None, Option(None, __doc__, Text(metavar="ID"))]
    measures: Annotated["Measures | None", Option(None, __doc__, MEASURES)]
    title: Annotated[str | None, Option(None, __doc__, Text(metavar="NAME"), "output")]
    rng: Annotated[int, Option(0, __doc__, SEED, "seed")]


class ListKeywords(CountOptions, CurveOptions, ListOptions, ScaleOptions, SolverOptions, total=False):
    """How a list is explained.

    band : float, optional
        Probability of the bands around inferred curves (see :func:`maxent.inferred_curve`); None: no bands. There
        are none where precision is compared at every rank.
    """

    band: Annotated[float | None, Option(0.9, __doc__, Text("probability", "P"))]


class ExplainQuestion(_Explain, ListKeywords, total=False):
    """Options of :func:`maxent.explain`."""


class ChoiceKeywords(StudyKeywords, BootstrapKeywords, total=False):
    """Options of choices on some of the topics."""


class _ChooseG(TypedDict, total=False):
    """Which g are compared.

    measure : {"GAP", "nDCG"}
        Choose the g of GAP or the gains of nDCG. Gains are x_i = g_1 + ... + g_i for each candidate g, so they do
        not decrease with the grade and the last is 1. The scale is arbitrary: nDCG depends on ratios of gains only.
    candidates : sequence of (levels,) tuples, optional
        Candidates for g; default: :func:`maxent.g_grid` with ``g_steps`` points along an edge.
    g_steps : int
        Points along an edge of the grid of g.
    refine : bool
        Start a local optimisation (SLSQP with the analytic gradient of :func:`maxent.curves.sensitivity`) at
        the best candidate, and add its result, rounded to four decimals, as a candidate if it is better. This takes
        about as long as 5 to 15 candidates. With ``model="lists"`` there is no refinement.
    weights : mapping from threshold to weight, optional
        Weights of the thresholds in the mean error; others have weight 0; default: all equal.
    """

    measure: Annotated[Kind, Option("GAP", __doc__)]
    candidates: Annotated[
        Sequence[tuple[float, ...]] | None, Option(None, __doc__, Text("numbers", "G1,G2,...", "+"))
    ]
    g_steps: Annotated[int, Option(G_STEPS, __doc__, STEPS)]
    refine: Annotated[
        bool,
        Option(
            True,
            __doc__,
            help="do not refine the best candidate by local optimisation, which takes as long as 5 to 15 "
            "candidates",
        ),
    ]
    weights: Annotated[Mapping[int, float] | None, Option(None, __doc__, WEIGHTS, help=WEIGHTS_IN_WORDS)]


class ChooseGQuestion(_ChooseG, TitleOptions, ChoiceKeywords, total=False):
    """Options of :func:`maxent.choose_g`."""


class CandidatesInput(TypedDict, total=False):
    """The measures that :func:`maxent.choose_measures` chooses from.

    candidates : sequence of Measure or text, optional
        Measures to choose from, none of them a joint; plain ``GAP`` is the whole grid of g. Default: AP, nDCG@10,
        nDCG(gain=exp2), P@10, R@100, RBP and GAP(g=even); up to depth 20 the measures of :func:`maxent.study`.
    """

    candidates: Annotated[object, Option(None, __doc__, MEASURES)]


class _ChooseMeasures(TypedDict, total=False):
    """How many measures are chosen.

    size : int
        Largest number of measures to choose.
    g_steps : int, optional
        Points along an edge of the grid of g (default: 9).
    """

    size: Annotated[int, Option(2, __doc__, POSITIVE)]
    g_steps: Annotated[int | None, Option(None, __doc__, STEPS)]


class ChooseMeasuresQuestion(_ChooseMeasures, TitleOptions, ChoiceKeywords, total=False):
    """Options of :func:`maxent.choose_measures`."""


class _Predict(TypedDict, total=False):
    """What is predicted.

    measures : sequence of Measure or text, optional
        Measures whose values are given to the model, each on its own; plain ``GAP`` is the whole grid of g. For
        several values at once, use a :class:`maxent.Joint`, such as ``AP & P@10``; for the counts alone,
        ``counts``. Default: GAP with equal g_k (for several grades), AP, ``nDCG(gain=exp2)``, P@10, Rprec and RBP.
    targets : sequence of Measure or text, optional
        Measures to predict; default: ``measures``, with the parts of a joint one by one.
    g_steps : int, optional
        Points along an edge of the grid of g (default: 9).
    """

    measures: Annotated["Measures | None", Option(None, __doc__, MEASURES)]
    targets: Annotated["Measures | None", Option(None, __doc__, Text("measure", "M", "*"))]
    g_steps: Annotated[int | None, Option(None, __doc__, STEPS)]


class PredictionKeywords(CountOptions, FilterOptions, total=False):
    """How values are predicted.

    band : float, optional
        Probability of a band around each prediction, such as 0.9, in the columns low and high. The band is that of
        the values of 199 random lists, which takes a few hundredths of a second per list.
    """

    band: Annotated[float | None, Option(None, __doc__, Text("probability", "P"))]


class PredictQuestion(_Predict, NamedOptions, PredictionKeywords, total=False):
    """Options of :func:`maxent.predict`."""


class _CompareMeasures(TypedDict, total=False):
    """The measures, and the readings in which they are compared.

    measures : sequence of Measure or text, optional
        Measures to compare; plain ``GAP`` is the whole grid of g. Default: AP, GAP with equal g, nDCG(gain=exp2),
        nDCG and P@10; up to depth 20 the measures of :func:`maxent.study`.
    counts : sequence of {"retrieved", "total", "at_most"}, optional
        Numbers of documents of each grade given to the model: those in the list, those in the topic, or the latter
        as upper limits. Default: retrieved; where curves are compared at every rank, retrieved and at_most.
    models : sequence of {"ranks", "lists"}, optional
        Distributions over independent ranks or over whole lists, which take much longer. Default: ranks; lists up
        to depth 20.
    references : sequence of {"uniform", "log-uniform", "topics"} or table
        Distributions before the values are given: uniform, odds of relevance of 1/n at rank n, shares of
        grades in lists of other topics, or at most one table of such shares. Default: uniform and log-uniform.
    aligns : sequence of {"recall", "rank", "expected", "every-rank"}, optional
        How two curves are compared: at equal recall, at equal rank, by expected precision at each relevant
        document, or by precision at every rank. Default: recall and expected; every-rank up to depth 20.
    depths : sequence of int, optional
        Lengths of the lists; default: the whole depth and a tenth of it (half of it below depth 100).
    """

    measures: Annotated["Measures | None", Option(None, __doc__, MEASURES)]
    counts: Annotated[Sequence[Count] | None, Option(None, __doc__, Text(nargs="+"))]
    models: Annotated[Sequence[Model] | None, Option(None, __doc__, Text(nargs="+"))]
    references: Annotated[
        "Sequence[Reference]", Option(("uniform", "log-uniform"), __doc__, Text("reference", REFERENCE, "+"))
    ]
    aligns: Annotated[Sequence[Align] | None, Option(None, __doc__, Text(nargs="+"))]
    depths: Annotated[Sequence[int] | None, Option(None, __doc__, Text("positive", "N", "+"))]


class ReadingsKeywords(ThresholdOptions, FilterOptions, total=False):
    """How measures are compared in each reading."""


class CompareMeasuresQuestion(_CompareMeasures, ResampleOptions, NamedOptions, ReadingsKeywords, total=False):
    """Options of :func:`maxent.compare_measures`."""


class ClicksInput(TypedDict, total=False):
    """The clicks that :func:`maxent.g_from_clicks` is about.

    clicks : DataFrame or path
        Table or CSV file with the columns grade, impressions and clicks, or a log with grade and clicked (0 or 1).
        The columns rank (from 1) and user are optional.
    """

    clicks: Annotated[object, Option(REQUIRED, __doc__, Text(metavar="FILE"), "argument")]


class ClicksQuestion(TypedDict, total=False):
    """Options of :func:`maxent.g_from_clicks`.

    method : {"rates", "shares"}
        How g is estimated: from clicks per impression, with a model of users with thresholds; or, as in the GAP
        paper, as the share of each grade in the clicks on relevant documents. Such shares depend on how many
        documents of each grade users see, and ignore grade 0 and ranks.
    examination : sequence of float, optional
        Probabilities that documents at ranks 1, 2, ... are examined, on any scale; default: estimated from clicks.
    title : str, optional
        Title of the result; default: the name of the file.
    rng : int
        Seed of the bootstrap, which resamples users; without a column ``user`` it draws clicks from the fitted
        rates or shares.
    """

    method: Annotated[ClickModel, Option("rates", __doc__)]
    examination: Annotated[Sequence[float] | None, Option(None, __doc__, Text("numbers", "X,..."))]
    title: Annotated[str | None, Option(None, __doc__, Text(metavar="NAME"), "output")]
    rng: Annotated[int, Option(0, __doc__, SEED, "seed")]
