"""Where the fields of a record stand in memory: named arrays of numbers, one after the other."""

import math
from collections.abc import Mapping
from typing import NamedTuple

LANES = 8  # numbers that a processor computes with at once
Shape = tuple[int, ...]


class Field(NamedTuple):
    """Place of a field in its record."""

    offset: int  # of its first number
    shape: Shape
    size: int  # how many numbers it has


class Layout(NamedTuple):
    """Fields of a record."""

    fields: dict[str, Field]
    length: int  # numbers of the record
    sizes: Mapping[str, int]  # what the letters in the texts of shapes stand for


def shape(text: str, sizes: Mapping[str, int]) -> Shape:
    """Shape of an array from its text: "c,m+c+1" is (2, 4) for the sizes c=2, m=1."""
    axes = [axis.split("+") for axis in text.split(",") if axis]
    return tuple(sum(sizes[term] if term in sizes else int(term) for term in axis) for axis in axes)


def layout(shapes: Mapping[str, str], sizes: Mapping[str, int]) -> Layout:
    """Place the fields of a record, whose ``shapes`` are texts, one after the other."""
    fields, end = {}, 0
    for name, text in shapes.items():
        axes = shape(text, sizes)
        fields[name] = Field(end, axes, math.prod(axes))
        end += fields[name].size
    return Layout(fields, end, sizes)
