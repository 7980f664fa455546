"""What do the values of measures imply about one list?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import nan
from typing import Any, Self, Unpack

import numpy as np
import pandas as pd

from maxent.curves.actual import Curve, actual_curve
from maxent.curves.error import Align, CurveError, curve_error
from maxent.curves.inferred import inferred_curve, profile
from maxent.data.collection import Collection
from maxent.data.embedded import collected, collection_name
from maxent.data.inputs import Qrels, Runs
from maxent.data.inspect_run import FIRST
from maxent.errors import InputError, ProblemError, input_notes, visible, warn_of_input
from maxent.limits import LONGEST
from maxent.measures import AP, GAP, Measure, as_measures, nDCG, parse_measure
from maxent.measures.form import grade_counts
from maxent.measures.joint import joint
from maxent.options import ExplainQuestion, Sources, ValuesInput, takes
from maxent.problem import Problem, Solution
from maxent.problem.bounds import Value, value_or_bounds
from maxent.problem.reference import Reference, hashable_reference
from maxent.results.content import Drawing, Fact, Panel, Sheet, Table
from maxent.results.finding import Finding, reading_lines, text_of
from maxent.results.question import announce, answers
from maxent.results.result import Result
from maxent.results.schema import Column, Schema
from maxent.solvers import solve
from maxent.studies.columns import GIVEN, GRADE, RANK, RUN, THRESHOLD, TOPIC
from maxent.studies.holdings import of_collection
from maxent.studies.informativeness import ERRORS, STUDY_COLUMNS
from maxent.studies.options import EVERY_RANK, SHORT_MEASURES, StudyOptions, are_short, check_collection, fitting
from maxent.studies.rank_profile import topic_references
from maxent.studies.reading_words import TOPICS, reference_name
from maxent.studies.study_finding import thresholds_text
from maxent.studies.topics import CONSTANT, SOLVED
from maxent.texts import RANKS, measure_label, threshold_label
from maxent.types import IntArray

SHOWN = 20  # names that an error lists
CURVE_COLUMNS = ("run_id", "query_id", "threshold", "curve", "rank", "recall", "precision", "low", "high")
CURVES = Schema(
    RUN,
    TOPIC,
    THRESHOLD,
    Column("curve", "actual, or the measure from whose value the curve is inferred"),
    RANK._replace(heading="at rank"),
    Column("recall", "share of the relevant documents"),
    Column("precision", "precision at this recall"),
    Column(
        "{end}",
        "band that contains the precision of a random list with the probability given by the option band",
        "band",
    ),
)
"""Columns of the points of curves."""
PROFILE = Schema(GIVEN, RANK, GRADE, Column("p", "probability of the grade at the rank"))
"""Columns of an inferred distribution."""
SOLUTION = Schema(
    Column("quantity", "what is known of the solution"), Column("is", "its value, with its unit if it has one")
)
"""Columns of a solution."""


@answers
@takes(Sources, ValuesInput, ExplainQuestion)
def explain(
    runs: Runs | Collection | None = None,
    qrels: Qrels | None = None,
    *,
    values: Mapping[Measure | str, Value] | None = None,
    **options: Unpack[ExplainQuestion],
) -> Result:
    """What do the values of measures imply about one list?

    For a list of a run, shows the errors of the precision-recall curves inferred from the value of each measure, by
    measure and threshold. For ``values`` and numbers of documents of each grade, without a run, shows the most
    random list with all these values: the status, the entropy in nats, the multipliers of the values (minus the
    change of entropy per unit of a measure) and the certificate, which is recomputed from the problem.

    Returns
    -------
    Result
        ``table``: for a list, its errors (``errors``), with the columns of :func:`maxent.informativeness`, so that
        tables of several lists can be concatenated and summarised; for values, the solution (``solution``). Other
        tables for a list: ``curves`` (points of the curve ``actual`` and of the curve inferred from each solved
        measure, with its band, for thresholds that documents of the topic reach) and ``profiles`` (as from
        :func:`maxent.curves.profile`); for values, ``curves`` and ``p``. Answers: ``solutions`` (a
        :class:`maxent.problem.Solution` for each measure, or one for all values), ``relevant``, ``retrieved`` and,
        for a list, ``grades`` (in the order of ranks).

    Notes
    -----
    Files for a list: curves.csv, profiles.csv (the inferred distributions) and the figures curves and profiles.
    Files for values: curves.csv, p.csv (probability of each grade at each rank) and the figures curves and profile.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> one = me.explain(runs, qrels, run="system1", topic="1", measures=["AP", "P@10"], depth=100)
    >>> one.retrieved, one.relevant
    ((9, 17), (30, 23))
    >>> one.table[["measure", "threshold", "status", "value", "rms", "points"]].round(2)
      measure  threshold   status  value   rms  points
    0      AP          1  optimal   0.31  0.10      26
    1      AP          2  optimal   0.31  0.28      17
    2    P@10          1  optimal   0.80  0.09      26
    3    P@10          2  optimal   0.80  0.27      17
    >>> (solution,) = me.explain(values={"AP": 0.35}, relevant=[40], retrieved=[20]).solutions
    >>> str(solution.status), round(solution.entropy, 2)
    ('optimal', 43.03)
    """
    run, topic, measures = options["run"], options["topic"], options["measures"]
    if values:
        arguments_for_lists = {"runs": runs, "qrels": qrels, "run": run, "topic": topic, "measures": measures}
        misplaced = [name for name, argument in arguments_for_lists.items() if argument is not None]
        if misplaced:
            raise ProblemError(f"values cannot be combined with {', '.join(misplaced)}")
        return _values_result(values, options)
    if options["relevant"] is not None or options["retrieved"] is not None:
        raise ProblemError("relevant and retrieved need values")
    # 1. the collection: with a depth, only the run and topic that the answer needs
    is_embedded = runs is None and qrels is None
    has_depth = options["depth"] is not None  # without one, the depth is the typical length of all lists
    if has_depth and run is not None and isinstance(runs, Mapping) and run in runs:
        runs = {run: runs[run]}
    needs_other_topics = isinstance(runs, Collection) or hashable_reference(options["reference"]) == TOPICS
    only = {"topics": [topic]} if has_depth and topic is not None and not needs_other_topics else {}
    with input_notes() as notes:
        whole = collected(runs, qrels, {**options, **only})
    collection = whole if has_depth else whole.of_typical_length()
    # 2. options of a study of this collection
    even = GAP(g=(1 / collection.levels,) * collection.levels)
    short = are_short(collection.depth, options["reading"])
    usual = as_measures(SHORT_MEASURES[:3]) if short else (even, AP(), nDCG(gain="exp2"))
    chosen = usual if measures is None else as_measures(measures)
    thresholds = range(1, collection.levels + 1)
    study_options = StudyOptions.of(collection, options, measures=chosen, thresholds=thresholds)
    if study_options.align == EVERY_RANK:
        study_options = replace(study_options, band=None)  # bands are defined at relevant documents, not at ranks
    check_collection(study_options, collection)
    # 3. the list
    query_id = _choose_name("topic", topic, collection.topics, is_embedded)
    one = OneList.of(collection, query_id, _choose_name("run", run, collection.runs, is_embedded))
    topic_index, run_index = collection.topics.index(query_id), collection.runs.index(one.run_id)
    of_list = collection.part(topics=np.array([topic_index]), runs=np.array(collection.runs) == one.run_id)
    reference = topic_references(collection, study_options.reference)[topic_index]
    # 4. what people read before the work
    collection_text = visible(collection_name(runs, qrels))
    name = f"{collection_text}: run {one.run_id}, topic {one.query_id}"
    is_cut = whole.lengths[topic_index, run_index] > collection.depth
    depth = f"depth={collection.depth}{' (the list is longer and is cut)' if is_cut else ''}"
    reading = f"{study_options.reading_text}, {depth}"
    introduction = f"{name}; {reading}\n{one.counts}\n"
    announce(introduction)
    notes_on_reading = [note for note in notes if note not in collection.notes]
    for note in (*notes_on_reading, *of_list.notes):
        warn_of_input(note)
    head = {"title": options["title"] or name, "introduction": introduction, "reading": reading}
    head |= of_collection(of_list)
    return _list_result(one, study_options, reference, **head)


@dataclass(frozen=True, eq=False)
class OneList:
    """A list of a run: its grades in the order of ranks, and the documents of each grade of its topic."""

    run_id: str
    query_id: str
    grades: IntArray  # (depth,)
    relevant: tuple[int, ...]

    @classmethod
    def of(cls, collection: Collection, query_id: str, run_id: str) -> Self:
        """A list of a collection; InputError if the run has none for the topic."""
        place, number = collection.topics.index(query_id), collection.runs.index(run_id)
        if collection.missing[place, number]:
            raise InputError(f"run {run_id!r} has no document for topic {query_id!r}")
        grades = collection.grades[place, number].astype(np.int64)
        return cls(run_id, query_id, grades, tuple(collection.relevant[place].tolist()))

    @property
    def retrieved(self) -> tuple[int, ...]:
        """C_i, the number of documents of each grade i = 1..levels in the list."""
        return tuple(grade_counts(self.grades, len(self.relevant)).tolist())

    @property
    def counts(self) -> str:
        """The numbers of documents of each grade in one line."""
        pairs = enumerate(zip(self.retrieved, self.relevant, strict=True), 1)
        grades = [f"{in_list} of {in_topic} of grade {grade}" for grade, (in_list, in_topic) in pairs]
        return f"documents retrieved: {', '.join(grades)}"

    @cached_property
    def curves(self) -> dict[int, Curve]:
        """Actual curves by threshold, for thresholds that a document of the topic reaches."""
        reached = [t for t in range(1, len(self.relevant) + 1) if any(self.relevant[t - 1 :])]
        return {t: actual_curve(self.grades, self.relevant, threshold=t) for t in reached}


def _list_result(one: OneList, study: StudyOptions, reference: Reference, **head: Any) -> Result:
    """Result for a list of a run: curves, profiles and errors for the value of each measure."""
    solutions = tuple(
        solve(
            Problem.of_list(measure, one.grades, one.relevant, count=study.count, reference=reference),
            solver=study.solver,
            model=study.model,
        )
        for measure in study.measures
    )
    solved = [solution for solution in solutions if solution.status in SOLVED]
    errors = errors_table(one, solutions, study.align)
    files: tuple[Table, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    if solved:
        profiles = pd.concat(map(profile, solved), ignore_index=True)
        curves = curves_table(one, solved, study)
        files = (
            Table(name="curves", frame=curves, schema=CURVES, places=("file",)),
            Table(name="profiles", frame=profiles, schema=PROFILE, places=("file",)),
        )
        sheets = (_curves(curves), _profile("profiles", profiles))
    within = f"bands of figures and files: the precision is within them with probability {study.band or 0:g}"
    return Result(
        finding=_finding(errors.dropna(subset=["rms"]), study),
        answers={
            "solutions": solutions,
            "grades": one.grades,
            "relevant": one.relevant,
            "retrieved": one.retrieved,
        },
        views=(
            Table(
                name="errors",
                title="Errors of the inferred curves",
                frame=errors,
                places=("text", "page"),
                keys=2,
                shown=errors.drop(columns=["run_id", "query_id"]),
                schema=ERRORS,
            ),
            *files,
        ),
        sheets=sheets,
        facts=(Fact("documents", one.counts),),
        notes=tuple(f"{s.problem.measure}, {s.status}: {s.message}" for s in solutions if s.message),
        legend=(*study.legend, *([within] if study.band is not None else [])),
        errors="" if solved else "no value could be solved for this list (the reasons are above)",
        **head,
    )


def errors_table(one: OneList, solutions: Sequence[Solution], align: Align) -> pd.DataFrame:
    """Errors of the inferred curves: a row per measure and threshold, in the columns of a study."""
    rows = []
    for solution, threshold in product(solutions, range(1, len(one.relevant) + 1)):
        status, error, entropy = str(solution.status), CurveError(nan, nan, 0), nan
        if threshold not in one.curves:
            status = "no_relevant"
        elif status in SOLVED:
            status = CONSTANT if solution.constant else status
            inferred = inferred_curve(solution, threshold=threshold)
            error = curve_error(one.curves[threshold], inferred, align=align)
            entropy = solution.entropy
        else:
            error = error._replace(points=len(one.curves[threshold].rank))
        value = solution.problem.value
        rows.append(
            {
                "run_id": one.run_id,
                "query_id": one.query_id,
                "measure": str(solution.problem.measure),
                "threshold": threshold,
                "status": status,
                "value": nan if isinstance(value, tuple) else value,  # a joint has several, as in a study
                "rms": error.rms,
                "mae": error.mae,
                "points": error.points,
                "entropy": entropy,
            }
        )
    return pd.DataFrame(rows, columns=list(STUDY_COLUMNS))


def curves_table(one: OneList, solved: Sequence[Solution], study: StudyOptions) -> pd.DataFrame:
    """Points of the actual and the inferred curves; ``low`` and ``high`` are NaN where there is no band."""
    frames = []
    for threshold, actual in one.curves.items():
        frames.append(actual.to_frame().assign(threshold=threshold, curve="actual"))
        frames += [inferred_points(solution, threshold, study.align, study.band) for solution in solved]
    points = pd.concat(frames, ignore_index=True).assign(run_id=one.run_id, query_id=one.query_id)
    return points.reindex(columns=CURVE_COLUMNS)


def inferred_points(solution: Solution, threshold: int, align: Align, band: float | None) -> pd.DataFrame:
    """Points of an inferred curve with its threshold and its name."""
    inferred = inferred_curve(solution, threshold=threshold, expected=align == "expected", band=band)
    return inferred.to_frame().assign(threshold=threshold, curve=str(solution.problem.measure))


def _finding(errors: pd.DataFrame, study: StudyOptions) -> Finding | None:
    """Finding: the measure with the smallest error, unless another ties with it in the printed digits."""
    means = errors.groupby("measure", sort=False)["rms"].mean().round(4)
    if len(means) < 2:
        return None
    best = [str(name) for name in means.index[means == means.min()]]
    subject = "curves are equally close from" if len(best) > 1 else "closest curves: from"
    error = f"RMS {means.min():.4f}{thresholds_text(None, errors['threshold'].unique())}"
    reading = {name: value for name, value in study.scope.items() if name != "min_retrieved"}  # no list is left out
    return Finding(
        f"{subject} {', '.join(map(measure_label, best))}",
        (error, *reading_lines(reading)),
        study.cautions,
        best=best[0] if len(best) == 1 else None,
        reading=reading,
    )


def _curves(points: pd.DataFrame, drawn: str = "Actual and inferred") -> Sheet:
    """Figure of curves, a panel for each threshold."""
    parts = {int(t): points[points["threshold"] == t] for t in points["threshold"].unique()}
    panels = (
        Panel(
            Drawing("plot_curves", rows),
            f"{drawn} precision-recall curves: {threshold_label(threshold, max(parts))}.",
            size=(4.1, 3.9),
        )
        for threshold, rows in parts.items()
    )
    return Sheet("curves", tuple(panels))


def _profile(name: str, table: pd.DataFrame) -> Sheet:
    """Figure of the inferred distributions."""
    caption = f"{'Inferred probability' if name == 'profiles' else 'Probability'} of each grade at each rank."
    return Sheet(name, (Panel(Drawing("plot_profile", table), caption),))


def _choose_name(kind: str, name: str | None, names: Sequence[str], is_embedded: bool) -> str:
    """One of the runs or topics; by default the only one or, of the embedded collection, the first."""
    if name is None and (is_embedded or len(names) == 1):
        return names[0]
    if name is None or str(name) not in names:
        wrong = f"several {kind}s given" if name is None else f"no {kind} is called {str(name)!r}"
        shown = [*names[:SHOWN], *([f"... ({len(names)} in all)"] if len(names) > SHOWN else [])]
        raise InputError(f"{wrong}: choose one: {', '.join(shown)}")
    return str(name)


def _finding_of_values(solution: Solution, values: str) -> Finding:
    """Finding: how many of the first documents the most random distribution expects to be relevant, or why none."""
    if solution.status not in SOLVED:
        return Finding(f"nothing follows from {values}: {solution.status}", (solution.message,))
    first = min(FIRST, solution.problem.depth)
    expected = solution.p[:first, 1:].sum()
    follows = f"of the first {first} documents, {expected:.1f} are expected to be relevant"
    return Finding(f"with {values}, {follows}", (f"entropy {solution.entropy:.2f} nats",))


def _curves_of_values(solution: Solution, options: ExplainQuestion) -> pd.DataFrame | None:
    """Points of the curves inferred from values, at thresholds that documents of the topic reach; None without any.

    There is a point for each rank, as there is no list whose documents would be points.
    """
    align = options["align"] or "recall"
    band = None if align == EVERY_RANK else options["band"]  # bands are defined at relevant documents
    thresholds = range(1, len(np.trim_zeros(solution.problem.relevant, "b")) + 1)
    points = [inferred_points(solution, threshold, align, band) for threshold in thresholds]
    return pd.concat(points, ignore_index=True).reindex(columns=CURVE_COLUMNS[2:]) if points else None


def _values_result(values: Mapping[Measure | str, Value], options: ExplainQuestion) -> Result:
    """Result for values without a list: the most random distribution with these values."""
    # 1. the problem and its solution
    relevant, retrieved = options["relevant"], options["retrieved"]
    if relevant is None:
        raise ProblemError("values need relevant, the judged documents of each grade")
    depth = options["depth"] or LONGEST
    reading = {**options, **fitting(depth, options)}
    measures = tuple(map(parse_measure, values))
    in_list = relevant if retrieved is None else retrieved
    problem = Problem(
        joint(measures),
        value=tuple(map(value_or_bounds, measures, values.values())),
        relevant=relevant,
        retrieved=in_list,
        depth=depth,
        count=reading["count"],
        reference=reading["reference"],
    )
    solution = solve(problem, solver=reading["solver"], model=reading["model"])
    # 2. tables and figures: the curves first, where documents reach a threshold
    summary = solution.to_frame()
    views = [Table(name="solution", title="Solution", frame=summary, schema=SOLUTION, places=("text", "page"))]
    sheets: tuple[Sheet, ...] = ()
    if solution.status in SOLVED:
        table = profile(solution)
        views.append(Table(name="p", frame=table, schema=PROFILE, places=("file",)))
        sheets = (_profile("profile", table),)
        curves = _curves_of_values(solution, options)
        if curves is not None:
            shown = curves.loc[curves["rank"].isin((*RANKS, depth)), ["threshold", "rank", "recall", "precision"]]
            shown = shown.astype({"rank": np.int64})
            views.insert(
                0,
                Table(name="curves", title="Inferred curves", frame=curves, shown=shown, schema=CURVES, keys=2),
            )
            sheets = (_curves(curves, "Inferred"), *sheets)
    # 3. the values, the options and the counts in words
    scope_of_values = {name: reading[name] for name in ("reading", "count", "model")}
    scope_of_values |= {"reference": reference_name(problem.reference), "depth": depth}
    options_text = text_of(scope_of_values)
    pairs = zip(problem.measure.parts, problem.values, strict=True)
    described = ", ".join(f"{part} = {value:g}" for part, value in pairs)
    relevant_text = ", ".join(f"{x:g}" for x in problem.relevant)
    if problem.count == "retrieved":
        retrieved_text = ", ".join(f"{x:g}" for x in problem.retrieved or problem.relevant)
        counts = f"documents of each grade in the list: {retrieved_text} of {relevant_text}"
    else:
        counts = f"relevant documents of each grade: {relevant_text}"
    return Result(
        title=options["title"] or described,
        finding=_finding_of_values(solution, described),
        answers={"solutions": (solution,), "relevant": problem.relevant, "retrieved": problem.retrieved},
        views=tuple(views),
        sheets=sheets,
        reading=options_text,
        notes=(f"{options_text}; {counts}",),
        main="solution",
        errors="" if solution.status in SOLVED else "the values could not be solved (the reason is above)",
    )
