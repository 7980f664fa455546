"""How informative is a retrieval effectiveness measure?

Given only the value of a measure for a ranked list, the maximum-entropy method infers the most random
probability-at-rank distribution with that expected value, and from it a precision-recall curve; its error against
the actual curve says how informative the measure is. Start with :func:`informativeness` and :func:`choose_g`.

Plots are in :mod:`maxent.plot.study` and :mod:`maxent.plot.systems`, which load matplotlib and are not imported
here; nor is :mod:`maxent.ltr`, learning to rank.
"""

from maxent.curves import Curve, CurveError, actual_curve, curve_error, graded_curve, inferred_curve, profile
from maxent.data.collection import Collection, collect, select_topics
from maxent.data.evaluate import evaluate
from maxent.data.letor import read_letor
from maxent.data.simulate import simulate
from maxent.data.trec import read_qrels, read_run
from maxent.errors import InputError, MaxentError, MeasureError, ProblemError
from maxent.measures import (
    ADM,
    AP,
    CG,
    DCG,
    ERR,
    GAP,
    NDCNG,
    RBP,
    RHL,
    RR,
    SR,
    Bpref,
    Judged,
    Measure,
    P,
    Q,
    Rprec,
    eGAP,
    g_grid,
    gain_derivatives,
    gAP,
    gP,
    gR,
    mnDCG,
    mSR,
    muAP,
    nDCG,
    nERR,
    nPrecision,
    nRecall,
    parse_measure,
    value_changes,
    wAP,
    xGAP,
)
from maxent.problem import Problem, Solution
from maxent.sensitivity import CurveSensitivity, ErrorSensitivity, Sensitivity, sensitivity
from maxent.solvers import Interrupted, solve, solve_many
from maxent.study.choose_g import GChoice, choice_stability, choose_from, choose_g
from maxent.study.g_from_clicks import g_from_clicks
from maxent.study.informativeness import informativeness
from maxent.study.predict import predict_measures
from maxent.study.summary import league, left_out, summarize, summarize_predictions
from maxent.systems.agreement import agreement
from maxent.systems.discrimination import Discrimination, discriminative_power
from maxent.systems.pools import pool_reduction, summarize_pools
from maxent.systems.rankings import tau_ap

__version__ = "0.1.0"

__all__ = [
    "ADM",
    "AP",
    "CG",
    "DCG",
    "ERR",
    "GAP",
    "NDCNG",
    "RBP",
    "RHL",
    "RR",
    "SR",
    "Bpref",
    "Collection",
    "Curve",
    "CurveError",
    "CurveSensitivity",
    "Discrimination",
    "ErrorSensitivity",
    "GChoice",
    "InputError",
    "Interrupted",
    "Judged",
    "MaxentError",
    "Measure",
    "MeasureError",
    "P",
    "Problem",
    "ProblemError",
    "Q",
    "Rprec",
    "Sensitivity",
    "Solution",
    "actual_curve",
    "agreement",
    "choice_stability",
    "choose_from",
    "choose_g",
    "collect",
    "curve_error",
    "discriminative_power",
    "eGAP",
    "evaluate",
    "gAP",
    "gP",
    "gR",
    "g_from_clicks",
    "g_grid",
    "gain_derivatives",
    "graded_curve",
    "inferred_curve",
    "informativeness",
    "league",
    "left_out",
    "mSR",
    "mnDCG",
    "muAP",
    "nDCG",
    "nERR",
    "nPrecision",
    "nRecall",
    "parse_measure",
    "pool_reduction",
    "predict_measures",
    "profile",
    "read_letor",
    "read_qrels",
    "read_run",
    "select_topics",
    "sensitivity",
    "simulate",
    "solve",
    "solve_many",
    "summarize",
    "summarize_pools",
    "summarize_predictions",
    "tau_ap",
    "value_changes",
    "wAP",
    "xGAP",
]
