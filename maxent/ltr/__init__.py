"""Learning to rank: changes of a measure when two documents are swapped, and training with LambdaRank and SoftRank.

:mod:`maxent.ltr.lightgbm` trains trees with LambdaRank for any measure that is a pairwise form;
:mod:`maxent.ltr.soft` has the smooth measures of SoftRank, in PyTorch.
"""

from maxent.ltr.swaps import swap_deltas as swap_deltas
