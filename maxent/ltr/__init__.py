"""Learning to rank: what swapping two documents does to a measure, and gradients made of that.

:mod:`maxent.ltr.lightgbm` and :mod:`maxent.ltr.xgboost` train trees for any measure that is a pairwise form;
:mod:`maxent.ltr.soft` has the smooth measures of SoftRank, in PyTorch, and :mod:`maxent.ltr.networks` trains
networks by LambdaRank and SoftRank.
"""

from maxent.ltr.swaps import swap_deltas as swap_deltas
