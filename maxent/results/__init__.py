"""Results of analyses as plain values, text, files and pages; this package depends on no analysis."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
