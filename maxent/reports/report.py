"""A study and its report in one call."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from maxent.curves import Align
from maxent.data.collection import collect
from maxent.data.inputs import Runs, Table, is_file
from maxent.errors import ProblemError
from maxent.measures import Measure, as_measures
from maxent.problem import Count
from maxent.reports.comparisons import predictions_content
from maxent.reports.page import write_report
from maxent.reports.provenance import provenance
from maxent.reports.study import several_candidates, study_content
from maxent.study.choose_g import choose_from
from maxent.study.informativeness import default_measures, study_collection
from maxent.study.options import StudyOptions
from maxent.study.predict import default_predictors, predict_collection
from maxent.study.summary import summarize_predictions
from maxent.study.topics import SOLVED


def report(
    runs: Runs,
    qrels: Table,
    path: str | Path,
    *,
    title: str | None = None,
    measures: Sequence[Measure | str] | None = None,
    targets: Sequence[Measure | str] | None = None,
    weights: Mapping[int, float] | None = None,
    count: Count = "retrieved",
    thresholds: Sequence[int] | None = None,
    min_retrieved: int = 5,
    min_retrieved_total: int = 0,
    depth: int = 1000,
    align: Align = "recall",
    topics: Sequence[str] | None = None,
    levels: int | None = None,
    solver: str = "auto",
    jobs: int = 1,
    progress: bool = True,
    checkpoint: str | Path | None = None,
    rng: int = 0,
) -> Path:
    """Study a collection and write one HTML file that can be sent to somebody.

    The file needs no network and no other file. It has the recommended g and how certain it is, figures, tables to
    sort and filter, a g explorer, the data, and the versions and hashes that identify how it was made. Equal input
    gives equal files.

    Parameters
    ----------
    runs, qrels
        As for :func:`maxent.informativeness`.
    path : path
        The file to write; its folder is made if needed.
    title : str, optional
        Name of the collection; default: that of the file of the judgments.
    measures, count, thresholds, min_retrieved, min_retrieved_total, depth, align, topics, levels, solver, jobs, \
progress, checkpoint
        As for :func:`maxent.informativeness`.
    targets : sequence of Measure or text, optional
        With these the report is one of predictions: what the value of each of the measures says about them, as
        :func:`maxent.predict_measures` finds. Thresholds, weights and ``align`` have no part in it.
    weights : mapping from threshold to weight, optional
        As for :func:`maxent.choose_g`.
    rng : int
        Seed of the bootstrap samples.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        If a table cannot be used, or the file cannot be written.
    MeasureError, ProblemError
        As for :func:`maxent.informativeness`; also if no list can be used, or with ``targets`` an option is given
        that has no part in predictions.

    Examples
    --------
    >>> import tempfile
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = me.report(runs, qrels, f"{folder}/report.html", min_retrieved=1, depth=100)
    ...     print(path.name, path.read_text(encoding="utf-8")[:15])
    report.html <!doctype html>
    """
    given = [
        f"{name}={value!r}"
        for name, value, usual in (
            ("title", title, None), ("measures", measures, None), ("targets", targets, None),
            ("weights", weights, None), ("count", count, "retrieved"), ("thresholds", thresholds, None),
            ("min_retrieved", min_retrieved, 5),
            ("min_retrieved_total", min_retrieved_total, 0), ("depth", depth, 1000), ("align", align, "recall"),
            ("topics", topics, None), ("levels", levels, None), ("solver", solver, "auto"), ("rng", rng, 0),
        )
        if value != usual
    ]  # fmt: skip
    if targets is not None and (thresholds is not None or weights is not None or align != "recall"):
        raise ProblemError("targets: a report of predictions has no thresholds, weights or align")
    collection = collect(runs, qrels, depth=depth, topics=topics, levels=levels, jobs=jobs, progress=progress)
    usual = default_measures(collection.levels) if targets is None else default_predictors(collection.levels)
    predicted = () if targets is None else as_measures(targets, name="targets")
    every = () if predicted else tuple(range(1, collection.levels + 1))
    options = StudyOptions(
        measures=usual if measures is None else as_measures(measures),
        thresholds=every if thresholds is None else tuple(thresholds),
        targets=predicted,
        count=count,
        min_retrieved=min_retrieved,
        min_retrieved_total=min_retrieved_total,
        align=align,
        solver=solver,
        jobs=jobs,
        progress=progress,
        checkpoint=checkpoint,
    )
    table = (predict_collection if predicted else study_collection)(collection, options)
    if not table["status"].isin(SOLVED).any():
        reasons = table.drop_duplicates(["run_id", "query_id"])["status"].value_counts()
        listed = ", ".join(f"{status} {number}" for status, number in reasons.items())
        raise ProblemError(f"no list could be used: {listed} (maxent.left_out explains the words)")
    call = f"me.report({', '.join(['runs', 'qrels', repr(Path(path).name), *given])})"
    made = provenance(call, collection, qrels=qrels, runs=_listed(runs))
    name = title or ("/".join(Path(str(qrels)).resolve().parts[-2:]) if is_file(qrels) else "study")
    if predicted:
        summary = summarize_predictions(table, rng=rng)
        return write_report(
            predictions_content(("me.report", name), collection, table, summary, made, count=count), path
        )
    choice = choose_from(table, weights=weights, rng=rng) if several_candidates(options) else None
    content = study_content("me.report", name, collection, options, table, choice, made, weights=weights, rng=rng)
    return write_report(content, path)


def _listed(runs: Runs) -> list[object]:
    """The runs one by one, as far as they may be files."""
    if isinstance(runs, Mapping):
        return list(runs.values())
    return list(runs) if isinstance(runs, list | tuple) else [runs]
