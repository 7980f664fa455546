"""What the arguments that are given to a command stand for: data, measures, options, and words about them."""

import argparse
from collections.abc import Sequence
from glob import glob
from pathlib import Path
from typing import Any, cast

import pandas as pd

from maxent.checks import LONGEST
from maxent.cli.arguments import G_STEPS
from maxent.console.show import Printer
from maxent.content import Fact
from maxent.data.collection import Collection, collect
from maxent.data.evaluate import Empty
from maxent.data.inputs import Runs, as_qrels
from maxent.data.lines import STDIN
from maxent.data.options import LISTS, CollectOptions
from maxent.data.select_topics import select_topics
from maxent.data.simulate import simulate
from maxent.errors import InputError, ProblemError, visible
from maxent.measures import AP, GAP, Measure, as_measures, eGAP, g_grid, xGAP
from maxent.study.options import StudyOptions
from maxent.study.predict import default_predictors
from maxent.study.topics import discard_checkpoint
from maxent.texts import many


def named(text: str) -> str | tuple[str, str]:
    """One of --runs: NAME=FILE is a name and a path, anything else a path, such as a pattern that matches files."""
    name, equals, path = text.partition("=")
    return (name, path) if equals and name and not (Path(text).exists() or glob(text, recursive=True)) else text


def collection(arguments: argparse.Namespace, *, by_name: bool = False) -> tuple[Collection, str]:
    """Collection of the files, or the embedded one, and a title; runs as they are given or by name."""
    runs, qrels, name = tables(arguments)
    return collect(runs, qrels, **collect_options(arguments, qrels), by_name=by_name), name


def collect_options(arguments: argparse.Namespace, qrels: pd.DataFrame) -> CollectOptions:
    """The options of :func:`maxent.collect` that a command has."""
    return cast(CollectOptions, list_options(arguments) | {"topics": topics(arguments.topics, qrels)})


def list_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Arguments that are options of :func:`maxent.collect`, as they were given."""
    return {name: value for name, value in vars(arguments).items() if name in LISTS}


def keywords(arguments: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Arguments that a command passes on to a function of the library, where they have the same names."""
    return {name: getattr(arguments, name) for name in names}


def heading(arguments: argparse.Namespace, collection: Collection, name: str, options: str) -> dict[str, Any]:
    """What a result of a collection has from its command."""
    introduction = f"{visible(name)}: {collection.size}; {options}\n"
    reading = f"{options}, depth={collection.depth}"
    return {**announced(arguments, name, introduction), "collection": collection, "reading": reading}


def announced(arguments: argparse.Namespace, title: str, introduction: str) -> dict[str, Any]:
    """What a result has from its command; the introduction, what is analysed, is said before the work."""
    printer(arguments).note(introduction)
    return {"title": title, "introduction": introduction}


def printer(arguments: argparse.Namespace) -> Printer:
    """Where tables and notes go, as the arguments say."""
    return Printer(arguments.format, arguments.places, arguments.quiet)


def tables(arguments: argparse.Namespace) -> tuple[Runs, pd.DataFrame, str]:
    """Run files and judgments, or tables of the embedded collection, and a title."""
    if (arguments.qrels is None) != (arguments.runs is None):
        raise InputError("give both --qrels and --runs, or neither for the embedded collection")
    if arguments.qrels is None:
        return *simulate(depth=arguments.depth or LONGEST, rng=arguments.rng), "embedded collection (simulated)"
    if arguments.qrels == STDIN and STDIN in arguments.runs:
        raise InputError("--qrels and --runs are both -, but there is one standard input")
    path = Path(arguments.qrels)
    name = f"{path.resolve().parent.name}/{path.name}" if path.exists() else arguments.qrels
    qrels = as_qrels(arguments.qrels, **keywords(arguments, "grades", "bins", "duplicates"))
    return list(map(named, arguments.runs)), qrels, name


def topics(spec: str | None, qrels: pd.DataFrame) -> tuple[str, ...] | None:
    """Topics that --topics selects."""
    return None if spec is None else select_topics(spec, list(dict.fromkeys(qrels["query_id"])))


def measures(texts: Sequence[str], levels: int, steps: int = G_STEPS) -> tuple[Measure, ...]:
    """Measures of texts; plain GAP stands for the whole grid."""
    found: list[Measure] = []
    for text in texts:
        found += [GAP(g=g) for g in g_grid(levels=levels, steps=steps)] if text == "GAP" else as_measures([text])
    return tuple(dict.fromkeys(found))


def steps(arguments: argparse.Namespace, texts: Sequence[str]) -> int:
    """Points along an edge of the g grid; ProblemError if --g-steps is given and no measure has the grid."""
    if arguments.g_steps is not None and "GAP" not in texts:
        raise ProblemError(f"--g-steps {arguments.g_steps}: no measure is plain GAP, which stands for the g grid")
    return arguments.g_steps or G_STEPS


def predicted(arguments: argparse.Namespace, levels: int) -> tuple[tuple[Measure, ...], tuple[Measure, ...]]:
    """Known measures of --measures, and measures to predict of --targets."""
    texts, targets = arguments.measures, arguments.targets
    number = steps(arguments, [*(texts or ()), *(targets or ())])
    known = default_predictors(levels) if texts is None else measures(texts, levels, number)
    parts = tuple(dict.fromkeys(part for measure in known for part in measure.parts))
    return known, parts if targets is None else measures(targets, levels, number)


def graded(arguments: argparse.Namespace, levels: int, others: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Measures of --measures; default: GAP, xGAP and eGAP with equal g_k, AP, and ``others``."""
    if arguments.measures is not None:
        return measures(arguments.measures, levels)
    even = (1 / levels,) * levels
    return (GAP(g=even), xGAP(g=even), eGAP(g=even), AP(), *others)


def topics_used(collection: Collection, empty: Empty) -> str:
    """How many topics means are over, and what becomes of those without relevant documents."""
    empties = len(collection.without_relevant)
    used = (
        f"{many(len(collection.topics) + (empties if empty == 'zero' else 0), 'topic')}, depth {collection.depth}"
    )
    rule = "count 0 (--empty skip leaves them out)" if empty == "zero" else "are left out"
    return f"{used}; those without relevant documents {rule}: {empties}" if empties else used


def ranked_runs(arguments: argparse.Namespace) -> str:
    """Which runs are ranked, in words."""
    return f"runs above quantile {arguments.quantile:g} of mean AP, few={arguments.few:g}"


def facts(arguments: argparse.Namespace, *names: str) -> tuple[Fact, ...]:
    """Arguments for a report, each with what its help says."""
    values = [(name, getattr(arguments, name)) for name in names]
    texts = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in values}
    return tuple(Fact(name, texts[name], arguments.meanings[name]) for name in names)


def options(arguments: argparse.Namespace, collection: Collection, **measures: tuple[Measure, ...]) -> StudyOptions:
    """Options of a study; a long one has a checkpoint in --out until the results are written."""
    kept = arguments.checkpoint is not None and arguments.out is not None
    checkpoint = arguments.out / arguments.checkpoint if kept else None
    found = StudyOptions.of(collection, {**vars(arguments), "checkpoint": checkpoint, **measures})
    arguments.written = lambda: discard_checkpoint(collection, found)
    return found
