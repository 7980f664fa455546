"""The names of measures: ours, those that others call them by, and what somebody may have meant."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import fields
from importlib.metadata import entry_points
from typing import Any, TypeVar

from maxent.errors import MeasureError
from maxent.measures.cumulated import CG, DCG, NDCNG, SR, gP, gR, mnDCG, mSR, nDCG
from maxent.measures.gain_precision import Q, gAP, wAP
from maxent.measures.graded import GAP, eGAP, muAP, xGAP
from maxent.measures.measure import MEASURES, Measure
from maxent.measures.other import ADM, RHL, Bpref, Judged
from maxent.measures.precision import AP, P, R, Rprec, nPrecision, nRecall
from maxent.measures.user import ERR, RBP, RR, Success, nERR

MEASURES |= {
    cls.__name__: cls
    for cls in (
        *(AP, GAP, xGAP, eGAP, muAP, gAP, wAP, Q),
        *(nDCG, mnDCG, NDCNG, DCG, CG, SR, mSR, gP, gR),
        *(P, R, Rprec, nRecall, nPrecision, RBP),
        *(ERR, nERR, RR, Success, Bpref, Judged, RHL, ADM),
    )
}

ALIASES = {
    "MAP": "AP",
    "MRR": "RR",
    "NDCG": "nDCG",
    "MSnDCG": "nDCG",  # NTCIREVAL's "Microsoft version": log2(n + 1), and gains that the user gives
    "Precision": "P",
    "Recall": "R",
    "RPrec": "Rprec",
    "BPref": "Bpref",
}
"""What ir_measures and NTCIREVAL call measures of ours; their meaning is that of ours with the same parameters."""

TREC_EVAL = {
    "map": "AP",
    "ndcg": "nDCG",
    "recip_rank": "RR",
    "bpref": "Bpref",
    "map_cut": "AP@{}",
    "ndcg_cut": "nDCG@{}",
    "P": "P@{}",
    "recall": "R@{}",
    "success": "Success@{}",
}
"""trec_eval's names of measures; one with a cutoff is written ``P_10`` or ``P.10``."""

RANX = {
    "map": "AP",
    "ndcg": "nDCG",
    "ndcg_burges": "nDCG(gain=exp2)",
    "precision": "P",
    "p": "P",
    "recall": "R",
    "mrr": "RR",
    "hit_rate": "Success",
    "r-precision": "Rprec",
    "r_precision": "Rprec",
}
"""ranx's names of measures; one with a cutoff is written ``ndcg@10``."""

MOST_GRADES = 1000  # for which gains are completed
DCG_OF_IR_MEASURES = {"log2": "linear", "exp-log2": "exp2"}


GROUP = "maxent.measures"
"""Entry points in which packages name measures of theirs."""

Registered = TypeVar("Registered", bound=type[Measure])


def register_measure(cls: Registered) -> Registered:
    """Make a measure of your own known by its name, to text forms and the command line; a class decorator.

    Parameters
    ----------
    cls : type
        A frozen dataclass of its parameters, derived from :class:`Measure`, with one of two methods:
        ``_form(relevant, depth)`` returns a :class:`Form`, made by :func:`linear_form` or :func:`pairwise_form`;
        ``_evaluate(grades, relevant, judged)`` returns the values of lists. ``relevant`` (levels,) are the R_i,
        ``grades`` has shape (..., depth).

    Returns
    -------
    type
        The class. The same class, defined again in a notebook, takes the place of the earlier one.

    Raises
    ------
    MeasureError
        If this is no such class, or its name is taken.

    Examples
    --------
    >>> import maxent as me
    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> @me.register_measure
    ... @dataclass(frozen=True, kw_only=True)
    ... class SumOfGrades(me.Measure):
    ...     "Sum of the grades up to a rank."
    ...
    ...     cutoff: int
    ...
    ...     def _form(self, relevant, depth):
    ...         return me.linear_form(np.arange(depth) < self.cutoff, np.arange(1, len(relevant) + 1))
    >>> float(me.parse_measure("SumOfGrades@3").evaluate([2, 0, 1, 1], (2, 1)))
    3.0
    """
    if not (isinstance(cls, type) and issubclass(cls, Measure)):
        raise MeasureError(f"a measure is a class derived from maxent.Measure, got {cls!r}")
    name = cls.__name__
    own = vars(cls).get("__dataclass_params__")
    if own is None or not own.frozen or not own.eq:
        raise MeasureError(
            f"{name} is no frozen dataclass: write @dataclass(frozen=True, kw_only=True) above the class"
        )
    if not (cls.is_form() or cls.is_cascade()) and cls._evaluate is Measure._evaluate:
        raise MeasureError(f"{name} has neither of the methods _form(relevant, depth) and _evaluate(grades, ...)")
    taken = MEASURES.get(ALIASES.get(name, name)) or ((name in TREC_EVAL or name in RANX) and Measure)
    if taken and (taken.__module__, taken.__qualname__) != (cls.__module__, cls.__qualname__):
        raise MeasureError(f"the name {name} of {cls.__module__}.{cls.__qualname__} is taken: give it another one")
    MEASURES[name] = cls
    return cls


def load_entry_points(name: str | None = None) -> None:
    """Register the measures that installed packages name in the entry-point group ``maxent.measures``.

    Parameters
    ----------
    name : str, optional
        Only the measure of this name; None for all.

    Raises
    ------
    MeasureError
        If one cannot be loaded, is no measure, or has a name that is taken or not that of the entry point.
    """
    for point in entry_points(group=GROUP):
        if name not in (None, point.name):
            continue
        where = f"entry point {point.name} = {point.value} of the group {GROUP}"
        try:
            cls = point.load()
        except Exception as error:  # whatever a module of somebody else may raise
            raise MeasureError(f"the {where} cannot be loaded: {error!r}") from error
        if MEASURES.get(getattr(cls, "__name__", "")) is not cls:
            register_measure(cls)
        if cls.__name__ != point.name:
            raise MeasureError(f"the {where} is the measure {cls.__name__}: both must have one name")


def measure_class(name: str) -> type[Measure]:
    """Class of a measure, by its name or an alias; it may be one of another package.

    Raises
    ------
    MeasureError
        If no measure has this name; the message says which one may have been meant.
    """
    known = ALIASES.get(name, name)
    if known not in MEASURES:
        load_entry_points(known)
    if known not in MEASURES:
        raise MeasureError(f"unknown measure {name!r}; {suggestion(name)}")
    return MEASURES[known]


def measure_texts(text: str) -> list[str]:
    """The measures of a text: several where trec_eval's syntax lists cutoffs, ``P.5,10`` -> ``P.5``, ``P.10``."""
    found = re.fullmatch(r"\s*(\w+)[_.]([0-9]+(?:,[0-9]+)+)\s*", text)
    if found is None or "{}" not in TREC_EVAL.get(found[1], ""):
        return [text]
    return [f"{found[1]}.{cutoff}" for cutoff in found[2].split(",")]


def translated_name(text: str) -> str | None:
    """Our text form for a name of trec_eval (``ndcg_cut_10``) or ranx (``ndcg@10``); None for other texts."""
    name, at, cutoff = text.partition("@")
    if name in RANX and (cutoff.isdecimal() or not at):
        return f"{RANX[name]}{at}{cutoff}"
    cut = re.fullmatch(r"(\w+?)[_.]([0-9]+)", text)
    ours = TREC_EVAL.get(cut[1] if cut else text)
    if ours is None or ("{}" in ours) != bool(cut):
        return None
    return ours.format(cut[2]) if cut else ours


def canonical_parameters(cls: type[Measure], given: dict[str, Any]) -> dict[str, Any]:
    """Parameters under our names: ``gains`` and ``dcg`` of ir_measures become ``gain`` and ``discount``.

    In ``gains`` a grade without an entry has itself as its gain, as in ir_measures.
    """
    names = {field.name for field in fields(cls)}
    found = dict(given)
    for other in ("gains", "dcg"):
        if other not in given or other in names or "gain" not in names:
            continue
        value = found.pop(other)
        if "gain" in found:
            raise MeasureError(f"{other}={value} and gain={found['gain']} are both given: they mean the same")
        if other == "gains":
            is_table = isinstance(value, Mapping) and all(isinstance(grade, int) for grade in value)
            found["gain"] = _completed(value) if is_table else value
        elif isinstance(value, str) and value in DCG_OF_IR_MEASURES:
            found |= {"gain": DCG_OF_IR_MEASURES[value]} | ({"discount": "log2"} if "discount" in names else {})
        else:
            raise MeasureError(f"unknown dcg {value!r}: {', '.join(DCG_OF_IR_MEASURES)}")
    return found


def from_ir_measures(measure: Any) -> Measure:
    """Our measure for one of ir_measures (anything with ``NAME`` and ``params``), with the meaning it has there.

    RBP without ``rel`` is graded there, and ERR is gdeval's, whose scale of grades ends at 4.
    """
    cls, given = measure_class(str(measure.NAME)), dict(measure.params)
    if cls is ERR:
        given = {"top": 4} | given
    elif cls is RBP and "rel" not in given:
        given = {"gain": "linear"} | given
    return cls.of_parameters(canonical_parameters(cls, given))


def suggestion(name: str) -> str:
    """What somebody may have meant who wrote a name that no measure has, for an error message."""
    ours = (
        dict(zip(MEASURES, MEASURES, strict=True)) | ALIASES | {name: TREC_EVAL[name] for name in ("map", "ndcg")}
    )
    lower = {known: known.lower() for known in ours}
    close = [known for known in ours if lower[known] == name.lower()]
    if not close:
        found = difflib.get_close_matches(name.lower(), list(dict.fromkeys(lower.values())))
        close = [known for match in found for known in ours if lower[known] == match]
    different = {
        ours[known]: known for known in reversed(close)
    }  # one name for each measure, our own if it is close
    close = [known for known in close if different[ours[known]] == known]
    return f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(MEASURES)}"


def _completed(gains: Mapping[int, Any]) -> dict[int, Any]:
    highest = max(gains, default=0)
    return {grade: grade for grade in range(1, highest + 1 if highest <= MOST_GRADES else 1)} | dict(gains)
