"""Finished topics of a long study on disk, so that it can be interrupted and goes on where it stopped."""

import hashlib
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

import pandas as pd

from maxent.errors import InputError


class Checkpoint:
    """A CSV file of rows by topic under a first line that names what they belong to.

    Rows of another study (other data, measures or options) are never mixed in: the file is started anew.

    Parameters
    ----------
    path : path or None
        None keeps nothing.
    key : object
        Whatever identifies the study; its ``repr`` must determine the result.
    columns : mapping from name to type
        One of them is query_id.
    rows : int
        Number of rows of a finished topic; fewer means that writing was cut off, and the topic is done again.
    """

    def __init__(self, path: str | Path | None, *, key: object, columns: Mapping[str, type], rows: int) -> None:
        self.path = None if path is None else Path(path)
        self.head = f"# maxent {hashlib.sha256(repr(key).encode()).hexdigest()}\n"
        self.columns, self.rows = columns, rows

    def read(self) -> dict[str, pd.DataFrame]:
        """Finished topics; starts the file anew where it belongs to another study.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        if self.path is None:
            return {}
        if not self.path.exists() or not self._own():
            self._start()
            return {}
        text = self.path.read_text()
        table = pd.read_csv(
            StringIO(text[: text.rfind("\n") + 1]),  # without what an interruption left of a last line
            names=list(self.columns),
            skiprows=1,
            dtype=str,
            keep_default_na=False,
        )
        for column, kind in self.columns.items():
            if kind is not str:  # text to the nearest float: what was written comes back to the last digit
                table[column] = table[column].replace("", "nan").astype(kind)
        topics = {str(topic): rows.reset_index(drop=True) for topic, rows in table.groupby("query_id", sort=False)}
        whole = {topic: rows for topic, rows in topics.items() if len(rows) == self.rows}
        self.path.write_text(self.head)
        for rows in whole.values():
            self.add(rows)
        return whole

    def add(self, frame: pd.DataFrame) -> None:
        """Append a finished topic."""
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(frame.to_csv(index=False, header=False))

    def _start(self) -> None:
        assert self.path is not None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(self.head)
        except OSError as error:
            raise InputError(f"cannot write to {self.path.parent}: {error.strerror}") from None

    def _own(self) -> bool:
        assert self.path is not None
        with self.path.open() as file:
            return file.readline() == self.head
