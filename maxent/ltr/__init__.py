"""Learning to rank: what swapping two documents does to a measure, and gradients made of that.

:mod:`maxent.ltr.lightgbm` trains LightGBM for any measure that is a pairwise form.
"""

from maxent.ltr.swaps import swap_deltas

__all__ = ["swap_deltas"]
