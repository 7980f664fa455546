"""Steps shared by questions, the functions that take runs and judgments and return a result."""

import inspect
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from maxent.errors import InputError, input_notes, quoted
from maxent.measures import Measure
from maxent.options import StudyKeywords, options_of
from maxent.results.content import Origin
from maxent.results.result import Result

F = TypeVar("F", bound=Callable[..., Result])
LOG = logging.getLogger("maxent")  # what is said before long work; a command prints it
LITERAL = 200  # letters of the longest value that a call shows
NO_RESULT = [name for name, option in options_of(StudyKeywords).items() if not option.in_result]


def answers(function: F) -> F:
    """Decorator of a question: adds the question, the origin and notes on the input to its result."""
    signature = inspect.signature(function)
    question = " ".join(inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0].split())

    @wraps(function)
    def answer(*arguments: Any, **options: Any) -> Result:
        if not isinstance(options.get("title"), str | None):
            raise InputError(f"title must be text, got {quoted(options['title'])}")
        # 1. the result, and notes on the input that it does not have yet
        with input_notes() as input_lines:
            result = function(*arguments, **options)
        said = (*result.notes, *(result.finding.support if result.finding is not None else ()))
        new_notes = [note for note in dict.fromkeys(input_lines) if note not in said]
        # 2. the call
        values = signature.bind(*arguments, **options).arguments
        call = f"me.{function.__name__}({', '.join(_call_arguments(signature, values))})"
        call += f"  # {result.reading}" if result.reading else ""
        origin = Origin(call, values.get("qrels"), _list_runs(values.get("runs")))
        return replace(
            result, kind=function.__name__, question=question, origin=origin, notes=(*result.notes, *new_notes)
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
        has_literal = isinstance(value, str | int | float | bool | Path | Measure | list | tuple | dict | None)
        if not has_literal or len(text) > LITERAL:
            text = name
        shown.append(text if parameter.kind is parameter.POSITIONAL_OR_KEYWORD else f"{name}={text}")
    return shown


def _list_runs(runs: object) -> tuple[object, ...]:
    """The runs as a tuple, so that a report can hash the files among them."""
    if isinstance(runs, Mapping):
        return tuple(runs.values())
    return tuple(runs) if isinstance(runs, list | tuple) else (runs,)


def announce(introduction: str) -> None:
    """Log what is analysed, before the work."""
    LOG.info(introduction)
