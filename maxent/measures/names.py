"""The names of measures: ours, those that others call them by, and what somebody may have meant."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from maxent.errors import MeasureError
from maxent.measures.cumulated import CG, DCG, NDCNG, SR, gP, gR, mnDCG, mSR, nDCG
from maxent.measures.gain_precision import Q, gAP, wAP
from maxent.measures.graded import GAP, eGAP, muAP, xGAP
from maxent.measures.measure import MEASURES, Measure
from maxent.measures.other import ADM, RHL, Bpref
from maxent.measures.precision import AP, P, Rprec, nPrecision, nRecall
from maxent.measures.user import ERR, RBP, RR, nERR

MEASURES |= {
    cls.__name__: cls
    for cls in (
        *(AP, GAP, xGAP, eGAP, muAP, gAP, wAP, Q),
        *(nDCG, mnDCG, NDCNG, DCG, CG, SR, mSR, gP, gR),
        *(P, Rprec, nRecall, nPrecision),
        *(RBP, ERR, nERR, RR, Bpref, RHL, ADM),
    )
}

ALIASES = {
    "MAP": "AP",
    "MRR": "RR",
    "NDCG": "nDCG",
    "MSnDCG": "nDCG",  # NTCIREVAL's "Microsoft version": log2(n + 1), and gains that the user gives
    "Precision": "P",
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
}
"""trec_eval's names of measures; one with a cutoff is written ``P_10`` or ``P.10``."""

MOST_GRADES = 1000  # for which gains are completed
DCG_OF_IR_MEASURES = {"log2": "linear", "exp-log2": "exp2"}


def measure_class(name: str) -> type[Measure]:
    """Class of a measure, by its name or an alias.

    Raises
    ------
    MeasureError
        If no measure has this name; the message says which one may have been meant.
    """
    known = ALIASES.get(name, name)
    if known not in MEASURES:
        raise MeasureError(f"unknown measure {name!r}; {suggestion(name)}")
    return MEASURES[known]


def trec_eval_name(text: str) -> str | None:
    """Our text form for one of trec_eval's names, None if it is none: ``ndcg_cut_10`` -> ``nDCG@10``."""
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
        close = [known for known in ours if lower[known] in found]
    different = {
        ours[known]: known for known in reversed(close)
    }  # one name for each measure, our own if it is close
    close = [known for known in close if different[ours[known]] == known]
    return f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(MEASURES)}"


def _completed(gains: Mapping[int, Any]) -> dict[int, Any]:
    highest = max(gains, default=0)
    return {grade: grade for grade in range(1, highest + 1 if highest <= MOST_GRADES else 1)} | dict(gains)
