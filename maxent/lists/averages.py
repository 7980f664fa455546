"""Problems of averages: values of measures given only as means over topics, as in tables of results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from maxent.checks import check_type, whole_number
from maxent.errors import ProblemError, quoted
from maxent.limits import DEPTH
from maxent.measures import Measure, as_measures
from maxent.measures.cumulated import CG, nDCG
from maxent.measures.graded import AP
from maxent.measures.precision import P, R, Rprec
from maxent.measures.user import ERR, RBP, RR, Success, nERR
from maxent.problem.bounds import printed
from maxent.problem.reference import Reference, hashable_reference, log_odds
from maxent.shown import Shown
from maxent.types import FloatArray

RETRIEVED = "num_rel_ret"  # trec_eval's name for the relevant documents that all lists together have
Known = Mapping[Any, float | str]  # keys: Measure or text
Documents = tuple[tuple[int, ...], ...]  # numbers of each grade in topics, (topics, levels)
FIRST = 20  # ranks that AP reaches
EARLY = 10  # ranks that a user sees who stops early


@dataclass(frozen=True, init=False)
class Averages(Shown):
    """Averages of measures over topics, such as a row of a table of results, and the numbers of relevant documents.

    Of all distributions over the lists of all topics that have these averages,
    :func:`maxent.lists.solve_averages` finds the one with the largest entropy relative to a reference.

    Parameters
    ----------
    known : mapping from Measure or text to float or text
        Averages, each over all topics: ``{"AP": 0.31, "P@10": 0.75, "R@1000": 0.67}``, also by trec_eval's names.
        ``num_rel_ret`` is the total number of relevant documents in all lists. A string is a printed number:
        ``".31"`` means any value from .305 to .315, and a whole number is exact.
    relevant : (topics, levels) integer array
        Documents of each grade in the judgments, for topics with at least one relevant document.
    retrieved : (topics, levels) integer array, optional
        Documents of each grade in the lists. By default, a list can have any number up to the topic's.
    topics : sequence of str, optional
        Names of the topics; default: numbers from 1.
    depth : int
        Length of the lists, N.
    reference : {"log-uniform", None}, or (depth, levels) or (depth, levels + 1) array
        Distribution of each list before any average is given, as for :class:`maxent.Problem`. By default, the odds
        of relevance at rank n are 1/n.

    Raises
    ------
    ProblemError
        If a number is invalid, or no average is given.
    MeasureError
        If a measure does not fit the grades or has no maximum-entropy problem.

    Examples
    --------
    >>> import maxent as me
    >>> collection = me.collect(*me.simulate(systems=3, topics=6, depth=100), depth=100)
    >>> known = {"AP": 0.34, "P@10": 0.9, "R@100": 0.5}
    >>> me.Averages(known, collection.relevant, topics=collection.topics, depth=100)
    Averages(AP = 0.34 & P@10 = 0.9 & R@100 = 0.5 over 6 topics)
    """

    measures: tuple[Measure, ...]
    values: tuple[float, ...]
    rounding: tuple[float, ...]  # half a unit of the last decimal of each, 0 where it is exact
    topics: tuple[str, ...]
    relevant: Documents
    retrieved: Documents | None  # None where lists have any number
    depth: int
    reference: Any  # None, "log-uniform", or a table as tuples

    def __init__(
        self,
        known: Known,
        relevant: "npt.ArrayLike",
        *,
        retrieved: "npt.ArrayLike | None" = None,
        topics: Sequence[str] | None = None,
        depth: int = 1000,
        reference: Reference = "log-uniform",
    ) -> None:
        depth = whole_number("depth", depth, raises=ProblemError, limit=DEPTH)
        check_type("the averages", known, Mapping)
        if not known:
            raise ProblemError("no averages, expected at least one such as AP=0.31")
        judged = documents("relevant", relevant)
        if not all(map(any, judged)):
            raise ProblemError("relevant: a topic has no relevant document")
        number_of_topics, levels = len(judged), len(judged[0])
        measures: list[Measure] = []
        values: list[float] = []
        rounding: list[float] = []
        for name, value in known.items():
            is_sum = name == RETRIEVED
            measures.append(documents_of_any_grade(levels) if is_sum else as_measures([name])[0])
            number, half_unit = printed(value, f"the average of {name}")
            divisor = number_of_topics if is_sum else 1
            values.append(number / divisor)
            rounding.append(half_unit / divisor)
        if len(set(measures)) < len(measures):
            raise ProblemError(f"an average is given twice: {', '.join(map(str, known))}")
        log_odds(reference, depth, levels)  # an error if it makes no sense
        attributes = {
            "measures": tuple(measures),
            "values": tuple(values),
            "rounding": tuple(rounding),
            "topics": tuple(map(str, range(1, number_of_topics + 1)) if topics is None else topics),
            "relevant": judged,
            "retrieved": None if retrieved is None else documents("retrieved", retrieved, judged),
            "depth": depth,
            "reference": hashable_reference(reference),
        }
        for name, attribute in attributes.items():
            object.__setattr__(self, name, attribute)
        for measure in self.measures:
            measure.expectation(self.relevant[0], depth)  # an error if it has no problem

    def reaches(self, measure: Measure) -> bool:
        """Whether predicted intervals of a measure's average, given these averages, held for real runs.

        The rule follows the coverage on three collections in ``docs/averages.md``. P@k reaches the first k ranks,
        and so does nDCG@k up to k = 20. AP reaches the first 20 ranks and R-precision. Together with the recall of
        whole lists, ``num_rel_ret`` or given numbers of documents, AP reaches all other ranks, except P and R at
        the last rank, which only given numbers fix. No other recall is reached. RR and Success, which depend on a
        single document, and higher thresholds of relevance are not reached either.

        Parameters
        ----------
        measure : Measure
            Measure whose average is predicted.

        Examples
        --------
        >>> import maxent as me
        >>> row = me.Averages({"AP": 0.5, "P@10": 0.1}, [[1], [1]])
        >>> row.reaches(me.P(cutoff=20)), row.reaches(me.R(cutoff=1000))
        (True, False)
        """
        # 1. the measure predicted: what no average reaches, or only given numbers of documents do
        early = EARLY if isinstance(measure, ERR | nERR | RBP) else self.depth
        ranks = min(getattr(measure, "cutoff", None) or early, self.depth)  # that it depends on
        if isinstance(measure, RR | Success) or getattr(measure, "rel", 1) > 1:
            return False
        if isinstance(measure, P | R) and ranks == self.depth:
            return self.retrieved is not None
        # 2. the averages given: the first ranks that each reaches
        reached_ranks = [0]
        has_average_precision, has_total = False, self.retrieved is not None
        for average in self.measures:
            if getattr(average, "rel", 1) > 1:
                continue
            cutoff: int | None = getattr(average, "cutoff", None)
            if cutoff and (isinstance(average, P) or (isinstance(average, nDCG) and cutoff <= FIRST)):
                reached_ranks.append(cutoff)
            if isinstance(average, AP) and not cutoff:
                has_average_precision = True
                reached_ranks.append(FIRST)
            if isinstance(average, R | CG) and (cutoff or self.depth) >= self.depth:
                has_total = True  # the recall of whole lists
        # 3. AP reaches more in these cases
        if has_average_precision and (has_total or measure == Rprec()):
            return True
        return ranks <= max(reached_ranks) and not isinstance(measure, R)

    @property
    def ranges(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest averages that round to the printed ones, (measures,)."""
        values, half = np.array(self.values), np.array(self.rounding)
        return values - half, values + half

    @property
    def levels(self) -> int:
        """Highest grade, c."""
        return len(self.relevant[0])

    def __repr__(self) -> str:
        pairs = zip(self.measures, self.values, strict=True)
        equations = " & ".join(f"{measure} = {value:.6g}" for measure, value in pairs)
        return f"Averages({equations} over {len(self.topics)} topics)"

    def to_frame(self) -> pd.DataFrame:
        """Table with a row for each average: measure, value, rounding (half a unit of its last decimal)."""
        names = list(map(str, self.measures))
        return pd.DataFrame({"measure": names, "value": self.values, "rounding": self.rounding})


def documents_of_any_grade(levels: int) -> Measure:
    """Measure that counts the retrieved relevant documents; its sum over topics is trec_eval's ``num_rel_ret``."""
    return CG(gain=(1.0,) * levels)


def documents(name: str, numbers: npt.ArrayLike, most: Documents | None = None) -> Documents:
    """Check numbers (topics, levels) of documents of each grade, at most ``most``; error messages use ``name``."""
    array = np.asarray(numbers)
    wrong = array.ndim != 2 or not array.size or array.dtype.kind not in "iu" or (array < 0).any()
    too_many = most is not None and (array.shape != np.shape(most) or (array > most).any())
    if wrong or too_many:
        limit = "" if most is None else ", at most those of relevant"
        raise ProblemError(f"{name}: expected whole numbers (topics, levels){limit}, got {quoted(numbers)}")
    return tuple(map(tuple, array.tolist()))
