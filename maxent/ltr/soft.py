"""SoftRank: smooth versions of measures, for training by gradient ascent.

The score of document j is Gaussian with mean s_j and a standard deviation sigma_s, which all documents share. pi_ij
is the probability that document i ranks above document j (Taylor, Guiver, Robertson and Minka, WSDM 2008,
"SoftRank: optimizing non-smooth rank metrics"). From these, :func:`rank_distribution` computes the probability
p_j(r) that document j is at rank r. With the coefficients of a form (:mod:`maxent.measures.form`), the soft value
is

- for linear measures the expectation sum_j sum_r p_j(r) a_r(i_j), which for nDCG is SoftNDCG;
- for means over the first n ranks, d_n = d_1 / n and a_n(i) = d_n K(i, i), SoftGAP of the GAP paper (section 5),
  whose normaliser is in K:

      sum_n d_1 [ K(i_n, i_n) + sum_{m != n} pi_mn K(i_n, i_m) ] / [ 1 + sum_{m != n} pi_mn ].

  The paper's sum in the numerator includes m = n; with pi_nn = 0, which the paper does not state, a document counts
  once. The value is a ratio of expectations, not an expectation.

All numbers are float64 on the CPU, with exact gradients from autograd. As the deviation goes to 0, the soft value
goes to the value of the sorted list. For larger deviations it is mostly below the expected value of a list sorted
by random scores, because true ranks vary more than those of :func:`rank_distribution`.
"""

from __future__ import annotations  # where the docs are made there is no PyTorch, whose types take no "|" then

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from maxent.errors import InputError, MaxentError, MeasureError, missing_package
from maxent.ltr.queries import check_query
from maxent.measures.form import Form, pairwise_form
from maxent.measures.gain import ranks
from maxent.measures.measure import Measure
from maxent.measures.parse import parse_measure

try:
    import torch
except ModuleNotFoundError as error:
    raise missing_package("SoftRank", error) from error
from torch import Tensor
from torch.nn.functional import pad

from maxent.types import GradeCounts

Soft = Callable[[Tensor], Tensor]


def win_probabilities(scores: Tensor, *, deviation: float = 1.0) -> Tensor:
    """Probabilities pi_ij (documents, documents) that document i is above j; ``scores`` (documents,) are means."""
    _check_deviation(deviation)
    s = check_scores(scores)
    # SoftRank's pi_ij: the difference of two scores has the variance 2 sigma_s^2
    wins: Tensor = torch.special.ndtr((s[:, None] - s) / (math.sqrt(2) * deviation))
    return wins.fill_diagonal_(0.0)


def rank_distribution(
    wins: Tensor, documents: Sequence[int] | Tensor | None = None, *, depth: int | None = None
) -> Tensor:
    """Probability of each rank for each document, by SoftRank's recursion over the other documents.

    The recursion treats the comparisons of a document with the others as independent. They are not, because all
    involve the same random score of the document: the mean rank is exact, but the distribution is too narrow. For
    20 means drawn from N(0, 1) and deviation 1, its standard deviation is 0.42 of the true one, and its total
    variation distance to 100,000 sampled rankings is 0.46, on average over documents and five draws (deviation 0.1:
    0.77 and 0.09).

    Rows are for ``documents``, by default all; ranks beyond ``depth`` are not computed. With all ranks, rows sum to
    1, columns only approximately.
    """
    depth = len(wins) if depth is None else depth
    if depth < 1:
        raise MaxentError(f"depth must be 1 or more, got {depth}")
    pi = wins if documents is None else wins[:, documents]  # (all documents, ``documents``)
    p = pi.new_ones(1, pi.shape[1])  # (ranks so far, ``documents``): at rank 1 without any other document
    for pi_i in pi:
        # p(r) <- (1 - pi_ij) p(r) + pi_ij p(r - 1): document i moves j down by a rank with probability pi_ij; j
        # itself is among these documents, with pi = 0
        same_rank, one_down = pad(p, (0, 0, 0, 1)), pad(p, (0, 0, 1, 0))
        p = torch.lerp(same_rank, one_down, pi_i)[:depth]
    return p.T


def soft_objective(
    measure: Measure | str, grades: npt.ArrayLike, relevant: GradeCounts, *, deviation: float = 1.0
) -> Soft:
    """Create a function that computes the soft value of a measure for one query from the scores.

    The value is described at the top of this module. All that does not depend on the scores is computed once.

    Parameters
    ----------
    measure : Measure or text
        A linear measure (nDCG, P, RBP, ...) or a mean over the first n ranks (GAP, AP, xGAP, eGAP, muAP, gAP).
    grades : (n,) array of int
        Grades of the documents, in the order of the scores.
    relevant : (levels,) sequence
        R_i of the query. If no document is relevant, the value is 0 for all scores.
    deviation : float
        As for :func:`win_probabilities`.

    Returns
    -------
    function of a (n,) tensor of scores
        Its value is the soft value, a tensor without dimensions. It raises InputError for scores that do not fit.

    Raises
    ------
    MeasureError
        If the measure has no soft value, or does not fit the grades.
    MaxentError
        If the deviation is not positive and finite.
    """
    measure = parse_measure(measure)
    _check_deviation(deviation)
    observed = check_query(grades, relevant)
    form = _soft_form(measure, relevant, len(observed))
    soft_value = _expectation if form.linear else _ratio
    value = soft_value(form, torch.from_numpy(observed))
    return lambda scores: value(win_probabilities(check_scores(scores, len(observed)), deviation=deviation))


def _expectation(form: Form, grades: Tensor) -> Soft:
    """Soft value of a linear measure as a function of pi: sum_j sum_r p_j(r) a_r(i_j), SoftNDCG for any weights."""
    a = torch.tensor(form.a)[:, grades]  # (ranks, documents)
    documents = a.any(dim=0).nonzero()[:, 0]  # those with a gain at some rank
    depth = 1 + max(a.any(dim=1).nonzero()[:, 0].tolist(), default=0)  # ranks below have no weight
    weights = a[:depth, documents].T
    return lambda wins: (weights * rank_distribution(wins, documents, depth=depth)).sum()


def _ratio(form: Form, grades: Tensor) -> Soft:
    """Soft value of a mean over the first n ranks as a function of pi: SoftGAP (GAP paper 5), normaliser in K."""
    kernel = torch.tensor(form.d[0] * form.K)  # d_1 K
    has_gain = kernel.any(dim=0) | kernel.any(dim=1)  # of each grade
    documents = has_gain[grades].nonzero()[:, 0]
    i = grades[documents]
    pairs, self_pairs = kernel[i, i[:, None]], kernel[i, i]  # d_1 K(i_n, i_m) of (m, n), and of n with itself

    def value(wins: Tensor) -> Tensor:
        pi = wins[:, documents]  # pi_mn of (all m, n)
        # the sum in the numerator includes m = n, where pi_nn = 0; ``self_pairs`` counts the document itself
        numerators = self_pairs + (pi[documents] * pairs).sum(dim=0)
        return (numerators / (pi.sum(dim=0) + 1)).sum()

    return value


def _soft_form(measure: Measure, relevant: GradeCounts, depth: int) -> Form:
    """Form of a measure, if it has a soft value."""
    if measure.is_form():
        form = measure.form(relevant, depth)
        # a mean over the first n ranks has d_n = d_1 / n and a_n(i) = d_n K(i, i)
        mean = pairwise_form(form.d[0] / ranks(depth), form.K[1:, 1:])
        is_mean = all(np.allclose(x, y, rtol=1e-12, atol=0) for x, y in ((form.a, mean.a), (form.d, mean.d)))
        if form.linear or is_mean:
            return form
    raise MeasureError(
        f"{measure} has no soft value. These have: linear measures (nDCG, mnDCG, NDCNG, DCG, CG, SR, mSR, gP, gR, "
        f"P, R, Rprec, nRecall, nPrecision, RBP, BrokenStick) and, without a cutoff, means over the first n ranks "
        f"(AP, GAP, xGAP, eGAP, muAP, gAP)"
    )


def check_scores(scores: Tensor, documents: int | None = None) -> Tensor:
    """Scores of a query in float64: one finite number for each of ``documents`` documents, or of any number."""
    if not isinstance(scores, Tensor):
        raise InputError(f"scores must be a tensor, got a {type(scores).__name__}")
    if documents is None:
        documents = len(scores) if scores.ndim else 0
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
