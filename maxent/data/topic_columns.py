"""What people know of topics beside judgments: a weight or a category of each, and values of measures."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from maxent.checks import finite_number
from maxent.data.cells import read_cells
from maxent.data.column_names import name_of_column
from maxent.data.lines import title_of
from maxent.data.numbers import finite_number as number_in
from maxent.errors import InputError, quoted, warn_of_input
from maxent.texts import many
from maxent.types import FloatArray

WHOLE = "all"  # the category of all topics


class Entry(NamedTuple):
    """A topic, what is said of it, and where."""

    topic: str
    value: object
    place: str


def topic_categories(source: object, topics: Sequence[str], qrels: object = None) -> list[str]:
    """Category of each topic, from any form of ``by``."""
    known = _of_topics("by", source, qrels)
    categories = [str(entry.value) for entry in _in_order("by", known, topics)]
    if WHOLE in categories:
        raise InputError(f"by: a category is called {WHOLE!r}, the word for all topics")
    return categories


def topic_weights(source: object, topics: Sequence[str], qrels: object = None) -> FloatArray:
    """Weight of each topic (topics,), from any form of ``weights``."""
    known = _of_topics("weights", source, qrels)
    weights = np.array([_weight(entry) for entry in _in_order("weights", known, topics)])
    if not weights.any():
        raise InputError("weights: 0 for every topic, expected a number above 0 for at least one")
    return weights


def _weight(entry: Entry) -> float:
    try:
        weight = number_in(entry.value) if isinstance(entry.value, str) else finite_number("weight", entry.value)
    except ValueError:
        weight = -1.0
    if weight < 0:
        said = f"weight {quoted(entry.value)} of topic {entry.topic!r}"
        raise InputError(f"{entry.place}: {said}, expected a finite number of 0 or more")
    return weight


def _in_order(name: str, known: Mapping[str, Entry], topics: Sequence[str]) -> list[Entry]:
    """The entry of each topic; a note on entries of other topics."""
    missing = [topic for topic in topics if topic not in known]
    if missing:
        more = f" and {many(len(missing) - 3, 'other')}" if len(missing) > 3 else ""
        raise InputError(f"{name}: nothing for topic {', '.join(map(repr, missing[:3]))}{more} of the judgments")
    if len(known) > len(topics):
        warn_of_input(f"{name}: {many(len(known) - len(topics), 'topic')} without relevant judgments, not used")
    return [known[topic] for topic in topics]


def _of_topics(name: str, source: object, qrels: object) -> dict[str, Entry]:
    """Entries by topic; an error where two of a topic differ."""
    by_topic: dict[str, Entry] = {}
    for entry in _entries(name, source, qrels):
        first = by_topic.setdefault(entry.topic, entry)
        if first is not entry and first.value != entry.value:
            both = f"{quoted(first.value)} and {quoted(entry.value)}"
            raise InputError(f"{entry.place}: topic {entry.topic!r} has {both}, expected one value")
    return by_topic


def _entries(name: str, source: object, qrels: object) -> Iterator[Entry]:
    """Entries of a mapping, a Series, a table, a file, or a column of the judgments that its name stands for."""
    if isinstance(source, Mapping | pd.Series):
        yield from (Entry(str(topic), value, name) for topic, value in source.items())
        return
    column = None
    if isinstance(source, str) and not _is_there(source):  # a column of the judgments
        if not isinstance(qrels, pd.DataFrame | str | Path):
            raise InputError(f"{name}: {quoted(source)} is no file")
        source, column = qrels, source
    if isinstance(source, pd.DataFrame):
        place, cells = name, source
    elif isinstance(source, str | Path):
        path, column = (str(source), column) if column else _file_and_column(str(source))
        place, cells = title_of(path), read_cells(path)
    else:
        raise InputError(
            f"{name}: {type(source).__name__}, expected a mapping from topics, a table with a column of topics, "
            "a file, FILE:COLUMN, or a column of the table of judgments"
        )
    names = list(map(str, cells.columns))
    topic_column = name_of_column(names, "query_id")
    rest = [other for other in names if other != topic_column]
    if topic_column is None or (column is None and len(rest) != 1) or (column is not None and column not in rest):
        wanted = f"the column {column!r}" if column else f"one other column (or {name}=FILE:COLUMN)"
        raise InputError(f"{place}: columns {names}, expected query_id (or topic, qid, ...) and {wanted}")
    rows = zip(cells.index, cells[topic_column], cells[column or rest[0]], strict=True)
    yield from (
        Entry(str(topic), value, f"{place}:{line}" if place != name else name) for line, topic, value in rows
    )


def _is_there(text: str) -> bool:
    """Whether a text is a file, or a file and one of its columns."""
    return Path(_file_and_column(text)[0]).exists()


def _file_and_column(text: str) -> tuple[str, str | None]:
    """A path, and the column that is named after it, as in ``queries.csv:visits``."""
    path, colon, column = text.rpartition(":")
    return (path, column) if colon and not Path(text).exists() and Path(path).exists() else (text, None)
