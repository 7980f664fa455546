"""How far the means of a run depend on the order of documents with the same score."""

from collections.abc import Sequence

import numpy as np

from maxent.data.judgments import Judgments
from maxent.data.run_lists import RunLists
from maxent.measures import as_measures
from maxent.types import FloatArray, IntArray, equal_rows

MEASURES = ("AP", "nDCG@10")


def means_over_ties(
    lists: RunLists, judged: Judgments, depth: int, measures: Sequence[str] = MEASURES
) -> dict[str, FloatArray]:
    """Lowest and highest mean, (2,), of each measure over all orders of tied documents.

    AP and nDCG do not fall where a document changes places with a better one below it. So the lists with ties in
    ascending and in descending order of grades have the lowest and the highest value of all orders. Topics without
    a list count 0.
    """
    # 1. the lists of judged topics, ties in ascending and in descending order of grades: (lists, 2, depth)
    grades = np.stack([_grades(lists, judged, depth, sign) for sign in (1, -1)], axis=1)
    counts = judged.count()[lists.among(judged.topics), 1:]
    has_relevant = counts.any(axis=1) & (lists.among(judged.topics) >= 0)
    grades, counts = grades[has_relevant], counts[has_relevant]
    # 2. sums of values, as means over all judged topics
    means = {}
    for measure in as_measures(measures):
        values = [measure.values(grades[alike], counts[alike[0]]).sum(axis=0) for alike in equal_rows(counts)]
        means[str(measure)] = np.sum(values, axis=0) / len(judged.topics) if values else np.zeros(2)
    return means


def _grades(lists: RunLists, judged: Judgments, depth: int, sign: int) -> IntArray:
    """Grades of lists, (lists, depth), with ties in the order of ``sign`` times the grade; unjudged is 0."""
    topics = lists.among(judged.topics)[lists.list_of]
    docs = judged.match(lists.run.docs)[lists.lines]
    of_entries = np.where(topics >= 0, judged.look_up(topics, docs), 0).clip(min=0)
    order = np.lexsort((sign * of_entries, -lists.scores, lists.list_of))
    within = lists.rank_of < depth  # of the entries in any order: their lists are as long
    grades = np.zeros((len(lists.lengths), depth), np.int16)
    grades[lists.list_of[within], lists.rank_of[within]] = of_entries[order][within]
    return grades
