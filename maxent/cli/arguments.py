"""Arguments that several commands share, and the data and options made of them."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pandas as pd

from maxent.cli.commands import Commands
from maxent.cli.paths import InPaths, OutFolder, OutPage
from maxent.curves import ALIGNS
from maxent.data.collection import Collection, collect
from maxent.data.inputs import Runs, as_qrels
from maxent.data.lines import STDIN, integer
from maxent.data.select_topics import select_topics
from maxent.data.simulate import simulate
from maxent.data.trec import Duplicates
from maxent.errors import InputError, ProblemError
from maxent.measures import GAP, Measure, as_measures, g_grid
from maxent.problem import COUNTS
from maxent.solvers import BACKENDS
from maxent.study.choose_g import threshold_shares
from maxent.study.informativeness import default_measures
from maxent.study.options import StudyOptions


def add_command(commands: Commands, name: str, summary: str, description: str) -> argparse.ArgumentParser:
    """Parser of a new command whose help keeps the line breaks of the description."""
    return commands.add_parser(
        name, help=summary, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def add_files(parser: argparse.ArgumentParser, *, required: bool, topics: bool = True) -> None:
    """Add --qrels, --runs, --topics, --depth, and how ratings become grades."""
    files = parser.add_argument_group(
        "input (formats of TREC, tables with a header, JSON, Parquet; plain or compressed)"
    )
    files.add_argument(
        "--qrels", action=InPaths, metavar="FILE", required=required,
        help="relevance judgments: topic, _, document, grade; irds:ID stands for those of ir_datasets, - for the "
        "standard input",
    )  # fmt: skip
    files.add_argument(
        "--runs", action=InPaths, metavar="FILE", nargs="+", required=required,
        help="ranked lists: topic, _, document, rank (ignored), score, tag; a folder or quoted pattern stands for "
        "its files, NAME=FILE gives a run another name",
    )  # fmt: skip
    if topics:
        files.add_argument(
            "--topics", metavar="LIST", help="only these topics, e.g. 601-650 or 3,7,12 (default: all)"
        )
    files.add_argument("--depth", type=positive, default=1000, metavar="N", help="ranks that count (default: 1000)")
    files.add_argument(
        "--levels", type=positive, metavar="C", help="highest grade of the scale (default: that of the judgments)"
    )
    scale = files.add_mutually_exclusive_group()
    scale.add_argument(
        "--grades", type=grades, metavar="R=G,...", help="grade of each rating above 0, e.g. 1=0,2=1,3=2"
    )
    scale.add_argument(
        "--bins", type=numbers, metavar="X,...",
        help="for real-valued ratings: the grade is the number of these that a rating reaches, e.g. .25,.5,.75",
    )  # fmt: skip
    files.add_argument(
        "--duplicates", choices=get_args(Duplicates), default="error",
        help="a document that a run lists twice in a topic: an error (default), or its first line counts",
    )  # fmt: skip


def add_problem(parser: argparse.ArgumentParser) -> None:
    """Add --count and --solver."""
    parser.add_argument(
        "--count", choices=COUNTS, default="retrieved",
        help="known numbers of relevant documents: those the list retrieved (default), all of the topic's, or at "
        "most those",
    )  # fmt: skip
    parser.add_argument(
        "--solver", choices=["auto", *BACKENDS], default="auto", help="default: auto, the structured Newton solver"
    )


def add_lists(parser: argparse.ArgumentParser) -> None:
    """Add --g-steps, --min-retrieved, --jobs, --cluster and --seed."""
    parser.add_argument(
        "--g-steps",
        type=two_or_more,
        default=9,
        metavar="N",
        help="points along an edge of the g grid (default: 9)",
    )
    parser.add_argument(
        "--min-retrieved", type=natural, default=5, metavar="N",
        help="leave out lists with fewer retrieved documents in some grade (default: 5)",
    )  # fmt: skip
    parser.add_argument(
        "--min-retrieved-total", type=natural, default=0, metavar="N",
        help="leave out lists with fewer retrieved documents in all grades together (default: 0)",
    )  # fmt: skip
    parser.add_argument(
        "--jobs",
        type=positive,
        default=1,
        metavar="N",
        help="threads, or processes for solvers other than newton (default: 1)",
    )
    parser.add_argument(
        "--cluster", metavar="ADDRESS",
        help="solve on the workers of the Dask scheduler at this address, such as tcp://10.0.0.1:8786",
    )  # fmt: skip
    add_seed(parser)


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add --seed."""
    parser.add_argument(
        "--seed",
        type=natural,
        default=0,
        metavar="N",
        help="seed of all random numbers, those of the embedded collection included (default: 0)",
    )


def add_curves(parser: argparse.ArgumentParser) -> None:
    """Add --align and --thresholds."""
    parser.add_argument(
        "--align", choices=ALIGNS, default="recall", help="compare curves at equal recall (default) or equal rank"
    )
    parser.add_argument(
        "--thresholds", nargs="+", type=positive, metavar="T",
        help="grades from which a document counts as relevant (default: each)",
    )  # fmt: skip


def add_study(parser: argparse.ArgumentParser) -> None:
    """Add all arguments of a study; without files it uses the embedded collection."""
    add_files(parser, required=False)
    add_problem(parser)
    add_lists(parser)
    add_curves(parser)
    parser.add_argument(
        "--weights", metavar="T=W,...",
        help="weights of the thresholds for the choice of g, e.g. 1=1,2=3; others weigh 0 (default: all alike)",
    )  # fmt: skip
    add_out(parser, "the results (nothing is written without it)")
    add_report(parser)


def add_out(parser: argparse.ArgumentParser, what: str) -> None:
    """Add --out."""
    parser.add_argument("--out", action=OutFolder, metavar="DIR", help=f"folder for {what}")


def add_report(parser: argparse.ArgumentParser) -> None:
    """Add --report."""
    parser.add_argument(
        "--report", action=OutPage, metavar="FILE.html",
        help="one HTML file with figures, tables that sort and filter, data and command, to be sent to somebody",
    )  # fmt: skip


def positive(text: str) -> int:
    """Whole number, 1 or more."""
    number = integer(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not a positive number")
    return number


def two_or_more(text: str) -> int:
    """Whole number, 2 or more."""
    number = integer(text)
    if number < 2:
        raise argparse.ArgumentTypeError(f"{number} is too few: 2 or more")
    return number


def natural(text: str) -> int:
    """Whole number, 0 or more."""
    number = integer(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is negative")
    return number


def grades(text: str) -> dict[int, int]:
    """Grades of ratings from ``1=0,2=1,3=2``."""
    try:
        return {integer(rating): integer(grade) for rating, grade in (pair.split("=") for pair in text.split(","))}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not rating=grade pairs such as 1=0,2=1,3=2") from None


def named(text: str) -> str | tuple[str, str]:
    """One of --runs: NAME=FILE is a name and a path, anything else a path."""
    name, equals, path = text.partition("=")
    return (name, path) if equals and name and not Path(text).exists() else text


def collection(arguments: argparse.Namespace, *, by_name: bool = False) -> tuple[Collection, str]:
    """Collection of the files, or the embedded one, and a title; runs as they are given or by name.

    Raises
    ------
    InputError
        If only one of --qrels and --runs is given, or a file cannot be used.
    """
    runs, qrels, name = tables(arguments)
    chosen = topics(arguments.topics, qrels)
    found = collect(
        runs,
        qrels,
        depth=arguments.depth,
        topics=chosen,
        levels=arguments.levels,
        duplicates=arguments.duplicates,
        jobs=getattr(arguments, "jobs", 1),
        float32=getattr(arguments, "float32", False),
        by_name=by_name,
        progress=not arguments.quiet,
    )
    return found, name


def tables(arguments: argparse.Namespace) -> tuple[Runs, pd.DataFrame, str]:
    """Run files and judgments, or tables of the embedded collection, and a title.

    Raises
    ------
    InputError
        As for :func:`collection`.
    """
    if (arguments.qrels is None) != (arguments.runs is None):
        raise InputError("give both --qrels and --runs, or neither for the embedded collection")
    if arguments.qrels is None:
        return *simulate(depth=arguments.depth, rng=arguments.seed), "embedded collection (simulated)"
    if arguments.qrels == STDIN and STDIN in arguments.runs:
        raise InputError("--qrels and --runs are both -, but there is one standard input")
    path = Path(arguments.qrels)
    name = f"{path.resolve().parent.name}/{path.name}" if path.exists() else arguments.qrels
    qrels = as_qrels(arguments.qrels, grades=arguments.grades, bins=arguments.bins)
    return list(map(named, arguments.runs)), qrels, name


def topics(spec: str | None, qrels: pd.DataFrame) -> tuple[str, ...] | None:
    """Topics that --topics selects."""
    return None if spec is None else select_topics(spec, list(dict.fromkeys(qrels["query_id"])))


def measures(texts: Sequence[str] | None, *, levels: int, g_steps: int) -> tuple[Measure, ...]:
    """Measures of --measures; plain GAP stands for the whole grid."""
    if texts is None:
        return default_measures(levels, g_steps=g_steps)
    found: list[Measure] = []
    for text in texts:
        if text == "GAP":
            found += [GAP(g=g) for g in g_grid(levels=levels, steps=g_steps)]
        else:
            found += as_measures([text])
    return tuple(dict.fromkeys(found))


def options(
    arguments: argparse.Namespace,
    partial: str,
    *,
    measures: tuple[Measure, ...],
    thresholds: tuple[int, ...] = (),
    targets: tuple[Measure, ...] = (),
) -> StudyOptions:
    """Options of a study; the file ``partial`` in --out is its checkpoint."""
    return StudyOptions(
        measures=measures,
        thresholds=thresholds,
        targets=targets,
        count=arguments.count,
        min_retrieved=arguments.min_retrieved,
        min_retrieved_total=arguments.min_retrieved_total,
        align=getattr(arguments, "align", "recall"),  # predict compares no curves and has no --align
        solver=arguments.solver,
        jobs=arguments.jobs,
        progress=not arguments.quiet,
        checkpoint=None if arguments.out is None else arguments.out / partial,
    )


def thresholds(arguments: argparse.Namespace, levels: int) -> tuple[int, ...]:
    """Value of --thresholds; default: each positive grade."""
    return tuple(arguments.thresholds or range(1, levels + 1))


def weights(text: str | None, thresholds: Sequence[int]) -> dict[int, float] | None:
    """Weights of the thresholds from ``1=1,2=3``."""
    if text is None:
        return None
    try:
        pairs = [(int(t), float(w)) for t, w in (pair.split("=") for pair in text.split(","))]
    except ValueError:
        raise ProblemError(f"--weights {text}: write threshold=weight pairs, e.g. 1=1,2=3") from None
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ProblemError(f"--weights {text}: a threshold twice, expected once")
    threshold_shares(found, thresholds)  # an error before the work
    return found


def numbers(text: str) -> tuple[float, ...]:
    """Comma-separated numbers."""
    try:
        return tuple(float(t) for t in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a comma-separated list of numbers") from None
