"""Several measures whose values are joint constraints."""

from dataclasses import dataclass
from typing import ClassVar, NoReturn

from maxent.errors import MeasureError
from maxent.measures.measure import Measure, names_of_forms
from maxent.types import GradeCounts

COUNTS_ALONE = "counts"  # text form of a joint without measures: only the numbers of documents are given


@dataclass(frozen=True)
class Joint(Measure):
    """Several measures whose values are given to a problem or a study together; it has no value of its own.

    Parameters
    ----------
    measures : sequence of Measure
        At least two different measures, or none, which means the numbers of documents alone. The values and
        multipliers of a problem are in this order. Cascades such as ERR and RR need ``model="lists"``.

    Raises
    ------
    MeasureError
        If there is only one measure, a measure occurs twice or is itself a joint, or it has no expected value.

    Examples
    --------
    >>> import maxent as me
    >>> both = me.Joint((me.AP(), me.P(cutoff=10)))
    >>> str(both), me.parse_measure("AP & P@10") == both
    ('AP & P@10', True)
    >>> str(me.Joint()), me.parse_measure("counts") == me.Joint()
    ('counts', True)
    """

    measures: tuple[Measure, ...] = ()

    reference: ClassVar[str] = "Aslam, Yilmaz and Pavlu 2005: any number of constraints"

    def __post_init__(self) -> None:
        object.__setattr__(self, "measures", tuple(self.measures))
        for measure in self.measures:
            if not isinstance(measure, Measure) or isinstance(measure, Joint):
                raise MeasureError(f"a joint has measures, got {measure!r}")
            if not (measure.is_form() or measure.is_cascade()):
                raise MeasureError(
                    f"{measure} has no expected value; these can be joined: {names_of_forms(cascades=True)}"
                )
        if len(self.measures) == 1:
            raise MeasureError(f"a joint has several measures, got {self.measures[0]} alone")
        if len(set(self.measures)) < len(self.measures):
            raise MeasureError(f"{self} has the same measure twice")

    @property
    def parts(self) -> tuple[Measure, ...]:
        """The measures."""
        return self.measures

    def form(self, relevant: GradeCounts, depth: int) -> NoReturn:
        """Raise a MeasureError: each of the measures has its own form and value."""
        raise MeasureError(f"{self} has no value of its own: evaluate its measures one by one")

    def __str__(self) -> str:
        """Text forms of the measures, joined by `` & ``."""
        return " & ".join(map(str, self.measures)) or COUNTS_ALONE


def joint(measures: tuple[Measure, ...]) -> Measure:
    """Return a single measure unchanged, several or none as a :class:`Joint`."""
    return measures[0] if len(measures) == 1 else Joint(measures)
