"""The collection that a question is asked of: the given one, or the embedded one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from maxent.data.collect import collect
from maxent.data.collection import Collection
from maxent.data.inputs import Qrels, Runs, is_file
from maxent.data.simulate import simulate
from maxent.errors import InputError, warn_of_input
from maxent.options import READING_OPTIONS

EMBEDDED = "embedded collection (simulated)"


def collected(
    runs: Runs | Collection | None, qrels: Qrels | None, options: Mapping[str, Any], *, by_name: bool = False
) -> Collection:
    """The collection that options of reading select; without runs and judgments the embedded one.

    ``by_name`` sorts runs that are read; a collection keeps the order of its runs.
    """
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


def collection_name(runs: Runs | Collection | None, qrels: Qrels | None) -> str:
    """Name of a collection: folder and file of its judgments, or a general name."""
    if runs is None and qrels is None:
        return EMBEDDED
    if is_file(qrels) and Path(str(qrels)).exists():
        path = Path(str(qrels))
        return f"{path.resolve().parent.name}/{path.name}"
    return str(qrels) if isinstance(qrels, str) else "collection"
