"""What the passes work on: named fields of every rank and of the whole problem.

One grade is eliminated; ``c`` is the number of the other grades that can occur, ``m`` the number of measures.
Every number stands beside those of the other problems that are solved side by side, each in a lane of its own.
"""

import math
from functools import cache

Shape = tuple[int, ...]

RANK = {
    "a": "m,c",  # what a document adds to each measure by itself
    "d": "m",  # weight of the rank in the pairwise part of each measure
    "size": "",  # number of ranks that share this row: 1, or more in a coarse problem
    "offset": "c",  # part of the logits that is given: 0, except in proximal steps
    "theta": "c",  # logits log p(i) / p(eliminated)
    "p": "c",  # probabilities, and that of the eliminated grade
    "eliminated": "",
    "w": "m,c",  # derivative of each expected value by p
    "r": "c",  # what stationarity lacks in the logits
    "Y": "c,m+c+1",  # factorisation of the Newton system, see ``system``
    "X": "c,c",
    "U": "c,c",
    "step": "c",  # in the logits
}
GIVEN = ("K", "value", "counts", "bounded", "multipliers")  # what a problem and a start put there: first in WHOLE
WHOLE = {
    "K": "m,c,c",  # pairwise kernel of each measure
    "value": "m",  # what the constraints ask for
    "counts": "c",
    "bounded": "",  # 1 where the counts are upper bounds
    "multipliers": "m+c",  # lambda_1..lambda_m of the values, mu_1..mu_c of the counts
    "change": "m+c",  # their Newton step
    "G": "m+c,m+c+1",  # Schur complement of the constraints; its last column belongs to r
    "expected": "m",  # expected value of each measure
    "h": "m+c",  # what the values and the counts lack
    "active": "m+c",  # 1 for the constraints that count
    "error": "",  # largest residual, in probabilities and in shares of a count
    "rounding": "",  # size of lambda w, whose rounding no residual can be below
    "deviation": "",  # largest difference between p and what its gradient implies
    "total": "c",  # sums of p over the ranks
    "rows": "",  # largest deviation of a row of p from a distribution
    "negative": "",  # number of negative eigenvalues of the Newton system
    "growth": "",  # largest growth of a probability's logarithm in the step
    "share": "",  # share of the step that is taken now: negative where the last one is shortened
    "fresh": "",  # 1 where the step is new, 0 where the last one is being shortened
    "used": "",  # 1 in lanes that hold a problem
    "quadratic": "",  # 1 if any measure has a pairwise part
    "most": "",  # iterations after which Newton's method gives up; twice as many while the error keeps halving
    "tolerance": "",  # largest error of a solution, beyond what rounding makes unavoidable
    "running": "",  # whether it goes on, has arrived, and after how many iterations
    "converged": "",
    "iterations": "",
    "best": "",  # smallest error so far
    "patience": "",  # iterations left in which the error should halve
    "slope": "",  # of the dual function at the start of the step
    "allowed": "",  # largest error that ends the shortening of a step
    "shortened": "",  # how often the step has been shortened
}


def shape(text: str, c: int, m: int) -> Shape:
    """Shape that a text like ``"c,m+c+1"`` stands for.

    Examples
    --------
    >>> shape("c,m+c+1", c=2, m=1)
    (2, 4)
    """
    sizes = {"c": c, "m": m}
    axes = [axis.split("+") for axis in text.split(",") if axis]
    return tuple(sum(sizes[term] if term in sizes else int(term) for term in axis) for axis in axes)


@cache
def layout(c: int, m: int) -> tuple[dict[str, tuple[int, Shape, int]], int, int]:
    """Where every field is in the record of a rank or of the problem, and the sizes of both records.

    Returns
    -------
    dict
        Offset, shape and size of each field.
    int, int
        Numbers in the record of a rank and of the problem.
    """
    places, sizes = {}, []
    for fields in (RANK, WHOLE):
        end = 0
        for name, text in fields.items():
            own = shape(text, c, m)
            places[name] = end, own, math.prod(own)
            end += math.prod(own)
        sizes.append(end)
    return places, sizes[0], sizes[1]
