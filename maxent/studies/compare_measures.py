"""Which of two measures is more informative, and does that depend on how curves are inferred?"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any, Unpack

import pandas as pd

from maxent.curves.error import Align
from maxent.data.collection import Collection
from maxent.data.embedded import collected, studied
from maxent.data.inputs import Qrels, Runs
from maxent.errors import ProblemError
from maxent.measures import AP, GAP, BrokenStick, Measure, P, as_measures, nDCG
from maxent.options import CompareMeasuresQuestion, ReadingsKeywords, Sources, part_of, takes
from maxent.problem import COUNTS, Count
from maxent.problem.reference import UNIFORM, Reference
from maxent.problem.solution import Model
from maxent.results.content import Drawing, Panel, Sheet, Table
from maxent.results.question import answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.studies.broken_stick import with_better_gains, with_broken_stick
from maxent.studies.columns import COUNT, LISTS, MAY_BE_BEST, TOPICS
from maxent.studies.holdings import heading
from maxent.studies.informativeness import reading_topic
from maxent.studies.options import BOTH, EVERY_RANK, SHORT, SHORT_MEASURES, StudyOptions, expanded
from maxent.studies.reading_words import READINGS, legend_of, reference_name
from maxent.studies.same_lists import LIST, common_lists, compare_means, ranked_lists, without_content
from maxent.studies.topics import each_topic
from maxent.studies.used import large_topics, size_cautions
from maxent.studies.verdicts import differences, finding_of, legend, verdicts, without_lists
from maxent.texts import READING

CAPTION = "RMS errors for the threshold of each verdict: left of 0 the first measure of a pair has the smaller one."
THRESHOLD = Column(
    "threshold", "threshold of the errors in the row; mean (0 in files): mean over thresholds", explained=True
)
VERDICTS = Schema(
    Column(
        "first", "measure for which the verdict stands, or else the one ahead in more readings", format="measure"
    ),
    Column("second", "measure with which it is compared", format="measure"),
    Column(
        "verdict",
        "stands, stands for threshold 1, depends on choices that reverse it, open, counts alone: they fix one of "
        "the measures in every list of every reading, or no interval: no two topics to compare",
    ),
    THRESHOLD,
    Column("readings", "distinct readings in which the pair is compared; count=total and at_most are one"),
    Column("ahead", "readings in which the first measure has the smaller mean error"),
    Column(
        "told",
        "readings in which the interval, corrected for the number of pairs, confirms this",
        "confirmed",
    ),
    Column("opposite", "readings in which the interval shows the opposite"),
    Column("difference_min", "smallest difference over the readings, first minus second", "from", explained=True),
    Column("difference_max", "largest difference over the readings", "to", explained=True),
    Column("lists", "lists in which the counts alone fix neither measure; the fewest over the readings"),
    Column("solved", "lists solved for every measure in every reading of a depth; the fewest over the depths"),
    Column(
        "topics",
        "topics of the lists in which the counts alone fix neither measure; the fewest over the readings",
    ),
    Column(
        "error_ratio",
        "standard error clustered by topic and run, over that by topic; the largest over the readings",
        "SE ratio",
        explained=True,
    ),
)
"""Columns of the verdicts on pairs of measures."""
READINGS_OF = (
    COUNT,
    Column("model", "independent ranks or whole lists"),
    Column("reference", "distribution before the values are given"),
    Column("align", "how two curves are compared"),
    Column("depth", "length of the lists"),
)
"""Columns of a reading."""
DIFFERENCES = Schema(
    *READINGS_OF,
    THRESHOLD,
    Column("first", "first measure", format="measure"),
    Column("second", "second measure", format="measure"),
    Column(
        "compared",
        "yes; counts alone: they fix one of the two measures in every list; one topic: its lists give no interval; "
        "no list: none is solved for every measure in every reading of the depth",
    ),
    Column("lists", "lists in which the counts alone fix neither measure"),
    Column("solved", "lists solved for every measure"),
    Column("topics", "topics of the lists in which the counts alone fix neither measure"),
    Column("difference", "mean error of the first measure minus that of the second"),
    Column(
        "difference_{end}", "95 % interval over topics, corrected for the number of pairs", "95 %", explained=True
    ),
    Column(
        "error_ratio", "standard error clustered by topic and run, over that by topic", "SE ratio", explained=True
    ),
)
"""Columns of the differences in each reading."""
SETS = Schema(
    *READINGS_OF,
    Column("best", "measure with the smallest mean error over the thresholds"),
    MAY_BE_BEST._replace(meaning="with 95 % confidence the best is among these; empty over few topics"),
    LISTS,
    TOPICS,
)
"""Columns of the best measures in each reading."""


@answers
@takes(Sources, CompareMeasuresQuestion)
def compare_measures(
    runs: Runs | Collection | None = None,
    qrels: Qrels | None = None,
    **options: Unpack[CompareMeasuresQuestion],
) -> Result:
    """Which of two measures is more informative, and does that depend on how curves are inferred?

    Compares every pair of measures in every reading: every combination of counts, models, references, alignments
    and depths. A verdict on each pair summarises the readings: it stands, stands for threshold 1, depends on parts
    of the reading, or is open. The output states the rule.

    By default the readings have the count ``retrieved``, independent ranks, the references uniform and 1/n, the
    alignments ``recall`` and ``expected``, and two depths. Up to depth 20 they have the counts ``retrieved`` and
    ``at_most``, whole lists, both references, the alignment ``every-rank`` and two depths.

    Each depth uses the lists that are solved for every measure in all its readings. Where these are of fewer than
    two topics, the rows of the depth say so and count for no verdict. Lists in which a count alone fixes one of the
    two measures of a pair are excluded from its readings with this count. Differences have paired Student intervals
    over topics (with ``resample="both"``, over topics or runs, whichever are fewer), with a Bonferroni correction
    for the number of pairs. The broken stick, a measure without content, is compared with every measure: one that
    is not ahead of it is not shown to say more about curves than that earlier ranks count more. For each reading
    there is also the set that has the best measure with 95 % confidence.

    Returns
    -------
    Result
        ``table``: one row per pair (``verdicts``). The first measure of a pair is the one for which the verdict
        stands, or else the one that is ahead in more readings. ``tables["differences"]``: one row per pair, reading
        and threshold. ``tables["sets"]``: one row per reading, with the set of best measures. Answer: ``verdicts``,
        the main table.

    Notes
    -----
    Files: verdicts.csv (one row per pair), differences.csv (one row per pair, reading and threshold; threshold 0 is
    the mean over the thresholds), sets.csv (one row per reading) and the figure verdicts.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=6, depth=100)
    >>> result = me.compare_measures(runs, qrels, measures=["AP", "P@10"], depths=[100], min_retrieved=1)
    >>> result.verdicts[["first", "second", "verdict", "readings", "ahead", "told", "opposite", "lists", "topics"]]
             first second verdict  readings  ahead  told  opposite  lists  topics
    0           AP   P@10  stands         4      4     2         0     18       6
    1  BrokenStick     AP    open         4      4     0         0     18       6
    2  BrokenStick   P@10  stands         4      4     3         0     18       6
    >>> for sentence in result.finding.sentence.split(". "):
    ...     print(sentence)
    no measure is ahead of the broken stick, a measure without content, by the rule
    AP is more informative than P@10, mean over thresholds, 4 of 4 readings, .017 to .094
    """
    measures, depths, counts = options["measures"], options["depths"], options["counts"]
    # 1. the collection, to the deepest of the depths
    deepest = {} if depths is None or isinstance(runs, Collection) else {"depth": max(depths, default=None)}
    collect_lists = studied if depths is None else collected
    collection = collect_lists(runs, qrels, {**options, **deepest}, by_name=True)
    # 2. measures and readings; their defaults differ for short lists
    short = collection.depth <= SHORT
    usual = as_measures(SHORT_MEASURES) if short else _usual(collection.levels)
    compared = usual if measures is None else expanded(measures, collection.levels)
    models = options["models"] or (("lists",) if short else ("ranks",))
    aligns = options["aligns"] or ((EVERY_RANK,) if short else ("recall", "expected"))
    if counts is None:
        counts = BOTH if set(aligns) == {EVERY_RANK} else ("retrieved",)
    if min(len(compared), len(collection.topics)) < 2:
        raise ProblemError("a comparison needs at least two measures and two topics")
    depths = _two_depths(collection.depth) if depths is None else depths
    choices: dict[str, Any] = {
        "counts": counts,
        "models": models,
        "references": options["references"],
        "aligns": aligns,
    }
    depths_text = " and ".join(map(str, depths))
    question = f"every pair of measures, in every reading, count={' and '.join(counts)}, to depth {depths_text}"
    head = heading(collection, runs, qrels, question, title=options["title"])
    head["reading"] = question  # which has the depths
    # 3. errors in all readings, and what follows from them
    solved = with_broken_stick(compared, collection.levels)
    table = _with_one_broken_stick(
        readings(collection, solved, depths=depths, **choices, **part_of(ReadingsKeywords, options))
    )
    bootstrap: dict[str, Any] = {"resample": options["resample"], "replicates": 1000, "rng": options["rng"]}
    pair_verdicts, rows = verdicts(all_differences(table, **bootstrap))
    sets = best_sets(table, **bootstrap)
    finding = finding_of(pair_verdicts, rows, sets)
    cautions, notes = _used_lists(table)
    # 4. the figure, of the differences at the threshold of each verdict
    drawn = rows.merge(pair_verdicts[["first", "second", "threshold"]])
    intervals = drawn["difference_low"].count()
    size = (7.5, 1.4 + max(0.09 * intervals, 0.35 * len(pair_verdicts)))
    caption = f"{CAPTION} Lists to depth {depths_text}."
    panel = Panel(Drawing("plot_verdicts", drawn, threshold=None), caption, size=size)
    return Result(
        finding=replace(finding, cautions=(*collection.cautions, *size_cautions(large_topics(table)), *cautions)),
        answers={"verdicts": pair_verdicts},
        views=(
            Table(
                name="verdicts",
                title="Verdicts",
                frame=pair_verdicts,
                keys=2,
                schema=VERDICTS,
                shown=pair_verdicts.assign(threshold=pair_verdicts["threshold"].map(lambda t: t or "mean")),
            ),
            Table(
                name="differences",
                title="Differences",
                frame=rows,
                places=("file", "page"),
                schema=DIFFERENCES,
                closed=True,
            ),
            Table(
                name="sets",
                title="Sets of best measures",
                frame=sets,
                schema=SETS,
                places=("file", "page"),
                closed=True,
            ),
        ),
        sheets=(Sheet("verdicts", (panel,)),) if intervals else (),
        legend=(*legend(pair_verdicts), *_reading_lines(table)),
        notes=tuple(notes),
        main="verdicts",
        **head,
    )


def _usual(levels: int) -> tuple[Measure, ...]:
    """Default measures: AP, GAP with equal g, nDCG with two gains, and P@10."""
    return AP(), GAP(g=(1 / levels,) * levels), nDCG(gain="exp2"), nDCG(), P(cutoff=10)


def _with_one_broken_stick(table: pd.DataFrame) -> pd.DataFrame:
    """Readings with one measure without content: in each reading the gains with the smaller mean error."""
    parts = [with_better_gains(part) for _, part in table.groupby(READING, sort=False)]
    joined = pd.concat(parts, ignore_index=True)
    return joined.assign(measure=joined["measure"].where(~without_content(joined), str(BrokenStick())))


def _two_depths(depth: int) -> list[int]:
    """Default depths: the whole depth and a part of it."""
    return sorted({max(1, depth // (10 if depth >= 100 else 2)), depth})


def _used_lists(table: pd.DataFrame) -> tuple[list[str], list[str]]:
    """A line for each depth on the lists solved for every measure in every reading: cautions, and other lines."""
    cautions: list[str] = []
    lines: list[str] = []
    for depth, at_depth in table.groupby("depth"):
        common = common_lists(at_depth)
        topics = common["query_id"].nunique()
        solved, total = len(common.drop_duplicates(LIST)), len(at_depth.drop_duplicates(LIST))
        line = f"depth {depth}: {solved} of {total} lists are solved for every measure in every reading"
        if at_depth["count"].nunique() > 1:
            solved_of_count = {
                str(count): len(common_lists(rows).drop_duplicates(LIST))
                for count, rows in at_depth.groupby("count")
            }
            line += f" ({', '.join(f'{number} with count={count}' for count, number in solved_of_count.items())})"
        if topics == 0:
            line += "; not compared"
        elif topics == 1:
            line += "; of one topic, which gives no interval"
        if 2 * solved < total:
            cautions.append(f"more than half of the lists are excluded: {line}")
        elif topics < 2:
            cautions.append(line)
        else:
            lines.append(line)
    return cautions, lines


def _reading_lines(table: pd.DataFrame) -> Iterator[str]:
    """Meanings of all values of the readings in a table, a line for each."""
    for name in READING:
        for value in filter(READINGS.__contains__, table[name].unique()):
            yield from legend_of({name: value})


def all_differences(table: pd.DataFrame, **bootstrap: Any) -> pd.DataFrame:
    """Differences of all pairs of measures, for each depth on the lists solved for every measure and reading."""
    every_pair = list(combinations(table["measure"].unique().tolist(), 2))
    frames, most_topics = [], 0
    for _, at_depth in table.groupby("depth", sort=False):
        common = common_lists(at_depth)
        if common.empty:
            frames.append(without_lists(at_depth, READING, every_pair))
        else:
            frames.append(differences(common, READING, every_pair, **bootstrap))
        most_topics = max(most_topics, common["query_id"].nunique())
    if most_topics == 1:
        raise ProblemError("the lists solved for every measure are of one topic: intervals need at least two")
    if most_topics == 0:
        raise ProblemError("no list is solved for every measure in every reading: nothing to compare")
    return pd.concat(frames, ignore_index=True)


def best_sets(table: pd.DataFrame, **bootstrap: Any) -> pd.DataFrame:
    """The sets of best measures in each reading, for the mean over the thresholds.

    One row per reading that has a list in which the counts fix no ranked measure: the reading, best, may_be_best
    (the measures of the set, separated by semicolons; empty over fewer than 15 topics, and where runs are resampled
    as well), lists, topics.
    """
    records = []
    for names, part in table.groupby(READING, sort=False):
        rows = ranked_lists(part)
        if rows.empty:
            continue
        comparison = compare_means(rows, **bootstrap)
        outcome = {
            "best": comparison.best,
            "may_be_best": "; ".join(comparison.best_set or ()),
            "lists": len(rows.drop_duplicates(LIST)),
            "topics": rows["query_id"].nunique(),
        }
        records.append(dict(zip(READING, names, strict=True)) | outcome)
    return pd.DataFrame(records, columns=[*READING, "best", "may_be_best", "lists", "topics"])


def readings(
    collection: Collection,
    measures: Sequence[Measure | str],
    *,
    counts: Sequence[Count] = COUNTS,
    models: Sequence[Model] = ("ranks",),
    references: Sequence[Reference] = (UNIFORM,),
    aligns: Sequence[Align] = ("recall", "rank"),
    depths: Sequence[int] | None = None,
    **options: Unpack[ReadingsKeywords],
) -> pd.DataFrame:
    """A study in several readings, by default those that the papers leave open, with ``min_retrieved=1``.

    Every list is solved once for each count, model, reference and depth; alignments and filters use the same
    solutions. One row per reading x run x topic x measure x threshold: count, model, reference (``uniform`` for
    None) and depth, then the columns of :func:`maxent.informativeness` with align among them, log_likelihood (of
    the list under p, in nats; -inf where the value is the smallest possible up to rounding) and fewest (number of
    retrieved documents of the rarest positive grade, for stronger filters than ``min_retrieved``). The measure
    ``counts`` has the entropy without any value.
    """
    names = [reference_name(reference) for reference in references]
    depths = [collection.depth] if depths is None else depths
    choices = {"counts": counts, "models": models, "references": names, "aligns": aligns, "depths": depths}
    for name, choice in choices.items():
        if not choice or len(set(choice)) < len(choice):
            raise ProblemError(f"{name} needs at least one reading, and none twice, got {list(choice)}")
    if max(depths) > collection.depth:
        raise ProblemError(f"depths are at most {collection.depth}, that of the collection, got {max(depths)}")
    keywords = {"thresholds": None, "min_retrieved": 1} | options
    tables = {}
    for count, model, reference, depth in product(counts, models, references, depths):
        reading: dict[str, Any] = {"count": count, "model": model, "asked": ", ".join(aligns)}
        reading["reference"] = UNIFORM if reference is None else reference  # None would be that of the reading
        study_options = StudyOptions.of(collection, keywords, measures=as_measures(measures), **reading)
        rows = {"threshold": study_options.thresholds, "align": aligns}
        key = count, model, reference_name(reference), depth
        tables[key] = each_topic(reading_topic, collection.part(depth=depth), study_options, rows, tuple(aligns))
    keys = ["count", "model", "reference", "depth"]
    return pd.concat(tables, names=keys).reset_index(keys).reset_index(drop=True)
