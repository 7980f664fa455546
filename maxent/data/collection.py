"""Runs and relevance judgments as arrays.

Studies and comparisons work on a `Collection`: the grades of every ranked list, and the number of documents of each
grade in every topic. The order of a list is trec_eval's: score descending, then document id descending.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from tqdm import tqdm

from maxent.data.entries import ENDED, from_file, from_table, grades_by_rank
from maxent.data.judgments import Judgments
from maxent.data.lines import COMPRESSED
from maxent.data.tables import check_table, ids
from maxent.data.trec import read_qrels
from maxent.errors import InputError
from maxent.limits import DEPTH, whole_number
from maxent.types import BoolArray, IntArray
from maxent.workers import workers

Table = pd.DataFrame | os.PathLike[str]
"""A table in memory, or the path of the file that has it; a text is neither."""
Runs = Table | Iterable[Table] | Mapping[str, Table]

_RANGE = re.compile(r"([0-9]+)\s*-\s*([0-9]+)")


@dataclass(frozen=True, eq=False)
class Collection:
    """Ranked lists and judgments as read-only arrays.

    Attributes
    ----------
    runs : tuple of str
        Names of the runs, in the order given.
    topics : tuple of str
        Chosen topics with at least one relevant document, in order of first appearance in the qrels.
    grades : array (topics, runs, depth) of int16
        Relevance grade at each rank; 0 for unjudged documents and after the end of a list.
    nonrelevant : array (topics, runs, depth) of bool
        Whether the document at each rank has a judgment of exactly 0 (it is not unjudged, nor below 0).
    relevant : array (topics, levels) of int64
        R_i: number of documents of grade i = 1, 2, ... in the qrels.
    judged_nonrelevant : array (topics,) of int64
        Number of documents with a judgment of exactly 0 in the qrels.
    missing : array (topics, runs) of bool
        Whether the run has no document for the topic.
    without_relevant : tuple of str
        Chosen topics that are left out because they have no relevant document.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    grades: IntArray
    nonrelevant: BoolArray
    relevant: IntArray
    judged_nonrelevant: IntArray
    missing: BoolArray
    without_relevant: tuple[str, ...]

    def __post_init__(self) -> None:
        for array in (self.grades, self.nonrelevant, self.relevant, self.judged_nonrelevant, self.missing):
            array.setflags(write=False)

    @property
    def depth(self) -> int:
        """Length of the ranked lists, N."""
        return int(self.grades.shape[2])

    @property
    def levels(self) -> int:
        """Highest relevance grade, c."""
        return int(self.relevant.shape[1])


def collect(
    runs: Runs,
    qrels: Table,
    *,
    depth: int = 1000,
    topics: Iterable[str] | None = None,
    float32: bool = False,
    jobs: int = 1,
    progress: bool = True,
) -> Collection:
    """Collection with the grades of all ranked lists, as looked up in the qrels.

    Parameters
    ----------
    runs : DataFrame or Path, iterable of these, or mapping of name to these
        Tables with the columns ``query_id``, ``doc_id``, ``score`` and ``run_id``, or TREC run files, which take
        less time and memory as files than as tables. The names in a mapping replace ``run_id``; a single table
        without ``run_id`` is called ``run``. A file is called by its tag or, where files share a tag, by its name.
    qrels : DataFrame or Path
        Columns ``query_id``, ``doc_id``, ``relevance``, or a TREC qrels file. Negative judgments count as grade 0;
        for Bpref they count as unjudged.
    depth : int
        Length of the lists, N: longer lists are cut, shorter ones padded with grade 0.
    topics : iterable of str, optional
        Topics to use; default: all of the qrels. The levels are always those of the whole qrels.
    float32 : bool
        Compare scores in single precision, as trec_eval does up to version 9.
    jobs : int
        Number of threads that read files.
    progress : bool
        Show a progress bar on a terminal if reading takes more than two seconds.

    Returns
    -------
    Collection
        Grades of every list, and counts of every topic with a relevant document.

    Raises
    ------
    InputError
        If a table is malformed (the message names table, row and value), a topic is unknown, no chosen topic has a
        relevant document, two runs have the same name, or runs and qrels have nothing in common.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> collection = me.collect(runs, qrels, depth=100)
    >>> collection.grades.shape  # topics, runs, ranks
    (4, 3, 100)
    >>> collection.relevant.tolist()  # documents of grades 1 and 2 in each topic
    [[30, 23], [31, 68], [49, 76], [22, 109]]
    >>> me.AP().evaluate(collection.grades[0], collection.relevant[0]).round(3).tolist()  # of the first topic
    [0.307, 0.267, 0.44]
    """
    depth = whole_number("depth", depth, raises=InputError, limit=DEPTH)
    judged = Judgments.of(read_qrels(qrels) if isinstance(qrels, os.PathLike) else qrels)
    chosen = judged.select(topics)
    counts = judged.count()
    relevant = counts[:, 1:]
    kept = chosen[relevant[chosen].any(axis=1)]
    if not kept.size:
        raise InputError("topics: none of the chosen has a relevant document in the qrels, expected at least one")
    work = (delayed(_lists)(source, judged, depth, float32) for source in _sources(runs))
    found = Parallel(n_jobs=workers(jobs), require="sharedmem", return_as="generator")(work)
    bar = tqdm(found, desc="reading runs", unit="run", delay=2, disable=None if progress else True)
    lists = [own._replace(grades=own.grades[kept]) for own in bar]
    if not lists:
        raise InputError("no runs, expected at least one")
    if not any(own.judged for own in lists):
        raise InputError("no document of any run is judged: are these the judgments of another collection?")
    grades = np.stack([own.grades for own in lists], axis=1)
    return Collection(
        runs=_names(lists),
        topics=tuple(judged.topics[kept]),
        grades=grades.clip(min=0),
        nonrelevant=grades == 0,
        relevant=relevant[kept],
        judged_nonrelevant=counts[kept, 0],
        missing=grades[:, :, 0] == ENDED,
        without_relevant=tuple(judged.topics[np.setdiff1d(chosen, kept)]),
    )


def select_topics(spec: str, available: Sequence[str]) -> tuple[str, ...]:
    """Topics that are selected by a text such as ``601-650,700,qtest2014.3``.

    Parameters
    ----------
    spec : str
        Ids and inclusive numeric ranges, separated by commas. An available id is taken literally, even if it
        looks like a range.
    available : sequence of str
        Topics to select from. A range selects those that are numbers within it.

    Returns
    -------
    tuple of str
        The selected topics, in the order of ``available``.

    Raises
    ------
    InputError
        If an id is not available, or no available topic is in a range.

    Examples
    --------
    >>> import maxent as me
    >>> me.select_topics("601-603,qtest2014.3", ["601", "602", "604", "qtest2014.3"])
    ('601', '602', 'qtest2014.3')
    """
    chosen: set[str] = set()
    for part in map(str.strip, spec.split(",")):
        found = {part}.intersection(available)
        if not found and (limits := _RANGE.fullmatch(part)):
            low, high = map(int, limits.groups())
            found = {topic for topic in available if topic.isdecimal() and low <= int(topic) <= high}
        if not found:
            raise InputError(f"topics {spec!r}: no topic is {part!r}")
        chosen |= found
    return tuple(topic for topic in dict.fromkeys(available) if topic in chosen)


class _Source(NamedTuple):
    """A run to be looked up, and its name if it is known."""

    name: str | None
    run: Table


class _Lists(NamedTuple):
    """Lists of a run: its name or its tag, its file, grades (topics, depth), and whether a document is judged."""

    name: str
    file: Path | None
    grades: IntArray
    judged: bool


def _sources(runs: Runs) -> Iterator[_Source]:
    """Every run with its name; one table may hold several runs."""
    if isinstance(runs, pd.DataFrame):
        runs = [runs] if "run_id" in runs else {"run": runs}
    elif isinstance(runs, os.PathLike):
        runs = [runs]
    if isinstance(runs, Mapping):
        yield from (_Source(str(name), run) for name, run in runs.items())
        return
    for number, run in enumerate(runs):
        if isinstance(run, os.PathLike):
            yield _Source(None, run)
            continue
        if isinstance(run, pd.DataFrame) and "run_id" not in run:
            raise InputError(f"runs[{number}]: no column 'run_id'; add it, or give a mapping from names to tables")
        check_table(f"runs[{number}]", run, ("run_id",))
        for name, part in run.groupby(ids(f"runs[{number}]", run, "run_id"), sort=False):
            yield _Source(str(name), part)


def _lists(source: _Source, judged: Judgments, depth: int, float32: bool) -> _Lists:
    name, run = source
    if isinstance(run, os.PathLike):
        title, file = str(run), Path(run) if name is None else None
        tag, entries = from_file(run, judged)
        name = name or tag
    else:
        title, file = f"run {name!r}", None
        entries = from_table(title, run, judged)
    grades = grades_by_rank(title, entries, judged, depth=depth, float32=float32)
    return _Lists(str(name), file, grades, bool((entries.docs >= 0).any()))


def _names(lists: Sequence[_Lists]) -> tuple[str, ...]:
    """Names of runs: files that share a tag are all called by their own names."""
    tags = [own.name for own in lists if own.file is not None]
    if len(set(tags)) < len(tags):
        lists = [own if own.file is None else own._replace(name=_stem(own.file)) for own in lists]
    names = [own.name for own in lists]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        mend = "rename one of the files" if tags else "give a mapping of different names to tables"
        raise InputError(f"two runs are called {twice!r}: {mend}")
    return tuple(names)


def _stem(file: Path) -> str:
    """Name of a file without the suffix of its compression."""
    return file.stem if file.suffix in COMPRESSED else file.name
