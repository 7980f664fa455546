"""Maximum entropy over whole lists: every list with the counts has a probability.

The compiler is loaded when a problem is solved for the first time.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
