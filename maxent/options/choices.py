"""The words that options take as values."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

Duplicates: TypeAlias = Literal["error", "first"]
"""A document that occurs twice in a topic is an error, or only its first line counts."""
Count = Literal["retrieved", "total", "at_most"]
Model = Literal["ranks", "lists"]
Align = Literal["recall", "rank", "expected", "every-rank"]
ReadingName = Literal["standard", "papers"]
MinRetrievedBy = Literal["grade", "threshold"]
Resample = Literal["topics", "both"]
Empty: TypeAlias = Literal["zero", "skip"]
Unjudged: TypeAlias = Literal["zero", "model", "bounds", "all"]
Kind = Literal["GAP", "nDCG"]
Test = Literal["t", "permutation", "wilcoxon", "bootstrap"]
Correction: TypeAlias = Literal["holm", "bonferroni", "fdr_bh", "fdr_by", "none"]
Baseline: TypeAlias = str | int | Sequence[str | int]
BestBy = Literal["each", "both"]
PairTest = Literal["bootstrap", "hsd"]
ClickModel = Literal["rates", "shares"]
Grades: TypeAlias = Mapping[int, int] | Mapping[str, int]
"""Grade of each rating."""
