"""The buffers that compiled kernels work on."""

from typing import Any

import numpy as np
import numpy.typing as npt

from maxent.compiled.lanes import Field, layout
from maxent.compiled.machine import compile_for
from maxent.measures.form import FloatArray


class Workspace:
    """The fields of :mod:`maxent.compiled.fields`, for ``lanes`` problems of the same depth and number of grades.

    Attributes
    ----------
    depth, c, lanes : int
    rank, whole : arrays
        The two buffers, arguments of every compiled function.
    """

    def __init__(self, depth: int, c: int, lanes: int = 1) -> None:
        self.depth, self.c, self.lanes = depth, c, lanes
        self.compiled = compile_for(c, lanes)
        self.layout = layout(c)
        self.rank = np.zeros(depth * self.layout.rank * lanes)
        self.whole = np.zeros(self.layout.whole * lanes)
        self._views: dict[str, FloatArray] = {}

    def __getitem__(self, name: str) -> FloatArray:
        """View of a field: (depth, ..., lanes) or (..., lanes)."""
        view = self._views.get(name)
        if view is None:
            field: Field = self.layout.fields[name]
            part = slice(field.offset, field.offset + field.size)
            if field.ranked:
                shape: tuple[int, ...] = (self.depth, *field.shape, self.lanes)
                view = self.rank.reshape(self.depth, -1, self.lanes)[:, part].reshape(shape, copy=False)
            else:
                view = self.whole.reshape(-1, self.lanes)[part].reshape((*field.shape, self.lanes), copy=False)
            self._views[name] = view
        return view

    def run(self, kernel: str, *arguments: Any) -> Any:
        """Call a compiled function: for all lanes, or for the one that it is told."""
        return getattr(self.compiled, kernel)(self.rank, self.whole, *arguments)

    def strict_maxima(self) -> npt.NDArray[np.bool_]:
        """Which lanes hold a strict local maximum, (lanes,); p, w, multipliers and active must be there."""
        return strict_maxima(*self.inertia())

    def inertia(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What :func:`strict_maxima` needs of all lanes."""
        self.run("forward")
        self.run("negative_eigenvalues")
        border = np.moveaxis(self["G"][:, :-1], -1, 0).copy()
        return border, self["active"].T.copy(), self["negative"].copy()


def strict_maxima(border: FloatArray, active: FloatArray, negative: FloatArray) -> npt.NDArray[np.bool_]:
    """Which problems are at a strict local maximum, (k,).

    The Hessian of the Lagrangian is negative definite on the null space of the active constraints if
    D - lam A has as many negative eigenvalues as the Schur complement of these constraints. It cannot have fewer,
    but rounding may say so where constraints are all but alike, or probabilities all but 0 or 1.

    Parameters
    ----------
    border : (k, c + 1, c + 1) array
        Schur complements of all constraints.
    active : (k, c + 1) array
        1 for the constraints that count, else 0.
    negative : (k,) array
        Negative eigenvalues of D - lam A.
    """
    border = np.where(active[:, :, None] * active[:, None] > 0, border, np.eye(border.shape[1]))
    scale = np.sqrt(np.abs(np.diagonal(border, axis1=1, axis2=2)))
    scale[scale == 0] = 1.0
    border = border / (scale[:, :, None] * scale[:, None])
    finite = np.asarray(np.isfinite(border).all(axis=(1, 2)))
    values = np.linalg.eigvalsh(np.where(finite[:, None, None], border, 0.0))
    return np.asarray((negative == 0) | (finite & (negative <= (values < 0).sum(axis=1))))
