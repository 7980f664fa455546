"""The study: how informative are measures, and which g or gains are the most informative?"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Unpack

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.embedded import studied
from maxent.data.inputs import Qrels, Runs
from maxent.measures.candidates import candidates_of
from maxent.options import Sources, StudyQuestion, takes
from maxent.problem import Count
from maxent.results.content import Table
from maxent.results.finding import Finding, text_of
from maxent.results.question import answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.studies.broken_stick import with_better_gains, with_broken_stick
from maxent.studies.columns import (
    CONSTANT,
    COUNT,
    GIVEN,
    INTERVAL,
    LISTS,
    MAY_BE_BEST,
    MEAN_RMS,
    RMS,
    RMS_AT_THRESHOLD,
    THRESHOLD,
    TOPICS,
    interval_of,
)
from maxent.studies.explorer import explorer_data
from maxent.studies.g_choice import GChoice, choose_from
from maxent.studies.holdings import heading
from maxent.studies.informativeness import ERRORS, table_and_lists
from maxent.studies.options import BOTH, EVERY_RANK, StudyOptions, expanded, usual_measures
from maxent.studies.same_lists import ranked_lists, threshold_shares
from maxent.studies.shown_lists import ShownLists
from maxent.studies.study_finding import QUESTIONS, joined_finding, study_finding
from maxent.studies.study_tables import (
    candidates_table,
    details,
    error_figure,
    facts,
    league_tables,
    measures_table,
    other_lists,
    parts_of,
)
from maxent.studies.summary import Compared, compare, summarize
from maxent.studies.topics import checkpoint_file, forgotten_on_error
from maxent.studies.used import few_found, list_notes, require_solved

SUMMARY = Schema(
    COUNT,
    GIVEN,
    THRESHOLD,
    LISTS,
    TOPICS,
    CONSTANT,
    RMS,
    Column("mae", "mean absolute error of inferred precision, mean over lists", "MAE"),
    interval_of("rms"),
    interval_of("mae"),
    MEAN_RMS,
    MAY_BE_BEST,
    LISTS._replace(name="lists t={t}", heading="lists t={t}"),
    RMS_AT_THRESHOLD,
    INTERVAL._replace(name="rms_{end} t={t}"),
)
"""Columns of the means over lists."""


@answers
@takes(Sources, StudyQuestion)
def study(
    runs: Runs | Collection | None = None,
    qrels: Qrels | None = None,
    **options: Unpack[StudyQuestion],
) -> Result:
    """How informative are measures: how well does the precision-recall curve of a list follow from a value alone?

    Compares the actual precision-recall curves of lists with the curves inferred from the value of each measure.
    Finds the most informative measure and g. Shows mean RMS errors by measure and threshold, with 95 % bootstrap
    intervals over topics, and how many lists were excluded and why.

    Returns
    -------
    Result
        ``table``: means, one row per measure and threshold (``summary``). Other ``tables``: ``informativeness``
        (one row per run, topic, measure and threshold), ``league``, ``choice`` (candidates for g) and ``left-out``.
        Answers: ``simplest`` (the recommended g, the simplest that may be the best) and ``g`` (the
        best); both are None with fewer than two candidates for g.

    Notes
    -----
    Up to depth 20 the standard reading has distributions over whole lists, and precision at every rank. Unless
    ``count`` is given, a study then has two parts, with a column ``count`` in all tables: what a value says beside
    the number of relevant documents found (``retrieved``), and without that number (``at_most``).

    Files: informativeness.csv (one row per run, topic, measure and threshold), summary.csv (means), choice.csv
    (candidates for g) and the figure informativeness (with three positive grades a triangular map of g for each
    threshold). Rows are sorted by topic (in the order of the judgments), run name, measure and threshold, so files
    are byte-identical whatever the order of the input files and the number of jobs. An interrupted command resumes
    when you repeat it.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> study = me.study(runs, qrels, measures=["AP", "nDCG", "P@10"], min_retrieved=1, depth=100)
    >>> study.tables["league"].query("threshold == 0")[["measure", "rms"]].round(2)
      measure   rms
    0    nDCG  0.07
    1      AP  0.11
    2    P@10  0.12
    """
    weights, rng = options["weights"], options["rng"]
    collection = studied(runs, qrels, options, by_name=True)
    chosen = expanded(
        options["measures"] or usual_measures(collection.depth, options["reading"]),
        collection.levels,
        options["g_steps"],
    )
    checked = StudyOptions.of(collection, options, measures=with_broken_stick(chosen, collection.levels))
    shares = threshold_shares(weights, checked.thresholds)  # an error before the work
    both = options["count"] is None and checked.align == EVERY_RANK
    counts = BOTH if both else (checked.count,)
    reading = text_of({**checked.reading_parts, "count": " and ".join(counts)})
    head = heading(collection, runs, qrels, reading, title=options["title"], is_in_finding=True)
    solved = {count: _of_count(collection, replace(checked, count=count), weights, rng) for count in counts}
    first = solved[counts[0]]
    several = len(candidates_of(ranked_lists(first.table)["measure"])) > 1
    choice = choose_from(first.table, weights=weights, rng=rng) if several else None
    summary = _joined({count: part.summary for count, part in solved.items()})
    return Result(
        finding=_finding(solved, choice, collection),
        parts=None if choice is None else parts_of(choice),
        answers={"g": choice and choice.g, "simplest": choice and choice.simplest},
        views=_tables(solved, shares, choice, collection),
        sheets=(error_figure(first.summary if choice else summary, choice),),
        facts=tuple(dict.fromkeys(fact for part in solved.values() for fact in facts(part.options, weights))),
        notes=_notes(solved, collection),
        legend=tuple(dict.fromkeys(line for part in solved.values() for line in part.options.legend)),
        main="summary",
        explorer=None if choice is None else _explorer(first, choice, collection, weights),
        checkpoints=tuple(checkpoint_file(collection, part.options) for part in solved.values()),
        **head,
    )


class _OfCount(NamedTuple):
    """The study of one count: its options, rows, lists for the explorer, means, and comparison of measures."""

    options: StudyOptions
    table: pd.DataFrame
    shown: ShownLists
    summary: pd.DataFrame
    compared: Compared


def _of_count(
    collection: Collection, options: StudyOptions, weights: Mapping[int, float] | None, rng: int
) -> _OfCount:
    """Solve all lists for one count."""
    table, shown = table_and_lists(collection, options)
    with forgotten_on_error(collection, options):
        require_solved(table, collection, options)
    table = with_better_gains(table, weights)
    compared = compare(table, weights=weights, rng=rng)
    return _OfCount(options, table, shown, summarize(table, rng=rng), compared)


def _explorer(
    part: _OfCount, choice: GChoice, collection: Collection, weights: Mapping[int, float] | None
) -> Callable[[], dict[str, Any] | None]:
    """What makes the numbers of the g explorer when somebody looks at it."""
    options = replace(part.options, checkpoint=None)
    return partial(explorer_data, collection, options, choice, part.shown, weights)


def _tables(
    solved: Mapping[Count, _OfCount], shares: pd.Series, choice: GChoice | None, collection: Collection
) -> tuple[Table, ...]:
    """Errors of all lists, their means, measures on the same lists, candidates for g, and details."""
    errors = _joined({count: part.table for count, part in solved.items()})
    nothing = Table(name="choice", frame=pd.DataFrame(), places=("file",))  # removes the file of an earlier study
    first = next(iter(solved.values()))
    return (
        Table(name="informativeness", frame=errors, places=("file",), schema=Schema(COUNT, *ERRORS)),
        _means_table(solved, shares),
        *league_tables({count: part.compared for count, part in solved.items()}),
        nothing if choice is None else candidates_table("choice", choice, places=("file", "page")),
        *details(first.table, collection, choice),
    )


def _notes(solved: Mapping[Count, _OfCount], collection: Collection) -> tuple[str, ...]:
    """Notes on the lists that are excluded for each count."""
    if len(solved) == 1:
        (part,) = solved.values()
        return list_notes(part.table, collection, part.options, part.compared.lists)
    return tuple(
        line
        for count, part in solved.items()
        for line in part.compared.lists.excluded(f"{QUESTIONS[count]}: lists")
    )


def _means_table(solved: Mapping[Count, _OfCount], shares: pd.Series) -> Table:
    """Mean errors over lists; people see a row for each measure, those with the smallest error marked."""
    shown = {
        count: measures_table(part.summary, shares, part.compared.may_be_best()) for count, part in solved.items()
    }
    best = [shown[count]["measure"].isin(part.compared.best()) for count, part in solved.items()]
    notes = dict.fromkeys(other_lists(part.summary, part.compared) for part in solved.values())
    return Table(
        name="summary",
        title="Measures",
        frame=_joined({count: part.summary for count, part in solved.items()}),
        shown=_joined(shown),
        schema=SUMMARY,
        keys=2 if len(solved) > 1 else 1,
        note="".join(notes),
        marked=np.flatnonzero(pd.concat(best)).tolist(),
    )


def _finding(
    solved: Mapping[Count, _OfCount],
    choice: GChoice | None,
    collection: Collection,
) -> Finding:
    """Finding of the study for each count; g is chosen for the first count."""
    findings: dict[str, Finding] = {}
    for count, part in solved.items():
        candidates = None if choice is None or findings else choice.table
        findings[count] = study_finding(part.table, part.options, part.compared, candidates)
    short = part.options.align == EVERY_RANK
    return joined_finding(findings, few_found(collection) if short else "")


def _joined(tables: Mapping[Count, pd.DataFrame]) -> pd.DataFrame:
    """Tables of several counts as one, with the count as first column; a single one as it is."""
    if len(tables) == 1:
        return next(iter(tables.values()))
    return pd.concat(tables, names=["count"]).reset_index("count").reset_index(drop=True)
