"""Studies of the information in values of measures: informativeness, predictions, the choice of g."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
