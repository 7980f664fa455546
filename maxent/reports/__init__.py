"""Reports: one HTML file with everything that somebody needs who was not there.

A report is a plain value (`content`), made from the tables of a study (`study`) or of a comparison (`comparisons`),
and `page` writes it as a page that needs no network and no other file. Figures come from :mod:`maxent.plot`.
"""
