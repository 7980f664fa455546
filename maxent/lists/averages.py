"""A problem over all topics at once: averages of measures over topics, as tables of results print them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self

import numpy as np

from maxent.checks import DEPTH, whole_number
from maxent.data.collection import Collection, collect
from maxent.data.inputs import Qrels, Run, qrels_columns
from maxent.data.judgments import Judgments
from maxent.data.lines import finite_number as plain_number
from maxent.errors import ProblemError
from maxent.measures import Measure, as_measures
from maxent.measures.cumulated import CG, nDCG
from maxent.measures.graded import AP
from maxent.measures.precision import P, R, Rprec
from maxent.measures.user import ERR, RBP, RR, Success, nERR
from maxent.problem.checks import check_type, finite_number
from maxent.problem.reference import Reference, kept_reference, log_odds
from maxent.types import FloatArray, IntArray

RETRIEVED = "num_rel_ret"  # trec_eval's name for the relevant documents that all lists together have
Known = Mapping[Any, float | str]  # keys: Measure or text
FIRST = 20  # ranks of which AP says enough
EARLY = 10  # ranks that a user sees who stops early


@dataclass(frozen=True, init=False)
class Averages:
    """Averages of measures over topics, such as a row of a table of results, and the judgments behind them.

    Of all distributions over the lists of all topics that have these averages, :func:`maxent.solve` finds the one
    of largest entropy relative to a reference.

    Parameters
    ----------
    qrels : judgments or Collection
        Anything that :func:`maxent.data.as_qrels` understands. Topics without relevant documents are left out.
    known : mapping from Measure or text to float or text
        The averages, each over all topics: ``{"AP": 0.31, "P@10": 0.75, "R@1000": 0.67}``, also by trec_eval's
        names. ``num_rel_ret`` is the number of relevant documents that all lists together have. A text is a
        printed number: ``".31"`` is anything from .305 to .315.
    run : run, optional
        The run itself. Only its numbers of documents of each grade in each topic become known. By default lists
        have any number up to that of the topic.
    topics : iterable of str, optional
        Topics of the averages; default: all of the qrels.
    depth : int
        Length of the lists, N.
    reference : {"log-uniform", None}, or (depth, levels) or (depth, levels + 1) array
        The distribution of each list before anything is known, as for :class:`maxent.Problem`. By default the odds
        of relevance at rank n are 1/n.

    Raises
    ------
    InputError
        If the judgments or the run cannot be used.
    ProblemError
        If a number makes no sense, or nothing is known.
    MeasureError
        If a measure does not fit the grades or has no maximum-entropy problem.

    Examples
    --------
    >>> import maxent as me
    >>> runs, qrels = me.simulate(systems=3, topics=6, depth=100)
    >>> row = me.Averages(qrels, {"AP": 0.34, "P@10": 0.9, "R@100": 0.5}, depth=100)
    >>> row
    Averages(AP = 0.34 & P@10 = 0.9 & R@100 = 0.5 over 6 topics)
    """

    measures: tuple[Measure, ...]
    values: tuple[float, ...]
    rounding: tuple[float, ...]  # half a unit of the last digit of each, 0 where it is exact
    topics: tuple[str, ...]
    relevant: tuple[tuple[int, ...], ...]  # (topics, levels)
    retrieved: tuple[tuple[int, ...], ...] | None  # (topics, levels), None where lists have any number
    depth: int
    reference: Any  # None, "log-uniform", or a table as tuples

    def __init__(
        self,
        qrels: Qrels | Collection,
        known: Known,
        *,
        run: Run | None = None,
        topics: Iterable[str] | None = None,
        depth: int = 1000,
        reference: Reference = "log-uniform",
    ) -> None:
        depth = whole_number("depth", depth, raises=ProblemError, limit=DEPTH)
        retrieved: IntArray | None = None
        names: Iterable[str]
        if run is not None:
            found = collect(run, qrels, topics=topics, depth=depth, progress=False)
            names, relevant, retrieved = found.topics, found.relevant, documents(found)[:, 0]
        elif isinstance(qrels, Collection):
            names, relevant = qrels.topics, qrels.relevant
        else:
            names, relevant = judged_topics(qrels, topics)
        self._set(names, relevant, retrieved, known, depth, reference)

    @classmethod
    def of_run(
        cls,
        collection: Collection,
        run: str,
        measures: Iterable[Measure | str],
        *,
        counts: bool = False,
        reference: Reference = "log-uniform",
    ) -> Self:
        """Averages of a run of a collection.

        Parameters
        ----------
        collection : Collection
            Runs and judgments.
        run : str
            Name of the run.
        measures : iterable of Measure or text
            Measures whose averages are known.
        counts : bool
            Whether the number of documents of each grade in each topic is known as well.
        reference
            As for :class:`Averages`.

        Returns
        -------
        Averages

        Examples
        --------
        >>> import maxent as me
        >>> runs, qrels = me.simulate(systems=3, topics=6, depth=100)
        >>> me.Averages.of_run(me.collect(runs, qrels, depth=100), "system1", ["AP", "P@10"])
        Averages(AP = 0.34385 & P@10 = 0.916667 over 6 topics)
        """
        check_type("the collection", collection, Collection)
        if run not in collection.runs:
            raise ProblemError(f"no run {run!r}; there are: {', '.join(collection.runs)}")
        number = collection.runs.index(run)
        pairs = list(zip(collection.grades[:, number], collection.relevant, strict=True))
        known: Known = {
            measure: float(np.mean([measure.values(grades, relevant) for grades, relevant in pairs]))
            for measure in as_measures(list(measures))
        }
        retrieved = documents(collection)[:, number] if counts else None
        found = cls.__new__(cls)
        found._set(collection.topics, collection.relevant, retrieved, known, collection.depth, reference)
        return found

    def _set(
        self,
        topics: Iterable[str],
        relevant: IntArray,
        retrieved: IntArray | None,
        known: Known,
        depth: int,
        reference: Reference,
    ) -> None:
        """Set and check the fields."""
        check_type("the averages", known, Mapping)
        if not known:
            raise ProblemError("no averages, expected at least one such as AP=0.31")
        levels, number = relevant.shape[1], len(relevant)
        every = documents_of_any_grade(levels)
        pairs: list[tuple[Measure, tuple[float, float]]] = []
        for name, value in known.items():
            measure, size = (every, number) if name == RETRIEVED else (as_measures([name])[0], 1)
            own, half = printed(value, f"the average of {name}")
            pairs.append((measure, (own / size, half / size)))
        if len(dict(pairs)) < len(pairs):
            raise ProblemError(f"an average is given twice: {', '.join(map(str, known))}")
        log_odds(reference, depth, levels)  # an error if it makes no sense
        given = {
            "measures": tuple(measure for measure, _ in pairs),
            "values": tuple(value for _, (value, _) in pairs),
            "rounding": tuple(half for _, (_, half) in pairs),
            "topics": tuple(topics),
            "relevant": tuple(map(tuple, relevant.tolist())),
            "retrieved": None if retrieved is None else tuple(map(tuple, retrieved.tolist())),
            "depth": depth,
            "reference": kept_reference(reference),
        }
        for name, field in given.items():
            object.__setattr__(self, name, field)
        for measure in self.measures:
            measure.expectation(self.relevant[0], depth)  # an error if it has no problem

    def with_values(self, values: Iterable[float]) -> Self:
        """The same with other averages."""
        found = object.__new__(type(self))
        for name, own in {**vars(self), "values": tuple(map(float, values))}.items():
            object.__setattr__(found, name, own)
        return found

    def reaches(self, measure: Measure) -> bool:
        """Whether intervals of a measure's average, given these averages, held for real runs.

        The rule is read off the coverage of three collections in ``docs/averages.md``. P@k reaches the first k
        ranks, nDCG@k does so up to k = 20. AP reaches the first 20 and R-precision. Beside the recall of whole
        lists, ``num_rel_ret`` or known numbers of documents it reaches the rest, but not P and R at the last rank,
        which only known numbers fix. No other recall is reached. RR and Success, which one document decides, and
        higher thresholds of relevance are not reached either.

        Parameters
        ----------
        measure : Measure
            The measure whose average is predicted.

        Examples
        --------
        >>> import maxent as me
        >>> row = me.Averages({"1": {"a": 1}, "2": {"b": 1}}, {"AP": 0.5, "P@10": 0.1})
        >>> row.reaches(me.P(cutoff=20)), row.reaches(me.R(cutoff=1000))
        (True, False)
        """
        early = EARLY if isinstance(measure, ERR | nERR | RBP) else self.depth
        ranks = min(getattr(measure, "cutoff", None) or early, self.depth)
        if isinstance(measure, RR | Success) or getattr(measure, "rel", 1) > 1:
            return False
        if isinstance(measure, P | R) and ranks == self.depth:
            return self.retrieved is not None
        cutoffs: list[tuple[Measure, int | None]]
        cutoffs = [(m, getattr(m, "cutoff", None)) for m in self.measures if getattr(m, "rel", 1) == 1]
        totals = [cutoff or self.depth for m, cutoff in cutoffs if isinstance(m, R | CG)]
        whole = self.retrieved is not None or max(totals, default=0) >= self.depth
        first = [k for m, k in cutoffs if k and (isinstance(m, P) or (isinstance(m, nDCG) and k <= FIRST))]
        if any(isinstance(m, AP) and not cutoff for m, cutoff in cutoffs):
            if whole or measure == Rprec():
                return True
            first.append(FIRST)
        return ranks <= max(first, default=0) and not isinstance(measure, R)

    @property
    def ranges(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest averages that are printed so, (measures,)."""
        values, half = np.array(self.values), np.array(self.rounding)
        return values - half, values + half

    @property
    def levels(self) -> int:
        """Highest grade, c."""
        return len(self.relevant[0])

    def __repr__(self) -> str:
        pairs = zip(self.measures, self.values, strict=True)
        known = " & ".join(f"{measure} = {value:.6g}" for measure, value in pairs)
        return f"Averages({known} over {len(self.topics)} topics)"


def printed(value: object, what: str) -> tuple[float, float]:
    """A number, and half a unit of its last digit if it is a text."""
    if not isinstance(value, str):
        return finite_number(what, value), 0.0
    try:
        return plain_number(value), 0.5 * 10.0 ** int(Decimal(value).as_tuple().exponent)
    except ValueError:
        raise ProblemError(f"{what} must be a finite number, got {value!r}") from None


def documents_of_any_grade(levels: int) -> Measure:
    """The measure whose sum over the topics is ``num_rel_ret``."""
    return CG(gain=(1.0,) * levels)


def documents(collection: Collection) -> IntArray:
    """Documents of each positive grade in every list, (topics, runs, levels)."""
    grades = range(1, collection.levels + 1)
    return np.stack([(collection.grades == grade).sum(axis=2) for grade in grades], axis=-1)


def judged_topics(qrels: Qrels, topics: Iterable[str] | None) -> tuple[list[str], IntArray]:
    """Topics with a relevant document, and their documents of each positive grade (topics, levels)."""
    judged = Judgments.of(qrels_columns(qrels))
    chosen, relevant = judged.select(topics), judged.count(None)[:, 1:]
    kept = chosen[relevant[chosen].any(axis=1)]
    if not len(kept):
        raise ProblemError("none of the topics has a relevant document in the qrels")
    return list(judged.topics[kept]), relevant[kept]
