"""References: the odds of each grade at each rank before any value or count is given."""

from collections.abc import Hashable

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.data.cells import numbers_of, read_cells
from maxent.data.lines import PathLike, title_of
from maxent.data.numbers import WHOLE, finite_number, integer
from maxent.errors import InputError, ProblemError
from maxent.measures.form import kinds
from maxent.options.slow_types import Reference as Reference
from maxent.types import FloatArray

UNIFORM = "uniform"  # another name of None


def log_odds(reference: Reference, depth: int, levels: int) -> FloatArray:
    """Logarithms (depth, levels) of a reference's odds against grade 0.

    None and "uniform" make all lists equally likely. With "log-uniform", the odds of every positive grade at rank n
    are 1/n. A table has odds (depth, levels), or probabilities (depth, levels + 1) of all grades.
    """
    if reference is None or isinstance(reference, str):
        if reference is None or reference == UNIFORM:
            return np.zeros((depth, levels))
        if reference != "log-uniform":
            raise ProblemError(
                f"unknown reference {reference!r}; known: uniform, log-uniform, a table, or in studies topics"
            )
        return np.tile(-np.log(np.arange(1.0, depth + 1))[:, None], levels)
    table = _numbers(reference)
    if table.shape not in ((depth, levels), (depth, levels + 1)):
        raise ProblemError(
            f"a reference has shape ({depth}, {levels}) or ({depth}, {levels + 1}), got {table.shape}"
        )
    if not ((table > 0) & np.isfinite(table)).all():
        raise ProblemError(f"a reference has positive finite numbers, got {table.min()} to {table.max()}")
    logs = np.log(table)
    return np.asarray(logs if table.shape[1] == levels else logs[:, 1:] - logs[:, :1])


def read_reference(path: PathLike) -> Reference:
    """Read the odds of positive grades, or the probabilities of all grades, at each rank from columns of a file."""
    cells, title = read_cells(path), title_of(path)
    _, *grades = names = list(cells)
    first = int(grades[0] != "0")
    if names != ["rank", *map(str, range(first, first + len(grades)))]:
        raise InputError(f"{title}: columns {names}, expected rank, 0, 1, ... or rank, 1, 2, ...")
    ranks = pd.Series(numbers_of(path, cells["rank"], integer, WHOLE), cells.index)
    for line, rank in ranks[ranks.duplicated() | ~ranks.between(1, len(ranks))].items():
        raise InputError(f"{title}:{line}: rank {rank}, expected 1 to {len(ranks)}, each once")
    columns = [numbers_of(path, cells[grade], _parse_positive, "a positive number") for grade in grades]
    table = np.transpose(columns)[np.argsort(ranks)]
    return tuple(map(tuple, (table if first else table[:, 1:] / table[:, :1]).tolist()))


def _parse_positive(text: str) -> float:
    if (number := finite_number(text)) <= 0:
        raise ValueError(text)
    return number


def hashable_reference(reference: Reference) -> Hashable:
    """Reference in hashable form for problems and options: tables become tuples, "uniform" becomes None."""
    if reference is None or isinstance(reference, str):
        return None if reference == UNIFORM else reference
    return tuple(map(tuple, np.atleast_2d(_numbers(reference)).tolist()))


def _numbers(reference: npt.ArrayLike) -> FloatArray:
    """Table of a reference as an array; ProblemError if it is not a table."""
    try:
        return np.asarray(reference, dtype=np.float64)
    except (TypeError, ValueError):
        raise ProblemError(f"a reference is log-uniform or a table of numbers, got {reference!r}") from None


def kinds_of_odds(log_odds: FloatArray | None) -> list[tuple[int, ...]]:
    """List with the :func:`kinds` of grades for a reference (depth, levels); empty for the uniform reference."""
    return [] if log_odds is None else [kinds(np.pad(log_odds, ((0, 0), (1, 0))))]
