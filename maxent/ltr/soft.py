"""SoftRank: smooth twins of measures, so that gradient ascent can train for them.

    import torch
    from maxent.ltr.soft import soft_objective

    value = soft_objective(me.GAP(g=(0.5, 0.5)), grades, relevant)  # once for a query
    optimiser.zero_grad()
    (-value(network(features))).backward()
    optimiser.step()

The score of document j is taken as Gaussian with mean s_j and a shared standard deviation; pi_ij is the probability
that document i then ranks above j (Taylor, Guiver, Robertson and Minka, WSDM 2008, "SoftRank: optimizing non-smooth
rank metrics"). Everything is float64 on the CPU, with exact gradients from autograd.

As the deviation goes to 0, the soft value goes to that of the sorted list. For larger ones it is mostly below the
expected value of a list sorted by random scores, as ranks vary more than :func:`rank_distribution` takes them to.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from maxent.errors import InputError, MaxentError, MeasureError
from maxent.ltr.queries import check_query
from maxent.measures.form import Form, pairwise_form
from maxent.measures.gain import ranks
from maxent.measures.measure import Measure

try:
    import torch
except ModuleNotFoundError as error:
    raise ImportError("PyTorch is not installed: pip install maxent[ltr]") from error
from torch import Tensor
from torch.nn.functional import pad

from maxent.types import GradeCounts

Soft = Callable[[Tensor], Tensor]


def win_probabilities(scores: Tensor, *, deviation: float = 1.0) -> Tensor:
    """Probability of each document to rank above each other one.

    Parameters
    ----------
    scores : (n,) tensor
        Means of the scores.
    deviation : float
        Standard deviation of every score, sigma_s.

    Returns
    -------
    (n, n) tensor
        Entry [i, j]: pi_ij, document i above j; 0 on the diagonal.

    Raises
    ------
    InputError
        If the scores are no vector of finite numbers.
    MaxentError
        If the deviation is not positive and finite.
    """
    _check_deviation(deviation)
    s = check_scores(scores, len(scores) if scores.ndim else 0)
    # SoftRank's pi_ij: the difference of two scores has the variance 2 sigma_s^2
    wins: Tensor = torch.special.ndtr((s[:, None] - s) / (math.sqrt(2) * deviation))
    return wins.fill_diagonal_(0.0)


def rank_distribution(
    wins: Tensor, documents: Sequence[int] | Tensor | None = None, *, depth: int | None = None
) -> Tensor:
    """Probability of each rank, by SoftRank's recursion over the rivals.

    The recursion takes the rivals of a document to be independent. They are not, as all meet the same random score
    of the document: the mean rank is exact, the distribution too narrow. With 20 means drawn from N(0, 1) and
    deviation 1 ranks have 0.42 of their true standard deviation; the total variation to 100,000 sampled rankings is
    0.46, the mean over documents and five draws (deviation 0.1: 0.77 and 0.09).

    Parameters
    ----------
    wins : (n, n) tensor
        Of :func:`win_probabilities`.
    documents : (m,) sequence of int, optional
        The documents that are asked for; default: all.
    depth : int, optional
        The first so many ranks; default: all. The rest costs nothing.

    Returns
    -------
    (m, depth) tensor
        Entry [j, r]: probability that the j-th of ``documents`` is at rank r + 1. Rows sum to 1 if all ranks are
        there, columns only about.
    """
    depth = len(wins) if depth is None else depth
    if depth < 1:
        raise MaxentError(f"depth must be 1 or more, got {depth}")
    rivals = wins if documents is None else wins[:, documents]
    p = rivals.new_ones(1, rivals.shape[1])
    for pi in rivals:
        # SoftRank's recursion: with probability pi the rival takes the document down by one rank; the document
        # itself is among the rivals, with pi = 0
        p = torch.lerp(pad(p, (0, 0, 0, 1)), pad(p, (0, 0, 1, 0)), pi)[:depth]
    return p.T


def soft_objective(
    measure: Measure, grades: npt.ArrayLike, relevant: GradeCounts, *, deviation: float = 1.0
) -> Soft:
    """Soft value of one query as a function of its scores; what does not depend on them is done once.

    Parameters
    ----------
    measure : Measure
        Linear measures (nDCG, P, RBP, ...): the expectation over the rank distributions of the documents,
        SoftNDCG in general. Means over the first n ranks, summed (GAP, AP, xGAP, eGAP, muAP, gAP): the GAP paper's
        SoftGAP, a ratio of expectations. The paper's sum over m has m = n too; with pi_nn = 0, which it does not
        say, a document counts once.
    grades : (n,) array of int
        Grades of the documents in the order of their scores.
    relevant : (levels,) sequence
        R_i of the query. If nothing is relevant, the value is 0 for all scores.
    deviation : float
        See :func:`win_probabilities`.

    Returns
    -------
    function of a (n,) tensor of scores
        The soft value, a tensor without dimensions. Scores that do not fit are an InputError.

    Raises
    ------
    MeasureError
        If the measure is neither, or does not fit the grades.
    MaxentError
        If the deviation is not positive and finite.
    """
    _check_deviation(deviation)
    observed = check_query(grades, relevant)
    form = _soft_form(measure, relevant, len(observed))
    value = (_expectation if form.linear else _ratio)(form, torch.from_numpy(observed))
    return lambda scores: value(win_probabilities(check_scores(scores, len(observed)), deviation=deviation))


def soft_value(
    measure: Measure, scores: Tensor, grades: npt.ArrayLike, relevant: GradeCounts, *, deviation: float = 1.0
) -> Tensor:
    """Soft value of one query: :func:`soft_objective`, used once."""
    return soft_objective(measure, grades, relevant, deviation=deviation)(scores)


def _expectation(form: Form, grades: Tensor) -> Soft:
    """sum_j sum_r p_j(r) a_r(i_j) as a function of pi: SoftNDCG with the weights of any linear measure."""
    a = torch.tensor(form.a)[:, grades]
    documents = a.any(dim=0).nonzero()[:, 0]
    depth = 1 + max(a.any(dim=1).nonzero()[:, 0].tolist(), default=0)  # no rank below has weight
    weights = a[:depth, documents].T
    return lambda wins: (weights * rank_distribution(wins, documents, depth=depth)).sum()


def _ratio(form: Form, grades: Tensor) -> Soft:
    """sum_n PC_n of GAP paper 5 as a function of pi, its normaliser within the kernel."""
    kernel = torch.tensor(form.d[0] * form.K)
    hit = kernel.any(dim=0) | kernel.any(dim=1)
    documents = hit[grades].nonzero()[:, 0]
    i = grades[documents]
    pairs, own = kernel[i, i[:, None]], kernel[i, i]  # of m and n: K(i_n, i_m)

    def value(wins: Tensor) -> Tensor:
        above = wins[:, documents]
        # the numerator's sum has m = n too: there pi_nn = 0 and the document itself stands by its own
        return ((own + (above[documents] * pairs).sum(dim=0)) / (above.sum(dim=0) + 1)).sum()

    return value


def _soft_form(measure: Measure, relevant: GradeCounts, depth: int) -> Form:
    """Form of a measure that has a soft value."""
    if measure.is_form():
        form = measure.form(relevant, depth)
        means = pairwise_form(form.d[0] / ranks(depth), form.K[1:, 1:])
        pairs = ((form.a, means.a), (form.d, means.d))
        if form.linear or all(np.allclose(x, y, rtol=1e-12, atol=0) for x, y in pairs):
            return form
    raise MeasureError(
        f"{measure} has no soft value. These have: linear measures (nDCG, mnDCG, NDCNG, DCG, CG, SR, mSR, gP, gR, "
        f"P, Rprec, nRecall, nPrecision, RBP) and means over the first n ranks (AP, GAP, xGAP, eGAP, muAP, gAP)"
    )


def check_scores(scores: Tensor, documents: int) -> Tensor:
    """Scores of a query in float64.

    Raises
    ------
    InputError
        If they are not so many finite numbers.
    """
    if scores.shape != (documents,):
        raise InputError(f"scores have shape {tuple(scores.shape)}, expected ({documents},): one for each document")
    wrong = torch.nonzero(~torch.isfinite(scores))
    if len(wrong):
        number = int(wrong[0])
        raise InputError(f"score {scores[number].item()} of document {number + 1}, expected a finite number")
    return scores.to(torch.float64)


def _check_deviation(deviation: float) -> None:
    if not 0 < deviation < math.inf:
        raise MaxentError(f"deviation must be positive and finite, got {deviation}")
