"""Values of measures that other tools computed, from their files and tables."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pandas as pd

from maxent.data.cells import numbers_of, read_cells
from maxent.data.column_names import name_of_column
from maxent.data.lines import PathLike, chunks, title_of, whole_lines
from maxent.data.numbers import finite_number, is_number
from maxent.errors import InputError, require_columns
from maxent.measures.parse import measure_or_none

COLUMNS = ["run_id", "query_id", "measure", "value"]
NAMES = {"measure": ("measure", "metric"), "value": ("value", "score")}
TOPICLESS = ("all", "amean")  # in place of a topic: means
COUNTED = ("runid", "num_")  # beginnings of what trec_eval counts or names
NUMBER = "a finite number"
VALUES = 'me.evaluate(...).tables["values"]'


def values_of(source: object) -> pd.DataFrame:
    """Values as a table of run_id, query_id, measure and value, from a table or from one file or several.

    Files are those of ``trec_eval -q`` and of ``ir_measures -q``, and tables with a header: run_id, query_id,
    measure and value; a column for each measure; or a column for each run. A mapping names the run of each file.
    """
    if isinstance(source, pd.DataFrame):
        return value_rows(source)
    if isinstance(source, str | Path):
        return _of_file(source, None)
    if isinstance(source, Mapping):
        named = list(source.items())
    elif isinstance(source, Iterable):
        named = [item if isinstance(item, tuple) else (None, item) for item in source]
    else:
        raise InputError(f"values: {type(source).__name__}, expected a DataFrame, or the paths of files")
    if not named:
        raise InputError("values: no file")
    tables = [_of_file(path, name) for name, path in named]
    return pd.concat(tables, ignore_index=True)


def value_rows(table: pd.DataFrame) -> pd.DataFrame:
    """A table as it is if it has a row for each value, else from a row for each topic and a column for each run."""
    if "run_id" in table.columns:
        require_columns(table, COLUMNS, f"values, such as {VALUES}")
        return table
    wide = table.rename_axis(index="query_id", columns="run_id").reset_index()
    return wide.melt(id_vars="query_id", value_name="value").assign(measure="value")


def _of_file(path: PathLike, run: str | None) -> pd.DataFrame:
    """Values of a file; those of a file without names of runs are of ``run``, by default named after the file."""
    lines = list(_lines(path))
    if not lines:
        raise InputError(f"{title_of(path)}: empty, expected values of trec_eval -q, or a table")
    fields = lines[0][1].split()
    without_header = len(fields) == 3 and (fields[0] == "runid" or is_number(fields[2]))
    table = _of_lines(path, lines, run) if without_header else _of_cells(path, run)
    table = table[~table["query_id"].isin(TOPICLESS)]
    if table.empty:
        raise InputError(f"{title_of(path)}: no value of a topic, expected those of trec_eval -q, or a table")
    return table


def _lines(path: PathLike) -> Iterator[tuple[int, str]]:
    """Lines of a file with their numbers, without blank ones."""
    for first, text in whole_lines(title_of(path), chunks(path)):
        numbered = enumerate(text.decode().split("\n"), first)
        yield from ((number, line) for number, line in numbered if line.strip())


def _of_lines(path: PathLike, lines: list[tuple[int, str]], run: str | None) -> pd.DataFrame:
    """Values of lines of measure, topic and value (trec_eval), or of topic, measure and value (ir_measures)."""
    title, rows, tag = title_of(path), [], None
    for number, line in lines:
        fields = line.split()
        if len(fields) != 3:
            raise InputError(f"{title}:{number}: {len(fields)} columns, expected measure, topic and value")
        if fields[0] == "runid":
            tag = fields[2]
        elif not fields[0].startswith(COUNTED):
            rows.append((number, *fields))
    table = pd.DataFrame(rows, columns=["line", "measure", "query_id", "value"], dtype=object).set_index("line")
    if not _are_measures(table["measure"].unique()) and _are_measures(table["query_id"].unique()):
        table = table.rename(columns={"measure": "query_id", "query_id": "measure"})
    values = numbers_of(path, table["value"], finite_number, NUMBER)
    return _table(run or tag or _stem(path), table["query_id"], table["measure"], values)


def _of_cells(path: PathLike, run: str | None) -> pd.DataFrame:
    """Values of a table with a header."""
    cells, title = read_cells(path), title_of(path)
    column = {key: next((name for name in names if name in cells.columns), None) for key, names in NAMES.items()}
    topic, run_column = (name_of_column(cells.columns, key) for key in ("query_id", "run_id"))
    measure = column["measure"]
    topic = topic or ("" if cells.columns[0] == "" else None)  # as pandas writes an index without a name
    runs = cells[run_column] if run_column else pd.Series(run or _stem(path), index=cells.index)
    if topic is not None and measure and column["value"]:
        values = numbers_of(path, cells[column["value"]], finite_number, NUMBER)
        return _table(runs, cells[topic], cells[measure], values)
    rest = [str(name) for name in cells.columns if name not in (topic, run_column)]
    of_measures = _are_measures(rest)
    if topic is None or not rest or (run_column and not of_measures):
        raise InputError(
            f"{title}: columns {list(cells.columns)}, expected run_id, query_id, measure and value, or a topic and "
            "columns that are named after measures or after runs"
        )
    numbers = {name: numbers_of(path, cells[name], finite_number, NUMBER) for name in rest}
    tables = (
        _table(runs, cells[topic], name, numbers[name])
        if of_measures
        else _table(name, cells[topic], "value", numbers[name])
        for name in rest
    )
    return pd.concat(tables, ignore_index=True)


def _table(
    runs: "pd.Series[str] | str", topics: "pd.Series[str]", measures: "pd.Series[str] | str", values: list[float]
) -> pd.DataFrame:
    """A table of values; runs and measures are columns, or one name for all."""
    run_ids = runs if isinstance(runs, str) else runs.to_numpy()
    names = measures if isinstance(measures, str) else measures.to_numpy()
    table = pd.DataFrame({"run_id": run_ids, "query_id": topics.to_numpy(), "measure": names, "value": values})
    known = {name: str(measure_or_none(name) or name) for name in table["measure"].unique()}
    return table.assign(measure=table["measure"].map(known))


def _are_measures(names: Iterable[str]) -> bool:
    """Whether names are those of measures, most of them."""
    known = [measure_or_none(name) is not None for name in names]
    return sum(known) > len(known) / 2


def _stem(path: PathLike) -> str:
    """Name of a file without its endings."""
    return Path(str(path)).name.partition(".")[0]
