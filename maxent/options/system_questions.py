"""Options of the questions about systems, their files and measures."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from maxent.limits import LONGEST
from maxent.options.choices import Baseline, BestBy, Correction, Empty, PairTest, Test, Unjudged
from maxent.options.option import REQUIRED, Option, Text
from maxent.options.shared import (
    BINS,
    GRADES,
    POSITIVE,
    QRELS,
    SEED,
    TOPICS,
    BootstrapKeywords,
    CollectOptions,
    ListOptions,
    NamedOptions,
    TitleOptions,
    TopicOptions,
)
from maxent.options.study_questions import MEASURES, STEPS

if TYPE_CHECKING:
    from maxent.options.slow_types import Measures, Reference

LEVEL = Text("number", "A")
COLUMN = Text(metavar="FILE[:COLUMN]")
WEIGHTS_OF_TOPICS = (
    "weight of each topic in all means, such as the traffic of a query: a table of topics and numbers, or one of "
    "its columns; a name alone is a column of the judgments"
)
CATEGORIES = (
    "category of each topic, each with results of its own: a table of topics and categories, or one of its "
    "columns; a name alone is a column of the judgments"
)
SAMPLES = Text("positive", "B")
FILE = Text(metavar="FILE")


class AveragesInput(TypedDict, total=False):
    """What :func:`maxent.reported` is about.

    averages : mapping from Measure or text to float or text, DataFrame, or path
        Averages of one system, such as ``{"AP": ".31"}``, as for :class:`maxent.Averages`; or a table with a row
        for each system and the names of systems in its index; or the path of such a table, with commas or tabs and
        the names in its first column. Only columns named ``num_rel_ret`` or after a measure whose average can be
        given are used. A text is a printed number: ``".31"`` is anything from .305 to .315.
    qrels : judgments or Collection
        Judgments of the topics behind the averages, in any form that :func:`maxent.data.as_qrels` accepts. Topics
        without relevant documents are excluded.
    """

    averages: Annotated[
        object,
        Option(
            REQUIRED,
            __doc__,
            Text("average", "MEASURE=VALUE", "*", mapped=True),
            "argument",
            help="averages of one system, such as AP=.31",
        ),
    ]
    qrels: Annotated[object, Option(REQUIRED, __doc__, FILE, "judgments", help=QRELS)]


class TableOptions(TypedDict, total=False):
    """Another way of a command to give averages.

    table : path, optional
        CSV with one row per system instead: names in the first column, averages in columns named after measures
    """

    table: Annotated[str | None, Option(None, __doc__, Text(metavar="FILE", mapped=True), stands_for="averages")]


class ReportedQuestion(TypedDict, total=False):
    """Options of :func:`maxent.reported`.

    counts : run, optional
        Run of a single row, which gives the model the number of documents of each grade in each topic.
    targets : sequence of Measure or text
        Measures whose averages are predicted for each system.
    topics : iterable of str or text, optional
        Topics of the averages; default: all topics of the judgments.
    depth : int
        Length of the lists, N.
    reference : {"log-uniform", None} or table
        Distribution of a list before the averages are given: odds of relevance of 1/n at rank n (default), uniform,
        or a rank profile of other runs.
    band : float
        Probability of the intervals of predicted averages.
    title : str, optional
        Name of the table; default: its path, or the averages.
    progress : bool
        Show a progress bar on a terminal if a table takes more than two seconds.
    """

    counts: Annotated[object | None, Option(None, __doc__, Text(metavar="RUN"))]
    targets: Annotated[
        "Measures",
        Option(
            ("AP", "P@10", "P@20", "nDCG@10", "nDCG", "RR", "Rprec", "R@100", "R@1000", "RBP(p=0.8)", "ERR"),
            __doc__,
            Text("measure", "M", "*"),
        ),
    ]
    topics: Annotated[Iterable[str] | None, Option(None, __doc__, Text(metavar="LIST"), "topics", help=TOPICS)]
    depth: Annotated[int, Option(LONGEST, __doc__, POSITIVE, "length", fact="length of the lists, N")]
    reference: Annotated[
        "Reference", Option("log-uniform", __doc__, Text("reference", "{log-uniform,uniform,FILE}"))
    ]
    band: Annotated[float, Option(0.9, __doc__, Text("probability", "P"), fact="probability of intervals")]
    title: Annotated[str | None, Option(None, __doc__, Text(metavar="NAME"), "output")]
    progress: Annotated[bool, Option(True, __doc__, group="library")]


class _Evaluate(TypedDict, total=False):
    """What is evaluated, and how it is shown.

    measures : sequence of Measure or text
        Measures to evaluate (default: AP nDCG P@10 Rprec).
    per_topic : bool
        Show the value for every topic, and the means as topic ``all``.
    wide : bool
        Also use one column per measure in the formats tsv, csv and jsonl, unless values have bands or bounds.
    interval : float, optional
        Level of Student's interval of each mean over topics (columns low and high), such as 0.95.
    weights : mapping from topic to number, table or file, optional
        Weight of each topic in the means, such as the traffic of a query: also a column of the table of judgments,
        or FILE:COLUMN.
    by : mapping from topic to category, table or file, optional
        Category of each topic: also show the means of each category. Also a column of the table of judgments, or
        FILE:COLUMN.
    empty : {"zero", "skip"}
        Topics without relevant documents score 0 (``zero``) or are excluded (``skip``).
    unjudged : {"zero", "model", "bounds", "all"}
        Unjudged documents have grade 0 (``zero``), a probability for each grade (``model``, see
        :func:`maxent.unjudged`) or any grade (``bounds``); or all three beside each other, with the share of judged
        documents (``all``). For ``model`` and ``all``, give all runs of the pool.
    labels : judgments, optional
        Other judgments, such as labels of a language model, as evidence about unjudged documents (``model`` and
        ``all``).
    rng : int
        Seed of the drawn grades (``model``).
    """

    measures: Annotated["Measures", Option(("AP", "nDCG", "P@10", "Rprec"), __doc__, MEASURES)]
    per_topic: Annotated[bool, Option(False, __doc__)]
    wide: Annotated[
        bool, Option(False, __doc__, help="print one column per measure with --format tsv, csv or jsonl")
    ]
    interval: Annotated[float | None, Option(None, __doc__, Text("probability", "LEVEL", "?", bare=0.95))]
    weights: Annotated[object, Option(None, __doc__, COLUMN, help=WEIGHTS_OF_TOPICS)]
    by: Annotated[object, Option(None, __doc__, COLUMN, help=CATEGORIES)]
    empty: Annotated[Empty, Option("zero", __doc__)]
    unjudged: Annotated[Unjudged, Option("zero", __doc__)]
    labels: Annotated[object | None, Option(None, __doc__, FILE)]
    rng: Annotated[int, Option(0, __doc__, SEED, "seed")]


class EvaluateQuestion(_Evaluate, TitleOptions, CollectOptions, total=False):
    """Options of :func:`maxent.evaluate`."""


class CheckQuestion(TitleOptions, CollectOptions, total=False):
    """Options of :func:`maxent.check`."""


class _Unjudged(TypedDict, total=False):
    """Evidence about unjudged documents.

    labels : judgments, optional
        Other judgments of the same topics, such as labels of a language model. The documents with both a label and
        a judgment show what a label means.
    """

    labels: Annotated[object | None, Option(None, __doc__, FILE)]


class UnjudgedQuestion(_Unjudged, NamedOptions, CollectOptions, total=False):
    """Options of :func:`maxent.unjudged`."""


class _CompareSystems(TypedDict, total=False):
    """How systems are compared.

    measures : sequence of Measure or text, optional
        Measures of the comparison (default: AP nDCG@10 P@10, or all of ``values``). The p-values are corrected
        separately for each measure.
    values : table or files, optional
        Values that exist already, in place of runs and judgments: a table like ``tables["values"]`` of
        :func:`maxent.evaluate`, a table with a row for each topic and a column for each run, or files of them or of
        ``trec_eval -q``, one for each run.
    baseline : str, int or sequence of these, optional
        Names or positions of the runs with which the others are compared (default: all pairs of runs). Of two
        baselines, the one named first is the baseline of the other, so that no pair is tested twice.
    test : {"t", "permutation", "wilcoxon", "bootstrap"}
        Paired test over topics: Student's t-test, randomisation test, Wilcoxon's signed-rank test, or bootstrap.
    correction : {"holm", "bonferroni", "fdr_bh", "fdr_by", "none"}, optional
        Correction of the p-values for the number of comparisons by a measure. ``holm`` and ``bonferroni`` control
        the family-wise error rate, ``fdr_bh`` (Benjamini and Hochberg) and ``fdr_by`` (Benjamini and Yekutieli) the
        false discovery rate.
    alpha : float
        Significance level; intervals have level 1 - alpha.
    replicates : int
        Number of permutations or bootstrap samples, which are the same for all pairs and measures.
    power : float
        Power of the number of topics that a t-test needs (topics_needed) to show the difference.
    difference : float, optional
        Difference of two means that the number of topics is for; default: the one of each pair.
    weights : mapping from topic to number, table or file, optional
        Weight of each topic in all means, such as the traffic of a query: also a column of the table of judgments,
        or FILE:COLUMN.
    by : mapping from topic to category, table or file, optional
        Category of each topic: also compare the runs in each, with p-values that are corrected together. Also a
        column of the table of judgments, or FILE:COLUMN.
    empty : {"zero", "skip"}
        Topics without relevant documents count 0 (``zero``) or are excluded (``skip``).
    unjudged : {"zero", "model"}
        Unjudged documents have grade 0 (``zero``), or each grade with a probability (``model``; see
        :func:`maxent.unjudged`): means are over drawn grades, and the t-test includes the variance between draws.
        Give all runs of the pool.
    labels : judgments, optional
        Other judgments, such as labels of a language model, as evidence about grades with ``unjudged="model"``.
    fail_under : mapping from measure to float, optional
        Smallest mean that is accepted of every run except the baselines; below it, the result has ``failures``.
    fail_if_worse : float, optional
        The result has ``failures`` if a run is significantly worse than a baseline, by more than this.
    """

    measures: Annotated["Measures | None", Option(None, __doc__, MEASURES)]
    values: Annotated[
        object,
        Option(
            None,
            __doc__,
            Text("named", "FILE", "+"),
            help="values that exist already, in place of --qrels and --runs: files of trec_eval -q (NAME=FILE "
            "names the run), or tables with a header",
        ),
    ]
    baseline: Annotated[Baseline | None, Option(None, __doc__, Text(metavar="RUN", nargs="+"))]
    test: Annotated[Test, Option("t", __doc__, fact="paired test over topics")]
    correction: Annotated[
        Correction | None,
        Option("holm", __doc__, fact="of the p-values for the number of comparisons by a measure"),
    ]
    alpha: Annotated[float, Option(0.05, __doc__, LEVEL, fact="significance level; intervals have level 1 - alpha")]
    replicates: Annotated[int, Option(10_000, __doc__, SAMPLES)]
    power: Annotated[float, Option(0.8, __doc__, Text("probability", "P"))]
    difference: Annotated[float | None, Option(None, __doc__, Text("number", "D"))]
    weights: Annotated[object, Option(None, __doc__, COLUMN, help=WEIGHTS_OF_TOPICS)]
    by: Annotated[object, Option(None, __doc__, COLUMN, help=CATEGORIES)]
    empty: Annotated[
        Empty,
        Option("zero", __doc__, fact="topics without relevant documents count 0 (zero) or are excluded (skip)"),
    ]
    unjudged: Annotated[
        Literal["zero", "model"],
        Option(
            "zero",
            __doc__,
            fact="unjudged documents have grade 0 (zero), or grades with probabilities (model)",
        ),
    ]
    labels: Annotated[object | None, Option(None, __doc__, FILE)]
    fail_under: Annotated[
        Mapping[str, float] | None,
        Option(None, __doc__, Text("bound", "M=VALUE", "+", mapped=True), "conditions"),
    ]
    fail_if_worse: Annotated[float | None, Option(None, __doc__, Text("number", "E", "?", bare=0.0), "conditions")]


class CompareSystemsQuestion(_CompareSystems, NamedOptions, CollectOptions, total=False):
    """Options of :func:`maxent.compare_systems`."""


class JudgmentsInput(TypedDict, total=False):
    """The judgments that :func:`maxent.compare_judgments` is about, and runs.

    qrels : sets of judgments
        Two sets of judgments, A and B, or more, each in any form that :func:`maxent.data.as_qrels` accepts.
    runs : optional
        Ranked lists, as for :func:`maxent.collect`; without them only grades are compared.
    """

    qrels: Annotated[
        object,
        Option(
            REQUIRED,
            __doc__,
            Text(metavar="FILE", nargs="+"),
            "judgments",
            help="two or more sets of judgments: A, B, ...",
        ),
    ]
    runs: Annotated[
        object,
        Option(
            None,
            __doc__,
            Text("named", "FILE", "+"),
            "runs",
            help="ranked lists; without runs, only the grades are compared",
        ),
    ]


class _CompareJudgments(TypedDict, total=False):
    """How judgments are compared.

    measures : sequence of Measure or text
        Measures that rank the systems; plain ``GAP`` is the whole grid of g. A topic without relevant documents
        counts 0.
    g_steps : int
        Points along an edge of the grid of g.
    grades : mapping from int to int, optional
        Grade of each rating in B (in every set but the first), which brings it to the scale of A; as for
        :func:`maxent.data.as_qrels`.
    bins : sequence of float, optional
        Lower bounds of the grades 1, 2, ... for real-valued ratings in B, increasing: the grade is the number of
        bounds that a rating reaches.
    binary : int or sequence of int, optional
        Lowest relevant grade: grades from it on become 1, and others 0. One grade for all sets, or one for each;
        that of B is a grade after ``grades`` or ``bins``.
    title : str, optional
        Name of the comparison; default: the names of the two files.
    """

    measures: Annotated["Measures", Option(("AP", "nDCG@10", "P@10", "GAP"), __doc__, MEASURES)]
    g_steps: Annotated[int, Option(5, __doc__, STEPS)]
    grades: Annotated[
        Mapping[int, int] | None,
        Option(
            None,
            __doc__,
            GRADES,
            "scale",
            help="grade of each rating of B above 0, such as 1=0,2=1,3=2",
        ),
    ]
    bins: Annotated[
        Sequence[float] | None,
        Option(
            None,
            __doc__,
            BINS,
            "scale",
            help="lower bounds of the grades 1, 2, ... for real-valued ratings in B",
        ),
    ]
    binary: Annotated[
        int | Sequence[int] | None,
        Option(
            None,
            __doc__,
            Text("positive", "GRADE", "+"),
            help="make all sets binary: lowest relevant grade, one for all sets or one for each set",
        ),
    ]
    title: Annotated[str | None, Option(None, __doc__, Text(metavar="NAME"), "output")]


class CompareJudgmentsQuestion(_CompareJudgments, ListOptions, TopicOptions, BootstrapKeywords, total=False):
    """Options of :func:`maxent.compare_judgments`."""


class _CompareDiscriminative(TypedDict, total=False):
    """How pairs of systems are tested.

    measures : sequence of Measure or text, optional
        Measures to compare; default: GAP, xGAP and eGAP with equal g, AP, nDCG, Q.
    method : {"bootstrap", "hsd"}
        Paired studentised bootstrap, or the randomised Tukey test (``hsd``).
    alpha : float
        Significance level.
    replicates : int
        Number of samples. If there are at most as many different shuffles, ``hsd`` uses each of them once.
    top : int
        Number of best systems in the inset of the figure.
    by : {"each", "both"}
        Best systems by each measure separately (``each``), or systems among the best by all measures (``both``).
    empty : {"zero", "skip"}
        Topics without relevant documents count 0 (``zero``) or are excluded (``skip``).
    """

    measures: Annotated["Measures | None", Option(None, __doc__, MEASURES)]
    method: Annotated[PairTest, Option("bootstrap", __doc__, fact="how pairs are tested")]
    alpha: Annotated[float, Option(0.05, __doc__, LEVEL, fact="significance level")]
    replicates: Annotated[int, Option(1000, __doc__, SAMPLES)]
    top: Annotated[int, Option(15, __doc__, POSITIVE)]
    by: Annotated[BestBy, Option("each", __doc__)]
    empty: Annotated[Empty, Option("zero", __doc__)]


class CompareDiscriminativeQuestion(_CompareDiscriminative, NamedOptions, CollectOptions, total=False):
    """Options of :func:`maxent.compare_discriminative`."""


class RankedOptions(TypedDict, total=False):
    """The runs and topics of which rankings are compared.

    few : float
        A topic has few documents of grade k > 1 if R_1 >= few * R_k and R_k > 0.
    quantile : float
        Quantile of mean AP above which runs take part; 0 keeps all runs.
    """

    few: Annotated[
        float,
        Option(
            10.0,
            __doc__,
            Text("number", "F"),
            fact="topics have few documents of grade k if R_1 >= F R_k > 0",
        ),
    ]
    quantile: Annotated[
        float,
        Option(0.25, __doc__, Text("number", "Q"), fact="only runs above this quantile of mean AP take part"),
    ]


class _CompareAgreement(TypedDict, total=False):
    """The measures that are compared.

    measures : sequence of Measure or text
        Measures to compare with GAP, xGAP and eGAP.
    g : sequence of (levels,) tuples, optional
        Values of g. Default: the grids of the xGAP paper, in tenths for two positive grades, in fifths for more.
    """

    measures: Annotated["Measures", Option(("AP", "nDCG", "RBP", "Bpref"), __doc__, MEASURES)]
    g: Annotated[Sequence[tuple[float, ...]] | None, Option(None, __doc__, Text("numbers", "G1,G2,...", "+"))]


class _EmbeddedSeed(TypedDict, total=False):
    """Random numbers of the embedded collection alone.

    rng : int
        Seed of the embedded collection.
    """

    rng: Annotated[int, Option(0, __doc__, SEED, "seed")]


class CompareAgreementQuestion(
    _CompareAgreement, RankedOptions, TitleOptions, _EmbeddedSeed, CollectOptions, total=False
):
    """Options of :func:`maxent.compare_agreement`."""


class _ComparePools(TypedDict, total=False):
    """How judgments are left out.

    measures : sequence of Measure or text, optional
        Measures that rank the systems; default: GAP, xGAP and eGAP with equal g, AP, nDCG, RBP, Bpref.
    shares : sequence of float
        Shares of the judgments to keep, in (0, 1].
    repetitions : int
        Number of random samples of each share. Of two samples in one repetition, the smaller is part of the larger.
    """

    measures: Annotated["Measures | None", Option(None, __doc__, MEASURES)]
    shares: Annotated[
        Sequence[float],
        Option((1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05), __doc__, Text("number", "S", "+")),
    ]
    repetitions: Annotated[int, Option(10, __doc__, POSITIVE, fact="random samples of each share")]


class ComparePoolsQuestion(_ComparePools, RankedOptions, NamedOptions, CollectOptions, total=False):
    """Options of :func:`maxent.compare_pools`."""


class NameInput(TypedDict, total=False):
    """The measure that is described.

    name : str, optional
        Measure to describe in full, such as nDCG.
    """

    name: Annotated[object, Option(None, __doc__, Text("measure", "NAME", "?"), "argument")]
