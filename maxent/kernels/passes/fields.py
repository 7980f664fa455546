"""The fields that the passes read and write: named numbers of every rank and of the problem as a whole.

One grade is eliminated; ``c`` is the number of the other grades that can occur, ``m`` the number of measures. In
memory, the numbers of all lanes stand side by side.
"""

from functools import cache
from typing import NamedTuple

from maxent.kernels.compiler.layout import Layout, layout

RANK = {
    "a": "m,c",  # linear part of each measure
    "d": "m",  # weight of the rank in the pairwise part of each measure
    "size": "",  # number of ranks that share this row: 1, or more in a coarse problem
    "offset": "c",  # constant part of the logits: references, proximal steps, and grades that are ruled out
    "theta": "c",  # logits log(p(i) / p(eliminated))
    "p": "c",  # probabilities
    "eliminated": "",  # probability of the eliminated grade
    "w": "m,c",  # derivative of each expected value by p
    "r": "c",  # residual of stationarity in the logits
    "Y": "c,m+1",  # factorisation of the Newton system, see ``newton_system``
    "X": "c,c",
    "U": "c,c",
    "step": "c",  # Newton step of the logits
}
WHOLE = {  # fields down to the multipliers are inputs
    "scaling": "m",  # what each measure is multiplied by; values, kernels and derivatives are scaled, a is not
    "value": "m",  # wanted value of each measure
    "counts": "c",  # wanted number of documents of each grade
    "bounded": "c",  # 1 where the count is an upper bound
    "free": "",  # 1 where the multipliers of the counts are 0 at the start
    "multipliers": "m+c",  # lambda_1..lambda_m of the values, mu_1..mu_c of the counts
    "K": "m,c,c",  # pairwise kernel of each measure
    "change": "m+c",  # Newton step of the multipliers
    "G": "m+c,m+c+1",  # Schur complement of the constraints; its last column belongs to r
    "expected": "m",  # expected value of each measure
    "h": "m+c",  # residuals of the values and of the counts
    "active": "m+c",  # 1 for active constraints, 0 for upper bounds that do not bind
    "error": "",  # largest residual, in the units of ``state.residuals``
    "rounding": "",  # size of lambda w: residuals cannot be smaller than its rounding errors
    "deviation": "",  # largest difference between p and what its derivatives imply
    "total": "c",  # sums of p over the ranks
    "rows": "",  # largest deviation of a row of p from a distribution
    "negative": "",  # number of negative eigenvalues of the Newton system
    "entropy": "",  # of p, in nats
    "missed": "",  # logarithm of the probability of a list with the eliminated grade at every rank
    "growth": "",  # largest growth of a probability's logarithm in the step
    "share": "",  # share of the step that is taken now; negative while the last step is being shortened
    "fresh": "",  # 1 where the step is new, 0 while the last one is being shortened
    "used": "",  # 1 in lanes that hold a problem
    "quadratic": "",  # 1 if any measure has a pairwise part
    "most": "",  # iterations after which Newton's method gives up; twice as many while the error keeps halving
    "tolerance": "",  # largest error of a solution, beyond what rounding makes unavoidable
    "running": "",  # 1 while Newton's method goes on
    "converged": "",  # 1 where it has arrived
    "iterations": "",  # number of its steps, shortened ones counted once
    "best": "",  # smallest error so far
    "patience": "",  # iterations left in which the error should halve
    "slope": "",  # minus the derivative of the dual function at the start of the step
    "allowed": "",  # error below which a step is not shortened any more
    "shortened": "",  # how often the step has been shortened
}


class Layouts(NamedTuple):
    """Places of the fields in the records of a rank, and of the problem as a whole."""

    rank: Layout
    whole: Layout


@cache
def layouts(c: int, m: int) -> Layouts:
    """Places of the fields for c grades without the eliminated one and m measures."""
    sizes = {"c": c, "m": m}
    return Layouts(layout(RANK, sizes), layout(WHOLE, sizes))
