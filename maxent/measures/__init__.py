"""Effectiveness measures as frozen values on one algebra (see :mod:`maxent.measures.form`)."""

from maxent.measures.form import Form
from maxent.measures.gain import DCG, nDCG
from maxent.measures.measure import Measure
from maxent.measures.parse import MEASURES, as_measures, parse_measure
from maxent.measures.precision import AP, GAP, RBP, P, Rprec

__all__ = [
    "AP",
    "DCG",
    "GAP",
    "MEASURES",
    "RBP",
    "Form",
    "Measure",
    "P",
    "Rprec",
    "as_measures",
    "nDCG",
    "parse_measure",
]
