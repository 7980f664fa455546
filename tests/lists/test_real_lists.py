"""What was found with independent programs (logarithms and the secant method) on real lists at depth 1000."""

from pathlib import Path

import numpy as np
import pytest

from maxent.data.collection import collect
from maxent.data.trec import read_qrels
from maxent.lists.curves import expected_curve_rms, within_band
from maxent.lists.solution import solve_lists
from maxent.measures import parse_measure
from maxent.problem import Problem

ROBUST = Path(__file__).resolve().parents[3] / "shared" / "data" / "robust03"
