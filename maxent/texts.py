"""Short texts for people: labels of measures, g and thresholds, and numbers with nouns."""

import re
from collections.abc import Iterable, Sequence
from operator import index

READING = ["count", "model", "reference", "align", "depth"]  # columns of tables with several readings
RANKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # that people read
MEAN = "mean over thresholds"  # what threshold 0 is
PREDICTED = {
    "rms": "RMS error of the prediction",
    "mae": "mean absolute error of the prediction",
    "tau": "Kendall's tau within a topic",
    "tau_systems": "Kendall's tau of system means",
    "within": "Share of the lists within the band of the prediction",
}


def many(number: int, word: str) -> str:
    """Number with its noun: ``1 run``, ``2 runs``."""
    return f"{number} {word}{'s' if number != 1 else ''}"


def is_without_content(text: str) -> bool:
    """Whether a measure is a broken stick, which knows nothing but that earlier ranks count more."""
    return text.startswith("BrokenStick")


def percent(share: float) -> str:
    """Share in percent with one decimal, robust to rounding errors of the share."""
    return f"{round(share, 9):.1%}"


def measure_label(text: str) -> str:
    """Label of a measure for people: GAP(1, 0, ...) is AP, and long decimals are rounded to four digits."""
    if is_without_content(text):
        return "broken stick (no content)"
    text = re.sub(r"^GAP\(g=1(,0)*\)(?=@\d+$|$)", "AP", text)
    return re.sub(r"\d*\.\d{5,}", lambda number: f"{float(number[0]):.4g}", text)


def g_label(g: Sequence[float]) -> str:
    """Threshold probabilities as a tick label: ``.25, .75``."""
    return ", ".join(f"{x:.4g}".replace("0.", ".", 1) if 0 < x < 1 else f"{x:g}" for x in g)


def g_symbol(grade: int) -> str:
    """Symbol of a grade's threshold probability in figures: ``g₁`` in Unicode, so that no formula is parsed."""
    return "g" + "".join(chr(ord("₀") + int(digit)) for digit in str(grade))


def threshold_label(threshold: int, highest: int) -> str:
    """Description of the documents that are relevant at a threshold; ``highest`` is the highest threshold."""
    threshold, highest = index(threshold), index(highest)  # refuses arrays, which == compares by element
    if threshold == 1:
        return "all relevant documents (grade ≥ 1)"
    return f"only grade {'≥ ' if threshold < highest else ''}{threshold}"


def measure_names(texts: Iterable[object]) -> str:
    """Labels of measures, separated by commas."""
    return ", ".join(measure_label(str(text)) for text in texts)
