"""The runs of an argument one by one, from names, folders, patterns, and tables that hold several runs."""

import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from maxent.data.cleaning import ids
from maxent.data.inputs import Run, Runs, is_file, run_columns
from maxent.data.line_arrays import Columns, Repeated
from maxent.data.lines import COMPRESSED, as_text, title_of
from maxent.data.nested import is_of_engine
from maxent.data.readers import read_runs
from maxent.data.tables import SEVERAL, is_rows, require_rows, rows_of
from maxent.errors import InputError


class Source(NamedTuple):
    """A run in any form, and its name; None if the name is in the file."""

    name: str | None
    run: Run


class ReadRun(NamedTuple):
    """The lines of a run, and what it is called."""

    title: str  # for errors
    name: str
    file: str  # empty for a run in memory
    tagged: bool  # whether the name is the tag of the only run of a file, which may be called by the file's name
    lines: Columns


def read_source(source: Source, repeated: Repeated) -> list[ReadRun]:
    """The run of a source, or all runs of a file that has no other name and a column of the names of its runs."""
    name, run = source
    if not is_file(run):
        title = f"run {name!r}"
        return [ReadRun(title, str(name), "", False, run_columns(title, run, repeated=repeated))]
    title, file = title_of(run), as_text(run)
    if name is not None:
        return [ReadRun(title, name, file, False, run_columns(title, run, repeated=repeated))]
    of_runs = read_runs(run, repeated=repeated)
    tags = [lines.tags.names[0].as_py() if lines.tags else "" for lines in of_runs]
    if len(of_runs) == 1:
        return [ReadRun(title, tags[0], file, True, of_runs[0])]
    return [
        ReadRun(f"{title}, run {tag!r}", tag, file, False, lines) for tag, lines in zip(tags, of_runs, strict=True)
    ]


def sources(runs: Runs) -> Iterator[Source]:
    """Every run with its name; a table may hold several runs, a path may mean several files."""
    # 1. runs by their names
    if isinstance(runs, Mapping) and not _is_one_run(runs):
        yield from (Source(str(name), run) for name, run in runs.items())
        return
    # 2. one object; an iterable that is no sequence holds several unless it is the table of a library
    if isinstance(runs, Iterable) and not isinstance(runs, str | Mapping | pd.DataFrame | Sequence):
        is_table = any(hasattr(runs, name) for name in ("__arrow_c_stream__", "to_dataframe", "to_pandas"))
        runs = runs if is_table else list(runs)
    if not isinstance(runs, list | tuple) or is_rows(runs):
        yield from _runs_in("runs", runs, alone=True)
        return
    # 3. several
    for number, run in enumerate(runs):
        yield from _runs_in(f"runs[{number}]", run, alone=len(runs) == 1)


def _runs_in(title: str, run: Run, *, alone: bool) -> Iterator[Source]:
    """The runs in one object. A table without names of runs is an error unless it is the only one, ``alone``."""
    if is_file(run):
        yield from (Source(None, file) for file in run_files([run]))
        return
    if isinstance(run, tuple) and len(run) == 2 and isinstance(run[0], str):
        yield Source(*run)
        return
    rows = rows_of(title, run, "score")
    if "run_id" in rows.cells:
        run_ids = ids(require_rows(rows), "run_id")
        order = np.argsort(run_ids.codes, kind="stable")
        first_of_run = np.flatnonzero(np.diff(run_ids.codes[order])) + 1
        rows_of_runs = np.split(order, first_of_run)
        for name, rows_of_run in zip(run_ids.names.to_pylist(), rows_of_runs, strict=True):
            yield Source(name, rows.take(rows_of_run))
    elif alone or _own_name(run):
        yield Source(_own_name(run) or "run", rows)
    else:
        raise InputError(f"{title}: no column 'run_id'; add it, or give a mapping from names to runs")


def run_files(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Files of paths; a folder means its files, a pattern such as ``runs/*.gz`` the files that match."""
    all_files: list[Path] = []
    for text in paths:
        if str(text) == "":  # it would stand for the current folder
            raise InputError("runs: an empty path, expected that of a file or of a folder")
        path = Path(text)
        files = [path]
        if path.is_dir():
            files = sorted(file for file in path.iterdir() if not file.name.startswith("."))
        elif glob.has_magic(str(path)) and not path.exists():
            files = sorted(map(Path, glob.glob(str(path), recursive=True)))
        if not files:
            raise InputError(f"no run files in {path}")
        all_files += files
    return all_files


def _is_one_run(runs: Mapping[str, object]) -> bool:
    """Whether the keys are queries, ``{query: {document: score}}``, or columns, and not names of runs.

    Below a query or a column are scores, documents or cells; below the name of a run are dictionaries or tuples.
    """
    if is_of_engine(runs):
        return True
    filled: Any = next((value for value in runs.values() if isinstance(value, SEVERAL) and value), None)
    if filled is None or (isinstance(filled, Mapping) and is_of_engine(filled)):
        return False
    first = next(iter(filled.values() if isinstance(filled, Mapping) else filled))
    return not isinstance(first, SEVERAL)


def run_names(names: Sequence[str], files: Sequence[Path | None]) -> tuple[str, ...]:
    """Names of runs: names in tables and tags of files, or the names of files if tags repeat."""
    tagged_files = [file for file in files if file is not None]
    tags = [name for name, file in zip(names, files, strict=True) if file is not None]
    if len(set(tags)) < len(tags):
        name_of = dict(zip(tagged_files, _file_names(tagged_files), strict=True))
        names = [name if file is None else name_of[file] for name, file in zip(names, files, strict=True)]
    names = [as_text(name) for name in names]
    for name in names:
        if "\0" in name:
            raise InputError(f"run {name!r}: a name with NUL, expected one without")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two runs are called {twice!r}: name one NAME=FILE or, in Python, give {{name: run}}")
    return tuple(names)


def _own_name(run: object) -> str | None:
    """Name of a ``Run`` of ranx; a table may have a column of names."""
    name = getattr(run, "name", None)
    return name if isinstance(name, str) else None


def _file_names(files: Sequence[Path]) -> list[str]:
    """Names of files without compression suffixes, with as many parent folders as make them different."""
    plain = [file.with_suffix("") if file.suffix in COMPRESSED else file for file in files]
    most_parts = max(len(file.parts) for file in plain)
    for parts in range(1, most_parts + 1):
        names = ["/".join(file.parts[-parts:]) for file in plain]
        if len(set(names)) == len(names):
            break
    return names
