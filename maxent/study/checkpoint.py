"""The file of finished topics, with which an interrupted study continues where it stopped."""

import hashlib
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

import pandas as pd

from maxent.errors import InputError


class Checkpoint:
    """A CSV file with the rows of finished topics; its first line identifies the study.

    The file of another study (other data, measures or options) is overwritten, never mixed with this one.

    Parameters
    ----------
    path : path or None
        None: nothing is kept.
    key : object
        Identifies the study: studies with the same ``repr`` of their key must have the same result.
    columns : mapping from name to type
        Columns of the rows, one of them query_id.
    rows : int
        Number of rows of a finished topic. A topic with fewer was interrupted while it was written; it is left out.
    """

    def __init__(self, path: str | Path | None, *, key: object, columns: Mapping[str, type], rows: int) -> None:
        self.path = None if path is None else Path(path)
        self.head = f"# maxent {hashlib.sha256(repr(key).encode()).hexdigest()}\n"
        self.columns, self.rows = columns, rows

    def read(self) -> dict[str, pd.DataFrame]:
        """Read the finished topics, or start a new file if there is none of this study.

        Returns
        -------
        dict from query_id to DataFrame
            Rows of each finished topic.

        Raises
        ------
        InputError
            If a new file cannot be written.
        """
        if self.path is None:
            return {}
        if not self.path.exists() or not self._own():
            self._start()
            return {}
        text = self.path.read_text()
        table = pd.read_csv(
            StringIO(text[: text.rfind("\n") + 1]),  # without a last line that was cut off
            names=list(self.columns),
            skiprows=1,
            dtype=str,
            keep_default_na=False,
        )
        for column, kind in self.columns.items():
            if kind is not str:  # astype reads the nearest float: values come back exactly
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
        """Write a new file with nothing but the first line."""
        assert self.path is not None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(self.head)
        except OSError as error:
            raise InputError(f"cannot write to {self.path.parent}: {error.strerror}") from None

    def _own(self) -> bool:
        """Whether the file belongs to this study."""
        assert self.path is not None
        with self.path.open() as file:
            return file.readline() == self.head
