"""Runs and relevance judgments: files, simulation, arrays of grades, values of measures."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
