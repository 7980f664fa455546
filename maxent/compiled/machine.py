"""From the sources of kernels to machine code for a number of grades and of problems side by side."""

import functools
import hashlib
import inspect
import math
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from joblib import Memory
from numba import njit

from maxent.compiled import exponential
from maxent.compiled.unroll import UNROLLED_UP_TO
from maxent.compiled.vectors import FLAGS, ROW_FUNCTIONS, vector_functions
from maxent.compiled.write import SOURCES, write

OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": set(FLAGS)}
INLINE: dict[str, Any] = {**OPTIONS, "cache": False, "inline": "always"}


_one_at_a_time = threading.Lock()  # threads would compile the same twice, and Python 3.11 loses count of its parser


def compile_for(c: int, lanes: int = 1) -> SimpleNamespace:
    """Compile all sources.

    Parameters
    ----------
    c : int
        Number of grades besides the reference.
    lanes : int
        Number of problems side by side.

    Returns
    -------
    SimpleNamespace
        The compiled functions by name, with parameters ``rank`` and ``whole`` (the buffers of a workspace) in
        place of the fields; each is compiled at its first call and kept on disk between processes.
    """
    with _one_at_a_time:
        return _compile_for(c, lanes)


@functools.lru_cache(maxsize=32)
def _compile_for(c: int, lanes: int) -> SimpleNamespace:
    if lanes > 1 and c > UNROLLED_UP_TO:
        raise ValueError(f"problems go side by side with at most {UNROLLED_UP_TO} grades, not {c}")
    scalars: dict[str, Any] = {"lanes": lanes, "np": np, "math": math, **ROW_FUNCTIONS}
    scalars["times_power_of_two"] = exponential.times_power_of_two
    vectors = {**scalars, **vars(vector_functions(lanes))} if lanes > 1 else scalars
    for source, (name, text, on_vectors) in zip(SOURCES, _kept(write)(c, lanes), strict=True):
        names = vectors if on_vectors else scalars
        names["__name__"] = source.__module__  # where numba looks when it reads the machine code back
        exec(compile(text, inspect.getfile(source), "exec"), names)
        options = INLINE if source is exponential.exp else OPTIONS
        scalars[source.__name__] = vectors[source.__name__] = njit(**options)(names[name])
    return SimpleNamespace(**{source.__name__: scalars[source.__name__] for source in SOURCES})


def _kept(function: Callable[..., Any]) -> Callable[..., Any]:
    """Keep results on disk, where numba keeps its own, for as long as no file of this folder changes."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    place = Path(njit(cache=True)(exponential.exp).stats.cache_path) / digest.hexdigest()[:16]
    kept: Callable[..., Any] = Memory(place, verbose=0).cache(function)
    return kept
