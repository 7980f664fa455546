"""How numba translates the loops of this folder: to LLVM's assembly and no further, which ``machine`` compiles.

For its own use numba would optimise each function, emit it as machine code and wrap it for Python: twice the time.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import llvmlite.binding as llvm
from numba import types
from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target


class _Library(CPUCodeLibrary):  # type: ignore[misc]
    """Functions as numba writes them."""

    def _optimize_functions(self, module: Any) -> None:
        pass

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_specific(self) -> None:
        pass


class _Codegen(JITCPUCodegen):  # type: ignore[misc]
    _library_class = _Library


class _Target:
    """The processor as numba knows it, but a translated function is a name in a library, and never executed."""

    options, typing_context = cpu_target.options, cpu_target.typing_context
    target_context = cpu_target.target_context.subtarget(
        _internal_codegen=_Codegen("maxent"),
        get_executable=lambda library, described, env: (described.llvm_func_name, library),
    )


class _Translated(CPUDispatcher):  # type: ignore[misc]
    targetdescr = _Target

    def get_call_template(self, arguments: Any, named: Any) -> Any:
        """As of numba, which would translate a function once more for a constant such as 0."""
        return super().get_call_template(tuple(map(types.unliteral, arguments)), named)

    def add_overload(self, made: Any) -> None:
        self.overloads[tuple(made.signature.args)] = made


def compiled(function: Callable[..., Any]) -> Any:
    """Mark a function that others in machine code call, or that has a signature.

    Without numba's runtime nobody counts references to arrays: these belong to Python, and numba may not be there.
    """
    options = ("nopython", "no_cpython_wrapper", "no_cfunc_wrapper")
    chosen = {"error_model": "numpy", "_nrt": False, **dict.fromkeys(options, True)}
    return _Translated(function, targetoptions=chosen)


@global_compiler_lock  # type: ignore[untyped-decorator]
def module(signatures: Mapping[Any, Sequence[Any]]) -> tuple[Any, list[str]]:
    """LLVM's module of functions with these arguments, and their names."""
    found, names = llvm.parse_assembly(""), []
    for function, arguments in signatures.items():
        own, library = function.compile(tuple(arguments))
        library._ensure_finalized()  # linked with what it calls
        found.link_in(llvm.parse_assembly(library.get_llvm_str()))
        names.append(function.py_func.__name__)
        kinds = [str(argument.type) for argument in found.get_function(own).arguments]
        found.link_in(llvm.parse_assembly(_entry(names[-1], own, kinds)))
    return found, names


def _entry(name: str, function: str, kinds: Sequence[str]) -> str:
    """A function that calls another with numbers and addresses that stand one after the other in memory."""
    lines = [f"define void @{name}(ptr %given) {{", "  %result = alloca [8 x i64]"]  # and error: there are none
    for k, kind in enumerate(kinds[2:]):
        lines += [f"  %at{k} = getelementptr i64, ptr %given, i64 {k}", f"  %x{k} = load {kind}, ptr %at{k}"]
    own = ", ".join(["ptr %result", "ptr %result", *(f"{kind} %x{k}" for k, kind in enumerate(kinds[2:]))])
    declared = f'declare i32 @"{function}"({", ".join(kinds)})'
    return "\n".join([declared, *lines, f'  call i32 @"{function}"({own})', "  ret void", "}"])
