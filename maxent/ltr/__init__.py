"""Learning to rank: changes of a measure when two documents are swapped, and training with LambdaRank and SoftRank.

:mod:`maxent.ltr.lightgbm` trains trees with LambdaRank for any measure that is a pairwise form;
:mod:`maxent.ltr.soft` has the smooth measures of SoftRank, in PyTorch.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
