"""Loops over sorted lists that numba compiles: see :mod:`maxent.kernels.sorted_lists`."""

from maxent.kernels.translate import compiled


@compiled
def fill(adding, rank_class, first, grade_class, idle, masses, a, d, K, scratch, values, p):  # type: ignore[no-untyped-def]
    """Values of sorted lists at both ends: classes of grades fill classes of ranks, in order and evenly in a class.

    Classes are numbered in the order in which they are filled or fill. ``adding`` is the last rank that adds to the
    value: others are not visited where only the values are wanted. ``idle`` is 1 for grades whose documents add
    nothing, provided that ranks are filled from the first to the last. The shapes are

        rank_class (depth,), first (rank classes + 1,) ranks in the classes before each, grade_class (2, grades),
        idle (grades,), masses (2, k, grades) whose rows sum to the depth, a (depth, grades), d (depth,),
        K (grades, grades), scratch (5, grades + 1); output: values (2, k), p (2, depth, grades) of the last lists,
        or (0, 0, grades) where they are not wanted.
    """
    for above in range(2):
        for number in range(masses.shape[1]):
            own = grade_class[above]
            _edges(own, masses[above, number], a.shape[0], scratch)
            value = _filled(adding, rank_class, first, own, idle, masses[above, number], a, d, K, scratch, p, above)
            values[above, number] = value


@compiled
def _edges(grade_class, mass, depth, scratch):  # type: ignore[no-untyped-def]
    """Documents of each class, where it begins in the order of the list, and its only grade if it has one."""
    of_class, edge, only, grades = scratch[0], scratch[1], scratch[2], mass.shape[0]
    scratch[:] = 0.0
    only[:] = -1.0
    for i in range(grades):
        g = grade_class[i]
        of_class[g] += mass[i]
        if mass[i] > 0.0:
            only[g] = i if of_class[g] == mass[i] else -1.0
    for g in range(grades):
        edge[g + 1] = min(edge[g] + of_class[g], float(depth))  # rounding must not push a class beyond the list


@compiled
def _filled(adding, rank_class, first, grade_class, idle, mass, a, d, K, scratch, p, above):  # type: ignore[no-untyped-def]
    """Value of one sorted list."""
    (depth, grades), shown = a.shape, p.shape[1]
    of_class, edge, only, row, gained = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    known = of_class.sum()  # the depth, up to rounding
    edge[grades] = depth
    value, g, n = 0.0, 0, 0
    while n < max(adding, shown):
        low, high = first[rank_class[n]], first[rank_class[n] + 1]
        g = 0 if low < edge[g] else g
        while edge[g + 1] <= low:
            g += 1
        last, single = edge[g + 1], int(only[g])
        if high <= min(last, known) and single >= 0:  # nearly all ranks hold one grade for certain
            for i in range(grades):
                row[i] = 1.0 if i == single else 0.0
                value += (a[n, i] + d[n] * gained[i]) * row[i]
            for j in range(grades):
                gained[j] += K[j, single]
            if idle[single] > 0.0 and shown == 0:
                end = int(last)  # skip to the first rank that has another grade
                n = max(n, (int(first[rank_class[end]]) if end < depth else end) - 1)
        else:
            for i in range(grades):  # the part of each grade between the places low and high of the order
                own = grade_class[i]
                bottom, top, whole = edge[own], edge[own + 1], of_class[own]
                filled = whole if low <= bottom and top <= high else min(high, top) - max(low, bottom)
                some = filled > 0.0 and mass[i] > 0.0
                row[i] = filled / (high - low) * (mass[i] / whole) if some else 0.0
                value += row[i] * (a[n, i] + d[n] * gained[i])
            for i in range(grades):
                for j in range(grades):
                    gained[j] += K[j, i] * row[i]
        if shown > 0:
            for i in range(grades):
                p[above, n, i] = row[i]
        n += 1
    return value
