"""Names of our measures and parameters in other tools: ir_measures, NTCIREVAL, trec_eval, ranx and MTEB."""

import re
from collections.abc import Mapping
from typing import Any

from maxent.errors import MeasureError

ALIASES = {
    "MAP": "AP",
    "MRR": "RR",
    "NDCG": "nDCG",
    "MSnDCG": "nDCG",  # NTCIREVAL's "Microsoft version": log2(n + 1), and gains that the user gives
    "Precision": "P",
    "Recall": "R",
    "RPrec": "Rprec",
    "BPref": "Bpref",
    "HitRate": "Success",
}
"""Names of this package by names in ir_measures, NTCIREVAL and others; parameters mean the same in both."""

TREC_EVAL = {
    "map": "AP",
    "ndcg": "nDCG",
    "recip_rank": "RR",
    "bpref": "Bpref",
    "map_cut": "AP@{}",
    "ndcg_cut": "nDCG@{}",
    "P": "P@{}",
    "recall": "R@{}",
    "success": "Success@{}",
}
"""trec_eval's names of measures; with a cutoff, such as ``P_10`` or ``P.10``."""

RANX = {
    "map": "AP",
    "ndcg": "nDCG",
    "ndcg_burges": "nDCG(gain=exp2)",
    "precision": "P",
    "p": "P",
    "recall": "R",
    "mrr": "RR",
    "hit_rate": "Success",
    "r-precision": "Rprec",
    "r_precision": "Rprec",
}
"""ranx's and MTEB's names of measures; with a cutoff, such as ``ndcg@10``, or ``ndcg_at_10`` in MTEB."""

MOST_GRADES = 1000  # for which gains are completed
DCG_OF_IR_MEASURES = {"log2": "linear", "exp-log2": "exp2"}

OF_IR_MEASURES: dict[str, dict[str, Any]] = {"ERR": {"top": 4}, "RBP": {"gain": "linear"}}
"""Defaults of ir_measures that differ: its ERR is gdeval's, whose scale ends at grade 4; its RBP is graded."""


def canonical_name(name: str) -> str:
    """Name in this package of the measure that another tool calls ``name``: ``recall`` -> ``R``."""
    return re.split("[@(]", (ALIASES | TREC_EVAL | RANX).get(name, name))[0]


def measure_texts(text: str) -> list[str]:
    """Split a text into measures where trec_eval's syntax lists cutoffs: ``P.5,10`` -> ``P.5``, ``P.10``."""
    match = re.fullmatch(r"\s*(\w+)[_.]([0-9]+(?:,[0-9]+)+)\s*", text)
    if match is None or "{}" not in TREC_EVAL.get(match[1], ""):
        return [text]
    return [f"{match[1]}.{cutoff}" for cutoff in match[2].split(",")]


def translate_name(text: str) -> str | None:
    """Text form for a name of trec_eval (``ndcg_cut_10``), ranx (``ndcg@10``) or MTEB (``ndcg_at_10``)."""
    # 1. ranx and MTEB
    name, at, cutoff = re.sub("_at_(?=[0-9]+$)", "@", text).partition("@")
    if name in RANX and (cutoff.isdecimal() or not at):
        return f"{RANX[name]}{at}{cutoff}"
    # 2. trec_eval, whose measures either need a cutoff or have none
    with_cutoff = re.fullmatch(r"(\w+?)[_.]([0-9]+)", text)
    if with_cutoff:
        template = TREC_EVAL.get(with_cutoff[1], "")
        return template.format(with_cutoff[2]) if "{}" in template else None
    text_form = TREC_EVAL.get(text)
    return None if text_form is None or "{}" in text_form else text_form


def canonical_parameters(names: set[str], parameters: dict[str, Any]) -> dict[str, Any]:
    """Rename parameters of ir_measures: ``gains`` and ``dcg`` become ``gain`` and ``discount``.

    In ``gains``, a grade without an entry is its own gain, as in ir_measures.
    """
    renamed = dict(parameters)
    for theirs in ("gains", "dcg"):
        if theirs not in parameters or theirs in names or "gain" not in names:  # absent, ours, or an unknown one
            continue
        value = renamed.pop(theirs)
        if "gain" in renamed:
            raise MeasureError(f"{theirs}={value} and gain={renamed['gain']} are both given: they mean the same")
        if theirs == "gains":
            is_table = isinstance(value, Mapping) and all(isinstance(grade, int) for grade in value)
            renamed["gain"] = _complete_gains(value) if is_table else value
        elif isinstance(value, str) and value in DCG_OF_IR_MEASURES:
            renamed["gain"] = DCG_OF_IR_MEASURES[value]
            if "discount" in names:
                renamed["discount"] = "log2"
        else:
            raise MeasureError(f"unknown dcg {value!r}: {', '.join(DCG_OF_IR_MEASURES)}")
    return renamed


def _complete_gains(gains: Mapping[int, Any]) -> dict[int, Any]:
    """Gains of the grades up to the highest entry, unless it is absurdly high: then the entries alone."""
    highest = max(gains, default=0)
    if highest > MOST_GRADES:
        return dict(gains)
    return {grade: grade for grade in range(1, highest + 1)} | dict(gains)
