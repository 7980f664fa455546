"""Precision-recall curves: actual, inferred from a solution, graded, and the error between two curves.

For a threshold t, recall is relative to R_>=t, all documents of grade t or higher in the topic, retrieved or not.

- The actual curve has a point at each relevant document of the list. The k-th document, at rank n_k, has recall
  k / R_>=t and precision k / n_k.
- The inferred curve of a distribution p has a point at every rank n: recall f_n / R_>=t and precision f_n / n, with
  f_n = sum_{m<=n} sum_{i>=t} p_m(i) the expected number of relevant documents up to that rank.
- The error compares their precision at the points of the actual curve, "where recall changes" (GAP paper 4.1).
  Alternatively, it compares E[k / n_k], the expected precision at the k-th relevant document over lists that have
  k relevant documents, with the precision of the observed list.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
