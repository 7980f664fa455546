"""Atomic writing of files, alone or together: they appear whole or not at all; and the digest of sources."""

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from filecmp import cmp
from functools import cache
from pathlib import Path
from platform import node
from secrets import token_hex
from shutil import rmtree
from tempfile import TemporaryDirectory

from maxent.errors import InputError

PART = ".maxent."  # begins the name of a folder in which results are written before they appear
OWNED = re.compile(rf"{re.escape(PART)}(\d+)@(.+)\.\w+")  # process and machine in the name of such a folder


def replace(file: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write a file that others see whole or not at all; a link in its place is replaced, not followed."""
    part = file.with_name(f".{token_hex(8)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)  # O_EXCL: nor is a link opened
    descriptor = os.open(part, flags, mode)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
        _flush(part)
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def results(folder: Path, *, stale: Sequence[str] = (), say: Callable[[str], None] | None = None) -> Iterator[Path]:
    """Yield a folder for the results of a command, which appear in ``folder`` together when the block ends.

    The files are written to a temporary folder within ``folder`` and flushed to the disk. Then files of earlier
    commands are removed, and the new ones are renamed one by one. A command that fails or is killed while it writes
    leaves the results of an earlier command unchanged. A command that is killed during the renames, which take
    microseconds, leaves some of its files, but never a mixture of both. Files named in ``stale`` are removed unless
    they are written. Folders that killed commands of this machine left are removed. ``say`` receives a line with
    the files of an earlier command that had other contents. An InputError is raised if the files cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for abandoned in filter(_abandoned, folder.glob(f"{PART}*")):
            rmtree(abandoned, ignore_errors=True)  # perhaps somebody else's
        with TemporaryDirectory(prefix=f"{PART}{os.getpid()}@{_machine()}.", dir=folder) as part:
            # 1. the block writes the files
            yield Path(part)
            written = sorted(Path(part).iterdir())
            for file in written:
                _flush(file)
            # 2. what they replace
            only_removed = sorted({*stale} - {file.name for file in written})
            if say is not None and (line := _replaced(folder, written, only_removed)):
                say(line)
            names = (*only_removed, *(file.name for file in written))
            for name in names:
                if (folder / name).is_dir() and not (folder / name).is_symlink():
                    raise InputError(f"{folder / name}: is a folder, expected a file of results")
            # 3. they appear; all earlier files go before the first rename: no mixture
            for name in names:
                (folder / name).unlink(missing_ok=True)
            for file in written:
                file.replace(folder / file.name)
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror or error}") from None


def _machine() -> str:
    """Name of this machine, as far as it can be a part of a file's name."""
    return re.sub(r"[^\w-]", "-", node()) or "-"


def _abandoned(part: Path) -> bool:
    """Whether the process of this machine that wrote results into a folder has ended."""
    owner = OWNED.fullmatch(part.name)
    if owner is None:
        return False
    process, machine = owner.groups()
    return machine == _machine() and not _runs(int(process))


def _runs(process: int) -> bool:
    """Whether a process runs; True where the system cannot tell."""
    if os.name != "posix":  # elsewhere signal 0 would end the process
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _replaced(folder: Path, written: Sequence[Path], only_removed: Sequence[str]) -> str:
    """Line with the files that had other contents and those that are removed; empty if there are none."""
    pairs = [(folder / file.name, file) for file in written if (folder / file.name).is_file()]
    replaced = [old.name for old, new in pairs if not cmp(old, new, shallow=False)]
    removed = [name for name in only_removed if (folder / name).exists()]
    parts = []
    if replaced:
        parts.append(f"replaced {', '.join(replaced)}")
    if removed:
        parts.append(f"removed {', '.join(removed)}")
    return f"earlier results in {folder}/ with other numbers: {'; '.join(parts)}" if parts else ""


@cache
def digest_of_sources(folder: Path) -> bytes:
    """Digest of the Python files in a folder and its subfolders, as the process first saw them."""
    sources = {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*.py"))
    }
    return hashlib.sha256(repr(sources).encode()).digest()


def _flush(file: Path) -> None:
    """Wait until a file is on the disk."""
    with file.open("rb+") as opened:
        os.fsync(opened.fileno())
