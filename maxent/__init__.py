"""How informative is a retrieval effectiveness measure?

Given only the value of a measure for a ranked list, the maximum-entropy method finds the most random
probability-at-rank distribution with that expected value, and infers a precision-recall curve from it. The closer
this curve is to the actual one, the more informative is the measure. Start with :func:`informativeness` and
:func:`choose_g`.

The names below are the public ones. Figures (:mod:`maxent.plot`) and learning to rank (:mod:`maxent.ltr`) are
imported separately, because they use matplotlib and other large libraries.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.1.0"
