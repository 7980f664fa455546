"""From the sources of kernels to the Python that is compiled, for some grades and problems side by side."""

import ast
import hashlib
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from maxent.compiled.balance import BALANCE
from maxent.compiled.drive import DRIVES
from maxent.compiled.exponential import exp
from maxent.compiled.lanes import direct, layout, place, vectorize
from maxent.compiled.newton import NEWTON
from maxent.compiled.rows import FEWEST, MOST, ROWS
from maxent.compiled.state import STATE
from maxent.compiled.steps import STEPS
from maxent.compiled.system import SYSTEM
from maxent.compiled.transfer import TRANSFER
from maxent.compiled.unroll import UNROLLED_UP_TO, unroll
from maxent.compiled.vectors import FLAGS

SOURCES: tuple[Callable[..., Any], ...] = (exp, *STATE, *SYSTEM, *STEPS, *NEWTON, *BALANCE, *TRANSFER, *DRIVES)
"""In an order in which each comes after those that it calls."""


BY_ROWS = {source.__name__: source for source in ROWS}
"""Sources that take the place of others of the same name, see :mod:`maxent.compiled.rows`."""


class Written(NamedTuple):
    """What one of ``SOURCES`` became: the name and text of a function, and whether it works on vectors."""

    name: str
    text: str
    on_vectors: bool


def write(c: int, lanes: int) -> list[Written]:
    """Write out all sources for ``c`` grades besides the reference and ``lanes`` problems side by side."""
    digest = hashlib.sha256(repr(FLAGS).encode())  # not of a set: its order differs between processes
    written = []
    for source in SOURCES:
        definition, on_vectors = _definition(source, c, lanes)
        text = ast.unparse(ast.fix_missing_locations(definition))
        # numba keeps machine code by file and name and does not see changes in callees: a name for every text
        digest.update(text.encode())
        name = f"{source.__name__}_{c}_{lanes}_{digest.hexdigest()[:8]}"
        written.append(Written(name, text.replace(source.__name__, name, 1), on_vectors))
    return written


def _definition(source: Callable[..., Any], c: int, lanes: int) -> tuple[ast.FunctionDef, bool]:
    """One source written out, and whether it works on vectors."""
    if lanes == 1 and FEWEST <= c <= MOST:
        source = BY_ROWS.get(source.__name__, source)
    loops = c <= UNROLLED_UP_TO and source not in DRIVES
    definition = unroll(_parsed(source), _constants(source) | {"c": c}, loops=loops)
    if source is exp:
        return vectorize(definition) if lanes > 1 else definition, True
    if source in DRIVES:
        return direct(definition), False
    placed, per_lane = place(definition, layout(c), lanes)
    return placed, not per_lane


def _parsed(source: Callable[..., Any]) -> ast.FunctionDef:
    definition = ast.parse(inspect.getsource(source)).body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.returns = None
    for argument in definition.args.args:
        argument.annotation = None
    return definition


def _constants(source: Callable[..., Any]) -> dict[str, Any]:
    """Numbers of its module that a source reads, but for those that the compiler decides."""
    read = {name: source.__globals__.get(name) for name in source.__code__.co_names}
    return {k: v for k, v in read.items() if isinstance(v, int | float | tuple) and k not in ("c", "lanes")}
