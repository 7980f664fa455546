"""Options that several questions have."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from maxent.options.choices import Align, Count, Duplicates, Grades, MinRetrievedBy, Model, ReadingName, Resample
from maxent.options.option import REQUIRED, Option, Text, options_of

if TYPE_CHECKING:
    from maxent.options.slow_types import Random, Reference

POSITIVE, NATURAL = Text("positive", "N"), Text("natural", "N")
SEED = Text("natural", "N", flag="seed")
GRADES = Text("grades", "R=G,...")
BINS = Text("numbers", "X,...")
REFERENCE = "{uniform,log-uniform,topics,FILE}"
QRELS = "relevance judgments: topic, _, document, grade; irds:ID reads those of ir_datasets, - the standard input"
RUNS = (
    "ranked lists: topic, _, document, rank (ignored), score, tag; files, folders, or a quoted pattern; "
    "NAME=FILE renames a run"
)

TOPICS = "topics to use, such as 601-650 or 3,7,12 (default: all)"


class Sources(TypedDict, total=False):
    """The runs and judgments that a question is about; without both, those of an embedded collection.

    runs, qrels
        As for :func:`maxent.collect`: tables, paths, dictionaries, objects of other tools, or only a `Collection`.
    """

    runs: Annotated[object, Option(None, __doc__, Text("named", "FILE", "+"), "runs", help=RUNS)]
    qrels: Annotated[object, Option(None, __doc__, Text(metavar="FILE"), "judgments", help=QRELS)]


class TopicOptions(TypedDict, total=False):
    """The topics to use.

    topics : iterable of str or text, optional
        Topics to use, also as text such as ``601-650,700``; default: all topics of the judgments.
    """

    topics: Annotated[Iterable[str] | None, Option(None, __doc__, Text(metavar="LIST"), "topics", help=TOPICS)]


class ListOptions(TypedDict, total=False):
    """How lists are read.

    depth : int, optional
        Length of the lists: longer lists are cut, shorter ones are padded with grade 0. Default: the length of the
        longest list or, where distributions are inferred, the median length of the lists; at most 1000.
    levels : int, optional
        Highest grade of the scale; default: the highest grade in the judgments. Set it for a part of a collection
        that may lack the top grade.
    duplicates : {"error", "first"}
        A document that occurs twice in a topic is an error, or only its first line counts. Equal judgments are
        no error.
    allow_unjudged : bool
        Accept a run without any judged document, which scores 0; by default it is an error.
    ignore_identical_ids : bool
        Remove documents whose id is that of the topic, for collections in which queries are documents.
    float32 : bool
        Compare scores in single precision, as trec_eval up to version 9 does.
    jobs : int
        Number of threads for reading and solving; solvers other than ``newton`` use processes.
    progress : bool
        Show a progress bar on a terminal or in a notebook after two seconds.
    """

    depth: Annotated[int | None, Option(None, __doc__, POSITIVE, "length")]
    levels: Annotated[int | None, Option(None, __doc__, Text("positive", "C"), "length")]
    duplicates: Annotated[Duplicates, Option("error", __doc__, group="files")]
    allow_unjudged: Annotated[bool, Option(False, __doc__, group="files")]
    ignore_identical_ids: Annotated[bool, Option(False, __doc__, group="files")]
    float32: Annotated[bool, Option(False, __doc__, group="files")]
    jobs: Annotated[int, Option(1, __doc__, POSITIVE, "work", in_result=False)]
    progress: Annotated[bool, Option(True, __doc__, group="library", in_result=False)]


class ScaleOptions(TypedDict, total=False):
    """Grades of ratings on another scale.

    grades : mapping from int or str to int, optional
        Grade of each rating, such as ``{1: 0, 2: 1, 3: 2}`` or ``{"exact": 2, "partial": 1, "irrelevant": 0}``; see
        :func:`maxent.data.as_qrels`.
    bins : sequence of float, optional
        Lower bounds of the grades 1, 2, ... for real-valued ratings, increasing: the grade is the number of bounds
        that a rating reaches.
    """

    grades: Annotated[
        Grades | None,
        Option(
            None,
            __doc__,
            GRADES,
            "scale",
            help="grade of each rating above 0, such as 1=0,2=1,3=2 or exact=2,partial=1,irrelevant=0",
        ),
    ]
    bins: Annotated[
        Sequence[float] | None,
        Option(
            None,
            __doc__,
            BINS,
            "scale",
            help="lower bounds of the grades 1, 2, ... for real-valued ratings, such as .25,.5,.75",
        ),
    ]


class RequiredSources(TypedDict, total=False):
    """The runs and judgments that a question is about, both given.

    runs, qrels
        As for :func:`maxent.collect`, except a `Collection`, which has no document ids.
    """

    runs: Annotated[object, Option(REQUIRED, __doc__, Text("named", "FILE", "+"), "runs", help=RUNS)]
    qrels: Annotated[object, Option(REQUIRED, __doc__, Text(metavar="FILE"), "judgments", help=QRELS)]


class CollectOptions(ListOptions, TopicOptions, ScaleOptions, total=False):
    """Options of :func:`maxent.collect`."""


READING_OPTIONS = options_of(CollectOptions)
"""Every option of reading by its name."""


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

    reading: Annotated[
        ReadingName,
        Option(
            "standard",
            __doc__,
            readings={
                "standard": "the usual model, reference, alignment and filter, but for options that are given",
                "papers": "the model, reference, alignment and filter of the GAP paper, but for options that are "
                "given",
            },
        ),
    ]
    count: Annotated[
        Count | None,
        Option(
            None,
            __doc__,
            readings={
                "retrieved": "the model is given the number of retrieved documents of each grade",
                "total": "the model assumes that the list holds all relevant documents of the topic",
                "at_most": "the model is given the numbers of relevant documents of the topic as upper limits",
            },
        ),
    ]
    model: Annotated[
        Model | None,
        Option(
            None, __doc__, readings={"lists": "the distribution is over whole lists, and ranks are not independent"}
        ),
    ]
    reference: Annotated[
        "Reference",
        Option(
            None,
            __doc__,
            Text("reference", REFERENCE),
            readings={
                "uniform": "before the values are given, all lists are equally likely",
                "log-uniform": "before the values are given, the odds of relevance at rank n are 1/n",
                "topics": "before the values are given, each grade is as frequent at a rank as in lists of topics "
                "of other folds",
                "table": "before the values are given, the odds of grades at each rank are those of a table",
            },
        ),
    ]


class ThresholdOptions(TypedDict, total=False):
    """Thresholds of curves.

    thresholds : iterable of int, optional
        Thresholds of the curves: lowest grades that count as relevant; default: every positive grade.
    """

    thresholds: Annotated[Iterable[int] | None, Option(None, __doc__, Text("positive", "T", "+"))]


class CurveOptions(TypedDict, total=False):
    """How curves are compared.

    align : {"recall", "rank", "expected", "every-rank"}, optional
        How two curves are compared: at equal recall, at equal rank, by expected precision at each relevant
        document, or by precision at every rank; see :func:`maxent.curve_error`. Default: that of the reading.
    """

    align: Annotated[
        Align | None,
        Option(
            None,
            __doc__,
            readings={
                "recall": "curves are compared at equal recall",
                "rank": "curves are compared at equal rank",
                "expected": "expected precision is compared at each relevant document",
                "every-rank": "precision is compared at every rank, also in lists without a relevant document",
            },
        ),
    ]


class SolverOptions(TypedDict, total=False):
    """How problems are solved.

    solver : {"auto", "newton", "scipy", "cvxpy"}
        Solver for independent ranks; see :func:`maxent.solve`.
    """

    solver: Annotated[str, Option("auto", __doc__, group="work", choices=("auto", "newton", "scipy", "cvxpy"))]


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

    min_retrieved: Annotated[
        int | None,
        Option(
            None,
            __doc__,
            NATURAL,
            "filter",
            fact="lists with fewer retrieved documents in {min_retrieved_by} are excluded",
        ),
    ]
    min_retrieved_by: Annotated[
        MinRetrievedBy,
        Option(
            "grade",
            __doc__,
            group="filter",
            readings={"grade": "some positive grade", "threshold": "the highest grade"},
        ),
    ]
    min_retrieved_total: Annotated[
        int,
        Option(
            0,
            __doc__,
            NATURAL,
            "filter",
            fact="lists with fewer retrieved documents in all positive grades are excluded",
        ),
    ]
    checkpoint: Annotated[str | Path | None, Option(None, __doc__, group="library", in_result=False)]


class StudyKeywords(CountOptions, ThresholdOptions, CurveOptions, FilterOptions, total=False):
    """Options of :func:`maxent.informativeness`, beside its measures."""


class BootstrapKeywords(TypedDict, total=False):
    """How intervals are computed.

    replicates : int
        Number of bootstrap samples.
    rng : Generator or int
        Random generator of the samples, or its seed.
    """

    replicates: Annotated[int, Option(1000, __doc__, Text("positive", "B"))]
    rng: Annotated["Random", Option(0, __doc__, SEED, "seed")]


class ResampleOptions(TypedDict, total=False):
    """To what intervals generalise.

    resample : {"topics", "both"}
        Intervals that generalise to other topics, or to other topics and systems.
    """

    resample: Annotated[Resample, Option("topics", __doc__)]


class ResampleKeywords(BootstrapKeywords, ResampleOptions, total=False):
    """How intervals over topics, or over topics and systems, are computed."""


class TitleOptions(TypedDict, total=False):
    """How a result is called.

    title : str, optional
        Name of the collection; default: the name of the judgments file.
    """

    title: Annotated[str | None, Option(None, __doc__, Text(metavar="NAME"), "output")]


class NamedOptions(TitleOptions, total=False):
    """How a result is called, and its random numbers.

    rng : int
        Seed of all random numbers, including those of the embedded collection.
    """

    rng: Annotated[int, Option(0, __doc__, SEED, "seed")]


class ClusterOptions(TypedDict, total=False):
    """The workers of a command.

    cluster : str, optional
        solve on the workers of the Dask scheduler at this address, such as tcp://10.0.0.1:8786
    """

    cluster: Annotated[str | None, Option(None, __doc__, Text(metavar="ADDRESS"), "work")]


class OutputOptions(TypedDict, total=False):
    """What a command prints and writes.

    out : path, optional
        folder for the files named above, the meanings of their columns, figures (PNG, SVG, PDF), and BibTeX
        (references.bib)
    style : {"screen", "paper"}
        style of the figures in --out: for a screen, or for a column of a paper (3.33 inches, 8 points, no
        title, SVG and PDF)
    report : path, optional
        write one HTML file with figures, tables that can be sorted and filtered, the data and the command
    format : {"table", "tsv", "csv", "markdown", "latex", "jsonl"}
        format of the printed tables; with any but table, notes go to standard error; tsv, csv and jsonl have one
        row per number
    places : int, optional
        number of decimals (default: 4; all digits with --format jsonl)
    text : bool
        print LaTeX for a paper instead: methods, reading, finding, versions, tables, references, and the figures of
        --out
    quiet : bool
        only the table: no notes, no progress bars
    tables : {"csv", "parquet"}
        format of the tables in --out
    """

    out: Annotated[str | None, Option(None, __doc__, Text(metavar="DIR"), "output")]
    style: Annotated[Literal["screen", "paper"], Option("screen", __doc__, group="output")]
    report: Annotated[str | None, Option(None, __doc__, Text(metavar="FILE.html"), "output")]
    format: Annotated[
        Literal["table", "tsv", "csv", "markdown", "latex", "jsonl"], Option("table", __doc__, group="output")
    ]
    places: Annotated[int | None, Option(None, __doc__, NATURAL, "output")]
    text: Annotated[bool, Option(False, __doc__, group="output")]
    quiet: Annotated[bool, Option(False, __doc__, Text(letter="q"), "output")]
    tables: Annotated[Literal["csv", "parquet"], Option("csv", __doc__, group="tables")]
