"""Maximum entropy over whole lists: every list with the given counts has a probability.

The compiler is loaded when the first problem is solved.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
