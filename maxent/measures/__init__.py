"""Effectiveness measures as immutable values; most are pairwise forms (:mod:`maxent.measures.form`)."""

# the families in the order of every list of measures; in each file they stand in this order, too
# isort: off
from maxent.measures.graded import AP as AP
from maxent.measures.graded import GAP as GAP
from maxent.measures.graded import xGAP as xGAP
from maxent.measures.graded import eGAP as eGAP
from maxent.measures.graded import muAP as muAP
from maxent.measures.graded import g_grid as g_grid
from maxent.measures.gain_precision import gAP as gAP
from maxent.measures.gain_precision import wAP as wAP
from maxent.measures.gain_precision import Q as Q
from maxent.measures.cumulated import nDCG as nDCG
from maxent.measures.cumulated import mnDCG as mnDCG
from maxent.measures.cumulated import NDCNG as NDCNG
from maxent.measures.cumulated import DCG as DCG
from maxent.measures.cumulated import CG as CG
from maxent.measures.cumulated import SR as SR
from maxent.measures.cumulated import mSR as mSR
from maxent.measures.cumulated import gP as gP
from maxent.measures.cumulated import gR as gR
from maxent.measures.precision import P as P
from maxent.measures.precision import R as R
from maxent.measures.precision import Rprec as Rprec
from maxent.measures.precision import nRecall as nRecall
from maxent.measures.precision import nPrecision as nPrecision
from maxent.measures.user import RBP as RBP
from maxent.measures.user import BrokenStick as BrokenStick
from maxent.measures.user import ERR as ERR
from maxent.measures.user import nERR as nERR
from maxent.measures.user import RR as RR
from maxent.measures.user import Success as Success
from maxent.measures.other import Bpref as Bpref
from maxent.measures.other import Judged as Judged
from maxent.measures.other import RHL as RHL
from maxent.measures.other import ADM as ADM

# isort: on
from maxent.measures.cascade import Cascade as Cascade
from maxent.measures.cascade import evaluate_all as evaluate_all
from maxent.measures.change import gain_derivatives as gain_derivatives
from maxent.measures.change import value_changes as value_changes
from maxent.measures.form import Documents as Documents
from maxent.measures.form import Form as Form
from maxent.measures.form import linear_form as linear_form
from maxent.measures.form import pairwise_form as pairwise_form
from maxent.measures.gain import DISCOUNTS as DISCOUNTS
from maxent.measures.gain import GAINS as GAINS
from maxent.measures.graded import threshold_probabilities as threshold_probabilities
from maxent.measures.joint import Joint as Joint
from maxent.measures.judged import JudgedNonrelevant as JudgedNonrelevant
from maxent.measures.measure import MEASURES as MEASURES
from maxent.measures.measure import Measure as Measure
from maxent.measures.names import register_measure as register_measure
from maxent.measures.parameters import PARAMETERS as PARAMETERS
from maxent.measures.parse import as_measures as as_measures
from maxent.measures.parse import parse_measure as parse_measure
