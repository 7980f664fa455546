"""Heading and meaning of every column, for terminals, reports and the documentation."""

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
DRAWN = Word(
    "90 %",
    "interval of 90 % of the values, over drawn grades (of means also over topics)",
    explained=True,
)
BOUNDS = Word("bounds", "lowest and highest value, over all grades of the unjudged documents", explained=True)
WORDS = {
    # what a row is about
    "run_id": Word("run", "name of the run, which is the system"),
    "run": Word("run", "name of the run, which is the system"),
    "run_a": Word("run a", "first run of the pair"),
    "run_b": Word("run b", "second run of the pair"),
    "baseline": Word("baseline", "run with which the others are compared"),
    "query_id": Word("topic", "a query with its judgments"),
    "measure": Word("measure", "measure whose value the model is given, in text form"),
    "target": Word("predicted", "measure whose value is predicted"),
    "measure_a": Word("measure", "GAP, xGAP or eGAP, with the g of the row"),
    "measure_b": Word("compared with", "measure whose ranking of the systems is compared"),
    "g": Word("g", "threshold probabilities: a user finds grade k and higher relevant with probability g_k"),
    "threshold": Word("threshold", "t, the lowest grade that counts as relevant", explained=True),
    "status": Word("status", "whether the list is used, or why it is excluded"),
    "reason": Word("reason", "why lists are excluded"),
    "value": Word("value", "value of the measure for the list"),
    # how many
    "lists": Word("lists", "lists in the mean: included and solved"),
    "left_out": Word("excluded", "excluded lists of the evaluation topics"),
    "topics": Word("topics", "topics of these lists"),
    "constant": Word("constant", "lists in which the counts alone fix the value", explained=True),
    "points": Word("points", "precisions compared: at retrieved documents of grade t or higher, or at every rank"),
    "documents": Word("documents", "judged documents"),
    "missing": Word("missing", "topics for which the run has no documents: an empty list"),
    "used": Word("used", "lists used in this report"),
    "nonrelevant": Word("grade 0", "judged documents that are not relevant"),
    # errors of curves
    "rms": Word(
        "RMS",
        "root mean square error of inferred precision, mean over lists; lower is more informative",
        explained=True,
    ),
    "mae": Word("MAE", "mean absolute error of inferred precision, mean over lists"),
    "entropy": Word("entropy", "entropy of the inferred distribution, in nats", explained=True),
    "objective": Word(
        "mean RMS", "RMS error averaged over the thresholds, with their weights; lower is more informative"
    ),
    "excess": Word(
        "above best (95 %)",
        "95 % interval of the error above the smallest, not adjusted for the number of candidates",
        explained=True,
    ),
    "role": Word(
        "role",
        "recommended: the simplest that may be the best; best: the smallest error of the grid, if another is "
        "recommended; refined: by local optimisation on the same lists, no reference for differences; no content: "
        "a measure without content, the level that a measure should be below",
        explained=True,
    ),
    "may_be_best": Word(
        "may be best",
        "with 95 % confidence the best is among these (model confidence set over topics); as it allows for all "
        "comparisons, it may keep a measure whose unadjusted interval excludes 0",
        explained=True,
    ),
    "share_best": Word("best in", "share of the bootstrap samples in which it is the best", explained=True),
    "rank": Word("place", "place among the measures by mean RMS error"),
    "same": Word("same as", "measures with the same error on every list"),
    "difference": Word("difference", "mean RMS error minus that of the best"),
    # verdicts
    "difference_min": Word("from", "smallest difference over the readings, first minus second", explained=True),
    "difference_max": Word("to", "largest difference over the readings", explained=True),
    "solved": Word(
        "solved", "lists solved for every measure in every reading of a depth; the fewest over the depths"
    ),
    "error_ratio": Word(
        "SE ratio",
        "standard error clustered by topic and run, over that by topic; the largest over the readings",
        explained=True,
    ),
    "told": Word("confirmed"),
    # choose-measures
    "step": Word("step", "number of measures given together"),
    "added": Word("added", "measure added last"),
    "rms_training": Word("RMS training", "on the half of the topics used to choose", explained=True),
    "rms_test": Word("RMS test", "on the other half, used to evaluate", explained=True),
    "change": Word("change", "of the RMS error from the step before", explained=True),
    "verdict": Word(
        "verdict",
        "helps: the interval of the change is below 0; within noise: it includes 0; worse: it is above 0; "
        "no interval: fewer than two topics",
    ),
    # predictions and rankings
    "within": Word("within", "share of the lists whose actual value is inside the predicted band"),
    "tau": Word(
        "tau", "Kendall's tau-b between two rankings of the systems; 1: same order, -1: reversed", explained=True
    ),
    "tau_ap": Word("tau AP", "AP correlation: like tau, but the top of the ranking counts more", explained=True),
    "tau_systems": Word(
        "tau of means", "Kendall's tau-b between predicted and actual means of the systems over topics"
    ),
    "share": Word("judgments", "share of the judgments kept"),
    # comparisons of systems
    "power": Word("power", "share of the pairs of systems that differ significantly", explained=True),
    "difference_needed": Word(
        "needed", "estimated difference of two means that is needed for significance", explained=True
    ),
    "asl": Word("ASL", "achieved significance level of the pair"),
    "mean_baseline": Word("its mean", "mean of the baseline over topics"),
    "mean": Word("mean", "mean of the run over topics"),
    "p_value": Word("p", "p-value of the paired test"),
    "p_value_corrected": Word("p corrected", "p-value, corrected for the number of comparisons with this measure"),
    "reject": Word("significant", "whether the corrected p-value is at most alpha"),
    "effect_size": Word("effect", "mean difference divided by its standard deviation over topics"),
    "better": Word("better", "topics in which the run is better"),
    "worse": Word("worse", "topics in which the run is worse"),
    "equal": Word("equal", "topics in which both have the same value"),
    # two sets of judgments
    "statistic": Word(
        "statistic",
        "agreement: share of documents with the same grade; kappa: agreement beyond chance, also weighted by "
        "the distance of the grades (linear) or its square (quadratic); 1: perfect",
        explained=True,
    ),
    "drop": Word("drop", "largest number of ranks that a run loses from A to B"),
    "falls": Word(
        "falls the most", "run that loses the most ranks from A to B; -: no run loses any", explained=True
    ),
    "rank_a": Word("rank, A", "rank of the run with A"),
    "rank_b": Word("rank, B", "rank of the run with B"),
    "mean_a": Word("mean, A", "mean of the run over the topics with A"),
    "mean_b": Word("mean, B", "mean of the run over the topics with B"),
    # clicks
    "grade": Word("grade", "relevance grade"),
    "impressions": Word("impressions", "documents of the grade that users saw"),
    "clicks": Word("clicks", "clicks on these documents"),
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
        "rank differs", "lists whose rank column differs from the order of the scores, which alone counts"
    ),
    "rank_against": Word("rank against", "lists whose rank column contradicts scores that are not tied"),
    "repeated": Word("repeated", "lines that repeat a document of the topic"),
    "level": Word("level", "error: the input cannot be used; warning: it may not be what was meant"),
    "finding": Word("finding", "what is odd"),
    "source": Word("source", "the judgments or the run"),
    "detail": Word("detail", "how often, where or in which topics"),
    "top": Word("top", "documents of the highest grade of the judgments"),
    "negative": Word("negative", "judgments below 0, which count as 0"),
    "runs": Word("runs", "runs with documents for the topic"),
    # a list
    "doc_id": Word("doc_id", "document"),
    "curve": Word("curve", "actual, or the measure from whose value the curve is inferred"),
    "recall": Word("recall", "share of the relevant documents"),
    "precision": Word("precision", "precision at this recall"),
    "p": Word("p", "probability of the grade at the rank"),
    "actual": Word("actual", "value of the predicted measure for the list"),
    "predicted": Word("predicted", "expected value of the predicted measure under the inferred distribution"),
    # readings and samples
    "count": Word("count", "numbers of documents given to the model"),
    "model": Word("model", "independent ranks or whole lists"),
    "reference": Word("reference", "distribution before the values are given"),
    "align": Word("align", "how two curves are compared"),
    "depth": Word("depth", "length of the lists"),
    "repetition": Word("repetition", "number of the random sample of the judgments"),
    "grade_a": Word("grade_a", "grade in A; empty if not judged"),
    "grade_b": Word("grade_b", "grade in B; empty if not judged"),
    # a measure
    "constraint": Word("constraint", "whether its expected value can be a maximum-entropy constraint"),
}
"""Words of a column by its name in the files of ``--out``."""

NUMBERED = {
    "grade_": ("grade ", "judged documents of grade"),
    "g_": ("g_", "threshold probability of grade"),
    "p_": ("p_", "probability of grade"),
}
"""Heading and meaning of columns whose names end in a grade, by what their names begin with."""

ONE_LIST = {
    "rms": "root mean square error of the inferred precision where the curves are compared",
    "mae": "mean absolute error of the inferred precision there",
    "low": "band that contains the precision of a random list with the probability given by the option band",
    "rank": "rank in the list",
}
"""Meanings of columns that mean something else for one list than for the means of a study."""
PREDICTIONS = {
    "low": "band that contains the value of a random list with the probability given by the option band",
    "rms": "root mean square of predicted minus actual value over all lists",
    "mae": "mean absolute value of predicted minus actual value",
    "tau": "Kendall's tau-b between predicted and actual values of the systems, mean over topics",
}
"""The same for predictions."""
SYSTEMS = {
    "measure": "measure by which the systems are compared",
    "topics": "number of topics",
    "missing": "topics with relevant documents for which at least one of the two runs has no list",
    "runs": "number of the best systems",
    "pairs": "pairs of these systems",
    "low": "interval of the difference at level 1 - alpha, not corrected for the number of comparisons",
    "difference": "mean of the run minus that of the baseline",
}
"""The same for tests of systems."""
PAIRS = SYSTEMS | {"difference": "mean of run a minus that of run b"}
"""The same for all pairs of systems."""
RANGE = (
    "of a predicted average: its interval; of a given one: the average; in an impossible or failed row: what the "
    "other averages allow"
)
REPORTED = {
    "value": "average over topics: as given, or expected; none if not reached",
    "status": "given, predicted, not reached, not determined, impossible or failed",
    "from": RANGE,
    "to": RANGE,
    "low": RANGE,
    "measure": "measure of the average",
    "precision": "mean interpolated precision over topics",
    "curve": "averages from which it is inferred",
    "rounding": "how far the rounding of the given averages can move a predicted one",
    "nearest": "in a row that is impossible or failed: the same average in the nearest possible row",
}
"""The same for averages that are reported, whose intervals are of a model."""
LEVELS = REPORTED | dict.fromkeys(("low", "from", "to"), "band of the precision") | {"recall": "level of recall"}
"""The same for the mean curve that they imply."""
JUDGMENTS = {
    "value": "value of the statistic; 1: perfect agreement",
    "tau": "Kendall's tau-b between the rankings of the runs with A and with B; 1: same order",
    "tau_ap": "AP correlation of B's ranking with A's: like tau, but the top counts more",
    "measure": "measure that ranks the runs",
    "documents": "documents judged in both",
    "topics": "topics in both",
}
"""The same for two sets of judgments."""
ASSESSORS = {
    "measure": "measure of the values",
    "mean": "mean of the run over topics and assessors",
    "variance_topics": "variance of the effects of topics (sigma_t^2); below 0 by chance",
    "variance_assessors": "variance of assessors' leniency, common to all topics (sigma_a^2); below 0 by chance",
    "variance_rest": "variance of an assessor's other deviations, topic by topic (sigma_e^2)",
    "error": "standard error of the mean, if every assessor judges all topics; none if its square is below 0",
    "kishida_topics": "variance of the true values over topics (Kishida's sigma_mu^2)",
    "kishida_assessors": "variance of a topic's value over assessors, mean over topics (Kishida's sigma_d^2)",
    "kishida_error": "Kishida's standard error of the mean, if each topic has assessors of its own",
    "topics_needed": "topics that would halve the standard error, with the same assessors; none if no number would",
    "assessors_needed": "assessors that would halve it, with the same topics; none if no number would",
}
"""The same for assessors."""
OF_TOPICS = {
    "mean": "mean of the run for the topic, over assessors (mu_h)",
    "variance": "variance of the run's values for the topic, over assessors (sigma_h^2)",
}
"""The same for assessors, of a single topic."""
UNJUDGED = {
    "judged": "judged documents",
    "unjudged": "documents of the runs without a judgment",
    "relevant": "documents judged relevant",
    "expected": "expected number of relevant documents if all were judged",
    "low": "interval of 90 % of the drawn numbers of relevant documents",
    "step": "k or more: whether a document of grade k - 1 or higher has grade k or higher",
    "feature": "feature of a document, standardised over the judged documents",
    "multiplier": "change of the log-odds per unit of the feature, in all topics",
    "error": "standard deviation of the multiplier",
}
"""The same for documents that are not judged, whose intervals are of draws."""
POOLS = {
    "topics": "set of topics",
    "measure": "measure that ranks the systems",
    "tau": "Kendall's tau-b between the rankings with all judgments and with the share",
    "tau_low": "interval of 95 % of the repetitions",
}
"""The same for reduced judgments."""
VERDICTS = {
    "first": "measure for which the verdict stands, or else the one ahead in more readings",
    "second": "measure with which it is compared",
    "verdict": "stands, stands for threshold 1, depends on choices that reverse it, open, counts alone: "
    "they fix one of the measures in every list of every reading, or no interval: no two topics to compare",
    "threshold": "threshold of the errors in the row; mean (0 in files): mean over thresholds",
    "readings": "distinct readings in which the pair is compared; count=total and at_most are one",
    "ahead": "readings in which the first measure has the smaller mean error",
    "told": "readings in which the interval, corrected for the number of pairs, confirms this",
    "opposite": "readings in which the interval shows the opposite",
    "difference": "mean error of the first measure minus that of the second",
    "lists": "lists in which the counts alone fix neither measure; the fewest over the readings",
    "topics": "topics of the lists in which the counts alone fix neither measure; the fewest over the readings",
}
DIFFERENCES = VERDICTS | {
    "first": "first measure",
    "second": "second measure",
    "compared": "yes; counts alone: they fix one of the two measures in every list; one topic: its lists give no "
    "interval; no list: none is solved for every measure in every reading of the depth",
    "lists": "lists in which the counts alone fix neither measure",
    "solved": "lists solved for every measure",
    "topics": "topics of the lists in which the counts alone fix neither measure",
    "difference_low": "95 % interval over topics, corrected for the number of pairs",
    "error_ratio": "standard error clustered by topic and run, over that by topic",
}
"""The same for the differences in each reading."""
STEPS = {
    "measure": "all measures given together so far; counts: none",
    "rms_training": "mean RMS error on the half of the topics used to choose",
    "lists": "lists of the evaluation topics that are solved at every step",
    "rms": "RMS error on the evaluation topics, mean over lists and thresholds",
    "difference": "change of the RMS error from the step before",
}
"""The same for measures that are added one after the other."""
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
    "given",
    "same",
    "choice",
)
TEXT_COLUMNS = ("run_id", "query_id", "run_a", "run_b", "run", "baseline", "file")


END = re.compile(r"(?:(\w+)_)?(low|high)( t=\d+)?")  # of an interval


class Column(NamedTuple):
    """A column for people: its name, its words, and its values, pairs for intervals."""

    key: str
    word: Word
    values: list[Any]


def word(key: str, meanings: Mapping[str, str] | None = None) -> Word:
    """Words of a column; ``rms t=2`` and ``rms_t2`` are ``rms`` for a threshold; an unknown name is its heading."""
    name, _, part = key.strip().partition(" t=")
    if match := re.fullmatch(r"rms_t(\d+)", name):
        name, part = "rms", match[1]
    entry = WORDS.get(name, Word(name))
    if (match := re.fullmatch(r"(\D*)(\d+)", name)) and match[1] in NUMBERED:
        heading, meaning = NUMBERED[match[1]]
        entry = Word(f"{heading}{match[2]}", f"{meaning} {match[2]}")
    if meanings and name in meanings:
        entry = entry._replace(meaning=meanings[name])
    return entry._replace(heading=f"{entry.heading} t={part}") if part else entry


def columns(frame: pd.DataFrame, meanings: Mapping[str, str] | None = None) -> list[Column]:
    """Columns of a table for people: one for both ends of an interval, and no g_1, g_2 beside GAP(g)."""
    names = list(map(str, frame.columns))
    shown = []
    for position, key in enumerate(names):
        values = frame.iloc[:, position].tolist()
        end = END.fullmatch(key)
        if end and end[2] == "high":
            continue
        if re.fullmatch(r"g_\d+", key) and "measure" in names:
            continue
        if end:
            other = frame.iloc[:, names.index(key.replace("low", "high"))].tolist()
            shown.append(Column(key, interval(end[1], meanings), list(zip(values, other, strict=True))))
        else:
            shown.append(Column(key, word(key, meanings), values))
    return shown


def interval(name: str | None, meanings: Mapping[str, str] | None = None) -> Word:
    """Words of the two columns of an interval; ``name`` is what their names begin with."""
    entry = {"excess": WORDS["excess"], "drawn": DRAWN, "bounds": BOUNDS}.get(name or "", INTERVAL)
    return entry._replace(meaning=(meanings or {}).get(f"{name}_low" if name else "low", entry.meaning))


def meaning(key: str, meanings: Mapping[str, str] | None = None) -> str:
    """Meaning of a column of a file; both ends of an interval have the meaning of the interval."""
    end = END.fullmatch(key)
    if not end:
        return word(key, meanings).meaning
    entry = interval(end[1], meanings)
    return f"{entry.heading} {entry.meaning}" if entry.meaning.startswith("bootstrap") else entry.meaning


def legend(frame: pd.DataFrame, meanings: Mapping[str, str] | None = None) -> list[str]:
    """Lines below a table: the meanings of the columns that a terminal explains."""
    meaning_of = dict[str, str]()
    for column in columns(frame, meanings):
        heading, meaning, explained = column.word
        if explained and meaning:
            meaning_of.setdefault(heading.partition(" t=")[0], meaning)
    return [f"{heading}: {meaning}" for heading, meaning in meaning_of.items()]
