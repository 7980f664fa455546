"""Measures from their text forms."""

import difflib
import re
from collections.abc import Iterable

from maxent.errors import MeasureError
from maxent.measures.cumulated import CG, DCG, NDCNG, SR, gP, gR, mnDCG, mSR, nDCG
from maxent.measures.gain_precision import Q, gAP, wAP
from maxent.measures.graded import GAP, eGAP, muAP, xGAP
from maxent.measures.joint import COUNTS_ALONE, Joint
from maxent.measures.measure import Measure
from maxent.measures.other import ADM, RHL, Bpref
from maxent.measures.precision import AP, P, Rprec, nPrecision, nRecall
from maxent.measures.user import ERR, RBP, RR, nERR

MEASURES: dict[str, type[Measure]] = {
    cls.__name__: cls
    for cls in (
        *(AP, GAP, xGAP, eGAP, muAP, gAP, wAP, Q),
        *(nDCG, mnDCG, NDCNG, DCG, CG, SR, mSR, gP, gR),
        *(P, Rprec, nRecall, nPrecision),
        *(RBP, ERR, nERR, RR, Bpref, RHL, ADM),
    )
}
"""Every measure, by the name at the start of its text form."""

_SHAPE = re.compile(r"(?P<name>[A-Za-z]+)(\((?P<inside>[^()]*)\))?(@(?P<cutoff>[^()@]*))?")


def parse_measure(text: str) -> Measure:
    """Measure from its text form.

    Parameters
    ----------
    text : str
        Name, parameters in brackets, cutoff after ``@``: ``AP(rel=2)``, ``GAP(g=0.5,0.5)``,
        ``nDCG(gain=exp2,discount=log2)@10``, ``nDCG(gain=1,3,10)``. Several measures with ``&`` between them are
        a :class:`maxent.Joint`, and so is ``counts``, which has no measure.

    Returns
    -------
    Measure
        ``parse_measure(str(m)) == m`` for every measure.

    Raises
    ------
    MeasureError
        If the name or a parameter is unknown, a parameter is missing, or its value makes no sense.

    Examples
    --------
    >>> import maxent as me
    >>> me.parse_measure("nDCG(gain=exp2)@10")
    nDCG(gain='exp2', discount='log2', b=2.0, cutoff=10)
    >>> str(me.GAP(g=(0.25, 0.75)))
    'GAP(g=0.25,0.75)'
    """
    if not isinstance(text, str):
        raise MeasureError(f"a measure's text form is a string, got {text!r}")
    if text.strip() == COUNTS_ALONE:
        return Joint()
    if "&" in text:
        return Joint(tuple(map(parse_measure, text.split("&"))))
    match = _SHAPE.fullmatch(text.strip())
    if cut := re.fullmatch(r"([A-Za-z]+?)(?:_cut)?_([0-9]+)", text.strip()):  # as trec_eval writes it
        same = [known for known in MEASURES if known.lower() == cut[1].lower()]
        raise MeasureError(f"cannot read measure {text!r}: write {' or '.join(same) or 'NAME'}@{cut[2]}")
    if match is None:
        raise MeasureError(f"cannot read measure {text!r}: write NAME, NAME(parameter=value,...) or NAME@k")
    name, inside, cutoff = match["name"], match["inside"], match["cutoff"]
    if name not in MEASURES:
        raise MeasureError(f"unknown measure {name!r}; {suggestion(name)}")
    try:
        return MEASURES[name]._from_text(_parameters(inside or ""), cutoff)
    except MeasureError as error:
        raise MeasureError(f"{text.strip()}: {error}") from None


def suggestion(name: str) -> str:
    """What somebody may have meant who wrote a name that no measure has, for an error message."""
    if name.lower() == "map":
        return "write AP: its mean over topics is MAP"
    lower = {known: known.lower() for known in MEASURES}
    close = [known for known in MEASURES if lower[known] == name.lower()]
    if not close:
        found = difflib.get_close_matches(name.lower(), list(dict.fromkeys(lower.values())))
        close = [known for known in MEASURES if lower[known] in found]
    return f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(MEASURES)}"


def as_measures(measures: Iterable[Measure | str]) -> tuple[Measure, ...]:
    """Measures from a list of measures and text forms.

    Parameters
    ----------
    measures : iterable of Measure or str
        Text forms as for :func:`parse_measure`.

    Raises
    ------
    MeasureError
        If anything else is in the list, a text cannot be read, or a single measure is given instead of a list.
    """
    if isinstance(measures, Measure | str):
        raise MeasureError(f"measures must be a list, got the single measure {measures}: write [{measures}]")
    found = []
    for measure in measures:
        if not isinstance(measure, Measure | str):
            raise MeasureError(f"not a measure: {measure!r}")
        found.append(parse_measure(measure) if isinstance(measure, str) else measure)
    return tuple(found)


def _parameters(inside: str) -> dict[str, str]:
    """``g=0.5,0.5,b=2`` -> {'g': '0.5,0.5', 'b': '2'}: a piece without '=' continues the value before it."""
    found: dict[str, str] = {}
    last = ""
    for piece in (p.strip() for p in inside.split(",") if inside.strip()):
        name, equals, value = piece.partition("=")
        if equals:
            last = name.strip()
            if last in found:
                raise MeasureError(f"parameter {last!r} is given twice")
            found[last] = value.strip()
        elif last:
            found[last] += f",{piece}"
        else:
            raise MeasureError(f"expected parameter=value, got {piece!r}")
    return found
