"""Reports: a result as one HTML file, for readers who did not run the analysis.

:mod:`maxent.results.page.page` renders a :class:`maxent.results.content.Content` as one self-contained page.
"""
