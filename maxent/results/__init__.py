"""Results: what an analysis found, as plain values, and as text, files and a page; they know no analysis."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
