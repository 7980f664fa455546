"""Reports: a result as one HTML file, for readers who did not run the analysis.

`page` makes the page of a :class:`maxent.results.content.Content`; it needs no network and no other file.
"""
