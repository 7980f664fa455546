"""The file of finished topics, from which an interrupted study resumes.

A file belongs to one study: its name ends in the study's key, a digest of data, options and version. Every line is
a finished topic: a checksum of key and results, then the results as they are in memory. Lines are only appended, so
a killed process loses at most the topic that it was writing, and a power cut loses the topics of about a second.
Checksums detect damaged lines. Two processes may append to the same file.
"""

import hashlib
import json
import logging
import math
import os
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from maxent.errors import InputError

Results = Mapping[str, npt.NDArray[Any]]  # columns of the rows of a topic, from status on, run by run
DIGITS = 12  # of the key in the name of the file
SYNCED = 1.0  # seconds after which the next line is written through to the disk


class Checkpoint:
    """Finished topics of a study in a file, which is open within the block; without a path nothing is stored.

    The path is given without the key, a digest of everything that the results depend on.
    """

    def __init__(self, path: str | Path | None, *, key: str) -> None:
        self.file = None if path is None else file_of(path, key)
        self.key = key
        self._opened: BinaryIO | None = None
        self._synced = -math.inf

    def __enter__(self) -> Self:
        if self.file is not None:
            try:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                self._opened = opened(self.file)
            except OSError as error:
                raise _unwritable(self.file, error) from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def read(self) -> dict[str, Results]:
        """Results of the finished topics; a warning gives the number of damaged lines."""
        lines = self._opened.read().split(b"\n") if self._opened is not None else []
        unpacked = [_unpack(line, self.key) for line in lines if line]
        topics = dict(topic for topic in unpacked if topic is not None)
        if damaged := unpacked.count(None):
            parts = f"{damaged} damaged part{'s' if damaged > 1 else ''}"
            logging.getLogger("maxent").warning(f"{self.file}: {parts} left out; the topics are solved again")
        return topics

    def add(self, query_id: str, results: Results) -> None:
        """Append the results of a finished topic, on a new line even if the last line is truncated."""
        if self._opened is None or self.file is None:
            return
        # numbers as text would take a fifteenth of the time of a study
        encoded = {
            name: (column.dtype.str, b64encode(column.tobytes()).decode()) for name, column in results.items()
        }
        content = json.dumps((query_id, encoded))
        unwritten = f"\n{_checksum(self.key, content.encode())} {content}\n".encode()
        try:
            while unwritten:
                number_written = self._opened.write(unwritten)
                unwritten = unwritten[number_written:]
            if time.monotonic() - self._synced > SYNCED:  # waiting for the disk for every topic would take long
                os.fsync(self._opened.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            raise _unwritable(self.file, error) from None


def opened(file: Path) -> BinaryIO:
    """Open a file for reading and appending; create it if it does not exist, and do not follow symbolic links."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(file, flags, 0o666), "r+b", buffering=0)


def file_of(path: str | Path, key: str) -> Path:
    """File of the study with this key: ``out/study.partial`` becomes ``out/study-0123456789ab.partial``."""
    path = Path(path)
    return path.with_name(f"{path.stem}-{key[:DIGITS]}{path.suffix}")


def has_topics(path: Path) -> bool:
    """Whether there are finished topics in the file, whatever the key in its name."""
    files = path.parent.glob(f"{path.stem}-*{path.suffix}")
    return any(not line.startswith(b"#") for file in files for line in file.read_bytes().split(b"\n") if line)


def _unpack(line: bytes, key: str) -> tuple[str, Results] | None:
    """The topic of a line; None if the line is damaged, or of another study."""
    checksum, _, content = line.partition(b" ")
    if checksum.decode(errors="replace") != _checksum(key, content):
        return None
    query_id, columns = json.loads(content)
    return query_id, {name: np.frombuffer(b64decode(text), kind) for name, (kind, text) in columns.items()}


def _checksum(key: str, content: bytes) -> str:
    """Checksum of a line. In an older format the key came first; topics in such files are solved again."""
    return hashlib.sha256(content + key.encode()).hexdigest()


def _unwritable(file: Path, error: OSError) -> InputError:
    linked = " (a symbolic link)" if file.is_symlink() else ""
    return InputError(f"cannot write to {file}{linked}: {error.strerror}")
