"""Functions written once for any number of grades, turned into straight-line code for a given number.

A kernel reads the module-level constant ``c``. For a small c its loops over grades are unrolled and its small local
matrices become scalars, which the compiler keeps in registers: factorising takes half the time of the loops for
c = 2. For a large c the loops stay, and only the constant is filled in.
"""

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

UNROLLED_UP_TO = 6  # the code grows with c cubed, and so does the time to compile it


def unroll(function: ast.FunctionDef, constants: Mapping[str, Any], *, loops: bool = True) -> ast.FunctionDef:
    """Fill in constants and, with ``loops``, write loops and small arrays of constant size out."""
    unrolled = _Unroller(constants, unroll=loops).visit(function)
    assert isinstance(unrolled, ast.FunctionDef)
    return assigned_once(unrolled) if loops else unrolled


def assigned_once(function: ast.FunctionDef) -> ast.FunctionDef:
    """Give every number that is computed in the course of a loop a name of its own, where nothing branches.

    The compiler would do the same, in a time that grows with the square of the number of lines.
    """
    for loop in [node for node in ast.walk(function) if isinstance(node, ast.For)]:
        if all(isinstance(line, ast.Assign | ast.AugAssign) for line in loop.body):
            inside = {id(node) for line in loop.body for node in ast.walk(line)}
            names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
            read = {node.id for node in names if isinstance(node.ctx, ast.Load) and id(node) not in inside}
            loop.body = _Renamer(read).lines(loop.body)
    return function


class _Renamer(ast.NodeTransformer):
    """Number the values of every variable in the body of a loop.

    Where they are needed ``after`` the loop or by the next round, the last goes back by the old name.
    """

    def __init__(self, after: set[str]) -> None:
        self.needed = set(after)
        self.values: dict[str, int] = {}

    def lines(self, body: list[ast.stmt]) -> list[ast.stmt]:
        lines: list[ast.stmt] = [self.visit(line) for line in body]
        for name, value in self.values.items():
            if name in self.needed:
                lines.append(ast.Assign([ast.Name(name, ast.Store())], ast.Name(f"{name}__{value}", ast.Load())))
        return lines

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Store):
            self.values[node.id] = self.values.get(node.id, 0) + 1
        elif node.id not in self.values:
            self.needed.add(node.id)
            return node
        return ast.Name(f"{node.id}__{self.values[node.id]}", node.ctx)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        value = self.visit(node.value)  # read before it is written
        return ast.Assign([self.visit(node.targets[0])], value)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        now = ast.Name(node.target.id, ast.Load())
        return self.visit_Assign(ast.Assign([node.target], ast.BinOp(now, node.op, node.value)))


class _Unroller(ast.NodeTransformer):
    """Fill in constants; unroll loops with constant bounds; turn local arrays of constant shape into scalars."""

    def __init__(self, constants: Mapping[str, Any], *, unroll: bool) -> None:
        self.constants = dict(constants)
        self.unroll = unroll
        self.arrays: set[str] = set()

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Visit what is in a node; it stays as it is, since the next round of a loop starts from it again."""
        made: dict[str, Any] = {}
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                made[name] = self._body(value)
            else:
                made[name] = self.visit(value) if isinstance(value, ast.AST) else value
        return type(node)(**made)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        known = isinstance(node.ctx, ast.Load) and node.id in self.constants
        return ast.Constant(self.constants[node.id]) if known else node

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        bounds = [self._value(bound) for bound in node.iter.args] if isinstance(node.iter, ast.Call) else [None]
        if not self.unroll or None in bounds or not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        if any(isinstance(n, ast.Break | ast.Continue) for n in ast.walk(node)):
            return self.generic_visit(node)
        lines: list[ast.stmt] = []
        for value in range(*(int(bound) for bound in bounds if bound is not None)):
            self.constants[node.target.id] = value
            lines += self._body(node.body)
        self.constants.pop(node.target.id, None)
        return lines

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        test = self._value(node.test)
        return self.generic_visit(node) if test is None else self._body(node.body if test else node.orelse)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        test = self._value(node.test)
        return self.generic_visit(node) if test is None else self.visit(node.body if test else node.orelse)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        target, made = node.targets[0], node.value
        if not (self.unroll and isinstance(target, ast.Name) and ast.unparse(made).startswith("np.zeros(")):
            return self.generic_visit(node)
        assert isinstance(made, ast.Call)
        shape = self._value(made.args[0])
        if shape is None:
            return self.generic_visit(node)
        self.arrays.add(target.id)
        cells = np.ndindex(*shape) if isinstance(shape, tuple) else np.ndindex(shape)
        return [ast.Assign([ast.Name(_cell(target.id, k), ast.Store())], ast.Constant(0.0)) for k in cells]

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(node.value, ast.Name) and isinstance(table := self.constants.get(node.value.id), tuple):
            index = self._value(node.slice)
            return self.generic_visit(node) if index is None else ast.Constant(table[index])
        if not (isinstance(node.value, ast.Name) and node.value.id in self.arrays):
            return self.generic_visit(node)
        index = self._value(node.slice)
        return ast.Name(_cell(node.value.id, index if isinstance(index, tuple) else (index,)), node.ctx)

    def _body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        lines: list[ast.stmt] = []
        for statement in statements:
            made = self.visit(statement)
            lines += made if isinstance(made, list) else [made]
        return lines

    def _value(self, node: ast.AST) -> Any:
        """Value of an expression of constants, or None."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.constants.get(node.id)
        if isinstance(node, ast.Tuple):
            values = tuple(map(self._value, node.elts))
            return None if None in values else values
        for part in ast.walk(node):
            unknown = isinstance(part, ast.Name) and part.id not in self.constants
            if unknown or isinstance(part, ast.Call | ast.Attribute | ast.Subscript):
                return None
        return eval(ast.unparse(node), {"__builtins__": {}}, dict(self.constants))


def _cell(name: str, index: tuple[int, ...]) -> str:
    return "_".join((name, *map(str, index)))
