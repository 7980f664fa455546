"""Distributions with about the value wanted, to start from.

Near the smallest value of a measure whose weights hardly fall with the rank, exchanging two ranks hardly changes
the value. It depends on how many documents keep to a rank of their own, the entropy on how many do not: some ranks
hold a document nearly for certain, one may be on its way there, and all others share what is left. Such a
distribution is the list at the end of the interval with the last ranks as they are and all others evened out.
"""

import numpy as np

from maxent.extremes import shape
from maxent.measures.form import FloatArray
from maxent.solvers.interior import Interior

BLUR = 0.01  # share of the even distribution in a start: no probability is 0


def mixture(inner: Interior) -> FloatArray | None:
    """Of the even distribution and that at the end of the interval beyond the value, (depth, c + 1)."""
    return _mixed(inner, inner.end(inner.value > inner.even_value))


def tail(inner: Interior, *, whole: bool) -> FloatArray | None:
    """Some documents keep to the last ranks, (depth, c + 1); None where that is not to be expected.

    Parameters
    ----------
    inner : Interior
    whole : bool
        They do so alike; else one does less than the others.
    """
    from scipy.optimize import brentq  # takes a while to import, and few problems come here

    form, depth = inner.problem.form, inner.problem.depth
    if form.linear or inner.value > inner.even_value or shape(form, inner.problem.present[1:]).steep:
        return None
    end = inner.end(False)

    def excess(size: float) -> float:
        return inner.form.expected(_evened(end, size)[:, 1:]) - inner.value

    if excess(0.0) <= 0 or excess(depth - 1.0) >= 0:  # bounds that the list at the end does not reach
        return None
    size = float(brentq(excess, 0.0, depth - 1.0, xtol=1e-6))
    if whole:
        return _mixed(inner, _evened(end, np.ceil(size)))
    return (1 - BLUR) * _evened(end, size) + BLUR * inner.even_with_reference


def _evened(p: FloatArray, size: float) -> FloatArray:
    """The last ``size`` ranks as they are, the mass of the others spread evenly; a rank may be partly both."""
    kept = np.clip(size - np.arange(len(p))[::-1], 0.0, 1.0)[:, None]
    rest = ((1 - kept) * p).sum(axis=0) / (1 - kept).sum()
    return np.asarray(kept * p + (1 - kept) * rest)


def _mixed(inner: Interior, p: FloatArray) -> FloatArray | None:
    """Mixture of p and the even distribution that has the value wanted, if there is one."""
    even = inner.even_with_reference
    first, middle = (inner.form.expected((p + t * (even - p))[:, 1:]) for t in (0.0, 0.5))
    # the value is quadratic in the share of the even distribution
    bend = 2 * (first + inner.even_value - 2 * middle)
    slope = inner.even_value - first - bend
    roots = np.roots([bend, slope, first - inner.value])
    inside = [t.real for t in roots if t.imag == 0 and 0 < t.real < 1]
    return p + min(inside) * (even - p) if inside else None
