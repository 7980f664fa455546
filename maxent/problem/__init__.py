"""Maximum-entropy problems, their attainable intervals, their solutions, and certificates of solutions."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
