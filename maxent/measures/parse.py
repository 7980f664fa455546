"""Measures from text forms, and from names in other tools."""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from itertools import chain
from typing import Any

from maxent.errors import MeasureError, visible
from maxent.measures.joint import COUNTS_ALONE, Joint
from maxent.measures.measure import Measure
from maxent.measures.names import measure_class
from maxent.measures.other_tools import OF_IR_MEASURES, canonical_parameters, measure_texts, translate_name

_SHAPE = re.compile(r"(?P<name>[^\W\d]\w*)\s*(\((?P<inside>.*)\))?\s*(@(?P<cutoff>[^()]+))?", re.S)
_COMMA = re.compile(r",\s*(?=[^\W\d]\w*\s*=)")  # between parameters, not between the numbers of one of them


def parse_measure(measure: str | Measure | Any) -> Measure:
    """Parse the text form of a measure.

    Parameters
    ----------
    measure : str
        Name, parameters in parentheses, and cutoff after ``@``: ``AP(rel=2)``, ``GAP(g=0.5,0.5)``,
        ``nDCG(gain=exp2,discount=log2)@10``, ``nDCG(gain=1,3,10)``, ``nDCG(gain={1: 1, 2: 3})``. Texts of
        ir_measures (``nDCG(dcg='exp-log2')@10``) and names of trec_eval (``ndcg_cut_10``), ranx (``ndcg@10``) and
        MTEB (``ndcg_at_10``) are accepted as well. A Measure is returned unchanged, and a measure of ir_measures is
        translated. Measures joined by ``&`` make a :class:`maxent.Joint`; ``counts`` is the joint without measures.

    Returns
    -------
    Measure
        ``parse_measure(str(m)) == m`` for every measure.

    Raises
    ------
    MeasureError
        If the name or a parameter is unknown, or a parameter is missing or has an invalid value.

    Examples
    --------
    >>> import maxent as me
    >>> me.parse_measure("RR(rel=2)@10") == me.RR(rel=2, cutoff=10)
    True
    >>> str(me.parse_measure("map_cut_10")), str(me.parse_measure("nDCG(gains={1: 1, 2: 3})"))
    ('AP@10', 'nDCG(gain=1,3)')
    >>> str(me.GAP(g=(0.25, 0.75)))
    'GAP(g=0.25,0.75)'
    """
    # 1. what is no text of a single measure
    if isinstance(measure, Measure):
        return measure
    if not isinstance(measure, str):
        if hasattr(measure, "NAME") and isinstance(getattr(measure, "params", None), Mapping):
            return from_ir_measures(measure)
        raise MeasureError(f"not a measure: {measure!r} (a text form is a string)")
    if measure.strip() == COUNTS_ALONE:
        return Joint()
    if "&" in measure:
        return Joint(tuple(map(parse_measure, measure.split("&"))))
    if len(several := measure_texts(measure)) > 1:
        raise MeasureError(f"{measure!r} means {len(several)} measures, expected one")
    # 2. name, parameters and cutoff
    text = translate_name(measure.strip()) or measure.strip()
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise MeasureError(f"cannot read measure {measure!r}: write NAME, NAME(parameter=value,...) or NAME@k")
    cls = measure_class(match["name"])
    try:
        parameters = _parameters(match["inside"] or "")
        if match["cutoff"]:
            if "cutoff" in parameters:
                raise MeasureError(
                    f"the cutoff is given twice, as cutoff={parameters['cutoff']} and @{match['cutoff']}"
                )
            parameters["cutoff"] = _value(match["cutoff"])
        return _make_measure(cls, parameters)
    except MeasureError as error:
        raise MeasureError(f"{visible(text, keep='')}: {error}") from None


def measure_or_none(text: object) -> Measure | None:
    """Measure that a text in a table stands for; None if it is not the text of a measure."""
    try:
        return parse_measure(text)
    except MeasureError:
        return None


def as_measures(measures: Iterable[Measure | str], *, name: str = "measures") -> tuple[Measure, ...]:
    """Measures from a list of measures and text forms (``ndcg_cut.10,20`` is two); error messages use ``name``."""
    if isinstance(measures, Measure | str):
        raise MeasureError(f"{name} must be a list, got the single measure {measures}: write [{measures}]")
    if not isinstance(measures, Iterable):
        raise MeasureError(f"{name} must be a list, got {measures!r}")
    texts = (measure_texts(measure) if isinstance(measure, str) else [measure] for measure in measures)
    parsed = tuple(map(parse_measure, chain.from_iterable(texts)))
    if not parsed:
        raise MeasureError(f"{name} is empty: at least one measure is needed")
    return parsed


def from_ir_measures(measure: Any) -> Measure:
    """Equivalent of a measure of ir_measures, which is any object with ``NAME`` and ``params``."""
    name, parameters = str(measure.NAME), dict(measure.params)
    if name == "RBP" and "rel" in parameters:
        return _make_measure(measure_class(name), parameters)
    return _make_measure(measure_class(name), OF_IR_MEASURES.get(name, {}) | parameters)


def _make_measure(cls: type[Measure], parameters: dict[str, Any]) -> Measure:
    """Measure with parameters that may have the names of other tools."""
    return cls.of_parameters(canonical_parameters({field.name for field in fields(cls)}, parameters))


def _parameters(inside: str) -> dict[str, Any]:
    """``g=0.5,0.5,b=2`` -> {'g': (0.5, 0.5), 'b': 2}."""
    parameters: dict[str, Any] = {}
    for piece in _COMMA.split(inside.strip().rstrip(",")):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals:
            if not piece:
                continue
            raise MeasureError(f"expected parameter=value, got {piece.strip()!r}")
        if name in parameters:
            raise MeasureError(f"parameter {name!r} is given twice")
        parameters[name] = _value(value)
    return parameters


def _value(text: str) -> Any:
    """Value of a Python literal; any other text is itself the value: ``exp2``, ``exp-log2``."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return text.strip()
