"""A maximum-entropy problem: values of measures, and constraints on the number of relevant documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import compress
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.checks import DEPTH, check_choice, whole_number
from maxent.errors import ProblemError
from maxent.measures.cascade import Expectation
from maxent.measures.checks import check_topic
from maxent.measures.form import FULL, Form, merge_grades
from maxent.measures.joint import joint
from maxent.measures.measure import Measure, require_measure
from maxent.problem.bounds import Bounds, Value, check_value, value_or_bounds
from maxent.problem.checks import finite_numbers, one_list
from maxent.problem.interval import End, Location, ends, locate
from maxent.problem.reference import Reference, hashable_reference, kinds_of_odds, log_odds
from maxent.texts import Shown
from maxent.types import FloatArray, GradeCounts

Count = Literal["retrieved", "total", "at_most"]
COUNTS: tuple[Count, ...] = get_args(Count)


@dataclass(frozen=True, init=False)
class Problem(Shown):
    """A maximum-entropy problem: maximise sum_n H(p_n) given values of measures and the counts of the grades.

    The constraints are E[M] = value for each measure and, for each grade i = 1..levels, a condition on sum_n p_n(i)
    (GAP paper, figure 1, with three readings of the counts).

    Parameters
    ----------
    measure : Measure, or mapping from Measure to what is known of its value, optional
        The measure whose value is known; several are a :class:`maxent.Joint`, or a mapping to their values. A value
        in a mapping may be an interval: a pair of bounds, of which one may be None, or their text ``".305:.315"``.
        Another text is a printed number: ``".31"`` is anything from .305 to .315. By default only the counts are
        known: every rank has the same probabilities.
    value : float, or (m,) sequence
        Its value, or those of the measures of a joint in their order; not with a mapping.
    relevant : (levels,) sequence
        R_i, documents of grade i = 1..levels in the relevance judgments.
    retrieved : (levels,) sequence, optional
        Documents of each grade in the list; needed for ``count="retrieved"`` only.
    depth : int
        Length of the ranked list, N.
    count : {"retrieved", "total", "at_most"}
        ``sum_n p_n(i)`` equals the retrieved documents (default: the observed list always satisfies that), equals
        R_i (the literal reading of the paper, often infeasible), or is at most R_i.
    reference : {None, "log-uniform"}, or (depth, levels) or (depth, levels + 1) array
        The distribution before anything is known: uniform (default, the papers'), odds of 1/n for every positive
        grade at rank n, or the odds against grade 0 or probabilities of a table. Relative to another than the
        uniform one, ``sum_n sum_i p_n(i) log(q_n(i) / p_n(i))`` is maximised.

    Raises
    ------
    ProblemError
        If the numbers make no sense: counts negative, more retrieved than relevant or than ranks, value not finite,
        not one value for each measure, depth not a whole number or beyond :data:`maxent.checks.DEPTH`, or a
        reference of another shape or not positive.
    MeasureError
        If this is no measure, or it does not fit the grades or has no maximum-entropy problem.

    Examples
    --------
    A list of 100 documents with GAP 0.35 that holds all documents of the topic, 30 of grade 1 and 10 of grade 2:

    >>> import maxent as me
    >>> problem = me.Problem(me.GAP(g=(0.5, 0.5)), value=0.35, relevant=(30, 10), retrieved=(30, 10), depth=100)
    >>> low, high = problem.interval
    >>> round(low, 3), round(high, 3), problem.location
    (0.202, 1.0, 'inside')

    Its precision at 10 is known as well:

    >>> values = {me.GAP(g=(0.5, 0.5)): 0.35, me.P(cutoff=10): 0.6}
    >>> both = me.Problem(values, relevant=(30, 10), retrieved=(30, 10), depth=100)
    >>> str(both.measure), both.value
    ('GAP(g=0.5,0.5) & P@10', (0.35, 0.6))

    Or only that it is at least 0.5, and GAP as it is printed:

    >>> values = {me.GAP(g=(0.5, 0.5)): ".35", me.P(cutoff=10): (0.5, None)}
    >>> me.Problem(values, relevant=(30, 10), retrieved=(30, 10), depth=100).bounds.round(3).tolist()
    [[0.345, 0.355], [0.5, inf]]
    """

    measure: Measure
    value: Any  # a float or Bounds; for a joint a tuple of these
    relevant: tuple[float, ...]
    retrieved: tuple[float, ...] | None
    depth: int
    count: Count
    reference: Any  # None, "log-uniform", or a table as tuples

    def __init__(
        self,
        measure: Measure | Mapping[Measure, Value] | None = None,
        *,
        value: float | Bounds | Sequence[float | Bounds] | None = None,
        relevant: GradeCounts,
        retrieved: GradeCounts | None = None,
        depth: int = 1000,
        count: Count = "retrieved",
        reference: Reference = None,
    ) -> None:
        if measure is None:
            measure = {}
        if isinstance(measure, Mapping):
            if value is not None and value != ():
                raise ProblemError(f"values stand in the mapping from measures, got value={value!r} as well")
            value = tuple(value_or_bounds(part, part_value) for part, part_value in measure.items())
            measure = joint(tuple(measure))
        require_measure(measure)
        check_choice("count", count, COUNTS, raises=ProblemError)
        attributes = {
            "measure": measure,
            "value": check_value(measure, value),
            "relevant": finite_numbers("relevant", relevant),
            "retrieved": None if retrieved is None else finite_numbers("retrieved", retrieved),
            "depth": whole_number("depth", depth, raises=ProblemError, limit=DEPTH),
            "count": count,
        }
        for name, attribute in attributes.items():
            object.__setattr__(self, name, attribute)
        log_odds(reference, self.depth, self.levels)  # an error if it makes no sense
        object.__setattr__(self, "reference", hashable_reference(reference))
        if self.count == "retrieved":
            self._check_retrieved()
        self.expectations  # noqa: B018 (raises MeasureError here rather than at the first use)

    def _check_retrieved(self) -> None:
        if self.retrieved is None:
            raise ProblemError('count="retrieved" needs the number of retrieved documents of each grade')
        if len(self.retrieved) != len(self.relevant):
            raise ProblemError(f"relevant has {len(self.relevant)} grades, retrieved {len(self.retrieved)}")
        for grade, (documents, total) in enumerate(zip(self.retrieved, self.relevant, strict=True), start=1):
            if not 0 <= documents <= total:
                raise ProblemError(f"grade {grade}: {documents:g} retrieved of {total:g} relevant")
        if sum(self.retrieved) > self.depth:
            raise ProblemError(f"{sum(self.retrieved):g} relevant documents in a list of {self.depth}")

    def __repr__(self) -> str:
        counts, relevant = (" + ".join(f"{x:g}" for x in numbers) for numbers in (self.counts, self.relevant))
        of_relevant = f" of {relevant} relevant" if self.count == "retrieved" else ""
        return f"Problem({self.known}; {self.count} {counts}{of_relevant}, {self.depth} ranks)"

    @property
    def known(self) -> str:
        """The values that are known, in words."""
        pairs = zip(self.measure.parts, self.values, strict=True)
        return " & ".join(f"{measure} = {value:.6g}" for measure, value in pairs) or "counts"

    def to_frame(self) -> pd.DataFrame:
        """A row for each measure: measure, low and high of its value."""
        low, high = self.bounds.T
        return pd.DataFrame({"measure": list(map(str, self.measure.parts)), "low": low, "high": high})

    def __getstate__(self) -> dict[str, object]:
        """State to pickle: the fields without cached attributes."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def of_list(
        cls,
        measure: Measure,
        grades: npt.ArrayLike,
        relevant: GradeCounts,
        *,
        count: Count = "retrieved",
        reference: Reference = None,
    ) -> Self:
        """Problem of an observed list, with its value, counts and length.

        Parameters
        ----------
        measure : Measure
            The measure whose value is taken, or a :class:`maxent.Joint` of several.
        grades : (depth,) integer array
            Grades 0..levels in rank order.
        relevant : (levels,) sequence
            R_i of the topic, retrieved or not.
        count, reference
            As for :class:`Problem`.

        Returns
        -------
        Problem

        Raises
        ------
        MeasureError
            If this is no measure, or the grades are not integers within 0..levels.
        ProblemError
            If there are several lists, or the list has more documents of a grade than the topic.

        Examples
        --------
        >>> import maxent as me
        >>> problem = me.Problem.of_list(me.AP(), [1, 0, 1, 0, 0, 1, 0, 0], relevant=(4,))
        >>> round(problem.value, 3), problem.retrieved, problem.depth
        (0.542, (3.0,), 8)
        """
        require_measure(measure)
        array = one_list(grades, len(check_topic(relevant)))
        retrieved = np.bincount(array, minlength=len(relevant) + 1)[1:]
        return cls(
            measure,
            value=tuple(float(part.evaluate(array, relevant)) for part in measure.parts),
            relevant=tuple(relevant),
            retrieved=tuple(retrieved),
            depth=len(array),
            count=count,
            reference=reference,
        )

    @property
    def levels(self) -> int:
        """Highest grade, c."""
        return len(self.relevant)

    @cached_property
    def expectations(self) -> tuple[Expectation, ...]:
        """Coefficients of the measures for this topic and depth; only models of whole lists know cascades."""
        return tuple(part.expectation(self.relevant, self.depth) for part in self.measure.parts)

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """Coefficients of the measures for this topic and depth; a MeasureError where one is no form."""
        return tuple(part.form(self.relevant, self.depth) for part in self.measure.parts)

    @property
    def form(self) -> Form:
        """Coefficients of the only measure; a MeasureError where there are several."""
        return self.forms[0] if len(self.forms) == 1 else self.measure.form(self.relevant, self.depth)

    @property
    def values(self) -> tuple[Any, ...]:
        """Values of the measures, a tuple also for a single one."""
        return self.value if self.is_joint else (self.value,)

    @property
    def has_intervals(self) -> bool:
        """Whether bounds of some value are known, and not the value."""
        return any(isinstance(value, Bounds) for value in self.values)

    @property
    def bounds(self) -> FloatArray:
        """Smallest and largest value of each measure, (m, 2); both are the value where it is known."""
        pairs = [(value.low, value.high) if isinstance(value, Bounds) else (value, value) for value in self.values]
        return np.array(pairs, dtype=np.float64).reshape(-1, 2)

    def with_active(self, active: Mapping[int, float]) -> "Problem":
        """The problem without intervals: bounds of measures by index that hold with equality are their values."""
        values = {k: value for k, value in enumerate(self.values) if not isinstance(value, Bounds)}
        values.update(active)
        measures = tuple(self.measure.parts[k] for k in sorted(values))
        return replace(self, measure=joint(measures), value=tuple(values[k] for k in sorted(values)))

    @property
    def parts(self) -> tuple["Problem", ...]:
        """A problem for each measure by itself, with its own interval."""
        return self._parts if self.is_joint else (self,)

    @property
    def is_joint(self) -> bool:
        """Whether the measure is a joint of several measures, or of none."""
        return isinstance(self.value, tuple)

    @cached_property
    def _parts(self) -> tuple["Problem", ...]:
        pairs = zip(self.measure.parts, self.values, strict=True)
        return tuple(replace(self, measure=measure, value=value) for measure, value in pairs)

    @cached_property
    def counts(self) -> FloatArray:
        """(levels,) array: what ``sum_n p_n(i)`` must equal, or may reach with ``count="at_most"``."""
        counts = np.array(self.retrieved if self.count == "retrieved" else self.relevant)
        counts.setflags(write=False)
        return counts

    @cached_property
    def present(self) -> tuple[int, ...]:
        """Grades that can occur, which are those with a positive count, and 0 unless the counts fill all ranks."""
        room = self.count == "at_most" or self.counts.sum() < self.depth * (1 - FULL)
        return tuple(compress(range(self.levels + 1), (room, *self.counts)))

    @cached_property
    def merged_grades(self) -> tuple[tuple[int, ...], ...]:
        """Grades present, in groups that neither a measure nor the reference distinguishes."""
        return merge_grades(self.present, [*(form.kinds for form in self.forms), *kinds_of_odds(self.log_odds)])

    @cached_property
    def log_odds(self) -> FloatArray | None:
        """Logarithms (depth, levels) of the reference's odds against grade 0; None where it is uniform."""
        return None if self.reference is None else log_odds(self.reference, self.depth, self.levels)

    @cached_property
    def ends(self) -> tuple[End, End]:
        """Lower and upper end of the attainable interval, with the most random sorted list at each.

        The upper ends of wAP and Q, that of gAP for fractional counts, and the lower ends of xGAP may be bounds
        (``exact`` is false); the value ``listed`` of the sorted list is then somewhat inside.

        Raises
        ------
        ProblemError
            If no distribution has these counts.
        """
        if self.overfull:
            raise ProblemError(self.overfull)
        return ends(self.form, self.counts, present=self.present, at_most=self.count == "at_most")

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Lower and upper end of the attainable interval, or bounds in their place; see :attr:`ends`."""
        low, high = self.ends
        return low.value, high.value

    @cached_property
    def location(self) -> Location:
        """Where the value, or that in its bounds nearest to the middle, lies; at a mere bound it is ``inside``."""
        location = locate(float(np.clip(sum(self.interval) / 2, *self.bounds[0])), *self.interval)
        low, high = self.ends
        bound = (location == "low" and not low.exact) or (location == "high" and not high.exact)
        return "inside" if bound else location

    @property
    def beyond(self) -> "Problem | None":
        """The first measure by itself whose value is beyond its own interval, if there is one."""
        return next((part for part in self.parts if part.location in ("below", "above")), None)

    @property
    def nearer_end(self) -> int:
        """Index in :attr:`ends` of the sorted list whose value is nearer: 0 for the lower end, 1 for the upper."""
        low, high = self.ends
        return int(self.value - low.listed > high.listed - self.value)

    def to_cvxpy(self) -> tuple[Any, Any]:
        """A program of CVXPY and its variable p (depth, levels + 1), for other constraints on linear measures.

        :meth:`maxent.Solution.of` makes a solution of what is found. A relevant document is at rank 1 for certain:

        >>> import cvxpy as cp
        >>> import maxent as me
        >>> problem = me.Problem({me.P(cutoff=3): (0.5, None)}, relevant=(4,), retrieved=(3,), depth=6)
        >>> program, p = problem.to_cvxpy()
        >>> _ = cp.Problem(program.objective, [*program.constraints, p[0, 1] == 1]).solve()
        >>> p.value[:, 1].round(2).tolist()
        [1.0, 0.4, 0.4, 0.4, 0.4, 0.4]
        """
        import cvxpy as cp  # loads slowly

        if curved := [str(part.measure) for part in self.parts if not part.form.linear]:
            raise ProblemError(f"no convex program: {', '.join(curved)} is not linear; P, nDCG and RBP are")
        p = cp.Variable((self.depth, self.levels + 1), name="p")
        total, present = cp.sum(p[:, 1:], axis=0), list(self.present)
        constraints = [cp.sum(p, axis=1) == 1]
        constraints += [total <= self.counts if self.count == "at_most" else total == self.counts]
        constraints += [p[:, grade] == 0 for grade in range(self.levels + 1) if grade not in present]
        for form, (low, high) in zip(self.forms, self.bounds.tolist(), strict=True):
            size = np.abs(form.a).max() or 1.0
            value = cp.sum(cp.multiply(form.a / size, p))
            ends = [value >= low / size] * int(low > -np.inf) + [value <= high / size] * int(high < np.inf)
            constraints += [value == low / size] if low == high else ends
        log_odds = np.zeros((self.depth, self.levels)) if self.log_odds is None else self.log_odds
        odds = np.exp(np.pad(log_odds, ((0, 0), (1, 0))))[:, present]
        entropy = -cp.rel_entr(p[:, present], odds)
        return cp.Problem(cp.Maximize(cp.sum(entropy)), constraints), p

    @cached_property
    def overfull(self) -> str:
        """Why no distribution has these counts; empty if some distribution has them."""
        total = self.counts.sum()
        if self.count == "at_most" or total <= self.depth * (1 + FULL):
            return ""
        return f"the topic has {total:g} relevant documents, more than the {self.depth} ranks"
