"""Loops over observed lists that are translated: errors of inferred curves, and logits of relevant documents."""

import math

NEVER = 1e-20  # probability that counts as 0
AT_RANK, EXPECTED = 1, 2  # how curves are compared; 0 is at equal recall


def add_logits(ranks, at, lists, logits, first, used):
    """Sums of the logits of the relevant documents of lists; that of the eliminated grade is 0."""
    for lane in range(used):
        k = first + lane
        for document in range(lists.begin[k], lists.end[k]):
            column = lists.columns[lists.grades[document]]
            if column != at.eliminated and column >= 0:
                logits[k] += ranks[lists.ranks[document] - 1, column - at.p + at.theta, lane]


def compare(ranks, lists, found, errors, first, used):
    """RMS and mean absolute differences between inferred and actual curves, see ``curves``.

    The probability of a grade stands in the records at the place ``lists.columns`` (grades,), negative where it is
    absent, and is multiplied by ``lists.shares`` (grades, k). ``found`` (lanes, levels, depth + 1) is working
    memory: expected documents that reach a threshold, down to each rank.
    """
    grades = lists.columns.shape[0]
    for lane in range(used):
        for grade in range(1, grades):
            found[lane, grade - 1, 0] = 0.0
    for n in range(ranks.shape[0]):
        for lane in range(used):
            reaching = 0.0
            for grade in range(grades - 1, 0, -1):
                column = lists.columns[grade]
                if column >= 0:
                    reaching += ranks[n, column, lane] * lists.shares[grade, first + lane]
                found[lane, grade - 1, n + 1] = found[lane, grade - 1, n] + reaching
    for lane in range(used):
        k = first + lane
        for t in range(lists.thresholds.shape[0]):
            threshold, points = lists.thresholds[t], 0
            own = found[lane, threshold - 1]
            for document in range(lists.begin[k], lists.end[k]):
                points += lists.grades[document] >= threshold
            for alignment in range(lists.aligns.shape[0]):
                align, out = lists.aligns[alignment], errors[k, t, alignment]
                if points == 0:
                    out[0] = out[1] = math.nan
                elif align == EXPECTED:
                    expected_error(own, lists, k, threshold, out, points)
                else:
                    curve_error(own, lists, k, threshold, lists.bases[k, t], align, out, points)


def curve_error(found, lists, k, threshold, base, align, out, points):
    """RMS and mean absolute error of an inferred curve, with ``found`` (depth + 1,) documents down to each rank."""
    squares = total = 0.0
    number, n, last = 0, 1, found.shape[0] - 1
    for document in range(lists.begin[k], lists.end[k]):
        if lists.grades[document] < threshold:
            continue
        number += 1
        rank, wanted = lists.ranks[document], number / base
        if align == AT_RANK:
            inferred = found[rank] / rank
        else:
            while n < last and found[n] < (wanted - lists.rounding[0]) * base:
                n += 1  # to the first rank that reaches the wanted recall, else the last
            inferred = found[n] / n
            if n > 1:
                last_recall, last_precision = found[n - 1] / base, found[n - 1] / (n - 1)
                step, share = found[n] / base - last_recall, 1.0
                if step > 0.0:
                    share = min(max((wanted - last_recall) / step, 0.0), 1.0)
                inferred = last_precision + share * (inferred - last_precision)
        difference = inferred - number / rank
        squares += difference * difference
        total += abs(difference)
    out[0] = math.sqrt(squares / points)
    out[1] = total / points


def expected_error(found, lists, k, threshold, out, points):
    """As ``curve_error``, of E[j / n_j] at the j-th relevant document: see ``curves.expected_precision``.

    A rank has a relevant document with the probability by which ``found`` (depth + 1,) rises there. For j =
    points..1, so that a loop runs upwards, ``above`` is the probability of j - 1 relevant documents above a rank,
    and ``inverse`` the sum that becomes E[1 / n_j]. Probabilities below ``NEVER`` at either end are dropped.
    """
    above, inverse = lists.scratch[0], lists.scratch[1]
    for j in range(points):
        above[j] = inverse[j] = 0.0
    low = last = points - 1  # where probabilities are positive
    above[last] = 1.0
    for n in range(found.shape[0] - 1):
        if last < max(low, 0):
            break
        here, low = found[n + 1] - found[n], max(low - 1, 0)
        share, missed = here / (n + 1), 1.0 - here
        for j in range(low, last):
            inverse[j] += share * above[j]
            above[j] = missed * above[j] + here * above[j + 1]
        inverse[last] += share * above[last]
        above[last] = missed * above[last]
        if low < last and above[low] < NEVER:
            above[low] = 0.0
            low += 1
        if above[last] < NEVER:
            above[last] = 0.0
            last -= 1
    squares = total = 0.0
    number = 0
    for document in range(lists.begin[k], lists.end[k]):
        if lists.grades[document] >= threshold:
            number += 1
            difference = number * (inverse[points - number] - 1.0 / lists.ranks[document])
            squares += difference * difference
            total += abs(difference)
    out[0] = math.sqrt(squares / points)
    out[1] = total / points


def expected_inverse(own, above, inverse):
    """E[1 / n_j] at the j-th relevant document, and derivatives: ``inverse`` (1 + parameters, documents).

    ``own`` (1 + parameters, depth) has the probability of a relevant document at each rank and its derivatives,
    ``above`` (1 + parameters, documents) those of j - 1 relevant documents above a rank: at first 1 and 0s.
    """
    parameters, depth = own.shape
    last = above.shape[1] - 1
    for n in range(depth):
        for j in range(last, -1, -1):
            for v in range(parameters - 1, -1, -1):
                here = own[0, n] * above[v, j]
                if v > 0:
                    here += own[v, n] * above[0, j]
                inverse[v, j] += here / (n + 1)
                above[v, j] -= here
                if j < last:
                    above[v, j + 1] += here
