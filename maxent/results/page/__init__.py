"""Reports: what an analysis found as one HTML file, for somebody who was not there.

`page` makes the page of a :class:`maxent.results.content.Content`; it needs no network and no other file.
"""
