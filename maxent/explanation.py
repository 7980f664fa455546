"""One list explained: its values, the distributions and curves that they imply, and how far these are off."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import product
from math import nan
from typing import TYPE_CHECKING, Unpack

import numpy as np
import pandas as pd

from maxent.console.formats import format_table
from maxent.content import Fact, Panel, Sheet, Table, plotted
from maxent.curves import Align, Curve, CurveError, actual_curve, curve_error, inferred_curve, profile
from maxent.data.collection import Collection
from maxent.data.inputs import Qrels, Runs
from maxent.errors import InputError
from maxent.measures import AP, GAP, Measure, as_measures, nDCG
from maxent.options import takes
from maxent.problem import Problem, Solution
from maxent.problem.reference import kept_reference
from maxent.result import Result
from maxent.solvers import solve
from maxent.study.finding import Finding, over, scope
from maxent.study.informativeness import STUDY_COLUMNS
from maxent.study.options import ListKeywords, StudyOptions, check_collection, collected
from maxent.study.rank_profile import topic_references
from maxent.study.reading_words import TOPICS, legend_of, text_of, worded
from maxent.study.topics import CONSTANT, SOLVED
from maxent.texts import measure_label, threshold_label
from maxent.types import IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Explanation:
    """What the values of measures say about one list.

    Attributes
    ----------
    run_id, query_id : str
        The run and the topic.
    grades : (depth,) array
        Grades of the list in rank order.
    relevant : (levels,) tuple
        R_i: documents of grade i = 1..levels in the topic.
    solutions : tuple of Solution
        One for each measure; each has its ``problem``, and that the measure and its value.
    align : {"recall", "rank", "expected"}
        How curves are compared, see :func:`maxent.curve_error`.
    scope : mapping
        What the curves hold for, as words: count, model, reference, align, depth, and the gain of nDCG.
    band : float, optional
        Probability of the bands around inferred curves.
    cautions : tuple of str
        What to be careful about: a list that is mostly padding.
    """

    run_id: str
    query_id: str
    grades: IntArray
    relevant: tuple[int, ...]
    solutions: tuple[Solution, ...]
    align: Align
    scope: Mapping[str, str]
    band: float | None = None
    cautions: tuple[str, ...] = ()

    @property
    def retrieved(self) -> tuple[int, ...]:
        """How many documents of each grade i = 1..levels the list has, C_i."""
        return tuple(np.bincount(self.grades, minlength=len(self.relevant) + 1)[1:].tolist())

    @property
    def reading(self) -> dict[str, str]:
        """Parts of the scope that need words, such as count and align, or a model that is not the papers'."""
        return worded(self.scope)

    @property
    def title(self) -> str:
        """Run, topic and reading in a line."""
        return f"run {self.run_id}, topic {self.query_id}; {text_of(self.reading)}"

    @property
    def counts(self) -> str:
        """Numbers of documents in a line."""
        parts = zip(self.retrieved, self.relevant, strict=True)
        grades = [f"{found} of {present} of grade {grade}" for grade, (found, present) in enumerate(parts, 1)]
        return f"documents retrieved: {', '.join(grades)}"

    @property
    def solved(self) -> tuple[Solution, ...]:
        """Solutions that have a distribution."""
        return tuple(solution for solution in self.solutions if solution.status in SOLVED)

    @cached_property
    def curves(self) -> pd.DataFrame:
        """Points of all curves, in columns run_id, query_id, threshold, curve, rank, recall, precision, low, high.

        ``curve`` is ``actual`` or the measure from which the curve is inferred. There are curves for thresholds
        that documents of the topic reach, and from measures whose problem is solved. ``low`` and ``high`` are the
        ends of the band of an inferred curve, NaN where there is none.
        """
        frames = []
        for threshold, actual in self._actual.items():
            frames.append(actual.to_frame().assign(threshold=threshold, curve="actual"))
            for solution in self.solved:
                expected = self.align == "expected"
                inferred = inferred_curve(solution, threshold=threshold, expected=expected, band=self.band)
                frames.append(inferred.to_frame().assign(threshold=threshold, curve=str(solution.problem.measure)))
        points = pd.concat(frames, ignore_index=True)
        points = points.assign(run_id=self.run_id, query_id=self.query_id)
        columns = ["run_id", "query_id", "threshold", "curve", "rank", "recall", "precision", "low", "high"]
        return points.reindex(columns=columns)

    @cached_property
    def profiles(self) -> pd.DataFrame:
        """Inferred distributions of all measures that are solved, as from :func:`maxent.curves.profile`."""
        empty = pd.DataFrame(columns=["measure", "rank", "grade", "p"])
        tables = [profile(solution) for solution in self.solved]
        return pd.concat(tables, ignore_index=True) if tables else empty

    def to_frame(self) -> pd.DataFrame:
        """Errors of the inferred curves: a row per measure and threshold, in the columns of a study.

        Returns
        -------
        DataFrame
            As from :func:`maxent.informativeness`, so that tables of several lists can be joined and summarized.
        """
        rows = []
        for solution, threshold in product(self.solutions, range(1, len(self.relevant) + 1)):
            status, error, entropy = str(solution.status), CurveError(nan, nan, 0), nan
            if threshold not in self._actual:
                status = "no_relevant"
            elif status in SOLVED:
                status = CONSTANT if solution.constant else status
                inferred = inferred_curve(solution, threshold=threshold)
                error = curve_error(self._actual[threshold], inferred, align=self.align)
                entropy = solution.entropy
            else:
                error = error._replace(points=len(self._actual[threshold].rank))
            measure, value = str(solution.problem.measure), solution.problem.value
            rows.append((self.run_id, self.query_id, measure, threshold, status, value, *error, entropy))
        return pd.DataFrame(rows, columns=list(STUDY_COLUMNS))

    @cached_property
    def result(self) -> Result:
        """All of it as a result, which is shown as text, in a notebook, and as a report."""
        table = self.to_frame()
        legend = list(legend_of(self.reading))
        if self.band is not None:
            within = f"the precision is within them with probability {self.band:g}"
            legend.append(f"bands of figures and files: {within}")
        errors = Table(
            name="errors", title="Errors of the inferred curves", frame=table, places=("text", "page"), keys=2,
            shown=table.drop(columns=["run_id", "query_id"]),
            meanings={"rms": "root mean square error of the inferred curve's precision at its points"},
        )  # fmt: skip
        solved = bool(self.solved)
        files = {"curves": self.curves, "profiles": self.profiles} if solved else {}
        return Result(
            title=self.title,
            introduction=f"{self.title}, depth={len(self.grades)}\n{self.counts}\n",
            finding=self._finding(table.dropna(subset=["rms"])),
            tables=(errors, *(Table(name=name, frame=frame, places=("file",)) for name, frame in files.items())),
            figures=self._figures() if solved else (),
            facts=(Fact("documents", self.counts),),
            notes=tuple(f"{s.problem.measure}, {s.status}: {s.message}" for s in self.solutions if s.message),
            legend=tuple(legend),
            errors="" if solved else "no value could be solved for this list (the reasons are above)",
        )

    def _finding(self, errors: pd.DataFrame) -> Finding | None:
        """The measure with the smallest error, unless another has the same to the digits that are printed."""
        means = errors.groupby("measure", sort=False)["rms"].mean().round(4)
        if len(means) < 2:
            return None
        least = [measure_label(str(name)) for name in means.index[means == means.min()]]
        alike = "curves are equally close from" if len(least) > 1 else "closest curves: from"
        mean = f"RMS {means.min():.4f}{over(None, errors['threshold'].unique())}"
        return Finding(f"{alike} {', '.join(least)}", (mean, *scope(self.scope)), self.cautions)

    def _figures(self) -> tuple[Sheet, ...]:
        thresholds = list(self._actual)
        curves = [
            Panel(
                plotted("plot_curves", self.curves[self.curves["threshold"] == t]),
                f"Actual and inferred precision-recall curves: {threshold_label(t, thresholds[-1])}.",
                size=(4.1, 3.9),
            )
            for t in thresholds
        ]
        profile = Panel(plotted("plot_profile", self.profiles), "Inferred probability of each grade at each rank.")
        return (Sheet("curves", tuple(curves)), Sheet("profiles", (profile,)))

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Actual curve (points) and inferred curves (lines), with a colour for each threshold.

        Parameters
        ----------
        ax : Axes, optional
            Axes to draw on; default: those of a new figure.

        Returns
        -------
        Axes
        """
        from maxent.plot.curves import plot_curves  # loads matplotlib

        ax = plot_curves(self.curves, ax=ax)
        ax.set_title(textwrap.fill(self.title, 60), fontsize=10)
        return ax

    @cached_property
    def _actual(self) -> dict[int, Curve]:
        """Actual curves by threshold, for those that documents of the topic reach."""
        reached = [t for t in range(1, len(self.relevant) + 1) if any(self.relevant[t - 1 :])]
        return {t: actual_curve(self.grades, self.relevant, threshold=t) for t in reached}

    def __repr__(self) -> str:
        table = format_table(self.result.tables[0].people)
        return "\n".join((self.title, self.counts, table, *self.result.notes))

    def _repr_html_(self) -> str:
        return f"<p><b>{escape(self.title)}</b><br>{escape(self.counts)}</p>{self.result._repr_html_()}"


@takes(ListKeywords)
def explain(
    runs: Runs | Collection,
    qrels: Qrels | None = None,
    *,
    topic: str,
    run: str | None = None,
    measures: Sequence[Measure | str] | None = None,
    **options: Unpack[ListKeywords],
) -> Explanation:
    """What the values of measures say about one list: distributions, curves and errors.

    Parameters
    ----------
    topic : str
        Topic of the list.
    run : str, optional
        Name of the run; not needed if there is only one.
    measures : sequence of Measure or str, optional
        Measures whose values are known, each by itself; default: GAP with equal g_k, AP and ``nDCG(gain=exp2)``.

    Returns
    -------
    Explanation

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=4, depth=100)
    >>> one = me.explain(runs, qrels, run="system1", topic="1", measures=["AP", "P@10"], depth=100)
    >>> one.retrieved, one.relevant
    ((9, 17), (30, 23))
    >>> one.to_frame()[["measure", "threshold", "status", "value", "rms", "points"]].round(2)
      measure  threshold   status  value   rms  points
    0      AP          1  optimal   0.31  0.08      26
    1      AP          2  optimal   0.31  0.32      17
    2    P@10          1  optimal   0.80  0.18      26
    3    P@10          2  optimal   0.80  0.40      17

    Two lists side by side::

        for ax, run in zip(plt.subplots(1, 2, layout="constrained")[1], ("system1", "system2")):
            me.explain(runs, qrels, run=run, topic="1", measures=["AP"]).plot(ax)
    """
    if options["depth"] is not None and run is not None and isinstance(runs, Mapping) and run in runs:
        runs = {run: runs[run]}  # the others need not be read
    alone = not isinstance(runs, Collection) and kept_reference(options["reference"]) != TOPICS
    only = {"topics": [topic]} if alone else {}
    collection = collected(runs, qrels, {**options, **only})
    even = GAP(g=(1 / collection.levels,) * collection.levels)
    known = (even, AP(), nDCG(gain="exp2")) if measures is None else as_measures(measures)
    study = StudyOptions.of(collection, options, measures=known, thresholds=range(1, collection.levels + 1))
    check_collection(study, collection)
    topic = str(topic)
    if topic not in collection.topics:
        raise InputError(f"no topic with relevant documents is called {topic!r}: {', '.join(collection.topics)}")
    name, place = _choose_run(run, collection.runs), collection.topics.index(topic)
    number = collection.runs.index(name)
    if collection.missing[place, number]:
        raise InputError(f"run {name!r} has no document for topic {topic!r}")
    grades, relevant = collection.grades[place, number].astype(np.int64), collection.relevant[place]
    reference = topic_references(collection, study.reference)[place]
    problems = [
        Problem.of_list(measure, grades, relevant, count=study.count, reference=reference) for measure in known
    ]
    solutions = tuple(solve(problem, solver=study.solver, model=study.model) for problem in problems)
    return Explanation(
        run_id=name,
        query_id=topic,
        grades=grades,
        relevant=tuple(relevant.tolist()),
        solutions=solutions,
        align=study.align,
        scope=study.scope,
        band=study.band,
        cautions=study.cautions,
    )


def _choose_run(name: str | None, names: Sequence[str]) -> str:
    if name is None and len(names) == 1:
        return names[0]
    if name is None or name not in names:
        wrong = "several runs given" if name is None else f"no run is called {name!r}"
        raise InputError(f"{wrong}: choose one: {', '.join(names)}")
    return name
