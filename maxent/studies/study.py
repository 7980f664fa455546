"""How informative are measures, and which g, or gains, make one the most informative?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Unpack

import numpy as np
import pandas as pd

from maxent.data.collection import Collection
from maxent.data.inputs import Qrels, Runs
from maxent.measures import Measure
from maxent.options import takes
from maxent.results.content import Table
from maxent.results.question import answers, collected, heading
from maxent.results.result import Result
from maxent.studies.explorer import explorer_data
from maxent.studies.g_choice import choose_from
from maxent.studies.informativeness import table_and_lists
from maxent.studies.options import StudyKeywords, StudyOptions, expanded
from maxent.studies.same_lists import ranked_lists, threshold_shares
from maxent.studies.study_finding import study_finding
from maxent.studies.study_tables import (
    by_threshold,
    candidates_table,
    details,
    error_figure,
    facts,
    league_tables,
    parts_of,
)
from maxent.studies.summary import compare, summarize
from maxent.studies.topics import checkpoint_file
from maxent.studies.used import list_notes, require_solved
from maxent.texts import candidates_of

MEASURES = ("GAP", "AP", "nDCG(gain=exp2)")


@answers
@takes(StudyKeywords)
def study(
    runs: Runs | Collection | None = None,
    qrels: Qrels | None = None,
    *,
    measures: Sequence[Measure | str] = MEASURES,
    g_steps: int | None = None,
    weights: Mapping[int, float] | None = None,
    title: str | None = None,
    rng: int = 0,
    **options: Unpack[StudyKeywords],
) -> Result:
    """How informative are measures: how well does the precision-recall curve of a list follow from a value alone?

    Compares the precision-recall curves of lists with the curves inferred from a measure's value alone. Finds the
    most informative measure and g, and the mean RMS errors by measure and threshold with 95 % bootstrap intervals
    over topics, and says how many lists were left out and why.

    Parameters
    ----------
    measures : sequence of Measure or text
        Measures to compare; plain ``GAP`` stands for the whole grid of g. Measures known together are a
        :class:`maxent.Joint`, as text ``AP & P@10``.
    g_steps : int, optional
        Points along an edge of the grid of g (default: 9).
    weights : mapping from threshold to weight, optional
        How much the error for each threshold counts in the choice of g; others weigh 0; default: all alike.

    Returns
    -------
    Result
        ``table``: means, a row for each measure and threshold (``summary``). Other ``tables``: ``informativeness``
        (a row for each run, topic, measure and threshold), ``league``, ``choice`` (candidates for g), ``left-out``.
        Answers: ``g`` and ``simplest`` (None with fewer than two candidates for g).

    Notes
    -----
    Files: informativeness.csv (a row per run, topic, measure and threshold), summary.csv (means), choice.csv
    (candidate g), the figure informativeness (with three positive grades a triangular map of g for each threshold).
    Rows are by topic in the order of the judgments, by run name, by measure, by threshold: neither the order of the
    files nor the number of jobs changes a byte. An interrupted command goes on when started again.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> study = me.study(runs, qrels, measures=["AP", "nDCG", "P@10"], min_retrieved=1, depth=100)
    >>> study.tables["league"].query("threshold == 0")[["measure", "rms"]].round(2)
      measure   rms
    0    nDCG  0.06
    1      AP  0.12
    2    P@10  0.22
    """
    collection = collected(runs, qrels, {**options, "rng": rng}, by_name=True)
    chosen = expanded(measures, collection.levels, g_steps)
    checked = StudyOptions.of(collection, options, measures=chosen)
    shares = threshold_shares(weights, checked.thresholds)  # an error before the work
    head = heading(collection, qrels, checked.reading_text, title=title)
    table, shown_lists = table_and_lists(collection, checked)
    require_solved(table, collection, checked)
    several = len(candidates_of(ranked_lists(table)["measure"])) > 1
    choice = choose_from(table, weights=weights, rng=rng) if several else None
    explorer = None
    if choice is not None:
        explorer = partial(
            explorer_data, collection, replace(checked, checkpoint=None), choice, shown_lists, weights
        )
    summary, compared = summarize(table, rng=rng), compare(table, rng=rng)
    shown, best = by_threshold(summary, shares), compared.weighted(weights).best if compared.over else ""
    nothing = Table(name="choice", frame=pd.DataFrame(), places=("file",))  # that of an earlier study goes
    return Result(
        finding=study_finding(table, checked, compared, None if choice is None else choice.table, weights),
        parts=None if choice is None else parts_of(choice),
        answers={"g": choice and choice.g, "simplest": choice and choice.simplest},
        views=(
            Table(name="informativeness", frame=table, places=("file",)),
            Table(
                name="summary", title="Measures", frame=summary, shown=shown,
                marked=np.flatnonzero(shown["measure"] == best).tolist(),
            ),
            *league_tables(table, compared),
            nothing if choice is None else candidates_table("choice", choice, places=("file", "page")),
            *details(table, collection, choice),
        ),
        sheets=(error_figure(summary, choice),),
        facts=facts(checked, weights),
        notes=list_notes(table, collection, checked, compared.lists),
        legend=checked.legend,
        main="summary",
        explorer=explorer,
        checkpoint=checkpoint_file(collection, checked),
        **head,
    )  # fmt: skip
