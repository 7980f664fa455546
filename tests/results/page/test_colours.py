"""Colours of the page, light and dark: told apart by colour-blind readers, and legible as text."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import maxent.results.page
from maxent.results.page import THEME
from maxent.types import FloatArray

STYLE = Path(maxent.results.page.__file__).with_name("templates") / "report.css"
NAMES = {*THEME.values()} - {"ink", "card", "rule", "soft"}
# Machado, Oliveira and Fernandes (2009): linear RGB as seen without cones of one kind
VISION = {
    "normal": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
)
APART, LEGIBLE = 10, 4.5  # CIE76 distance (1 is just visible), contrast of WCAG 2.2 (1.4.3)


def linear(colour: str) -> FloatArray:
    """Linear RGB of #rrggbb (IEC 61966-2-1)."""
    c = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb: FloatArray) -> FloatArray:
    """CIELAB of linear RGB, white D65."""
    x = XYZ @ rgb.clip(0, 1) / XYZ.sum(axis=1)
    f = np.where(x > (6 / 29) ** 3, np.cbrt(x), x / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_are_apart_and_legible(theme: int) -> None:
    block = re.findall(r":root \{(.*?)\}", STYLE.read_text(encoding="utf-8"), re.DOTALL)[theme]
    found = {name: linear(colour) for name, colour in re.findall(r"--(\w+): (#[0-9a-f]{6})", block)}
    assert found.keys() >= NAMES
    for kind, matrix in VISION.items():
        for a, b in combinations(sorted(NAMES), 2):
            distance = np.linalg.norm(lab(np.asarray(matrix) @ found[a]) - lab(np.asarray(matrix) @ found[b]))
            assert distance >= APART, (kind, a, b)
    ground = XYZ[1] @ found["card"]
    for name in NAMES:
        darker, lighter = sorted((XYZ[1] @ found[name], ground))
        assert (lighter + 0.05) / (darker + 0.05) >= LEGIBLE, name
