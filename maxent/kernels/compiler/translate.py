"""From loops in Python to LLVM's assembly, which ``machine`` compiles.

The loops use a part of Python: arguments to which nothing is assigned, local variables, ``for`` over a ``range``,
``while``, ``if``, ``return``, arithmetic, elements and parts of arrays, named tuples, and calls of each other. Each
statement is translated by itself, and a function once for all calls with arguments of the same types; optimisation
is left to LLVM. A variable is a place in memory, with the type of its first value.

Code that LLVM would execute differently from Python is refused, with function and line. Nothing is checked at run
time: the loops must raise no error in Python, have no negative index, and need integers of at most 64 bits. An
integer becomes a float where the variable or the other branch of an expression is a float.
"""

import ast
import builtins
import inspect
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

from llvmlite import ir

from maxent.kernels.compiler.instructions import (
    BUILTINS,
    FLOAT,
    INTEGER,
    Array,
    Instruction,
    Instructions,
    Slot,
    constant,
    numbers,
    rebuild,
)
from maxent.kernels.compiler.kinds import ArrayKind, Flat, kinds_of


def assembly(entries: Iterable[Any]) -> str:
    """LLVM's assembly of functions, whose annotations are the ``kinds`` of their arguments.

    A function gets the address of its arguments: their numbers and addresses, one after the other.
    """
    module, functions = ir.Module(context=ir.Context()), dict[Any, Any]()
    for function in entries:
        entry = ir.Function(module, ir.FunctionType(ir.VoidType(), [ir.PointerType()]), function.__name__)
        translation = Translation(entry, function, functions)
        types = tuple(map(_types, kinds_of(function).values()))
        translation.call_translated(function, translation.read(entry.args[0], types))
        translation.builder.ret_void()
    return str(module)


def _types(kind: Any) -> Any:
    """LLVM's types of the numbers of an argument."""
    if isinstance(kind, ArrayKind):
        element = FLOAT if kind.dtype.kind == "f" else INTEGER
        return Array(element, shape=() if isinstance(kind.axes, Flat) else (INTEGER,) * kind.ndim)
    return type(kind)(*map(_types, kind)) if isinstance(kind, tuple) else INTEGER


class Translation(Instructions):
    """Writes the instructions of a function: a method for each kind of node in Python's syntax."""

    def __init__(self, code: ir.Function, function: Any, functions: dict[Any, Any]) -> None:
        super().__init__(ir.IRBuilder(code.append_basic_block()))
        self.function = function
        self.functions = functions  # of the module, with what they return; by function and kinds of arguments
        self.variables: dict[str, Any] = {}
        self.assigned: set[str] | None = set()  # variables that have a value by now; None where no way leads
        self.end: Any = None  # the block that ``return`` leads to
        self.result: Any = ()  # places of what is returned
        self.loops: list[tuple[Any, Any]] = []  # around a statement: where ``continue`` and ``break`` lead

    def call_translated(self, function: Any, arguments: Sequence[Any]) -> Any:
        """Call a function, which is translated once for all arguments of the same types."""
        kinds = [number.type for number in numbers(arguments)]
        key = function, repr(rebuild(arguments, kinds))
        if key not in self.functions:
            self.functions[key] = None  # a function that calls itself is refused
            self.functions[key] = self.translate(function, arguments, kinds)
        code, result = self.functions[key]
        value = self.builder.call(code, numbers(arguments))
        return rebuild(result, [self.builder.extract_value(value, k) for k in range(len(numbers(result)))])

    def translate(self, function: Any, arguments: Any, kinds: Sequence[Any]) -> tuple[ir.Function, Any]:
        """Translate a function; also returns the memory slots of its return values.

        1. Its syntax. 2. An empty function, whose result has a type that is known at the end. 3. Its statements, on
        the arguments as variables. 4. A function returns values always or never. 5. The block that every ``return``
        leads to, which loads what they stored.
        """
        # 1.
        definition: Any = ast.parse(inspect.getsource(function)).body[0]
        if definition.name != function.__name__ or definition.decorator_list:  # the file was edited since
            raise NotImplementedError(f"{function.__name__}: its source is another function's, or has a decorator")
        # 2.
        module, name = self.builder.module, f"{function.__name__}.{len(self.functions)}"
        struct = module.context.get_identified_type(name)  # of what is returned: known at the end
        code = ir.Function(module, ir.FunctionType(struct, kinds), name)
        code.linkage, code.calling_convention = "internal", "fastcc"
        if any(isinstance(node, ast.For | ast.While) for node in ast.walk(definition)):
            code.attributes.add("noinline")  # inlining makes nothing faster, and compiling takes half as long again
        # 3.
        inner = Translation(code, function, self.functions)
        inner.end = code.append_basic_block()
        names = [argument.arg for argument in definition.args.args]
        inner.variables = dict(zip(names, rebuild(arguments, code.args), strict=True))
        inner.assigned = set(names)
        inner.statements(definition.body)
        # 4.
        returned = [node.value for node in ast.walk(definition) if isinstance(node, ast.Return)]
        reaches_end = inner.assigned is not None
        if any(returned) and (reaches_end or not all(returned)):
            raise NotImplementedError(f"{function.__name__}: it may end without what it returns elsewhere")
        # 5.
        inner.go_on(inner.end)
        struct.set_body(*[place.type for place in numbers(inner.result)])
        value = ir.Constant(struct, ir.Undefined)
        for k, number in enumerate(numbers(inner.load(inner.result))):
            value = inner.builder.insert_value(value, number, k)
        inner.builder.ret(value)
        return code, inner.result

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        """Translate statements one after the other."""
        for node in nodes:
            try:
                self.visit(node)
            except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
                line = inspect.getsourcelines(self.function)[1] + node.lineno - 1
                where = f"{self.function.__name__}, line {line}"
                raise NotImplementedError(f"{where}: cannot translate {ast.unparse(node)}") from error
            if self.builder.block.is_terminated:
                self.assigned = None

    def branch(self, nodes: Sequence[ast.stmt]) -> set[str] | None:
        """Translate statements that are not always executed; returns the variables that have a value after them."""
        before = self.assigned
        self.assigned = set(before or ())
        self.statements(nodes)
        after, self.assigned = self.assigned, before
        return after

    def visit(self, node: ast.AST) -> Any:
        """Translate a node; the value of an expression is in registers."""
        return getattr(self, f"_{type(node).__name__}")(node)

    # --- statements ---

    def _Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.visit(node.value)

    def _Assign(self, node: ast.Assign) -> None:
        value = self.visit(node.value)
        for target in node.targets:
            self.assign(target, value)

    def assign(self, target: Any, value: Any) -> None:
        """Assign a value to a variable or an element, or its parts to several of these."""
        if isinstance(target, ast.Tuple):
            for element, part in zip(target.elts, value, strict=True):
                self.assign(element, part)
        elif isinstance(target, ast.Name):
            place = self.variables.get(target.id) or self.room(value)
            self.variables[target.id] = place
            self.store(place, value)
            self.assigned = {*(self.assigned or ()), target.id}
        else:
            self.store(self.element(target), value)

    def _AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.assign(node.target, self.compute(node.op, self._Name(node.target), self.visit(node.value)))
        else:
            place = self.element(node.target)  # once, and before the value
            self.store(place, self.compute(node.op, self.load(place), self.visit(node.value)))

    def _If(self, node: ast.If) -> None:
        with self.builder.if_else(self.truth(self.visit(node.test))) as (yes, no):
            with yes:
                first = self.branch(node.body)
            with no:
                second = self.branch(node.orelse)
        if first is None or second is None:  # only one of the two ways leads on
            self.assigned = second if first is None else first
        else:
            self.assigned = first & second

    def _While(self, node: ast.While) -> None:
        again, inside, end = (self.builder.append_basic_block() for _ in range(3))
        self.go_on(again)
        self.builder.cbranch(self.truth(self.visit(node.test)), inside, end)
        self.builder.position_at_end(inside)
        self.translate_body(node, again, end)
        self.builder.position_at_end(end)

    def _For(self, node: ast.For) -> None:
        again, inside, after, end = (self.builder.append_basic_block() for _ in range(4))
        call: Any = node.iter
        if self.visit(call.func) is not range:
            raise ValueError("something else than a range")
        # 1. first, stop and step
        limits = list(map(self.visit, call.args))
        if len(limits) == 1:
            limits = [constant(0), *limits]
        if len(limits) == 2:
            limits = [*limits, constant(1)]
        first, stop, step = map(self.integer, limits)
        # 2. whether there is another turn
        counter = self.room(first)
        self.store(counter, first)
        self.go_on(again)
        if isinstance(step, ir.Constant):
            more = self.compare(ast.Gt if step.constant < 0 else ast.Lt, self.load(counter), stop)
        else:
            ahead = self.builder.sub(stop, self.load(counter))
            more = self.compare(ast.Gt, self.builder.mul(ahead, step), constant(0))
        self.builder.cbranch(more, inside, end)
        # 3. the body, whose variables may have no value afterwards, and the next number
        self.builder.position_at_end(inside)
        before = self.assigned
        self.assign(node.target, self.load(counter))
        self.translate_body(node, after, end)
        self.assigned = before
        self.store(counter, self.builder.add(self.load(counter), step))
        self.builder.branch(again)
        self.builder.position_at_end(end)

    def translate_body(self, loop: ast.For | ast.While, after: Any, end: Any) -> None:
        """Translate the body of a loop: ``continue`` leads to the block ``after``, ``break`` to ``end``."""
        if loop.orelse:
            raise ValueError("else of a loop")
        self.loops.append((after, end))
        self.branch(loop.body)
        self.loops.pop()
        self.go_on(after)

    def _Continue(self, _: ast.Continue) -> None:
        self.builder.branch(self.loops[-1][0])

    def _Break(self, _: ast.Break) -> None:
        self.builder.branch(self.loops[-1][1])

    def _Return(self, node: ast.Return) -> None:
        if node.value:
            value = self.visit(node.value)
            self.result = self.result or self.room(value)
            self.store(self.result, value)
        self.builder.branch(self.end)

    # --- expressions ---

    def _Constant(self, node: ast.Constant) -> Any:
        return constant(node.value)

    def _Name(self, node: ast.Name) -> Any:
        code = self.function.__code__
        if node.id in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
            if node.id not in (self.assigned or ()):
                raise ValueError("a variable that may have no value")
            return self.load(self.variables[node.id])
        module_names = self.function.__globals__
        return constant(module_names[node.id] if node.id in module_names else getattr(builtins, node.id))

    def _Attribute(self, node: ast.Attribute) -> Any:
        return constant(getattr(self.visit(node.value), node.attr))

    def _Subscript(self, node: ast.Subscript) -> Any:
        return self.load(self.element(node))

    def element(self, node: Any) -> Any:
        """Place of an element of an array; or a part of the array, or of a tuple.

        1. Indices, none of which may count from the end. 2. A slice as the last index is cut at the end of its
        axis, as in Python. 3. Numbers are in C order: the place of (i, j, k) in an array of the shape (., J, K) is
        (i J + j) K + k.
        """
        # 1.
        owner, index = self.visit(node.value), self.visit(node.slice)
        if isinstance(owner, tuple):
            return owner[index.constant]
        indices = index if isinstance(index, tuple) else (index,)
        if len(indices) > max(len(owner.shape), 1):
            raise IndexError("more indices than axes")
        axes_left = owner.shape[len(indices) :]
        limits = [x for part in indices for x in (part if isinstance(part, list) else [part])]
        if any(getattr(self.integer(x), "constant", 0) < 0 for x in limits):
            raise IndexError("an index from the end")
        # 2.
        if isinstance(indices[-1], list):
            start, stop = indices[-1]
            stop = BUILTINS[min].write(self, stop, owner.shape[len(indices) - 1])
            size = BUILTINS[max].write(self, self.builder.sub(stop, start), constant(0))
            indices, axes_left = (*indices[:-1], start), (size, *axes_left)
        # 3.
        place = indices[0]
        for k, size in enumerate(owner.shape[1:], 1):
            place = self.builder.mul(place, size)
            place = self.builder.add(place, indices[k]) if k < len(indices) else place
        address = self.builder.gep(owner.address, [place], inbounds=True, source_etype=owner.element)
        return Array(owner.element, address, axes_left) if axes_left else Slot(owner.element, address)

    def _Slice(self, node: Any) -> list[Any]:
        if node.step:
            raise ValueError("step of a slice")
        return [self.visit(node.lower), self.visit(node.upper)]

    def _Tuple(self, node: ast.Tuple) -> Any:
        return tuple(map(self.visit, node.elts))

    def _UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            return self.builder.not_(self.truth(self.visit(node.operand)))
        if not isinstance(node.op, ast.USub):
            raise ValueError("no sign but minus")
        return self.negate(self.visit(node.operand))

    def _BinOp(self, node: ast.BinOp) -> Any:
        return self.compute(node.op, self.visit(node.left), self.visit(node.right))

    def _Compare(self, node: ast.Compare) -> Any:
        if not all(isinstance(x, ast.Name | ast.Attribute | ast.Constant) for x in node.comparators[1:]):
            raise ValueError("Python does not always compute what is compared last")
        operands = list(map(self.visit, (node.left, *node.comparators)))
        triples = zip(node.ops, operands[:-1], operands[1:], strict=True)
        return reduce(self.builder.and_, [self.compare(type(how), x, y) for how, x, y in triples])

    def _BoolOp(self, node: ast.BoolOp) -> Any:
        value = self.visit(node.values[0])
        place, holds = self.room(value), self.truth(value)
        self.store(place, value)
        # the first value decides, unless it is true with ``and`` or false with ``or``
        undecided = holds if isinstance(node.op, ast.And) else self.builder.not_(holds)
        with self.builder.if_then(undecided):
            others = node.values[1] if len(node.values) == 2 else ast.BoolOp(node.op, node.values[1:])
            self.store(place, self.visit(others))
        return self.load(place)

    def _IfExp(self, node: ast.IfExp) -> Any:
        with self.builder.if_else(self.truth(self.visit(node.test))) as (yes, no):
            with yes:
                value = self.visit(node.body)
                places = self.room(value)
                self.store(places, value)
            with no:
                self.store(places, self.visit(node.orelse))
        return self.load(places)

    def _Call(self, node: ast.Call) -> Any:
        if node.keywords:
            raise ValueError("names of arguments")
        function, arguments = self.visit(node.func), tuple(map(self.visit, node.args))
        instruction = function if isinstance(function, Instruction) else BUILTINS.get(function)
        if instruction:
            return instruction.write(self, *arguments)
        return function(*arguments) if hasattr(function, "_fields") else self.call_translated(function, arguments)
