"""Compilation of assembly to machine code, and machine code kept on disk between processes.

A file in the user's cache folder holds the object code of one unit: the passes for given numbers of grades,
measures and problems side by side, or the translated loops. The file's name depends on the sources, the processor
and the versions of Python, llvmlite and numpy. The file begins with a digest of these and of the code, so that a
damaged, half-written or foreign file is compiled again. Because the code is executed, file and folder must belong
to the user, and nobody else may have write access to them.
"""

import contextlib
import hashlib
import logging
import os
import platform
import stat
import threading
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from platformdirs import user_cache_path

from maxent.errors import ProblemError
from maxent.files import digest_of_sources, replace
from maxent.limits import COMPILE, too_large

QUICK = 6  # number of grades above which the code is so long that its optimisation is limited
COMPILING = 1e-3  # seconds that one measure and one grade take; they grow with the power 3.5 of the grades
DIGEST = 32  # bytes

_lock = threading.RLock()
if hasattr(os, "register_at_fork"):  # a fork waits for threads that compile, so that the child finds the lock free
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def passes(c: int, m: int, lanes: int) -> Any:
    """Passes over the ranks, for c grades without the eliminated one, m measures, and problems side by side."""
    reason = too_large("the number of grades that measures distinguish", c + 1, COMPILE)
    if reason:
        raise ProblemError(f"the solver newton would be compiled for many minutes: {reason}")
    return _unit(_compile_passes, "passes", c, m, lanes)


def functions(module: str) -> Any:
    """Translated loops: the ``ENTRIES`` of a module such as ``native``."""
    return _unit(_compile_functions, module)


def _unit(compile_unit: Callable[..., bytes], *name: Any) -> Any:
    with _lock:  # threads do not compile a unit twice, and each unit keeps one engine
        return _load_or_compile(compile_unit, *name)


def _compile_passes(_: str, c: int, m: int, lanes: int) -> bytes:
    from maxent.kernels.compiler import trace
    from maxent.kernels.passes import decisions, fields, newton_system, state

    seconds = COMPILING * c**3.5
    if seconds > 5:
        _say_once(f"maxent: compiling for {c + 1} grades, which takes about {seconds:.0f} seconds, once")
    kernels = (*state.PASSES, *newton_system.PASSES, *decisions.PASSES)
    layouts = fields.layouts(c, m)
    texts = [trace.declarations(lanes), *(trace.assembly(kernel, *layouts, lanes) for kernel in kernels)]
    return _compile("\n".join(texts), speed=3 if c <= QUICK else 1)


def _compile_functions(module: str) -> bytes:
    from maxent.kernels.compiler.translate import assembly

    return _compile(assembly(import_module(f"maxent.kernels.loops.{module}").ENTRIES))


def _compile(text: str, *, speed: int = 3) -> bytes:
    """Compile LLVM's assembly to object code, at the optimisation level ``speed``."""
    module, machine = llvm.parse_assembly(text), _machine(speed)
    module.verify()  # LLVM crashes on what is wrong
    options = llvm.create_pipeline_tuning_options(speed)
    options.loop_unrolling = False  # nothing is faster with it, and code is a third longer
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


def _machine(speed: int = 3) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=_features(), opt=speed, codemodel="jitdefault", jit=True
    )


def _features() -> str:
    return str(llvm.get_host_cpu_features().flatten())


def _load(code: bytes) -> Any:
    loaded = llvm.ObjectFileRef.from_data(code)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    engine.add_object_file(loaded)
    engine.finalize_object()
    return engine


# --- kept on disk ---


@cache
def _load_or_compile(compile_unit: Callable[..., bytes], *name: Any) -> Any:
    """Code of a unit, from its file or compiled."""
    unit = "-".join(map(str, name))
    folder, key = _folder(), hashlib.sha256(_key() + unit.encode()).digest()
    file = folder / f"{unit}-{key.hex()[:20]}.o" if folder else None
    code = _read(file, key) if file else None
    if code is None:
        code = compile_unit(*name)
        if file:
            _write(file, key, code)
    return _load(code)


@cache
def _key() -> bytes:
    """Digest of everything that machine code depends on."""
    digest = hashlib.sha256(digest_of_sources(Path(__file__).parent))
    versions = [version(name) for name in ("llvmlite", "numpy")]
    processor = platform.machine(), llvm.get_host_cpu_name(), _features()
    digest.update(repr((versions, platform.python_version(), processor)).encode())
    return digest.digest()


def _folder() -> Path | None:
    """Cache folder of the user; None if others may write to it.

    The parents are not checked: whoever can rename the folder cannot create another one that belongs to the user.
    """
    try:
        folder = user_cache_path("maxent")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        usable = folder.is_absolute() and _is_private(folder.stat()) and os.access(folder, os.W_OK | os.X_OK)
    except (OSError, RuntimeError) as error:  # RuntimeError: no home folder
        reason = str(error)
    else:
        if usable:
            return folder
        reason = f"others can write to {folder}, or you cannot"
    _say_once(f"maxent: machine code is not kept on disk, every process compiles anew ({reason})")
    return None


@cache
def _say_once(text: str) -> None:
    logging.getLogger("maxent").warning(text)


def _is_private(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to the user, and only the user can write to it."""
    writers = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return os.name != "posix" or (not writers and status.st_uid == os.geteuid())


def _read(file: Path, key: bytes) -> bytes | None:
    """Code in a file; None if the file is absent, foreign or damaged."""
    try:
        with file.open("rb") as opened:
            content = opened.read() if _is_private(os.fstat(opened.fileno())) else b""
    except OSError:
        return None
    code = content[DIGEST:]
    return code if hashlib.sha256(key + code).digest() == content[:DIGEST] else None


def _write(file: Path, key: bytes, code: bytes) -> None:
    """Write a file that other processes see whole or not at all; do nothing if this is not possible."""
    with contextlib.suppress(OSError):  # for the user alone, whatever the mask: else it would not be loaded
        replace(file, hashlib.sha256(key + code).digest() + code, mode=0o600)
