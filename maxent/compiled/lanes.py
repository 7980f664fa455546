"""Kernels for several problems side by side, one in each lane of the processor's vectors.

A kernel is written for one problem, on arrays whose shapes are those of named fields. Here these arrays become
parts of two flat buffers, ``rank`` (a record for every rank) and ``whole`` (a record for the problem), in which
every number is followed by the same number of the next problem; for several problems every number of the kernel
becomes a vector.
"""

import ast
import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass

from maxent.compiled.fields import FIELDS

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Field:
    """Where a field lies: in the record of every rank or of the problem, at ``offset``, with ``shape`` there."""

    ranked: bool
    offset: int
    shape: Shape
    size: int


@dataclass(frozen=True)
class Layout:
    """Fields by name, and the sizes of the two records."""

    fields: Mapping[str, Field]
    rank: int
    whole: int


@functools.cache
def layout(c: int) -> Layout:
    """Place the fields of :mod:`maxent.compiled.fields` one after the other."""
    sizes = {True: 0, False: 0}
    placed = {}
    for name, text in FIELDS.items():
        axes = [axis.strip() for axis in text.split(",") if axis.strip()]
        ranked = axes[:1] == ["n"]
        shape = tuple(c + int(axis.removeprefix("c").replace("+", "") or 0) for axis in axes[ranked:])
        size = math.prod(shape)
        placed[name] = Field(ranked, sizes[ranked], shape, size)
        sizes[ranked] += size
    return Layout(placed, sizes[True], sizes[False])


def place(function: ast.FunctionDef, where: Layout, lanes: int) -> tuple[ast.FunctionDef, bool]:
    """Rewrite an unrolled function for the two buffers; also says whether it names lanes itself.

    In a function whose parameters are all fields a number is a vector with one element for each problem; any other
    names the problem itself, as one more index behind those of the field.
    """
    own = [argument for argument in function.args.args if argument.arg not in where.fields]
    placer = _Placer(where, lanes, implicit=not own)
    function = placer.visit(function)
    if not own and lanes > 1:
        function = vectorize(function)
    function.args.args = [ast.arg("rank"), ast.arg("whole"), *own]
    if placer.depth:
        count = f"depth = len(rank) // {where.rank * lanes}"
        function.body.insert(0, ast.parse(count).body[0])
    return function, bool(own)


def vectorize(function: ast.FunctionDef) -> ast.FunctionDef:
    """Turn arithmetic on numbers into arithmetic on vectors, see :mod:`maxent.compiled.vectors`."""
    function.body = [_Vectorizer().visit(statement) for statement in function.body]
    return function


def direct(function: ast.FunctionDef) -> ast.FunctionDef:
    """Write out the calls of a function that says itself which buffers they work on."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "run":
            node.func, *node.args = node.args
    return function


class _Vectorizer(ast.NodeTransformer):
    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return _call("load", node.value, node.slice)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        target, value = node.targets[0], self.visit(node.value)
        if isinstance(target, ast.Subscript):
            return ast.Expr(_call("store", target.value, target.slice, value))
        return ast.Assign([target], value)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if not isinstance(node.target, ast.Subscript):
            return self.generic_visit(node)
        now = ast.Subscript(node.target.value, node.target.slice, ast.Load())
        return self.visit_Assign(ast.Assign([node.target], ast.BinOp(now, node.op, node.value)))

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return _call("splat", node) if isinstance(node.value, float) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return _call("select", self.visit(node.test), self.visit(node.body), self.visit(node.orelse))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return _load(node.attr) if isinstance(node.value, ast.Name) and node.value.id == "math" else node


class _Placer(ast.NodeTransformer):
    """Fields become elements of the buffers; ``len(field)`` the depth; calls hand the buffers on."""

    def __init__(self, where: Layout, lanes: int, *, implicit: bool) -> None:
        self.where, self.lanes, self.implicit = where, lanes, implicit
        self.depth = False

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if not (isinstance(node.value, ast.Name) and node.value.id in self.where.fields):
            return self.generic_visit(node)
        field = self.where.fields[node.value.id]
        index = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        lane = ast.Constant(0) if self.implicit else index.pop()
        if len(index) != field.ranked + len(field.shape):
            raise TypeError(f"{ast.unparse(node)}: the field has {field.ranked + len(field.shape)} axes")
        place: ast.expr = ast.Constant(field.offset)
        stride = 1
        row = bool(index) and isinstance(index[-1], ast.Slice)
        if row:
            index[-1] = ast.Constant(0)
        for axis, size in zip(reversed(index[field.ranked :]), reversed(field.shape), strict=True):
            place = _sum(place, _product(self.visit(axis), stride))
            stride *= size
        if field.ranked:
            place = _sum(_product(self.visit(index[0]), self.where.rank), place)
        place = _product(place, self.lanes)
        place = place if self.implicit or self.lanes == 1 else _sum(place, self.visit(lane))
        buffer = _load("rank" if field.ranked else "whole")
        if row:
            return _call("load_row", buffer, place, ast.Constant(field.shape[-1]))
        return ast.Subscript(buffer, place, node.ctx)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        target, value = self.visit(node.targets[0]), self.visit(node.value)
        if isinstance(target, ast.Call):  # a row
            return ast.Expr(_call("store_row", *target.args, value))
        return ast.Assign([target], value)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        fields = [a for a in node.args if isinstance(a, ast.Name) and a.id in self.where.fields]
        if name == "len" and fields:
            self.depth = True
            return _load("depth")
        if name == "run":
            callee, *arguments = node.args
            return ast.Call(callee, [_load("rank"), _load("whole"), *map(self.visit, arguments)], [])
        return self.generic_visit(node)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(_load(name), list(arguments), [])


def _sum(left: ast.expr, right: ast.expr) -> ast.expr:
    return _folded(ast.BinOp(left, ast.Add(), right))


def _product(left: ast.expr, factor: int) -> ast.expr:
    return left if factor == 1 else _folded(ast.BinOp(left, ast.Mult(), ast.Constant(factor)))


def _folded(node: ast.BinOp) -> ast.expr:
    if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant):
        return ast.Constant(eval(ast.unparse(node)))
    return node
