"""Effectiveness measures as frozen values on one algebra (see :mod:`maxent.measures.form`)."""

from maxent.measures.change import gain_derivatives, value_changes
from maxent.measures.cumulated import CG, DCG, NDCNG, SR, gP, gR, mnDCG, mSR, nDCG
from maxent.measures.form import Form
from maxent.measures.gain_precision import Q, gAP, wAP
from maxent.measures.graded import GAP, eGAP, g_grid, muAP, xGAP
from maxent.measures.measure import Judged, Measure
from maxent.measures.other import ADM, RHL, Bpref
from maxent.measures.parse import MEASURES, as_measures, parse_measure
from maxent.measures.precision import AP, P, Rprec, nPrecision, nRecall
from maxent.measures.user import ERR, RBP, RR, nERR

__all__ = [
    "ADM",
    "AP",
    "CG",
    "DCG",
    "ERR",
    "GAP",
    "MEASURES",
    "NDCNG",
    "RBP",
    "RHL",
    "RR",
    "SR",
    "Bpref",
    "Form",
    "Judged",
    "Measure",
    "P",
    "Q",
    "Rprec",
    "as_measures",
    "eGAP",
    "gAP",
    "gP",
    "gR",
    "g_grid",
    "gain_derivatives",
    "mSR",
    "mnDCG",
    "muAP",
    "nDCG",
    "nERR",
    "nPrecision",
    "nRecall",
    "parse_measure",
    "value_changes",
    "wAP",
    "xGAP",
]
