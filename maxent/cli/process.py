"""The process that a command runs in: signals that end it, and its streams."""

import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from types import FrameType

from maxent.errors import MaxentError, visible

THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "OMP_NUM_THREADS")
SETTINGS = dict.fromkeys(THREADS, "1") | {"ARROW_DEFAULT_MEMORY_POOL": "system"}


class Terminated(KeyboardInterrupt):
    """Raised when a signal, Ctrl-C included, asks the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.code = 128 + number  # the exit code in shells


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Within the block, signals raise an exception, so that workers and incomplete files are removed.

    A repeated signal is ignored until the block ends. Programs that remove workers ignore it, too, because Ctrl-C
    in a terminal also reaches them.
    """
    earlier_handlers = {}  # by the number of the signal
    if threading.current_thread() is threading.main_thread():  # only this one may set handlers
        numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
        for number in numbers:
            handler = signal.getsignal(number)
            if handler in (signal.SIG_DFL, signal.default_int_handler):  # nohup makes the process ignore one
                earlier_handlers[number] = handler
    for number in earlier_handlers:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in earlier_handlers.items():
            signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # so that nothing interrupts the clean-up
    raise Terminated(number)


@contextmanager
def signals_waiting() -> Iterator[None]:
    """Within the block, signals wait, because libraries turn exceptions during their import into other errors."""
    waiting: list[int] = []
    numbers = [number for number in signal.valid_signals() if signal.getsignal(number) is _end]
    for number in numbers:
        signal.signal(number, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, _end)
    if waiting:
        signal.raise_signal(waiting[0])


def prepare_libraries() -> None:
    """Set environment variables that libraries read when they are loaded, unless the user has set them.

    The rounding of linear algebra depends on its number of threads. PyArrow's default memory pool keeps memory that
    threads have freed.
    """
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)


def open_missing_streams() -> None:
    """Discard output if standard output or error is closed, as in a daemon."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, open as long as the process


def escape_output() -> None:
    """Let standard output escape characters that its encoding lacks, such as é in ASCII."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def give_up_output() -> None:
    """Discard output that could not be written; otherwise Python tries again at exit."""
    with suppress(OSError, ValueError):  # there is no file behind it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def in_options(text: str, flags: Mapping[str, str]) -> str:
    """Text of the library with parameters as options: ``levels=2`` becomes ``--levels 2``, unless quoted."""
    for name in sorted(flags, key=len, reverse=True):  # a name may be part of a longer one
        # name=value, but not in quotes, a path or a longer word; group 1: quotes around the value, 2: the value
        text = re.sub(rf"(?<![\w./'\"-]){name}=([\"']?)([\w.-]*\w)\1", rf"{flags[name]} \2", text)
        if "_" in name:  # the name alone; other names are also words
            text = re.sub(rf"(?<![\w./-]){name}(?![\w./=-])", flags[name], text)
    return text


def in_words(error: Exception, flags: Mapping[str, str]) -> str:
    """Error message in one line, with parameters as options; an OSError without a file concerns the output.

    An ImportError, or an OSError without a number, is that of a library that cannot load a part of itself.
    """
    if isinstance(error, MaxentError | MemoryError):
        return in_options(str(error), flags) or "not enough memory"
    if not isinstance(error, OSError) or error.errno is None:
        return f"{visible(str(error).partition(chr(10))[0])} (is there enough memory?)"
    reason = error.strerror or str(error)
    return (
        f"cannot write the output: {reason}" if error.filename is None else visible(f"{error.filename}: {reason}")
    )
