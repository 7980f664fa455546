"""Reports: a result as one HTML file, for readers who did not run the analysis.

:mod:`maxent.results.page.page` renders a :class:`maxent.results.content.Content` as one self-contained page.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
