"""From loops in Python to LLVM's assembly, which ``machine`` compiles.

Functions have arguments that stay as they are, other variables, ``for`` over a ``range``, ``while``, ``if``,
``return``, arithmetic, elements and parts of arrays, named tuples, and calls of each other. Each is translated
once for arguments of one form, statement by statement as it stands; to make it fast is LLVM's part. A variable is
a place in memory for values of the kind that it is given first. Indices, and integers that are divided, are not
negative.
"""

import ast
import builtins
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from maxent.kernels.instructions import BUILTINS, Body, Instruction
from maxent.kernels.values import INTEGER, TRUTH, Array, Number, blank, constant, numbers, replaced, types


def assembly(signatures: Mapping[Any, Sequence[Any]]) -> tuple[str, list[str]]:
    """LLVM's assembly of functions with arguments of these forms, and their names."""
    functions = _Functions()
    names = [function.__name__ for function in signatures]
    for function, arguments in signatures.items():
        functions.texts.append(_entry(function.__name__, *functions.translated(function, arguments), arguments))
    return "\n".join([*sorted(functions.declared), *functions.texts]), names


def _entry(name: str, function: str, result: Any, arguments: Sequence[Any]) -> str:
    """A function that calls another with numbers and addresses that stand one after the other in memory."""
    lines, kinds = [f"define void @{name}(ptr %given) {{"], [own.kind for own in numbers(arguments)]
    for k, kind in enumerate(kinds):
        lines += [f"  %at{k} = getelementptr i64, ptr %given, i64 {k}", f"  %x{k} = load {kind}, ptr %at{k}"]
    own = ", ".join(f"{kind} %x{k}" for k, kind in enumerate(kinds))
    return "\n".join([*lines, f"  call {types(result)} @{function}({own})", "  ret void", "}"])


class _Functions:
    """What is translated so far."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.declared: set[str] = set()
        self._known: dict[Any, tuple[str, Any]] = {}

    def translated(self, function: Callable[..., Any], arguments: Sequence[Any]) -> tuple[str, Any]:
        """Name of a function for arguments of these forms, and the form of what it returns."""
        key = function, tuple(map(blank, arguments))
        if key not in self._known:
            name, found = f"{function.__name__}.{len(self._known)}", _Translation(function, key[1], self)
            self.texts.append(found.text(name))
            self.declared |= found.body.declared
            self._known[key] = name, blank(found.result)
        return self._known[key]


class _Translation:
    """One function for arguments of one form: a method for each kind of node in Python's syntax."""

    def __init__(self, function: Any, arguments: Sequence[Any], others: _Functions) -> None:
        own: Any = ast.parse(inspect.getsource(function)).body[0]
        self.body, self.others, self.known = Body(), others, vars(builtins) | function.__globals__
        self.given = [Number(one.kind, f"%given{k}") for k, one in enumerate(numbers(arguments))]
        names = [argument.arg for argument in own.args.args]
        self.variables = dict(zip(names, replaced(arguments, self.given), strict=True))
        self.loops: list[tuple[str, str]] = []  # where ``continue`` and ``break`` lead
        self.result: Any = ()  # a place in memory
        self.statements(own.body)

    def text(self, name: str) -> str:
        """LLVM's text of the function."""
        w, kind, whole = self.body, types(self.result), "undef"
        w.jump("end")
        w.begin("end")
        for k, own in enumerate(numbers(w.loaded(self.result))):
            whole = w.new(f"insertvalue {kind} {whole}, {own.kind} {own.name}, {k}")
        given = ", ".join(f"{own.kind} {own.name}" for own in self.given)
        end = "  ret void" if kind == "void" else f"  ret {kind} {whole}"
        return "\n".join([f"define internal {kind} @{name}({given}) {{", *w.rooms, *w.lines, end, "}"])

    def visit(self, node: ast.AST) -> Any:
        """Translate a node; what an expression says is a value, of which numbers are in registers."""
        return getattr(self, f"_{type(node).__name__}")(node)

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        """Translate statements one after the other."""
        for node in nodes:
            self.visit(node)

    # --- statements ---

    def _Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.visit(node.value)

    def _Assign(self, node: ast.Assign) -> None:
        value = self.body.loaded(self.visit(node.value))  # the whole of it first: variables may change places
        for target in node.targets:
            self.assign(target, value)

    def assign(self, target: Any, value: Any) -> None:
        """Give a value to a variable or an element, or its parts to several of these."""
        if isinstance(target, ast.Tuple):
            for own, part in zip(target.elts, value, strict=True):
                self.assign(own, part)
            return
        if isinstance(target, ast.Name) and target.id not in self.variables:
            self.variables[target.id] = self.body.room(value)
        self.body.store(self.place(target), value)

    def place(self, target: Any) -> Any:
        """Where a variable or an element stands."""
        return self.variables[target.id] if isinstance(target, ast.Name) else self.element(target)

    def _AugAssign(self, node: ast.AugAssign) -> None:
        place = self.place(node.target)
        value = self.body.computed(type(node.op), self.body.loaded(place), self.visit(node.value))
        self.body.store(place, value)

    def _If(self, node: ast.If) -> None:
        yes, no, end = self.body.labels(3)
        self.body.fork(self.visit(node.test), yes, no)
        for label, nodes in ((yes, node.body), (no, node.orelse)):
            self.body.begin(label)
            self.statements(nodes)
            self.body.jump(end)
        self.body.begin(end)

    def _While(self, node: ast.While) -> None:
        again, inside, end = self.body.labels(3)
        self.body.jump(again)
        self.body.begin(again)
        self.body.fork(self.visit(node.test), inside, end)
        self.body.begin(inside)
        self.repeated(node.body, again, end)
        self.body.jump(again)
        self.body.begin(end)

    def _For(self, node: ast.For) -> None:
        w, (again, inside, after, end) = self.body, self.body.labels(4)
        limits: Any = node.iter  # a call of range
        given = list(map(self.visit, limits.args))
        first, stop, step = ([constant(0)] * (len(given) == 1) + given + [constant(1)])[:3]
        down = isinstance(limits.args[-1], ast.UnaryOp)  # a step such as -1
        counter = w.room(INTEGER)
        w.store(counter, first)
        w.jump(again)
        w.begin(again)
        value = w.loaded(counter)
        w.fork(w.compared(ast.Gt if down else ast.Lt, value, stop), inside, end)
        w.begin(inside)
        self.assign(node.target, value)
        self.repeated(node.body, after, end)
        w.jump(after)
        w.begin(after)
        w.store(counter, w.computed(ast.Add, value, step))
        w.jump(again)
        w.begin(end)

    def repeated(self, nodes: Sequence[ast.stmt], after: str, end: str) -> None:
        """Statements of a loop, with the labels that ``continue`` and ``break`` lead to."""
        self.loops.append((after, end))
        self.statements(nodes)
        self.loops.pop()

    def _Continue(self, _: ast.Continue) -> None:
        self.body.leave(self.loops[-1][0])

    def _Break(self, _: ast.Break) -> None:
        self.body.leave(self.loops[-1][1])

    def _Return(self, node: ast.Return) -> None:
        if node.value:
            value = self.body.loaded(self.visit(node.value))
            self.result = self.result or self.body.room(value)
            self.body.store(self.result, value)
        self.body.leave("end")

    # --- expressions ---

    def read(self, found: Any) -> Any:
        """A value; only numbers are loaded, as of others perhaps a part is used."""
        value = constant(found)
        return self.body.loaded(value) if isinstance(value, Number) else value

    def _Constant(self, node: ast.Constant) -> Any:
        return constant(node.value)

    def _Name(self, node: ast.Name) -> Any:
        return self.read(self.variables[node.id] if node.id in self.variables else self.known[node.id])

    def _Attribute(self, node: ast.Attribute) -> Any:
        return self.read(getattr(self.visit(node.value), node.attr))

    def _Subscript(self, node: ast.Subscript) -> Any:
        return self.read(self.element(node))

    def element(self, node: ast.Subscript) -> Any:
        """An element of an array where it stands, or a part of the array, or of a tuple."""
        w, owner, index = self.body, self.visit(node.value), self.visit(node.slice)
        if isinstance(owner, tuple):
            return owner[int(index.name)]
        indices = index if isinstance(index, tuple) else (index,)
        rest = owner.shape[len(indices) :]
        if isinstance(indices[-1], slice):
            *before, part = indices
            indices, rest = (*before, part.start), (w.computed(ast.Sub, part.stop, part.start), *rest)
        address, *sizes = w.loaded((owner.address, *owner.shape[1:]))
        place = Number("i64", w.widened(indices[0], "i64"))
        for k, size in enumerate(sizes, 1):
            place = w.computed(ast.Mult, place, size)
            if k < len(indices):
                place = w.computed(ast.Add, place, indices[k])
        name = w.new(f"getelementptr inbounds {owner.element}, ptr {address.name}, i64 {place.name}")
        return Array(owner.element, Number("ptr", name), rest) if rest else Number(owner.element, name, stored=True)

    def _Slice(self, node: Any) -> slice:
        return slice(self.visit(node.lower), self.visit(node.upper))

    def _Tuple(self, node: ast.Tuple) -> Any:
        return tuple(map(self.visit, node.elts))

    def _UnaryOp(self, node: ast.UnaryOp) -> Any:
        w, value = self.body, self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return Number("i1", w.new(f"xor i1 {w.truth(value)}, true"))
        return w.computed(ast.Sub, constant(-0.0 if value.kind == "double" else 0), value)

    def _BinOp(self, node: ast.BinOp) -> Any:
        return self.body.computed(type(node.op), self.visit(node.left), self.visit(node.right))

    def _Compare(self, node: ast.Compare) -> Any:
        given = list(map(self.visit, (node.left, *node.comparators)))
        triples = zip(node.ops, given[:-1], given[1:], strict=True)
        found = [self.body.compared(type(own), x, y).name for own, x, y in triples]
        return Number("i1", reduce(lambda x, y: self.body.new(f"and i1 {x}, {y}"), found))

    def _BoolOp(self, node: ast.BoolOp) -> Any:
        w, found = self.body, self.body.room(TRUTH)
        (end,) = w.labels(1)
        for own in node.values:
            w.store(found, Number("i1", w.truth(self.visit(own))))
            (further,) = w.labels(1)
            w.fork(w.loaded(found), *((further, end) if isinstance(node.op, ast.And) else (end, further)))
            w.begin(further)
        w.jump(end)
        w.begin(end)
        return w.loaded(found)

    def _IfExp(self, node: ast.IfExp) -> Any:
        w, (yes, no, end) = self.body, self.body.labels(3)
        w.fork(self.visit(node.test), yes, no)
        w.begin(yes)
        value = w.loaded(self.visit(node.body))
        found = w.room(value)
        w.store(found, value)
        w.jump(end)
        w.begin(no)
        w.store(found, w.loaded(self.visit(node.orelse)))
        w.jump(end)
        w.begin(end)
        return w.loaded(found)

    def _Call(self, node: ast.Call) -> Any:
        w, function = self.body, self.visit(node.func)
        given = [w.loaded(self.visit(own)) for own in node.args]
        instruction = function if isinstance(function, Instruction) else BUILTINS.get(function)
        if instruction:
            return instruction.write(w, *given)
        if isinstance(function, type):  # of a named tuple
            return function(*given)
        name, result = self.others.translated(function, given)
        call = f"call {types(result)} @{name}({', '.join(f'{own.kind} {own.name}' for own in numbers(given))})"
        if not numbers(result):
            w.lines.append(f"  {call}")
            return result
        whole = w.new(call)
        parts = [w.new(f"extractvalue {types(result)} {whole}, {k}") for k in range(len(numbers(result)))]
        return replaced(result, [Number(own.kind, part) for own, part in zip(numbers(result), parts, strict=True)])
