"""How informative is a retrieval effectiveness measure?

Given only the value of a measure for a ranked list, the maximum-entropy method finds the most random
probability-at-rank distribution with that expected value, and infers a precision-recall curve from it. The closer
this curve is to the actual one, the more informative is the measure. Start with :func:`informativeness` and
:func:`choose_g`.

The names below are the public ones. Figures (:mod:`maxent.plot`) and learning to rank (:mod:`maxent.ltr`) are
imported separately, because they use matplotlib and other large libraries.
"""

from maxent.curves import Curve as Curve
from maxent.curves import CurveError as CurveError
from maxent.curves import actual_curve as actual_curve
from maxent.curves import curve_error as curve_error
from maxent.curves import graded_curve as graded_curve
from maxent.curves import inferred_curve as inferred_curve
from maxent.curves import profile as profile
from maxent.data.collection import Collection as Collection
from maxent.data.collection import collect as collect
from maxent.data.collection import select_topics as select_topics
from maxent.data.evaluate import evaluate as evaluate
from maxent.data.letor import read_letor as read_letor
from maxent.data.simulate import simulate as simulate
from maxent.data.trec import read_qrels as read_qrels
from maxent.data.trec import read_run as read_run
from maxent.errors import InputError as InputError
from maxent.errors import MaxentError as MaxentError
from maxent.errors import MeasureError as MeasureError
from maxent.errors import ProblemError as ProblemError
from maxent.measures import ADM as ADM
from maxent.measures import AP as AP
from maxent.measures import CG as CG
from maxent.measures import DCG as DCG
from maxent.measures import ERR as ERR
from maxent.measures import GAP as GAP
from maxent.measures import NDCNG as NDCNG
from maxent.measures import RBP as RBP
from maxent.measures import RHL as RHL
from maxent.measures import RR as RR
from maxent.measures import SR as SR
from maxent.measures import Bpref as Bpref
from maxent.measures import Judged as Judged
from maxent.measures import Measure as Measure
from maxent.measures import P as P
from maxent.measures import Q as Q
from maxent.measures import Rprec as Rprec
from maxent.measures import eGAP as eGAP
from maxent.measures import g_grid as g_grid
from maxent.measures import gain_derivatives as gain_derivatives
from maxent.measures import gAP as gAP
from maxent.measures import gP as gP
from maxent.measures import gR as gR
from maxent.measures import mnDCG as mnDCG
from maxent.measures import mSR as mSR
from maxent.measures import muAP as muAP
from maxent.measures import nDCG as nDCG
from maxent.measures import nERR as nERR
from maxent.measures import nPrecision as nPrecision
from maxent.measures import nRecall as nRecall
from maxent.measures import parse_measure as parse_measure
from maxent.measures import value_changes as value_changes
from maxent.measures import wAP as wAP
from maxent.measures import xGAP as xGAP
from maxent.problem import Problem as Problem
from maxent.problem import Solution as Solution
from maxent.sensitivity import CurveSensitivity as CurveSensitivity
from maxent.sensitivity import ErrorSensitivity as ErrorSensitivity
from maxent.sensitivity import Sensitivity as Sensitivity
from maxent.sensitivity import sensitivity as sensitivity
from maxent.solvers import Interrupted as Interrupted
from maxent.solvers import solve as solve
from maxent.solvers import solve_many as solve_many
from maxent.study.choice_stability import choice_stability as choice_stability
from maxent.study.choose_g import GChoice as GChoice
from maxent.study.choose_g import choose_from as choose_from
from maxent.study.choose_g import choose_g as choose_g
from maxent.study.g_from_clicks import g_from_clicks as g_from_clicks
from maxent.study.informativeness import informativeness as informativeness
from maxent.study.predict import predict_measures as predict_measures
from maxent.study.summary import league as league
from maxent.study.summary import left_out as left_out
from maxent.study.summary import summarize as summarize
from maxent.study.summary import summarize_predictions as summarize_predictions
from maxent.systems.agreement import agreement as agreement
from maxent.systems.discrimination import Discrimination as Discrimination
from maxent.systems.discrimination import discriminative_power as discriminative_power
from maxent.systems.pools import pool_reduction as pool_reduction
from maxent.systems.pools import summarize_pools as summarize_pools
from maxent.systems.rankings import tau_ap as tau_ap

__version__ = "0.1.0"
