"""Translated loops over sorted lists: see :mod:`maxent.kernels.sorted_lists`."""

from typing import Annotated

from maxent.types import FloatArray, IntArray


def fill(
    adding: int,
    pairwise: int,
    in_order: int,
    rank_class: Annotated[IntArray, "depth"],
    first: Annotated[FloatArray, "rank classes + 1"],
    grade_class: Annotated[IntArray, "2, grades"],
    weights: Annotated[FloatArray, "depth"],
    masses: Annotated[FloatArray, "2, k, grades"],
    scratch: Annotated[FloatArray, "5, grades + 1"],
    sums: Annotated[FloatArray, "2, k, grades, grades"],
    p: Annotated[FloatArray, "2, depth, grades"],
):
    """Sums over the sorted lists at both ends of the attainable interval.

    Ranks of equal weight form a class, and so do grades of equal gain. A sorted list places the classes of grades
    one after the other on the ranks. Within a class of ranks, its documents are spread evenly.

    The sums are sum_n d_n p_n(i) ([i = j] + S_n(j)) with weights d_n, and with S_n = sum_{m<n} p_m only where
    ``pairwise`` is 1. Those of grade 0 are incomplete where ranks are filled from the first to the last
    (``in_order``). Classes of ranks are numbered in the order in which they are filled, classes of grades in the
    order in which they fill them. ``first`` has the number of ranks in the classes before each. ``adding`` is the
    last rank that adds to the value; later ranks are visited only where the lists are wanted. The rows of
    ``masses``, the documents of each grade, sum to the depth.

    Output: ``sums``, which are 0 before, and ``p`` of the last lists, which is (0, 0, grades) where these are not
    wanted.
    """
    for above in range(2):
        for number in range(masses.shape[1]):
            classes, mass, total = grade_class[above], masses[above, number], sums[above, number]
            _mark_edges(classes, mass, len(weights), scratch)
            _sum_list(
                adding, pairwise, in_order, rank_class, first, classes, weights, mass, scratch, total, p, above
            )


def _mark_edges(grade_class, mass, depth, scratch):
    """Documents of each class, where it begins in the order of the list, and its only grade if it has one.

    ``grade_class`` and ``mass`` (grades,) are the class and the documents of each grade. The three results become
    the first rows of ``scratch`` (5, grades + 1).
    """
    of_class, edge, only, grades = scratch[0], scratch[1], scratch[2], mass.shape[0]
    for g in range(grades + 1):
        for row in range(scratch.shape[0]):
            scratch[row, g] = 0.0
        only[g] = -1.0
    for i in range(grades):
        g = grade_class[i]
        of_class[g] += mass[i]
        if mass[i] > 0.0:
            only[g] = float(i) if of_class[g] == mass[i] else -1.0
    for g in range(grades):
        edge[g + 1] = min(edge[g] + of_class[g], float(depth))  # rounding must not push a class beyond the list


def _sum_list(adding, pairwise, in_order, rank_class, first, grade_class, weights, mass, scratch, sums, p, above):
    """The sums of :func:`fill` for one sorted list, with ``grade_class``, ``mass`` (grades,) and ``sums`` of it.

    Places of the list are numbers from 0 to the depth, in the order in which classes of ranks are filled: those of
    the rank's class are ``low`` to ``high``, those of class g of grades ``edge[g]`` to ``edge[g + 1]``. For each
    rank: 1. The class g of grades at ``low``. 2. Its row p_n, of one or several grades. 3. What it adds:

        sums(i, j) <- sums(i, j) + d_n p_n(i) ([i = j] + S_n(j)),    S_n <- S_n + p_n
    """
    depth, grades, shown = len(weights), len(mass), p.shape[1]  # shown: ranks of p, 0 or the depth
    of_class, edge, only, row, before = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    documents, g, n = 0.0, 0, 0
    for number in range(grades):
        documents += of_class[number]  # in the end the depth, up to rounding
    edge[grades] = depth
    while n < max(adding, shown):
        # 1.
        low, high = first[rank_class[n]], first[rank_class[n] + 1]
        g = 0 if low < edge[g] else g
        while edge[g + 1] <= low:
            g += 1
        class_end, single = edge[g + 1], int(only[g])
        # 2.
        if high <= min(class_end, documents) and single >= 0:  # nearly all ranks hold one grade for certain
            for i in range(grades):
                row[i] = 1.0 if i == single else 0.0
            if in_order and single == 0 and shown == 0:
                end = int(class_end)  # skip to the first rank that has another grade
                n = max(n, (int(first[rank_class[end]]) if end < depth else end) - 1)
        else:
            for i in range(grades):  # the part of each grade between the places low and high of the order
                number = grade_class[i]
                begin, end_of_class, class_mass = edge[number], edge[number + 1], of_class[number]
                all_inside = low <= begin and end_of_class <= high
                filled = class_mass if all_inside else min(high, end_of_class) - max(low, begin)
                has_documents = filled > 0.0 and mass[i] > 0.0
                row[i] = filled / (high - low) * (mass[i] / class_mass) if has_documents else 0.0
        # 3.
        for i in range(grades):
            if row[i] > 0.0:
                sums[i, i] += weights[n] * row[i]
                for j in range(grades):
                    sums[i, j] += weights[n] * row[i] * before[j]
        for i in range(grades):
            before[i] += pairwise * row[i]
            if shown > 0:
                p[above, n, i] = row[i]
        n += 1
