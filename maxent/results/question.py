"""Steps shared by questions, the functions that take runs and judgments and return a result."""

import inspect
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from maxent.data.collect import collect
from maxent.data.collection import Collection
from maxent.data.inputs import Qrels, Runs, is_file
from maxent.data.options import READING_OPTIONS
from maxent.data.simulate import simulate
from maxent.errors import InputError, input_notes, quoted, visible, warn_of_input
from maxent.measures import Measure
from maxent.results.content import Origin
from maxent.results.result import Result

F = TypeVar("F", bound=Callable[..., Result])
LOG = logging.getLogger("maxent")  # what is said before long work; a command prints it
NO_RESULT = ("progress", "jobs", "checkpoint")  # options that change nothing in a result
EMBEDDED = "embedded collection (simulated)"


def answers(function: F) -> F:
    """Decorator of a question: adds the question, the origin and notes on the input to its result."""
    signature = inspect.signature(function)
    question = " ".join(inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0].split())

    @wraps(function)
    def answer(*arguments: Any, **options: Any) -> Result:
        if not isinstance(options.get("title"), str | None):
            raise InputError(f"title must be text, got {quoted(options['title'])}")
        with input_notes() as notes:
            result = function(*arguments, **options)
        values = signature.bind(*arguments, **options).arguments
        call = f"me.{function.__name__}({', '.join(_call_arguments(signature, values))})"
        call += f"  # {result.reading}" if result.reading else ""
        origin = Origin(call, values.get("qrels"), _list_runs(values.get("runs")))
        notes = [note for note in dict.fromkeys(notes) if note not in result.notes]
        return replace(
            result, kind=function.__name__, question=question, origin=origin, notes=(*result.notes, *notes)
        )

    return cast(F, answer)


def _call_arguments(signature: inspect.Signature, values: Mapping[str, Any]) -> list[str]:
    """Arguments of a call as source text; a value without a short literal is replaced by its parameter's name."""
    shown = []
    for name, value in values.items():
        parameter = signature.parameters[name]
        if name in NO_RESULT or value is parameter.default:
            continue
        text = repr(str(value)) if isinstance(value, Path | Measure) else repr(value)
        plain = isinstance(value, str | int | float | bool | Path | Measure | list | tuple | dict | None)
        text = text if plain and len(text) <= 200 else name
        shown.append(text if parameter.kind is parameter.POSITIONAL_OR_KEYWORD else f"{name}={text}")
    return shown


def _list_runs(runs: object) -> tuple[object, ...]:
    """The runs as a tuple, so that a report can hash the files among them."""
    if isinstance(runs, Mapping):
        return tuple(runs.values())
    return tuple(runs) if isinstance(runs, list | tuple) else (runs,)


def collected(
    runs: Runs | Collection | None, qrels: Qrels | None, options: Mapping[str, Any], *, by_name: bool = False
) -> Collection:
    """The collection that options select; without runs and judgments the embedded one."""
    reading = {name: options[name] for name in READING_OPTIONS if name in options}
    if isinstance(runs, Collection):
        for note in runs.notes:  # a result repeats what was said when the runs were read
            warn_of_input(note)
        return collect(runs, qrels, **reading)
    return collect(*embedded_or(runs, qrels, options), **reading, by_name=by_name)


def studied(
    runs: Runs | Collection | None, qrels: Qrels | None, options: Mapping[str, Any], *, by_name: bool = False
) -> Collection:
    """As :func:`collected`, with lists of the typical length where no depth is given."""
    collection = collected(runs, qrels, options, by_name=by_name)
    return collection if options.get("depth") is not None else collection.of_typical_length()


def embedded_or(runs: Runs | None, qrels: Qrels | None, options: Mapping[str, Any]) -> tuple[Runs, Qrels | None]:
    """The given runs and judgments, or the embedded collection if both are None."""
    if runs is None and qrels is None:
        named = ("depth", "rng")
        return simulate(**{name: options[name] for name in named if options.get(name) is not None})
    if runs is None:
        raise InputError("runs: none given; give runs and qrels, or neither for the embedded collection")
    return runs, qrels


def heading(
    collection: Collection,
    runs: Runs | Collection | None,
    qrels: Qrels | None,
    options: str,
    *,
    title: str | None = None,
) -> dict[str, Any]:
    """Title, introduction and reading of a result; logs the introduction before the work."""
    name = title or title_of(runs, qrels)
    introduction = f"{visible(name)}: {collection.size}; {options}\n"
    announce(introduction)
    reading = f"{options}, depth={collection.depth}"
    return {"title": name, "introduction": introduction, "reading": reading, "collection": collection}


def announce(introduction: str) -> None:
    """Log what is analysed, before the work."""
    LOG.info(introduction)


def title_of(runs: Runs | Collection | None, qrels: Qrels | None) -> str:
    """Name of a collection: folder and file of its judgments, or a general name."""
    if runs is None and qrels is None:
        return EMBEDDED
    if is_file(qrels) and Path(str(qrels)).exists():
        path = Path(str(qrels))
        return f"{path.resolve().parent.name}/{path.name}"
    return str(qrels) if isinstance(qrels, str) else "collection"
