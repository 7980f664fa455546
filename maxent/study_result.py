"""A whole study as one result: how informative measures are, and which g is the most informative."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pandas as pd

from maxent.content import Origin, Sheet, Table
from maxent.data.collection import Collection
from maxent.data.inputs import Qrels, Runs, is_file
from maxent.measures import Measure
from maxent.options import takes
from maxent.result import Result
from maxent.study.choose_g import GChoice, choose_among, choose_from, comparable
from maxent.study.compare import ranked_lists, threshold_shares
from maxent.study.finding import study_finding
from maxent.study.informativeness import default_measures, study_table
from maxent.study.options import StudyKeywords, StudyOptions, study_of
from maxent.study.summary import compare, summarize
from maxent.study.used import Lists, list_notes, require_solved
from maxent.study_tables import (
    by_threshold,
    candidates_table,
    choice_panel,
    details,
    error_figure,
    facts,
    league_tables,
)
from maxent.texts import candidates_of

QUESTION = (
    "Of a ranked list only the value of a measure is known: how well does its precision-recall curve follow from "
    "this number? The smaller the RMS error of the inferred curve, the more informative is the measure."
)

NO_RESULT = ("progress", "jobs", "checkpoint")  # options that change nothing in a result


def study_result(
    collection: Collection,
    options: StudyOptions,
    *,
    weights: Mapping[int, float] | None = None,
    rng: int = 0,
    **heading: Any,
) -> Result:
    """A study of a collection; ``heading`` says what the result is called."""
    shares = threshold_shares(weights, options.thresholds)  # an error before the work
    table = study_table(collection, options)
    require_solved(table, collection, options)
    summary, compared = summarize(table, rng=rng), compare(table, rng=rng)
    several = len(candidates_of(ranked_lists(table)["measure"])) > 1
    choice = choose_from(table, weights=weights, rng=rng) if several else None
    shown, best = by_threshold(summary, shares), compared.weighted(weights).best if compared.over else ""
    tables = [
        Table(name="informativeness", frame=table, places=("file",)),
        Table(
            name="summary",
            title="Measures",
            frame=summary,
            shown=shown,
            marked=np.flatnonzero(shown["measure"] == best).tolist(),
        ),
        *league_tables(table, compared),
    ]
    none = Table(name="choice", frame=pd.DataFrame(), places=("file",))  # that of an earlier study goes
    tables.append(none if choice is None else candidates_table("choice", choice, places=("file", "page")))
    return _result(
        collection, options, table, choice, tables, weights=weights, **heading,
        finding=study_finding(table, options, compared, None if choice is None else choice.table, weights),
        figures=(error_figure(summary, choice),), notes=list_notes(table, collection, options, compared.lists),
    )  # fmt: skip


def choice_result(
    collection: Collection,
    options: StudyOptions,
    *,
    weights: Mapping[int, float] | None = None,
    rng: int = 0,
    of_choice: Mapping[str, Any],
    **heading: Any,
) -> Result:
    """A choice of g, or of gains, with these options of the choice; those of the study have its measures."""
    choice = choose_among(collection, options, weights=weights, rng=rng, **of_choice)
    table = choice.study[choice.study["measure"].isin(map(str, options.measures))]  # not the refined one
    lists = Lists.of(table, comparable(choice.study, weights, choice.kind)[0])
    return _result(
        collection, options, table, choice, [candidates_table("choose-g", choice)], weights=weights, **heading,
        finding=choice.finding, notes=list_notes(table, collection, options, lists),
        figures=(Sheet("choose-g", (choice_panel(choice),)),),
    )  # fmt: skip


def _result(
    collection: Collection,
    options: StudyOptions,
    table: pd.DataFrame,
    choice: GChoice | None,
    tables: Sequence[Table],
    *,
    weights: Mapping[int, float] | None,
    **others: Any,
) -> Result:
    """What studies and choices of g have in common."""

    def explorer() -> dict[str, Any] | None:
        from maxent.reports.explorer import explorer_data

        return None if choice is None else explorer_data(table, collection, options, choice, weights=weights)

    return Result(
        question=QUESTION,
        choice=choice,
        tables=(*tables, *details(table, collection, choice)),
        facts=facts(options, weights),
        legend=options.legend,
        collection=collection,
        explorer=explorer,
        **others,
    )


@takes(StudyKeywords)
def study_measures(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    measures: Sequence[Measure | str] | None = None,
    weights: Mapping[int, float] | None = None,
    title: str | None = None,
    rng: int = 0,
    **options: Unpack[StudyKeywords],
) -> Result:
    """Study how informative measures are, in one call: the finding, league table, choice of g, figures, report.

    Parameters
    ----------
    runs, qrels, measures
        As for :func:`maxent.informativeness`.
    weights : mapping from threshold to weight, optional
        As for :func:`maxent.choose_g`.
    title : str, optional
        Name of the collection; default: that of the file of the judgments.
    rng : int
        Seed of the bootstrap samples.

    Returns
    -------
    Result
        With ``finding``, ``league``, ``choice`` (None with fewer than two candidates for g), ``left_out``, and the
        table of all lists as ``frames["informativeness"]``.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> study = me.study_measures(runs, qrels, measures=["AP", "nDCG", "P@10"], min_retrieved=1, depth=100)
    >>> study.league.query("threshold == 0")[["measure", "rms"]].round(2)
      measure   rms
    0    nDCG  0.06
    1      AP  0.12
    2    P@10  0.22
    """
    own = {"measures": measures, "weights": weights, "title": title, "rng": rng or None}
    given = [f"{name}={value!r}" for name, value in own.items() if value is not None]
    collection, study = study_of(runs, qrels, options, measures, default_measures)
    options["depth"] = collection.depth
    given += [f"{name}={value!r}" for name, value in options.items() if name not in NO_RESULT]
    name = title or ("/".join(Path(str(qrels)).resolve().parts[-2:]) if is_file(qrels) else "study")
    return study_result(
        collection,
        study,
        kind="me.study_measures",
        title=name,
        introduction=f"{name}: {collection.size}; {study.reading_text}\n",
        reading=f"{study.reading_text}, depth={collection.depth}",
        origin=Origin(f"me.study_measures({', '.join(['runs', 'qrels', *given])})", qrels, _listed(runs)),
        weights=weights,
        rng=rng,
    )


def _listed(runs: object) -> tuple[object, ...]:
    """The runs one by one, as far as they may be files."""
    if isinstance(runs, Mapping):
        return tuple(runs.values())
    return tuple(runs) if isinstance(runs, list | tuple) else (runs,)
