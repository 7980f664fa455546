"""Every option once: its type, default and meaning, and how a command reads its text; without numpy or pandas."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
