"""Comparisons of systems by measures: discriminative power, agreement of rankings, incomplete judgments."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
