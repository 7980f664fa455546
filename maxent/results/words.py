"""The heading and the meaning of every column, once: for terminals, reports and the pages on numbers."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd


class Word(NamedTuple):
    """Heading of a column, the meaning of its values, and whether a terminal explains it below the table."""

    heading: str
    meaning: str = ""
    explained: bool = False


INTERVAL = Word("95 %", "bootstrap interval over topics", explained=True)
DRAWN = Word("90 %", "90 % of the values, or numbers, for grades that are drawn", explained=True)
BOUNDS = Word("bounds", "lowest and highest value that grades of unjudged documents give", explained=True)
WORDS = {
    # what a row is about
    "run_id": Word("run", "a system: its name in the run file"),
    "run": Word("run", "a system: its name in the run file"),
    "run_a": Word("run a", "one run of the pair"),
    "run_b": Word("run b", "the other run of the pair"),
    "baseline": Word("baseline", "the run that the other is compared with"),
    "query_id": Word("topic", "a query with its judgments"),
    "measure": Word("measure", "the measure whose value is known, in its text form"),
    "target": Word("predicted", "the measure that is predicted from the known one"),
    "measure_a": Word("measure", "GAP, xGAP or eGAP with the g of the row"),
    "measure_b": Word("compared with", "the measure whose ranking of the systems is compared"),
    "g": Word("g", "threshold probabilities: a user finds grade k and higher relevant with probability g_k"),
    "threshold": Word("threshold", "t, the lowest grade that counts as relevant on the curve", explained=True),
    "status": Word("status", "what became of the list"),
    "reason": Word("reason", "why lists are left out"),
    "value": Word("value", "value of the measure for the list"),
    # how many
    "lists": Word("lists", "lists behind a mean: those that are not left out and whose problem was solved"),
    "left_out": Word("left out", "lists of the test topics that are not used"),
    "topics": Word("topics", "topics of these lists"),
    "constant": Word("constant", "lists in which the counts alone fix the value of the measure", explained=True),
    "points": Word("points", "points of the actual curve: retrieved documents of the threshold's grade or higher"),
    "documents": Word("documents", "judged documents"),
    "missing": Word("missing", "topics for which the run returned nothing: an empty list"),
    "used": Word("used", "lists behind the numbers of this report"),
    "nonrelevant": Word("grade 0", "judged documents that are not relevant"),
    # errors of curves
    "rms": Word(
        "RMS",
        "root mean square error of the inferred curve's precision, mean over lists; lower is more informative",
        explained=True,
    ),
    "mae": Word("MAE", "mean absolute error of the inferred curve's precision, mean over lists"),
    "entropy": Word("entropy", "entropy of the inferred distribution, in nats", explained=True),
    "nats": Word(
        "nats",
        "information of the value: log-likelihood of the list, less that under the counts alone; higher is more",
        explained=True,
    ),
    "objective": Word(
        "mean RMS", "RMS averaged over the thresholds, with their weights; lower is more informative"
    ),
    "excess": Word(
        "excess (95 %)",
        "interval of the mean RMS minus that of the best; 0 within it: not distinguishable",
        explained=True,
    ),
    "share_best": Word("best in", "share of the resampled sets of topics in which it is the best", explained=True),
    "rank": Word("place", "place among the measures by mean RMS"),
    "same": Word("same as", "measures that make the same error on every list"),
    "difference": Word("difference", "minus the mean RMS of the best"),
    # verdicts
    "difference_min": Word("from", "smallest difference of all readings: first minus second", explained=True),
    "difference_max": Word("to", "largest difference of all readings", explained=True),
    "solved": Word("solved", "lists that are solved for every measure in every other reading"),
    "error_ratio": Word(
        "SE ratio",
        "standard error by topic and run over that by topic, the largest of all readings",
        explained=True,
    ),
    # choose-measures
    "step": Word("step", "number of measures known together"),
    "added": Word("added", "the last measure added"),
    "rms_training": Word("RMS training", "on the half of the topics that chooses", explained=True),
    "rms_test": Word("RMS test", "on the half of the topics that judges", explained=True),
    "change": Word("change", "of the RMS to the step before", explained=True),
    "verdict": Word(
        "verdict", "helps: the interval of the change is below 0; within noise: it includes 0; worse; no interval"
    ),
    # predictions and rankings
    "within": Word("within", "share of the lists whose actual value is within the band of its prediction"),
    "tau": Word(
        "tau", "Kendall's tau-b between two rankings of the systems; 1: the same, -1: reversed", explained=True
    ),
    "tau_ap": Word("tau AP", "AP correlation: like tau, but the top of the ranking counts more", explained=True),
    "tau_systems": Word("tau of means", "Kendall's tau-b between predicted and actual means of the systems"),
    "share": Word("judgments", "share of the judgments that is kept"),
    # comparisons of systems
    "power": Word("power", "share of the pairs of systems that the measure tells apart", explained=True),
    "difference_needed": Word("needed", "difference of two means that is needed for significance", explained=True),
    "told_apart": Word("told apart by", "number of measures by which the difference of the pair is significant"),
    "asl": Word("ASL", "achieved significance level of the pair"),
    "mean_baseline": Word("its mean", "mean of the baseline over topics"),
    "mean": Word("mean", "mean of the run over topics"),
    "p_value": Word("p", "p-value of the paired test"),
    "p_value_corrected": Word("p corrected", "p-value corrected for the number of comparisons by the measure"),
    "reject": Word("significant", "whether the corrected p-value is at most the level"),
    "effect_size": Word("effect", "mean difference over its standard deviation over topics"),
    "better": Word("better", "topics in which the run is better"),
    "worse": Word("worse", "topics in which the run is worse"),
    "equal": Word("equal", "topics in which both have the same value"),
    # two sets of judgments
    "statistic": Word(
        "statistic",
        "agreement: share of documents with the same grade; kappa: agreement beyond chance, weighted by the "
        "distance of the grades (linear) or its square; 1: perfect",
        explained=True,
    ),
    "drop": Word("drop", "most ranks that a run loses from A to B"),
    "falls": Word(
        "falls the most", "the run that loses the most ranks from A to B; -: no run loses any", explained=True
    ),
    "rank_a": Word("rank, A", "rank of the run with A"),
    "rank_b": Word("rank, B", "rank of the run with B"),
    "mean_a": Word("mean, A", "mean of the run over the topics with A"),
    "mean_b": Word("mean, B", "mean of the run over the topics with B"),
    # clicks
    "grade": Word("grade", "relevance grade"),
    "impressions": Word("impressions", "documents of the grade that users saw"),
    "clicks": Word("clicks", "those that they clicked"),
    "rate": Word("rate", "clicks per impression", explained=True),
    # files
    "file": Word("file", "file of the run"),
    "lines": Word("lines", "lines of the run"),
    "unknown": Word("unknown", "topics that the judgments do not have"),
    "shortest": Word("shortest", "documents of the shortest list"),
    "longest": Word("longest", "documents of the longest list"),
    "judged_10": Word("judged 10", "share of judged documents among the first 10, mean over lists"),
    "judged": Word("judged", "share of judged documents within the depth, mean over lists"),
    "tied": Word("tied", "lists with tied scores"),
    "rank_differs": Word(
        "rank differs", "lists in which the rank is not the order of the scores, which alone counts"
    ),
    "rank_against": Word("rank against", "lists in which the rank goes against scores that are not tied"),
    "repeated": Word("repeated", "lines that list a document of the topic again"),
    # a measure
    "constraint": Word("constraint", "whether its expected value can be a maximum-entropy constraint"),
}
"""Words of a column by its name in the files of ``--out``."""

PREDICTIONS = {
    "rms": "root mean square of predicted minus actual value, over all lists",
    "mae": "mean absolute value of predicted minus actual value",
    "tau": "Kendall's tau-b between predicted and actual values of a topic's systems, mean over topics",
}
"""Meanings of columns that mean something else in predictions than in studies."""
SYSTEMS = {
    "measure": "the measure that compares the systems",
    "topics": "number of topics",
    "low": "interval of the difference at level 1 - alpha, not corrected",
    "difference": "mean of the run minus that of the baseline",
}
"""The same for tests of systems."""
REPORTED = {
    "value": "average over the topics: as it is given, or expected; none where the given ones do not reach it",
    "from": "of a predicted average: its interval; of an impossible row: what is possible beside the others",
    "rounding": "how far the rounding of the given averages can move it",
    "nearest": "of a row without a distribution: the same average in the nearest row that is possible",
}
"""The same for averages that are reported, whose intervals are of a model."""
JUDGMENTS = {
    "value": "value of the statistic; 1: perfect agreement",
    "tau": "Kendall's tau-b between the rankings of the runs with A and with B; 1: the same",
    "tau_ap": "AP correlation of B's ranking with A's: like tau, but the top counts more",
    "measure": "the measure that ranks the runs",
    "run_id": "the run that loses them",
}
"""The same for two sets of judgments."""
ASSESSORS = {
    "measure": "the measure of the values",
    "mean": "mean of the run over topics and assessors",
    "variance_topics": "variance of the true values over topics (sigma_mu^2)",
    "variance_assessors": "variance of a topic's value over assessors, mean over topics (sigma_d^2)",
    "error": "standard error of the mean",
    "topics_needed": "topics that would halve the standard error, with as many assessors",
    "assessors_needed": "assessors that would, with as many topics; none where no number of them would",
}
"""The same for assessors."""
UNJUDGED = {
    "judged": "judged documents",
    "unjudged": "documents of the runs that are not judged",
    "relevant": "documents judged relevant",
    "expected": "relevant documents if all were judged, expected",
    "step": "what is learned: whether a document of the grade below reaches this one",
    "feature": "what is known of a document, standardised over the judged ones",
    "multiplier": "by how much the log-odds rise with the feature, in all topics",
    "error": "standard deviation of the multiplier",
}
"""The same for documents that are not judged, whose intervals are of draws."""
POOLS = {
    "topics": "the set of topics",
    "measure": "the measure that ranks the systems",
    "tau_low": "interval of 95 % of the repetitions",
}
"""The same for reduced judgments."""
VERDICTS = {
    "first": "the measure for which a verdict stands, or that is ahead in more readings",
    "second": "the measure that it is compared with",
    "verdict": "stands, stands for threshold 1, depends on readings that turn it round, open, or counts alone: "
    "they fix one of the measures in every list",
    "readings": "distinct readings; total and at_most are one",
    "ahead": "readings in which the first measure has the smaller mean error, over the thresholds or for the first",
    "told": "readings whose interval says so, corrected for the number of pairs",
    "opposite": "readings whose interval says the opposite",
    "difference": "mean error of the first measure minus that of the second",
    "lists": "lists in which the counts alone fix neither measure; the fewest of all readings",
    "topics": "topics of these lists",
}
SHARE_COLUMNS = ("share_best", "share", "power")
P_VALUE_COLUMNS = ("p_value", "p_value_corrected", "asl")
MEASURE_COLUMNS = (
    "measure",
    "first",
    "second",
    "target",
    "measure_a",
    "measure_b",
    "other",
    "added",
    "known",
    "same",
    "choice",
)
TEXT_COLUMNS = ("run_id", "query_id", "run_a", "run_b", "run", "baseline", "file")


class Column(NamedTuple):
    """A column as people read it: its name, its words, and its values, intervals being pairs."""

    key: str
    word: Word
    values: list[Any]


def word(key: str, meanings: Mapping[str, str] | None = None) -> Word:
    """Words of a column; ``rms t=2`` and ``rms_t2`` are ``rms`` for a threshold; an unknown name is its heading."""
    name, _, part = key.strip().partition(" t=")
    if match := re.fullmatch(r"rms_t(\d+)", name):
        name, part = "rms", match[1]
    if match := re.fullmatch(r"grade_(\d+)", name):
        return Word(f"grade {match[1]}", f"judged documents of grade {match[1]}")
    entry = WORDS.get(name, Word(name))
    if meanings and name in meanings:
        entry = entry._replace(meaning=meanings[name])
    return entry._replace(heading=f"{entry.heading} t={part}") if part else entry


def columns(frame: pd.DataFrame, meanings: Mapping[str, str] | None = None) -> list[Column]:
    """Columns of a table as people read them: both ends of an interval in one, no g_1, g_2 beside GAP(g)."""
    names = list(map(str, frame.columns))
    shown = []
    for position, key in enumerate(names):
        values = frame.iloc[:, position].tolist()
        end = re.fullmatch(r"(?:(\w+)_)?(low|high)( t=\d+)?", key)
        if end and end[2] == "high":
            continue
        if re.fullmatch(r"g_\d+", key) and "measure" in names:
            continue
        if end:
            other = frame.iloc[:, names.index(key.replace("low", "high"))].tolist()
            interval = {"excess": WORDS["excess"], "drawn": DRAWN, "bounds": BOUNDS}.get(end[1], INTERVAL)
            meaning = (meanings or {}).get(f"{end[1]}_low" if end[1] else "low", interval.meaning)
            shown.append(Column(key, interval._replace(meaning=meaning), list(zip(values, other, strict=True))))
        else:
            shown.append(Column(key, word(key, meanings), values))
    return shown


def legend(frame: pd.DataFrame, meanings: Mapping[str, str] | None = None) -> list[str]:
    """Lines below a table: the meanings of those columns that a terminal explains."""
    meaning_of = dict[str, str]()
    for column in columns(frame, meanings):
        heading, meaning, explained = column.word
        if explained and meaning:
            meaning_of.setdefault(heading.partition(" t=")[0], meaning)
    return [f"{heading}: {meaning}" for heading, meaning in meaning_of.items()]
