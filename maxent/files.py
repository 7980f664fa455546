"""Files that several processes use: locks, which end with their process, and files that are replaced at once."""

import errno
import os
import platform
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from maxent.errors import InputError

UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
NOTE = b"#"  # first byte of lines in a locked file that say which process holds it, or that are damaged
FAR = 1 << 30  # place of the locked byte where locks are on bytes, so that the content can still be read


def lock(descriptor: int, *, wait: bool = False) -> bool:
    """Lock an open file, on POSIX a folder, too, until it is closed; False if another process holds the lock.

    On a file system that has no locks, the answer is True.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, FAR, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        return error.errno in UNSUPPORTED
    return True


def note() -> str:
    """A line for a locked file: who holds the lock."""
    now = datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
    return f"{NOTE.decode()} process {os.getpid()} on {platform.node()} since {now}"


def open_locked(file: Path, *, busy: str) -> BinaryIO:
    """Open a file for reading and writing, and lock it; it is made if it is absent, InputError if locked."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    while True:
        opened = os.fdopen(os.open(file, flags, 0o666), "r+b", buffering=0)
        if not lock(opened.fileno()):
            holder = _holder(opened)
            opened.close()
            raise InputError(f"{file}: {holder} {busy}")
        found = os.fstat(opened.fileno())
        if found.st_nlink > 1:  # somebody else's file would be written to
            opened.close()
            raise InputError(f"cannot write to {file}: a hard link")
        try:
            if os.path.samestat(found, file.lstat()):
                return opened
        except FileNotFoundError:
            pass
        opened.close()  # a process has just finished and removed its file: make a new one


def lines_of(opened: BinaryIO | None) -> Iterator[tuple[int, bytes]]:
    """Place and content of each line of a file; none where there is no file."""
    if opened is None:
        return
    opened.seek(0)
    place = 0
    for line in opened.read().split(b"\n"):
        yield place, line
        place += len(line) + 1


def _holder(opened: BinaryIO) -> str:
    """The process that has locked a file, in words: the last that left a note in it."""
    notes = [line for _, line in lines_of(opened) if line.startswith(NOTE + b" process ")]
    return notes[-1].removeprefix(NOTE).decode(errors="replace").strip() if notes else "another process"


def replace(file: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write a file that others see whole or not at all; a link in its place is replaced, none is followed."""
    part = file.with_name(f".{token_hex(8)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)  # O_EXCL: nor is a link opened
    descriptor = os.open(part, flags, mode)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(descriptor)
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)
