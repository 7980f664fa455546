"""Maximum-entropy problems: values of measures, and constraints on the numbers of relevant documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import compress
from typing import Any, Self, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.checks import check_choice, whole_number
from maxent.errors import ProblemError
from maxent.limits import DEPTH
from maxent.measures.cascade import Expectation
from maxent.measures.form import FULL, Form, grade_counts, merge_grades
from maxent.measures.joint import joint
from maxent.measures.list_checks import check_topic, finite_numbers, one_list
from maxent.measures.measure import Measure
from maxent.measures.parse import parse_measure
from maxent.options.choices import Count as Count
from maxent.problem.bounds import Bounds, Value, check_value, value_or_bounds
from maxent.problem.interval import End, Location, ends, locate
from maxent.problem.reference import Reference, hashable_reference, kinds_of_odds, log_odds
from maxent.shown import Shown
from maxent.types import FloatArray, GradeCounts

COUNTS: tuple[Count, ...] = get_args(Count)


@dataclass(frozen=True, init=False)
class Problem(Shown):
    """A maximum-entropy problem: maximise sum_n H(p_n) given values of measures and counts of grades.

    The constraints are E[M] = value for each measure and, for each grade i = 1..levels, a condition on sum_n p_n(i)
    (GAP paper, figure 1, with three readings of the counts).

    Parameters
    ----------
    measure : Measure or text, or mapping from measures to their values, optional
        The measure whose value is given; several are a :class:`maxent.Joint`, or a mapping to their values. In a
        mapping, the value can be an interval: a pair of bounds, of which one may be None, or a string such as
        ``".305:.315"``. Any other string is a printed number: ``".31"`` means any value from .305 to .315, and a
        whole number is exact. By default, only the counts are given, and every rank has the same probabilities.
    value : float, or (m,) sequence
        Value of the measure, or values of the measures of a joint in their order; not with a mapping.
    relevant : (levels,) sequence
        R_i, documents of grade i = 1..levels in the relevance judgments; a number alone if there is one grade.
    retrieved : (levels,) sequence, optional
        Documents of each grade in the list; required only for ``count="retrieved"``.
    depth : int
        Length of the ranked list, N.
    count : {"retrieved", "total", "at_most"}
        Whether ``sum_n p_n(i)`` equals the number of retrieved documents (default; the observed list always
        satisfies this), equals R_i (the literal reading of the paper, often infeasible), or is at most R_i.
    reference : {None, "log-uniform"}, or (depth, levels) or (depth, levels + 1) array
        Distribution before any value or count is given: uniform (default, as in the papers), odds of 1/n for every
        positive grade at rank n, or a table of odds against grade 0 or of probabilities. With a reference q other
        than uniform, ``sum_n sum_i p_n(i) log(q_n(i) / p_n(i))`` is maximised.

    Raises
    ------
    ProblemError
        If an argument is invalid: negative counts, more retrieved than relevant documents or than ranks, a value
        that is not finite, not one value for each measure, a depth that is not a whole number or is beyond
        :data:`maxent.limits.DEPTH`, or a reference that has another shape or is not positive.
    MeasureError
        If this is not a measure, or it does not fit the grades or has no maximum-entropy problem.

    Examples
    --------
    A list of 100 documents with GAP 0.35 that holds all relevant documents of the topic, 30 of grade 1 and 10 of
    grade 2:

    >>> import maxent as me
    >>> problem = me.Problem(me.GAP(g=(0.5, 0.5)), value=0.35, relevant=(30, 10), retrieved=(30, 10), depth=100)
    >>> low, high = problem.interval
    >>> round(low, 3), round(high, 3), problem.location
    (0.202, 1.0, 'inside')

    The same list, with its precision at 10 given as well:

    >>> values = {me.GAP(g=(0.5, 0.5)): 0.35, me.P(cutoff=10): 0.6}
    >>> both = me.Problem(values, relevant=(30, 10), retrieved=(30, 10), depth=100)
    >>> str(both.measure), both.value
    ('GAP(g=0.5,0.5) & P@10', (0.35, 0.6))

    With a printed value of GAP, and P@10 at least 0.5:

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
        measure: Measure | str | Mapping[Any, Value] | None = None,  # keys are measures or texts
        *,
        value: float | Bounds | Sequence[float | Bounds] | None = None,
        relevant: GradeCounts | float,
        retrieved: GradeCounts | float | None = None,
        depth: int = 1000,
        count: Count = "retrieved",
        reference: Reference = None,
    ) -> None:
        if measure is None:
            measure = {}
        if isinstance(measure, Mapping):
            if value is not None and value != ():
                raise ProblemError(f"the mapping from measures has the values, got value={value!r} as well")
            measures = tuple(map(parse_measure, measure))
            value = tuple(map(value_or_bounds, measures, measure.values()))
            measure = joint(measures)
        measure = parse_measure(measure)
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
        """The given values, in words."""
        pairs = zip(self.measure.parts, self.values, strict=True)
        return " & ".join(f"{measure} = {value:.6g}" for measure, value in pairs) or "counts"

    def to_frame(self) -> pd.DataFrame:
        """Table with a row for each measure: measure, low and high of its value."""
        low, high = self.bounds.T
        return pd.DataFrame({"measure": list(map(str, self.measure.parts)), "low": low, "high": high})

    def __getstate__(self) -> dict[str, object]:
        """State to pickle: the fields without cached attributes."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def of_list(
        cls,
        measure: Measure | str,
        grades: "npt.ArrayLike",
        relevant: GradeCounts,
        *,
        count: Count = "retrieved",
        reference: Reference = None,
    ) -> Self:
        """Problem of an observed list, with the list's value, counts and length.

        Parameters
        ----------
        measure : Measure or text
            Measure whose value constrains the problem, or a :class:`maxent.Joint` of several.
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
            If this is not a measure, or the grades are not integers within 0..levels.
        ProblemError
            If there are several lists, or the list has more documents of a grade than the topic.

        Examples
        --------
        >>> import maxent as me
        >>> problem = me.Problem.of_list(me.AP(), [1, 0, 1, 0, 0, 1, 0, 0], relevant=(4,))
        >>> round(problem.value, 3), problem.retrieved, problem.depth
        (0.542, (3.0,), 8)
        """
        measure = parse_measure(measure)
        array = one_list(grades, len(check_topic(relevant)))
        retrieved = grade_counts(array, len(relevant))
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
        """Coefficients of the measures for this topic and depth, including cascades, which need whole lists."""
        return tuple(part.expectation(self.relevant, self.depth) for part in self.measure.parts)

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """Coefficients of the measures for this topic and depth; MeasureError if one is not a form."""
        return tuple(part.form(self.relevant, self.depth) for part in self.measure.parts)

    @property
    def form(self) -> Form:
        """Coefficients of the only measure; MeasureError if there are several."""
        return self.forms[0] if len(self.forms) == 1 else self.measure.form(self.relevant, self.depth)

    @property
    def values(self) -> tuple[Any, ...]:
        """Values of the measures, also a tuple for a single measure."""
        return self.value if self.is_joint else (self.value,)

    @property
    def has_intervals(self) -> bool:
        """Whether bounds are given in place of some value."""
        return any(isinstance(value, Bounds) for value in self.values)

    @property
    def bounds(self) -> FloatArray:
        """Smallest and largest value of each measure, (m, 2); equal if the value itself is given."""
        pairs = [(value.low, value.high) if isinstance(value, Bounds) else (value, value) for value in self.values]
        return np.array(pairs, dtype=np.float64).reshape(-1, 2)

    def with_active(self, active: Mapping[int, float]) -> "Problem":
        """Problem without intervals, in which the active bounds of measures, by index, are their values."""
        values = {k: value for k, value in enumerate(self.values) if not isinstance(value, Bounds)}
        values.update(active)
        measures = tuple(self.measure.parts[k] for k in sorted(values))
        return replace(self, measure=joint(measures), value=tuple(values[k] for k in sorted(values)))

    @property
    def parts(self) -> tuple["Problem", ...]:
        """Separate problem for each measure, with its own interval."""
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
        """Grades with a positive count, and 0 unless the counts fill all ranks."""
        room = self.count == "at_most" or self.counts.sum() < self.depth * (1 - FULL)
        return tuple(compress(range(self.levels + 1), (room, *self.counts)))

    @cached_property
    def merged_grades(self) -> tuple[tuple[int, ...], ...]:
        """Grades present, in groups that neither a measure nor the reference distinguishes."""
        return merge_grades(self.present, [*(form.kinds for form in self.forms), *kinds_of_odds(self.log_odds)])

    @cached_property
    def log_odds(self) -> FloatArray | None:
        """Logarithms (depth, levels) of the reference's odds against grade 0; None if it is uniform."""
        return None if self.reference is None else log_odds(self.reference, self.depth, self.levels)

    @cached_property
    def ends(self) -> tuple[End, End]:
        """Lower and upper end of the attainable interval, with the most random sorted list at each.

        The upper ends of wAP and Q, the upper end of gAP for fractional counts, and the lower end of xGAP may only
        be bounds (``exact`` is false). The value ``listed`` of the sorted list is then slightly inside.

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
        """Location of the value, or of the value within its bounds nearest to the middle of the interval.

        A value at an end that is only a bound is ``inside``.
        """
        location = locate(float(np.clip(sum(self.interval) / 2, *self.bounds[0])), *self.interval)
        low, high = self.ends
        bound = (location == "low" and not low.exact) or (location == "high" and not high.exact)
        return "inside" if bound else location

    @property
    def beyond(self) -> "Problem | None":
        """Problem of the first measure whose value is beyond its own interval, if there is one."""
        return next((part for part in self.parts if part.location in ("below", "above")), None)

    @property
    def nearer_end(self) -> int:
        """Index in :attr:`ends` of the sorted list with the nearer value: 0 for the lower end, 1 for the upper."""
        low, high = self.ends
        return int(self.value - low.listed > high.listed - self.value)

    def to_cvxpy(self) -> tuple[Any, Any]:
        """Program of CVXPY and its variable p (depth, levels + 1), for further constraints on linear measures.

        :meth:`maxent.Solution.of` turns the result into a solution. With a relevant document at rank 1 for certain:

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
        """Reason why no distribution has these counts; empty if some distribution has them."""
        total = self.counts.sum()
        if self.count == "at_most" or total <= self.depth * (1 + FULL):
            return ""
        return f"the topic has {total:g} relevant documents, more than the {self.depth} ranks"
