"""Everything about compiling: assembly to machine code, and machine code kept on disk between processes.

A file in the user's cache folder holds the object code of one unit: the passes for a number of grades, measures and
problems side by side, or the functions that numba compiles. Its name depends on the sources, the processor and the
versions of the compilers, and it begins with a digest of the rest, so that what is damaged, half-written or foreign
is compiled again. It is executed, so it is only read from a folder that nobody else can write to.
"""

import hashlib
import os
import platform
import stat
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from platformdirs import user_cache_path

QUICK = 6  # grades above which code is so long that its optimisation is limited
DIGEST = 32  # bytes
PREFIX = "maxent_"
MOST = 10  # grades besides the reference, at most

_lock = threading.RLock()


class Code(NamedTuple):
    """Machine code in memory, and the engine that owns it."""

    engine: Any

    def address(self, name: str) -> int:
        """Address of a function."""
        found: int = self.engine.get_function_address(PREFIX + name)
        return found


def passes(c: int, m: int, lanes: int) -> Code:
    """The passes over the ranks.

    Parameters
    ----------
    c : int
        Number of grades besides the reference.
    m : int
        Number of measures.
    lanes : int
        Number of problems side by side.
    """
    with _lock:  # nothing is compiled twice, and its one engine is kept
        return _passes(c, m, lanes)


def functions() -> Code:
    """The functions that numba compiles, see :mod:`maxent.kernels.native`."""
    with _lock:
        return _functions()


@cache
def _passes(c: int, m: int, lanes: int) -> Code:
    return _kept(f"passes-{c}-{m}-{lanes}", lambda: _compile_passes(c, m, lanes))


@cache
def _functions() -> Code:
    return _kept("functions", _compile_functions)


def _compile_passes(c: int, m: int, lanes: int) -> bytes:
    from maxent.kernels import newton, state, system, trace

    kernels = (*state.PASSES, *system.PASSES, *newton.PASSES)
    texts = [trace.declarations(lanes), *(trace.assembly(kernel, c, m, lanes) for kernel in kernels)]
    names = {kernel.name: kernel.name for kernel in kernels}
    return _object(["\n".join(texts)], names, speed=3 if c <= QUICK else 1)


def _compile_functions() -> bytes:
    from maxent.kernels import native  # loads numba

    return _object(*native.assembly())


def _object(texts: list[str], exported: dict[str, str], *, speed: int = 3) -> bytes:
    """Object code of assembly, with new names for the functions that stay visible."""
    module, machine = llvm.parse_assembly(texts[0]), _machine(speed)
    for text in texts[1:]:
        module.link_in(llvm.parse_assembly(text))
    for function in module.functions:
        if function.name in exported:
            function.name = PREFIX + exported[function.name]
        elif not function.is_declaration:
            function.linkage = "internal"
    tuning = llvm.create_pipeline_tuning_options(speed)
    tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    found: bytes = machine.emit_object(module)
    return found


def _machine(speed: int = 3) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=_features(), opt=speed, codemodel="jitdefault", jit=True
    )


def _features() -> str:
    return str(llvm.get_host_cpu_features().flatten())


def _load(code: bytes) -> Code:
    loaded = llvm.ObjectFileRef.from_data(code)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    engine.add_object_file(loaded)
    engine.finalize_object()
    return Code(engine)


# --- kept on disk ---


def _kept(unit: str, compile_unit: Callable[[], bytes]) -> Code:
    """The code of a unit, compiled if no file has it."""
    folder, key = _folder(), _key()
    file = folder / f"{unit}-{key.hex()[:20]}.o" if folder else None
    code = _read(file, key) if file else None
    if code is None:
        code = compile_unit()
        if file:
            _write(file, key, code)
    return _load(code)


@cache
def _key() -> bytes:
    """Digest of all that machine code depends on."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    versions = [version(name) for name in ("llvmlite", "numba", "numpy")]
    processor = platform.machine(), llvm.get_host_cpu_name(), _features()
    digest.update(repr((versions, platform.python_version(), processor)).encode())
    return digest.digest()


def _folder() -> Path | None:
    """The user's cache folder; None where there is none, or where others can write to it."""
    try:
        folder = user_cache_path("maxent", ensure_exists=True)
        found = folder.stat()
    except (OSError, RuntimeError):
        return None
    others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if os.name == "posix" and (others or found.st_uid != os.geteuid()):
        return None
    return folder if folder.is_absolute() else None


def _read(file: Path, key: bytes) -> bytes | None:
    """The code in a file; None unless it is there as it was written."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    code = content[DIGEST:]
    return code if hashlib.sha256(key + code).digest() == content[:DIGEST] else None


def _write(file: Path, key: bytes, code: bytes) -> None:
    """Write a file that other processes see as a whole or not at all; nothing where that is not possible."""
    try:
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as part:
            part.write(hashlib.sha256(key + code).digest() + code)
        Path(part.name).replace(file)
    except OSError:
        return
