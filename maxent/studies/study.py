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
    # 1. the collection, the measures and the options
    collection = studied(runs, qrels, options, by_name=True)
    measures = expanded(
        options["measures"] or usual_measures(collection.depth, options["reading"]),
        collection.levels,
        options["g_steps"],
    )
    checked = StudyOptions.of(collection, options, measures=with_broken_stick(measures, collection.levels))
    shares = threshold_shares(weights, checked.thresholds)  # an error before the work
    # 2. the study of each count
    both = options["count"] is None and checked.align == EVERY_RANK
    counts = BOTH if both else (checked.count,)
    reading = text_of({**checked.reading_parts, "count": " and ".join(counts)})
    head = heading(collection, runs, qrels, reading, title=options["title"], is_in_finding=True)
    studies = {count: _study_of_count(collection, replace(checked, count=count), weights, rng) for count in counts}
    # 3. the choice of g, for the first count
    first = studies[counts[0]]
    candidates = candidates_of(ranked_lists(first.table)["measure"])
    choice = choose_from(first.table, weights=weights, rng=rng) if len(candidates) > 1 else None
    # 4. the result
    summary = _joined({count: of_count.summary for count, of_count in studies.items()})
    return Result(
        finding=_finding(studies, choice, collection),
        parts=None if choice is None else parts_of(choice),
        answers={"g": choice and choice.g, "simplest": choice and choice.simplest},
        views=_tables(studies, shares, choice, collection),
        sheets=(error_figure(first.summary if choice else summary, choice),),
        facts=tuple(
            dict.fromkeys(fact for of_count in studies.values() for fact in facts(of_count.options, weights))
        ),
        notes=_notes(studies, collection),
        legend=tuple(dict.fromkeys(line for of_count in studies.values() for line in of_count.options.legend)),
        main="summary",
        explorer=None if choice is None else _explorer(first, choice, collection, weights),
        checkpoints=tuple(checkpoint_file(collection, of_count.options) for of_count in studies.values()),
        **head,
    )


class _StudyOfCount(NamedTuple):
    """The study of one count: its options, rows, lists for the explorer, means, and comparison of measures."""

    options: StudyOptions
    table: pd.DataFrame
    shown: ShownLists
    summary: pd.DataFrame
    compared: Compared


def _study_of_count(
    collection: Collection, options: StudyOptions, weights: Mapping[int, float] | None, rng: int
) -> _StudyOfCount:
    """Solve all lists for one count."""
    table, shown = table_and_lists(collection, options)
    with forgotten_on_error(collection, options):
        require_solved(table, collection, options)
    table = with_better_gains(table, weights)
    compared = compare(table, weights=weights, rng=rng)
    return _StudyOfCount(options, table, shown, summarize(table, rng=rng), compared)


def _explorer(
    of_count: _StudyOfCount, choice: GChoice, collection: Collection, weights: Mapping[int, float] | None
) -> Callable[[], dict[str, Any] | None]:
    """What makes the numbers of the g explorer when somebody looks at it."""
    options = replace(of_count.options, checkpoint=None)
    return partial(explorer_data, collection, options, choice, of_count.shown, weights)


def _tables(
    studies: Mapping[Count, _StudyOfCount], shares: pd.Series, choice: GChoice | None, collection: Collection
) -> tuple[Table, ...]:
    """Errors of all lists, their means, measures on the same lists, candidates for g, and details."""
    errors = _joined({count: of_count.table for count, of_count in studies.items()})
    if choice is None:
        # an empty table removes the file of an earlier study
        candidates = Table(name="choice", frame=pd.DataFrame(), places=("file",))
    else:
        candidates = candidates_table("choice", choice, places=("file", "page"))
    first = next(iter(studies.values()))
    return (
        Table(name="informativeness", frame=errors, places=("file",), schema=Schema(COUNT, *ERRORS)),
        _means_table(studies, shares),
        *league_tables({count: of_count.compared for count, of_count in studies.items()}),
        candidates,
        *details(first.table, collection, choice),
    )


def _notes(studies: Mapping[Count, _StudyOfCount], collection: Collection) -> tuple[str, ...]:
    """Notes on the lists that are excluded for each count."""
    if len(studies) == 1:
        (of_count,) = studies.values()
        return list_notes(of_count.table, collection, of_count.options, of_count.compared.lists)
    return tuple(
        line
        for count, of_count in studies.items()
        for line in of_count.compared.lists.excluded(f"{QUESTIONS[count]}: lists")
    )


def _means_table(studies: Mapping[Count, _StudyOfCount], shares: pd.Series) -> Table:
    """Mean errors over lists; people see a row for each measure, those with the smallest error marked.

    ``shares`` has the weights of the thresholds.
    """
    shown = {
        count: measures_table(of_count.summary, shares, of_count.compared.may_be_best())
        for count, of_count in studies.items()
    }
    is_best = [shown[count]["measure"].isin(of_count.compared.best()) for count, of_count in studies.items()]
    notes = dict.fromkeys(other_lists(of_count.summary, of_count.compared) for of_count in studies.values())
    return Table(
        name="summary",
        title="Measures",
        frame=_joined({count: of_count.summary for count, of_count in studies.items()}),
        shown=_joined(shown),
        schema=SUMMARY,
        keys=2 if len(studies) > 1 else 1,
        note="".join(notes),
        marked=np.flatnonzero(pd.concat(is_best)).tolist(),
    )


def _finding(
    studies: Mapping[Count, _StudyOfCount],
    choice: GChoice | None,
    collection: Collection,
) -> Finding:
    """Finding of the study for each count; g is chosen for the first count."""
    first = next(iter(studies))
    findings: dict[str, Finding] = {}
    for count, of_count in studies.items():
        candidates = choice.table if choice is not None and count == first else None
        findings[count] = study_finding(of_count.table, of_count.options, of_count.compared, candidates)
    are_short = studies[first].options.align == EVERY_RANK
    return joined_finding(findings, few_found(collection) if are_short else "")


def _joined(tables: Mapping[Count, pd.DataFrame]) -> pd.DataFrame:
    """Tables of several counts as one, with the count as first column; a single one as it is."""
    if len(tables) == 1:
        return next(iter(tables.values()))
    return pd.concat(tables, names=["count"]).reset_index("count").reset_index(drop=True)
