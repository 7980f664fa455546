"""From functions to machine code: passes are traced, loops are translated, whatever they compute."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
