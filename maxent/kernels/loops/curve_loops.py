"""Translated loops over observed lists: errors of inferred curves, and logits of relevant documents."""

import math
from typing import Annotated

from maxent.kernels.loops.records import ALIGNMENTS, FAINT, SAME_RECALL, ObservedLists
from maxent.types import FloatArray

NEVER = 1e-20  # probability that counts as 0
AT_RANK, EXPECTED, EVERY_RANK = map(ALIGNMENTS.index, ("rank", "expected", "every-rank"))


def add_logits(ranks, at, lists, first, used):
    """Sums of the logits of the relevant documents of lists; that of the eliminated grade is 0.

    ``ranks`` (depth, numbers, lanes) has the distributions of the lists from ``first`` on in the ``used`` lanes.
    """
    for lane in range(used):
        k = first + lane
        for document in range(lists.begin[k], lists.end[k]):
            column = lists.columns[lists.grades[document]]
            if column != at.eliminated and column >= 0:
                lists.logits[k] += ranks[lists.ranks[document] - 1, column - at.p + at.theta, lane]


def compare(
    ranks: Annotated[FloatArray, "depth, numbers, lanes"],
    lists: ObservedLists,
    first: int,
    used: int,
):
    """Errors (RMS, mean absolute) of inferred against actual curves, see ``curves``; and the wanted rows of p.

    ``ranks`` has the distributions of the lists from ``first`` on in the ``used`` lanes. 1. Expected documents of
    each grade or higher down to each rank. 2. For each list, the rows of p, and 3. the errors for each threshold
    and alignment.
    """
    grades, cumulated = lists.columns.shape[0], lists.cumulated
    # 1. cumulated_t(n) = sum_{m<=n} sum_{i>=t} p_m(i)
    for lane in range(used):
        for grade in range(1, grades):
            cumulated[lane, grade - 1, 0] = 0.0
    for n in range(ranks.shape[0]):
        for lane in range(used):
            reaching = 0.0
            for grade in range(grades - 1, 0, -1):
                column = lists.columns[grade]
                if column >= 0:
                    reaching += ranks[n, column, lane] * lists.shares[grade, first + lane]
                cumulated[lane, grade - 1, n + 1] = cumulated[lane, grade - 1, n] + reaching
    for lane in range(used):
        k = first + lane
        # 2.
        for place in range(lists.at.shape[0]):
            for grade in range(grades):
                column = lists.columns[grade]
                if column >= 0:
                    lists.p[k, place, grade] = ranks[lists.at[place] - 1, column, lane] * lists.shares[grade, k]
        # 3.
        for t in range(lists.thresholds.shape[0]):
            threshold, points = lists.thresholds[t], 0
            for document in range(lists.begin[k], lists.end[k]):
                points += lists.grades[document] >= threshold
            for place in range(lists.aligns.shape[0]):
                align, out = lists.aligns[place], lists.errors[k, t, place]
                curve = cumulated[lane, threshold - 1 : threshold]
                if align == EVERY_RANK:
                    every_rank_error(curve, lists, k, threshold, out)
                elif points == 0:
                    out[0] = out[1] = math.nan
                else:
                    curve_error(curve, lists, k, threshold, lists.bases[k, t], align, out, points)


def curve_error(cumulated, lists, k, threshold, base, align, out, points):
    """Write to ``out`` (2,) the RMS and mean absolute error of an inferred curve at the ``points`` of list k.

    ``cumulated`` (1, depth + 1) is the curve: the expected number of relevant documents down to each rank. ``base``
    is R of the topic. At the j-th relevant document of the list, at rank n, the actual precision is j / n.
    """
    above, inverse, count = lists.scratch[0], lists.scratch[1], cumulated[0]
    if align == EXPECTED:
        expected_inverse(cumulated, points, above, inverse)
    squares = total = 0.0
    number, n, last = 0, 1, count.shape[0] - 1  # number: j; n: the inferred rank, which only rises with the recall
    for document in range(lists.begin[k], lists.end[k]):
        if lists.grades[document] < threshold:
            continue
        number += 1
        rank, recall = lists.ranks[document], number / base
        if align == EXPECTED:
            inferred = number * inverse[0, points - number]
        elif align == AT_RANK:
            inferred = count[rank] / rank
        else:
            while n < last and count[n] < (recall - SAME_RECALL) * base:
                n += 1  # to the first rank that reaches the recall, else the last
            inferred = precision_before(count, n, base, recall)
        difference = inferred - number / rank
        squares += difference * difference
        total += abs(difference)
    out[0] = math.sqrt(squares / points)
    out[1] = total / points


def precision_before(count, n, base, recall):
    """Inferred precision at a recall that is reached between the ranks n - 1 and n: linear between the two.

    ``count`` (depth + 1,) is the expected number of relevant documents down to each rank, ``base`` R of the topic.
    """
    inferred = count[n] / n
    if n > 1:
        last_recall, last_precision = count[n - 1] / base, count[n - 1] / (n - 1)
        step, share = count[n] / base - last_recall, 1.0
        if step > 0.0:
            share = min(max((recall - last_recall) / step, 0.0), 1.0)
        inferred = last_precision + share * (inferred - last_precision)
    return inferred


def every_rank_error(cumulated, lists, k, threshold, out):
    """Write to ``out`` (2,) the RMS and mean absolute error of inferred precision at every rank of list k.

    ``cumulated`` (1, depth + 1) is the expected number of relevant documents down to each rank.
    """
    count, depth, document = cumulated[0], cumulated.shape[1] - 1, lists.begin[k]
    squares = total = actual = 0.0
    for n in range(1, depth + 1):
        if document < lists.end[k] and lists.ranks[document] == n:
            if lists.grades[document] >= threshold:
                actual += 1.0
            document += 1
        difference = (count[n] - actual) / n
        squares += difference * difference
        total += abs(difference)
    out[0] = math.sqrt(squares / depth)
    out[1] = total / depth


def expected_inverse(
    cumulated: Annotated[FloatArray, "1 + parameters, depth + 1"],
    points: int,
    above: Annotated[FloatArray, "1 + parameters, points + 1"],
    inverse: Annotated[FloatArray, "1 + parameters, points + 1"],
):
    """E[1 / n_j] for the j-th of some relevant documents, the last one first; further rows have its derivatives.

    ``cumulated`` (1 + parameters, depth + 1) is the expected number of relevant documents down to each rank; its
    rise at a rank is the probability that this rank has one. ``above`` (1 + parameters, points + 1) is the
    probability of j - 1 relevant documents above a rank. The last column of ``inverse`` is for the probability that
    the list has all of them. In both arrays j falls, so that the loop over the columns runs upwards. Probabilities
    below ``NEVER`` at either end are dropped. Sums are divided by the probability that the list has j documents.

    1. No document above the first rank, for certain. 2. The sums over the ranks. 3. For each j, the conditional
    expectation and its derivatives; the last column then has the probability of fewer and fewer documents.
    """
    # 1.
    for v in range(cumulated.shape[0]):
        for j in range(above.shape[1]):
            above[v, j] = inverse[v, j] = 0.0
    above[0, max(points - 1, 0)] = 1.0
    # 2.
    if cumulated.shape[0] == 1:
        two_ranks_at_once(cumulated[0], points, above[0], inverse[0])
    else:
        rank_by_rank(cumulated, points, above, inverse)
    # 3.
    first, total = above[0], inverse[0]
    for j in range(points):
        exists, depth = total[points] + FAINT, cumulated.shape[1] - 1
        total[j] = (total[j] + FAINT / depth) / exists
        total[points] += first[j]
        for v in range(1, cumulated.shape[0]):
            inverse[v, j] = (inverse[v, j] - total[j] * inverse[v, points]) / exists
            inverse[v, points] += above[v, j]


def rank_by_rank(cumulated, points, above, inverse):
    """The sums of :func:`expected_inverse`, in arrays of its shapes, and their derivatives.

    With the probability h_n of a relevant document at rank n, and f_j that of j - 1 such documents above it,

        total_j <- total_j + h_n / n f_j,    and then    f_j <- (1 - h_n) f_j + h_n f_{j-1}.

    Row v has the derivatives of both by parameter v, from those of h_n. In the arrays j falls, so that f_{j-1} is
    at the next place. Places from ``low`` on, before ``end``, can have a probability above 0.
    """
    first, total, low, end = above[0], inverse[0], max(points - 1, 0), points
    for n in range(cumulated.shape[1] - 1):
        if low >= end:
            break
        h, low = cumulated[0, n + 1] - cumulated[0, n], max(low - 1, 0)
        share, missed = h / (n + 1), 1.0 - h
        for v in range(1, cumulated.shape[0]):
            dh, d_first, d_total = cumulated[v, n + 1] - cumulated[v, n], above[v], inverse[v]
            d_total[points] += h * d_first[0] + dh * first[0]
            for j in range(low, end):
                d_total[j] += share * d_first[j] + dh / (n + 1) * first[j]
                d_first[j] = missed * d_first[j] + h * d_first[j + 1] + dh * (first[j + 1] - first[j])
        total[points] += h * first[0]
        for j in range(low, end):
            total[j] += share * first[j]
            first[j] = missed * first[j] + h * first[j + 1]
        if low < end - 1 and first[low] < NEVER:
            first[low] = 0.0
            low += 1
        if first[end - 1] < NEVER:
            end -= 1
            for v in range(cumulated.shape[0]):
                above[v, end] = 0.0


def two_ranks_at_once(cumulated, points, first, total):
    """The sums of :func:`expected_inverse` without derivatives, which takes half as many passes over the arrays.

    ``cumulated`` (depth + 1,), ``first`` and ``total`` (points + 1,) are the first rows of its arrays. Two ranks
    with the probabilities h and i of a relevant document change the probability f_j of :func:`rank_by_rank` to

        (1 - h) (1 - i) f_j + ((1 - h) i + h (1 - i)) f_{j-1} + h i f_{j-2},

    and add h / n f_j at rank n and i / (n + 1) ((1 - h) f_j + h f_{j-1}) at the next rank to total_j.
    """
    low, end, depth = max(points - 1, 0), points, cumulated.shape[0] - 1
    for pair in range((depth + 1) // 2):
        if low >= end:
            break
        n, low = 2 * pair, max(low - 2, 0)
        h, i = cumulated[n + 1] - cumulated[n], 0.0
        if n + 1 < depth:
            i = cumulated[n + 2] - cumulated[n + 1]
        missed, share, next_share = 1.0 - h, h / (n + 1), i / (n + 2)
        total[points] += (h + i * missed) * first[0] + i * h * first[1]
        of_same, of_next = share + next_share * missed, next_share * h  # factors of f_j and f_{j-1} in total_j
        none, one, both = missed * (1.0 - i), missed * i + h * (1.0 - i), h * i
        for j in range(low, end - 1):
            total[j] += of_same * first[j] + of_next * first[j + 1]
            first[j] = none * first[j] + one * first[j + 1] + both * first[j + 2]
        total[end - 1] += of_same * first[end - 1]
        first[end - 1] = none * first[end - 1]
        if low < end - 1 and first[low] < NEVER:
            first[low] = 0.0
            low += 1
        if first[end - 1] < NEVER:
            end -= 1
            first[end] = 0.0
